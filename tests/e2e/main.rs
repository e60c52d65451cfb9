//! The tool as a user meets it: real programs, the real command, one test each.
//!
//! | module | tests |
//! |---|---|
//! | [`book`] | every command of the book in `docs/` |
//! | [`conveniences`] | forms of reports, baselines, suppressions, explanations, the live view, the manual |
//! | [`corpus`] | every program of `tests/shmem` and `tests/mpi`: the reported pairs of lines are the marked ones |
//! | [`confirm`] | phase 2: races made to happen, false candidates, replays, whatever goes wrong |
//! | [`dual`] | programs of gcc, g++ and gfortran that are compiled twice and joined |
//! | [`golden`] | the text of some reports |
//! | [`crash`] | programs and launchers that die |
//! | [`mistakes`] | what users get wrong: compilers, numbers, programs, damaged files, full disks |
//! | [`honest`] | the program's input, output, arguments and exit codes are its own |
//! | [`mpi`] | MPI programs under launchers, their ends, projects that build themselves |
//! | [`nas`] | class S of the programs of `nas-bench/`, correct and racy |
//! | [`plugin`] | programs built with the clang plugin: same output, same accesses, parts built in different ways |
//! | [`sampling`] | what each policy must find, and that none reports what is not there |
//! | [`slurm`] | jobs of a Slurm that is started for the tests: launch, batch, survive |
//! | [`tasks`] | races between tasks of a rank: `tests/tasks` under each mode |
//! | [`verified`] | the results of the programs of `nas-bench/` without the detector |
//! | [`scale`] | many accesses and barriers in bounded memory |
//!
//! `cargo test --test e2e -- FILTER` runs those whose names contain FILTER. `THRILLE_REPEAT=N` runs each program of the corpus N times
//! (once; 20 times under `THRILLE_NIGHTLY`), `THRILLE_BLESS=1` accepts the reports.

mod book;
mod confirm;
mod conveniences;
mod corpus;
mod crash;
mod dual;
mod golden;
mod honest;
mod mistakes;
mod mpi;
mod nas;
mod plugin;
mod sampling;
mod scale;
mod slurm;
#[path = "../support/mod.rs"]
mod support;
mod tasks;
mod tool;
mod verified;

use libtest_mimic::{Arguments, Failed, Trial};

/// What a test says when something is not as it should be.
type Outcome = Result<(), Failed>;

/// A test by its name.
fn trial(name: &str, test: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::test(format!("e2e::{name}"), test)
}

fn main() {
    let mut args = Arguments::from_args();
    // Each test runs several processes: two of them keep the machine busy.
    args.test_threads.get_or_insert(2);
    if !args.list {
        support::libraries();
        if let Err(error) = tool::hold_session_directory() {
            eprintln!("no directory for Open MPI: {error}; two programs that start at the same time may fail");
        }
    }
    let trials = [
        book::trials(),
        conveniences::trials(),
        corpus::trials(),
        golden::trials(),
        crash::trials(),
        dual::trials(),
        mistakes::trials(),
        honest::trials(),
        mpi::trials(),
        nas::trials(),
        plugin::trials(),
        sampling::trials(),
        scale::trials(),
        confirm::trials(),
        slurm::trials(),
        tasks::trials(),
        verified::trials(),
    ];
    let conclusion = libtest_mimic::run(&args, trials.into_iter().flatten().collect());
    slurm::down();
    conclusion.exit();
}
