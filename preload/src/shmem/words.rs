//! Which update of a word an observer saw: a counter for every 8 bytes of symmetric memory, shared by all PEs.
//!
//! The counters lie in one anonymous memory file, laid out like the symmetric memory itself and as sparse as its use for
//! synchronisation. A counter's lowest bit locks it: an operation on the word and the counting of it are one step for all who do
//! the same. Rank 0 makes the file; the others open it through rank 0's descriptor, so that it has no name and leaves no trace.

use crate::rank::{Told, agree, complain};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use thrille_model::{Rank, Segment, Word};
use thrille_transport::SocketTransport;

static WORDS: OnceLock<Words> = OnceLock::new();

struct Words {
    base: *const AtomicU64,
    heap: u64,
    statics: u64,
    ranks: u64,
}

// SAFETY: the mapping lives as long as the process and holds atomics only.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

/// Makes the counters for heaps and static data of these sizes; false when that is not possible.
pub fn make(told: &Told, transport: &mut SocketTransport, heap: u64, statics: u64) -> bool {
    let len = (heap + statics) * u64::from(told.size);
    let file = open(told, transport, len);
    // Nobody goes on before everybody has the file open.
    let all = agree(transport, if file.is_some() { "open" } else { "" });
    let everybody = all.is_some_and(|all| all.iter().flatten().all(|said| said == b"open"));
    let (Some(file), true) = (file, everybody) else { return false };
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
        complain(told.rank, "not observed: no address space for synchronisation counters; use a smaller symmetric heap");
        return false;
    }
    WORDS.set(Words { base: base.cast(), heap, statics, ranks: u64::from(told.size) }).is_ok()
}

fn open(told: &Told, transport: &mut SocketTransport, len: u64) -> Option<File> {
    let mine = (told.rank == 0).then(|| {
        // SAFETY: makes a new descriptor, which the file then owns.
        let fd = unsafe { libc::memfd_create(c"thrille-words".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: as above.
        (fd >= 0).then(|| unsafe { File::from_raw_fd(fd) })
    });
    let mine = mine.flatten().filter(|file| file.set_len(len).is_ok());
    let path = mine.as_ref().map(|file| format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let said = agree(transport, path.as_deref().unwrap_or(""))?;
    if told.rank == 0 {
        return mine;
    }
    let path = String::from_utf8(said.into_iter().next()??).ok()?;
    OpenOptions::new().read(true).write(true).open(path).ok()
}

/// A word whose counter is locked; it is unlocked when this is dropped.
pub struct Counted {
    cell: &'static AtomicU64,
    version: u64,
}

impl Counted {
    /// How many updates there have been.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Counts one more.
    pub fn update(&mut self) -> u64 {
        self.version += 1;
        self.version
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.cell.store(self.version << 1, Ordering::Release);
    }
}

/// The word at a place of symmetric memory.
pub fn word(owner: Rank, segment: Segment, offset: u64) -> Word {
    Word { owner, segment, offset: offset & !7 }
}

/// Locks a word's counter.
pub fn lock(word: Word) -> Option<Counted> {
    let words = WORDS.get()?;
    let within = match word.segment {
        Segment::Heap if word.offset < words.heap => word.offset,
        Segment::Statics if word.offset < words.statics => words.heap + word.offset,
        _ => return None,
    };
    if u64::from(word.owner.0) >= words.ranks {
        return None;
    }
    let index = (u64::from(word.owner.0) * (words.heap + words.statics) + within) / 8;
    // SAFETY: within the mapping, which is as long as all heaps and static data together.
    let cell = unsafe { &*words.base.add(index as usize) };
    let mut turns = 0u32;
    loop {
        let now = cell.load(Ordering::Relaxed);
        if now & 1 == 0 && cell.compare_exchange_weak(now, now | 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return Some(Counted { cell, version: now >> 1 });
        }
        turns += 1;
        if turns > 50 {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
