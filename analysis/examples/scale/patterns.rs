//! What the programs of `nas-bench/` do to each other's memory between two barriers, for any number of ranks.
//!
//! | pattern | in a phase each rank | partners |
//! |---|---|---|
//! | MG | puts a face to each of 6 neighbours of a 3-d torus, and computes on the faces it got | 6 |
//! | CG | puts a vector to its partner of one step of a sum over its row of ranks; each phase another step; the transpose at the end | log2 sqrt P + 1 |
//! | FT | puts a block to every rank (IS does the same with keys) | P - 1 |
//! | guppie | updates 128 words of random ranks by atomics | up to 128 a phase |
//! | EP | computes; at the end each rank puts its sums to rank 0's table, by a tree | log2 P |
//! | MG, flags | as MG, but a put and the load of its data fall into one phase: order has to be looked up | 6 |
//!
//! *Weak*: each rank has as much as one rank alone would have (64 cubed cells, 16,384 rows). *Strong*: so much for 64 ranks is shared by all. As
//! accesses to contiguous or equally spaced bytes are one record, the rules differ in bytes of the program, hardly in records.

use std::collections::BTreeSet;
use thrille_model::{
    Access, Act, Atomic, Comb, Ctx, Domain, Effect, Interval, Kind, LocksetId, Operation, Order, Phase, Phases, Place,
    Pos, Rank, Segment, Site, Span, StackId, Strand,
};

/// How the problem grows with the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Weak,
    Strong,
}

impl Rule {
    pub fn name(self) -> &'static str {
        if self == Self::Weak { "weak" } else { "strong" }
    }

    /// Cells of one rank, if one rank alone has so many.
    fn share(self, alone: u64, ranks: u32) -> u64 {
        match self {
            Self::Weak => alone,
            Self::Strong => (alone * 64 / u64::from(ranks)).max(1),
        }
    }
}

/// Whom a rank reaches in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Torus,
    Rows,
    All,
    Random,
    Tree,
    Flags,
}

/// One program.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    pub name: &'static str,
    shape: Shape,
}

pub const PATTERNS: [Pattern; 6] = [
    Pattern { name: "MG", shape: Shape::Torus },
    Pattern { name: "CG", shape: Shape::Rows },
    Pattern { name: "FT", shape: Shape::All },
    Pattern { name: "guppie", shape: Shape::Random },
    Pattern { name: "EP", shape: Shape::Tree },
    Pattern { name: "MG flags", shape: Shape::Flags },
];

/// Bytes that a rank has for what others put.
const SLOT: u64 = 1 << 24;
const UPDATES: u64 = 128;

impl Pattern {
    /// Phases between two exchanges, as the session chooses them: about 32,768 records; here at most 64.
    pub fn batch(&self, ranks: u32) -> u64 {
        let records = match self.shape {
            Shape::All => u64::from(ranks),
            Shape::Random => UPDATES,
            _ => 16,
        };
        (32_768 / records).clamp(1, 64)
    }

    /// Of a large job, so many ranks are looked at.
    pub fn sample(&self, ranks: u32) -> u32 {
        if matches!(self.shape, Shape::All | Shape::Random) && ranks > 1024 { 2 } else { 16 }
    }

    /// Whom a rank reaches in a phase, and in which slot of theirs.
    fn targets(&self, rank: u32, ranks: u32, phase: u64) -> Vec<(u32, u64)> {
        let others = |list: Vec<(u32, u64)>| list.into_iter().filter(|(to, _)| *to != rank).collect();
        match self.shape {
            Shape::Torus | Shape::Flags => others(torus(rank, ranks)),
            Shape::Rows => {
                let stages = (ranks.ilog2() / 2).max(1);
                let stage = (phase % u64::from(stages + 1)) as u32;
                let partner = if stage == stages { transpose(rank, ranks) } else { rank ^ (1 << stage) };
                others(vec![(partner % ranks, u64::from(stage))])
            }
            Shape::All => (0..ranks).filter(|to| *to != rank).map(|to| (to, u64::from(rank))).collect(),
            Shape::Random => {
                let mut seed = u64::from(rank) << 32 | phase;
                others(
                    (0..UPDATES)
                        .map(|_| ((mixed(&mut seed) % u64::from(ranks)) as u32, mixed(&mut seed) % 4096))
                        .collect(),
                )
            }
            Shape::Tree => {
                let depth = u64::from(ranks.ilog2());
                let step = phase % 64;
                // In the last phases the sums go up a binary tree.
                let sends = step < depth && rank != 0 && u64::from(rank.trailing_zeros()) == step;
                if sends { vec![(rank & (rank - 1), step)] } else { Vec::new() }
            }
        }
    }

    /// Who reaches a rank's memory.
    pub fn origins(&self, owner: u32, ranks: u32, phases: u64) -> Vec<u32> {
        let all = || (0..ranks).filter(|from| *from != owner);
        let reach =
            |from: &u32| (0..phases).any(|phase| self.targets(*from, ranks, phase).iter().any(|(to, _)| *to == owner));
        match self.shape {
            Shape::All => all().collect(),
            Shape::Torus | Shape::Flags => torus(owner, ranks)
                .into_iter()
                .map(|(to, _)| to)
                .filter(|to| *to != owner)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            Shape::Rows => {
                let near = (0..ranks.ilog2()).map(|stage| owner ^ (1 << stage)).chain([transpose(owner, ranks)]);
                near.filter(|from| *from < ranks && *from != owner && reach(from))
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect()
            }
            Shape::Tree => (0..ranks.ilog2())
                .map(|step| owner | (1 << step))
                .filter(|from| *from < ranks && *from != owner && reach(from))
                .collect(),
            Shape::Random => all().filter(reach).collect(),
        }
    }

    /// All that a rank does, to its own memory and that of others.
    pub fn accesses(&self, rank: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        let mut list = Vec::new();
        for phase in 0..phases {
            for (to, slot) in self.targets(rank, ranks, phase) {
                list.push(self.remote(rank, to, slot, ranks, rule, phase));
            }
            list.extend(self.own(rank, ranks, rule, phase));
        }
        list
    }

    /// Of these, what it does to one rank's memory.
    pub fn accesses_to(&self, from: u32, owner: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        let to = |phase: u64| -> Vec<Access> {
            if self.shape == Shape::All {
                return vec![self.remote(from, owner, u64::from(from), ranks, rule, phase)];
            }
            let targets = self.targets(from, ranks, phase).into_iter().filter(|(to, _)| *to == owner);
            targets.map(|(to, slot)| self.remote(from, to, slot, ranks, rule, phase)).collect()
        };
        (0..phases).flat_map(to).collect()
    }

    fn length(&self, ranks: u32, rule: Rule) -> u64 {
        let cells = match self.shape {
            Shape::Torus | Shape::Flags => (rule.share(64 * 64 * 64, ranks) as f64).powf(2.0 / 3.0) as u64,
            Shape::Rows => rule.share(16_384, ranks),
            Shape::All => rule.share(64 * 64 * 64, ranks) / u64::from(ranks),
            Shape::Random | Shape::Tree => 1,
        };
        8 * cells.max(1)
    }

    fn remote(&self, rank: u32, to: u32, slot: u64, ranks: u32, rule: Rule, phase: u64) -> Access {
        // Odd phases use the other half of a buffer: what was put in one is read in the next. With flags it is read in the same.
        let half = if self.shape == Shape::Flags { 0 } else { phase % 2 };
        let (lo, kind, act) = if self.shape == Shape::Random {
            let add = Atomic { domain: Domain::Mpi, ty: 1, width: 8, op: 1, ordered: false, effect: Effect::Update };
            (slot * 8, Kind::Atomic(add), Act::RemoteAtomic)
        } else {
            ((half * self.slots(ranks) + slot) * self.step(ranks, rule), Kind::Write, Act::Put)
        };
        let begin = Pos(phase * 1000 + 1 + slot % 900);
        let operation = Operation { ctx: Ctx(0), end: Some(Pos(phase * 1000 + 990)), order: Order::None };
        access(rank, to, lo, self.length(ranks, rule), kind, act, Span::Operation(operation), phase, begin)
    }

    /// What others put in one phase: each has its slot.
    fn slots(&self, ranks: u32) -> u64 {
        if self.shape == Shape::All { u64::from(ranks) } else { 64 }
    }

    fn step(&self, ranks: u32, rule: Rule) -> u64 {
        self.length(ranks, rule).min(SLOT)
    }

    /// The rank's own work on what it was given: it reads the slots of the phase before and writes its interior.
    fn own(&self, rank: u32, ranks: u32, rule: Rule, phase: u64) -> Vec<Access> {
        let length = self.length(ranks, rule);
        let point = |lo: u64, len: u64, kind, act, line: u64| {
            access(rank, rank, lo, len, kind, act, Span::Point, phase, Pos(phase * 1000 + 900 + line))
        };
        let interior = point(1 << 40, length * 64, Kind::Write, Act::Store, 0);
        let before = if self.shape == Shape::Flags { 0 } else { (phase + 1) % 2 };
        let begin = before * self.slots(ranks) * self.step(ranks, rule);
        let slots = match self.shape {
            Shape::Torus | Shape::Flags => 6,
            Shape::Rows | Shape::Tree => 1,
            // One block after the other: one record.
            Shape::All => return vec![interior, point(begin, self.slots(ranks) * length, Kind::Read, Act::Load, 1)],
            Shape::Random => 0,
        };
        let mut list = vec![interior];
        if phase > 0 || self.shape == Shape::Flags {
            list.extend(
                (0..slots)
                    .map(|slot| point(begin + slot * self.step(ranks, rule), length, Kind::Read, Act::Load, 1 + slot)),
            );
        }
        list
    }
}

#[allow(clippy::too_many_arguments)]
fn access(
    rank: u32,
    owner: u32,
    lo: u64,
    len: u64,
    kind: Kind,
    act: Act,
    span: Span,
    phase: u64,
    begin: Pos,
) -> Access {
    let bytes = Interval::from_len(lo, len.max(1)).expect("a range of bytes");
    Access {
        place: Place { owner: Rank(owner), segment: Segment::Heap, bytes, comb: Comb::SOLID },
        kind,
        strand: Strand { rank: Rank(rank), index: 0 },
        begin,
        span,
        phases: Phases { lo: Phase(phase), hi: Some(Phase(phase)) },
        locks: LocksetId::EMPTY,
        act,
        site: Site { module: 1, offset: 0x1000 + begin.0 % 1000 },
        stack: StackId(1),
        times: 1,
    }
}

/// The neighbours in a 3-d torus, each with the side that it is reached from.
#[allow(clippy::many_single_char_names, reason = "coordinates, and how many there are of each")]
fn torus(rank: u32, ranks: u32) -> Vec<(u32, u64)> {
    let log = ranks.ilog2();
    let (x, y) = (1u32 << log.div_ceil(3), 1u32 << (log - log.div_ceil(3)).div_ceil(2));
    let z = ranks / x / y;
    let (i, j, k) = (rank % x, rank / x % y, rank / x / y);
    let at = |i: u32, j: u32, k: u32| i % x + x * (j % y + y * (k % z));
    vec![
        (at(i + 1, j, k), 0),
        (at(i + x - 1, j, k), 1),
        (at(i, j + 1, k), 2),
        (at(i, j + y - 1, k), 3),
        (at(i, j, k + 1), 4),
        (at(i, j, k + z - 1), 5),
    ]
}

/// The rank with row and column exchanged.
fn transpose(rank: u32, ranks: u32) -> u32 {
    let side = 1 << (ranks.ilog2() / 2);
    let (row, column) = (rank / side, rank % side);
    if row < side { column * side + row } else { rank }
}

/// splitmix64.
fn mixed(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
