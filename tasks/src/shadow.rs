//! A table of pages, an entry for each byte of a page that was accessed: what STINT calls the vanilla access history.
//!
//! A page has an entry for eight bytes as long as all accesses to it begin and end at multiples of eight, for four likewise, else for each byte.

use crate::cells::{Cells, Entry};
use rustc_hash::FxHashMap;
use thrille_history::Interval;

const PAGE: u64 = 4096;

#[derive(Clone, Debug)]
struct Page {
    /// An entry is for two to this power bytes.
    shift: u32,
    entries: Box<[Option<Entry>]>,
}

impl Page {
    fn new(shift: u32) -> Self {
        Self { shift, entries: vec![None; (PAGE >> shift) as usize].into() }
    }

    /// Has entries for as few bytes as that.
    fn refine(&mut self, shift: u32) {
        if shift < self.shift {
            let times = 1 << (self.shift - shift);
            let entries = self.entries.iter().flat_map(|&entry| std::iter::repeat_n(entry, times));
            *self = Self { shift, entries: entries.collect() };
        }
    }

    /// Calls `visit` with the pieces of a part of the page, in order: where, and the entries that are equal there.
    fn pieces(&mut self, page: u64, lo: u64, hi: u64, mut visit: impl FnMut(Interval, &mut [Option<Entry>])) {
        let (mut at, end) = (((lo - page) >> self.shift) as usize, (hi - page).div_ceil(1 << self.shift) as usize);
        while at < end {
            let first = self.entries[at];
            let same = self.entries[at..end].iter().take_while(|&&entry| entry == first).count();
            let bounds = (page + ((at as u64) << self.shift), page + (((at + same) as u64) << self.shift));
            if let Ok(piece) = Interval::from_bounds(bounds.0, bounds.1) {
                visit(piece, &mut self.entries[at..at + same]);
            }
            at += same;
        }
    }
}

/// As few bytes as two to this power are told apart by an access to these.
fn shift(lo: u64, hi: u64) -> u32 {
    match (lo | hi).trailing_zeros() {
        0 | 1 => 0,
        2 => 2,
        _ => 3,
    }
}

/// See the top of `shadow.rs`.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: FxHashMap<u64, Page>,
}

/// The parts of a range, one a page: the page's first byte, the part.
fn parts(at: Interval) -> impl Iterator<Item = (u64, u64, u64)> {
    let (first, last) = (at.lo() / PAGE, (at.hi() - 1) / PAGE);
    (first..=last).map(move |page| {
        let base = page * PAGE;
        (base, at.lo().max(base), at.hi().min(base.saturating_add(PAGE)))
    })
}

impl Cells for Shadow {
    fn covering(&self, at: Interval) -> Option<Entry> {
        let mut all = None;
        for (base, lo, hi) in parts(at) {
            let page = self.pages.get(&base)?;
            let range = ((lo - base) >> page.shift) as usize..(hi - base).div_ceil(1 << page.shift) as usize;
            for &entry in &page.entries[range] {
                let entry = entry?;
                if *all.get_or_insert(entry) != entry {
                    return None;
                }
            }
        }
        all
    }

    fn visit(&self, at: Interval, mut visit: impl FnMut(Interval, Entry)) {
        for (base, lo, hi) in parts(at) {
            let Some(page) = self.pages.get(&base) else { continue };
            let (mut cell, end) =
                (((lo - base) >> page.shift) as usize, (hi - base).div_ceil(1 << page.shift) as usize);
            while cell < end {
                let first = page.entries[cell];
                let same = page.entries[cell..end].iter().take_while(|&&entry| entry == first).count();
                let bounds = (base + ((cell as u64) << page.shift), base + (((cell + same) as u64) << page.shift));
                if let (Some(entry), Ok(piece)) = (first, Interval::from_bounds(bounds.0, bounds.1)) {
                    visit(piece, entry);
                }
                cell += same;
            }
        }
    }

    fn update(&mut self, at: Interval, mut change: impl FnMut(Interval, Option<Entry>) -> Option<Entry>) {
        for (base, lo, hi) in parts(at) {
            let shift = shift(lo, hi);
            let page = self.pages.entry(base).or_insert_with(|| Page::new(shift));
            page.refine(shift);
            page.pieces(base, lo, hi, |piece, entries| {
                let new = change(piece, entries[0]);
                if new != entries[0] {
                    entries.fill(new);
                }
            });
        }
    }

    fn forget(&mut self, at: Interval) {
        let pages = (at.hi() - 1) / PAGE - at.lo() / PAGE + 1;
        if pages > self.pages.len() as u64 {
            // Far more than there is: pages that lie within are gone, at most two are left for the loop.
            self.pages.retain(|&base, _| !(at.lo() <= base && base.saturating_add(PAGE) <= at.hi()));
        }
        let touched: Vec<u64> = if pages > self.pages.len() as u64 {
            self.pages.keys().copied().filter(|&base| base < at.hi() && at.lo() < base.saturating_add(PAGE)).collect()
        } else {
            parts(at).map(|(base, _, _)| base).collect()
        };
        for base in touched {
            let (lo, hi) = (at.lo().max(base), at.hi().min(base.saturating_add(PAGE)));
            if lo == base && hi - lo == PAGE {
                self.pages.remove(&base);
            } else if let Some(page) = self.pages.get_mut(&base) {
                page.refine(shift(lo, hi));
                page.pieces(base, lo, hi, |_, entries| entries.fill(None));
            }
        }
    }

    fn clear(&mut self) {
        self.pages.clear();
    }

    fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn entries(&self, mut visit: impl FnMut(Entry)) {
        self.pages.values().flat_map(|page| &page.entries).flatten().for_each(|&entry| visit(entry));
    }
}
