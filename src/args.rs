//! The command line as typed. What it means is for the commands to find out.
#![allow(clippy::doc_markdown, reason = "these comments are the help text")]

use crate::cc::Wanted;
use crate::mpi::{Mpi, Shmem};
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Finds data races in one-sided (OpenSHMEM and MPI) programs.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    after_help = "Exit codes: 0 no race, 1 races found, 2 usage or build error, 3 the program itself failed.\n\n\
        Examples:\n  \
        thrille check ring.c -n 4                 build it instrumented, run it on 4 ranks, report\n  \
        make CC=\"thrille cc -- gcc\" && thrille run -n 4 ./ring\n  \
        srun -n 64 thrille exec ./solver          the same inside a batch job\n  \
        thrille confirm                           make the races that the last run predicted happen\n  \
        thrille sbatch -N 2 -n 64 ./solver        writes and submits such a job\n  \
        thrille report --json                     the last run's report once more, for programs"
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build sources instrumented, run the program, report its races
    Check(Check),
    /// Compiler prefix: `thrille cc -- gcc -O2 -c a.c` compiles and links with instrumentation
    Cc(Cc),
    /// Run a program that was built with `thrille cc`, and report its races
    Run(Run),
    /// Prefix for somebody else's launcher: `srun -n 64 thrille exec ./solver`
    Exec(Exec),
    /// Submit a job to Slurm that runs a program, and one that confirms what it finds
    Sbatch(Sbatch),
    /// Put together what the ranks of a job left behind, on one file system or several, and report
    Merge(Merge),
    /// Make the races that a run predicted happen, and see whether they matter
    Confirm(Confirm),
    /// Print the report of a run once more, in any form
    Report(Report),
    /// Compare two reports: what is new, gone, still there
    Diff(Diff),
    /// Explain a race, or a kind of races: what the standards say, how it is usually put right
    Explain(Explain),
    /// What is installed, what will be used, what is missing and how to get it
    Doctor,
    /// Print completions for a shell
    Completions(Completions),
    /// Write the manual pages into a directory
    Man(Man),
    /// Say what can be configured, and what is
    Config(Config),
}

/// What reports are written as, and what counts in them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Report")]
pub struct Forms {
    /// Report as JSON, to a file or in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<OsString>,
    /// As one HTML page, to a file or to report.html in the run's directory
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub html: Option<OsString>,
    /// As SARIF 2.1.0, for code scanning services and editors
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub sarif: Option<OsString>,
    /// As JUnit XML, for continuous integration
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub junit: Option<OsString>,
    /// As annotations of GitHub's workflows
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub github: Option<OsString>,
    /// An earlier report (JSON, or a run's directory): only races that are not in it count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Suppressions [default: those in thrille.supp.toml and thrille.toml, if they are there]
    #[arg(long, value_name = "FILE")]
    pub suppressions: Option<PathBuf>,
}

/// What is observed, at what cost: overrides the configuration.
#[derive(Clone, Debug, clap::Args)]
pub struct Observe {
    /// Configuration file [default: THRILLE_CONFIG, or thrille.toml in the working directory]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which loads and stores to look at: full, NL (none), or a policy such as HA, HA.5, IA, FA0 (docs/SAMPLING.md)
    #[arg(long, value_name = "POLICY")]
    pub sampling: Option<String>,
    /// What looking at them may cost, as a share of the program's own time, for example 5%
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub budget: Option<String>,
    /// Look for races between tasks of each rank: esp-bags or stint, which run them on one OpenMP thread, or pint, on all (docs/TASKS.md)
    #[arg(long, value_name = "MODE")]
    pub tasks: Option<String>,
    /// Seed of what is chosen at random; the report names it
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Most accesses that a rank holds between two exchanges; more are dropped and counted
    #[arg(long, value_name = "COUNT")]
    pub max_records: Option<u64>,
}

/// `thrille config`.
#[derive(Debug, clap::Args)]
pub struct Config {
    /// Print all keys of thrille.toml with what they mean
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub observe: Observe,
}

/// `thrille check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// C, C++ and Fortran sources; objects and libraries are linked as they are
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Compiler and flags to use instead of the guess, for example "clang -O2 -Iinclude"
    #[arg(long, value_name = "CMD FLAGS")]
    pub cc: Option<String>,
    /// How to make loads and stores visible [default: THRILLE_INSTRUMENT, or the plugin where there is one for the compiler, hooks with gcc unless not
    /// everything is looked at]
    #[arg(long, value_name = "HOW")]
    pub instrument: Option<Wanted>,
    /// The library to build OpenSHMEM programs for [default: THRILLE_SHMEM, or embedded]
    #[arg(long, value_name = "LIBRARY")]
    pub shmem: Option<Shmem>,
    /// Keep the object files of the build in the run directory
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub common: Common,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// `thrille run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    #[command(flatten)]
    pub common: Common,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    pub command: Vec<OsString>,
}

/// `thrille exec`.
#[derive(Debug, clap::Args)]
pub struct Exec {
    /// Directory for records and report, the same for all ranks [default: .thrille/run-<job>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write records to this directory of each node first; each rank copies its own to the run's directory when the program ends
    #[arg(long, value_name = "DIR")]
    pub local: Option<PathBuf>,
    /// Write the report to a file instead of standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub forms: Forms,
    #[command(flatten)]
    pub observe: Observe,
    /// Seconds that rank 0 waits for the other ranks to end before it reports [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub grace: Option<u64>,
    /// Rank 0 exits with 1 when races were found and the program itself succeeded
    #[arg(long)]
    pub exit_code: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    pub command: Vec<OsString>,
}

/// What `check` and `run` share.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Number of ranks (processing elements)
    #[arg(short = 'n', long = "ranks", value_name = "N", default_value_t = 2, allow_negative_numbers = true, value_parser = ranks)]
    pub ranks: u64,
    /// Directory for records and report [default: .thrille/run-<time>-<pid>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the report to a file instead of standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub forms: Forms,
    /// Do not confirm predicted races by re-execution
    #[arg(long)]
    pub no_confirm: bool,
    /// Seconds that `check` spends on confirming races; 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub confirm_time: u64,
    /// Command that judges a run when the two orders of a race are compared: its exit status and output count
    #[arg(long, value_name = "CMD")]
    pub oracle: Option<String>,
    #[command(flatten)]
    pub observe: Observe,
    /// Symmetric heap of each rank, for example 512M [default: SHMEM_SYMMETRIC_SIZE, or 256M]
    #[arg(long, value_name = "SIZE")]
    pub heap: Option<String>,
    /// Seconds that the other ranks get to end after one failed [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub grace: Option<u64>,
    /// The MPI library to build MPI programs with
    #[arg(long, value_name = "LIBRARY", default_value = "openmpi")]
    pub mpi: Mpi,
    /// No progress line
    #[arg(long, short = 'q')]
    pub quiet: bool,
    /// Show how the run goes: phases, ranks, accesses, races so far; plain lines when standard error is no terminal
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,
}

/// A number of ranks; how many are possible is for the command to say.
fn ranks(text: &str) -> Result<u64, String> {
    let wanted = "give a number of ranks from 1 on, for example -n 4";
    match text.parse::<u64>() {
        Ok(number) => Ok(number),
        Err(_) if text.starts_with('-') => Err(format!("there is no negative number of ranks: {wanted}")),
        Err(_) => Err(wanted.into()),
    }
}

/// `thrille cc`.
#[derive(Debug, clap::Args)]
pub struct Cc {
    /// How to make loads and stores visible [default: THRILLE_INSTRUMENT, or the plugin where there is one for the compiler, else dual with gcc]
    #[arg(long, value_name = "HOW")]
    pub instrument: Option<Wanted>,
    /// The library that OpenSHMEM programs are built for: with `oshmem`, oshcc stays oshcc [default: THRILLE_SHMEM, or embedded]
    #[arg(long, value_name = "LIBRARY")]
    pub shmem: Option<Shmem>,
    /// The compiler command
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_names = ["CMD", "ARGS"])]
    pub command: Vec<OsString>,
}

/// `thrille sbatch`.
#[derive(Debug, clap::Args)]
pub struct Sbatch {
    /// Number of nodes
    #[arg(short = 'N', long = "nodes", value_name = "N", default_value_t = 1)]
    pub nodes: u32,
    /// Number of ranks in all
    #[arg(short = 'n', long = "ranks", value_name = "N", default_value_t = 2)]
    pub ranks: u32,
    /// How the ranks are started [default: by the library that the program is linked with]
    #[arg(long, value_name = "LIBRARY")]
    pub mpi: Option<Launch>,
    /// More options for sbatch, for example "--partition=debug --time=10"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub slurm: Option<String>,
    /// Options for `thrille exec`, for example "--max-records 100000"
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub exec: Option<String>,
    /// Directory for scripts, output, records and report [default: thrille-<program>-<time>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overhead-budget file for the job (also THRILLE_CONFIG) [default: the thrille.toml that is found next to it]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory of templates to use instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
    /// Write the built-in templates into a directory, for editing, and do nothing else
    #[arg(long, value_name = "DIR", exclusive = true)]
    pub write_templates: Option<PathBuf>,
    /// Do not submit a second job that confirms what the first one finds
    #[arg(long)]
    pub no_confirm: bool,
    /// Write the scripts and do not submit them
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until the jobs are over, and print the report
    #[arg(long)]
    pub wait: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"])]
    pub command: Vec<OsString>,
}

/// How Slurm starts the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Launch {
    /// Open MPI, by pmix
    #[value(name = "openmpi")]
    OpenMpi,
    /// MPICH, by pmi2
    Mpich,
    /// Cray MPICH, by cray_shasta (untested)
    Cray,
}

/// `thrille merge`.
#[derive(Debug, clap::Args)]
pub struct Merge {
    /// Directory of the run
    #[arg(value_name = "DIR", default_value = ".thrille/last")]
    pub dir: PathBuf,
    /// Directories that ranks wrote to with `exec --local`: what they hold of this run is copied first
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `thrille confirm`.
#[derive(Debug, clap::Args)]
pub struct Confirm {
    /// Directory of the run
    #[arg(value_name = "DIR", default_value = ".thrille/last")]
    pub dir: PathBuf,
    /// Reproduce one confirmation, by the text that the report prints
    #[arg(long, value_name = "SCHEDULE")]
    pub replay: Option<String>,
    /// Seconds to spend
    #[arg(long = "confirm-time", value_name = "SECONDS", default_value_t = 60)]
    pub time: u64,
    /// Runs that look for one race, at most
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub tries: u32,
    /// Command that judges a run when the two orders of a race are compared: its exit status and output count
    #[arg(long, value_name = "CMD")]
    pub oracle: Option<String>,
    /// Races that are confirmed already, too
    #[arg(long)]
    pub again: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress bar
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

/// `thrille report`.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// Directory of the run, or a JSON report of before
    #[arg(value_name = "DIR", default_value = ".thrille/last")]
    pub dir: PathBuf,
    #[command(flatten)]
    pub forms: Forms,
}

/// `thrille diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing new, 1 new races, 2 a report cannot be read.")]
pub struct Diff {
    /// The earlier report: JSON, or a run's directory
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The later report
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// As JSON: `new`, `gone` and `still`
    #[arg(long)]
    pub json: bool,
}

/// `thrille explain`.
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// A race by its id or number, or a kind of races; without it the kinds are listed
    #[arg(value_name = "RACE|KIND")]
    pub what: Option<String>,
    /// Where the race is: a run's directory, or a JSON report
    #[arg(long, value_name = "DIR", default_value = ".thrille/last")]
    pub run: PathBuf,
}

/// `thrille completions`.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `thrille man`.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Where to: thrille.1, thrille-check.1 and so on
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        Args::try_parse_from(line.split_whitespace()).map(|args| args.command)
    }

    #[test]
    fn the_definition_is_sound() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn the_programs_arguments_are_its_own() {
        let Command::Run(run) = parse("thrille run -n 3 ./a.out -n 7 --help -- x").unwrap() else { panic!() };
        assert_eq!(run.common.ranks, 3);
        assert_eq!(run.command, ["./a.out", "-n", "7", "--help", "--", "x"]);
        let Command::Check(check) = parse("thrille check a.c b.c -n 4 --no-confirm -- -n 7").unwrap() else { panic!() };
        assert_eq!((check.files.len(), check.common.ranks), (2, 4));
        assert_eq!(check.args, ["-n", "7"]);
        let Command::Cc(cc) = parse("thrille cc -- gcc -c a.c --help").unwrap() else { panic!() };
        assert_eq!(cc.command, ["gcc", "-c", "a.c", "--help"]);
    }

    #[test]
    fn what_exists_is_named_when_something_else_is_asked_for() {
        let error = parse("thrille run --mpi some ./a.out").unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("openmpi"), "{error}");
        assert_eq!(parse("thrille run").unwrap_err().exit_code(), 2);
        assert_eq!(parse("thrille run -n -1 ./a.out").unwrap_err().exit_code(), 2);
    }
}
