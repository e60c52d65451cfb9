//! Random programs of two ranks, told to the runtime, which merges, and written down access by access: the definition of a race must name
//! the same pairs of lines for both.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use thrille_model::oracle::{SitePair, races};
use thrille_model::*;
use thrille_runtime::runs::Room;
use thrille_runtime::{End, Modules, Operands, Recorder, Region, Regions};

const LEN: u64 = 64;

/// One step of a rank, and a number that decides the rest.
type Step = (bool, u8, u32);

struct Simulated {
    rank: thrille_runtime::Rank,
    recorder: Recorder,
    naive: Vec<Access>,
    sent: u64,
    received: u64,
}

/// Where a rank's memory is in every rank's address space.
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

fn message(from: Rank, seq: u64) -> Token {
    Token::Message { group: 0, from, to: Rank(1 - from.0), tag: 0, seq }
}

impl Simulated {
    fn new(rank: u32) -> Self {
        let (rank, recorder) = thrille_runtime::Rank::new(Rank(rank), regions(), Modules::new(Vec::new), 1 << 20);
        Self { rank, recorder, naive: Vec::new(), sent: 0, received: 0 }
    }

    fn me(&self) -> Rank {
        self.recorder.strand().rank
    }

    fn naive(&mut self, place: Place, kind: Kind, pc: u64, span: Span) {
        let site = self.rank.modules().site(pc);
        self.naive.push(Access {
            place,
            kind,
            strand: self.recorder.strand(),
            begin: self.recorder.pos(),
            span,
            phases: Phases { lo: Phase(0), hi: None },
            locks: LocksetId::EMPTY,
            act: Act::Load,
            site,
            stack: StackId(0),
            times: 1,
        });
    }

    fn touch(&mut self, n: u32) {
        let (owner, lo, write) = (n & 1, u64::from(n >> 1) % LEN, n >> 8 & 1 == 1);
        let len = (1 + u64::from(n >> 9) % 8).min(LEN - lo);
        let kind = if write { Kind::Write } else { Kind::Read };
        let pc = 100 + 2 * u64::from(n >> 12 & 1) + u64::from(write) + 10 * u64::from(self.me().0);
        if self.recorder.touch(start(owner) + lo, len, kind, Act::Load, pc) == Room::Full {
            self.rank.drain(&mut self.recorder);
        }
        let bytes = Interval::from_len(lo, len).unwrap();
        self.naive(Place::solid(Rank(owner), Segment::Heap, bytes), kind, pc, Span::Point);
    }

    fn operate(&mut self, n: u32) {
        self.rank.issue(&mut self.recorder);
        let (me, ctx) = (self.me(), Ctx(n & 1));
        let ends = [(me, Kind::Read, n >> 1 & 63), (Rank(n >> 7 & 1), Kind::Write, n >> 8 & 63)];
        for (i, (owner, kind, lo)) in ends.into_iter().enumerate() {
            let (lo, pc) = (u64::from(lo), 200 + i as u64 + 10 * u64::from(me.0));
            let len = 8.min(LEN - lo);
            let end = End { owner, segment: Segment::Heap, lo, len, comb: Comb::SOLID, kind, act: Act::Load };
            self.rank.end(&mut self.recorder, end, pc, Operands::Until(ctx, Order::None));
            let span = Span::Operation(Operation { ctx, end: None, order: Order::None });
            self.naive(Place::solid(owner, Segment::Heap, Interval::from_len(lo, len).unwrap()), kind, pc, span);
        }
    }

    fn quiet(&mut self, ctx: Ctx) {
        self.rank.quiet(&mut self.recorder, ctx);
        for access in &mut self.naive {
            if let Span::Operation(operation) = &mut access.span
                && operation.ctx == ctx
            {
                operation.end.get_or_insert(self.recorder.pos());
            }
        }
    }

    fn send(&mut self) {
        self.sent += 1;
        let token = message(self.me(), self.sent);
        self.rank.release(&mut self.recorder, token);
    }

    fn receive(&mut self, sent: u64) {
        if self.received < sent {
            self.received += 1;
            let token = message(Rank(1 - self.me().0), self.received);
            self.rank.acquire(&mut self.recorder, token);
        }
    }
}

/// The races of what happened, those of what was recorded, and how many records that took.
fn check(steps: &[Step]) -> (Vec<SitePair>, Vec<SitePair>, usize) {
    let mut ranks = [Simulated::new(0), Simulated::new(1)];
    for &(which, step, n) in steps {
        let sent = ranks[usize::from(!which)].sent;
        let rank = &mut ranks[usize::from(which)];
        match step % 16 {
            0..8 => rank.touch(n),
            8..11 => rank.operate(n),
            11..13 => rank.quiet(Ctx(n & 1)),
            13 => rank.send(),
            14 => rank.receive(sent),
            _ => rank.rank.fence(&mut rank.recorder, Ctx(n & 1)),
        }
    }
    let (mut naive, mut merged, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for mut rank in ranks {
        let gathered = rank.rank.gather(&mut rank.recorder, true, 0);
        merged.extend(gathered.accesses);
        events.extend(gathered.events);
        naive.extend(rank.naive);
    }
    let locksets = Locksets::default();
    let found = |accesses: &[Access]| races(accesses, &events, &locksets).into_iter().collect();
    (found(&naive), found(&merged), merged.len())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn what_is_recorded_once_between_two_events_races_like_all_of_it(
        steps in prop::collection::vec((any::<bool>(), any::<u8>(), any::<u32>()), 1..60),
    ) {
        let (naive, merged, _) = check(&steps);
        prop_assert_eq!(naive, merged);
    }
}

#[test]
fn operations_between_loads_cost_no_records() {
    // A load of the own memory's first byte, an operation of other bytes, its completion: over and over.
    let one = [(false, 0, 1 << 12), (false, 8, 16 << 1 | 1 << 7 | 32 << 8), (false, 11, 0)];
    let (_, _, few) = check(&one.repeat(2));
    let (_, _, many) = check(&one.repeat(50));
    assert_eq!(many, few, "the operations' ends repeat too");
}
