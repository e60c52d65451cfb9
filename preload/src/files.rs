//! Names for objects in memory that several processes map: the file behind it, and where in that they are.
//!
//! `/proc/self/maps` says which memory is shared and of what: a file of `shm_open`, System V's segments, a named semaphore, the symmetric memory of a library that shares it on its machine. It is read
//! when something is looked for there, if the program has mapped or unmapped such memory since ([`CURRENT`]).

use crate::entry::entries;
use crate::objects::Object;
use crate::rank::unobserved;
use libc::{c_int, c_void, off_t, size_t};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use thrille_model::{Rank, Segment, Word};
use thrille_runtime::Recorder;

/// Memory that is mapped from a file and shared.
struct Mapping {
    start: u64,
    end: u64,
    file: u32,
    offset: u64,
}

/// All such memory, by address.
static MAPPINGS: RwLock<Vec<Mapping>> = RwLock::new(Vec::new());
/// Whether that is all.
static CURRENT: AtomicBool = AtomicBool::new(false);
/// All of it lies between these addresses.
static FIRST: AtomicU64 = AtomicU64::new(0);
static BEHIND: AtomicU64 = AtomicU64::new(u64::MAX);

/// The program maps something that is shared.
pub fn changes() {
    CURRENT.store(false, Ordering::Release);
}

/// It maps or unmaps something there, in the place of what was there before.
fn replaces(at: *const c_void, len: size_t) {
    let (start, end) = (at as u64, (at as u64).saturating_add(len as u64));
    let all = MAPPINGS.read().unwrap_or_else(PoisonError::into_inner);
    if all.iter().any(|mapping| mapping.start < end && start < mapping.end) {
        changes();
    }
}

/// One line of the system's list, if it is about shared memory.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (range, permissions) = (words.next()?, words.next()?);
    let (offset, device, inode) = (words.next()?, words.next()?, words.next()?);
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let shared = permissions.ends_with('s') && inode != "0";
    let file = number_of((device, inode));
    shared.then_some(Mapping { start: number(start)?, end: number(end)?, file, offset: number(offset)? })
}

fn number_of(name: impl Hash) -> u32 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// What there is now.
fn read() -> Vec<Mapping> {
    std::fs::read_to_string("/proc/self/maps").map(|all| all.lines().filter_map(mapping).collect()).unwrap_or_default()
}

/// What all processes that map the file behind an address have for it.
pub fn word(address: u64) -> Option<Word> {
    if !CURRENT.load(Ordering::Acquire) {
        let mut all = MAPPINGS.write().unwrap_or_else(PoisonError::into_inner);
        if !CURRENT.swap(true, Ordering::AcqRel) {
            *all = unobserved(read);
            FIRST.store(all.first().map_or(0, |mapping| mapping.start), Ordering::Relaxed);
            BEHIND.store(all.last().map_or(0, |mapping| mapping.end), Ordering::Relaxed);
        }
    }
    if address < FIRST.load(Ordering::Relaxed) || address >= BEHIND.load(Ordering::Relaxed) {
        return None;
    }
    let all = MAPPINGS.read().unwrap_or_else(PoisonError::into_inner);
    let mapping = all.get(all.partition_point(|mapping| mapping.end <= address))?;
    let inside = mapping.start <= address;
    let offset = mapping.offset + address.wrapping_sub(mapping.start);
    inside.then_some(Word { owner: Rank(0), segment: Segment::File(mapping.file), offset })
}

/// An object there, if processes may share it: what lies in memory that the program has mapped; in that of its communication library, of which all variables of a program may be part, what was
/// initialised to be shared.
pub fn object(recorder: &mut Recorder, address: u64) -> Option<Object> {
    let object = Object::named(word(address)?)?;
    (recorder.locate(address).is_none() || object.is_declared()).then_some(object)
}

/// The program initialises an object to be shared.
pub fn declares(address: u64) {
    if let Some(object) = word(address).and_then(Object::named) {
        object.declare();
    }
}

/// Something was mapped.
fn mapped(at: *const c_void, len: size_t, flags: c_int) {
    if at == libc::MAP_FAILED.cast_const() {
    } else if flags & libc::MAP_SHARED != 0 {
        changes();
    } else {
        replaces(at, len);
    }
}

// SAFETY (all rows): each forwards the program's own arguments to the function it meant to call.
entries! {
    __wrap_ fn mmap(at: *mut c_void, len: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off_t) -> *mut c_void {
        // SAFETY: as above.
        let new = unsafe { libc::mmap(at, len, protection, flags, fd, offset) };
        mapped(new, len, flags);
        new
    }
    __wrap_ fn mmap64(at: *mut c_void, len: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off_t) -> *mut c_void {
        // SAFETY: as above.
        let new = unsafe { libc::mmap64(at, len, protection, flags, fd, offset) };
        mapped(new, len, flags);
        new
    }
    __wrap_ fn munmap(at: *mut c_void, len: size_t) -> c_int {
        // SAFETY: as above.
        let result = unsafe { libc::munmap(at, len) };
        replaces(at, len);
        result
    }
    __wrap_ fn mremap(at: *mut c_void, len: size_t, new: size_t, flags: c_int, to: *mut c_void) -> *mut c_void {
        // SAFETY: as above; the last argument is looked at if the flags say so.
        let mapped = unsafe { libc::mremap(at, len, new, flags, to) };
        replaces(at, len);
        mapped
    }
    __wrap_ fn shmat(id: c_int, at: *const c_void, flags: c_int) -> *mut c_void {
        // SAFETY: as above.
        let mapped = unsafe { libc::shmat(id, at, flags) };
        changes();
        mapped
    }
    __wrap_ fn shmdt(at: *const c_void) -> c_int {
        // SAFETY: as above.
        let result = unsafe { libc::shmdt(at) };
        replaces(at, 1);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_named_by_its_file() {
        let shared = mapping("7f00-8f00 rw-s 00001000 00:19 4711 /dev/shm/name (deleted)").unwrap();
        let again = mapping("1f00-2f00 r--s 00000000 00:19 4711 /dev/shm/name").unwrap();
        assert_eq!((shared.start, shared.end, shared.offset), (0x7f00, 0x8f00, 0x1000));
        assert_eq!(shared.file, again.file);
        assert!(mapping("7f00-8f00 rw-p 00001000 00:19 4711 /dev/shm/name").is_none(), "private");
        assert!(mapping("7f00-8f00 rw-s 00000000 00:00 0").is_none(), "of nothing");
    }
}
