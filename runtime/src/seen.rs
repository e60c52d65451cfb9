//! What a strand has touched since its last event, as far as it fits: a filter before the access path of [`crate::recorder`].
//!
//! STINT removes duplicates at run time: of what a strand does to a byte, the first access is enough, and a write is enough for reads too. Here a
//! direct-mapped table holds, of 16 bytes at a time, which were read and which written. An access that is all there is dropped after a comparison or two. Used where
//! tasks are followed, for private memory: of each byte one line of a strand stands for all.
//!
//! Emptied by raising a number, at every event of the strand.

use thrille_model::Kind;

const SLOTS: usize = 1 << 14;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Address by 16.
    line: u64,
    stamp: u32,
    read: u16,
    written: u16,
}

/// See the top of `seen.rs`; off until [`Seen::turn`].
#[derive(Debug, Default)]
pub struct Seen {
    slots: Vec<Slot>,
    on: bool,
    stamp: u32,
}

/// Which bytes of its line an access touches, if it is one line.
#[inline(always)]
fn mask(address: u64, len: u64) -> Option<u16> {
    let first = address & 15;
    (first + len <= 16).then(|| (((1_u32 << len) - 1) << first) as u16)
}

impl Seen {
    /// Uses it from now on, or not.
    pub fn turn(&mut self, on: bool) {
        if on && self.slots.is_empty() {
            self.slots = vec![Slot::default(); SLOTS];
        }
        self.on = on;
        self.clear();
    }

    /// Whether it is used.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Forgets everything.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(Slot::default());
            self.stamp = 1;
        }
    }

    /// Whether all of these bytes were touched in this way, or written.
    #[inline(always)]
    pub fn has(&self, address: u64, len: u64, kind: Kind) -> bool {
        let Some(slot) = self.slots.get((address >> 4) as usize % SLOTS) else { return false };
        if slot.line != address >> 4 || slot.stamp != self.stamp {
            return false;
        }
        let there = match kind {
            Kind::Read => slot.read | slot.written,
            Kind::Write => slot.written,
            Kind::Atomic(_) | Kind::Await => return false,
        };
        mask(address, len).is_some_and(|mask| mask & !there == 0)
    }

    /// They are touched now.
    #[inline(always)]
    pub fn add(&mut self, address: u64, len: u64, kind: Kind) {
        let Some(mask) = mask(address, len) else { return };
        let (line, stamp) = (address >> 4, self.stamp);
        let Some(slot) = self.slots.get_mut(line as usize % SLOTS) else { return };
        if slot.line != line || slot.stamp != stamp {
            *slot = Slot { line, stamp, ..Slot::default() };
        }
        match kind {
            Kind::Read => slot.read |= mask,
            Kind::Write => slot.written |= mask,
            Kind::Atomic(_) | Kind::Await => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Whatever it says is there has been touched since it was cleared; what was touched last is there.
        #[test]
        fn never_more_than_was_touched(
            accesses in prop::collection::vec((0u64..100, 1u64..20, any::<bool>(), 0u8..10, any::<bool>()), 0..200),
        ) {
            let (mut seen, mut read, mut written) = (Seen::default(), BTreeSet::new(), BTreeSet::new());
            seen.turn(true);
            for (at, len, write, clear, far) in accesses {
                // Lines that share a slot.
                let at = if far { at + 16 * SLOTS as u64 } else { at };
                if clear == 0 {
                    seen.clear();
                    read.clear();
                    written.clear();
                }
                let kind = if write { Kind::Write } else { Kind::Read };
                let there = |byte: u64| written.contains(&byte) || !write && read.contains(&byte);
                prop_assert!(!seen.has(at, len, kind) || (at..at + len).all(there));
                seen.add(at, len, kind);
                if write { written.extend(at..at + len) } else { read.extend(at..at + len) }
                prop_assert_eq!(seen.has(at, len, kind), at % 16 + len <= 16);
            }
        }
    }
}
