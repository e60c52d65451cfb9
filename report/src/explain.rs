//! Why the two sides of a race are unordered, and what may help: in words, from the facts of the record.

use crate::shape::{LockReport, PhaseRange, WhyReport};
use crate::{api, words};
use thrille_model::job::Api;
use thrille_model::{Act, Effect, Kind, Phases, Race, Side, Why};

/// The explanation of a race whose sides hold these locks; `also` are further reasons met at the same two places.
pub fn explain(race: &Race, also: &[Why], locks: [&[LockReport]; 2], api: Api) -> WhyReport {
    let mut text = reason(race, race.why, api);
    for &why in also {
        text = format!("{text}; at other times: {}", reason(race, why, api));
    }
    let hints = lock_hint(locks).into_iter().chain(signal_hint(race, api)).chain(remedy(race, api)).collect();
    let kind = match race.why {
        Why::Unsynchronised => "unsynchronised",
        Why::Incomplete => "incomplete",
        Why::WrongContext => "wrong_context",
    };
    WhyReport { kind, text, hints }
}

fn reason(race: &Race, why: Why, api: Api) -> String {
    let (a, b) = (&race.first, &race.second);
    match why {
        Why::Unsynchronised => {
            let (x, y) = (a.strand, b.strand);
            let when = if x.rank == y.rank && x != y {
                format!("threads {} and {} of {} run at the same time", x.index, y.index, x.rank)
            } else {
                phases(a.phases, b.phases)
            };
            format!("nothing orders them: {when} and no synchronisation leads from one to the other")
        }
        Why::Incomplete | Why::WrongContext => {
            format!("{} was issued before, {}", operation(a), api::incomplete(api, a, why))
        }
    }
}

/// What would order two ranks' accesses; threads and incomplete operations have been told already.
fn remedy(race: &Race, api: Api) -> Option<String> {
    let (a, b) = (&race.first, &race.second);
    let ranks = race.why == Why::Unsynchronised && a.strand.rank != b.strand.rank;
    ranks.then(|| format!("what would help: {}", api::remedy(api, [a, b])))
}

fn operation(side: &Side) -> String {
    match side.act {
        Act::Buffer => "the operation that uses the buffer (a)".into(),
        _ => format!("the {} (a)", words::thing(side)),
    }
}

fn phases(a: Phases, b: Phases) -> String {
    if a == b && a.hi == Some(a.lo) {
        return format!("both fall into phase {}", a.lo.0);
    }
    format!("a falls into {}, b into {}", range(a), range(b))
}

fn range(phases: Phases) -> String {
    match PhaseRange::from(phases) {
        PhaseRange { first, last: Some(last) } if first == last => format!("phase {first}"),
        PhaseRange { first, last: Some(last) } => format!("phases {first} to {last}"),
        PhaseRange { first, last: None } => format!("phase {first} or later"),
    }
}

impl From<Phases> for PhaseRange {
    fn from(phases: Phases) -> Self {
        Self { first: phases.lo.0, last: phases.hi.map(|hi| hi.0) }
    }
}

/// Locks that do not protect.
fn lock_hint([a, b]: [&[LockReport]; 2]) -> Option<String> {
    let names = |locks: &[LockReport]| {
        let names = locks.iter().map(|l| match l.mode {
            "shared" => format!("{} (shared)", l.name),
            _ => l.name.clone(),
        });
        names.collect::<Vec<_>>().join(" and ")
    };
    let common = a.iter().find(|x| b.iter().any(|y| x.name == y.name));
    Some(match (a, b) {
        ([], []) => return None,
        _ if common.is_some() => {
            let name = common.map_or("", |lock| &lock.name);
            format!("both hold {name}, but only for reading: a lock protects when one side holds it exclusively")
        }
        (a, []) => format!("a holds {}, b holds no lock: no common lock protects both", names(a)),
        ([], b) => format!("b holds {}, a holds no lock: no common lock protects both", names(b)),
        (a, b) => format!("a holds {}, b holds {}: no common lock protects both", names(a), names(b)),
    })
}

fn signal_hint(race: &Race, api: Api) -> Option<String> {
    is_signal(race).then(|| format!("this looks like a hand-made signal: use {}", api::signal(api)))
}

/// A word that is read again and again until somebody else changes it.
pub fn is_signal(race: &Race) -> bool {
    let polls =
        |side: &Side| side.kind == Kind::Read && side.act == Act::Load && side.bytes.len() <= 8 && side.times > 1;
    let sets = |side: &Side| match side.kind {
        Kind::Atomic(atomic) => atomic.effect == Effect::Update,
        Kind::Write => true,
        Kind::Read | Kind::Await => false,
    };
    let fits = |reader: &Side, writer: &Side| {
        polls(reader) && sets(writer) && reader.strand != writer.strand && writer.bytes.covers(reader.bytes)
    };
    let (a, b) = (&race.first, &race.second);
    fits(a, b) || fits(b, a)
}
