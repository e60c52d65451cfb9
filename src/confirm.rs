//! `thrille confirm`: phase 2 on what a run predicted. `thrille check` ends here too, within a budget of time.
//!
//! | module | does |
//! |---|---|
//! | [`engine`] | one run of the program with a coordinator beside it |
//! | [`input`] | the program's standard input, given again |
//! | [`place`] | where such a run writes, and what a killed one left behind |
//! | [`bar`] | how far it has come |

mod bar;
mod engine;
mod input;
mod place;

pub use input::Input;

use crate::output::{self, Code};
use crate::{args, program};
use anyhow::{Context, Result, bail};
use engine::Ranks;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thrille_model::verdict::{Finding, Obstacle, Verdict};
use thrille_phase2::campaign::Closeness;
use thrille_phase2::{Budget, Campaign, Candidate, Engine, Schedule, campaign};
use thrille_report::{Confirmations, Loaded, RaceReport, Report, RunInfo};

/// Runs that look for one race, at most.
const TRIES: u32 = 5;

/// What a program that reads its input misses.
const WITHOUT_INPUT: &str = "standard input was a pipe or a terminal, or a file that is gone, and the program was run again without it: if it reads it, give it a file \
                             (< input) to have its races confirmed";

/// What the user wants of phase 2.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Time for all of it.
    pub time: Duration,
    /// Runs that look for one race, at most.
    pub tries: u32,
    /// The user's own judge of a run.
    pub oracle: Option<String>,
    /// No progress bar.
    pub quiet: bool,
}

impl Settings {
    /// For `thrille check`; none if it is not wanted.
    pub fn after_check(typed: &args::Common) -> Option<Self> {
        let wanted = !typed.no_confirm && typed.confirm_time > 0;
        let time = Duration::from_secs(typed.confirm_time);
        wanted.then(|| Self { time, tries: TRIES, oracle: typed.oracle.clone(), quiet: typed.quiet })
    }
}

/// The subcommand.
pub fn confirm(typed: &args::Confirm) -> Result<Code> {
    let dir = std::path::absolute(&typed.dir)?;
    let report = Report::from_run_dir(&dir)?;
    let info = report.run.clone().with_context(|| {
        format!("{} does not say how the program was started: run it again with thrille run", dir.display())
    })?;
    let settings = Settings {
        time: Duration::from_secs(typed.time),
        tries: typed.tries.max(1),
        oracle: typed.oracle.clone(),
        quiet: typed.quiet,
    };
    if !Path::new(&info.directory).is_dir() {
        bail!("the directory {} that the program ran in is gone: run it again", info.directory);
    }
    let oracle = settings.oracle.clone();
    let input = Input::capture()?.or_as_before(info.input.as_deref());
    let ranks = Ranks::new(&dir, &info, &report, oracle, input)?;
    same_build(&report)?;
    if let Some(text) = &typed.replay {
        return replay(&report, ranks, &text.parse()?, &settings);
    }
    look_for(&report, ranks, &dir, &settings, typed.again)?;
    let report = Report::from_run_dir(&dir)?;
    let _ = output::keep(&report, &dir);
    output::print_report(&report, typed.json);
    Ok(Code::of(&report))
}

/// Phase 2 after phase 1, on what it found. What goes wrong is a note: the races were found all the same.
pub fn after_run(dir: &Path, info: &RunInfo, report: &Report, settings: &Settings, input: Input) -> Vec<String> {
    let done = Ranks::new(dir, info, report, settings.oracle.clone(), input)
        .and_then(|ranks| same_build(report).map(|()| ranks))
        .and_then(|ranks| look_for(report, ranks, dir, settings, false));
    done.err().map(|error| format!("the races could not be confirmed: {error:#}")).into_iter().collect()
}

/// Looks for the races that are not known to be confirmed, and writes down what came of it and what the reader must know.
fn look_for(report: &Report, mut ranks: Ranks, dir: &Path, settings: &Settings, again: bool) -> Result<()> {
    let wanted = |race: &&RaceReport| again || !race.confirmed();
    let candidates: Vec<Candidate> = report.races.iter().filter(wanted).map(candidate).collect();
    if candidates.is_empty() {
        return Ok(());
    }
    let usual = report.run.as_ref().and_then(|run| run.elapsed_seconds).unwrap_or(1.0);
    let failed = report.run.as_ref().is_none_or(|run| !run.failures().is_empty());
    let budget = Budget { time: settings.time, tries: settings.tries, usual: Duration::from_secs_f64(usual.max(0.0)) };
    ranks.show(settings.quiet);
    let mut campaign = Campaign::new(ranks.size(), failed, candidates, budget);
    let ran = campaign.run(&mut ranks);
    ranks.erase();
    // What was found before something went wrong is kept.
    let findings = campaign.findings();
    let never_came = |finding: &Finding| matches!(finding.verdict, Verdict::NotConfirmed(Obstacle::NeverCame(_)));
    let mut notes = Vec::new();
    if ranks.reads_once() && findings.iter().any(never_came) {
        notes.push(WITHOUT_INPUT.into());
    }
    notes.extend(campaign.failure());
    if campaign.interrupted() {
        notes.push("confirmation was stopped before its end; `thrille confirm` goes on with it".into());
    }
    keep(dir, findings, notes)?;
    ran?;
    Ok(())
}

/// Adds findings to those of earlier searches. What has happened once has happened, though it did not again. The notes are those of this search alone.
fn keep(dir: &Path, mut new: Vec<Finding>, mut notes: Vec<String>) -> Result<()> {
    let mut all = Confirmations::read(dir).map(|known| known.findings).unwrap_or_default();
    let happened = |finding: &Finding| matches!(finding.verdict, Verdict::Confirmed { .. });
    let before: BTreeSet<_> = all.iter().filter(|old| happened(old)).map(|old| old.places.clone()).collect();
    let found = new.len();
    new.retain(|finding| happened(finding) || !before.contains(&finding.places));
    if new.len() < found {
        notes.push(
            "not all races that had been confirmed before happened again; their earlier confirmations are kept".into(),
        );
    }
    let known: BTreeSet<_> = new.iter().map(|finding| finding.places.clone()).collect();
    all.retain(|finding| !known.contains(&finding.places));
    all.extend(new);
    Confirmations::new(all, notes).write(dir)?;
    Ok(())
}

fn candidate(race: &RaceReport) -> Candidate {
    Candidate {
        called: [&race.a, &race.b].map(|side| side.at.offset),
        ..Candidate::new(race.number, &race.records, race.polled)
    }
}

/// Reproduces one confirmation.
fn replay(report: &Report, mut ranks: Ranks, schedule: &Schedule, settings: &Settings) -> Result<Code> {
    if schedule.ranks != ranks.size() {
        bail!("this schedule is of a run of {} ranks, not of {}", schedule.ranks, ranks.size());
    }
    let mut of: Vec<_> = report.races.iter().map(|race| (race, candidate(race))).collect();
    of.retain(|(_, candidate)| candidate.sides(schedule.a.spot, schedule.b.spot).is_some());
    // Of lines that call one function of the C++ library's headers, the one that did this.
    let exact = of.iter().position(|(_, candidate)| candidate.includes(&schedule.a, &schedule.b)).unwrap_or(0);
    let Some((race, candidate)) = of.into_iter().nth(exact) else {
        bail!("this schedule is not of a race of this run: name the run's directory that the report names")
    };
    let usual = report.run.as_ref().and_then(|run| run.elapsed_seconds).unwrap_or(1.0);
    let limit = Duration::from_secs_f64(usual.max(0.0) * 10.0).max(Duration::from_secs(10));
    for attempt in 0..settings.tries {
        let closeness = Closeness::of_try(attempt);
        let outcome = ranks.run(&campaign::replay(&candidate, schedule, closeness, limit))?;
        if outcome.witnesses.iter().any(Option::is_some) {
            output::print_line(&format!("race {} happened again: both sides were there at the same time", race.number));
            return Ok(Code::Races);
        }
        if outcome.interrupted {
            return Ok(Code::Failed);
        }
    }
    output::print_line(&format!("race {} did not happen again in {} tries", race.number, settings.tries));
    if ranks.reads_once() {
        output::print_line(&format!("note: {WITHOUT_INPUT}"));
    }
    Ok(Code::Clean)
}

/// The files that the races are in must be those that ran.
fn same_build(report: &Report) -> Result<()> {
    let spots = report.races.iter().flat_map(|race| &race.records).flat_map(|r| [r.first.site, r.second.site]);
    let modules: BTreeSet<u64> = spots.map(|site| site.module).collect();
    for Loaded { id, path, build_id } in &report.loaded {
        if !modules.contains(id) {
            continue;
        }
        if !path.is_file() {
            bail!("{} is gone: build it again, and run thrille check or thrille run on it", path.display());
        }
        if !build_id.is_empty() && program::build_id(path).as_deref() != Some(build_id) {
            bail!(
                "{} has been built anew since the run: its races are those of another build; run thrille check or thrille run again",
                path.display()
            );
        }
    }
    Ok(())
}

/// The program's file, as the run says.
fn program_of(info: &RunInfo) -> Result<PathBuf> {
    let named = info.program.clone().or_else(|| info.command.first().map(PathBuf::from));
    let program = named.context("the run does not say which program it was: run it again with thrille run")?;
    let program = Path::new(&info.directory).join(program);
    program::find(program.as_os_str())
}
