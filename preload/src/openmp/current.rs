//! The task that the calling thread runs, as the runtime has it.

use super::abi::{Data, Frame, GetTaskInfo};
use super::serial;
use super::tasks::{Task, kept};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The runtime's function that tells.
pub static TASK_INFO: AtomicUsize = AtomicUsize::new(0);

fn info() -> Option<(*mut Data, *const Frame)> {
    let function = TASK_INFO.load(Ordering::Acquire);
    if function == 0 {
        return None;
    }
    let (mut task, mut frame, mut region) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    let (mut flags, mut number) = (0, 0);
    // SAFETY: OMPT says that the function of this name has this type; the variables are ours.
    let known = unsafe {
        std::mem::transmute::<usize, GetTaskInfo>(function)(
            0,
            &raw mut flags,
            &raw mut task,
            &raw mut frame,
            &raw mut region,
            &raw mut number,
        )
    };
    (known == 2 && !task.is_null()).then_some((task, frame.cast_const()))
}

/// What is known of it, unless tasks run one after the other: then that is something else.
pub fn task() -> Option<Arc<Task>> {
    // SAFETY: the word of a task holds a `Task`, as for all callbacks.
    info().filter(|_| !serial::on()).and_then(|(task, _)| unsafe { kept::<Task>(task) })
}

/// Where on the stack the runtime called it: what it has for itself is below.
pub fn frames_end() -> Option<u64> {
    // SAFETY: the runtime keeps the frame while the task is there.
    let exit = info().and_then(|(_, frame)| unsafe { frame.as_ref() }).map(|frame| frame.exit.ptr as u64);
    exit.filter(|&exit| exit != 0)
}
