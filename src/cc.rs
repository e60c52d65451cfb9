//! `thrille cc`: understands a compiler's command line, and runs it with instrumentation.
//!
//! | module | does |
//! |---|---|
//! | [`line`](self::line) | what the words of a command line are |
//! | [`plan`](self::plan) | which commands to run instead |
//! | [`flags`] | what is added to them |
//! | [`family`] | gcc or clang |
//! | [`instrument`] | by the compiler's plugin, by joining two compilations, or by hooks |
//! | [`joining`] | one source compiled twice and joined |

mod family;
mod flags;
mod instrument;
mod joining;
mod line;
mod plan;
#[cfg(test)]
mod tests;

pub use family::Family;
pub use instrument::{Instrument, Wanted};
pub use line::{FORTRAN, Line};
pub use plan::{Argv, Setting, Step, plan};

use crate::home::{Home, Plugins};
use crate::mpi::Shmem;
use crate::{args, mpi, split};
use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// Programs that run the compiler named behind them.
const PREFIXES: [&str; 4] = ["ccache", "sccache", "distcc", "icecc"];
/// Longer command lines go through a response file.
const LONGEST: usize = 100_000;
/// How deep response files may name response files.
const DEEPEST: usize = 20;

/// The subcommand. The exit code is the compiler's.
pub fn main(typed: &args::Cc) -> Result<ExitCode> {
    let (compiler, given) = compiler(&typed.command);
    let line = Line::parse(&expand(given, 0));
    if line.mode == line::Mode::Query {
        let status = run(&typed.command, None)?;
        return Ok(code(status));
    }
    let compiler = on(Shmem::chosen(typed.shmem)?, compiler);
    let temporary = tempfile::Builder::new().prefix("thrille-cc-").tempdir().context(
        "cannot make a directory for temporary objects: free some space, or set TMPDIR to a directory that can be written",
    )?;
    let home = home_for(&compiler, &line)?;
    let family = Family::of(&compiler)?;
    let instrument = instrument(typed.instrument, None, family);
    let setting = Setting { family, instrument, gcc: for_gcc(family), home: &home, temporary: temporary.path() };
    for step in plan(&compiler, &line, &setting)? {
        let status = perform(&step, temporary.path())?;
        if !status.success() {
            return Ok(code(status));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How to instrument with this compiler, if nobody asks: in the usual way, or what suits it best. What the user should know of it is said.
pub fn instrument(wanted: Option<Wanted>, usual: Option<Wanted>, family: Family) -> Instrument {
    let wanted = wanted.or_else(instrument::from_environment).or(usual);
    let (instrument, note) = instrument::choose(wanted, family, &Plugins::find());
    if let Some(note) = note {
        eprintln!("thrille: {note}");
    }
    instrument
}

/// The plugin for this compiler, if it is a gcc that there is one for.
pub fn for_gcc(family: Family) -> Option<PathBuf> {
    let Family::Gcc(version) = family else { return None };
    Plugins::find().of_gcc(version?)
}

/// The compiler with what stands before it, and its arguments.
fn compiler(command: &[OsString]) -> (&[OsString], &[OsString]) {
    let before = command.iter().take_while(|word| PREFIXES.contains(&file_name(word).as_str())).count();
    command.split_at((before + 1).min(command.len()))
}

/// The same with a plain compiler in place of another SHMEM's wrapper, unless that library is wanted.
pub fn on(shmem: Shmem, command: &[OsString]) -> Vec<OsString> {
    let mut command = command.to_vec();
    if let (Some(last), Shmem::Embedded) = (command.last_mut(), shmem)
        && let Some(plain) = Shmem::plain_compiler(&file_name(last))
    {
        *last = plain.into();
    }
    command
}

fn file_name(path: &OsStr) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The libraries that go with a compiler and its arguments: an MPI compiler's programs are MPI programs, and so is what a plain one links with an MPI
/// library, as CMake's `find_package(MPI)` has it done.
pub fn home_for(compiler: &[OsString], line: &Line) -> Result<Home> {
    let name = compiler.last().map(|last| file_name(last)).unwrap_or_default();
    if mpi::is_compiler(&name) {
        Home::find_mpi(mpi::Mpi::of_compiler(compiler)?)
    } else if Shmem::plain_compiler(&name).is_some() {
        Home::find_oshmem()
    } else if let Some(mpi) = line.linked().iter().find_map(|path| mpi::Mpi::of_library(path).or_else(|| behind(path)))
    {
        Home::find_mpi(mpi)
    } else {
        Home::find()
    }
}

/// The MPI of a shared library of the program's own that is linked with one.
fn behind(path: &Path) -> Option<mpi::Mpi> {
    match mpi::of_file(path, 1)? {
        mpi::Model::Mpi(mpi) => Some(mpi),
        _ => None,
    }
}

/// The arguments with response files replaced by what they hold.
fn expand(args: &[OsString], depth: usize) -> Vec<OsString> {
    let mut out = Vec::new();
    for arg in args {
        let text = arg.to_string_lossy();
        match text.strip_prefix('@').and_then(|file| split::response_file(Path::new(file))) {
            Some(words) if depth < DEEPEST => {
                let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
                out.extend(expand(&words, depth + 1));
            }
            // What cannot be read is the name of an input, as gcc has it.
            _ => out.push(arg.clone()),
        }
    }
    out
}

/// Does one step; long command lines go through a response file in `temporary`.
pub fn perform(step: &Step, temporary: &Path) -> Result<ExitStatus> {
    match step {
        Step::Run(argv) => run(argv, Some(temporary)),
        Step::Join(joining) => joining.perform(Some(temporary)),
    }
}

/// Runs one command; long ones through a response file in `temporary`.
fn run(argv: &[OsString], temporary: Option<&Path>) -> Result<ExitStatus> {
    let (program, rest) = argv.split_first().context("no compiler given")?;
    let mut command = Command::new(program);
    let length: usize = rest.iter().map(|arg| arg.len() + 1).sum();
    // A prefix such as ccache wants to see the compiler: leave words that are no option, at the front, in place.
    let front = rest.iter().take_while(|arg| !arg.to_string_lossy().starts_with('-')).count();
    match temporary {
        Some(dir) if length > LONGEST => {
            let file = dir.join("arguments");
            let text: Vec<String> = rest[front..].iter().map(|arg| split::quoted(&arg.to_string_lossy())).collect();
            std::fs::write(&file, text.join("\n")).with_context(|| format!("cannot write {}", file.display()))?;
            let mut at = OsString::from("@");
            at.push(&file);
            command.args(&rest[..front]).arg(at)
        }
        _ => command.args(rest),
    };
    command.status().map_err(|error| family::not_startable(program, &error))
}

/// The exit code of a process as our own.
pub fn code(status: ExitStatus) -> ExitCode {
    // What a signal ended has no code of its own.
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
