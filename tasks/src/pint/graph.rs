//! WSP-order: which strands may be parallel, told while the program runs on several threads.
//!
//! R. Utterback, K. Agrawal, J. Fineman, I. Lee: *Provably good and practically efficient parallel race detection for fork-join programs*, 2016. The
//! two orders of `sp_order.rs`, English and Hebrew, under concurrent insertion. A strand is put into both under one lock, where its task creates another one
//! or waits; who asks takes none (`labels.rs`).
//!
//! | type | is | touched by |
//! |---|---|---|
//! | [`Graph`] | the two orders of all that happens between two moments at which nothing is parallel | everybody |
//! | [`Path`] | where a task is, and the scopes that it waits in | the thread that runs the task; its creator's one only before |
//! | [`Team`] | a parallel region: in between two barriers its threads are so many parallel tasks | the threads of the region |
//!
//! # Deviations
//!
//! `taskwait` may leave grandchildren behind, which is not series-parallel: they are then taken to be before what follows, so races may be missed and
//! none is invented. Such waits are counted, as `sp_order.rs` does.

use super::labels::{Asked, Published};
use super::sync::{Mutex, lock};
use crate::event::{End, Misnested};
use crate::order::{Node, OrderList};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug)]
struct Orders {
    english: OrderList<Published>,
    hebrew: OrderList<Published>,
}

impl Orders {
    /// A strand right behind these two in the two orders, of the same number in both.
    fn strand(&mut self, english: Node, hebrew: Node) -> Result<Node, Misnested> {
        let (one, two) = (self.english.insert_after(english), self.hebrew.insert_after(hebrew));
        debug_assert_eq!(one, two, "numbered alike");
        one.ok_or(Misnested::TooMany)
    }

    /// A task that may run beside what follows: its first strand, and what follows.
    fn fork(&mut self, now: Node) -> Result<(Node, Node), Misnested> {
        let child = self.strand(now, now)?;
        Ok((child, self.strand(child, now)?))
    }
}

/// See the top of `graph.rs`.
#[derive(Debug)]
pub struct Graph {
    orders: Mutex<Orders>,
    english: Asked,
    hebrew: Asked,
    irregular: Arc<AtomicU64>,
}

impl Graph {
    fn new(irregular: Arc<AtomicU64>) -> Self {
        let (english, hebrew) = (Published::default(), Published::default());
        let asked = (english.asked(), hebrew.asked());
        let orders = Orders { english: OrderList::with(english), hebrew: OrderList::with(hebrew) };
        Self { orders: Mutex::new(orders), english: asked.0, hebrew: asked.1, irregular }
    }

    /// Whether one strand is before another in the English order: of two that are parallel, the one to the left.
    #[inline]
    pub fn left_of(&self, one: Node, other: Node) -> bool {
        self.english.before(one, other)
    }

    /// The same in the Hebrew order: of two that are parallel, the one to the right.
    #[inline]
    pub fn right_of(&self, one: Node, other: Node) -> bool {
        self.hebrew.before(one, other)
    }

    /// Whether two strands may run at the same time: the orders do not agree.
    #[inline]
    pub fn parallel(&self, one: Node, other: Node) -> bool {
        one != other && self.left_of(one, other) != self.right_of(one, other)
    }
}

/// Tasks that are collected by a wait.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// Where they come together, once there are any.
    end: Option<Node>,
    /// How many there are that its task has not waited for.
    children: u64,
    /// Whether some of them have left tasks behind that this task's waits do not wait for.
    others: Option<Arc<AtomicBool>>,
}

impl Scope {
    fn has_others(&self) -> bool {
        self.others.as_ref().is_some_and(|others| others.load(Ordering::Acquire))
    }
}

/// See the top of `graph.rs`.
#[derive(Clone, Debug)]
pub struct Path {
    graph: Arc<Graph>,
    now: Node,
    /// Its own scope, then the finish scopes that it is in.
    scopes: Vec<Scope>,
    /// What to tell its creator's scope.
    others: Option<Arc<AtomicBool>>,
}

impl Path {
    fn new(graph: Arc<Graph>, now: Node, others: Option<Arc<AtomicBool>>) -> Self {
        Self { graph, now, scopes: vec![Scope::default()], others }
    }

    /// The main task of a graph of its own: nothing that was is parallel to what comes. Irregular waits are counted there.
    pub(super) fn first(irregular: &Arc<AtomicU64>) -> Self {
        Self::new(Arc::new(Graph::new(Arc::clone(irregular))), OrderList::FIRST, None)
    }

    /// The strand that runs.
    pub fn now(&self) -> Node {
        self.now
    }

    /// The graph that it is in.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The task creates another one, whenever that runs.
    pub fn spawn(&mut self) -> Result<Self, Misnested> {
        let mut orders = lock(&self.graph.orders);
        let Some(scope) = self.scopes.last_mut() else { return Err(Misnested::NoFinish) };
        if scope.end.is_none() {
            scope.end = Some(orders.strand(self.now, self.now)?);
        }
        let (child, then) = orders.fork(self.now)?;
        drop(orders);
        scope.children += 1;
        let others = scope.others.get_or_insert_default();
        let child = Self::new(Arc::clone(&self.graph), child, Some(Arc::clone(others)));
        self.now = then;
        Ok(child)
    }

    /// The task is done, whatever it has left behind. If its creator waits for it, that one goes on from here ([`Path::goes_on_after`]).
    pub fn end(&self) -> Result<(), Misnested> {
        let [own] = self.scopes.as_slice() else { return Err(Misnested::OpenFinish) };
        if let Some(others) = &self.others
            && (own.children > 0 || own.has_others())
        {
            others.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// The task goes on when the one that it created last is done ([`End::Included`]).
    pub fn goes_on_after(&mut self, child: &Self, how: End) -> Result<(), Misnested> {
        if how == End::Included {
            if let Some(scope) = self.scopes.last_mut() {
                scope.children = scope.children.saturating_sub(1);
            }
            // Behind it; what it left behind stays between it and the end of the scope.
            self.now = lock(&self.graph.orders).strand(self.now, child.now)?;
        }
        Ok(())
    }

    /// It waits for the tasks that it has created.
    pub fn wait(&mut self) {
        let mut last = None;
        for scope in self.scopes.iter_mut().rev() {
            if scope.has_others() {
                self.graph.irregular.fetch_add(1, Ordering::Relaxed);
            }
            scope.children = 0;
            // The outermost scope's tasks come together last.
            last = scope.end.take().or(last);
        }
        self.now = last.unwrap_or(self.now);
    }

    /// Whether to wait would change nothing: what comes is the same strand.
    pub fn waits_for_nothing(&self) -> bool {
        self.scopes.iter().all(|scope| scope.end.is_none() && !scope.has_others())
    }

    /// The same of the end of the innermost finish scope.
    pub fn finishes_nothing(&self) -> bool {
        self.scopes.len() > 1 && self.scopes.last().is_some_and(|scope| scope.end.is_none())
    }

    /// Begins a scope that collects tasks, and theirs.
    pub fn begin_finish(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Waits for all of them.
    pub fn end_finish(&mut self) -> Result<(), Misnested> {
        if self.scopes.len() < 2 {
            return Err(Misnested::NoFinish);
        }
        if let Some(end) = self.scopes.pop().and_then(|scope| scope.end) {
            self.now = end;
        }
        Ok(())
    }

    /// Whether it is in no finish scope, and nothing that it created can still be parallel to it.
    pub fn is_alone(&self) -> bool {
        matches!(self.scopes.as_slice(), [own] if own.end.is_none() && !own.has_others())
    }
}

#[derive(Debug)]
struct Stretch {
    number: u64,
    now: Node,
    end: Node,
}

/// See the top of `graph.rs`.
#[derive(Debug)]
pub struct Team {
    graph: Arc<Graph>,
    stretch: Mutex<Stretch>,
}

impl Team {
    /// A task comes to a parallel region.
    pub fn new(by: &Path) -> Result<Self, Misnested> {
        let end = lock(&by.graph.orders).strand(by.now, by.now)?;
        let stretch = Mutex::new(Stretch { number: 0, now: by.now, end });
        Ok(Self { graph: Arc::clone(&by.graph), stretch })
    }

    /// A thread of the team goes on after so many barriers.
    pub fn member(&self, barriers: u64) -> Result<Path, Misnested> {
        let mut stretch = lock(&self.stretch);
        let mut orders = lock(&self.graph.orders);
        if stretch.number < barriers {
            let now = stretch.end;
            *stretch = Stretch { number: barriers, now, end: orders.strand(now, now)? };
        }
        let (member, then) = orders.fork(stretch.now)?;
        stretch.now = then;
        Ok(Path::new(Arc::clone(&self.graph), member, None))
    }

    /// The region is over, and who came to it goes on.
    pub fn end(&self, by: &mut Path) {
        by.now = lock(&self.stretch).end;
    }
}
