//! Who is at the other end: a directory of what synchronises strands, spread over the ranks.
//!
//! Every token and every word has a *home*, a rank that all ranks can name without asking: of a message its receiver, of a word its owner, of what happens
//! within a rank that rank; of a collective any rank, by its number. Ranks tell a home what they did there, so that it can say who released what
//! somebody acquired. Homes are partners of the program's own, except for those of collectives, of which a rank has one for each that it took part in.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault};
use thrille_model::{How, Lock, Pos, Rank, Strand, Sync, SyncEvent, Token, Word};

/// A place in the logs.
pub type At = (Strand, Pos);

/// Against time, to what comes before, or with it, to what comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Way {
    /// To what comes before.
    Back,
    /// To what comes after.
    Forth,
}

/// What an event has in common with those that it synchronises with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Key {
    /// A token.
    Token(Token),
    /// A version of a word.
    Word(Word, u64),
}

impl Key {
    /// What leads from an event to others on this way, if anything does. Global barriers do not: they lead everywhere.
    pub fn of(sync: Sync, way: Way) -> Option<Self> {
        match (sync, way) {
            (Sync::Acquire(Token::Phase(_)) | Sync::Release(Token::Phase(_)), _) => None,
            (Sync::Acquire(token) | Sync::Peek(token), Way::Back)
            | (Sync::Release(token) | Sync::Handed(_, token), Way::Forth) => Some(Self::Token(token)),
            (Sync::Observe { word, version }, Way::Back) | (Sync::Update { word, version, .. }, Way::Forth) => {
                Some(Self::Word(word, version))
            }
            _ => None,
        }
    }

    /// The rank that knows about it, in a job of so many.
    pub fn home(&self, size: u32) -> Rank {
        let any = |number: u64| Rank((number % u64::from(size.max(1))) as u32);
        let hashed = |lock: Lock| any(BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(lock));
        let rank = match *self {
            Self::Word(word, _) => word.owner,
            Self::Token(token) => match token {
                Token::Phase(phase) => any(phase.0),
                Token::Fork(strand) | Token::Exit(strand) | Token::Fence { strand, .. } => strand.rank,
                Token::Collective { group, seq } => {
                    any(group.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32) ^ seq)
                }
                Token::Message { to, .. } => to,
                Token::Flow(flow) => flow.to.0.rank,
                Token::Handover { lock, .. } => match lock {
                    Lock::Process(rank, _) | Lock::Window(_, rank) => rank,
                    Lock::Symmetric(..) => hashed(lock),
                },
                Token::Local { rank, .. } => rank,
            },
        };
        any(u64::from(rank.0))
    }
}

/// The home of this event, if others have to find it.
pub fn home(sync: Sync, size: u32) -> Option<Rank> {
    Key::of(sync, Way::Back).or_else(|| Key::of(sync, Way::Forth)).map(|key| key.home(size))
}

/// The other ends of a token or of a version of a word.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ends {
    /// Where they are.
    pub at: Vec<At>,
    /// Those of this version of the same word belong to them, too: who asks for many versions is told of each update once.
    pub then: Option<u64>,
}

#[derive(Default)]
struct Known {
    releases: Vec<At>,
    acquires: Vec<At>,
}

#[derive(Default)]
struct Versions {
    updates: BTreeMap<u64, (How, At)>,
    observes: BTreeMap<u64, Vec<At>>,
}

/// What one home knows.
#[derive(Default)]
pub struct Directory {
    tokens: FxHashMap<Token, Known>,
    words: FxHashMap<Word, Versions>,
}

impl Directory {
    /// Learns of an event.
    pub fn register(&mut self, event: &SyncEvent) {
        let at = (event.strand, event.pos);
        match event.sync {
            Sync::Release(token) => self.tokens.entry(token).or_default().releases.push(at),
            Sync::Acquire(token) | Sync::Peek(token) => self.tokens.entry(token).or_default().acquires.push(at),
            Sync::Update { word, version, how, .. } => {
                self.words.entry(word).or_default().updates.insert(version, (how, at));
            }
            Sync::Observe { word, version } => {
                self.words.entry(word).or_default().observes.entry(version).or_default().push(at);
            }
            Sync::Quiet(_)
            | Sync::Lock(..)
            | Sync::Unlock(..)
            | Sync::Share(..)
            | Sync::Unshare { .. }
            | Sync::Fence(_)
            | Sync::Handed(..) => {}
        }
    }

    /// The other ends of these, in the same order. Versions of one word that stand in a row, in order, share what they have in common.
    pub fn find(&self, keys: &[(Way, Key)]) -> Vec<Ends> {
        let next_to = |way: Way, word: Word, at: Option<usize>| match at.and_then(|i| keys.get(i)) {
            Some(&(same, Key::Word(other, version))) if (same, other) == (way, word) => Some(version),
            _ => None,
        };
        let found = keys.iter().enumerate().map(|(i, &(way, key))| match (way, key) {
            (_, Key::Token(token)) => {
                let Some(ends) = self.tokens.get(&token) else { return Ends::default() };
                let at = if way == Way::Back { ends.releases.clone() } else { ends.acquires.clone() };
                Ends { at, then: None }
            }
            (_, Key::Word(word, version)) => {
                let Some(versions) = self.words.get(&word) else { return Ends::default() };
                match way {
                    Way::Back => versions.contained_in(version, next_to(way, word, i.checked_sub(1))),
                    Way::Forth => versions.that_contain(version, next_to(way, word, Some(i + 1))),
                }
            }
        });
        found.collect()
    }
}

impl Versions {
    /// The updates that a version is made of: back to the last that set it, or to a version that others are asked of, too.
    fn contained_in(&self, version: u64, lower: Option<u64>) -> Ends {
        let mut at = Vec::new();
        let first = lower.map_or(0, |lower| lower.saturating_add(1));
        for (how, update) in self.updates.range(first..=version.max(first)).rev().map(|(_, update)| update) {
            at.push(*update);
            if *how == How::Set {
                return Ends { at, then: None };
            }
        }
        Ends { at, then: lower }
    }

    /// The observations of all versions that this one is a part of, likewise.
    fn that_contain(&self, version: u64, higher: Option<u64>) -> Ends {
        let next = version.saturating_add(1);
        let end = self.updates.range(next..).find(|(_, (how, _))| *how == How::Set).map_or(u64::MAX, |(&v, _)| v);
        let then = higher.filter(|&higher| higher < end);
        let end = then.unwrap_or(end).max(version);
        Ends { at: self.observes.range(version..end).flat_map(|(_, at)| at.iter().copied()).collect(), then }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Caller, Segment};

    /// Set, counted up to 5, set again, counted up to 7; 3, 5 and 7 are seen.
    #[test]
    fn each_update_is_told_once() {
        let word = Word { owner: Rank(0), segment: Segment::Heap, offset: 0 };
        let mut directory = Directory::default();
        let mut register = |pos: u64, sync| {
            let strand = Strand::thread(Rank(0), 0);
            directory.register(&SyncEvent { strand, pos: Pos(pos), sync, at: Caller(0) });
        };
        for version in 1..8 {
            let how = if version == 1 || version == 6 { How::Set } else { How::Modify };
            register(version, Sync::Update { word, version, how, via: None, signals: false });
        }
        for version in [3, 5, 7] {
            register(10 + version, Sync::Observe { word, version });
        }
        let found = |way, versions: [u64; 3]| -> Vec<(Vec<u64>, Option<u64>)> {
            let ends = directory.find(&versions.map(|version| (way, Key::Word(word, version))));
            ends.into_iter().map(|ends| (ends.at.iter().map(|(_, pos)| pos.0).collect(), ends.then)).collect()
        };
        assert_eq!(found(Way::Back, [3, 5, 7]), [(vec![3, 2, 1], None), (vec![5, 4], Some(3)), (vec![7, 6], None)]);
        assert_eq!(found(Way::Forth, [2, 4, 6]), [(vec![13], Some(4)), (vec![15], None), (vec![17], None)]);
    }
}
