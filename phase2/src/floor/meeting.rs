//! Which of those who are there race with each other.

use super::{Action, Cause, Floor, Held, Overlap, SECOND_WAITS, State, What, Witness};
use crate::candidate::{Candidate, Side, Spot};
use crate::schedule::Late;
use std::time::Duration;
use thrille_model::{Access, Place, Segment, conflict};

impl Floor {
    /// Windows are addresses of their owner: they may overlap each other and anything else.
    pub(super) fn address(&self, place: Place) -> Place {
        let Segment::Window(number) = place.segment else { return place };
        let Some(&base) = self.windows.get(&(place.owner, number)) else { return place };
        let Ok(bytes) = thrille_model::Interval::from_len(base.saturating_add(place.bytes.lo()), place.bytes.len())
        else {
            return place;
        };
        Place { segment: Segment::Private, bytes, ..place }
    }

    fn open(&self, candidate: usize) -> bool {
        self.witnesses[candidate].is_none()
    }

    fn wanted(&self, spot: Spot) -> bool {
        let of_spot = |c: &Candidate| c.sides_of(spot).next().is_some();
        (0..self.candidates.len()).any(|index| self.open(index) && of_spot(&self.candidates[index]))
    }

    /// Whether a strand there waits for another one.
    pub(super) fn waits_at(&self, spot: Spot) -> bool {
        let mut open = self.candidates.iter().enumerate().filter(|&(index, _)| self.open(index));
        open.any(|(_, candidate)| !candidate.alone && candidate.sides_of(spot).next().is_some())
    }

    pub(super) fn count(&mut self, spot: Spot, times: u32, access: &Access) {
        for (candidate, tally) in self.candidates.iter().zip(&mut self.tallies) {
            for side in candidate.sides_of(spot) {
                tally.arrived[side.index()] += 1;
                tally.most[side.index()] = tally.most[side.index()].max(times);
                let missed = |(other, gone, _): &&(Spot, Access, Cause)| {
                    gone.strand != access.strand
                        && candidate.sides(spot, *other).is_some_and(|(mine, _)| mine == side)
                        && conflict(gone, access)
                };
                if let Some((_, gone, cause)) = self.gone.iter().rfind(missed) {
                    tally.late[side.index()] += 1;
                    tally.in_call[side.index()] += u32::from(*cause == Cause::NobodyMoves);
                    let late = |of: &Access| Late { strand: of.strand, phase: of.phases.lo.0 };
                    tally.apart = Some([late(gone), late(access)]);
                }
            }
        }
    }

    /// Who is there that the newcomer races with: candidate, the newcomer's side, the other.
    pub(super) fn meetings(&self, newcomer: u64) -> Vec<(usize, Side, u64)> {
        let Some(new) = self.present.iter().find(|p| p.id == newcomer) else { return Vec::new() };
        let mut met = Vec::new();
        for other in self.present.iter().filter(|p| p.id != newcomer) {
            // A strand's accesses follow each other, unless one of them is still under way.
            if other.access.strand == new.access.strand && other.operation.is_none()
                || !conflict(&other.access, &new.access)
            {
                continue;
            }
            for (index, candidate) in self.candidates.iter().enumerate().filter(|&(index, _)| self.open(index)) {
                if let Some((mine, theirs)) = candidate.sides(new.spot, other.spot)
                    && candidate.is_called_from(mine, &new.stack)
                    && candidate.is_called_from(theirs, &other.stack)
                {
                    met.push((index, mine, other.id));
                }
            }
        }
        met
    }

    /// Two sides are there. True if the newcomer has to wait for the other to go first.
    pub(super) fn meet(&mut self, now: Duration, candidate: usize, mine: Side, newcomer: u64, other: u64) -> bool {
        let find = |id: u64| self.present.iter().position(|p| p.id == id);
        let (Some(new), Some(old)) = (find(newcomer), find(other)) else { return false };
        let (new, old) = (&self.present[new], &self.present[old]);
        let (me, them) = (new.access.strand, old.access.strand);
        let own = me == them;
        let holder = self.held().find(|(_, held)| match &held.what {
            What::Access(id) => *id == other,
            What::Completing(operations) => old.operation.is_some_and(|o| operations.contains(&o)),
            What::Behind | What::Late => false,
        });
        let stands = matches!(holder, Some((_, Held { what: What::Access(_), .. })));
        let holder = holder.map(|(strand, _)| strand).filter(|&strand| strand != me);
        let first = if own { None } else { self.policy.met() };
        let (my_operation, their_operation) = (new.operation, old.operation);
        if self.open(candidate) {
            let overlap = match (own, stands) {
                (true, _) => Overlap::OwnOpen(mine.other()),
                (false, true) => Overlap::BothStood,
                (false, false) => Overlap::Open(mine.other()),
            };
            let (new, old) = (new.part(), old.part());
            let parts = if mine == Side::A { [new, old] } else { [old, new] };
            self.witnesses[candidate] = Some(Witness { parts, overlap, first, second: mine });
        }
        match first {
            None => {
                if let Some(holder) = holder {
                    self.let_go(holder, Cause::Done);
                }
                false
            }
            Some(first) if first == mine => {
                // The newcomer goes; whoever holds the other behind it waits.
                if let Some(State::Held(held)) = holder.and_then(|holder| self.strands.get_mut(&holder)) {
                    held.behind = Some((me, my_operation));
                    (held.until, held.grace) = (now + SECOND_WAITS, Duration::ZERO);
                }
                false
            }
            Some(_) => {
                if let Some(State::Held(held)) = self.strands.get_mut(&me) {
                    held.behind = Some((them, their_operation));
                    (held.until, held.grace) = (now + SECOND_WAITS, Duration::ZERO);
                }
                if let Some(holder) = holder {
                    self.let_go(holder, Cause::Done);
                }
                true
            }
        }
    }

    /// Places at which nothing is left to be found.
    pub(super) fn switch_off(&mut self) {
        let indices = 0..self.live.len() as u32;
        let off: Vec<u32> = indices
            .filter(|index| !self.off.contains(index) && !self.wanted(self.live[*index as usize].spot))
            .collect();
        if !off.is_empty() {
            self.off.extend(&off);
            self.actions.push(Action::Off(off));
        }
    }
}
