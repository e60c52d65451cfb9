//! The three treap workers: each has its own part of the access history, and looks at the same items in the same order.
//!
//! | worker | a read | a write |
//! |---|---|---|
//! | writer | is checked against writers | is checked against writers, then remembered |
//! | left, right reader | is remembered | is checked against readers |
//!
//! Two writes under one lock may be parallel without a race; so of writers under a guard the left-most and the right-most are remembered, as of readers.

use super::graph::Graph;
use super::history::{ByGuard, Stays};
use super::piece::{Block, Piece};
use super::queue::{Follower, Queue, Weighs};
use super::recycle::KeptBack;
use super::trace::{Collector, Traces};
use crate::detector::{Access, Race, SiteId, Touch};
use crate::guard::{Guard, Guards};
use crate::rows::Row;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use thrille_history::Interval;

/// What is filed in the queue.
#[derive(Debug)]
pub enum Item {
    /// A piece of a strand.
    Piece(Piece),
    /// Memory that is to be forgotten by all, then given back.
    Forget(Vec<Block>),
    /// Everybody tells which sites it remembers.
    Sweep,
}

impl Weighs for Item {
    fn weight(&self) -> usize {
        match self {
            Self::Piece(piece) => piece.weight(),
            Self::Forget(blocks) => 1 + blocks.len(),
            Self::Sweep => 1,
        }
    }
}

/// Items that are filed together: one allocation, and one count of who has it, for many.
#[derive(Debug)]
pub struct Batch(Vec<Item>);

impl Weighs for Batch {
    fn weight(&self) -> usize {
        self.0.iter().map(Item::weight).sum()
    }
}

/// Is told of races, with the stamp of the later piece.
pub type Found = dyn Fn(&Race, u64) + Send + Sync;

/// Who has the logs that the sites of accesses stand for, and wants to know which are needed.
pub trait Logs: Send + Sync {
    /// All have looked at the pieces of these sites: from now on they are needed if they are remembered. Whether it is time to ask what is, of those so far.
    fn looked_at(&self, sites: &[SiteId]) -> bool;

    /// These are remembered.
    fn needed(&self, sites: &mut dyn Iterator<Item = SiteId>);

    /// All that are have been told.
    fn end_sweep(&self);
}

/// Gives memory back to the allocator.
pub type GiveBack = dyn Fn(Block) + Send + Sync;

/// What the workers share.
pub struct Shared {
    /// Where core workers leave pieces.
    pub traces: Traces<Piece>,
    /// Where the treap workers find them.
    pub queue: Queue<Batch>,
    /// Which guards exclude each other.
    pub guards: RwLock<Guards>,
    /// There will be no more.
    pub over: AtomicBool,
    found: Box<Found>,
    give_back: Box<GiveBack>,
    logs: Box<dyn Logs>,
}

impl Shared {
    pub fn new(found: Box<Found>, give_back: Box<GiveBack>, logs: Box<dyn Logs>) -> Self {
        Self {
            traces: Traces::default(),
            queue: Queue::default(),
            guards: RwLock::default(),
            over: AtomicBool::new(false),
            found,
            give_back,
            logs,
        }
    }
}

/// A worker's part of the access history.
#[derive(Debug)]
struct History {
    graph: Option<Arc<Graph>>,
    parts: Vec<ByGuard>,
}

impl History {
    fn new(parts: impl IntoIterator<Item = ByGuard>) -> Self {
        Self { graph: None, parts: parts.into_iter().collect() }
    }

    /// Another graph begins when all that was is over.
    fn enter(&mut self, piece: &Piece) {
        if self.graph.as_ref().is_none_or(|graph| !Arc::ptr_eq(graph, &piece.graph)) {
            self.parts.iter_mut().for_each(ByGuard::clear);
            self.graph = Some(Arc::clone(&piece.graph));
        }
        self.forget(piece.renewed());
    }

    fn forget<'a>(&mut self, gone: impl IntoIterator<Item = &'a Interval>) {
        let Some(graph) = &self.graph else { return };
        for &at in gone {
            self.parts.iter_mut().for_each(|part| part.forget(graph, at));
        }
    }

    fn look_at(&mut self, item: &Item, logs: &dyn Logs, look: impl FnOnce(&mut [ByGuard], &Piece)) {
        match item {
            Item::Piece(piece) => {
                self.enter(piece);
                look(&mut self.parts, piece);
                self.forget(piece.gone());
            }
            Item::Forget(blocks) => {
                let gone = |block: &Block| Interval::from_len(block.address, block.len).ok();
                self.forget(&blocks.iter().filter_map(gone).collect::<Vec<_>>());
            }
            Item::Sweep => {
                let mut sites = Vec::new();
                for part in &self.parts {
                    part.sites(|site| {
                        if sites.last() != Some(&site) {
                            sites.push(site);
                        }
                    });
                }
                logs.needed(&mut sites.into_iter());
            }
        }
    }
}

/// Pieces that the writer files at a time, unless they are heavy.
const BATCH: usize = 64;
/// What a batch weighs at most, but for its last piece.
const HEAVY: usize = 1 << 11;

/// The worker that collects, and has the treaps of writers.
pub struct Writer {
    shared: Arc<Shared>,
    collector: Collector<Piece>,
    history: History,
    kept_back: KeptBack,
    recycled: Vec<Arc<Batch>>,
}

impl Writer {
    pub fn new(shared: Arc<Shared>) -> Self {
        let parts = [Stays::Last, Stays::Left, Stays::Right].map(|stays| ByGuard::new(Touch::Write, stays));
        let (collector, kept_back) = (Collector::default(), KeptBack::default());
        Self { shared, collector, history: History::new(parts), kept_back, recycled: Vec::new() }
    }

    /// Until there will be no more.
    pub fn run(&mut self) {
        loop {
            loop {
                let (mut items, mut weight) = (Vec::with_capacity(BATCH), 0);
                while items.len() < BATCH
                    && weight < HEAVY
                    && let Some(piece) = self.collector.collect(&self.shared.traces)
                {
                    weight += piece.weight();
                    items.push(Item::Piece(piece));
                }
                if items.is_empty() {
                    break;
                }
                self.file(items);
                self.recycle();
            }
            self.shared.queue.recycle(&mut self.recycled);
            self.recycle();
            self.shared.queue.flush();
            if self.shared.over.load(Ordering::Acquire) {
                return self.finish();
            }
            self.shared.traces.bell.sleep();
        }
    }

    /// Everything has been collected: gives back what is still there.
    fn finish(&mut self) {
        loop {
            self.shared.queue.flush();
            self.shared.queue.settle(0);
            self.shared.queue.recycle(&mut self.recycled);
            if self.recycled.is_empty() && self.kept_back.is_empty() {
                return self.shared.queue.close();
            }
            self.recycle();
            let rest = self.kept_back.all();
            if !rest.is_empty() {
                self.file(vec![Item::Forget(rest)]);
            }
        }
    }

    /// Files items, and looks at them.
    fn file(&mut self, items: Vec<Item>) {
        let pieces = items.iter().filter(|item| matches!(item, Item::Piece(_))).count() as u64;
        let batch = Arc::new(Batch(items));
        while self.shared.queue.file(std::slice::from_ref(&batch), pieces, &mut self.recycled) == 0 {}
        self.look_at(&batch.0);
        self.shared.queue.pass(Follower::Writer, 1);
    }

    fn look_at(&mut self, items: &[Item]) {
        let guards = self.shared.guards.read().unwrap_or_else(PoisonError::into_inner);
        let found = &self.shared.found;
        for item in items {
            self.history.look_at(item, &*self.shared.logs, |parts, piece| {
                // Most programs have no locks, and nothing but last writers.
                for part in parts.iter_mut().filter(|part| !part.is_unused()) {
                    for access in piece.accesses() {
                        part.check(piece, access, &guards, found);
                    }
                    for &(ref access, row) in &piece.rows {
                        part.check_row(piece, access, row, &guards, found);
                    }
                }
                for access in piece.writes() {
                    let (first, count) = if access.guard == Guard::NONE { (0, 1) } else { (1, 2) };
                    for part in &mut parts[first..first + count] {
                        part.remember(piece, access);
                    }
                }
            });
        }
    }

    /// What all have looked at: pieces' memory is kept back, what was forgotten goes to the allocator.
    fn recycle(&mut self) {
        let mut done = Vec::new();
        for batch in self.recycled.drain(..) {
            batch.0.iter().for_each(|item| match item {
                Item::Piece(piece) => {
                    self.kept_back.add(&piece.freed);
                    done.extend(&piece.done);
                }
                Item::Forget(blocks) => blocks.iter().for_each(|&block| (self.shared.give_back)(block)),
                Item::Sweep => self.shared.logs.end_sweep(),
            });
        }
        if self.shared.logs.looked_at(&done) {
            self.file(vec![Item::Sweep]);
        }
        let surplus = self.kept_back.surplus();
        if !surplus.is_empty() {
            self.file(vec![Item::Forget(surplus)]);
        }
    }
}

/// The worker of the left-most or the right-most readers.
pub fn read(shared: &Shared, who: Follower) {
    let stays = if who == Follower::Left { Stays::Left } else { Stays::Right };
    let mut history = History::new([ByGuard::new(Touch::Read, stays)]);
    loop {
        let batches = shared.queue.follow(who);
        if batches.is_empty() {
            return;
        }
        let mut frees = false;
        for item in batches.iter().flat_map(|batch| &batch.0) {
            let guards = shared.guards.read().unwrap_or_else(PoisonError::into_inner);
            history.look_at(item, &*shared.logs, |parts, piece| {
                for access in piece.writes() {
                    for part in parts.iter_mut() {
                        part.check(piece, access, &guards, &shared.found);
                    }
                }
                let one = |access: &Access| (*access, Row::one(access.at));
                for (access, row) in piece.reads().iter().map(one).chain(piece.rows.iter().copied()) {
                    for part in parts.iter_mut() {
                        part.remember_row(piece, &access, row);
                    }
                }
                frees |= !piece.freed.is_empty();
            });
            frees |= matches!(item, Item::Forget(_));
        }
        shared.queue.pass(who, batches.len());
        if frees {
            // Somebody has to recycle it.
            shared.traces.bell.ring();
        }
    }
}
