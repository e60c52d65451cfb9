//! From a compiler's command line to the commands that are run instead.
//!
//! `-fsanitize=thread` must never reach a linking command: it would bring the real libtsan in. So a command that compiles and links
//! is split: each source becomes a temporary object, which takes the source's place in the linking command.

use super::family::Family;
use super::flags;
use super::instrument::Instrument;
use super::line::{Dependency, Line, Mode, Role, Word};
use crate::home::Home;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::Path;

/// A command: program and arguments.
pub type Argv = Vec<OsString>;

/// Libraries that stand for a SHMEM of somebody else.
const OTHER_SHMEM: [&str; 2] = ["sma", "oshmem"];

/// What plans depend on besides the command line.
#[derive(Debug)]
pub struct Setting<'a> {
    /// Which compiler it is.
    pub family: Family,
    /// How loads and stores are made visible.
    pub instrument: Instrument,
    /// Libraries and headers.
    pub home: &'a Home,
    /// Directory for temporary objects.
    pub temporary: &'a Path,
}

/// The commands to run for `compiler` (its name and what stands before it) with this line of arguments.
pub fn plan(compiler: &[OsString], line: &Line, setting: &Setting) -> Result<Vec<Argv>> {
    refuse(line)?;
    let raw = || line.words.iter().flat_map(|word| word.raw.iter().cloned());
    let command = |args: Vec<OsString>| compiler.iter().cloned().chain(args).collect::<Argv>();
    match line.mode {
        Mode::Query => Ok(vec![command(raw().collect())]),
        Mode::Compile => Ok(vec![command(raw().chain(compile_flags(line, setting)).collect())]),
        Mode::Link | Mode::Relocatable => {
            let mut commands = Vec::new();
            let mut linked = if line.mode == Mode::Link { flags::link(setting.home) } else { Vec::new() };
            for (index, word) in line.words.iter().enumerate() {
                if let Role::Source(language) = &word.role {
                    let object = temporary_object(setting.temporary, index, word);
                    commands.push(command(compile_one(line, word, language.as_ref(), &object, setting)));
                    linked.push(object);
                } else {
                    linked.extend(for_the_linker(word));
                }
            }
            commands.push(command(linked));
            Ok(commands)
        }
    }
}

fn refuse(line: &Line) -> Result<()> {
    for word in &line.words {
        let Role::Sanitize(list) = &word.role else { continue };
        if let Some(other) =
            list.iter().find(|s| ["address", "leak", "memory", "hwaddress", "kernel-address"].contains(&s.as_str()))
        {
            bail!(
                "-fsanitize={other} and race detection cannot be combined: leave it out when building with `thrille cc`"
            );
        }
    }
    if line.mode == Mode::Link
        && let Some(flag) = ["-static", "-static-pie"].into_iter().find(|flag| line.has(flag))
    {
        bail!("{flag}: programs built with `thrille cc` need its shared libraries: leave it out");
    }
    Ok(())
}

/// Ours, behind the user's.
fn compile_flags(line: &Line, setting: &Setting) -> Vec<OsString> {
    let mut added = Vec::new();
    if !line.has_debug() {
        added.push("-g".into());
    }
    if line.has_start("-flto") {
        // The instrumentation would otherwise be left to the linking command.
        added.push("-fno-lto".into());
    }
    if line.is_fortran() {
        added.extend(flags::compile_fortran(setting.family));
    } else {
        added.extend(flags::compile(setting.family, &setting.instrument, setting.home));
    }
    added
}

/// Compiles one source of a command that also links.
fn compile_one(line: &Line, source: &Word, language: Option<&OsString>, object: &OsString, setting: &Setting) -> Argv {
    let kept = line.words.iter().filter(|word| match word.role {
        Role::Other | Role::Sanitize(_) | Role::Dependency(_) => true,
        Role::Source(_)
        | Role::Header
        | Role::Object
        | Role::Language
        | Role::Output
        | Role::Library(_)
        | Role::LinkOnly => false,
    });
    let mut args: Argv = kept.flat_map(|word| word.raw.iter().cloned()).collect();
    args.extend(dependencies(line, source));
    if line.has("-gsplit-dwarf") {
        // The other half of the debug information would go with the temporary object.
        args.push("-gno-split-dwarf".into());
    }
    args.extend(compile_flags(line, setting));
    if let Some(language) = language {
        args.extend(["-x".into(), language.clone()]);
    }
    args.push("-c".into());
    args.extend(source.raw.iter().cloned());
    args.extend(["-o".into(), object.clone()]);
    args
}

/// Keeps dependencies about the user's files, though the object is a temporary one.
fn dependencies(line: &Line, source: &Word) -> Argv {
    let has = |what| line.words.iter().any(|word| word.role == Role::Dependency(what));
    let mut args = Argv::new();
    if !has(Dependency::Write) {
        return args;
    }
    let stem = stem(source);
    if !has(Dependency::File) {
        args.extend(["-MF".into(), format!("{stem}.d").into()]);
    }
    if !has(Dependency::Target) {
        args.extend(["-MQ".into(), line.output().unwrap_or_else(|| format!("{stem}.o").into())]);
    }
    args
}

/// What the linking command gets of a word that is no source.
fn for_the_linker(word: &Word) -> Argv {
    match &word.role {
        Role::Language | Role::Dependency(_) => Argv::new(),
        Role::Library(name) if OTHER_SHMEM.contains(&name.as_str()) => Argv::new(),
        Role::Sanitize(list) => {
            let left: Vec<&str> = list.iter().map(String::as_str).filter(|name| *name != "thread").collect();
            if left.is_empty() { Argv::new() } else { vec![format!("-fsanitize={}", left.join(",")).into()] }
        }
        _ => word.raw.clone(),
    }
}

fn temporary_object(dir: &Path, index: usize, source: &Word) -> OsString {
    dir.join(format!("{index}-{}.o", stem(source))).into()
}

fn stem(source: &Word) -> String {
    Path::new(&source.raw[0]).file_stem().map_or_else(|| "stdin".into(), |stem| stem.to_string_lossy().into_owned())
}
