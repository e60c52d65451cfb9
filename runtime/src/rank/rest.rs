//! Strands that rest: they wait to be called, and do nothing before.
//!
//! What others did is kept as long as some strand may still do something that was not ordered after it. A thread that sleeps on a condition, or
//! a worker between two regions, will first learn of what its caller knows. So it holds nobody back: not while it rests, and from the
//! call on no further than to the caller's phase.

use super::Rank;
use crate::recorder::Recorder;
use thrille_model::{Phase, Strand};

/// What a runtime's threads wait for that have nothing to do: it takes one that knows of all they did to call them.
pub const POOL: u64 = 1;

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
    pub fn call_anew(&mut self, recorder: &mut Recorder, name: u64) {
        self.change(Life::Called(name, recorder.phase()), |life| life.is_for(name));
        recorder.see(&self.regions, self.all_memory(recorder.strand));
    }

    /// Those that wait for one thing, or are called for it, will not come: they wait for another.
    pub fn rest_instead(&mut self, recorder: &mut Recorder, name: u64, other: u64) {
        self.change(Life::Rests(other), |life| life.is_for(name));
        recorder.see(&self.regions, self.all_memory(recorder.strand));
    }

    /// Calls those that wait for this.
    pub fn call(&mut self, recorder: &Recorder, name: u64) {
        self.change(Life::Called(name, recorder.phase()), |life| life == Life::Rests(name));
    }

    /// Whether nothing that another strand of the rank has recorded or will do can be at the same time as what this one does now: it knows of all that they did, and they do
    /// nothing before they are called by it.
    pub(super) fn is_alone(&self, strand: Strand) -> bool {
        let knows = &self.knowledge[strand.number() as usize];
        let is_before = |other: &Strand| {
            let number = other.number() as usize;
            *other == strand
                || matches!(self.lives[number], Life::Gone | Life::Rests(POOL))
                    && knows.of(*other) >= self.recorded_below[number]
        };
        self.single() || self.open.is_empty() && self.strands.iter().all(is_before)
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
    use thrille_model::{Act, Kind, Token};

    const ME: thrille_model::Rank = thrille_model::Rank(0);

    #[test]
    fn alone_while_the_others_wait_to_be_called() {
        let (mut rank, mut main) = Rank::new(ME, Regions::default(), Modules::new(Vec::new), 100);
        let token = Token::Local { rank: ME, address: 1 << 63, round: 0 };
        let child = rank.fork(&mut main);
        let mut child = rank.begin(child);
        assert!(!rank.is_alone(main.strand()));
        let _ = child.touch(4096, 8, Kind::Write, Act::Store, 7);
        rank.release(&mut child, token);
        rank.rest(&child, 9);
        rank.rest_instead(&mut main, 9, 8);
        let _ = main.touch(4096, 8, Kind::Write, Act::Store, 8);
        rank.drain(&mut main);
        rank.rest_instead(&mut main, 8, POOL);
        assert!(!rank.is_alone(main.strand()), "it does not know what the other one did");
        rank.acquire(&mut main, token);
        rank.rest_instead(&mut main, 8, POOL);
        assert!(rank.is_alone(main.strand()) && !rank.is_alone(child.strand()));
        assert_eq!(rank.held(), 2);
        let _ = main.touch(4096, 8, Kind::Write, Act::Store, 9);
        rank.call_anew(&mut main, POOL);
        assert!(!rank.is_alone(main.strand()));
        let _ = main.touch(4096, 8, Kind::Write, Act::Store, 10);
        rank.drain(&mut main);
        assert_eq!(rank.held(), 3, "what it did while it was alone matters to nobody");
    }

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
        rank.call_anew(&mut main, 7);
        assert_eq!(pass(&mut rank, &mut main), Phase(5));
        rank.rest_instead(&mut main, 7, 8);
        assert_eq!(pass(&mut rank, &mut main), Phase(7));
        rank.wake(&child);
        assert_eq!(pass(&mut rank, &mut main), Phase(0), "nobody told it of a barrier");
    }
}
