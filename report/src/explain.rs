//! Why the two sides of a race are unordered, and what may help: in words, from the facts of the record.

use crate::shape::{LockReport, PhaseRange, WhyReport};
use crate::{api, pattern, words};
use thrille_model::job::Api;
use thrille_model::{Act, Phases, Race, Side, Why};

/// The explanation of a race whose sides hold these locks; `also` are further reasons met at the same two places.
pub fn explain(race: &Race, also: &[Why], locks: [&[LockReport]; 2], api: Api) -> WhyReport {
    let mut text = reason(race, race.why, api);
    for &why in also {
        text = format!("{text}; at other times: {}", reason(race, why, api));
    }
    let pattern = pattern::of(race, locks).word();
    // A lock does not keep its holder from itself.
    let alone = race.first.strand == race.second.strand;
    let hints = lock_hint(locks, [&race.first, &race.second])
        .filter(|_| !alone)
        .into_iter()
        .chain(signal_hint(race, api))
        .chain(remedy(race, api))
        .collect();
    let kind = match race.why {
        Why::Unsynchronised => "unsynchronised",
        Why::Incomplete => "incomplete",
        Why::WrongContext => "wrong_context",
        Why::Tasks => "tasks",
    };
    WhyReport { kind: kind.into(), pattern: pattern.into(), text, hints, fix: None }
}

fn reason(race: &Race, why: Why, api: Api) -> String {
    let (a, b) = (&race.first, &race.second);
    match why {
        Why::Unsynchronised => {
            let (x, y) = (a.strand, b.strand);
            let when = if x.rank == y.rank && x != y {
                format!("{} of {} run at the same time", words::strands(x, y), x.rank)
            } else {
                phases(a.phases, b.phases)
            };
            format!("nothing orders them: {when} and no synchronisation leads from one to the other")
        }
        Why::Tasks => format!(
            "two tasks of {}, or a task and what comes after its creation: whichever ran first in this run, no taskwait, taskgroup or \
             barrier orders them",
            a.strand.rank
        ),
        Why::Incomplete | Why::WrongContext => {
            format!("{} was issued before, {}", operation(a), api::incomplete(api, a, why))
        }
    }
}

/// What would order two accesses that nothing orders; incomplete operations have been told already.
fn remedy(race: &Race, api: Api) -> Option<String> {
    let (a, b) = (&race.first, &race.second);
    if race.why == Why::Tasks {
        return Some(
            "what would help: a taskwait or taskgroup that ends before the second, depend clauses on both, or one critical around both".into(),
        );
    }
    let help = if a.strand.rank == b.strand.rank { api::thread_remedy(api, [a, b]) } else { api::remedy(api, [a, b]) };
    (race.why == Why::Unsynchronised).then(|| format!("what would help: {help}"))
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
fn lock_hint([a, b]: [&[LockReport]; 2], [of_a, of_b]: [&Side; 2]) -> Option<String> {
    let names = |locks: &[LockReport]| {
        let names = locks.iter().map(|l| match l.mode.as_ref() {
            "shared" => format!("{} (shared)", l.name),
            _ => l.name.clone(),
        });
        names.collect::<Vec<_>>().join(" and ")
    };
    let none = |side: &Side| match side.ctx {
        Some(_) => "no lock up to its completion, before which a lock around it must not be given back",
        None => "no lock",
    };
    let common = a.iter().find(|x| b.iter().any(|y| x.name == y.name));
    Some(match (a, b) {
        ([], []) => return None,
        _ if common.is_some() => {
            let name = common.map_or("", |lock| &lock.name);
            format!("both hold {name}, but only for reading: a lock protects when one side holds it exclusively")
        }
        (a, []) => format!("a holds {}, b holds {}: no common lock protects both", names(a), none(of_b)),
        ([], b) => format!("b holds {}, a holds {}: no common lock protects both", names(b), none(of_a)),
        (a, b) => format!("a holds {}, b holds {}: no common lock protects both", names(a), names(b)),
    })
}

fn signal_hint(race: &Race, api: Api) -> Option<String> {
    pattern::polls(race).then(|| format!("this looks like a hand-made signal: use {}", api::signal(api)))
}
