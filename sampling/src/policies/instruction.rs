//! **I**: every call, and statements by exponential back-off.

use crate::chance::{Chance, Factor};
use crate::policy::{History, Policy};

/// See above.
#[derive(Debug)]
pub struct Instruction {
    /// Of a statement, each time it is taken.
    pub statement: Factor,
}

impl Policy for Instruction {
    fn function(&self, _: History) -> Chance {
        Chance::CERTAIN
    }

    fn statement(&self, history: History) -> Chance {
        Chance::backed_off(self.statement, history.taken)
    }
}
