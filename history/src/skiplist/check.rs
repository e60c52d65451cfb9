//! The invariants of the skiplist, verified from their definitions and without the code that keeps them.

use super::IntervalSkiplist;
use super::index::{GroupId, Index, MAX_HEIGHT, Tower};
use std::collections::BTreeMap;

/// One edge, with what it is marked with. `None` stands for the head and for the end.
struct Edge {
    from: Option<u64>,
    to: Option<u64>,
    marks: Vec<GroupId>,
}

impl<T> IntervalSkiplist<T> {
    /// Panics when an invariant is broken.
    pub(crate) fn check(&self) {
        assert!(self.found.is_empty());
        assert_eq!(self.groups.len(), self.index.bounds.len());
        assert_eq!(self.len, self.groups.iter().map(|group| group.values.len()).sum::<usize>());
        let mut known = Vec::new();
        self.index.all(|id| known.push(id));
        for &id in &known {
            assert_eq!(self.groups[id.slot()].at, self.index.bounds[id.slot()]);
        }
        known.sort();
        let used: Vec<usize> = (0..self.groups.len()).filter(|slot| !self.groups[*slot].values.is_empty()).collect();
        assert_eq!(known.iter().map(|id| id.slot()).collect::<Vec<_>>(), used, "groups with values are those known");
        assert_eq!(self.ranges(), used.len());
        let mut distinct: Vec<_> = used.iter().map(|slot| self.groups[*slot].at).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), used.len(), "equal ranges share a group");
        self.index.check(&known);
    }
}

impl Index {
    fn check(&self, known: &[GroupId]) {
        assert!(self.moving.is_empty());
        assert!((1..=MAX_HEIGHT).contains(&self.levels));
        self.check_nodes(known);
        self.check_path();
        let levels: Vec<Vec<Edge>> = (0..self.levels).map(|level| self.edges(level)).collect();
        self.check_marks(known, &levels);
        for level in self.levels..MAX_HEIGHT {
            assert_eq!(self.link(Tower::HEAD, level).next, Tower::END);
        }
    }

    /// Walks a level, and checks the order and the towers of it.
    fn edges(&self, level: usize) -> Vec<Edge> {
        let mut edges = Vec::new();
        let (mut tower, mut from) = (Tower::HEAD, None);
        loop {
            let link = self.link(tower, level);
            let to = (link.next != Tower::END).then_some(link.next_key);
            edges.push(Edge { from, to, marks: link.marks.to_vec() });
            let Some(key) = to else {
                assert_eq!(link.next_key, u64::MAX, "key at the end");
                return edges;
            };
            assert!(from < to, "ascending");
            (tower, from) = (link.next, to);
            let node = &self.nodes[self.link(tower, level).owner.slot()];
            assert_eq!((node.key, node.tower), (key, tower));
            assert!(level < node.height as usize);
        }
    }

    /// Nodes are the endpoints of the known groups, linked on all their levels; all others are free.
    fn check_nodes(&self, known: &[GroupId]) {
        let mut endpoints: BTreeMap<u64, (Vec<GroupId>, u32)> = BTreeMap::new();
        for &group in known {
            let at = self.bounds[group.slot()];
            endpoints.entry(at.lo()).or_default().0.push(group);
            endpoints.entry(at.hi()).or_default().1 += 1;
        }
        let mut per_level = [0; MAX_HEIGHT];
        let mut link = self.link(Tower::HEAD, 0);
        for (key, (begin, ends)) in &mut endpoints {
            assert_ne!(link.next, Tower::END);
            link = self.link(link.next, 0);
            let node = &self.nodes[link.owner.slot()];
            begin.sort_by_key(|group| self.bounds[group.slot()].hi());
            assert_eq!((node.key, node.begin.as_slice(), node.ends), (*key, begin.as_slice(), *ends));
            per_level[..node.height as usize].iter_mut().for_each(|count| *count += 1);
        }
        assert_eq!(link.next, Tower::END);
        for (level, count) in per_level.into_iter().enumerate() {
            assert_eq!(self.edges(level).len() - 1, count, "every tower is linked on all its levels");
        }
        for (below, free) in self.free_nodes.iter().enumerate() {
            for id in free {
                let node = &self.nodes[id.slot()];
                assert_eq!((node.height as usize, node.ends, node.begin.len()), (below + 1, 0, 0));
                assert!((0..=below).all(|level| self.link(node.tower, level).marks.is_empty()));
            }
        }
        let free = self.free_nodes.iter().map(Vec::len).sum::<usize>();
        assert_eq!(self.nodes.len(), endpoints.len() + free);
        let towers = self.nodes.iter().map(|node| node.height as usize).sum::<usize>();
        assert_eq!(self.links.len(), MAX_HEIGHT + towers);
    }

    /// There is a key that every step of the path is the last tower before.
    fn check_path(&self) {
        let (mut after, mut until) = (None, u64::MAX);
        for (level, step) in self.path.iter().enumerate() {
            let link = self.link(step.tower, level);
            if step.tower == Tower::HEAD {
                assert_eq!(step.key, 0);
            } else {
                let node = &self.nodes[link.owner.slot()];
                assert_eq!((node.key, node.tower), (step.key, step.tower));
                assert!(level < node.height as usize && (node.ends > 0 || !node.begin.is_empty()), "alive");
                after = after.max(Some(step.key));
            }
            until = until.min(link.next_key);
        }
        assert!(after < Some(until));
    }

    /// A group is marked, once, on the edges it covers and whose parent it does not cover, and nowhere else.
    fn check_marks(&self, known: &[GroupId], levels: &[Vec<Edge>]) {
        for (level, edges) in levels.iter().enumerate() {
            for edge in edges {
                let parent = levels.get(level + 1).map(|above| {
                    above.iter().rfind(|parent| parent.from <= edge.from).expect("the head is on every level")
                });
                let mut expected: Vec<GroupId> = known.to_vec();
                expected.retain(|group| self.covers(*group, edge) && !parent.is_some_and(|p| self.covers(*group, p)));
                let mut marks = edge.marks.clone();
                marks.sort();
                assert_eq!(marks, expected, "marks of ({:?}, {:?}) on level {level}", edge.from, edge.to);
            }
        }
    }

    fn covers(&self, group: GroupId, edge: &Edge) -> bool {
        let at = self.bounds[group.slot()];
        edge.from.is_some_and(|from| at.lo() <= from) && edge.to.is_some_and(|to| to <= at.hi())
    }
}
