//! `cargo xtask`: builds, installs, shows and tests the whole project on a machine that has only cargo and a C compiler.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line |
//! | [`bench`] | `bench nas`: what the detector costs on the programs of `nas-bench/` |
//! | [`build`] | `build` and `install` |
//! | [`demo`] | `demo`: one racy program and its report |
//! | [`mpi`] | which MPI libraries are installed |
//! | [`test`] | `test`: everything that must hold, part by part |
//! | [`packages`] | the Debian packages that `test` needs |
//! | [`part`] | runs one command, takes the time, counts the tests that its output tells of |

mod args;
mod bench;
mod build;
mod demo;
mod mpi;
mod packages;
mod part;
mod test;

use args::Task;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What went wrong, in one line; an empty one when it has been said already.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let done = match args::parse(std::env::args().skip(1)) {
        Ok(Task::Help) => {
            println!("{}", args::HELP);
            Ok(())
        }
        Ok(Task::Build) => build::build(),
        Ok(Task::Install { prefix }) => build::install(prefix),
        Ok(Task::Demo) => demo::demo(),
        Ok(Task::Test(options)) => test::test(&options),
        Ok(Task::Bench(options)) => bench::nas(&options),
        Ok(Task::BenchTasks { repetitions, out, which }) => bench::tasks(repetitions, out, which),
        Ok(Task::BenchInstrument) => bench::instrument(),
        Ok(Task::BenchConfirm { class }) => bench::confirm(&class.to_string()),
        Ok(Task::BenchPlain { class }) => bench::plain(class),
        Err(error) => Err(format!("{error}; `cargo xtask help` says what there is")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_empty() {
                eprintln!("xtask: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The project's directory.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The cargo that runs this.
fn cargo() -> std::process::Command {
    let mut command = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
