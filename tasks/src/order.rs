//! Order maintenance: a list in which it is known at once which of two nodes comes first.
//!
//! P. Dietz, D. Sleator 1987, in the simpler form of M. Bender, R. Cole, E. Demaine, M. Farach-Colton, J. Zito: *Two simplified algorithms
//! for maintaining order in a list*, 2002. Nodes have labels that ascend along the list. A new node gets a label between its neighbours';
//! when there is none left, the smallest range of labels around it that is not too full is labelled anew, evenly. Amortised O(log n) an insertion.

/// A node of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

const NONE: u32 = u32::MAX;

/// Where the labels of a list are kept: in a vector, or where others may look at them meanwhile.
pub trait Labels {
    /// The label of a node.
    fn get(&self, node: u32) -> u64;

    /// Another node has this label: the next number.
    fn push(&mut self, label: u64);

    /// A node has another label, in between [`Labels::begin`] and [`Labels::end`].
    fn set(&mut self, node: u32, label: u64);

    /// Labels change together.
    fn begin(&mut self) {}

    /// They have changed.
    fn end(&mut self) {}
}

impl Labels for Vec<u64> {
    #[inline]
    fn get(&self, node: u32) -> u64 {
        self[node as usize]
    }

    fn push(&mut self, label: u64) {
        Vec::push(self, label);
    }

    fn set(&mut self, node: u32, label: u64) {
        self[node as usize] = label;
    }
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    after: u32,
}

/// A list that is never empty.
#[derive(Clone, Debug)]
pub struct OrderList<L = Vec<u64>> {
    labels: L,
    links: Vec<Link>,
}

impl<L: Labels + Default> Default for OrderList<L> {
    fn default() -> Self {
        Self::with(L::default())
    }
}

impl OrderList {
    /// The node that a list began with.
    pub const FIRST: Node = Node(0);
}

/// How far a range of labels of this many bits may be filled: (2 / 1.5) to that power.
const FILL: f64 = 2.0 / 1.5;

/// Labels are below this.
const LABELS: u64 = 1 << 63;

impl<L: Labels> OrderList<L> {
    /// A list of one node, whose labels are kept there.
    pub fn with(mut labels: L) -> Self {
        labels.push(0);
        Self { labels, links: vec![Link { before: NONE, after: NONE }] }
    }

    /// How many nodes there are.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Puts a new node right behind this one; none if there are too many.
    pub fn insert_after(&mut self, node: Node) -> Option<Node> {
        let new = u32::try_from(self.links.len()).ok().filter(|&new| new < NONE)?;
        if self.gap(node) < 2 {
            self.relabel(node.0);
        }
        let gap = self.gap(node);
        let after = self.links[node.0 as usize].after;
        self.labels.push(self.labels.get(node.0) + gap / 2);
        self.links.push(Link { before: node.0, after });
        self.links[node.0 as usize].after = new;
        if after != NONE {
            self.links[after as usize].before = new;
        }
        Some(Node(new))
    }

    /// Whether one comes before the other.
    #[inline]
    pub fn before(&self, one: Node, other: Node) -> bool {
        self.labels.get(one.0) < self.labels.get(other.0)
    }

    /// From a node's label to the next one's.
    fn gap(&self, node: Node) -> u64 {
        let after = self.links[node.0 as usize].after;
        let next = if after == NONE { LABELS } else { self.labels.get(after) };
        next - self.labels.get(node.0)
    }

    #[cold]
    fn relabel(&mut self, node: u32) {
        let label = self.labels.get(node);
        // The nodes whose labels agree with this one's in all but so many bits.
        let (mut first, mut last, mut count, mut allowed) = (node, node, 1_u64, 1.0);
        for bits in 1..=63 {
            let base = label & !((1 << bits) - 1);
            let top = base + ((1 << bits) - 1);
            loop {
                let before = self.links[first as usize].before;
                if before == NONE || self.labels.get(before) < base {
                    break;
                }
                (first, count) = (before, count + 1);
            }
            loop {
                let after = self.links[last as usize].after;
                if after == NONE || self.labels.get(after) > top {
                    break;
                }
                (last, count) = (after, count + 1);
            }
            allowed *= FILL;
            let step = (1_u64 << bits) / count;
            if (count as f64) < allowed && step >= 2 {
                let (mut at, mut label) = (first, base);
                self.labels.begin();
                for _ in 0..count {
                    self.labels.set(at, label);
                    (at, label) = (self.links[at as usize].after, label + step);
                }
                self.labels.end();
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(places: impl Iterator<Item = usize>) {
        let mut list: OrderList = OrderList::default();
        let mut naive = vec![OrderList::FIRST];
        for place in places {
            let place = place % naive.len();
            let new = list.insert_after(naive[place]).expect("few nodes");
            naive.insert(place + 1, new);
        }
        assert_eq!(list.len(), naive.len());
        assert!(naive.windows(2).all(|pair| list.before(pair[0], pair[1]) && !list.before(pair[1], pair[0])));
        assert!(!list.before(naive[0], naive[0]));
    }

    #[test]
    fn always_at_one_place() {
        agrees(std::iter::repeat_n(0, 20_000));
        agrees(0..20_000);
        agrees((0..20_000).map(|i| i / 2));
    }

    proptest! {
        #[test]
        fn anywhere(places in prop::collection::vec(any::<usize>(), 0..2_000)) {
            agrees(places.into_iter());
        }
    }
}
