//! **B**, bursty: calls at full rate at first, then at a tenth, a hundredth, ..., and never below a thousandth; everything in a call that is
//! taken. Calls are taken ten at a time.

use crate::chance::Chance;
use crate::policy::{History, Policy};

/// Calls of a burst.
const BURST: u64 = 10;
/// The lower bound.
const LEAST: f64 = 0.001;

/// See above.
#[derive(Debug)]
pub struct Bursty;

impl Policy for Bursty {
    fn function(&self, history: History) -> Chance {
        let bursts = history.taken / BURST;
        if !history.taken.is_multiple_of(BURST) || bursts == 0 {
            return Chance::CERTAIN;
        }
        // A burst begins at a rate of its own, so that calls are taken at the rate meant.
        Chance::of((0.1_f64.powi(bursts.min(9) as i32)).max(LEAST) / BURST as f64)
    }

    fn statement(&self, _: History) -> Chance {
        Chance::CERTAIN
    }
}
