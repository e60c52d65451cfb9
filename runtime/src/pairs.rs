//! Pairs of lines that race, each once: what is left of the races of strands.

use crate::trails::Trails;
use rustc_hash::FxHashMap;
use thrille_model::Phases;
use thrille_tasks::{Race, SiteId};

/// Pairs of lines that are kept, at most.
const MOST: usize = 10_000;

/// A pair of lines that race: the first such race, how often, and when.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub first: Race,
    pub seen: u64,
    pub phases: Phases,
}

/// See the top of `pairs.rs`.
#[derive(Debug, Default)]
pub(crate) struct Pairs(FxHashMap<(SiteId, SiteId), Pair>);

impl Pairs {
    fn key(one: SiteId, other: SiteId) -> (SiteId, SiteId) {
        (one.min(other), one.max(other))
    }

    /// Takes in a race of strands by the pairs of their lines; `writes` says which lines write.
    pub fn add(&mut self, trails: &Trails, writes: impl Fn(SiteId) -> bool, race: &Race, phases: Phases) {
        let mut found = Vec::new();
        let known = |one, other| self.0.contains_key(&Self::key(one, other));
        trails.pairs(race, writes, known, |race| found.push(*race));
        for first in found {
            let key = Self::key(first.earlier.site, first.later.site);
            if let Some(pair) = self.0.get_mut(&key) {
                pair.seen += 1;
            } else if self.0.len() < MOST {
                self.0.insert(key, Pair { first, seen: 1, phases });
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Pair> {
        self.0.values()
    }
}
