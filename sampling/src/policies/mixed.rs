//! **M**, mixed: functions in proportion to their calls, and statements by exponential back-off.

use super::proportional;
use crate::chance::{Chance, Factor};
use crate::policy::{History, Policy};

/// See above.
#[derive(Debug)]
pub struct Mixed {
    /// Of a statement, each time it is taken.
    pub statement: Factor,
}

impl Policy for Mixed {
    fn function(&self, history: History) -> Chance {
        proportional(history)
    }

    fn statement(&self, history: History) -> Chance {
        Chance::backed_off(self.statement, history.taken)
    }
}
