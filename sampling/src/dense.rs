//! Sampling where the compiler has numbered functions and sites, and counts down in compiled code (`instrument/hooks.h`).
//!
//! A function runs in its plain copy, in which only its calls are counted, or in its instrumented copy, for a *burst* of accesses over however many calls
//! they take. In the instrumented copy each basic block counts down its own gap; when that is over, all its sites are told, first the first,
//! whose answer is the block's next gap. So a region here is a burst, a statement is a block, and the policies are the same.
//!
//! In the plain copy nothing is seen, so that a site which is executed there for the first time is missed until its function's next burst. Bursts
//! come
//! * at the beginning, and again as long as they meet blocks that were not met before, or may still do so and the budget allows;
//! * at the last iterations of loops with inner loops, a few times for each loop: what others write, as ghost cells, is at the ends of nests as a rule;
//! * behind loops that are in no other loop, while there are blocks that were never met and such bursts still meet some;
//! * in each kind of phase once ([`Dense::phase`]), as phases begin at calls of ours;
//! * whenever the policy says so: the beginning of a phase counts as a call, for functions that are called once and loop.
//!
//! Some functions are looked at in *whole* calls only ([`Dense::add_whole`]): there is no way out of their instrumented copy. What they execute there is known from
//! their gaps, which are counted in pieces during a burst, so that its end is noticed. A call that goes on behind it still looks at what the policy
//! says, and costs what its instrumented copy costs; functions with such calls are looked at again when that is paid for.
//!
//! One for the process, behind a lock: compiled code counts for all threads together.

#[cfg(test)]
mod tests;

use crate::controller::Controller;
use crate::coverage::{Coverage, FunctionCoverage};
use crate::gaps::{Gap, Gaps};
use crate::kinds::Kinds;
use crate::locality::{Locality, wakes};
use crate::name::Name;
use crate::policy::Policy;
use crate::turn::{Turn, Why};

/// Accesses of a burst.
pub const BURST: u32 = 1 << 12;
/// Bursts without a new block after which a function that has more of them is left nevertheless.
const PATIENCE: u32 = 64;
/// Longest gap, or part of one, in a burst of a function that is looked at in whole calls.
const PIECE: u32 = 1 << 10;
/// Accesses behind the end of a burst that make a function one with long calls.
const LONG: u64 = 1 << 16;
/// First executions of a block that are all looked at while there is credit.
const ALL_OF: u64 = 256;

/// Last iterations of a loop that are looked at, and loops of a function for which that is so.
const LASTS: u8 = 8;
const LOOPS: usize = 32;

/// A function's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function(usize);

impl Function {
    /// Its index.
    pub fn index(self) -> usize {
        self.0
    }

    /// By its index, which must be that of one that was added.
    pub fn from_index(index: usize) -> Self {
        Self(index)
    }
}

/// What a function does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Its instrumented copy, for so many accesses.
    Look(u32),
    /// Its plain copy, for so many calls.
    Pass(u32),
}

/// What becomes of a site that is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is looked at: [`Dense::taken`] gives the gap.
    Take(Extent),
    /// It is not, and its block lets so many pass.
    Pass(u32),
}

/// How much of an execution that stands for a whole loop is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it is the first one, here or in this kind of phase.
    Whole,
    /// Some of it, at random: it may be long.
    Part,
}

#[derive(Debug, Default)]
struct Block {
    turn: Turn,
    /// Of the block's sites together.
    locality: Locality,
    /// In which kinds of phases it was looked at.
    seen: u32,
    /// How it is being looked at, if it is: the sites behind the first one are told next.
    taking: Option<Extent>,
    /// Whether all sites told since the first one was touched private memory only.
    private: bool,
    sites: u32,
    /// Its next execution is in the last iteration of a loop: it is looked at.
    last: bool,
    /// Of a function that is looked at in whole calls: the part of the gap that is counted down, and the rest.
    piece: u32,
    rest: u32,
}

impl Block {
    /// The next execution is told.
    fn wake(&mut self) {
        self.turn.wake();
        (self.piece, self.rest) = (0, 0);
    }

    /// The part of a gap that is counted down now.
    fn part(&mut self, gap: u32, most: u32) -> u32 {
        self.piece = gap.min(most);
        self.rest = gap - self.piece;
        self.piece
    }
}

/// How calls of a function are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// It can be left in the middle.
    InPart,
    /// It cannot.
    Whole {
        /// Accesses executed and not accounted for yet.
        due: u64,
        /// Accesses since the end of the last burst, in calls that went on.
        overrun: u64,
        /// The most of that so far.
        longest: u64,
    },
}

#[derive(Debug)]
struct State {
    calls: Calls,
    /// Block of each site, and whether it is the block's first.
    sites: Vec<(u32, bool)>,
    blocks: Vec<Block>,
    turn: Turn,
    /// In which kinds of phases it had a burst, and in which its blocks were woken.
    kinds: u32,
    woken: u32,
    /// Accesses granted and not accounted for yet.
    granted: u32,
    /// Blocks that were never met.
    unmet: u32,
    /// Blocks met for the first time since the burst began.
    news: u32,
    /// Bursts, one upon the other, that met none.
    in_vain: u32,
    /// Bursts behind loops, since a block was met for the first time.
    behind_in_vain: u32,
    /// Last iterations that were looked at, of each loop.
    lasts: Vec<u8>,
    /// In its plain copy.
    plain: bool,
    visits: u32,
    coverage: FunctionCoverage,
}

impl State {
    fn is_long(&self) -> bool {
        matches!(self.calls, Calls::Whole { longest: LONG.., .. })
    }

    /// The longest part of a gap that may be counted down at a time.
    fn most(&self) -> u32 {
        match self.calls {
            Calls::Whole { .. } if !self.plain => PIECE,
            _ => u32::MAX,
        }
    }
}

/// See above.
#[derive(Debug)]
pub struct Dense {
    functions: Vec<State>,
    kinds: Kinds,
    policy: Box<dyn Policy>,
    cache: bool,
    gaps: Gaps,
    controller: Controller,
    /// Ticks that an access costs more in the instrumented copy.
    inline_ticks: f64,
    inline_due: f64,
}

/// What an access costs more in the instrumented copy of a function that is looked at in whole calls, over that of others. (Measured with gcc 12: 0.26 to
/// 0.44 ns.)
const WHOLE: f64 = 0.4;

impl Dense {
    /// Begins.
    pub fn new(name: &Name, gaps: Gaps, controller: Controller, inline_ticks: f64) -> Self {
        let (functions, kinds, policy) = (Vec::new(), Kinds::new(), name.policy());
        Self { functions, kinds, policy, cache: name.cache, gaps, controller, inline_ticks, inline_due: 0.0 }
    }

    /// A function is there, with so many sites in each of its blocks, and some code address in it, or 0 until [`Dense::located`]. It begins with
    /// a burst.
    pub fn add(&mut self, pc: u64, blocks: impl IntoIterator<Item = u32>) -> Function {
        self.add_as(Calls::InPart, pc, blocks)
    }

    /// The same for one with so many sites, each told by itself, that is looked at in whole calls. [`Dense::settle`] is to be asked whenever one of them was
    /// told.
    pub fn add_whole(&mut self, pc: u64, sites: u32) -> Function {
        let calls = Calls::Whole { due: 0, overrun: 0, longest: 0 };
        self.add_as(calls, pc, std::iter::repeat_n(1, sites as usize))
    }

    fn add_as(&mut self, calls: Calls, pc: u64, blocks: impl IntoIterator<Item = u32>) -> Function {
        let mut sites = Vec::new();
        let mut all = Vec::new();
        for count in blocks {
            sites.extend((0..count).map(|site| (all.len() as u32, site == 0)));
            all.push(Block { sites: count, ..Block::default() });
        }
        let unmet = all.len() as u32;
        let coverage = FunctionCoverage { pc, sites: sites.len() as u32, ..FunctionCoverage::default() };
        self.functions.push(State {
            calls,
            sites,
            blocks: all,
            turn: Turn::default(),
            kinds: self.kinds.now(),
            woken: self.kinds.now(),
            granted: BURST,
            unmet,
            news: 0,
            in_vain: 0,
            behind_in_vain: 0,
            lasts: Vec::new(),
            plain: false,
            visits: 1,
            coverage,
        });
        Function(self.functions.len() - 1)
    }

    /// A code address in it.
    pub fn located(&mut self, function: Function, pc: u64) {
        let coverage = &mut self.functions[function.0].coverage;
        if coverage.pc == 0 {
            coverage.pc = pc;
        }
    }

    /// In its plain copy it was called as often as was granted.
    pub fn call(&mut self, function: Function) -> Next {
        let (policy, weight) = (&*self.policy, self.controller.ln_weight());
        let state = &mut self.functions[function.0];
        if state.is_long() && !self.controller.allows_overrun() {
            // It is called seldom enough to be asked about each time.
            return Next::Pass(0);
        }
        state.turn.pass();
        if !self.controller.is_free() && state.kinds & self.kinds.now() != 0 {
            let waits =
                state.turn.waits(&self.controller, &mut self.gaps, |history| policy.function(history).weighted(weight));
            if let Some(calls) = waits {
                return Next::Pass(calls - 1);
            }
            state.turn.take(Why::Policy);
        }
        self.burst(function)
    }

    /// In its instrumented copy it used up what it was granted.
    pub fn spent(&mut self, function: Function, now: u64) -> Next {
        self.charge_inline(function, now);
        let state = &mut self.functions[function.0];
        state.in_vain = if state.news > 0 { 0 } else { state.in_vain + 1 };
        let hopes = state.unmet > 0 && state.in_vain < PATIENCE;
        if self.controller.is_free() || (hopes && self.controller.allows(0)) {
            (state.news, state.granted) = (0, BURST);
            return Next::Look(BURST);
        }
        state.plain = true;
        state.turn.take(Why::Anyway);
        let chance = self.policy.function(state.turn.history).weighted(self.controller.ln_weight());
        Next::Pass(state.turn.draw(chance, &mut self.gaps) - 1)
    }

    /// Whether to ask behind its loops, where there may be blocks that were never met, or before their last iterations.
    pub fn asks(&self, function: Function) -> bool {
        let state = &self.functions[function.0];
        self.asks_behind(function) || state.lasts.is_empty() || state.lasts.iter().any(|&lasts| lasts < LASTS)
    }

    fn asks_behind(&self, function: Function) -> bool {
        let state = &self.functions[function.0];
        state.unmet > 0 && state.behind_in_vain < PATIENCE
    }

    /// The last iteration of one of its loops begins: accesses to look at. Told are the first sites of blocks whose gaps end.
    pub fn last(&mut self, function: Function, number: usize, mut wake: impl FnMut(u32)) -> u32 {
        let state = &mut self.functions[function.0];
        if number >= LOOPS {
            return 0;
        }
        state.lasts.resize(state.lasts.len().max(number + 1), 0);
        if state.lasts[number] >= LASTS {
            return 0;
        }
        state.lasts[number] += 1;
        for (site, &(block, first)) in state.sites.iter().enumerate() {
            let block = &mut state.blocks[block as usize];
            if first && !(self.cache && block.locality.rest().is_some()) {
                block.wake();
                block.last = true;
                wake(site as u32);
            }
        }
        match self.burst(function) {
            Next::Look(accesses) => accesses,
            Next::Pass(_) => 0,
        }
    }

    /// In its plain copy it left a loop, where it was to ask: accesses to look at. What comes behind may run once, so the budget is not asked.
    pub fn behind(&mut self, function: Function) -> u32 {
        if !self.asks_behind(function) {
            return 0;
        }
        self.functions[function.0].behind_in_vain += 1;
        match self.burst(function) {
            Next::Look(accesses) => accesses,
            Next::Pass(_) => 0,
        }
    }

    fn burst(&mut self, function: Function) -> Next {
        let state = &mut self.functions[function.0];
        state.kinds |= self.kinds.now();
        (state.news, state.granted, state.plain) = (0, BURST, false);
        if let Calls::Whole { overrun, .. } = &mut state.calls {
            *overrun = 0;
        }
        state.visits = state.visits.saturating_add(1);
        state.coverage.calls_taken += 1;
        Next::Look(BURST)
    }

    fn charge_inline(&mut self, function: Function, now: u64) {
        let state = &mut self.functions[function.0];
        let accesses = std::mem::take(&mut state.granted);
        state.coverage.executed += u64::from(accesses);
        self.inline_due += f64::from(accesses) * self.inline_ticks;
        let whole = self.inline_due as u64;
        self.inline_due -= whole as f64;
        self.controller.charge(whole, now);
    }

    /// A site is executed whose block is due.
    pub fn told(&mut self, function: Function, site: u32) -> Told {
        let (policy, weight) = (&*self.policy, self.controller.ln_weight());
        let state = &mut self.functions[function.0];
        let Some(&(block, first)) = state.sites.get(site as usize) else { return Told::Take(Extent::Whole) };
        let most = state.most();
        let block = &mut state.blocks[block as usize];
        if !first {
            return block.taking.map_or(Told::Pass(0), Told::Take);
        }
        if let Calls::Whole { due, .. } = &mut state.calls {
            *due += u64::from(block.piece) + 1;
            state.kinds |= self.kinds.now();
            if block.rest > 0 {
                // This execution is one of those that pass.
                return Told::Pass(block.part(block.rest - 1, most));
            }
        }
        block.turn.pass();
        block.taking = Some(Extent::Part);
        if block.seen & self.kinds.now() == 0 {
            if block.seen == 0 {
                state.news += 1;
                state.behind_in_vain = 0;
                state.unmet -= 1;
                state.coverage.sites_taken += block.sites;
            }
            block.seen |= self.kinds.now();
            block.turn.take(Why::Anyway);
            block.taking = Some(Extent::Whole);
            return Told::Take(Extent::Whole);
        }
        if std::mem::take(&mut block.last) {
            block.turn.take(Why::Anyway);
            block.taking = Some(Extent::Whole);
            return Told::Take(Extent::Whole);
        }
        if self.controller.is_free() && block.turn.history.met < ALL_OF {
            block.turn.take(Why::Anyway);
            return Told::Take(Extent::Part);
        }
        let waits =
            block.turn.waits(&self.controller, &mut self.gaps, |history| policy.statement(history).weighted(weight));
        if let Some(left) = waits {
            block.taking = None;
            return Told::Pass(block.part(left - 1, most));
        }
        if block.locality.rest().is_none() {
            block.turn.take(Why::Policy);
        }
        Told::Take(Extent::Part)
    }

    /// It was looked at and touched private memory only, or not: how many executions its block lets pass. Only the first site's answer counts.
    pub fn taken(&mut self, function: Function, site: u32, private: bool) -> u32 {
        let state = &mut self.functions[function.0];
        state.coverage.taken += 1;
        let Some(&(block, first)) = state.sites.get(site as usize) else { return 0 };
        let most = state.most();
        let block = &mut state.blocks[block as usize];
        if !first {
            block.private &= private;
            if !private {
                block.locality = Locality::Shared;
            }
            return 0;
        }
        // What the sites behind the first one touched the last time is known by now; of this time's it will be the next.
        if block.locality != Locality::Unknown || block.sites == 1 {
            block.locality = block.locality.after(private && (block.private || block.sites == 1));
        } else {
            // Once more, to hear of all.
            block.locality = if private { Locality::Private(0) } else { Locality::Shared };
        }
        block.private = private;
        let rest = block.locality.rest().filter(|_| self.cache);
        let left = match rest {
            _ if self.controller.is_free() && block.turn.history.met < ALL_OF => block.turn.set(Gap::Until(0)),
            Some(rest) => block.turn.set(Gap::Until(rest)),
            None => {
                let chance = self.policy.statement(block.turn.history).weighted(self.controller.ln_weight());
                block.turn.draw(chance, &mut self.gaps)
            }
        };
        block.part(left - 1, most)
    }

    /// Accounts for what a function that is looked at in whole calls has executed: what it does next, if its burst is over.
    pub fn settle(&mut self, function: Function, now: u64) -> Option<Next> {
        let state = &mut self.functions[function.0];
        let Calls::Whole { due, overrun, longest } = &mut state.calls else { return None };
        let accesses = std::mem::take(due);
        state.coverage.executed += accesses;
        let ticks = (accesses as f64 * self.inline_ticks * WHOLE) as u64;
        if state.plain {
            *overrun += accesses;
            *longest = (*longest).max(*overrun);
            self.controller.charge_overrun(ticks, now);
            return None;
        }
        self.controller.charge(ticks, now);
        state.granted = state.granted.saturating_sub(u32::try_from(accesses).unwrap_or(u32::MAX));
        (state.granted == 0).then(|| self.spent(function, now))
    }

    /// A phase begins at this barrier. Told are the functions that begin a burst, and the first sites of blocks whose gaps end.
    pub fn phase(&mut self, barrier: u64, mut burst: impl FnMut(Function, u32), mut wake: impl FnMut(Function, u32)) {
        self.kinds.begin(barrier);
        let kind = self.kinds.now();
        for number in 0..self.functions.len() {
            let function = Function(number);
            let state = &mut self.functions[number];
            if state.woken & kind == 0 {
                state.woken |= kind;
                // New here: whatever it consists of is looked at once more.
                for (site, &(block, first)) in state.sites.iter().enumerate() {
                    if first && state.blocks[block as usize].seen & kind == 0 {
                        state.blocks[block as usize].wake();
                        wake(function, site as u32);
                    }
                }
            }
            if state.is_long() && !self.controller.allows_overrun() {
                continue;
            }
            if state.kinds & kind == 0 {
                self.burst(function);
                burst(function, BURST);
            } else if state.plain && state.turn.phase_is_due() && self.controller.allows(state.turn.history.taken) {
                state.turn.take(Why::Policy);
                self.burst(function);
                burst(function, BURST);
            }
        }
    }

    /// Memory is shared that was not: what rested is woken, and its function begins a burst.
    pub fn renew(&mut self, mut burst: impl FnMut(Function, u32), mut wake: impl FnMut(Function, u32)) {
        for number in 0..self.functions.len() {
            let function = Function(number);
            let state = &mut self.functions[number];
            let mut any = false;
            for (site, &(block, first)) in state.sites.iter().enumerate() {
                let block = &mut state.blocks[block as usize];
                if first && matches!(block.locality, Locality::Private(_)) {
                    block.locality = Locality::Unknown;
                    block.wake();
                    wake(function, site as u32);
                    any = true;
                }
            }
            if any {
                self.burst(function);
                burst(function, BURST);
            }
        }
    }

    /// First sites of resting blocks that are woken in a burst that begins now: the pointer may be another one.
    pub fn wakes(&mut self, function: Function, mut wake: impl FnMut(u32)) {
        let state = &mut self.functions[function.0];
        if !self.cache || !wakes(state.visits) {
            return;
        }
        for (site, &(block, first)) in state.sites.iter().enumerate() {
            let block = &mut state.blocks[block as usize];
            if first && block.locality.rest().is_some() {
                block.wake();
                wake(site as u32);
            }
        }
    }

    /// Where in so many executions to begin with a part of them.
    pub fn pick(&mut self, executions: u64) -> u64 {
        self.gaps.below(executions.max(1))
    }

    /// The time.
    pub fn controller(&mut self) -> &mut Controller {
        &mut self.controller
    }

    /// So much of what it was granted is left; told before [`Dense::take_coverage`].
    pub fn left(&mut self, function: Function, accesses: u32) {
        let state = &mut self.functions[function.0];
        if state.calls != Calls::InPart {
            return;
        }
        let used = state.granted.saturating_sub(accesses);
        state.granted -= used;
        state.coverage.executed += u64::from(used);
    }

    /// What was looked at since the last call. Executions are those in instrumented copies.
    pub fn take_coverage(&mut self, now: u64) -> Coverage {
        let [spent_us, calls_us, elapsed_us] = self.controller.take_account(now);
        let functions = (self.functions.iter_mut())
            .filter(|state| state.coverage.sites_taken > 0)
            .map(|state| {
                let all = state.coverage;
                let FunctionCoverage { pc, sites, sites_taken, .. } = all;
                state.coverage = FunctionCoverage { pc, sites, sites_taken, ..FunctionCoverage::default() };
                FunctionCoverage { calls: state.turn.history.met.max(all.calls_taken), ..all }
            })
            .collect();
        Coverage { functions, spent_us, calls_us, elapsed_us }
    }
}
