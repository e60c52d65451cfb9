//! The policies, one file each.

mod bursty;
mod context;
mod function;
mod hierarchical;
mod instruction;
mod mixed;
mod stack;

pub use bursty::Bursty;
pub use context::Context;
pub use function::Function;
pub use hierarchical::Hierarchical;
pub use instruction::Instruction;
pub use mixed::Mixed;
pub use stack::Stack;

use crate::chance::Chance;
use crate::policy::History;

/// Executions that a proportional policy takes of what is executed ten times as often as before: about two for each of them.
const SHARE: f64 = 8.0;

/// A rate inversely proportional to how often something is executed: whatever it is, about as many executions of it are taken.
fn proportional(history: History) -> Chance {
    Chance::of(SHARE / (history.met.max(1) as f64))
}
