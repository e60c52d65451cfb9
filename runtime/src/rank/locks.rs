//! Locks: locksets, and sections of locks that are counted, through which order may flow.

use super::Rank;
use crate::carried::end_of_section;
use crate::recorder::Recorder;
use thrille_model::{Held, Lock, Mode, Sync, SyncEvent, Token};

impl Rank {
    /// A lock is taken.
    pub fn lock(&mut self, recorder: &mut Recorder, lock: Lock, mode: Mode) {
        recorder.tick();
        recorder.held.push(Held { lock, mode });
        recorder.locks = self.locksets.intern(recorder.held.clone());
    }

    /// A lock is taken together with others, after the n-th time in the job that one had it alone.
    pub fn lock_shared(&mut self, recorder: &mut Recorder, lock: Lock, number: u64) {
        self.lock(recorder, lock, Mode::Shared);
        if number > 0 {
            let flows = Sync::Share(lock, number);
            let all_flow = Sync::Acquire(Token::Handover { lock, number });
            self.event(recorder, if self.sees_flows { flows } else { all_flow });
        }
    }

    /// A lock that one strand at a time can hold is taken for the n-th time in the job.
    pub fn lock_section(&mut self, recorder: &mut Recorder, lock: Lock, number: u64) {
        let again = recorder.holds(lock);
        self.lock(recorder, lock, Mode::Exclusive);
        if again {
            // Who takes a recursive lock once more is still in the same section.
            return;
        }
        if !self.carries_sections() || !self.carried.goes_on(lock, number) {
            self.event(recorder, Sync::Lock(lock, number));
            if !self.sees_flows {
                self.event(recorder, Sync::Acquire(Token::Handover { lock, number: number.wrapping_sub(1) }));
            }
        }
        recorder.sections.push((lock, number));
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
                let number = *number;
                self.lock_section(recorder, lock, number);
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
        match recorder.sections.iter().rposition(|&(held, _)| held == lock) {
            Some(index) => {
                let (_, number) = recorder.sections.remove(index);
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
                        self.event(recorder, Sync::Release(Token::Handover { lock, number }));
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
