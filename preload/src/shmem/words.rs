//! A counter for every 8 bytes of symmetric memory, laid out like that memory itself.

use crate::counters::{Counted, Counters};
use crate::link::Link;
use crate::rank::Told;
use crate::shmem::library;
use std::sync::OnceLock;
use thrille_model::{Rank, Segment, Word};

static WORDS: OnceLock<Words> = OnceLock::new();

struct Words {
    counters: Counters,
    heap: u64,
    statics: u64,
}

/// Makes the counters for heaps and static data of these sizes; false when that is not possible.
pub fn make(told: &Told, transport: &mut Link, heap: u64, statics: u64) -> bool {
    let number = (heap + statics) / 8 * u64::from(told.size);
    Counters::share(told, transport, number)
        .is_some_and(|counters| WORDS.set(Words { counters, heap, statics }).is_ok())
}

/// The word at a place of symmetric memory.
pub fn word(owner: Rank, segment: Segment, offset: u64) -> Word {
    Word { owner, segment, offset: offset & !7 }
}

/// Locks a word's counter.
pub fn lock(word: Word) -> Option<Counted> {
    let words = WORDS.get()?;
    let within = match word.segment {
        Segment::Heap if word.offset < words.heap => word.offset,
        Segment::Statics if word.offset < words.statics => words.heap + word.offset,
        _ => return None,
    };
    words.counters.lock((u64::from(word.owner.0) * (words.heap + words.statics) + within) / 8, library::progress)
}
