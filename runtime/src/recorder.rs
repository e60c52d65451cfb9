//! What one strand carries with it. Its own thread alone touches it: no lock on the access path.

use crate::crew::Hand;
use crate::footprint::{Footprint, Item, TEETH, Told};
use crate::quick::{Owned, Owner, Quick};
use crate::rank::{Binding, Role, Section};
use crate::regions::Regions;
use crate::runs::{Memory, Offered, Room, Run, Runs, Touch};
use crate::stacks::CallStack;
use crate::stores::{Stored, Stores};
use crate::underway::{UnderWay, Use};
use std::sync::Arc;
use thrille_model::{Act, Comb, Held, Interval, Kind, Lock, LocksetId, Phase, Pos, Rank, Segment, Strand, Token, comb};
use thrille_tasks::Touch as Touches;

/// Private memory by address, before it is known which block that is.
pub const UNRESOLVED: Segment = Segment::Block(0);

const BUFFERED: usize = 1 << 15;

/// Rows that are looked at piece by piece before they are as a whole.
const FEW: u64 = 8;

/// Where a piece of a row is.
#[inline(always)]
fn tooth_at(address: u64, step: i64, tooth: u64) -> u64 {
    address.wrapping_add_signed(step.wrapping_mul(tooth as i64))
}

/// One strand's own state.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) strand: Strand,
    pub(crate) pos: Pos,
    /// The position of its last event, at which its loads and stores are recorded: see [`crate::underway`].
    pub(crate) epoch: Pos,
    /// Raised whenever something changes that tells accesses to the same memory apart, or what is shared: see [`Memory`].
    era: u64,
    under_way: UnderWay,
    /// Operations that are complete, though what they used is still among that.
    pub(crate) outdated: usize,
    /// Whether the strand has touched, or used by another operation, what an operation of its own that is under way uses.
    pub(crate) crossed: Crossed,
    pub(crate) phase: Phase,
    /// The phase, or a later one: while the strand is between entering and leaving a global barrier, and after one that it only passed.
    pub(crate) until: Phase,
    pub(crate) held: Vec<Held>,
    /// Those that another strand took for the whole process: see [`crate::rank`].
    pub(crate) borrowed: Vec<Held>,
    /// How often such locks had been taken and given back when that was looked up.
    pub(crate) lent: u64,
    pub(crate) locks: LocksetId,
    /// Those of creators of tasks that run where they were created, by the task before which they were laid down.
    pub(crate) laid_down: Vec<(usize, Vec<Held>)>,
    /// The critical sections it is in, of locks that are counted.
    pub(crate) sections: Vec<Section>,
    pub(crate) runs: Runs,
    /// Stores that somebody may wait for.
    pub(crate) stores: Stores,
    /// Operations that repeated and were not recorded: to whom, how many, how many bytes.
    pub(crate) repeated: Vec<(Rank, u64, u64)>,
    /// The strand's calls.
    pub stack: CallStack,
    /// The return address of the call that it synchronises by; 0 if that is not known.
    pub calling: u64,
    /// While tasks are followed that run one after the other: what this one has touched.
    pub(crate) footprint: Footprint,
    /// What of all that need not be looked at.
    quick: Box<Quick>,
    /// What of that others know already.
    again: Again,
    /// Where tasks are followed on several threads: what it does for them.
    pub(crate) hand: Option<Box<Hand>>,
    regions: Arc<Regions>,
    hint: usize,
    /// Whether its rank has other strands, so that all memory is shared.
    threaded: bool,
    /// Whether tasks are followed in a job of one rank: memory that other ranks could reach is theirs alone, but for what operations do to it.
    alone: bool,
    /// Private memory that nonblocking operations use now: a bounding box and the intervals.
    watched: Watched,
    /// Memory that is not the program's to tell of, while a library calls it back.
    spared: Vec<Interval>,
    pub(crate) binding: Binding,
    /// Its thread's own memory: where, and how much.
    own: (u64, u64),
    /// It has used that and is not bound.
    pub(crate) asked: bool,
    /// How often its thread got something that no other thread has: memory from the heap, its number, a part of the work that it shares.
    gained: u64,
    /// Raised when memory is shared that was not before.
    generation: u32,
    /// Loads and stores executed.
    pub executed: u64,
    /// Microseconds spent on being observed, and how many passed meanwhile, if somebody measures.
    pub spent: Option<(u64, u64)>,
    /// Those on shared memory.
    pub observed: u64,
}

/// Accesses of lines to bytes that others reach too, which were recorded at the strand's present position: tasks do the same thing many times over, and
/// nothing but their number would come of it.
#[derive(Debug, Default)]
struct Again {
    known: Vec<(u64, u64, u64, Pos, bool)>,
}

impl Again {
    const SLOTS: usize = 256;

    /// Whether it is one of them; it is from now on.
    #[inline(never)]
    fn is(&mut self, pc: u64, address: u64, len: u64, kind: Kind, pos: Pos) -> bool {
        if self.known.is_empty() {
            self.known = vec![(0, 0, 0, Pos(0), false); Self::SLOTS];
        }
        let mixed = (pc ^ address.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let this = (pc, address, len, pos, kind == Kind::Write);
        let known = &mut self.known[(mixed >> 48) as usize % Self::SLOTS];
        std::mem::replace(known, this) == this
    }
}

/// Where a strand came across its own operations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossed {
    /// Somewhere.
    pub any: bool,
    /// In private memory.
    pub private: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Watched {
    lo: u64,
    hi: u64,
    now: Union,
    /// All that was ever watched.
    ever: Union,
    /// How often that grew.
    grown: u32,
}

impl Watched {
    fn add(&mut self, lo: u64, hi: u64) {
        if self.now.0.is_empty() {
            (self.lo, self.hi) = (lo, hi);
        }
        (self.lo, self.hi) = (self.lo.min(lo), self.hi.max(hi));
        self.now.add(lo, hi);
        if self.ever.add(lo, hi) {
            self.grown = self.grown.wrapping_add(1);
        }
    }

    fn clear(&mut self) {
        self.now.0.clear();
        (self.lo, self.hi) = (0, 0);
    }

    #[inline]
    fn touches(&self, lo: u64, hi: u64) -> bool {
        lo < self.hi && self.lo < hi && self.now.touches(lo, hi)
    }
}

/// Intervals as one set of bytes: in order, apart from one another. Thousands of buffers may be in use.
#[derive(Debug, Default)]
struct Union(Vec<(u64, u64)>);

impl Union {
    /// Whether it grew.
    fn add(&mut self, lo: u64, hi: u64) -> bool {
        let first = self.0.partition_point(|&(_, end)| end < lo);
        let end = first + self.0[first..].partition_point(|&(begin, _)| begin <= hi);
        if first < end && self.0[first].0 <= lo && hi <= self.0[first].1 {
            return false;
        }
        let joined = self.0[first..end].iter().fold((lo, hi), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.0.splice(first..end, [joined]);
        true
    }

    fn touches(&self, lo: u64, hi: u64) -> bool {
        let first = self.0.partition_point(|&(_, end)| end <= lo);
        self.0.get(first).is_some_and(|&(begin, _)| begin < hi)
    }
}

impl Recorder {
    pub(crate) fn new(strand: Strand, regions: Arc<Regions>) -> Self {
        Self {
            strand,
            pos: Pos(0),
            epoch: Pos(0),
            era: 1,
            under_way: UnderWay::default(),
            outdated: 0,
            crossed: Crossed::default(),
            phase: Phase(0),
            until: Phase(0),
            held: Vec::new(),
            borrowed: Vec::new(),
            lent: 0,
            locks: LocksetId::EMPTY,
            laid_down: Vec::new(),
            sections: Vec::new(),
            repeated: Vec::new(),
            runs: Runs::new(BUFFERED),
            stores: Stores::default(),
            stack: CallStack::new(),
            calling: 0,
            regions,
            footprint: Footprint::default(),
            quick: Box::default(),
            again: Again::default(),
            hand: None,
            hint: 0,
            threaded: false,
            alone: false,
            watched: Watched::default(),
            spared: Vec::new(),
            binding: Binding::Bound,
            own: (0, 0),
            asked: false,
            gained: 0,
            generation: 0,
            executed: 0,
            spent: None,
            observed: 0,
        }
    }

    /// Whether it holds a lock.
    pub(crate) fn holds(&self, lock: Lock) -> bool {
        self.held.iter().any(|held| held.lock == lock)
    }

    /// Who this is.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// What follows its tasks, if they are on several threads.
    pub fn core(&mut self) -> Option<&mut thrille_tasks::pint::Core> {
        self.hand.as_mut().map(|hand| &mut hand.core)
    }

    /// Whether what its thread runs is bound to it, where tasks are on several threads.
    pub fn bound_to(&mut self, thread: bool) {
        if let Some(hand) = &mut self.hand {
            hand.bound = thread;
        }
    }

    /// See [`Recorder::bound_to`].
    pub fn is_bound_to(&self) -> bool {
        self.hand.as_ref().is_some_and(|hand| hand.bound)
    }

    /// Where it is.
    pub fn pos(&self) -> Pos {
        self.pos
    }

    /// Global barriers that it knows of.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Where hooks find [`Quick`], as long as there is the recorder.
    pub fn quick(&mut self) -> *mut Quick {
        &raw mut *self.quick
    }

    /// What owners of lines did is where all that the strand did is.
    #[inline(always)]
    pub(crate) fn settle_owners(&mut self) {
        if self.quick.has_owners() {
            self.settle_all_owners();
        }
    }

    #[inline(never)]
    fn settle_all_owners(&mut self) {
        let mut from = 0;
        while let Some(owned) = self.quick.disown_next(&mut from) {
            self.settle_owned(owned);
        }
    }

    /// The same of the line that is where this one would be, in the table.
    #[inline(never)]
    fn settle_owner_at(&mut self, address: u64) {
        if let Some(owned) = self.quick.disown(address) {
            self.settle_owned(owned);
        }
    }

    fn settle_owned(&mut self, Owned { address, bits, by: Owner { pc, act, touch, .. } }: Owned) {
        let mut new = self.footprint.fill(address, bits, touch);
        while new != 0 {
            let (lo, len) = (new.trailing_zeros(), (!(new >> new.trailing_zeros())).trailing_zeros());
            new &= u64::MAX.checked_shl(lo + len).unwrap_or(0);
            let item = Item::bytes(address + u64::from(lo), u64::from(len));
            if !self.footprint.goes_on(pc, act, touch, &item) {
                let _ = self.touch_first(item, u64::from(len), act, touch, pc);
            }
        }
    }

    /// Whether nothing more comes of a load or store: the strand of a task has done the same before, or the place of this name goes on in its line, or there is nobody else to whom it could matter. May not know.
    #[inline(always)]
    pub fn is_idle_touch(&mut self, address: u64, len: u64, touch: Touches, name: u64) -> bool {
        self.quick.has(address, len, touch) || self.quick.takes(address, len, touch, name)
    }

    /// Something has changed that [`Quick`] does not know of.
    pub(crate) fn renew_quick(&mut self) {
        self.settle_owners();
        self.quick.renew(self.is_quiet());
    }

    /// What was idle counts as well.
    pub(crate) fn count_repeated(&mut self) {
        let repeated = self.quick.take_repeated();
        self.executed += repeated;
        self.observed += if self.footprint.is_on() { repeated } else { 0 };
    }

    /// A load, a store or another access that is over at once. `Full` asks to have the buffer taken by [`crate::Session::drain`].
    #[inline(always)]
    pub fn touch(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        self.executed += 1;
        if self.footprint.is_on() {
            return self.touch_by_task(address, len, kind, act, pc);
        }
        self.touch_by_strand(address, len, kind, act, pc)
    }

    /// A load or store by a task that runs after another, of a line that only tasks reach, most of which go on where the same place was before. False if it is not such. Hooks know the
    /// place by `name`.
    #[inline(always)]
    pub fn touch_on(&mut self, address: u64, len: u64, touch: Touches, act: Act, pc: u64, name: u64) -> bool {
        if !self.footprint.is_on() || self.locks != LocksetId::EMPTY || !self.is_quiet() {
            return false;
        }
        if self.quick.is_owned(address) {
            self.settle_owner_at(address);
        }
        for next in [address.wrapping_sub(64), address.wrapping_add(64)] {
            if self.quick.is_owned_by(next, name) {
                // It goes on to this line: what it did so far is then one piece with what it does now.
                self.settle_owner_at(next);
            }
        }
        let Some((told, read, written)) = self.footprint.touch_line(address, len, touch) else { return false };
        (self.executed, self.observed) = (self.executed + 1, self.observed + 1);
        self.quick.put(address, read, written);
        if told == Told::New {
            self.quick.own(address, Owner { name, pc, act, touch });
            let item = Item::bytes(address, len);
            // The line's page is there, so there is room for it.
            if !self.footprint.goes_on(pc, act, touch, &item) {
                return self.touch_first(item, len, act, touch, pc) == Room::Enough;
            }
        }
        true
    }

    /// The same of so many executions that leave nothing out in between, of one page; none if it is not such.
    #[inline(always)]
    pub fn touch_row_on(
        &mut self,
        address: u64,
        len: u64,
        times: u64,
        touch: Touches,
        act: Act,
        pc: u64,
    ) -> Option<Room> {
        if !self.footprint.is_on() || self.locks != LocksetId::EMPTY || !self.is_quiet() || len == 0 {
            return None;
        }
        for line in address / 64..=(address + len - 1) / 64 {
            if self.quick.is_owned(line * 64) {
                self.settle_owner_at(line * 64);
            }
        }
        let quick = &mut self.quick;
        let told =
            self.footprint.touch_lines(address, len, touch, |line, read, written| quick.put(line, read, written));
        let told = told?;
        (self.executed, self.observed) = (self.executed + times, self.observed + times);
        Some(match told {
            Told::Known => Room::Enough,
            Told::New => self.touch_first(Item::bytes(address, len), len, act, touch, pc),
        })
    }

    /// The same by a task among tasks that run one after the other: what is not kept apart by anything goes to its footprint, and what matters to others too goes on.
    #[inline(always)]
    fn touch_by_task(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        let plain = match kind {
            Kind::Read => Touches::Read,
            Kind::Write => Touches::Write,
            Kind::Atomic(_) | Kind::Await => return self.touch_with_care(address, len, kind, act, pc),
        };
        if self.locks != LocksetId::EMPTY {
            return self.touch_with_care(address, len, kind, act, pc);
        }
        self.settle_owners();
        let mut room = Room::Enough;
        if self.is_quiet()
            && let Some((told, read, written)) = self.footprint.touch_line(address, len, plain)
        {
            self.observed += 1;
            self.quick.put(address, read, written);
            if told == Told::New {
                room = self.touch_first(Item::bytes(address, len), len, act, plain, pc);
            } else if self.footprint.is_crowded() {
                room = Room::Full;
            }
            return room;
        }
        if self.footprint.touch(address, len, plain) == Told::New {
            room = self.touch_first(Item::bytes(address, len), len, act, plain, pc);
        }
        if self.concerns_others(address, address.saturating_add(len))
            && !self.again.is(pc, address, len, kind, self.pos)
        {
            let other = self.touch_by_strand(address, len, kind, act, pc);
            return if room == Room::Full { room } else { other };
        }
        self.observed += 1;
        room
    }

    /// Whether others than the tasks may have to know of these bytes.
    #[inline(always)]
    fn concerns_others(&mut self, lo: u64, hi: u64) -> bool {
        !self.is_quiet() || (!self.alone && !self.regions.is_clear_of(lo, hi, &mut self.hint))
    }

    /// Whether what is done to memory that others do not reach is for the tasks alone.
    #[inline(always)]
    fn is_quiet(&self) -> bool {
        !self.shares_all() && self.watched.now.0.is_empty() && (!self.alone || self.under_way.is_empty())
    }

    /// The strand has not touched all of these bytes before in this way.
    #[inline(never)]
    fn touch_first(&mut self, item: Item, len: u64, act: Act, touch: Touches, pc: u64) -> Room {
        const LONGEST: u64 = 1 << 31;
        let stack = &mut self.stack;
        if self.footprint.goes_on(pc, act, touch, &item) {
            // All is told.
        } else if len <= LONGEST {
            self.footprint.log(pc, act, touch, item, || stack.at(pc));
        } else {
            for part in (0..len).step_by(LONGEST as usize) {
                let item = Item::bytes(item.lo + part, (len - part).min(LONGEST));
                self.footprint.log(pc, act, touch, item, || stack.at(pc));
            }
        }
        if self.footprint.is_crowded() { Room::Full } else { Room::Enough }
    }

    /// Under a lock, or atomically: by lines.
    #[inline(never)]
    fn touch_with_care(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        let threaded = std::mem::replace(&mut self.threaded, true);
        let room = self.touch_by_strand(address, len, kind, act, pc);
        self.threaded = threaded;
        room
    }

    /// The same of a strand.
    #[inline(always)]
    fn touch_by_strand(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        if let Offered::Taken(room) = self.runs.go_on(pc, kind, address, len, self.era) {
            self.observed += 1;
            return room;
        }
        let Some(region) = self.regions.find(address, &mut self.hint) else {
            // Private memory matters while there are other threads, or a nonblocking operation of this strand uses it.
            let end = address.saturating_add(len);
            if !self.threaded && !self.watched.touches(address, end) {
                if self.quick.is_on() && !self.footprint.is_on() && self.is_private_line(address) {
                    self.quick.put(address, u64::MAX, u64::MAX);
                }
                return Room::Enough;
            }
            if self.spares(address, end) {
                return Room::Enough;
            }
            if address.wrapping_sub(self.own.0) < self.own.1 && self.asks_for_thread() {
                return Room::Full;
            }
            self.crossed = Crossed { any: true, private: true };
            return self.record(self.pos, address, end, self.strand.rank, UNRESOLVED, kind, act, pc);
        };
        let lo = address - region.start + region.offset;
        let hi = lo + len.min(region.end - address);
        let (owner, segment) = (region.owner, region.segment);
        if self.spares(address, address.saturating_add(len)) {
            return Room::Enough;
        }
        if matches!((kind, act), (Kind::Write, Act::Store)) && (self.threaded || owner != self.strand.rank) {
            let stored = Stored { address, owner, segment, lo, len: hi - lo };
            if self.stores.counts(stored, pc) {
                let used = self.under_way.touches(owner, segment, lo, hi);
                self.crossed.any |= used;
                let _ = self.record(if used { self.pos } else { self.epoch }, lo, hi, owner, segment, kind, act, pc);
                return Room::Full;
            }
        }
        if self.under_way.is_empty() {
            let memory = Memory { start: region.start, end: region.end, offset: region.offset, era: self.era };
            let room = self.record(self.epoch, lo, hi, owner, segment, kind, act, pc);
            if self.spared.is_empty() {
                self.runs.is_in(pc, kind, memory);
            }
            return room;
        }
        let used = self.under_way.touches(owner, segment, lo, hi);
        self.crossed.any |= used;
        let pos = if used { self.pos } else { self.epoch };
        self.record(pos, lo, hi, owner, segment, kind, act, pc)
    }

    /// Loads and stores of these bytes are not recorded from now on; those of the ones before are again, which it gives back.
    pub fn spare(&mut self, bytes: Vec<Interval>) -> Vec<Interval> {
        self.era += 1;
        std::mem::replace(&mut self.spared, bytes)
    }

    #[inline(always)]
    fn spares(&self, lo: u64, hi: u64) -> bool {
        !self.spared.is_empty() && self.spared.iter().any(|spared| lo < spared.hi() && spared.lo() < hi)
    }

    #[inline(never)]
    fn is_private_line(&mut self, address: u64) -> bool {
        let line = address & !63;
        self.regions.is_clear_of(line, line.saturating_add(64), &mut self.hint)
    }

    /// Equally spaced accesses of one line, as many of them as can be taken in at once: how many those are, and whether there is room for more.
    #[allow(clippy::too_many_arguments, reason = "what a loop does, in registers")]
    pub fn touch_row(
        &mut self,
        address: u64,
        size: u64,
        times: u64,
        step: i64,
        kind: Kind,
        act: Act,
        pc: u64,
    ) -> (u64, Room) {
        let times = times.min(TEETH);
        let reach = step.unsigned_abs().saturating_mul(times.saturating_sub(1));
        let lo = if step < 0 { address.wrapping_sub(reach) } else { address };
        let plain = match kind {
            Kind::Read => Touches::Read,
            Kind::Write => Touches::Write,
            Kind::Atomic(_) | Kind::Await => return (1, self.touch(address, size, kind, act, pc)),
        };
        if !self.footprint.is_on()
            || self.locks != LocksetId::EMPTY
            || self.concerns_others(lo, lo.saturating_add(reach).saturating_add(size))
        {
            return (1, self.touch(address, size, kind, act, pc));
        }
        self.settle_owners();
        (self.executed, self.observed) = (self.executed + times, self.observed + times);
        if times <= FEW && (0..times).all(|tooth| self.quick.has(tooth_at(address, step, tooth), size, plain)) {
            return (times, Room::Enough);
        }
        if self.footprint.touch_comb(address, size, times, step, plain) == Told::Known {
            return (times, Room::Enough);
        }
        let item = Item::bytes(lo, size);
        let room = match u32::try_from(step.unsigned_abs()) {
            Ok(stride) => self.touch_first(Item { stride, count: times as u32, ..item }, size, act, plain, pc),
            Err(_) => (0..times)
                .map(|tooth| {
                    self.touch_first(Item::bytes(lo + tooth * step.unsigned_abs(), size), size, act, plain, pc)
                })
                .fold(Room::Enough, |all, room| if room == Room::Full { room } else { all }),
        };
        (times, room)
    }

    /// The same, if the line just goes on: the shortest way, which calls nothing. False: nothing has happened.
    #[inline(always)]
    pub fn goes_on(&mut self, address: u64, len: u64, kind: Kind, pc: u64) -> bool {
        let goes_on = !self.footprint.is_on() && self.runs.goes_on(pc, kind, address, len, self.era);
        self.executed += u64::from(goes_on);
        self.observed += u64::from(goes_on);
        goes_on
    }

    /// A task that uses its thread's own memory, not recorded until it is bound.
    #[inline(never)]
    fn asks_for_thread(&mut self) -> bool {
        self.gains();
        self.asked = matches!(self.binding, Binding::Free(_));
        self.asked
    }

    /// The memory that its thread has for itself.
    pub fn has_own(&mut self, start: u64, len: u64) {
        self.own = (start, len);
    }

    /// Whether tasks that run one after the other are followed.
    pub fn follows_tasks(&self) -> bool {
        self.footprint.is_on()
    }

    /// Whether it is a task that must be bound to its thread.
    pub(crate) fn asked(&mut self) -> bool {
        std::mem::take(&mut self.asked)
    }

    /// Its thread gets something that no other thread has.
    pub fn gains(&mut self) {
        self.gained += 1;
    }

    /// Grows with whatever may lead it to memory that another thread in its place would not come to: what its thread gained, and what it learned from others.
    pub fn lead(&self) -> u64 {
        self.gained + self.pos.0
    }

    /// Whether its thread's time is its own too.
    pub fn is_bound(&self) -> bool {
        matches!(self.binding, Binding::Bound)
    }

    /// If this task is ever bound to its thread, it comes after what this token releases.
    pub fn comes_after(&mut self, token: Token) {
        self.binding = Binding::Free(Some(token));
    }

    /// Its own locks, and those of its process.
    pub(crate) fn all_held(&self) -> Vec<Held> {
        self.held.iter().chain(&self.borrowed).copied().collect()
    }

    /// Changes roles.
    pub(crate) fn exchange(&mut self, role: &mut Role) {
        use std::mem::swap;
        self.era += 1;
        swap(&mut self.strand, &mut role.strand);
        swap(&mut self.pos, &mut role.pos);
        swap(&mut self.epoch, &mut role.epoch);
        swap(&mut self.phase, &mut role.phase);
        swap(&mut self.until, &mut role.until);
        swap(&mut self.held, &mut role.held);
        swap(&mut self.borrowed, &mut role.borrowed);
        swap(&mut self.lent, &mut role.lent);
        swap(&mut self.locks, &mut role.locks);
        swap(&mut self.sections, &mut role.sections);
        swap(&mut self.under_way, &mut role.under_way);
        swap(&mut self.watched, &mut role.watched);
        swap(&mut self.binding, &mut role.binding);
        self.settle_owners();
        self.quick.renew(false);
    }

    /// The same for many bytes, of which some may be shared and some not.
    pub fn touch_range(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        let (mut at, end, mut room) = (address, address.saturating_add(len), Room::Enough);
        while at < end {
            let part = self.regions.boundary(at).unwrap_or(end).min(end) - at;
            if self.touch(at, part, kind, act, pc) == Room::Full {
                room = Room::Full;
            }
            at += part;
        }
        room
    }

    #[allow(clippy::too_many_arguments, reason = "all in registers, on the access path")]
    #[inline(always)]
    fn record(
        &mut self,
        pos: Pos,
        lo: u64,
        hi: u64,
        owner: Rank,
        segment: Segment,
        kind: Kind,
        act: Act,
        pc: u64,
    ) -> Room {
        self.observed += 1;
        let touch = Touch { pc, lo, hi, pos, owner, segment, kind, locks: self.locks };
        match self.runs.extend(&touch) {
            Offered::Taken(room) => room,
            Offered::New => self.begin_run(&touch, act),
        }
    }

    #[inline(never)]
    fn begin_run(&mut self, touch: &Touch, act: Act) -> Room {
        let Touch { pc, lo, hi, pos, owner, segment, kind, locks } = *touch;
        let (phase, until, stack) = (self.phase, self.until, self.stack.at(pc));
        self.runs.add(&Run { pc, lo, hi, pos, phase, until, owner, segment, kind, act, locks, stack, times: 1 })
    }

    /// Where an address is: whose memory, which part, at which offset; and how many bytes there are from there on.
    pub fn locate(&mut self, address: u64) -> Option<(Rank, Segment, u64, u64)> {
        let region = self.regions.find(address, &mut self.hint)?;
        Some((region.owner, region.segment, address - region.start + region.offset, region.end - address))
    }

    /// Whether nobody but this strand can reach these bytes, now or when a buffer that some operation used is used again.
    pub fn is_private(&mut self, address: u64, len: u64) -> bool {
        !self.threaded
            && !self.footprint.is_on()
            && self.regions.find(address, &mut self.hint).is_none()
            && !self.watched.ever.touches(address, address.saturating_add(len))
    }

    /// Changes when memory is shared that was not before: what was found to be private must be looked at again.
    pub fn generation(&self) -> u32 {
        self.generation.wrapping_add(self.watched.grown)
    }

    /// Whether other strands of its rank must know of what it does to private memory.
    #[inline(always)]
    fn shares_all(&self) -> bool {
        self.threaded && !self.hand.as_ref().is_some_and(|hand| hand.has_private)
    }

    /// Tasks are followed from now on, or not.
    pub(crate) fn follow_tasks(&mut self, follow: bool, alone: bool) {
        if self.alone != (follow && alone) {
            self.alone = follow && alone;
            self.footprint.see(&self.reached());
        }
        if follow && !self.footprint.is_on() {
            self.generation = self.generation.wrapping_add(1);
        }
        if !follow {
            self.again.known.clear();
        }
        self.footprint.turn(follow);
        self.quick.begin();
        self.renew_quick();
    }

    /// What others than the tasks reach.
    fn reached(&self) -> Arc<Regions> {
        if self.alone { Arc::default() } else { Arc::clone(&self.regions) }
    }

    /// Uses these regions from now on, and knows whether there are other strands.
    pub(crate) fn see(&mut self, regions: &Arc<Regions>, threaded: bool) {
        self.era += 1;
        if threaded && !self.threaded {
            self.generation = self.generation.wrapping_add(1);
        }
        self.threaded = threaded;
        if !self.alone {
            self.footprint.see(regions);
        }
        if self.shares_all() || !Arc::ptr_eq(&self.regions, regions) {
            self.settle_owners();
            self.quick.renew(false);
        }
        if !Arc::ptr_eq(&self.regions, regions) {
            self.regions = Arc::clone(regions);
            self.generation = self.generation.wrapping_add(1);
        }
    }

    /// An operation uses this memory until it is complete.
    #[inline]
    pub(crate) fn use_until_done(&mut self, used: Use) {
        self.era += 1;
        match used {
            Use::Private(bytes) => {
                comb::teeth(bytes).for_each(|tooth| self.watched.add(tooth.lo(), tooth.hi()));
                self.settle_owners();
                self.quick.renew(false);
            }
            Use::Shared(owner, segment, bytes) => {
                self.under_way.add(owner, segment, bytes);
                if self.alone {
                    self.settle_owners();
                    self.quick.renew(false);
                }
            }
        }
    }

    /// Whether an operation on these bytes meets another one of the strand's that is under way.
    pub(crate) fn crosses(&mut self, owner: Rank, segment: Segment, lo: u64, hi: u64) -> bool {
        let private = segment == UNRESOLVED && self.watched.touches(lo, hi);
        let crosses = private || (!self.under_way.is_empty() && self.under_way.touches(owner, segment, lo, hi));
        self.crossed.private |= private;
        self.crossed.any |= crosses;
        crosses
    }

    /// What its operations use now, if it is little.
    pub fn uses(&self) -> Option<Vec<Use>> {
        let shared = self.under_way.all()?.iter().map(|&(owner, segment, bytes)| Use::Shared(owner, segment, bytes));
        let private = self.watched.now.0.iter().filter_map(|&(lo, hi)| Interval::from_bounds(lo, hi).ok());
        Some(private.map(|bytes| Use::Private((bytes, Comb::SOLID))).chain(shared).collect())
    }

    /// Whether none of its operations is under way and there is no other strand to complete one.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.threaded && !self.footprint.is_on() && self.under_way.is_empty() && self.watched.now.0.is_empty()
    }

    /// The position of its last event. While it stays the same, others cannot tell one moment of the strand from another.
    #[inline]
    pub fn epoch(&self) -> Pos {
        self.epoch
    }

    /// An operation is issued that may never be recorded, since an equal one of this epoch is: it uses what that one used.
    #[inline]
    pub fn issue_again(&mut self, uses: &[Use]) {
        self.step();
        for &used in uses {
            self.use_until_done(used);
        }
    }

    /// It is complete, and nothing has come of it.
    #[inline]
    pub fn complete_again(&mut self) {
        self.step();
        self.nothing_under_way();
        self.crossed = Crossed::default();
    }

    /// Operations that use this were carried out so many times without being recorded.
    pub fn count_again(&mut self, uses: &[Use], times: u64) {
        for &used in uses {
            if let Use::Shared(to, _, (range, comb)) = used
                && to != self.strand.rank
            {
                let sum = times * comb.bytes(range);
                match self.repeated.iter_mut().find(|(rank, ..)| *rank == to) {
                    Some((_, operations, bytes)) => (*operations, *bytes) = (*operations + times, *bytes + sum),
                    None => self.repeated.push((to, times, sum)),
                }
            }
        }
    }

    /// No operation is under way.
    pub fn nothing_under_way(&mut self) {
        self.era += 1;
        self.outdated = 0;
        self.watched.clear();
        self.under_way.clear();
    }

    /// What follows is told at the present position, not at that of the last event.
    pub(crate) fn catch_up(&mut self) {
        self.era += 1;
        self.epoch = self.pos;
    }

    /// Goes on to the next position, which others may come before or after.
    pub(crate) fn tick(&mut self) -> Pos {
        self.step();
        self.catch_up();
        self.pos
    }

    /// Goes on to the next position, which nobody else can tell from the one before.
    pub(crate) fn step(&mut self) {
        self.settle_owners();
        self.era += 1;
        self.pos.0 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Union, Watched};
    use proptest::prelude::*;

    #[test]
    fn what_was_watched_is_remembered() {
        let mut watched = Watched::default();
        for (interval, grown) in
            [((10, 20), 1), ((12, 18), 1), ((30, 40), 2), ((20, 25), 3), ((5, 45), 4), ((10, 20), 4)]
        {
            watched.add(interval.0, interval.1);
            assert_eq!(watched.grown, grown, "{interval:?}");
        }
        assert!(watched.touches(44, 50) && !watched.touches(45, 50));
        watched.clear();
        assert_eq!(watched.ever.0, [(5, 45)]);
        assert!(watched.ever.touches(44, 50) && !watched.ever.touches(45, 50) && !watched.ever.touches(0, 5));
        assert!(!watched.touches(10, 20));
    }

    proptest! {
        #[test]
        fn a_union_is_its_bytes(intervals in prop::collection::vec((0u64..60, 1u64..9), 0..20), at in 0u64..64, len in 1u64..9) {
            let mut union = Union::default();
            for (i, &(lo, len)) in intervals.iter().enumerate() {
                let known = (lo..lo + len).all(|byte| intervals[..i].iter().any(|&(a, n)| a <= byte && byte < a + n));
                prop_assert_eq!(union.add(lo, lo + len), !known);
            }
            let touches = intervals.iter().any(|&(lo, n)| lo < at + len && at < lo + n);
            prop_assert_eq!(union.touches(at, at + len), touches);
            prop_assert!(union.0.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
