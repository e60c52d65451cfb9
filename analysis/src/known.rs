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

use crate::directory::{At, Key, Way};
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

/// The logs of some ranks, and parts of others'.
#[derive(Default)]
pub struct Known {
    events: Vec<SyncEvent>,
    /// Indices of each strand's events, by position.
    strands: FxHashMap<Strand, Vec<usize>>,
    /// How much of a rank's whole log is here.
    whole: BTreeMap<Rank, usize>,
    asked: FxHashSet<(Way, Strand, Pos)>,
    /// Events of parts, each of which may come more than once.
    seen: FxHashSet<(Strand, Pos, Sync)>,
    ends: FxHashMap<(Way, Key), Vec<At>>,
}

impl Known {
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
        ends: impl IntoIterator<Item = ((Way, Key), Vec<At>)>,
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
    pub fn closed(&self) -> FxHashSet<(Word, u64)> {
        let closed = |((way, key), ends): (&(Way, Key), &Vec<At>)| match (way, key) {
            (Way::Back, Key::Word(word, version)) => {
                ends.iter().all(|&(strand, pos)| self.holds(Way::Back, strand, pos)).then_some((*word, *version))
            }
            _ => None,
        };
        self.ends.iter().filter_map(closed).collect()
    }

    /// Whether what this strand did on that side of the position, up to a global barrier, is here.
    fn holds(&self, way: Way, strand: Strand, pos: Pos) -> bool {
        self.whole.contains_key(&strand.rank) || self.asked.contains(&(way, strand, pos))
    }

    /// What has to be asked to dispel the doubts; nothing, when they are none.
    pub fn questions(&self, doubts: &Doubts) -> Questions {
        let mut walk =
            Walk { known: self, met: FxHashSet::default(), questions: Questions::default(), open: Vec::new() };
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

    fn follow(&mut self, way: Way, key: Key) {
        match self.known.ends.get(&(way, key)) {
            Some(ends) => self.open.extend(ends.iter().map(|&(strand, pos)| (way, strand, pos))),
            None => _ = self.questions.keys.insert((way, key)),
        }
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
