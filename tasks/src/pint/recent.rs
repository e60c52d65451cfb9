//! When each page of memory was accessed last, and by whom.
//!
//! A strand knows that pieces before certain ones come before it ([`Before`]): what pages have that have not been accessed since then need not be looked at. Nor need pages of which nothing is known. Most of
//! what rows of reads touch is one or the other, and a look at a number here takes less than one at a page, which is seldom in a cache.
//!
//! It may know of a later access than there is: nothing that is forgotten is forgotten here.

use super::graph::Before;
use crate::pages::PAGE;
use rustc_hash::FxHashMap;
use thrille_history::Interval;

/// Pages whose numbers are next to each other.
const TOGETHER: u64 = 64;

/// The last piece that has accessed a page, and which line all of them are of that have.
#[derive(Clone, Copy, Debug, Default)]
struct Last(u64);

impl Last {
    const BITS: u32 = 48;

    /// Of a piece of this number, which is never 0 of them.
    fn new(line: u16, piece: u64) -> Self {
        Self(u64::from(line) << Self::BITS | (piece + 1))
    }

    fn line(self) -> u16 {
        (self.0 >> Self::BITS) as u16
    }

    /// Whether it comes before whoever knows this.
    fn is(self, before: Before) -> bool {
        let pieces = self.0 & ((1 << Self::BITS) - 1);
        pieces <= before.all || pieces <= before.own && self.line() == before.line && before.line != Before::MIXED
    }
}

/// See the top of `recent.rs`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    last: FxHashMap<u64, Box<[Last; TOGETHER as usize]>>,
}

fn pages(at: Interval) -> std::ops::RangeInclusive<u64> {
    at.lo() / PAGE..=(at.hi() - 1) / PAGE
}

impl Recent {
    /// The piece of this number, before which this comes, accesses these bytes.
    pub fn note(&mut self, at: Interval, piece: u64, before: Before) {
        let (first, last) = pages(at).into_inner();
        for group in first / TOGETHER..=last / TOGETHER {
            let all = self.last.entry(group).or_insert_with(|| Box::new([Last::default(); TOGETHER as usize]));
            let from = first.saturating_sub(group * TOGETHER) as usize;
            let to = (last - group * TOGETHER).min(TOGETHER - 1) as usize;
            for last in &mut all[from..=to] {
                // What was before the last barrier comes before whoever asks from now on.
                let alone = last.line() == before.line || last.is(Before { own: 0, ..before });
                *last = Last::new(if alone { before.line } else { Before::MIXED }, piece);
            }
        }
    }

    /// Whether all that has accessed the pages of these bytes comes before whoever knows this.
    #[inline]
    pub fn is(&self, at: Interval, before: Before) -> bool {
        pages(at).all(|page| {
            let group = self.last.get(&(page / TOGETHER));
            group.is_none_or(|all| all[(page % TOGETHER) as usize].is(before))
        })
    }

    /// Nothing is known.
    pub fn clear(&mut self) {
        self.last.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_bytes() -> impl Strategy<Value = (u64, u64)> {
        (0u64..1_000_000, prop_oneof![1u64..9_000, 1u64..600_000])
    }

    proptest! {
        /// What it says of pages is so of each piece that has accessed them.
        #[test]
        fn pieces_that_come_before(steps in prop::collection::vec((some_bytes(), 0u16..3, 0u64..4, some_bytes(), 0u64..40), 0..40)) {
            let (mut recent, mut naive, mut all) = (Recent::default(), vec![Vec::new(); 500], 0);
            for (piece, (at, line, ago, asked, own)) in (0..).zip(steps) {
                let at = Interval::from_len(at.0, at.1).expect("bytes");
                // Sometimes a barrier, which all know of that come later.
                all = if ago == 0 { piece } else { all };
                recent.note(at, piece, Before { all, own: 0, line });
                pages(at).for_each(|page| naive[page as usize].push((line, piece)));
                let at = Interval::from_len(asked.0, asked.1).expect("bytes");
                let before = Before { all, own, line: 1 };
                let comes_before = |&(line, piece): &(u16, u64)| piece < before.all || line == before.line && piece < own;
                let known = pages(at).flat_map(|page| &naive[page as usize]).all(comes_before);
                prop_assert!(known || !recent.is(at, before), "{:?} of {:?}", before, at);
                let none = pages(at).all(|page| naive[page as usize].iter().all(|&(line, _)| line == 1));
                prop_assert!(!none || !known || recent.is(at, before), "it knows what is one line's");
            }
        }
    }
}
