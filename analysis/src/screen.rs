//! Conflict first: which accesses have a partner that they conflict with in a phase they share?
//!
//! Phase by phase, in interval histories, one per segment. The strand that did most of the points in a phase (the owner itself, as a
//! rule) is asked against the others but not stored: points of one strand never race with each other. Of accesses that differ only in
//! their position one representative is stored and asked: a location that is touched a million times by one line is looked at once.

use rustc_hash::{FxHashMap, FxHashSet};
use thrille_history::{History, IntervalSkiplist, Keep};
use thrille_model::{Access, Kind, Locksets, Phase, Place, Segment, Site, Span, Strand, conflict, protected};

/// What two accesses of one strand and phase have in common when asking for conflicts with one is asking for both.
type Class = (Strand, Site, Kind, Place, u32, bool);

fn class(access: &Access) -> Class {
    (access.strand, access.site, access.kind, access.place, access.locks.0, access.span == Span::Point)
}

/// Marks the accesses that have a conflicting partner. At least one of each pair is at or after index `first_new`.
pub fn suspects(accesses: &[Access], first_new: usize, locksets: &Locksets) -> Vec<bool> {
    let mut marked: FxHashSet<Class> = FxHashSet::default();
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|&i| accesses[i].phases.lo);
    let mut stored: FxHashMap<Segment, IntervalSkiplist<usize>> = FxHashMap::default();
    for group in order.chunk_by(|&i, &j| accesses[i].phases.lo == accesses[j].phases.lo) {
        forget_before(accesses[group[0]].phases.lo, accesses, &mut stored);
        let busiest = busiest(group, accesses);
        let is_home = |a: &Access| a.span == Span::Point && a.strand == busiest && a.phases.hi == Some(a.phases.lo);
        let mut seen: FxHashSet<Class> = FxHashSet::default();
        let (home, foreign): (Vec<usize>, Vec<usize>) =
            group.iter().filter(|&&i| seen.insert(class(&accesses[i]))).partition(|&&i| is_home(&accesses[i]));
        // A line of one strand may race with itself: of its operations, a second one stands for all the others.
        let repeated = repeated_operations(group, accesses);
        for (i, store) in foreign.into_iter().chain(repeated).map(|i| (i, true)).chain(home.into_iter().map(|i| (i, false))) {
            let access = &accesses[i];
            let history = stored.entry(access.place.segment).or_default();
            history.overlapping(access.place.bytes, |_, &j| {
                let other = &accesses[j];
                if (i >= first_new || j >= first_new)
                    && other.phases.meet(access.phases)
                    && !(other.strand == access.strand && other.span == Span::Point && access.span == Span::Point)
                    && conflict(access, other)
                    && !protected(access, other, locksets)
                {
                    marked.insert(class(access));
                    marked.insert(class(other));
                }
            });
            if store {
                history.insert(access.place.bytes, i);
            }
        }
    }
    accesses.iter().map(|a| marked.contains(&class(a))).collect()
}

fn forget_before(phase: Phase, accesses: &[Access], stored: &mut FxHashMap<Segment, IntervalSkiplist<usize>>) {
    for history in stored.values_mut() {
        history.retain(|_, &mut i| if accesses[i].phases.hi.is_none_or(|hi| hi >= phase) { Keep::Yes } else { Keep::No });
    }
}

/// The strand with most points, which need not be stored.
fn busiest(group: &[usize], accesses: &[Access]) -> Strand {
    let mut points: FxHashMap<Strand, usize> = FxHashMap::default();
    for &i in group {
        if accesses[i].span == Span::Point {
            *points.entry(accesses[i].strand).or_default() += 1;
        }
    }
    points.into_iter().max_by_key(|&(strand, n)| (n, strand)).map_or(accesses[group[0]].strand, |(strand, _)| strand)
}

fn repeated_operations(group: &[usize], accesses: &[Access]) -> Vec<usize> {
    let mut times: FxHashMap<Class, u32> = FxHashMap::default();
    let second = |&i: &usize| {
        let n = times.entry(class(&accesses[i])).or_default();
        *n += 1;
        (*n == 2).then_some(i)
    };
    group.iter().filter(|&&i| accesses[i].span != Span::Point).filter_map({
        let mut second = second;
        move |i| second(i)
    })
    .collect()
}
