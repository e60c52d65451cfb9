//! Conflict first: which accesses have a partner that they conflict with in a phase they share?
//!
//! Phase by phase, in interval histories, one per segment. The strand that did most of the points in a phase (the owner itself, as a
//! rule) is asked against the others but not stored: points of one strand never race with each other. Accesses that differ only in
//! their position form a [`Class`], which is stored and asked once: a location that is touched a million times by one line is looked
//! at once. In most phases of most programs nothing is in anybody's way: where few accesses are of others, that is seen at a glance ([`Glance`]), without classes or
//! histories. What a strand does one after the other is in order whatever the logs say: a lock that it takes again and again, with a put in it that
//! the release completes, is no reason to look anything up. Too much may be marked, never too little; the replay is exact.

use rustc_hash::{FxHashMap, FxHashSet};
use thrille_history::{AnyHistory, History, Keep, Store};
use thrille_model::{
    Access, Atomic, Kind, LocksetId, Locksets, Phase, Phases, Place, Pos, Segment, Site, Span, Strand, conflict,
    go_together, protected,
};

/// What accesses have in common that conflict with the same others.
type Key = (Strand, Site, Kind, Place, u32, bool);

fn key(access: &Access) -> Key {
    (access.strand, access.site, access.kind, access.place, access.locks.0, access.span == Span::Point)
}

/// All accesses of one phase with one key.
struct Class<'a> {
    /// One of them.
    access: &'a Access,
    /// From the phase they begin in to the last that one of them reaches.
    phases: Phases,
    /// Whether one of them is of this cut.
    new: bool,
    /// Where they begin, in order, and how far those until there reach: not at all if they are points.
    reach: Vec<(Pos, Option<Pos>)>,
}

impl<'a> Class<'a> {
    fn new(access: &'a Access) -> Self {
        Self { access, phases: access.phases, new: false, reach: Vec::new() }
    }

    fn add(&mut self, access: &Access, new: bool) {
        self.phases.hi = self.phases.hi.zip(access.phases.hi).map(|(a, b)| a.max(b));
        self.new |= new;
        let end = access.operation().map_or(Some(access.begin), |operation| operation.end);
        self.reach.push((access.begin, end));
    }

    fn finish(&mut self) {
        self.reach.sort_unstable();
        let mut furthest = Some(Pos(0));
        for (_, end) in &mut self.reach {
            furthest = furthest.zip(*end).map(|(a, b)| a.max(b));
            *end = furthest;
        }
    }

    /// Whether one of these is still under way when its strand begins one of the others.
    fn lasts_into(&self, others: &Self) -> bool {
        let same = std::ptr::eq(self, others);
        self.access.span != Span::Point
            && others.reach.iter().enumerate().any(|(i, &(begin, _))| {
                // The ends of one operation share a position; others that do are kept in doubt.
                let before = if same { i } else { self.reach.partition_point(|&(b, _)| b <= begin) };
                before > 0 && self.reach[before - 1].1.is_none_or(|end| end > begin)
            })
    }
}

/// What the screening found.
#[derive(Default)]
pub struct Screened {
    /// The accesses that have a conflicting partner, protected or not. At least one of each pair is of this cut.
    pub marked: Vec<bool>,
    /// Whether a pair is unprotected.
    pub suspicious: bool,
    /// Whether a pair is protected by a lock, so that something may have flowed through that lock.
    pub flows: bool,
}

/// Looks for conflicting partners, with histories of the given kind. What is at or after index `first_new` is of this cut.
pub fn screen(accesses: &[Access], first_new: usize, locksets: &Locksets, kind: Store) -> Screened {
    let mut glance = Glance::new(accesses);
    screen_rest(accesses, first_new, locksets, kind, |group| glance.is_clear(group))
}

/// Looks closely at the phases that are not clear.
fn screen_rest(
    accesses: &[Access],
    first_new: usize,
    locksets: &Locksets,
    kind: Store,
    mut is_clear: impl FnMut(&[usize]) -> bool,
) -> Screened {
    let mut found = Screened::default();
    let mut marked: FxHashSet<Key> = FxHashSet::default();
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|&i| accesses[i].phases.lo);
    let groups: Vec<Vec<Class>> = order
        .chunk_by(|&i, &j| accesses[i].phases.lo == accesses[j].phases.lo)
        .filter(|group| !is_clear(group))
        .map(|group| classes(group, accesses, first_new))
        .collect();
    let mut stored: FxHashMap<Segment, AnyHistory<&Class>> = FxHashMap::default();
    for group in &groups {
        forget_before(group[0].phases.lo, &mut stored);
        let busiest = busiest(group);
        let (home, foreign): (Vec<&Class>, Vec<&Class>) = group.iter().partition(|c| is_home(c, busiest));
        for (class, store) in foreign.into_iter().map(|c| (c, true)).chain(home.into_iter().map(|c| (c, false))) {
            let history = stored.entry(class.access.place.segment).or_insert_with(|| AnyHistory::new(kind));
            if conflicts_with_itself(class) {
                marked.insert(key(class.access));
                found.tell(protected(class.access, class.access, locksets));
            }
            history.overlapping(class.access.place.bytes, |_, other| {
                if may_conflict(class, other) {
                    // A critical section may last beyond the phase of what is done in it: what flows out of it is not bound to phases.
                    let protected = protected(class.access, other.access, locksets);
                    if protected || class.phases.meet(other.phases) {
                        marked.insert(key(class.access));
                        marked.insert(key(other.access));
                        found.tell(protected);
                    }
                }
            });
            if store {
                history.insert(class.access.place.bytes, class);
            }
        }
    }
    found.marked = if marked.is_empty() {
        vec![false; accesses.len()]
    } else {
        accesses.iter().map(|a| marked.contains(&key(a))).collect()
    };
    found
}

/// Accesses that are no points of one strand, in a phase that is looked at so, or sorts of accesses: each is compared with all.
const FEW: usize = 16;
/// No element of an atomic is wider, and all widths are parts of it: where accesses begin in such a stretch tells whether they are whole elements apart.
const WIDEST: u64 = 16;

/// Looks at phases one after the other for accesses that nobody is in the way of, whatever orders them. May not see it.
struct Glance<'a> {
    accesses: &'a [Access],
    others: Vec<&'a Access>,
    /// The first phase that nothing of an earlier one reaches; none if there may be no such.
    free: Option<Phase>,
}

impl<'a> Glance<'a> {
    fn new(accesses: &'a [Access]) -> Self {
        Self { accesses, others: Vec::new(), free: Some(Phase(0)) }
    }

    /// Whether no access of this phase has a partner, of this phase or another one.
    fn is_clear(&mut self, group: &[usize]) -> bool {
        let phase = self.accesses[group[0]].phases.lo;
        let alone = self.free.is_some_and(|free| free <= phase);
        let mut ends = Some(phase);
        for &i in group {
            let Access { phases, locks, .. } = self.accesses[i];
            // What flows out of a critical section is not bound to phases.
            ends = ends.zip(phases.hi.filter(|_| locks == LocksetId::EMPTY)).map(|(a, b)| a.max(b));
        }
        self.free = self.free.zip(ends).map(|(free, end)| free.max(Phase(end.0 + 1)));
        alone && ends == Some(phase) && (self.are_apart(group) || self.go_together(group))
    }

    /// Whether no two of them are in each other's way even if they touch the same bytes: reads, or atomics of one type, as when all add to a table.
    fn go_together(&self, group: &[usize]) -> bool {
        let key = |access: &Access| {
            (
                access.place.segment,
                access.kind,
                access.act,
                access.span == Span::Point,
                access.place.bytes.lo() % WIDEST,
            )
        };
        let fits = |kind| !matches!(kind, Kind::Atomic(Atomic { width, .. }) if !(width > 0 && WIDEST.is_multiple_of(u64::from(width))));
        let mut sorts: Vec<&Access> = Vec::with_capacity(FEW);
        for &i in group {
            let access = &self.accesses[i];
            if sorts.iter().all(|sort| key(sort) != key(access)) {
                if sorts.len() == FEW || !fits(access.kind) {
                    return false;
                }
                sorts.push(access);
            }
        }
        let together = |a: &Access, b: &Access| {
            a.place.segment != b.place.segment || !(a.writes() || b.writes()) || go_together(a, b)
        };
        sorts.iter().all(|a| sorts.iter().all(|b| together(a, b)))
    }

    /// Whether no two of them touch the same bytes, but for reads and for points of one strand.
    fn are_apart(&mut self, group: &[usize]) -> bool {
        let mut home = None;
        self.others.clear();
        for &i in group {
            let access = &self.accesses[i];
            let at_home = access.span == Span::Point && *home.get_or_insert(access.strand) == access.strand;
            if !at_home {
                if self.others.len() == FEW {
                    return false;
                }
                self.others.push(access);
            }
        }
        self.others.iter().all(|&other| group.iter().all(|&i| apart(other, &self.accesses[i])))
    }
}

fn apart(a: &Access, b: &Access) -> bool {
    !a.place.bytes.overlaps(b.place.bytes)
        || a.place.segment != b.place.segment
        || !(a.writes() || b.writes())
        || std::ptr::eq(a, b)
}

impl Screened {
    fn tell(&mut self, protected: bool) {
        self.suspicious |= !protected;
        self.flows |= protected;
    }
}

fn may_conflict(a: &Class, b: &Class) -> bool {
    let points_of_one_strand =
        a.access.strand == b.access.strand && a.access.span == Span::Point && b.access.span == Span::Point;
    (a.new || b.new) && !points_of_one_strand && conflict(a.access, b.access) && !in_order(a, b)
}

/// Whether one strand did them one after the other.
fn in_order(a: &Class, b: &Class) -> bool {
    a.access.strand == b.access.strand && !a.lasts_into(b) && !b.lasts_into(a)
}

/// A line of one strand may race with itself, by operations that are under way at the same time.
fn conflicts_with_itself(class: &Class) -> bool {
    class.new && class.access.kind == Kind::Write && class.lasts_into(class)
}

fn classes<'a>(group: &[usize], accesses: &'a [Access], first_new: usize) -> Vec<Class<'a>> {
    let mut index: FxHashMap<Key, usize> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    for &i in group {
        let access = &accesses[i];
        let at = *index.entry(key(access)).or_insert(classes.len());
        if at == classes.len() {
            classes.push(Class::new(access));
        }
        classes[at].add(access, i >= first_new);
    }
    classes.iter_mut().for_each(Class::finish);
    classes
}

fn is_home(class: &Class, busiest: Strand) -> bool {
    class.access.span == Span::Point
        && class.access.strand == busiest
        && class.phases.hi == Some(class.phases.lo)
        && class.access.locks == LocksetId::EMPTY
}

fn forget_before(phase: Phase, stored: &mut FxHashMap<Segment, AnyHistory<&Class>>) {
    for history in stored.values_mut() {
        let lasts =
            |class: &Class| class.phases.hi.is_none_or(|hi| hi >= phase) || class.access.locks != LocksetId::EMPTY;
        history.retain(|_, class| if lasts(class) { Keep::Yes } else { Keep::No });
    }
}

/// The strand with most points, which need not be stored.
fn busiest(group: &[Class]) -> Strand {
    let mut points: FxHashMap<Strand, usize> = FxHashMap::default();
    for class in group.iter().filter(|c| c.access.span == Span::Point) {
        *points.entry(class.access.strand).or_default() += 1;
    }
    points.into_iter().max_by_key(|&(strand, n)| (n, strand)).map_or(group[0].access.strand, |(strand, _)| strand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use thrille_model::{Act, Ctx, Domain, Effect, Held, Interval, Lock, Mode, Operation, Order, Rank, StackId};

    /// What one strand does to one word: a write or read at a line, from a position until another.
    fn suspicious(done: &[(u32, Kind, u64, Option<u64>)]) -> bool {
        let accesses: Vec<Access> = done
            .iter()
            .map(|&(line, kind, begin, end)| Access {
                place: Place::solid(Rank(0), Segment::Heap, Interval::from_len(0, 8).unwrap()),
                kind,
                strand: Strand::thread(Rank(1), 0),
                begin: Pos(begin),
                span: Span::Operation(Operation { ctx: Ctx(0), end: end.map(Pos), order: Order::None }),
                phases: Phases { lo: Phase(0), hi: Some(Phase(0)) },
                locks: LocksetId::EMPTY,
                act: Act::Put,
                site: Site { module: 0, offset: line.into() },
                stack: StackId(0),
                times: 1,
            })
            .collect();
        screen(&accesses, 0, &Locksets::default(), Store::default()).suspicious
    }

    #[test]
    fn what_a_strand_completes_before_it_goes_on_is_in_order() {
        use Kind::{Read, Write};
        let turn = |at: u64| [(1, Read, at, Some(at)), (2, Write, at + 1, Some(at + 2))];
        let turns: Vec<_> = (0..4).flat_map(|turn_of| turn(10 * turn_of)).collect();
        assert!(!suspicious(&turns));
        assert!(!suspicious(&[(2, Write, 5, Some(6)), (2, Write, 0, Some(5))]), "in whatever order they are told");
        assert!(suspicious(&[(2, Write, 0, Some(6)), (2, Write, 5, Some(6))]), "the same line, under way twice");
        assert!(suspicious(&[(2, Write, 0, None), (2, Write, 5, Some(6))]), "never completed");
        assert!(
            suspicious(&[(1, Read, 7, Some(7)), (2, Write, 0, Some(9)), (2, Write, 3, Some(4))]),
            "the longest counts"
        );
        assert!(!suspicious(&[(1, Read, 9, Some(9)), (2, Write, 3, Some(9))]));
    }

    /// A strand, where it is, how long it takes, which bytes of which part, how, its phases, whether under a lock.
    type Drawn = ((u32, u64, Option<Option<u64>>), (bool, u64, u64), Kind, (u64, Option<u64>), bool);

    /// Most of a phase may be atomics of one type: what each touches is a whole element of theirs then.
    fn kind() -> impl Strategy<Value = Kind> {
        let atomic = |(domain, through, ty, width, writes)| {
            let effect = if writes { Effect::Update } else { Effect::Load };
            Kind::Atomic(Atomic { domain, through, ty, width, op: 0, ordered: false, effect })
        };
        let domain = prop::sample::select(vec![Domain::Shmem, Domain::Shmem, Domain::Processor, Domain::Mpi]);
        let drawn =
            (domain, 0u16..2, 1u8..3, prop::sample::select(vec![4u8, 4, 4, 8, 12]), any::<bool>()).prop_map(atomic);
        prop_oneof![Just(Kind::Read), Just(Kind::Write), Just(Kind::Await), drawn]
    }

    /// How all of a phase touch memory: in any way, or only so.
    fn drawn_alike() -> impl Strategy<Value = Vec<Drawn>> {
        let kinds = prop_oneof![Just(None), Just(Some(Kind::Read)), kind().prop_map(Some),];
        (prop::collection::vec(drawn(), 1..40), kinds, prop::sample::select(vec![1u64, 4, 4, 8])).prop_map(
            |(mut all, only, grain)| {
                for (i, (_, (_, lo, len), kind, ..)) in all.iter_mut().enumerate() {
                    if let Some(only) = only.filter(|_| i % 16 != 15) {
                        (*kind, *lo, *len) = (only, *lo / grain * grain, (*len).max(grain));
                    }
                }
                all
            },
        )
    }

    fn drawn() -> impl Strategy<Value = Drawn> {
        let span = prop::option::weighted(0.3, prop::option::weighted(0.8, 0u64..6));
        let phases = (0u64..4, prop::option::weighted(0.95, prop::sample::select(vec![0u64, 0, 0, 0, 0, 0, 1, 2])));
        let place = (prop::bool::weighted(0.3), 0u64..24, 1u64..4);
        ((0u32..4, 0u64..9, span), place, kind(), phases, prop::bool::weighted(0.05))
    }

    proptest! {
        #[test]
        fn what_is_clear_at_a_glance_is_clear(drawn in drawn_alike(), carried in 0usize..8) {
            let mut locksets = Locksets::default();
            let lock = locksets.intern(vec![Held { lock: Lock::Symmetric(Segment::Heap, 0), mode: Mode::Exclusive }]);
            let access = |(line, &((strand, begin, lasts), (heap, lo, len), kind, (phase, more), locked)): (u64, &Drawn)| Access {
                place: Place::solid(Rank(0), if heap { Segment::Heap } else { Segment::Statics }, Interval::from_len(lo, len).unwrap()),
                kind,
                strand: Strand::thread(Rank(strand / 2), strand % 2),
                begin: Pos(begin),
                span: lasts.map_or(Span::Point, |lasts| {
                    Span::Operation(Operation { ctx: Ctx(0), end: lasts.map(|lasts| Pos(begin + lasts)), order: Order::None })
                }),
                phases: Phases { lo: Phase(phase), hi: more.map(|more| Phase(phase + more)) },
                locks: if locked { lock } else { LocksetId::EMPTY },
                act: Act::Put,
                site: Site { module: 0, offset: line % 7 },
                stack: StackId(0),
                times: 1,
            };
            let accesses: Vec<Access> = (0..).zip(&drawn).map(access).collect();
            let glanced = screen(&accesses, carried, &locksets, Store::default());
            let looked = screen_rest(&accesses, carried, &locksets, Store::default(), |_| false);
            prop_assert_eq!(glanced.marked, looked.marked);
            prop_assert_eq!((glanced.suspicious, glanced.flows), (looked.suspicious, looked.flows));
        }
    }
}
