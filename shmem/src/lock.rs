//! Locks: first come, first served, as the standard asks. The lock is the word on PE 0; it counts tickets drawn (upper half) and
//! served (lower half), and goes back to zero whenever nobody holds or wants it.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicI64, Ordering};

use crate::atomics::word;
use crate::fail::fail;
use crate::state::state;
use crate::wait::Backoff;

const DRAWN: i64 = 1 << 32;

fn tickets(lock: i64) -> (u32, u32) {
    ((lock >> 32) as u32, lock as u32)
}

fn lock_word(call: &'static str, lock: *mut c_long) -> &'static AtomicI64 {
    word::<i64>(call, "lock", state(call), lock, 0)
}

fn set(call: &'static str, lock: *mut c_long) {
    let word = lock_word(call, lock);
    let (mine, _) = tickets(word.fetch_add(DRAWN, Ordering::SeqCst));
    let mut backoff = Backoff::new(state(call));
    while tickets(word.load(Ordering::SeqCst)).1 != mine {
        backoff.pause();
    }
}

fn clear(call: &'static str, lock: *mut c_long) {
    let word = lock_word(call, lock);
    let mut seen = word.load(Ordering::SeqCst);
    loop {
        let (drawn, served) = tickets(seen);
        if drawn == served {
            fail(
                call,
                "the lock is not set; clear a lock once, after shmem_set_lock, and set it to 0 before its first use",
            )
        }
        let next = served.wrapping_add(1);
        let free = if next == drawn { 0 } else { i64::from(drawn) << 32 | i64::from(next) };
        match word.compare_exchange(seen, free, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}

export! {
    fn set_lock(lock: *mut c_long) {
        set(CALL, lock);
    }
    fn test_lock(lock: *mut c_long) -> c_int {
        c_int::from(lock_word(CALL, lock).compare_exchange(0, DRAWN, Ordering::SeqCst, Ordering::SeqCst).is_err())
    }
    fn clear_lock(lock: *mut c_long) {
        clear(CALL, lock);
    }
}
