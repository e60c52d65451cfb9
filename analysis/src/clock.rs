//! What a strand knows of the others: vector clocks over strands and channels.

use rustc_hash::FxHashMap;
use thrille_model::{Channel, Pos};

/// A strand's number in one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub u32);

/// Knowledge of everything that comes before: of each strand, all positions below a bound; of each channel, all fence epochs below
/// a bound.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    strands: Vec<u64>,
    channels: FxHashMap<Channel, u32>,
}

impl Clock {
    /// Whether what ended at `pos` of that strand comes before.
    pub fn knows(&self, lane: Lane, pos: Pos) -> bool {
        self.strands.get(lane.0 as usize).is_some_and(|&bound| bound > pos.0)
    }

    /// Whether what was issued in this epoch of the channel has arrived before.
    pub fn knows_arrival(&self, channel: Channel, epoch: u32) -> bool {
        self.channels.get(&channel).is_some_and(|&bound| bound > epoch)
    }

    /// Learns that all positions of a strand below `bound` come before.
    pub fn learn(&mut self, lane: Lane, bound: u64) {
        let lane = lane.0 as usize;
        if self.strands.len() <= lane {
            self.strands.resize(lane + 1, 0);
        }
        self.strands[lane] = self.strands[lane].max(bound);
    }

    /// Learns that what was issued on a channel before fence number `epoch` has arrived before.
    pub fn learn_arrival(&mut self, channel: Channel, epoch: u32) {
        let bound = self.channels.entry(channel).or_default();
        *bound = (*bound).max(epoch);
    }

    /// Learns all that another knows.
    pub fn join(&mut self, other: &Self) {
        if self.strands.len() < other.strands.len() {
            self.strands.resize(other.strands.len(), 0);
        }
        for (mine, theirs) in self.strands.iter_mut().zip(&other.strands) {
            *mine = (*mine).max(*theirs);
        }
        for (&channel, &epoch) in &other.channels {
            self.learn_arrival(channel, epoch);
        }
    }
}
