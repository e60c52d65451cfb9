//! Memory that the program has given back, kept from the allocator for a while. As long as nobody gets it again, whoever uses it uses what was given
//! back: a use after the end is seen whichever came first. What the library's own allocations get could not be told from it otherwise.

use std::collections::VecDeque;

/// So many blocks, and bytes, are kept at most.
const BLOCKS: usize = 4096;
const BYTES: u64 = 16 << 20;

/// Blocks in the order in which they were given back.
#[derive(Debug, Default)]
pub struct Quarantine {
    kept: VecDeque<Kept>,
    bytes: u64,
}

/// A block that was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    pub address: u64,
    pub len: u64,
}

impl Quarantine {
    /// Keeps a block; false if it is too long for that.
    pub fn keep(&mut self, block: Kept) -> bool {
        let fits = block.len <= BYTES;
        if fits {
            self.bytes += block.len;
            self.kept.push_back(block);
        }
        fits
    }

    /// A block that has been here longest, while there are too many.
    pub fn release(&mut self) -> Option<Kept> {
        if self.kept.len() <= BLOCKS && self.bytes <= BYTES {
            return None;
        }
        let first = self.kept.pop_front()?;
        self.bytes -= first.len;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_go_first() {
        let mut quarantine = Quarantine::default();
        assert!(!quarantine.keep(Kept { address: 1, len: BYTES + 1 }));
        let small = |address| Kept { address, len: 16 };
        for address in 0..BLOCKS as u64 {
            assert!(quarantine.keep(small(address)));
            assert_eq!(quarantine.release(), None);
        }
        assert!(quarantine.keep(small(9)));
        assert_eq!(quarantine.release(), Some(small(0)));
        assert_eq!(quarantine.release(), None);
        // A long one drives out the others.
        let long = Kept { address: 5, len: BYTES };
        assert!(quarantine.keep(long));
        assert_eq!(std::iter::from_fn(|| quarantine.release()).count(), BLOCKS);
        assert_eq!((quarantine.kept.front(), quarantine.bytes), (Some(&long), BYTES));
    }
}
