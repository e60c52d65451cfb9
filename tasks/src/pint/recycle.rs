//! Memory that the program has given back: when it may be given out again.
//!
//! Section III-F of the paper: `free` is delayed until the strand that called it has been looked at. Here it is delayed further, as long as there is room. What has
//! been given back counts as written by who gave it back, and stays so in the history: a task that uses it at the same time is found whichever of the two came
//! first in this run, and does no harm. When there is too much of it, the oldest is forgotten by all three treap workers, and then goes back to the allocator. So
//! memory that is given out again has no history.

use super::piece::Block;
use std::collections::VecDeque;

/// Bytes that are kept back.
const BYTES: u64 = 32 << 20;
/// Blocks that are kept back.
const BLOCKS: usize = 1 << 16;
/// What a block costs besides.
const EXTRA: u64 = 64;

/// See the top of `recycle.rs`.
#[derive(Debug, Default)]
pub struct KeptBack {
    blocks: VecDeque<Block>,
    bytes: u64,
}

impl KeptBack {
    /// A strand that gave this back has been looked at.
    pub fn add(&mut self, blocks: &[Block]) {
        self.blocks.extend(blocks);
        self.bytes += blocks.iter().map(|block| block.len + EXTRA).sum::<u64>();
    }

    /// What is too much: to be forgotten, then given back.
    pub fn surplus(&mut self) -> Vec<Block> {
        let mut surplus = Vec::new();
        while (self.bytes > BYTES || self.blocks.len() > BLOCKS)
            && let Some(block) = self.blocks.pop_front()
        {
            self.bytes -= block.len + EXTRA;
            surplus.push(block);
        }
        surplus
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All of it.
    pub fn all(&mut self) -> Vec<Block> {
        self.bytes = 0;
        self.blocks.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first() {
        let mut kept = KeptBack::default();
        let block = |address| Block { address, len: BYTES / 4 };
        for address in 0..3 {
            kept.add(&[block(address)]);
            assert!(kept.surplus().is_empty());
        }
        kept.add(&[block(3)]);
        assert_eq!(kept.surplus(), [block(0)]);
        kept.add(&[Block { address: 4, len: BYTES * 2 }]);
        assert_eq!(kept.surplus().len(), 4, "what is too large goes at once");
        kept.add(&[block(5)]);
        assert_eq!((kept.all(), kept.bytes), (vec![block(5)], 0));
        kept.add(&vec![Block { address: 0, len: 0 }; BLOCKS + 3]);
        assert_eq!(kept.surplus().len(), 3);
    }
}
