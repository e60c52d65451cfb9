//! Counters in memory that all ranks share: which update of a word an observer saw.
//!
//! A counter's lowest bit locks it, the next one says that somebody has seen this version of the word, nine more are for who shares one among several
//! words: an operation on a word and the counting of it are one step for all who do the same. The counters lie in one anonymous memory file, as sparse as their use. Rank 0 makes the file; the others open it through rank 0's descriptor, so that it
//! has no name and leaves no trace. So the ranks must be on one machine; elsewhere there are no counters.

use crate::link::Link;
use crate::rank::{Told, agree, complain};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use thrille_runtime::Made;

/// Something at an address that other processes reach by their own instructions, too: its word, locked. And whether there is any such memory.
#[cfg(feature = "mpi")]
pub use crate::mpi::{any_between_processes, between_processes};

/// The same of locks, where there are none in such memory.
#[cfg(not(feature = "mpi"))]
pub fn between_processes(_address: u64) -> Option<(thrille_model::Word, Counted)> {
    None
}

/// The same: symmetric memory, which others reach by `shmem_ptr`.
#[cfg(not(feature = "mpi"))]
pub fn any_between_processes() -> bool {
    true
}

/// The counters of a job.
pub struct Counters {
    base: *const AtomicU64,
    number: u64,
}

// SAFETY: the mapping lives as long as the process and holds atomics only.
unsafe impl Send for Counters {}
// SAFETY: as above.
unsafe impl Sync for Counters {}

impl Counters {
    /// Makes so many counters, with all the other ranks; none when that is not possible for one of them.
    pub fn share(told: &Told, transport: &mut Link, number: u64) -> Option<Self> {
        let len = number * 8;
        let file = open(told, transport, len);
        // Nobody goes on before everybody has the file open.
        let all = agree(transport, if file.is_some() { "open" } else { "" })?;
        let everybody = all.iter().flatten().all(|said| said == b"open");
        let file = file.filter(|_| everybody)?;
        // SAFETY: a new shared mapping of a file of that length.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            complain(told.rank, "no address space for synchronisation counters: use a smaller symmetric heap");
            return None;
        }
        Some(Self { base: base.cast(), number })
    }

    /// Locks a counter. While somebody else has it, `help` is called: its holder may wait for something that this process must do.
    pub fn lock(&'static self, index: u64, help: impl Fn()) -> Option<Counted> {
        if index >= self.number {
            return None;
        }
        // SAFETY: within the mapping.
        let cell = unsafe { &*self.base.add(index as usize) };
        let mut turns = 0u32;
        loop {
            let now = cell.load(Ordering::Relaxed);
            if now & 1 == 0 && cell.compare_exchange_weak(now, now | 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Some(Counted {
                    cell,
                    version: now >> 11,
                    notes: (now >> 2) as u16 & 0x1ff,
                    seen: now & 2 != 0,
                });
            }
            turns += 1;
            if turns > 50 {
                help();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

fn open(told: &Told, transport: &mut Link, len: u64) -> Option<File> {
    let mine = (told.rank == 0).then(|| {
        // SAFETY: makes a new descriptor, which the file then owns.
        let fd = unsafe { libc::memfd_create(c"thrille-words".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: as above.
        (fd >= 0).then(|| unsafe { File::from_raw_fd(fd) })
    });
    let mine = mine.flatten().filter(|file| file.set_len(len).is_ok());
    // Process ids mean something on one machine, in one name space of processes.
    let here = machine();
    let path = mine.as_ref().map(|file| format!("{here} /proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let said = agree(transport, path.as_deref().unwrap_or(""))?;
    if told.rank == 0 {
        return mine;
    }
    let said = String::from_utf8(said.into_iter().next()??).ok()?;
    let path = said.strip_prefix(&here)?.strip_prefix(' ')?;
    OpenOptions::new().read(true).write(true).open(path).ok()
}

/// What distinguishes this machine, since its last start, and this view of its processes from others.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}-{}", boot.trim(), space.display())
}

/// A word whose counter is locked; it is unlocked when this is dropped.
pub struct Counted {
    cell: &'static AtomicU64,
    version: u64,
    /// What those who lock it have to tell one another.
    #[cfg_attr(not(feature = "shmem"), allow(dead_code, reason = "only carried along"))]
    pub notes: u16,
    /// By somebody who comes after what made it.
    seen: bool,
}

impl Counted {
    /// How many updates there have been. Whoever asks has seen what the last one made.
    pub fn version(&mut self) -> u64 {
        self.seen = true;
        self.version
    }

    /// The same, for who may know all about a version already and need not see it again.
    #[cfg(feature = "shmem")]
    pub fn version_beyond(&mut self, known: Option<u64>) -> u64 {
        if known == Some(self.version) { self.version } else { self.version() }
    }

    /// How many updates there have been, for who sees an earlier one.
    #[cfg(feature = "shmem")]
    pub fn latest(&self) -> u64 {
        self.version
    }

    /// Counts one more.
    pub fn update(&mut self) -> u64 {
        self.make().version
    }

    /// Counts one more, and tells whether the one before was seen by anybody.
    pub fn make(&mut self) -> Made {
        self.version += 1;
        Made { version: self.version, unseen_before: !std::mem::replace(&mut self.seen, false) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.cell.store(self.version << 11 | u64::from(self.notes) << 2 | u64::from(self.seen) << 1, Ordering::Release);
    }
}
