//! The tree of calls of one rank: a call stack is a node, and two accesses from the same stack share it.
//!
//! What some functions do is the doing of the line that calls them: those of the C++ library's headers. Each such line of the program has a number, its *caller*, and what is done until the
//! function returns, or calls the program back, is told with it.

use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use thrille_model::{Site, StackId};

/// All call stacks met, each once.
#[derive(Debug, Default)]
pub struct Stacks {
    nodes: Vec<(StackId, u64)>,
    children: FxHashMap<(StackId, u64), StackId>,
    callers: FxHashMap<Site, u16>,
    given: FxHashSet<u16>,
    told: usize,
}

impl Stacks {
    /// The stack of a function that was called from this return address in the function of `parent`.
    pub fn child(&mut self, parent: StackId, call: u64) -> StackId {
        *self.children.entry((parent, call)).or_insert_with(|| {
            self.nodes.push((parent, call));
            StackId(self.nodes.len() as u32)
        })
    }

    /// The number of a line that calls a function whose doing is its own: the same in every rank and run, unless two lines would have the same.
    pub fn caller(&mut self, call: Site) -> u16 {
        if let Some(&known) = self.callers.get(&call) {
            return known;
        }
        if self.given.len() == usize::from(Site::CALLERS) {
            // With so many lines the others have one number.
            return Site::CALLERS;
        }
        let mixed = (call.module ^ call.offset).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let numbers = u64::from(Site::CALLERS);
        let wanted = (0..numbers).map(|next| (1 + (mixed + next) % numbers) as u16);
        let number = wanted.into_iter().find(|number| !self.given.contains(number)).unwrap_or(Site::CALLERS);
        self.given.insert(number);
        self.callers.insert(call, number);
        number
    }

    /// The nodes made since the last call: number, parent, return address.
    pub fn fresh(&mut self) -> Vec<(StackId, StackId, u64)> {
        let from = std::mem::replace(&mut self.told, self.nodes.len());
        self.nodes[from..]
            .iter()
            .enumerate()
            .map(|(i, &(parent, call))| (StackId((from + i + 1) as u32), parent, call))
            .collect()
    }
}

const CACHED: usize = 256;

/// Finds out where a call stack is: the stack of the function that the return address is in.
pub type Walk = fn(&mut CallStack, u64) -> StackId;

/// A stack that was walked: where the return addresses were found, and what they were.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The return address that the walk began at.
    pub pc: u64,
    /// The stack pointer there.
    pub sp: u64,
    /// Address and content of each place of a return address, innermost first.
    pub places: Vec<(u64, u64)>,
    /// The stack.
    pub stack: StackId,
}

/// Where a strand was before it went to another place for a while.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Left {
    here: StackId,
    walk: Option<Walk>,
}

/// A function that is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entering {
    /// Where it returns to.
    pub call: u64,
    /// The stack pointer.
    pub sp: u64,
    /// An address in it, always the same.
    pub function: u64,
}

/// Where a strand is then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entered {
    /// The stack.
    pub stack: StackId,
    /// The number of the line that calls it, if what it does is the doing of that; 0 if it is a function of the program.
    pub caller: u16,
}

/// A function that has not returned yet.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where the strand was before.
    before: Entered,
    /// Where the stack pointer was at its entry.
    sp: u64,
}

/// A call that was met before, and what the tree said of it.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    parent: StackId,
    call: u64,
    function: u64,
    entered: Entered,
}

const WALKED: usize = 1 << 11;
/// Walks from one place that are kept at the same time.
const CALLERS: usize = 4;

/// One strand's way through the tree.
#[derive(Debug)]
pub struct CallStack {
    /// For programs that do not tell of their calls.
    walk: Option<Walk>,
    walked: Vec<Walked>,
    /// The library call that the strand is in: where the program goes on, and where that is written on the stack.
    called: (u64, u64),
    frames: Vec<Frame>,
    here: Entered,
    cache: Box<[Known]>,
}

impl CallStack {
    /// Outside any function.
    pub fn new() -> Self {
        Self {
            frames: Vec::with_capacity(256),
            here: Entered::default(),
            walk: None,
            walked: Vec::new(),
            called: (0, 0),
            cache: vec![Known::default(); CACHED].into(),
        }
    }

    /// From now on stacks are found by walking.
    pub fn walk_with(&mut self, walk: Option<Walk>) {
        self.walk = walk;
    }

    /// The strand is in a library call from here, until it is said to be in none: `(0, 0)`. Others that the library makes meanwhile do not count.
    #[inline]
    pub fn in_call(&mut self, pc: u64, sp: u64) {
        self.called = (pc, sp);
    }

    /// The library call that the strand is in.
    pub fn called(&self) -> (u64, u64) {
        self.called
    }

    /// Where the return address of the call that the strand is in stands on the stack, if it is this one.
    pub fn call_at(&self, pc: u64) -> Option<u64> {
        (self.called.0 == pc && pc != 0).then_some(self.called.1)
    }

    /// The stack of the function that has called us, or been entered, and goes on at this return address.
    pub fn at(&mut self, pc: u64) -> StackId {
        match self.walk {
            Some(walk) => walk(self, pc),
            None => self.here(),
        }
    }

    /// The last walks from here: a function may have been called from several places.
    pub fn walked(&self, pc: u64, sp: u64) -> impl Iterator<Item = &Walked> {
        let set = self.walked.get(Self::set(pc, sp)).unwrap_or_default();
        set.iter().filter(move |walked| (walked.pc, walked.sp) == (pc, sp))
    }

    /// Keeps a walk, and forgets another one.
    pub fn keep_walked(&mut self, walked: Walked) {
        self.walked.resize(WALKED, Walked::default());
        let set = &mut self.walked[Self::set(walked.pc, walked.sp)];
        set.rotate_right(1);
        set[0] = walked;
    }

    fn set(pc: u64, sp: u64) -> Range<usize> {
        let mixed = (pc ^ sp.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let from = (mixed >> 40) as usize % (WALKED / CALLERS) * CALLERS;
        from..from + CALLERS
    }

    /// The stack of the running function.
    #[inline]
    pub fn here(&self) -> StackId {
        self.here.stack
    }

    /// Is at a known place for a while. Where it was, to go back to.
    pub fn stay_at(&mut self, place: StackId) -> Left {
        Left { here: std::mem::replace(&mut self.here.stack, place), walk: self.walk.take() }
    }

    /// Goes back to where it was.
    pub fn go_back(&mut self, left: Left) {
        (self.here.stack, self.walk) = (left.here, left.walk);
    }

    /// The number of the line whose doing everything is; 0: that of the lines themselves.
    #[inline(always)]
    pub fn caller(&self) -> u16 {
        self.here.caller
    }

    /// A function is entered. Frames at or below it were left by a long jump.
    pub fn enter(&mut self, entry: Entering, tree: impl FnOnce(Entered) -> Entered) {
        let Entering { call, sp, function } = entry;
        while let Some(&Frame { before, sp: at }) = self.frames.last()
            && at <= sp
        {
            self.here = before;
            self.frames.pop();
        }
        let before = self.here;
        self.frames.push(Frame { before, sp });
        let slot = &mut self.cache[(call ^ u64::from(before.stack.0).wrapping_mul(0x9e37_79b9)) as usize % CACHED];
        if (slot.parent, slot.call, slot.function) != (before.stack, call, function) || call == 0 {
            *slot = Known { parent: before.stack, call, function, entered: tree(before) };
        }
        self.here = slot.entered;
    }

    /// The running function returns.
    pub fn leave(&mut self) {
        if let Some(Frame { before, .. }) = self.frames.pop() {
            self.here = before;
        }
    }
}

impl Default for CallStack {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_from_one_place_are_kept_apart() {
        let mut stack = CallStack::new();
        assert_eq!(stack.walked(7, 100).count(), 0);
        let walk = |caller: u64| Walked { pc: 7, sp: 100, places: vec![(108, caller)], stack: StackId(caller as u32) };
        for caller in 1..=CALLERS as u64 + 1 {
            stack.keep_walked(walk(caller));
        }
        let known: Vec<u32> = stack.walked(7, 100).map(|walked| walked.stack.0).collect();
        assert_eq!(known, [5, 4, 3, 2], "the last ones");
        assert_eq!(stack.walked(7, 92).count() + stack.walked(8, 100).count(), 0);
    }

    fn enter(stack: &mut CallStack, tree: &mut Stacks, call: u64, sp: u64, library: bool) {
        stack.enter(Entering { call, sp, function: call + u64::from(library) }, |before| Entered {
            stack: tree.child(before.stack, call),
            caller: match (library, before.caller) {
                (true, 0) => tree.caller(Site { module: 1, offset: call }),
                (true, caller) => caller,
                (false, _) => 0,
            },
        });
    }

    #[test]
    fn long_jumps_are_noticed() {
        let mut tree = Stacks::default();
        let mut stack = CallStack::new();
        enter(&mut stack, &mut tree, 10, 1000, false);
        let outer = stack.here();
        enter(&mut stack, &mut tree, 20, 900, false);
        enter(&mut stack, &mut tree, 30, 800, true);
        assert_ne!(stack.caller(), 0);
        // A long jump back into the function at 1000, which then calls another one.
        enter(&mut stack, &mut tree, 40, 900, false);
        assert_eq!((tree.child(outer, 40), stack.caller()), (stack.here(), 0));
        stack.leave();
        assert_eq!(stack.here(), outer);
        stack.leave();
        assert_eq!(stack.here(), StackId(0));
        stack.leave();
        assert_eq!(tree.fresh().len(), 4);
        assert!(tree.fresh().is_empty());
    }

    #[test]
    fn what_the_library_does_is_its_callers_doing() {
        let (mut tree, mut stack) = (Stacks::default(), CallStack::new());
        enter(&mut stack, &mut tree, 10, 1000, false);
        assert_eq!(stack.caller(), 0);
        enter(&mut stack, &mut tree, 20, 900, true);
        let first = stack.caller();
        // A function of the library that another one calls; then one of the program, which calls the library.
        enter(&mut stack, &mut tree, 30, 800, true);
        assert_eq!(stack.caller(), first);
        enter(&mut stack, &mut tree, 40, 700, false);
        assert_eq!(stack.caller(), 0);
        enter(&mut stack, &mut tree, 50, 600, true);
        assert!(stack.caller() != 0 && stack.caller() != first);
        stack.leave();
        assert_eq!(stack.caller(), 0);
        stack.leave();
        stack.leave();
        assert_eq!(stack.caller(), first);
        stack.leave();
        // The same place calls another function, one of the program.
        enter(&mut stack, &mut tree, 20, 900, false);
        assert_eq!(stack.caller(), 0);
        stack.leave();
        enter(&mut stack, &mut tree, 20, 900, true);
        assert_eq!(stack.caller(), first);
    }

    #[test]
    fn callers_have_numbers_of_their_own() {
        let mut tree = Stacks::default();
        let numbers: std::collections::BTreeSet<u16> =
            (0..5000).map(|offset| tree.caller(Site { module: 7, offset })).collect();
        assert_eq!(numbers.len(), 5000);
        assert!(numbers.iter().all(|&number| (1..=Site::CALLERS).contains(&number)));
        assert_eq!(tree.caller(Site { module: 7, offset: 3 }), Stacks::default().caller(Site { module: 7, offset: 3 }));
    }
}
