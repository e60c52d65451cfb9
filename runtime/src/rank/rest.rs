//! Strands that rest: they wait to be called, and do nothing before.
//!
//! What others did is kept as long as some strand may still do something that was not ordered after it. A thread that sleeps on a condition, or
//! a worker between two regions, will first learn of what its caller knows. So it holds nobody back: not while it rests, and from the
//! call on no further than to the caller's phase.

use super::Rank;
use crate::recorder::Recorder;
use thrille_model::{Phase, Strand};

/// What is to be expected of a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// Anything, from the phase on that it knows of.
    Runs,
    /// Nothing before something of this name happens.
    Rests(u64),
    /// It has happened, in this phase, and the strand is on its way.
    Called(u64, Phase),
    /// Nothing.
    Gone,
}

impl Life {
    /// Whether it waits for this, or is called for it.
    fn is_for(self, name: u64) -> bool {
        matches!(self, Self::Rests(waits) | Self::Called(waits, _) if waits == name)
    }
}

impl Rank {
    /// The strand waits for something of this name.
    pub fn rest(&mut self, recorder: &Recorder, name: u64) {
        self.set(recorder.strand(), Life::Rests(name));
    }

    /// It goes on, and has learned what it was called for.
    pub fn wake(&mut self, recorder: &Recorder) {
        self.set(recorder.strand(), Life::Runs);
    }

    /// Calls those that wait for one of many to come: whoever was called before and has not come need not.
    pub fn call_anew(&mut self, recorder: &Recorder, name: u64) {
        self.change(Life::Called(name, recorder.phase()), |life| life.is_for(name));
    }

    /// Those that wait for one thing, or are called for it, will not come: they wait for another.
    pub fn rest_instead(&mut self, name: u64, other: u64) {
        self.change(Life::Rests(other), |life| life.is_for(name));
    }

    /// Calls those that wait for this.
    pub fn call(&mut self, recorder: &Recorder, name: u64) {
        self.change(Life::Called(name, recorder.phase()), |life| life == Life::Rests(name));
    }

    fn change(&mut self, to: Life, whose: impl Fn(Life) -> bool) {
        self.lives.iter_mut().filter(|life| whose(**life)).for_each(|life| *life = to);
    }

    pub(super) fn set(&mut self, strand: Strand, life: Life) {
        self.lives[strand.number() as usize] = life;
    }

    /// The earliest phase that anything still to come of a strand may fall into.
    pub(super) fn earliest(&self) -> Option<Phase> {
        let earliest = |(life, known): (&Life, Phase)| match *life {
            Life::Runs => Some(known),
            Life::Called(_, phase) => Some(phase.max(known)),
            Life::Rests(_) | Life::Gone => None,
        };
        self.lives.iter().zip(self.knowledge.iter().map(|known| known.phase)).filter_map(earliest).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::Modules;
    use crate::regions::Regions;

    const ME: thrille_model::Rank = thrille_model::Rank(0);

    #[test]
    fn who_rests_holds_nobody_back() {
        let (mut rank, mut main) = Rank::new(ME, Regions::default(), Modules::new(Vec::new), 100);
        let child = rank.fork(&mut main);
        let child = rank.begin(child);
        let pass = |rank: &mut Rank, main: &mut Recorder| {
            rank.enter_barrier(main);
            rank.leave_barrier(main);
            rank.gather(main, false, 0).status.watermark
        };
        assert_eq!(pass(&mut rank, &mut main), Phase(0));
        rank.rest(&child, 7);
        assert_eq!(pass(&mut rank, &mut main), Phase(2));
        rank.call(&main, 8);
        assert_eq!(pass(&mut rank, &mut main), Phase(3));
        rank.call(&main, 7);
        assert_eq!(pass(&mut rank, &mut main), Phase(3));
        rank.call(&main, 7);
        assert_eq!(pass(&mut rank, &mut main), Phase(3), "it is still on its way");
        rank.call_anew(&main, 7);
        assert_eq!(pass(&mut rank, &mut main), Phase(5));
        rank.rest_instead(7, 8);
        assert_eq!(pass(&mut rank, &mut main), Phase(7));
        rank.wake(&child);
        assert_eq!(pass(&mut rank, &mut main), Phase(0), "nobody told it of a barrier");
    }
}
