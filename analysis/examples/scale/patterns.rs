//! What programs like those of `nas-bench/` do to each other's memory between two barriers, for any number of ranks.
//!
//! | pattern | in a phase each rank | partners |
//! |---|---|---|
//! | MG | puts a face to each of 6 neighbours of a 3-d torus, and computes on the faces it got | 6 |
//! | CG | puts a vector to its partner of one step of a sum over its row of ranks; each phase another step; the transpose at the end | log2 sqrt P + 1 |
//! | FT | puts a block to every rank (IS does the same with keys) | P - 1 |
//! | guppie | updates 128 words of random ranks by atomics | up to 128 a phase |
//! | EP | computes; at the end each rank puts its sums to rank 0's table, by a tree | log2 P |
//! | MG flags | as MG, but each put has a signal that its target waits for, and loads the data in the same phase: order has to be looked up | 6 |
//! | relay | puts a block to the rank after next, which loads it in the same phase; the signal goes by way of the rank in between, which nobody would ask first | 4 |
//! | MG race | as MG flags, but each rank forgets to wait for one of the six: a race in each phase, of which it must be found that nothing orders it | 6 |
//!
//! *Weak*: each rank has as much as one rank alone would have (64 cubed cells, 16,384 rows). *Strong*: so much for 64 ranks is shared by all. As
//! accesses to contiguous or equally spaced bytes are one record, the rules differ in bytes of the program, hardly in records.

use std::collections::BTreeSet;
use thrille_model::{
    Access, Act, Atomic, Caller, Channel, Comb, Ctx, Domain, Effect, How, Interval, Kind, LocksetId, Operation, Order,
    Phase, Phases, Place, Pos, Rank, Segment, Site, Span, StackId, Strand, Sync, SyncEvent, Word,
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

/// What the ranks of a job of any size do.
pub trait Program: std::marker::Sync {
    fn name(&self) -> &str;

    /// The least ranks that a job has.
    fn least(&self) -> u32 {
        2
    }

    /// Phases between two exchanges, as the session chooses them: about 32,768 records.
    fn batch(&self, ranks: u32) -> u64;

    /// Of a large job, so many ranks are looked at.
    fn sample(&self, ranks: u32) -> u32;

    /// Who reaches a rank's memory.
    fn origins(&self, owner: u32, ranks: u32, phases: u64) -> Vec<u32>;

    /// The ranks that a rank may ask, or be asked by, about order.
    fn near(&self, rank: u32, ranks: u32) -> BTreeSet<u32>;

    /// What orders its accesses within a phase: signals sent, and waited for before the data is read.
    fn signals(&self, rank: u32, ranks: u32, phase: u64) -> Vec<SyncEvent>;

    /// All that a rank does, to its own memory and that of others.
    fn accesses(&self, rank: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access>;

    /// Of these, what it does to one rank's memory.
    fn accesses_to(&self, from: u32, owner: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access>;
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
    Relay,
    Race,
}

/// One program.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    pub name: &'static str,
    shape: Shape,
}

pub const PATTERNS: [Pattern; 8] = [
    Pattern { name: "MG", shape: Shape::Torus },
    Pattern { name: "CG", shape: Shape::Rows },
    Pattern { name: "FT", shape: Shape::All },
    Pattern { name: "guppie", shape: Shape::Random },
    Pattern { name: "EP", shape: Shape::Tree },
    Pattern { name: "MG flags", shape: Shape::Flags },
    Pattern { name: "relay", shape: Shape::Relay },
    Pattern { name: "MG race", shape: Shape::Race },
];

/// Bytes that a rank has for what others put.
const SLOT: u64 = 1 << 24;
const UPDATES: u64 = 128;

impl Program for Pattern {
    fn name(&self) -> &str {
        self.name
    }

    /// Phases between two exchanges, as the session chooses them: about 32,768 records; here at most 64.
    fn batch(&self, ranks: u32) -> u64 {
        let records = match self.shape {
            Shape::All => u64::from(ranks),
            Shape::Random => UPDATES,
            _ => 16,
        };
        (32_768 / records).clamp(1, 64)
    }

    fn sample(&self, ranks: u32) -> u32 {
        if matches!(self.shape, Shape::All | Shape::Random) && ranks > 1024 { 2 } else { 16 }
    }

    fn origins(&self, owner: u32, ranks: u32, phases: u64) -> Vec<u32> {
        let all = || (0..ranks).filter(|from| *from != owner);
        let reach =
            |from: &u32| (0..phases).any(|phase| self.targets(*from, ranks, phase).iter().any(|(to, _)| *to == owner));
        match self.shape {
            Shape::All => all().collect(),
            Shape::Torus | Shape::Flags | Shape::Race => {
                let near: BTreeSet<u32> = torus(owner, ranks).into_iter().map(|(to, _)| to).collect();
                near.into_iter().filter(|to| *to != owner).collect()
            }
            Shape::Relay => vec![(owner + ranks - 2) % ranks].into_iter().filter(|to| *to != owner).collect(),
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

    fn near(&self, rank: u32, ranks: u32) -> BTreeSet<u32> {
        match self.shape {
            Shape::Flags | Shape::Race => torus(rank, ranks).into_iter().map(|(to, _)| to).collect(),
            Shape::Relay => [1, 2, ranks - 1, 2 * ranks - 2].into_iter().map(|d| (rank + d) % ranks).collect(),
            _ => BTreeSet::new(),
        }
    }

    fn signals(&self, rank: u32, ranks: u32, phase: u64) -> Vec<SyncEvent> {
        let strand = Strand { rank: Rank(rank), index: 0 };
        let event = |pos: u64, sync| SyncEvent { strand, pos: Pos(phase * 1000 + pos), sync, at: Caller::default() };
        let word = |owner: u32, slot: u64| Word { owner: Rank(owner), segment: Segment::Statics, offset: 8 * slot };
        let version = phase + 1;
        let send = |pos: u64, to: u32, slot: u64, signals: bool| {
            let via = Some(Channel { origin: Rank(rank), ctx: Ctx(0), target: Rank(to) });
            event(pos, Sync::Update { word: word(to, slot), version, how: How::Modify, via, signals })
        };
        let wait = |pos: u64, slot: u64| event(pos, Sync::Observe { word: word(rank, slot), version });
        match self.shape {
            Shape::Flags | Shape::Race => {
                let targets = self.targets(rank, ranks, phase);
                let sent = targets.iter().map(|&(to, slot)| send(1 + slot, to, slot, true));
                // Who would get something from whom: the torus is the same in both directions, but for the side.
                let waited =
                    targets.iter().map(|&(_, slot)| slot ^ 1).filter(|slot| self.shape == Shape::Flags || *slot != 5);
                sent.chain(waited.map(|slot| wait(800 + slot, slot))).collect()
            }
            // Its own put is complete when it tells the next rank; what it hears from the rank before it passes on.
            Shape::Relay if ranks > 2 => vec![
                send(20, (rank + 1) % ranks, 0, false),
                wait(30, 0),
                send(40, (rank + 1) % ranks, 1, false),
                wait(50, 1),
            ],
            _ => Vec::new(),
        }
    }

    fn accesses(&self, rank: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        let mut list = Vec::new();
        for phase in 0..phases {
            for (to, slot) in self.targets(rank, ranks, phase) {
                list.push(self.remote(rank, to, slot, ranks, rule, phase));
            }
            list.extend(self.own(rank, ranks, rule, phase));
        }
        list
    }

    fn accesses_to(&self, from: u32, owner: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        let to = |phase: u64| -> Vec<Access> {
            if self.shape == Shape::All {
                return vec![self.remote(from, owner, u64::from(from), ranks, rule, phase)];
            }
            let targets = self.targets(from, ranks, phase).into_iter().filter(|(to, _)| *to == owner);
            targets.map(|(to, slot)| self.remote(from, to, slot, ranks, rule, phase)).collect()
        };
        (0..phases).flat_map(to).collect()
    }
}

impl Pattern {
    /// Whom a rank reaches in a phase, and in which slot of theirs.
    fn targets(&self, rank: u32, ranks: u32, phase: u64) -> Vec<(u32, u64)> {
        let others = |list: Vec<(u32, u64)>| list.into_iter().filter(|(to, _)| *to != rank).collect();
        match self.shape {
            Shape::Torus | Shape::Flags | Shape::Race => others(torus(rank, ranks)),
            Shape::Relay => others(vec![((rank + 2) % ranks, 0)]),
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

    fn length(&self, ranks: u32, rule: Rule) -> u64 {
        let cells = match self.shape {
            Shape::Torus | Shape::Flags | Shape::Race | Shape::Relay => {
                (rule.share(64 * 64 * 64, ranks) as f64).powf(2.0 / 3.0) as u64
            }
            Shape::Rows => rule.share(16_384, ranks),
            Shape::All => rule.share(64 * 64 * 64, ranks) / u64::from(ranks),
            Shape::Random | Shape::Tree => 1,
        };
        8 * cells.max(1)
    }

    fn remote(&self, rank: u32, to: u32, slot: u64, ranks: u32, rule: Rule, phase: u64) -> Access {
        // Odd phases use the other half of a buffer: what was put in one is read in the next. With flags it is read in the same.
        let half = if self.in_one_phase() { 0 } else { phase % 2 };
        let (lo, kind, act) = if self.shape == Shape::Random {
            let add = Atomic {
                domain: Domain::Mpi,
                through: 0,
                ty: 1,
                width: 8,
                op: 1,
                ordered: false,
                effect: Effect::Update,
            };
            (slot * 8, Kind::Atomic(add), Act::RemoteAtomic)
        } else {
            ((half * self.slots(ranks) + slot) * self.step(ranks, rule), Kind::Write, Act::Put)
        };
        let begin = Pos(phase * 1000 + 1 + slot % 900);
        let channel = Channel { origin: Rank(rank), ctx: Ctx(0), target: Rank(to) };
        let (end, order) = match self.shape {
            Shape::Flags | Shape::Race => (990, Order::Signalled(channel)),
            Shape::Relay => (10, Order::None),
            _ => (990, Order::None),
        };
        let operation = Operation { ctx: Ctx(0), end: Some(Pos(phase * 1000 + end)), order };
        access(rank, to, lo, self.length(ranks, rule), kind, act, Span::Operation(operation), phase, begin)
    }

    /// Whether what is put is read in the same phase.
    fn in_one_phase(&self) -> bool {
        matches!(self.shape, Shape::Flags | Shape::Race | Shape::Relay)
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
        let before = if self.in_one_phase() { 0 } else { (phase + 1) % 2 };
        let begin = before * self.slots(ranks) * self.step(ranks, rule);
        let slots = match self.shape {
            Shape::Torus | Shape::Flags | Shape::Race => 6,
            Shape::Rows | Shape::Tree | Shape::Relay => 1,
            // One block after the other: one record.
            Shape::All => return vec![interior, point(begin, self.slots(ranks) * length, Kind::Read, Act::Load, 1)],
            Shape::Random => 0,
        };
        let mut list = vec![interior];
        if phase > 0 || self.in_one_phase() {
            list.extend(
                (0..slots)
                    .map(|slot| point(begin + slot * self.step(ranks, rule), length, Kind::Read, Act::Load, 1 + slot)),
            );
        }
        list
    }
}

#[allow(clippy::too_many_arguments)]
pub fn access(
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
pub fn mixed(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
