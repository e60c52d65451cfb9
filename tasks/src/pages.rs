//! Intervals in a table of pages: what the detectors use.
//!
//! STINT keeps its intervals in a treap. Strands of real programs touch rows of some hundred bytes, each of which costs a treap a search from the
//! root through nodes all over the memory. Here a hash table leads to the page of 4,096 bytes, and a page has its intervals in one short sorted list: a row
//! costs a search and a copy or two, a long interval one list of one element for each of its pages. [`crate::Treaps`] does the same as the paper has it.
//!
//! Neighbours with the same entry are one, within a page. A page that many strands have shared out among themselves, in equal parts, has an entry for each part in
//! place of the list ([`crate::parts`]).

use crate::cells::{Cells, Entry};
use crate::parts::Parts;
use rustc_hash::FxHashMap;
use thrille_history::Interval;

pub(crate) const PAGE: u64 = 4096;

/// Tables with room for more than this are given back when they are cleared.
const KEPT: usize = 1 << 10;

/// Bytes of a page, counted from its begin, with one entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub lo: u16,
    pub hi: u16,
    pub entry: Entry,
}

const _: () = assert!(size_of::<Piece>() == 12);

/// What a page has. Pieces are in order, apart from one another, and not empty.
#[derive(Clone, Debug)]
enum Page {
    List(Vec<Piece>),
    Parts(Parts),
}

impl Default for Page {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Page {
    /// Calls `visit` with the pieces that have bytes from `lo` to `hi`.
    #[inline(always)]
    fn visit(&self, lo: u16, hi: u16, mut visit: impl FnMut(Piece)) {
        match self {
            Self::List(pieces) => {
                pieces[first_behind(pieces, lo)..]
                    .iter()
                    .take_while(|piece| piece.lo < hi)
                    .for_each(|&piece| visit(piece));
            }
            Self::Parts(parts) => parts.visit(lo, hi, visit),
        }
    }

    /// Its list; parts become one if such an update cannot be said of them. None if it has been carried out.
    #[inline(always)]
    fn list(
        &mut self,
        lo: u16,
        hi: u16,
        change: impl FnMut(u16, u16, Option<Entry>) -> Option<Entry>,
    ) -> Option<&mut Vec<Piece>> {
        if let Self::Parts(parts) = self {
            // One who takes all of the page needs no parts.
            let whole = u64::from(hi - lo) == PAGE;
            if !whole && parts.update(lo, hi, change) {
                return None;
            }
            *self = Self::List(parts.pieces());
        }
        match self {
            Self::List(pieces) => Some(pieces),
            Self::Parts(_) => None,
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::List(pieces) => pieces.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
        }
    }
}

/// See the top of `pages.rs`.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    table: FxHashMap<u64, Page>,
    /// What a part of a page becomes.
    scratch: Vec<Piece>,
    /// Where nothing is: long ranges that were forgotten, as stacks are again and again.
    bare: Vec<(u64, u64)>,
}

/// Ranges of so many pages are known to be bare once they are forgotten, so many of them.
const LONG: u64 = if cfg!(test) { 1 } else { 16 };
const BARE: usize = 8;

/// Whether they have bytes in common.
fn meet(bare: &(u64, u64), at: Interval) -> bool {
    at.lo() < bare.1 && bare.0 < at.hi()
}

/// The parts of a range, one a page: the page's number, the part from its begin.
fn parts(at: Interval) -> impl Iterator<Item = (u64, u16, u16)> {
    let (first, last) = (at.lo() / PAGE, (at.hi() - 1) / PAGE);
    (first..=last).map(move |page| {
        let lo = if page == first { at.lo() % PAGE } else { 0 };
        let hi = if page == last { (at.hi() - 1) % PAGE + 1 } else { PAGE };
        (page, lo as u16, hi as u16)
    })
}

/// A part of a page as addresses.
#[inline(always)]
fn bytes(page: u64, lo: u16, hi: u16) -> Option<Interval> {
    Interval::from_bounds(page * PAGE + u64::from(lo), page.wrapping_mul(PAGE).checked_add(u64::from(hi))?).ok()
}

/// Appends a piece, to the last one if that has the same entry and ends here.
fn append(pieces: &mut Vec<Piece>, piece: Piece) {
    match pieces.last_mut() {
        Some(last) if last.hi == piece.lo && last.entry == piece.entry => last.hi = piece.hi,
        _ => pieces.push(piece),
    }
}

/// The first piece that ends behind this place.
#[inline(always)]
fn first_behind(pieces: &[Piece], lo: u16) -> usize {
    // Most lists are short, and what is asked for is often the last.
    match pieces.last() {
        Some(last) if last.hi <= lo => pieces.len(),
        _ => pieces.partition_point(|piece| piece.hi <= lo),
    }
}

/// Puts `new` where `first..end` was.
fn replace(pieces: &mut Vec<Piece>, first: usize, end: usize, new: &[Piece]) {
    let old = end - first;
    if new.len() <= old {
        pieces[first..first + new.len()].copy_from_slice(new);
        pieces.drain(first + new.len()..end);
    } else {
        pieces[first..end].copy_from_slice(&new[..old]);
        pieces.splice(end..end, new[old..].iter().copied());
    }
}

impl Cells for Pages {
    fn covering(&self, at: Interval) -> Option<Entry> {
        let mut all = None;
        for (page, lo, hi) in parts(at) {
            let mut found = None;
            self.table.get(&page)?.visit(lo, hi, |piece| found = found.or(Some(piece)));
            let piece = found?;
            if piece.lo > lo || piece.hi < hi || *all.get_or_insert(piece.entry) != piece.entry {
                return None;
            }
        }
        all
    }

    fn visit(&self, at: Interval, mut visit: impl FnMut(Interval, Entry)) {
        for (page, lo, hi) in parts(at) {
            let Some(pieces) = self.table.get(&page) else { continue };
            pieces.visit(lo, hi, |piece| {
                if let Some(at) = bytes(page, piece.lo, piece.hi) {
                    visit(at, piece.entry);
                }
            });
        }
    }

    fn update(&mut self, at: Interval, mut change: impl FnMut(Interval, Option<Entry>) -> Option<Entry>) {
        for bare in self.bare.iter_mut().filter(|bare| meet(bare, at)) {
            // The longer of what is left on either side.
            let (below, above) = (at.lo().saturating_sub(bare.0), bare.1.saturating_sub(at.hi()));
            *bare = if above > below { (at.hi(), bare.1) } else { (bare.0, bare.0 + below) };
        }
        for (page, lo, hi) in parts(at) {
            let mut new = |lo: u16, hi: u16, old: Option<Entry>| {
                let entry = change(bytes(page, lo, hi)?, old)?;
                Some(Piece { lo, hi, entry })
            };
            let whole = self.table.entry(page).or_default();
            let Some(pieces) = whole.list(lo, hi, |lo, hi, old| new(lo, hi, old).map(|piece| piece.entry)) else {
                if whole.is_empty() {
                    self.table.remove(&page);
                }
                continue;
            };
            let first = first_behind(pieces, lo);
            if let Some(piece) = pieces.get(first).filter(|piece| piece.lo <= lo && hi <= piece.hi) {
                // One piece, which often stays as it is.
                let changed = new(lo, hi, Some(piece.entry));
                if changed.is_some_and(|changed| changed.entry == piece.entry) {
                    continue;
                }
            } else if pieces.get(first).is_none_or(|piece| hi < piece.lo)
                && first.checked_sub(1).is_none_or(|before| pieces[before].hi < lo)
            {
                // Nothing there, and nothing to join it with.
                if let Some(piece) = new(lo, hi, None) {
                    pieces.insert(first, piece);
                }
                if pieces.is_empty() {
                    self.table.remove(&page);
                } else if pieces.len() == pieces.capacity()
                    && let Some(parts) = Parts::of(pieces)
                {
                    // It would grow.
                    *whole = Page::Parts(parts);
                }
                continue;
            }
            let scratch = &mut self.scratch;
            scratch.clear();
            let (mut end, mut at) = (first, lo);
            // The piece before is taken along where it may be joined with what comes.
            let joined = first.checked_sub(1).filter(|&before| pieces[before].hi == lo);
            scratch.extend(joined.map(|before| pieces[before]));
            while let Some(&piece) = pieces.get(end).filter(|piece| piece.lo < hi) {
                if piece.lo < lo {
                    append(scratch, Piece { hi: lo, ..piece });
                } else if at < piece.lo
                    && let Some(gap) = new(at, piece.lo, None)
                {
                    append(scratch, gap);
                }
                let (from, to) = (piece.lo.max(lo), piece.hi.min(hi));
                if let Some(changed) = new(from, to, Some(piece.entry)) {
                    append(scratch, changed);
                }
                if to < piece.hi {
                    append(scratch, Piece { lo: to, ..piece });
                }
                (at, end) = (to, end + 1);
            }
            if at < hi
                && let Some(gap) = new(at, hi, None)
            {
                append(scratch, gap);
            }
            if let Some(&after) = pieces.get(end).filter(|after| after.lo == hi) {
                append(scratch, after);
                end += 1;
            }
            replace(pieces, joined.unwrap_or(first), end, scratch);
            if pieces.is_empty() {
                self.table.remove(&page);
            }
        }
    }

    fn forget(&mut self, at: Interval) {
        if self.table.is_empty() {
            return;
        }
        if at.len() < LONG * PAGE {
            return self.forget_all(at);
        }
        // Stacks are forgotten from many places on, each time as far down as they may reach: most of that is known.
        let known = self.bare.iter().position(|bare| meet(bare, at));
        let bare = known.map_or((at.lo(), at.lo()), |known| self.bare.swap_remove(known));
        for rest in [(at.lo(), bare.0), (bare.1, at.hi())] {
            if let Ok(rest) = Interval::from_bounds(rest.0, rest.1) {
                self.forget_all(rest);
            }
        }
        if self.bare.len() == BARE {
            self.bare.remove(0);
        }
        self.bare.push((bare.0.min(at.lo()), bare.1.max(at.hi())));
    }

    fn clear(&mut self) {
        self.bare.clear();
        if self.table.capacity() > KEPT {
            self.table = FxHashMap::default();
        } else {
            self.table.clear();
        }
    }

    fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    fn entries(&self, mut visit: impl FnMut(Entry)) {
        self.table.values().for_each(|page| page.visit(0, PAGE as u16, |piece| visit(piece.entry)));
    }
}

impl Pages {
    /// Forgets what is stored there, wherever something may be.
    fn forget_all(&mut self, at: Interval) {
        let (first, last) = (at.lo() / PAGE, (at.hi() - 1) / PAGE);
        let inside = first + u64::from(!at.lo().is_multiple_of(PAGE))..last + u64::from(at.hi().is_multiple_of(PAGE));
        // A table that was full once is gone through slowly, however few there are in it now.
        if inside.end.saturating_sub(inside.start) > self.table.capacity() as u64 {
            self.table.retain(|page, _| !inside.contains(page));
        } else {
            for page in inside.clone() {
                self.table.remove(&page);
            }
        }
        for page in [first, last] {
            if !inside.contains(&page) && self.table.contains_key(&page) {
                let (lo, hi) = (at.lo().max(page * PAGE), at.hi().min((page + 1).saturating_mul(PAGE)));
                if let Ok(part) = Interval::from_bounds(lo, hi) {
                    self.update(part, |_, _| None);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Treaps;
    use crate::detector::SiteId;
    use crate::event::Mark;
    use proptest::prelude::*;

    fn stored(cells: &impl Cells, at: Interval) -> Vec<(u64, u64, Entry)> {
        let mut all: Vec<(u64, u64, Entry)> = Vec::new();
        cells.visit(at, |piece, entry| {
            let Some(both) = piece.intersection(at) else { panic!("{piece:?} is not in {at:?}") };
            match all.last_mut() {
                Some(last) if last.1 == both.lo() && last.2 == entry => last.1 = both.hi(),
                _ => all.push((both.lo(), both.hi(), entry)),
            }
        });
        all
    }

    proptest! {
        /// Whatever is stored and forgotten, it holds what the treaps hold.
        #[test]
        fn as_in_treaps(steps in prop::collection::vec(
            (prop_oneof![0u64..40, 4080u64..4110, 0u64..20_000], prop_oneof![1u64..9, 1u64..9_000], 0u32..6, 0u8..8), 0..120),
            equal in prop::collection::vec((0u64..600, 1u64..6, 0u32..6, 0u8..8), 0..200), by in prop_oneof![Just(4u64), Just(8), Just(16)])
        {
            let equal = equal.into_iter().map(|(lo, len, who, what)| (lo * by, len * by, who, what));
            let (odd, later) = steps.split_at(steps.len() / 2);
            let steps: Vec<_> = odd.iter().take(3).copied().chain(equal).chain(later.iter().copied()).collect();
            let (mut pages, mut treaps) = (Pages::default(), Treaps::default());
            for (lo, len, who, what) in steps {
                let at = Interval::from_len(lo, len).expect("bytes");
                let entry = Entry { mark: Mark(who), site: SiteId(7) };
                match what {
                    0 => {
                        pages.forget(at);
                        treaps.forget(at);
                    }
                    1 => {
                        pages.update(at, |_, old| old.or(Some(entry)));
                        Cells::update(&mut treaps, at, |_, old| old.or(Some(entry)));
                    }
                    2 => {
                        let fewer = |old: Option<Entry>| old.filter(|old| old.mark.0 > who);
                        pages.update(at, |_, old| fewer(old));
                        Cells::update(&mut treaps, at, |_, old| fewer(old));
                    }
                    _ => {
                        pages.update(at, |_, _| Some(entry));
                        Cells::update(&mut treaps, at, |_, _| Some(entry));
                    }
                }
                let whole = Interval::from_bounds(0, 40_000).expect("bytes");
                prop_assert_eq!(stored(&pages, whole), stored(&treaps, whole));
                prop_assert_eq!(stored(&pages, at), stored(&treaps, at));
                prop_assert_eq!(pages.covering(at), treaps.covering(at));
                prop_assert_eq!(pages.is_empty(), Cells::is_empty(&treaps));
                for page in pages.table.values() {
                    let Page::List(pieces) = page else { continue };
                    prop_assert!(pieces.iter().all(|piece| piece.lo < piece.hi && u64::from(piece.hi) <= PAGE));
                    prop_assert!(pieces.windows(2).all(|two| two[0].hi < two[1].lo || two[0].hi == two[1].lo && two[0].entry != two[1].entry));
                }
            }
        }
    }
}
