//! What a policy is.
//!
//! The paper writes a policy as two checks, of a region (here a call of a function) and of a reference (a load or store in it), each of which
//! tosses a coin and lowers the probability of the next one when it was heads. Here a policy is the two probabilities alone, as functions of
//! what was met and taken before; coins, or gaps instead of them, are the [`crate::sampler`]'s business. The first execution of anything
//! is taken whatever the policy says.

use crate::chance::Chance;
use std::fmt;

/// What was met of a function or a statement, and what of it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Calls or executions.
    pub met: u64,
    /// Those that were looked at.
    pub taken: u64,
}

/// The functions that a thread is in, as the code addresses of their entries, innermost last.
#[derive(Clone, Copy, Debug)]
pub struct RegionStack<'a>(pub &'a [u64]);

/// Which calls and which accesses to look at.
pub trait Policy: fmt::Debug + Send {
    /// Which calls share a history: those of one function, unless a policy tells them apart.
    fn region(&self, stack: RegionStack<'_>) -> u64 {
        stack.0.last().copied().unwrap_or_default()
    }

    /// Whether [`Policy::region`] needs more of the stack than its innermost function.
    fn needs_stack(&self) -> bool {
        false
    }

    /// Whether the next call is looked at.
    fn function(&self, history: History) -> Chance;

    /// Whether the next execution of a statement is looked at, in a call that is.
    fn statement(&self, history: History) -> Chance;
}

/// Numbers of a stack's innermost functions, mixed into one.
pub(crate) fn mixed(functions: &[u64]) -> u64 {
    functions
        .iter()
        .fold(0x51_7c_c1_b7, |sum: u64, &function| (sum.rotate_left(5) ^ function).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
