//! Which OpenSHMEM library is behind: the embedded one, which tells what it knows, or another one, of which the same is found out from outside.
//!
//! Calls are forwarded to `pshmem_` names, whosever they are. Those are weak symbols here: a library need not have all of them. A program that is linked
//! with it cannot call what it lacks.
//!
//! Of another library (tried: Open MPI's `liboshmem`):
//! * the symmetric heap is the mapping that a first allocation lies in; static data is what the executable can write;
//! * the heap of another PE is in this process if `shmem_ptr` says so, its static data is not;
//! * contexts are numbered as they are met, the default one is known by its name.

use crate::rank::{FOREIGN, LEAVING, on_abort};
use crate::shmem::call::Handle;
use crate::{loaded, rank};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};
use thrille_model::Ctx;

core::arch::global_asm!(
    ".weak thrille_shmem_team_id",
    ".weak thrille_shmem_team_world_pe",
    ".weak thrille_shmem_ctx_id",
    ".weak thrille_shmem_team_ctx",
    ".weak thrille_shmem_range",
    ".weak thrille_shmem_collected",
    ".weak thrille_shmem_on_abort",
    ".weak thrille_shmem_leaving",
    ".weak pshmem_ctx_get_team",
    ".weak pshmem_team_n_pes",
    ".weak pshmem_team_my_pe",
);

unsafe extern "C" {
    fn thrille_shmem_team_id(team: Handle, id: *mut u64);
    fn thrille_shmem_team_world_pe(team: Handle, pe: c_int) -> c_int;
    fn thrille_shmem_ctx_id(ctx: Handle) -> u32;
    fn thrille_shmem_team_ctx(team: Handle, which: usize) -> u32;
    fn thrille_shmem_range(segment: c_int, pe: c_int, base: *mut *mut c_void, len: *mut usize) -> c_int;
    fn thrille_shmem_collected() -> usize;
    fn thrille_shmem_on_abort(f: Option<extern "C" fn()>);
    fn thrille_shmem_leaving(status: c_int);
    fn pshmem_ctx_get_team(ctx: Handle, team: *mut Handle) -> c_int;
    fn pshmem_team_n_pes(team: Handle) -> c_int;
    fn pshmem_my_pe() -> c_int;
    fn pshmem_barrier_all();
    fn pshmem_malloc(size: usize) -> *mut c_void;
    fn pshmem_free(at: *mut c_void);
    fn pshmem_ptr(at: *const c_void, pe: c_int) -> *mut c_void;
}

/// What the names of files begin with that other libraries are made of: what they do by themselves is not the program's doing.
const FILES: [&str; 10] = [
    "liboshmem",
    "libmpi.so",
    "libopen-",
    "mca_",
    "libuc",
    "libfabric",
    "libpmix",
    "libevent",
    "libhwloc",
    "libibverbs",
];

/// Another library than the embedded one.
struct Other {
    me: u32,
    /// Begin and length of this PE's heap and static data.
    segments: [(u64, u64); 2],
    /// Its function that lets messages come in.
    progress: Option<unsafe extern "C" fn()>,
    default_ctx: usize,
}

static OTHER: OnceLock<Other> = OnceLock::new();

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: looks up a name among all loaded files.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Whether the library is the embedded one.
pub fn is_embedded() -> bool {
    static EMBEDDED: OnceLock<bool> = OnceLock::new();
    *EMBEDDED.get_or_init(|| !symbol(c"thrille_shmem_range").is_null())
}

/// Gets to know the library, which has just been initialised on all PEs; false when it cannot be made out where its memory is.
pub fn meet() -> bool {
    if is_embedded() {
        // SAFETY: registers a function that may be called once, at any time.
        unsafe { thrille_shmem_on_abort(Some(on_abort)) };
        let _ = LEAVING.set(thrille_shmem_leaving);
        return true;
    }
    // SAFETY: all PEs do the same at the same place: an allocation, and its end.
    let (me, heap) = unsafe {
        let at = pshmem_malloc(8);
        let heap = mapping(at as u64);
        pshmem_free(at);
        (pshmem_my_pe() as u32, heap)
    };
    let (Some(heap), Some(statics)) = (heap, loaded::data()) else { return false };
    let variable = symbol(c"oshmem_ctx_default").cast::<usize>();
    // SAFETY: a variable of the library that holds its default context.
    let default_ctx = if variable.is_null() { 0 } else { unsafe { *variable } };
    let progress = symbol(c"opal_progress");
    // SAFETY: a function of Open MPI without arguments.
    let progress =
        (!progress.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(progress) });
    let own =
        |path: &str| FILES.iter().any(|start| path.rsplit('/').next().is_some_and(|file| file.starts_with(start)));
    let _ = FOREIGN.set(loaded::modules().into_iter().filter(|m| own(&m.path)).flat_map(|m| m.ranges).collect());
    OTHER.set(Other { me, segments: [heap, statics], progress, default_ctx }).is_ok()
}

/// The mapping that an address lies in: begin and length. One that was cut into parts counts as one.
fn mapping(address: u64) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut run: Option<(u64, u64, &str)> = None;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (lo, hi) = words.next()?.split_once('-')?;
        let (lo, hi) = (u64::from_str_radix(lo, 16).ok()?, u64::from_str_radix(hi, 16).ok()?);
        // Behind protection and offset: device, number and name of the file.
        let file = line.splitn(4, ' ').nth(3).unwrap_or_default();
        run = match run {
            Some((begin, end, of)) if end == lo && of == file => Some((begin, hi, file)),
            Some((begin, end, _)) if (begin..end).contains(&address) => return Some((begin, end - begin)),
            _ => Some((lo, hi, file)),
        };
    }
    run.filter(|&(begin, end, _)| (begin..end).contains(&address)).map(|(begin, end, _)| (begin, end - begin))
}

/// Where a PE's heap (0) or static data (1) is in this process, if it is.
pub fn range(segment: usize, pe: u32) -> Option<(u64, u64)> {
    let Some(other) = OTHER.get() else {
        let (mut base, mut len) = (std::ptr::null_mut(), 0);
        // SAFETY: asks the library, with variables of our own.
        let known = unsafe { thrille_shmem_range(segment as c_int, pe as c_int, &raw mut base, &raw mut len) };
        return (known != 0).then_some((base as u64, len as u64));
    };
    let (begin, len) = *other.segments.get(segment)?;
    if pe == other.me {
        return Some((begin, len));
    }
    // Static data of others is out of reach; asked about addresses that it does not know, the library ends the job.
    if segment != 0 {
        return None;
    }
    // SAFETY: asks the library where another PE has the beginning of its heap.
    let there = unsafe { pshmem_ptr(begin as *const c_void, pe as c_int) };
    (!there.is_null() && there as u64 != begin).then_some((there as u64, len))
}

/// How long heap and static data of each PE are.
pub fn lengths() -> (u64, u64) {
    let of = |segment: usize| match OTHER.get() {
        Some(other) => other.segments[segment].1,
        None => range(segment, 0).map_or(0, |range| range.1),
    };
    (of(0), of(1))
}

/// Lets another library work: its own operations on this PE's memory do not, and the program may be polling by such.
pub fn help() {
    if let Some(progress) = OTHER.get().and_then(|other| other.progress) {
        // SAFETY: as the library's own calls do, of which this is a part.
        unsafe { progress() };
    }
}

/// Lets the library work: who is waited for may wait for this process.
pub fn progress() {
    help();
    std::thread::yield_now();
}

/// Numbers of contexts of another library.
static CONTEXTS: Mutex<Option<(u32, FxHashMap<usize, u32>)>> = Mutex::new(None);

/// The number of a context; 0 is the default one.
pub fn ctx_id(ctx: Handle) -> u32 {
    let Some(other) = OTHER.get() else {
        if is_embedded() {
            // SAFETY: asks the library about the handle that the program is about to pass to it.
            return unsafe { thrille_shmem_ctx_id(ctx) };
        }
        return 0;
    };
    if ctx as usize == other.default_ctx {
        return 0;
    }
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (last, numbers) = contexts.get_or_insert_default();
    *numbers.entry(ctx as usize).or_insert_with(|| {
        *last += 1;
        *last
    })
}

/// A context is gone: its handle may be given out again.
pub fn ctx_gone(ctx: Handle) {
    if let Some((_, numbers)) = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        numbers.remove(&(ctx as usize));
    }
}

/// The PE that a number means on a context: numbers are those of its team.
pub fn world_pe(ctx: Handle, id: u32, pe: c_int) -> c_int {
    let mut team = std::ptr::null_mut();
    if id == 0 || !is_embedded() {
        return pe;
    }
    // SAFETY: asks the library about the handle that the program is about to pass to it.
    unsafe { if pshmem_ctx_get_team(ctx, &raw mut team) == 0 { thrille_shmem_team_world_pe(team, pe) } else { pe } }
}

/// A team's number and size; only the embedded library has teams.
pub fn team(team: Handle) -> (u64, i64) {
    let mut id = 0;
    if !is_embedded() {
        return (0, 0);
    }
    // SAFETY: asks the library about the handle that the program is about to pass to it.
    unsafe {
        thrille_shmem_team_id(team, &raw mut id);
        (id, i64::from(pshmem_team_n_pes(team)))
    }
}

/// The contexts that go when their team does.
pub fn contexts_of(team: Handle) -> Vec<Ctx> {
    // SAFETY: asks the library about the handle that the program is about to pass to it.
    let ctx = |which| unsafe { thrille_shmem_team_ctx(team, which) };
    if is_embedded() { (0..usize::MAX).map(ctx).take_while(|&id| id != 0).map(Ctx).collect() } else { Vec::new() }
}

/// The PE that a member of a team is.
pub fn team_member(team: Handle, member: c_int) -> c_int {
    // SAFETY: asks the library about the handle that the program is about to pass to it.
    if is_embedded() { unsafe { thrille_shmem_team_world_pe(team, member) } } else { -1 }
}

/// How many bytes the last collect of this thread wrote, if the library tells.
pub fn collected() -> usize {
    // SAFETY: a query without arguments.
    if is_embedded() { unsafe { thrille_shmem_collected() } } else { 0 }
}

/// All PEs are about to finalise. Others' operations may need another library to work until all have come here: not so in the last exchange.
pub fn assemble() {
    if !is_embedded() {
        // SAFETY: a collective of all, at a place where all are.
        unsafe { pshmem_barrier_all() };
    }
}

/// The job is about to be ended by this PE. The embedded library calls back for the last exchange; of others the PEs wait inside the library.
pub fn ending() {
    if !is_embedded() {
        rank::finish(rank::Ending::Abort);
    }
}
