//! Operations that no strand of this rank has completed *and* settled, by who issued them and what completes them.
//!
//! Programs have hundreds of thousands of operations under way and complete a few of them at a time: near ends while far ends go on, one request of many. A
//! completion looks at what it completes, and at nothing else.

use crate::underway::{FEW, Use, overlap};
use rustc_hash::FxHashMap;
use thrille_model::{Access, Ctx, Held, Pos, Strand};

/// One end of an operation that lasts.
#[derive(Debug)]
pub(crate) struct Open {
    pub access: Access,
    pub locks: Vec<Held>,
    pub uses: Use,
    pub shipped: bool,
    /// The strand other than its own that completed it, and where.
    pub completed: Option<(Strand, Pos)>,
}

/// The operations of one strand that one context completes, in the order of their issue.
#[derive(Debug, Default)]
struct Scope {
    operations: Vec<Open>,
    /// How many of them use private memory.
    private: usize,
}

impl Open {
    fn is_private(&self) -> bool {
        matches!(self.uses, Use::Private(..))
    }
}

/// Those of one strand.
#[derive(Debug, Default)]
struct Issued {
    scopes: FxHashMap<Ctx, Scope>,
    /// How many of them use private memory.
    private: usize,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    strands: FxHashMap<Strand, Issued>,
    len: usize,
}

impl Operations {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there ever was one: who has issued any is not forgotten.
    pub fn were_any(&self) -> bool {
        !self.strands.is_empty()
    }

    /// How many of one strand use private memory.
    pub fn private(&self, strand: Strand) -> usize {
        self.strands.get(&strand).map_or(0, |issued| issued.private)
    }

    /// An operation is issued that this context completes.
    pub fn add(&mut self, ctx: Ctx, open: Open) {
        let issued = self.strands.entry(open.access.strand).or_default();
        let (scope, private) = (issued.scopes.entry(ctx).or_default(), usize::from(open.is_private()));
        scope.operations.push(open);
        scope.private += private;
        issued.private += private;
        self.len += 1;
    }

    /// Those that a strand has issued on a context, to be completed.
    pub fn take(&mut self, strand: Strand, ctx: Ctx) -> Vec<Open> {
        let Some(issued) = self.strands.get_mut(&strand) else { return Vec::new() };
        let Scope { operations, private } = issued.scopes.remove(&ctx).unwrap_or_default();
        issued.private -= private;
        self.len -= operations.len();
        operations
    }

    /// Those that other strands have issued on a context.
    pub fn of_others(&mut self, strand: Strand, ctx: Ctx) -> impl Iterator<Item = &mut Open> {
        let others = self.strands.iter_mut().filter(move |(other, _)| **other != strand);
        others.filter_map(move |(_, issued)| issued.scopes.get_mut(&ctx)).flat_map(|scope| &mut scope.operations)
    }

    /// Those of one strand.
    pub fn of(&mut self, strand: Strand) -> impl Iterator<Item = &mut Open> {
        let scopes = self.strands.get_mut(&strand).into_iter().flat_map(|issued| issued.scopes.values_mut());
        scopes.flat_map(|scope| &mut scope.operations)
    }

    /// Those of all strands.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Open> {
        let scopes = self.strands.values_mut().flat_map(|issued| issued.scopes.values_mut());
        scopes.flat_map(|scope| &mut scope.operations)
    }

    /// Takes out those that are like this.
    pub fn extract(&mut self, mut like: impl FnMut(&Open) -> bool) -> Vec<Open> {
        let mut taken = Vec::new();
        for issued in self.strands.values_mut() {
            for scope in issued.scopes.values_mut() {
                taken.extend(scope.operations.extract_if(.., |open| like(open)));
                scope.private = scope.operations.iter().filter(|open| open.is_private()).count();
            }
            issued.private = issued.scopes.values().map(|scope| scope.private).sum();
        }
        self.len -= taken.len();
        taken
    }

    /// Whether one uses some of these bytes of private memory.
    pub fn use_private(&self, lo: u64, hi: u64) -> bool {
        let scopes = self.strands.values().flat_map(|issued| issued.scopes.values());
        let used = |open: &Open| matches!(open.uses, Use::Private(bytes) if overlap(bytes, lo, hi));
        scopes.filter(|scope| scope.private > 0).flat_map(|scope| &scope.operations).any(used)
    }

    /// What those of one strand use: of shared memory as much as makes a difference ([`crate::underway`]).
    pub fn uses(&self, strand: Strand, mut tell: impl FnMut(Use)) {
        let mut shared = 0;
        for scope in self.strands.get(&strand).into_iter().flat_map(|issued| issued.scopes.values()) {
            let enough = if scope.private > 0 { usize::MAX } else { (FEW + 1).saturating_sub(shared) };
            for open in scope.operations.iter().take(enough) {
                shared += usize::from(matches!(open.uses, Use::Shared(..)));
                tell(open.uses);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use thrille_model::{
        Act, Comb, Interval, Kind, LocksetId, Operation, Order, Phase, Phases, Place, Rank, Segment, Site, Span,
        StackId,
    };

    fn open(strand: Strand, ctx: Ctx, uses: Use) -> Open {
        let bytes = Interval::from_len(0, 8).unwrap();
        let access = Access {
            place: Place::solid(Rank(0), Segment::Heap, bytes),
            kind: Kind::Write,
            strand,
            begin: Pos(0),
            span: Span::Operation(Operation { ctx, end: None, order: Order::None }),
            phases: Phases { lo: Phase(0), hi: None },
            locks: LocksetId::EMPTY,
            act: Act::Put,
            site: Site::default(),
            stack: StackId(0),
            times: 1,
        };
        Open { access, locks: Vec::new(), uses, shipped: false, completed: None }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Add(u32, u32, bool, u64),
        Take(u32, u32),
        Extract(u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0u32..3, 0u32..4, any::<bool>(), 0u64..8).prop_map(|(s, c, p, at)| Step::Add(s, c, p, at)),
            1 => (0u32..3, 0u32..4).prop_map(|(s, c)| Step::Take(s, c)),
            1 => (0u64..8).prop_map(Step::Extract),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn as_a_list(steps in steps()) {
            let (mut fast, mut naive) = (Operations::default(), Vec::<(Strand, Ctx, Use)>::new());
            let at = |uses: Use| match uses { Use::Private(bytes) | Use::Shared(_, _, bytes) => bytes.0.lo() };
            for step in steps {
                match step {
                    Step::Add(strand, ctx, private, lo) => {
                        let (strand, ctx) = (Strand::thread(Rank(0), strand), Ctx(ctx));
                        let bytes = (Interval::from_len(lo, 2).unwrap(), Comb::SOLID);
                        let uses = if private { Use::Private(bytes) } else { Use::Shared(Rank(1), Segment::Heap, bytes) };
                        fast.add(ctx, open(strand, ctx, uses));
                        naive.push((strand, ctx, uses));
                    }
                    Step::Take(strand, ctx) => {
                        let (strand, ctx) = (Strand::thread(Rank(0), strand), Ctx(ctx));
                        let others = naive.iter().filter(|&&(s, c, _)| s != strand && c == ctx).count();
                        prop_assert_eq!(fast.of_others(strand, ctx).count(), others);
                        let taken: Vec<Use> = fast.take(strand, ctx).iter().map(|o| o.uses).collect();
                        let gone: Vec<Use> = naive.extract_if(.., |&mut (s, c, _)| (s, c) == (strand, ctx)).map(|o| o.2).collect();
                        prop_assert_eq!(taken, gone);
                    }
                    Step::Extract(lo) => {
                        let gone = naive.extract_if(.., |o| at(o.2) == lo).count();
                        prop_assert_eq!(fast.extract(|o| at(o.uses) == lo).len(), gone);
                    }
                }
                prop_assert_eq!(fast.len(), naive.len());
                prop_assert_eq!(fast.all().count(), naive.len());
                let hits = |o: &(Strand, Ctx, Use)| matches!(o.2, Use::Private(bytes) if bytes.0.lo() < 6 && 4 < bytes.0.hi());
                prop_assert_eq!(fast.use_private(4, 6), naive.iter().any(hits));
                for strand in (0..3).map(|n| Strand::thread(Rank(0), n)) {
                    let (mut private, mut shared) = (0, 0);
                    fast.uses(strand, |uses| if matches!(uses, Use::Private(..)) { private += 1 } else { shared += 1 });
                    let own = || naive.iter().filter(move |o| o.0 == strand);
                    let own_private = own().filter(|o| matches!(o.2, Use::Private(..))).count();
                    prop_assert_eq!(private, own_private);
                    let own_shared = own().count() - own_private;
                    prop_assert!(shared <= own_shared && shared >= own_shared.min(FEW + 1));
                    prop_assert_eq!(fast.of(strand).count(), own().count());
                    prop_assert_eq!(fast.private(strand), own_private);
                }
            }
        }
    }
}
