//! Locks: locksets, and sections of locks that are counted, through which order may flow.

use super::Rank;
use crate::carried::{Made, end_of_section};
use crate::recorder::Recorder;
use thrille_model::{Held, Lock, Mode, Sync, SyncEvent, Token};

/// A critical section of a lock that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub lock: Lock,
    pub mode: Mode,
    /// How often one has had the lock alone, this time included.
    pub number: u64,
}

impl Rank {
    /// A lock is taken.
    pub fn lock(&mut self, recorder: &mut Recorder, lock: Lock, mode: Mode) {
        recorder.tick();
        recorder.held.push(Held { lock, mode });
        recorder.locks = self.locksets.intern(recorder.held.clone());
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
        let number = self.sections.entry(lock).or_default();
        match mode {
            Mode::Exclusive => {
                *number += 1;
                let taken = Made { version: *number, unseen_before: false };
                self.lock_section(recorder, lock, taken);
            }
            Mode::Shared => {
                let number = *number;
                self.lock_shared(recorder, lock, number);
            }
        }
    }

    /// A lock is released. It protects only what is complete by now.
    pub fn unlock(&mut self, recorder: &mut Recorder, lock: Lock) {
        if let Some(index) = recorder.held.iter().rposition(|h| h.lock == lock) {
            recorder.held.remove(index);
        }
        if recorder.holds(lock) {
            recorder.tick();
            recorder.locks = self.locksets.intern(recorder.held.clone());
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
        recorder.locks = self.locksets.intern(recorder.held.clone());
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
            recorder.locks = self.locksets.intern(recorder.held.clone());
        }
    }

    /// That task is over, and its creator goes on.
    pub fn take_up_locks(&mut self, recorder: &mut Recorder, task: usize) {
        if let Some((_, down)) = recorder.laid_down.pop_if(|(of, _)| *of == task) {
            recorder.tick();
            recorder.held.splice(0..0, down);
            recorder.locks = self.locksets.intern(recorder.held.clone());
        }
    }
}
