//! Strands in functions of the program that its communication library calls back: operators, attributes, error handlers, generalised requests.
//!
//! They are held there like anywhere else, and as long: nobody is held without a bound, and who waits for a lock that the library has meanwhile is inside a call, which is noticed at once.
//! But a strand that is held there must not let the library work, which is in the middle of something.

use super::{CONFIRM, Local, enter_call};
use std::cell::Cell;

thread_local! {
    /// This thread is in such a function.
    static CALLED_BACK: Cell<bool> = const { Cell::new(false) };
}

/// What a strand was doing when it was called back.
pub struct Resumed {
    /// It was in a call that is told of.
    in_call: bool,
    /// It was in such a function already.
    outer: bool,
}

/// The library calls the program back: the strand runs again.
pub fn resume(local: *mut Local, in_call: bool) -> Option<Resumed> {
    // SAFETY: the calling thread's own.
    let local = unsafe { local.as_ref() };
    let (confirm, local) = (CONFIRM.get()?, local?);
    if in_call {
        confirm.client.leave(&local.seat);
    }
    Some(Resumed { in_call, outer: CALLED_BACK.replace(true) })
}

/// It returns to the library.
pub fn go_back(local: *mut Local, resumed: Option<&Resumed>) {
    let Some(&Resumed { in_call, outer }) = resumed else { return };
    if in_call && !local.is_null() {
        // What it was let go for it has done.
        enter_call(local);
    }
    CALLED_BACK.set(outer);
}

/// Whether this thread is in such a function: nobody may call the library.
pub fn is_called_back() -> bool {
    CALLED_BACK.get()
}
