//! A play that every transport has to perform.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use thrille_transport::{Dealt, Inbox, Outbox};

/// What `rank` says in `round`: anybody can compute it, so everybody can check it.
pub fn script(rank: u32, size: u32, round: u64) -> (Vec<(u32, Vec<u8>)>, Vec<u8>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(round << 16 | u64::from(rank));
    let mut bytes = |at_most: usize| {
        let length = if random.random_bool(0.3) { 0 } else { random.random_range(0..=at_most) };
        (0..length).map(|_| random.random()).collect::<Vec<u8>>()
    };
    let all = bytes(40);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(!(round << 16 | u64::from(rank)));
    let to = (0..random.random_range(0..4)).map(|_| random.random_range(0..size)).collect::<Vec<_>>();
    (to.into_iter().map(|to| (to, bytes(300))).collect(), all)
}

pub fn outbox(rank: u32, size: u32, round: u64) -> Outbox {
    let (to, all) = script(rank, size, round);
    to.into_iter().fold(Outbox::new().all(all), |out, (to, bytes)| out.to(to, bytes))
}

pub fn expected(rank: u32, size: u32, round: u64, gone: &BTreeSet<u32>) -> Inbox {
    let mut inbox = Inbox::default();
    for sender in 0..size {
        if gone.contains(&sender) {
            inbox.all.push(None);
            continue;
        }
        let (to, all) = script(sender, size, round);
        inbox.from.extend(to.into_iter().filter(|(to, _)| *to == rank).map(|(_, bytes)| (sender, bytes)));
        inbox.all.push(Some(all));
    }
    inbox
}

/// Numbers of which all want the least.
pub fn numbers(rank: u32, round: u64) -> [u64; 3] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(round << 20 | u64::from(rank));
    [random.random(), random.random_range(0..4), u64::from(rank) ^ round]
}

/// What a round without words to everybody must give.
pub fn dealt(rank: u32, size: u32, round: u64) -> Dealt {
    let all: Vec<[u64; 3]> = (0..size).map(|rank| numbers(rank, round)).collect();
    let least = (0..3).map(|i| all.iter().map(|numbers| numbers[i]).min().unwrap_or(0)).collect();
    Dealt { from: expected(rank, size, round, &BTreeSet::new()).from, least }
}
