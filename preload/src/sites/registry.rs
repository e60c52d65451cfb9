//! The tables of all loaded files.

use super::abi::{Function, Mode};
use super::policy::{Begin, policy};
use crate::confirm;
use crate::rank::{SESSION, observe};
use crate::tsan::access::INSTRUMENTED;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where tables are, by the addresses of their bounds.
static SECTIONS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

static ANY: AtomicBool = AtomicBool::new(false);

/// Whether there are any.
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

fn with<R>(f: impl FnOnce(&mut Vec<(usize, usize)>) -> R) -> R {
    f(&mut SECTIONS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// All functions.
pub fn all(mut f: impl FnMut(&'static Function)) {
    with(|sections| {
        for &(from, to) in sections.iter().filter(|(from, to)| from < to) {
            // SAFETY: as in `thrille_register_3`; the lock keeps them from being unregistered meanwhile.
            let all =
                unsafe { std::slice::from_raw_parts(from as *const Function, (to - from) / size_of::<Function>()) };
            all.iter().for_each(&mut f);
        }
    });
}

/// Lets a function begin.
fn begin(function: &'static Function) {
    match policy().begin(function) {
        Begin::Off => function.set_mode(Mode::Off),
        Begin::Always => function.set_mode(Mode::In),
        Begin::After(calls) => {
            function.set_countdown(calls);
            function.set_mode(Mode::Count);
        }
        Begin::For(accesses) => function.look(accesses),
    }
}

/// Each object file of a program or library tells of all its tables: once is enough.
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_register_3(from: *const Function, to: *const Function) {
    let bounds = (from as usize, to as usize);
    let new = with(|sections| {
        let new = !sections.contains(&bounds);
        if new {
            sections.push(bounds);
        }
        new
    });
    if new && bounds.0 < bounds.1 {
        super::joined::prepare();
        ANY.store(true, Ordering::Relaxed);
        INSTRUMENTED.store(true, Ordering::Relaxed);
        drop(observe());
        // SAFETY: the linker's bounds of a section of such tables, which lives until it is unregistered.
        let all = unsafe { std::slice::from_raw_parts(from, (bounds.1 - bounds.0) / size_of::<Function>()) };
        all.iter().for_each(begin);
        if let Some(session) = SESSION.get() {
            // The file may be gone when its places are looked up.
            session.rank().modules().site(from as u64);
        }
        confirm::loaded_more();
    }
}

/// A library is unloaded.
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_unregister(from: *const Function, to: *const Function) {
    let bounds = (from as usize, to as usize);
    let known = with(|sections| {
        let before = sections.len();
        sections.retain(|&known| known != bounds);
        sections.len() < before
    });
    if known && bounds.0 < bounds.1 {
        // SAFETY: as above; it is forgotten here, before it goes.
        let all: &'static [Function] =
            unsafe { std::slice::from_raw_parts(from, (bounds.1 - bounds.0) / size_of::<Function>()) };
        for function in all {
            policy().forget(function);
        }
    }
}
