//! `thrille run`: start the ranks, wait for them, report. `thrille check` ends here too.

use crate::args::{self, Common};
use crate::config::{Config, Usual, any_seed};
use crate::confirm;
use crate::gate::Gate;
use crate::launch::Start;
use crate::mpi;
use crate::output::{self, Code, Place};
use crate::program;
use crate::progress::Wish;
use crate::rundir::RunDir;
use crate::stamp::Stamp;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::time::{Duration, SystemTime};
use thrille_launch::{MAX_PES, heap_from_env, parse_size};
use thrille_report::{Report, RunInfo};

/// Seconds that the other ranks get, if nobody says how many.
pub const GRACE: u64 = 10;

/// What the common options mean.
#[derive(Debug)]
pub struct Settings {
    ranks: u32,
    heap: u64,
    config: Config,
    grace: Duration,
    place: Place,
    gate: Gate,
    wish: Wish,
    /// What to do about the races that are found.
    pub confirm: Option<confirm::Settings>,
}

impl Settings {
    /// Whether every load and store is looked at.
    pub fn observes_everything(&self) -> bool {
        self.config.observes_everything()
    }

    /// Understands what was typed. Nothing is touched yet.
    pub fn new(typed: &Common, usual: Usual) -> Result<Self> {
        let config = Config::new(&typed.observe, usual, any_seed())?;
        let ranks = match u32::try_from(typed.ranks) {
            Ok(ranks) if (1..=MAX_PES as u32).contains(&ranks) => ranks,
            _ => bail!("-n {}: a run on one machine has 1 to {MAX_PES} ranks", typed.ranks),
        };
        let heap = match typed.heap.as_ref().or(config.heap.as_ref()) {
            Some(text) => parse_size(text)
                .with_context(|| format!("--heap {text} is not a size: write for example --heap 512M"))?,
            None => heap_from_env()?,
        };
        let place = Place::new(typed.report.clone(), &typed.forms)?;
        let gate = Gate::new(&typed.forms)?;
        let wish = match (typed.quiet, typed.watch) {
            (true, _) => Wish::Quiet,
            (false, true) => Wish::Watch,
            (false, false) => Wish::Usual,
        };
        let grace = Duration::from_secs(typed.grace.or(config.grace).unwrap_or(GRACE));
        Ok(Self { ranks, heap, config, grace, place, gate, wish, confirm: None })
    }
}

/// The subcommand.
pub fn run(typed: args::Run) -> Result<Code> {
    let settings = Settings::new(&typed.common, Usual::ByBuild)?;
    let name = typed.command.first().context("no program given")?;
    program::find(name)?;
    let dir = RunDir::make(typed.common.out.as_deref())?;
    start(&settings, dir, typed.command)
}

/// What is known of a run that begins now.
pub fn info(command: &[OsString], ranks: u32) -> RunInfo {
    RunInfo {
        tool: env!("CARGO_PKG_VERSION").into(),
        command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        invocation: std::iter::once("thrille".into())
            .chain(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()))
            .collect(),
        ranks,
        started: Stamp::of(SystemTime::now()).rfc3339(),
        directory: std::env::current_dir().unwrap_or_default().display().to_string(),
        ..RunInfo::default()
    }
}

/// Runs a command in a directory made for it, and reports.
pub fn start(settings: &Settings, dir: RunDir, command: Vec<OsString>) -> Result<Code> {
    let mut info = info(&command, settings.ranks);
    for note in &settings.config.notes {
        eprintln!("thrille: {note}");
    }
    info.notes.clone_from(&settings.config.notes);
    info.heap = Some(settings.heap);
    info.program = program::find(&command[0]).and_then(|program| Ok(std::path::absolute(program)?)).ok();
    let input = confirm::Input::capture()?;
    info.input = input.file();
    let begin = Start {
        program: program::find(&command[0])?,
        command,
        ranks: settings.ranks,
        heap: settings.heap,
        told: settings.config.environment(),
        grace: settings.grace,
        wish: settings.wish,
        confirming: None,
    };
    let launched = info.write(dir.path()).map_err(Into::into).and_then(|()| {
        dir.is_last()?;
        mpi::launch(mpi::model(&begin.program), &begin, dir.path())
    });
    let ended = match launched {
        Ok(ended) => ended,
        Err(error) => {
            dir.discard();
            return Err(error);
        }
    };
    info.elapsed_seconds = Some(ended.elapsed.as_secs_f64());
    info.exits = Some(ended.exits);
    info.first_failure = ended.first_failure;
    info.launcher = ended.launcher;
    info.interrupted = ended.interrupted;
    info.notes.extend(ended.notes);
    let written = info.write(dir.path());
    let mut report = Report::from_run_dir(dir.path())?;
    // The disk may be full: what is in memory is right.
    report.run = Some(info.clone());
    let stopped = info.interrupted.is_some();
    if let (Some(wanted), false, false) = (&settings.confirm, report.races.is_empty(), stopped) {
        // Whatever happens from now on, what was found is there.
        let _ = output::keep(&report, dir.path());
        info.notes.extend(confirm::after_run(dir.path(), &info, &report, wanted, input));
        let _ = info.write(dir.path());
        report = Report { run: Some(info), ..Report::from_run_dir(dir.path())? };
    }
    settings.gate.apply(&mut report);
    output::deliver(&report, dir.path(), &settings.place, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    fn settings(options: &str) -> Result<Settings> {
        let line = format!("thrille run {options} ./a.out");
        let Command::Run(run) = Args::parse_from(line.split_whitespace()).command else { panic!() };
        Settings::new(&run.common, Usual::ByBuild)
    }

    #[test]
    fn limits_are_named() {
        assert!(settings("-n 0").unwrap_err().to_string().contains("1 to 1024"));
        assert!(settings("-n 10000").unwrap_err().to_string().contains("-n 10000"));
        assert!(settings("-n 99999999999").unwrap_err().to_string().contains("1 to"));
        assert!(settings("--heap lots").unwrap_err().to_string().contains("--heap 512M"));
        let good = settings("-n 1024 --heap 1G --grace 3").unwrap();
        assert_eq!((good.ranks, good.heap, good.grace), (1024, 1 << 30, Duration::from_secs(3)));
    }
}
