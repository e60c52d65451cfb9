//! Where ranks meet, all wait for the last one: what one of them spends, all of them take longer.
//!
//! A burst of one rank lets the others wait at the next global barrier, and who waits is at work as a rule. When ranks spend at different times, a program with many
//! barriers takes longer by what all of them spend, not by what each does. So each says at a barrier what it has spent since the last one, and is charged behind it for what it has waited
//! because another one has spent more.
//!
//! Ranks of one machine share four numbers, which are used in turn: the most that any rank has spent before this barrier. Behind a barrier the one of the barrier after the next is set
//! back: nobody has come to that yet, and nobody does before everybody has come to the next.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// How many numbers the ranks share.
pub const SHARED: u64 = 4;

/// These; null where they share nothing, and while nothing is shared yet.
static PLACES: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

/// Barriers that this process has passed.
static MET: AtomicU64 = AtomicU64::new(0);

/// The ranks share these [`SHARED`] numbers, which stay where they are. Nobody goes on before everybody does.
pub fn share(places: *const AtomicU64) {
    MET.store(0, Ordering::Relaxed);
    PLACES.store(places.cast_mut(), Ordering::Release);
}

fn place(meeting: u64) -> Option<&'static AtomicU64> {
    let places = PLACES.load(Ordering::Acquire);
    // SAFETY: so many are there, for as long as the process lives.
    (!places.is_null()).then(|| unsafe { &*places.add((meeting % SHARED) as usize) })
}

/// This process comes to a barrier, and has spent so much since the last one.
pub fn come(spent: u64) {
    if let Some(most) = place(MET.load(Ordering::Relaxed)) {
        most.fetch_max(spent, Ordering::AcqRel);
    }
}

/// It goes on: the most that any has spent.
pub fn go() -> u64 {
    let met = MET.fetch_add(1, Ordering::Relaxed);
    if let Some(next) = place(met + 2) {
        next.store(0, Ordering::Release);
    }
    place(met).map_or(0, |most| most.load(Ordering::Acquire))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test: the state is the process's.
    #[test]
    fn the_most_of_each_meeting() {
        come(7);
        assert_eq!(go(), 0, "nothing is shared");
        let places: &'static [AtomicU64] = (0..SHARED).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak();
        share(places.as_ptr());
        for meeting in 0..3 * SHARED {
            come(10 + meeting);
            // Another rank's.
            places[(meeting % SHARED) as usize].fetch_max(if meeting % 2 == 0 { 100 } else { 1 }, Ordering::Relaxed);
            assert_eq!(go(), if meeting % 2 == 0 { 100 } else { 10 + meeting });
        }
    }
}
