//! What to look for: the two places of a predicted race, and which of their executions matter.

use crate::schedule::{Late, Turn};
use serde::{Deserialize, Serialize};
use thrille_model::{Act, Kind, Race, Rank, Segment, Site, Strand};

/// A place of the program and what it does there: one call may read a buffer and write far memory.
pub type Spot = (Site, Act);

/// One of the two sides of a race, as the report names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// The report's a.
    A,
    /// The report's b.
    B,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// For tables of two.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Which executions of a place: those on these bytes in these phases. An empty list is no condition.
/// The bytes are in order and apart, so that a look is a search: a sample of an array has hundreds of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Wanted {
    /// Offsets in the object, from and up to: symmetric memory from its start, windows and allocations from theirs.
    pub offsets: Vec<(u64, u64)>,
    /// Global barriers passed, at least and at most.
    pub phases: Vec<(u64, Option<u64>)>,
    /// Who.
    pub ranks: Vec<u32>,
}

impl Wanted {
    /// Whether an execution is among them. `offset` is none where the object is not known.
    pub fn includes(&self, rank: u32, offset: Option<(u64, u64)>, phase: u64) -> bool {
        let here = |(from, to): (u64, u64)| {
            let first = self.offsets.partition_point(|&(_, hi)| hi <= from);
            self.offsets.get(first).is_some_and(|&(lo, _)| lo < to)
        };
        let now = |&(first, last): &(u64, Option<u64>)| first <= phase && last.is_none_or(|last| phase <= last);
        (self.offsets.is_empty() || offset.is_none_or(here))
            && (self.phases.is_empty() || self.phases.iter().any(now))
            && (self.ranks.is_empty() || self.ranks.contains(&rank))
    }
}

/// A place where strands are stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSite {
    /// Which.
    pub spot: Spot,
    /// Which executions: any of these.
    pub wanted: Vec<Wanted>,
    /// If given, only these, and what the same strands or tasks execute later.
    pub only: Option<Vec<Turn>>,
}

impl LiveSite {
    /// Whether anybody of a rank may be stopped there.
    pub fn stops(&self, rank: u32) -> bool {
        let named = |turns: &Vec<Turn>| turns.iter().any(|turn| turn.strand.rank.0 == rank);
        let wanted = |wanted: &Wanted| wanted.ranks.is_empty() || wanted.ranks.contains(&rank);
        self.only.as_ref().is_none_or(named) && self.wanted.iter().any(wanted)
    }
}

/// A predicted race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number in the report.
    pub number: usize,
    /// The pairs of places that the report shows as one, side a first.
    pub pairs: Vec<(Spot, Spot)>,
    /// The same as phase 1 named them: what a function does for two lines that call it are two places.
    pub named: Vec<(Spot, Spot)>,
    /// Of a side that is what a function does for the line that calls it: where that returns to, as an offset in its file.
    pub called: [u64; 2],
    /// Which executions of each side.
    pub wanted: [Wanted; 2],
    /// Both sides write.
    pub write_write: bool,
    /// How often it was met.
    pub seen: u64,
    /// A word that one side polls and the other sets.
    pub flag: bool,
    /// Both sides are one strand's own: nobody else has to come, so nobody is held for it.
    pub alone: bool,
    /// A side that loads a word: if it does so again and again, it polls it.
    pub loads_word: Option<Side>,
}

impl Candidate {
    /// From the records that the report shows as one race; the first side of each is the report's side a.
    pub fn new(number: usize, races: &[Race], flag: bool) -> Self {
        let mut new = Self {
            number,
            pairs: Vec::new(),
            named: Vec::new(),
            called: [0; 2],
            wanted: [Wanted::default(), Wanted::default()],
            write_write: false,
            seen: 0,
            flag,
            alone: races.iter().all(|race| race.first.strand == race.second.strand),
            loads_word: None,
        };
        let mut anywhere = false;
        for race in races {
            let pair = ((race.first.site, race.first.act), (race.second.site, race.second.act));
            if !new.named.contains(&pair) {
                new.named.push(pair);
            }
            let ((a, a_act), (b, b_act)) = pair;
            let pair = ((a.instruction(), a_act), (b.instruction(), b_act));
            if !new.pairs.contains(&pair) {
                new.pairs.push(pair);
            }
            let common = race.first.bytes.intersection(race.second.bytes).unwrap_or(race.first.bytes);
            match base(race) {
                Some(base) => {
                    let range = (common.lo().saturating_sub(base), common.hi().saturating_sub(base));
                    new.wanted.iter_mut().for_each(|wanted| wanted.offsets.push(range));
                }
                None => anywhere = true,
            }
            for (index, side) in [&race.first, &race.second].into_iter().enumerate() {
                if side.act == Act::Load && side.bytes.len() <= 8 {
                    new.loads_word = Some(if index == 0 { Side::A } else { Side::B });
                }
                new.wanted[index].phases.push((side.phases.lo.0, side.phases.hi.map(|hi| hi.0)));
                new.wanted[index].ranks.push(side.strand.rank.0);
            }
            let writes = |kind: Kind| !matches!(kind, Kind::Read | Kind::Await);
            new.write_write |= writes(race.first.kind) && writes(race.second.kind);
            new.seen += race.seen;
        }
        for wanted in &mut new.wanted {
            if anywhere {
                wanted.offsets.clear();
            }
            join(&mut wanted.offsets);
            wanted.phases.sort_unstable();
            wanted.phases.dedup();
            wanted.ranks.sort_unstable();
            wanted.ranks.dedup();
        }
        new
    }

    /// Whether what stands there with this stack is this side, and not the same function called by another line.
    pub fn is_called_from(&self, side: Side, stack: &[Site]) -> bool {
        let site = |&(a, b): &(Spot, Spot)| if side == Side::A { a.0 } else { b.0 };
        let callers = self.named.iter().map(site).any(|site| site != site.instruction());
        !callers || stack.iter().any(|call| call.offset == self.called[side.index()])
    }

    /// Whether two executions are among those of its sides.
    pub fn includes(&self, a: &Turn, b: &Turn) -> bool {
        let wanted =
            |turn: &Turn, side: Side| self.wanted[side.index()].includes(turn.strand.rank.0, turn.bytes, turn.phase);
        self.sides(a.spot, b.spot).is_some_and(|(x, y)| wanted(a, x) && wanted(b, y))
    }

    /// The ranks that phase 1 saw on a side.
    pub fn ranks(&self, side: Side) -> &[u32] {
        &self.wanted[side.index()].ranks
    }

    /// A strand of a side comes late to the phase in which phase 1 saw it.
    pub fn late(&self, side: Side) -> Option<Late> {
        let Wanted { ranks, phases, .. } = &self.wanted[side.index()];
        let strand = Strand { rank: Rank(*ranks.first()?), index: 0 };
        Some(Late { strand, phase: phases.first()?.0 })
    }

    /// The same with every execution of its places.
    #[must_use]
    pub fn anywhere(&self) -> Self {
        Self { wanted: [Wanted::default(), Wanted::default()], ..self.clone() }
    }

    /// The side that a spot is of, towards another spot of the race.
    pub fn sides(&self, x: Spot, y: Spot) -> Option<(Side, Side)> {
        if self.pairs.contains(&(x, y)) {
            Some((Side::A, Side::B))
        } else if self.pairs.contains(&(y, x)) {
            Some((Side::B, Side::A))
        } else {
            None
        }
    }

    /// The sides that a spot may be of.
    pub fn sides_of(&self, spot: Spot) -> impl Iterator<Item = Side> + '_ {
        let a = self.pairs.iter().any(|&(a, _)| a == spot).then_some(Side::A);
        let b = self.pairs.iter().any(|&(_, b)| b == spot).then_some(Side::B);
        a.into_iter().chain(b)
    }

    /// Where its sides are.
    pub fn spots(&self) -> impl Iterator<Item = (Spot, Side)> + '_ {
        self.pairs.iter().flat_map(|&(a, b)| [(a, Side::A), (b, Side::B)])
    }

    /// Both sides that write first, then what was met most often.
    pub fn rank(&self) -> impl Ord + use<> {
        (!self.write_write, std::cmp::Reverse(self.seen), self.number)
    }
}

/// What the offsets of a race's bytes count from, if that is something which is the same in every run.
fn base(race: &Race) -> Option<u64> {
    match (race.object.segment, race.object.allocation) {
        (Segment::Heap | Segment::Statics | Segment::Window(_), _) => Some(0),
        (Segment::Private, Some((_, start, ..))) => Some(start),
        (Segment::Private | Segment::Block(_) | Segment::File(_), _) => None,
    }
}

/// Puts ranges in order, those that touch each other as one.
fn join(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|later, kept| {
        let touches = later.0 <= kept.1;
        if touches {
            kept.1 = kept.1.max(later.1);
        }
        touches
    });
}

/// The places of some candidates, each once.
pub fn live_sites<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Vec<LiveSite> {
    let mut live: Vec<LiveSite> = Vec::new();
    for candidate in candidates {
        for (spot, side) in candidate.spots() {
            let wanted = &candidate.wanted[side.index()];
            match live.iter_mut().find(|known| known.spot == spot) {
                Some(known) if known.wanted.contains(wanted) => {}
                Some(known) => known.wanted.push(wanted.clone()),
                None => live.push(LiveSite { spot, wanted: vec![wanted.clone()], only: None }),
            }
        }
    }
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn joined_ranges_include_what_any_of_them_does(
            ranges in prop::collection::vec((0u64..60, 1u64..6), 1..12),
            (from, len) in (0u64..70, 1u64..6),
        ) {
            let ranges: Vec<(u64, u64)> = ranges.into_iter().map(|(lo, len)| (lo, lo + len)).collect();
            let naive = ranges.iter().any(|&(lo, hi)| from < hi && lo < from + len);
            let mut offsets = ranges;
            join(&mut offsets);
            let wanted = Wanted { offsets, ..Wanted::default() };
            prop_assert_eq!(wanted.includes(0, Some((from, from + len)), 0), naive);
        }
    }

    #[test]
    fn wanted_executions() {
        let all = Wanted::default();
        assert!(all.includes(0, None, 0) && all.includes(7, Some((1, 2)), 99));
        let some = Wanted { offsets: vec![(8, 16)], phases: vec![(2, Some(3)), (7, None)], ranks: vec![1] };
        assert!(some.includes(1, Some((15, 20)), 2) && some.includes(1, None, 8));
        assert!(
            !some.includes(1, Some((16, 20)), 2) && !some.includes(1, Some((8, 9)), 4) && !some.includes(0, None, 8)
        );
    }
}
