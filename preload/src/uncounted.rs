//! What passes uncounted, because a budget is used up: updates of words that nobody looks at, and all that orders strands in rounds that are too dear.
//!
//! Who waits for a word, or fetches it, comes after the updates that it saw, so updates are counted ([`crate::counters`]). That takes a multiple of what
//! the update itself takes. Most words of programs that do little else are never waited for: a table that all ranks add to is read behind a barrier.
//!
//! | state | is |
//! |---|---|
//! | a *round* | what is between two global barriers that complete what was issued before them, which each rank counts; over MPI, where not all of them are seen one by one, all of a run |
//! | a *tract* | 64 KB of a rank's memory, by a hash: whether any word of it has been observed, and the last round with an uncounted update |
//! | the *dark* round | the last one in which somebody saw what may be an uncounted update, or found that order costs more than the budget |
//!
//! An update that is not recorded may pass uncounted, in a tract that nobody has observed a word of, in a process with one thread. The tract is told before the update happens.
//! Who observes a word of such a tract in the same round comes after nobody knows what; it makes the round dark, before it goes on. In a dark round nothing
//! is recorded any more; a process with threads records nothing for good.
//!
//! Why nothing false is reported: say that an access comes before another by way of an uncounted update only. The other one begins after the observation, so its
//! process finds the round dark and does not record it, unless it is in a later round. But there the barrier in between, which the updating strand came to,
//! orders the two: all that comes before the update in that strand's only order comes before the barrier, and what was only fenced before the update is complete at the barrier. A thread that
//! did not come to the barrier is in a process with threads. An update that is recorded is counted, so an uncounted one is itself no part of any pair.
//!
//! In a dark round order need not be followed either: what is not recorded needs none, and what was recorded before the round became dark came before all that is left
//! out. So a process with one thread that spends more than its budget on calls which order strands makes the round dark by itself, if no process has threads, and
//! its atomics, flags and locks are carried out and nothing else until the round ends. Who has a lock from a dark round on records nothing before it gives it
//! back: what it hands over by that is not known. Only where rounds end.
//!
//! Where not all stores are looked at, one may be what somebody waited for: who waits for a word that is known to be stored to, or that has a value and was never
//! updated, makes the round dark as well.
//!
//! What it costs: races of dark rounds that begin after the observation. The first updates of each place in the program are not passed over, so tracts
//! with flags and counters that are waited for are known as a rule before anything passes.

use crate::rank::THREADED;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
#[cfg(feature = "shmem")]
use std::sync::{Mutex, PoisonError};
use thrille_model::Word;

/// Bytes of memory that are one tract.
const TRACT: u64 = 64 << 10;
/// How many tracts are told apart.
const TRACTS: u64 = 1 << 14;
/// What the ranks share: the tracts, the dark round, and whether any process has threads.
pub const SHARED: u64 = TRACTS + 2;
const DARK: u64 = TRACTS;
const THREADS: u64 = TRACTS + 1;

/// Somebody has observed a word of a tract. Above it is the round of the last uncounted update.
const OBSERVED: u64 = 1;
const ROUND_AT: u32 = 1;

/// The present round. Rounds begin with 1.
pub static ROUND: AtomicU64 = AtomicU64::new(1);

/// Locks that this process has taken in a dark round and still holds, by their addresses, and whether there are any.
#[cfg(feature = "shmem")]
static IN_THE_DARK: Mutex<Vec<usize>> = Mutex::new(Vec::new());
static HOLDS: AtomicBool = AtomicBool::new(false);

/// What the ranks share; null where they share nothing, and while nothing is shared yet.
static PLACES: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

/// Where the dark round is, for those who look at nothing else; there is none while nothing is shared.
pub static UNSEEN: AtomicPtr<AtomicU64> = AtomicPtr::new((&raw const LIGHT).cast_mut());
static LIGHT: AtomicU64 = AtomicU64::new(0);

/// The ranks share these [`SHARED`] numbers, which stay where they are.
pub fn share(places: *const AtomicU64) {
    PLACES.store(places.cast_mut(), Ordering::Release);
    UNSEEN.store(places.wrapping_add(DARK as usize).cast_mut(), Ordering::Release);
    if THREADED.load(Ordering::SeqCst) {
        has_threads();
    }
}

/// A global barrier, at which all is complete that this process's strand issued before, is passed.
#[cfg(any(feature = "shmem", test))]
pub fn next_round() {
    ROUND.fetch_add(1, Ordering::AcqRel);
}

fn place(index: u64) -> Option<&'static AtomicU64> {
    let places = PLACES.load(Ordering::Acquire);
    // SAFETY: so many are there, for as long as the process lives.
    (!places.is_null()).then(|| unsafe { &*places.add((index % SHARED) as usize) })
}

fn tract(word: Word) -> Option<&'static AtomicU64> {
    let mut hasher = FxHasher::default();
    (word.owner, word.segment, word.offset / TRACT).hash(&mut hasher);
    place((hasher.finish() >> 20) % TRACTS)
}

/// Whether an update of a word, about to happen and not recorded, may do so uncounted.
pub fn passes(word: Word) -> bool {
    if THREADED.load(Ordering::Relaxed) {
        return false;
    }
    let round = ROUND.load(Ordering::Relaxed) << ROUND_AT;
    let Some(tract) = tract(word) else { return false };
    let state = tract.load(Ordering::Relaxed);
    let told = || tract.compare_exchange(state, round, Ordering::SeqCst, Ordering::Relaxed).is_ok();
    state == round || (state & OBSERVED == 0 && told())
}

/// The present value of a word was observed.
pub fn observed(word: Word) {
    let Some(tract) = tract(word) else { return };
    let state = tract.load(Ordering::SeqCst);
    if state & OBSERVED == 0 {
        tract.fetch_or(OBSERVED, Ordering::Relaxed);
    }
    let round = ROUND.load(Ordering::Relaxed);
    if state >> ROUND_AT == round
        && let Some(dark) = place(DARK)
    {
        dark.store(round, Ordering::SeqCst);
    }
}

/// What was observed may be the doing of a store that was not looked at.
#[cfg(feature = "shmem")]
pub fn saw_unknown() {
    if let Some(dark) = place(DARK) {
        dark.store(ROUND.load(Ordering::Relaxed), Ordering::SeqCst);
    }
}

/// This process has threads.
pub fn has_threads() {
    if let Some(threads) = place(THREADS) {
        threads.store(1, Ordering::SeqCst);
    }
}

/// Order has cost more than it may: the round is dark from now on, if that serves.
pub fn darken() {
    let alone = place(THREADS).is_some_and(|threads| threads.load(Ordering::SeqCst) == 0);
    if let (true, true, Some(dark)) = (cfg!(feature = "shmem"), alone && !THREADED.load(Ordering::SeqCst), place(DARK))
    {
        dark.store(ROUND.load(Ordering::Relaxed), Ordering::SeqCst);
    }
}

/// A lock is taken: whether in the dark, so that nobody is to be told.
#[cfg(feature = "shmem")]
pub fn takes_lock(lock: usize) -> bool {
    let dark = is_dark() && !THREADED.load(Ordering::Relaxed);
    if dark {
        IN_THE_DARK.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        HOLDS.store(true, Ordering::Relaxed);
    }
    dark
}

/// One is given back: whether nobody was told that it was taken.
#[cfg(feature = "shmem")]
pub fn gives_back_lock(lock: usize) -> bool {
    if !HOLDS.load(Ordering::Relaxed) {
        return false;
    }
    let mut held = IN_THE_DARK.lock().unwrap_or_else(PoisonError::into_inner);
    let found = held.iter().position(|&other| other == lock);
    found.map(|index| held.swap_remove(index));
    HOLDS.store(!held.is_empty(), Ordering::Relaxed);
    found.is_some()
}

/// Whether an access that begins now may come after something by way of an uncounted update: then it is not recorded.
#[inline]
pub fn is_dark() -> bool {
    let Some(dark) = place(DARK) else { return false };
    let dark = dark.load(Ordering::Acquire);
    let lasts = || THREADED.load(Ordering::Relaxed) || HOLDS.load(Ordering::Relaxed);
    dark != 0 && (dark == ROUND.load(Ordering::Relaxed) || lasts())
}

/// Whether any round was dark.
pub fn was_dark() -> bool {
    place(DARK).is_some_and(|dark| dark.load(Ordering::Relaxed) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Rank, Segment};

    fn word(offset: u64) -> Word {
        Word { owner: Rank(0), segment: Segment::Heap, offset }
    }

    /// One test: the state is the process's.
    #[test]
    #[cfg(feature = "shmem")]
    fn rounds_become_dark_and_end() {
        assert!(!passes(word(0)) && !is_dark(), "nothing is shared");
        let places: Vec<AtomicU64> = (0..SHARED).map(|_| AtomicU64::new(0)).collect();
        share(places.leak().as_ptr());

        let (flags, table) = (word(8), word(5 * TRACT));
        observed(flags);
        assert!(!passes(flags) && !passes(word(TRACT - 8)), "what is observed is counted");
        assert!(passes(table) && passes(word(5 * TRACT + 800)) && !is_dark());
        observed(flags);
        assert!(!is_dark(), "that tract has no uncounted updates");

        next_round();
        assert!(passes(table));
        next_round();
        observed(table);
        assert!(!is_dark(), "the barrier orders them");
        assert!(!passes(table), "counted from now on");

        let other = word(7 * TRACT);
        assert!(passes(other));
        observed(other);
        assert!(is_dark());
        next_round();
        assert!(!is_dark());
        THREADED.store(true, Ordering::Relaxed);
        assert!(is_dark(), "a thread need not have come to the barrier");
        assert!(!passes(word(9 * TRACT)), "nor its updates");
        THREADED.store(false, Ordering::Relaxed);

        // Too dear.
        assert!(!is_dark());
        darken();
        assert!(is_dark());
        next_round();
        assert!(!is_dark() && !takes_lock(1) && !gives_back_lock(1));
        darken();
        assert!(takes_lock(1) && takes_lock(2) && gives_back_lock(1) && !gives_back_lock(3));
        next_round();
        assert!(is_dark(), "there is a lock from before");
        assert!(gives_back_lock(2) && !is_dark());
        has_threads();
        darken();
        assert!(!is_dark(), "somebody's threads would be in the dark for good");
    }
}
