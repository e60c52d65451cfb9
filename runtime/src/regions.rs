//! Which addresses are whose shared memory.
//!
//! A handful of regions, looked up at every load and store: a bounding box first, then the region of the last hit, then the rest.

use thrille_model::{Rank, Segment};

/// A stretch of this process's address space that is a rank's segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Whose memory it is.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// The segment's offset at `start`.
    pub offset: u64,
}

/// All shared regions of the process.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    sorted: Vec<Region>,
    lo: u64,
    hi: u64,
}

impl Regions {
    /// The given regions, which do not overlap.
    pub fn new(mut regions: Vec<Region>) -> Self {
        regions.retain(|r| r.start < r.end);
        regions.sort_by_key(|r| r.start);
        let (lo, hi) = (regions.first().map_or(0, |r| r.start), regions.last().map_or(0, |r| r.end));
        Self { sorted: regions, lo, hi }
    }

    /// The region of an address; `hint` is where the last one was found, and is kept up to date.
    #[inline]
    pub fn find(&self, address: u64, hint: &mut usize) -> Option<&Region> {
        if address < self.lo || address >= self.hi {
            return None;
        }
        match self.sorted.get(*hint) {
            Some(region) if region.start <= address && address < region.end => Some(region),
            // The gap behind it, which the last search that found nothing ended in.
            Some(region) if region.end <= address && self.sorted.get(*hint + 1).is_some_and(|r| address < r.start) => {
                None
            }
            _ => self.search(address, hint),
        }
    }

    /// Whether none of these bytes is shared; `hint` as above.
    #[inline]
    pub fn is_clear_of(&self, lo: u64, hi: u64, hint: &mut usize) -> bool {
        if hi <= self.lo || self.hi <= lo {
            return true;
        }
        let clear = |index: usize| {
            self.sorted.get(index).is_some_and(|region| region.end <= lo)
                && self.sorted.get(index + 1).is_none_or(|region| hi <= region.start)
        };
        clear(*hint) || self.find(lo, hint).is_none() && clear(*hint)
    }

    /// The first address behind this one where a region begins or ends.
    pub fn boundary(&self, address: u64) -> Option<u64> {
        let region = self.sorted.get(self.sorted.partition_point(|r| r.end <= address))?;
        Some(if region.start > address { region.start } else { region.end })
    }

    /// Where a part of a segment is in this process's address space.
    pub fn address(&self, owner: Rank, segment: Segment, offset: u64) -> Option<u64> {
        let holds = |r: &&Region| {
            r.owner == owner && r.segment == segment && r.offset <= offset && offset - r.offset < r.end - r.start
        };
        self.sorted.iter().find(holds).map(|r| r.start + (offset - r.offset))
    }

    fn search(&self, address: u64, hint: &mut usize) -> Option<&Region> {
        let index = self.sorted.partition_point(|r| r.end <= address);
        let Some(region) = self.sorted.get(index).filter(|r| r.start <= address) else {
            *hint = index.saturating_sub(1);
            return None;
        };
        *hint = index;
        Some(region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_scan_finds() {
        let region = |start, end, owner| Region { start, end, owner: Rank(owner), segment: Segment::Heap, offset: 0 };
        let all = vec![region(100, 200, 1), region(300, 400, 0), region(200, 210, 2)];
        let regions = Regions::new(all.clone());
        let mut hint = 0;
        for address in (0..500).chain((0..500).rev()) {
            let expected = all.iter().find(|r| r.start <= address && address < r.end);
            assert_eq!(regions.find(address, &mut hint), expected, "{address}");
            let edges = all.iter().flat_map(|r| [r.start, r.end]);
            let back = expected.and_then(|r| regions.address(r.owner, r.segment, address - r.start));
            assert_eq!(back, expected.map(|_| address), "{address}");
            for len in [1, 8, 95, 120, 600] {
                let clear = !all.iter().any(|r| r.start < address + len && address < r.end);
                assert_eq!(regions.is_clear_of(address, address + len, &mut hint), clear, "{address} {len}");
                assert_eq!(regions.is_clear_of(address, address + len, &mut 9), clear, "{address} {len}");
            }
            assert_eq!(regions.boundary(address), edges.filter(|&edge| edge > address).min(), "{address}");
        }
        assert_eq!(Regions::default().find(0, &mut hint), None);
    }
}
