//! LogGP (Alexandrov, Ionescu, Schauser and Scheiman 1995): latency L, overhead o of a processor, gap g between messages, gap G between bytes.
//!
//! The parameters are those that LogGOPSim (Hoefler, Schneider and Lumsdaine 2010) takes for its default: an InfiniBand cluster of that time. Every machine of
//! today is faster; what matters here is how times grow.

use crate::virtual_rank::{Counts, Round};

/// In microseconds, G for each byte.
pub struct Network {
    latency: f64,
    overhead: f64,
    gap: f64,
    byte: f64,
}

impl Default for Network {
    fn default() -> Self {
        Self { latency: 2.5, overhead: 1.5, gap: 1.0, byte: 0.006 }
    }
}

/// Steps of a tree over so many ranks.
pub fn depth(ranks: u32) -> f64 {
    f64::from(ranks).log2().ceil()
}

impl Network {
    /// One message, from when it is sent until the other has it.
    fn message(&self, bytes: f64) -> f64 {
        self.latency + 2.0 * self.overhead + (bytes - 1.0).max(0.0) * self.byte
    }

    /// A reduction to all by recursive doubling.
    pub fn reduction(&self, ranks: u32, bytes: f64) -> f64 {
        depth(ranks) * self.message(bytes)
    }

    /// A batch: in each of its rounds a reduction of a few numbers and, if there is mail, the sparse exchange (all sent, received and acknowledged) with the
    /// barrier that ends it.
    pub fn exchange(&self, ranks: u32, counts: &Counts) -> f64 {
        let each = self.overhead.max(self.gap);
        let round = |round: &Round| {
            let sent = round.messages * each + round.bytes * self.byte;
            let got = round.messages_in * each + round.bytes_in * self.byte;
            let sparse = sent.max(got) + round.exchanges * (self.message(0.0) * 2.0 + self.reduction(ranks, 1.0));
            self.reduction(ranks, 64.0) + if sent > 0.0 || got > 0.0 { sparse } else { 0.0 }
        };
        counts.rounds.iter().map(round).sum()
    }
}
