//! Which history to use, chosen at run time.

use crate::{FragmentTreap, FragmentTree, History, Interval, IntervalBTree, IntervalSkiplist, Keep};
use std::fmt;
use std::str::FromStr;

/// The histories that can be chosen, by the names of the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// The fastest by measurement: at present the B-tree, see `nas-bench/history`.
    #[default]
    Auto,
    /// The interval skiplist of UPC-Thrille.
    Skiplist,
    /// The fragment-and-merge tree of RMA-Analyzer.
    Tree,
    /// The non-overlapping treap of STINT.
    Treap,
    /// Our own.
    BTree,
}

impl Store {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Skiplist, Self::Tree, Self::Treap, Self::BTree];

    /// As it is written in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Skiplist => "skiplist",
            Self::Tree => "tree",
            Self::Treap => "treap",
            Self::BTree => "btree",
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no history of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no history is called {0:?}: it is one of auto, skiplist, tree, treap, btree")]
pub struct UnknownStore(String);

impl FromStr for Store {
    type Err = UnknownStore;

    fn from_str(name: &str) -> Result<Self, UnknownStore> {
        Self::ALL.into_iter().find(|store| store.name() == name).ok_or_else(|| UnknownStore(name.to_owned()))
    }
}

/// A history of the kind that was chosen.
#[derive(Clone, Debug)]
pub enum AnyHistory<T> {
    /// See [`Store::Skiplist`].
    Skiplist(Box<IntervalSkiplist<T>>),
    /// See [`Store::Tree`].
    Tree(FragmentTree<T>),
    /// See [`Store::Treap`].
    Treap(FragmentTreap<T>),
    /// See [`Store::BTree`].
    BTree(IntervalBTree<T>),
}

impl<T> AnyHistory<T> {
    /// An empty history.
    pub fn new(store: Store) -> Self {
        match store {
            Store::Skiplist => Self::Skiplist(Box::default()),
            Store::Tree => Self::Tree(FragmentTree::new()),
            Store::Treap => Self::Treap(FragmentTreap::new()),
            Store::BTree | Store::Auto => Self::BTree(IntervalBTree::new()),
        }
    }
}

impl<T> Default for AnyHistory<T> {
    fn default() -> Self {
        Self::new(Store::Auto)
    }
}

/// The same call of whichever it is.
macro_rules! whichever {
    ($self:expr, $history:ident => $call:expr) => {
        match $self {
            Self::Skiplist($history) => $call,
            Self::Tree($history) => $call,
            Self::Treap($history) => $call,
            Self::BTree($history) => $call,
        }
    };
}

impl<T> History<T> for AnyHistory<T> {
    fn insert(&mut self, at: Interval, value: T) {
        whichever!(self, history => history.insert(at, value));
    }

    fn overlapping(&self, at: Interval, visit: impl FnMut(Interval, &T)) {
        whichever!(self, history => history.overlapping(at, visit));
    }

    fn retain_overlapping(&mut self, at: Interval, visit: impl FnMut(Interval, &mut T) -> Keep) {
        whichever!(self, history => history.retain_overlapping(at, visit));
    }

    fn retain(&mut self, visit: impl FnMut(Interval, &mut T) -> Keep) {
        whichever!(self, history => history.retain(visit));
    }

    fn len(&self) -> usize {
        whichever!(self, history => history.len())
    }

    fn clear(&mut self) {
        whichever!(self, history => history.clear());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for store in Store::ALL {
            assert_eq!(store.to_string().parse(), Ok(store));
        }
        let error = "splay".parse::<Store>().expect_err("unknown").to_string();
        assert_eq!(error, "no history is called \"splay\": it is one of auto, skiplist, tree, treap, btree");
        assert!("".parse::<Store>().is_err() && "Tree".parse::<Store>().is_err());
    }
}
