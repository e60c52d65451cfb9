//! What the strand of a task has touched: bits for bytes, and which line touched them first.
//!
//! Y. Xu et al. (STINT), section 3.2: of what a strand does to a byte, the first read and the first write are enough, and after a write no read
//! matters. So a page of memory has two bits a byte, read and written. An access whose bits are all there is over after a search and a comparison.
//! At the end of the strand the bits are as few intervals as can be, whichever lines have set them.
//!
//! The lines are in a log besides: whatever sets a bit is an [`Item`], bytes of a line, as a rule with many of the same line before it. A row of equally
//! spaced bytes is one item, and so are the rows of a matrix. It is asked only when there is a race ([`crate::trails`]).
//!
//! # What is merged away
//!
//! Lines that touch nothing but what the same strand has touched before in the same way, or written.
//!
//! # Cost
//!
//! 1 KB a page of 4,096 bytes that the strand touches, and the log.

use crate::regions::Regions;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thrille_model::{Act, Interval, Kind, StackId};
use thrille_tasks::Touch;

const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// Pages from which on what a strand has done should be looked at.
const LEAVES: usize = 1 << 12;
/// Pages that there can be at most.
const MOST_LEAVES: usize = 2 * LEAVES;
/// Their numbers have so few bits that there is room above for a page's: a program's addresses are below 2 to the power of 56.
const LEAF_BITS: u32 = 13;
const _: () = assert!(MOST_LEAVES <= 1 << LEAF_BITS);
/// Entries of the table that leads to them.
const SLOTS: usize = 4 * LEAVES;
/// Items from which on it should be looked at.
const ITEMS: usize = 1 << 15;
/// Longer ranges have no bits.
const LONG: u64 = 1 << 20;
/// Pieces of a row that are touched at once.
pub const TEETH: u64 = 256;
/// Items that are kept as they came.
const FEW: usize = 48;
/// Lines that are found at once.
const LINES: usize = 512;
/// Rows of equally spaced bytes that are remembered as a whole, if they are of so many pieces.
const COMBS: usize = 512;
const LONG_ROW: u64 = 16;

/// Where a page's bits are.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    page: u64,
    stamp: u32,
    leaf: u32,
}

#[derive(Clone, Debug)]
struct Leaf {
    page: u64,
    /// Whether nobody but this process's tasks reaches the page.
    private: bool,
    /// Which words have bits.
    summary: u64,
    /// Reads and writes of each word, next to each other.
    bits: [[u64; 2]; WORDS],
}

const _: () = assert!(WORDS == 64);

/// A place of the program that touches memory, in one way.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Return address of the hook.
    pub pc: u64,
    /// How.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
    /// Called from where, the first time.
    pub stack: StackId,
    /// Its name, once it has got one.
    pub name: u32,
}

/// Bytes of one place: `count` times `len`, `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The first byte.
    pub lo: u64,
    /// How many.
    pub len: u32,
    /// From one begin to the next, and not less than the length.
    pub stride: u32,
    /// How often.
    pub count: u32,
    /// Number of the place, or its name.
    pub place: u32,
}

impl Item {
    /// One past the last byte.
    pub fn hi(&self) -> u64 {
        self.lo + u64::from(self.stride) * u64::from(self.count - 1) + u64::from(self.len)
    }

    /// `len` bytes of some place, at most 4 GB.
    pub fn bytes(lo: u64, len: u64) -> Self {
        Self { lo, len: u32::try_from(len).unwrap_or(u32::MAX), stride: 0, count: 1, place: 0 }
    }

    /// Takes in bytes of the same place, if the result is equally spaced.
    fn takes(&mut self, lo: u64, len: u64) -> bool {
        let Ok(short) = u32::try_from(len) else { return false };
        if self.count > 1 {
            let fits = short == self.len && lo == self.lo + u64::from(self.stride) * u64::from(self.count);
            self.count += u32::from(fits && self.count < u32::MAX);
            return fits;
        }
        let (end, hi) = (self.lo + u64::from(self.len), lo + len);
        if lo <= end && self.lo <= hi {
            let (from, to) = (self.lo.min(lo), end.max(hi));
            let Ok(joined) = u32::try_from(to - from) else { return false };
            (self.lo, self.len) = (from, joined);
            return true;
        }
        match u32::try_from(lo.wrapping_sub(self.lo)) {
            Ok(stride) if lo > self.lo && short == self.len => (self.stride, self.count) = (stride, 2),
            _ => return false,
        }
        true
    }

    /// The parts of it that are in `at`.
    pub fn within(self, at: Interval) -> impl Iterator<Item = Interval> {
        let (len, stride) = (u64::from(self.len), u64::from(self.stride).max(1));
        let first = (at.lo().saturating_sub(self.lo + len - 1)).div_ceil(stride);
        let teeth = (first..u64::from(self.count)).map(move |tooth| self.lo + tooth * stride);
        teeth
            .take_while(move |&lo| lo < at.hi())
            .filter_map(move |lo| Interval::from_bounds(lo.max(at.lo()), (lo + len).min(at.hi())).ok())
    }
}

/// Where a place is in the log.
#[derive(Clone, Copy, Debug)]
struct At {
    pc: u64,
    act: Act,
    touch: Touch,
    place: u32,
    item: u32,
    stamp: u32,
}

/// A row of equally spaced bytes that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Comb {
    lo: u64,
    step: i64,
    times: u64,
    size: u32,
    write: bool,
    stamp: u32,
}

/// What became of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Told {
    /// The strand has done so before.
    Known,
    /// It is new, and [`Footprint::log`] must be told.
    New,
}

/// See the top of `footprint.rs`; off until [`Footprint::turn`].
#[derive(Debug, Default)]
pub struct Footprint {
    on: bool,
    stamp: u32,
    regions: Arc<Regions>,
    table: Vec<Slot>,
    leaves: Vec<Leaf>,
    used: usize,
    /// What has no bits.
    long: Vec<(Interval, Touch)>,
    /// From how many items on it should be looked at.
    enough: usize,
    items: Vec<Item>,
    lines: Vec<Option<At>>,
    combs: Vec<Comb>,
    places: Vec<Place>,
    /// How many of them have names.
    named: usize,
    numbers: FxHashMap<(u64, Act, Touch), u32>,
    order: Vec<u64>,
}

/// The bits `from..to` of a word; `to` is at most 64 and greater than `from`.
#[inline(always)]
fn mask(from: u64, to: u64) -> u64 {
    (u64::MAX >> (64 - (to - from))) << from
}

/// Where a place is in the table of those that are found at once.
#[inline(always)]
fn line(pc: u64, touch: Touch) -> usize {
    ((pc ^ u64::from(touch == Touch::Write)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize % LINES
}

#[inline(always)]
fn slot(page: u64) -> usize {
    // Neighbours stay neighbours.
    (page ^ (page >> 13).wrapping_mul(0x9e5) ^ (page >> 27)) as usize % SLOTS
}

fn is_private(regions: &Regions, page: u64) -> bool {
    regions.is_clear_of(page * PAGE, (page + 1).saturating_mul(PAGE), &mut 0)
}

impl Footprint {
    /// Knows what others reach from now on.
    pub fn see(&mut self, regions: &Arc<Regions>) {
        if !Arc::ptr_eq(&self.regions, regions) {
            self.regions = Arc::clone(regions);
            for leaf in &mut self.leaves[..self.used] {
                leaf.private = is_private(regions, leaf.page);
            }
        }
    }

    /// Looks at each access by itself.
    pub fn looks_at_each(&mut self) {
        self.enough = 1;
    }

    /// Uses it from now on, or not. Whatever was there is forgotten.
    pub fn turn(&mut self, on: bool) {
        if on && self.table.is_empty() {
            self.table = vec![Slot::default(); SLOTS];
            self.lines = vec![None; LINES];
            self.combs = vec![Comb::default(); COMBS];
            self.stamp = 1;
            self.enough = if self.enough == 0 { ITEMS } else { self.enough };
        }
        self.on = on;
        self.clear();
    }

    /// Whether it is used.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.used == 0 && self.long.is_empty()
    }

    /// Whether any of these bytes, of few pages, have bits.
    pub fn touches(&self, at: Interval) -> bool {
        (at.lo() / PAGE..=(at.hi() - 1) / PAGE).any(|page| {
            let Some(leaf) = self.known_leaf(page).map(|leaf| &self.leaves[leaf]) else { return false };
            let mut inside = false;
            for which in [Bits::Read, Bits::Written] {
                leaf.runs(which, |lo, hi| inside |= lo < at.hi() && at.lo() < hi);
            }
            inside
        })
    }

    /// The leaf of a page, if there is one.
    fn known_leaf(&self, page: u64) -> Option<usize> {
        let mut at = slot(page);
        loop {
            let entry = self.table.get(at).filter(|entry| entry.stamp == self.stamp)?;
            if entry.page == page {
                return Some(entry.leaf as usize);
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// Whether what is there should be looked at.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        self.items.len() >= self.enough || self.used >= LEAVES
    }

    /// Forgets all of it.
    pub fn clear(&mut self) {
        if self.is_empty() {
            return;
        }
        self.long.clear();
        self.leaves[..self.used].iter_mut().for_each(Leaf::clear);
        self.used = 0;
        self.items.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.table.fill(Slot::default());
            self.lines.fill(None);
            self.combs.fill(Comb::default());
            self.stamp = 1;
        }
    }

    /// Sets the bits of some bytes of a line of 64 bytes that others do not reach: whether they were new, and what was read or written, and written, of that line by now. None
    /// if it is not known to be such.
    #[inline(always)]
    pub fn touch_line(&mut self, address: u64, len: u64, touch: Touch) -> Option<(Told, u64, u64)> {
        let (page, first) = (address / PAGE, address % 64);
        let slot = self.table.get(slot(page))?;
        if first + len > 64 {
            return None;
        }
        let known = slot.page == page && slot.stamp == self.stamp;
        let leaf = if known { slot.leaf as usize } else { self.leaf(page)? };
        let leaf = self.leaves.get_mut(leaf).filter(|leaf| leaf.private)?;
        let word = (address / 64) as usize % WORDS;
        let told = leaf.set(word, mask(first, first + len), touch);
        let [read, written] = leaf.bits[word];
        Some((told, read | written, written))
    }

    /// Sets these bits of a line of 64 bytes, and says which of them are new.
    pub fn fill(&mut self, address: u64, bits: u64, touch: Touch) -> u64 {
        let page = address / PAGE;
        let known = self.table.get(slot(page)).filter(|slot| slot.page == page && slot.stamp == self.stamp);
        let Some(leaf) = known.map(|slot| slot.leaf as usize).or_else(|| self.leaf(page)) else { return 0 };
        let (leaf, word) = (&mut self.leaves[leaf], (address / 64) as usize % WORDS);
        let [read, written] = leaf.bits[word];
        let new = bits & !if touch == Touch::Write { written } else { read | written };
        let _ = leaf.set(word, bits, touch);
        new
    }

    /// Sets the bits of some bytes of a page that others do not reach, and calls `tell` with each line of 64 bytes: an address in it, and what was read or written, and written, of it
    /// by now. Whether they were new; none if it is not known to be such a page.
    #[inline(always)]
    pub fn touch_lines(
        &mut self,
        address: u64,
        len: u64,
        touch: Touch,
        mut tell: impl FnMut(u64, u64, u64),
    ) -> Option<Told> {
        let (page, end) = (address / PAGE, address.checked_add(len)?);
        let slot = self.table.get(slot(page))?;
        if slot.page != page || slot.stamp != self.stamp || (end - 1) / PAGE != page {
            return None;
        }
        let leaf = self.leaves.get_mut(slot.leaf as usize).filter(|leaf| leaf.private)?;
        let (mut at, mut told) = (address, Told::Known);
        while at < end {
            let (word, to) = ((at / 64) as usize % WORDS, end.min((at / 64 + 1) * 64));
            if leaf.set(word, mask(at % 64, at % 64 + (to - at)), touch) == Told::New {
                told = Told::New;
            }
            let [read, written] = leaf.bits[word];
            tell(at, read | written, written);
            at = to;
        }
        Some(told)
    }

    /// Sets the bits of some bytes.
    #[inline(always)]
    pub fn touch(&mut self, address: u64, len: u64, touch: Touch) -> Told {
        let (page, first) = (address / PAGE, address % 64);
        if let Some(slot) = self.table.get(slot(page))
            && slot.page == page
            && slot.stamp == self.stamp
            && first + len <= 64
            && let Some(leaf) = self.leaves.get_mut(slot.leaf as usize)
        {
            return leaf.set((address / 64) as usize % WORDS, mask(first, first + len), touch);
        }
        self.touch_range(address, len, touch)
    }

    #[inline(never)]
    fn touch_range(&mut self, address: u64, len: u64, touch: Touch) -> Told {
        let (mut at, end, mut told) = (address, address.saturating_add(len), Told::Known);
        if len >= LONG {
            self.has_long(at, end, touch);
            return Told::New;
        }
        while at < end {
            let Some(leaf) = self.leaf(at / PAGE) else {
                self.has_long(at, end, touch);
                return Told::New;
            };
            let leaf = &mut self.leaves[leaf];
            let stop = end.min((at / PAGE + 1).saturating_mul(PAGE));
            while at < stop {
                let to = stop.min((at / 64 + 1) * 64);
                if leaf.set((at / 64) as usize % WORDS, mask(at % 64, at % 64 + (to - at)), touch) == Told::New {
                    told = Told::New;
                }
                at = to;
            }
        }
        told
    }

    fn has_long(&mut self, lo: u64, hi: u64, touch: Touch) {
        self.long.extend(Interval::from_bounds(lo, hi).ok().map(|at| (at, touch)));
    }

    /// Sets the bits of `times` pieces of `size` bytes, `step` apart.
    pub fn touch_comb(&mut self, address: u64, size: u64, times: u64, step: i64, touch: Touch) -> Told {
        let (write, stamp) = (touch == Touch::Write, self.stamp);
        let comb = Comb { lo: address, step, times, size: size as u32, write, stamp };
        let mixed = (address ^ (step as u64) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 48) as usize % COMBS;
        if times >= LONG_ROW && self.combs.get(place) == Some(&comb) {
            return Told::Known;
        }
        let told = match step {
            16 | 32 if address % step as u64 + size <= step as u64 => {
                self.touch_close(address, size, times, step as u64, touch)
            }
            _ => self.touch_apart(address, size, times, step, touch),
        };
        if times >= LONG_ROW
            && let Some(known) = self.combs.get_mut(place)
        {
            *known = comb;
        }
        told
    }

    fn touch_apart(&mut self, address: u64, size: u64, times: u64, step: i64, touch: Touch) -> Told {
        let (mut at, mut told) = (address, Told::Known);
        for _ in 0..times {
            if self.touch(at, size, touch) == Told::New {
                told = Told::New;
            }
            at = at.wrapping_add_signed(step);
        }
        told
    }

    /// The same with several pieces in a word, none of which goes over its end.
    fn touch_close(&mut self, address: u64, size: u64, times: u64, step: u64, touch: Touch) -> Told {
        let one = mask(address % step, address % step + size);
        let teeth = (0..64 / step).fold(0, |teeth, tooth| teeth | one << (tooth * step));
        let (mut at, end, mut told) = (address, address + step * (times - 1) + size, Told::Known);
        while at < end {
            let Some(leaf) = self.leaf(at / PAGE) else {
                return self.touch_apart(address, size, times, step as i64, touch);
            };
            let leaf = &mut self.leaves[leaf];
            let stop = end.min((at / PAGE + 1) * PAGE);
            while at < stop {
                let to = stop.min((at / 64 + 1) * 64);
                let bits = teeth & mask(at % 64, at % 64 + (to - at));
                if bits != 0 && leaf.set((at / 64) as usize % WORDS, bits, touch) == Told::New {
                    told = Told::New;
                }
                at = to;
            }
        }
        told
    }

    /// The leaf of a page, made if there is none.
    #[inline(never)]
    fn leaf(&mut self, page: u64) -> Option<usize> {
        let mut at = slot(page);
        loop {
            let entry = self.table.get(at)?;
            if entry.stamp != self.stamp {
                break;
            }
            if entry.page == page {
                return Some(entry.leaf as usize);
            }
            at = (at + 1) % SLOTS;
        }
        if self.used == MOST_LEAVES {
            return None;
        }
        if self.used == self.leaves.len() {
            self.leaves.push(Leaf { page, private: false, summary: 0, bits: [[0; 2]; WORDS] });
        }
        let leaf = &mut self.leaves[self.used];
        (leaf.page, leaf.private) = (page, is_private(&self.regions, page));
        self.table[at] = Slot { page, stamp: self.stamp, leaf: self.used as u32 };
        self.used += 1;
        Some(self.used - 1)
    }

    /// The bytes were new, and the place that touched them is right behind those that it touched last: then all is told.
    #[inline(always)]
    pub fn goes_on(&mut self, pc: u64, act: Act, touch: Touch, item: &Item) -> bool {
        let Some(Some(at)) = self.lines.get(line(pc, touch)) else { return false };
        if at.stamp != self.stamp || at.pc != pc || (at.act, at.touch) != (act, touch) || item.count != 1 {
            return false;
        }
        let last = &mut self.items[at.item as usize];
        if last.count != 1 || item.lo != last.lo + u64::from(last.len) || item.len >= u32::MAX - last.len {
            return false;
        }
        last.len += item.len;
        true
    }

    /// The bytes were new: who touched them. `stack` is asked the first time.
    pub fn log(&mut self, pc: u64, act: Act, touch: Touch, mut item: Item, stack: impl FnOnce() -> StackId) {
        let line = &mut self.lines[line(pc, touch)];
        let at = match line {
            Some(at) if (at.pc, at.act, at.touch) == (pc, act, touch) => at,
            _ => {
                let places = &mut self.places;
                let place = *self.numbers.entry((pc, act, touch)).or_insert_with(|| {
                    let kind = if touch == Touch::Write { Kind::Write } else { Kind::Read };
                    places.push(Place { pc, kind, act, stack: stack(), name: 0 });
                    places.len() as u32 - 1
                });
                line.insert(At { pc, act, touch, place, item: 0, stamp: 0 })
            }
        };
        if at.stamp == self.stamp && item.count == 1 && self.items[at.item as usize].takes(item.lo, u64::from(item.len))
        {
            return;
        }
        item.place = at.place;
        (at.item, at.stamp) = (self.items.len() as u32, self.stamp);
        self.items.push(item);
    }

    /// Names the places that have no name yet.
    pub fn name(&mut self, mut name: impl FnMut(&Place) -> u32) {
        for place in &mut self.places[self.named..] {
            place.name = name(place);
        }
        self.named = self.places.len();
    }

    /// Whether all have.
    pub fn is_named(&self) -> bool {
        self.named == self.places.len()
    }

    /// What set the bits, and the places that it names by number, of which `name` names those that have none yet. Equally spaced bytes that came in any order
    /// are one item each.
    pub fn logged(&mut self, name: impl FnMut(&Place) -> u32) -> (&[Item], &[Place]) {
        self.name(name);
        if self.items.len() > FEW {
            // Two that came one after the other need not belong together.
            for index in 0..self.items.len() {
                let item = &mut self.items[index];
                if item.count == 2 {
                    item.count = 1;
                    let other = Item { lo: item.lo + u64::from(item.stride), ..*item };
                    self.items.push(other);
                }
            }
            // One comparison of one number.
            self.items.sort_unstable_by_key(|item| u128::from(item.place) << 64 | u128::from(item.lo));
            self.items.dedup_by(|next, kept| {
                next.place == kept.place && next.count == 1 && kept.takes(next.lo, u64::from(next.len))
            });
        }
        (&self.items, &self.places)
    }

    /// Calls `tell` with the intervals of the bits of these kinds, one kind after the other, in ascending order.
    pub fn intervals(&mut self, kinds: [Bits; 3], mut tell: impl FnMut(Bits, Interval)) {
        for which in kinds.into_iter().filter(|&which| which != Bits::Overwritten) {
            let touch = if which == Bits::Written { Touch::Write } else { Touch::Read };
            self.long.iter().filter(|long| long.1 == touch).for_each(|long| tell(which, long.0));
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        // With the page's number above, which is all that is looked at to sort them.
        order.extend((0..).zip(&self.leaves[..self.used]).map(|(number, leaf)| leaf.page << LEAF_BITS | number));
        order.sort_unstable();
        for which in kinds {
            let mut open: Option<(u64, u64)> = None;
            for leaf in &order {
                self.leaves[(leaf & ((1 << LEAF_BITS) - 1)) as usize].runs(which, |lo, hi| match &mut open {
                    Some(run) if run.1 == lo => run.1 = hi,
                    _ => {
                        if let Some((lo, hi)) = open.replace((lo, hi))
                            && let Ok(at) = Interval::from_bounds(lo, hi)
                        {
                            tell(which, at);
                        }
                    }
                });
            }
            if let Some((lo, hi)) = open
                && let Ok(at) = Interval::from_bounds(lo, hi)
            {
                tell(which, at);
            }
        }
        self.order = order;
    }
}

/// Which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bits {
    /// Those that were read, and not written before.
    Read,
    /// Those that were written.
    Written,
    /// Those that were read and never written.
    OnlyRead,
    /// Those that were read, then written.
    Overwritten,
}

impl Leaf {
    #[inline(always)]
    fn set(&mut self, word: usize, mask: u64, touch: Touch) -> Told {
        let [read, written] = &mut self.bits[word];
        match touch {
            Touch::Read if mask & !(*read | *written) != 0 => *read |= mask & !*written,
            Touch::Write if mask & !*written != 0 => *written |= mask,
            Touch::Read | Touch::Write => return Told::Known,
        }
        self.summary |= 1 << word;
        Told::New
    }

    fn clear(&mut self) {
        while self.summary != 0 {
            let word = self.summary.trailing_zeros() as usize;
            self.bits[word] = [0, 0];
            self.summary &= self.summary - 1;
        }
    }

    /// Calls `tell` with the maximal runs of bits, as addresses.
    #[inline(always)]
    fn runs(&self, which: Bits, mut tell: impl FnMut(u64, u64)) {
        let base = self.page * PAGE;
        let mut summary = self.summary;
        while summary != 0 {
            let word = summary.trailing_zeros() as usize;
            summary &= summary - 1;
            let [read, written] = self.bits[word];
            let mut bits = match which {
                Bits::Read => read,
                Bits::Written => written,
                Bits::OnlyRead => read & !written,
                Bits::Overwritten => read & written,
            };
            let at = base + word as u64 * 64;
            while bits != 0 {
                let lo = bits.trailing_zeros();
                let len = (!(bits >> lo)).trailing_zeros();
                tell(at + u64::from(lo), at + u64::from(lo + len));
                bits = if lo + len == 64 { 0 } else { bits >> (lo + len) << (lo + len) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        /// The intervals are the bytes that were touched, and each of them is in an item of a place that touched it so.
        #[test]
        fn nothing_is_lost_or_added(
            accesses in prop::collection::vec(
                (0u64..5, prop_oneof![0u64..80, 4000u64..4200, 0u64..30_000], prop_oneof![1u64..9, 1u64..600], any::<bool>(), 0u8..40, 1u64..90, prop_oneof![0i64..70, Just(8i64), Just(24i64)]),
                0..100),
        ) {
            let mut footprint = Footprint::default();
            footprint.turn(true);
            let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
            let mut by: BTreeMap<(u64, bool), BTreeSet<u64>> = BTreeMap::new();
            for (pc, lo, len, write, what, times, step) in accesses {
                let touch = if write { Touch::Write } else { Touch::Read };
                let row = what < 8;
                let pieces: Vec<(u64, u64)> = if row { (0..times).map(|i| (lo + i * (8 + step as u64), 8)).collect() } else { vec![(lo, len)] };
                let told = if row { footprint.touch_comb(lo, 8, times, 8 + step, touch) } else { footprint.touch(lo, len, touch) };
                let bytes: BTreeSet<u64> = pieces.iter().flat_map(|&(lo, len)| lo..lo + len).collect();
                let there = |byte: &u64| written.contains(byte) || !write && read.contains(byte);
                prop_assert_eq!(told == Told::Known, bytes.iter().all(there));
                if told == Told::New {
                    let act = if write { Act::Store } else { Act::Load };
                    let new = if row { Item { stride: 8 + step as u32, count: times as u32, ..Item::bytes(lo, 8) } } else { Item::bytes(lo, len) };
                    footprint.log(pc, act, touch, new, || StackId(0));
                    by.entry((pc, write)).or_default().extend(&bytes);
                }
                if write { written.extend(bytes) } else { read.extend(bytes.into_iter().filter(|byte| !written.contains(byte))) }
            }
            let mut told: BTreeMap<(u64, bool), BTreeSet<u64>> = BTreeMap::new();
            let whole = Interval::from_bounds(0, 1 << 20).expect("bytes");
            let (items, places) = footprint.logged(|_| 0);
            for item in items {
                let place = places[item.place as usize];
                let bytes = item.within(whole).flat_map(|at| at.lo()..at.hi());
                told.entry((place.pc, place.kind == Kind::Write)).or_default().extend(bytes);
                prop_assert!(item.hi() <= 1 << 20);
            }
            prop_assert_eq!(told, by);
            let mut found: BTreeMap<Bits, Vec<Interval>> = BTreeMap::new();
            footprint.intervals(KINDS, |which, at| found.entry(which).or_default().push(at));
            let mut overwritten = BTreeSet::new();
            footprint.intervals([Bits::OnlyRead, Bits::Overwritten, Bits::Written], |which, at| {
                if which == Bits::Overwritten {
                    overwritten.extend(at.lo()..at.hi());
                }
            });
            prop_assert_eq!(overwritten, &read & &written);
            for (which, expected) in [(Bits::Read, read.clone()), (Bits::Written, written.clone()), (Bits::OnlyRead, &read - &written)] {
                let found = found.remove(&which).unwrap_or_default();
                prop_assert!(found.windows(2).all(|two| two[0].hi() < two[1].lo()));
                prop_assert_eq!(found.iter().flat_map(|at| at.lo()..at.hi()).collect::<BTreeSet<_>>(), expected);
            }
            footprint.clear();
            prop_assert!(footprint.is_empty());
        }
    }

    const KINDS: [Bits; 3] = [Bits::Read, Bits::Written, Bits::OnlyRead];

    #[test]
    fn rows_of_a_matrix_are_one_item() {
        let mut footprint = Footprint::default();
        footprint.turn(true);
        // Two copies of a line, as an unrolled loop has them, of 16 rows.
        for row in 0..16 {
            for column in 0..8_u64 {
                let at = row * 4096 + column * 8;
                assert_eq!(footprint.touch(at, 8, Touch::Read), Told::New);
                footprint.log(column % 2, Act::Load, Touch::Read, Item::bytes(at, 8), || StackId(0));
            }
        }
        assert_eq!(footprint.logged(|_| 0).0.len(), 32);
        let mut rows = 0;
        footprint.intervals(KINDS, |_, at| rows += usize::from(at.len() == 64));
        assert_eq!(rows, 32, "read, and only read");
    }

    #[test]
    fn more_pages_than_there_is_room_for() {
        let mut footprint = Footprint::default();
        footprint.turn(true);
        let pages = MOST_LEAVES as u64 + 10;
        for page in 0..pages {
            assert_eq!(footprint.is_crowded(), page >= LEAVES as u64);
            assert_eq!(footprint.touch(page * 7 * PAGE, 1, Touch::Write), Told::New);
        }
        assert_eq!(footprint.touch(3 << 40, LONG, Touch::Read), Told::New);
        let mut found = BTreeMap::new();
        footprint.intervals(KINDS, |which, at| *found.entry(which).or_insert(0) += at.len());
        assert_eq!(found, BTreeMap::from([(Bits::Read, LONG), (Bits::Written, pages), (Bits::OnlyRead, LONG)]));
        footprint.clear();
        assert!(footprint.is_empty() && !footprint.is_crowded());
    }
}
