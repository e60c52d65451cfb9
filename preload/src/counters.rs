//! Counters in memory that all ranks share: which update of a word an observer saw.
//!
//! A counter's lowest bit locks it, the next one says that somebody has seen this version of the word, eleven more are for who shares one among several
//! words, and one says that somebody waits for the lock: an operation on a word and the counting of it are one step for all who do the same. The counters lie in one anonymous memory file, as sparse as their use. Rank 0 makes the file; the others open it through rank 0's descriptor, so that it
//! has no name and leaves no trace. So the ranks must be on one machine; elsewhere there are no counters.

use crate::link::Link;
use crate::objects::{self, Object};
use crate::rank::{Told, agree, complain};
use crate::{files, last, meetings, sampled, uncounted};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use thrille_model::Word;
use thrille_runtime::{Made, Recorder};

const LOCKED: u64 = 1;
const SEEN: u64 = 1 << 1;
const NOTES_AT: u32 = 2;
const NOTES: u64 = 0x7ff;
const WANTED: u64 = 1 << 13;
const VERSION_AT: u32 = 14;

/// After so many looks a thread lets others run, and says that it waits.
const LOOKS: u32 = 50;
/// So long a thread that comes lets those go first who waited before it; one that died waiting is not waited for any longer.
const COURTESY: Duration = Duration::from_millis(100);

/// Something at an address that other processes use, too.
pub fn between_processes(recorder: &mut Recorder, address: u64) -> Option<Object> {
    if !objects::are_shared() {
        return None;
    }
    #[cfg(feature = "mpi")]
    if let Some(word) = crate::mpi::reached_by_many(address) {
        return Object::named(word);
    }
    files::object(recorder, address)
}

/// Whether there is such memory.
#[cfg(feature = "mpi")]
pub use crate::mpi::any_between_processes;

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
        let len = (number + uncounted::SHARED + meetings::SHARED + last::SHARED + objects::SHARED) * 8;
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
        let base: *const AtomicU64 = base.cast();
        // SAFETY: within the mapping, which is that much longer.
        let more = unsafe { base.add(number as usize) };
        uncounted::share(more);
        // SAFETY: as above.
        let more = unsafe { more.add(uncounted::SHARED as usize) };
        meetings::share(more);
        // SAFETY: as above.
        let more = unsafe { more.add(meetings::SHARED as usize) };
        last::share(more);
        // SAFETY: as above.
        objects::share(unsafe { more.add(last::SHARED as usize) });
        Some(Self { base, number })
    }

    /// The notes of a counter.
    #[cfg(feature = "shmem")]
    pub fn notes(&self, index: u64) -> u16 {
        self.cell(index).map_or(0, |cell| (cell.load(Ordering::Relaxed) >> NOTES_AT & NOTES) as u16)
    }

    /// Adds to them, though somebody else may have locked it: what nobody adds who has.
    #[cfg(feature = "shmem")]
    pub fn note(&self, index: u64, note: u16) {
        if self.notes(index) & note == 0
            && let Some(cell) = self.cell(index)
        {
            cell.fetch_or(u64::from(note) << NOTES_AT, Ordering::Relaxed);
        }
    }

    fn cell(&self, index: u64) -> Option<&'static AtomicU64> {
        // SAFETY: within the mapping, which stays.
        (index < self.number).then(|| unsafe { &*self.base.add(index as usize) })
    }

    /// Locks the counter of a word. While somebody else has it, `help` is called: its holder may wait for something that this process must do.
    ///
    /// Who holds it may give up the processor in the midst of its operation, and come back for the next one at once, as when it polls: others
    /// would never see it unlocked. So they say that they wait, and who comes later lets them go first.
    pub fn lock(&'static self, index: u64, word: Word, help: impl Fn()) -> Option<Counted> {
        let cell = self.cell(index)?;
        sampled::counts_word();
        Some(Counted::lock(cell, word, help))
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
    word: Word,
    /// What the counter holds while this is there, but for somebody who waits.
    held: u64,
    version: u64,
    /// What those who lock it have to tell one another.
    #[cfg_attr(not(feature = "shmem"), allow(dead_code, reason = "only carried along"))]
    pub notes: u16,
    /// By somebody who comes after what made it.
    seen: bool,
}

impl Counted {
    fn lock(cell: &'static AtomicU64, word: Word, help: impl Fn()) -> Self {
        let (mut looks, mut said, mut since) = (0u32, false, None::<Instant>);
        loop {
            let now = cell.load(Ordering::Relaxed);
            let free = now & LOCKED == 0;
            let first = now & WANTED == 0 || said || since.is_some_and(|since| since.elapsed() > COURTESY);
            let held = (now | LOCKED) & !WANTED;
            if free && first && cell.compare_exchange_weak(now, held, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Self {
                    cell,
                    word,
                    held,
                    version: now >> VERSION_AT,
                    notes: (now >> NOTES_AT & NOTES) as u16,
                    seen: now & SEEN != 0,
                };
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
                continue;
            }
            since.get_or_insert_with(Instant::now);
            let wanted = now | WANTED;
            said |= !free && cell.compare_exchange(now, wanted, Ordering::Relaxed, Ordering::Relaxed).is_ok();
            help();
        }
    }

    /// How many updates there have been. Whoever asks has seen what the last one made.
    pub fn version(&mut self) -> u64 {
        uncounted::observed(self.word);
        self.seen = true;
        self.version
    }

    /// The same, for who may know all about a version already and need not see it again.
    #[cfg(feature = "shmem")]
    pub fn version_beyond(&mut self, known: Option<u64>) -> u64 {
        uncounted::observed(self.word);
        self.seen |= known != Some(self.version);
        self.version
    }

    /// How many updates there have been, for who sees an earlier one.
    #[cfg(feature = "shmem")]
    pub fn latest(&self) -> u64 {
        self.version
    }

    /// Which word it is.
    #[cfg(feature = "shmem")]
    pub fn word(&self) -> Word {
        self.word
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
        let free = self.version << VERSION_AT | u64::from(self.notes) << NOTES_AT | if self.seen { SEEN } else { 0 };
        // A sum: somebody may have said meanwhile that he waits.
        self.cell.fetch_add(free.wrapping_sub(self.held), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;

    /// One thread takes the lock again and again and gives up the processor only while it has it; another one gets it all the same.
    #[test]
    fn who_waits_goes_before_who_comes_again() {
        static CELL: AtomicU64 = AtomicU64::new(0);
        static ROUNDS: AtomicU64 = AtomicU64::new(0);
        static OVER: AtomicBool = AtomicBool::new(false);
        const WORD: Word = Word { owner: thrille_model::Rank(0), segment: thrille_model::Segment::Heap, offset: 0 };
        let greedy = std::thread::spawn(|| {
            while !OVER.load(Ordering::Relaxed) {
                let mut word = Counted::lock(&CELL, WORD, std::thread::yield_now);
                word.update();
                ROUNDS.fetch_add(1, Ordering::Relaxed);
                (0..200).for_each(|_| std::thread::yield_now());
            }
        });
        while ROUNDS.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        for turn in 0..200 {
            let waits = Cell::new(None);
            let word = Counted::lock(&CELL, WORD, || {
                // The second time it has said that it waits, if the lock was taken the first time.
                let said = CELL.load(Ordering::Relaxed) & WANTED != 0;
                let now = (ROUNDS.load(Ordering::Relaxed), Instant::now());
                waits.set(waits.get().or(said.then_some(now)));
                std::thread::yield_now();
            });
            if let Some((before, since)) = waits.get() {
                let rounds = ROUNDS.load(Ordering::Relaxed) - before;
                let courtesies = since.elapsed().as_nanos() / COURTESY.as_nanos();
                assert!(u128::from(rounds) <= 1 + courtesies, "turn {turn}: {rounds} rounds went before");
            }
            drop(word);
        }
        OVER.store(true, Ordering::Relaxed);
        greedy.join().unwrap();
        assert_eq!(CELL.load(Ordering::Relaxed) >> VERSION_AT, ROUNDS.load(Ordering::Relaxed));
    }
}
