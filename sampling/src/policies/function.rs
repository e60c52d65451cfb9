//! **F**: calls by exponential back-off, and everything in a call that is taken (as LiteRace does).

use crate::chance::{Chance, Factor};
use crate::policy::{History, Policy};

/// See above.
#[derive(Debug)]
pub struct Function {
    /// Of a function, each time a call is taken.
    pub function: Factor,
}

impl Policy for Function {
    fn function(&self, history: History) -> Chance {
        Chance::backed_off(self.function, history.taken)
    }

    fn statement(&self, _: History) -> Chance {
        Chance::CERTAIN
    }
}
