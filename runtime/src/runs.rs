//! The access path: one strand's loads and stores, merged into runs of bytes.
//!
//! A small direct-mapped table, one slot per code address, holds the run that each line is at. An access that is inside the run or
//! extends it at either end costs a comparison or two and no memory. Anything else is a *jump*: the run is put away, and a new one begins.
//!
//! Runs are put away in one of two places. The first few of a line, and those longer than a page, go to a list, which is sorted and merged
//! when it is full. A line that jumps again and again gets a number, its class, and from then on its runs are set in a bit map
//! ([`Coalescer`], after STINT): a jump is then an `or`, and what is touched twice is there once. `take` turns the bits into intervals.
//!
//! Merged are only accesses that nothing can tell apart: same line, kind, position of the strand (so same phase and locks) and memory.
//! The first one's call stack stands for all. No site is ever merged with another, so no pair of lines is lost. How often each byte was
//! touched is not in the bit map: the accesses of a class are shared out among its intervals by their lengths.

mod classes;

use classes::Classes;
use thrille_history::{Class, Coalescer, PAGE};
use thrille_model::{Act, LocksetId, Phase, Pos, StackId};
use thrille_model::{Kind, Rank, Segment, Site};

const SLOTS: usize = 512;

/// Jumps after which a line's runs go to the bit map: few runs are cheaper in the list.
const JUMPS: u32 = 8;

/// Pages of the bit map: bits for 64 MB, 9 MB of memory if all of them are used.
const PAGES: usize = 1 << 14;

/// Bytes touched by one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Return address of the hook; for the doing of a caller, with its number above ([`Site::CALLER`]).
    pub pc: u64,
    /// First byte, as an offset in the segment.
    pub lo: u64,
    /// One past the last byte.
    pub hi: u64,
    /// Position of the strand.
    pub pos: Pos,
    /// Its phase there.
    pub phase: Phase,
    /// The last phase it may reach into, if the strand is the only one: within a global barrier that is the next one.
    pub until: Phase,
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// How it is touched.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
    /// Locks held.
    pub locks: LocksetId,
    /// Called from where.
    pub stack: StackId,
    /// How many accesses.
    pub times: u32,
}

/// What of an access tells which run it belongs to, and where.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Return address of the hook.
    pub pc: u64,
    /// First byte, as an offset in the segment.
    pub lo: u64,
    /// One past the last byte.
    pub hi: u64,
    /// Position of the strand.
    pub pos: Pos,
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// How it is touched.
    pub kind: Kind,
    /// Locks held.
    pub locks: LocksetId,
}

impl Run {
    /// Whether nothing but the bytes tells them apart.
    pub fn same_but_for_bytes(&self, other: &Self) -> bool {
        self.pc == other.pc
            && self.pos == other.pos
            && self.kind == other.kind
            && self.owner == other.owner
            && self.segment == other.segment
            && self.locks == other.locks
    }

    /// Takes in a run that touches or overlaps this one.
    fn absorb(&mut self, other: &Self) -> bool {
        if !self.same_but_for_bytes(other) || other.lo > self.hi || self.lo > other.hi {
            return false;
        }
        self.lo = self.lo.min(other.lo);
        self.hi = self.hi.max(other.hi);
        self.times = self.times.saturating_add(other.times);
        true
    }
}

/// The run that a line is at.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// While it is hot, its bytes and number are there.
    run: Run,
    /// Where its runs go, once there were enough of them.
    class: Option<Class>,
    jumps: u32,
    memory: Memory,
}

/// What an access that goes on is compared with, and changes: the run by its addresses. One for each slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Hot {
    /// Of the line and the kind.
    key: u64,
    /// The run is in known memory since then; 0: it is not hot.
    era: u64,
    /// Its first byte.
    lo: u64,
    /// How many bytes.
    len: u64,
    /// Where the memory ends.
    end: u64,
    /// How many accesses.
    times: u64,
}

impl Slot {
    fn new(run: &Run) -> Self {
        Self { run: *run, class: None, jumps: 0, memory: Memory::default() }
    }

    /// The line jumps once more: where its runs go.
    #[inline(always)]
    fn jumps(&mut self, classes: &mut Classes) -> Option<Class> {
        self.jumps += 1;
        if self.class.is_none() && self.jumps >= JUMPS {
            self.class = classes.of(&self.run);
        }
        self.class
    }

    /// From now on accesses to this memory go on by their addresses.
    #[inline(always)]
    fn heat(&mut self, memory: Memory) -> Hot {
        let Run { lo, hi, times, .. } = self.run;
        self.memory = memory;
        // A run that began elsewhere, or reaches beyond, is compared by its offsets, as is what is neither load nor store.
        let plain = matches!(self.run.kind, Kind::Read | Kind::Write);
        if !plain || memory.offset > lo || hi - memory.offset > memory.end - memory.start {
            return Hot::default();
        }
        let key = key(instruction(self.run.pc), self.run.kind);
        let start = lo - memory.offset + memory.start;
        Hot { key, era: memory.era, lo: start, len: hi - lo, end: memory.end, times: u64::from(times) }
    }

    /// The run by its offsets.
    #[inline(always)]
    fn run(&self, hot: &Hot) -> Run {
        if hot.era == 0 {
            return self.run;
        }
        let lo = hot.lo - self.memory.start + self.memory.offset;
        Run { lo, hi: lo + hot.len, times: u32::try_from(hot.times).unwrap_or(u32::MAX), ..self.run }
    }

    /// From now on it is compared by its offsets.
    fn cool(&mut self, hot: &mut Hot) {
        self.run = self.run(hot);
        *hot = Hot::default();
    }
}

/// Addresses of the segment that a line is at, known for an *era* of its strand: as long as accesses to them differ in nothing but their bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The segment's offset at `start`.
    pub offset: u64,
    /// The era; 0 is none.
    pub era: u64,
}

/// One strand's runs.
#[derive(Debug)]
pub struct Runs {
    hot: Box<[Hot; SLOTS]>,
    slots: Box<[Option<Slot>; SLOTS]>,
    /// The slots in use.
    used: Vec<u16>,
    finished: Vec<Run>,
    limit: usize,
    classes: Classes,
    bits: Coalescer,
}

/// Whether there is room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Room {
    /// There is.
    Enough,
    /// The buffer should be taken away.
    Full,
}

/// What became of an access that was offered to the run its line is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Offered {
    /// It was taken in, and there is room for more or not.
    Taken(Room),
    /// There is no such run.
    New,
}

impl Runs {
    /// An empty table with room for `limit` finished runs.
    #[allow(clippy::large_stack_arrays, reason = "once for a thread, and not when optimised")]
    pub fn new(limit: usize) -> Self {
        Self {
            hot: Box::new([Hot::default(); SLOTS]),
            slots: Box::new([None; SLOTS]),
            used: Vec::with_capacity(SLOTS),
            // Room for those too for which there was none in the bit map.
            finished: Vec::with_capacity(limit + SLOTS),
            limit,
            classes: Classes::new(),
            bits: Coalescer::with_pages(PAGES),
        }
    }

    /// Takes in an access that is inside the run that its line is at, or extends it upwards, if that is in the same memory in the same era. Calls nothing.
    #[inline(always)]
    pub fn goes_on(&mut self, pc: u64, kind: Kind, address: u64, len: u64, era: u64) -> bool {
        let hot = &mut self.hot[slot(pc, kind)];
        let from = address.wrapping_sub(hot.lo);
        if hot.key != key(pc, kind) || hot.era != era || from > hot.len || address > hot.end.wrapping_sub(len) {
            return false;
        }
        hot.len = hot.len.max(from + len);
        hot.times += 1;
        true
    }

    /// Takes in an access of a line that was in the same memory in the same era before.
    #[inline(always)]
    pub fn go_on(&mut self, pc: u64, kind: Kind, address: u64, len: u64, era: u64) -> Offered {
        let number = slot(pc, kind);
        let hot = &mut self.hot[number];
        if hot.key != key(pc, kind) || hot.era != era || address > hot.end.wrapping_sub(len) {
            return Offered::New;
        }
        let from = address.wrapping_sub(hot.lo);
        if from > hot.len {
            return self.leap(number, address, len);
        }
        hot.len = hot.len.max(from + len);
        hot.times += 1;
        Offered::Taken(Room::Enough)
    }

    /// The line of a hot slot goes on elsewhere.
    #[inline(never)]
    fn leap(&mut self, number: usize, address: u64, len: u64) -> Offered {
        let (hot, Some(slot)) = (&mut self.hot[number], &mut self.slots[number]) else { return Offered::New };
        if address < slot.memory.start {
            return Offered::New;
        }
        if address < hot.lo && address + len >= hot.lo {
            (hot.lo, hot.len) = (address, len.max(hot.lo + hot.len - address));
            hot.times += 1;
            return Offered::Taken(Room::Enough);
        }
        let done = slot.run(hot);
        (hot.lo, hot.len, hot.times) = (address, len, 1);
        let class = slot.jumps(&mut self.classes);
        Offered::Taken(self.put_away(&done, class))
    }

    /// The line is in this memory.
    #[inline(always)]
    pub fn is_in(&mut self, pc: u64, kind: Kind, memory: Memory) {
        let number = slot(pc, kind);
        if let Some(slot) = &mut self.slots[number] {
            self.hot[number] = slot.heat(memory);
        }
    }

    /// Takes in an access that is inside the run that its line is at, extends it upwards, or jumps elsewhere from it.
    #[inline(always)]
    pub fn extend(&mut self, access: &Touch) -> Offered {
        let number = slot(instruction(access.pc), access.kind);
        let Some(slot) = &mut self.slots[number] else { return Offered::New };
        slot.cool(&mut self.hot[number]);
        let run = &mut slot.run;
        let same = run.pc == access.pc
            && run.pos == access.pos
            && run.kind == access.kind
            && run.owner == access.owner
            && run.segment == access.segment
            && run.locks == access.locks;
        if !same {
            return Offered::New;
        }
        if access.lo < run.lo || access.lo > run.hi {
            return Offered::Taken(self.jump(number, access.lo, access.hi));
        }
        run.hi = run.hi.max(access.hi);
        run.times = run.times.saturating_add(1);
        Offered::Taken(Room::Enough)
    }

    /// The line of the slot goes on elsewhere, or to bytes that end where the run begins.
    #[inline(never)]
    fn jump(&mut self, number: usize, lo: u64, hi: u64) -> Room {
        let Some(slot) = &mut self.slots[number] else { return Room::Enough };
        slot.cool(&mut self.hot[number]);
        let run = &mut slot.run;
        if hi >= run.lo && lo <= run.hi {
            (run.lo, run.hi) = (lo.min(run.lo), hi.max(run.hi));
            run.times = run.times.saturating_add(1);
            return Room::Enough;
        }
        let done = (slot.run, slot.jumps(&mut self.classes));
        (slot.run.lo, slot.run.hi, slot.run.times) = (lo, hi, 1);
        self.put_away(&done.0, done.1)
    }

    /// Takes in one access.
    pub fn add(&mut self, run: &Run) -> Room {
        let number = slot(instruction(run.pc), run.kind);
        let (new, hot) = (Some(Slot::new(run)), &mut self.hot[number]);
        match &mut self.slots[number] {
            Some(current) if current.run.same_but_for_bytes(run) => self.jump(number, run.lo, run.hi),
            Some(current) => {
                let (done, class) = (current.run(hot), current.class);
                (*hot, self.slots[number]) = (Hot::default(), new);
                self.put_away(&done, class)
            }
            empty => {
                *empty = new;
                self.used.push(number as u16);
                Room::Enough
            }
        }
    }

    /// A run is over.
    #[inline(always)]
    fn put_away(&mut self, run: &Run, class: Option<Class>) -> Room {
        if let Some(class) = class
            && run.hi - run.lo < PAGE
        {
            if self.bits.put(class, run.lo, run.hi).is_ok() {
                self.classes.count(class, run.times);
                return Room::Enough;
            }
            self.finished.push(*run);
            return Room::Full;
        }
        self.finish(run)
    }

    fn finish(&mut self, run: &Run) -> Room {
        self.finished.push(*run);
        if self.finished.len() < self.limit {
            return Room::Enough;
        }
        merge(&mut self.finished);
        if self.finished.len() < self.limit / 2 { Room::Enough } else { Room::Full }
    }

    /// Takes everything out, merged, and leaves the table empty.
    pub fn take(&mut self, out: &mut Vec<Run>) {
        let used = std::mem::take(&mut self.used);
        for &number in &used {
            if let Some(slot) = self.slots[number as usize].take() {
                let run = slot.run(&std::mem::take(&mut self.hot[number as usize]));
                match slot.class {
                    // What there is no room for is in the list now, which is taken as well.
                    Some(class) => drop(self.put_away(&run, Some(class))),
                    None => self.finished.push(run),
                }
            }
        }
        self.used = used;
        self.used.clear();
        let begin = out.len();
        self.take_bits(out);
        if !self.finished.is_empty() {
            out.append(&mut self.finished);
            merge_from(out, begin);
        }
    }

    /// The intervals of the bit map, class by class.
    fn take_bits(&mut self, out: &mut Vec<Run>) {
        if self.classes.is_empty() {
            return;
        }
        let (classes, mut begin, mut current) = (&self.classes, out.len(), None);
        self.bits.drain(|class, at| {
            if current != Some(class) {
                share(current.map_or(0, |class| classes.get(class).1), &mut out[begin..]);
                (begin, current) = (out.len(), Some(class));
            }
            out.push(Run { lo: at.lo(), hi: at.hi(), times: 1, ..classes.get(class).0 });
        });
        share(current.map_or(0, |class| classes.get(class).1), &mut out[begin..]);
        self.classes.clear();
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty() && self.bits.is_empty() && self.used.is_empty()
    }
}

/// What tells the lines and kinds of loads and stores apart; code is in the lower half of the addresses.
#[inline(always)]
fn key(pc: u64, kind: Kind) -> u64 {
    match kind {
        Kind::Read => pc,
        Kind::Write => pc | 1 << 63,
        // Of none: they are compared as a whole.
        Kind::Atomic(_) | Kind::Await => u64::MAX,
    }
}

/// The address of a line, whoever called. Lines that differ in that alone share a slot: an era has one caller.
#[inline(always)]
fn instruction(pc: u64) -> u64 {
    pc & ((1 << Site::CALLER) - 1)
}

#[inline(always)]
fn slot(pc: u64, kind: Kind) -> usize {
    // Lines whose addresses are near each other must not meet; a line that copies reads and writes in turn: two slots.
    ((pc + u64::from(kind == Kind::Write)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize % SLOTS
}

/// Shares out a class's accesses among its intervals, each of which is one of them already: by length, and all of them.
fn share(times: u64, runs: &mut [Run]) {
    let mut left = times.saturating_sub(runs.len() as u64);
    let mut bytes: u64 = runs.iter().map(|r| r.hi - r.lo).sum();
    for run in runs {
        let len = run.hi - run.lo;
        let part = (u128::from(left) * u128::from(len) / u128::from(bytes)) as u64;
        run.times = u32::try_from(part).unwrap_or(u32::MAX).saturating_add(1);
        (left, bytes) = (left - part, bytes - len);
    }
}

/// Sorts runs and joins those that touch. What else they differ in is as a rule the same for one line at one position.
fn merge(runs: &mut Vec<Run>) {
    merge_from(runs, 0);
}

/// The same from an index on. By positions first, which is the order that they are in already, or nearly.
fn merge_from(runs: &mut Vec<Run>, begin: usize) {
    runs[begin..].sort_by_key(|r| r.pos);
    for runs in runs[begin..].chunk_by_mut(|a, b| a.pos == b.pos) {
        // An instruction that reads and writes the same place makes two rows of runs, which must not lie between each other.
        runs.sort_by_key(|r| (r.pc, r.kind == Kind::Write, r.lo));
    }
    let mut kept = begin;
    for next in begin + 1..runs.len() {
        let run = runs[next];
        if !runs[kept].absorb(&run) {
            kept += 1;
            runs[kept] = run;
        }
    }
    runs.truncate(kept + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(pc: u64, lo: u64, len: u64, pos: u64, kind: Kind) -> Run {
        Run {
            pc,
            lo,
            hi: lo + len,
            pos: Pos(pos),
            phase: Phase(0),
            until: Phase(0),
            owner: Rank(0),
            segment: Segment::Heap,
            kind,
            act: Act::Load,
            locks: LocksetId::EMPTY,
            stack: StackId(0),
            times: 1,
        }
    }

    /// As the recorder does it.
    fn offer(runs: &mut Runs, run: &Run) -> Room {
        let Run { pc, lo, hi, pos, owner, segment, kind, locks, .. } = *run;
        match runs.extend(&Touch { pc, lo, hi, pos, owner, segment, kind, locks }) {
            Offered::Taken(room) => room,
            Offered::New => runs.add(run),
        }
    }

    /// The same in memory that is known: the line goes on by its addresses, as long as it may.
    fn offer_known(runs: &mut Runs, run: &Run, shortest: bool) -> Room {
        let memory = Memory { start: 1 << 20, end: (1 << 20) + 15_000, offset: 30, era: run.pos.0 + 1 };
        let known = run.lo >= memory.offset && run.hi - memory.offset <= memory.end - memory.start;
        if !known {
            return offer(runs, run);
        }
        let (address, len) = (run.lo - memory.offset + memory.start, run.hi - run.lo);
        if shortest && runs.goes_on(run.pc, run.kind, address, len, memory.era) {
            return Room::Enough;
        }
        if let Offered::Taken(room) = runs.go_on(run.pc, run.kind, address, len, memory.era) {
            return room;
        }
        let room = offer(runs, run);
        runs.is_in(run.pc, run.kind, memory);
        room
    }

    /// The same bytes in as few pieces as possible.
    fn union(mut bytes: Vec<((u64, u64, Kind), u64, u64)>) -> Vec<((u64, u64, Kind), u64, u64)> {
        bytes.sort_unstable();
        bytes.dedup_by(|next, kept| {
            let joins = kept.0 == next.0 && next.1 <= kept.2;
            kept.2 = if joins { kept.2.max(next.2) } else { kept.2 };
            joins
        });
        bytes
    }

    #[test]
    fn random_accesses_are_there_once() {
        let mut runs = Runs::new(64);
        // Every word twice, in an order that touches no two neighbours in turn.
        for i in 0..2_000_u64 {
            assert_eq!(offer(&mut runs, &run(7, i * 7 % 1_000 * 8, 8, 0, Kind::Write)), Room::Enough);
        }
        let mut out = Vec::new();
        runs.take(&mut out);
        assert_eq!(out, [Run { times: 2_000, ..run(7, 0, 8_000, 0, Kind::Write) }]);
    }

    #[test]
    fn more_pages_than_there_are_bits_for() {
        let mut runs = Runs::new(64);
        let (mut out, mut taken) = (Vec::new(), 0);
        for i in 0..40_000_u64 {
            if offer(&mut runs, &run(7, i * 2 * PAGE, 8, 0, Kind::Write)) == Room::Full {
                runs.take(&mut out);
                taken += 1;
            }
        }
        runs.take(&mut out);
        assert_eq!((taken, out.len()), (2, 40_000));
        assert!((0_u64..).zip(&out).all(|(i, r)| (r.lo, r.times) == (i * 2 * PAGE, 1)));
    }

    #[test]
    fn a_million_contiguous_stores_are_one_run() {
        let mut runs = Runs::new(64);
        for i in 0..1_000_000 {
            assert_eq!(runs.add(&run(7, i * 8, 8, 0, Kind::Write)), Room::Enough);
        }
        let mut out = Vec::new();
        runs.take(&mut out);
        assert_eq!(out, [Run { times: 1_000_000, ..run(7, 0, 8_000_000, 0, Kind::Write) }]);
    }

    proptest! {
        /// Whatever is merged, the bytes of each line, kind and position stay the same, and so does the number of accesses.
        #[test]
        fn nothing_is_lost_or_added(
            accesses in prop::collection::vec((0u64..4, prop_oneof![0u64..40, 0u64..20_000], prop_oneof![1u64..9, 1u64..6_000], any::<bool>()), 0..300),
            pace in prop_oneof![1usize..4, Just(100)],
            known in prop_oneof![Just(None), any::<bool>().prop_map(Some)],
        ) {
            let mut runs = Runs::new(16);
            let mut out = Vec::new();
            let mut expected = Vec::new();
            for (turn, &(pc, lo, len, write)) in accesses.iter().enumerate() {
                let (pos, kind) = ((turn / pace) as u64, if write { Kind::Write } else { Kind::Read });
                // Code addresses that share a slot, as a rule.
                let pc = pc / 2 * 512 * 513 + pc % 2;
                expected.push(((pc, pos, kind), lo, lo + len));
                let access = run(pc, lo, len, pos, kind);
                let room = match known {
                    Some(shortest) => offer_known(&mut runs, &access, shortest),
                    None => offer(&mut runs, &access),
                };
                if room == Room::Full {
                    runs.take(&mut out);
                }
            }
            runs.take(&mut out);
            prop_assert!(runs.is_empty());
            let found = out.iter().map(|r| ((r.pc, r.pos.0, r.kind), r.lo, r.hi)).collect();
            prop_assert_eq!(union(found), union(expected));
            prop_assert_eq!(out.iter().map(|r| u64::from(r.times)).sum::<u64>(), accesses.len() as u64);
            prop_assert!(out.iter().all(|r| r.times > 0));
        }
    }
}
