//! Random programs, run by a simulator that interleaves their strands, judged by the engine and by the oracle.
//!
//! The engine works as in a job: ranks exchange over a transport, at some of the global barriers, and forget. The oracle sees the
//! whole log at once. They must name the same pairs of lines.

mod simulator;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use simulator::{Step, WORDS, World};
use std::collections::BTreeSet;
use thrille_model::oracle::SitePair;
use thrille_model::*;

/// The same programs each time, but for the night.
fn seed() -> RngSeed {
    if std::env::var_os("THRILLE_NIGHTLY").is_some() { RngSeed::Random } else { RngSeed::Fixed(1) }
}

fn cases() -> u32 {
    if std::env::var_os("THRILLE_NIGHTLY").is_some() { 20_000 } else { 1_500 }
}

/// What the engine finds in a program, and what the oracle does.
fn judged(ranks: u32, steps: Vec<Step>) -> (BTreeSet<SitePair>, BTreeSet<SitePair>) {
    let mut world = World::new(ranks);
    for step in steps {
        world.step(step);
    }
    world.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), rng_seed: seed(), ..ProptestConfig::default() })]
    #[test]
    fn the_engine_finds_what_the_oracle_finds(ranks in 1u32..8, steps in prop::collection::vec(any::<Step>(), 1..60)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 3, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Order by way of others: messages, words and threads, with a barrier now and then.
    #[test]
    fn order_by_way_of_third_ranks_is_found(ranks in 3u32..8, steps in prop::collection::vec((prop::sample::select(RELAYS), any::<u32>()), 20..90)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// What flows through critical sections, which last beyond phases, and in which operations are under way.
    #[test]
    fn what_flows_through_sections_is_found(ranks in 1u32..4, steps in prop::collection::vec((prop::sample::select(SECTIONS), any::<u32>()), 8..50)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Threads that rest while others go from barrier to barrier.
    #[test]
    fn what_resting_threads_did_stays_in_order(ranks in 1u32..4, steps in prop::collection::vec((prop::sample::select(RESTS), any::<u32>()), 8..60)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs whose threads rest.
const RESTS: &[u8] = &[0, 1, 2, 3, 4, 9, 10, 12, 12, 15, 15, 15, 17, 17, 20, 22, 22, 22];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Words that are put, waited for, loaded and stored.
    #[test]
    fn what_was_seen_is_done(ranks in 2u32..5, steps in prop::collection::vec((prop::sample::select(WORDS_SEEN), any::<u32>()), 8..60)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs that put words and wait for them.
const WORDS_SEEN: &[u8] = &[9, 10, 10, 12, 12, 12, 12, 15, 17, 20, 21, 21, 21, 21, 21, 21];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Messages that their senders do not wait for.
    #[test]
    fn what_was_handed_over_is_done_where_it_was_received(ranks in 2u32..6, steps in prop::collection::vec((prop::sample::select(HANDED), any::<u32>()), 8..60)) {
        let (found, expected) = judged(ranks, steps);
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs that leave the buffers of messages to the library.
const HANDED: &[u8] = &[2, 3, 3, 3, 5, 9, 15, 16, 17, 20, 20, 20, 23, 23, 23, 23, 23, 23, 23, 23];

/// Steps of programs that lock and unlock.
const SECTIONS: &[u8] = &[0, 1, 2, 3, 4, 5, 9, 9, 15, 15, 17, 17, 18, 18, 18, 18, 18, 18, 18, 20];

/// Steps of programs whose ranks pass things on.
const RELAYS: &[u8] = &[2, 3, 4, 5, 6, 8, 9, 9, 10, 10, 11, 12, 12, 13, 15, 16, 17, 17, 20, 20, 20, 20, 20, 20, 21, 21];

#[test]
fn a_chain_of_ranks_orders_and_a_broken_one_does_not() {
    for (broken, races) in [(None, 0), (Some(1), 1), (Some(5), 1)] {
        let mut world = World::new(8);
        world.point(0, 7, Kind::Write, 0);
        for link in (0..7).filter(|link| Some(*link) != broken) {
            world.message(link, link + 1);
        }
        world.point(7, 7, Kind::Read, 1);
        assert_eq!(world.races(), races, "{broken:?}");
    }
}

#[test]
fn a_word_that_a_third_rank_set_tells_nothing_of_what_was_there() {
    for (how, races) in [(How::Set, 1), (How::Modify, 0)] {
        let mut world = World::new(3);
        let word = World::word(0);
        world.point(0, 1, Kind::Write, 0);
        world.update(0, word, 1, How::Modify);
        world.update(2, word, 2, how);
        world.update(1, word, 3, How::Modify);
        world.event(1, Sync::Observe { word, version: 3 });
        world.point(1, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{how:?}");
    }
}

#[test]
fn third_ranks_tell_a_thread_of_an_operation_and_others_of_its_completion() {
    for (told, tells, races) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
        let mut world = World::new(4);
        let thread = world.thread(0);
        world.tick(0);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::None });
        world.access(0, Rank(1), 0, 1, Kind::Write, put, Site { module: 0, offset: 1 });
        let callers = [0, 1, 2, 3];
        world.barrier(&callers, false, false);
        // Rank 2 knows of the operation by the barrier; the thread, which calls none, by rank 2.
        if told {
            world.message(2, thread);
        }
        world.event(thread, Sync::Quiet(Ctx(1)));
        if tells {
            world.message(thread, 3);
        }
        world.barrier(&callers, false, false);
        world.point(1, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{told} {tells}");
    }
}

#[test]
fn a_signal_is_seen_by_a_third_rank_in_what_a_fourth_made_of_it() {
    for (seen, races) in [(true, 0), (false, 1)] {
        let mut world = World::new(5);
        let word = World::word(4 * WORDS);
        let channel = Channel { origin: Rank(1), ctx: Ctx(1), target: Rank(4) };
        let pos = world.tick(1);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::Signalled(channel) });
        world.access(1, Rank(4), 0, 1, Kind::Write, put, Site { module: 0, offset: 1 });
        let signal = Sync::Update { word, version: 1, how: How::Modify, via: Some(channel), signals: true };
        world.event_at(1, pos, signal);
        world.update(3, word, 2, How::Modify);
        if seen {
            world.event(2, Sync::Observe { word, version: 2 });
        }
        world.barrier(&[0, 1, 2, 3, 4], false, false);
        world.point(0, 4, Kind::Write, 1);
        assert_eq!(world.races(), races, "{seen}");
    }
}

#[test]
fn a_third_rank_tells_of_the_receive_and_not_of_a_look() {
    for (received, told, races) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
        let mut world = World::new(3);
        let token = Token::Message { group: 2, from: Rank(0), to: Rank(1), tag: 0, seq: 1 };
        world.event(0, Sync::Release(token));
        world.tick(0);
        let until = Span::Operation(Operation { ctx: Ctx(9), end: None, order: Order::None });
        world.access(0, Rank(0), 0, 1, Kind::Read, until, Site { module: 0, offset: 1 });
        world.event(0, Sync::Handed(Ctx(9), token));
        world.event(1, if received { Sync::Acquire(token) } else { Sync::Peek(token) });
        if told {
            world.message(1, 2);
        }
        world.message(2, 0);
        world.point(0, 0, Kind::Write, 1);
        world.event(1, if received { Sync::Peek(token) } else { Sync::Acquire(token) });
        assert_eq!(world.races(), races, "{received} {told}");
    }
}

#[test]
fn what_flows_into_an_operation_under_way_at_a_cut_is_waited_for() {
    for (completed, races) in [(true, 0), (false, 2)] {
        let mut world = World::new(1);
        let thread = world.thread(0);
        let lock = Lock::Symmetric(Segment::Heap, 1000);
        world.point(0, 0, Kind::Write, 0);
        world.lock(0, lock);
        world.tick(0);
        world.access(0, Rank(0), 4, 1, Kind::Write, Span::Point, Site { module: 0, offset: 21 });
        world.unlock(0, lock);
        world.lock(thread, lock);
        world.tick(thread);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::None });
        world.access(thread, Rank(0), 4, 1, Kind::Write, put, Site { module: 0, offset: 31 });
        world.point(thread, 0, Kind::Read, 1);
        world.barrier(&[0], false, true);
        if completed {
            world.quiet(thread, Ctx(1));
        }
        world.unlock(thread, lock);
        assert_eq!(world.races(), races, "{completed}");
    }
}

#[test]
fn what_was_written_under_a_shared_lock_flows_to_who_has_it_alone_later() {
    for (kind, barrier, races) in [(Kind::Write, false, 0), (Kind::Read, false, 1), (Kind::Write, true, 1)] {
        let mut world = World::new(2);
        let thread = world.thread(1);
        let lock = Lock::Symmetric(Segment::Heap, 1000);
        world.share(0, lock);
        world.tick(0);
        world.access(0, Rank(1), 4, 1, kind, Span::Point, Site { module: 0, offset: 21 });
        if barrier {
            world.barrier(&[0, 1], false, true);
        }
        world.point(0, 1, Kind::Write, 0);
        world.unlock(0, lock);
        world.lock(thread, lock);
        world.tick(thread);
        world.access(thread, Rank(1), 4, 1, Kind::Write, Span::Point, Site { module: 0, offset: 31 });
        world.unlock(thread, lock);
        world.point(thread, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{kind:?} {barrier}");
    }
}
