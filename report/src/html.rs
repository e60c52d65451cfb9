//! The page for a browser: one file, no network, and no string of the program in its markup.
//!
//! The page's own markup, style and script are fixed text; what the run gave is one block of JSON that the script puts into the page as text,
//! never as markup. Should that ever fail, the page's policy lets no other script run: scripts and styles are named by their hash.
//!
//! Ten thousand races share few files, functions and lines: strings and frames are tables, and the script makes only those rows of the list
//! that are in sight.

use crate::pages;
use crate::pattern::Pattern;
use crate::shape::{
    BaselineReport, Frame, PairReport, RaceReport, Report, SamplingReport, SideReport, SyncReport, TrafficReport,
};
use crate::source::Sources;
use crate::text;
use crate::token;
use crate::words::{count, grouped};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const STYLE: &str = include_str!("../templates/report.css");
const SCRIPT: &str = include_str!("../templates/report.js");
/// Lines shown before and behind the racing one.
const AROUND: u32 = 4;
/// Longer lines are cut: a page is no place for a megabyte of minified code.
const LONGEST: usize = 500;
/// Without scripts, so many races are listed.
const PLAIN: usize = 2000;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    program: String,
    facts: String,
    verdict: String,
    clean: bool,
    policy: String,
    style: &'a str,
    script: &'a str,
    data: String,
    plain: Vec<String>,
}

/// The whole page.
pub fn html(report: &Report) -> String {
    let what = report.run.as_ref().map_or_else(|| "a run".into(), |run| name(&run.command));
    let verdict = match report.counting() {
        0 if report.summary.ranks_observed == 0 => "nothing was observed".into(),
        0 if report.baseline.is_some() => "no new races".into(),
        0 => "no races found".into(),
        races if report.baseline.is_some() => {
            format!("{} new", count(races as u64, "race")).replace("races new", "new races")
        }
        races => count(races as u64, "race"),
    };
    let page = Page {
        title: format!("{verdict}: {what}"),
        program: what,
        facts: facts(report),
        clean: report.counting() == 0 && report.summary.ranks_observed > 0,
        verdict,
        policy: format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(STYLE)
        ),
        style: STYLE,
        script: SCRIPT,
        data: data(report),
        plain: report
            .races
            .iter()
            .take(PLAIN)
            .map(|race| format!("{}: {} ({})", race.number, race.title, race.why.text))
            .collect(),
    };
    // Writing to memory does not fail.
    page.render().unwrap_or_default()
}

/// The program's name and arguments, without its directory.
pub fn name(command: &[String]) -> String {
    let (program, args) = command.split_first().map_or(("", [].as_slice()), |(program, args)| (program.as_str(), args));
    let short = program.rsplit('/').next().unwrap_or_default();
    std::iter::once(short).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// The run in a line.
fn facts(report: &Report) -> String {
    let (s, run) = (&report.summary, report.run.as_ref());
    let mut facts = vec![count(u64::from(s.ranks), "rank"), count(s.phases, "phase")];
    facts.extend(run.and_then(|run| run.elapsed_seconds).map(|elapsed| format!("{elapsed:.2} s")));
    if !report.notes.is_empty() {
        facts.push(count(report.notes.len() as u64, "note"));
    }
    facts.join(" · ")
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// The run as JSON, in which nothing can end the element it stands in.
fn data(report: &Report) -> String {
    let mut tables = Tables::default();
    let data = Data::new(report, &mut tables);
    let json = serde_json::to_string(&data).unwrap_or_default();
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// What the script gets.
#[derive(Serialize)]
struct Data<'a> {
    tool: &'a str,
    started: Option<&'a str>,
    reproduce: Option<String>,
    failure: Option<String>,
    api: Option<&'a str>,
    ranks: u32,
    figures: Vec<(&'static str, String, &'static str)>,
    sampling: Option<&'a SamplingReport>,
    notes: &'a [String],
    races: Vec<Race<'a>>,
    baseline: Option<&'a BaselineReport>,
    pairs: &'a [PairReport],
    traffic: &'a [TrafficReport],
    pages: BTreeMap<&'static str, String>,
    strings: Vec<String>,
    frames: Vec<PageFrame>,
}

#[derive(Serialize)]
struct Race<'a> {
    number: usize,
    id: &'a str,
    title: &'a str,
    /// What came of it: a word for the filter.
    status: &'static str,
    /// Against an earlier report: another one.
    since: Option<&'static str>,
    confirmation: Option<Confirmation<'a>>,
    pattern: &'a str,
    kind: &'a str,
    why: &'a str,
    hints: &'a [String],
    fix: Option<&'a str>,
    missing: Option<&'a str>,
    memory: String,
    object: String,
    owner: u32,
    size: Option<u64>,
    bytes: (u64, u64),
    seen: u64,
    suppressed: Option<(&'a str, &'a str)>,
    a: Side<'a>,
    b: Side<'a>,
    around: Vec<Stop<'a>>,
}

/// Side, when, kind, text, call, frame, leads to, but: texts and frames by number.
#[derive(Serialize)]
struct Stop<'a>(&'a str, &'a str, &'a str, usize, Option<usize>, Option<usize>, &'a [usize], Option<usize>);

impl<'a> Stop<'a> {
    fn new(sync: &'a SyncReport, tables: &mut Tables) -> Self {
        let text = tables.string(&sync.text);
        let call = sync.call.as_deref().map(|call| tables.string(call));
        let at = sync.at.as_ref().map(|at| tables.frame(at));
        let but = sync.but.as_deref().map(|but| tables.string(but));
        Self(&sync.side, &sync.when, &sync.kind, text, call, at, &sync.leads_to, but)
    }
}

#[derive(Serialize)]
struct Side<'a> {
    rank: u32,
    thread: u32,
    task: bool,
    ranks: &'a [u32],
    act: &'a str,
    what: &'a str,
    call: Option<&'a str>,
    phases: (u64, Option<u64>),
    context: Option<u32>,
    locks: Vec<String>,
    times: u32,
    /// Frames by number, innermost first.
    stack: Vec<usize>,
    /// First line and texts by number.
    excerpt: Option<(u32, Vec<usize>)>,
    /// What is marked in the racing line, in units of UTF-16.
    mark: Option<(usize, usize)>,
}

/// File, line, column, function, place without source, inlined.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct PageFrame(Option<usize>, Option<u32>, Option<u32>, Option<usize>, usize, bool);

/// What races have in common.
struct Tables {
    strings: Vec<String>,
    known: HashMap<String, usize>,
    frames: Vec<PageFrame>,
    known_frames: HashMap<PageFrame, usize>,
    sources: Sources,
}

impl Default for Tables {
    fn default() -> Self {
        let (strings, known, frames, known_frames) = (Vec::new(), HashMap::new(), Vec::new(), HashMap::new());
        Self { strings, known, frames, known_frames, sources: Sources::new(Path::new("/")) }
    }
}

impl Tables {
    fn string(&mut self, text: &str) -> usize {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        self.strings.push(text.into());
        self.known.insert(text.into(), self.strings.len() - 1);
        self.strings.len() - 1
    }

    fn frame(&mut self, frame: &Frame) -> usize {
        let file = frame.file.as_deref().map(|file| self.string(file));
        let function = frame.function.as_deref().map(|function| self.string(function));
        let bare = Frame { file: None, ..frame.clone() };
        let place = self.string(&text::place(&bare));
        let new = PageFrame(file, frame.line, frame.column, function, place, frame.inlined);
        if let Some(&number) = self.known_frames.get(&new) {
            return number;
        }
        self.frames.push(new.clone());
        self.known_frames.insert(new, self.frames.len() - 1);
        self.frames.len() - 1
    }

    fn excerpt(&mut self, at: &Frame) -> Option<(u32, Vec<usize>)> {
        let (path, line) = (Path::new(at.path.as_deref()?), at.line?);
        let Some(source) = &at.source else { return None };
        // A file that has changed since is worse than none.
        if self.sources.line(path, line).as_ref() != Some(source) {
            return Some((line, vec![self.string(cut(source))]));
        }
        let first = line.saturating_sub(AROUND).max(1);
        let lines: Vec<String> =
            (first..=line.saturating_add(AROUND)).map_while(|line| self.sources.line(path, line)).collect();
        Some((first, lines.iter().map(|text| self.string(cut(text))).collect()))
    }
}

fn cut(line: &str) -> &str {
    line.char_indices().nth(LONGEST).map_or(line, |(end, _)| &line[..end])
}

impl<'a> Data<'a> {
    fn new(report: &'a Report, tables: &mut Tables) -> Self {
        let mut races: Vec<Race> = report.races.iter().map(|race| Race::new(race, report, tables)).collect();
        for suppressed in &report.suppressed {
            let mut race = Race::new(&suppressed.race, report, tables);
            race.suppressed = Some((&suppressed.by, &suppressed.reason));
            race.status = "suppressed";
            races.push(race);
        }
        let run = report.run.as_ref();
        let used = |pattern: &Pattern| races.iter().any(|race| race.pattern == pattern.word());
        let api = report.summary.api.as_deref();
        let pages = Pattern::ALL.into_iter().filter(used).map(|p| (p.word(), pages::page_for(p, api))).collect();
        Self {
            tool: &report.tool,
            started: run.map(|run| run.started.as_str()),
            reproduce: run.and_then(crate::RunInfo::reproduce),
            failure: text::failure(report).map(|(what, how)| format!("{what} {how}")),
            api,
            ranks: report.summary.ranks,
            figures: figures(report),
            sampling: report.sampling.as_ref(),
            notes: &report.notes,
            races,
            baseline: report.baseline.as_ref(),
            pairs: &report.pairs,
            traffic: &report.traffic,
            pages,
            strings: std::mem::take(&mut tables.strings),
            frames: std::mem::take(&mut tables.frames),
        }
    }
}

impl<'a> Race<'a> {
    fn new(race: &'a RaceReport, report: &Report, tables: &mut Tables) -> Self {
        let object = &race.object;
        let shown = match (&object.name, &object.allocation) {
            (Some(name), _) => name.clone(),
            (None, Some(allocation)) => format!("{} {}", object.segment, allocation.number),
            (None, None) => {
                object.window.map_or_else(|| object.segment.to_string(), |number| format!("window {number}"))
            }
        };
        Self {
            number: race.number,
            id: &race.id,
            title: &race.title,
            status: status(race),
            since: since(race, report),
            confirmation: race.confirmation.as_ref().map(|found| Confirmation {
                text: &found.text,
                witness: found.witness.as_deref(),
                tries: found.tries,
                replay: found.replay.as_deref(),
            }),
            pattern: &race.why.pattern,
            kind: &race.why.kind,
            why: &race.why.text,
            hints: &race.why.hints,
            fix: race.why.fix.as_ref().map(|fix| fix.text.as_str()),
            missing: race.why.fix.as_ref().map(|fix| fix.call.as_str()),
            memory: text::object(object),
            object: shown,
            owner: object.owner,
            size: object.size,
            bytes: (object.bytes.first, object.bytes.end),
            seen: race.seen,
            suppressed: None,
            a: Side::new(&race.a, tables),
            b: Side::new(&race.b, tables),
            around: race.around.iter().map(|sync| Stop::new(sync, tables)).collect(),
        }
    }
}

/// What came of making a race happen, if that was tried.
#[derive(Serialize)]
struct Confirmation<'a> {
    text: &'a str,
    witness: Option<&'a str>,
    tries: u32,
    replay: Option<&'a str>,
}

fn status(race: &RaceReport) -> &'static str {
    match &race.confirmation {
        Some(_) if race.confirmed() => "confirmed",
        Some(found) if found.unlikely => "unlikely",
        Some(_) => "not_confirmed",
        None => "predicted",
    }
}

fn since(race: &RaceReport, report: &Report) -> Option<&'static str> {
    let baseline = report.baseline.as_ref()?;
    Some(if baseline.still.contains(&race.id) { "known" } else { "new" })
}

impl<'a> Side<'a> {
    fn new(side: &'a SideReport, tables: &mut Tables) -> Self {
        let excerpt = tables.excerpt(&side.at);
        let mark = side.at.source.as_deref().zip(side.at.column).and_then(|(line, column)| {
            let range = token::at(cut(line), column)?;
            let units = |text: &str| text.encode_utf16().count();
            Some((units(&line[..range.start]), units(&line[..range.end])))
        });
        Self {
            rank: side.rank,
            thread: side.thread,
            task: side.task,
            ranks: &side.ranks,
            act: &side.act,
            what: &side.what,
            call: side.call.as_deref(),
            phases: (side.phases.first, side.phases.last),
            context: side.context,
            locks: side.locks.iter().map(|lock| format!("{} ({})", lock.name, lock.mode)).collect(),
            times: side.times,
            stack: std::iter::once(&side.at).chain(&side.stack).map(|frame| tables.frame(frame)).collect(),
            excerpt,
            mark,
        }
    }
}

/// The figures of the run: what, how much, and what that means.
fn figures(report: &Report) -> Vec<(&'static str, String, &'static str)> {
    let s = &report.summary;
    let mut figures = vec![
        ("ranks", format!("{} of {}", s.ranks_observed, s.ranks), "observed"),
        ("threads", grouped(s.threads), "seen, of all ranks"),
        ("phases", grouped(s.phases), "global barriers passed, and one"),
        ("executed", grouped(s.executed), "instrumented loads and stores"),
        ("observed", grouped(s.observed), "accesses to shared memory"),
        ("recorded", grouped(s.recorded), "records kept after merging"),
        ("dropped", grouped(s.dropped), "accesses lost to the limit on records"),
        ("analysis", format!("{:.3} s", s.analysis_seconds), "in exchanges, of the slowest rank"),
    ];
    if let Some(elapsed) = report.run.as_ref().and_then(|run| run.elapsed_seconds) {
        figures.push(("elapsed", format!("{elapsed:.2} s"), "from start to end"));
    }
    if s.observed > 0 {
        let share = 100.0 * (s.observed - s.dropped.min(s.observed)) as f64 / s.observed as f64;
        // A whole is a whole.
        let share = if s.dropped > 0 { share.min(99.9) } else { share };
        figures.push(("coverage", format!("{share:.1} %"), "of the observed accesses were analysed"));
    }
    if let Some(sampling) = &report.sampling {
        figures.push(("sampling", sampling.policy.clone(), "which loads and stores are looked at"));
        let share = |part: u64, all: u64| format!("{:.2} %", 100.0 * part as f64 / all.max(1) as f64);
        figures.push(("looked at", share(sampling.taken, sampling.executed), "of the executed loads and stores"));
        let places = format!("{} of {}", grouped(sampling.sites_taken), grouped(sampling.sites));
        figures.push(("places", places, "loads and stores of the program looked at at least once"));
        if let (Some(cost), Some(budget)) = (sampling.cost_percent, sampling.budget_percent) {
            figures.push((
                "overhead",
                format!("{cost:.1} of {budget} %"),
                "of the program's own time, against the budget",
            ));
        }
    }
    if s.suppressed > 0 {
        figures.push(("suppressed", grouped(s.suppressed as u64), "declared to be benign"));
    }
    figures
}
