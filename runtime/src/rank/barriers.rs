//! Global barriers and cuts: what a barrier settles, and what a cut takes with it.
//!
//! With one strand, an access belongs to the phase it is in. With several, a strand that the barrier's caller does not know of is not ordered by it: the upper bound stays open until a
//! barrier's caller knows of the access ([`Status::settled`]).

use super::Rank;
use crate::recorder::Recorder;
use thrille_analysis::{Gathered, Status};
use thrille_model::{Access, LocksetId, Phase, Pos, Span, Strand, Sync, Token};

/// Records for which there is room that is kept from cut to cut.
const ROOM: usize = 1 << 16;

impl Rank {
    /// A strand comes to a global barrier.
    pub fn enter_barrier(&mut self, recorder: &mut Recorder) {
        let next = Phase(self.phase.0 + 1);
        self.event(recorder, Sync::Release(Token::Phase(next)));
        recorder.until = next;
        let knows = &self.knowledge[recorder.strand.number() as usize];
        let settled = |(strand, pos): (Strand, Pos)| knows.of(strand) > pos.0;
        let done = self.open.extract(|open| open.completed.is_some_and(settled));
        self.settled.clear();
        self.settled.extend(self.strands.iter().zip(&knows.strands).map(|(&strand, &bound)| (strand, Pos(bound))));
        for open in done {
            self.close(open, Some(self.phase), true);
        }
        self.settle_recent(recorder.strand);
    }

    /// The barrier lets it go on.
    pub fn leave_barrier(&mut self, recorder: &mut Recorder) {
        self.pass_barriers(recorder, 1);
    }

    /// So do those that it has come to since, without doing anything in between: who comes to the first of them has come to all.
    pub fn pass_barriers(&mut self, recorder: &mut Recorder, count: u64) {
        self.phase.0 += count;
        self.event(recorder, Sync::Acquire(Token::Phase(self.phase)));
        let knowledge = &mut self.knowledge[recorder.strand.number() as usize];
        knowledge.phase = self.phase;
        (recorder.phase, recorder.until) = (self.phase, self.phase);
    }

    /// A strand passes a global barrier that waits for nobody: it is counted, so that all ranks count alike, and orders nothing.
    pub fn count_barrier(&mut self, recorder: &mut Recorder) {
        self.phase.0 += 1;
        recorder.tick();
        recorder.until = self.phase;
    }

    /// A strand that knows this much comes to a global barrier: what it knows of is over before the next phase. Of the rest it is learned
    /// at a cut.
    fn settle_recent(&mut self, strand: Strand) {
        let (knows, phase) = (&self.knowledge[strand.number() as usize], self.phase);
        self.accesses.extend(self.recent.drain(..).map(|mut access| {
            let end = match access.span {
                Span::Point => Some(access.begin),
                Span::Operation(operation) => operation.end,
            };
            if end.is_some_and(|end| knows.of(access.strand) > end.0) {
                access.phases.hi = Some(phase);
            }
            access
        }));
    }

    /// Records go here from now on, as long as they are not many: memory that is used again need not be provided again, page by page.
    pub fn go_on_in(&mut self, room: Vec<Access>) {
        if self.accesses.is_empty() && room.is_empty() && room.capacity() <= ROOM {
            self.accesses = room;
        }
    }

    /// Everything that the owners of memory are to know since the last cut. At the end nothing is held back.
    pub fn gather(&mut self, recorder: &mut Recorder, last: bool, elapsed_ms: u64) -> Gathered {
        self.drain(recorder);
        self.carried.end(recorder.pos);
        let mut accesses = std::mem::take(&mut self.accesses);
        accesses.append(&mut self.recent);
        self.full = false;
        let mut watermark = (self.earliest().into_iter())
            .chain(self.inside.iter().map(|&(_, _, since)| since))
            .min()
            .unwrap_or(self.phase);
        let mut held_back = false;
        for open in self.open.all().filter(|o| !o.shipped) {
            // Whether a lock protects what is still open shows only when it is complete.
            if open.locks.is_empty() || last {
                open.shipped = true;
                let locks: LocksetId = self.locksets.intern(open.locks.clone());
                accesses.push(Access { locks, ..open.access });
                self.recorded += 1;
            } else {
                held_back = true;
                watermark = watermark.min(open.access.phases.lo);
            }
        }
        let status = Status {
            phase: self.phase,
            watermark,
            settled: std::mem::take(&mut self.settled),
            open: self.open.len() as u64,
            held_back,
            gathered: accesses.len() as u64,
            elapsed_ms,
        };
        Gathered {
            accesses,
            closes: std::mem::take(&mut self.closes),
            windows: std::mem::take(&mut self.windows),
            events: {
                // What may stay with its owner is ordered by the log.
                self.look.after_cut(self.single() && self.open.is_empty(), self.tokens.keys());
                std::mem::take(&mut self.events)
            },
            locksets: self.locksets.clone(),
            status,
        }
    }
}
