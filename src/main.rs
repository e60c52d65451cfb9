//! The `thrille` command: reads arguments, calls the crates, contains no algorithm.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line as typed |
//! | [`check`] | `thrille check`: guess how to build, build, run |
//! | [`cc`] | `thrille cc`: the compiler prefix |
//! | [`run`] | `thrille run`: start, watch, report |
//! | [`confirm`] | `thrille confirm`: make predicted races happen |
//! | [`exec`] | `thrille exec`: one rank under somebody else's launcher |
//! | [`config`] | `thrille.toml`, and what overrides it |
//! | [`sbatch`] | `thrille sbatch`: a pair of jobs for Slurm |
//! | [`merge`] | `thrille merge`: what a job left behind, from wherever it is |
//! | [`launch`] | the processes of a run |
//! | [`openmp`] | which OpenMP runtime a program runs on |
//! | [`output`] | where reports go, and the exit code |
//! | [`gate`] | what counts against a program: suppressions and the baseline |
//! | [`diff`] | `thrille diff`: two reports compared |
//! | [`explain`] | `thrille explain`: the pages on kinds of races |
//! | [`doctor`] | `thrille doctor`: what is installed |
//! | [`manual`] | `thrille man`, `thrille completions` |
//! | [`home`] | where the injected libraries and headers are |

mod args;
mod cc;
mod check;
mod config;
mod confirm;
mod diff;
mod doctor;
mod exec;
mod explain;
mod gate;
mod home;
mod launch;
mod manual;
mod merge;
mod mpi;
mod openmp;
mod output;
mod program;
mod progress;
mod run;
mod rundir;
mod sbatch;
mod scan;
mod split;
mod stamp;

use args::{Args, Command};
use clap::Parser;
use output::Code;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Check(typed) => check::check(typed),
        Command::Run(typed) => run::run(typed),
        Command::Cc(typed) => return cc::main(&typed).unwrap_or_else(|error| complain(&error).into()),
        Command::Exec(typed) => return exec::exec(&typed).unwrap_or_else(|error| complain(&error).into()),
        Command::Confirm(typed) => confirm::confirm(&typed),
        Command::Sbatch(typed) => sbatch::sbatch(&typed),
        Command::Merge(typed) => merge::merge(&typed),
        Command::Report(typed) => output::report(&typed),
        Command::Diff(typed) => diff::diff(&typed),
        Command::Explain(typed) => explain::explain(&typed),
        Command::Doctor => Ok(doctor::doctor()),
        Command::Completions(typed) => Ok(manual::completions(&typed)),
        Command::Man(typed) => manual::pages(&typed),
        Command::Config(typed) => config::config(&typed),
    };
    done.unwrap_or_else(|error| complain(&error)).into()
}

/// One line on what is wrong, with the remedy.
fn complain(error: &anyhow::Error) -> Code {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Some errors tell their cause themselves.
        if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    // Nobody to tell when even this fails.
    let _ = writeln!(std::io::stderr(), "thrille: {line}");
    Code::Usage
}
