//! Operations of this rank that are under way at live places: they end when any strand of the rank completes their context, or orders it
//! by a fence. That may be too early by the model, never too late.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use thrille_model::{Ctx, Order};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Its number in this rank.
    pub number: u64,
    /// What completes it.
    pub ctx: Ctx,
    /// What orders it before that.
    pub order: Order,
}

/// All of them.
#[derive(Default)]
pub struct Spans {
    open: Mutex<Vec<Span>>,
    count: AtomicUsize,
    numbers: AtomicU64,
}

impl Spans {
    fn lock(&self) -> MutexGuard<'_, Vec<Span>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new number.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// An operation is under way.
    pub fn add(&self, span: Span) {
        let mut open = self.lock();
        open.push(span);
        self.count.store(open.len(), Ordering::Release);
    }

    /// Whether there is none.
    pub fn none(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Takes out those that end.
    pub fn take(&self, which: impl Fn(&Span) -> bool) -> Vec<u64> {
        if self.none() {
            return Vec::new();
        }
        let mut open = self.lock();
        let ended = open.extract_if(.., |span| which(span)).map(|span| span.number).collect();
        self.count.store(open.len(), Ordering::Release);
        ended
    }
}
