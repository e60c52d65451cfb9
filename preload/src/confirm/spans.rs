//! Operations of this rank that are under way at live places: they end when any strand of the rank completes their context; one that a
//! fence has ordered ends when something goes to the same target behind it, which may be a flag that somebody polls, and at the fence itself where the program
//! can store to the target's memory. That may be too early by the model, never too late.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use thrille_model::{Channel, Ctx, Operation, Order, Rank, Strand};

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Its number in this rank.
    pub number: u64,
    /// What ends it.
    pub until: Until,
    /// A fence puts it ahead of what goes to the same target from now on.
    pub fenced: bool,
}

/// What ends an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The completion of a context; before that it is ordered as said.
    Context(Ctx, Order),
    /// The return of the call that this strand is in.
    Return(Strand),
}

impl Until {
    /// As the model has it.
    pub fn span(self) -> thrille_model::Span {
        let (ctx, order) = match self {
            Self::Context(ctx, order) => (ctx, order),
            Self::Return(_) => (Ctx(u32::MAX), Order::None),
        };
        thrille_model::Span::Operation(Operation { ctx, end: None, order })
    }
}

impl Span {
    /// Whether a context completes it.
    pub fn is_on(&self, on: Ctx) -> bool {
        matches!(self.until, Until::Context(ctx, _) if ctx == on)
    }

    fn channel(&self) -> Option<Channel> {
        match self.until {
            Until::Context(_, order) => order.channel(),
            Until::Return(_) => None,
        }
    }

    /// Whether it goes by a channel of this context.
    pub fn goes_by(&self, ctx: Ctx) -> bool {
        self.channel().is_some_and(|channel| channel.ctx == ctx)
    }

    /// Whose memory it goes to, if by a channel.
    pub fn target(&self) -> Option<Rank> {
        self.channel().map(|channel| channel.target)
    }
}

/// All of them.
#[derive(Default)]
pub struct Spans {
    open: Mutex<Vec<Span>>,
    count: AtomicUsize,
    numbers: AtomicU64,
    /// Whose memory the program can store to.
    stored_to: Mutex<BTreeSet<Rank>>,
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

    /// A fence on a context.
    pub fn fence(&self, ctx: Ctx) {
        if !self.none() {
            self.lock().iter_mut().filter(|span| span.goes_by(ctx)).for_each(|span| span.fenced = true);
        }
    }

    /// The program can store to memory of a rank.
    #[cfg(feature = "shmem")]
    pub fn stores_to(&self, rank: Rank) {
        self.stored_to.lock().unwrap_or_else(PoisonError::into_inner).insert(rank);
    }

    /// Whether it can.
    pub fn is_stored_to(&self, rank: Rank) -> bool {
        self.stored_to.lock().unwrap_or_else(PoisonError::into_inner).contains(&rank)
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
