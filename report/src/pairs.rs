//! Which ranks raced with which, and which operated on whose memory.

use crate::merge::Merged;
use crate::records::RankRecords;
use crate::shape::{PairReport, TrafficReport};
use std::collections::BTreeMap;

/// The racing pairs of all races.
pub fn racing(merged: &[Merged]) -> Vec<PairReport> {
    let mut pairs: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    for (&ranks, &seen) in merged.iter().flat_map(|race| &race.pairs) {
        let sum = pairs.entry(ranks).or_default();
        *sum = (sum.0 + 1, sum.1 + seen);
    }
    pairs.into_iter().map(|((a, b), (races, seen))| PairReport { a, b, races, seen }).collect()
}

/// What the ranks counted.
pub fn traffic(ranks: &[RankRecords]) -> Vec<TrafficReport> {
    let row = |(from, rank): (u32, &RankRecords)| {
        rank.traffic
            .iter()
            .map(move |(&to, &(operations, bytes))| TrafficReport { from, to, operations, bytes })
            .collect::<Vec<_>>()
    };
    (0..).zip(ranks).flat_map(row).collect()
}
