//! The patterns that races come in: each has a page that says what the standards say, and how it is usually put right.

use crate::shape::LockReport;
use thrille_model::{Act, Effect, Kind, Race, Side, Why};

/// What a race looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Nothing leads from one rank's access to the other's.
    MissingSynchronisation,
    /// An operation was issued, and nothing completed it.
    MissingCompletion,
    /// Something was completed in between, but not this operation, or not at its far end.
    WrongCompletion,
    /// The near buffer of an operation is used while the operation still needs it.
    BufferReused,
    /// A word is polled with plain loads until somebody changes it.
    HandMadeSignal,
    /// Both sides hold locks, or one does, but no common one.
    NoCommonLock,
    /// Both hold the same lock, but only for reading.
    SharedLock,
    /// Two threads of one rank.
    Threads,
    /// Two tasks of one rank.
    Tasks,
    /// Two atomic operations that are not atomic towards each other.
    MixedAtomics,
    /// An atomic operation and a plain access.
    AtomicAndPlain,
}

impl Pattern {
    /// All of them, in the order in which a reader should meet them.
    pub const ALL: [Self; 11] = [
        Self::MissingSynchronisation,
        Self::MissingCompletion,
        Self::WrongCompletion,
        Self::BufferReused,
        Self::HandMadeSignal,
        Self::NoCommonLock,
        Self::SharedLock,
        Self::Threads,
        Self::Tasks,
        Self::MixedAtomics,
        Self::AtomicAndPlain,
    ];

    /// Its name in the JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::MissingSynchronisation => "missing_synchronisation",
            Self::MissingCompletion => "missing_completion",
            Self::WrongCompletion => "wrong_completion",
            Self::BufferReused => "buffer_reused",
            Self::HandMadeSignal => "hand_made_signal",
            Self::NoCommonLock => "no_common_lock",
            Self::SharedLock => "shared_lock",
            Self::Threads => "threads",
            Self::Tasks => "tasks",
            Self::MixedAtomics => "mixed_atomics",
            Self::AtomicAndPlain => "atomic_and_plain",
        }
    }

    /// By its name, by one of the three kinds of the JSON, or by something close to either.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase().replace(['-', ' '], "_");
        let kind = match word.as_str() {
            "unsynchronised" | "unsynchronized" | "missing_synchronization" => Some(Self::MissingSynchronisation),
            "incomplete" => Some(Self::MissingCompletion),
            "wrong_context" => Some(Self::WrongCompletion),
            _ => None,
        };
        kind.or_else(|| Self::ALL.into_iter().find(|pattern| pattern.word() == word))
    }

    /// In a few words, for a list.
    pub fn gist(self) -> &'static str {
        match self {
            Self::MissingSynchronisation => "nothing leads from one rank's access to the other's",
            Self::MissingCompletion => "an operation was issued, and nothing completed it",
            Self::WrongCompletion => "what was completed in between was something else",
            Self::BufferReused => "a buffer is used while an operation still needs it",
            Self::HandMadeSignal => "a word is polled by plain loads",
            Self::NoCommonLock => "locks are held, but no common one",
            Self::SharedLock => "the common lock is held for reading only",
            Self::Threads => "two threads of one rank",
            Self::Tasks => "two tasks of one rank",
            Self::MixedAtomics => "two atomics that are not atomic towards each other",
            Self::AtomicAndPlain => "an atomic and a plain access",
        }
    }
}

/// The pattern of a race whose sides hold these locks: the one whose page helps most.
pub fn of(race: &Race, [a_locks, b_locks]: [&[LockReport]; 2]) -> Pattern {
    let (a, b) = (&race.first, &race.second);
    let near = matches!(a.act, Act::Buffer | Act::Collective);
    let is_atomic = |side: &Side| matches!(side.kind, Kind::Atomic(_));
    match race.why {
        Why::Incomplete | Why::WrongContext if near => Pattern::BufferReused,
        Why::Incomplete => Pattern::MissingCompletion,
        Why::WrongContext => Pattern::WrongCompletion,
        Why::Tasks if !a_locks.is_empty() && !b_locks.is_empty() => Pattern::NoCommonLock,
        Why::Tasks => Pattern::Tasks,
        Why::Unsynchronised if polls(race) => Pattern::HandMadeSignal,
        Why::Unsynchronised if a_locks.iter().any(|x| b_locks.iter().any(|y| x.name == y.name)) => Pattern::SharedLock,
        Why::Unsynchronised if !a_locks.is_empty() || !b_locks.is_empty() => Pattern::NoCommonLock,
        Why::Unsynchronised if a.strand.rank == b.strand.rank && a.strand != b.strand => Pattern::Threads,
        Why::Unsynchronised => match (is_atomic(a), is_atomic(b)) {
            (true, true) => Pattern::MixedAtomics,
            (true, false) | (false, true) => Pattern::AtomicAndPlain,
            (false, false) => Pattern::MissingSynchronisation,
        },
    }
}

/// Whether a word is read again and again until somebody else changes it.
pub fn polls(race: &Race) -> bool {
    let reads =
        |side: &Side| side.kind == Kind::Read && side.act == Act::Load && side.bytes.len() <= 8 && side.times > 1;
    let sets = |side: &Side| match side.kind {
        Kind::Atomic(atomic) => atomic.effect == Effect::Update,
        Kind::Write => true,
        Kind::Read | Kind::Await => false,
    };
    let fits = |reader: &Side, writer: &Side| {
        reads(reader) && sets(writer) && reader.strand != writer.strand && writer.bytes.covers(reader.bytes)
    };
    let (a, b) = (&race.first, &race.second);
    fits(a, b) || fits(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_pages() {
        for pattern in Pattern::ALL {
            assert_eq!(Pattern::named(pattern.word()), Some(pattern));
            assert_eq!(Pattern::named(&pattern.word().replace('_', "-").to_uppercase()), Some(pattern));
        }
        assert_eq!(Pattern::named("wrong_context"), Some(Pattern::WrongCompletion));
        assert_eq!(Pattern::named("weather"), None);
    }
}
