//! Waiting, also when there are more PEs than cores: a few spins, then give the core away.
//!
//! Every loop looks at the abort flag of the job and ends the process when it is set.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use thrille_launch::{PeState, futex};

use crate::fail::{fail_args, leave};
use crate::state::State;

/// Turns of a loop that only pause.
const SPINS: u32 = 64;
/// Turns of a loop that give the core to whoever wants it.
const YIELDS: u32 = 64;
/// Longest sleep: how late an abort without a wake-up is noticed.
const LONGEST: Duration = Duration::from_millis(50);

/// The pace of a polling loop: spin, then yield, then sleep a little and a little longer.
pub struct Backoff<'a> {
    state: &'a State,
    turns: u32,
}

impl<'a> Backoff<'a> {
    pub fn new(state: &'a State) -> Self {
        Self { state, turns: 0 }
    }

    /// One turn.
    pub fn pause(&mut self) {
        self.turns = self.turns.saturating_add(1);
        if self.turns < SPINS {
            std::hint::spin_loop();
            return;
        }
        leave_if_aborted(self.state);
        if self.turns < SPINS + YIELDS {
            std::thread::yield_now();
        } else {
            let more = (self.turns - SPINS - YIELDS).min(1000);
            std::thread::sleep(Duration::from_micros(20 + u64::from(more)));
        }
    }
}

/// Ends the process when the job is over.
#[inline]
pub fn leave_if_aborted(state: &State) {
    if let Some(status) = state.control.aborted() {
        leave(status)
    }
}

/// Sleeps until `word` is no longer `seen`. `members` are those who could change it: when one of them has ended, nobody
/// will, and `call` says so.
pub fn until_changes(
    call: &'static str,
    state: &State,
    word: &AtomicU32,
    seen: u32,
    members: &(impl Iterator<Item = usize> + Clone),
) {
    for _ in 0..SPINS {
        if word.load(Ordering::Acquire) != seen {
            return;
        }
        std::hint::spin_loop();
    }
    loop {
        std::thread::yield_now();
        if word.load(Ordering::Acquire) != seen {
            return;
        }
        leave_if_aborted(state);
        futex::wait(word, seen, LONGEST);
        if word.load(Ordering::Acquire) != seen {
            return;
        }
        let gone = members.clone().find(|&pe| matches!(state.control.state(pe), PeState::Exited | PeState::Finalized));
        if let Some(pe) = gone
            && word.load(Ordering::Acquire) == seen
            && state.control.aborted().is_none()
        {
            fail_args(
                call,
                format_args!(
                    "waits for PE {pe}, which has ended or finalized without it; make every PE of the set call it, and shmem_finalize last"
                ),
            )
        }
    }
}
