//! Wait and test: who saw an update comes after it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::confirm::CONFIRMING;
use crate::last::inside;
use crate::shmem::call::{Call, Target, call, calls};
use crate::shmem::words::{self, Locked, Part};
use crate::shmem::{library, unused};
use crate::{sampled, uncounted};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_long};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use thrille_model::{Act, Ctx, Kind, Word};

/// Begins a wait or test of several variables: the ones that count are looked at.
fn begin<T>(ivars: *const T, nelems: usize, status: *const c_int) -> Option<Call> {
    let mut call = call()?;
    call.issue();
    library::help();
    let me = Target { ctx: Ctx(0), pe: call.me() };
    for i in included(nelems, status) {
        let ivar = ivars.wrapping_add(i);
        call.touch(ivar.cast(), size_of::<T>(), Kind::Await, Act::Wait);
        call.part(ivar, me).into_iter().for_each(words::awaits);
    }
    Some(call)
}

/// An integer that can be waited for.
trait Waited: Copy {
    fn wide(self) -> i128;
}

macro_rules! waited {
    ($($ty:ty)*) => { $( impl Waited for $ty { fn wide(self) -> i128 { self as i128 } } )* };
}
waited! { i16 u16 i32 u32 i64 u64 isize usize }

/// The value that a variable which counts up from 0 must have reached at the least.
fn least(cmp: c_int, value: i128) -> Option<u64> {
    let [eq, ne, gt, ge] = comparisons();
    let least = match cmp {
        _ if cmp == eq || cmp == ge => value,
        _ if cmp == gt => value + 1,
        _ if cmp == ne && value == 0 => 1,
        _ => return None,
    };
    u64::try_from(least).ok()
}

/// The numbers that the library's header has for comparisons: equal, not equal, greater, and that or equal.
fn comparisons() -> [c_int; 4] {
    if library::is_embedded() { [1, 2, 3, 4] } else { [0, 1, 2, 5] }
}

/// What was waited for: of every variable the same, or of each another value.
trait Until<T>: Copy {
    fn of(self, which: usize) -> T;
}

impl<T: Waited> Until<T> for T {
    fn of(self, _which: usize) -> T {
        self
    }
}

impl<T: Waited> Until<T> for *const T {
    fn of(self, which: usize) -> T {
        // SAFETY: the program's array has as many elements as there are variables.
        unsafe { *self.add(which) }
    }
}

/// Which versions of words that are stored to this process has seen.
static SEEN: Mutex<Option<FxHashMap<Word, u64>>> = Mutex::new(None);

/// How long a store is waited for that compiled code has carried out and not told of yet, and how often in vain.
const LATE: Duration = Duration::from_millis(100);
const IN_VAIN: u32 = 8;
static VAIN: AtomicU32 = AtomicU32::new(0);

/// Locks the counter of a word when the store is counted that made its value, as far as can be told.
fn settled(part: Part, value: impl Fn() -> u64) -> Option<Locked> {
    let seen = SEEN.lock().ok()?.as_ref().and_then(|seen| seen.get(&part.word).copied()).unwrap_or(0);
    let mut locked = words::lock(part)?;
    let mut since = None;
    while locked.is_late(value(), seen) && VAIN.load(Ordering::Relaxed) < IN_VAIN {
        if since.get_or_insert_with(Instant::now).elapsed() > LATE {
            VAIN.fetch_add(1, Ordering::Relaxed);
            break;
        }
        drop(locked);
        library::progress();
        std::thread::yield_now();
        locked = words::lock(part)?;
    }
    if let Some(version) = locked.stored() {
        SEEN.lock().ok()?.get_or_insert_default().insert(part.word, version);
    }
    Some(locked)
}

/// Tells that a variable was waited for until it had reached a value. Between the library's look at it and ours it may have changed once
/// more; then the later value is taken for what was seen, which can only order more.
fn saw<T: Waited>(call: &mut Call, ivar: *const T, least: Option<u64>) {
    // Where races are confirmed nobody asks for order, and stores are not counted: there is none to wait for.
    if CONFIRMING.load(Ordering::Relaxed) {
        return;
    }
    let me = Target { ctx: Ctx(0), pe: call.me() };
    if let Some(part) = call.part(ivar, me).filter(|_| !uncounted::is_dark()) {
        let known = call.knows(part.word);
        // SAFETY: the program's own variable, which others change as long as the counter is not locked.
        let value = || u64::try_from(unsafe { ivar.read_volatile() }.wide()).unwrap_or(u64::MAX);
        if sampled::is_sampled(call.o.block) && words::lock(part).is_some_and(|locked| locked.is_doubtful(value())) {
            return uncounted::saw_unknown();
        }
        let Some(mut locked) = settled(part, value) else { return };
        let seen = locked.reached(value(), least, known);
        drop(locked);
        call.observe(seen, known);
    }
}

fn included(nelems: usize, status: *const c_int) -> impl Iterator<Item = usize> {
    // SAFETY: the program's array has as many elements as there are variables.
    (0..nelems).filter(move |&i| status.is_null() || unsafe { *status.add(i) } == 0)
}

/// A comparison with what was waited for.
#[derive(Clone, Copy)]
struct Condition<U>(c_int, U);

impl<U> Condition<U> {
    fn least<T: Waited>(self, which: usize) -> Option<u64>
    where
        U: Until<T>,
    {
        least(self.0, self.1.of(which).wide())
    }
}

fn saw_all<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    nelems: usize,
    status: *const c_int,
    until: Condition<impl Until<T>>,
) {
    let Some(mut call) = call else { return };
    for i in included(nelems, status) {
        saw(&mut call, ivars.wrapping_add(i), until.least(i));
    }
}

fn saw_one<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    nelems: usize,
    which: usize,
    until: Condition<impl Until<T>>,
) {
    if let (Some(mut call), true) = (call, which < nelems) {
        saw(&mut call, ivars.wrapping_add(which), until.least(which));
    }
}

fn saw_some<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    indices: *const usize,
    count: usize,
    until: Condition<impl Until<T>>,
) {
    let Some(mut call) = call else { return };
    for i in 0..count {
        // SAFETY: the library has written that many indices into the program's array.
        let which = unsafe { *indices.add(i) };
        saw(&mut call, ivars.wrapping_add(which), until.least(which));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! several {
    ($ty:ty, $value:ty, $wait_all:ident, $wait_any:ident, $wait_some:ident, $all:ident, $any:ident, $some:ident) => { pastey::paste! { calls! {
        fn $wait_all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) {
            let call = begin(ivars, nelems, status);
            inside(|| unsafe { [<pshmem_ $wait_all>](ivars, nelems, status, cmp, value) });
            saw_all(call, ivars, nelems, status, Condition(cmp, value));
        }
        fn $wait_any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = inside(|| unsafe { [<pshmem_ $wait_any>](ivars, nelems, status, cmp, value) });
            saw_one(call, ivars, nelems, which, Condition(cmp, value));
            which
        }
        fn $wait_some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = inside(|| unsafe { [<pshmem_ $wait_some>](ivars, nelems, indices, status, cmp, value) });
            saw_some(call, ivars, indices, count, Condition(cmp, value));
            count
        }
        fn $all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> c_int {
            let call = begin(ivars, nelems, status);
            let yes = unsafe { [<pshmem_ $all>](ivars, nelems, status, cmp, value) };
            saw_all(call.filter(|_| yes != 0), ivars, nelems, status, Condition(cmp, value));
            yes
        }
        fn $any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = unsafe { [<pshmem_ $any>](ivars, nelems, status, cmp, value) };
            saw_one(call, ivars, nelems, which, Condition(cmp, value));
            which
        }
        fn $some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = unsafe { [<pshmem_ $some>](ivars, nelems, indices, status, cmp, value) };
            saw_some(call, ivars, indices, count, Condition(cmp, value));
            count
        }
    } } };
}

macro_rules! one {
    ($ty:ty, $wait:ident, $test:ident) => {
        pastey::paste! { calls! {
            fn $wait(ivar: *mut $ty, cmp: c_int, value: $ty) {
                let call = begin(ivar, 1, std::ptr::null());
                inside(|| unsafe { [<pshmem_ $wait>](ivar, cmp, value) });
                saw_one(call, ivar, 1, 0, Condition(cmp, value));
            }
            fn $test(ivar: *mut $ty, cmp: c_int, value: $ty) -> c_int {
                let call = begin(ivar, 1, std::ptr::null());
                let yes = unsafe { [<pshmem_ $test>](ivar, cmp, value) };
                saw_one(call.filter(|_| yes != 0), ivar, 1, 0, Condition(cmp, value));
                yes
            }
        } }
    };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        one! { $ty, [<$name _wait_until>], [<$name _test>] }
        several! { $ty, $ty, [<$name _wait_until_all>], [<$name _wait_until_any>], [<$name _wait_until_some>], [<$name _test_all>], [<$name _test_any>], [<$name _test_some>] }
        several! { $ty, *const $ty, [<$name _wait_until_all_vector>], [<$name _wait_until_any_vector>], [<$name _wait_until_some_vector>], [<$name _test_all_vector>], [<$name _test_any_vector>], [<$name _test_some_vector>] }
    } };
}
p2p_types! { typed }

macro_rules! old_wait {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { calls! { $(
        fn $name(ivar: *mut $ty, value: $ty) {
            let call = begin(ivar, 1, std::ptr::null());
            inside(|| unsafe { [<pshmem_ $name>](ivar, value) });
            saw_one(call, ivar, 1, 0, Condition(comparisons()[1], value));
        }
    )* } } };
}
old_wait! { short_wait, i16; int_wait, i32; long_wait, c_long; longlong_wait, i64; wait, c_long; }

calls! {
    fn wait_until(ivar: *mut c_long, cmp: c_int, value: c_long) {
        let call = begin(ivar, 1, std::ptr::null());
        inside(|| unsafe { pshmem_wait_until(ivar, cmp, value) });
        saw_one(call, ivar, 1, 0, Condition(cmp, value));
    }
    fn signal_wait_until(sig_addr: *mut u64, cmp: c_int, cmp_value: u64) -> u64 {
        let call = begin(sig_addr, 1, std::ptr::null());
        let value = inside(|| unsafe { pshmem_signal_wait_until(sig_addr, cmp, cmp_value) });
        if let Some(mut call) = call {
            saw(&mut call, sig_addr, least(cmp, cmp_value.into()));
            // What it returns is what it has seen as well, if anybody looks at it.
            if !unsafe { unused::is_unused(call.o.pc) } {
                saw(&mut call, sig_addr, Some(value));
            }
        }
        value
    }
}
