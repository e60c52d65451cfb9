//! Which private memory is which block. An allocator hands out the same addresses again and again; accesses to two blocks at one address
//! have nothing to do with each other, nor with what comes to lie there once it is free. Numbered while the process has several threads: before that, private memory does not matter.

use std::collections::BTreeMap;
use thrille_model::Segment;

/// A block, or what is left of it.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: u64,
    number: u32,
    /// Where it began.
    origin: u64,
}

/// The blocks of a process, and what has been of them since they were given back, by where they begin.
#[derive(Debug, Default)]
pub struct Blocks {
    live: BTreeMap<u64, Block>,
    made: u32,
}

impl Blocks {
    /// A block begins to live. What was known at its addresses is gone.
    pub fn add(&mut self, start: u64, len: u64) {
        if len == 0 {
            return;
        }
        let end = start.saturating_add(len);
        while let Some((&first, block)) = self.live.range(..end).next_back()
            && block.end > start
        {
            self.live.remove(&first);
        }
        self.made += 1;
        self.live.insert(start, Block { end, number: self.made, origin: start });
    }

    /// Memory begins another life: who uses it next uses something else. What blocks have beside it stays theirs.
    pub fn renew(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        while let Some((&first, &block)) = self.live.range(..end).next_back()
            && block.end > start
        {
            self.live.remove(&first);
            if block.end > end {
                self.live.insert(end, block);
            }
            if first < start {
                self.live.insert(first, Block { end: start, ..block });
            }
        }
        self.made += 1;
        self.live.insert(start, Block { end, number: self.made, origin: start });
    }

    /// How long the block is that begins here.
    pub fn len_of(&self, start: u64) -> Option<u64> {
        self.live.get(&start).map(|block| block.end - start)
    }

    /// The block and offset of an address, if all the bytes from there on are in it; otherwise the address itself.
    pub fn find(&self, address: u64, len: u64) -> (Segment, u64) {
        let (segment, offset, part) = self.part(address, len);
        if part == len { (segment, offset) } else { (Segment::Private, address) }
    }

    /// The block and offset of an address, or the address itself, and how many of the bytes from there on are there too.
    pub fn part(&self, address: u64, len: u64) -> (Segment, u64, u64) {
        let end = address.saturating_add(len);
        if let Some((_, block)) = self.live.range(..=address).next_back()
            && block.end > address
        {
            return (Segment::Block(block.number), address - block.origin, end.min(block.end) - address);
        }
        let next = self.live.range(address..end).next().map_or(end, |(&start, _)| start);
        (Segment::Private, address, next - address)
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
        blocks.renew(100, 150);
        blocks.add(90, 50);
        assert_eq!(blocks.find(110, 4), (Segment::Block(3), 20));
        assert_eq!(blocks.find(142, 4), (Segment::Private, 142));
        // A block whose end was not seen gives way to the one that is there now.
        blocks.add(120, 100);
        assert_eq!(blocks.find(95, 1), (Segment::Private, 95));
        assert_eq!(blocks.find(130, 1), (Segment::Block(4), 10));
        assert_eq!(blocks.len_of(120), Some(100));
    }

    #[test]
    fn what_is_beside_stays_what_it_is() {
        let mut blocks = Blocks::default();
        blocks.add(1000, 1000);
        let above = blocks.find(1900, 8);
        blocks.renew(1000, 1800);
        assert_eq!(blocks.find(1900, 8), above);
        let task = blocks.find(1700, 8);
        assert_ne!(task.0, above.0);
        blocks.renew(1000, 1600);
        assert_eq!((blocks.find(1900, 8), blocks.find(1700, 8)), (above, task));
        assert_ne!(blocks.find(1500, 8).0, task.0);
        let inner = blocks.find(1500, 8);
        blocks.renew(1000, 1800);
        assert_eq!(blocks.find(1900, 8), above);
        assert!(![inner.0, task.0].contains(&blocks.find(1500, 8).0));
        assert_eq!(blocks.part(1790, 20), (blocks.find(1790, 8).0, 790, 10));
        assert_eq!(blocks.part(1990, 20).2, 10);
        assert_eq!(blocks.part(2000, 20), (Segment::Private, 2000, 20));
        assert_eq!(blocks.part(990, 20), (Segment::Private, 990, 10));
        blocks.add(500, 600);
        let heap = blocks.find(600, 8);
        blocks.renew(1050, 1800);
        assert_eq!(blocks.find(600, 8), heap);
    }
}
