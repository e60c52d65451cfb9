//! For runs that confirm races: which task a thread is in, by the name that schedules have for it; and who gets a task.
//!
//! Which thread gets a task is the runtime's to say, but a thread gets only what is left when it comes to look. Two tasks can meet if two threads have them, a
//! task and its creator if another thread has the task. So a thread that is about to wait for its tasks, and would run them itself, lets the
//! others of its team begin them first: for a short time, because some may not be ready, and a shorter one each time that this was in vain.

use super::tasks::Task;
use crate::confirm::CONFIRMING;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use thrille_phase2::schedule::TaskName;

thread_local! {
    static IN: Cell<Option<TaskName>> = const { Cell::new(None) };
}

/// How long others may take to begin a task.
const LONGEST: Duration = Duration::from_millis(32);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_micros(200);

/// How often that was in vain.
static IN_VAIN: AtomicU32 = AtomicU32::new(0);

/// The calling thread goes on with this task.
pub fn is_in(task: Option<&Task>) {
    IN.set(task.and_then(Task::name));
}

/// The task that the calling thread is in, if which thread has it is luck.
pub fn current() -> Option<TaskName> {
    IN.get()
}

/// The calling thread is about to wait for tasks of this one.
pub fn others_first(task: &Task) {
    if task.region.is_none() || !CONFIRMING.load(Ordering::Relaxed) {
        return;
    }
    let longest = LONGEST / 2u32.saturating_pow(IN_VAIN.load(Ordering::Relaxed).min(16));
    let begun = Instant::now();
    while task.waiting.load(Ordering::Relaxed) > 0 && longest >= LOOK {
        if begun.elapsed() >= longest {
            IN_VAIN.fetch_add(1, Ordering::Relaxed);
            return;
        }
        std::thread::sleep(LOOK);
    }
}
