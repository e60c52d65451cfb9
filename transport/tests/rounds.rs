//! What holds on every transport, at every size.

mod common;

use std::{collections::BTreeSet, thread, time::Duration};

use common::script::{dealt, expected, numbers, outbox, script};
use common::{Rank, everywhere, together};
use thrille_transport::{HubEvent, Outbox, TransportError};

const ROUNDS: u64 = 2000;

fn check(me: &mut Rank, round: u64, gone: &BTreeSet<u32>) {
    let (rank, size) = (me.rank(), me.size());
    let inbox = me.round(outbox(rank, size, round)).unwrap();
    assert_eq!(inbox, expected(rank, size, round, gone), "rank {rank}, round {round}");
    assert!(inbox.present().all(|rank| !gone.contains(&rank)));
}

#[test]
fn sparse_exchanges_for_thousands_of_rounds() {
    everywhere(|ranks, _| {
        together(ranks, |mut me| (0..ROUNDS).for_each(|round| check(&mut me, round, &BTreeSet::new())));
    });
}

#[test]
fn messages_to_some_and_the_least_of_numbers() {
    everywhere(|ranks, _| {
        together(ranks, |mut me| {
            let (rank, size) = (me.rank(), me.size());
            for round in 0..ROUNDS / 4 {
                let heard = me.deal(script(rank, size, round).0, &numbers(rank, round)).unwrap();
                assert_eq!(heard, dealt(rank, size, round), "rank {rank}, round {round}");
            }
        });
    });
}

#[test]
fn big_messages_from_everybody_to_everybody_at_once() {
    everywhere(|ranks, _| {
        together(ranks, |mut me| {
            let (rank, size) = (me.rank(), me.size());
            let big = |from: u32, to: u32| vec![(16 * from + to) as u8; (2 << 20) + (from * 8 + to) as usize];
            for _ in 0..2 {
                let out = (0..size).fold(Outbox::new().all(big(rank, rank)), |out, to| out.to(to, big(rank, to)));
                let inbox = me.round(out).unwrap();
                assert!(inbox.from == (0..size).map(|from| (from, big(from, rank))).collect::<Vec<_>>());
                assert!(inbox.all == (0..size).map(|from| Some(big(from, from))).collect::<Vec<_>>());
            }
        });
    });
}

/// Rank r leaves before round 10 (r + 1); the last is alone in the end.
#[test]
fn ranks_leave_one_by_one() {
    everywhere(|ranks, launcher| {
        let size = ranks.len() as u32;
        together(ranks, |mut me| {
            let last = 10 * u64::from(me.rank() + 1);
            for round in 0..last {
                check(&mut me, round, &(0..size).take_while(|rank| 10 * u64::from(rank + 1) <= round).collect());
            }
            let word = format!("rank {} is done", me.rank());
            me.note(b"soon").unwrap();
            me.leave(word.as_bytes()).unwrap();
            assert!(matches!(me.round(Outbox::new()), Err(TransportError::Left { rank }) if rank == me.rank()));
            assert!(matches!(me.leave(b""), Err(TransportError::Left { .. })));
            assert!(matches!(me.note(b""), Err(TransportError::Left { .. })));
        });
        for rank in 0..size {
            assert_eq!(launcher.next(), HubEvent::Note(rank, b"soon".to_vec()));
            assert_eq!(launcher.next(), HubEvent::Left(rank, format!("rank {rank} is done").into_bytes()));
        }
    });
}

/// The others are in the middle of round 5 when the last rank goes without a word.
#[test]
fn a_rank_is_lost_in_the_middle_of_a_round() {
    everywhere(|ranks, launcher| {
        let size = ranks.len() as u32;
        together(ranks, |mut me| {
            (0..5).for_each(|round| check(&mut me, round, &BTreeSet::new()));
            if me.rank() == size - 1 {
                thread::sleep(Duration::from_millis(20));
                return;
            }
            (5..50).for_each(|round| check(&mut me, round, &BTreeSet::from([size - 1])));
            me.leave(b"").unwrap();
        });
        let events: Vec<_> = (0..size).map(|_| launcher.next()).collect();
        assert_eq!(events.iter().filter(|event| **event == HubEvent::Lost(size - 1)).count(), 1, "{events:?}");
    });
}

#[test]
fn nobody_can_address_a_rank_that_never_was() {
    everywhere(|ranks, _| {
        together(ranks, |mut me| {
            let size = me.size();
            let refused = me.round(Outbox::new().to(size, "x"));
            assert!(matches!(refused, Err(TransportError::NoSuchRank { to, .. }) if to == size));
            check(&mut me, 0, &BTreeSet::new());
        });
    });
}

#[test]
fn notes_arrive_in_order() {
    everywhere(|ranks, launcher| {
        let size = ranks.len();
        together(ranks, |mut me| (0..100_u8).for_each(|number| me.note(&[number]).unwrap()));
        let mut next = vec![0; size];
        let mut lost = 0;
        while lost < size {
            match launcher.next() {
                HubEvent::Note(rank, bytes) => {
                    assert_eq!(bytes, [next[rank as usize]]);
                    next[rank as usize] += 1;
                }
                HubEvent::Lost(_) => lost += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(next, vec![100; size]);
    });
}
