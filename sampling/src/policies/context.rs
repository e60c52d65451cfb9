//! **K**: hierarchical, with a history for each k innermost functions (as k-CFA tells contexts apart): a function called from a new place is new.

use crate::chance::{Chance, Factor};
use crate::policy::{History, Policy, RegionStack, mixed};

/// See above.
#[derive(Debug)]
pub struct Context {
    /// How many functions tell contexts apart.
    pub k: u8,
    /// Of a context, each time a call is taken.
    pub function: Factor,
    /// Of a statement, each time it is taken.
    pub statement: Factor,
}

impl Policy for Context {
    fn region(&self, stack: RegionStack<'_>) -> u64 {
        mixed(&stack.0[stack.0.len().saturating_sub(self.k.into())..])
    }

    fn needs_stack(&self) -> bool {
        true
    }

    fn function(&self, history: History) -> Chance {
        Chance::backed_off(self.function, history.taken)
    }

    fn statement(&self, history: History) -> Chance {
        Chance::backed_off(self.statement, history.taken)
    }
}
