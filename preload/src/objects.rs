//! What processes of one machine synchronise by besides their memory: locks, semaphores, conditions and barriers that they share, pipes, connections, files.
//!
//! Each is an **object** with a name that all have for it ([`crate::files`], [`crate::threads::streams`]). What is counted of it is in a table that the ranks share: how often it
//! was changed, by whom it was seen, and of each kind what says which of these changes somebody comes after. Where the ranks share nothing, as on several machines,
//! each has a table of its own.
//!
//! | kind | who passes comes after |
//! |---|---|
//! | semaphore | as many posts as it takes for so many to pass, not those that have been made by now |
//! | barrier | those who came in its round |
//! | stream of bytes or messages | the write of the last byte that was read; writes that were under way at once are one |
//! | anything else | all changes so far |
//!
//! An object is locked for a few instructions, by who may have its rank locked, and never the other way round.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use thrille_model::{Lock, Word};
use thrille_runtime::Made;

/// Objects at most.
const OBJECTS: usize = 1 << 16;
/// Streams at most whose bytes are counted, and how many writes of one that are yet to be read are told apart.
const RINGS: usize = 1 << 10;
const WRITES: usize = 1 << 7;
/// So many places are looked at for a name.
const REACH: usize = 64;
/// After so many looks at a lock it is asked whether who has it is still there.
const LOOKS: u32 = 1 << 12;

/// How many numbers the ranks share.
pub const SHARED: u64 = (size_of::<Table>() / 8) as u64;

#[repr(C)]
struct Table {
    rings: AtomicU64,
    entries: [Entry; OBJECTS],
    writes: [[Write; WRITES]; RINGS],
}

/// What is counted of an object. All zero at first.
#[repr(C)]
struct Entry {
    name: AtomicU64,
    /// The process that has it locked.
    holder: AtomicU64,
    version: AtomicU64,
    /// The last version that somebody saw, and one more.
    seen: AtomicU64,
    /// What it is known to be.
    known: AtomicU64,
    /// Of a semaphore and a barrier: the version it began with; of a semaphore less what it began with.
    base: AtomicU64,
    /// Of a semaphore: who passed; of a barrier: how many it takes; of a stream: what was written.
    count: AtomicU64,
    /// Of a stream: what was read, how many writes are under way, which ring is its, and which of that are its unread writes.
    read: AtomicU64,
    under_way: AtomicU64,
    ring: AtomicU64,
    first: AtomicU64,
    behind: AtomicU64,
}

/// Writes up to here, and the version that the last of them made.
#[repr(C)]
struct Write {
    end: AtomicU64,
    version: AtomicU64,
}

/// That processes share it, or that its count began: see [`Entry::known`].
const DECLARED: u64 = 1;
const COUNTED: u64 = 1 << 1;
/// Of a stream: not all that is written or read is seen.
const VAGUE: u64 = 1 << 2;

static PLACE: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

/// The ranks share these [`SHARED`] numbers, which stay where they are.
pub fn share(place: *const AtomicU64) {
    PLACE.store(place.cast_mut().cast(), Ordering::Release);
}

/// Whether there is a table that the ranks share.
pub fn are_shared() -> bool {
    !PLACE.load(Ordering::Acquire).is_null()
}

fn table() -> Option<&'static Table> {
    /// The one of a process that shares none.
    struct Own(*const Table);
    // SAFETY: atomics only, in a mapping that stays.
    unsafe impl Send for Own {}
    // SAFETY: as above.
    unsafe impl Sync for Own {}
    static OWN: OnceLock<Own> = OnceLock::new();
    let shared = PLACE.load(Ordering::Acquire).cast_const();
    let place = if shared.is_null() {
        let own = || {
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
            // SAFETY: a new mapping of memory that begins as zero, which all of a table may be.
            let at = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<Table>(), protection, flags, -1, 0) };
            Own(if at == libc::MAP_FAILED { std::ptr::null() } else { at.cast() })
        };
        OWN.get_or_init(own).0
    } else {
        shared
    };
    // SAFETY: a mapping of that size, which stays.
    unsafe { place.as_ref() }
}

/// An object that is counted.
#[derive(Clone, Copy)]
pub struct Object {
    /// By which it is known in the log.
    pub word: Word,
    entry: &'static Entry,
}

impl Object {
    /// By its name; none if there are too many.
    pub fn named(word: Word) -> Option<Self> {
        let mut hasher = FxHasher::default();
        word.hash(&mut hasher);
        let name = hasher.finish().max(1);
        let entries = &table()?.entries;
        for step in 0..REACH {
            let entry = &entries[(name as usize + step) % OBJECTS];
            let there = entry.name.load(Ordering::Acquire);
            let free = there == 0
                && entry
                    .name
                    .compare_exchange(0, name, Ordering::AcqRel, Ordering::Acquire)
                    .map_or_else(|n| n == name, |_| true);
            if there == name || free {
                return Some(Self { word, entry });
            }
        }
        None
    }

    /// As a lock that all who can take it name alike.
    pub fn lock(&self) -> Lock {
        Lock::Symmetric(self.word.segment, u64::from(self.word.owner.0) << 40 | self.word.offset)
    }

    fn locked<R>(&self, f: impl FnOnce(&Entry) -> R) -> R {
        let holder = &self.entry.holder;
        let me = u64::from(std::process::id());
        let mut looks = 0u32;
        while let Err(other) = holder.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS) && other != 0 && other != me {
                // SAFETY: asks whether there is such a process.
                let gone = unsafe { libc::kill(other as libc::pid_t, 0) } != 0
                    && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
                if gone {
                    let _ = holder.compare_exchange(other, 0, Ordering::Relaxed, Ordering::Relaxed);
                }
            }
            std::thread::yield_now();
        }
        let result = f(self.entry);
        holder.store(0, Ordering::Release);
        result
    }

    /// How many changes there have been. Whoever asks comes after the last one.
    pub fn version(&self) -> u64 {
        self.locked(|entry| {
            let version = get(&entry.version);
            set(&entry.seen, version + 1);
            version
        })
    }

    /// Counts one more.
    pub fn update(&self) -> u64 {
        self.locked(changed)
    }

    /// Counts one more, and tells whether the one before was seen by anybody.
    pub fn make(&self) -> Made {
        self.locked(|entry| {
            let unseen_before = get(&entry.seen) <= get(&entry.version);
            Made { version: changed(entry), unseen_before }
        })
    }

    /// The program says that processes share it.
    pub fn declare(&self) {
        self.entry.known.fetch_or(DECLARED, Ordering::Release);
    }

    /// Whether it said so.
    pub fn is_declared(&self) -> bool {
        self.entry.known.load(Ordering::Acquire) & DECLARED != 0
    }

    /// A semaphore begins with so many that may pass; `anew`, or unless that is known.
    pub fn admits(&self, free: u64, anew: bool) {
        self.locked(|entry| {
            if anew || get(&entry.known) & COUNTED == 0 {
                set(&entry.base, get(&entry.version).wrapping_sub(free));
                set(&entry.count, 0);
                entry.known.fetch_or(COUNTED, Ordering::Relaxed);
            }
        });
    }

    /// One more has passed a semaphore: the version of which that takes, 0 if none.
    pub fn passes(&self) -> u64 {
        self.locked(|entry| {
            let version = get(&entry.version);
            if get(&entry.known) & COUNTED == 0 {
                return version;
            }
            set(&entry.count, get(&entry.count) + 1);
            let needed = get(&entry.base).wrapping_add(get(&entry.count));
            // Below 0: nobody has to post for those who may pass at first.
            if needed.cast_signed() < 0 { 0 } else { needed.min(version) }
        })
    }

    /// A barrier begins that takes so many.
    pub fn gathers(&self, members: u64) {
        self.locked(|entry| {
            set(&entry.base, get(&entry.version));
            set(&entry.count, members);
            entry.known.fetch_or(COUNTED, Ordering::Relaxed);
        });
    }

    /// One more comes to a barrier: the version that it makes, and the one which the round ends with, if that is known.
    pub fn arrives(&self) -> (u64, Option<u64>) {
        self.locked(|entry| {
            let version = changed(entry);
            let (base, members) = (get(&entry.base), get(&entry.count));
            let counted = get(&entry.known) & COUNTED != 0 && members > 0 && version > base;
            (version, counted.then(|| base + (version - base).next_multiple_of(members)))
        })
    }

    /// Not all that is written to a stream or read of it is seen from now on.
    pub fn is_vague(&self) {
        self.entry.known.fetch_or(VAGUE, Ordering::Relaxed);
    }

    /// So much is about to be written to a stream: the version which that makes.
    pub fn writes(&self, much: u64) -> u64 {
        self.locked(|entry| {
            let version = changed(entry);
            set(&entry.count, get(&entry.count) + much);
            let alone = get(&entry.under_way) == 0;
            set(&entry.under_way, get(&entry.under_way) + 1);
            let Some(ring) = ring(entry) else { return version };
            let (first, behind) = (get(&entry.first), get(&entry.behind));
            // Of those that are under way at once nobody knows which comes first; of too many the last two are one.
            let joins = behind > first && (!alone || behind - first >= WRITES as u64);
            let at = if joins { behind - 1 } else { behind };
            let write = &ring[at as usize % WRITES];
            set(&write.end, get(&entry.count));
            set(&write.version, version);
            set(&entry.behind, at + 1);
            version
        })
    }

    /// Such a write is over, and this was left of it.
    pub fn wrote(&self, left: u64) {
        self.locked(|entry| {
            set(&entry.under_way, get(&entry.under_way).saturating_sub(1));
            set(&entry.count, get(&entry.count).saturating_sub(left));
            let (first, behind) = (get(&entry.first), get(&entry.behind));
            if let Some(ring) = ring(entry)
                && behind > first
            {
                let last = &ring[(behind - 1) as usize % WRITES];
                set(&last.end, get(&last.end).min(get(&entry.count)));
            }
        });
    }

    /// So much of a stream has been read, or only looked at: the version that it is of.
    pub fn reads(&self, much: u64, only_looks: bool) -> u64 {
        self.locked(|entry| {
            let read = get(&entry.read) + much;
            if !only_looks {
                set(&entry.read, read);
            }
            let version = get(&entry.version);
            let Some(ring) = ring(entry).filter(|_| get(&entry.known) & VAGUE == 0) else { return version };
            let behind = get(&entry.behind);
            let is_over = |at: &u64| get(&ring[*at as usize % WRITES].end) < read;
            let first = (get(&entry.first)..behind).find(|at| !is_over(at)).unwrap_or(behind);
            if !only_looks {
                set(&entry.first, first);
            }
            if first < behind { get(&ring[first as usize % WRITES].version) } else { version }
        })
    }

    /// What the one end of a pair of sockets writes is read at this one.
    pub fn is_paired_with(&self, other: u64) {
        set(&self.entry.base, other);
    }

    /// The other one, if they were made as a pair; 0 otherwise.
    pub fn pair(&self) -> u64 {
        get(&self.entry.base)
    }
}

// What is in a table is read and written by who has the entry locked.
fn get(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

fn set(number: &AtomicU64, value: u64) {
    number.store(value, Ordering::Relaxed);
}

fn changed(entry: &Entry) -> u64 {
    let version = get(&entry.version) + 1;
    set(&entry.version, version);
    version
}

/// A stream's writes that are yet to be read; none if there are too many streams.
fn ring(entry: &Entry) -> Option<&'static [Write; WRITES]> {
    let table = table()?;
    if get(&entry.ring) == 0 {
        set(&entry.ring, table.rings.fetch_add(1, Ordering::Relaxed) + 1);
    }
    table.writes.get(get(&entry.ring) as usize - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Rank, Segment};

    fn object(offset: u64) -> Object {
        Object::named(Word { owner: Rank(0), segment: Segment::File(7), offset }).unwrap()
    }

    #[test]
    fn who_passes_a_semaphore_comes_after_as_many_posts_as_that_takes() {
        let semaphore = object(1);
        assert_eq!(semaphore.passes(), 0, "nothing is known of it");
        semaphore.admits(2, false);
        semaphore.admits(7, false);
        assert_eq!([semaphore.update(), semaphore.update(), semaphore.update()], [1, 2, 3]);
        assert_eq!([(); 4].map(|()| semaphore.passes()), [0, 0, 1, 2]);
        semaphore.admits(0, true);
        assert_eq!(semaphore.update(), 4);
        assert_eq!(semaphore.passes(), 4);
    }

    #[test]
    fn rounds_of_a_barrier() {
        let barrier = object(2);
        barrier.update();
        assert_eq!(barrier.arrives(), (2, None));
        barrier.gathers(2);
        assert_eq!([(); 3].map(|()| barrier.arrives()), [(3, Some(4)), (4, Some(4)), (5, Some(6))]);
    }

    #[test]
    fn bytes_are_of_the_write_that_they_are_of() {
        let stream = object(3);
        let write = |much, left| {
            let version = stream.writes(much);
            stream.wrote(left);
            version
        };
        assert_eq!([write(4, 0), write(4, 2), write(1, 0)], [1, 2, 3]);
        assert_eq!(stream.reads(5, true), 2, "only looked at");
        assert_eq!([4, 1, 1, 1].map(|n| stream.reads(n, false)), [1, 2, 2, 3]);
        stream.writes(1);
        stream.writes(1);
        stream.wrote(0);
        stream.wrote(0);
        assert_eq!(stream.reads(1, false), 5, "under way at once");
        assert_eq!((write(1, 0), write(1, 0)), (6, 7));
        stream.is_vague();
        assert_eq!(stream.reads(1, false), 7);
    }

    #[test]
    fn too_many_writes_are_told_as_one() {
        let stream = object(4);
        for _ in 0..WRITES + 5 {
            stream.writes(1);
            stream.wrote(0);
        }
        assert_eq!(stream.reads(1, false), 1);
        assert_eq!(stream.reads(WRITES as u64 - 1, false), WRITES as u64 + 5);
    }

    #[test]
    fn locks_tell_whether_anybody_saw() {
        let lock = object(5);
        let made = |version, unseen_before| Made { version, unseen_before };
        assert_eq!(lock.make(), made(1, true));
        assert_eq!(lock.make(), made(2, true));
        assert_eq!(lock.version(), 2);
        assert_eq!(lock.make(), made(3, false));
    }
}
