//! Labels that one thread changes while others look at them.
//!
//! Who inserts into a list holds the lock of its graph. Who asks for the order of two nodes takes no lock: labels are atomics, in segments that never move,
//! and a version is odd while labels change. A reader that sees another version after its two labels than before, or an odd one, looks again
//! (a seqlock). Insertion alone changes no label that anybody knows, and leaves the version as it is: readers look again only when a
//! range is labelled anew, which takes amortised O(1) a node.

use super::sync::{AtomicU64, Ordering, fence, spin_loop, yield_now};
use crate::order::{Labels, Node};
use std::sync::{Arc, OnceLock};

/// Nodes of the first segment, as a power of two; each segment has twice as many as the one before.
const FIRST: u32 = if cfg!(test) { 2 } else { 6 };
const SEGMENTS: usize = 32 - FIRST as usize + 1;
/// How often a reader looks again before it lets others run.
const PATIENCE: u32 = if cfg!(test) { 0 } else { 64 };

#[derive(Debug)]
struct Shared {
    version: AtomicU64,
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// Segment and place of a node.
fn place(node: u32) -> (usize, usize) {
    let number = u64::from(node) + (1 << FIRST);
    let segment = number.ilog2() - FIRST;
    (segment as usize, (number - (1 << (segment + FIRST))) as usize)
}

impl Shared {
    fn label(&self, node: u32) -> Option<&AtomicU64> {
        let (segment, place) = place(node);
        self.segments[segment].get()?.get(place)
    }

    fn of(&self, node: u32) -> u64 {
        self.label(node).map_or(0, |label| label.load(Ordering::Relaxed))
    }
}

/// The side of those who ask.
#[derive(Clone, Debug)]
pub struct Asked(Arc<Shared>);

impl Asked {
    /// Whether one node comes before the other.
    pub fn before(&self, one: Node, other: Node) -> bool {
        let mut tries = 0;
        loop {
            let version = self.0.version.load(Ordering::Acquire);
            let (a, b) = (self.0.of(one.0), self.0.of(other.0));
            fence(Ordering::Acquire);
            if version & 1 == 0 && self.0.version.load(Ordering::Relaxed) == version {
                return a < b;
            }
            tries += 1;
            if tries > PATIENCE { yield_now() } else { spin_loop() }
        }
    }
}

/// The side of the one who inserts.
#[derive(Debug)]
pub struct Published {
    shared: Arc<Shared>,
    len: u32,
}

impl Default for Published {
    fn default() -> Self {
        let shared = Shared { version: AtomicU64::new(0), segments: [const { OnceLock::new() }; SEGMENTS] };
        Self { shared: Arc::new(shared), len: 0 }
    }
}

impl Published {
    /// For those who ask.
    pub fn asked(&self) -> Asked {
        Asked(Arc::clone(&self.shared))
    }
}

impl Labels for Published {
    fn get(&self, node: u32) -> u64 {
        self.shared.of(node)
    }

    fn push(&mut self, label: u64) {
        let (segment, at) = place(self.len);
        let len = 1_usize << (segment as u32 + FIRST);
        let labels = self.shared.segments[segment].get_or_init(|| (0..len).map(|_| AtomicU64::new(0)).collect());
        // Nobody knows of the node before whoever inserts it says so.
        labels[at].store(label, Ordering::Relaxed);
        self.len += 1;
    }

    fn set(&mut self, node: u32, label: u64) {
        if let Some(known) = self.shared.label(node) {
            known.store(label, Ordering::Relaxed);
        }
    }

    fn begin(&mut self) {
        let version = self.shared.version.load(Ordering::Relaxed);
        self.shared.version.store(version + 1, Ordering::Relaxed);
        // No new label is seen before the odd version.
        fence(Ordering::Release);
    }

    fn end(&mut self) {
        let version = self.shared.version.load(Ordering::Relaxed);
        self.shared.version.store(version + 1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::thread;

    /// One thread labels two nodes anew; another one sees them in order all the same.
    #[test]
    fn labels_are_seen_together() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let mut labels = Published::default();
            labels.push(1);
            labels.push(2);
            let asked = labels.asked();
            let reader = thread::spawn(move || assert!(asked.before(Node(0), Node(1))));
            labels.begin();
            labels.set(1, 12);
            labels.set(0, 11);
            labels.end();
            reader.join().expect("no assertion failed");
        });
    }

    #[test]
    fn every_node_has_a_place() {
        let mut next = (0, 0);
        for node in 0..1000 {
            let at = place(node);
            if at.0 > next.0 {
                assert_eq!(next.1, 1 << (next.0 as u32 + FIRST));
                next = (at.0, 0);
            }
            assert_eq!(at, next);
            next.1 += 1;
        }
        assert!(place(u32::MAX).0 < SEGMENTS);
    }
}
