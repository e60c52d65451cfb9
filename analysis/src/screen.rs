//! Conflict first: which accesses have a partner that they conflict with in a phase they share?
//!
//! Phase by phase, in interval histories, one per segment. The strand that did most of the points in a phase (the owner itself, as a
//! rule) is asked against the others but not stored: points of one strand never race with each other. Accesses that differ only in
//! their position form a [`Class`], which is stored and asked once: a location that is touched a million times by one line is looked
//! at once. Too much may be marked, never too little; the replay is exact.

use rustc_hash::{FxHashMap, FxHashSet};
use thrille_history::{AnyHistory, History, Keep, Store};
use thrille_model::{
    Access, Kind, LocksetId, Locksets, Phase, Phases, Place, Segment, Site, Span, Strand, conflict, protected,
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
    /// Whether there are several, so that they may conflict with each other.
    several: bool,
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
    let mut found = Screened::default();
    let mut marked: FxHashSet<Key> = FxHashSet::default();
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|&i| accesses[i].phases.lo);
    let groups: Vec<Vec<Class>> = order
        .chunk_by(|&i, &j| accesses[i].phases.lo == accesses[j].phases.lo)
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
    found.marked = accesses.iter().map(|a| marked.contains(&key(a))).collect();
    found
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
    (a.new || b.new) && !points_of_one_strand && conflict(a.access, b.access)
}

/// A line of one strand may race with itself, by operations that are under way at the same time.
fn conflicts_with_itself(class: &Class) -> bool {
    class.several && class.new && class.access.span != Span::Point && class.access.kind == Kind::Write
}

fn classes<'a>(group: &[usize], accesses: &'a [Access], first_new: usize) -> Vec<Class<'a>> {
    let mut index: FxHashMap<Key, usize> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    for &i in group {
        let access = &accesses[i];
        let at = *index.entry(key(access)).or_insert(classes.len());
        match classes.get_mut(at) {
            None => classes.push(Class { access, phases: access.phases, new: i >= first_new, several: false }),
            Some(class) => {
                class.phases.hi = class.phases.hi.zip(access.phases.hi).map(|(a, b)| a.max(b));
                class.new |= i >= first_new;
                class.several = true;
            }
        }
    }
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
