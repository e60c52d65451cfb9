//! The memory of the process: which private memory is which block, what happens to one that is given back, and what others reach.

use super::Rank;
use super::operations::{End, Operands};
use crate::quarantine::Kept;
use crate::recorder::{Recorder, UNRESOLVED};
use crate::regions::Regions;
use std::sync::Arc;
use thrille_model::{Act, Comb, Interval, Kind, Place, Segment, Strand};
use thrille_tasks::pint::Block;

impl Rank {
    /// Whether all of the process's memory matters to what this strand does, not only what other ranks reach.
    pub(super) fn all_memory(&self, strand: Strand) -> bool {
        !self.is_alone(strand) || self.watch.as_ref().is_some_and(|watch| watch.crew.is_some() && watch.looks())
    }

    /// Where some bytes are, with private memory as the block that it is now.
    pub(super) fn place(&self, owner: thrille_model::Rank, segment: Segment, lo: u64, len: u64) -> Option<Place> {
        let (segment, lo) = if segment == UNRESOLVED { self.blocks.find(lo, len) } else { (segment, lo) };
        Interval::from_len(lo, len).ok().map(|bytes| Place::solid(owner, segment, bytes))
    }

    /// Private memory that is new to the process: whoever used its addresses before used something else.
    pub fn new_memory(&mut self, address: u64, len: u64) {
        if !self.single() && !self.muted {
            self.blocks.add(address, len);
        }
        if let Some(watch) = &mut self.watch {
            watch.forget(address, address.saturating_add(len));
        }
    }

    /// The same, that the strand has asked for.
    pub fn allocated(&mut self, recorder: &mut Recorder, address: u64, len: u64) {
        self.new_memory(address, len);
        recorder.gains();
        if let (Some(hand), Ok(at)) = (&mut recorder.hand, Interval::from_len(address, len)) {
            hand.core.renew(at);
        }
    }

    /// Private memory is given back: that is a write of all of it. True: it is given back later, by the detector of races between tasks, or by
    /// another call of this, which hands it to `give_back`.
    pub fn freed(
        &mut self,
        recorder: &mut Recorder,
        address: u64,
        usable: u64,
        pc: u64,
        give_back: impl Fn(u64),
    ) -> bool {
        // With one strand, blocks are not kept: only what is under way can still be using the memory.
        let (end, mut later) = (address.saturating_add(usable), false);
        if self.watch.as_ref().is_some_and(|watch| watch.looks()) {
            // What the strand has done to it before is another line.
            self.drain(recorder);
            let _ = recorder.touch(address, usable, Kind::Write, Act::LibraryCall, pc);
            self.drain(recorder);
            if let Some(watch) = &mut self.watch {
                watch.forget(address, end);
            }
            later = recorder.hand.as_mut().is_some_and(|hand| hand.core.free(Block { address, len: usable }));
        }
        if self.single() && !self.open.use_private(address, end) {
            return later;
        }
        self.drain(recorder);
        // What was allocated before there were threads is not known as a block.
        let len = if self.single() { usable } else { self.blocks.len_of(address).unwrap_or(usable) };
        if !self.is_followed(recorder) {
            let end = End {
                owner: self.me,
                segment: UNRESOLVED,
                lo: address,
                len,
                comb: Comb::SOLID,
                kind: Kind::Write,
                act: Act::LibraryCall,
            };
            self.end(recorder, end, pc, Operands::Done);
        }
        if self.single() {
            return later;
        }
        if !later && self.quarantine.keep(Kept { address, len }) {
            while let Some(Kept { address, len }) = self.quarantine.release() {
                self.blocks.renew(address, address.saturating_add(len));
                give_back(address);
            }
            return true;
        }
        self.blocks.renew(address, address.saturating_add(len));
        later
    }

    /// Other memory is shared from now on. A strand notices at its next event, which anything new must come through to it by.
    pub fn share(&mut self, recorder: &mut Recorder, regions: Regions) {
        // What an operation that is under way uses may be private no more.
        recorder.crossed.private |= !self.open.is_empty();
        self.regions = Arc::new(regions);
        recorder.see(&self.regions, self.all_memory(recorder.strand));
    }

    /// This rank's part of a window begins at this address.
    pub fn window(&mut self, number: u32, base: u64) {
        if let Some(watch) = &mut self.watch {
            watch.window(number, base);
        }
        self.windows.push((number, base));
    }
}
