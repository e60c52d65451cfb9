//! The skiplist itself: from ranges to group numbers. Knows no values.
//!
//! State, all owned by [`Index`]:
//!
//! | field | invariant |
//! |---|---|
//! | `links` | a tower is `height` links in a row, named by the first; the head is tower 0, of full height |
//! | `nodes` | one a key, `begin`/`ends` say why it is there; free ones keep their tower, for the next of that height |
//! | `bounds` | by group; that of a free group is stale |
//! | `path` | for some key k, the last tower before k on each level: always a path of living towers |

use crate::Interval;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use smallvec::SmallVec;

/// Most levels a tower can have: enough for 4¹⁶ nodes, as many as 32-bit numbers can name.
pub(super) const MAX_HEIGHT: usize = 16;

/// Number of a group of equal ranges. Dense: freed numbers are given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupId(u32);

impl GroupId {
    pub(super) fn slot(self) -> usize {
        self.0 as usize
    }
}

/// First link of a tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tower(u32);

impl Tower {
    /// Before every key.
    pub(super) const HEAD: Self = Self(0);
    /// What the last tower of a level links to.
    pub(super) const END: Self = Self(u32::MAX);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// The ranges marked on one edge, in no order.
pub(super) type Marks = SmallVec<[GroupId; 4]>;

/// One level of a tower: the edge to the next tower of that level.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// Key of `next`, here to spare the search a visit there; `u64::MAX` at the end.
    pub(super) next_key: u64,
    pub(super) next: Tower,
    /// The node whose tower this is part of; meaningless in the head.
    pub(super) owner: NodeId,
    pub(super) marks: Marks,
}

const _: () = assert!(size_of::<Link>() == 40);

/// An endpoint of stored ranges.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) key: u64,
    pub(super) tower: Tower,
    pub(super) height: u8,
    /// How many groups end here.
    pub(super) ends: u32,
    /// The groups that begin here, by ascending end.
    pub(super) begin: SmallVec<[GroupId; 4]>,
}

/// A tower on a search path, with its key at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) tower: Tower,
    /// 0 in the head, which is before 0 all the same.
    pub(super) key: u64,
}

impl Step {
    const HEAD: Self = Self { tower: Tower::HEAD, key: 0 };
}

/// Finds groups by overlap of their ranges.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) links: Vec<Link>,
    pub(super) nodes: Vec<Node>,
    /// Free nodes by height - 1.
    pub(super) free_nodes: [Vec<NodeId>; MAX_HEIGHT],
    pub(super) bounds: Vec<Interval>,
    pub(super) free_groups: Vec<GroupId>,
    /// Levels in use: at least one, at most [`MAX_HEIGHT`].
    pub(super) levels: usize,
    pub(super) path: [Step; MAX_HEIGHT],
    /// Marks on the move, with their level; empty between calls.
    pub(super) moving: Vec<(u8, GroupId)>,
    heights: Xoshiro256PlusPlus,
}

impl Index {
    pub(super) fn with_seed(seed: u64) -> Self {
        let mut index = Self {
            links: Vec::new(),
            nodes: Vec::new(),
            free_nodes: Default::default(),
            bounds: Vec::new(),
            free_groups: Vec::new(),
            levels: 1,
            path: [Step::HEAD; MAX_HEIGHT],
            moving: Vec::new(),
            heights: Xoshiro256PlusPlus::seed_from_u64(seed),
        };
        index.clear();
        index
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - self.free_groups.len()
    }

    pub(super) fn clear(&mut self) {
        let head = Link { next_key: u64::MAX, next: Tower::END, owner: NodeId(u32::MAX), marks: Marks::new() };
        self.links.clear();
        self.links.resize(MAX_HEIGHT, head);
        self.nodes.clear();
        self.free_nodes.iter_mut().for_each(Vec::clear);
        self.bounds.clear();
        self.free_groups.clear();
        self.levels = 1;
        self.path = [Step::HEAD; MAX_HEIGHT];
    }

    /// The group of `at`, made if there is none.
    pub(super) fn insert(&mut self, at: Interval) -> GroupId {
        let lo = self.node_at(at.lo());
        let begin = &self.nodes[lo.slot()].begin;
        let place = match begin.binary_search_by_key(&at.hi(), |group| self.bounds[group.slot()].hi()) {
            Ok(found) => return begin[found],
            Err(place) => place,
        };
        let group = if let Some(group) = self.free_groups.pop() {
            self.bounds[group.slot()] = at;
            group
        } else {
            self.bounds.push(at);
            GroupId(number(self.bounds.len() - 1))
        };
        self.nodes[lo.slot()].begin.insert(place, group);
        let hi = self.node_at(at.hi());
        self.nodes[hi.slot()].ends += 1;
        self.mark(group, lo);
        group
    }

    /// Forgets a group that [`Index::insert`] returned.
    pub(super) fn remove(&mut self, group: GroupId) {
        let at = self.bounds[group.slot()];
        self.locate(at.lo());
        let lo = self.owner_after_path();
        self.unmark(group, lo);
        self.nodes[lo.slot()].begin.retain(|other| *other != group);
        self.drop_node_if_unused(lo);
        self.locate(at.hi());
        let hi = self.owner_after_path();
        self.nodes[hi.slot()].ends -= 1;
        self.drop_node_if_unused(hi);
        self.free_groups.push(group);
    }

    /// Calls `visit` with each group whose range overlaps `at`, once.
    #[inline]
    pub(super) fn overlapping(&self, at: Interval, mut visit: impl FnMut(GroupId)) {
        let mut here = Step::HEAD;
        let mut link = &self.links[0];
        for level in (0..self.levels).rev() {
            let known = self.path[level];
            if here.key < known.key && known.key <= at.lo() {
                here = known;
            }
            link = self.link(here.tower, level);
            // Never true at the end: lo < hi <= u64::MAX.
            while link.next_key <= at.lo() {
                here = Step { tower: link.next, key: link.next_key };
                link = self.link(here.tower, level);
            }
            link.marks.iter().copied().for_each(&mut visit);
        }
        while link.next_key < at.hi() {
            let next = link.next;
            link = self.link(next, 0);
            self.nodes[link.owner.slot()].begin.iter().copied().for_each(&mut visit);
        }
    }

    /// Calls `visit` with each group, by ascending begin.
    pub(super) fn all(&self, mut visit: impl FnMut(GroupId)) {
        let mut link = &self.links[0];
        while link.next != Tower::END {
            link = self.link(link.next, 0);
            self.nodes[link.owner.slot()].begin.iter().copied().for_each(&mut visit);
        }
    }

    #[inline]
    pub(super) fn link(&self, tower: Tower, level: usize) -> &Link {
        &self.links[tower.0 as usize + level]
    }

    #[inline]
    pub(super) fn link_mut(&mut self, tower: Tower, level: usize) -> &mut Link {
        &mut self.links[tower.0 as usize + level]
    }

    /// Moves `path` to the last tower before `key` on each level.
    ///
    /// Climbs from where the path is to the lowest level whose edge is over `key` (that level and those above are then
    /// right already), and descends from there.
    fn locate(&mut self, key: u64) {
        let mut level = 0;
        while level < self.levels {
            let step = self.path[level];
            // Key 0 climbs to the top, where only the head is before it.
            if step.key < key && key <= self.link(step.tower, level).next_key {
                break;
            }
            level += 1;
        }
        let mut here = self.path.get(level).copied().filter(|_| level < self.levels).unwrap_or(Step::HEAD);
        for level in (0..level).rev() {
            let known = self.path[level];
            if here.key < known.key && known.key < key {
                here = known;
            }
            let mut link = self.link(here.tower, level);
            while link.next_key < key {
                here = Step { tower: link.next, key: link.next_key };
                link = self.link(here.tower, level);
            }
            self.path[level] = here;
        }
    }

    /// The node of `key`, made if there is none.
    fn node_at(&mut self, key: u64) -> NodeId {
        self.locate(key);
        let link = self.link(self.path[0].tower, 0);
        if link.next_key == key && link.next != Tower::END { self.owner_after_path() } else { self.new_node(key) }
    }

    /// The first node not before the key that `path` leads to.
    fn owner_after_path(&self) -> NodeId {
        self.link(self.link(self.path[0].tower, 0).next, 0).owner
    }

    fn new_node(&mut self, key: u64) -> NodeId {
        let height = self.draw_height();
        let id = if let Some(id) = self.free_nodes[height - 1].pop() {
            self.nodes[id.slot()].key = key;
            id
        } else {
            let id = NodeId(number(self.nodes.len()));
            let tower = Tower(number(self.links.len()));
            let blank = Link { next_key: u64::MAX, next: Tower::END, owner: id, marks: Marks::new() };
            self.links.extend(std::iter::repeat_n(blank, height));
            self.nodes.push(Node { key, tower, height: height as u8, ends: 0, begin: SmallVec::new() });
            id
        };
        self.levels = self.levels.max(height);
        self.link_in(id);
        id
    }

    fn drop_node_if_unused(&mut self, id: NodeId) {
        let node = &self.nodes[id.slot()];
        if node.ends == 0 && node.begin.is_empty() {
            let height = node.height as usize;
            self.link_out(id);
            self.free_nodes[height - 1].push(id);
        }
    }

    /// At least one; each level more with probability 1/4, but at most one above the tallest so far.
    fn draw_height(&mut self) -> usize {
        let quarters = self.heights.next_u64().trailing_zeros() as usize / 2;
        (quarters + 1).min(self.levels + 1).min(MAX_HEIGHT)
    }
}

impl NodeId {
    pub(super) fn slot(self) -> usize {
        self.0 as usize
    }
}

/// The number of a slot: what `Vec` can hold of 40-byte links in less than 160 GB has one.
fn number(slot: usize) -> u32 {
    u32::try_from(slot).ok().filter(|n| *n < u32::MAX).expect("history of more than 2^32 nodes")
}
