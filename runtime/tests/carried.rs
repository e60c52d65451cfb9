//! Random programs of two ranks with one strand each, told to the runtime twice: once it carries along what repeats, once it writes down all of it.
//! The definition of a race must name the same pairs of lines for both.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use thrille_model::oracle::{SitePair, races};
use thrille_model::*;
use thrille_runtime::runs::Room;
use thrille_runtime::{End, Made, Modules, Operands, Recorder, Region, Regions, UNRESOLVED};

const LEN: u64 = 32;
/// Memory of each rank that nobody else reaches.
const PRIVATE: u64 = 1 << 20;
const WORDS: usize = 2;
const LOCKS: usize = 2;

/// Which rank, what it does, and a number that decides the rest.
type Step = (bool, u8, u32);

/// A word's counter, as the ranks of a machine share it.
#[derive(Clone, Copy, Default)]
struct Counter {
    version: u64,
    seen: bool,
}

#[derive(Default)]
struct Shared {
    words: [Counter; WORDS],
    sections: [u64; LOCKS],
    holders: [Option<Rank>; LOCKS],
    sent: [u64; 2],
    phase: u64,
}

struct Simulated {
    rank: thrille_runtime::Rank,
    recorder: Recorder,
    received: u64,
}

fn start(owner: u32) -> u64 {
    4096 * (u64::from(owner) + 1)
}

fn regions() -> Regions {
    let of = |owner| {
        let start = start(owner);
        Region { start, end: start + LEN, owner: Rank(owner), segment: Segment::Heap, offset: 0 }
    };
    Regions::new(vec![of(0), of(1)])
}

fn word(number: usize) -> Word {
    Word { owner: Rank(0), segment: Segment::Statics, offset: 8 * number as u64 }
}

fn lock(number: usize) -> Lock {
    Lock::Symmetric(Segment::Statics, 64 + 8 * number as u64)
}

/// The access of an atomic.
fn atomic() -> Kind {
    Kind::Atomic(Atomic {
        domain: Domain::Shmem,
        through: 0,
        ty: 1,
        width: 8,
        op: 0,
        ordered: false,
        effect: Effect::Update,
    })
}

impl Simulated {
    fn new(rank: u32, carries: bool, sees_flows: bool) -> Self {
        let (mut rank, recorder) = thrille_runtime::Rank::new(Rank(rank), regions(), Modules::new(Vec::new), 1 << 20);
        rank.sees_flows = sees_flows;
        if !carries {
            rank.write_down_repeats();
        }
        Self { rank, recorder, received: 0 }
    }

    fn me(&self) -> Rank {
        self.recorder.strand().rank
    }

    fn channel(&self, target: Rank) -> Channel {
        Channel { origin: self.me(), ctx: Ctx(0), target }
    }

    /// A line: few of them, so that they repeat.
    fn pc(&self, base: u64, n: u32) -> u64 {
        base + u64::from(n >> 28 & 1) + 10 * u64::from(self.me().0)
    }

    fn touch(&mut self, n: u32) {
        let (owner, lo, write) = (n & 1, 8 * (u64::from(n >> 1) % (LEN / 8)), n >> 8 & 1 == 1);
        let kind = if write { Kind::Write } else { Kind::Read };
        let pc = self.pc(100 + 2 * u64::from(write), n);
        let start = if (n >> 9).is_multiple_of(4) { PRIVATE } else { start(owner) };
        if self.recorder.touch(start + lo, 8, kind, Act::Load, pc) == Room::Full {
            self.rank.drain(&mut self.recorder);
        }
    }

    /// A put, or a get if it is done when it returns.
    fn operate(&mut self, n: u32) {
        self.rank.issue(&mut self.recorder);
        let (owner, lo) = (Rank(n & 1), 8 * (u64::from(n >> 1) % (LEN / 8)));
        let put = n >> 5 & 1 == 1;
        let (kind, act) = if put { (Kind::Write, Act::Put) } else { (Kind::Read, Act::Get) };
        let lasts = match n >> 6 & 3 {
            _ if put => Operands::Until(Ctx(0), Order::Fenced(self.channel(owner))),
            0 => Operands::Until(Ctx(1), Order::None),
            _ => Operands::Done,
        };
        let end = End { owner, segment: Segment::Heap, lo, len: 8, comb: Comb::SOLID, kind, act };
        let pc = self.pc(200 + 2 * u64::from(put), n);
        self.rank.end(&mut self.recorder, end, pc, lasts);
        // The near end, in private memory: done with the far end, or before a put is.
        let (kind, lasts) = match (put, lasts) {
            (true, Operands::Until(..)) => (Kind::Read, Operands::Until(Ctx(1), Order::None)),
            (_, lasts) => (Kind::Write, lasts),
        };
        let lo = PRIVATE + 8 * (u64::from(n >> 12) % (LEN / 8));
        let near = End { owner: self.me(), segment: UNRESOLVED, lo, kind, act: Act::Buffer, ..end };
        self.rank.end(&mut self.recorder, near, pc + 1000, lasts);
    }

    /// An atomic on a word, which may see it, change it or both.
    fn atomic(&mut self, n: u32, shared: &mut Shared) {
        let number = n as usize % WORDS;
        let (word, counter) = (word(number), &mut shared.words[number]);
        let (changes, fetches) = (n >> 4 & 3 != 0, (n >> 6).is_multiple_of(4));
        self.rank.issue(&mut self.recorder);
        let known = self.rank.knows(word);
        let seen = counter.version;
        if fetches && known != Some(seen) {
            counter.seen = true;
        }
        let made = changes.then(|| {
            let unseen_before = !std::mem::replace(&mut counter.seen, false);
            counter.version += 1;
            Made { version: counter.version, unseen_before }
        });
        let channel = self.channel(word.owner);
        let lasts = if fetches { Operands::Done } else { Operands::Until(Ctx(0), Order::Fenced(channel)) };
        let end = End {
            owner: Rank(0),
            segment: Segment::Heap,
            lo: 8 * number as u64,
            len: 8,
            comb: Comb::SOLID,
            kind: atomic(),
            act: Act::RemoteAtomic,
        };
        let pc = self.pc(300 + 2 * number as u64, n);
        self.rank.end(&mut self.recorder, end, pc, lasts);
        if let Some(made) = made {
            let how = if (n >> 9).is_multiple_of(4) { How::Set } else { How::Modify };
            let signals = (n >> 12).is_multiple_of(16);
            self.rank.update(&mut self.recorder, word, made, how, (n >> 11 & 1 == 0).then_some(channel), signals);
        }
        if fetches {
            self.rank.observe_beyond(&mut self.recorder, word, seen, known);
        }
    }

    fn lock_or_unlock(&mut self, n: u32, shared: &mut Shared) {
        let (number, me) = (n as usize % LOCKS, self.me());
        match shared.holders[number] {
            None => {
                shared.holders[number] = Some(me);
                shared.sections[number] += 1;
                let taken = Made { version: shared.sections[number], unseen_before: true };
                self.rank.lock_section(&mut self.recorder, lock(number), taken);
            }
            Some(holder) if holder == me => {
                self.rank.quiet(&mut self.recorder, Ctx(0));
                self.rank.unlock(&mut self.recorder, lock(number));
                shared.holders[number] = None;
            }
            Some(_) => {}
        }
    }

    fn message(&mut self, n: u32, shared: &mut Shared) {
        let me = self.me();
        let token = |from: Rank, seq| Token::Message { group: 0, from, to: Rank(1 - from.0), tag: 0, seq };
        if n & 1 == 0 {
            shared.sent[me.0 as usize] += 1;
            self.rank.release(&mut self.recorder, token(me, shared.sent[me.0 as usize]));
        } else if self.received < shared.sent[1 - me.0 as usize] {
            self.received += 1;
            self.rank.acquire(&mut self.recorder, token(Rank(1 - me.0), self.received));
        }
    }
}

/// The races of a program, and how much was written down: records and events.
fn run(steps: &[Step], carries: bool, sees_flows: bool) -> (Vec<SitePair>, [usize; 2]) {
    let mut ranks = [0, 1].map(|rank| Simulated::new(rank, carries, sees_flows));
    let mut shared = Shared::default();
    for &(which, step, n) in steps {
        if step == 255 {
            shared.phase += 1;
            for rank in &mut ranks {
                rank.rank.enter_barrier(&mut rank.recorder);
            }
            for rank in &mut ranks {
                rank.rank.leave_barrier(&mut rank.recorder);
            }
            continue;
        }
        let rank = &mut ranks[usize::from(which)];
        match step % 32 {
            0..5 => rank.touch(n),
            5..10 => rank.operate(n),
            10..18 => rank.atomic(n, &mut shared),
            18..26 => rank.lock_or_unlock(n, &mut shared),
            26..29 => rank.rank.quiet(&mut rank.recorder, Ctx(u32::from((n >> 5).is_multiple_of(4)))),
            29..31 => rank.message(n, &mut shared),
            _ => rank.rank.fence(&mut rank.recorder, Ctx(0)),
        }
    }
    let (mut accesses, mut events, mut locksets) = (Vec::new(), Vec::new(), Locksets::default());
    for mut rank in ranks {
        let gathered = rank.rank.gather(&mut rank.recorder, true, 0);
        let own = |id| locksets.intern(gathered.locksets.get(id).to_vec());
        let ids: Vec<LocksetId> = gathered.accesses.iter().map(|access| access.locks).map(own).collect();
        accesses.extend(gathered.accesses.into_iter().zip(ids).map(|(access, locks)| Access { locks, ..access }));
        events.extend(gathered.events);
    }
    let written = [accesses.len(), events.len()];
    (races(&accesses, &events, &locksets).into_iter().collect(), written)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn what_is_carried_along_races_like_all_of_it(
        steps in prop::collection::vec((any::<bool>(), any::<u8>(), any::<u32>()), 1..80),
        sees_flows in any::<bool>(),
    ) {
        let (all, _) = run(&steps, false, sees_flows);
        let (carried, _) = run(&steps, true, sees_flows);
        prop_assert_eq!(all, carried);
    }

    /// Runs of one rank, so that much repeats.
    #[test]
    fn what_repeats_races_like_all_of_it(
        turns in prop::collection::vec((any::<bool>(), prop::collection::vec((any::<u8>(), 0..8_usize), 1..12)), 1..10),
        numbers in prop::collection::vec(any::<u32>(), 8),
        sees_flows in any::<bool>(),
    ) {
        let steps: Vec<Step> = turns
            .into_iter()
            .flat_map(|(which, steps)| steps.into_iter().map(move |(step, n)| (which, step, n)))
            .map(|(which, step, n)| (which, step, numbers[n]))
            .collect();
        let (all, _) = run(&steps, false, sees_flows);
        let (carried, _) = run(&steps, true, sees_flows);
        prop_assert_eq!(all, carried);
    }
}

#[test]
fn a_lock_taken_over_and_over_is_told_once() {
    // Locked, a word changed, unlocked: by one rank alone.
    let section = [(false, 18, 0), (false, 10, 1 << 4 | 1 << 6 | 1 << 12 | 1 << 9), (false, 18, 0)];
    let (_, once) = run(&section, true, false);
    let (_, often) = run(&section.repeat(100), true, false);
    assert_eq!(once, often);
    let (_, all) = run(&section.repeat(100), false, false);
    assert_eq!(all, [100, 500]);
    // When flows are seen, sections stay apart.
    let (_, apart) = run(&section.repeat(100), true, true);
    assert!(apart[1] >= 200, "{apart:?}");
}
