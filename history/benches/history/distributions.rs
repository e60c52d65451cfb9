//! The ranges that are stored and searched for.

use std::fmt;

/// A small generator of its own (`SplitMix64`).
pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// The order in which the slots of an array are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Sequential,
    Reverse,
    Strided,
    Random,
}

impl Distribution {
    pub const ALL: [Self; 4] = [Self::Sequential, Self::Reverse, Self::Strided, Self::Random];

    /// `n` distinct ranges, each of which overlaps `overlap` that begin before it. Slots are 16 bytes apart.
    pub fn ranges(self, n: u64, overlap: u64, seed: u64) -> Vec<(u64, u64)> {
        let mut slots: Vec<u64> = match self {
            Self::Sequential | Self::Random => (0..n).collect(),
            Self::Reverse => (0..n).rev().collect(),
            // Columns of a matrix with 1,000 rows.
            Self::Strided => (0..1_000)
                .flat_map(|row| (0..n.div_ceil(1_000)).map(move |c| c * 1_000 + row))
                .filter(|&s| s < n)
                .collect(),
        };
        if self == Self::Random {
            let mut draws = Draws(seed);
            for i in (1..slots.len()).rev() {
                slots.swap(i, draws.below(i as u64 + 1) as usize);
            }
        }
        slots.into_iter().map(|slot| (slot * 16, slot * 16 + 16 * (overlap + 1))).collect()
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "sequential",
            Self::Reverse => "reverse",
            Self::Strided => "strided",
            Self::Random => "random",
        })
    }
}
