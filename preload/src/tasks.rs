//! Tasks of programs without OpenMP: what `thrille/tasks.h` calls.

use crate::entry::{block, entries};
use crate::openmp::{parallel, serial};
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
        if !serial::on() && !parallel::on() {
            return;
        }
        // What the caller calls next is below where this call's return address stands.
        // SAFETY: the block is this thread's own.
        let sp = unsafe { (*block()).sp };
        if parallel::on() && let Some(event) = graph_event(step) {
            return parallel::nested(event, sp);
        }
        let Some(observed) = observe() else { return };
        let (mut rank, recorder) = (observed.session.rank(), &mut *observed.recorder);
        let mut frames = FRAMES.lock().unwrap_or_else(PoisonError::into_inner);
        match step {
            0 => frames.push(sp),
            1 => {
                let frame = frames.pop();
                rank.task_memory(recorder, frame, None);
            }
            5 | 6 => {
                let lock = Lock::Process(recorder.strand().rank, ISOLATED);
                return if step == 5 { rank.lock(recorder, lock, Mode::Exclusive) } else { rank.unlock(recorder, lock) };
            }
            _ => {}
        }
        if let Some(event) = graph_event(step) {
            rank.task_step(recorder, event);
        }
        match step {
            0 => rank.lay_down_locks(recorder, frames.len()),
            1 => {
                rank.unbind_task(recorder);
                rank.take_up_locks(recorder, frames.len() + 1);
            }
            _ => {}
        }
    }
}

/// A step of the task graph, in the order of `thrille/tasks.h`.
fn graph_event(step: c_int) -> Option<Event> {
    Some(match step {
        0 => Event::Spawn,
        1 => Event::End(End::Parallel),
        2 => Event::Wait,
        3 => Event::BeginFinish,
        4 => Event::EndFinish,
        _ => return None,
    })
}
