//! Who waits, and who goes on.

use super::{Action, Cause, Floor, Held, Present, REMEMBERED, STARTING, State, What};
use crate::policy::{At, Moment};
use std::time::Duration;
use thrille_model::{Rank, Strand};

/// How long, on an idle machine, until it shows what comes of somebody's going on: others wake up, and come to where they are waited for.
const AFTERMATH: Duration = Duration::from_millis(16);

impl Floor {
    pub(super) fn quiet(&self) -> Duration {
        self.policy.quiet() * self.pace
    }

    pub(super) fn nobody_moves(&self) -> bool {
        let all_here = self.all_begun();
        let all_wait = self.strands.values().all(|state| !matches!(state, State::Running));
        self.watched && all_here && all_wait && self.held().next().is_some()
    }

    pub(super) fn all_begun(&self) -> bool {
        self.begun.len() >= self.ranks as usize
    }

    /// Before this nobody's time is over.
    pub(super) fn waits_for_ranks_until(&self) -> Duration {
        if self.all_begun() { Duration::ZERO } else { self.first_begun + STARTING }
    }

    /// Whose time is over: of several the one that loses least by going on, then the first.
    pub(super) fn overdue(&self, now: Duration) -> Option<Strand> {
        if now < self.waits_for_ranks_until() {
            return None;
        }
        let overdue = self.held().filter(|(_, held)| held.until <= now);
        let stays = |strand, held| self.at(strand, held).moment == Moment::Issue;
        overdue.min_by_key(|&(strand, held)| (!stays(strand, held), held.until)).map(|(strand, _)| strand)
    }

    /// Somebody has gone on: who is held waits for what comes of that.
    pub(super) fn put_off(&mut self, now: Duration) {
        let until = now + AFTERMATH * self.pace;
        for held in self.held_mut() {
            let more = until.saturating_sub(held.until).min(held.grace);
            held.until += more;
            held.grace -= more;
        }
    }

    /// All ranks are there from now on: time begins.
    pub(super) fn time_begins(&mut self, now: Duration) {
        self.held_mut().for_each(|held| held.until = held.until.max(now + held.grace));
    }

    fn held_mut(&mut self) -> impl Iterator<Item = &mut Held> {
        self.strands.values_mut().filter_map(|state| match state {
            State::Held(held) => Some(held),
            State::Running | State::InCall => None,
        })
    }

    pub(super) fn break_stall(&mut self) {
        // Somebody waits for a first side that cannot get done before it.
        let second = self.held().find(|(_, held)| held.behind.is_some()).map(|(strand, _)| strand);
        if let Some(second) = second {
            self.let_go(second, Cause::Done);
            return;
        }
        // An operation that is issued stays present; who stands before an access waits for the one that is late.
        let late = self.waits_late();
        let others = self.held().filter(|(strand, _)| Some(*strand) != late);
        let held: Vec<At> = others.map(|(strand, held)| self.at(strand, held)).collect();
        if let (Some(late), false) = (late, held.iter().any(|at| self.passes(at))) {
            self.let_go(late, Cause::Done);
            return;
        }
        let chosen = self.policy.stalled(&held).min(held.len() - 1);
        let strand = held[chosen].strand;
        self.let_go(strand, Cause::NobodyMoves);
    }

    pub(super) fn at(&self, strand: Strand, held: &Held) -> At {
        let misses = held.misses;
        match held.what {
            What::Completing(_) | What::Behind | What::Late => {
                At { strand, live: None, moment: Moment::Completing, misses }
            }
            What::Access(id) => {
                let present = self.present.iter().find(|p| p.id == id);
                let moment = if present.is_some_and(|p| p.operation.is_some()) { Moment::Issue } else { Moment::Point };
                At { strand, live: present.map(|p| p.live), moment, misses }
            }
        }
    }

    pub(super) fn is_awaited(&self, rank: Rank, operation: u64) -> bool {
        self.held().any(|(_, held)| held.behind.is_some_and(|(s, o)| s.rank == rank && o == Some(operation)))
    }

    pub(super) fn hold_or_go(&mut self, now: Duration, strand: Strand, at: &At, wanted: bool) {
        let late = self.waits_late();
        // While one is late, nobody comes: an operation that is issued stays present by itself.
        let wanted = wanted && (late.is_none() || !self.passes(at));
        let patience = if wanted { self.policy.hold(at) * self.pace.min(2) } else { Duration::ZERO };
        // The first time, until all that are there have gone one after the other; later, each place must not take that long again.
        let one_by_one = AFTERMATH * self.pace * self.strands.len() as u32;
        if patience.is_zero() {
            self.let_go(strand, Cause::Done);
        } else if let Some(State::Held(held)) = self.strands.get_mut(&strand) {
            held.until = now + patience;
            held.grace = if at.misses == 0 { patience.max(one_by_one) } else { patience };
            if let Some(late) = late {
                self.let_go(late, Cause::Done);
            }
        }
    }

    /// Whether a strand may go on while the other side is late, and lose nothing.
    pub(super) fn passes(&self, at: &At) -> bool {
        at.moment == Moment::Issue && self.policy.lets_issue()
    }

    /// Who waits for the others now.
    pub(super) fn waits_late(&self) -> Option<Strand> {
        self.held().find(|(_, held)| matches!(held.what, What::Late)).map(|(strand, _)| strand)
    }

    pub(super) fn let_go(&mut self, strand: Strand, cause: Cause) {
        let Some(state) = self.strands.get_mut(&strand) else { return };
        let State::Held(held) = std::mem::replace(state, State::Running) else { return };
        let gone: Vec<Present> = match held.what {
            // An operation stays until it is completed.
            What::Access(id) => self.present.extract_if(.., |p| p.id == id && p.operation.is_none()).collect(),
            What::Completing(operations) => {
                let these = |p: &Present| p.operation.is_some_and(|o| operations.contains(&o));
                self.present.extract_if(.., |p| p.access.strand.rank == strand.rank && these(p)).collect()
            }
            What::Behind | What::Late => Vec::new(),
        };
        self.gone.extend(gone.into_iter().map(|p| (p.spot, p.access, cause)));
        let surplus = self.gone.len().saturating_sub(REMEMBERED);
        self.gone.drain(..surplus);
        let awaits = |first: Strand, o: Option<u64>| first == strand || o.is_some() && first.rank == strand.rank;
        let report = self.held().any(|(_, held)| held.behind.is_some_and(|(first, o)| awaits(first, o)));
        self.actions.push(Action::Go { strand, missed: cause != Cause::Done, report });
    }

    /// Whether a strand stands behind an access that it was first at.
    pub(super) fn is_behind(&self, strand: Strand) -> bool {
        matches!(self.strands.get(&strand), Some(State::Held(Held { what: What::Behind, .. })))
    }

    /// Those go on who wait for such a strand, unless its operation is still under way.
    pub(super) fn release_behind(&mut self, is_done: impl Fn(Strand) -> bool) {
        for strand in self.seconds(is_done) {
            self.let_go(strand, Cause::Done);
        }
    }

    pub(super) fn seconds(&self, is_done: impl Fn(Strand) -> bool) -> Vec<Strand> {
        let under_way = |rank: Rank, operation: u64| {
            self.present.iter().any(|p| p.access.strand.rank == rank && p.operation == Some(operation))
        };
        self.held()
            .filter(|(_, held)| {
                held.behind.is_some_and(|(first, operation)| match operation {
                    None => is_done(first),
                    Some(operation) => !under_way(first.rank, operation),
                })
            })
            .map(|(strand, _)| strand)
            .collect()
    }
}
