//! Strands as a program would move them, without processes.

use super::*;
use crate::candidate::{Side, Wanted, live_sites};
use crate::policy::{Choice, Ordered, PauseAndMatch, QUIET};
use thrille_model::{
    Act, Channel, Ctx, Interval, Kind, LocksetId, Operation, Order, Phase, Phases, Pos, Span, StackId,
};

const MS: Duration = Duration::from_millis(1);

fn spot(offset: u64, act: Act) -> Spot {
    (Site { module: 1, offset }, act)
}

fn strand(rank: u32) -> Strand {
    Strand { rank: Rank(rank), index: 0 }
}

fn candidate(number: usize, a: Spot, b: Spot) -> Candidate {
    Candidate {
        number,
        pairs: vec![(a, b)],
        named: vec![(a, b)],
        called: [0; 2],
        wanted: [Wanted::default(), Wanted::default()],
        write_write: false,
        seen: 1,
        flag: false,
        alone: false,
        loads_word: None,
    }
}

/// A put of rank 0 against a load of rank 1.
fn put_and_load() -> Candidate {
    candidate(1, spot(10, Act::Put), spot(20, Act::Load))
}

fn pause() -> Box<dyn Policy> {
    Choice::PauseAndMatch { patience: 50 * MS, seed: 1 }.policy()
}

fn floor_with(candidates: Vec<Candidate>, policy: Box<dyn Policy>) -> Floor {
    let live = live_sites(candidates.iter());
    let mut floor = Floor::new(2, candidates, live, policy);
    for rank in 0..2 {
        floor.join(Duration::ZERO);
        floor.strand(Duration::ZERO, strand(rank), Life::Begins);
    }
    floor
}

fn arrival(floor: &Floor, by: u32, at: Spot, lo: u64, operation: Option<u64>) -> Arrival {
    let live = floor.live().iter().position(|site| site.spot == at).unwrap() as u32;
    let kind = if matches!(at.1, Act::Load) { Kind::Read } else { Kind::Write };
    let channel = Channel { origin: Rank(by), ctx: Ctx(0), target: Rank(1) };
    let span = match operation {
        Some(_) => Span::Operation(Operation { ctx: Ctx(0), end: None, order: Order::Fenced(channel) }),
        None => Span::Point,
    };
    let access = Access {
        place: Place::solid(Rank(1), Segment::Heap, Interval::from_len(lo, 8).unwrap()),
        kind,
        strand: strand(by),
        begin: Pos(operation.unwrap_or(100)),
        span,
        phases: Phases { lo: Phase(0), hi: None },
        locks: LocksetId::EMPTY,
        act: at.1,
        site: at.0,
        stack: StackId(0),
        times: 1,
    };
    Arrival { live, task: None, times: 1, misses: 0, access, operation, stack: Vec::new() }
}

fn arrive(floor: &mut Floor, now: Duration, by: u32, at: Spot, lo: u64, operation: Option<u64>) {
    let arrival = arrival(floor, by, at, lo, operation);
    floor.arrived(now, arrival);
    floor.tick(now);
}

/// Who went, and whether in vain.
fn went(floor: &mut Floor) -> Vec<(u32, bool)> {
    let actions = floor.actions().into_iter();
    actions
        .filter_map(|action| match action {
            Action::Go { strand, missed, .. } => Some((strand.rank.0, missed)),
            Action::Watch(_) | Action::Off(_) => None,
        })
        .collect()
}

#[test]
fn the_first_waits_for_the_second() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(went(&mut floor), []);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 4, Some(1));
    assert_eq!(went(&mut floor), [(1, false), (0, false)]);
    let witness = floor.witnesses()[0].as_ref().unwrap();
    assert_eq!(witness.overlap, Overlap::BothStood);
    assert_eq!(witness.parts.each_ref().map(|part| part.turn.strand.rank.0), [0, 1]);
}

#[test]
fn other_bytes_do_not_meet() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 1, spot(20, Act::Load), 0, None);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 8, Some(1));
    assert_eq!(went(&mut floor), []);
    floor.tick(60 * MS);
    assert_eq!(went(&mut floor), [(0, true)]);
    floor.tick(120 * MS);
    assert_eq!(went(&mut floor), [(1, true)]);
    assert_eq!((floor.witnesses()[0].as_ref(), floor.tallies()[0].late), (None, [0, 0]));
}

/// What the one does behind its access brings the other side to the second: a flag of its own, for example.
#[test]
fn of_those_whose_time_is_over_one_waits_for_what_comes_of_the_other() {
    let mut floor = Floor { ranks: 3, ..floor_with(vec![put_and_load()], pause()) };
    floor.strand(MS, strand(2), Life::Begins);
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    arrive(&mut floor, MS, 1, spot(10, Act::Put), 8, Some(1));
    floor.tick(60 * MS);
    assert_eq!(went(&mut floor), [(0, true)]);
    arrive(&mut floor, 61 * MS, 2, spot(20, Act::Load), 8, None);
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::BothStood);
}

/// However often others go on, there is an end to it.
#[test]
fn what_is_put_off_comes() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 1, spot(20, Act::Load), 0, None);
    for n in 0..200u32 {
        arrive(&mut floor, MS * (n + 2), 0, spot(10, Act::Put), 8, Some(n.into()));
        floor.completing(MS * (n + 2), strand(0), vec![n.into()]);
        floor.tick(MS * (n + 2));
        if went(&mut floor).contains(&(1, true)) {
            return;
        }
    }
    panic!("it is held for ever");
}

/// A rank that is slow to start is waited for.
#[test]
fn time_begins_when_all_ranks_have() {
    let mut floor = Floor { begun: BTreeSet::new(), ..floor_with(vec![put_and_load()], pause()) };
    floor.strand(MS, strand(0), Life::Begins);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.tick(900 * MS);
    assert_eq!(went(&mut floor), []);
    floor.strand(900 * MS, strand(1), Life::Begins);
    arrive(&mut floor, 940 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::BothStood);
    // Not for ever: it may be no program that is looked at.
    let mut floor = Floor { begun: BTreeSet::new(), ..floor_with(vec![put_and_load()], pause()) };
    floor.strand(MS, strand(0), Life::Begins);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.tick(MS + STARTING);
    assert_eq!(went(&mut floor), [(0, true)]);
}

#[test]
fn an_operation_is_there_until_it_is_completed() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.tick(60 * MS);
    assert_eq!(went(&mut floor), [(0, true)], "its time is over");
    floor.completing(70 * MS, strand(0), vec![1]);
    arrive(&mut floor, 71 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(went(&mut floor), [(0, false), (1, false)]);
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::Open(Side::A));
}

#[test]
fn what_is_completed_is_gone() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.tick(60 * MS);
    floor.completing(70 * MS, strand(0), vec![1]);
    floor.tick(130 * MS);
    assert_eq!(went(&mut floor), [(0, true), (0, true)]);
    arrive(&mut floor, 131 * MS, 1, spot(20, Act::Load), 0, None);
    assert!(floor.witnesses()[0].is_none());
    assert_eq!(floor.tallies()[0].late, [0, 1]);
}

#[test]
fn a_strand_meets_its_own_operation_and_not_its_own_load() {
    let same = candidate(1, spot(10, Act::Put), spot(30, Act::Put));
    let mut floor = floor_with(vec![same, put_and_load()], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.tick(60 * MS);
    arrive(&mut floor, 61 * MS, 0, spot(30, Act::Put), 0, Some(2));
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::OwnOpen(Side::A));
}

/// However often a strand's operation is issued: nobody else is waited for, and its own load meets it at last.
#[test]
fn what_is_one_strands_own_waits_for_nobody() {
    let own = Candidate { alone: true, ..candidate(1, spot(10, Act::Put), spot(20, Act::Load)) };
    let mut floor = floor_with(vec![own], pause());
    for round in 1..=20u32 {
        arrive(&mut floor, round * MS, 0, spot(10, Act::Put), 0, Some(u64::from(round)));
        if round < 20 {
            floor.completing(round * MS, strand(0), vec![u64::from(round)]);
            assert_eq!(went(&mut floor), [(0, false), (0, false)], "at once, and not in vain");
        }
    }
    arrive(&mut floor, 21 * MS, 0, spot(20, Act::Load), 0, None);
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::OwnOpen(Side::A));
}

#[test]
fn nobody_waits_when_nobody_can_come() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    assert!(floor.actions().contains(&Action::Watch(true)));
    floor.doing(2 * MS, strand(1), Doing::InCall);
    assert_eq!(floor.deadline(), Some(2 * MS + QUIET));
    floor.tick(2 * MS + QUIET);
    assert_eq!(went(&mut floor), [(0, true)]);
}

/// Why the other side comes late: it waited inside a call until the first had gone, or it was under way all the time, as who polls is.
#[test]
fn who_comes_late_was_in_a_call_or_not() {
    for (in_call, found) in [(true, [0, 1]), (false, [0, 0])] {
        let mut floor = floor_with(vec![candidate(1, spot(10, Act::Store), spot(20, Act::Load))], pause());
        arrive(&mut floor, MS, 0, spot(10, Act::Store), 0, None);
        if in_call {
            floor.doing(2 * MS, strand(1), Doing::InCall);
        }
        floor.tick(if in_call { 2 * MS + QUIET } else { 500 * MS });
        assert_eq!(went(&mut floor), [(0, true)]);
        arrive(&mut floor, 501 * MS, 1, spot(20, Act::Load), 0, None);
        assert_eq!((floor.tallies()[0].late, floor.tallies()[0].in_call), ([0, 1], found));
    }
}

#[test]
fn all_held_is_noticed_at_once() {
    let two = candidate(2, spot(30, Act::Store), spot(40, Act::Load));
    let mut floor = floor_with(vec![put_and_load(), two], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    arrive(&mut floor, MS, 1, spot(40, Act::Load), 0, None);
    assert_eq!(went(&mut floor), []);
    floor.tick(MS + QUIET);
    assert_eq!(went(&mut floor), [(0, true)], "an operation that is issued stays present");
}

#[test]
fn a_rank_that_dies_is_no_partner() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    floor.leave(2 * MS, 0);
    went(&mut floor);
    arrive(&mut floor, 3 * MS, 1, spot(20, Act::Load), 0, None);
    assert!(floor.witnesses()[0].is_none());
    floor.tick(3 * MS + QUIET);
    assert_eq!(went(&mut floor), [(1, true)], "it is the only one left");
}

#[test]
fn the_second_goes_when_the_first_is_done() {
    // The load first: it is over when its strand says so.
    let mut floor = floor_with(vec![put_and_load()], Box::new(Ordered::new(Side::B, 50 * MS)));
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    arrive(&mut floor, 2 * MS, 1, spot(20, Act::Load), 0, None);
    let go = floor.actions();
    assert!(go.contains(&Action::Go { strand: strand(1), missed: false, report: true }), "{go:?}");
    floor.passed(3 * MS, strand(1));
    assert_eq!(went(&mut floor), [(0, false)], "the first stays until the second is done");
    floor.passed(4 * MS, strand(0));
    assert_eq!(went(&mut floor), [(1, false), (0, false)]);
    // The put first: it is over when it is completed.
    let mut floor = floor_with(vec![put_and_load()], Box::new(Ordered::new(Side::A, 50 * MS)));
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    arrive(&mut floor, 2 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(went(&mut floor), [(0, false)]);
    floor.passed(3 * MS, strand(0));
    assert_eq!(went(&mut floor), [(0, false)], "issued is not completed: it goes on alone");
    floor.completing(4 * MS, strand(0), vec![1]);
    assert_eq!(went(&mut floor), [(0, false)]);
    floor.passed(5 * MS, strand(0));
    assert_eq!(went(&mut floor), [(1, false)]);
    floor.passed(6 * MS, strand(1));
    assert_eq!(went(&mut floor), [(0, false), (1, false)]);
}

#[test]
fn the_second_does_not_wait_for_a_first_that_waits_for_it() {
    let mut floor = floor_with(vec![put_and_load()], Box::new(Ordered::new(Side::A, 50 * MS)));
    arrive(&mut floor, MS, 0, spot(10, Act::Put), 0, Some(1));
    arrive(&mut floor, 2 * MS, 1, spot(20, Act::Load), 0, None);
    went(&mut floor);
    floor.doing(3 * MS, strand(0), Doing::InCall);
    floor.tick(3 * MS + 4 * QUIET);
    assert_eq!(went(&mut floor), [(1, false)]);
}

#[test]
fn windows_are_memory_of_their_owner() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    floor.window(1, 7, 0x1000);
    let mut put = arrival(&floor, 0, spot(10, Act::Put), 16, Some(1));
    put.access.place.segment = Segment::Window(7);
    floor.arrived(MS, put);
    let mut load = arrival(&floor, 1, spot(20, Act::Load), 0x1010, None);
    load.access.place.segment = Segment::Private;
    floor.arrived(2 * MS, load);
    assert!(floor.witnesses()[0].is_some());
}

/// Who makes a window may be back from that, and put, before the target has told where its part is.
#[test]
fn who_puts_before_the_window_is_told_is_met() {
    let mut floor = floor_with(vec![put_and_load()], pause());
    let mut put = arrival(&floor, 0, spot(10, Act::Put), 16, Some(1));
    put.access.place.segment = Segment::Window(7);
    floor.arrived(MS, put);
    floor.window(1, 7, 0x1000);
    let mut load = arrival(&floor, 1, spot(20, Act::Load), 0x1010, None);
    load.access.place.segment = Segment::Private;
    floor.arrived(2 * MS, load);
    assert!(floor.witnesses()[0].is_some());
}

#[test]
fn a_hundred_pairs_meet_in_one_run_and_are_switched_off() {
    let pair = |n: u64| candidate(n as usize, spot(1000 + n, Act::Put), spot(2000 + n, Act::Load));
    let mut floor = floor_with((0..100).map(pair).collect(), Box::new(PauseAndMatch::new(50 * MS, 1)));
    for n in 0..100 {
        let now = MS * (n as u32 + 1);
        arrive(&mut floor, now, 0, spot(1000 + n, Act::Put), 8 * n, Some(n));
        arrive(&mut floor, now, 1, spot(2000 + n, Act::Load), 8 * n, None);
    }
    assert!(floor.witnesses().iter().all(Option::is_some));
    assert_eq!(floor.off().len(), 200);
}

/// A lock decides who is first, and only if the put is can they meet: the load's strand is late.
#[test]
fn who_is_late_waits_until_the_others_wait_for_it() {
    let late = Late { strand: strand(1), phase: 0 };
    let mut floor = floor_with(vec![put_and_load()], pause()).with_late(Some(late), 300 * MS);
    floor.comes_late(MS, strand(1));
    floor.tick(MS);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 0, Some(1));
    assert_eq!(went(&mut floor), [(0, false)], "it stays present: nobody can come now");
    floor.completing(3 * MS, strand(0), vec![1]);
    assert_eq!(went(&mut floor), [(1, false)], "it is as far as it gets");
    arrive(&mut floor, 4 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().overlap, Overlap::Open(Side::A));
    assert_eq!(floor.witnesses()[0].as_ref().unwrap().late(), Some(late));
}

#[test]
fn who_is_late_goes_when_the_others_cannot() {
    let late = Some(Late { strand: strand(1), phase: 0 });
    // They wait inside calls.
    let mut floor = floor_with(vec![put_and_load()], pause()).with_late(late, 300 * MS);
    floor.comes_late(MS, strand(1));
    floor.tick(MS);
    floor.doing(2 * MS, strand(0), Doing::InCall);
    floor.tick(2 * MS + QUIET);
    assert_eq!(went(&mut floor), [(1, false)]);
    // They never do: there is an end to it.
    let mut floor = floor_with(vec![put_and_load()], pause()).with_late(late, 300 * MS);
    floor.comes_late(MS, strand(1));
    floor.tick(MS + 300 * MS);
    assert_eq!(went(&mut floor), [(1, true)]);
}

/// What is to be second must not be issued before the first is there, whoever is late.
#[test]
fn in_a_given_order_nothing_is_issued_ahead() {
    let late = Some(Late { strand: strand(1), phase: 0 });
    let policy = Box::new(Ordered::new(Side::B, 50 * MS));
    let mut floor = floor_with(vec![put_and_load()], policy).with_late(late, 300 * MS);
    floor.comes_late(MS, strand(1));
    floor.tick(MS);
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 0, Some(1));
    assert_eq!(went(&mut floor), [(1, false)], "the put stands before its issue");
    arrive(&mut floor, 3 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(went(&mut floor), [(1, false)], "the load first");
}

/// A get that is to be second waits until the put is complete, not only issued.
#[test]
fn a_put_that_is_first_is_complete_before_the_second_goes() {
    let late = Some(Late { strand: strand(1), phase: 0 });
    let mut floor =
        floor_with(vec![put_and_load()], Box::new(Ordered::new(Side::A, 50 * MS))).with_late(late, 300 * MS);
    floor.comes_late(MS, strand(1));
    arrive(&mut floor, 2 * MS, 0, spot(10, Act::Put), 0, Some(1));
    assert_eq!(went(&mut floor), [(1, false)]);
    arrive(&mut floor, 3 * MS, 1, spot(20, Act::Load), 0, None);
    assert_eq!(went(&mut floor), [(0, false)], "the put goes");
    floor.doing(4 * MS, strand(0), Doing::Running);
    floor.passed(4 * MS, strand(0));
    floor.tick(4 * MS);
    assert_eq!(went(&mut floor), [(0, false)]);
    floor.completing(5 * MS, strand(0), vec![1]);
    floor.tick(5 * MS);
    assert_eq!(went(&mut floor), [(0, false)]);
    floor.doing(6 * MS, strand(0), Doing::InCall);
    floor.tick(6 * MS + QUIET / 2);
    floor.passed(7 * MS, strand(0));
    assert_eq!(went(&mut floor), [(1, false)]);
}
