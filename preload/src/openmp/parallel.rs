//! Tasks on several threads, for `--tasks pint`: the steps go to PINT's core of the thread that takes them, beside the strands and tokens by which other ranks are
//! told about this one.
//!
//! | the runtime tells | the graph is told |
//! |---|---|
//! | a region begins, a thread's part of it begins, a barrier is over, the region ends | a team, its members, members of the next stretch, its end |
//! | a task is created, is complete | spawn; end |
//! | `taskwait`, `taskgroup` | wait, finish |
//! | a thread goes from one task to another | the thread goes on with another strand |
//!
//! Before a thread tells the graph anything, and before it runs another task, it leaves what its strand has done. The stack below a task that begins or is complete is new, as is the
//! memory that the runtime has made for a task when it is complete and when it is asked for.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::serial::{self, unfit};
use super::strand::{self, LARGEST, SLACK, token, with};
use super::task_memory;
use super::tasks::{Mark, Region, Task, lock};
use crate::allocation::{thread_local_memory, thread_stack};
use crate::rank::complain;
use crate::real::Real;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use thrille_model::Interval;
use thrille_runtime::graph::pint::{Core, Path, Team};
use thrille_runtime::graph::{End, Event, Misnested};
use thrille_runtime::{Crew, Rank, Recorder};

/// Whether tasks are followed on several threads.
pub fn on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| serial::asked().is_some_and(|mode| !mode.is_serial()))
}

/// Starts the treap workers. They are no threads of the program's, and none of its signals are for them.
pub fn crew(rank: u32) -> Option<Crew> {
    // SAFETY: blocks all signals of this thread for a moment; the sets are ours.
    let old = unsafe {
        let (mut all, mut old) = (std::mem::zeroed::<libc::sigset_t>(), std::mem::zeroed::<libc::sigset_t>());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        old
    };
    // SAFETY: the address is that of a block that the program has given back, and nobody has done so before.
    let crew = Crew::start(|address| unsafe { libc::free(address as *mut c_void) });
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut()) };
    crew.map_err(|error| {
        complain(rank, &format!("races between tasks are not looked for: no thread can be made: {error}"));
    })
    .ok()
}

/// What the graph has of a task.
#[derive(Default)]
pub struct Place {
    path: Mutex<Option<Path>>,
    /// Tasks that it creates are waited for at once.
    is_final: AtomicBool,
    /// Its creator waits for it.
    included: AtomicBool,
    /// Its part of the stack is below this.
    frames: AtomicU64,
    /// It uses what its thread has for itself, as the thread's part of a region may at any time.
    bound: AtomicBool,
    /// While it is in a section, which has a path of its own: where it was.
    outside: Mutex<Vec<Path>>,
}

/// What the graph has of a region.
pub type Members = OnceLock<Team>;

thread_local! {
    /// The task that the thread runs.
    static RUNS: RefCell<Option<Arc<Task>>> = const { RefCell::new(None) };
    static STACK: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Where this thread's stack ends.
fn stack_end() -> u64 {
    if STACK.get() == u64::MAX {
        STACK.set(thread_stack().map_or(0, |(base, _)| base));
    }
    STACK.get()
}

/// The stack below an address.
fn stack_below(address: u64) -> Option<Interval> {
    Interval::from_bounds(stack_end().max(address.saturating_sub(LARGEST)), address).ok()
}

/// Tells the rank something of this thread's strand; then, if tasks are followed here, the thread's core, when what the strand did so far is there. All that is told at a time takes the
/// rank's lock once: threads that create tasks by the thousand would wait for each other more than they work.
pub fn tell(rank: impl FnOnce(&mut Rank, &mut Recorder), core: impl FnOnce(&mut Core) -> Result<(), Misnested>) {
    let mut told = Ok(());
    with(|session, recorder| {
        recorder.leaves_strand();
        let mut locked = session.rank();
        let followed = on() && locked.task_core(recorder, thread_local_memory);
        rank(&mut locked, recorder);
        // The core may have to wait for room.
        drop(locked);
        if let (Some(own), true) = (recorder.core(), followed) {
            told = core(own);
        }
    });
    if let Err(error) = told {
        unfit(&error.to_string());
    }
}

/// Tells the core alone.
fn core(what: impl FnOnce(&mut Core) -> Result<(), Misnested>) {
    tell(|_, _| {}, what);
}

/// What the thread runs is bound to it, or not.
fn bound(task: &Task) {
    with(|_, recorder| recorder.bound_to(task.place.bound.load(Ordering::Relaxed)));
}

fn rank(what: impl FnOnce(&mut Rank)) {
    with(|session, _| what(&mut session.rank()));
}

/// The path of a task; the program outside of regions gets one as soon as it creates something.
fn path<R>(task: &Task, what: impl FnOnce(&mut Path) -> R) -> Option<R> {
    let mut path = lock(&task.place.path);
    if path.is_none() && task.region.is_none() && !task.is_explicit() {
        rank(|rank| *path = rank.watch.as_mut().and_then(|watch| watch.crew.as_mut()).map(Crew::first));
    }
    path.as_mut().map(what)
}

/// A task goes on.
fn goes_on(core: &mut Core, task: &Task) {
    core.goes_to(lock(&task.place.path).as_ref());
}

/// Outside of regions nothing is left behind: what comes is parallel to nothing that was.
fn settles(task: &Task) {
    if task.region.is_none() && !task.is_explicit() && lock(&task.place.path).take_if(|path| path.is_alone()).is_some()
    {
        core(|core| {
            core.goes_to(None);
            Ok(())
        });
        rank(|rank| {
            if let Some(crew) = rank.watch.as_mut().and_then(|watch| watch.crew.as_mut()) {
                crew.rests();
            }
        });
        // Now that nobody looks, it is known to be private again.
        core(|_| Ok(()));
    }
}

/// A task comes to a region.
pub fn parallel_begin(by: &Task, region: &Region) {
    let within = by.region.as_ref().is_some_and(|outer| outer.in_task.load(Ordering::Relaxed));
    region.in_task.store(within || by.is_explicit(), Ordering::Relaxed);
    let team = path(by, |path| Team::new(path));
    core(|core| {
        if let Some(team) = team {
            let _ = region.members.set(team?);
        }
        core.goes_to(None);
        Ok(())
    });
}

/// The region is over.
pub fn parallel_end(by: &Arc<Task>, region: &Region) {
    RUNS.set(Some(Arc::clone(by)));
    core(|core| {
        if let (Some(team), Some(path)) = (region.members.get(), lock(&by.place.path).as_mut()) {
            team.end(path);
        }
        goes_on(core, by);
        Ok(())
    });
    bound(by);
    settles(by);
}

/// A thread of the region's team goes on after so many of its barriers.
pub fn member(task: &Arc<Task>, barriers: u64) {
    RUNS.set(Some(Arc::clone(task)));
    let Some(region) = &task.region else { return };
    let Some(team) = region.members.get() else { return };
    task.place.bound.store(!region.in_task.load(Ordering::Relaxed), Ordering::Relaxed);
    core(|core| {
        *lock(&task.place.path) = Some(team.member(barriers)?);
        goes_on(core, task);
        Ok(())
    });
    bound(task);
}

/// A thread comes to a barrier, or its part of a region ends: nothing of what it does then is the program's but other tasks.
pub fn pauses() {
    core(|core| {
        core.goes_to(None);
        Ok(())
    });
}

/// A step of a task.
#[derive(Clone, Copy)]
pub enum Step {
    Wait,
    BeginGroup,
    EndGroup,
}

/// After those who released the mark.
pub fn step(task: &Task, step: Step, mark: Option<Mark>) {
    let at = |what: fn(&mut Path) -> bool| lock(&task.place.path).as_mut().is_none_or(what);
    // Where there is nothing to wait for, the strand goes on.
    let stays = match step {
        Step::Wait => at(|path| path.waits_for_nothing()),
        Step::BeginGroup => {
            path(task, Path::begin_finish);
            true
        }
        Step::EndGroup => at(|path| path.finishes_nothing() && path.end_finish().is_ok()),
    };
    let acquire = |rank: &mut Rank, recorder: &mut Recorder| {
        if let Some(mark) = mark {
            rank.acquire_last(recorder, token(recorder, mark));
        }
    };
    if stays {
        if mark.is_some() {
            strand::tell(acquire);
        }
    } else {
        tell(acquire, |core| {
            if let Some(path) = lock(&task.place.path).as_mut() {
                match step {
                    Step::Wait => path.wait(),
                    Step::BeginGroup => {}
                    Step::EndGroup => path.end_finish()?,
                }
            }
            goes_on(core, task);
            Ok(())
        });
    }
    settles(task);
}

/// A task is about to be created.
pub fn will_create(by: &Task, new: &Task, is_final: bool, waited_for: bool) {
    let within_final = by.place.is_final.load(Ordering::Relaxed);
    new.place.included.store(within_final || waited_for, Ordering::Relaxed);
    new.place.is_final.store(within_final || is_final, Ordering::Relaxed);
    path(by, |_| ());
}

/// It is.
pub fn creates(core: &mut Core, by: &Task, new: &Task) -> Result<(), Misnested> {
    // What was done so far comes before it.
    core.leave();
    let child = lock(&by.place.path).as_mut().map(Path::spawn);
    if let Some(child) = child {
        *lock(&new.place.path) = Some(child?);
    }
    goes_on(core, by);
    Ok(())
}

impl Place {
    /// The thread leaves the task: whether it is bound to it.
    pub fn binds(&self, recorder: &Recorder) {
        self.bound.store(recorder.is_bound_to(), Ordering::Relaxed);
    }
}

/// The thread goes from one task, which may be complete, to another, whose part of the stack is below `sp`.
pub fn switches(
    core: &mut Core,
    complete: Option<&Task>,
    next: Option<&Arc<Task>>,
    begins: bool,
    sp: u64,
) -> Result<(), Misnested> {
    if let Some(task) = complete {
        let memory = task_memory().and_then(|(at, len)| Interval::from_len(at, len).ok());
        let stack = stack_below(task.place.frames.load(Ordering::Relaxed));
        for gone in [memory, stack].into_iter().flatten() {
            core.forget(gone);
        }
        core.goes_to(None);
        ends(task)?;
    }
    let Some(next) = next else { return Ok(()) };
    if begins {
        next.place.frames.store(sp + SLACK, Ordering::Relaxed);
        if serial::takes_included() {
            next.place.included.store(true, Ordering::Relaxed);
        }
    }
    goes_on(core, next);
    if let Some(below) = stack_below(sp + SLACK) {
        core.renew(below);
    }
    Ok(())
}

/// A task is complete.
fn ends(task: &Task) -> Result<(), Misnested> {
    let Some(ended) = lock(&task.place.path).take() else { return Ok(()) };
    ended.end()?;
    if task.place.included.load(Ordering::Relaxed)
        && let Some(creator) = task.parent()
        && let Some(path) = lock(&creator.place.path).as_mut()
    {
        path.goes_on_after(&ended, End::Included)?;
    }
    Ok(())
}

/// The thread runs this task.
pub fn runs(task: &Arc<Task>) {
    RUNS.set(Some(Arc::clone(task)));
    bound(task);
}

/// What the thread runs comes to a section, the first of its construct or not: a strand beside the others that the thread carries out. The stack below `end` is new.
pub fn section_begins(end: u64, first: bool) {
    let Some(task) = RUNS.with_borrow(Clone::clone) else { return };
    core(|core| {
        core.leave();
        if let Some(path) = lock(&task.place.path).as_mut() {
            if first {
                path.begin_finish();
            }
            let section = path.spawn()?;
            lock(&task.place.outside).push(std::mem::replace(path, section));
        }
        goes_on(core, &task);
        if let Some(below) = stack_below(end) {
            core.renew(below);
        }
        Ok(())
    });
    task.place.bound.store(false, Ordering::Relaxed);
    bound(&task);
}

/// It is done with the section.
pub fn section_ends(end: Option<u64>) {
    let Some(task) = RUNS.with_borrow(Clone::clone) else { return };
    core(|core| {
        if let Some(gone) = end.and_then(stack_below) {
            core.forget(gone);
        }
        core.goes_to(None);
        if let (Some(path), Some(outside)) = (lock(&task.place.path).as_mut(), lock(&task.place.outside).pop()) {
            std::mem::replace(path, outside).end()?;
        }
        goes_on(core, &task);
        Ok(())
    });
    task.place.bound.store(true, Ordering::Relaxed);
    bound(&task);
}

/// It leaves the construct: what follows comes after the sections that it has carried out.
pub fn sections_end() {
    if let Some(task) = RUNS.with_borrow(Clone::clone) {
        step(&task, Step::EndGroup, None);
    }
}

thread_local! {
    /// Tasks of a program without OpenMP that this thread is in, each created by the one before, with their part of the stack.
    static NESTED: RefCell<Vec<(Path, u64)>> = const { RefCell::new(Vec::new()) };
}

/// A step of such a program ([`crate::tasks`]), which runs a task where it is created.
pub fn nested(event: Event, sp: u64) {
    core(|core| {
        core.leave();
        Ok(())
    });
    if NESTED.with_borrow(Vec::is_empty) {
        rank(|rank| {
            if let Some(crew) = rank.watch.as_mut().and_then(|watch| watch.crew.as_mut()) {
                NESTED.with_borrow_mut(|tasks| tasks.push((crew.first(), u64::MAX)));
            }
        });
    }
    let mut alone = false;
    core(|core| {
        NESTED.with_borrow_mut(|tasks| {
            let Some((path, frame)) = tasks.last_mut() else { return Ok(()) };
            match event {
                Event::Spawn => {
                    let child = path.spawn()?;
                    tasks.push((child, sp));
                }
                Event::End(how) => {
                    if let Some(gone) = stack_below(*frame) {
                        core.forget(gone);
                    }
                    core.goes_to(None);
                    let ended = path.clone();
                    tasks.pop();
                    ended.end()?;
                    let (creator, _) = tasks.last_mut().ok_or(Misnested::NoTask)?;
                    creator.goes_on_after(&ended, how)?;
                }
                Event::Wait => path.wait(),
                Event::BeginFinish => path.begin_finish(),
                Event::EndFinish => path.end_finish()?,
            }
            alone = matches!(tasks.as_slice(), [(path, _)] if path.is_alone());
            if alone {
                tasks.clear();
            }
            core.goes_to(tasks.last().map(|(path, _)| path));
            Ok(())
        })
    });
    rank(|rank| {
        if let Some(watch) = &mut rank.watch {
            if event == Event::Spawn {
                watch.creates();
            }
            if let (Some(crew), true) = (&mut watch.crew, alone) {
                crew.rests();
            }
        }
    });
    core(|_| Ok(()));
}

type TaskAlloc = unsafe extern "C" fn(*mut c_void, c_int, c_int, usize, usize, *mut c_void) -> *mut c_void;

/// clang: memory for a task, which may have been another one's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __kmpc_omp_task_alloc(
    at: *mut c_void,
    thread: c_int,
    flags: c_int,
    len: usize,
    shared: usize,
    entry: *mut c_void,
) -> *mut c_void {
    static REAL: Real = Real::new(b"__kmpc_omp_task_alloc\0");
    let address = REAL.get();
    if address == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: forwards the program's own arguments to the runtime's function of this name and type.
    let task = unsafe { std::mem::transmute::<usize, TaskAlloc>(address)(at, thread, flags, len, shared, entry) };
    if on()
        && let Ok(memory) = Interval::from_len(task as u64, (len + shared) as u64)
    {
        // Nothing that the thread has done since it came to its strand was done to this memory: no need to have that first.
        with(|_, recorder| {
            if let Some(core) = recorder.core() {
                core.renew(memory);
            }
        });
    }
    task
}
