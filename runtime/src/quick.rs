//! What hooks look at before anything else: accesses of which nothing comes, by lines of 64 bytes.
//!
//! A direct-mapped table of what [`crate::footprint`] knows, and, while no task runs, of what concerns nobody. It may know less: bits of a strand
//! only ever become more, and whatever else could change ([`Quick::renew`]) makes all lines those of a time that is over.
//!
//! It may know more of a line that has an *owner*: the place in the program that touched new bytes of it last. If that touches others of the line, which is what places do that go through an array,
//! their bits are set here and nowhere else. Whoever else comes to the line, or wants to know what the strand has done, has the owner's bits put into the footprint first ([`Quick::disown`]).
//!
//! The layout is known to hooks that are written in assembly, and to `hooks.h`.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::Act;
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
    /// The same for writes; these may be read as well.
    written: u64,
    /// What its owner is known by in hooks; 0 if it has none.
    owner: u64,
}

/// A place of the program that owns a line.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// What hooks know it by, not 0.
    pub name: u64,
    /// Return address of the hook.
    pub pc: u64,
    /// What it does.
    pub act: Act,
    /// How.
    pub touch: Touch,
}

/// What has become of a line that had an owner.
#[derive(Clone, Copy, Debug)]
pub struct Owned {
    /// Where the line begins.
    pub address: u64,
    /// Bytes that have been read or written, whoever did it, if the owner reads; otherwise those that have been written.
    pub bits: u64,
    /// Whose it was.
    pub by: Owner,
}

/// See the top of `quick.rs`.
#[derive(Debug)]
#[repr(C)]
pub struct Quick {
    /// What tags of the present time have in common; of no tag at all while nothing is known.
    now: u64,
    /// Accesses that ended here.
    repeated: u64,
    time: u64,
    /// It is of use at all.
    on: bool,
    /// Nothing comes of any access: nobody is there whom it could concern.
    idle: bool,
    table: [Line; LINES],
    owners: [Option<Owner>; LINES],
    /// Lines that have owners, or had them.
    owned: Vec<u16>,
}

/// No line has such a tag.
pub const NEVER: u64 = u64::MAX;

impl Default for Quick {
    fn default() -> Self {
        let (table, owners) = ([Line::default(); LINES], [None; LINES]);
        Self { now: NEVER, repeated: 0, time: 0, on: false, idle: false, table, owners, owned: Vec::new() }
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

fn slot(address: u64) -> usize {
    (address / 64) as usize % LINES
}

impl Quick {
    /// Where hooks find what they need.
    pub const NOW: usize = offset_of!(Quick, now);
    /// See [`Quick::NOW`].
    pub const REPEATED: usize = offset_of!(Quick, repeated);
    /// See [`Quick::NOW`].
    pub const IDLE: usize = offset_of!(Quick, idle);
    /// See [`Quick::NOW`].
    pub const TABLE: usize = offset_of!(Quick, table);
    /// Of a line.
    pub const TAG: usize = offset_of!(Line, tag);
    /// Of a line; what may be written is behind it.
    pub const READ: usize = offset_of!(Line, read);
    /// Of a line.
    pub const OWNER: usize = offset_of!(Line, owner);

    /// Is of use from now on: tasks are followed, now or at other times.
    pub fn begin(&mut self) {
        self.on = true;
    }

    /// Whether it is.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Nothing comes of any access from now on, until something changes: functions that call nobody, and so cannot change it, need not be looked at.
    pub fn rest(&mut self) {
        self.idle = self.now != NEVER;
    }

    /// Something may come of them.
    #[inline(always)]
    pub fn wake(&mut self) {
        self.idle = false;
    }

    /// Forgets everything, and knows nothing unless `known`. What owners did must have been asked for.
    pub fn renew(&mut self, known: bool) {
        self.idle = false;
        for slot in self.owned.drain(..) {
            self.owners[usize::from(slot)] = None;
            self.table[usize::from(slot)].owner = 0;
        }
        if !known || !self.on || !is_allowed() {
            self.now = NEVER;
            return;
        }
        self.time += 1;
        if self.time >> (64 - BITS - 1) != 0 {
            self.time = 1;
            self.table = [Line::default(); LINES];
        }
        self.now = self.time << BITS;
    }

    /// Nothing comes of reads and writes of these bytes of the line of an address. The line that was there has no owner.
    #[inline(always)]
    pub fn put(&mut self, address: u64, read: u64, written: u64) {
        if self.now != NEVER {
            self.table[slot(address)] = Line { tag: (address / 64) | self.now, read, written, owner: 0 };
        }
    }

    /// The line, which has just been put there, has an owner.
    #[inline(always)]
    pub fn own(&mut self, address: u64, owner: Owner) {
        if self.now != NEVER {
            let slot = slot(address);
            self.table[slot].owner = owner.name;
            if self.owners[slot].replace(owner).is_none() {
                self.owned.push(slot as u16);
            }
        }
    }

    /// Whether the line that is where this one would be has an owner.
    #[inline(always)]
    pub fn is_owned(&self, address: u64) -> bool {
        self.table[slot(address)].owner != 0
    }

    /// Whether this line, or the one that is where it would be, has this owner.
    #[inline(always)]
    pub fn is_owned_by(&self, address: u64, name: u64) -> bool {
        self.table[slot(address)].owner == name
    }

    /// Whether there may be any such line.
    #[inline(always)]
    pub fn has_owners(&self) -> bool {
        !self.owned.is_empty()
    }

    /// The line that is where this one would be has no owner any more: what is to be known of it.
    pub fn disown(&mut self, address: u64) -> Option<Owned> {
        self.disown_slot(slot(address))
    }

    fn disown_slot(&mut self, slot: usize) -> Option<Owned> {
        let line = &mut self.table[slot];
        if std::mem::take(&mut line.owner) == 0 {
            return None;
        }
        let by = self.owners[slot]?;
        let bits = if by.touch == Touch::Write { line.written } else { line.read };
        Some(Owned { address: (line.tag & ((1 << BITS) - 1)) * 64, bits, by })
    }

    /// The same of all of them, one after the other, in the order in which they first had owners.
    pub fn disown_next(&mut self, from: &mut usize) -> Option<Owned> {
        while let Some(&slot) = self.owned.get(*from) {
            *from += 1;
            if let Some(owned) = self.disown_slot(usize::from(slot)) {
                return Some(owned);
            }
        }
        for slot in self.owned.drain(..) {
            self.owners[usize::from(slot)] = None;
        }
        None
    }

    /// Whether nothing comes of an access. The same is in assembly in the hooks of compiled code.
    #[inline(always)]
    pub fn has(&mut self, address: u64, len: u64, touch: Touch) -> bool {
        let line = &self.table[slot(address)];
        let bits = if touch == Touch::Write { line.written } else { line.read };
        let has = line.tag == (address / 64) | self.now && u64::from((bits >> (address % 64)).trailing_ones()) >= len;
        self.repeated += u64::from(has);
        has
    }

    /// Whether an access, of fewer than 64 bytes, is of the owner of its line: then all is told. So is this in assembly.
    #[inline(always)]
    pub fn takes(&mut self, address: u64, len: u64, touch: Touch, owner: u64) -> bool {
        let line = &mut self.table[slot(address)];
        if line.owner != owner || line.tag != (address / 64) | self.now || address % 64 + len > 64 {
            return false;
        }
        let bits = ((1 << len) - 1) << (address % 64);
        line.read |= bits;
        if touch == Touch::Write {
            line.written |= bits;
        }
        self.repeated += 1;
        true
    }

    /// How many accesses have ended here since the last time.
    pub fn take_repeated(&mut self) -> u64 {
        std::mem::take(&mut self.repeated)
    }
}

const _: () = assert!(size_of::<Line>() == 32 && offset_of!(Line, written) == offset_of!(Line, read) + 8);
const _: () = assert!(Quick::NOW == 0 && Quick::REPEATED == 8 && Quick::TABLE == 32 && Quick::OWNER == 24);

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
        quick.rest();
        assert!(quick.idle);
        quick.renew(false);
        assert!(!quick.has(6400 + 8, 8, Touch::Read) && !quick.idle);
        quick.rest();
        assert!(!quick.idle, "not where everything is to be looked at");
    }

    #[test]
    fn owners_bits_are_asked_for_once() {
        allow();
        let mut quick = Quick::default();
        quick.begin();
        quick.renew(true);
        let by = |name, touch| Owner { name, pc: name + 1, act: Act::Load, touch };
        quick.put(6400, 0xff, 0);
        quick.own(6400, by(7, Touch::Read));
        assert!(quick.takes(6408, 8, Touch::Read, 7) && !quick.takes(6416, 8, Touch::Read, 8));
        assert!(!quick.takes(6460, 8, Touch::Read, 7), "over its end");
        assert!(quick.has(6400, 16, Touch::Read) && !quick.has(6400, 1, Touch::Write));
        let owned = quick.disown(6400 + 64 * LINES as u64).expect("an owner");
        assert_eq!((owned.address, owned.bits, owned.by.pc), (6400, 0xffff, 8));
        assert!(quick.disown(6400).is_none() && !quick.takes(6416, 8, Touch::Read, 7));
        quick.put(640, 0, 0);
        quick.own(640, by(9, Touch::Write));
        assert!(quick.takes(640, 4, Touch::Write, 9) && quick.has(640, 4, Touch::Read));
        let mut from = 0;
        let owned = quick.disown_next(&mut from).expect("an owner");
        assert_eq!((owned.address, owned.bits), (640, 0xf));
        assert!(quick.disown_next(&mut from).is_none() && !quick.has_owners());
        quick.own(640, by(9, Touch::Write));
        quick.renew(true);
        assert!(!quick.is_owned(640) && !quick.takes(640, 4, Touch::Write, 9));
    }
}
