//! Whose turn it is: the state that a function and a statement have in common, however they are known.

use crate::chance::Chance;
use crate::controller::Controller;
use crate::gaps::{Gap, Gaps, LONGEST};
use crate::policy::History;

/// Executions until the next try, when there was no budget for one that was due.
const REFUSED: u32 = 1 << 12;

/// Why something is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The policy says so.
    Policy,
    /// It is the first time, here or in this kind of phase, or there is credit.
    Anyway,
}

/// What a gap that is over means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Then {
    #[default]
    Take,
    DrawAnew,
}

/// What was met and taken, and the gap that is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    pub history: History,
    /// How long the gap was when it was drawn, with the execution that ends it.
    drawn: u32,
    then: Then,
    /// Phases that began in it.
    phases: u32,
}

impl Turn {
    /// A gap was over: what has passed since the last decision, and this execution.
    pub fn pass(&mut self) {
        self.history.met += u64::from(self.drawn.max(1));
    }

    /// The same in the middle of a gap, of which so much is left.
    pub fn pass_early(&mut self, left: u32) {
        self.history.met += u64::from(self.drawn.saturating_sub(left)) + 1;
    }

    /// If this execution is not to be taken: at how many from the next one on to decide again.
    pub fn waits(
        &mut self,
        controller: &Controller,
        gaps: &mut Gaps,
        chance: impl Fn(History) -> Chance,
    ) -> Option<u32> {
        if self.then == Then::DrawAnew {
            return match gaps.draw(chance(self.history), self.patience()) {
                Gap::Until(0) => None,
                // This execution is the first of those that pass.
                Gap::Until(gap) => Some(self.set(Gap::Until(gap - 1))),
                Gap::AtLeast(gap) => Some(self.set(Gap::AtLeast(gap - 1))),
            };
        }
        (!controller.allows(self.history.taken)).then(|| self.set(Gap::AtLeast(REFUSED)))
    }

    /// It is taken. What is taken whatever the policy says counts for back-off only the first time.
    pub fn take(&mut self, why: Why) {
        if why == Why::Policy || self.history.taken == 0 {
            self.history.taken += 1;
        }
    }

    /// Begins a gap of random length.
    pub fn draw(&mut self, chance: Chance, gaps: &mut Gaps) -> u32 {
        let gap = gaps.draw(chance, self.patience());
        self.set(gap)
    }

    /// A phase begins, which counts as one execution: whether it is the last one of a gap.
    pub fn phase_is_due(&mut self) -> bool {
        self.phases += 1;
        self.history.met += 1;
        let due = self.phases >= self.drawn;
        if due {
            self.phases = 0;
        }
        due
    }

    /// The next one is taken.
    pub fn wake(&mut self) {
        (self.drawn, self.then) = (1, Then::Take);
    }

    /// After how many executions to think again: what is seldom executed must not wait for long.
    fn patience(&self) -> u32 {
        u32::try_from(self.history.met / 8).unwrap_or(LONGEST).clamp(16, LONGEST)
    }

    /// Begins a gap: the execution after which it is over, counted from the next one.
    pub fn set(&mut self, gap: Gap) -> u32 {
        let (length, then) = match gap {
            Gap::Until(length) => (length, Then::Take),
            Gap::AtLeast(length) => (length, Then::DrawAnew),
        };
        (self.drawn, self.then, self.phases) = (length + 1, then, 0);
        self.drawn
    }
}
