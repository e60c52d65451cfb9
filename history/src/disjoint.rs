//! A map from disjoint byte ranges to values, as a balanced tree: what the trees of RMA-Analyzer and the treaps of STINT have in common.
//!
//! G. Blelloch, D. Ferizovic, Y. Sun: *Just join for parallel ordered sets*, SPAA 2016: a balanced tree is its `join`. Everything else,
//! split first of all, is the same for all ways of balancing. [`Balance`] has the two that we have: [`Avl`] and [`Treap`].
//!
//! # Algorithm
//!
//! There is one way to change the map, [`Disjoint::update`], which says for each piece of a range what is to be stored there from now on:
//! split the tree at both ends of the range (a stored range that lies across an end is cut in two), show the pieces and the gaps in the
//! middle in order, join what comes back. Neighbours that touch and have equal values become one node.
//!
//! All that the papers do is an update: the last writer overwrites; the left-most reader compares; fragmentation is the splits, merging is
//! the join of equal neighbours.
//!
//! # Cost
//!
//! O(log n + k) a search or update of a range with k stored pieces; with high probability for the treap, always for the AVL tree.
//! Nodes are in one vector, by number; memory of removed ones is used again.

use crate::Interval;

const NIL: u32 = u32::MAX;

/// How a tree is kept flat: what a node remembers for it, and how two trees and the node between them become one.
pub trait Balance: Default + Clone {
    /// The rank of a node that is not linked yet.
    fn fresh(&mut self) -> u32;
    /// Joins what is left of `mid`, `mid`, and what is right of it.
    fn join<V>(arena: &mut Arena<V>, left: u32, mid: u32, right: u32) -> u32;
}

/// The nodes of a tree.
#[derive(Clone, Debug)]
pub struct Arena<V> {
    nodes: Vec<Node<V>>,
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node<V> {
    lo: u64,
    hi: u64,
    left: u32,
    right: u32,
    /// Height of an AVL tree's node, priority of a treap's.
    rank: u32,
    value: V,
}

impl<V> Arena<V> {
    fn at(&self, node: u32) -> &Node<V> {
        &self.nodes[node as usize]
    }

    fn at_mut(&mut self, node: u32) -> &mut Node<V> {
        &mut self.nodes[node as usize]
    }

    fn link(&mut self, node: u32, left: u32, right: u32) -> u32 {
        let linked = self.at_mut(node);
        (linked.left, linked.right) = (left, right);
        node
    }
}

/// R. Seidel, C. R. Aragon: *Randomized search trees*, 1996: a heap by priorities that are drawn, from a fixed seed.
#[derive(Clone, Debug)]
pub struct Treap {
    state: u64,
}

impl Default for Treap {
    fn default() -> Self {
        Self { state: 0x7468_7269_6c6c_6500 }
    }
}

impl Balance for Treap {
    fn fresh(&mut self) -> u32 {
        // SplitMix64: priorities need be no better than that.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
    }

    fn join<V>(arena: &mut Arena<V>, left: u32, mid: u32, right: u32) -> u32 {
        let rank = |node: u32| if node == NIL { None } else { Some(arena.at(node).rank) };
        let (l, m, r) = (rank(left), rank(mid), rank(right));
        if m >= l && m >= r {
            arena.link(mid, left, right)
        } else if l >= r {
            let joined = Self::join(arena, arena.at(left).right, mid, right);
            arena.at_mut(left).right = joined;
            left
        } else {
            let joined = Self::join(arena, left, mid, arena.at(right).left);
            arena.at_mut(right).left = joined;
            right
        }
    }
}

/// G. Adelson-Velsky, E. Landis, 1962: heights of siblings differ by one at most.
#[derive(Clone, Debug, Default)]
pub struct Avl;

impl Avl {
    fn height<V>(arena: &Arena<V>, node: u32) -> u32 {
        if node == NIL { 0 } else { arena.at(node).rank }
    }

    fn node<V>(arena: &mut Arena<V>, node: u32, left: u32, right: u32) -> u32 {
        arena.at_mut(node).rank = 1 + Self::height(arena, left).max(Self::height(arena, right));
        arena.link(node, left, right)
    }

    /// Relinks a node whose children differ by two at most.
    fn rotated<V>(arena: &mut Arena<V>, node: u32, left: u32, right: u32) -> u32 {
        let (l, r) = (Self::height(arena, left), Self::height(arena, right));
        if l > r + 1 {
            let (outer, inner) = (arena.at(left).left, arena.at(left).right);
            if Self::height(arena, outer) >= Self::height(arena, inner) {
                let below = Self::node(arena, node, inner, right);
                Self::node(arena, left, outer, below)
            } else {
                let (a, b) = (arena.at(inner).left, arena.at(inner).right);
                let (below_left, below_right) = (Self::node(arena, left, outer, a), Self::node(arena, node, b, right));
                Self::node(arena, inner, below_left, below_right)
            }
        } else if r > l + 1 {
            let (inner, outer) = (arena.at(right).left, arena.at(right).right);
            if Self::height(arena, outer) >= Self::height(arena, inner) {
                let below = Self::node(arena, node, left, inner);
                Self::node(arena, right, below, outer)
            } else {
                let (a, b) = (arena.at(inner).left, arena.at(inner).right);
                let (below_left, below_right) = (Self::node(arena, node, left, a), Self::node(arena, right, b, outer));
                Self::node(arena, inner, below_left, below_right)
            }
        } else {
            Self::node(arena, node, left, right)
        }
    }
}

impl Balance for Avl {
    fn fresh(&mut self) -> u32 {
        1
    }

    fn join<V>(arena: &mut Arena<V>, left: u32, mid: u32, right: u32) -> u32 {
        let (l, r) = (Self::height(arena, left), Self::height(arena, right));
        if l > r + 1 {
            let (outer, inner) = (arena.at(left).left, arena.at(left).right);
            let joined = Self::join(arena, inner, mid, right);
            Self::rotated(arena, left, outer, joined)
        } else if r > l + 1 {
            let (inner, outer) = (arena.at(right).left, arena.at(right).right);
            let joined = Self::join(arena, left, mid, inner);
            Self::rotated(arena, right, joined, outer)
        } else {
            Self::node(arena, mid, left, right)
        }
    }
}

/// A stored range and its value, outside of the tree.
type Piece<V> = (u64, u64, V);

/// A map from disjoint ranges to values: see the top of `disjoint.rs`.
#[derive(Clone, Debug)]
pub struct Disjoint<V, B> {
    arena: Arena<V>,
    root: u32,
    balance: B,
    /// The pieces of the current update; empty between calls.
    before: Vec<Piece<V>>,
    after: Vec<Piece<V>>,
}

impl<V, B: Default> Default for Disjoint<V, B> {
    fn default() -> Self {
        Self {
            arena: Arena { nodes: Vec::new(), free: Vec::new() },
            root: NIL,
            balance: B::default(),
            before: Vec::new(),
            after: Vec::new(),
        }
    }
}

impl<V: Clone + Default + PartialEq, B: Balance> Disjoint<V, B> {
    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.arena.nodes.len() - self.arena.free.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.root == NIL
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.arena.nodes.clear();
        self.arena.free.clear();
        self.root = NIL;
    }

    /// Calls `visit` with each stored range that overlaps `at`, in ascending order, as it is stored.
    pub fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &V)) {
        self.visit(self.root, at, &mut visit);
    }

    fn visit(&self, node: u32, at: Interval, visit: &mut impl FnMut(Interval, &V)) {
        if node == NIL {
            return;
        }
        let node = self.arena.at(node);
        if node.lo > at.lo() {
            self.visit(node.left, at, visit);
        }
        if node.lo < at.hi() && at.lo() < node.hi {
            tell(node.lo, node.hi, |at| visit(at, &node.value));
        }
        if node.hi < at.hi() {
            self.visit(node.right, at, visit);
        }
    }

    /// Says what is stored in `at` from now on: `change` is shown each stored piece within and each gap between them, in ascending order,
    /// and returns what is to be there.
    pub fn update(&mut self, at: Interval, mut change: impl FnMut(Interval, Option<V>) -> Option<V>) {
        let (left, rest) = self.split(self.root, at.lo());
        let (middle, mut right) = self.split(rest, at.hi());
        let (mut before, mut after) = (std::mem::take(&mut self.before), std::mem::take(&mut self.after));
        self.unlink(middle, &mut before);
        // A neighbour that touches may become one with what comes back.
        let mut left = left;
        if let Some(last) = self.edge(left, |node| node.right)
            && self.arena.at(last).hi == at.lo()
        {
            left = self.pop_last(left);
            after.push(self.release(last));
        }
        let mut reached = at.lo();
        let mut put = |lo: u64, hi: u64, old: Option<V>| {
            tell(lo, hi, |piece| {
                if let Some(value) = change(piece, old) {
                    push(&mut after, (lo, hi, value));
                }
            });
        };
        for (lo, hi, value) in before.drain(..) {
            put(reached, lo, None);
            put(lo, hi, Some(value));
            reached = hi;
        }
        put(reached, at.hi(), None);
        if let Some(first) = self.edge(right, |node| node.left)
            && self.arena.at(first).lo == at.hi()
        {
            right = self.pop_first(right);
            push(&mut after, self.release(first));
        }
        let last = after.pop();
        for piece in after.drain(..) {
            let node = self.node(piece);
            left = B::join(&mut self.arena, left, node, NIL);
        }
        self.root = match last {
            Some(piece) => {
                let node = self.node(piece);
                B::join(&mut self.arena, left, node, right)
            }
            None => self.join_two(left, right),
        };
        (self.before, self.after) = (before, after);
    }

    fn node(&mut self, (lo, hi, value): Piece<V>) -> u32 {
        let node = Node { lo, hi, left: NIL, right: NIL, rank: self.balance.fresh(), value };
        if let Some(free) = self.arena.free.pop() {
            *self.arena.at_mut(free) = node;
            free
        } else {
            self.arena.nodes.push(node);
            self.arena.nodes.len() as u32 - 1
        }
    }

    /// Takes a node's piece; the node is free from now on.
    fn release(&mut self, node: u32) -> Piece<V> {
        self.arena.free.push(node);
        let node = self.arena.at_mut(node);
        (node.lo, node.hi, std::mem::take(&mut node.value))
    }

    /// What is below `key` and what is not.
    fn split(&mut self, node: u32, key: u64) -> (u32, u32) {
        if node == NIL {
            return (NIL, NIL);
        }
        let Node { lo, hi, left, right, .. } = *self.arena.at(node);
        if hi <= key {
            let (below, above) = self.split(right, key);
            (B::join(&mut self.arena, left, node, below), above)
        } else if lo >= key {
            let (below, above) = self.split(left, key);
            (below, B::join(&mut self.arena, above, node, right))
        } else {
            let value = self.arena.at(node).value.clone();
            self.arena.at_mut(node).hi = key;
            let upper = self.node((key, hi, value));
            (B::join(&mut self.arena, left, node, NIL), B::join(&mut self.arena, NIL, upper, right))
        }
    }

    /// Takes a tree apart, in order.
    fn unlink(&mut self, node: u32, out: &mut Vec<Piece<V>>) {
        if node != NIL {
            let Node { left, right, .. } = *self.arena.at(node);
            self.unlink(left, out);
            out.push(self.release(node));
            self.unlink(right, out);
        }
    }

    /// The last node along one side.
    fn edge(&self, root: u32, side: impl Fn(&Node<V>) -> u32) -> Option<u32> {
        let mut edge = None;
        let mut node = root;
        while node != NIL {
            edge = Some(node);
            node = side(self.arena.at(node));
        }
        edge
    }

    fn pop_last(&mut self, root: u32) -> u32 {
        let Node { left, right, .. } = *self.arena.at(root);
        if right == NIL {
            return left;
        }
        let rest = self.pop_last(right);
        B::join(&mut self.arena, left, root, rest)
    }

    fn pop_first(&mut self, root: u32) -> u32 {
        let Node { left, right, .. } = *self.arena.at(root);
        if left == NIL {
            return right;
        }
        let rest = self.pop_first(left);
        B::join(&mut self.arena, rest, root, right)
    }

    fn join_two(&mut self, left: u32, right: u32) -> u32 {
        match self.edge(left, |node| node.right) {
            None => right,
            Some(last) => {
                let rest = self.pop_last(left);
                B::join(&mut self.arena, rest, last, right)
            }
        }
    }
}

/// Appends a piece, to the last one if it touches that and is equal.
fn push<V: PartialEq>(pieces: &mut Vec<Piece<V>>, piece: Piece<V>) {
    match pieces.last_mut() {
        Some(last) if last.1 == piece.0 && last.2 == piece.2 => last.1 = piece.1,
        _ => pieces.push(piece),
    }
}

/// Calls `f` if there is a byte from `lo` to `hi`.
fn tell(lo: u64, hi: u64, f: impl FnOnce(Interval)) {
    if let Ok(at) = Interval::from_bounds(lo, hi) {
        f(at);
    }
}

#[cfg(test)]
impl<V: Clone + Default + PartialEq + std::fmt::Debug, B: Balance> Disjoint<V, B> {
    /// All ranges in order.
    pub fn pieces(&self) -> Vec<(u64, u64, V)> {
        let mut pieces = Vec::new();
        self.overlapping(Interval::from_bounds(0, u64::MAX).expect("not empty"), |at, value| {
            pieces.push((at.lo(), at.hi(), value.clone()));
        });
        pieces
    }

    /// Panics when an invariant is broken.
    pub fn check(&self) {
        let pieces = self.pieces();
        assert_eq!(pieces.len(), self.len());
        assert!(self.before.is_empty() && self.after.is_empty());
        for pair in pieces.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "sorted and disjoint: {pair:?}");
        }
        let depth = self.depth(self.root);
        let bits = usize::BITS - pieces.len().leading_zeros();
        assert!(depth <= 4 * bits + 8, "{depth} deep with {} nodes", pieces.len());
    }

    fn depth(&self, node: u32) -> u32 {
        if node == NIL {
            return 0;
        }
        1 + self.depth(self.arena.at(node).left).max(self.depth(self.arena.at(node).right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Against an array of bytes.
    fn agrees<B: Balance>(updates: &[(u64, u64, u8)]) -> Result<(), TestCaseError> {
        let mut map: Disjoint<u8, B> = Disjoint::default();
        let mut bytes = [0_u8; 80];
        for &(lo, len, value) in updates {
            let at = Interval::from_len(lo, len).expect("not empty");
            let mut reached = lo;
            map.update(at, |piece, old| {
                assert_eq!(piece.lo(), reached);
                assert!((piece.lo()..piece.hi()).all(|b| bytes[b as usize] == old.unwrap_or(0)));
                reached = piece.hi();
                // 0 removes, 9 leaves alone, others replace.
                if value == 9 { old } else { Some(value).filter(|&v| v != 0) }
            });
            assert_eq!(reached, lo + len);
            if value != 9 {
                bytes[lo as usize..(lo + len) as usize].fill(value);
            }
            map.check();
            let mut found = [0_u8; 80];
            map.pieces().iter().for_each(|&(lo, hi, v)| found[lo as usize..hi as usize].fill(v));
            prop_assert_eq!(found, bytes);
            let touching = map.pieces().windows(2).filter(|w| w[0].1 == w[1].0 && w[0].2 == w[1].2).count();
            prop_assert_eq!(touching, 0, "equal neighbours are one");
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::tests::config(256))]

        #[test]
        fn both_trees_agree_with_an_array(updates in prop::collection::vec((0..60_u64, 1..20_u64, prop_oneof![0..4_u8, Just(9)]), 1..60)) {
            agrees::<Avl>(&updates)?;
            agrees::<Treap>(&updates)?;
        }
    }

    fn stays_flat<B: Balance>() {
        let mut map: Disjoint<u64, B> = Disjoint::default();
        let mut put = |lo: u64| map.update(Interval::from_len(lo * 10, 5).expect("not empty"), |_, _| Some(lo));
        (0..2_000).for_each(&mut put);
        (4_000..6_000).rev().for_each(&mut put);
        map.check();
        map.update(Interval::from_bounds(7, 59_990).expect("not empty"), |_, _| None);
        map.check();
        assert_eq!(map.pieces(), [(0, 5, 0), (59_990, 59_995, 5_999)]);
    }

    #[test]
    fn order_of_insertion_does_not_matter() {
        stays_flat::<Avl>();
        stays_flat::<Treap>();
    }
}
