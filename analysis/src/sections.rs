//! Critical sections: which of them something may flow through, and until when it may still flow out.
//!
//! Most sections of most programs are short, and millions. Nothing flows into one or out of one in which nothing was done that is in question: the replay knows the others alone ([`Busy`]).
//!
//! A section may last beyond the phase of what is done in it, and a barrier that another strand called comes before or after its end
//! whatever the clock says. So an access under a lock is kept until the end of its section, too, is settled: known to come before a global barrier.

use rustc_hash::FxHashMap;
use thrille_model::{Lock, Phase, Pos, Strand, Sync, SyncEvent};

/// The sections in which something was done that is in question.
pub struct Busy {
    /// Where one strand's of a lock begin and end, in order.
    bounds: FxHashMap<(Strand, Lock), Vec<(Pos, Sync)>>,
    /// Which events are the bounds of the others; of none if there are no sections.
    idle: Vec<bool>,
}

impl Busy {
    /// Of these logs; `done` is where something was done that is in question.
    pub fn new(events: &[SyncEvent], done: impl Iterator<Item = (Strand, Pos)>) -> Self {
        let mut all: FxHashMap<(Strand, Lock), Vec<(Pos, usize)>> = FxHashMap::default();
        for (index, event) in events.iter().enumerate() {
            if let Sync::Lock(lock, _) | Sync::Share(lock, _) | Sync::Unlock(lock, _) | Sync::Unshare { lock, .. } =
                event.sync
            {
                all.entry((event.strand, lock)).or_default().push((event.pos, index));
            }
        }
        if all.is_empty() {
            return Self { bounds: FxHashMap::default(), idle: Vec::new() };
        }
        let mut places: FxHashMap<Strand, Vec<Pos>> = FxHashMap::default();
        for (strand, pos) in done {
            places.entry(strand).or_default().push(pos);
        }
        for places in places.values_mut() {
            places.sort_unstable();
        }
        let mut idle = vec![false; events.len()];
        let mut bounds = FxHashMap::default();
        for ((strand, lock), mut of_lock) in all {
            of_lock.sort_by_key(|&(pos, _)| pos);
            let places = places.get(&strand).map_or(&[][..], Vec::as_slice);
            let mut begun: Option<(Pos, usize)> = None;
            for &(pos, index) in &of_lock {
                if matches!(events[index].sync, Sync::Lock(..) | Sync::Share(..)) {
                    begun = Some((pos, index));
                } else if let Some((begin, first)) = begun.take() {
                    let next = places.partition_point(|&place| place < begin);
                    let is_idle = places.get(next).is_none_or(|&place| place > pos);
                    (idle[first], idle[index]) = (is_idle, is_idle);
                }
            }
            let busy = of_lock.into_iter().filter(|&(_, index)| !idle[index]);
            let busy: Vec<(Pos, Sync)> = busy.map(|(pos, index)| (pos, events[index].sync)).collect();
            if !busy.is_empty() {
                bounds.insert((strand, lock), busy);
            }
        }
        Self { bounds, idle }
    }

    /// Whether an event begins or ends a section of which nothing is in question.
    pub fn is_idle(&self, event: usize) -> bool {
        self.idle.get(event).is_some_and(|&idle| idle)
    }

    /// Where the section ends in which a strand has a lock there, and how.
    pub fn end(&self, strand: Strand, lock: Lock, at: Pos) -> Option<(Pos, Sync)> {
        let bounds = self.bounds.get(&(strand, lock))?;
        let later = &bounds[bounds.partition_point(|&(pos, _)| pos <= at)..];
        later.iter().find(|(_, sync)| matches!(sync, Sync::Unlock(..) | Sync::Unshare { .. })).copied()
    }

    /// How a lock was taken that a strand has there.
    pub fn taken(&self, strand: Strand, lock: Lock, at: Pos) -> Option<Sync> {
        let bounds = self.bounds.get(&(strand, lock))?;
        bounds[..bounds.partition_point(|&(pos, _)| pos <= at)].last().map(|&(_, sync)| sync)
    }
}

struct Section {
    lock: Lock,
    begin: Pos,
    end: Option<Pos>,
}

/// One rank's sections whose end no barrier is known to follow.
#[derive(Default)]
pub struct Sections(FxHashMap<Strand, Vec<Section>>);

impl Sections {
    /// These events come next.
    pub fn follow(&mut self, events: &[SyncEvent]) {
        for event in events {
            match event.sync {
                Sync::Lock(lock, _) => {
                    self.0.entry(event.strand).or_default().push(Section { lock, begin: event.pos, end: None });
                }
                Sync::Unlock(lock, _) => {
                    let sections = self.0.entry(event.strand).or_default();
                    if let Some(section) = sections.iter_mut().rfind(|s| s.lock == lock && s.end.is_none()) {
                        section.end = Some(event.pos);
                    }
                }
                _ => {}
            }
        }
    }

    /// Of each strand, the position before which everything, and the section that it is in, comes before this cut's barrier.
    pub fn settle(&mut self, settled: &[(Strand, Pos)]) -> Vec<(Strand, Pos)> {
        let over = settled.iter().map(|&(strand, bound)| {
            let Some(sections) = self.0.get_mut(&strand) else { return (strand, bound) };
            sections.retain(|section| section.end.is_none_or(|end| end >= bound));
            let first = sections.first().map_or(bound, |section| section.begin);
            (strand, bound.min(first))
        });
        over.collect()
    }
}

/// What owners were told of that.
#[derive(Default)]
pub struct Over(FxHashMap<Strand, Vec<(Pos, Phase)>>);

impl Over {
    /// What a strand did before a position, and the sections that it is in, come before the barrier that ended `phase`.
    pub fn learn(&mut self, strand: Strand, before: Pos, phase: Phase) {
        let known = self.0.entry(strand).or_default();
        if known.last().is_none_or(|&(pos, _)| pos < before) {
            known.push((before, phase));
        }
    }

    /// Whether nothing that is still to come, from this phase on, can be ordered by what flows out of the section.
    pub fn before(&self, strand: Strand, begin: Pos, watermark: Phase) -> bool {
        let Some(known) = self.0.get(&strand) else { return false };
        let first = known.partition_point(|&(pos, _)| pos <= begin);
        known.get(first).is_some_and(|&(_, phase)| phase < watermark)
    }

    /// Of what is over before this phase the latest is enough.
    pub fn forget(&mut self, watermark: Phase) {
        for known in self.0.values_mut() {
            let past = known.partition_point(|&(_, phase)| phase < watermark);
            known.drain(..past.saturating_sub(1));
        }
    }
}
