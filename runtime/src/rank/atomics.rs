//! Words that only this process's threads synchronise by: C11 atomics, condition variables, semaphores.
//!
//! An acquire of a word comes after what the word's value *carries*, by the rules of C11:
//!
//! * a release is carried by the value that it stores, and by those that others make from it by reading and modifying it (its release sequence), or that
//!   the same thread stores. A relaxed store of another thread ends that;
//! * a release fence is carried by whatever its thread stores after it, however relaxed, and by what others make from that;
//! * a relaxed load acquires nothing, but an acquire fence after it does.

use super::{Knowledge, Rank};
use crate::recorder::Recorder;
use rustc_hash::FxHashMap;
use thrille_model::{How, Segment, Strand, Sync, Token, Word};

/// The words, and the fences of strands.
#[derive(Default)]
pub(super) struct Words {
    carried: FxHashMap<Word, Carried>,
    fences: FxHashMap<Strand, Fences>,
}

/// What a value carries.
#[derive(Clone, Default)]
struct Carried {
    /// How often the word was released.
    version: u64,
    /// Whether the last of these is carried.
    released: bool,
    /// Who began what is carried.
    by: Option<Strand>,
    /// The last fences of strands.
    fences: Vec<(Strand, u64)>,
    /// What all of that is known to come after.
    knows: Knowledge,
}

/// A strand's fences.
#[derive(Default)]
struct Fences {
    /// How many release fences it had.
    number: u64,
    /// What it knew at the last.
    knew: Knowledge,
    /// What it has seen by relaxed loads since its last acquire fence.
    seen: Vec<Seen>,
}

/// A value that was seen.
struct Seen {
    word: Word,
    /// The version, if one is carried.
    version: Option<u64>,
    fences: Vec<(Strand, u64)>,
    knows: Knowledge,
}

/// How many values of one word, and how many values in all, a strand remembers for an acquire fence. What came before is nearly always part of them.
const VALUES: usize = 8;
const MOST: usize = 256;

impl Carried {
    /// It also carries a fence.
    fn fence(&mut self, strand: Strand, fences: &Fences) {
        self.fences.retain(|&(of, _)| of != strand);
        self.fences.push((strand, fences.number));
        self.knows.join(&fences.knew);
    }
}

impl Rank {
    /// A word is changed by a release, or by what counts as one: the signal of a condition variable, the post of a semaphore.
    pub fn signal_local(&mut self, recorder: &mut Recorder, address: u64, how: How) {
        if let Some(watch) = &mut self.watch {
            watch.released(recorder.hand.as_deref(), address);
        }
        let word = self.local_word(address);
        let (version, goes_on) = self.words.carried.get(&word).map_or((1, false), |c| (c.version + 1, c.released));
        let sets = if goes_on { how } else { How::Set };
        self.event(recorder, Sync::Update { word, version, how: sets, via: None, signals: false });
        let knows = &self.knowledge[recorder.strand.number() as usize];
        let carried = self.words.carried.entry(word).or_default();
        if how == How::Set {
            carried.fences.clear();
            carried.knows = knows.clone();
        } else {
            carried.knows.join(knows);
        }
        if sets == How::Set {
            carried.by = Some(recorder.strand);
        }
        (carried.version, carried.released) = (version, true);
        self.call(recorder, address);
    }

    /// A word is changed by a relaxed operation.
    pub fn change_local(&mut self, recorder: &Recorder, address: u64, how: How) {
        let (word, strand) = (self.local_word(address), recorder.strand);
        let fences = self.words.fences.get(&strand).filter(|fences| fences.number > 0);
        if let (Some(watch), true) = (&mut self.watch, fences.is_some()) {
            watch.released(recorder.hand.as_deref(), address);
        }
        if let Some(carried) = self.words.carried.get_mut(&word)
            && how == How::Set
            && carried.by != Some(strand)
        {
            *carried = Carried { version: carried.version, by: Some(strand), ..Carried::default() };
        }
        if let Some(fences) = fences {
            let carried = self.words.carried.entry(word).or_default();
            carried.by.get_or_insert(strand);
            carried.fence(strand, fences);
        }
    }

    /// The present value of a word is acquired.
    pub fn await_local(&mut self, recorder: &mut Recorder, address: u64) {
        if let Some(watch) = &mut self.watch {
            watch.acquired(recorder.hand.as_deref(), address);
        }
        if let Some(seen) = self.seen(self.local_word(address)) {
            self.acquire_seen(recorder, &seen);
        }
    }

    /// An earlier value than the present one is acquired, by so many changes.
    pub fn await_local_earlier(&mut self, recorder: &mut Recorder, address: u64, by: u64) {
        let word = self.local_word(address);
        let version = self.words.carried.get(&word).map_or(0, |carried| carried.version).saturating_sub(by);
        if version > 0 {
            self.event(recorder, Sync::Observe { word, version });
        }
    }

    /// It is seen by a relaxed operation.
    pub fn see_local(&mut self, recorder: &Recorder, address: u64) {
        if let Some(seen) = self.seen(self.local_word(address)) {
            self.remember(recorder.strand, seen);
        }
    }

    /// The same of a word of the job, which other processes change too.
    pub fn see(&mut self, recorder: &Recorder, word: Word, version: u64) {
        self.remember(
            recorder.strand,
            Seen { word, version: Some(version), fences: Vec::new(), knows: Knowledge::default() },
        );
    }

    /// A fence that acquires what was seen by relaxed loads before it, or that what is stored after it carries.
    pub fn thread_fence(&mut self, recorder: &mut Recorder, acquires: bool, releases: bool) {
        let strand = recorder.strand;
        if acquires && let Some(fences) = self.words.fences.get_mut(&strand) {
            for seen in std::mem::take(&mut fences.seen) {
                if let (Some(watch), Segment::Private) = (&mut self.watch, seen.word.segment) {
                    watch.acquired(recorder.hand.as_deref(), seen.word.offset);
                }
                self.acquire_seen(recorder, &seen);
            }
        }
        if releases {
            let fences = self.words.fences.entry(strand).or_default();
            fences.number += 1;
            let token = Token::Fence { strand, number: fences.number };
            // An only strand tells nobody in its rank, and the others of the job as of its stores.
            if !self.single() {
                self.event(recorder, Sync::Release(token));
                let knew = self.knowledge[strand.number() as usize].clone();
                self.words.fences.entry(strand).or_default().knew = knew;
            }
        }
    }

    /// Whether what the strand stores carries a fence.
    pub fn has_fenced(&self, recorder: &Recorder) -> bool {
        self.words.fences.get(&recorder.strand).is_some_and(|fences| fences.number > 0)
    }

    /// What the present value of a word carries, if anything.
    fn seen(&self, word: Word) -> Option<Seen> {
        let carried = self.words.carried.get(&word).filter(|c| c.released || !c.fences.is_empty())?;
        let version = carried.released.then_some(carried.version);
        Some(Seen { word, version, fences: carried.fences.clone(), knows: carried.knows.clone() })
    }

    fn acquire_seen(&mut self, recorder: &mut Recorder, seen: &Seen) {
        if let Some(version) = seen.version {
            self.event(recorder, Sync::Observe { word: seen.word, version });
        }
        let me = recorder.strand;
        for &(strand, number) in seen.fences.iter().filter(|&&(strand, _)| strand != me) {
            self.event(recorder, Sync::Acquire(Token::Fence { strand, number }));
        }
        self.learn(recorder, &seen.knows);
    }

    fn remember(&mut self, strand: Strand, new: Seen) {
        let seen = &mut self.words.fences.entry(strand).or_default().seen;
        let same = |old: &Seen| (old.word, old.version) == (new.word, new.version) && old.fences == new.fences;
        if seen.iter().rev().any(same) {
            return;
        }
        let of_word = |old: &Seen| old.word == new.word;
        if seen.iter().filter(|old| of_word(old)).count() >= VALUES
            && let Some(oldest) = seen.iter().position(of_word)
        {
            seen.remove(oldest);
        } else if seen.len() >= MOST {
            seen.remove(0);
        }
        seen.push(new);
    }

    /// The words that an atomic access reaches: the one at its address, and those within it that others use by themselves. Reference counts are
    /// counted one by one and looked at together.
    pub fn local_words(&self, address: u64, width: u8) -> Vec<u64> {
        let parts = (address..address.saturating_add(u64::from(width))).step_by(4);
        parts.filter(|&part| part == address || self.words.carried.contains_key(&self.local_word(part))).collect()
    }

    fn local_word(&self, address: u64) -> Word {
        Word { owner: self.me, segment: Segment::Private, offset: address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::Modules;
    use crate::regions::Regions;

    const ME: thrille_model::Rank = thrille_model::Rank(0);
    const FLAG: u64 = 64;

    /// Three threads: what the last of them has acquired, as which versions and whose fences, after the others did something.
    fn acquired(does: impl FnOnce(&mut Rank, [&mut Recorder; 3])) -> Vec<Sync> {
        let (mut rank, mut main) = Rank::new(ME, Regions::default(), Modules::new(Vec::new), 100);
        let [b, c] = [rank.fork(&mut main), rank.fork(&mut main)];
        let (mut b, mut c) = (rank.begin(b), rank.begin(c));
        does(&mut rank, [&mut main, &mut b, &mut c]);
        let events = rank.gather(&mut main, true, 0).events;
        let fence = |sync: &Sync| matches!(sync, Sync::Observe { .. } | Sync::Acquire(Token::Fence { .. }));
        events.into_iter().filter(|e| e.strand == c.strand).map(|e| e.sync).filter(fence).collect()
    }

    fn version(version: u64) -> Sync {
        Sync::Observe { word: Word { owner: ME, segment: Segment::Private, offset: FLAG }, version }
    }

    fn fence_of(thread: u32) -> Sync {
        Sync::Acquire(Token::Fence { strand: Strand::thread(ME, thread), number: 1 })
    }

    #[test]
    fn a_release_is_acquired() {
        let seen = acquired(|rank, [a, _, c]| {
            rank.signal_local(a, FLAG, How::Set);
            rank.await_local(c, FLAG);
        });
        assert_eq!(seen, [version(1)]);
    }

    #[test]
    fn a_relaxed_store_of_another_thread_ends_a_release_sequence() {
        let seen = acquired(|rank, [a, b, c]| {
            rank.signal_local(a, FLAG, How::Set);
            rank.change_local(b, FLAG, How::Modify);
            rank.change_local(a, FLAG, How::Set);
            rank.await_local(c, FLAG);
            rank.change_local(b, FLAG, How::Set);
            rank.await_local(c, FLAG);
        });
        assert_eq!(seen, [version(1)]);
    }

    #[test]
    fn what_follows_on_a_store_that_ended_a_sequence_begins_one() {
        let seen = acquired(|rank, [a, b, c]| {
            rank.signal_local(a, FLAG, How::Set);
            rank.change_local(b, FLAG, How::Set);
            rank.signal_local(b, FLAG, How::Modify);
            rank.await_local(c, FLAG);
        });
        assert_eq!(seen, [version(2)]);
    }

    #[test]
    fn fences_are_carried_by_relaxed_operations() {
        let seen = acquired(|rank, [a, b, c]| {
            rank.change_local(a, FLAG, How::Set);
            rank.see_local(c, FLAG);
            rank.thread_fence(c, true, false);
            rank.thread_fence(a, false, true);
            rank.change_local(a, FLAG, How::Set);
            rank.thread_fence(b, false, true);
            rank.change_local(b, FLAG, How::Modify);
            rank.await_local(c, FLAG);
        });
        assert_eq!(seen, [fence_of(0), fence_of(1)]);
    }

    #[test]
    fn an_acquire_fence_acquires_what_was_seen_before_it() {
        let seen = acquired(|rank, [a, b, c]| {
            rank.signal_local(a, FLAG, How::Set);
            rank.see_local(c, FLAG);
            rank.change_local(b, FLAG, How::Set);
            rank.see_local(c, FLAG);
            rank.thread_fence(c, true, true);
            rank.thread_fence(c, true, true);
        });
        assert_eq!(seen, [version(1)], "once, though something else is there now");
    }

    #[test]
    fn an_earlier_value_is_acquired() {
        let seen = acquired(|rank, [a, _, c]| {
            for _ in 0..3 {
                rank.signal_local(a, FLAG, How::Modify);
            }
            rank.await_local_earlier(c, FLAG, 2);
            rank.await_local_earlier(c, FLAG, 3);
        });
        assert_eq!(seen, [version(1)]);
    }
}
