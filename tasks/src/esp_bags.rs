//! Reachability by bags: R. Raman, J. Zhao, V. Sarkar, M. Vechev, E. Yahav: *Efficient data race detection for async-finish parallelism*.
//!
//! # Algorithm
//!
//! Each running task has an S bag: itself and all that comes before what it does now. Each finish scope has a P bag: tasks created in it
//! that are done in this run, but need not be in another. A task that ends moves what it has into the P bag of the scope it was created in;
//! the end of a scope moves its P bag into the S bag of its task. An earlier access is parallel iff its task is in a P bag.
//!
//! # Deviations from the paper
//!
//! OpenMP's `taskwait` waits for children, not for their children, which is neither `finish` nor `sync`. So a P bag is two: the *children*
//! of the scope's task with what comes before their ends, which `taskwait` takes, and the *others*, which only the end of a scope takes. A task that
//! ends leaves its S bag to the children, and whatever is left in its own P bags to the others.
//!
//! # What it misses
//!
//! Nothing, for async-finish and for programs whose tasks wait for their children. When a `taskwait` leaves others behind, the one reader that
//! a byte remembers may be one that is ordered now, while another, forgotten, is not. Such waits are counted ([`Reach::irregular`]).
//! Marks are exact there too, so nothing false is ever reported.

use crate::bags::{Bag, Forest, Kind};
use crate::event::{End, Event, Mark, Misnested, Reach};

#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    /// Direct children of the task.
    children: Bag,
    /// What they left running.
    others: Bag,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    name: u32,
    serial: Bag,
    /// Where its scopes begin: its own first, then the finish scopes that it is in.
    scopes: usize,
}

/// See the top of `esp_bags.rs`.
#[derive(Clone, Debug)]
pub struct EspBags {
    forest: Forest,
    tasks: Vec<Task>,
    scopes: Vec<Scope>,
    /// Scopes with something in their bags.
    parallel: usize,
    irregular: u64,
}

impl Default for EspBags {
    fn default() -> Self {
        let mut new =
            Self { forest: Forest::default(), tasks: Vec::new(), scopes: Vec::new(), parallel: 0, irregular: 0 };
        let serial = new.forest.single();
        new.tasks.push(Task { name: 0, serial, scopes: 0 });
        new.scopes.push(Scope::default());
        new
    }
}

impl Scope {
    fn is_empty(&self) -> bool {
        self.children.is_none() && self.others.is_none()
    }
}

impl EspBags {
    fn end(&mut self, how: End) -> Result<(), Misnested> {
        let [.., parent, ended] = self.tasks.as_mut_slice() else { return Err(Misnested::NoTask) };
        if self.scopes.len() > ended.scopes + 1 {
            return Err(Misnested::OpenFinish);
        }
        let (forest, serial) = (&mut self.forest, ended.serial);
        let own = self.scopes.pop().unwrap_or_default();
        let Some(scope) = self.scopes.last_mut() else { return Err(Misnested::NoTask) };
        let was_empty = scope.is_empty();
        self.parallel -= usize::from(!own.is_empty());
        match how {
            End::Parallel => scope.children = forest.join(scope.children, serial, Kind::Parallel),
            End::Included => parent.serial = forest.join(parent.serial, serial, Kind::Serial),
        }
        let left = forest.join(own.children, own.others, Kind::Parallel);
        scope.others = forest.join(scope.others, left, Kind::Parallel);
        self.parallel += usize::from(was_empty && !scope.is_empty());
        self.tasks.pop();
        Ok(())
    }

    fn wait(&mut self) {
        let Some(task) = self.tasks.last_mut() else { return };
        for scope in &mut self.scopes[task.scopes..] {
            let was_empty = scope.is_empty();
            task.serial = self.forest.join(task.serial, scope.children.take(), Kind::Serial);
            self.irregular += u64::from(scope.others.is_some());
            self.parallel -= usize::from(!was_empty && scope.is_empty());
        }
    }

    fn end_finish(&mut self) -> Result<(), Misnested> {
        let Some(task) = self.tasks.last_mut() else { return Err(Misnested::NoTask) };
        if self.scopes.len() < task.scopes + 2 {
            return Err(Misnested::NoFinish);
        }
        let scope = self.scopes.pop().unwrap_or_default();
        self.parallel -= usize::from(!scope.is_empty());
        for bag in [scope.children, scope.others] {
            task.serial = self.forest.join(task.serial, bag, Kind::Serial);
        }
        Ok(())
    }

    /// The tasks in the S bag of the running task at this depth, the main one first.
    pub fn serial(&mut self, depth: usize) -> Vec<u32> {
        let bag = self.tasks.get(depth).and_then(|task| task.serial);
        self.forest.members(bag)
    }

    /// The tasks in the P bag of a scope, by its depth among all scopes that are open.
    pub fn parallel_in(&mut self, depth: usize) -> Vec<u32> {
        let Some(Scope { children, others }) = self.scopes.get(depth).copied() else { return Vec::new() };
        let mut all = self.forest.members(children);
        all.extend(self.forest.members(others));
        all.sort_unstable();
        all
    }
}

impl Reach for EspBags {
    fn step(&mut self, event: Event) -> Result<(), Misnested> {
        match event {
            Event::Spawn => {
                let bag = self.forest.single();
                let name = bag.ok_or(Misnested::TooMany)?;
                self.tasks.push(Task { name, serial: bag, scopes: self.scopes.len() });
                self.scopes.push(Scope::default());
            }
            Event::End(how) => self.end(how)?,
            Event::Wait => self.wait(),
            Event::BeginFinish => self.scopes.push(Scope::default()),
            Event::EndFinish => self.end_finish()?,
        }
        Ok(())
    }

    fn stays(&self, event: Event) -> bool {
        let Some(task) = self.tasks.last() else { return false };
        match event {
            Event::BeginFinish => true,
            Event::Wait => self.scopes[task.scopes..].iter().all(Scope::is_empty),
            Event::EndFinish => self.scopes.len() >= task.scopes + 2 && self.scopes.last().is_some_and(Scope::is_empty),
            Event::Spawn | Event::End(_) => false,
        }
    }

    fn now(&self) -> Mark {
        Mark(self.tasks.last().map_or(0, |task| task.name))
    }

    #[inline]
    fn parallel(&mut self, earlier: Mark) -> bool {
        self.forest.is_parallel(earlier.0)
    }

    fn is_ordered(&self) -> bool {
        false
    }

    fn later(&self, one: Mark, _other: Mark) -> Mark {
        one
    }

    fn is_serial(&self) -> bool {
        // What is serial to a task that the main one has created is parallel to what the main one does next.
        self.parallel == 0 && self.tasks.len() == 1
    }

    fn forget(&mut self) {
        self.forest.clear();
        if let [main] = self.tasks.as_mut_slice() {
            main.serial = self.forest.single();
            main.name = main.serial.unwrap_or_default();
        }
    }

    fn irregular(&self) -> u64 {
        self.irregular
    }
}
