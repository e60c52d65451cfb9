//! The access path of a task among tasks that run one after the other: what nothing keeps apart goes to its footprint, by bytes, and only what concerns others than the tasks goes
//! the way of all strands ([`super::touch`]). Most of it is over before it gets here: [`Quick`] knows what was done before.

use super::Recorder;
use crate::footprint::{Item, TEETH, Told};
use crate::quick::{Owned, Owner, Quick};
use crate::rank::Binding;
use crate::regions::Regions;
use crate::runs::Room;
use std::sync::Arc;
use thrille_model::{Act, Kind, LocksetId};
use thrille_tasks::Touch as Touches;

/// Rows that are looked at piece by piece before they are as a whole.
const FEW: u64 = 8;

/// Where a piece of a row is.
#[inline(always)]
fn tooth_at(address: u64, step: i64, tooth: u64) -> u64 {
    address.wrapping_add_signed(step.wrapping_mul(tooth as i64))
}

impl Recorder {
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
    pub(super) fn touch_by_task(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
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
        !self.shares_all() && self.watched.is_empty() && (!self.alone || self.under_way.is_empty())
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

    /// Whether tasks that run one after the other are followed.
    pub fn follows_tasks(&self) -> bool {
        self.footprint.is_on()
    }

    /// Tasks are followed from now on, or not; `alone` in a job of one rank, and `unused` if no operation ever used any memory.
    pub(crate) fn follow_tasks(&mut self, follow: bool, alone: bool, unused: bool) {
        if self.alone != (follow && alone) {
            self.alone = follow && alone;
            self.footprint.see(&self.reached());
        }
        if follow && !self.footprint.is_on() {
            self.generation = self.generation.wrapping_add(1);
        }
        if !follow {
            self.again.forget();
        }
        self.footprint.turn(follow);
        self.quick.begin();
        self.renew_quick();
        if alone && unused && !follow && !self.threaded && self.is_quiet() {
            self.quick.rest();
        }
    }

    /// Where tasks are followed on several threads: what the strand did goes to its core, as far as nothing of the rank is needed for that. Threads that end strands by the thousand would wait for each other
    /// if all of it took the rank's lock.
    pub fn leaves_strand(&mut self) {
        let Some(hand) = &self.hand else { return };
        if !self.footprint.is_on() || !self.runs.is_empty() || !hand.looks() {
            return;
        }
        self.settle_owners();
        let (Some(hand), footprint) = (&mut self.hand, &mut self.footprint) else { return };
        if footprint.is_empty() || !footprint.is_named() {
            return;
        }
        let binds = hand.touches_own(footprint);
        hand.bound |= binds;
        let Some(guard) = hand.guard() else { return };
        self.asked |= binds && matches!(self.binding, Binding::Free(_));
        hand.leaves(footprint, self.phase, guard);
        self.renew_quick();
    }

    /// What others than the tasks reach.
    fn reached(&self) -> Arc<Regions> {
        if self.alone { Arc::default() } else { Arc::clone(&self.regions) }
    }
}
