//! Critical sections: until when something may still flow out of them.
//!
//! A section may last beyond the phase of what is done in it, and a barrier that another strand called comes before or after its end
//! whatever the clock says. So an access under a lock is kept until the end of its section, too, is settled: known to come before a global barrier.

use rustc_hash::FxHashMap;
use thrille_model::{Lock, Phase, Pos, Strand, Sync, SyncEvent};

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
