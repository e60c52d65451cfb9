//! `thrille exec`: one rank, started by somebody else's launcher.
//!
//! It starts the program, tells it where to write, waits for it, notes how it ended and ends in the same way: the launcher sees what it
//! would have seen. That of rank 0 waits for the notes of the others and reports. The ranks find each other over MPI. Below
//! `thrille run`, which has said where to write already, it only notes how the rank ended.
//!
//! With `--local` the rank writes to a directory of its node, and what it wrote is copied to the run's directory when it has ended.

mod seat;

use crate::config::{Config, Usual, seed_of_job};
use crate::gate::Gate;
use crate::launch::{hand_on, output_file};
use crate::mpi::Model;
use crate::output::{self, Code, Place};
use crate::rundir::RunDir;
use crate::{args, cc, merge, program, run};
use anyhow::{Context, Result};
pub use seat::Seat;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};
use thrille_launch::die_with_parent;
use thrille_model::job::{self, ENV_RANK, ENV_RUN_DIR, ENV_SIZE, ENV_TOOL};
use thrille_phase2::protocol::ENV_OUTPUT;
use thrille_report::{Exit, Report, signal_name};

/// What launchers and batch systems send to a rank.
const FORWARDED: [i32; 7] = [SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// The subcommand. The exit status is the program's.
pub fn exec(typed: &args::Exec) -> Result<ExitCode> {
    let program = program::find(typed.command.first().context("no program given")?)?;
    let place = Place::new(typed.report.clone(), &typed.forms)?;
    let gate = Gate::new(&typed.forms)?;
    let seat = Seat::of_this_process();
    let mut command = Command::new(&program);
    command.arg0(&typed.command[0]).args(&typed.command[1..]).envs(crate::openmp::environment(&program));
    if let Some(dir) = std::env::var_os(ENV_OUTPUT) {
        // What cannot be opened is not compared.
        let file = std::fs::File::create(output_file(Path::new(&dir), seat.rank));
        command.stdout(file.map_or_else(|_| Stdio::null(), Stdio::from));
    }
    if let Some(dir) = std::env::var_os(ENV_RUN_DIR) {
        if crate::mpi::model(&program) == Model::Oshmem {
            // The ranks of an MPI job learn it from MPI.
            command.env(ENV_SIZE, seat.size.to_string()).env(ENV_RANK, seat.rank.to_string());
        }
        let (status, _) = wait(command, &program)?;
        note_exit(Path::new(&dir), seat.rank, status);
        return end_like(status);
    }
    let config = Config::new(&typed.observe, Usual::ByBuild, seed_of_job(&seat.job))?;
    command.envs(config.environment());
    let who = || format!("rank {} on {}", seat.rank, job::host());
    let dir = RunDir::shared(typed.out.as_deref(), &seat.job).and_then(writable).with_context(who)?;
    let local = typed.local.as_deref().map(on_node).transpose().with_context(who)?;
    let mut info = run::info(&typed.command, seat.size);
    info.program = std::path::absolute(&program).ok();
    if seat.rank == 0 {
        info.notes.extend(config.notes.iter().cloned());
        info.notes.extend(seat::wrong_plugin(crate::mpi::model(&program), &|name| std::env::var(name).ok()));
        for note in &info.notes {
            eprintln!("thrille: {note}");
        }
        info.write(dir.path())?;
        dir.is_last()?;
    }
    let begun = Instant::now();
    command
        .env(ENV_RUN_DIR, local.as_deref().unwrap_or(dir.path()))
        .env(ENV_SIZE, seat.size.to_string())
        .env(ENV_RANK, seat.rank.to_string())
        .env(ENV_TOOL, env!("CARGO_PKG_VERSION"));
    let (status, told) = wait(command, &program)?;
    if let Some(local) = &local {
        merge::collect_rank(local, dir.path(), seat.rank)?;
    }
    note_exit(dir.path(), seat.rank, status);
    if seat.rank == 0 {
        info.interrupted = told.map(signal_name);
        info.elapsed_seconds = Some(begun.elapsed().as_secs_f64());
        await_exits(dir.path(), seat.size, Duration::from_secs(typed.grace.or(config.grace).unwrap_or(run::GRACE)));
        let (exits, first_failure) = exits(dir.path(), seat.size);
        (info.exits, info.first_failure) = (Some(exits), first_failure);
        let written = info.write(dir.path());
        let mut report = Report { run: Some(info), ..Report::from_run_dir(dir.path())? };
        gate.apply(&mut report);
        let code = output::deliver(&report, dir.path(), &place, written)?;
        if typed.exit_code && status.success() && code == Code::Races {
            return Ok(code.into());
        }
    }
    end_like(status)
}

/// That a file can be made there.
fn writable(dir: RunDir) -> Result<RunDir> {
    tempfile::tempfile_in(dir.path()).with_context(|| {
        format!(
            "cannot write into {}: choose a directory that every node can write with --out DIR",
            dir.path().display()
        )
    })?;
    Ok(dir)
}

/// The directory of `--local`: made and tried out.
fn on_node(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path)?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&path)
        .and_then(|()| tempfile::tempfile_in(&path))
        .with_context(|| {
            format!("cannot write into {}: choose a directory of the node's own with --local DIR", path.display())
        })?;
    Ok(path)
}

/// Starts the program and waits for it; signals are handed on. The last one that should end it, if there was one.
fn wait(mut command: Command, program: &Path) -> Result<(ExitStatus, Option<i32>)> {
    let mut signals = SignalsInfo::<WithOrigin>::new(FORWARDED).context("cannot listen to signals")?;
    die_with_parent(&mut command);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let mut nap = Duration::from_micros(200);
    let mut told = None;
    loop {
        for origin in signals.pending() {
            if [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(&origin.signal) {
                told = Some(origin.signal);
            }
            // The terminal's own signals have reached the program already.
            if origin.process.is_some() {
                hand_on(&child, origin.signal);
            }
        }
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            return Ok((status, told));
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// If it cannot be written, the report says that it is not known.
fn note_exit(dir: &Path, rank: u32, status: ExitStatus) {
    let _ = Exit::new(rank, status, false).write(dir);
}

/// How the ranks ended, those that are known to have, and which failed first.
pub fn exits(dir: &Path, ranks: u32) -> (Vec<Exit>, Option<u32>) {
    let read = |rank| -> Option<(SystemTime, Exit)> {
        let when = Exit::file(dir, rank).metadata().and_then(|meta| meta.modified()).ok()?;
        Some((when, Exit::read(dir, rank)?))
    };
    let known: Vec<(SystemTime, Exit)> = (0..ranks).filter_map(read).collect();
    // The launcher ends the others by SIGTERM or SIGKILL: those did not fail by themselves.
    let ended = |exit: &Exit| matches!(exit.signal, Some(9 | 15));
    let failed = known.iter().filter(|(_, exit)| !exit.success());
    let first = failed.min_by_key(|(when, exit)| (ended(exit), *when)).map(|(_, exit)| exit.rank);
    (known.into_iter().map(|(_, exit)| exit).collect(), first)
}

fn await_exits(dir: &Path, ranks: u32, grace: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < grace && (0..ranks).any(|rank| !Exit::file(dir, rank).exists()) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends this process as the program's ended.
fn end_like(status: ExitStatus) -> Result<ExitCode> {
    if let Some(signal) = status.signal().and_then(rustix::process::Signal::from_named_raw) {
        use rustix::process::{Resource, Rlimit, getrlimit, kill_process, setrlimit};
        // One core file is enough.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
        signal_hook::low_level::emulate_default_handler(signal.as_raw()).context("cannot end like the program")?;
        kill_process(rustix::process::getpid(), signal).context("cannot end like the program")?;
    }
    Ok(cc::code(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_not_one_that_the_launcher_made() {
        let dir = tempfile::tempdir().unwrap();
        for (rank, raw) in [(0, 15), (1, 11), (2, 0)] {
            note_exit(dir.path(), rank, ExitStatus::from_raw(raw));
        }
        let (exits, first) = exits(dir.path(), 4);
        assert_eq!((exits.len(), first), (3, Some(1)));
        assert_eq!(exits[1].signal_name.as_deref(), Some("SIGSEGV"));
    }
}
