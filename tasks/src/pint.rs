//! PINT: the program runs in parallel. Y. Xu, A. Zhou, K. Agrawal, I. Lee: *PINT: Parallel INTerval-based race detector*, 2022.
//!
//! *Core workers*, the threads of the program, follow the task graph and leave what their strands accessed, joined to intervals, in their traces. Three *treap
//! workers*, threads of the detector, have a part of the access history each: writers, left-most and right-most readers. The first of them collects from the traces, in
//! an order that conforms to the graph; all three look at everything in that order. Nobody waits for anybody, but where there is no room.
//!
//! | file | has |
//! |---|---|
//! | `labels.rs`, `graph.rs` | WSP-order: [`Graph`], [`Path`] of a task, [`Team`] of threads |
//! | `piece.rs` | `Piece`: what a strand has accessed |
//! | `trace.rs` | traces with room for so much, and how they are collected |
//! | `queue.rs` | the queue that the treap workers follow |
//! | `history.rs`, `workers.rs` | the access history, in three parts; who looks at what |
//! | `recycle.rs` | memory that is given back |
//! | `sync.rs` | locks and atomics: the model checker's in tests |
//!
//! # Deviations from the paper
//!
//! - Tickets instead of counts of predecessors (`trace.rs`).
//! - The history is in pages, not in treaps (`pages.rs`); the workers have kept their name.
//! - Guards: locks and atomics, as in `detector.rs`.
//! - Memory is kept back longer (`recycle.rs`), and the memory of tasks, which the runtime uses again, is forgotten with their last piece as stacks are.
//! - Threads of a parallel region are tasks of their own in between two barriers ([`Team`]).
//!
//! # What it misses
//!
//! As `detector.rs`: of each byte a race is found, not all.

mod graph;
mod history;
mod labels;
mod piece;
mod queue;
mod recycle;
mod sync;
mod trace;
mod workers;

pub use graph::{Graph, Path, Team};
pub use piece::{Accessed, Block};
pub use workers::{Found, GiveBack, Logs};

use crate::detector::{Access, SiteId};
use crate::guard::Guards;
use crate::order::Node;
use crate::rows::Row;
use piece::{Draft, Piece};
use queue::Follower;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockWriteGuard};
use std::thread::{Builder, JoinHandle};
use thrille_history::Interval;
use trace::Trace;
use workers::{Shared, Writer};

/// The detector: its treap workers, and what they found.
pub struct Pint {
    shared: Arc<Shared>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    irregular: Arc<AtomicU64>,
    /// Which process they are threads of.
    process: u32,
}

impl std::fmt::Debug for Pint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pint").finish_non_exhaustive()
    }
}

impl Pint {
    /// Starts the treap workers, which tell `found` of races. Memory of [`Core::free`] goes to `give_back` in the end; `logs` learns which of the sites of [`Core::done_with`] are needed.
    pub fn start(found: Box<Found>, give_back: Box<GiveBack>, logs: Box<dyn Logs>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(found, give_back, logs));
        let new = Self { shared, workers: Mutex::default(), irregular: Arc::default(), process: std::process::id() };
        let of = || Arc::clone(&new.shared);
        let (writer, left, right) = (of(), of(), of());
        let mut workers = new.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.push(Builder::new().name("thrille-left".into()).spawn(move || workers::read(&left, Follower::Left))?);
        workers
            .push(Builder::new().name("thrille-right".into()).spawn(move || workers::read(&right, Follower::Right))?);
        workers.push(Builder::new().name("thrille-writer".into()).spawn(move || Writer::new(writer).run())?);
        drop(workers);
        Ok(new)
    }

    /// A thread of the program takes part.
    pub fn core(&self) -> Core {
        Core::new(Arc::clone(&self.shared))
    }

    /// The main task of a graph of its own: nothing that was is parallel to what comes.
    pub fn first(&self) -> Path {
        Path::first(&self.irregular)
    }

    /// Waits that left grandchildren behind.
    pub fn irregular(&self) -> u64 {
        self.irregular.load(Ordering::Relaxed)
    }

    /// The guards of the program's accesses.
    pub fn guards(&self) -> RwLockWriteGuard<'_, Guards> {
        self.shared.guards.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all that was left has been looked at. A process that was forked from this one has no workers, and nothing to wait for.
    pub fn settle(&self) {
        if std::process::id() == self.process {
            self.shared.queue.settle(self.shared.traces.ring());
        }
    }
}

impl Drop for Pint {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            return;
        }
        self.settle();
        self.shared.over.store(true, Ordering::Release);
        self.shared.traces.bell.ring();
        for worker in self.workers.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = worker.join();
        }
    }
}

/// Accesses of a kind that one piece has at most.
const MOST: usize = 1 << 14;

/// A thread of the program: the strand that it runs, and what that has done so far.
pub struct Core {
    shared: Arc<Shared>,
    trace: Arc<Trace<Piece>>,
    at: Option<(Arc<Graph>, Node)>,
    draft: Draft,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("at", &self.strand()).field("draft", &self.draft).finish_non_exhaustive()
    }
}

impl Core {
    fn new(shared: Arc<Shared>) -> Self {
        let trace = shared.traces.open();
        Self { shared, trace, at: None, draft: Draft::default() }
    }

    /// The strand that it runs, if it is part of a graph.
    pub fn strand(&self) -> Option<Node> {
        self.at.as_ref().map(|&(_, strand)| strand)
    }

    /// The graph that it is part of.
    pub fn graph(&self) -> Option<&Arc<Graph>> {
        self.at.as_ref().map(|(graph, _)| graph)
    }

    /// The thread goes on with this strand from now on, or with none. What it has done is left in its trace.
    pub fn goes_to(&mut self, path: Option<&Path>) {
        self.leave();
        self.at = path.map(|path| (Arc::clone(path.graph()), path.now()));
    }

    /// What the caller wants to find again with a race.
    pub fn stamp(&mut self, stamp: u64) {
        self.draft.stamp = stamp;
    }

    /// The strand accesses memory.
    pub fn access(&mut self, access: Access) {
        if self.at.is_some() {
            self.draft.accesses.push(access);
            if self.draft.accesses.len() >= MOST {
                self.leave();
            }
        }
    }

    /// No more accesses are of this site, which stands for a log that takes as much room as so many accesses.
    pub fn done_with(&mut self, site: SiteId, weight: usize) {
        if self.at.is_some() {
            self.draft.done.push(site);
            self.draft.logged += weight;
        }
    }

    /// The strand has accessed this, and nothing next to it in the same way.
    pub fn accessed(&mut self, how: Accessed, access: Access) {
        if self.at.is_some() {
            let list = match how {
                Accessed::Read => &mut self.draft.reads,
                Accessed::Overwritten => &mut self.draft.overwritten,
                Accessed::Written => &mut self.draft.writes,
            };
            list.push(access);
            if list.len() >= MOST {
                self.leave();
            }
        }
    }

    /// The strand has read a row, of which this is the first access, and nothing next to its intervals in the same way.
    pub fn read_row(&mut self, access: Access, row: Row) {
        if row.count == 1 {
            return self.accessed(Accessed::Read, access);
        }
        if self.at.is_some() {
            self.draft.rows.push((access, row));
            if self.draft.rows.len() >= MOST {
                self.leave();
            }
        }
    }

    /// This memory is new to the strand: whoever used it before used something else.
    pub fn renew(&mut self, at: Interval) {
        if self.at.is_some() {
            self.draft.renewed.push(at);
        }
    }

    /// This memory is gone, and what the strand has done to it as well.
    pub fn forget(&mut self, at: Interval) {
        if self.at.is_some() {
            self.draft.gone.push(at);
        }
    }

    /// The strand gives this memory back, which is for the detector to do; whether it will.
    pub fn free(&mut self, block: Block) -> bool {
        if self.at.is_none() {
            return false;
        }
        self.draft.freed.push(block);
        true
    }

    /// What was done so far is left for the treap workers.
    pub fn leave(&mut self) {
        if let Some((graph, strand)) = &self.at
            && !self.draft.is_empty()
        {
            self.shared.traces.leave(&self.trace, self.draft.finish(Arc::clone(graph), *strand));
        }
    }
}
