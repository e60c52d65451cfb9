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
            (Sync::Acquire(token), Way::Back) | (Sync::Release(token), Way::Forth) => Some(Self::Token(token)),
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

#[derive(Default)]
struct Ends {
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
    tokens: FxHashMap<Token, Ends>,
    words: FxHashMap<Word, Versions>,
}

impl Directory {
    /// Learns of an event.
    pub fn register(&mut self, event: &SyncEvent) {
        let at = (event.strand, event.pos);
        match event.sync {
            Sync::Release(token) => self.tokens.entry(token).or_default().releases.push(at),
            Sync::Acquire(token) => self.tokens.entry(token).or_default().acquires.push(at),
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
            | Sync::Fence(_) => {}
        }
    }

    /// The other ends of a token or of a version of a word.
    pub fn find(&self, way: Way, key: &Key) -> Vec<At> {
        match *key {
            Key::Token(token) => {
                let Some(ends) = self.tokens.get(&token) else { return Vec::new() };
                if way == Way::Back { ends.releases.clone() } else { ends.acquires.clone() }
            }
            Key::Word(word, version) => {
                let Some(versions) = self.words.get(&word) else { return Vec::new() };
                if way == Way::Back { versions.contained_in(version) } else { versions.that_contain(version) }
            }
        }
    }
}

impl Versions {
    /// The updates that a version is made of: back to the last that set it.
    fn contained_in(&self, version: u64) -> Vec<At> {
        let mut list = Vec::new();
        for (how, at) in self.updates.range(..=version).rev().map(|(_, update)| update) {
            list.push(*at);
            if *how == How::Set {
                break;
            }
        }
        list
    }

    /// The observations of all versions that this one is a part of.
    fn that_contain(&self, version: u64) -> Vec<At> {
        let next = version.saturating_add(1);
        let end = self.updates.range(next..).find(|(_, (how, _))| *how == How::Set).map_or(u64::MAX, |(&v, _)| v);
        self.observes.range(version..end.max(version)).flat_map(|(_, at)| at.iter().copied()).collect()
    }
}
