//! How loads and stores are made visible: by the compiler's plugin, which doubles functions, by joining two compilations of gcc, which does so too, or by
//! the hooks of `-fsanitize=thread` alone.

use super::family::Family;
use crate::home::Plugins;
use clap::ValueEnum;
use std::path::PathBuf;

/// The variable that says which.
pub const ENV: &str = "THRILLE_INSTRUMENT";

/// What somebody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// The compiler plugin, where there is one for the compiler
    Plugin,
    /// Two compilations joined, with gcc, g++ and gfortran
    Dual,
    /// A call before each access, with any compiler
    Hooks,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// Calls, by the compiler itself.
    Hooks,
    /// Two compilations, joined where that is possible.
    Dual(Asked),
    /// This plugin.
    Plugin(PathBuf),
}

/// Whether somebody asked for it, who would like to know where it is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By name.
    Yes,
    /// It is what suits the compiler.
    No,
}

/// From this version on gcc has what joining needs.
const OLDEST_GCC: u32 = 10;

/// Decides; and what the user should know of it, in one line.
pub fn choose(wanted: Option<Wanted>, family: Family, plugins: &Plugins) -> (Instrument, Option<String>) {
    let fallback = |why: String| (Instrument::Hooks, Some(format!("{why}: instrumenting by hooks, which cost more")));
    if let (None | Some(Wanted::Plugin), Family::Gcc(Some(version))) = (wanted, family)
        && let Some(path) = plugins.of_gcc(version).filter(|_| cfg!(target_arch = "x86_64"))
    {
        return (Instrument::Plugin(path), None);
    }
    match (wanted, family) {
        (None | Some(Wanted::Dual), Family::Gcc(Some(OLDEST_GCC..))) if cfg!(target_arch = "x86_64") => {
            (Instrument::Dual(if wanted.is_some() { Asked::Yes } else { Asked::No }), None)
        }
        (Some(Wanted::Hooks), _) | (None, Family::Gcc(_)) => (Instrument::Hooks, None),
        (Some(Wanted::Dual), Family::Gcc(_)) => {
            fallback(format!("joining two compilations needs gcc {OLDEST_GCC} or later, on x86-64"))
        }
        (Some(Wanted::Dual), Family::Clang(_)) => {
            fallback("joining two compilations is for gcc; clang has the plugin".into())
        }
        (Some(Wanted::Plugin), Family::Gcc(version)) => {
            let version = version.map_or_else(|| "N".into(), |version| version.to_string());
            fallback(format!(
                "there is no plugin for this gcc (apt install gcc-{version}-plugin-dev, then cargo xtask build; x86-64, gcc 12 or later)"
            ))
        }
        (_, Family::Clang(None)) => {
            fallback("the version of this clang is not known, so there is no plugin for it".into())
        }
        (_, Family::Clang(Some(version))) => match plugins.of(version) {
            Some(path) => (Instrument::Plugin(path), None),
            // Without any plugin nobody expects one.
            None if wanted.is_none() && plugins.versions().is_empty() => (Instrument::Hooks, None),
            None if plugins.versions().is_empty() => fallback(format!(
                "there is no plugin for clang {version} (apt install llvm-{version}-dev, then cargo xtask build)"
            )),
            None => {
                let there: Vec<String> = plugins.versions().iter().map(u32::to_string).collect();
                fallback(format!("there is no plugin for clang {version}, only for {}", there.join(" and ")))
            }
        },
    }
}

/// What the environment asks for. Something unknown is said, and not followed.
pub fn from_environment() -> Option<Wanted> {
    let said = std::env::var(ENV).ok().filter(|said| !said.is_empty())?;
    let wanted = Wanted::from_str(&said, true).ok();
    if wanted.is_none() {
        eprintln!("thrille: {ENV}={said} is not known: it is `plugin`, `dual` or `hooks`");
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_of_the_version_or_hooks_and_why() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plugin-16");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join(crate::home::PLUGIN), "").unwrap();
        let path = dir.path().join("gcc-13");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join(crate::home::GCC_PLUGIN), "").unwrap();
        let (some, none) = (Plugins::below(vec![dir.path().into()]), Plugins::below(vec![]));
        let plugin =
            |(instrument, note): (Instrument, Option<String>)| (matches!(instrument, Instrument::Plugin(_)), note);
        let clang = |version| Family::Clang(Some(version));
        assert_eq!(plugin(choose(None, clang(16), &some)), (true, None));
        assert_eq!(plugin(choose(Some(Wanted::Hooks), clang(16), &some)), (false, None));
        let (old, new) = (Family::Gcc(Some(9)), Family::Gcc(Some(12)));
        assert_eq!(choose(None, new, &some), (Instrument::Dual(Asked::No), None));
        assert_eq!(choose(Some(Wanted::Dual), new, &some), (Instrument::Dual(Asked::Yes), None));
        assert_eq!(choose(Some(Wanted::Hooks), new, &some), (Instrument::Hooks, None));
        assert_eq!(choose(None, old, &some), (Instrument::Hooks, None));
        let newer = Family::Gcc(Some(13));
        assert_eq!(plugin(choose(None, newer, &some)), (true, None));
        assert_eq!(choose(Some(Wanted::Dual), newer, &some), (Instrument::Dual(Asked::Yes), None));
        assert_eq!(plugin(choose(None, clang(16), &none)), (false, None));
        for (wanted, family, plugins, word) in [
            (None, clang(15), &some, "only for 16"),
            (Some(Wanted::Plugin), clang(15), &none, "llvm-15-dev"),
            (Some(Wanted::Plugin), new, &some, "gcc-12-plugin-dev"),
            (Some(Wanted::Dual), old, &some, "gcc 10"),
            (Some(Wanted::Dual), clang(16), &some, "for gcc"),
            (None, Family::Clang(None), &some, "not known"),
        ] {
            let (instrument, note) = choose(wanted, family, plugins);
            assert_eq!(instrument, Instrument::Hooks);
            assert!(note.as_deref().is_some_and(|note| note.contains(word)), "{note:?}");
        }
    }
}
