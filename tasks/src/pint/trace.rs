//! Traces: where a core worker leaves the strands that it has finished, until the writer's treap worker collects them.
//!
//! # Order
//!
//! A piece of a strand takes a *ticket* as it is left in the trace: the next number of all workers. Pieces are collected in the order of tickets, which
//! conforms to the task graph: when one strand comes before another, the first has ended, and has its tickets, before the other begins. (The paper
//! counts predecessors, since a Cilk worker's continuation may be stolen; OpenMP's workers take tasks in any order, and one number serves all.)
//!
//! # Room
//!
//! A trace holds so much; whoever would leave more waits until it has been collected (back-pressure). The ticket is taken when there is room and under the
//! lock of the trace, so a trace ascends, and what has a ticket can be collected. Nobody waits for ever: the piece of the least ticket that is
//! not collected is the first of its trace.
//!
//! # Sleep
//!
//! Whose trace holds enough to be worth it rings the [`Bell`], once, and who waits for room; so does who wants all of it to be looked at ([`Traces::ring`]). The collector empties a trace when it
//! looks into it, so a trace rings again. To wake somebody for each piece would take more time than the pieces do.

use super::queue::Weighs;
use super::sync::{AtomicU64, Condvar, Mutex, Ordering, lock, wait};
use std::collections::VecDeque;
use std::sync::Arc;

/// Wakes the collector.
#[derive(Debug)]
pub struct Bell {
    state: Mutex<State>,
    heard: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Quiet,
    Rung,
    /// The collector sleeps: who rings wakes it. Otherwise nobody need call the system.
    Asleep,
}

impl Default for Bell {
    fn default() -> Self {
        Self { state: Mutex::new(State::Quiet), heard: Condvar::new() }
    }
}

impl Bell {
    /// Something has happened.
    pub fn ring(&self) {
        let before = std::mem::replace(&mut *lock(&self.state), State::Rung);
        if before == State::Asleep {
            self.heard.notify_one();
        }
    }

    /// Sleeps until something has happened since the last time.
    pub fn sleep(&self) {
        let mut state = lock(&self.state);
        while *state != State::Rung {
            *state = State::Asleep;
            state = wait(&self.heard, state);
        }
        *state = State::Quiet;
    }
}

/// Accesses that a trace holds at most, unless it is one piece.
const ROOM: usize = if cfg!(test) { 2 } else { 1 << 16 };
/// Accesses that are worth a ring; in the model, where a piece takes all of the room, only who waits rings.
const ENOUGH: usize = if cfg!(test) { 3 } else { 1 << 13 };

#[derive(Debug)]
struct Left<T> {
    /// With their tickets.
    pieces: VecDeque<(u64, T)>,
    weight: usize,
    /// The worker waits for room.
    waits: bool,
    /// The collector knows that there is something.
    rung: bool,
}

impl<T> Left<T> {
    fn ring(&mut self, bell: &Bell) {
        if !std::mem::replace(&mut self.rung, true) {
            bell.ring();
        }
    }
}

/// One core worker's.
#[derive(Debug)]
pub struct Trace<T> {
    left: Mutex<Left<T>>,
    taken: Condvar,
}

impl<T: Weighs> Trace<T> {
    fn new() -> Self {
        let left = Left { pieces: VecDeque::new(), weight: 0, waits: false, rung: false };
        Self { left: Mutex::new(left), taken: Condvar::new() }
    }

    /// Leaves a piece, when there is room.
    fn leave(&self, tickets: &AtomicU64, bell: &Bell, piece: T) {
        let mut left = lock(&self.left);
        while left.weight > 0 && left.weight + piece.weight() > ROOM {
            left.waits = true;
            left.ring(bell);
            left = wait(&self.taken, left);
        }
        left.weight += piece.weight();
        left.pieces.push_back((tickets.fetch_add(1, Ordering::Relaxed), piece));
        if left.weight >= ENOUGH {
            left.ring(bell);
        }
    }

    fn take(&self, into: &mut VecDeque<(u64, T)>) {
        let mut left = lock(&self.left);
        if !left.pieces.is_empty() {
            std::mem::swap(&mut left.pieces, into);
            (left.weight, left.rung) = (0, false);
            if std::mem::take(&mut left.waits) {
                drop(left);
                self.taken.notify_one();
            }
        }
    }
}

/// All traces, and the tickets.
#[derive(Debug)]
pub struct Traces<T> {
    all: Mutex<Vec<Arc<Trace<T>>>>,
    tickets: AtomicU64,
    /// Wakes the collector.
    pub bell: Bell,
}

impl<T> Default for Traces<T> {
    fn default() -> Self {
        Self { all: Mutex::new(Vec::new()), tickets: AtomicU64::new(0), bell: Bell::default() }
    }
}

impl<T: Weighs> Traces<T> {
    /// A trace for another worker.
    pub fn open(&self) -> Arc<Trace<T>> {
        let trace = Arc::new(Trace::new());
        lock(&self.all).push(Arc::clone(&trace));
        trace
    }

    /// A worker has finished a piece.
    pub fn leave(&self, trace: &Trace<T>, piece: T) {
        trace.leave(&self.tickets, &self.bell, piece);
    }

    /// Has everything collected that there is, and tells how many pieces there have been.
    pub fn ring(&self) -> u64 {
        let left = self.tickets.load(Ordering::Acquire);
        self.bell.ring();
        left
    }
}

/// What of a trace has been taken and not yet collected.
#[derive(Debug)]
struct Taken<T> {
    trace: Arc<Trace<T>>,
    pieces: VecDeque<(u64, T)>,
}

/// The collector's side.
#[derive(Debug)]
pub struct Collector<T> {
    taken: Vec<Taken<T>>,
    next: u64,
    /// Where the last one was.
    last: usize,
}

impl<T> Default for Collector<T> {
    fn default() -> Self {
        Self { taken: Vec::new(), next: 0, last: 0 }
    }
}

impl<T: Weighs> Collector<T> {
    /// The next piece, if it is there; if not, the bell will ring.
    pub fn collect(&mut self, traces: &Traces<T>) -> Option<T> {
        if let Some(piece) = self.among_taken() {
            return Some(piece);
        }
        let all = lock(&traces.all);
        for trace in &all[self.taken.len()..] {
            self.taken.push(Taken { trace: Arc::clone(trace), pieces: VecDeque::new() });
        }
        drop(all);
        for Taken { trace, pieces } in self.taken.iter_mut().filter(|taken| taken.pieces.is_empty()) {
            trace.take(pieces);
        }
        self.among_taken()
    }

    fn among_taken(&mut self) -> Option<T> {
        let count = self.taken.len();
        let next = self.next;
        let is_next = |taken: &Taken<T>| taken.pieces.front().is_some_and(|&(ticket, _)| ticket == next);
        // A worker's pieces often follow each other.
        let at = (self.last..count).chain(0..self.last).find(|&at| is_next(&self.taken[at]))?;
        (self.last, self.next) = (at, next + 1);
        self.taken[at].pieces.pop_front().map(|(_, piece)| piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::thread;

    /// A piece of this name and weight.
    #[derive(Debug)]
    struct Named(u64, usize);

    impl Weighs for Named {
        fn weight(&self) -> usize {
            self.1
        }
    }

    /// Two workers leave pieces, of which one's do not fit together; all are collected, each worker's in its own order.
    #[test]
    fn everything_is_collected_in_order() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let traces = Arc::new(Traces::default());
            let other = Arc::clone(&traces);
            let workers = [vec![0, 1], vec![10]].map(|names| {
                let traces = Arc::clone(&other);
                thread::spawn(move || {
                    let trace = traces.open();
                    for name in names {
                        traces.leave(&trace, Named(name, 2));
                    }
                    traces.ring();
                })
            });
            let (mut collector, mut seen) = (Collector::default(), Vec::new());
            while seen.len() < 3 {
                match collector.collect(&traces) {
                    Some(Named(name, _)) => seen.push(name),
                    None => traces.bell.sleep(),
                }
            }
            for worker in workers {
                worker.join().expect("it ends");
            }
            assert!([[0, 1, 10], [0, 10, 1], [10, 0, 1]].iter().any(|order| seen == order), "{seen:?}");
            assert_eq!(traces.ring(), collector.next);
        });
    }

    /// What one worker finished before another one began is collected before.
    #[test]
    fn the_order_conforms_to_the_graph() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let traces = Arc::new(Traces::default());
            let before = traces.open();
            traces.leave(&before, Named(1, 0));
            let other = Arc::clone(&traces);
            let child = thread::spawn(move || other.leave(&other.open(), Named(2, 0)));
            // The continuation, beside the child.
            traces.leave(&before, Named(3, 0));
            child.join().expect("it ends");
            traces.leave(&before, Named(4, 0));
            let (mut collector, mut seen) = (Collector::default(), Vec::new());
            while let Some(Named(name, _)) = collector.collect(&traces) {
                seen.push(name);
            }
            assert!(seen == [1, 2, 3, 4] || seen == [1, 3, 2, 4], "{seen:?}");
        });
    }
}
