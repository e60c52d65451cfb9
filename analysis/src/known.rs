//! The part of the logs that an owner knows, and what it would have to ask to know more.
//!
//! *A part is enough to find order.* Every event that is known did happen, so what known events order is ordered. Only what they leave unordered is a reason
//! to ask further, and it is a race when there is nothing left to ask.
//!
//! *What to ask.* An owner first gets the logs of those ranks whose accesses are in question: its program's partners. What leads from one to the other by
//! way of a third rank is found by walking: from an access back in its strand to what that acquired, to who released that, and so on, until a global
//! barrier. For accesses that lie within one phase, that is all there can be. A path between two that phases do not keep together (of a thread that calls no
//! barriers, or an operation that stays open over some) may pass through barriers: up to the first one it is found by walking forth from the
//! one, down from the last one by walking back from the other, and where it touches their ranks in between, by walking both ways from all
//! that those did meanwhile. Nothing else of a path matters: global barriers come one after the other.

use crate::directory::{At, Ends, Key, Way};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thrille_model::{Access, Phase, Pos, Rank, Strand, Sync, SyncEvent, Token, Word};

/// What is unordered, as far as known: where to walk from.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// The accesses.
    at: FxHashSet<At>,
    /// Ranks whose doings in a range of phases may lie in between; no end: to the last.
    between: BTreeMap<Rank, (Phase, Option<Phase>)>,
}

impl Doubts {
    /// Two accesses are not known to be ordered.
    pub fn add(&mut self, a: &Access, b: &Access) {
        self.at.insert((a.strand, a.begin));
        self.at.insert((b.strand, b.begin));
        let crosses = |x: &Access, y: &Access| y.phases.hi.is_none_or(|hi| x.phases.lo < hi);
        if crosses(a, b) || crosses(b, a) {
            let lo = a.phases.lo.min(b.phases.lo);
            let hi = a.phases.hi.zip(b.phases.hi).map(|(a, b)| a.max(b));
            for rank in [a.strand.rank, b.strand.rank] {
                let range = self.between.entry(rank).or_insert((lo, hi));
                *range = (range.0.min(lo), range.1.zip(hi).map(|(a, b)| a.max(b)));
            }
        }
    }

    /// Whether all is ordered.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }
}

/// What to ask next.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Of their homes: where are the other ends?
    pub keys: BTreeSet<(Way, Key)>,
    /// Of the ranks of the strands: what else happened there?
    pub parts: BTreeSet<(Way, Strand, Pos)>,
}

impl Questions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.parts.is_empty()
    }
}

/// The versions of words of which all updates are known that they are made of.
pub enum Closed {
    /// Any: everybody's log is here.
    All,
    /// These.
    Some(FxHashSet<(Word, u64)>),
}

impl Closed {
    /// Whether all is known that a version is made of.
    pub fn holds(&self, word: Word, version: u64) -> bool {
        match self {
            Self::All => true,
            Self::Some(versions) => versions.contains(&(word, version)),
        }
    }
}

/// The logs of some ranks, and parts of others'.
pub struct Known {
    /// How many ranks there are.
    size: u32,
    events: Vec<SyncEvent>,
    /// Indices of each strand's events, by position.
    strands: FxHashMap<Strand, Vec<usize>>,
    /// How much of a rank's whole log is here.
    whole: BTreeMap<Rank, usize>,
    asked: FxHashSet<(Way, Strand, Pos)>,
    /// Events of parts, each of which may come more than once.
    seen: FxHashSet<(Strand, Pos, Sync)>,
    ends: FxHashMap<(Way, Key), Ends>,
}

impl Known {
    /// Nothing, in a job of so many ranks.
    pub fn new(size: u32) -> Self {
        Self {
            size,
            events: Vec::new(),
            strands: FxHashMap::default(),
            whole: BTreeMap::new(),
            asked: FxHashSet::default(),
            seen: FxHashSet::default(),
            ends: FxHashMap::default(),
        }
    }

    /// Whether everybody's log is here: there is nothing to ask then.
    fn is_whole(&self) -> bool {
        self.whole.len() as u64 >= u64::from(self.size)
    }

    /// How many events of a rank's log have come.
    pub fn length(&self, rank: Rank) -> usize {
        self.whole.get(&rank).copied().unwrap_or(0)
    }

    /// A rank's log goes on with these.
    pub fn add_whole(&mut self, rank: Rank, events: Vec<SyncEvent>) {
        *self.whole.entry(rank).or_default() += events.len();
        self.add(events);
    }

    /// Answers have come, or will not: nothing is asked twice. Returns whether there is anything new.
    pub fn add_answers(
        &mut self,
        asked: Questions,
        ends: impl IntoIterator<Item = ((Way, Key), Ends)>,
        events: Vec<SyncEvent>,
    ) -> bool {
        self.asked.extend(asked.parts);
        for key in asked.keys {
            self.ends.entry(key).or_default();
        }
        self.ends.extend(ends);
        let fresh: Vec<SyncEvent> = events
            .into_iter()
            .filter(|e| !self.whole.contains_key(&e.strand.rank) && self.seen.insert((e.strand, e.pos, e.sync)))
            .collect();
        let news = !fresh.is_empty();
        self.add(fresh);
        news
    }

    fn add(&mut self, events: Vec<SyncEvent>) {
        let touched: FxHashSet<Strand> = events.iter().map(|e| e.strand).collect();
        for event in events {
            self.strands.entry(event.strand).or_default().push(self.events.len());
            self.events.push(event);
        }
        for strand in touched {
            self.strands.entry(strand).or_default().sort_by_key(|&i| self.events[i].pos);
        }
    }

    /// All events, those of a strand not always in order.
    pub fn events(&self) -> &[SyncEvent] {
        &self.events
    }

    /// The versions of words of which all updates are here that they are made of.
    pub fn closed(&self) -> Closed {
        if self.is_whole() {
            return Closed::All;
        }
        let mut words: Vec<(Word, u64, &Ends)> = (self.ends.iter())
            .filter_map(|(key, ends)| match *key {
                (Way::Back, Key::Word(word, version)) => Some((word, version, ends)),
                _ => None,
            })
            .collect();
        // What a version goes on with is lower.
        words.sort_unstable_by_key(|&(word, version, _)| (word, version));
        let mut closed = FxHashSet::default();
        for (word, version, ends) in words {
            let rest = ends.then.is_none_or(|lower| closed.contains(&(word, lower)));
            if rest && ends.at.iter().all(|&(strand, pos)| self.holds(Way::Back, strand, pos)) {
                closed.insert((word, version));
            }
        }
        Closed::Some(closed)
    }

    /// Whether what this strand did on that side of the position, up to a global barrier, is here.
    fn holds(&self, way: Way, strand: Strand, pos: Pos) -> bool {
        self.whole.contains_key(&strand.rank) || self.asked.contains(&(way, strand, pos))
    }

    /// What has to be asked to dispel the doubts; nothing, when they are none.
    pub fn questions(&self, doubts: &Doubts) -> Questions {
        if self.is_whole() {
            return Questions::default();
        }
        let mut walk = Walk {
            known: self,
            met: FxHashSet::default(),
            followed: FxHashSet::default(),
            questions: Questions::default(),
            open: Vec::new(),
        };
        walk.open.extend(doubts.at.iter().map(|&(strand, pos)| (Way::Back, strand, pos)));
        for (&rank, &(lo, hi)) in &doubts.between {
            for (&strand, list) in self.strands.iter().filter(|(strand, _)| strand.rank == rank) {
                for &i in self.meanwhile(list, lo, hi) {
                    let pos = self.events[i].pos;
                    walk.open.extend([(Way::Back, strand, pos), (Way::Forth, strand, pos)]);
                }
            }
        }
        walk.go();
        walk.questions
    }

    /// The events of a strand that come neither before the beginning of a phase nor after the end of another, as its own barriers say.
    fn meanwhile<'l>(&self, list: &'l [usize], lo: Phase, hi: Option<Phase>) -> &'l [usize] {
        let before = |&i: &usize| matches!(self.events[i].sync, Sync::Release(Token::Phase(phase)) if phase <= lo);
        let after = |&i: &usize| matches!((self.events[i].sync, hi), (Sync::Acquire(Token::Phase(phase)), Some(hi)) if phase > hi);
        let begin = list.iter().rposition(before).map_or(0, |last| last + 1);
        let end = list.iter().position(after).unwrap_or(list.len());
        list.get(begin..end).unwrap_or_default()
    }
}

/// A walk over what is known.
struct Walk<'k> {
    known: &'k Known,
    met: FxHashSet<(Way, usize)>,
    followed: FxHashSet<(Way, Key)>,
    questions: Questions,
    open: Vec<(Way, Strand, Pos)>,
}

impl Walk<'_> {
    fn go(&mut self) {
        while let Some((way, strand, pos)) = self.open.pop() {
            if !self.known.holds(way, strand, pos) {
                self.questions.parts.insert((way, strand, pos));
                continue;
            }
            let Some(list) = self.known.strands.get(&strand) else { continue };
            let pos_of = |&i: &usize| self.known.events[i].pos;
            match way {
                Way::Back => {
                    let list = &list[..list.partition_point(|i| pos_of(i) <= pos)];
                    self.along(way, list.iter().rev());
                }
                Way::Forth => {
                    let list = &list[list.partition_point(|i| pos_of(i) < pos)..];
                    self.along(way, list.iter());
                }
            }
        }
    }

    /// Goes along a strand until a global barrier, or where it has been before.
    fn along<'l>(&mut self, way: Way, list: impl Iterator<Item = &'l usize>) {
        for &i in list {
            let sync = self.known.events[i].sync;
            if !self.met.insert((way, i)) || is_end(way, sync) {
                return;
            }
            if let Some(key) = Key::of(sync, way) {
                self.follow(way, key);
            }
            if let (Way::Forth, Sync::Observe { word, version }) = (way, sync) {
                // What it saw shows when all is known that this was made of.
                self.follow(Way::Back, Key::Word(word, version));
            }
        }
    }

    fn follow(&mut self, way: Way, mut key: Key) {
        while let Some(ends) = self.known.ends.get(&(way, key)) {
            if !self.followed.insert((way, key)) {
                return;
            }
            self.open.extend(ends.at.iter().map(|&(strand, pos)| (way, strand, pos)));
            match (key, ends.then) {
                (Key::Word(word, _), Some(version)) => key = Key::Word(word, version),
                _ => return,
            }
        }
        self.questions.keys.insert((way, key));
    }
}

/// Whether a walk ends here: at the barrier that it would have to pass.
fn is_end(way: Way, sync: Sync) -> bool {
    match way {
        Way::Back => matches!(sync, Sync::Acquire(Token::Phase(_))),
        Way::Forth => matches!(sync, Sync::Release(Token::Phase(_))),
    }
}

/// What a strand did on one side of a position (itself included) up to a global barrier, which is part of it: a range of its events, which are in order.
pub fn part(way: Way, pos: Pos, events: &[SyncEvent]) -> Range<usize> {
    match way {
        Way::Back => {
            let end = events.partition_point(|e| e.pos <= pos);
            events[..end].iter().rposition(|e| is_end(way, e.sync)).unwrap_or(0)..end
        }
        Way::Forth => {
            let begin = events.partition_point(|e| e.pos < pos);
            let barrier = events[begin..].iter().position(|e| is_end(way, e.sync));
            begin..barrier.map_or(events.len(), |i| begin + i + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Caller, How, Segment};

    /// Two ranks count a word up in turn, each seeing what the other made; the last of it is in doubt.
    #[test]
    fn who_has_everybodys_log_asks_nobody() {
        let word = Word { owner: Rank(0), segment: Segment::Heap, offset: 0 };
        let strand = |rank| Strand::thread(Rank(rank), 0);
        let log = |rank: u32| -> Vec<SyncEvent> {
            let turns = (u64::from(rank)..10).step_by(2).flat_map(|version| {
                let made = Sync::Update { word, version: version + 1, how: How::Modify, via: None, signals: false };
                [Sync::Observe { word, version }, made].map(|sync| (version, sync))
            });
            turns.map(|(at, sync)| SyncEvent { strand: strand(rank), pos: Pos(at), sync, at: Caller(0) }).collect()
        };
        let doubts =
            Doubts { at: [(strand(0), Pos(9)), (strand(1), Pos(9))].into_iter().collect(), ..Doubts::default() };
        let mut known = Known::new(2);
        known.add_whole(Rank(0), log(0));
        assert!(!known.questions(&doubts).is_empty() && !known.closed().holds(word, 8));
        known.add_whole(Rank(1), log(1));
        assert!(known.questions(&doubts).is_empty() && known.closed().holds(word, 8));
    }
}
