//! What code calls that was compiled for another version of `hooks.h`. The version is in the names of the tables' section and of the function that registers
//! them, so that such tables come here, and here alone. They are left as they are, in mode OFF: the code runs as if it were plain, and the report names the file.
//! When the version is raised, the name that `registry` exports until then goes here.

use crate::openmp::file_of;
use crate::rank::SESSION;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// Files that have registered such tables, and whether that was noted.
static STALE: Mutex<Vec<(String, bool)>> = Mutex::new(Vec::new());

/// Notes those that have not been noted yet, if the process is observed.
pub fn note() {
    let Some(session) = SESSION.get() else { return };
    for (file, noted) in STALE.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().filter(|(_, noted)| !noted) {
        session.note(format!(
            "{file} contains code that another version of thrille compiled, whose loads and stores are not observed: compile it anew"
        ));
        *noted = true;
    }
}

/// Of versions 1 and 2: each object file of a program or library tells of all its tables.
#[unsafe(no_mangle)]
extern "C" fn thrille_register(from: *const c_void, _to: *const c_void) {
    let file = file_of(from as usize).map_or_else(|| "the program".to_owned(), |(_, name)| name);
    let mut stale = STALE.lock().unwrap_or_else(PoisonError::into_inner);
    if !stale.iter().any(|(known, _)| *known == file) {
        stale.push((file, false));
    }
    drop(stale);
    note();
}

/// Of version 2, at last iterations: never called in mode OFF, but there must be something that it is linked with.
#[unsafe(no_mangle)]
extern "C" fn thrille_last() -> i32 {
    0
}
