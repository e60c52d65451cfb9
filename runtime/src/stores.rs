//! Plain stores to words that somebody may wait for by a wait or test routine of OpenSHMEM: each is an update of its word, as a put would be.
//!
//! Such a word is reached by another thread, or by another process through `shmem_ptr`. That it is waited for may come out only when it has been stored to, so the
//! first stores of each line are counted whatever they are to; after that those to words that somebody is known to have waited for.

use crate::rank::Rank;
use crate::recorder::Recorder;
use std::sync::OnceLock;
use thrille_model::Segment;

/// Stores of a line that are counted before anybody is known to wait.
const FIRST: u8 = 64;
/// How many lines are told apart.
const LINES: usize = 256;
/// Longer ones are no flags.
const LONGEST: u64 = 64;

/// A store that is about to happen.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// Where it is in this process.
    pub address: u64,
    /// Whose memory that is.
    pub owner: thrille_model::Rank,
    /// Which part of it.
    pub segment: Segment,
    /// At which offset.
    pub lo: u64,
    /// How many bytes.
    pub len: u64,
}

/// Who counts.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Whether a word has been waited for.
    pub is_awaited: fn(&Stored) -> bool,
    /// Counts a store that is recorded.
    pub count: fn(&mut Rank, &mut Recorder, &Stored),
}

static COUNTS: OnceLock<Counts> = OnceLock::new();

/// Stores are counted from now on.
pub fn count_by(counts: Counts) {
    // The first one stays.
    let _ = COUNTS.set(counts);
}

/// What a strand knows of its lines, and the store that is to be counted.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    lines: Vec<(u64, u8)>,
    pub next: Option<Stored>,
}

impl Stores {
    /// A store to memory that others reach: whether it is to be counted.
    #[inline(never)]
    pub fn counts(&mut self, stored: Stored, pc: u64) -> bool {
        let Some(counts) = COUNTS.get().filter(|_| stored.len <= LONGEST) else { return false };
        if self.lines.is_empty() {
            self.lines = vec![(0, 0); LINES];
        }
        let (line, times) = &mut self.lines[(pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % LINES];
        if *line != pc {
            (*line, *times) = (pc, 0);
        }
        let first = *times < FIRST;
        *times += u8::from(first);
        let counted = first || (counts.is_awaited)(&stored);
        if counted {
            self.next = Some(stored);
        }
        counted
    }
}

impl Rank {
    /// Counts the store that the strand has just recorded, if it is to be.
    pub(crate) fn count_store(&mut self, recorder: &mut Recorder) {
        if let (Some(stored), Some(counts)) = (recorder.stores.next.take(), COUNTS.get()) {
            self.issue(recorder);
            (counts.count)(self, recorder, &stored);
        }
    }
}
