//! Puts a report together from the records of a run.

use crate::api;
use crate::around;
use crate::confirm::{Confirmations, confirmation};
use crate::explain::explain;
use crate::merge::{Merged, merge};
use crate::modules::Modules;
use crate::pattern;
use crate::records::{RankRecords, Records};
use crate::shape::{
    AllocationReport, Bytes, ConfirmationReport, Frame, Loaded, LockReport, ObjectReport, RaceReport, Report,
    SideReport, Summary, SyncReport, VERSION,
};
use crate::source::called;
use crate::statics::{Statics, Variable};
use crate::{fix, identity, pairs, places, symbols, text, words};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use thrille_model::job::Api;
use thrille_model::verdict::{Finding, Verdict};
use thrille_model::{Act, Caller, Held, Interval, Lock, Mode, Object, Race, Rank, Segment, Side, Word};

/// How the names of C library functions begin that touch memory.
const LIBRARY: [&str; 6] = ["mem", "str", "stp", "bcopy", "bzero", "wmem"];

/// The report of what was read in `dir`; paths below `base` are shown relative to it.
pub fn report(mut records: Records, dir: &Path, base: &Path) -> Report {
    let directories = symbols::directories(Some(dir));
    let executable = records.executable.and_then(|id| records.modules.get(&id));
    let executable = executable.and_then(|module| symbols::locate(module, &directories).ok());
    let statics = executable.and_then(|path| Statics::of(&path)).unwrap_or_default();
    let mut loaded: Vec<Loaded> = (records.modules.iter())
        .map(|(&id, module)| Loaded { id, path: module.path.clone(), build_id: module.build_id.clone() })
        .collect();
    loaded.sort_by_key(|module| module.id);
    let here = base.canonicalize().unwrap_or_else(|_| base.into());
    let shown = records.dir.strip_prefix(&here).unwrap_or(&records.dir).display().to_string();
    let modules = Modules::new(std::mem::take(&mut records.modules), base, directories);
    Report { loaded, ..resolved(records, modules, statics, &shown) }
}

/// The same with given tables of places and variables.
pub fn resolved(mut records: Records, mut modules: Modules, statics: Statics, dir: &str) -> Report {
    let all = records.ranks.iter_mut().flat_map(|rank| std::mem::take(&mut rank.races)).collect();
    let merged = merge(all, &mut modules, &records.ranks);
    let mut context = Context {
        modules,
        statics,
        ranks: &records.ranks,
        api: records.api.unwrap_or(Api::OpenShmem),
        confirmations: &records.confirmations,
        dir,
    };
    let mut races: Vec<RaceReport> =
        merged.iter().enumerate().map(|(index, merged)| context.race(index + 1, merged)).collect();
    identity::name(&mut races);
    let mut summary = summary(&records.ranks, races.len(), records.api);
    summary.confirmed = races.iter().filter(|race| race.confirmed()).count();
    let sampling = crate::sampling::sampling(&records.ranks, &mut context.modules);
    let pairs = pairs::racing(&merged);
    let traffic = pairs::traffic(&records.ranks);
    let mut notes = std::mem::take(&mut records.notes);
    notes.append(&mut context.modules.notes);
    notes.extend(missing_lines(&races, &notes));
    notes.extend(missing_sources(&races));
    notes.extend(records.run.iter().flat_map(|run| run.notes.iter().cloned()));
    notes.extend(records.confirmations.notes.iter().cloned());
    notes.extend(ranks_notes(&records.ranks));
    notes.extend(notes_on(&summary));
    let (version, tool, run) = (VERSION, env!("CARGO_PKG_VERSION").into(), records.run);
    Report {
        version,
        tool,
        run,
        summary,
        sampling,
        races,
        suppressed: Vec::new(),
        pairs,
        traffic,
        notes,
        baseline: None,
        loaded: Vec::new(),
    }
}

struct Context<'a> {
    modules: Modules,
    statics: Statics,
    ranks: &'a [RankRecords],
    api: Api,
    confirmations: &'a Confirmations,
    dir: &'a str,
}

impl RaceReport {
    /// Whether it was made to happen.
    pub fn confirmed(&self) -> bool {
        self.confirmation.as_ref().is_some_and(|found| found.verdict != "not_confirmed")
    }
}

impl Context<'_> {
    fn race(&mut self, number: usize, merged: &Merged) -> RaceReport {
        let race = &merged.example;
        let a = self.side(&race.first, &merged.first);
        let b = self.side(&race.second, &merged.second);
        let mut why = explain(race, &merged.also, [&a.locks, &b.locks], self.api);
        let around = self.around(race);
        why.hints.extend(around::near_misses(&around));
        let wrong = around::wrong_completion(race).and_then(|event| self.caller(event.strand.rank, event.at));
        why.fix = fix::Places { a: &a, b: &b, around: &around, wrong }.fix(
            race,
            &why.pattern,
            self.api,
            self.modules.sources(),
        );
        let common = race.first.bytes.intersection(race.second.bytes).unwrap_or(race.first.bytes);
        let mut object = self.object(&race.object, common);
        object.owners = merged.owners.iter().copied().collect();
        let title = text::title(&a, &b, &object);
        let confirmation = self.confirmations.of(&merged.all).map(|finding| self.confirmation(finding));
        let polled = merged.all.iter().any(pattern::polls);
        RaceReport {
            number,
            id: String::new(),
            title,
            object,
            a,
            b,
            why,
            around,
            seen: merged.seen,
            confirmation,
            records: merged.all.clone(),
            polled,
        }
    }

    fn around(&mut self, race: &Race) -> Vec<SyncReport> {
        let Self { modules, statics, ranks, api, .. } = self;
        let names =
            around::Names { api: *api, lock: &|lock| lock_name(lock, statics), word: &|word| word_name(word, statics) };
        around::around(race, ranks, modules, &names)
    }

    /// Where a call that synchronises is.
    fn caller(&mut self, rank: Rank, caller: Caller) -> Option<Frame> {
        let site = *self.ranks.get(rank.0 as usize)?.callers.get(&caller)?;
        Some(self.modules.frames(site)[0].clone())
    }

    fn confirmation(&mut self, finding: &Finding) -> ConfirmationReport {
        let mut stacks = [Vec::new(), Vec::new()];
        if let Verdict::Confirmed { meeting, .. } = &finding.verdict {
            let own = finding.places.first().map(|&(a, b)| [a.0, b.0]).unwrap_or_default();
            for ((frames, sites), own) in stacks.iter_mut().zip(&meeting.stacks).zip(own) {
                let mut last = self.modules.frames(own).last().cloned();
                for &site in sites {
                    if last.as_ref().is_some_and(is_outermost) {
                        break;
                    }
                    frames.extend(self.modules.frames(site).iter().filter(|frame| !is_ours(&frame.module)).cloned());
                    last = frames.last().cloned();
                }
            }
        }
        confirmation(finding, stacks, self.dir)
    }

    fn object(&mut self, object: &Object, common: Interval) -> ObjectReport {
        let mut report = ObjectReport {
            owner: object.owner.0,
            owners: Vec::new(),
            segment: segment(object.segment).into(),
            segment_offset: object.offset,
            name: None,
            size: None,
            bytes: bytes(common),
            allocation: None,
            window: None,
        };
        let mut start = 0;
        match (object.segment, object.allocation) {
            (Segment::Statics, _) => {
                if let Some(variable) = self.statics.at(object.offset) {
                    start = object.offset - variable.offset;
                    report.size = Some(variable.size);
                    report.name = Some(variable.name);
                }
            }
            (Segment::Heap | Segment::Private, Some((number, begin, size, asked))) => {
                if object.segment == Segment::Private {
                    report.segment = "window".into();
                }
                start = begin;
                report.size = Some(size);
                report.allocation = Some(AllocationReport { number, at: self.modules.frames(asked)[0].clone() });
            }
            (Segment::Window(number), _) => report.window = Some(number),
            (Segment::Private, None) => {
                if let Some(variable) = self.variable(object.owner, object.offset) {
                    start = object.offset - variable.offset;
                    report.size = Some(variable.size);
                    report.name = Some(variable.name);
                }
            }
            (Segment::Heap | Segment::Block(_) | Segment::File(_), _) => {}
        }
        report.bytes.first = report.bytes.first.saturating_sub(start);
        report.bytes.end = report.bytes.end.saturating_sub(start);
        report
    }

    /// The variable of the program or of a library at an address of a rank.
    fn variable(&mut self, rank: Rank, address: u64) -> Option<Variable> {
        let files = &self.ranks.get(rank.0 as usize)?.files;
        let file = files.iter().find(|file| file.lo <= address && address < file.hi)?;
        self.modules.statics(file.module).at_address(address.wrapping_sub(file.bias))
    }

    fn side(&mut self, side: &Side, ranks: &BTreeSet<u32>) -> SideReport {
        let mut frames = places::frames(side, &mut self.modules, self.ranks);
        let stack = frames.split_off(1);
        let at = frames.remove(0);
        SideReport {
            rank: side.strand.rank.0,
            thread: side.strand.number(),
            task: side.strand.is_task(),
            ranks: ranks.iter().copied().collect(),
            act: words::act(side.act).into(),
            kind: words::kind(side.kind).into(),
            call: call(side.act, &at, self.api),
            what: words::sized(side),
            bytes: bytes(side.bytes),
            phases: side.phases.into(),
            context: side.ctx.map(|ctx| ctx.0),
            locks: side.locks.iter().map(|held| self.lock(held)).collect(),
            times: side.times,
            at,
            stack,
        }
    }

    fn lock(&self, held: &Held) -> LockReport {
        let name = lock_name(&held.lock, &self.statics);
        let mode = match held.mode {
            Mode::Shared => "shared",
            Mode::Exclusive => "exclusive",
        };
        LockReport { name, mode: mode.into() }
    }
}

fn lock_name(lock: &Lock, statics: &Statics) -> String {
    match *lock {
        Lock::Symmetric(Segment::Statics, offset) => match statics.at(offset) {
            Some(variable) => format!("lock {}", variable_name(&variable)),
            None => format!("lock at static data + {offset:#x}"),
        },
        Lock::Window(window, rank) => format!("lock of window {window} at {rank}"),
        Lock::Symmetric(Segment::File(file), offset) => {
            format!("lock that processes share, in file {file:#x} + {offset:#x}")
        }
        Lock::Symmetric(_, offset) => format!("lock at symmetric heap + {offset:#x}"),
        Lock::Process(rank, address) => format!("mutex {address:#x} of {rank}"),
    }
}

fn word_name(word: &Word, statics: &Statics) -> String {
    match word.segment {
        Segment::Statics => statics.at(word.offset).map_or_else(|| "a word".into(), |v| variable_name(&v)),
        Segment::Heap => format!("the word at symmetric heap + {:#x}", word.offset),
        // Words of the library's own, such as the end of an epoch, are behind all memory.
        Segment::Window(window) if word.offset >> 62 != 0 => {
            format!("the end of the epoch of window {window} at {}", word.owner)
        }
        Segment::Window(window) => format!("the word at window {window} + {:#x} of {}", word.offset, word.owner),
        Segment::File(file) => format!("what processes share in file {file:#x} + {:#x}", word.offset),
        Segment::Private | Segment::Block(_) => format!("the word at {:#x} of {}", word.offset, word.owner),
    }
}

/// A variable, or the part of it that begins there.
fn variable_name(variable: &Variable) -> String {
    match variable.offset {
        0 => format!("`{}`", variable.name),
        offset => format!("`{}` + {offset}", variable.name),
    }
}

/// Whether a loaded file is our own library.
pub fn is_ours(module: &str) -> bool {
    module.rsplit('/').next().is_some_and(|name| name.starts_with("libthrille"))
}

fn segment(segment: Segment) -> &'static str {
    match segment {
        Segment::Heap => "heap",
        Segment::Statics => "static",
        Segment::Window(_) => "window",
        Segment::Private | Segment::Block(_) | Segment::File(_) => "private",
    }
}

fn bytes(interval: Interval) -> Bytes {
    Bytes { first: interval.lo(), end: interval.hi() }
}

/// Whether it is the program's first function: who called that is not the program's, and its symbols may take long to read.
pub fn is_outermost(frame: &Frame) -> bool {
    frame.function.as_deref() == Some("main")
}

/// The function that a call's source line names.
fn call(act: Act, at: &Frame, api: Api) -> Option<String> {
    let line = at.source.as_deref()?;
    if words::is_communication(act) {
        called(line, at.column, |name| api::has(api, name))
    } else if act == Act::LibraryCall {
        called(line, at.column, |name| LIBRARY.iter().any(|start| name.starts_with(start)))
    } else {
        None
    }
}

fn summary(ranks: &[RankRecords], races: usize, api: Option<Api>) -> Summary {
    let api = api.map(|api| api::word(api).into());
    let mut summary = Summary { races, ranks: ranks.len() as u32, api, ..Summary::default() };
    for rank in ranks.iter().filter(|rank| rank.started) {
        let p = &rank.progress;
        summary.ranks_observed += 1;
        summary.instrumented |= rank.progress.instrumented;
        summary.ranks_finished += u32::from(rank.finished);
        summary.threads += u64::from(p.strands);
        summary.phases = summary.phases.max(p.phase.0 + 1);
        summary.executed += p.executed;
        summary.observed += p.observed;
        summary.recorded += p.recorded;
        summary.dropped += p.dropped;
        summary.most_held = summary.most_held.max(p.most_held);
        summary.exchanges = summary.exchanges.max(p.exchanges);
        summary.analysis_seconds = summary.analysis_seconds.max(p.analysis_us as f64 / 1e6);
        summary.beside_seconds = summary.beside_seconds.max(p.beside_us as f64 / 1e6);
        summary.communication_seconds = summary.communication_seconds.max(p.communication_us as f64 / 1e6);
        summary.communication_cpu_seconds += p.communication_cpu_us as f64 / 1e6;
    }
    summary
}

/// One note on all loaded files that places are not known in.
fn missing_lines(races: &[RaceReport], notes: &[String]) -> Option<String> {
    let frames = races.iter().flat_map(|race| [&race.a.at, &race.b.at]).filter(|at| at.line.is_none());
    let modules = frames.filter_map(|at| at.module.rsplit('/').next());
    // Of some it has been said already what is wrong with them.
    let modules: BTreeSet<&str> = modules.filter(|name| !notes.iter().any(|note| note.contains(name))).collect();
    let names = modules.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = if modules.len() > 3 { " and others" } else { "" };
    (!modules.is_empty()).then(|| {
        format!(
            "no debug information for places in {names}{more}: they are shown as module+offset; build with -g, or say in THRILLE_SYMBOLS where it is"
        )
    })
}

/// One note on all files whose lines cannot be shown.
fn missing_sources(races: &[RaceReport]) -> Option<String> {
    let frames = races.iter().flat_map(|race| [&race.a.at, &race.b.at]);
    let missing: BTreeSet<&str> =
        frames.filter(|at| at.line.is_some() && at.source.is_none()).filter_map(|at| at.file.as_deref()).collect();
    let first = missing.first()?;
    let others = match missing.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", words::count(more as u64, "other file")),
    };
    Some(format!("the source of {first}{others} is not here, or has changed: lines are shown by their numbers only"))
}

/// The ranks' own notes, each text once.
fn ranks_notes(ranks: &[RankRecords]) -> Vec<String> {
    let mut by_text: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (number, rank) in (0..).zip(ranks) {
        for note in &rank.notes {
            by_text.entry(note).or_default().insert(number);
        }
    }
    let said =
        |(text, by): (&str, BTreeSet<u32>)| format!("{}: {text}", words::ranks(&by.into_iter().collect::<Vec<_>>()));
    by_text.into_iter().map(said).collect()
}

fn notes_on(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    if summary.dropped > 0 {
        let share = 100.0 * summary.dropped as f64 / summary.observed.max(1) as f64;
        notes.push(format!(
            "{} of {} accesses to shared memory ({share:.1} %) were dropped because a rank's limit on records was reached: \
             races among them are not in this report; raise it with --max-records",
            words::grouped(summary.dropped),
            words::grouped(summary.observed),
        ));
    }
    if summary.ranks_finished > 0 && !summary.instrumented {
        notes.push(
            "no part of the program was instrumented: it was linked with `thrille cc`, or not at all, but not compiled with it; only calls of the communication \
             library, of threads and of C functions such as memcpy were observed: recompile with `thrille cc` or `thrille check`"
                .into(),
        );
    }
    notes
}
