//! The queue of the access history: filed by the writer's treap worker, followed by the two readers', in one order.
//!
//! The writer's worker looks at each item itself when it has filed it. An item that all three have passed is taken out by the writer's worker, which recycles
//! what it holds. Readers take several items at a time and pass them together, so that the lock is taken seldom. The queue holds so much; the writer waits
//! until the slower of the readers has made room.
//!
//! A reader that has looked at everything sleeps until there is enough to be worth it, or the writer will file nothing more for now ([`Queue::flush`]), or waits for room itself: to be woken for a few items
//! takes more time than they do.

use super::sync::{Condvar, Mutex, MutexGuard, lock, wait};
use std::collections::VecDeque;
use std::sync::Arc;

/// Who follows the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follower {
    /// The treaps of writers.
    Writer = 0,
    /// The left-most readers.
    Left = 1,
    /// The right-most readers.
    Right = 2,
}

/// Something that takes room.
pub trait Weighs {
    /// How much.
    fn weight(&self) -> usize;
}

/// Room, unless it is one item.
const ROOM: usize = if cfg!(test) { 2 } else { 1 << 17 };
/// What a reader that sleeps is woken for.
const ENOUGH: usize = if cfg!(test) { 2 } else { 1 << 13 };
/// Items that a reader takes at a time.
const BATCH: usize = if cfg!(test) { 2 } else { 8 };

#[derive(Debug)]
struct Filed<T> {
    items: VecDeque<Arc<T>>,
    weight: usize,
    /// What of that nobody has been woken for.
    unheard: usize,
    /// How many have been taken out at the front.
    recycled: u64,
    passed: [u64; 3],
    /// Pieces that the writer has collected.
    collected: u64,
    closed: bool,
    /// Readers that wait for items, and others that wait until some are passed: nobody calls the system for nothing.
    waiting: (usize, usize),
}

impl<T: Weighs> Filed<T> {
    fn filed(&self) -> u64 {
        self.recycled + self.items.len() as u64
    }

    fn recycle(&mut self, into: &mut Vec<Arc<T>>) {
        let done = self.passed.iter().copied().min().unwrap_or(0);
        while self.recycled < done
            && let Some(item) = self.items.pop_front()
        {
            self.recycled += 1;
            self.weight -= item.weight();
            into.push(item);
        }
    }
}

/// See the top of `queue.rs`.
#[derive(Debug)]
pub struct Queue<T> {
    filed: Mutex<Filed<T>>,
    /// Something was filed, or the queue was closed.
    grown: Condvar,
    /// Something was passed.
    passed: Condvar,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        let filed = Filed {
            items: VecDeque::new(),
            weight: 0,
            unheard: 0,
            recycled: 0,
            passed: [0; 3],
            collected: 0,
            closed: false,
            waiting: (0, 0),
        };
        Self { filed: Mutex::new(filed), grown: Condvar::new(), passed: Condvar::new() }
    }
}

impl<T: Weighs> Queue<T> {
    /// Files as many items as there is room for, when there is any, and tells how many; each is so many pieces that were collected. Items that all have passed
    /// go to `recycled`. The writer looks at what was filed before it files more: nobody can pass the queue without it.
    pub fn file(&self, items: &[Arc<T>], pieces: u64, recycled: &mut Vec<Arc<T>>) -> usize {
        let mut filed = lock(&self.filed);
        let mut done = 0;
        loop {
            filed.recycle(recycled);
            while let Some(item) = items.get(done)
                && (filed.weight == 0 || filed.weight + item.weight() <= ROOM)
            {
                filed.weight += item.weight();
                filed.unheard += item.weight();
                filed.items.push_back(Arc::clone(item));
                filed.collected += pieces;
                done += 1;
            }
            if done > 0 || items.is_empty() {
                if filed.unheard >= ENOUGH {
                    self.tell_readers(&mut filed);
                }
                return done;
            }
            // Those who could make room may sleep.
            self.tell_readers(&mut filed);
            filed = self.wait_for_passed(filed);
        }
    }

    /// The writer files nothing more for now: what it has filed is to be looked at.
    pub fn flush(&self) {
        let mut filed = lock(&self.filed);
        if filed.unheard > 0 {
            self.tell_readers(&mut filed);
        }
    }

    fn wait_for_passed<'a>(&self, mut filed: MutexGuard<'a, Filed<T>>) -> MutexGuard<'a, Filed<T>> {
        filed.waiting.1 += 1;
        let mut filed = wait(&self.passed, filed);
        filed.waiting.1 -= 1;
        filed
    }

    fn tell_readers(&self, filed: &mut Filed<T>) {
        filed.unheard = 0;
        if filed.waiting.0 > 0 {
            self.grown.notify_all();
        }
    }

    /// Items that all have passed.
    pub fn recycle(&self, recycled: &mut Vec<Arc<T>>) {
        lock(&self.filed).recycle(recycled);
    }

    /// The next items for a reader, when there are any; none when the queue is closed and there are no more.
    pub fn follow(&self, who: Follower) -> Vec<Arc<T>> {
        let mut filed = lock(&self.filed);
        loop {
            let first = (filed.passed[who as usize] - filed.recycled) as usize;
            if first < filed.items.len() || filed.closed {
                return filed.items.iter().skip(first).take(BATCH).cloned().collect();
            }
            filed.waiting.0 += 1;
            filed = wait(&self.grown, filed);
            filed.waiting.0 -= 1;
        }
    }

    /// So many items more have been looked at.
    pub fn pass(&self, who: Follower, items: usize) {
        let mut filed = lock(&self.filed);
        filed.passed[who as usize] += items as u64;
        if filed.waiting.1 > 0 {
            self.passed.notify_all();
        }
    }

    /// Waits until so many pieces have been collected, and all that was filed has been passed by all.
    pub fn settle(&self, collected: u64) {
        let mut filed = lock(&self.filed);
        while filed.collected < collected || filed.passed.iter().any(|&passed| passed < filed.filed()) {
            filed = self.wait_for_passed(filed);
        }
    }

    /// Nothing more comes.
    pub fn close(&self) {
        let mut filed = lock(&self.filed);
        filed.closed = true;
        self.tell_readers(&mut filed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::atomic::{AtomicU64, Ordering};
    use loom::thread;

    /// Counts who has looked at it; the queue has room for two.
    struct Item {
        number: u64,
        looked_at: AtomicU64,
    }

    impl Weighs for Item {
        fn weight(&self) -> usize {
            1
        }
    }

    fn follower(queue: &Arc<Queue<Item>>, who: Follower) -> thread::JoinHandle<()> {
        let queue = Arc::clone(queue);
        thread::spawn(move || {
            let mut next = 0;
            loop {
                let batch = queue.follow(who);
                if batch.is_empty() {
                    return;
                }
                for item in &batch {
                    assert_eq!(item.number, next, "in order, each once");
                    next += 1;
                    item.looked_at.fetch_add(1, Ordering::Relaxed);
                }
                queue.pass(who, batch.len());
            }
        })
    }

    /// More items than there is room for: both readers see all of them in order, and nothing is recycled before all three have passed it.
    #[test]
    fn nothing_is_recycled_before_all_have_passed_it() {
        const ITEMS: u64 = 3;
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(if std::env::var_os("THRILLE_NIGHTLY").is_some() { 2 } else { 1 });
        model.check(|| {
            let queue = Arc::new(Queue::<Item>::default());
            let readers = [Follower::Left, Follower::Right].map(|who| follower(&queue, who));
            let (mut recycled, mut all) = (Vec::new(), Vec::new());
            let mut check = |recycled: &mut Vec<Arc<Item>>| {
                for item in recycled.drain(..) {
                    assert_eq!(item.looked_at.load(Ordering::Relaxed), 3, "passed by all");
                    all.push(item.number);
                }
            };
            let items: Vec<_> =
                (0..ITEMS).map(|number| Arc::new(Item { number, looked_at: AtomicU64::new(0) })).collect();
            let mut rest = items.as_slice();
            while !rest.is_empty() {
                let (filed, left) = rest.split_at(queue.file(rest, 1, &mut recycled));
                check(&mut recycled);
                for item in filed {
                    item.looked_at.fetch_add(1, Ordering::Relaxed);
                }
                queue.pass(Follower::Writer, filed.len());
                rest = left;
            }
            queue.flush();
            queue.settle(ITEMS);
            queue.recycle(&mut recycled);
            check(&mut recycled);
            assert_eq!(all, [0, 1, 2]);
            queue.close();
            for reader in readers {
                reader.join().expect("no assertion failed");
            }
        });
    }
}
