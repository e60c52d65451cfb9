//! What hooks look at before anything else: accesses of which nothing comes, by lines of 64 bytes.
//!
//! A direct-mapped table of what [`crate::footprint`] knows, and, while no task runs, of what concerns nobody. It may know less, never more: bits of a strand
//! only ever become more, and whatever else could change ([`Quick::renew`]) makes all lines those of a time that is over.
//!
//! The layout is known to hooks that are written in assembly.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_tasks::Touch;

/// Lines in the table: 16 KB.
pub const LINES: usize = 512;
/// Addresses by 64 have so many bits; above is the time.
const BITS: u32 = 41;

/// A line of 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Line {
    /// Its address by 64, and when.
    tag: u64,
    /// Bytes that may be read without anything coming of it.
    read: u64,
    /// The same for writes.
    written: u64,
    _unused: u64,
}

/// See the top of `quick.rs`.
#[derive(Debug)]
#[repr(C)]
pub struct Quick {
    /// What tags of the present time have in common; of no tag at all while nothing is known.
    now: u64,
    /// Accesses that ended here.
    repeated: u64,
    table: Option<Box<[Line; LINES]>>,
    time: u64,
    /// It is of use at all.
    on: bool,
}

/// No line has such a tag.
const NEVER: u64 = u64::MAX;

impl Default for Quick {
    fn default() -> Self {
        Self { now: NEVER, repeated: 0, table: None, time: 0, on: false }
    }
}

static ALLOWED: AtomicBool = AtomicBool::new(false);

/// All accesses are looked at, so that those of which nothing comes need not be.
pub fn allow() {
    ALLOWED.store(true, Ordering::Relaxed);
}

/// Whether that is so.
#[inline(always)]
pub fn is_allowed() -> bool {
    ALLOWED.load(Ordering::Relaxed)
}

impl Quick {
    /// Where hooks find what they need.
    pub const NOW: usize = offset_of!(Quick, now);
    /// See [`Quick::NOW`].
    pub const REPEATED: usize = offset_of!(Quick, repeated);
    /// See [`Quick::NOW`].
    pub const TABLE: usize = offset_of!(Quick, table);
    /// Of a line.
    pub const TAG: usize = offset_of!(Line, tag);
    /// Of a line; what may be written is behind it.
    pub const READ: usize = offset_of!(Line, read);

    /// Is of use from now on: tasks are followed, now or at other times.
    pub fn begin(&mut self) {
        self.on = true;
    }

    /// Whether it is.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Forgets everything, and knows nothing unless `known`.
    pub fn renew(&mut self, known: bool) {
        if !known || !self.on || !is_allowed() {
            self.now = NEVER;
            return;
        }
        self.time += 1;
        if self.time >> (64 - BITS - 1) != 0 {
            self.time = 1;
            self.table = None;
        }
        self.now = self.time << BITS;
        self.table.get_or_insert_with(|| Box::new([Line::default(); LINES]));
    }

    /// Nothing comes of reads and writes of these bytes of the line of an address.
    #[inline(always)]
    pub fn put(&mut self, address: u64, read: u64, written: u64) {
        if self.now != NEVER
            && let Some(table) = &mut self.table
        {
            let line = address / 64;
            table[line as usize % LINES] = Line { tag: line | self.now, read, written, _unused: 0 };
        }
    }

    /// Whether nothing comes of an access. The same is in assembly in the hooks of compiled code.
    #[inline(always)]
    pub fn has(&mut self, address: u64, len: u64, touch: Touch) -> bool {
        let Some(table) = &self.table else { return false };
        let line = &table[(address / 64) as usize % LINES];
        let bits = if touch == Touch::Write { line.written } else { line.read };
        let has = line.tag == (address / 64) | self.now && u64::from((bits >> (address % 64)).trailing_ones()) >= len;
        self.repeated += u64::from(has);
        has
    }

    /// How many accesses have ended here since the last time.
    pub fn take_repeated(&mut self) -> u64 {
        std::mem::take(&mut self.repeated)
    }
}

const _: () = assert!(size_of::<Line>() == 32 && offset_of!(Line, written) == offset_of!(Line, read) + 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_it_was_told_until_it_is_renewed() {
        let mut quick = Quick::default();
        quick.put(64, u64::MAX, u64::MAX);
        assert!(!quick.has(64, 8, Touch::Read), "not on");
        allow();
        quick.begin();
        quick.renew(true);
        quick.put(6400 + 7, 0xff00, 0x0f00);
        assert!(quick.has(6400 + 8, 8, Touch::Read) && quick.has(6400 + 8, 4, Touch::Write));
        assert!(!quick.has(6400 + 8, 8, Touch::Write) && !quick.has(6400 + 7, 2, Touch::Read));
        assert!(!quick.has(6400 + 15, 2, Touch::Read) && !quick.has(6400 + 64 * LINES as u64 + 8, 8, Touch::Read));
        quick.put(6400, u64::MAX, 0);
        assert!(quick.has(6400 + 56, 8, Touch::Read) && !quick.has(6400 + 60, 8, Touch::Read), "over its end");
        assert_eq!(quick.take_repeated(), 3);
        quick.renew(true);
        assert!(!quick.has(6400 + 8, 8, Touch::Read));
        quick.put(6400, u64::MAX, 0);
        quick.renew(false);
        assert!(!quick.has(6400 + 8, 8, Touch::Read));
    }
}
