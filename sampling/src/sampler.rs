//! One thread's sampling, where sites and functions are known by code addresses alone.
//!
//! [`Sampler::skips`] is the access path: it says in about ten instructions that an execution is let pass. Whatever it cannot say that of goes to
//! [`Sampler::decide`], and, if it is taken, [`Sampler::taken`] is told what it touched.
//!
//! Three things hold for every policy, and go beyond the paper:
//! * the first execution of a site is looked at, also in a call that is not: a race in code that runs once is seen with certainty;
//! * so is the first one in each kind of phase ([`crate::kinds`]);
//! * while the controller's credit lasts, so are the first thousand executions, in every call.
//!
//! What is taken for one of these reasons does not count for back-off. Each thread has a sampler of its own: no lock, and both threads of a race
//! look at their first executions.

mod keyed;
#[cfg(test)]
mod tests;

use crate::controller::Controller;
use crate::coverage::{Coverage, FunctionCoverage};
use crate::gaps::{Gap, Gaps};
use crate::kinds::Kinds;
use crate::locality::{Locality, wakes};
use crate::name::Name;
use crate::policy::{History, Policy, RegionStack};
use crate::turn::{Turn, Why};
use keyed::{Id, Keyed, Met};

/// Sites of a thread; more are always looked at.
const SITES: usize = 1 << 16;
/// Functions of a thread, or stacks of them; calls of more are always looked at.
const REGIONS: usize = 1 << 14;
/// First executions of a site that are all looked at while there is credit.
const ALL_OF: u64 = 1 << 10;

/// What to do with an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Look {
    /// Let it pass.
    Pass,
    /// Look at it, and tell [`Sampler::taken`].
    Take(Taken),
}

/// What an entry of a function took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It was counted.
    Counted,
    /// It was decided upon: the controller should hear of it.
    Decided,
}

/// An execution that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// None if there are too many sites.
    site: Option<Id>,
    why: Why,
}

#[derive(Debug)]
struct Site {
    turn: Turn,
    locality: Locality,
    function: Id,
    /// The function's site before this one.
    before: Option<Id>,
}

#[derive(Debug)]
struct Region {
    turn: Turn,
    function: Id,
}

#[derive(Debug, Default)]
struct Function {
    coverage: FunctionCoverage,
    visits: u32,
    sites: Option<Id>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where the stack pointer was.
    sp: u64,
    function: Id,
    looking: bool,
}

/// See above.
#[derive(Debug)]
pub struct Sampler {
    /// Loads and stores met.
    executed: u64,
    looking: bool,
    kinds: Kinds,
    sites: Keyed<Site, { 1 << 16 }>,
    regions: Keyed<Region, { 1 << 12 }>,
    functions: Keyed<Function, { 1 << 10 }>,
    frames: Vec<Frame>,
    /// Entries of the functions that the thread is in.
    stack: Vec<u64>,
    /// What runs outside of any function that was seen to begin.
    outside: Id,
    /// Its first site.
    outside_pc: u64,
    /// Loads and stores that are counted for some function already.
    counted: u64,
    policy: Box<dyn Policy>,
    cache: bool,
    /// The policy looks at every call.
    every_call: bool,
    gaps: Gaps,
    controller: Controller,
}

impl Sampler {
    /// A thread begins.
    pub fn new(name: &Name, gaps: Gaps, controller: Controller) -> Option<Self> {
        let policy = name.policy();
        let every_call = (1..64).all(|taken| policy.function(History { met: 1 << 20, taken }).is_certain());
        let mut functions = Keyed::new(REGIONS);
        let outside = functions.load(0, Function::default)?;
        Some(Self {
            executed: 0,
            looking: true,
            kinds: Kinds::new(),
            sites: Keyed::new(SITES),
            regions: Keyed::new(REGIONS),
            functions,
            frames: Vec::with_capacity(256),
            stack: Vec::with_capacity(256),
            outside,
            outside_pc: 0,
            counted: 0,
            policy,
            cache: name.cache,
            every_call,
            gaps,
            controller,
        })
    }

    /// Whether an execution of this site is let pass.
    #[inline(always)]
    pub fn skips(&mut self, pc: u64) -> bool {
        self.executed += 1;
        self.sites.meet(pc, self.kinds.now(), self.looking) == Met::Passes
    }

    /// What to do with one that is not.
    pub fn decide(&mut self, pc: u64) -> Look {
        let function = self.function();
        let mut fresh = false;
        let site = self.sites.load(pc, || {
            fresh = true;
            Site { turn: Turn::default(), locality: Locality::Unknown, function, before: None }
        });
        let Some(id) = site else { return Look::Take(Taken { site: None, why: Why::Anyway }) };
        if fresh {
            let owner = self.functions.get(function);
            owner.coverage.sites += 1;
            owner.coverage.sites_taken += 1;
            self.sites.get(id).before = owner.sites.replace(id);
            if function == self.outside && self.outside_pc == 0 {
                self.outside_pc = pc;
            }
        }
        let (left, seen) = self.sites.state(id);
        let first = seen & self.kinds.now() == 0;
        if !first && !self.looking {
            // Only not in its place.
            return Look::Pass;
        }
        // What is brought back to its place has not counted this execution yet.
        if !first && left > 1 {
            self.sites.set_left(id, left - 1);
            return Look::Pass;
        }
        let (policy, weight) = (&*self.policy, self.controller.ln_weight());
        let site = self.sites.get(id);
        if first {
            site.turn.pass_early(left);
        } else {
            site.turn.pass();
        }
        let why = if first || (self.controller.is_free() && site.turn.history.met < ALL_OF) {
            Why::Anyway
        } else if let Some(left) =
            site.turn.waits(&self.controller, &mut self.gaps, |history| policy.statement(history).weighted(weight))
        {
            self.sites.set_left(id, left);
            return Look::Pass;
        } else {
            Why::Policy
        };
        Look::Take(Taken { site: Some(id), why })
    }

    /// It was looked at, and touched private memory only, or not.
    pub fn taken(&mut self, taken: Taken, private: bool) {
        let Some(id) = taken.site else { return };
        self.sites.set_seen(id, self.kinds.now());
        let site = self.sites.get(id);
        site.locality = site.locality.after(private);
        let (function, rest) = (site.function, site.locality.rest().filter(|_| self.cache));
        if rest.is_none() {
            site.turn.take(taken.why);
        }
        let left = match rest {
            _ if self.controller.is_free() && site.turn.history.met < ALL_OF => site.turn.set(Gap::Until(0)),
            Some(rest) => site.turn.set(Gap::Until(rest)),
            None => {
                let chance = self.policy.statement(site.turn.history).weighted(self.controller.ln_weight());
                site.turn.draw(chance, &mut self.gaps)
            }
        };
        self.sites.set_left(id, left);
        self.functions.get(function).coverage.taken += 1;
    }

    /// A function is entered, at this code address and with the stack pointer there.
    pub fn enter(&mut self, pc: u64, sp: u64) -> Entry {
        self.count();
        // Frames at or below were left by a long jump.
        while self.frames.last().is_some_and(|frame| frame.sp <= sp) {
            self.frames.pop();
            self.stack.pop();
        }
        self.stack.push(pc);
        let label = if self.policy.needs_stack() { self.policy.region(RegionStack(&self.stack)) } else { pc };
        let passes = !self.every_call && self.regions.meet(label, self.kinds.now(), true) == Met::Passes;
        let (function, looking) = self.call(pc, label, passes);
        self.frames.push(Frame { sp, function, looking });
        self.looking = looking;
        if passes { Entry::Counted } else { Entry::Decided }
    }

    fn call(&mut self, pc: u64, label: u64, passes: bool) -> (Id, bool) {
        let functions = &mut self.functions;
        let mut function = self.outside;
        let region = self.regions.load(label, || {
            function = functions.load(pc, Function::default).unwrap_or(function);
            Region { turn: Turn::default(), function }
        });
        let Some(id) = region else { return (function, true) };
        let function = self.regions.get(id).function;
        self.functions.get(function).coverage.calls += 1;
        let looking = !passes && (self.every_call || self.call_is_taken(id));
        if looking {
            self.visit(function);
        }
        (function, looking)
    }

    fn call_is_taken(&mut self, id: Id) -> bool {
        let (left, seen) = self.regions.state(id);
        let first = seen & self.kinds.now() == 0;
        if !first && left > 1 {
            self.regions.set_left(id, left - 1);
            return false;
        }
        self.regions.set_seen(id, self.kinds.now());
        let (policy, weight) = (&*self.policy, self.controller.ln_weight());
        let chance = |history| policy.function(history).weighted(weight);
        let turn = &mut self.regions.get(id).turn;
        if first {
            turn.pass_early(left);
        } else {
            turn.pass();
        }
        let (taken, left) = if first || self.controller.is_free() {
            turn.take(Why::Anyway);
            (true, None)
        } else if let Some(left) = turn.waits(&self.controller, &mut self.gaps, chance) {
            (false, Some(left))
        } else {
            turn.take(Why::Policy);
            (true, None)
        };
        let left = left.unwrap_or_else(|| {
            let free = self.controller.is_free();
            if free { turn.set(Gap::Until(0)) } else { turn.draw(chance(turn.history), &mut self.gaps) }
        });
        self.regions.set_left(id, left);
        taken
    }

    /// A call is looked at: what rests in its function is woken.
    fn visit(&mut self, id: Id) {
        let function = self.functions.get(id);
        function.coverage.calls_taken += 1;
        function.visits = function.visits.saturating_add(1);
        if !self.cache || !wakes(function.visits) {
            return;
        }
        let mut next = function.sites;
        while let Some(id) = next {
            let site = self.sites.get(id);
            next = site.before;
            if matches!(site.locality, Locality::Private(_)) {
                site.turn.wake();
                self.sites.set_left(id, 1);
            }
        }
    }

    /// The function is left.
    pub fn leave(&mut self) {
        self.count();
        self.frames.pop();
        self.stack.pop();
        self.looking = self.frames.last().is_none_or(|frame| frame.looking);
    }

    /// A phase begins at this barrier.
    pub fn phase(&mut self, barrier: u64) {
        self.kinds.begin(barrier);
    }

    /// Memory is shared that was not: a new generation. Whatever the policy, what touched private memory only is looked at once more.
    pub fn renew(&mut self) {
        for id in self.sites.ids() {
            let site = self.sites.get(id);
            if site.locality != Locality::Unknown {
                let rested = site.locality.rest().is_some();
                site.locality = Locality::Unknown;
                if rested {
                    site.turn.wake();
                    self.sites.set_left(id, 1);
                }
            }
        }
        for id in self.regions.ids() {
            self.regions.get(id).turn.wake();
            self.regions.set_left(id, 1);
        }
    }

    /// The time.
    pub fn controller(&mut self) -> &mut Controller {
        &mut self.controller
    }

    /// Loads and stores met since the last call.
    pub fn take_executed(&mut self) -> u64 {
        self.count();
        self.counted = 0;
        std::mem::take(&mut self.executed)
    }

    /// What was looked at since the last call; sites are counted once more each time.
    pub fn take_coverage(&mut self, now: u64) -> Coverage {
        self.count();
        let [spent_us, calls_us, elapsed_us] = self.controller.take_account(now);
        let mut functions = Vec::new();
        for (pc, function) in self.functions.iter_mut() {
            let coverage = function.coverage;
            function.coverage = FunctionCoverage {
                sites: coverage.sites,
                sites_taken: coverage.sites_taken,
                ..FunctionCoverage::default()
            };
            if coverage.executed > 0 || coverage.calls > 0 {
                functions.push(FunctionCoverage { pc: if pc == 0 { self.outside_pc } else { pc }, ..coverage });
            }
        }
        Coverage { functions, spent_us, calls_us, elapsed_us }
    }

    fn function(&self) -> Id {
        self.frames.last().map_or(self.outside, |frame| frame.function)
    }

    /// What was executed since the last call is the current function's.
    fn count(&mut self) {
        let function = self.function();
        self.functions.get(function).coverage.executed += self.executed - self.counted;
        self.counted = self.executed;
    }
}
