//! The detector without processes and without a foreign interface: ranks are threads, and the program is a ring that each rank
//! tells its [`Rank`] and [`Recorder`] about by hand. Every rank puts to its right neighbour and loads what its left one has put.

use thrille_analysis::Analysis;
use thrille_model::{Act, Channel, Comb, Ctx, Kind, Order, Race, Segment, Why};
use thrille_runtime::{End, Modules, Operands, Rank, Recorder, Region, Regions};
use thrille_transport::{Local, Transport, local};

const BASE: u64 = 0x1000;
const PUT: u64 = 1;
const LOAD: u64 = 2;

/// What stands between the put and the neighbour's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    /// Completes the puts, orders nobody.
    Quiet,
    Barrier,
}

struct Member {
    rank: Rank,
    recorder: Recorder,
    analysis: Analysis<Local>,
    races: Vec<Race>,
}

impl Member {
    fn new(transport: Local) -> Self {
        let me = thrille_model::Rank(transport.rank());
        let heap = Region { start: BASE, end: BASE + 64, owner: me, segment: Segment::Heap, offset: 0 };
        let (rank, recorder) = Rank::new(me, Regions::new(vec![heap]), Modules::new(Vec::new), 1 << 10);
        Self { rank, recorder, analysis: Analysis::new(transport), races: Vec::new() }
    }

    fn put(&mut self, target: thrille_model::Rank) {
        let (origin, ctx) = (self.recorder.strand().rank, Ctx(0));
        let (kind, act, comb) = (Kind::Write, Act::Put, Comb::SOLID);
        let end = End { owner: target, segment: Segment::Heap, lo: 8, len: 8, comb, kind, act };
        self.rank.issue(&mut self.recorder);
        let lasts = Operands::Until(ctx, Order::Fenced(Channel { origin, ctx, target }));
        self.rank.end(&mut self.recorder, end, PUT, lasts);
    }

    fn load(&mut self) {
        let _ = self.recorder.touch(BASE + 8, 8, Kind::Read, Act::Load, LOAD);
    }

    /// A barrier of all ranks, which completes the puts, and a cut at it: the rounds of the cut are what waits for the others.
    fn barrier(&mut self, last: bool) {
        self.rank.quiet(&mut self.recorder, Ctx(0));
        self.rank.enter_barrier(&mut self.recorder);
        self.rank.leave_barrier(&mut self.recorder);
        let gathered = self.rank.gather(&mut self.recorder, last, 0);
        self.races.extend(self.analysis.cut(gathered).expect("cut").races);
    }
}

/// The races that each rank finds in its own memory.
fn ring(ranks: u32, steps: u32, between: Between) -> Vec<Vec<Race>> {
    let program = |transport: Local| {
        let mut me = Member::new(transport);
        let right = thrille_model::Rank((me.recorder.strand().rank.0 + 1) % ranks);
        for step in 0..steps {
            me.put(right);
            match between {
                Between::Nothing => {}
                Between::Quiet => me.rank.quiet(&mut me.recorder, Ctx(0)),
                Between::Barrier => me.barrier(false),
            }
            me.load();
            me.barrier(step + 1 == steps);
        }
        me.races
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = local(ranks).into_iter().map(|end| scope.spawn(move || program(end))).collect();
        threads.into_iter().map(|thread| thread.join().expect("rank")).collect()
    })
}

#[test]
fn a_barrier_between_put_and_load_is_enough() {
    for ranks in 1..=4 {
        for steps in [1, 2, 5] {
            let races = ring(ranks, steps, Between::Barrier);
            assert!(races.iter().all(Vec::is_empty), "{ranks} ranks, {steps} steps: {races:?}");
        }
    }
}

#[test]
fn without_one_every_owner_finds_the_pair() {
    for ranks in 1..=4 {
        for steps in [1, 2, 5] {
            let found = ring(ranks, steps, Between::Nothing);
            assert_eq!(found.len(), ranks as usize);
            for (owner, races) in (0..).zip(found) {
                let [race] = races.as_slice() else { panic!("{ranks} ranks, {steps} steps: {races:?}") };
                assert_eq!((race.object.owner.0, race.object.segment, race.object.offset), (owner, Segment::Heap, 8));
                let mut acts = [&race.first, &race.second].map(|side| (side.act, side.site.offset, side.strand.rank.0));
                acts.sort_unstable();
                assert_eq!(acts, [(Act::Load, LOAD, owner), (Act::Put, PUT, (owner + ranks - 1) % ranks)]);
                // Alone, a rank's load follows its own put, which is not complete; two ranks are not ordered at all.
                assert_eq!(race.why, if ranks == 1 { Why::Incomplete } else { Why::Unsynchronised });
            }
        }
    }
}

#[test]
fn completion_alone_orders_a_rank_with_itself_only() {
    for ranks in 1..=4 {
        let found = ring(ranks, 3, Between::Quiet);
        let expected = usize::from(ranks > 1);
        assert!(found.iter().all(|races| races.len() == expected), "{ranks} ranks: {found:?}");
    }
}
