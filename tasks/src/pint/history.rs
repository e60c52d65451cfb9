//! The access history of one treap worker, by guard; and what all of them do with it. Intervals are in pages, as those of the other detectors.

use super::graph::Graph;
use super::piece::Piece;
use super::workers::Found;
use crate::cells::{Cells, Entry};
use crate::detector::{Access, Race, Side, SiteId, Touch};
use crate::event::Mark;
use crate::guard::{Guard, Guards};
use crate::order::Node;
use crate::pages::Pages;
use crate::rows::{self, Row, Rows};
use thrille_history::Interval;

/// Which accesser of a byte stays.
///
/// Of all that have accessed a byte, the one that is latest in the English order is the *right-most*, the one that is latest in the Hebrew order the
/// *left-most*. Pieces come in an order that conforms to the graph, so an earlier strand is parallel to the present one iff it is later in one of the two orders. If
/// any is, the latest in that order is as well: these two stand for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// The last one: if it was parallel to the one before, that was a race.
    Last,
    /// The left-most.
    Left,
    /// The right-most.
    Right,
}

impl Stays {
    /// Whether a strand gives way to another one.
    fn gives_way(self, graph: &Graph, one: Node, other: Node) -> bool {
        match self {
            Self::Last => true,
            Self::Left => graph.right_of(one, other),
            Self::Right => graph.left_of(one, other),
        }
    }
}

/// Intervals of one kind of access, under each guard.
#[derive(Debug)]
pub struct ByGuard {
    stays: Stays,
    touch: Touch,
    under: Vec<(Guard, Pages, Rows)>,
    /// The last two strands of which it was asked whether they are parallel, and the answer: what a strand has left behind is often in several places, and the labels are seldom in a cache.
    asked: ((Node, Node), bool),
}

/// Puts the rows among the others, of the left-most or the right-most.
fn settle(stays: Stays, graph: &Graph, pages: &mut Pages, rows: &mut Rows) {
    rows.settle(
        pages,
        |one, other| {
            if stays.gives_way(graph, Node(one.mark.0), Node(other.mark.0)) { other } else { one }
        },
    );
}

impl ByGuard {
    /// Nothing has happened.
    pub fn new(touch: Touch, stays: Stays) -> Self {
        Self { stays, touch, under: Vec::new(), asked: Default::default() }
    }

    /// Whether nothing is remembered of any access.
    pub fn is_unused(&self) -> bool {
        self.under.is_empty()
    }

    /// Looks for what races with an access of a piece.
    pub fn check(&mut self, piece: &Piece, access: &Access, guards: &Guards, found: &Found) {
        self.check_row(piece, access, Row::one(access.at), guards, found);
    }

    /// The same of a row of accesses, of which this is the first.
    pub fn check_row(&mut self, piece: &Piece, access: &Access, row: Row, guards: &Guards, found: &Found) {
        let &Access { touch, guard, site, .. } = access;
        let Self { stays, touch: before, under, asked } = self;
        let mut is_parallel = |earlier: Node| {
            let pair = (earlier, piece.strand);
            if asked.0 != pair {
                *asked = (pair, piece.graph.parallel(earlier, piece.strand));
            }
            asked.1
        };
        for (other, pages, rows) in under.iter_mut().filter(|(other, ..)| !guards.exclude(*other, guard)) {
            if !rows.is_clear_of(row.extent()) {
                settle(*stays, &piece.graph, pages, rows);
            }
            for at in row.intervals() {
                pages.visit(at, |stored, entry| {
                    let earlier = Node(entry.mark.0);
                    if is_parallel(earlier)
                        && let Some(bytes) = stored.intersection(at)
                    {
                        let earlier = Side { mark: entry.mark, touch: *before, guard: *other, site: entry.site };
                        let later = Side { mark: Mark(piece.strand.0), touch, guard, site };
                        found(&Race { bytes, earlier, later }, piece.stamp);
                    }
                });
            }
        }
    }

    fn index(&mut self, guard: Guard) -> usize {
        self.under.iter().position(|(known, ..)| *known == guard).unwrap_or_else(|| {
            self.under.push((guard, Pages::default(), Rows::default()));
            self.under.len() - 1
        })
    }

    /// Remembers a row of reads of a piece, of which this is the first.
    pub fn remember_row(&mut self, piece: &Piece, access: &Access, row: Row) {
        if row.count < rows::LONG {
            return row.intervals().for_each(|at| self.remember(piece, &Access { at, ..*access }));
        }
        let index = self.index(access.guard);
        let (_, pages, rows) = &mut self.under[index];
        if !rows.keep(row, Entry { mark: Mark(piece.strand.0), site: access.site }) {
            settle(self.stays, &piece.graph, pages, rows);
        }
    }

    /// Remembers an access of a piece.
    pub fn remember(&mut self, piece: &Piece, access: &Access) {
        let index = self.index(access.guard);
        let (pages, stays) = (&mut self.under[index].1, self.stays);
        let now = Entry { mark: Mark(piece.strand.0), site: access.site };
        let keeps = |old: Entry| old.mark == now.mark || !stays.gives_way(&piece.graph, Node(old.mark.0), piece.strand);
        pages.update(access.at, |_, old| Some(old.filter(|&old| keeps(old)).unwrap_or(now)));
    }

    /// These bytes are other memory from now on.
    pub fn forget(&mut self, graph: &Graph, at: Interval) {
        for (_, pages, rows) in &mut self.under {
            if !rows.is_clear_of(at) {
                settle(self.stays, graph, pages, rows);
            }
            pages.forget(at);
        }
    }

    /// Calls `visit` with the place of each access that is remembered.
    pub fn sites(&self, mut visit: impl FnMut(SiteId)) {
        for (_, pages, rows) in &self.under {
            pages.entries(|entry| visit(entry.site));
            rows.entries(|entry| visit(entry.site));
        }
    }

    /// Everything so far comes before what comes now.
    pub fn clear(&mut self) {
        self.asked = Default::default();
        for (_, pages, rows) in &mut self.under {
            pages.clear();
            rows.clear();
        }
    }
}
