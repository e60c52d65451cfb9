//! A page in equal parts, an entry for each: what becomes of a list of [`crate::pages`] that is long, and none of whose pieces begins or ends within a part.
//!
//! The list costs 12 bytes a piece, a search, and moving whatever is behind a piece that is new; here it is 8 bytes a part and nothing is moved.

use crate::cells::Entry;
use crate::detector::SiteId;
use crate::event::Mark;
use crate::pages::{PAGE, Piece};

/// Parts are of two to this power bytes.
const SHIFTS: [u32; 2] = [4, 3];
/// Shorter lists stay what they are.
const LONG: usize = if cfg!(test) { 4 } else { 64 };
/// Nobody has touched the part.
const NOBODY: Entry = Entry { mark: Mark(u32::MAX), site: SiteId(u32::MAX) };

/// See the top of `parts.rs`.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    shift: u32,
    entries: Box<[Entry]>,
}

impl Parts {
    /// A page with these pieces, if they are many and can be said so.
    pub fn of(pieces: &[Piece]) -> Option<Self> {
        if pieces.len() < LONG {
            return None;
        }
        let ends = pieces.iter().fold(0, |ends, piece| ends | piece.lo | piece.hi);
        let shift = SHIFTS.into_iter().find(|&shift| ends.trailing_zeros() >= shift)?;
        // Half of them in use, for the list to be no shorter.
        let parts = PAGE as usize >> shift;
        if pieces.len() * 4 < parts && !cfg!(test) {
            return None;
        }
        let mut new = Self { shift, entries: vec![NOBODY; parts].into() };
        for piece in pieces {
            new.entries[usize::from(piece.lo) >> shift..usize::from(piece.hi) >> shift].fill(piece.entry);
        }
        Some(new)
    }

    /// Its pieces.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut all = Vec::new();
        self.visit(0, PAGE as u16, |piece| all.push(piece));
        all
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|&entry| entry == NOBODY)
    }

    /// How many parts from this one on, and before `end`, have the same entry.
    fn alike(&self, from: usize, end: usize) -> usize {
        let first = self.entries[from];
        self.entries[from..end].iter().take_while(|&&entry| entry == first).count()
    }

    /// Calls `visit` with the pieces that have bytes from `lo` to `hi`, as far as they are in these parts.
    pub fn visit(&self, lo: u16, hi: u16, mut visit: impl FnMut(Piece)) {
        let (mut at, end) = (usize::from(lo) >> self.shift, usize::from(hi).div_ceil(1 << self.shift));
        while at < end {
            let (entry, next) = (self.entries[at], at + self.alike(at, end));
            if entry != NOBODY {
                visit(Piece { lo: (at << self.shift) as u16, hi: (next << self.shift) as u16, entry });
            }
            at = next;
        }
    }

    /// Says what is stored there from now on; false if that cannot be said of parts, and nothing has happened.
    pub fn update(
        &mut self,
        lo: u16,
        hi: u16,
        mut change: impl FnMut(u16, u16, Option<Entry>) -> Option<Entry>,
    ) -> bool {
        if (lo | hi).trailing_zeros() < self.shift {
            return false;
        }
        let (mut at, end) = (usize::from(lo) >> self.shift, usize::from(hi) >> self.shift);
        while at < end {
            let (old, next) = (self.entries[at], at + self.alike(at, end));
            let bytes = ((at << self.shift) as u16, (next << self.shift) as u16);
            let new = change(bytes.0, bytes.1, Some(old).filter(|&old| old != NOBODY)).unwrap_or(NOBODY);
            if new != old {
                self.entries[at..next].fill(new);
            }
            at = next;
        }
        true
    }
}
