//! What a strand carries in a run that confirms races.
//!
//! A strand that has waited in vain at a place often enough passes it more and more often without asking: a loop of a million rounds must
//! not become a million waits.

use super::live::Latest;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thrille_phase2::client::Seat;
use thrille_phase2::schedule::TaskName;

/// Waits in vain after which a strand begins to pass.
const PATIENCE: u32 = 8;
/// Tasks whose executions are remembered.
const TASKS: usize = 1 << 16;

#[derive(Clone, Copy, Default)]
struct Count {
    times: u32,
    misses: u32,
    pass: u32,
}

/// A strand's own state.
pub struct Local {
    /// Its place at the client.
    pub seat: Arc<Seat>,
    /// It is to say when it has gone on.
    pub owes: bool,
    /// The phase before which it waits for the others.
    pub late: Option<u64>,
    /// What is live.
    pub latest: Latest,
    counts: Vec<Count>,
    /// How often its tasks have been where.
    tasks: FxHashMap<(TaskName, u32), u32>,
}

impl Local {
    /// For so many live places.
    pub fn new(seat: Arc<Seat>, late: Option<u64>, places: usize, latest: Latest) -> Self {
        Self { seat, owes: false, late, latest, counts: vec![Count::default(); places], tasks: FxHashMap::default() }
    }

    fn count(&mut self, place: u32) -> &mut Count {
        &mut self.counts[place as usize]
    }

    /// Executes a place: for the n-th time, or its task does.
    pub fn executes(&mut self, place: u32, task: Option<TaskName>) -> u32 {
        if self.tasks.len() >= TASKS {
            self.tasks.clear();
        }
        let times = match task {
            Some(task) => self.tasks.entry((task, place)).or_default(),
            None => &mut self.count(place).times,
        };
        *times = times.saturating_add(1);
        *times
    }

    /// Whether it passes this time.
    pub fn backs_off(&mut self, place: u32) -> bool {
        let count = self.count(place);
        let passes = count.pass > 0;
        count.pass = count.pass.saturating_sub(1);
        passes
    }

    /// How often it has waited in vain.
    pub fn misses(&mut self, place: u32) -> u32 {
        self.count(place).misses
    }

    /// Once more.
    pub fn missed(&mut self, place: u32) {
        let count = self.count(place);
        count.misses += 1;
        if count.misses > PATIENCE {
            count.pass = 1 << (count.misses - PATIENCE).min(24);
        }
    }
}
