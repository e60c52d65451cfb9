//! Nodes of the B-tree. All leaves are on one level.

use crate::{Interval, Keep};
use smallvec::SmallVec;

/// Ranges in a leaf.
const LEAF: usize = 32;
/// Children of an inner node.
const INNER: usize = 64;

#[derive(Clone, Debug)]
pub(super) enum Node<T> {
    Leaf(Box<Leaf<T>>),
    Inner(Box<Inner<T>>),
}

/// What became of a node that took something in.
pub(super) enum Split<T> {
    /// There was room.
    No,
    /// Its upper part is another node now.
    Into(Box<Node<T>>),
}

/// Ranges by ascending begin.
#[derive(Clone, Debug)]
pub(super) struct Leaf<T> {
    lo: [u64; LEAF],
    hi: [u64; LEAF],
    /// No range in it is longer. Not lowered by removal.
    longest: u64,
    values: SmallVec<[T; LEAF]>,
}

#[derive(Clone, Debug)]
pub(super) struct Inner<T> {
    /// Of each child, where its first range begins or before that; ascending.
    lo: [u64; INNER],
    /// Of each child, the greatest end.
    reach: [u64; INNER],
    /// Of each child and all before it.
    front: [u64; INNER],
    children: Vec<Node<T>>,
}

/// How many are at most `bound`, which is not [`NONE`]; they ascend. First which block of eight, one cache line, by a number of each, which
/// do not wait for each other; then a binary search in the block, whose steps are known beforehand. Nothing to mispredict.
#[inline(always)]
fn up_to<const N: usize>(sorted: &[u64; N], bound: u64) -> usize {
    const { assert!(N.is_multiple_of(8)) };
    let (blocks, _) = sorted.as_chunks::<8>();
    let mut block = 0;
    for first in &blocks[1..] {
        block += usize::from(first[0] <= bound);
    }
    let (numbers, mut below) = (&blocks[block], 0);
    for step in [4, 2, 1] {
        below += if numbers[(below + step - 1) % 8] <= bound { step } else { 0 };
    }
    block * 8 + below + usize::from(numbers[below % 8] <= bound)
}

/// The same when `len` are in use and `bound` is often at or beyond one of the ends: ranges in order need no search.
#[inline(always)]
fn up_to_or_end<const N: usize>(sorted: &[u64; N], len: usize, bound: u64) -> usize {
    if len == 0 || sorted[(len - 1) % N] <= bound {
        len
    } else if sorted[0] > bound {
        0
    } else {
        up_to(sorted, bound)
    }
}

/// Stands in begins that are not in use, behind all others.
const NONE: u64 = u64::MAX;

/// Moves `sorted[at..len]` up by one and puts `number` there.
#[inline(always)]
fn open_up<const N: usize>(numbers: &mut [u64; N], len: usize, at: usize, number: u64) {
    // At the end there is nothing to move: ranges in order.
    if at < len {
        numbers.copy_within(at..len, at + 1);
    }
    numbers[at] = number;
}

impl<T> Node<T> {
    pub(super) fn empty() -> Self {
        Self::Leaf(Box::new(Leaf::empty()))
    }

    /// A node over two.
    pub(super) fn over(left: Self, right: Self) -> Self {
        let mut inner =
            Inner { lo: [NONE; INNER], reach: [0; INNER], front: [0; INNER], children: Vec::with_capacity(INNER) };
        inner.children.extend([left, right]);
        inner.summarise();
        Self::Inner(Box::new(inner))
    }

    #[inline]
    pub(super) fn insert(&mut self, at: Interval, value: T) -> Split<T> {
        match self {
            Self::Leaf(leaf) => leaf.insert(at, value),
            Self::Inner(inner) => inner.insert(at, value),
        }
    }

    #[inline]
    pub(super) fn overlapping(&self, at: Interval, visit: &mut impl FnMut(Interval, &T)) {
        let mut node = self;
        loop {
            let inner = match node {
                Self::Leaf(leaf) => return leaf.overlapping(at, visit),
                Self::Inner(inner) => inner,
            };
            let Some(last) = up_to(&inner.lo, at.hi() - 1).checked_sub(1) else { return };
            // As a rule only the last child that begins in time reaches so far.
            if last > 0 && inner.front[last - 1] > at.lo() {
                inner.overlapping_before(last, at, visit);
            }
            if inner.reach[last] <= at.lo() {
                return;
            }
            node = &inner.children[last];
        }
    }

    /// Shows what overlaps and removes what is not kept. Returns how many that were.
    pub(super) fn retain(&mut self, at: Interval, visit: &mut impl FnMut(Interval, &mut T) -> Keep) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.retain(at, visit),
            Self::Inner(inner) => inner.retain(at, visit),
        }
    }

    /// A leaf behind all others.
    #[cold]
    pub(super) fn push(&mut self, last: Self) -> Split<T> {
        match self {
            Self::Leaf(leaf) if leaf.values.is_empty() => {
                *self = last;
                Split::No
            }
            Self::Leaf(_) => Split::Into(Box::new(last)),
            Self::Inner(inner) => {
                let child = inner.children.len() - 1;
                let split = inner.children[child].push(last);
                if let Split::Into(right) = split {
                    return inner.take_in(child, *right);
                }
                inner.reach[child] = inner.children[child].bounds().1;
                inner.advance_front(child);
                Split::No
            }
        }
    }

    /// A root with one child gives way to it.
    pub(super) fn collapse(&mut self) {
        while let Self::Inner(inner) = self
            && inner.children.len() <= 1
        {
            *self = inner.children.pop().unwrap_or_else(Self::empty);
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.values.len(),
            Self::Inner(inner) => inner.children.len(),
        }
    }

    /// First begin and greatest end.
    fn bounds(&self) -> (u64, u64) {
        match self {
            Self::Leaf(leaf) => (leaf.lo[0], leaf.hi[..leaf.values.len()].iter().copied().max().unwrap_or(0)),
            Self::Inner(inner) => {
                (inner.lo[0], inner.children.len().checked_sub(1).map_or(0, |last| inner.front[last]))
            }
        }
    }

    /// Takes in a neighbour, the next one on the same level, if half a node has room for both.
    fn absorb(&mut self, next: &mut Self) -> bool {
        match (self, next) {
            (Self::Leaf(leaf), Self::Leaf(next)) => leaf.absorb(next),
            (Self::Inner(inner), Self::Inner(next)) => {
                let fits = inner.children.len() + next.children.len() <= INNER / 2;
                if fits {
                    inner.children.append(&mut next.children);
                    inner.summarise();
                }
                fits
            }
            _ => false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Leaf(_) => size_of::<Self>() + size_of::<Leaf<T>>(),
            Self::Inner(inner) => {
                let unused = (inner.children.capacity() - inner.children.len()) * size_of::<Self>();
                size_of::<Inner<T>>() + unused + inner.children.iter().map(Self::bytes).sum::<usize>()
            }
        }
    }

    /// Panics when an invariant is broken. Returns how many ranges there are.
    #[cfg(test)]
    pub(super) fn check(&self, from: u64, to: u64) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.check(from, to),
            Self::Inner(inner) => {
                let len = inner.children.len();
                assert!(len > 0 && inner.lo.is_sorted() && inner.lo[len..].iter().all(|&lo| lo == NONE));
                let mut front = 0;
                let mut ranges = 0;
                for (i, child) in inner.children.iter().enumerate() {
                    let (lo, reach) = child.bounds();
                    front = front.max(reach);
                    assert_eq!((inner.lo[i], inner.reach[i], inner.front[i]), (lo, reach, front));
                    assert_eq!(matches!(child, Self::Leaf(_)), matches!(inner.children[0], Self::Leaf(_)));
                    assert!(child.len() > 0);
                    ranges += child.check(inner.lo[i], if i + 1 < len { inner.lo[i + 1] } else { to });
                }
                ranges
            }
        }
    }
}

impl<T> Leaf<T> {
    pub(super) fn empty() -> Self {
        Self { lo: [NONE; LEAF], hi: [0; LEAF], longest: 0, values: SmallVec::new() }
    }

    /// Where its first range begins; behind everything if there is none.
    #[inline(always)]
    pub(super) fn begin(&self) -> u64 {
        self.lo[0]
    }

    #[inline]
    pub(super) fn insert(&mut self, at: Interval, value: T) -> Split<T> {
        let len = self.values.len();
        let place = up_to_or_end(&self.lo, len, at.lo());
        if len < LEAF {
            self.put(place, at, value);
            return Split::No;
        }
        let mut right = self.split_off(match place {
            0 => 1,
            LEAF => LEAF - 1,
            _ => LEAF / 2,
        });
        let kept = self.values.len();
        if place <= kept && place < LEAF {
            self.put(place, at, value);
        } else {
            right.put(place - kept, at, value);
        }
        Split::Into(Box::new(Node::Leaf(Box::new(right))))
    }

    #[inline(always)]
    fn put(&mut self, place: usize, at: Interval, value: T) {
        let len = self.values.len();
        open_up(&mut self.lo, len, place, at.lo());
        open_up(&mut self.hi, len, place, at.hi());
        self.values.insert(place, value);
        self.longest = self.longest.max(at.len());
    }

    #[cold]
    fn split_off(&mut self, keep: usize) -> Self {
        let mut right = Self { lo: [NONE; LEAF], hi: [0; LEAF], longest: self.longest, values: SmallVec::new() };
        right.values.extend(self.values.drain(keep..));
        let moved = right.values.len();
        right.lo[..moved].copy_from_slice(&self.lo[keep..keep + moved]);
        right.hi[..moved].copy_from_slice(&self.hi[keep..keep + moved]);
        self.lo[keep..].fill(NONE);
        right
    }

    #[inline(always)]
    pub(super) fn overlapping(&self, at: Interval, visit: &mut impl FnMut(Interval, &T)) {
        let end = up_to(&self.lo, at.hi() - 1);
        let ranges = self.lo[..end].iter().zip(&self.hi[..end]);
        for ((&lo, &hi), value) in ranges.zip(&self.values[..end]).rev() {
            // What begins here, and before, ends at or before `at`.
            if at.lo().saturating_sub(lo) >= self.longest {
                break;
            }
            if hi > at.lo()
                && let Ok(stored) = Interval::from_bounds(lo, hi)
            {
                visit(stored, value);
            }
        }
    }

    pub(super) fn retain(&mut self, at: Interval, visit: &mut impl FnMut(Interval, &mut T) -> Keep) -> usize {
        let before = self.values.len();
        let (mut i, mut kept) = (0, 0);
        let (lo, hi) = (&mut self.lo, &mut self.hi);
        self.values.retain(|value| {
            let stored = Interval::from_bounds(lo[i], hi[i]);
            let keep =
                stored.map_or(Keep::Yes, |stored| if stored.overlaps(at) { visit(stored, value) } else { Keep::Yes });
            (lo[kept], hi[kept]) = (lo[i], hi[i]);
            i += 1;
            kept += usize::from(keep == Keep::Yes);
            keep == Keep::Yes
        });
        self.lo[kept..].fill(NONE);
        before - kept
    }

    #[cfg(test)]
    pub(super) fn check(&self, from: u64, to: u64) -> usize {
        let len = self.values.len();
        assert!(self.lo[..len].is_sorted() && self.lo[..len].iter().all(|lo| (from..=to).contains(lo)));
        assert!((0..len).all(|i| self.hi[i] - self.lo[i] <= self.longest));
        assert!(self.lo[len..].iter().all(|&lo| lo == NONE));
        len
    }

    fn absorb(&mut self, next: &mut Self) -> bool {
        let (mine, theirs) = (self.values.len(), next.values.len());
        let fits = mine + theirs <= LEAF / 2;
        if fits {
            self.lo[mine..mine + theirs].copy_from_slice(&next.lo[..theirs]);
            self.hi[mine..mine + theirs].copy_from_slice(&next.hi[..theirs]);
            self.values.extend(next.values.drain(..));
            self.longest = self.longest.max(next.longest);
        }
        fits
    }
}

impl<T> Inner<T> {
    /// The same in the children before this one.
    fn overlapping_before(&self, mut child: usize, at: Interval, visit: &mut impl FnMut(Interval, &T)) {
        while child > 0 && self.front[child - 1] > at.lo() {
            child -= 1;
            if self.reach[child] > at.lo() {
                self.children[child].overlapping(at, visit);
            }
        }
    }

    #[inline]
    fn insert(&mut self, at: Interval, value: T) -> Split<T> {
        let child = up_to_or_end(&self.lo, self.children.len(), at.lo()).saturating_sub(1);
        let split = self.children[child].insert(at, value);
        if let Split::Into(right) = split {
            return self.take_in(child, *right);
        }
        self.lo[child] = self.lo[child].min(at.lo());
        self.reach[child] = self.reach[child].max(at.hi());
        for front in &mut self.front[child..self.children.len()] {
            if *front >= at.hi() {
                break;
            }
            *front = at.hi();
        }
        Split::No
    }

    /// The upper part of a child becomes the next child.
    #[cold]
    fn take_in(&mut self, child: usize, right: Node<T>) -> Split<T> {
        let len = self.children.len();
        if len < INNER {
            self.children.insert(child + 1, right);
            self.summarise_from(child, child + 1);
            return Split::No;
        }
        let keep = match child + 1 {
            INNER => INNER - 1,
            1 => 1,
            _ => INNER / 2,
        };
        let mut upper = Vec::with_capacity(INNER);
        upper.extend(self.children.drain(keep..));
        if child < keep {
            self.children.insert(child + 1, right);
        } else {
            upper.insert(child + 1 - keep, right);
        }
        self.summarise();
        let mut upper = Self { lo: [NONE; INNER], reach: [0; INNER], front: [0; INNER], children: upper };
        upper.summarise();
        Split::Into(Box::new(Node::Inner(Box::new(upper))))
    }

    /// Makes the numbers anew of which children `changed` and the next are new, and those behind it have moved up by one.
    fn summarise_from(&mut self, changed: usize, moved: usize) {
        let len = self.children.len() - 1;
        self.lo.copy_within(moved..len, moved + 1);
        self.reach.copy_within(moved..len, moved + 1);
        for child in changed..=moved {
            (self.lo[child], self.reach[child]) = self.children[child].bounds();
        }
        self.advance_front(changed);
    }

    fn summarise(&mut self) {
        for (i, child) in self.children.iter().enumerate() {
            (self.lo[i], self.reach[i]) = child.bounds();
        }
        self.lo[self.children.len()..].fill(NONE);
        self.advance_front(0);
    }

    fn advance_front(&mut self, from: usize) {
        let mut front = from.checked_sub(1).map_or(0, |before| self.front[before]);
        for i in from..self.children.len() {
            front = front.max(self.reach[i]);
            self.front[i] = front;
        }
    }

    fn retain(&mut self, at: Interval, visit: &mut impl FnMut(Interval, &mut T) -> Keep) -> usize {
        let mut removed = 0;
        let mut child = up_to(&self.lo, at.hi() - 1);
        while child > 0 && self.front[child - 1] > at.lo() {
            child -= 1;
            if self.reach[child] > at.lo() {
                removed += self.children[child].retain(at, visit);
            }
        }
        if removed > 0 {
            self.children.retain(|child| child.len() > 0);
            self.children.dedup_by(|next, kept| kept.absorb(next));
            self.summarise();
        }
        removed
    }
}
