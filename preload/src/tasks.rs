//! Tasks of programs without OpenMP: what `thrille/tasks.h` calls.

use crate::entry::{block, entries};
use crate::openmp::serial;
use crate::rank::observe;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};
use thrille_model::{Lock, Mode};
use thrille_runtime::graph::{End, Event};

/// The lock that all isolated sections share: no mutex is there.
const ISOLATED: u64 = 1;

/// By task that runs: its part of the stack is below this.
static FRAMES: Mutex<Vec<u64>> = Mutex::new(Vec::new());

entries! {
    thrille_ fn task_step(step: c_int) {
        if !serial::on() {
            return;
        }
        // What the caller calls next is below where this call's return address stands.
        // SAFETY: the block is this thread's own.
        let sp = unsafe { (*block()).sp };
        let Some(observed) = observe() else { return };
        let (mut rank, recorder) = (observed.session.rank(), &mut *observed.recorder);
        let mut frames = FRAMES.lock().unwrap_or_else(PoisonError::into_inner);
        // In the order of `thrille/tasks.h`.
        let event = match step {
            0 => {
                frames.push(sp);
                Event::Spawn
            }
            1 => {
                let frame = frames.pop();
                rank.task_memory(recorder, frame, None);
                Event::End(End::Parallel)
            }
            2 => Event::Wait,
            3 => Event::BeginFinish,
            4 => Event::EndFinish,
            5 | 6 => {
                let lock = Lock::Process(recorder.strand().rank, ISOLATED);
                return if step == 5 { rank.lock(recorder, lock, Mode::Exclusive) } else { rank.unlock(recorder, lock) };
            }
            _ => return,
        };
        rank.task_step(recorder, event);
    }
}
