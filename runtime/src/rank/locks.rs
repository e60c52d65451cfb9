//! Locks: locksets, and sections of locks that are counted, through which order may flow.

use super::Rank;
use crate::carried::{Made, end_of_section};
use crate::recorder::Recorder;
use crate::runs::Run;
use thrille_model::{Held, Lock, Mode, Pos, Strand, Sync, SyncEvent, Token};

/// A critical section of a lock that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub lock: Lock,
    pub mode: Mode,
    /// How often one has had the lock alone, this time included.
    pub number: u64,
}

/// A lock of a window is the process's: all of its strands that come after its taking have it, until it is given back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    held: Held,
    by: Strand,
    since: Pos,
    /// Whether another strand has it too.
    is_shared: bool,
}

impl Rank {
    /// A lock is taken.
    pub fn lock(&mut self, recorder: &mut Recorder, lock: Lock, mode: Mode) {
        recorder.tick();
        let held = Held { lock, mode };
        recorder.held.push(held);
        if matches!(lock, Lock::Window(..)) {
            self.epochs.push(Epoch { held, by: recorder.strand, since: recorder.pos, is_shared: false });
            self.lent += 1;
        }
        self.settle_locks(recorder);
    }

    /// All locks that a strand has are those of its accesses from now on.
    fn settle_locks(&mut self, recorder: &mut Recorder) {
        recorder.locks = self.locksets.intern(recorder.all_held());
    }

    /// A strand has those locks of its process that it knows to be taken. Returns which it has no more.
    pub(super) fn borrow(&mut self, recorder: &mut Recorder) -> Vec<Held> {
        recorder.lent = self.lent;
        if self.epochs.is_empty() && recorder.borrowed.is_empty() {
            return Vec::new();
        }
        let knows = &self.knowledge[recorder.strand.number() as usize];
        let known = |epoch: &Epoch| epoch.by != recorder.strand && knows.of(epoch.by) > epoch.since.0;
        let mut borrowed = Vec::new();
        for epoch in self.epochs.iter_mut().filter(|epoch| known(epoch)) {
            epoch.is_shared = true;
            borrowed.push(epoch.held);
        }
        if borrowed == recorder.borrowed {
            return Vec::new();
        }
        let before = std::mem::replace(&mut recorder.borrowed, borrowed);
        recorder.tick();
        self.settle_locks(recorder);
        before.into_iter().filter(|held| !recorder.borrowed.contains(held)).collect()
    }

    /// A lock of the process, which a strand needs, was taken by this strand, there. Others may need it at the same time, and say so too.
    pub fn lend(&mut self, recorder: &mut Recorder, held: Held, (by, since): (Strand, Pos)) {
        let is_shared = self.epochs.iter().any(|epoch| epoch.held.lock == held.lock && epoch.is_shared);
        self.epochs.retain(|epoch| epoch.held.lock != held.lock);
        self.epochs.push(Epoch { held, by, since, is_shared });
        self.lent += 1;
        if !self.single() {
            self.drain(recorder);
        }
    }

    /// A strand gives a lock of the process back: it protected what others did, as far as that is known to be over.
    fn take_back(&mut self, by: Strand, lock: Lock) {
        let knows = &self.knowledge[by.number() as usize];
        let is_over = |strand: Strand, pos: Pos| strand == by || knows.of(strand) > pos.0;
        for open in self.open.all().filter(|open| !open.completed.is_some_and(|(strand, pos)| is_over(strand, pos))) {
            open.locks.retain(|held| held.lock != lock);
        }
        for access in self.accesses.iter_mut().chain(&mut self.recent) {
            let held = self.locksets.get(access.locks);
            let end = access.operation().and_then(|operation| operation.end).unwrap_or(access.begin);
            if held.iter().any(|h| h.lock == lock) && !is_over(access.strand, end) {
                let left = held.iter().filter(|h| h.lock != lock).copied().collect();
                access.locks = self.locksets.intern(left);
            }
        }
    }

    /// Locks of the process were taken or given back since the strand last looked. What it did since its last event is not known to be over before
    /// that, so those that were given back did not protect it.
    pub(super) fn give_back(&mut self, recorder: &mut Recorder, runs: &mut [Run]) {
        let gone = self.borrow(recorder);
        if gone.is_empty() {
            return;
        }
        for run in runs {
            let left = self.locksets.get(run.locks).iter().filter(|held| !gone.contains(held)).copied().collect();
            run.locks = self.locksets.intern(left);
        }
    }

    /// A lock is taken together with others, after the n-th time in the job that one had it alone.
    pub fn lock_shared(&mut self, recorder: &mut Recorder, lock: Lock, number: u64) {
        let mode = Mode::Shared;
        let again = recorder.holds(lock);
        self.lock(recorder, lock, mode);
        if again {
            return;
        }
        if number > 0 {
            let flows = Sync::Share(lock, number);
            let all_flow = Sync::Acquire(Token::Handover { lock, mode: Mode::Exclusive, number });
            self.event(recorder, if self.sees_flows { flows } else { all_flow });
        }
        recorder.sections.push(Section { lock, mode, number });
    }

    /// A lock that one strand at a time can hold is taken for the n-th time in the job; who shared it since the time before has seen that number.
    pub fn lock_section(&mut self, recorder: &mut Recorder, lock: Lock, taken: Made) {
        let Made { version: number, unseen_before } = taken;
        let again = recorder.holds(lock);
        self.lock(recorder, lock, Mode::Exclusive);
        if again {
            // Who takes a recursive lock once more is still in the same section.
            return;
        }
        if !self.carries_sections() || !self.carried.goes_on(lock, taken) {
            self.event(recorder, Sync::Lock(lock, number));
            let before = |mode| Sync::Acquire(Token::Handover { lock, mode, number: number.wrapping_sub(1) });
            if !self.sees_flows {
                self.event(recorder, before(Mode::Exclusive));
            }
            if !self.sees_flows && !unseen_before {
                self.event(recorder, before(Mode::Shared));
            }
        }
        recorder.sections.push(Section { lock, mode: Mode::Exclusive, number });
        self.inside.push((recorder.strand, lock, recorder.phase));
    }

    /// Whether sections of a lock that follow one another in one strand are told as one.
    fn carries_sections(&self) -> bool {
        self.single() && !self.sees_flows && !self.muted && !self.carried.off
    }

    /// The same for a lock of this process, whose holders are counted here.
    pub fn lock_local(&mut self, recorder: &mut Recorder, lock: Lock, mode: Mode) {
        if self.single() {
            return self.lock(recorder, lock, mode);
        }
        let last = self.sections.entry(lock).or_insert(Made { version: 0, unseen_before: true });
        match mode {
            Mode::Exclusive => {
                let taken = Made { version: last.version + 1, ..*last };
                *last = Made { unseen_before: true, ..taken };
                self.lock_section(recorder, lock, taken);
            }
            Mode::Shared => {
                last.unseen_before = false;
                let number = last.version;
                self.lock_shared(recorder, lock, number);
            }
        }
    }

    /// A lock is released. It protects only what is complete by now.
    pub fn unlock(&mut self, recorder: &mut Recorder, lock: Lock) {
        if let Some(index) = recorder.held.iter().rposition(|h| h.lock == lock) {
            recorder.held.remove(index);
        }
        if let Some(index) = self.epochs.iter().rposition(|epoch| epoch.held.lock == lock) {
            self.lent += 1;
            if self.epochs.remove(index).is_shared {
                self.take_back(recorder.strand, lock);
            }
        }
        if recorder.holds(lock) {
            recorder.tick();
            self.settle_locks(recorder);
            return;
        }
        let section = recorder.sections.iter().rposition(|section| section.lock == lock);
        match section.map(|index| recorder.sections.remove(index)) {
            Some(Section { mode: mode @ Mode::Shared, number, .. }) => {
                let flows = Sync::Unshare { lock, number, phase: recorder.phase };
                let all_flow = Sync::Release(Token::Handover { lock, mode, number });
                self.event(recorder, if self.sees_flows { flows } else { all_flow });
            }
            Some(Section { mode: mode @ Mode::Exclusive, number, .. }) => {
                self.inside.retain(|&(strand, held, _)| (strand, held) != (recorder.strand, lock));
                if self.carries_sections() {
                    recorder.see(&self.regions, false);
                    let at = [recorder.tick(), recorder.tick()];
                    self.knowledge[recorder.strand.number() as usize].learn(recorder.strand, at[1].0);
                    let caller = self.callers.of(recorder.calling);
                    let end = end_of_section(recorder.strand, at, lock, number).map(|e| SyncEvent { at: caller, ..e });
                    self.carried.ended(&mut self.events, end, lock, number);
                } else {
                    if !self.sees_flows {
                        self.event(recorder, Sync::Release(Token::Handover { lock, mode, number }));
                    }
                    self.event(recorder, Sync::Unlock(lock, number));
                }
            }
            None => {
                recorder.tick();
            }
        }
        self.settle_locks(recorder);
        for open in self.open.of(recorder.strand) {
            open.locks.retain(|h| h.lock != lock);
        }
    }

    /// A task begins where its creator holds locks of the process, in this run: they are none of its own.
    pub fn lay_down_locks(&mut self, recorder: &mut Recorder, task: usize) {
        let of_process = |held: &Held| matches!(held.lock, Lock::Process(..));
        if recorder.held.iter().any(of_process) {
            recorder.tick();
            let (down, held) = std::mem::take(&mut recorder.held).into_iter().partition(of_process);
            recorder.laid_down.push((task, down));
            recorder.held = held;
            self.settle_locks(recorder);
        }
    }

    /// That task is over, and its creator goes on.
    pub fn take_up_locks(&mut self, recorder: &mut Recorder, task: usize) {
        if let Some((_, down)) = recorder.laid_down.pop_if(|(of, _)| *of == task) {
            recorder.tick();
            recorder.held.splice(0..0, down);
            self.settle_locks(recorder);
        }
    }
}
