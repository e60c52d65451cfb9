//! Run-time coalescing: which bytes were touched, as bits, and as few intervals as possible at the end.
//!
//! Y. Xu, A. Zhou, G. Q. Yin, K. Agrawal, I-T. A. Lee, T. B. Schardl: *Efficient access history for race detection* (STINT), section 3.2.
//!
//! # Algorithm
//!
//! Memory is cut into pages of 4,096 bytes. A page that a class of accesses touches has a leaf: one bit a byte, 64 words of 64 bits, and a
//! summary, one bit for each word that is not zero. A hash table leads from class and page to the leaf. An access is a search and an `or`;
//! a range sets whole words at a time. At the end of the order interval the leaves are sorted by class and page, the summaries lead to the
//! words in use, and each maximal sequence of ones is an interval: sorted, disjoint, not adjacent, each byte once however often it was
//! touched.
//!
//! # Deviations from the paper
//!
//! - One bit a byte, not a word of four: two threads that write neighbouring bytes do not conflict.
//! - Not one map for reads and one for writes but one for everything, keyed by a *class*: a number of the caller's, for accesses that
//!   nothing tells apart. Only bytes of one class are ever joined, so no site, kind, lockset or order interval is lost.
//! - No first level by address prefix: offsets of segments and addresses of private memory are both far apart and of any size. The hash
//!   keeps four neighbouring pages in one cache line.
//! - Bytes that are touched in order within a page are two numbers until the next jump or the end of the page.
//! - Nothing is allocated after creation. Memory for all leaves is reserved zeroed, so the system provides only what is used. When the
//!   leaves are used up, [`NoLeaf`] says so, and the caller takes the intervals out.
//!
//! # Cost
//!
//! An access that begins where the previous one ended: four comparisons and a store, no bit. Elsewhere: one search, as a rule one cache
//! line, and two `or`s for the bytes in order before it. Taking
//! out: O(p log p + words in use) for p pages. Memory: 512 bytes of bits and 56 bytes of tables a page at most.

use crate::Interval;

/// Bytes a leaf stands for.
pub const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// Accesses that may be joined with each other and with no others: a number that the caller gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u32);

/// All leaves are in use: what is there has to be taken out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {leaves} pages of the bit map are in use")]
pub struct NoLeaf {
    /// How many there are.
    pub leaves: usize,
}

/// One bit a byte of a page. Of arrays in arrays, since only short ones of zeros are asked for from the system as such, and not written.
type Leaf = [[u64; 8]; WORDS / 8];

/// Sets of bytes, one a class: see the top of `coalesce.rs`.
#[derive(Clone, Debug)]
pub struct Coalescer {
    /// Page, and class and leaf + 1 as one number; 0 is a free entry. Twice as many as leaves.
    table: Vec<[u64; 2]>,
    bits: Vec<Leaf>,
    /// By leaf: which of its words are not zero.
    summaries: Vec<u64>,
    /// By leaf, for those in use.
    used: Vec<Used>,
    run: Run,
    /// Leaves in order, while they are taken out.
    order: Vec<u32>,
}

/// Bytes of one page that were touched in order and are not in its leaf yet.
#[derive(Clone, Copy, Debug)]
struct Run {
    class: Class,
    lo: u64,
    hi: u64,
    /// Where the page ends.
    end: u64,
    /// The page's.
    leaf: u32,
}

impl Run {
    /// No bytes, and nothing extends them.
    const NONE: Self = Self { class: Class(0), lo: 0, hi: 0, end: 0, leaf: 0 };
}

#[derive(Clone, Copy, Debug)]
struct Used {
    page: u64,
    class: Class,
    /// Where in the table.
    entry: u32,
}

/// The bits `from..to` of a word; `to` is at most 64 and greater than `from`.
#[inline(always)]
fn mask(from: u64, to: u64) -> u64 {
    (u64::MAX >> (64 - (to - from))) << from
}

impl Coalescer {
    /// An empty set with room for this many pages, rounded up to a power of two.
    pub fn with_pages(pages: usize) -> Self {
        let pages = pages.next_power_of_two().clamp(4, 1 << 30);
        Self {
            table: vec![[0; 2]; pages * 2],
            bits: vec![[[0; 8]; WORDS / 8]; pages],
            summaries: vec![0; pages],
            used: Vec::with_capacity(pages),
            run: Run::NONE,
            order: Vec::with_capacity(pages),
        }
    }

    /// Adds the bytes from `lo` up to, not including, `hi` to a class; nothing if there are none. After an error a part of them may be in.
    #[inline(always)]
    pub fn set(&mut self, class: Class, lo: u64, hi: u64) -> Result<(), NoLeaf> {
        let run = &mut self.run;
        if lo == run.hi && class == run.class && lo < hi && hi <= run.end {
            run.hi = hi;
            return Ok(());
        }
        self.jump(class, lo, hi)
    }

    /// The same for bytes of one or two pages that do not begin where others ended.
    #[inline]
    pub fn put(&mut self, class: Class, lo: u64, hi: u64) -> Result<(), NoLeaf> {
        let (first, room) = (lo % PAGE, PAGE - lo % PAGE);
        if lo >= hi || hi - lo > room {
            return self.set_range(class, lo, hi);
        }
        let leaf = self.leaf(class, lo / PAGE)?;
        self.set_in(leaf, first, first + (hi - lo));
        Ok(())
    }

    /// The run is over; another one begins, or a range of several pages is set.
    #[inline]
    fn jump(&mut self, class: Class, lo: u64, hi: u64) -> Result<(), NoLeaf> {
        if lo >= hi {
            return Ok(());
        }
        self.flush();
        let page = lo / PAGE;
        let end = (page + 1).saturating_mul(PAGE);
        if hi > end {
            return self.set_range(class, lo, hi);
        }
        let leaf = self.leaf(class, page)?;
        self.run = Run { class, lo, hi, end, leaf: leaf as u32 };
        Ok(())
    }

    /// Sets the bits of the run, of which none is left.
    #[inline(always)]
    fn flush(&mut self) {
        let Run { lo, hi, leaf, .. } = self.run;
        if lo < hi {
            let first = lo % PAGE;
            self.set_in(leaf as usize, first, first + (hi - lo));
            self.run = Run::NONE;
        }
    }

    /// Sets bytes of one page.
    #[inline(always)]
    fn set_in(&mut self, leaf: usize, first: u64, end: u64) {
        let (bits, mut at) = (self.bits[leaf].as_flattened_mut(), first);
        if first / 64 == (end - 1) / 64 {
            let word = (first / 64) as usize % WORDS;
            bits[word] |= mask(first % 64, first % 64 + (end - first));
            self.summaries[leaf] |= 1 << word;
            return;
        }
        while at < end {
            let stop = end.min(at / 64 * 64 + 64);
            bits[(at / 64) as usize % WORDS] |= mask(at % 64, at % 64 + (stop - at));
            at = stop;
        }
        self.summaries[leaf] |= mask(first / 64, (end - 1) / 64 + 1);
    }

    fn set_range(&mut self, class: Class, mut lo: u64, hi: u64) -> Result<(), NoLeaf> {
        while lo < hi {
            let page = lo / PAGE;
            let leaf = self.leaf(class, page)?;
            self.set_in(leaf, lo % PAGE, (hi - page * PAGE).min(PAGE));
            let Some(next) = (page + 1).checked_mul(PAGE) else { break };
            lo = next;
        }
        Ok(())
    }

    /// The leaf of a page, made if there is none.
    #[inline]
    fn leaf(&mut self, class: Class, page: u64) -> Result<usize, NoLeaf> {
        // A power of two; so said that no division is made of it.
        let last = self.table.len() - 1;
        let mixed = ((page / 4) ^ (u64::from(class.0) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = ((mixed >> 32) as usize * 4 + page as usize % 4) & last;
        loop {
            let [stored, packed] = self.table[at];
            if packed == 0 {
                break;
            }
            if stored == page && packed >> 32 == u64::from(class.0) {
                let leaf = packed as u32 - 1;
                return Ok(leaf as usize);
            }
            at = (at + 1) & last;
        }
        self.new_leaf(class, page, at)
    }

    #[cold]
    fn new_leaf(&mut self, class: Class, page: u64, entry: usize) -> Result<usize, NoLeaf> {
        let leaf = self.used.len();
        if leaf == self.bits.len() {
            return Err(NoLeaf { leaves: leaf });
        }
        self.table[entry] = [page, (u64::from(class.0) << 32) | (leaf as u64 + 1)];
        self.used.push(Used { page, class, entry: entry as u32 });
        Ok(leaf)
    }

    /// Pages in use.
    pub fn pages(&self) -> usize {
        self.used.len()
    }

    /// Whether no byte is in it.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Takes everything out: `out` gets the intervals, by ascending class and place, none of a class adjacent to another.
    pub fn drain(&mut self, mut out: impl FnMut(Class, Interval)) {
        self.flush();
        let mut order = std::mem::take(&mut self.order);
        order.extend(0..self.used.len() as u32);
        order.sort_unstable_by_key(|&leaf| (self.used[leaf as usize].class, self.used[leaf as usize].page));
        let mut open: Option<(Class, u64, u64)> = None;
        let mut tell = |(class, lo, hi): (Class, u64, u64)| {
            if let Ok(at) = Interval::from_bounds(lo, hi) {
                out(class, at);
            }
        };
        for leaf in order.drain(..).map(|leaf| leaf as usize) {
            let Used { page, class, entry } = self.used[leaf];
            self.table[entry as usize] = [0; 2];
            let mut summary = std::mem::take(&mut self.summaries[leaf]);
            while summary != 0 {
                let word = summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let base = page * PAGE + word as u64 * 64;
                ones(std::mem::take(&mut self.bits[leaf][word / 8][word % 8]), |from, len| {
                    let lo = base + from;
                    match &mut open {
                        Some((of, _, hi)) if *of == class && *hi == lo => *hi = lo + len,
                        _ => {
                            let done = open.replace((class, lo, lo.saturating_add(len)));
                            done.into_iter().for_each(&mut tell);
                        }
                    }
                });
            }
        }
        open.into_iter().for_each(tell);
        self.used.clear();
        self.order = order;
    }
}

/// The maximal sequences of ones of a word: where each begins and how long it is.
#[inline(always)]
fn ones(mut word: u64, mut found: impl FnMut(u64, u64)) {
    while word != 0 {
        let from = word.trailing_zeros();
        let len = (!(word >> from)).trailing_zeros();
        found(u64::from(from), u64::from(len));
        if from + len == 64 {
            break;
        }
        word &= u64::MAX << (from + len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(coalescer: &mut Coalescer) -> Vec<(u32, u64, u64)> {
        let mut out = Vec::new();
        coalescer.drain(|class, at| out.push((class.0, at.lo(), at.hi())));
        assert!(coalescer.is_empty() && coalescer.summaries.iter().all(|&s| s == 0));
        assert!(
            coalescer.bits.iter().flatten().flatten().all(|&w| w == 0) && coalescer.table.iter().all(|e| *e == [0; 2])
        );
        out
    }

    #[test]
    fn a_million_contiguous_stores_are_one_interval() {
        let mut coalescer = Coalescer::with_pages(2048);
        for i in 0..1_000_000 {
            coalescer.set(Class(3), 40 + i * 8, 48 + i * 8).unwrap();
        }
        assert_eq!(taken(&mut coalescer), [(3, 40, 8_000_040)]);
    }

    /// Figure "insertion sort" (algorithm 2 of the paper): the same range is stored to again and again, in varying order.
    #[test]
    fn repeated_stores_are_there_once() {
        let mut coalescer = Coalescer::with_pages(8);
        for q in 1..200_u64 {
            (0..q).rev().for_each(|p| coalescer.set(Class(0), 4 * (p + 1), 4 * (p + 2)).unwrap());
        }
        assert_eq!(taken(&mut coalescer), [(0, 4, 800)]);
    }

    #[test]
    fn classes_are_never_joined() {
        let mut coalescer = Coalescer::with_pages(8);
        coalescer.set(Class(1), 0, 8).unwrap();
        coalescer.set(Class(0), 8, 16).unwrap();
        coalescer.set(Class(u32::MAX), 16, 24).unwrap();
        assert_eq!(taken(&mut coalescer), [(0, 8, 16), (1, 0, 8), (u32::MAX, 16, 24)]);
    }

    #[test]
    fn both_ends_of_the_address_space() {
        let mut coalescer = Coalescer::with_pages(4);
        coalescer.set(Class(0), u64::MAX - 3, u64::MAX).unwrap();
        coalescer.set(Class(0), u64::MAX, 5).unwrap();
        coalescer.set(Class(0), 7, 7).unwrap();
        coalescer.set(Class(0), 0, 1).unwrap();
        assert_eq!(taken(&mut coalescer), [(0, 0, 1), (0, u64::MAX - 3, u64::MAX)]);
    }

    #[test]
    fn a_full_map_says_so_and_loses_nothing() {
        let mut coalescer = Coalescer::with_pages(4);
        assert_eq!(coalescer.set(Class(0), 0, 5 * PAGE), Err(NoLeaf { leaves: 4 }));
        assert_eq!((coalescer.pages(), taken(&mut coalescer)), (4, vec![(0, 0, 4 * PAGE)]));
        assert_eq!(coalescer.set(Class(0), 4 * PAGE, 5 * PAGE), Ok(()));
        assert_eq!(taken(&mut coalescer), [(0, 4 * PAGE, 5 * PAGE)]);
    }

    proptest! {
        #![proptest_config(crate::tests::config(256))]

        /// The bytes of each class are those that were set; intervals are maximal, sorted and disjoint.
        #[test]
        fn agrees_with_a_set_of_bytes(rounds in prop::collection::vec(
            prop::collection::vec((0..3_u32, prop_oneof![0..200_u64, 3_900..4_300_u64, 8_000..20_000_u64], prop_oneof![0..20_u64, 0..9_000_u64]), 0..60),
            1..4,
        )) {
            const SPAN: usize = 32_000;
            let mut coalescer = Coalescer::with_pages(64);
            for round in rounds {
                let mut expected = vec![false; 3 * SPAN];
                for (class, lo, len) in round {
                    prop_assert_eq!(coalescer.set(Class(class), lo, lo + len), Ok(()));
                    let at = class as usize * SPAN + lo as usize;
                    expected[at..at + len as usize].fill(true);
                }
                let out = taken(&mut coalescer);
                prop_assert!(out.windows(2).all(|w| w[0].0 < w[1].0 || w[0].2 < w[1].1), "{:?}", out);
                let mut found = vec![false; 3 * SPAN];
                for (class, lo, hi) in out {
                    let at = class as usize * SPAN;
                    found[at + lo as usize..at + hi as usize].fill(true);
                }
                prop_assert!(found == expected);
            }
        }
    }
}
