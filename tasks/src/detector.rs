//! The rules: a read races with a parallel writer, a write with a parallel writer or reader, unless a guard keeps them apart.
//!
//! # Algorithm
//!
//! Of each byte one writer and one reader are remembered, for each guard that it was accessed under: figure 6 of the paper on ESP-bags, which has two
//! guards, none and `isolated`.
//!
//! - *Readers*: a reader gives way to a later one that it comes before. If it is parallel to the later one, it stays: whatever is parallel
//!   to the later one in the rest of the run is parallel to it as well (M. Feng, C. Leiserson 1997).
//! - *Writers* without a guard: the last. If that was parallel, it was a race, which has been reported.
//! - *Writers* with a guard: as readers, since two of them may be parallel without a race.
//!
//! Readers of rows of equally spaced bytes are kept apart until a write comes near, where the task graph can tell later who stays ([`crate::rows`]).
//!
//! A read of what the same strand or task has written is not remembered: whatever races with it races with the write.
//!
//! # What is merged away
//!
//! Of each byte the first race is found, later ones with other lines may not be.

use crate::cells::{Cells, Entry};
use crate::event::{Event, Mark, Misnested, Reach};
use crate::guard::{Guard, Guards};
use crate::rows::{self, Row, Rows};
use thrille_history::Interval;

/// A place in the program, in the numbering of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touch {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// An access of what runs now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which bytes.
    pub at: Interval,
    /// How.
    pub touch: Touch,
    /// Under which locks.
    pub guard: Guard,
    /// Where in the program.
    pub site: SiteId,
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Who.
    pub mark: Mark,
    /// How.
    pub touch: Touch,
    /// Under which locks.
    pub guard: Guard,
    /// Where in the program.
    pub site: SiteId,
}

/// Two accesses that may happen at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Bytes of both.
    pub bytes: Interval,
    /// The one that came first in this run.
    pub earlier: Side,
    /// The other one.
    pub later: Side,
}

/// What was accessed under one guard.
#[derive(Clone, Debug, Default)]
struct Under<C> {
    guard: Guard,
    writers: C,
    readers: C,
    /// Readers that are not among those yet.
    rows: Rows,
}

impl<C: Cells> Under<C> {
    fn settle(&mut self, reach: &impl Reach) {
        self.rows.settle(
            &mut self.readers,
            |one, other| {
                if reach.later(one.mark, other.mark) == one.mark { one } else { other }
            },
        );
    }
}

/// A detector: see the top of `detector.rs`.
#[derive(Clone, Debug)]
pub struct Detector<R, C> {
    reach: R,
    under: Vec<Under<C>>,
}

impl<R: Reach + Default, C: Cells> Default for Detector<R, C> {
    fn default() -> Self {
        Self { reach: R::default(), under: vec![Under::default()] }
    }
}

impl<R: Reach, C: Cells> Detector<R, C> {
    /// A step of the program.
    pub fn step(&mut self, event: Event) -> Result<(), Misnested> {
        self.reach.step(event)?;
        if self.reach.is_serial() {
            for under in &mut self.under {
                under.writers.clear();
                under.readers.clear();
                under.rows.clear();
            }
            self.reach.forget();
        } else if !self.reach.is_ordered() {
            self.under.iter_mut().for_each(|under| under.settle(&self.reach));
        }
        Ok(())
    }

    /// The task graph.
    pub fn reach(&self) -> &R {
        &self.reach
    }

    /// Whether what this mark stands for may run in parallel with what runs now.
    pub fn parallel(&mut self, earlier: Mark) -> bool {
        self.reach.parallel(earlier)
    }

    /// What runs now accesses memory.
    pub fn access(&mut self, guards: &Guards, access: &Access, found: &mut dyn FnMut(&Race)) {
        self.check(guards, access, found);
        self.remember(access);
    }

    /// Calls `found` with the races of an access of what runs now.
    pub fn check(&mut self, guards: &Guards, access: &Access, found: &mut dyn FnMut(&Race)) {
        let Access { at, touch, guard, site } = *access;
        let now = Entry { mark: self.reach.now(), site };
        let later = Side { mark: now.mark, touch, guard, site };
        let reach = &mut self.reach;
        for under in self.under.iter_mut().filter(|under| !guards.exclude(under.guard, guard)) {
            if touch == Touch::Write && !under.rows.is_clear_of(at) {
                under.settle(reach);
            }
            let mut check = |cells: &C, touch: Touch| {
                cells.visit(at, |piece, entry| {
                    if entry.mark != now.mark
                        && reach.parallel(entry.mark)
                        && let Some(bytes) = piece.intersection(at)
                    {
                        let earlier = Side { mark: entry.mark, touch, guard: under.guard, site: entry.site };
                        found(&Race { bytes, earlier, later });
                    }
                });
            };
            check(&under.writers, Touch::Write);
            if touch == Touch::Write {
                check(&under.readers, Touch::Read);
            }
        }
    }

    /// Remembers an access of what runs now, unless it is a read of what that has written.
    fn remember(&mut self, access: &Access) {
        let mine = |under: &Under<C>| under.writers.covering(access.at).is_some_and(|by| by.mark == self.reach.now());
        if access.touch == Touch::Read && self.under.iter().any(|under| under.guard == access.guard && mine(under)) {
            return;
        }
        self.keep(access);
    }

    /// Where what was accessed under a guard is.
    fn index(&mut self, guard: Guard) -> usize {
        self.under.iter().position(|under| under.guard == guard).unwrap_or_else(|| {
            self.under.push(Under { guard, ..Under::default() });
            self.under.len() - 1
        })
    }

    /// Remembers an access of what runs now, which is not known to have written these bytes if it is a read.
    pub fn keep(&mut self, access: &Access) {
        let Access { at, touch, guard, site } = *access;
        let now = Entry { mark: self.reach.now(), site };
        let index = self.index(guard);
        let Under { writers, readers, .. } = &mut self.under[index];
        let (cells, last) = match touch {
            Touch::Write => (writers, guard == Guard::NONE),
            Touch::Read => (readers, false),
        };
        let reach = &mut self.reach;
        cells.update(at, |_, old| match old {
            Some(old) if old.mark == now.mark || !last && reach.parallel(old.mark) => Some(old),
            _ => Some(now),
        });
    }

    /// The same of a row of reads, the first of which is this one.
    pub fn keep_row(&mut self, access: &Access, row: Row) {
        if row.count < rows::LONG || !self.reach.is_ordered() {
            return row.intervals().for_each(|at| self.keep(&Access { at, ..*access }));
        }
        let now = Entry { mark: self.reach.now(), site: access.site };
        let index = self.index(access.guard);
        let under = &mut self.under[index];
        if !under.rows.keep(row, now) {
            under.settle(&self.reach);
        }
    }

    /// Calls `visit` with the place of each access that is remembered.
    pub fn sites(&self, visit: &mut dyn FnMut(SiteId)) {
        for under in &self.under {
            under.writers.entries(|entry| visit(entry.site));
            under.readers.entries(|entry| visit(entry.site));
            under.rows.entries(|entry| visit(entry.site));
        }
    }

    /// These bytes are other memory from now on: a stack frame or a block that is gone.
    pub fn forget(&mut self, at: Interval) {
        for under in &mut self.under {
            if !under.rows.is_clear_of(at) {
                under.settle(&self.reach);
            }
            under.writers.forget(at);
            under.readers.forget(at);
        }
    }
}
