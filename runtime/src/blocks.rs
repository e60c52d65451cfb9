//! Which private memory is which block. An allocator hands out the same addresses again and again; accesses to two blocks at one address
//! have nothing to do with each other. Numbered while the process has several threads: before that, private memory does not matter.

use std::collections::BTreeMap;
use thrille_model::Segment;

/// The live blocks of a process: start to end and number.
#[derive(Debug, Default)]
pub struct Blocks {
    live: BTreeMap<u64, (u64, u32)>,
    made: u32,
}

impl Blocks {
    /// A block begins to live. What was known at its addresses is gone.
    pub fn add(&mut self, start: u64, len: u64) {
        if len == 0 {
            return;
        }
        let end = start.saturating_add(len);
        let before = self.live.range(..end).next_back();
        if before.is_some_and(|(_, &(stop, _))| stop > start) {
            self.live.retain(|&lo, &mut (hi, _)| hi <= start || lo >= end);
        }
        self.made += 1;
        self.live.insert(start, (end, self.made));
    }

    /// A block is gone.
    pub fn remove(&mut self, start: u64) {
        self.live.remove(&start);
    }

    /// How long the block is that begins here.
    pub fn len_of(&self, start: u64) -> Option<u64> {
        self.live.get(&start).map(|&(end, _)| end - start)
    }

    /// The block and offset of an address, if all the bytes from there on are in it; otherwise the address itself.
    pub fn find(&self, address: u64, len: u64) -> (Segment, u64) {
        match self.live.range(..=address).next_back() {
            Some((&start, &(end, number))) if address.saturating_add(len) <= end => {
                (Segment::Block(number), address - start)
            }
            _ => (Segment::Private, address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reused_addresses_are_other_blocks() {
        let mut blocks = Blocks::default();
        assert_eq!(blocks.find(100, 4), (Segment::Private, 100));
        blocks.add(100, 50);
        assert_eq!(blocks.find(110, 4), (Segment::Block(1), 10));
        assert_eq!(blocks.find(148, 4), (Segment::Private, 148));
        blocks.remove(100);
        blocks.add(90, 50);
        assert_eq!(blocks.find(110, 4), (Segment::Block(2), 20));
        // A block whose end was not seen gives way to the one that is there now.
        blocks.add(120, 100);
        assert_eq!(blocks.find(95, 1), (Segment::Private, 95));
        assert_eq!(blocks.find(130, 1), (Segment::Block(3), 10));
        assert_eq!(blocks.len_of(120), Some(100));
    }
}
