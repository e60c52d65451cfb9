//! The access history of one treap worker, by guard; and what all of them do with it. Intervals are in pages, as those of the other detectors.

use super::piece::Piece;
use super::workers::Found;
use crate::cells::{Cells, Entry};
use crate::detector::{Access, Race, Side, Touch};
use crate::event::Mark;
use crate::guard::{Guard, Guards};
use crate::order::Node;
use crate::pages::Pages;
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
    /// Whether an earlier strand gives way to the one of this piece.
    fn gives_way(self, earlier: Node, piece: &Piece) -> bool {
        match self {
            Self::Last => true,
            Self::Left => piece.graph.right_of(earlier, piece.strand),
            Self::Right => piece.graph.left_of(earlier, piece.strand),
        }
    }
}

/// Intervals of one kind of access, under each guard.
#[derive(Debug)]
pub struct ByGuard {
    stays: Stays,
    touch: Touch,
    under: Vec<(Guard, Pages)>,
}

impl ByGuard {
    /// Nothing has happened.
    pub fn new(touch: Touch, stays: Stays) -> Self {
        Self { stays, touch, under: Vec::new() }
    }

    /// Looks for what races with an access of a piece.
    pub fn check(&self, piece: &Piece, access: &Access, guards: &Guards, found: &Found) {
        let &Access { at, touch, guard, site } = access;
        for (other, pages) in self.under.iter().filter(|(other, _)| !guards.exclude(*other, guard)) {
            pages.visit(at, |stored, entry| {
                let earlier = Node(entry.mark.0);
                if piece.graph.parallel(earlier, piece.strand)
                    && let Some(bytes) = stored.intersection(at)
                {
                    let earlier = Side { mark: entry.mark, touch: self.touch, guard: *other, site: entry.site };
                    let later = Side { mark: Mark(piece.strand.0), touch, guard, site };
                    found(&Race { bytes, earlier, later }, piece.stamp);
                }
            });
        }
    }

    /// Remembers an access of a piece.
    pub fn remember(&mut self, piece: &Piece, access: &Access) {
        let index = self.under.iter().position(|(guard, _)| *guard == access.guard).unwrap_or_else(|| {
            self.under.push((access.guard, Pages::default()));
            self.under.len() - 1
        });
        let (pages, stays) = (&mut self.under[index].1, self.stays);
        let now = Entry { mark: Mark(piece.strand.0), site: access.site };
        let keeps = |old: Entry| old.mark == now.mark || !stays.gives_way(Node(old.mark.0), piece);
        pages.update(access.at, |_, old| Some(old.filter(|&old| keeps(old)).unwrap_or(now)));
    }

    /// These bytes are other memory from now on.
    pub fn forget(&mut self, at: Interval) {
        for (_, pages) in &mut self.under {
            pages.forget(at);
        }
    }

    /// Everything so far comes before what comes now.
    pub fn clear(&mut self) {
        for (_, pages) in &mut self.under {
            pages.clear();
        }
    }
}
