//! A piece of a strand: what it accessed, where it stands in the task graph, and which memory ends its life with it.

use super::graph::Graph;
use super::queue::Weighs;
use crate::detector::{Access, Touch};
use crate::order::Node;
use crate::strand::coalesce;
use std::sync::Arc;
use thrille_history::Interval;

/// Memory that the program has given back, and that is not given out again before all that could have touched it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// How long it is.
    pub len: u64,
}

/// See the top of `piece.rs`. A strand may come in several pieces.
#[derive(Debug)]
pub struct Piece {
    /// The graph that its strand is in.
    pub graph: Arc<Graph>,
    /// Its strand.
    pub strand: Node,
    /// What the caller wants to find again with a race.
    pub stamp: u64,
    /// Memory that others used for something else before: forgotten before the accesses.
    pub renewed: Vec<Interval>,
    /// What it read.
    pub reads: Vec<Access>,
    /// What it wrote.
    pub writes: Vec<Access>,
    /// Memory that is gone: forgotten behind the accesses.
    pub gone: Vec<Interval>,
    /// Memory that was given back.
    pub freed: Vec<Block>,
}

impl Weighs for Piece {
    fn weight(&self) -> usize {
        1 + self.renewed.len() + self.reads.len() + self.writes.len() + self.gone.len() + self.freed.len()
    }
}

/// A piece that is not finished.
#[derive(Debug, Default)]
pub struct Draft {
    /// What the strand has accessed, reads and writes.
    pub accesses: Vec<Access>,
    /// As in [`Piece`].
    pub stamp: u64,
    /// As in [`Piece`].
    pub renewed: Vec<Interval>,
    /// As in [`Piece`].
    pub gone: Vec<Interval>,
    /// As in [`Piece`].
    pub freed: Vec<Block>,
}

impl Draft {
    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.accesses.is_empty() && self.renewed.is_empty() && self.gone.is_empty() && self.freed.is_empty()
    }

    /// What is there, as a piece of this strand; accesses are joined where they touch. Only the stamp stays.
    pub fn finish(&mut self, graph: Arc<Graph>, strand: Node) -> Piece {
        use std::mem::take;
        coalesce(&mut self.accesses);
        let reads = self.accesses.partition_point(|access| access.touch == Touch::Read);
        // The vector stays with the thread, and pieces get what they need.
        let (reads, writes) = (self.accesses[..reads].to_vec(), self.accesses[reads..].to_vec());
        self.accesses.clear();
        let (renewed, gone, freed) = (take(&mut self.renewed), take(&mut self.gone), take(&mut self.freed));
        Piece { graph, strand, stamp: self.stamp, renewed, reads, writes, gone, freed }
    }
}
