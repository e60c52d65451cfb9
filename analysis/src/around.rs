//! The synchronisation around the two sides of a race: for a reader, who wants to see why none of it orders them.
//!
//! Of each side's strand that is the last few events before it and the first few behind it, up to a global barrier, and the first completions of anything
//! after an operation. Where something leads from one strand to the other, it is the nearest that leaves too early and the nearest that comes too late.

use rustc_hash::FxHashMap;
use thrille_model::{Access, Ctx, Pos, Strand, Sync, SyncEvent, Token, Word};

/// How many events on either side of an access are told.
const TOLD: usize = 4;
/// How many are looked at.
const LOOK: usize = 256;

/// What an event and its other end have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Token(Token),
    Word(Word, u64),
}

/// The events of each strand, in order.
pub struct Around<'l> {
    events: &'l [SyncEvent],
    strands: FxHashMap<Strand, Vec<usize>>,
}

impl<'l> Around<'l> {
    /// Of these events, in any order.
    pub fn new(events: &'l [SyncEvent]) -> Self {
        let mut strands: FxHashMap<Strand, Vec<usize>> = FxHashMap::default();
        for (index, event) in events.iter().enumerate() {
            strands.entry(event.strand).or_default().push(index);
        }
        for list in strands.values_mut() {
            list.sort_by_key(|&index| events[index].pos);
        }
        Self { events, strands }
    }

    /// What is to be told of two accesses.
    pub fn of(&self, a: &Access, b: &Access) -> Vec<SyncEvent> {
        let mut told: Vec<usize> = Vec::new();
        for side in [a, b] {
            told.extend(self.near(side));
            told.extend(self.completions(side));
        }
        if a.strand != b.strand {
            told.extend(self.ways(a, b).into_iter().chain(self.ways(b, a)).flatten().flatten());
        }
        told.sort_unstable();
        told.dedup();
        told.into_iter().map(|index| self.events[index]).collect()
    }

    /// The events before a position, the last one first, and those behind it.
    fn split(&self, strand: Strand, at: Pos) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let list = self.strands.get(&strand).map_or(&[][..], Vec::as_slice);
        let (before, behind) = list.split_at(list.partition_point(|&index| self.events[index].pos <= at));
        (before.iter().rev().copied().take(LOOK), behind.iter().copied().take(LOOK))
    }

    fn near(&self, side: &Access) -> Vec<usize> {
        let (before, behind) = self.split(side.strand, side.begin);
        let until = |mut over: bool, ends: fn(Sync) -> bool| {
            let events = self.events;
            move |index: &usize| !std::mem::replace(&mut over, ends(events[*index].sync))
        };
        let before = before.take_while(until(false, |sync| matches!(sync, Sync::Acquire(Token::Phase(_))))).take(TOLD);
        let behind = behind.take_while(until(false, |sync| matches!(sync, Sync::Release(Token::Phase(_))))).take(TOLD);
        before.chain(behind).collect()
    }

    /// The first completions after an operation, and that of its near end.
    fn completions(&self, side: &Access) -> Vec<usize> {
        let Some(operation) = side.operation() else { return Vec::new() };
        let quiets = |own: fn(Ctx, Ctx) -> bool| {
            let is = |index: &usize| matches!(self.events[*index].sync, Sync::Quiet(ctx) if own(ctx, operation.ctx));
            self.split(side.strand, side.begin).1.find(is)
        };
        quiets(|ctx, own| ctx != own).into_iter().chain(quiets(|ctx, own| own.near() == Some(ctx))).collect()
    }

    /// What leads from one strand to the other, but not from access to access: of what leaves before `x` the last, of what comes after `y` the first.
    fn ways(&self, x: &Access, y: &Access) -> [Option<[usize; 2]>; 2] {
        let (before, behind) = self.split(x.strand, x.begin);
        let (early, late) = (self.ends(before, leaves), self.ends(behind, leaves));
        let (before, behind) = self.split(y.strand, y.begin);
        let too_early = self.met(before, &early).max_by_key(|[from, _]| self.events[*from].pos);
        [too_early, self.met(behind, &late).next()]
    }

    fn ends(&self, list: impl Iterator<Item = usize>, key: fn(Sync) -> Option<Key>) -> FxHashMap<Key, usize> {
        list.filter_map(|index| Some((key(self.events[index].sync)?, index))).collect()
    }

    fn met(&self, list: impl Iterator<Item = usize>, left: &FxHashMap<Key, usize>) -> impl Iterator<Item = [usize; 2]> {
        list.filter_map(|index| Some([*left.get(&arrives(self.events[index].sync)?)?, index]))
    }
}

fn leaves(sync: Sync) -> Option<Key> {
    match sync {
        Sync::Release(Token::Phase(_)) => None,
        Sync::Release(token) => Some(Key::Token(token)),
        Sync::Update { word, version, .. } => Some(Key::Word(word, version)),
        _ => None,
    }
}

fn arrives(sync: Sync) -> Option<Key> {
    match sync {
        Sync::Acquire(Token::Phase(_)) => None,
        Sync::Acquire(token) | Sync::Peek(token) => Some(Key::Token(token)),
        Sync::Observe { word, version } => Some(Key::Word(word, version)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{
        Act, Caller, Interval, Kind, LocksetId, Phase, Phases, Place, Rank, Segment, Site, Span, StackId,
    };

    fn strand(rank: u32) -> Strand {
        Strand::thread(Rank(rank), 0)
    }

    fn access(rank: u32, begin: u64) -> Access {
        Access {
            place: Place::solid(Rank(0), Segment::Heap, Interval::from_len(0, 8).unwrap()),
            kind: Kind::Write,
            strand: strand(rank),
            begin: Pos(begin),
            span: Span::Point,
            phases: Phases { lo: Phase(0), hi: None },
            locks: LocksetId::EMPTY,
            act: Act::Store,
            site: Site::default(),
            stack: StackId(0),
            times: 1,
        }
    }

    fn event(rank: u32, pos: u64, sync: Sync) -> SyncEvent {
        SyncEvent { strand: strand(rank), pos: Pos(pos), sync, at: Caller(0) }
    }

    fn message(seq: u64) -> Token {
        Token::Message { group: 0, from: Rank(0), to: Rank(1), tag: 0, seq }
    }

    /// Two messages lead from rank 0 to rank 1: one is sent before the access, one received behind the other access; both are far away.
    #[test]
    fn ways_that_nearly_order_are_told_however_far() {
        let mut events = vec![event(0, 1, Sync::Release(message(1))), event(0, 50, Sync::Release(message(2)))];
        events.extend([event(1, 1, Sync::Acquire(message(1))), event(1, 90, Sync::Acquire(message(2)))]);
        for pos in 2..50 {
            events.push(event(0, pos, Sync::Fence(Ctx(0))));
            events.push(event(1, pos, Sync::Fence(Ctx(0))));
        }
        let told = Around::new(&events).of(&access(0, 30), &access(1, 30));
        let messages = told.iter().filter(|e| !matches!(e.sync, Sync::Fence(_))).count();
        assert_eq!((messages, told.len()), (4, 4 + 4 * TOLD));
    }

    #[test]
    fn nothing_beyond_a_global_barrier_is_near() {
        let barrier = |rank, pos, phase| {
            [Sync::Release(Token::Phase(Phase(phase))), Sync::Acquire(Token::Phase(Phase(phase)))]
                .map(|sync| event(rank, pos, sync))
        };
        let mut events = vec![event(0, 1, Sync::Fence(Ctx(0))), event(0, 3, Sync::Fence(Ctx(0)))];
        events.extend(barrier(0, 2, 1));
        events.extend(barrier(0, 9, 2));
        let told = Around::new(&events).of(&access(0, 5), &access(1, 5));
        let positions: Vec<u64> = told.iter().map(|e| e.pos.0).collect();
        assert_eq!(positions, [3, 2, 9], "the fence, the end of the barrier before it and the beginning of the next");
    }
}
