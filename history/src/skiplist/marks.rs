//! How marks follow a change: of a range, and of the nodes under other ranges.
//!
//! The rule, kept by every function here: a range is marked on the edges that it covers and whose parent (the edge of
//! the level above that it lies in) it does not cover. See the top of `skiplist.rs`.

use super::index::{GroupId, Index, NodeId, Tower};

impl Index {
    /// Marks a group that begins at `lo` on all its edges.
    pub(super) fn mark(&mut self, group: GroupId, lo: NodeId) {
        self.for_each_edge(group, lo, |index, tower, level| index.link_mut(tower, level).marks.push(group));
    }

    /// Undoes [`Index::mark`].
    pub(super) fn unmark(&mut self, group: GroupId, lo: NodeId) {
        self.for_each_edge(group, lo, |index, tower, level| index.erase(group, tower, level));
    }

    /// The staircase of a range: from its begin to its end, always along the highest edge that stays within.
    fn for_each_edge(&mut self, group: GroupId, lo: NodeId, mut act: impl FnMut(&mut Self, Tower, usize)) {
        let hi = self.bounds[group.slot()].hi();
        let (mut tower, mut key, mut level) = (self.nodes[lo.slot()].tower, self.nodes[lo.slot()].key, 0);
        while key < hi {
            let height = self.nodes[self.link(tower, 0).owner.slot()].height as usize;
            while level + 1 < height && self.leads_within(tower, level + 1, hi) {
                level += 1;
            }
            // Ends at level 0 at the latest: the range's last node is on that level.
            while !self.leads_within(tower, level, hi) {
                level -= 1;
            }
            act(self, tower, level);
            let link = self.link(tower, level);
            (tower, key) = (link.next, link.next_key);
        }
    }

    /// Links a new node in after `path`. No range begins or ends there yet.
    pub(super) fn link_in(&mut self, id: NodeId) {
        let node = &self.nodes[id.slot()];
        let (x, key, height) = (node.tower, node.key, node.height as usize);
        let mut moving = std::mem::take(&mut self.moving);
        for level in 0..height {
            let before = self.link_mut(self.path[level].tower, level);
            moving.extend(before.marks.drain(..).map(|group| (level as u8, group)));
            let (next, next_key) = (before.next, before.next_key);
            (before.next, before.next_key) = (x, key);
            let after = self.link_mut(x, level);
            (after.next, after.next_key) = (next, next_key);
        }
        for (level, group) in moving.drain(..) {
            let level = level as usize;
            let at = self.bounds[group.slot()];
            let mut left = level;
            while left + 1 < height && self.begins_by(at.lo(), left + 1) {
                self.along_left(left, |index, tower, level| index.erase(group, tower, level));
                left += 1;
            }
            self.link_mut(self.path[left].tower, left).marks.push(group);
            let mut right = level;
            while right + 1 < height && self.leads_within(x, right + 1, at.hi()) {
                self.along_right(x, right, |index, tower, level| index.erase(group, tower, level));
                right += 1;
            }
            self.link_mut(x, right).marks.push(group);
        }
        self.moving = moving;
    }

    /// Links the node after `path` out. No range begins or ends there any more.
    pub(super) fn link_out(&mut self, id: NodeId) {
        let node = &self.nodes[id.slot()];
        let (x, height) = (node.tower, node.height as usize);
        let mut moving = std::mem::take(&mut self.moving);
        for level in 0..height {
            let before = self.link_mut(self.path[level].tower, level);
            moving.extend(before.marks.drain(..).map(|group| (level as u8, group)));
        }
        for (left, group) in moving.drain(..) {
            let left = left as usize;
            let hi = self.bounds[group.slot()].hi();
            let mut right = 0;
            while right + 1 < height && self.leads_within(x, right + 1, hi) {
                right += 1;
            }
            let joined = left.min(right);
            self.link_mut(self.path[joined].tower, joined).marks.push(group);
            for level in joined..left {
                self.along_left(level, |index, tower, level| index.link_mut(tower, level).marks.push(group));
            }
            for level in joined..right {
                self.along_right(x, level, |index, tower, level| index.link_mut(tower, level).marks.push(group));
            }
        }
        self.moving = moving;
        for level in 0..height {
            let link = self.link_mut(x, level);
            link.marks.clear();
            let (next, next_key) = (link.next, link.next_key);
            let before = self.link_mut(self.path[level].tower, level);
            (before.next, before.next_key) = (next, next_key);
        }
    }

    /// The edges of `level` between the path's towers of the level above and of this one.
    fn along_left(&mut self, level: usize, mut act: impl FnMut(&mut Self, Tower, usize)) {
        let (mut tower, end) = (self.path[level + 1].tower, self.path[level].tower);
        while tower != end {
            act(self, tower, level);
            tower = self.link(tower, level).next;
        }
    }

    /// The edges of `level` between the towers that `x` leads to on this level and on the level above.
    fn along_right(&mut self, x: Tower, level: usize, mut act: impl FnMut(&mut Self, Tower, usize)) {
        let (mut tower, end) = (self.link(x, level).next, self.link(x, level + 1).next);
        while tower != end {
            act(self, tower, level);
            tower = self.link(tower, level).next;
        }
    }

    /// Whether a range that begins at `lo` covers what is between the path's tower on `level` and the path's end.
    fn begins_by(&self, lo: u64, level: usize) -> bool {
        let step = self.path[level];
        step.tower != Tower::HEAD && lo <= step.key
    }

    /// Whether the edge ends by `hi`.
    fn leads_within(&self, tower: Tower, level: usize, hi: u64) -> bool {
        let link = self.link(tower, level);
        link.next_key <= hi && link.next != Tower::END
    }

    fn erase(&mut self, group: GroupId, tower: Tower, level: usize) {
        let marks = &mut self.link_mut(tower, level).marks;
        if let Some(found) = marks.iter().rposition(|other| *other == group) {
            marks.swap_remove(found);
        }
    }
}
