//! How many executions to let pass until the next one is taken.
//!
//! A coin for each execution that falls on heads with probability p, and a number drawn once from the geometric distribution with the same p,
//! choose the same executions with the same probability; the number costs one decrement for each execution instead of a coin. The
//! distribution has no memory: a long gap can be cut anywhere and drawn anew, which changes nothing, except that a chance that has risen meanwhile is
//! noticed.

use crate::chance::Chance;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Executions after which a decision is made anew at the latest.
pub const LONGEST: u32 = 1 << 16;

/// How many executions to let pass, and what then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// So many pass, then one is taken.
    Until(u32),
    /// So many pass, then a gap is drawn anew.
    AtLeast(u32),
}

/// A stream of gaps, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Gaps {
    random: Xoshiro256PlusPlus,
}

impl Gaps {
    /// A stream of its own for each rank and thread of a run.
    pub fn new(seed: u64, rank: u32, strand: u32) -> Self {
        let stream = (u64::from(rank) << 32 | u64::from(strand)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed ^ stream) }
    }

    /// Uniform in (0, 1].
    fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Draws the number of failures before the first success, as far as it is below `most`.
    pub fn draw(&mut self, chance: Chance, most: u32) -> Gap {
        if chance.is_certain() {
            return Gap::Until(0);
        }
        if chance.is_never() {
            return Gap::AtLeast(most);
        }
        let gap = self.uniform().ln() / (-chance.probability()).ln_1p();
        // Not a number when the probability is below what a double holds: longer than anything.
        if gap < f64::from(most) { Gap::Until(gap as u32) } else { Gap::AtLeast(most) }
    }

    /// A number below this one.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// One coin.
    pub fn coin(&mut self, chance: Chance) -> bool {
        chance.is_certain() || self.uniform() <= chance.probability()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gap of any length, as its users piece it together.
    fn whole(gaps: &mut Gaps, chance: Chance) -> u64 {
        let mut passed = 0;
        loop {
            match gaps.draw(chance, LONGEST) {
                Gap::Until(gap) => return passed + u64::from(gap),
                Gap::AtLeast(gap) => passed += u64::from(gap),
            }
        }
    }

    /// Pearson's statistic of gaps against the geometric distribution, in cells of about equal probability, and its degrees of freedom.
    fn chi_square(p: f64, draws: u32, mut draw: impl FnMut() -> u64) -> (f64, usize) {
        const CELLS: usize = 50;
        // Cell i ends at the first gap whose cumulated probability is at least (i + 1) / CELLS.
        let mut ends: Vec<u64> =
            (1..CELLS).map(|i| ((1.0 - i as f64 / CELLS as f64).ln() / (-p).ln_1p()).ceil() as u64).collect();
        ends.dedup();
        let below = |end: u64| 1.0 - (end as f64 * (-p).ln_1p()).exp();
        let mut counts = vec![0_u32; ends.len() + 1];
        for _ in 0..draws {
            let gap = draw();
            counts[ends.partition_point(|&end| end <= gap)] += 1;
        }
        let (mut statistic, mut before) = (0.0, 0.0);
        for (i, &count) in counts.iter().enumerate() {
            let after = ends.get(i).map_or(1.0, |&end| below(end));
            let expected = (after - before) * f64::from(draws);
            before = after;
            if expected > 0.0 {
                statistic += (f64::from(count) - expected).powi(2) / expected;
            }
        }
        (statistic, counts.len() - 1)
    }

    /// The value that a chi-square variable exceeds once in a thousand times (Wilson and Hilferty's approximation).
    fn once_in_a_thousand(freedom: usize) -> f64 {
        let k = freedom as f64;
        k * (1.0 - 2.0 / (9.0 * k) + 3.0902 * (2.0 / (9.0 * k)).sqrt()).powi(3)
    }

    #[test]
    fn gaps_have_the_distribution_that_they_claim() {
        for (seed, p) in [(1, 0.9), (2, 0.5), (3, 0.1), (4, 0.01), (5, 1e-4), (6, 1e-5), (7, 1e-6)] {
            let mut gaps = Gaps::new(seed, 0, 0);
            let (statistic, freedom) = chi_square(p, 100_000, || whole(&mut gaps, Chance::of(p)));
            let limit = once_in_a_thousand(freedom.max(1));
            assert!(statistic < limit, "p = {p}: {statistic:.1} with {freedom} degrees of freedom, limit {limit:.1}");
        }
    }

    #[test]
    fn the_test_notices_another_distribution() {
        let mut gaps = Gaps::new(1, 0, 0);
        let (statistic, freedom) = chi_square(0.01, 100_000, || whole(&mut gaps, Chance::of(0.0105)));
        assert!(statistic > once_in_a_thousand(freedom), "{statistic}");
        let mut gaps = Gaps::new(1, 0, 0);
        let (statistic, freedom) = chi_square(0.01, 100_000, || whole(&mut gaps, Chance::of(0.01)) + 1);
        assert!(statistic > once_in_a_thousand(freedom), "{statistic}");
    }

    /// Kolmogorov and Smirnov's distance, for small p, where the distribution is almost continuous.
    #[test]
    fn so_says_kolmogorov() {
        let (p, n) = (1e-5_f64, 20_000);
        let mut gaps = Gaps::new(11, 3, 1);
        let mut drawn: Vec<u64> = (0..n).map(|_| whole(&mut gaps, Chance::of(p))).collect();
        drawn.sort_unstable();
        let distance = (drawn.iter().enumerate())
            .map(|(i, &gap)| {
                let claimed = 1.0 - ((gap + 1) as f64 * (-p).ln_1p()).exp();
                (claimed - (i as f64 + 0.5) / f64::from(n)).abs()
            })
            .fold(0.0, f64::max);
        // Exceeded once in a thousand times.
        assert!(distance < 1.95 / f64::from(n).sqrt(), "{distance}");
    }

    #[test]
    fn coins_and_gaps_take_the_same_share() {
        let (p, n) = (0.03, 1_000_000_u64);
        let mut gaps = Gaps::new(5, 0, 0);
        let heads = (0..n).filter(|_| gaps.coin(Chance::of(p))).count() as f64;
        let (mut at, mut taken) = (0, 0.0);
        while at < n {
            at += whole(&mut gaps, Chance::of(p)) + 1;
            taken += 1.0;
        }
        let spread = (n as f64 * p * (1.0 - p)).sqrt();
        assert!((heads - n as f64 * p).abs() < 4.0 * spread && (taken - n as f64 * p).abs() < 4.0 * spread);
    }

    #[test]
    fn the_same_seed_gives_the_same_gaps() {
        let stream = |seed, rank, strand| {
            let mut gaps = Gaps::new(seed, rank, strand);
            (0..20).map(|_| whole(&mut gaps, Chance::of(0.01))).collect::<Vec<_>>()
        };
        assert_eq!(stream(1, 0, 0), stream(1, 0, 0));
        assert_ne!(stream(1, 0, 0), stream(2, 0, 0));
        assert_ne!(stream(1, 0, 0), stream(1, 1, 0));
        assert_ne!(stream(1, 1, 0), stream(1, 0, 1));
    }
}
