//! The synchronisation around a race: every kind in words, what leads where, and why it orders nothing.

use super::{modules, put, race, rank, side, site, statics};
use crate::around::wrong_completion;
use crate::build;
use crate::records::Records;
use crate::shape::RaceReport;
use thrille_model::job::Api;
use thrille_model::{
    Act, Caller, Ctx, Flow, How, Kind, Lock, Mode, Phase, Pos, Race, Rank, Segment, Side, Strand, Sync, SyncEvent,
    Token, Why, Word,
};

const GROUP: u64 = 5;

fn event(rank: u32, pos: u64, sync: Sync, at: u32) -> SyncEvent {
    SyncEvent { strand: Strand::thread(Rank(rank), 0), pos: Pos(pos), sync, at: Caller(at) }
}

fn message(seq: u64) -> Token {
    Token::Message { group: GROUP, from: Rank(0), to: Rank(1), tag: 7, seq }
}

/// A put of rank 0 at position 10, a store of rank 1 at position 10; calls 1 and 2 are in lines 18 and 19.
fn shown(around: Vec<SyncEvent>, why: Why, api: Api) -> RaceReport {
    let a = Side { begin: Pos(10), ctx: Some(Ctx(3)), ..put(0) };
    let b = Side { begin: Pos(10), ..side(1, Act::Store, Kind::Write, (8, 4), site(0x10)) };
    found(Race { around, ..race(1, Segment::Statics, a, b, why) }, api)
}

fn found(race: Race, api: Api) -> RaceReport {
    let mut ranks = vec![rank(Vec::new()), rank(vec![race])];
    for rank in &mut ranks {
        rank.callers.extend([(Caller(1), site(0x20)), (Caller(2), site(0x40))]);
    }
    let records = Records { ranks, api: Some(api), ..Records::default() };
    build::resolved(records, modules(), statics(), "run").races.remove(0)
}

#[test]
fn a_way_that_leaves_too_early_and_one_that_comes_too_late() {
    let around = vec![
        event(1, 12, Sync::Acquire(message(2)), 2),
        event(0, 9, Sync::Release(message(1)), 1),
        event(0, 11, Sync::Release(message(2)), 2),
        event(1, 8, Sync::Acquire(message(1)), 1),
    ];
    let race = shown(around, Why::Unsynchronised, Api::Mpi);
    let told: Vec<_> =
        race.around.iter().map(|s| (s.side.as_ref(), s.when.as_ref(), s.text.as_str(), s.leads_to.clone())).collect();
    let expected = [
        ("a", "before", "message to rank 1", vec![2]),
        ("a", "after", "message to rank 1", vec![3]),
        ("b", "before", "message from rank 0", vec![]),
        ("b", "after", "message from rank 0", vec![]),
    ];
    assert_eq!(told, expected);
    assert!(race.around[0].but.as_ref().unwrap().contains("leaves before a"));
    assert!(race.around[1].but.as_ref().unwrap().contains("comes after b"));
    assert!(
        race.why.hints.iter().any(|hint| hint.contains("ring.c:18:3 leads to") && hint.contains("leaves before a"))
    );
}

#[test]
fn one_call_is_one_line_and_a_meeting_is_no_near_miss() {
    let token = Token::Collective { group: GROUP, seq: 1 };
    let both = |rank, pos| [event(rank, pos, Sync::Release(token), 1), event(rank, pos + 1, Sync::Acquire(token), 1)];
    let race = shown([both(0, 3), both(1, 4)].concat(), Why::Unsynchronised, Api::OpenShmem);
    assert_eq!(race.around.len(), 2);
    assert_eq!((&race.around[0].leads_to[..], &race.around[1].leads_to[..]), (&[1][..], &[0][..]));
    assert_eq!((race.around[0].kind.as_ref(), &race.around[0].but), ("meet", &None));
    assert_eq!(race.around[0].text, "collective of a group of ranks");
}

#[test]
fn every_kind_of_synchronisation_has_words() {
    let word = Word { owner: Rank(1), segment: Segment::Statics, offset: 64 };
    let thread = Strand::thread(Rank(0), 3);
    let lock = Lock::Symmetric(Segment::Statics, 72);
    let window = 1 << 63 | 4;
    let (from, to) = ((thread, Pos(1)), (thread, Pos(2)));
    let kinds = [
        (Sync::Acquire(Token::Phase(Phase(3))), "barrier", "global barrier 3"),
        (Sync::Release(Token::Fork(thread)), "release", "creates thread 3"),
        (Sync::Acquire(Token::Exit(thread)), "acquire", "joins thread 3"),
        (
            Sync::Release(Token::Collective { group: window, seq: 1 }),
            "release",
            "of the ranks of window 4: others come after it",
        ),
        (
            Sync::Release(Token::Message { group: 1 << 62 | window, from: Rank(0), to: Rank(1), tag: 0, seq: 1 }),
            "release",
            "opens its window to rank 1",
        ),
        (Sync::Release(Token::Flow(Flow { from, to })), "release", "end of a section"),
        (Sync::Acquire(Token::Handover { lock, mode: Mode::Exclusive, number: 1 }), "acquire", "takes a lock over"),
        (
            Sync::Release(Token::Local { rank: Rank(0), address: 9, round: 1 }),
            "release",
            "threads or tasks of its rank",
        ),
        (Sync::Update { word, version: 1, how: How::Set, via: None, signals: true }, "release", "signals `flag`"),
        (Sync::Observe { word, version: 1 }, "acquire", "sees `flag`"),
        (Sync::Quiet(Ctx(2)), "complete", "completes it at its origin only"),
        (Sync::Quiet(Ctx(8)), "complete", "completes another operation"),
        (Sync::Lock(lock, 1), "lock", "takes lock `guard`"),
        (Sync::Unlock(lock, 1), "unlock", "gives lock `guard` back"),
        (Sync::Fence(Ctx(3)), "fence", "completes nothing"),
    ];
    for (sync, kind, text) in kinds {
        let race = shown(vec![event(0, 5, sync, 1)], Why::Unsynchronised, Api::Mpi);
        assert_eq!(race.around[0].kind, kind, "{sync:?}");
        assert!(race.around[0].text.contains(text), "{sync:?}: {}", race.around[0].text);
    }
}

/// A race whose side a is on this context, with these completions at calls 1 and 2.
fn completed(own: u32, quiets: &[(u64, u32, u32)]) -> Race {
    let a = Side { begin: Pos(10), ctx: Some(Ctx(own)), ..put(0) };
    let b = side(1, Act::Store, Kind::Write, (8, 4), site(0x10));
    let around = quiets.iter().map(|&(pos, ctx, at)| event(0, pos, Sync::Quiet(Ctx(ctx)), at)).collect();
    Race { around, ..race(1, Segment::Statics, a, b, Why::WrongContext) }
}

#[test]
fn the_wrong_completion_is_the_recorded_one() {
    let at = |race: &Race| wrong_completion(race).map(|event| event.at.0);
    // Of another target first, then of its own near end: the latter explains more.
    assert_eq!(at(&completed(3, &[(11, 8, 1), (12, 2, 2)])), Some(2));
    assert_eq!(at(&completed(3, &[(11, 8, 1), (12, 6, 2)])), Some(1));
    assert_eq!(at(&completed(3, &[(9, 2, 2)])), None, "what comes before the operation completes nothing of it");
    assert_eq!(at(&completed(3, &[(11, 3, 2)])), None, "that one would have been the right one");
    let mut whole = completed(3, &[(11, 2, 2)]);
    whole.first.end = Some(Pos(12));
    assert_eq!(at(&whole), None, "a call that completes both ends");

    let race = found(completed(0, &[(11, 4, 2)]), Api::OpenShmem);
    let fix = race.why.fix.unwrap();
    assert_eq!((fix.line, fix.instead_of.as_deref()), (Some(19), Some("shmem_atomic_inc")), "{}", fix.text);
    let race = found(completed(0, &[(9, 4, 2)]), Api::OpenShmem);
    assert_eq!(race.why.fix.unwrap().instead_of, None);
}
