//! **H**: calls by exponential back-off, and statements in those that are taken by exponential back-off too.

use crate::chance::{Chance, Factor};
use crate::policy::{History, Policy};

/// See above.
#[derive(Debug)]
pub struct Hierarchical {
    /// Of a function, each time a call is taken.
    pub function: Factor,
    /// Of a statement, each time it is taken.
    pub statement: Factor,
}

impl Policy for Hierarchical {
    fn function(&self, history: History) -> Chance {
        Chance::backed_off(self.function, history.taken)
    }

    fn statement(&self, history: History) -> Chance {
        Chance::backed_off(self.statement, history.taken)
    }
}
