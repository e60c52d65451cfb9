//! Which accumulate a fetching one saw.
//!
//! An accumulate of one element under a lock epoch is carried out, and flushed, with a counter locked that all ranks share: so it is known in
//! which order those of one location were, and which one a fetch came after. A flag that one rank sets with an accumulate and another polls
//! with a fetch orders the two, as does a lock made by hand of compare-and-swap. Where ranks share no memory there are no counters, and
//! no order by accumulates.

use crate::counters::{Counted, Counters};
use crate::link::Link;
use crate::rank::Told;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use thrille_model::Word;

/// Counters: words that share one are counted together, which disturbs nobody.
const NUMBER: u64 = 1 << 20;

static WORDS: OnceLock<Counters> = OnceLock::new();

/// Makes the counters, with all the other ranks, if that is possible.
pub fn make(told: &Told, transport: &mut Link) {
    if let Some(counters) = Counters::share(told, transport, NUMBER) {
        let _ = WORDS.set(counters);
    }
}

/// Locks a word's counter.
pub fn lock(word: Word) -> Option<Counted> {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    WORDS.get()?.lock((hasher.finish() >> 20) % NUMBER, progress)
}

/// Lets the library work: the counter's holder may wait for this process to carry out its operation.
fn progress() {
    let mut flag = 0;
    // SAFETY: asks whether there is a message; nothing is received. On the world: for others MPICH does not look at the network.
    unsafe {
        let (any, tag, world) = (mpi_sys::MPI_ANY_SOURCE, mpi_sys::MPI_ANY_TAG, mpi_sys::RSMPI_COMM_WORLD);
        mpi_sys::PMPI_Iprobe(any, tag, world, &raw mut flag, mpi_sys::RSMPI_STATUS_IGNORE);
    }
    std::thread::yield_now();
}
