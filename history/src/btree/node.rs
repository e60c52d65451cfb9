//! Nodes of the B-tree. All leaves are on one level.

use crate::{Interval, Keep};
use arrayvec::ArrayVec;

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
    Into(Node<T>),
}

/// Ranges by ascending begin.
#[derive(Clone, Debug)]
pub(super) struct Leaf<T> {
    lo: [u64; LEAF],
    hi: [u64; LEAF],
    /// No range in it is longer. Not lowered by removal.
    longest: u64,
    /// The greatest end.
    reach: u64,
    values: ArrayVec<T, LEAF>,
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
                inner.ending_after(last, at.lo(), visit);
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
            Self::Leaf(_) => Split::Into(last),
            Self::Inner(inner) => {
                let child = inner.children.len() - 1;
                let split = inner.children[child].push(last);
                if let Split::Into(right) = split {
                    return inner.take_in(child, right);
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
            Self::Leaf(leaf) => (leaf.lo[0], leaf.reach),
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
        Self { lo: [NONE; LEAF], hi: [0; LEAF], longest: 0, reach: 0, values: ArrayVec::new() }
    }

    /// Where its first range begins; behind everything if there is none.
    #[inline(always)]
    pub(super) fn begin(&self) -> u64 {
        self.lo[0]
    }

    /// Puts it behind all others, if there is one, it does not begin before the last and there is room.
    #[inline(always)]
    pub(super) fn append(&mut self, at: Interval, value: T) -> Result<(), T> {
        let len = self.values.len();
        if (1..LEAF).contains(&len) && self.lo[len - 1] <= at.lo() {
            (self.lo[len], self.hi[len]) = (at.lo(), at.hi());
            self.note(at);
            return self.values.try_push(value).map_err(arrayvec::CapacityError::element);
        }
        Err(value)
    }

    #[inline(always)]
    fn note(&mut self, at: Interval) {
        self.longest = self.longest.max(at.len());
        self.reach = self.reach.max(at.hi());
    }

    #[inline]
    pub(super) fn insert(&mut self, at: Interval, value: T) -> Split<T> {
        let len = self.values.len();
        let place = up_to_or_end(&self.lo, len, at.lo());
        if len < LEAF {
            self.put(place, at, value);
            return Split::No;
        }
        Split::Into(Node::Leaf(self.split_and_put(place, at, value)))
    }

    /// The same in a full leaf. At the ends there is nothing to divide: the full part stays full.
    #[cold]
    fn split_and_put(&mut self, place: usize, at: Interval, value: T) -> Box<Self> {
        let mut right = self.split_off(match place {
            0 => 0,
            LEAF => LEAF,
            _ => LEAF / 2,
        });
        let kept = self.values.len();
        if place <= kept && kept < LEAF {
            self.put(place, at, value);
        } else {
            right.put(place - kept, at, value);
        }
        right
    }

    #[inline(always)]
    fn put(&mut self, place: usize, at: Interval, value: T) {
        let len = self.values.len();
        open_up(&mut self.lo, len, place, at.lo());
        open_up(&mut self.hi, len, place, at.hi());
        self.values.insert(place, value);
        self.note(at);
    }

    /// Finds the greatest end anew.
    fn measure(&mut self) {
        self.reach = self.hi[..self.values.len()].iter().copied().max().unwrap_or(0);
    }

    fn split_off(&mut self, keep: usize) -> Box<Self> {
        let mut right = Box::new(Self { longest: self.longest, ..Self::empty() });
        right.values.extend(self.values.drain(keep..));
        let moved = right.values.len();
        right.lo[..moved].copy_from_slice(&self.lo[keep..keep + moved]);
        right.hi[..moved].copy_from_slice(&self.hi[keep..keep + moved]);
        self.lo[keep..].fill(NONE);
        self.measure();
        right.measure();
        right
    }

    #[inline(always)]
    pub(super) fn overlapping(&self, at: Interval, visit: &mut impl FnMut(Interval, &T)) {
        self.ending_after(up_to(&self.lo, at.hi() - 1), at.lo(), visit);
    }

    /// Of its first ranges those that end after `lo`, the last one first.
    #[inline(always)]
    fn ending_after(&self, first: usize, lo: u64, visit: &mut impl FnMut(Interval, &T)) {
        // What begins before that ends at or before `lo`.
        let bound = lo.checked_sub(self.longest).map_or(0, |last| last.saturating_add(1));
        let ranges = self.lo[..first].iter().zip(&self.hi[..first]);
        for ((&begin, &end), value) in ranges.zip(&self.values[..first]).rev() {
            if begin < bound {
                break;
            }
            if end > lo.max(begin)
                && let Ok(stored) = Interval::from_bounds(begin, end)
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
        self.measure();
        before - kept
    }

    #[cfg(test)]
    pub(super) fn check(&self, from: u64, to: u64) -> usize {
        let len = self.values.len();
        assert!(self.lo[..len].is_sorted() && self.lo[..len].iter().all(|lo| (from..=to).contains(lo)));
        assert!((0..len).all(|i| self.hi[i] - self.lo[i] <= self.longest));
        assert!(self.lo[len..].iter().all(|&lo| lo == NONE));
        assert_eq!(self.reach, self.hi[..len].iter().copied().max().unwrap_or(0));
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
            self.reach = self.reach.max(next.reach);
        }
        fits
    }
}

impl<T> Inner<T> {
    /// In its first children the ranges that end after `lo`: where the next child begins in time, those in front of it do.
    fn ending_after(&self, first: usize, lo: u64, visit: &mut impl FnMut(Interval, &T)) {
        let mut child = first;
        while child > 0 && self.front[child - 1] > lo {
            child -= 1;
            if self.reach[child] > lo {
                match &self.children[child] {
                    Node::Leaf(leaf) => leaf.ending_after(leaf.values.len(), lo, visit),
                    Node::Inner(inner) => inner.ending_after(inner.children.len(), lo, visit),
                }
            }
        }
    }

    #[inline]
    fn insert(&mut self, at: Interval, value: T) -> Split<T> {
        let child = up_to_or_end(&self.lo, self.children.len(), at.lo()).saturating_sub(1);
        let split = self.children[child].insert(at, value);
        if let Split::Into(right) = split {
            return self.take_in(child, right);
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
        Split::Into(Node::Inner(Box::new(upper)))
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
