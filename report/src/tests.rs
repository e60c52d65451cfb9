//! Made-up records and the report of them. `THRILLE_BLESS=1 cargo test -p thrille-report` rewrites the expectations.

mod around;
mod forms;
mod gates;

use crate::build;
use crate::modules::Modules;
use crate::records::{RankRecords, Records};
use crate::run::{Exit, RunInfo};
use crate::shape::{Frame, Report};
use crate::statics::Statics;
use crate::text::Colour;
use std::collections::HashMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use thrille_model::job::Progress;
use thrille_model::{
    Act, Atomic, Ctx, Domain, Effect, Held, Interval, Kind, Lock, Mode, Object, Phase, Phases, Pos, Race, Rank,
    Segment, Side, Site, StackId, Strand, Why,
};

const SOURCE: &str = include_str!("../tests/golden/ring.c");

fn site(offset: u64) -> Site {
    Site { module: 7, offset }
}

fn frame(function: &str, line: u32, column: u32) -> Frame {
    Frame {
        file: Some("ring.c".into()),
        path: Some("/home/u/ring.c".into()),
        line: Some(line),
        column: Some(column),
        function: Some(function.into()),
        source: SOURCE.lines().nth(line as usize - 1).map(Into::into),
        module: "/home/u/ring".into(),
        offset: 0,
        inlined: false,
    }
}

/// Sites 0x10 and 0x14 are two instructions of one line; 0x90 is not known.
fn modules() -> Modules {
    let mut polled = vec![frame("ready", 11, 12), frame("exchange", 17, 12)];
    polled[0].inlined = true;
    Modules::made_up(HashMap::from([
        (site(0x10), vec![frame("main", 27, 14)]),
        (site(0x14), vec![frame("main", 27, 14)]),
        (site(0x20), vec![frame("exchange", 18, 3)]),
        (site(0x30), polled),
        (site(0x40), vec![frame("exchange", 19, 3)]),
        (site(0x50), vec![frame("main", 31, 3)]),
        (site(0x60), vec![frame("main", 24, 15)]),
        (site(0x70), vec![frame("main", 33, 3)]),
        (site(0x90), vec![Frame { module: "/home/u/libother.so".into(), offset: 0x90, ..Frame::default() }]),
    ]))
}

fn statics() -> Statics {
    Statics::made_up(&[(0, 64, "table"), (64, 8, "flag"), (72, 8, "guard")])
}

fn side(rank: u32, act: Act, kind: Kind, at: (u64, u64), from: Site) -> Side {
    Side {
        strand: Strand { rank: Rank(rank), index: 0 },
        act,
        kind,
        bytes: Interval::from_len(at.0, at.1).unwrap(),
        begin: Pos(0),
        end: None,
        phases: Phases { lo: Phase(3), hi: Some(Phase(3)) },
        ctx: None,
        locks: Vec::new(),
        site: from,
        stack: StackId(0),
        times: 1,
    }
}

fn race(owner: u32, segment: Segment, first: Side, second: Side, why: Why) -> Race {
    let offset = first.bytes.lo().max(second.bytes.lo());
    Race {
        object: Object { owner: Rank(owner), segment, offset, allocation: None },
        first,
        second,
        why,
        around: Vec::new(),
        seen: 4,
    }
}

fn rank(races: Vec<Race>) -> RankRecords {
    let progress = Progress {
        phase: Phase(5),
        executed: 1_234_567,
        observed: 4321,
        recorded: 99,
        most_held: 50,
        exchanges: 3,
        strands: 1,
        analysis_us: 12_345,
        beside_us: 0,
        communication_us: 2_345,
        communication_cpu_us: 1_000,
        instrumented: true,
        ..Progress::default()
    };
    let stacks = HashMap::from([(StackId(1), (StackId(0), site(0x70)))]);
    RankRecords { started: true, finished: true, analysed: true, races, stacks, progress, ..RankRecords::default() }
}

fn put(from: u32) -> Side {
    Side { stack: StackId(1), ..side(from, Act::Put, Kind::Write, (8, 4), site(0x20)) }
}

fn atomic(effect: Effect) -> Kind {
    Kind::Atomic(Atomic { domain: Domain::Shmem, through: 0, ty: 3, width: 8, op: 0, ordered: false, effect })
}

fn run(statuses: &[i32]) -> RunInfo {
    let exits = (0..).zip(statuses).map(|(rank, &raw)| Exit::new(rank, ExitStatus::from_raw(raw), false)).collect();
    RunInfo {
        tool: "0.1.0".into(),
        command: vec!["./ring".into(), "--fast".into()],
        ranks: statuses.len() as u32,
        started: "2026-03-14T15:09:26Z".into(),
        directory: "/home/u".into(),
        elapsed_seconds: Some(1.5),
        exits: Some(exits),
        ..RunInfo::default()
    }
}

fn report(ranks: Vec<RankRecords>) -> Report {
    let run = Some(run(&vec![0; ranks.len()]));
    build::resolved(Records { run, ranks, ..Records::default() }, modules(), statics(), "run")
}

/// One race of each sort.
fn everything() -> Report {
    let store = |from: u32, offset| side(from, Act::Store, Kind::Write, (8, 4), site(offset));
    let poll = Side { times: 1000, ..side(0, Act::Load, Kind::Read, (64, 8), site(0x30)) };
    let signal = side(1, Act::RemoteAtomic, atomic(Effect::Update), (64, 8), site(0x40));
    let nbi = Side {
        ctx: Some(Ctx(2)),
        phases: Phases { lo: Phase(2), hi: None },
        ..side(0, Act::Buffer, Kind::Read, (0x7ffc_1000, 16), site(0x40))
    };
    let copy = side(0, Act::LibraryCall, Kind::Write, (0x7ffc_1008, 16), site(0x50));
    let held = |lock, mode| Held { lock: Lock::Symmetric(Segment::Statics, lock), mode };
    let mutex = Held { lock: Lock::Process(Rank(1), 0x5000), mode: Mode::Exclusive };
    let locked =
        Side { locks: vec![held(72, Mode::Exclusive)], ..side(0, Act::Put, Kind::Write, (4096, 8), site(0x20)) };
    let other = Side { locks: vec![mutex], ..side(1, Act::Load, Kind::Read, (4096, 4), site(0x10)) };
    let mut heap = race(1, Segment::Heap, locked, other, Why::Unsynchronised);
    heap.object.allocation = Some((2, 4088, 64, site(0x60)));
    let thread =
        Side { strand: Strand { rank: Rank(1), index: 2 }, ..side(1, Act::Store, Kind::Write, (72, 8), site(0x90)) };
    let main = side(1, Act::Load, Kind::Read, (72, 8), site(0x10));
    let incomplete = Side { ctx: Some(Ctx(0)), ..put(0) };
    let get = side(0, Act::Get, Kind::Read, (8, 4), site(0x40));
    let mut report = report(vec![
        rank(vec![
            race(0, Segment::Statics, put(1), store(0, 0x10), Why::Unsynchronised),
            race(0, Segment::Statics, poll, signal, Why::Unsynchronised),
            race(0, Segment::Private, nbi, copy, Why::WrongContext),
        ]),
        rank(vec![
            race(1, Segment::Statics, store(1, 0x14), put(0), Why::Unsynchronised),
            race(1, Segment::Statics, store(1, 0x10), put(0), Why::Unsynchronised),
            heap,
            race(1, Segment::Statics, thread, main, Why::Unsynchronised),
            race(1, Segment::Statics, incomplete, get, Why::Incomplete),
        ]),
    ]);
    report.tool = "0.1.0".into();
    report
}

fn golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("THRILLE_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == found,
        "{name} differs; THRILLE_BLESS=1 accepts it\n--- expected\n{expected}\n--- found\n{found}"
    );
}

#[test]
fn every_sort_of_race() {
    let report = everything();
    golden("everything.txt", &report.text(Colour::Never));
    golden("everything.json", &report.json());
}

#[test]
fn colours_add_nothing_but_escapes() {
    let (plain, coloured) = (everything().text(Colour::Never), everything().text(Colour::Always));
    assert!(coloured.contains("\x1b[1;31mrace 1:\x1b[0m"));
    let mut stripped = String::new();
    for (index, part) in coloured.split("\x1b[").enumerate() {
        stripped += if index == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_eq!(stripped, plain);
}

#[test]
fn lines_and_ranks_merge_and_sums_stay() {
    let report = everything();
    let merged = report.races.iter().find(|race| race.a.act == "put" && race.b.act == "store").unwrap();
    assert_eq!((merged.seen, &merged.object.owners[..]), (12, &[0, 1][..]));
    assert_eq!((&merged.a.ranks[..], &merged.b.ranks[..]), (&[0, 1][..], &[0, 1][..]));
    assert_eq!(report.races.len(), 6);
    let order: Vec<_> =
        report.races.iter().map(|race| (race.a.at.line.unwrap_or(u32::MAX), race.a.at.column)).collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn the_order_of_finding_does_not_show() {
    let pair = |owner, swap| {
        let (a, b) = (put(1 - owner), side(owner, Act::Store, Kind::Write, (8, 4), site(0x10)));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        race(owner, Segment::Statics, a, b, Why::Unsynchronised)
    };
    let one = report(vec![rank(vec![pair(0, false)]), rank(vec![pair(1, true)])]);
    let other = report(vec![rank(vec![pair(0, true)]), rank(vec![pair(1, false)])]);
    assert_eq!(one, other);
    assert_eq!(one.races.len(), 1);
}

#[test]
fn acts_on_one_line_stay_apart() {
    let other = Side { act: Act::Buffer, kind: Kind::Read, ..put(0) };
    let store = side(1, Act::Store, Kind::Write, (8, 4), site(0x10));
    let races = vec![
        race(1, Segment::Statics, put(0), store.clone(), Why::Unsynchronised),
        race(1, Segment::Statics, other, store, Why::Unsynchronised),
    ];
    assert_eq!(report(vec![rank(Vec::new()), rank(races)]).races.len(), 2);
}

#[test]
fn a_loop_in_the_tree_of_calls_ends() {
    let mut broken = rank(vec![race(0, Segment::Statics, put(0), put(0), Why::Incomplete)]);
    broken.stacks.insert(StackId(1), (StackId(1), site(0x70)));
    assert!(report(vec![broken]).races[0].a.stack.len() <= 256);
}

#[test]
fn without_races() {
    let mut clean = report(vec![rank(Vec::new()), rank(Vec::new())]);
    golden("clean.txt", &clean.text(Colour::Never));
    clean.run = Some(RunInfo { first_failure: Some(1), ..run(&[1 << 8, 11]) });
    golden("failed.txt", &clean.text(Colour::Never));
    clean.run.as_mut().unwrap().interrupted = Some("SIGINT".into());
    assert!(clean.text(Colour::Never).contains("stopped: by SIGINT"));
    clean.run.as_mut().unwrap().exits = None;
    clean.run.as_mut().unwrap().interrupted = None;
    assert!(clean.text(Colour::Never).contains("the launcher was killed"));
}

#[test]
fn what_was_dropped_and_what_was_not_observed_is_said() {
    let mut full = rank(Vec::new());
    full.progress.dropped = 1000;
    full.notes.push("static data is not shared".into());
    let mut bare = rank(Vec::new());
    bare.notes.push("static data is not shared".into());
    golden("dropped.txt", &report(vec![full, bare]).text(Colour::Never));
    let mut bare = rank(Vec::new());
    bare.progress.instrumented = false;
    assert!(report(vec![bare]).notes[0].contains("no part of the program was instrumented"));
    let none = report(vec![RankRecords::default(), RankRecords::default()]).text(Colour::Never);
    assert!(none.contains("not instrumented or never initialised: nothing was observed"), "{none}");
    let mut known = RankRecords::default();
    known.notes.push("not observed: one of 4 processes, in a job of 1".into());
    let known = report(vec![known]).text(Colour::Never);
    assert!(known.contains("nothing was observed: see the notes") && !known.contains("thrille cc"), "{known}");
}
