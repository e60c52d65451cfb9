//! The tree of calls of one rank: a call stack is a node, and two accesses from the same stack share it.

use rustc_hash::FxHashMap;
use std::ops::Range;
use thrille_model::StackId;

/// All call stacks met, each once.
#[derive(Debug, Default)]
pub struct Stacks {
    nodes: Vec<(StackId, u64)>,
    children: FxHashMap<(StackId, u64), StackId>,
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
    /// The node before each call, and where the stack pointer was then.
    frames: Vec<(StackId, u64)>,
    here: StackId,
    cache: Box<[(StackId, u64, StackId)]>,
}

impl CallStack {
    /// Outside any function.
    pub fn new() -> Self {
        Self {
            frames: Vec::with_capacity(256),
            here: StackId(0),
            walk: None,
            walked: Vec::new(),
            called: (0, 0),
            cache: vec![(StackId(0), 0, StackId(0)); CACHED].into(),
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
        self.here
    }

    /// Is at a known place for a while. Where it was, to go back to.
    pub fn stay_at(&mut self, place: StackId) -> Left {
        Left { here: std::mem::replace(&mut self.here, place), walk: self.walk.take() }
    }

    /// Goes back to where it was.
    pub fn go_back(&mut self, left: Left) {
        (self.here, self.walk) = (left.here, left.walk);
    }

    /// A function is entered, called from this return address, with the stack pointer here. Frames at or below it were left by a
    /// long jump.
    pub fn enter(&mut self, call: u64, sp: u64, tree: impl FnOnce(StackId, u64) -> StackId) {
        while let Some(&(before, at)) = self.frames.last()
            && at <= sp
        {
            self.here = before;
            self.frames.pop();
        }
        self.frames.push((self.here, sp));
        let slot = &mut self.cache[(call ^ u64::from(self.here.0).wrapping_mul(0x9e37_79b9)) as usize % CACHED];
        if (slot.0, slot.1) != (self.here, call) || call == 0 {
            *slot = (self.here, call, tree(self.here, call));
        }
        self.here = slot.2;
    }

    /// The running function returns.
    pub fn leave(&mut self) {
        if let Some((before, _)) = self.frames.pop() {
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

    #[test]
    fn long_jumps_are_noticed() {
        let mut tree = Stacks::default();
        let mut stack = CallStack::new();
        stack.enter(10, 1000, |p, c| tree.child(p, c));
        let outer = stack.here();
        stack.enter(20, 900, |p, c| tree.child(p, c));
        stack.enter(30, 800, |p, c| tree.child(p, c));
        // A long jump back into the function at 1000, which then calls another one.
        stack.enter(40, 900, |p, c| tree.child(p, c));
        assert_eq!(tree.child(outer, 40), stack.here());
        stack.leave();
        assert_eq!(stack.here(), outer);
        stack.leave();
        assert_eq!(stack.here(), StackId(0));
        stack.leave();
        assert_eq!(tree.fresh().len(), 4);
        assert!(tree.fresh().is_empty());
    }
}
