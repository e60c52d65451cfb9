//! Disjoint sets of tasks, each of them serial or parallel to what runs now.
//!
//! R. Tarjan 1975: union by rank and path halving, so a search costs next to nothing, and no search recurses.

/// Whether the tasks of a bag come before what runs now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They do.
    Serial,
    /// They may run in parallel with it.
    Parallel,
}

/// A set of tasks, by its root in the forest; an empty one has none.
pub type Bag = Option<u32>;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// Of a root: an upper bound of its height, and the bag's kind.
    rank: u8,
    parallel: bool,
}

/// All tasks, in disjoint sets.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    nodes: Vec<Node>,
}

impl Forest {
    /// A new task in a serial bag of its own; none if there are too many.
    pub fn single(&mut self) -> Bag {
        let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < u32::MAX)?;
        self.nodes.push(Node { parent: number, rank: 0, parallel: false });
        Some(number)
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    fn root(&mut self, task: u32) -> u32 {
        let mut at = task;
        loop {
            let parent = self.nodes[at as usize].parent;
            if parent == at {
                return at;
            }
            let above = self.nodes[parent as usize].parent;
            self.nodes[at as usize].parent = above;
            at = above;
        }
    }

    /// Whether a task is in a parallel bag.
    pub fn is_parallel(&mut self, task: u32) -> bool {
        let root = self.root(task);
        self.nodes[root as usize].parallel
    }

    /// Makes one bag of two.
    pub fn join(&mut self, one: Bag, other: Bag, kind: Kind) -> Bag {
        let root = match (one, other) {
            (None, None) => return None,
            (Some(bag), None) | (None, Some(bag)) => bag,
            (Some(one), Some(other)) => {
                let (a, b) = (self.nodes[one as usize].rank, self.nodes[other as usize].rank);
                let (above, below) = if a >= b { (one, other) } else { (other, one) };
                self.nodes[below as usize].parent = above;
                self.nodes[above as usize].rank += u8::from(a == b);
                above
            }
        };
        self.nodes[root as usize].parallel = kind == Kind::Parallel;
        Some(root)
    }

    /// The tasks of a bag, in order. For tests and explanations: looks at all of them.
    pub fn members(&mut self, bag: Bag) -> Vec<u32> {
        let Some(root) = bag else { return Vec::new() };
        (0..self.nodes.len() as u32).filter(|&task| self.root(task) == root).collect()
    }
}
