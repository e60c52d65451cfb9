//! Call stacks of programs that do not tell of their calls, by the unwinding tables that compilers make for exceptions.
//!
//! Walking takes a microsecond or more, so what was found is kept, by return address and stack pointer, with the places on the stack where the
//! return addresses were. When the same two come again and all places hold what they held then, the stack is the same one: a few loads.
//! Only the program's own functions are in it, not those of the C library or an OpenMP runtime in between.

use crate::entry::block;
use crate::loaded;
use crate::rank::{SESSION, unobserved};
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};
use thrille_model::StackId;
use thrille_runtime::stacks::{CallStack, Walked};

/// How the names of files begin whose functions are not the program's.
const SYSTEM: [&str; 10] = [
    "libc.so",
    "libc-",
    "ld-linux",
    "libthrille",
    "libomp",
    "libgomp",
    "libiomp",
    "libpthread",
    "libgcc_s",
    "linux-vdso",
];

/// Deeper stacks are cut at their outer end.
const DEEPEST: usize = 192;

/// The stack of the function that goes on at this return address.
pub fn walk(stacks: &mut CallStack, pc: u64) -> StackId {
    // While a library call is observed, the library may have called others that are interposed: then the block tells of those.
    // SAFETY: the block is this thread's own.
    let entered = || unsafe { if (*block()).pc == pc { (*block()).sp } else { 0 } };
    let sp = stacks.call_at(pc).unwrap_or_else(entered);
    if let Some(known) = known(stacks, pc, sp) {
        return known.stack;
    }
    let places = frames(pc, |_| false);
    let Some(session) = SESSION.get() else { return StackId(0) };
    let stack = FILES.with(|files| {
        let calls: Vec<u64> = places.iter().map(|&(_, call)| call).filter(|&call| files.is_program(call)).collect();
        session.stack(calls.into_iter().rev())
    });
    if sp != 0 {
        stacks.keep_walked(Walked { pc, sp, places, stack });
    }
    stack
}

/// What was found from here before, if it is still so.
pub fn known(stacks: &CallStack, pc: u64, sp: u64) -> Option<&Walked> {
    stacks.walked(pc, sp).filter(|_| sp != 0).find(|walked| still(walked))
}

/// Return addresses, with their places, in the frames outside of the function that goes on at this one, up to the first that will do.
pub fn frames(pc: u64, last: fn(u64) -> bool) -> Vec<(u64, u64)> {
    let mut frames = Frames { pc, found: false, last, places: Vec::with_capacity(16) };
    // The unwinder takes locks and calls `pthread_once`: none of the program's business, and the strand is in use.
    // SAFETY: the function is called with the frames, which outlive the call.
    unobserved(|| unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) });
    frames.places
}

/// Whether all return addresses are where they were. All places are in frames that are outside of the one at `sp`, so they are there.
fn still(known: &Walked) -> bool {
    // SAFETY: places between the stack pointer and the bottom of this thread's stack, aligned as return addresses are.
    known.places.iter().all(|&(place, call)| place > known.sp && unsafe { *(place as *const u64) } == call)
}

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// What the walk has met.
struct Frames {
    /// Where it begins.
    pc: u64,
    found: bool,
    /// Where it ends.
    last: fn(u64) -> bool,
    places: Vec<(u64, u64)>,
}

extern "C" fn visit(context: *mut c_void, frames: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 4;
    // SAFETY: called by the unwinder with its context and the frames of `walk`.
    let (pc, sp, frames) =
        unsafe { (_Unwind_GetIP(context) as u64, _Unwind_GetCFA(context) as u64, &mut *frames.cast::<Frames>()) };
    if pc == 0 {
        return STOP;
    }
    if !frames.found {
        frames.found = pc == frames.pc;
        return GO_ON;
    }
    if pc == 0 || frames.places.len() >= DEEPEST {
        return STOP;
    }
    // A return address is what the called function's frame begins with.
    frames.places.push((sp.wrapping_sub(8), pc));
    if (frames.last)(pc) { STOP } else { GO_ON }
}

/// Where the program's own code is.
#[derive(Default)]
struct Files {
    /// Addresses from, to, and whether it is the program's; sorted.
    ranges: Vec<(u64, u64, bool)>,
    /// Where the program is entered.
    entry: u64,
}

struct Shared(Mutex<Option<Files>>);

static FILES: Shared = Shared(Mutex::new(None));

impl Shared {
    fn with<R>(&self, f: impl FnOnce(&mut Files) -> R) -> R {
        f(self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
    }
}

impl Files {
    fn is_program(&mut self, pc: u64) -> bool {
        /// The code at a program's entry is no longer than this.
        const ENTRY: u64 = 64;
        if self.find(pc).is_none() {
            self.look();
            if self.find(pc).is_none() {
                // Code that was made at run time. Asking again would not help.
                self.ranges.push((pc, pc + 1, true));
                self.ranges.sort_unstable();
            }
        }
        self.find(pc).unwrap_or(false) && !(self.entry..self.entry + ENTRY).contains(&pc)
    }

    fn find(&self, pc: u64) -> Option<bool> {
        let at = self.ranges.partition_point(|range| range.0 <= pc).checked_sub(1)?;
        (pc < self.ranges[at].1).then_some(self.ranges[at].2)
    }

    fn look(&mut self) {
        // SAFETY: asks the system about this process.
        self.entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
        let own = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or_default();
            !SYSTEM.iter().any(|start| file.starts_with(start))
        };
        self.ranges = (loaded::modules().into_iter())
            .flat_map(|module| {
                let own = own(&module.path);
                module.ranges.into_iter().map(move |(lo, hi)| (lo, hi, own))
            })
            .collect();
        self.ranges.sort_unstable();
    }
}
