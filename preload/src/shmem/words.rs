//! A counter for every 8 bytes of symmetric memory, laid out like that memory itself.
//!
//! Flags of 2 or 4 bytes share such a cell, and are words of their own: who waits for one has not seen its neighbour. A word begins at an even byte of its
//! cell and reaches as far as the longest update that ever began there; the counter notes how far that is, so that who looks at other bytes than were
//! written, at half of a `long` or at two `int`s at once, finds all words that they are part of.
//!
//! Counters of arrivals, and flags that are set to 1, 2, 3, have the value of their version. Who waits until such a word has reached a value comes after the
//! updates that it takes to reach it, not after those that happened to have come by then too: the next run may be faster.

use crate::counters::{Counted, Counters};
use crate::files;
use crate::link::Link;
use crate::rank::{Told, unobserved};
use crate::shmem::{library, rma};
use rustc_hash::{FxHashMap, FxHasher};
use std::ffi::c_void;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};
use thrille_model::{Channel, Ctx, How, Rank, Segment, Word};
use thrille_runtime::stores::{Counts, Stored};
use thrille_runtime::{Made, Recorder};

static WORDS: OnceLock<Words> = OnceLock::new();

struct Words {
    counters: Counters,
    heap: u64,
    statics: u64,
    ranks: u32,
}

/// Counters of words in other memory that processes share: those that have one together are counted together, which disturbs nobody.
const FILES: u64 = 1 << 16;

/// Makes the counters for heaps and static data of these sizes; false when that is not possible.
pub fn make(told: &Told, transport: &mut Link, heap: u64, statics: u64) -> bool {
    let number = (heap + statics) / 8 * u64::from(told.size) + FILES;
    Counters::share(told, transport, number)
        .is_some_and(|counters| WORDS.set(Words { counters, heap, statics, ranks: told.size }).is_ok())
}

/// The memory that one counter is for.
const CELL: u64 = 8;

/// Bytes of one cell, as the word that begins there.
#[derive(Clone, Copy)]
pub struct Part {
    pub word: Word,
    /// How many of them; those of a word begin at an even one.
    len: u64,
}

impl Part {
    /// Takes in one of the same cell that comes later; false if it is of another.
    pub fn join(&mut self, later: Self) -> bool {
        let same = self.word.offset / CELL == later.word.offset / CELL;
        if same {
            self.len = self.len.max(later.word.offset + later.len - self.word.offset);
        }
        same
    }
}

/// Some bytes of symmetric memory, cell by cell.
pub fn parts(owner: Rank, segment: Segment, offset: u64, bytes: u64) -> impl Iterator<Item = Part> {
    let end = offset.saturating_add(bytes);
    let next = |at: u64| (at & !(CELL - 1)) + CELL;
    std::iter::successors(Some(offset & !1), move |&at| Some(next(at)))
        .take_while(move |&at| at < end)
        .map(move |at| Part { word: Word { owner, segment, offset: at }, len: end.min(next(at)) - at })
}

/// What an update makes of a value.
#[derive(Clone, Copy)]
pub enum Change {
    /// It is added to.
    By(u64),
    /// It is replaced.
    To(u64),
    /// It is replaced by a store, and is this right before or, where compilers tell later, right behind it.
    Around(u64),
    /// Something else.
    Some,
}

impl Change {
    /// The same of a store.
    fn stored(self) -> Self {
        match self {
            Self::To(value) => Self::Around(value),
            other => other,
        }
    }
}

/// A note of a counter: the word's value is not its version, or not to be relied on.
const ODD: u16 = 1 << 8;

/// The same: somebody has waited for a word of the cell. Not noted by who has it locked.
const AWAITED: u16 = 1 << 9;

/// The same: one was changed by a plain store.
const STORED: u16 = 1 << 10;

/// Up to here it is.
const REGULAR: u64 = 64;

/// A part whose counter is locked.
pub struct Locked {
    part: Part,
    counted: Counted,
}

/// How far the words of a cell reach that begin at its even bytes: two bits of the counter's notes for each, 0 if nothing was ever written there.
fn reach(notes: u16, begin: u64) -> u64 {
    match notes >> begin & 3 {
        0 => 0,
        class => 1 << class,
    }
}

impl Locked {
    /// The bytes are written: a version of their word, and what it leaves of the one before.
    pub fn write(&mut self, how: How, change: Change) -> (Word, Made, How) {
        let Part { word, len } = self.part;
        let (begin, before) = (word.offset % CELL, reach(self.counted.notes, word.offset % CELL));
        if len > before {
            let class = if len > 4 { 3 } else { 1 + u16::from(len > 2) };
            self.counted.notes = self.counted.notes & !(3 << begin) | class << begin;
        }
        let how = if len >= before.max(2) { how } else { How::Modify };
        let mut made = self.counted.make();
        let regular = match change {
            Change::By(by) => by == 1,
            Change::To(value) => value == made.version,
            Change::Around(value) => value == made.version || value + 1 == made.version,
            Change::Some => false,
        };
        if !regular || made.version > REGULAR {
            self.counted.notes |= ODD;
        } else if self.counted.notes & ODD == 0 {
            // Somebody may still see the version before, and not this one.
            made.unseen_before = false;
        }
        (word, made, how)
    }

    /// Whether what the bytes are now may have come about by a store that was not counted, where not all of them are seen.
    pub fn is_doubtful(&self, value: u64) -> bool {
        self.counted.notes & STORED != 0 || (value != 0 && self.counted.latest() == 0)
    }

    /// Whether what the bytes are now may be the doing of a store that is yet to be counted; `seen` is the version that this process has seen of them.
    pub fn is_late(&self, value: u64, seen: u64) -> bool {
        let (notes, latest) = (self.counted.notes, self.counted.latest());
        match notes & (STORED | ODD) {
            0 => latest == 0 && value != 0,
            STORED => value > latest,
            ODD => false,
            _ => latest <= seen,
        }
    }

    /// The version, if there were stores.
    pub fn stored(&self) -> Option<u64> {
        (self.counted.notes & STORED != 0).then(|| self.counted.latest())
    }

    /// The bytes, which have this value now, were waited for until they had reached another.
    pub fn reached(
        &mut self,
        value: u64,
        least: Option<u64>,
        known: Option<u64>,
    ) -> (u64, impl Iterator<Item = Word> + use<>) {
        let regular = self.counted.notes & ODD == 0 && self.counted.latest() == value;
        let (version, words) = self.look(known);
        (least.filter(|&least| regular && least < version).unwrap_or(version), words)
    }

    /// The bytes are looked at: what version they are of, and of which words.
    pub fn look(&mut self, known: Option<u64>) -> (u64, impl Iterator<Item = Word> + use<>) {
        let Part { word, len } = self.part;
        let (cell, begin, notes) = (word.offset & !(CELL - 1), word.offset % CELL, self.counted.notes);
        let others = (0..CELL)
            .step_by(2)
            .filter(move |&other| other != begin && other < begin + len && begin < other + reach(notes, other));
        let words = std::iter::once(begin).chain(others).map(move |begin| Word { offset: cell + begin, ..word });
        (self.counted.version_beyond(known), words)
    }
}

/// An atomic instruction on memory that other PEs reach by `shmem_ptr`, or that the program maps as they do: its word, locked.
pub fn between_processes(recorder: &mut Recorder, address: u64) -> Option<(Word, Counted)> {
    let word = match recorder.locate(address) {
        Some((owner, segment, offset, _)) => Word { owner, segment, offset: offset & !1 },
        None => files::word(address)?,
    };
    counter(word).map(|counted| (word, counted))
}

/// Whether it is a PE's own memory. Its threads are ordered among themselves by what is known of them alone.
pub fn is_own(recorder: &Recorder, word: Word) -> bool {
    word.owner == recorder.strand().rank && !matches!(word.segment, Segment::File(_))
}

/// How often this PE's threads have changed such words.
static OWN: Mutex<Option<FxHashMap<Word, u64>>> = Mutex::new(None);

fn own<R>(word: Word, f: impl FnOnce(&mut u64) -> R) -> R {
    unobserved(|| {
        f(OWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().entry(word).or_default())
    })
}

/// Whether others have changed it too.
pub fn others_changed(counted: &Counted) -> bool {
    counted.latest() != own(counted.word(), |number| *number)
}

/// One of this PE's threads changes it.
pub fn update_own(counted: &mut Counted) -> u64 {
    own(counted.word(), |number| *number += 1);
    counted.update()
}

/// Locks the counter of some bytes.
pub fn lock(part: Part) -> Option<Locked> {
    counter(part.word).map(|counted| Locked { part, counted })
}

fn counter(word: Word) -> Option<Counted> {
    let (words, index) = index(word)?;
    words.counters.lock(index, word, library::progress)
}

fn index(word: Word) -> Option<(&'static Words, u64)> {
    let words = WORDS.get()?;
    let all = (words.heap + words.statics) / CELL * u64::from(words.ranks);
    let within = match word.segment {
        Segment::File(file) => {
            let mut hasher = FxHasher::default();
            (file, word.offset).hash(&mut hasher);
            return Some((words, all + (hasher.finish() >> 20) % FILES));
        }
        Segment::Heap if word.offset < words.heap => word.offset,
        Segment::Statics if word.offset < words.statics => words.heap + word.offset,
        _ => return None,
    };
    Some((words, (u64::from(word.owner.0) * (words.heap + words.statics) + within) / CELL))
}

/// Somebody waits for a word, or tests it: stores to it are counted from now on.
pub fn awaits(part: Part) {
    if let Some((words, index)) = index(part.word) {
        words.counters.note(index, AWAITED);
    }
}

/// Plain stores are counted like puts, as far as somebody may wait for what they change.
pub const STORES: Counts = Counts { is_awaited, count };

fn is_awaited(stored: &Stored) -> bool {
    let noted = |part: Part| index(part.word).is_some_and(|(words, index)| words.counters.notes(index) & AWAITED != 0);
    parts(stored.owner, stored.segment, stored.lo, stored.len).any(noted)
}

/// Counts a store before it happens, or right behind it. Who looks in between takes it to have seen one more than it has, which can only order more, or
/// finds it [late](Locked::is_late).
fn count(rank: &mut thrille_runtime::Rank, recorder: &mut Recorder, stored: &Stored) {
    let change = rma::value(stored.address as *const c_void, stored.len as usize).stored();
    let me = recorder.strand().rank;
    let via = Channel { origin: me, ctx: Ctx(0), target: stored.owner };
    for part in parts(stored.owner, stored.segment, stored.lo, stored.len) {
        let Some(mut locked) = lock(part) else { continue };
        locked.counted.notes |= STORED;
        let (word, made, how) = locked.write(How::Set, change);
        drop(locked);
        rank.update(recorder, word, made, how, Some(via), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(offset: u64, bytes: u64) -> Vec<(u64, u64)> {
        parts(Rank(0), Segment::Heap, offset, bytes).map(|part| (part.word.offset, part.len)).collect()
    }

    #[test]
    fn bytes_are_cut_into_cells() {
        assert_eq!(cut(16, 8), [(16, 8)]);
        assert_eq!(cut(20, 4), [(20, 4)]);
        assert_eq!(cut(21, 1), [(20, 2)]);
        assert_eq!(cut(12, 16), [(12, 4), (16, 8), (24, 4)]);
        assert_eq!(cut(8, 0), []);
    }
}
