//! What real runs of the programs of `nas-bench/` did, and the rules by which a job of any size does the same.
//!
//! A run with `THRILLE_TRACE=1` leaves all that its ranks gathered. `scale record NAME RUN OUT` sums that up ([`record`]): of a window of phases, for each rank, phase, owner of the memory
//! (as an offset from the rank, around the ring) and kind of access, how many records there were, of how many bytes, and how many of them met an access of the owner in the same phase, so that their
//! order had to be looked up. The files are in `slurm/scale/traces`.
//!
//! A job of P ranks is made of that by these rules. Rank r does what rank r mod 8 of the recorded job did:
//!
//! * *Near.* Who reached some ranks of the recorded job reaches those at the same offsets.
//! * *All.* Who reached all others reaches all others. Its records are spread over them, at least one each.
//! * *Root.* What only rank 0 of the recorded job did to all, only rank 0 does.
//! * *Random.* If those were atomics (guppie), they go to ranks at random, and do not become more.
//! * *Weak*: each rank keeps its records and bytes. *Strong*: the problem stays, so each has 8/P of them, at least one record for each partner and kind.
//!
//! A batch begins with the phase in which most partners were reached: where a batch is shorter than the recorded window, that is more than the average of the run.
//!
//! Which bytes is not kept: what different ranks do falls on different bytes, but for what met; that is signalled to the owner, which waits before it looks. Jobs of less than 8 ranks are not made.

use crate::patterns::{Program, Rule, access, mixed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use thrille_model::job::trace_file;
use thrille_model::{
    Access, Act, Atomic, Caller, Channel, Ctx, Domain, Effect, How, Kind, Operation, Order, Pos, Rank, Segment, Span,
    Strand, Sync, SyncEvent, Word, conflict, wire,
};

/// Phases of a run that are kept.
const WINDOW: u64 = 64;
/// Bytes for what one rank does to another's memory in a phase.
const ROOM: u64 = 1 << 32;

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    Read,
    Write,
    Atomic,
}

const TOUCHES: [Touch; 3] = [Touch::Read, Touch::Write, Touch::Atomic];

/// Whom a rank reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Near,
    All,
    Nobody,
}

/// What a rank did in a phase to the memory of one owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    records: u64,
    bytes: u64,
    met: u64,
}

type Deeds = BTreeMap<(i32, Touch), Sum>;

/// One program, as recorded.
pub struct Recorded {
    name: String,
    ranks: u32,
    /// Of each phase and rank.
    phases: Vec<Vec<Deeds>>,
}

/// From the rank to the owner, the shorter way around.
fn offset(rank: u32, owner: u32, ranks: u32) -> i32 {
    let ahead = ((owner + ranks - rank) % ranks) as i32;
    if ahead * 2 > ranks as i32 { ahead - ranks as i32 } else { ahead }
}

/// Sums up what the ranks of a run left.
pub fn record(name: &str, run: &Path) -> String {
    let mut accesses: Vec<Access> = Vec::new();
    let mut ranks = 0;
    while let Ok(mut file) = std::fs::File::open(run.join(trace_file(Rank(ranks)))) {
        let (cuts, error) = wire::read_frames::<(Vec<Access>, Vec<SyncEvent>)>(&mut file);
        assert!(error.is_none(), "{error:?}");
        accesses.extend(cuts.into_iter().flat_map(|(accesses, _)| accesses));
        ranks += 1;
    }
    let all = accesses.iter().map(|a| a.phases.lo.0).max().unwrap_or(0) + 1;
    // From the middle, where the program does what it does most of the time.
    let from = all.saturating_sub(WINDOW) / 2;
    let window = from..(from + WINDOW).min(all);
    let mut text = format!(
        "# {name}: phases {} to {} of {all}, {ranks} ranks\n# phase rank offset kind records bytes met\n",
        window.start,
        window.end - 1
    );
    for phase in window.clone() {
        let here: Vec<&Access> = accesses.iter().filter(|a| a.phases.lo.0 == phase).collect();
        for rank in 0..ranks {
            let mut deeds: BTreeMap<(i32, &str), Sum> = BTreeMap::new();
            for access in here.iter().filter(|a| a.strand.rank.0 == rank) {
                let kind = match access.kind {
                    Kind::Read => "r",
                    Kind::Write => "w",
                    Kind::Atomic(_) | Kind::Await => "a",
                };
                let owner = access.place.owner.0;
                let own = |other: &&&Access| other.strand.rank.0 == owner && owner != rank && conflict(access, other);
                let sum = deeds.entry((offset(rank, owner, ranks), kind)).or_default();
                sum.records += 1;
                sum.bytes += access.place.comb.bytes(access.place.bytes);
                sum.met += u64::from(here.iter().any(|other| own(&other)));
            }
            for ((offset, kind), Sum { records, bytes, met }) in deeds {
                let phase = phase - window.start;
                let _ = writeln!(text, "{phase} {rank} {offset} {kind} {records} {bytes} {met}");
            }
        }
    }
    text
}

impl Recorded {
    /// Reads such a summary.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines: Vec<Vec<&str>> =
            text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect();
        let number = |word: &str| word.parse::<i64>().unwrap_or_else(|_| panic!("{}: {word}", path.display()));
        let count = |column: usize| lines.iter().map(|line| number(line[column])).max().unwrap_or(0) as usize + 1;
        let mut phases = vec![vec![Deeds::new(); count(1)]; count(0)];
        for line in &lines {
            let kind = match line[3] {
                "r" => Touch::Read,
                "w" => Touch::Write,
                _ => Touch::Atomic,
            };
            let [records, bytes, met] = [4, 5, 6].map(|column| number(line[column]) as u64);
            let rank = &mut phases[number(line[0]) as usize][number(line[1]) as usize];
            rank.insert((number(line[2]) as i32, kind), Sum { records, bytes, met });
        }
        let reached =
            |phase: &Vec<Deeds>| phase.iter().skip(1).flat_map(BTreeMap::keys).filter(|key| key.0 != 0).count();
        let first = (0..phases.len()).rev().max_by_key(|&phase| reached(&phases[phase])).unwrap_or(0);
        phases.rotate_left(first);
        Self { name: format!("{name} recorded"), ranks: count(1) as u32, phases }
    }

    fn deeds(&self, rank: u32, phase: u64) -> &Deeds {
        &self.phases[(phase % self.phases.len() as u64) as usize][(rank % self.ranks) as usize]
    }

    /// Whom a rank reaches by this kind of access.
    fn reach(&self, rank: u32, phase: u64, how: Touch) -> Reach {
        let all = |rank: u32| {
            let others = self.deeds(rank, phase).keys().filter(|(offset, kind)| *offset != 0 && *kind == how);
            others.count() as u32 == self.ranks - 1
        };
        match all(rank) {
            false => Reach::Near,
            true if rank == 0 || (1..self.ranks).any(all) => Reach::All,
            true => Reach::Nobody,
        }
    }

    /// What a rank does in a phase to one owner's memory.
    fn sums(&self, rank: u32, owner: u32, ranks: u32, rule: Rule, phase: u64) -> Vec<(Touch, Sum)> {
        let deeds = self.deeds(rank, phase);
        let shrink = if rule == Rule::Strong { f64::from(self.ranks) / f64::from(ranks) } else { 1.0 };
        let at = offset(rank, owner, ranks);
        let mut list = Vec::new();
        for how in TOUCHES {
            let reach = if at == 0 { Reach::Near } else { self.reach(rank, phase, how) };
            let sum = if reach == Reach::Nobody {
                continue;
            } else if reach == Reach::All {
                let total = deeds.iter().filter(|((offset, kind), _)| *offset != 0 && *kind == how).map(|(_, sum)| sum);
                let (records, bytes, met) =
                    total.fold((0, 0, 0), |(r, b, m), sum| (r + sum.records, b + sum.bytes, m + sum.met));
                let others = f64::from(ranks - 1);
                let records = records as f64 * shrink / others;
                if how == Touch::Atomic && records < 1.0 && !chance(rank, owner, phase, records) {
                    continue;
                }
                let part = |n: u64| (n as f64 * shrink / others) as u64;
                Sum { records: records.round().max(1.0) as u64, bytes: part(bytes).max(8), met: part(met) }
            } else {
                let Some(sum) = deeds.get(&(at, how)) else { continue };
                let part = |n: u64| (n as f64 * shrink).round() as u64;
                Sum {
                    records: part(sum.records).max(1),
                    bytes: part(sum.bytes).max(8),
                    met: sum.met.min(part(sum.records).max(1)),
                }
            };
            list.push((how, sum));
        }
        list
    }

    /// The bytes of one record, and of how many.
    fn made(&self, rank: u32, owner: u32, rule: Rule, ranks: u32, phase: u64) -> Vec<Access> {
        let mut list = Vec::new();
        let place = if rank == owner { 1 << 50 } else { u64::from(rank) * ROOM };
        for (how, sum) in self.sums(rank, owner, ranks, rule, phase) {
            let len = (sum.bytes / sum.records).max(1);
            let (kind, act) = match (how, rank == owner) {
                (Touch::Read, true) => (Kind::Read, Act::Load),
                (Touch::Write, true) => (Kind::Write, Act::Store),
                (Touch::Read, false) => (Kind::Read, Act::Get),
                (Touch::Write, false) => (Kind::Write, Act::Put),
                (Touch::Atomic, _) => {
                    let (domain, effect) = (Domain::Mpi, Effect::Update);
                    (
                        Kind::Atomic(Atomic { domain, through: 0, ty: 1, width: 8, op: 1, ordered: false, effect }),
                        Act::RemoteAtomic,
                    )
                }
            };
            for i in 0..sum.records {
                // A byte lies between the records, or they were one.
                let lo = place + how as u64 * (ROOM / 4) + i * (len + 1);
                let met = i < sum.met && rank != owner;
                let (begin, span) = if rank == owner {
                    (Pos(phase * 1000 + 900 + how as u64), Span::Point)
                } else {
                    let channel = Channel { origin: Rank(rank), ctx: Ctx(0), target: Rank(owner) };
                    let order = if met { Order::Signalled(channel) } else { Order::None };
                    let end = Some(Pos(phase * 1000 + 700));
                    // What is signalled is issued together with its signal.
                    let begin = if met { signalled(rank, owner, ranks) } else { 1 + i % 500 };
                    (Pos(phase * 1000 + begin), Span::Operation(Operation { ctx: Ctx(0), end, order }))
                };
                list.push(access(rank, owner, lo, len, kind, act, span, phase, begin));
            }
        }
        list
    }

    /// Those that a rank may reach in a phase.
    fn partners(&self, rank: u32, ranks: u32, phase: u64) -> BTreeSet<u32> {
        let deeds = self.deeds(rank, phase);
        let reach = |how: Touch| self.reach(rank, phase, how);
        let all = TOUCHES.into_iter().any(|how| reach(how) == Reach::All);
        let near = deeds.keys().filter(|(_, how)| reach(*how) == Reach::Near);
        let near = near.map(|(offset, _)| (rank + (offset + ranks as i32) as u32) % ranks);
        let others: BTreeSet<u32> = if all { (0..ranks).collect() } else { near.collect() };
        others.into_iter().filter(|other| *other != rank).collect()
    }

    /// Whose records meet what a rank does itself.
    fn met_by(&self, owner: u32, ranks: u32, phase: u64) -> Vec<u32> {
        let near = (1..=self.ranks as i32 / 2).flat_map(|d| [d, -d]);
        let from = near.map(|d| (owner + (d + ranks as i32) as u32) % ranks).collect::<BTreeSet<_>>();
        let meets = |from: &u32| {
            *from != owner && self.sums(*from, owner, ranks, Rule::Weak, phase).iter().any(|(_, sum)| sum.met > 0)
        };
        from.into_iter().filter(meets).collect()
    }
}

/// Where in a phase a rank signals to one near it.
fn signalled(rank: u32, to: u32, ranks: u32) -> u64 {
    600 + offset(rank, to, ranks).rem_euclid(64) as u64
}

/// Whether it happens, with this probability.
fn chance(rank: u32, owner: u32, phase: u64, probability: f64) -> bool {
    let mut seed = u64::from(rank) << 40 ^ u64::from(owner) << 16 ^ phase;
    (mixed(&mut seed) >> 11) as f64 / (1u64 << 53) as f64 <= probability
}

impl Program for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn least(&self) -> u32 {
        self.ranks
    }

    fn batch(&self, ranks: u32) -> u64 {
        let phases = 0..self.phases.len() as u64;
        let records: u64 = phases
            .map(|phase| {
                let own = self.deeds(1, phase).values().map(|sum| sum.records).sum::<u64>();
                let all = [Touch::Read, Touch::Write].into_iter().any(|how| self.reach(1, phase, how) == Reach::All);
                if all { own.max(u64::from(ranks)) } else { own }
            })
            .sum();
        (32_768 * self.phases.len() as u64 / records.max(1)).clamp(1, self.phases.len() as u64)
    }

    fn sample(&self, ranks: u32) -> u32 {
        if ranks > 1024 { 2 } else { 16 }
    }

    fn origins(&self, owner: u32, ranks: u32, phases: u64) -> Vec<u32> {
        let reaches = |from: &u32| {
            let reached = |phase| !self.sums(*from, owner, ranks, Rule::Weak, phase).is_empty();
            *from != owner && (0..phases).any(reached)
        };
        (0..ranks).filter(reaches).collect()
    }

    fn near(&self, rank: u32, ranks: u32) -> BTreeSet<u32> {
        let phases = 0..self.phases.len() as u64;
        phases.flat_map(|phase| self.met_by(rank, ranks, phase)).collect()
    }

    fn signals(&self, rank: u32, ranks: u32, phase: u64) -> Vec<SyncEvent> {
        let strand = Strand { rank: Rank(rank), index: 0 };
        let event = |pos: u64, sync| SyncEvent { strand, pos: Pos(phase * 1000 + pos), sync, at: Caller::default() };
        let word = |owner: u32, from: u32| Word {
            owner: Rank(owner),
            segment: Segment::Statics,
            offset: 8 * ((owner + ranks - from) % ranks % 64) as u64,
        };
        let version = phase + 1;
        let meets = |owner: &u32| {
            *owner != rank && self.sums(rank, *owner, ranks, Rule::Weak, phase).iter().any(|(_, sum)| sum.met > 0)
        };
        let near = (1..=self.ranks as i32 / 2).flat_map(|d| [d, -d]);
        let targets: BTreeSet<u32> = near.map(|d| (rank + (d + ranks as i32) as u32) % ranks).filter(meets).collect();
        let sent = targets.into_iter().map(|to| {
            let pos = signalled(rank, to, ranks);
            let via = Some(Channel { origin: Rank(rank), ctx: Ctx(0), target: Rank(to) });
            event(pos, Sync::Update { word: word(to, rank), version, how: How::Modify, via, signals: true })
        });
        let waits = self.met_by(rank, ranks, phase).into_iter().zip(800..);
        sent.chain(waits.map(|(from, pos)| event(pos, Sync::Observe { word: word(rank, from), version }))).collect()
    }

    fn accesses(&self, rank: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        let mut list = Vec::new();
        for phase in 0..phases {
            list.extend(self.made(rank, rank, rule, ranks, phase));
            for owner in self.partners(rank, ranks, phase) {
                list.extend(self.made(rank, owner, rule, ranks, phase));
            }
            // What met: the rank looks at it when it has waited.
            for from in self.met_by(rank, ranks, phase) {
                for met in self.made(from, rank, rule, ranks, phase) {
                    if met.order() != Order::None {
                        let (lo, len) = (met.place.bytes.lo(), met.place.bytes.hi() - met.place.bytes.lo());
                        let kind = if met.kind == Kind::Read { Kind::Write } else { Kind::Read };
                        let begin = Pos(phase * 1000 + 950);
                        list.push(access(rank, rank, lo, len, kind, Act::Load, Span::Point, phase, begin));
                    }
                }
            }
        }
        list
    }

    fn accesses_to(&self, from: u32, owner: u32, ranks: u32, rule: Rule, phases: u64) -> Vec<Access> {
        (0..phases).flat_map(|phase| self.made(from, owner, rule, ranks, phase)).collect()
    }
}
