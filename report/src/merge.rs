//! One race per unordered pair of (source location, act).
//!
//! A rank reports pairs of instructions; a source line may be several instructions, and every rank meets the same lines. Which of
//! the merged pairs is shown as the example does not depend on the order in which they were found.

use crate::modules::Modules;
use crate::places::{self, is_atomic_operation};
use crate::records::RankRecords;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use thrille_model::{Act, Race, Rank, Side, Site, StackId, Why};

/// A place in the program, however much is known of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Source(String, u32, Option<u32>),
    Machine(Site),
}

type Key = (Rc<Spot>, Act);

/// Races between the same two places.
#[derive(Debug)]
pub struct Merged {
    /// The one to show: its first side is side a.
    pub example: Race,
    /// In whose memory.
    pub owners: BTreeSet<u32>,
    /// Who was side a.
    pub first: BTreeSet<u32>,
    /// Who was side b.
    pub second: BTreeSet<u32>,
    /// All other reasons met besides the example's.
    pub also: Vec<Why>,
    /// Sum.
    pub seen: u64,
    /// The same for each two ranks, that of side a first.
    pub pairs: BTreeMap<(u32, u32), u64>,
    /// All of them; the first side of each is side a.
    pub all: Vec<Race>,
}

/// Merges the races of all ranks; sorted by place.
pub fn merge(races: Vec<Race>, modules: &mut Modules, ranks: &[RankRecords]) -> Vec<Merged> {
    let spots = &mut Spots { modules, ranks, known: HashMap::new() };
    let mut groups: BTreeMap<(Key, Key), Vec<Race>> = BTreeMap::new();
    for race in races {
        if [&race.first, &race.second].iter().all(|side| is_atomic_operation(side, spots.modules, spots.ranks)) {
            continue;
        }
        let (a, b) = (spots.key(&race.first), spots.key(&race.second));
        let pair = if a <= b { (a, b) } else { (b, a) };
        groups.entry(pair).or_default().push(race);
    }
    let mut merged: Vec<((Key, Key), Merged)> = groups
        .into_iter()
        .map(|((low, high), mut races)| {
            for race in &mut races {
                // What comes first means something for operations that are incomplete; otherwise the source's order is as good.
                if race.why == Why::Unsynchronised && spots.key(&race.first) > spots.key(&race.second) {
                    std::mem::swap(&mut race.first, &mut race.second);
                }
            }
            races.sort_by_key(preference);
            let swapped = spots.key(&races[0].first) != low;
            let place = if swapped { (high, low) } else { (low, high) };
            let merged = group(races, &place.0, spots);
            (place, merged)
        })
        .collect();
    merged.sort_by(|(a, _), (b, _)| a.cmp(b));
    merged.into_iter().map(|(_, merged)| merged).collect()
}

fn group(races: Vec<Race>, a: &Key, spots: &mut Spots) -> Merged {
    let example = races[0].clone();
    let (owners, first, second) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (also, pairs, all) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut merged = Merged { example, owners, first, second, also, seen: 0, pairs, all };
    for mut race in races {
        let same = spots.key(&race.first) == *a;
        let (one, other) = if same { (&race.first, &race.second) } else { (&race.second, &race.first) };
        merged.owners.insert(race.object.owner.0);
        merged.first.insert(one.strand.rank.0);
        merged.second.insert(other.strand.rank.0);
        merged.seen += race.seen;
        *merged.pairs.entry((one.strand.rank.0, other.strand.rank.0)).or_default() += race.seen;
        if race.why != merged.example.why && !merged.also.contains(&race.why) {
            merged.also.push(race.why);
        }
        if !same {
            std::mem::swap(&mut race.first, &mut race.second);
        }
        // Only the example's is shown.
        race.around = Vec::new();
        merged.all.push(race);
    }
    merged
}

/// The plainest reason, the lowest ranks, the first bytes.
fn preference(race: &Race) -> impl Ord + use<> {
    let why = match race.why {
        Why::Unsynchronised => 0,
        Why::Incomplete => 1,
        Why::WrongContext => 2,
        Why::Tasks => 3,
    };
    let side = |side: &Side| (side.strand, side.site, side.bytes, side.stack);
    (why, race.object.owner, side(&race.first), side(&race.second), race.object.offset)
}

/// From where something was called.
type Called = (Rank, StackId);

/// The spots of sites, each looked up once: a place may be met a hundred thousand times. If a site is named by who called it, that counts too.
struct Spots<'a> {
    modules: &'a mut Modules,
    ranks: &'a [RankRecords],
    known: HashMap<(Site, Option<Called>), Rc<Spot>>,
}

impl Spots<'_> {
    fn key(&mut self, side: &Side) -> Key {
        let Self { modules, ranks, known } = self;
        let called = (!places::is_at_site(side, modules)).then_some((side.strand.rank, side.stack));
        let spot = known.entry((side.site, called)).or_insert_with(|| {
            let at = &places::frames(side, modules, ranks)[0];
            Rc::new(match (&at.path, at.line) {
                (Some(path), Some(line)) => Spot::Source(path.clone(), line, at.column),
                _ => Spot::Machine(side.site.instruction()),
            })
        });
        (Rc::clone(spot), side.act)
    }
}
