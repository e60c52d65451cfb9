//! The classes of one strand: accesses of one line that nothing can tell apart but their bytes, numbered for the bit map.

use super::Run;
use thrille_history::Class;

/// Most classes between two takings.
const CLASSES: usize = 4096;

/// All classes since the last taking, each once.
#[derive(Debug)]
pub struct Classes {
    /// By number: what its accesses have in common, and how many they are. The bytes mean nothing.
    known: Vec<(Run, u64)>,
    /// Number + 1 by hash of the line and the position; 0 is free. Twice as many as classes.
    index: Box<[u32]>,
}

impl Classes {
    pub fn new() -> Self {
        Self { known: Vec::with_capacity(CLASSES), index: vec![0; 2 * CLASSES].into() }
    }

    /// The class of an access; none if there are too many.
    pub fn of(&mut self, run: &Run) -> Option<Class> {
        let mixed = (run.pc ^ (run.pos.0 << 20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 40) as usize % self.index.len();
        while let Some(number) = self.index[at].checked_sub(1) {
            if self.known[number as usize].0.same_but_for_bytes(run) {
                return Some(Class(number));
            }
            at = (at + 1) % self.index.len();
        }
        if self.known.len() == CLASSES {
            return None;
        }
        self.known.push((*run, 0));
        self.index[at] = self.known.len() as u32;
        Some(Class(self.known.len() as u32 - 1))
    }

    /// So many accesses of a class are in the bit map.
    #[inline(always)]
    pub fn count(&mut self, class: Class, times: u32) {
        self.known[class.0 as usize].1 += u64::from(times);
    }

    /// What the accesses of a class have in common, and how many they are.
    pub fn get(&self, class: Class) -> (Run, u64) {
        self.known[class.0 as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub fn clear(&mut self) {
        if !self.known.is_empty() {
            self.known.clear();
            self.index.fill(0);
        }
    }
}
