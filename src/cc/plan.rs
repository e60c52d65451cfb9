//! From a compiler's command line to the commands that are run instead.
//!
//! `-fsanitize=thread` must never reach a linking command: it would bring the real libtsan in. So a command that compiles and links
//! is split: each source becomes a temporary object, which takes the source's place in the linking command.
//!
//! Where two compilations are joined, each source is one step of its own, also of a command that compiles only.

use super::family::Family;
use super::flags::{self, Part};
use super::instrument::Instrument;
use super::joining::Joining;
use super::line::{Dependency, Line, Mode, Role, Word};
use crate::home::Home;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A command: program and arguments.
pub type Argv = Vec<OsString>;

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A command is run.
    Run(Argv),
    /// A source is compiled twice, and joined.
    Join(Box<Joining>),
}

/// Libraries that stand for a SHMEM of somebody else.
const OTHER_SHMEM: [&str; 2] = ["sma", "oshmem"];

/// What plans depend on besides the command line.
#[derive(Debug)]
pub struct Setting<'a> {
    /// Which compiler it is.
    pub family: Family,
    /// How loads and stores are made visible.
    pub instrument: Instrument,
    /// With gcc: its plugin, which helps the sanitizer in any case.
    pub gcc: Option<PathBuf>,
    /// Libraries and headers.
    pub home: &'a Home,
    /// Directory for temporary objects.
    pub temporary: &'a Path,
}

/// What to do for `compiler` (its name and what stands before it) with this line of arguments.
pub fn plan(compiler: &[OsString], line: &Line, setting: &Setting) -> Result<Vec<Step>> {
    refuse(line)?;
    let raw = || line.words.iter().flat_map(|word| word.raw.iter().cloned());
    let command = |args: Vec<OsString>| compiler.iter().cloned().chain(args).collect::<Argv>();
    match line.mode {
        Mode::Query => Ok(vec![Step::Run(command(raw().collect()))]),
        Mode::Compile => Ok(compile_only(compiler, line, setting).unwrap_or_else(|| {
            vec![Step::Run(command(raw().chain(compile_flags(line, Part::Whole, setting)).collect()))]
        })),
        Mode::Link | Mode::Relocatable => {
            let mut steps = Vec::new();
            let mut linked = if line.mode == Mode::Link { flags::link(setting.home) } else { Vec::new() };
            for (index, word) in line.words.iter().enumerate() {
                if let Role::Source(_) = &word.role {
                    let object = temporary_object(setting.temporary, index, word);
                    let target = line.output().unwrap_or_else(|| format!("{}.o", stem(word)).into());
                    let one = One { compiler, line, source: word, index, setting, object: &object, target: &target };
                    steps.push(one.step());
                    linked.push(object);
                } else {
                    linked.extend(for_the_linker(word));
                }
            }
            steps.push(Step::Run(command(linked)));
            Ok(steps)
        }
    }
}

/// The steps of a command that compiles only, if all its sources can be joined: each becomes an object of its own.
fn compile_only(compiler: &[OsString], line: &Line, setting: &Setting) -> Option<Vec<Step>> {
    let sources: Vec<(usize, &Word)> =
        line.words.iter().enumerate().filter(|(_, word)| matches!(word.role, Role::Source(_))).collect();
    let others = line.words.iter().any(|word| matches!(word.role, Role::Header | Role::Object));
    if others || !line.has("-c") || (sources.len() > 1 && line.output().is_some()) {
        return None;
    }
    let mut steps = Vec::new();
    for (index, source) in sources {
        let object = line.output().unwrap_or_else(|| format!("{}.o", stem(source)).into());
        let one = One { compiler, line, source, index, setting, object: &object, target: &object };
        match one.step() {
            Step::Run(_) => return None,
            step @ Step::Join(_) => steps.push(step),
        }
    }
    Some(steps)
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
fn compile_flags(line: &Line, part: Part, setting: &Setting) -> Vec<OsString> {
    let mut added = Vec::new();
    if !line.has_debug() {
        added.push("-g".into());
    }
    if line.has_start("-flto") {
        // The instrumentation would otherwise be left to the linking command.
        added.push("-fno-lto".into());
    }
    if line.is_fortran() {
        added.extend(flags::compile_fortran(setting.family, &setting.instrument, part, setting.home));
    } else {
        added.extend(flags::compile(setting.family, &setting.instrument, part, setting.home));
    }
    if let (Some(path), false) = (&setting.gcc, part == Part::Plain) {
        let mut load = OsString::from("-fplugin=");
        load.push(path);
        added.push(load);
        if matches!(setting.instrument, Instrument::Plugin(_)) {
            added.push("-fplugin-arg-libthrille_gcc-double".into());
        }
    }
    added
}

/// One source, to become one object.
struct One<'a> {
    compiler: &'a [OsString],
    line: &'a Line,
    source: &'a Word,
    /// Its place in the line.
    index: usize,
    setting: &'a Setting<'a>,
    object: &'a OsString,
    /// What make knows the object by.
    target: &'a OsString,
}

impl One<'_> {
    fn step(&self) -> Step {
        let hooks = self.compile(Part::Whole, "-c", self.object);
        let Instrument::Dual(asked) = self.setting.instrument else { return Step::Run(hooks) };
        if !self.line.can_be_joined(self.source) {
            return Step::Run(hooks);
        }
        let file =
            |suffix: &str| self.setting.temporary.join(format!("{}-{}.{suffix}.s", self.index, stem(self.source)));
        let part = |part: Part, suffix: &str| {
            let file = file(suffix);
            (self.compile(part, "-S", &file.clone().into()), file)
        };
        let assembling = |word: &&Word| {
            let text = word.raw[0].to_string_lossy().into_owned();
            text.starts_with("-Wa,") || text == "-Xassembler" || text.starts_with("-gz")
        };
        let mut assemble: Argv = self.compiler.to_vec();
        assemble.extend(self.line.words.iter().filter(assembling).flat_map(|word| word.raw.iter().cloned()));
        assemble.push("-c".into());
        Step::Join(Box::new(Joining {
            plain: part(Part::Plain, "plain"),
            instrumented: part(Part::Twin, "twin"),
            assemble,
            hooks,
            object: self.object.clone(),
            source: self.source.raw[0].to_string_lossy().into_owned(),
            one_by_one: self.line.is_fortran(),
            asked,
        }))
    }

    /// The command that compiles it, as far as the option says.
    fn compile(&self, part: Part, far: &str, output: &OsString) -> Argv {
        let line = self.line;
        let kept = line.words.iter().filter(|word| match word.role {
            Role::Other => word.raw[0] != "-c" && !(part == Part::Plain && word.raw[0] == "-MP"),
            Role::Sanitize(_) | Role::Dependency(_) => part != Part::Plain,
            Role::Source(_)
            | Role::Header
            | Role::Object
            | Role::Language
            | Role::Output
            | Role::Library(_)
            | Role::LinkOnly => false,
        });
        let mut args: Argv = self.compiler.to_vec();
        args.extend(kept.flat_map(|word| word.raw.iter().cloned()));
        if part != Part::Plain {
            args.extend(self.dependencies());
        }
        if line.has("-gsplit-dwarf") {
            // The other half of the debug information would go with the temporary object.
            args.push("-gno-split-dwarf".into());
        }
        args.extend(compile_flags(line, part, self.setting));
        if let Role::Source(Some(language)) = &self.source.role {
            args.extend(["-x".into(), language.clone()]);
        }
        args.push(far.into());
        args.extend(self.source.raw.iter().cloned());
        args.extend(["-o".into(), output.clone()]);
        args
    }

    /// Keeps dependencies about the user's files, though what is written is a temporary one.
    fn dependencies(&self) -> Argv {
        let has = |what| self.line.words.iter().any(|word| word.role == Role::Dependency(what));
        let mut args = Argv::new();
        if !has(Dependency::Write) {
            return args;
        }
        if !has(Dependency::File) {
            let file = match self.line.output().filter(|_| self.line.mode == Mode::Compile) {
                Some(object) => Path::new(&object).with_extension("d").into(),
                None => format!("{}.d", stem(self.source)).into(),
            };
            args.extend(["-MF".into(), file]);
        }
        if !has(Dependency::Target) {
            args.extend(["-MQ".into(), self.target.clone()]);
        }
        args
    }
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
