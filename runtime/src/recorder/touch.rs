//! The access path: where an address is, and whether anybody else has to know of what the strand does there. If so, it goes to the strand's runs ([`crate::runs`]).

use super::using::Crossed;
use super::{ERA, Recorder, UNRESOLVED};
use crate::rank::Binding;
use crate::runs::{Memory, Offered, Room, Run, Touch};
use crate::stores::Stored;
use thrille_model::{Act, Interval, Kind, Pos, Rank, Segment};

impl Recorder {
    /// A load, a store or another access that is over at once. `Full` asks to have the buffer taken by [`crate::Session::drain`].
    #[inline(always)]
    pub fn touch(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        self.executed += 1;
        if self.footprint.is_on() {
            return self.touch_by_task(address, len, kind, act, pc);
        }
        self.touch_by_strand(address, len, kind, act, pc)
    }

    /// The same, if the line just goes on: the shortest way, which calls nothing. False: nothing has happened.
    #[inline(always)]
    pub fn goes_on(&mut self, address: u64, len: u64, kind: Kind, pc: u64) -> bool {
        let goes_on = !self.footprint.is_on() && self.runs.goes_on(pc, kind, address, len, self.era);
        self.executed += u64::from(goes_on);
        self.observed += u64::from(goes_on);
        goes_on
    }

    /// The same of a strand.
    #[inline(always)]
    pub(super) fn touch_by_strand(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
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

    /// Under a lock, or atomically: by lines.
    #[inline(never)]
    pub(super) fn touch_with_care(&mut self, address: u64, len: u64, kind: Kind, act: Act, pc: u64) -> Room {
        let threaded = std::mem::replace(&mut self.threaded, true);
        let room = self.touch_by_strand(address, len, kind, act, pc);
        self.threaded = threaded;
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
        let pc = self.called(pc);
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

    /// Loads and stores of these bytes are not recorded from now on; those of the ones before are again, which it gives back.
    pub fn spare(&mut self, bytes: Vec<Interval>) -> Vec<Interval> {
        self.era += ERA;
        std::mem::replace(&mut self.spared, bytes)
    }

    /// Whether some of these bytes are such.
    #[inline(always)]
    pub fn spares(&self, lo: u64, hi: u64) -> bool {
        !self.spared.is_empty() && self.spared.iter().any(|spared| lo < spared.hi() && spared.lo() < hi)
    }

    #[inline(never)]
    fn is_private_line(&mut self, address: u64) -> bool {
        let line = address & !63;
        self.regions.is_clear_of(line, line.saturating_add(64), &mut self.hint)
    }

    /// A task that uses its thread's own memory, not recorded until it is bound.
    #[inline(never)]
    fn asks_for_thread(&mut self) -> bool {
        self.gains();
        self.asked = matches!(self.binding, Binding::Free(_));
        self.asked
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
            && !self.watched.touched(address, address.saturating_add(len))
    }

    /// Changes when memory is shared that was not before: what was found to be private must be looked at again.
    pub fn generation(&self) -> u32 {
        self.generation.wrapping_add(self.watched.grown())
    }
}
