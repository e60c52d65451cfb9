//! **P**: proportional per region stack. A call counts by the whole stack of functions it is in; of each stack about as many calls are taken, and
//! everything in them.

use super::proportional;
use crate::chance::Chance;
use crate::policy::{History, Policy, RegionStack, mixed};

/// See above.
#[derive(Debug)]
pub struct Stack;

impl Policy for Stack {
    fn region(&self, stack: RegionStack<'_>) -> u64 {
        mixed(stack.0)
    }

    fn needs_stack(&self) -> bool {
        true
    }

    fn function(&self, history: History) -> Chance {
        proportional(history)
    }

    fn statement(&self, _: History) -> Chance {
        Chance::CERTAIN
    }
}
