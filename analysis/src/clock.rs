//! What a strand knows of the others: vector clocks over strands and channels.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use thrille_model::{Channel, Ctx, Pos, Rank};

/// A strand's number in one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(pub u32);

/// Knowledge of everything that comes before: of each strand, all positions below a bound.
///
/// Two more bounds say what has not been completed but put ahead: what a strand issued on a context before a fence that comes before,
/// and what of that has arrived at a target because something issued there after the fence has.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    strands: Vec<u64>,
    fenced: FxHashMap<(Rank, Ctx, Lane), u64>,
    arrived: FxHashMap<(Channel, Lane), u64>,
}

impl Clock {
    /// Whether what ended at `pos` of that strand comes before.
    pub fn knows(&self, lane: Lane, pos: Pos) -> bool {
        self.strands.get(lane.0 as usize).is_some_and(|&bound| bound > pos.0)
    }

    /// Whether what that strand issued at `pos` on the channel arrives before what is issued there now.
    pub fn is_fenced(&self, channel: Channel, lane: Lane, pos: Pos) -> bool {
        self.fenced.get(&(channel.origin, channel.ctx, lane)).is_some_and(|&bound| bound > pos.0)
    }

    /// Whether what that strand issued at `pos` on the channel has arrived before.
    pub fn has_arrived(&self, channel: Channel, lane: Lane, pos: Pos) -> bool {
        self.arrived.get(&(channel, lane)).is_some_and(|&bound| bound > pos.0)
    }

    /// Learns that all positions of a strand below `bound` come before.
    pub fn learn(&mut self, lane: Lane, bound: u64) {
        let lane = lane.0 as usize;
        if self.strands.len() <= lane {
            self.strands.resize(lane + 1, 0);
        }
        self.strands[lane] = self.strands[lane].max(bound);
    }

    /// Fences what these strands of a rank, as far as known, have issued on a context.
    pub fn fence(&mut self, rank: Rank, ctx: Ctx, strands: &[Lane]) {
        for &lane in strands {
            let known = self.strands.get(lane.0 as usize).copied().unwrap_or(0);
            raise(&mut self.fenced, (rank, ctx, lane), known);
        }
    }

    /// Learns that what is fenced on a channel has arrived: something issued there after the fence has.
    pub fn arrive(&mut self, channel: Channel) {
        for (&(rank, ctx, lane), &bound) in &self.fenced {
            if (rank, ctx) == (channel.origin, channel.ctx) {
                raise(&mut self.arrived, (channel, lane), bound);
            }
        }
    }

    /// Learns all that another knows.
    pub fn join(&mut self, other: &Self) {
        if self.strands.len() < other.strands.len() {
            self.strands.resize(other.strands.len(), 0);
        }
        for (mine, theirs) in self.strands.iter_mut().zip(&other.strands) {
            *mine = (*mine).max(*theirs);
        }
        for (&key, &bound) in &other.fenced {
            raise(&mut self.fenced, key, bound);
        }
        for (&key, &bound) in &other.arrived {
            raise(&mut self.arrived, key, bound);
        }
    }
}

fn raise<K: Eq + Hash>(bounds: &mut FxHashMap<K, u64>, key: K, bound: u64) {
    let old = bounds.entry(key).or_default();
    *old = (*old).max(bound);
}
