//! The control area: the words through which the processes of a job find out about each other.
//!
//! | word | written by | read by |
//! |---|---|---|
//! | magic, version, npes, heap | launcher, once, before any PE exists | everyone |
//! | abort, status | whoever ends the job, abort last; never back | every waiting loop |
//! | statics | first PE that knows the size of the static data; others compare | PEs |
//! | slots used | one bit a team, by the team's first PE | the same |
//! | state, pid, allocation | the PE itself; `Exited` by the launcher | everyone |
//! | slot: count, generation, refs, mail | the members of the team | the same, abort wakes its sleepers |

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::layout::{self, MAGIC, SLOTS, VERSION};
use crate::{Mapping, futex};

#[repr(C)]
struct Header {
    magic: AtomicU64,
    version: AtomicU32,
    npes: AtomicU32,
    heap: AtomicU64,
    /// Bytes of static data plus one; zero while unknown.
    statics: AtomicU64,
    abort: AtomicU32,
    status: AtomicI32,
    slots: [AtomicU64; SLOTS / 64],
}

#[repr(C)]
struct Pe {
    state: AtomicU32,
    pid: AtomicU32,
    allocation: [AtomicU64; 2],
}

#[repr(C)]
struct SlotHead {
    count: AtomicU32,
    generation: AtomicU32,
    refs: AtomicU32,
}

const _: () = assert!(size_of::<Header>() <= layout::PAGE);
const _: () = assert!(size_of::<Pe>() <= layout::PE_BYTES);
const _: () = assert!(size_of::<SlotHead>() <= layout::SLOT_HEAD);

/// What a PE has done so far, as the others may want to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PeState {
    /// Not yet in `shmem_init`.
    Absent = 0,
    /// Between `shmem_init` and `shmem_finalize`.
    Running = 1,
    /// Past `shmem_finalize`.
    Finalized = 2,
    /// Its process has ended, without `shmem_finalize`.
    Exited = 3,
}

/// The mapped control area. Not to be copied: the launcher unmaps it with the job.
#[derive(Debug)]
pub struct Control {
    map: Mapping,
    npes: usize,
}

impl Control {
    /// Writes the header of a new job.
    pub(crate) fn create(map: Mapping, npes: usize, heap: usize) -> Self {
        let control = Self { map, npes };
        let header = control.header();
        header.version.store(VERSION, Ordering::Relaxed);
        header.npes.store(npes as u32, Ordering::Relaxed);
        header.heap.store(heap as u64, Ordering::Relaxed);
        // The predefined teams: world is slot 0, shared is slot 1.
        header.slots[0].store(0b11, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        control
    }

    /// Takes over a mapped control area after checking that it is one.
    pub(crate) fn open(map: Mapping, fd: i32, npes: usize, heap: usize) -> Result<Self> {
        let control = Self { map, npes };
        let header = control.header();
        let what = if header.magic.load(Ordering::Acquire) != MAGIC {
            "no job"
        } else if header.version.load(Ordering::Relaxed) != VERSION {
            "another version"
        } else if header.npes.load(Ordering::Relaxed) as usize != npes {
            "another number of PEs"
        } else if header.heap.load(Ordering::Relaxed) as usize != heap {
            "another heap size"
        } else {
            return Ok(control);
        };
        Err(Error::Foreign { fd, what })
    }

    /// The mapping, to be unmapped.
    pub(crate) fn mapping(&self) -> Mapping {
        self.map
    }

    fn header(&self) -> &Header {
        // SAFETY: the mapping holds at least one page, page aligned, and the header is made of atomics only.
        unsafe { &*self.map.base().cast::<Header>() }
    }

    fn pe(&self, pe: usize) -> &Pe {
        assert!(pe < self.npes, "PE number checked by the caller");
        // SAFETY: in range by the assertion and the layout; atomics only.
        unsafe { &*self.map.base().add(layout::pes_at() + pe * layout::PE_BYTES).cast::<Pe>() }
    }

    /// PEs of the job.
    pub fn npes(&self) -> usize {
        self.npes
    }

    /// Exit status of the job once it is being aborted. One load: cheap enough for every turn of a waiting loop.
    #[inline]
    pub fn aborted(&self) -> Option<i32> {
        let header = self.header();
        (header.abort.load(Ordering::Acquire) != 0).then(|| header.status.load(Ordering::Relaxed))
    }

    /// Ends the job with `status`, unless it is already being ended, and wakes everyone who sleeps in a barrier.
    pub fn abort(&self, status: i32) {
        let header = self.header();
        if header.abort.load(Ordering::Acquire) == 0 {
            header.status.store(status, Ordering::Relaxed);
            header.abort.store(1, Ordering::Release);
        }
        for (word, used) in header.slots.iter().enumerate() {
            let mut bits = used.load(Ordering::Relaxed);
            while bits != 0 {
                futex::wake_all(self.slot(word * 64 + bits.trailing_zeros() as usize).generation());
                bits &= bits - 1;
            }
        }
    }

    /// Tells the size of the executable's static data; `Err` holds what another PE found.
    pub fn agree_statics(&self, len: usize) -> std::result::Result<(), usize> {
        let mine = len as u64 + 1;
        match self.header().statics.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire) {
            Err(other) if other != mine => Err((other - 1) as usize),
            _ => Ok(()),
        }
    }

    /// What `pe` has done so far.
    pub fn state(&self, pe: usize) -> PeState {
        match self.pe(pe).state.load(Ordering::Acquire) {
            1 => PeState::Running,
            2 => PeState::Finalized,
            3 => PeState::Exited,
            _ => PeState::Absent,
        }
    }

    /// Says what `pe` has done.
    pub fn set_state(&self, pe: usize, state: PeState) {
        self.pe(pe).state.store(state as u32, Ordering::Release);
    }

    /// Says which process `pe` is.
    pub fn set_pid(&self, pe: usize, pid: u32) {
        self.pe(pe).pid.store(pid, Ordering::Release);
    }

    /// Process of `pe`, 0 while unknown.
    pub fn pid(&self, pe: usize) -> u32 {
        self.pe(pe).pid.load(Ordering::Acquire)
    }

    /// Fingerprint of the collective allocation number `sequence` of `pe`; two are kept.
    pub fn allocation(&self, pe: usize, sequence: u64) -> &AtomicU64 {
        &self.pe(pe).allocation[(sequence & 1) as usize]
    }

    /// Slot number `index`.
    pub fn slot(&self, index: usize) -> Slot<'_> {
        assert!(index < SLOTS, "slot numbers come from take_slot");
        Slot { control: self, index }
    }

    /// Reserves a free slot for a team.
    pub fn take_slot(&self) -> Option<usize> {
        for (word, used) in self.header().slots.iter().enumerate() {
            let mut bits = used.load(Ordering::Relaxed);
            while bits != u64::MAX {
                let bit = bits.trailing_ones() as usize;
                match used.compare_exchange_weak(bits, bits | 1 << bit, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => return Some(word * 64 + bit),
                    Err(now) => bits = now,
                }
            }
        }
        None
    }

    /// Gives a slot back.
    pub fn free_slot(&self, index: usize) {
        self.header().slots[index / 64].fetch_and(!(1 << (index % 64)), Ordering::AcqRel);
    }
}

/// The synchronisation words of one team.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    control: &'a Control,
    index: usize,
}

impl<'a> Slot<'a> {
    fn at(self) -> usize {
        layout::slots_at(self.control.npes) + self.index * layout::slot_bytes(self.control.npes)
    }

    fn head(self) -> &'a SlotHead {
        // SAFETY: the index was checked when the slot was made; atomics only.
        unsafe { &*self.control.map.base().add(self.at()).cast::<SlotHead>() }
    }

    /// Members that have arrived at the current barrier.
    pub fn count(self) -> &'a AtomicU32 {
        &self.head().count
    }

    /// Barriers passed: the word that members sleep on.
    pub fn generation(self) -> &'a AtomicU32 {
        &self.head().generation
    }

    /// Members that have not yet destroyed the team.
    pub fn refs(self) -> &'a AtomicU32 {
        &self.head().refs
    }

    /// Mailbox of the team's member number `member`.
    pub fn mail(self, member: usize) -> &'a AtomicU64 {
        assert!(member < self.control.npes, "a team has no more members than the job");
        let at = self.at() + layout::SLOT_HEAD + 8 * member;
        // SAFETY: in range by the assertion and the layout; an atomic.
        unsafe { &*self.control.map.base().add(at).cast::<AtomicU64>() }
    }
}
