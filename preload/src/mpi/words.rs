//! Which accumulate a fetching one saw.
//!
//! An accumulate of one element, or a few, under a lock epoch is carried out, and flushed, with a counter locked that all ranks share: so it is known in
//! which order those of one location were, and which one a fetch came after. A flag that one rank sets with an accumulate and another polls
//! with a fetch orders the two, as does a lock made by hand of compare-and-swap. Where ranks share no memory there are no counters, and
//! no order by accumulates.

use crate::confirm;
use crate::counters::{Counted, Counters};
use crate::last::inside;
use crate::link::Link;
use crate::mpi::comms;
use crate::mpi::windows::{reached_by_many, window};
use crate::rank::{Told, unobserved};
use mpi_sys::MPI_Win;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::c_int;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use thrille_model::{Strand, Word};

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
    inside(|| WORDS.get()?.lock(index(word), word, progress))
}

/// Words that one operation reaches.
pub type Few<T> = SmallVec<[T; 1]>;

/// Locks the counters of several words, in the order in which everybody does. Of words that share one only the first is counted.
pub fn lock_all(words: &[Word]) -> Few<(Word, Counted)> {
    let mut counters: Few<(u64, Word)> = words.iter().map(|&word| (index(word), word)).collect();
    counters.sort_unstable_by_key(|&(index, _)| index);
    counters.dedup_by_key(|&mut (index, _)| index);
    counters.into_iter().filter_map(|(_, word)| Some((word, lock(word)?))).collect()
}

fn index(word: Word) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    (hasher.finish() >> 20) % NUMBER
}

/// An atomic instruction is about to be carried out: if other processes reach the same memory by theirs, its word, locked. Their holders
/// wait for nobody, and this may be a thread that must not call the library.
pub fn between_processes(address: u64) -> Option<(Word, Counted)> {
    counted(reached_by_many(address)?)
}

/// A word that processes reach by their own instructions, locked.
pub fn counted(word: Word) -> Option<(Word, Counted)> {
    Some((word, WORDS.get()?.lock(index(word), word, std::thread::yield_now)?))
}

/// Lets the library work on what others want of this process, when it has just asked itself for something, every so many times: who polls its
/// own part of a window waits for them, and Open MPI over UCX carries out what goes to the own rank without looking at the others. Who does
/// not poll would give up the processor for nothing.
pub fn progress_at(target: c_int, win: MPI_Win) {
    const PATIENCE: u32 = 64;
    static TIMES: AtomicU32 = AtomicU32::new(0);
    let own = window(win, |w| w.rank) == Some(target);
    if own && TIMES.fetch_add(1, Ordering::Relaxed) % PATIENCE == PATIENCE - 1 {
        progress();
    }
}

thread_local! {
    /// Whether this thread is in an exchange that its others come to out of a barrier.
    static HELPING: Cell<bool> = const { Cell::new(false) };
}

/// Makes such an exchange, in a call of the program's.
pub fn helping(exchange: impl FnOnce()) {
    HELPING.set(true);
    // What the library calls back meanwhile finds the strand in use.
    unobserved(exchange);
    HELPING.set(false);
}

/// Lets the library work while this thread waits for the others in an exchange. One of them may not be out of the barrier yet: another thread of it
/// has the library to itself until this process has carried out an operation. The detector's own thread must not call it.
pub fn help() {
    if HELPING.get() {
        progress();
    }
}

/// Lets the library work while a strand is held, if that is a thread which may call it now: not in a function that the library itself has called. What it calls
/// back meanwhile finds the strand in use.
pub fn idle(strand: Strand) {
    if comms::may_call(strand.index == 0) && !confirm::is_called_back() {
        unobserved(progress);
    }
}

/// Lets the library work: the counter's holder may wait for this process to carry out its operation.
pub fn progress() {
    let mut flag = 0;
    // SAFETY: asks whether there is a message; nothing is received. On the world: for others MPICH does not look at the network.
    unsafe {
        let (any, tag, world) = (mpi_sys::MPI_ANY_SOURCE, mpi_sys::MPI_ANY_TAG, mpi_sys::RSMPI_COMM_WORLD);
        mpi_sys::PMPI_Iprobe(any, tag, world, &raw mut flag, mpi_sys::RSMPI_STATUS_IGNORE);
    }
    std::thread::yield_now();
}
