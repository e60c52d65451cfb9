//! Parallel regions and tasks as the runtime tells of them, and the tokens that order them.
//!
//! | token | released by | acquired by |
//! |---|---|---|
//! | `Region::fork` | who encounters the region | each thread of the team as it begins |
//! | `Region::barrier(n)` | each thread that comes to the team's n-th barrier; each task that must be complete by then | each that leaves it |
//! | `Region::join` | each thread that comes to the last barrier | who encountered the region, at its end |
//! | `Task::created` | who creates the task | the thread that begins it |
//! | `Task::part(n)` | a thread that leaves an untied task for the n-th time | the thread that goes on with it |
//! | `Task::children(n)` | children created before the n-th `taskwait`, as they complete | the task at that `taskwait` |
//! | `Group::token` | tasks created in a `taskgroup`, as they complete | its end |
//!
//! Tokens are numbered along lines that are used again and again, because a rank forgets a token when a later one of its line but one is released or acquired.

use super::abi::{Data, dependence, task};
use super::parallel::{Members, Place};
use super::shares::{Part, Shares};
use rustc_hash::FxHashMap;
use rustc_hash::FxHasher;
use std::ffi::c_int;
use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thrille_phase2::schedule::TaskName;
use thrille_runtime::Role;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A token of this rank: line and number.
pub type Mark = (u64, u64);

/// Addresses that no memory has.
static NAMES: AtomicU64 = AtomicU64::new(1 << 63);

/// So many names that nothing else has.
pub fn names(count: u64) -> u64 {
    NAMES.fetch_add(count, Ordering::Relaxed)
}

/// Tokens one after the other.
struct Line {
    name: u64,
    first: u64,
    /// The last that was used.
    last: AtomicU64,
}

static FREE: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

impl Line {
    fn new() -> Self {
        let (name, first) = lock(&FREE).pop().unwrap_or_else(|| (names(1), 0));
        Self { name, first, last: AtomicU64::new(first) }
    }

    fn at(&self, number: u64) -> Mark {
        self.last.fetch_max(self.first + number, Ordering::Relaxed);
        (self.name, self.first + number)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        lock(&FREE).push((self.name, *self.last.get_mut() + 1));
    }
}

/// Where regions and tasks come from, as a number that is the same in every run: of the begin of the program, and of what somebody there begins.
#[derive(Clone, Copy, Default)]
struct Path(u64);

impl Path {
    fn step(self, by: u64) -> Self {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.0);
        hasher.write_u64(by);
        Self(hasher.finish())
    }
}

/// A parallel region and its team.
pub struct Region {
    path: Path,
    /// Tasks that were created in its `single` constructs.
    singles: AtomicU64,
    line: Line,
    end: Line,
    /// How many have left the ordered regions of its loops.
    pub posts: u64,
    /// For tasks on several threads.
    pub members: Members,
    /// Whether a task came to it, or to a region that it is in: numbers of threads in it are those of many teams.
    pub in_task: AtomicBool,
    /// If its threads let each other have some of its work.
    pub shares: Option<Box<Shares>>,
}

impl Region {
    /// That a task comes to, if that is known.
    pub fn new(by: Option<&Task>, shares: Option<Box<Shares>>) -> Arc<Self> {
        Arc::new(Self {
            path: by.map_or(Path::default(), Task::next),
            singles: AtomicU64::new(0),
            line: Line::new(),
            end: Line::new(),
            posts: names(1),
            members: Members::new(),
            in_task: AtomicBool::new(false),
            shares,
        })
    }

    pub fn name(&self) -> u64 {
        self.line.name
    }

    pub fn fork(&self) -> Mark {
        self.line.at(0)
    }

    /// The n-th barrier, from 1.
    pub fn barrier(&self, number: u64) -> Mark {
        self.line.at(number)
    }

    pub fn join(&self) -> Mark {
        self.end.at(0)
    }
}

/// A `taskgroup`.
pub struct Group(Line);

impl Group {
    pub fn token(&self) -> Mark {
        self.0.at(0)
    }
}

/// How a task depends on a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    In,
    Out,
    Set,
    Mutex,
}

const CLASSES: [Class; 4] = [Class::In, Class::Out, Class::Set, Class::Mutex];

/// One dependence: the names of what tasks of each class leave behind, and the task's own class.
#[derive(Clone, Copy)]
pub struct Depends {
    names: u64,
    class: Class,
}

impl Depends {
    /// What must be complete before.
    pub fn after(self) -> impl Iterator<Item = u64> {
        // Tasks of one class are ordered among themselves only if they write.
        let comes_after = move |&(_, class): &(u64, Class)| class != self.class || class == Class::Out;
        (self.names..).zip(CLASSES).filter(comes_after).map(|(name, _)| name)
    }

    /// What it leaves behind.
    pub fn done(self) -> u64 {
        self.names + self.class as u64
    }

    /// The lock it holds, if tasks of its class exclude each other.
    pub fn lock(self) -> Option<u64> {
        (self.class == Class::Mutex).then_some(self.names + 4)
    }
}

/// A task: the implicit one of a thread in a region, or an explicit one.
pub struct Task {
    /// Who created it, until it is complete; none for implicit tasks. A task that is complete may be kept by those that it created, but not what created it.
    parent: Mutex<Option<Arc<Task>>>,
    pub region: Option<Arc<Region>>,
    /// Of an implicit task, its number in the team.
    pub index: u32,
    path: Path,
    /// Regions and tasks that it has begun.
    begun_here: AtomicU64,
    /// Tasks of its own that nobody has begun.
    pub waiting: AtomicU32,
    /// It executes a `single` construct: which thread does is luck.
    pub single: AtomicBool,
    /// The next barrier of an implicit task, or that by which an explicit one must be complete.
    pub barrier: AtomicU64,
    /// Loops begun by an implicit task.
    pub loops: AtomicU64,
    pub shares: Part,
    /// In the runtime, waiting.
    pub waits: AtomicBool,
    pub begun: AtomicBool,
    /// Its strand, while no thread is it. A task without one of its own is part of what its thread was doing.
    pub role: Mutex<Option<Role>>,
    /// Whether it was given a strand of its own.
    pub own: AtomicBool,
    /// What its thread had done when it left the task: see [`super::strand::switch`].
    pub paused: AtomicU64,
    /// Where on its thread's stack it began.
    pub frames: AtomicU64,
    /// One thread may begin it and another go on with it.
    pub untied: bool,
    /// Its creator does not wait for it.
    pub deferred: bool,
    parts: AtomicU64,
    line: Line,
    offspring: Line,
    taskwaits: AtomicU64,
    /// Children since the last `taskwait`.
    has_children: AtomicBool,
    /// Which of its parent's tokens it releases when it is complete.
    belongs: Option<Mark>,
    group: Option<Arc<Group>>,
    groups: Mutex<Vec<Arc<Group>>>,
    depends: Mutex<Vec<Depends>>,
    /// The variables that its children depend on.
    variables: Mutex<FxHashMap<u64, u64>>,
    /// For tasks on several threads.
    pub place: Place,
}

impl Task {
    fn new(parent: Option<Arc<Task>>, region: Option<Arc<Region>>, barrier: u64) -> Self {
        Self {
            parent: Mutex::new(parent),
            region,
            index: 0,
            path: Path::default(),
            begun_here: AtomicU64::new(0),
            waiting: AtomicU32::new(0),
            single: AtomicBool::new(false),
            barrier: AtomicU64::new(barrier),
            loops: AtomicU64::new(0),
            shares: Part::default(),
            waits: AtomicBool::new(false),
            begun: AtomicBool::new(false),
            role: Mutex::default(),
            own: AtomicBool::new(false),
            paused: AtomicU64::new(0),
            frames: AtomicU64::new(0),
            untied: false,
            deferred: false,
            parts: AtomicU64::new(0),
            line: Line::new(),
            offspring: Line::new(),
            taskwaits: AtomicU64::new(0),
            has_children: AtomicBool::new(false),
            belongs: None,
            group: None,
            groups: Mutex::default(),
            depends: Mutex::default(),
            variables: Mutex::default(),
            place: Place::default(),
        }
    }

    /// A thread's part of a region; without a region, the program before any.
    pub fn implicit(region: Option<Arc<Region>>, index: u32) -> Arc<Self> {
        let path = region.as_ref().map_or(Path::default(), |region| region.path).step(index.into());
        Arc::new(Self { index, path, begun: AtomicBool::new(true), ..Self::new(None, region, 1) })
    }

    /// Whether it is none of a thread's in a region.
    pub fn is_explicit(&self) -> bool {
        self.belongs.is_some()
    }

    /// Who created it, unless it is complete.
    pub fn parent(&self) -> Option<Arc<Self>> {
        lock(&self.parent).clone()
    }

    /// It is complete.
    pub fn forget_parent(&self) {
        drop(lock(&self.parent).take());
    }

    /// Its name in a schedule, if which thread has it is luck: that of an explicit task, or of the `single` constructs of its region.
    pub fn name(&self) -> Option<TaskName> {
        let path = if self.is_explicit() { Some(self.path) } else { self.in_single().map(|(path, _)| path) };
        path.map(|path| TaskName(path.0))
    }

    /// What the `single` constructs of its region have in common, if it executes one.
    fn in_single(&self) -> Option<(Path, &Region)> {
        let region = self.region.as_deref().filter(|_| self.single.load(Ordering::Relaxed))?;
        Some((region.path.step(u64::MAX), region))
    }

    /// Where what it begins next comes from.
    fn next(&self) -> Path {
        self.path.step(self.begun_here.fetch_add(1, Ordering::Relaxed))
    }

    /// The same for a task.
    fn next_task(&self) -> Path {
        match self.in_single() {
            Some((path, region)) => path.step(region.singles.fetch_add(1, Ordering::Relaxed)),
            None => self.next(),
        }
    }

    /// A task that this one creates, as the runtime's flags say.
    pub fn explicit(parent: Arc<Task>, flags: c_int) -> Arc<Self> {
        parent.has_children.store(true, Ordering::Relaxed);
        let belongs = parent.offspring.at(parent.taskwaits.load(Ordering::Relaxed));
        let group = lock(&parent.groups).last().or(parent.group.as_ref()).cloned();
        let (region, barrier) = (parent.region.clone(), parent.barrier.load(Ordering::Relaxed));
        let path = parent.next_task();
        let (untied, deferred) = (flags & task::UNTIED != 0, flags & task::UNDEFERRED == 0);
        let new = Self::new(Some(parent), region, barrier);
        Arc::new(Self { path, belongs: Some(belongs), group, untied, deferred, ..new })
    }

    /// It is a strand of its own.
    pub fn give(&self, role: Role) {
        *lock(&self.role) = Some(role);
        self.own.store(true, Ordering::Relaxed);
    }

    pub fn created(&self) -> Mark {
        self.line.at(0)
    }

    /// A thread leaves it, not complete.
    pub fn left(&self) -> Mark {
        self.line.at(self.parts.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Where a thread goes on with it.
    pub fn part(&self) -> Option<Mark> {
        let parts = self.parts.load(Ordering::Relaxed);
        (parts > 0).then(|| self.line.at(parts))
    }

    /// At a `taskwait`: the token of the children, if there are any.
    pub fn children(&self) -> Option<Mark> {
        let any = self.has_children.swap(false, Ordering::Relaxed);
        any.then(|| self.offspring.at(self.taskwaits.fetch_add(1, Ordering::Relaxed)))
    }

    pub fn begin_group(&self) {
        lock(&self.groups).push(Arc::new(Group(Line::new())));
    }

    /// The innermost `taskgroup` that it is in the code of.
    pub fn in_group(&self) -> Option<Arc<Group>> {
        lock(&self.groups).last().cloned()
    }

    pub fn end_group(&self) -> Option<Arc<Group>> {
        lock(&self.groups).pop()
    }

    /// What its completion releases.
    pub fn completion(&self) -> impl Iterator<Item = Mark> {
        let barrier = self.region.as_ref().map(|region| region.barrier(self.barrier.load(Ordering::Relaxed)));
        [self.belongs, self.group.as_ref().map(|group| group.token()), barrier].into_iter().flatten()
    }

    /// A clause that it was created with.
    pub fn depend(&self, variable: u64, kind: c_int) {
        let Some(parent) = &self.parent() else { return };
        let class = match kind {
            dependence::IN => Class::In,
            dependence::OUT | dependence::INOUT => Class::Out,
            dependence::MUTEX => Class::Mutex,
            dependence::SET => Class::Set,
            // All of memory: comes after everything, and everything after it.
            _ => return self.depend_on_all(parent),
        };
        let mut variables = lock(&parent.variables);
        let fresh = variables.is_empty();
        let names = *variables.entry(variable).or_insert_with(|| names(5));
        let mut depends = lock(&self.depends);
        depends.push(Depends { names, class });
        if !fresh && let Some(&all) = variables.get(&0) {
            depends.push(Depends { names: all, class: Class::In });
        }
    }

    fn depend_on_all(&self, parent: &Task) {
        let mut variables = lock(&parent.variables);
        variables.entry(0).or_insert_with(|| names(5));
        lock(&self.depends).extend(variables.values().map(|&names| Depends { names, class: Class::Out }));
    }

    pub fn depends(&self) -> Vec<Depends> {
        lock(&self.depends).clone()
    }
}

/// Keeps something in a word of the runtime.
///
/// # Safety
/// The word is the runtime's, and nothing else is kept in it.
pub unsafe fn keep<T>(word: *mut Data, what: Arc<T>) {
    // SAFETY: as the caller says.
    unsafe { (*word).ptr = Arc::into_raw(what).cast_mut().cast() };
}

/// What is kept there.
///
/// # Safety
/// The word is null or has been filled by [`keep`] with this type, and not been emptied.
pub unsafe fn kept<T>(word: *const Data) -> Option<Arc<T>> {
    // SAFETY: as the caller says.
    unsafe {
        let what: *const T = word.as_ref()?.ptr.cast();
        if what.is_null() {
            return None;
        }
        Arc::increment_strong_count(what);
        Some(Arc::from_raw(what))
    }
}

/// The same, which stays there meanwhile.
///
/// # Safety
/// As for [`kept`]; and it is not taken out while the reference is used.
pub unsafe fn seen<'a, T>(word: *const Data) -> Option<&'a T> {
    // SAFETY: as the caller says.
    unsafe { word.as_ref()?.ptr.cast::<T>().as_ref() }
}

/// Takes it out.
///
/// # Safety
/// As for [`kept`]; and copies of the word are not used any more.
pub unsafe fn taken<T>(word: *mut Data) -> Option<Arc<T>> {
    // SAFETY: as the caller says.
    unsafe {
        let what: *const T = std::mem::replace(&mut word.as_mut()?.ptr, std::ptr::null_mut()).cast();
        (!what.is_null()).then(|| Arc::from_raw(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_line_are_used_once() {
        let mut seen = std::collections::HashSet::new();
        for _ in 0..3 {
            let region = Region::new(None, None);
            for mark in [region.fork(), region.barrier(1), region.barrier(2), region.join()] {
                assert!(seen.insert(mark));
            }
        }
    }

    #[test]
    fn names_are_by_creation_and_not_by_the_thread_of_a_single() {
        let names = |executor: u32| {
            let initial = Task::implicit(None, 0);
            let region = Region::new(Some(&initial), None);
            let member = Task::implicit(Some(Region::new(Some(&initial), None)), executor);
            let single = Task::implicit(Some(region), executor);
            assert_eq!(single.name(), None);
            single.single.store(true, Ordering::Relaxed);
            let itself = single.name();
            let first = Task::explicit(Arc::clone(&single), 0);
            let second = Task::explicit(single, 0);
            let nested = Task::explicit(Arc::clone(&first), 0);
            [itself, first.name(), second.name(), nested.name(), Task::explicit(member, 0).name()]
        };
        let (one, other) = (names(0), names(3));
        assert_eq!(one[..4], other[..4]);
        assert_ne!(one[4], other[4]);
        let mut different = one.to_vec();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() == 5 && one.iter().all(Option::is_some));
    }

    #[test]
    fn children_are_waited_for_once_and_groups_are_inherited() {
        let parent = Task::implicit(Some(Region::new(None, None)), 0);
        assert_eq!(parent.children(), None);
        parent.begin_group();
        let child = Task::explicit(Arc::clone(&parent), 0);
        let grandchild = Task::explicit(Arc::clone(&child), 0);
        let group = parent.end_group().expect("begun").token();
        assert!(child.completion().any(|mark| mark == group) && grandchild.completion().any(|mark| mark == group));
        let first = parent.children().expect("a child");
        assert!(child.completion().any(|mark| mark == first) && !grandchild.completion().any(|mark| mark == first));
        assert_eq!(parent.children(), None);
        let later = Task::explicit(Arc::clone(&parent), 0);
        assert!(
            parent.children().is_some_and(|second| second != first && later.completion().any(|mark| mark == second))
        );
    }

    #[test]
    fn writers_come_after_all_and_readers_after_writers() {
        let parent = Task::implicit(None, 0);
        let depends = |kind| {
            let task = Task::explicit(Arc::clone(&parent), 0);
            task.depend(0x1000, kind);
            task.depends()[0]
        };
        let after = |a: Depends, b: Depends| a.after().any(|name| name == b.done());
        let (read, write, update) = (depends(dependence::IN), depends(dependence::OUT), depends(dependence::INOUT));
        let (set, mutex) = (depends(dependence::SET), depends(dependence::MUTEX));
        assert!(after(read, write) && after(write, read) && after(write, update) && !after(read, read));
        assert!(after(set, write) && after(write, set) && !after(set, set) && after(read, set));
        assert!(!after(mutex, mutex) && after(mutex, read) && mutex.lock().is_some() && set.lock().is_none());
    }
}
