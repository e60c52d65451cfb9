//! What one strand carries with it. Its own thread alone touches it: no lock on the access path.
//!
//! | module | is about |
//! |---|---|
//! | `touch` | loads, stores and other accesses that are over at once |
//! | `tasks` | those of tasks that run one after the other |
//! | `again` | those of tasks that others know already |
//! | `using` | what operations use until they are complete |
//! | `watched` | private memory among that |

mod again;
mod tasks;
mod touch;
mod using;
mod watched;

use again::Again;
use using::Crossed;
pub(crate) use watched::Watched;

use crate::crew::Hand;
use crate::footprint::Footprint;
use crate::quick::Quick;
use crate::rank::{Binding, Role, Section};
use crate::regions::Regions;
use crate::runs::Runs;
use crate::stacks::{CallStack, Entered, Entering};
use crate::stores::Stores;
use crate::underway::UnderWay;
use std::sync::Arc;
use thrille_model::{Held, Interval, Lock, LocksetId, Phase, Pos, Rank, Segment, Site, Strand, Token};

/// Private memory by address, before it is known which block that is.
pub const UNRESOLVED: Segment = Segment::Block(0);

const BUFFERED: usize = 1 << 15;

/// What eras are raised by.
const ERA: u64 = 1 << 16;
const _: () = assert!((Site::CALLERS as u64) < ERA);

/// One strand's own state.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) strand: Strand,
    pub(crate) pos: Pos,
    /// The position of its last event, at which its loads and stores are recorded: see [`crate::underway`].
    pub(crate) epoch: Pos,
    /// Raised whenever something changes that tells accesses to the same memory apart, or what is shared: see [`Memory`](crate::runs::Memory). Its lower bits are the number of the caller
    /// whose doing all is: where that changes back, what went on goes on.
    era: u64,
    under_way: UnderWay,
    /// Operations that are complete, though what they used is still among that.
    pub(crate) outdated: usize,
    /// Whether the strand has touched, or used by another operation, what an operation of its own that is under way uses.
    pub(crate) crossed: Crossed,
    pub(crate) phase: Phase,
    /// The phase, or a later one: while the strand is between entering and leaving a global barrier, and after one that it only passed.
    pub(crate) until: Phase,
    pub(crate) held: Vec<Held>,
    /// Those that another strand took for the whole process: see [`crate::rank`].
    pub(crate) borrowed: Vec<Held>,
    /// How often such locks had been taken and given back when that was looked up.
    pub(crate) lent: u64,
    pub(crate) locks: LocksetId,
    /// Those of creators of tasks that run where they were created, by the task before which they were laid down.
    pub(crate) laid_down: Vec<(usize, Vec<Held>)>,
    /// The critical sections it is in, of locks that are counted.
    pub(crate) sections: Vec<Section>,
    pub(crate) runs: Runs,
    /// Stores that somebody may wait for.
    pub(crate) stores: Stores,
    /// Operations that repeated and were not recorded: to whom, how many, how many bytes.
    pub(crate) repeated: Vec<(Rank, u64, u64)>,
    /// The strand's calls.
    pub stack: CallStack,
    /// The return address of the call that it synchronises by; 0 if that is not known.
    pub calling: u64,
    /// While tasks are followed that run one after the other: what this one has touched.
    pub(crate) footprint: Footprint,
    /// What of all that need not be looked at.
    quick: Box<Quick>,
    /// What of that others know already.
    again: Again,
    /// Where tasks are followed on several threads: what it does for them.
    pub(crate) hand: Option<Box<Hand>>,
    regions: Arc<Regions>,
    hint: usize,
    /// Whether its rank has other strands, so that all memory is shared.
    threaded: bool,
    /// Whether tasks are followed in a job of one rank: memory that other ranks could reach is theirs alone, but for what operations do to it.
    alone: bool,
    /// Private memory that nonblocking operations use now: a bounding box and the intervals.
    watched: Watched,
    /// Memory that is not the program's to tell of, while a library calls it back.
    spared: Vec<Interval>,
    pub(crate) binding: Binding,
    /// Its thread's own memory: where, and how much.
    own: (u64, u64),
    /// It has used that and is not bound.
    pub(crate) asked: bool,
    /// How often its thread got something that no other thread has: memory from the heap, its number, a part of the work that it shares.
    gained: u64,
    /// Raised when memory is shared that was not before.
    generation: u32,
    /// Loads and stores executed.
    pub executed: u64,
    /// Microseconds spent on being observed, and how many passed meanwhile, if somebody measures.
    pub spent: Option<(u64, u64)>,
    /// Those on shared memory.
    pub observed: u64,
}

impl Recorder {
    pub(crate) fn new(strand: Strand, regions: Arc<Regions>) -> Self {
        Self {
            strand,
            pos: Pos(0),
            epoch: Pos(0),
            era: ERA,
            under_way: UnderWay::default(),
            outdated: 0,
            crossed: Crossed::default(),
            phase: Phase(0),
            until: Phase(0),
            held: Vec::new(),
            borrowed: Vec::new(),
            lent: 0,
            locks: LocksetId::EMPTY,
            laid_down: Vec::new(),
            sections: Vec::new(),
            repeated: Vec::new(),
            runs: Runs::new(BUFFERED),
            stores: Stores::default(),
            stack: CallStack::new(),
            calling: 0,
            regions,
            footprint: Footprint::default(),
            quick: Box::default(),
            again: Again::default(),
            hand: None,
            hint: 0,
            threaded: false,
            alone: false,
            watched: Watched::default(),
            spared: Vec::new(),
            binding: Binding::Bound,
            own: (0, 0),
            asked: false,
            gained: 0,
            generation: 0,
            executed: 0,
            spent: None,
            observed: 0,
        }
    }

    /// Whether it holds a lock.
    pub(crate) fn holds(&self, lock: Lock) -> bool {
        self.held.iter().any(|held| held.lock == lock)
    }

    /// A function is entered, called from this return address, with the stack pointer here; `tree` is asked for stacks that were not met before.
    #[inline]
    pub fn enter(&mut self, entry: Entering, tree: impl FnOnce(Entered) -> Entered) {
        self.stack.enter(entry, tree);
        self.follow_caller();
    }

    /// The running function returns.
    #[inline]
    pub fn leave(&mut self) {
        self.stack.leave();
        self.follow_caller();
    }

    #[inline(always)]
    fn follow_caller(&mut self) {
        let caller = u64::from(self.stack.caller());
        if self.era & (ERA - 1) != caller {
            self.era = self.era & !(ERA - 1) | caller;
        }
    }

    /// A return address, with the number of the caller whose doing this is.
    #[inline(always)]
    fn called(&self, pc: u64) -> u64 {
        pc | u64::from(self.stack.caller()) << Site::CALLER
    }

    /// Who this is.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// What follows its tasks, if they are on several threads.
    pub fn core(&mut self) -> Option<&mut thrille_tasks::pint::Core> {
        self.hand.as_mut().map(|hand| &mut hand.core)
    }

    /// Whether what its thread runs is bound to it, where tasks are on several threads.
    pub fn bound_to(&mut self, thread: bool) {
        if let Some(hand) = &mut self.hand {
            hand.bound = thread;
        }
    }

    /// See [`Recorder::bound_to`].
    pub fn is_bound_to(&self) -> bool {
        self.hand.as_ref().is_some_and(|hand| hand.bound)
    }

    /// Where it is.
    pub fn pos(&self) -> Pos {
        self.pos
    }

    /// Global barriers that it knows of.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The memory that its thread has for itself.
    pub fn has_own(&mut self, start: u64, len: u64) {
        self.own = (start, len);
    }

    /// Whether it is a task that must be bound to its thread.
    pub(crate) fn asked(&mut self) -> bool {
        std::mem::take(&mut self.asked)
    }

    /// Its thread gets something that no other thread has.
    pub fn gains(&mut self) {
        self.gained += 1;
    }

    /// Grows with whatever may lead it to memory that another thread in its place would not come to: what its thread gained, and what it learned from others.
    pub fn lead(&self) -> u64 {
        self.gained
    }

    /// Whether its thread's time is its own too.
    pub fn is_bound(&self) -> bool {
        matches!(self.binding, Binding::Bound)
    }

    /// If this task is ever bound to its thread, it comes after what this token releases.
    pub fn comes_after(&mut self, token: Token) {
        self.binding = Binding::Free(Some(token));
    }

    /// Its own locks, and those of its process.
    pub(crate) fn all_held(&self) -> Vec<Held> {
        self.held.iter().chain(&self.borrowed).copied().collect()
    }

    /// Changes roles.
    pub(crate) fn exchange(&mut self, role: &mut Role) {
        use std::mem::swap;
        self.era += ERA;
        swap(&mut self.strand, &mut role.strand);
        swap(&mut self.pos, &mut role.pos);
        swap(&mut self.epoch, &mut role.epoch);
        swap(&mut self.phase, &mut role.phase);
        swap(&mut self.until, &mut role.until);
        swap(&mut self.held, &mut role.held);
        swap(&mut self.borrowed, &mut role.borrowed);
        swap(&mut self.lent, &mut role.lent);
        swap(&mut self.locks, &mut role.locks);
        swap(&mut self.sections, &mut role.sections);
        swap(&mut self.under_way, &mut role.under_way);
        swap(&mut self.watched, &mut role.watched);
        swap(&mut self.binding, &mut role.binding);
        self.settle_owners();
        self.quick.renew(false);
    }

    /// Whether other strands of its rank must know of what it does to private memory.
    #[inline(always)]
    fn shares_all(&self) -> bool {
        self.threaded && !self.hand.as_ref().is_some_and(|hand| hand.has_private)
    }

    /// Uses these regions from now on, and knows whether there are other strands.
    pub(crate) fn see(&mut self, regions: &Arc<Regions>, threaded: bool) {
        self.era += ERA;
        if threaded && !self.threaded {
            self.generation = self.generation.wrapping_add(1);
        }
        self.threaded = threaded;
        if !self.alone {
            self.footprint.see(regions);
        }
        if self.shares_all() || !Arc::ptr_eq(&self.regions, regions) {
            self.settle_owners();
            self.quick.renew(false);
        }
        if !Arc::ptr_eq(&self.regions, regions) {
            self.regions = Arc::clone(regions);
            self.generation = self.generation.wrapping_add(1);
        }
    }

    /// What follows is told at the present position, not at that of the last event.
    pub(crate) fn catch_up(&mut self) {
        self.era += ERA;
        self.epoch = self.pos;
    }

    /// Goes on to the next position, which others may come before or after.
    pub(crate) fn tick(&mut self) -> Pos {
        self.gained += 1;
        self.tell()
    }

    /// The same, where others may only come after: what they are told leads the teller nowhere.
    pub(crate) fn tell(&mut self) -> Pos {
        self.step();
        self.catch_up();
        self.pos
    }

    /// Goes on to the next position, which nobody else can tell from the one before.
    pub(crate) fn step(&mut self) {
        self.settle_owners();
        self.era += ERA;
        self.pos.0 += 1;
    }
}
