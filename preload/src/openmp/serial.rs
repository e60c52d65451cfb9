//! Tasks one after the other, for `--tasks`: with one thread LLVM's runtime runs a task where it is created, to its end, and tells of it all
//! the same. The steps go to the rank's task detector instead of to strands and tokens.
//!
//! | the runtime tells | the detector is told |
//! |---|---|
//! | a task begins, is complete | spawn, end |
//! | `taskwait` | wait |
//! | `taskgroup`; a region; what lies between two of its barriers | finish |
//!
//! When a task is complete, what was below its creator's frame on the stack is gone, and so is the memory that the runtime had made for it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::abi::{Data, Frame, scope, status, sync, task};
use super::loops;
use super::parallel;
use super::strand::tell;
use super::task_memory;
use super::tasks::lock;
use crate::allocation::{thread_local_memory, thread_stack};
use crate::rank::{complain, has_threads};
use crate::real::Real;
use std::cell::Cell;
use std::ffi::{CStr, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use thrille_model::Interval;
use thrille_model::job::{ENV_RUN_DIR, ENV_TASKS};
use thrille_phase2::protocol::ENV_COORDINATOR;
use thrille_runtime::Watch;
use thrille_runtime::graph::{End, Event, Mode};

thread_local! {
    /// The task that begins next is one that its creator waits for.
    static INCLUDED: Cell<bool> = const { Cell::new(false) };
}

/// How tasks are followed, if they are: settled by the environment, before anything is observed.
pub fn asked() -> Option<Mode> {
    let mode = std::env::var(ENV_TASKS).ok()?.parse::<Mode>().ok();
    mode.filter(|_| std::env::var_os(ENV_RUN_DIR).is_some() && std::env::var_os(ENV_COORDINATOR).is_none())
}

/// Whether they are, one after the other.
pub fn on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| asked().is_some_and(Mode::is_serial))
}

/// Whether the task that begins is one that its creator waits for.
pub fn takes_included() -> bool {
    INCLUDED.replace(false)
}

/// What the environment asks for.
pub fn begin(rank: u32) -> Option<Box<Watch>> {
    let mode = match std::env::var(ENV_TASKS).ok()?.parse::<Mode>() {
        Ok(mode) => mode,
        Err(error) => {
            complain(rank, &format!("{ENV_TASKS}: {error}"));
            return None;
        }
    };
    asked()?;
    // Memory that is given back and handed out again must be followed.
    has_threads();
    if parallel::on() {
        return parallel::crew(rank).map(|crew| Box::new(Watch::new(mode).with_crew(crew)));
    }
    let stack = thread_stack().and_then(|(lo, len)| Interval::from_len(lo, len).ok());
    Some(Box::new(Watch::new(mode).with_memory(thread_local_memory(), stack)))
}

/// A task that the runtime has told of.
#[derive(Clone, Copy)]
struct Known {
    creator: usize,
    /// Its part of the stack is below this.
    frame: Option<u64>,
    begun: bool,
    /// Tasks that it creates are waited for at once.
    is_final: bool,
    included: bool,
}

/// The tasks of this process; a word of the runtime holds the number of its task, from 1 on.
struct State {
    all: Vec<Known>,
    free: Vec<usize>,
    /// Those that have begun and are not complete, each created by the one before; the first is the program outside of all.
    running: Vec<usize>,
    /// How many of them are the implicit tasks of regions.
    regions: usize,
}

const INITIAL: Known = Known { creator: 0, frame: None, begun: true, is_final: false, included: false };

static STATE: Mutex<State> = Mutex::new(State { all: Vec::new(), free: Vec::new(), running: Vec::new(), regions: 0 });

impl State {
    fn add(&mut self, known: Known) -> usize {
        if let Some(number) = self.free.pop() {
            self.all[number - 1] = known;
            return number;
        }
        self.all.push(known);
        self.all.len()
    }

    fn now(&self) -> usize {
        self.running.last().copied().unwrap_or(0)
    }

    fn get(&self, number: usize) -> Known {
        number.checked_sub(1).and_then(|index| self.all.get(index)).copied().unwrap_or(INITIAL)
    }
}

fn step(event: Event) {
    tell(|rank, recorder| rank.task_step(recorder, event));
}

/// The task graph is one that the detector does not know.
pub fn unfit(why: &str) {
    tell(|rank, _| {
        if let Some(watch) = &mut rank.watch {
            watch.give_up(why);
        }
    });
}

/// The number in a word of the runtime.
unsafe fn number(word: *const Data) -> usize {
    // SAFETY: the word is the runtime's, or null.
    unsafe { word.as_ref().map_or(0, |word| word.ptr as usize) }
}

/// A region of one thread begins or ends: whatever is created in it is done at its end.
pub unsafe fn implicit_task(endpoint: c_int, task: *mut Data) {
    if endpoint == scope::BEGIN {
        let mut state = lock(&STATE);
        let number = state.add(INITIAL);
        state.running.push(number);
        state.regions += 1;
        drop(state);
        // SAFETY: the word is the runtime's.
        unsafe { (*task).ptr = std::ptr::without_provenance_mut(number) };
        step(Event::BeginFinish);
    } else {
        let mut state = lock(&STATE);
        if let Some(number) = state.running.pop() {
            state.free.push(number);
            state.regions = state.regions.saturating_sub(1);
            drop(state);
            step(Event::EndFinish);
        }
    }
}

/// Waits and barriers.
pub fn sync_region(kind: c_int, endpoint: c_int) {
    match (kind, endpoint) {
        (sync::TASKGROUP, scope::BEGIN) => step(Event::BeginFinish),
        (sync::TASKGROUP, _) => step(Event::EndFinish),
        (sync::REDUCTION, _) | (_, scope::BEGIN) => {}
        (sync::TASKWAIT, _) => step(Event::Wait),
        (_, _) => {
            if lock(&STATE).regions > 0 {
                step(Event::EndFinish);
                step(Event::BeginFinish);
            }
        }
    }
}

/// A task is created; it begins at once, or not at all yet.
pub unsafe fn task_create(by: *mut Data, frame: *const Frame, new: *mut Data, flags: c_int) {
    // SAFETY: the runtime's description of the creator's frame, and its words.
    unsafe {
        let frame = frame.as_ref().map(|frame| frame.enter.ptr as u64).filter(|&frame| frame != 0);
        let mut state = lock(&STATE);
        let creator = number(by);
        let included = state.get(creator).is_final || loops::is_undeferred(by);
        let is_final = included || flags & task::FINAL != 0;
        let known = Known { creator, frame, begun: false, is_final, included };
        (*new).ptr = std::ptr::without_provenance_mut(state.add(known));
    }
}

/// A thread leaves one task for another.
pub unsafe fn task_schedule(prior: *mut Data, why: c_int, next: *mut Data) {
    // SAFETY: words of the runtime.
    let (prior, next) = unsafe { (number(prior), number(next)) };
    match why {
        status::COMPLETE | status::CANCEL => completed(prior),
        status::DETACH | status::EARLY_FULFILL | status::LATE_FULFILL => unfit("it has detached tasks"),
        _ => {}
    }
    let mut state = lock(&STATE);
    let known = state.get(next);
    if !known.begun {
        let here = state.now();
        state.all[next - 1].begun = true;
        state.all[next - 1].included |= INCLUDED.replace(false);
        let included = state.all[next - 1].included;
        state.running.push(next);
        drop(state);
        if known.creator != here {
            unfit("a task was not run where it was created");
        }
        tell(|rank, recorder| {
            rank.task_step(recorder, Event::Spawn);
            if !included {
                // It need not run where its creator holds these.
                rank.lay_down_locks(recorder, next);
            }
        });
    }
}

fn completed(number: usize) {
    let mut state = lock(&STATE);
    let known = state.get(number);
    if number == 0 || state.now() != number {
        drop(state);
        return unfit("a task was not run to its end where it was created");
    }
    state.running.pop();
    state.free.push(number);
    drop(state);
    let memory = task_memory().map(|(at, len)| (at, at + len));
    tell(|rank, recorder| {
        rank.task_memory(recorder, known.frame, memory);
        rank.unbind_task(recorder);
        rank.take_up_locks(recorder, number);
        rank.task_step(recorder, Event::End(if known.included { End::Included } else { End::Parallel }));
    });
}

type BeginIf0 = unsafe extern "C" fn(*mut c_void, c_int, *mut c_void);

/// clang: the task that begins is one with a clause `if` that is false.
#[unsafe(no_mangle)]
unsafe extern "C" fn __kmpc_omp_task_begin_if0(at: *mut c_void, thread: c_int, task: *mut c_void) {
    static REAL: Real = Real::new(b"__kmpc_omp_task_begin_if0\0");
    INCLUDED.set(true);
    let address = REAL.get();
    if address != 0 {
        // SAFETY: forwards the program's own arguments to the runtime's function of this name and type.
        unsafe { std::mem::transmute::<usize, BeginIf0>(address)(at, thread, task) };
    }
    INCLUDED.set(false);
}

type GompTask = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *mut c_void,
    c_long,
    c_long,
    bool,
    c_uint,
    *mut c_void,
    c_int,
    *mut c_void,
);

/// gcc's calls are redirected at link time: LLVM's runtime, preloaded, stands before this library. The function of this name that the program
/// would have called; 0 if there is none.
fn meant(name: &'static CStr, known: &AtomicUsize) -> usize {
    if known.load(Ordering::Relaxed) == 0 {
        // SAFETY: looks for a function by its name.
        known.store(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize, Ordering::Relaxed);
    }
    known.load(Ordering::Relaxed)
}

/// gcc: a task; `condition` is the value of its clause `if`.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "as the compiler has it")]
unsafe extern "C" fn __wrap_GOMP_task(
    body: *mut c_void,
    data: *mut c_void,
    copy: *mut c_void,
    len: c_long,
    align: c_long,
    condition: bool,
    flags: c_uint,
    depend: *mut c_void,
    priority: c_int,
    detach: *mut c_void,
) {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    INCLUDED.set(!condition);
    let address = meant(c"GOMP_task", &REAL);
    if address != 0 {
        // SAFETY: as above. What the compiler did not pass is passed on as it is found.
        unsafe {
            std::mem::transmute::<usize, GompTask>(address)(
                body, data, copy, len, align, condition, flags, depend, priority, detach,
            );
        }
    }
    INCLUDED.set(false);
    if (on() || parallel::on()) && !super::is_told() {
        unfit("its runtime does not tell of them (libgomp; build it with clang)");
    }
}

/// Reductions over tasks: each thread has a copy, and with one thread there is one for all tasks, which only looks like a race.
macro_rules! reductions {
    ($($symbol:ident ($($arg:ident),*);)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol($($arg: *mut c_void),*) -> *mut c_void {
            static REAL: Real = Real::new(concat!(stringify!($symbol), "\0").as_bytes());
            if on() || parallel::on() {
                unfit("it has reductions over tasks");
            }
            let address = REAL.get();
            if address == 0 {
                return std::ptr::null_mut();
            }
            // The first thread to come begins the copies of all, by calling code of the program.
            super::strand::aside(true);
            let group = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($(reductions!(@ $arg)),*) -> *mut c_void>(address)($($arg),*) };
            super::strand::aside(false);
            group
        }
    )* };
    (@ $arg:ident) => { *mut c_void };
}

// SAFETY (all rows): forwards the program's own arguments, which are all in registers, to the runtime's function of this name.
reductions! {
    __kmpc_taskred_init(thread, count, data);
    __kmpc_task_reduction_init(thread, count, data);
    __kmpc_taskred_modifier_init(at, thread, is_worksharing, count, data);
    __kmpc_task_reduction_modifier_init(at, thread, is_worksharing, count, data);
}

/// The same for gcc.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_GOMP_taskgroup_reduction_register(data: *mut c_void) {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    if on() || parallel::on() {
        unfit("it has reductions over tasks");
    }
    let address = meant(c"GOMP_taskgroup_reduction_register", &REAL);
    if address != 0 {
        // SAFETY: forwards the program's own argument to the runtime's function of this name and type.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void)>(address)(data) };
    }
}
