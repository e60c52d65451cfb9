//! Reachability by two orders, of which the run itself is one: M. Bender, J. Fineman, S. Gilbert, C. Leiserson: *On-the-fly maintenance of series-parallel relationships in
//! fork-join multithreaded programs* (SP-order), 2004, as STINT uses it.
//!
//! # Algorithm
//!
//! A task is cut into *strands* where it creates tasks and waits for them. All strands are in two orders. Both have what comes before before
//! what comes after; of two that are parallel, the English order has the created task first, the Hebrew order the continuation. So one strand comes
//! before another iff it does so in both; an earlier strand of this run, which is the English order, is parallel iff the Hebrew order has it later.
//! So the Hebrew order alone is kept as a list.
//!
//! The strand in which a scope's tasks come together is put into the list when the first of them is created: whatever is inserted later goes
//! before it.
//!
//! # Deviations
//!
//! Finish scopes, and tasks that end before their children, are handled as well as spawn and sync: the graph is series-parallel all the same.
//! It is not after a `taskwait` that leaves grandchildren behind: no two orders can tell that. From there on bags answer, which are kept besides, until all
//! is serial again; they cost next to nothing as long as nobody asks them. Such waits are counted: see `esp_bags.rs` for what is missed then.

use crate::esp_bags::EspBags;
use crate::event::{End, Event, Mark, Misnested, Reach};
use crate::order::{Node, OrderList};

#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    /// Where its tasks come together, once there are any.
    end: Option<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    scopes: usize,
    /// The strand that its creator goes on with.
    then: Node,
}

/// See the top of `sp_order.rs`.
#[derive(Clone, Debug)]
pub struct SpOrder {
    hebrew: OrderList,
    now: Node,
    tasks: Vec<Task>,
    scopes: Vec<Scope>,
    /// Scopes with an end.
    parallel: usize,
    bags: EspBags,
    /// The task of each strand, in the words of the bags.
    task_of: Vec<Mark>,
    /// Irregular waits when all was serial for the last time.
    settled: u64,
}

impl Default for SpOrder {
    fn default() -> Self {
        Self {
            hebrew: OrderList::default(),
            now: OrderList::FIRST,
            tasks: vec![Task { scopes: 0, then: OrderList::FIRST }],
            scopes: vec![Scope::default()],
            parallel: 0,
            bags: EspBags::default(),
            task_of: vec![Mark(0)],
            settled: 0,
        }
    }
}

impl SpOrder {
    /// A strand right behind this one in the Hebrew order.
    fn strand(&mut self, behind: Node) -> Result<Node, Misnested> {
        let new = self.hebrew.insert_after(behind);
        self.task_of.push(self.bags.now());
        new.ok_or(Misnested::TooMany)
    }

    fn spawn(&mut self) -> Result<(), Misnested> {
        let now = self.now;
        if self.scopes.last().is_some_and(|scope| scope.end.is_none()) {
            let end = self.strand(now)?;
            self.parallel += 1;
            if let Some(scope) = self.scopes.last_mut() {
                scope.end = Some(end);
            }
        }
        let child = self.strand(now)?;
        let then = self.strand(now)?;
        self.bags.step(Event::Spawn)?;
        self.task_of[child.0 as usize] = self.bags.now();
        self.tasks.push(Task { scopes: self.scopes.len(), then });
        self.scopes.push(Scope::default());
        self.now = child;
        Ok(())
    }

    fn end(&mut self, how: End) -> Result<(), Misnested> {
        let [.., _, ended] = *self.tasks.as_slice() else { return Err(Misnested::NoTask) };
        if self.scopes.len() > ended.scopes + 1 {
            return Err(Misnested::OpenFinish);
        }
        let own = self.scopes.pop().unwrap_or_default();
        self.parallel -= usize::from(own.end.is_some());
        self.tasks.pop();
        self.bags.step(Event::End(how))?;
        self.now = match how {
            End::Parallel => ended.then,
            // Its creator goes on behind it; what it left behind stays between it and the end of the scope.
            End::Included => self.strand(self.now)?,
        };
        Ok(())
    }

    fn wait(&mut self) {
        let Some(task) = self.tasks.last() else { return };
        // The outermost scope's tasks come together last.
        let mut last = None;
        for scope in self.scopes[task.scopes..].iter_mut().rev() {
            if let Some(end) = scope.end.take() {
                self.parallel -= 1;
                last = Some(end);
            }
        }
        self.now = last.unwrap_or(self.now);
    }

    fn end_finish(&mut self) -> Result<(), Misnested> {
        let Some(task) = self.tasks.last() else { return Err(Misnested::NoTask) };
        if self.scopes.len() < task.scopes + 2 {
            return Err(Misnested::NoFinish);
        }
        if let Some(end) = self.scopes.pop().and_then(|scope| scope.end) {
            self.parallel -= 1;
            self.now = end;
        }
        Ok(())
    }

    /// How many strands there have been.
    pub fn strands(&self) -> usize {
        self.hebrew.len()
    }
}

impl Reach for SpOrder {
    fn step(&mut self, event: Event) -> Result<(), Misnested> {
        match event {
            Event::Spawn => self.spawn(),
            Event::End(how) => self.end(how),
            Event::Wait => {
                self.wait();
                self.bags.step(event)
            }
            Event::BeginFinish => {
                self.scopes.push(Scope::default());
                self.bags.step(event)
            }
            Event::EndFinish => {
                self.end_finish()?;
                self.bags.step(event)
            }
        }
    }

    fn stays(&self, event: Event) -> bool {
        // Bags that are empty do not tell of tasks that were waited for at once, whose strands have come and gone all the same.
        self.bags.stays(event)
            && match (event, self.tasks.last()) {
                (Event::Wait, Some(task)) => self.scopes[task.scopes..].iter().all(|scope| scope.end.is_none()),
                (Event::EndFinish, _) => self.scopes.last().is_some_and(|scope| scope.end.is_none()),
                _ => true,
            }
    }

    fn now(&self) -> Mark {
        Mark(self.now.0)
    }

    #[inline]
    fn parallel(&mut self, earlier: Mark) -> bool {
        if self.bags.irregular() > self.settled {
            return self.bags.parallel(self.task_of[earlier.0 as usize]);
        }
        self.hebrew.before(self.now, Node(earlier.0))
    }

    fn is_ordered(&self) -> bool {
        self.bags.irregular() == self.settled
    }

    fn later(&self, one: Mark, other: Mark) -> Mark {
        if self.hebrew.before(Node(one.0), Node(other.0)) { other } else { one }
    }

    fn is_serial(&self) -> bool {
        self.parallel == 0 && self.bags.is_serial()
    }

    fn forget(&mut self) {
        // No scope has an end, so the main task is alone: nobody refers to a strand but itself.
        debug_assert_eq!(self.tasks.len(), 1);
        (self.hebrew, self.now) = (OrderList::default(), OrderList::FIRST);
        self.bags.forget();
        self.task_of.clear();
        self.task_of.push(self.bags.now());
        self.settled = self.bags.irregular();
    }

    fn irregular(&self) -> u64 {
        self.bags.irregular()
    }
}
