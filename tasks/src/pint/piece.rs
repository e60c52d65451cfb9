//! A piece of a strand: what it accessed, where it stands in the task graph, and which memory ends its life with it.

use super::graph::Graph;
use super::queue::Weighs;
use crate::detector::{Access, SiteId, Touch};
use crate::order::Node;
use crate::rows::Row;
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

/// What a strand has done to bytes, all in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// Read, and not written.
    Read,
    /// Read, then written: the write stands for it in the history, but the read itself may race with what was before.
    Overwritten,
    /// Written.
    Written,
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
    /// Sites that no later piece has ([`super::Logs`]).
    pub done: Vec<SiteId>,
    /// What they stand for takes so much room.
    pub logged: usize,
    /// Memory that others used for something else before: forgotten before the accesses.
    pub renewed: Vec<Interval>,
    /// What it read.
    pub reads: Vec<Access>,
    /// What of that are rows, with the first access of each.
    pub rows: Vec<(Access, Row)>,
    /// What it read before it wrote it.
    pub overwritten: Vec<Access>,
    /// What it wrote.
    pub writes: Vec<Access>,
    /// Memory that is gone: forgotten behind the accesses.
    pub gone: Vec<Interval>,
    /// Memory that was given back.
    pub freed: Vec<Block>,
}

/// A piece takes more room than an access.
const EMPTY: usize = 8;
/// So many bytes that are given back only later take as much.
const GIVEN_BACK: u64 = 1024;

impl Weighs for Piece {
    fn weight(&self) -> usize {
        EMPTY
            + self.logged
            + self.renewed.len()
            + self.reads.len()
            + self.rows.len()
            + self.overwritten.len()
            + self.writes.len()
            + self.gone.len()
            + self.freed.iter().map(|block| 1 + (block.len / GIVEN_BACK) as usize).sum::<usize>()
    }
}

/// A piece that is not finished.
#[derive(Debug, Default)]
pub struct Draft {
    /// What the strand has accessed, reads and writes, to be joined.
    pub accesses: Vec<Access>,
    /// As in [`Piece`].
    pub reads: Vec<Access>,
    /// As in [`Piece`].
    pub rows: Vec<(Access, Row)>,
    /// As in [`Piece`].
    pub overwritten: Vec<Access>,
    /// As in [`Piece`].
    pub writes: Vec<Access>,
    /// As in [`Piece`].
    pub stamp: u64,
    /// As in [`Piece`].
    pub done: Vec<SiteId>,
    /// As in [`Piece`].
    pub logged: usize,
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
        let lists = [&self.accesses, &self.reads, &self.overwritten, &self.writes];
        lists.iter().all(|list| list.is_empty())
            && self.rows.is_empty()
            && self.done.is_empty()
            && self.renewed.is_empty()
            && self.gone.is_empty()
            && self.freed.is_empty()
    }

    /// What is there, as a piece of this strand; accesses are joined where they touch. Only the stamp stays.
    pub fn finish(&mut self, graph: Arc<Graph>, strand: Node) -> Piece {
        /// The vector stays with the thread, and the piece gets what it needs.
        fn taken<T: Copy>(list: &mut Vec<T>) -> Vec<T> {
            let needed = list.as_slice().to_vec();
            list.clear();
            needed
        }
        coalesce(&mut self.accesses);
        let first_write = self.accesses.partition_point(|access| access.touch == Touch::Read);
        self.reads.extend(&self.accesses[..first_write]);
        self.writes.extend(&self.accesses[first_write..]);
        self.accesses.clear();
        Piece {
            graph,
            strand,
            stamp: self.stamp,
            done: taken(&mut self.done),
            logged: std::mem::take(&mut self.logged),
            renewed: taken(&mut self.renewed),
            reads: taken(&mut self.reads),
            rows: taken(&mut self.rows),
            overwritten: taken(&mut self.overwritten),
            writes: taken(&mut self.writes),
            gone: taken(&mut self.gone),
            freed: taken(&mut self.freed),
        }
    }
}
