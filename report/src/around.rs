//! The synchronisation around the two sides of a race, in words: what each strand did before and after its access, what of it reached the other
//! strand, and why that orders nothing.
//!
//! Events of one call are one line. What leads from one strand to the other is told by where it leaves and where it comes to:
//!
//! | leaves | comes to the other strand | so |
//! |---|---|---|
//! | before the access | before the other | it would order them if it left after the access |
//! | after the access | after the other | it would order them if the other came after it |
//! | after the access | before the other | the access is an operation that it does not complete |

use crate::api;
use crate::build::is_ours;
use crate::modules::Modules;
use crate::places::is_programs;
use crate::records::RankRecords;
use crate::shape::{Frame, SyncReport};
use crate::source::called;
use crate::text;
use crate::words;
use std::collections::HashMap;
use thrille_model::job::Api;
use thrille_model::{Caller, Ctx, Lock, Pos, Race, Side, Strand, Sync, SyncEvent, Token, Word};

/// Bits of a group's number that say that it is a window's, and that a message is one of its epochs'.
const WINDOW: u64 = 1 << 63;
const EPOCH: u64 = 1 << 62;
/// The tag of a fence that only begins.
const OPENING: i64 = -2;
/// The bit of a tag that says that the receiver answers.
const RECEIPT: i64 = 1 << 40;

/// Names of things that events are about.
pub struct Names<'a> {
    /// The interface.
    pub api: Api,
    /// Of locks.
    pub lock: &'a dyn Fn(&Lock) -> String,
    /// Of words of memory.
    pub word: &'a dyn Fn(&Word) -> String,
}

/// Events of one call.
struct Line {
    strand: Strand,
    pos: Pos,
    syncs: Vec<Sync>,
    caller: Caller,
}

/// The lines of a race's two strands, each strand's in order; `ranks` know where calls are.
pub fn around(race: &Race, ranks: &[RankRecords], modules: &mut Modules, names: &Names) -> Vec<SyncReport> {
    let lines = lines(race);
    let (a, b) = (&race.first, &race.second);
    let alone = a.strand == b.strand;
    let mut told: Vec<SyncReport> = lines
        .iter()
        .map(|line| {
            let at = ranks.get(line.strand.rank.0 as usize).and_then(|rank| rank.callers.get(&line.caller));
            let at = at.map(|&site| modules.frames(site)[0].clone()).filter(|at| !is_ours(&at.module));
            let of_a = line.strand == a.strand;
            let own = if of_a { a } else { b };
            let when = match line.pos <= own.begin {
                true => "before",
                false if alone && line.pos <= b.begin => "between",
                false => "after",
            };
            SyncReport {
                side: if of_a { "a" } else { "b" }.into(),
                when: when.into(),
                kind: kind(&line.syncs).into(),
                text: describe(line, own, names),
                call: at.as_ref().and_then(|at| call(at, names.api)),
                at,
                leads_to: Vec::new(),
                but: None,
            }
        })
        .collect();
    let ways = ways(&lines);
    for &(from, to) in &ways {
        let (x, y) = if lines[from].strand == a.strand { ("a", "b") } else { ("b", "a") };
        let before = |line: usize| told[line].when == "before";
        let but = match (before(from), before(to)) {
            _ if ways.contains(&(to, from)) => None,
            (true, true) => Some(format!("leaves before {x}: it would order them if it came between the two")),
            (false, false) => Some(format!("comes after {y}: it would order them if it came between the two")),
            (false, true) => Some(format!("does not complete {x}")),
            (true, false) => None,
        };
        told[from].but = but.or(told[from].but.take());
        told[from].leads_to.push(to);
    }
    told
}

/// What nearly orders the two, as hints: not more than two, the rest is in the page.
pub fn near_misses(told: &[SyncReport]) -> Vec<String> {
    let miss = |from: &SyncReport| {
        let (but, to) = (from.but.as_ref()?, &told[*from.leads_to.first()?]);
        let (leaves, comes) = (named(from)?, named(to)?);
        Some(match from.when == to.when {
            // Of a meeting of many threads only a part is known.
            true if leaves == comes => return None,
            true => format!("{leaves} leads to {comes}, but {but}"),
            false if leaves == comes => format!("{leaves} comes between the two, but {but}"),
            false => format!("{leaves} and {comes} come between the two, but that {but}"),
        })
    };
    told.iter().filter_map(miss).take(2).collect()
}

/// A line by its call and place, if the program's source has it: what libraries do inside tells a reader nothing.
fn named(line: &SyncReport) -> Option<String> {
    let known = |at: &&Frame| is_programs(at) && (at.path.is_some() || line.call.is_some());
    let place = text::place(line.at.as_ref().filter(known)?);
    Some(line.call.as_ref().map_or_else(|| format!("{} at {place}", line.text), |call| format!("{call} at {place}")))
}

/// One for each call, the strand of side a first.
fn lines(race: &Race) -> Vec<Line> {
    let first = race.first.strand;
    // What an operation changes by itself is the access.
    let is_access = |event: &&SyncEvent| {
        let of = |side: &Side| side.ctx.is_some() && (side.strand, side.begin) == (event.strand, event.pos);
        matches!(event.sync, Sync::Update { .. }) && (of(&race.first) || of(&race.second))
    };
    let mut events: Vec<&SyncEvent> = race.around.iter().filter(|event| !is_access(event)).collect();
    events.sort_by_key(|event| (event.strand != first, event.strand, event.pos));
    let mut lines: Vec<Line> = Vec::new();
    for event in events {
        let own = if event.strand == first { &race.first } else { &race.second };
        let separate = |line: &Line| {
            [own.begin, race.second.begin].iter().any(|at| line.pos <= *at && *at < event.pos && event.strand == first)
                || (line.pos <= own.begin && own.begin < event.pos)
        };
        match lines.last_mut() {
            Some(line)
                if line.strand == event.strand
                    && line.caller == event.at
                    && (event.at != Caller::default() || same_token(line, event.sync))
                    && !separate(line)
                    && !repeats(line, event.sync) =>
            {
                line.syncs.push(event.sync);
                line.pos = event.pos;
            }
            _ => lines.push(Line { strand: event.strand, pos: event.pos, syncs: vec![event.sync], caller: event.at }),
        }
    }
    lines
}

fn token(sync: Sync) -> Option<Token> {
    match sync {
        Sync::Release(token) | Sync::Acquire(token) | Sync::Peek(token) => Some(token),
        _ => None,
    }
}

fn same_token(line: &Line, sync: Sync) -> bool {
    token(sync).is_some() && line.syncs.iter().any(|&other| token(other) == token(sync))
}

/// Whether a call that releases after it has acquired is called once more: in a loop it is another one.
fn repeats(line: &Line, sync: Sync) -> bool {
    let acquires = |sync: &Sync| {
        matches!(sync, Sync::Acquire(_) | Sync::Peek(_) | Sync::Observe { .. } | Sync::Lock(..) | Sync::Share(..))
    };
    !acquires(&sync) && line.syncs.iter().any(acquires) && !matches!(sync, Sync::Quiet(_))
}

/// From which line to which something leads, of different strands.
fn ways(lines: &[Line]) -> Vec<(usize, usize)> {
    let mut tokens: HashMap<Token, Vec<usize>> = HashMap::new();
    let mut words: HashMap<(Word, u64), usize> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        for sync in &line.syncs {
            match *sync {
                Sync::Release(token) => tokens.entry(token).or_default().push(index),
                Sync::Update { word, version, .. } => _ = words.insert((word, version), index),
                _ => {}
            }
        }
    }
    let mut ways = Vec::new();
    for (to, line) in lines.iter().enumerate() {
        for sync in &line.syncs {
            let from: Vec<usize> = match *sync {
                Sync::Acquire(token) | Sync::Peek(token) => tokens.get(&token).cloned().unwrap_or_default(),
                Sync::Observe { word, version } => words.get(&(word, version)).copied().into_iter().collect(),
                _ => Vec::new(),
            };
            ways.extend(from.into_iter().filter(|&from| lines[from].strand != line.strand).map(|from| (from, to)));
        }
    }
    ways.sort_unstable();
    ways.dedup();
    ways
}

/// What a line is, in a word.
fn kind(syncs: &[Sync]) -> &'static str {
    let any = |is: fn(&Sync) -> bool| syncs.iter().any(is);
    let gives = any(|s| matches!(s, Sync::Release(_) | Sync::Update { .. }));
    let takes = any(|s| matches!(s, Sync::Acquire(_) | Sync::Peek(_) | Sync::Observe { .. }));
    match (gives, takes) {
        _ if any(|s| matches!(s, Sync::Lock(..) | Sync::Share(..))) => "lock",
        _ if any(|s| matches!(s, Sync::Unlock(..) | Sync::Unshare { .. })) => "unlock",
        _ if any(|s| matches!(token(*s), Some(Token::Phase(_)))) => "barrier",
        (true, true) => "meet",
        (true, false) => "release",
        (false, true) => "acquire",
        (false, false) if any(|s| matches!(s, Sync::Fence(_))) => "fence",
        (false, false) => "complete",
    }
}

/// What a line does, each thing once.
fn describe(line: &Line, own: &Side, names: &Names) -> String {
    let syncs = &line.syncs[..];
    let mut said: Vec<String> = Vec::new();
    let locks =
        syncs.iter().any(|s| matches!(s, Sync::Lock(..) | Sync::Share(..) | Sync::Unlock(..) | Sync::Unshare { .. }));
    let gives = syncs.iter().any(|s| matches!(s, Sync::Release(_) | Sync::Update { .. }));
    for sync in syncs {
        // What a lock hands over is part of taking it; what completes is told when it is all there is.
        let aside = match sync {
            Sync::Release(Token::Handover { .. }) | Sync::Acquire(Token::Handover { .. }) => locks,
            Sync::Quiet(_) | Sync::Fence(_) => gives,
            _ => false,
        };
        let text = match sync {
            Sync::Quiet(ctx) => completes(*ctx, line.pos, own, names.api),
            _ => words_for(*sync, syncs, names),
        };
        if !aside && !said.contains(&text) {
            said.push(text);
        }
    }
    said.join(", ")
}

fn words_for(sync: Sync, all: &[Sync], names: &Names) -> String {
    let meets = |token: Token| all.contains(&Sync::Release(token)) && all.contains(&Sync::Acquire(token));
    let child = |strand: Strand| format!("{} {}", if strand.is_task() { "task" } else { "thread" }, strand.number());
    match sync {
        Sync::Peek(token) => words_for(Sync::Acquire(token), all, names),
        Sync::Handed(..) => "leaves the buffer of a message to the library".into(),
        Sync::Release(Token::Phase(phase)) | Sync::Acquire(Token::Phase(phase)) => {
            format!("global barrier {}", phase.0)
        }
        Sync::Release(Token::Fork(strand)) => format!("creates {}", child(strand)),
        Sync::Acquire(Token::Fork(_)) => "begins".into(),
        Sync::Release(Token::Exit(_)) => "ends".into(),
        Sync::Acquire(Token::Exit(strand)) => format!("joins {}", child(strand)),
        Sync::Release(token @ Token::Collective { group, .. })
        | Sync::Acquire(token @ Token::Collective { group, .. }) => {
            let whose = match names.api {
                Api::Mpi if group & WINDOW != 0 && group & EPOCH == 0 => {
                    format!("of the ranks of window {}", group & u64::from(u32::MAX))
                }
                _ => "of a group of ranks".into(),
            };
            match sync {
                _ if meets(token) => format!("collective {whose}"),
                Sync::Release(_) => format!("collective {whose}: others come after it"),
                _ => format!("collective {whose}: comes after others"),
            }
        }
        Sync::Release(Token::Message { tag: OPENING, .. }) => "a fence that only begins".into(),
        Sync::Acquire(Token::Message { tag: OPENING, from, .. }) => format!("the fence of {from} has begun"),
        Sync::Release(Token::Message { group, to, .. }) if group & EPOCH != 0 => format!("opens its window to {to}"),
        Sync::Acquire(Token::Message { group, from, .. }) if group & EPOCH != 0 => {
            format!("{from} has opened its window")
        }
        Sync::Release(Token::Message { to, tag, .. }) if tag & RECEIPT != 0 && tag > 0 => format!("receipt to {to}"),
        Sync::Acquire(Token::Message { from, tag, .. }) if tag & RECEIPT != 0 && tag > 0 => {
            format!("receipt of {from}")
        }
        Sync::Release(Token::Message { to, .. }) => format!("message to {to}"),
        Sync::Acquire(Token::Message { from, .. }) => format!("message from {from}"),
        Sync::Release(Token::Fence { .. }) => "release fence".into(),
        Sync::Acquire(Token::Fence { .. }) => "sees what another thread stored after its release fence".into(),
        Sync::Release(Token::Flow(_)) => "end of a section that another one follows on".into(),
        Sync::Acquire(Token::Flow(_)) => "sees what an earlier section of the lock wrote".into(),
        Sync::Release(Token::Handover { .. }) => "hands a lock over".into(),
        Sync::Acquire(Token::Handover { .. }) => "takes a lock over".into(),
        Sync::Release(token @ Token::Local { .. }) | Sync::Acquire(token @ Token::Local { .. }) => match sync {
            _ if meets(token) => "meets threads of its rank".into(),
            Sync::Release(_) => "lets threads or tasks of its rank go on".into(),
            _ => "comes after threads or tasks of its rank".into(),
        },
        Sync::Update { word, signals, .. } => {
            let what = if signals { "signals" } else { "changes" };
            format!("{what} {}", (names.word)(&word))
        }
        Sync::Observe { word, .. } => format!("sees {}", (names.word)(&word)),
        Sync::Quiet(_) => "completes operations".into(),
        Sync::Lock(lock, _) => format!("takes {}", (names.lock)(&lock)),
        Sync::Share(lock, _) => format!("takes {} together with others", (names.lock)(&lock)),
        Sync::Unlock(lock, _) | Sync::Unshare { lock, .. } => format!("gives {} back", (names.lock)(&lock)),
        Sync::Fence(_) => "orders what follows behind what was issued, completes nothing".into(),
    }
}

fn completes(ctx: Ctx, at: Pos, own: &Side, api: Api) -> String {
    match (api, own.ctx) {
        (_, Some(mine)) if mine == ctx || is_whole(ctx, at, own) => "completes it".into(),
        (Api::Mpi, Some(mine)) if mine.near() == Some(ctx) => "completes it at its origin only".into(),
        (Api::Mpi, _) => "completes another operation".into(),
        (Api::OpenShmem, _) if ctx.0 == 0 => "completes what is on the default context".into(),
        (Api::OpenShmem, _) => format!("completes what is on context {}", ctx.0),
    }
}

/// Whether the call that completes an operation's near end at this position goes on to complete its far end.
fn is_whole(ctx: Ctx, at: Pos, own: &Side) -> bool {
    own.ctx.and_then(Ctx::near) == Some(ctx) && own.end.is_some_and(|end| end.0 == at.0 + 1)
}

/// The completion behind side a that does not complete it: of its own near end, or else the first one of something else.
pub fn wrong_completion(race: &Race) -> Option<&SyncEvent> {
    let a = &race.first;
    let own = a.ctx?;
    let counts = |event: &&SyncEvent| {
        let before_b = race.second.strand != a.strand || event.pos <= race.second.begin;
        event.strand == a.strand
            && event.pos > a.begin
            && before_b
            && matches!(event.sync, Sync::Quiet(ctx) if ctx != own && !is_whole(ctx, event.pos, a))
    };
    let near = |event: &&SyncEvent| matches!(event.sync, Sync::Quiet(ctx) if own.near() == Some(ctx));
    let mut all: Vec<&SyncEvent> = race.around.iter().filter(counts).collect();
    all.sort_by_key(|event| event.pos);
    all.iter().copied().find(near).or_else(|| all.first().copied())
}

/// The call that a place is, as the source has it: of the interface, of threads, or a directive.
pub fn call(at: &Frame, api: Api) -> Option<String> {
    let line = at.source.as_deref()?;
    let trimmed = line.trim_start();
    if trimmed.starts_with("#pragma omp") || trimmed.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("!$omp")) {
        return Some(trimmed.trim_end_matches('\\').trim().into());
    }
    called(line, at.column, |name| api::has(api, name)).or_else(|| called(line, at.column, words::synchronises))
}
