//! OpenMP, by OMPT: the runtime tells a tool that it finds in the process what its threads do. LLVM's does, and what speaks its ABI;
//! gcc's libgomp does not, but its programs run on LLVM's when that is preloaded.
//!
//! | module | has |
//! |---|---|
//! | [`abi`] | the types of OMPT |
//! | [`tasks`] | regions, tasks, and what orders them |
//! | [`strand`] | the calling thread's strand |
//! | [`serial`] | tasks one after the other, for `--tasks` |
//! | [`parallel`] | tasks on several threads, for `--tasks pint` |
//! | [`loops`] | `taskloop` with `if(0)` |
//! | [`sections`] | gcc's sections, each a strand where that is known to be right |
//! | [`shares`] | work that goes to whoever comes first |
//! | [`bound`] | tasks that ask which thread runs them |
//! | [`turns`] | for runs that confirm races: which task a thread is in, and that others begin the tasks of one that waits |
//! | [`reduce`] | clang's reductions, of which OMPT does not tell |
//!
//! A thread is a strand: `pthread_create` makes it when the runtime adds one to its pool. So is a task that may run beside its creator
//! (`thrille_runtime::rank`, tasks). Regions, barriers, tasks and their waits release and acquire tokens; `critical`, locks and the locks
//! behind `atomic` go into locksets; `ordered` orders one iteration after the other.
//!
//! Threads of a runtime without OMPT would be strands that nothing orders: they are not observed ([`watches`]), and the report says so.

mod abi;
mod bound;
mod current;
mod flush;
mod loops;
pub mod parallel;
mod reduce;
mod sections;
pub mod serial;
pub mod shares;
mod strand;
mod tasks;
pub mod turns;

use crate::rank::{Observed, detach};
use abi::{
    Data, Dependence, Frame, GetTaskMemory, LOOPS, Lookup, ORDERED, SINGLE, SetCallback, StartTool, StartToolFn, WORKER,
};
use abi::{dependence, event, scope, status, sync, task};
use parallel::Step;
use rustc_hash::{FxHashSet, FxHasher};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use strand::{Switch, acquire, release, tell, token};
use tasks::{Mark, Region, Task, keep, kept, lock, seen, taken};
use thrille_model::job::ENV_RUN_DIR;
use thrille_model::{How, Lock, Mode, Pos};
use thrille_runtime::{Rank, Recorder};

/// Where the runtime that tells us is loaded.
static RUNTIME: AtomicUsize = AtomicUsize::new(0);
static TASK_MEMORY: AtomicUsize = AtomicUsize::new(0);
/// The report has been told of threads that are not observed.
static TOLD: AtomicBool = AtomicBool::new(false);
/// The rank is observed no further.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Whether a runtime tells us what its threads do.
fn is_told() -> bool {
    RUNTIME.load(Ordering::Acquire) != 0
}

/// The loaded file that an address is in: where, and its name.
pub fn file_of(address: usize) -> Option<(usize, String)> {
    // SAFETY: asks the linker, with a variable of our own; the name it gives is a string of its own.
    unsafe {
        let mut info = std::mem::zeroed::<libc::Dl_info>();
        if libc::dladdr(address as *const c_void, &raw mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let path = CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned();
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        Some((info.dli_fbase as usize, name))
    }
}

/// Before the program's main thread creates its first thread: it is the first that OpenMP's runtime gets to know. LLVM's takes the return address of its first thread for that of whoever leaves
/// a critical section, and crashes when that thread is over.
pub fn comes_first() {
    static CAME: AtomicBool = AtomicBool::new(false);
    // SAFETY: asks the system; looks for the runtime's function, which has this type and takes no address for none.
    unsafe {
        if libc::gettid() != libc::getpid() || CAME.swap(true, Ordering::Relaxed) {
            return;
        }
        let number = libc::dlsym(libc::RTLD_DEFAULT, c"__kmpc_global_thread_num".as_ptr());
        if !number.is_null() {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> c_int>(number)(std::ptr::null_mut());
        }
    }
}

/// Whether a thread that the program creates can be observed: not if it is a worker of an OpenMP runtime that does not tell what it does.
///
/// If such a worker may communicate, its rank cannot be observed at all: the others would wait for what it does not say.
pub fn watches(call: &mut Observed) -> bool {
    let Some((base, name)) = file_of(call.pc as usize) else { return true };
    if !["libgomp", "libomp", "libiomp5"].iter().any(|runtime| name.starts_with(runtime))
        || base == RUNTIME.load(Ordering::Acquire)
    {
        return true;
    }
    if TOLD.swap(true, Ordering::AcqRel) {
        return false;
    }
    let remedy = if name.starts_with("libgomp") {
        "install LLVM's runtime (Debian: apt install libomp-16-dev) and start the program with thrille, which runs it on that one; if it \
         detaches tasks, build it with clang"
    } else {
        "let it tell what its threads do: OMP_TOOL=enabled"
    };
    let alone = !workers_may_communicate();
    let what =
        if alone { "its OpenMP threads are not observed" } else { "not observed from its first OpenMP region on" };
    call.session.note(format!("{what}: the program runs on {name}; {remedy}"));
    if !alone {
        call.session.abandon(Some(call.recorder));
        GIVEN_UP.store(true, Ordering::Release);
    }
    false
}

/// After a thread that cannot be observed: the calling thread is none either, if its rank was given up.
pub fn forget() {
    if GIVEN_UP.load(Ordering::Acquire) {
        drop(detach());
    }
}

/// Whether the rank was given up.
#[cfg(feature = "mpi")]
pub fn is_given_up() -> bool {
    GIVEN_UP.load(Ordering::Acquire)
}

/// Whether other threads than the main one may call the communication library.
fn workers_may_communicate() -> bool {
    const FUNNELED: c_int = 1;
    // SAFETY: OpenSHMEM's function of this name has this type. Ours for MPI raises what the program asked for.
    unsafe {
        let query = libc::dlsym(libc::RTLD_DEFAULT, c"shmem_query_thread".as_ptr());
        if query.is_null() {
            return true;
        }
        let mut level = c_int::MAX;
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int)>(query)(&raw mut level);
        level > FUNNELED
    }
}

/// The runtime looks for a tool.
#[unsafe(no_mangle)]
unsafe extern "C" fn ompt_start_tool(version: c_uint, runtime: *const c_char) -> *const StartTool {
    static TOOL: StartTool = StartTool { initialize, finalize, tool: Data { ptr: std::ptr::null_mut() } };
    if std::env::var_os(ENV_RUN_DIR).is_some() {
        return &raw const TOOL;
    }
    // SAFETY: looks behind this library for another tool, whose function has this type.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, c"ompt_start_tool".as_ptr());
        if next.is_null() {
            return std::ptr::null();
        }
        std::mem::transmute::<*mut c_void, StartToolFn>(next)(version, runtime)
    }
}

unsafe extern "C" fn initialize(lookup: Lookup, _device: c_int, _tool: *mut Data) -> c_int {
    // SAFETY: the runtime's own function by its name.
    let (set, memory) = unsafe { (lookup(c"ompt_set_callback".as_ptr()), lookup(c"ompt_get_task_memory".as_ptr())) };
    if set.is_null() {
        return 0;
    }
    TASK_MEMORY.store(memory as usize, Ordering::Release);
    // SAFETY: as above.
    current::TASK_INFO.store(unsafe { lookup(c"ompt_get_task_info".as_ptr()) } as usize, Ordering::Release);
    // SAFETY: OMPT says that the function of this name has this type.
    let set = unsafe { std::mem::transmute::<*const c_void, SetCallback>(set) };
    let callbacks = [
        (event::THREAD_BEGIN, thread_begin as *const c_void),
        (event::PARALLEL_BEGIN, parallel_begin as *const c_void),
        (event::PARALLEL_END, parallel_end as *const c_void),
        (event::TASK_CREATE, task_create as *const c_void),
        (event::TASK_SCHEDULE, task_schedule as *const c_void),
        (event::IMPLICIT_TASK, implicit_task as *const c_void),
        (event::SYNC_REGION_WAIT, sync_region_wait as *const c_void),
        (event::SYNC_REGION, sync_region as *const c_void),
        (event::MUTEX_ACQUIRED, mutex_acquired as *const c_void),
        (event::MUTEX_RELEASED, mutex_released as *const c_void),
        (event::DEPENDENCES, dependences as *const c_void),
        (event::WORK, work as *const c_void),
    ];
    for (event, callback) in callbacks {
        // SAFETY: each callback has the type that OMPT gives its event.
        if unsafe { set(event, callback) } <= 1 {
            return 0;
        }
    }
    // Older runtimes do not tell of chunks; their threads get what they get.
    // SAFETY: as above.
    unsafe { set(event::DISPATCH, shares::dispatch as *const c_void) };
    let runtime = file_of(lookup as usize).map_or(0, |(base, _)| base);
    RUNTIME.store(runtime, Ordering::Release);
    1
}

unsafe extern "C" fn finalize(_tool: *mut Data) {}

extern "C" fn thread_begin(kind: c_int, _thread: *mut Data) {
    if kind == WORKER {
        strand::begins();
    }
}

// SAFETY (all callbacks): the words are the runtime's; those of regions hold a `Region`, those of tasks a `Task`, from the callback that
// begins them to the one that ends them.

unsafe extern "C" fn parallel_begin(
    task: *mut Data,
    _frame: *const c_void,
    region: *mut Data,
    team: c_uint,
    _flags: c_int,
    code: *const c_void,
) {
    strand::called_at(code);
    if serial::on() {
        return;
    }
    strand::prepare(team as usize);
    // SAFETY: see above.
    let new = Region::new(unsafe { kept::<Task>(task) }.as_deref(), shares::Shares::of(code));
    release([new.fork()]);
    strand::calls();
    if parallel::on() && !task.is_null() {
        // SAFETY: see above.
        let by = unsafe { known(task) };
        parallel::parallel_begin(&by, &new);
    }
    // SAFETY: see above.
    unsafe { keep(region, new) };
}

/// The task of a word; one that was there before anybody looked is the program's outside of regions.
unsafe fn known(word: *mut Data) -> Arc<Task> {
    // SAFETY: as for all callbacks.
    unsafe {
        kept::<Task>(word).unwrap_or_else(|| {
            keep(word, Task::implicit(None, 0));
            kept(word).unwrap_or_else(|| Task::implicit(None, 0))
        })
    }
}

unsafe extern "C" fn parallel_end(region: *mut Data, task: *mut Data, _flags: c_int, code: *const c_void) {
    strand::called_at(code);
    if serial::on() {
        return;
    }
    // SAFETY: see above.
    if let Some(region) = unsafe { taken::<Region>(region) } {
        acquire(region.join());
        strand::dismisses(region.name());
        // SAFETY: see above.
        let by = unsafe { kept::<Task>(task) };
        turns::is_in(by.as_deref());
        if let (Some(by), true) = (by, parallel::on()) {
            parallel::parallel_end(&by, &region);
        }
    }
}

unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    region: *mut Data,
    task: *mut Data,
    team: c_uint,
    index: c_uint,
    flags: c_int,
) {
    strand::called_at(std::ptr::null());
    if serial::on() {
        if flags & task::INITIAL == 0 {
            // SAFETY: see above.
            unsafe { serial::implicit_task(endpoint, task) };
        }
        return;
    }
    // SAFETY: see above.
    unsafe {
        if endpoint == scope::END {
            drop(taken::<Task>(task));
            if parallel::on() {
                parallel::pauses();
            }
            return;
        }
        let region = kept::<Region>(region);
        if region.is_none() && flags & task::INITIAL != 0 {
            // The program's own. Those of `teams` belong to the region that the league is.
            keep(task, Task::implicit(None, index));
        } else {
            strand::joins_team();
            if let Some(region) = &region {
                acquire(region.fork());
                if let Some(shares) = &region.shares {
                    shares.team_is(team.into());
                }
            }
            if index != 0 {
                strand::wakes();
            }
            let member = Task::implicit(region, index);
            turns::is_in(Some(&member));
            if parallel::on() {
                parallel::member(&member, 0);
            }
            keep(task, member);
            sections::region_begins();
        }
    }
}

unsafe extern "C" fn sync_region(
    kind: c_int,
    endpoint: c_int,
    region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    strand::called_at(code);
    if serial::on() {
        return serial::sync_region(kind, endpoint);
    }
    if kind == sync::TASKWAIT {
        // A task may wait more often than it does anything else.
        // SAFETY: see above; the calling thread is in the task, which nobody takes out before it is complete.
        let Some(task) = (unsafe { seen::<Task>(task) }) else { return };
        return if endpoint == scope::BEGIN {
            turns::others_first(task);
        } else {
            follow(task, Step::Wait, task.children());
        };
    }
    // SAFETY: see above.
    let Some(task) = (unsafe { kept::<Task>(task) }) else { return };
    if endpoint == scope::BEGIN {
        turns::others_first(&task);
    }
    match (kind, endpoint) {
        (sync::REDUCTION, _) => {}
        (sync::TASKGROUP, scope::BEGIN) => {
            task.begin_group();
            follow(&task, Step::BeginGroup, None);
        }
        (sync::TASKGROUP, _) => {
            follow(&task, Step::EndGroup, task.end_group().map(|group| group.token()));
        }
        (_, scope::BEGIN) => {
            let Some(team) = &task.region else { return };
            if parallel::on() {
                parallel::pauses();
            }
            let barrier = team.barrier(task.barrier.load(Ordering::Relaxed));
            let join = sync::ENDS_REGION.contains(&kind).then(|| team.join());
            release([Some(barrier), join].into_iter().flatten());
            if join.is_some() && task.index != 0 {
                strand::count();
            }
            if task.index != 0 {
                strand::rests(team.name());
            }
        }
        (_, _) => {
            let Some(team) = &task.region else { return };
            let number = task.barrier.fetch_add(1, Ordering::Relaxed);
            // SAFETY: the word may be missing, or empty, at the end of a region: workers leave it when the next one begins.
            let over = unsafe { region.as_ref().is_none_or(|region| region.ptr.is_null()) };
            if !over || task.index == 0 {
                acquire(team.barrier(number));
                strand::goes_on(team.name());
                if parallel::on() {
                    parallel::member(&task, number);
                }
            }
        }
    }
}

/// A step of a task, after those who released the mark; nobody else acquires it.
fn follow(task: &Task, step: Step, mark: Option<Mark>) {
    if parallel::on() {
        parallel::step(task, step, mark);
    } else if let Some(mark) = mark {
        tell(|rank, recorder| rank.acquire_last(recorder, token(recorder, mark)));
    }
}

unsafe extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    strand::called_at(code);
    let waits = endpoint == scope::BEGIN;
    if serial::on() {
        return strand::aside(waits);
    }
    // SAFETY: see above; the calling thread is in the task, or in its part of a region, which nobody takes out before it is over.
    if let Some(task) = unsafe { seen::<Task>(task) } {
        task.waits.store(waits, Ordering::Relaxed);
        if kind == sync::TASKGROUP
            && !waits
            && let Some(group) = task.in_group()
        {
            // Not only at its end: before that the thread combines the reductions of the tasks.
            acquire(group.token());
        }
    }
    strand::aside(waits);
}

unsafe extern "C" fn task_create(
    by: *mut Data,
    frame: *const Frame,
    new: *mut Data,
    flags: c_int,
    _depends: c_int,
    code: *const c_void,
) {
    strand::called_at(code);
    if flags & task::INITIAL != 0 || by.is_null() {
        return;
    }
    if serial::on() {
        // SAFETY: see above.
        return unsafe { serial::task_create(by, frame, new, flags) };
    }
    // SAFETY: see above.
    unsafe {
        let parent = known(by);
        if flags & task::UNDEFERRED == 0 {
            parent.waiting.fetch_add(1, Ordering::Relaxed);
        } else {
            turns::others_first(&parent);
        }
        let created = Task::explicit(Arc::clone(&parent), flags);
        if parallel::on() {
            parallel::will_create(&parent, &created, flags & task::FINAL != 0, loops::is_undeferred(by));
        }
        parallel::tell(
            |rank, recorder| {
                if let (Some(watch), true) = (&mut rank.watch, parallel::on()) {
                    watch.creates();
                }
                if created.deferred
                    && !rank.has_tasks_by_graph()
                    && let Some(role) = rank.task(recorder)
                {
                    created.give(role);
                }
                rank.release(recorder, token(recorder, created.created()));
            },
            |core| parallel::creates(core, &parent, &created),
        );
        keep(new, created);
    }
}

/// Tells where the stack was.
#[unsafe(naked)]
unsafe extern "C" fn task_schedule() {
    core::arch::naked_asm!("mov rcx, rsp", "jmp {to}", to = sym on_task_schedule)
}

unsafe extern "C" fn on_task_schedule(prior: *mut Data, why: c_int, next: *mut Data, sp: u64) {
    strand::called_at(std::ptr::null());
    if serial::on() {
        // SAFETY: see above.
        return unsafe { serial::task_schedule(prior, why, next) };
    }
    // SAFETY: see above.
    let (left, next) = unsafe { (kept::<Task>(prior), kept::<Task>(next)) };
    let next = next.filter(|_| left.is_none() || why != status::TASKWAIT_COMPLETE);
    if parallel::on() && matches!(why, status::DETACH | status::EARLY_FULFILL | status::LATE_FULFILL) {
        serial::unfit("it has detached tasks");
    }
    let begins = next.as_ref().is_some_and(|next| !next.begun.swap(true, Ordering::Relaxed));
    if next.is_some() {
        turns::is_in(next.as_deref());
    }
    parallel::tell(
        |rank, recorder| {
            let end = left.as_ref().and_then(|left| leaves(rank, recorder, left, why));
            if let Some(next) = &next {
                comes_to(rank, recorder, left.as_deref(), next, Switch { end, begins, sp });
            }
        },
        |core| {
            let complete = left.as_deref().filter(|_| matches!(why, status::COMPLETE | status::CANCEL));
            parallel::switches(core, complete, next.as_ref(), begins, sp)
        },
    );
    if let (Some(left), status::COMPLETE | status::CANCEL | status::LATE_FULFILL | status::TASKWAIT_COMPLETE) =
        (&left, why)
    {
        left.forget_parent();
        // SAFETY: nothing is heard of a task that is complete.
        drop(unsafe { taken::<Task>(prior) });
    }
    let Some(next) = next else { return };
    if begins && let Some(parent) = next.parent() {
        let less = |waiting: u32| waiting.checked_sub(1);
        let _ = parent.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
    if parallel::on() {
        parallel::runs(&next);
    }
    strand::aside(next.waits.load(Ordering::Relaxed));
}

/// The thread leaves a task, for this reason. Returns where the strand of the task stood, if this was its end.
fn leaves(rank: &mut Rank, recorder: &mut Recorder, left: &Task, why: c_int) -> Option<Pos> {
    left.place.binds(recorder);
    let here = recorder.pos();
    match why {
        status::COMPLETE | status::CANCEL => {
            leaves_behind(rank, recorder, left, true);
            new_memory(rank, recorder);
            Some(here)
        }
        // Its end and its event: what waits for the task waits for both.
        status::DETACH => {
            leaves_behind(rank, recorder, left, true);
            Some(here)
        }
        status::EARLY_FULFILL | status::LATE_FULFILL => {
            leaves_behind(rank, recorder, left, false);
            None
        }
        status::TASKWAIT_COMPLETE => {
            depends_on(rank, recorder, left);
            None
        }
        _ => {
            if left.untied {
                rank.release(recorder, token(recorder, left.left()));
            }
            None
        }
    }
}

/// The thread goes on with a task.
fn comes_to(rank: &mut Rank, recorder: &mut Recorder, left: Option<&Task>, next: &Task, switch: Switch) {
    let begins = switch.begins;
    strand::switch(rank, recorder, left, next, switch);
    if begins {
        rank.acquire_last(recorder, token(recorder, next.created()));
        depends_on(rank, recorder, next);
        new_memory(rank, recorder);
    } else if next.untied
        && let Some(part) = next.part()
    {
        rank.acquire(recorder, token(recorder, part));
    }
}

/// A task begins after those that it depends on.
fn depends_on(rank: &mut Rank, recorder: &mut Recorder, task: &Task) {
    for depends in task.depends() {
        depends.after().for_each(|name| rank.await_local(recorder, name));
        if let Some(name) = depends.lock() {
            rank.lock_local(recorder, Lock::Process(recorder.strand().rank, name), Mode::Exclusive);
        }
    }
}

/// What waits for the task comes after what the calling thread has done; `here` if that was the task.
fn leaves_behind(rank: &mut Rank, recorder: &mut Recorder, task: &Task, here: bool) {
    for depends in task.depends() {
        if let (Some(name), true) = (depends.lock(), here) {
            rank.unlock(recorder, Lock::Process(recorder.strand().rank, name));
        }
        rank.signal_local(recorder, depends.done(), How::Modify);
    }
    task.completion().for_each(|mark| rank.release(recorder, token(recorder, mark)));
}

/// The runtime uses the memory of a task that is complete for the next one. What a task does there, and what those that create it do, is
/// kept apart from what others did: the same thread fills a piece of memory each time, and by the token it comes before.
fn new_memory(rank: &mut Rank, recorder: &mut Recorder) {
    if let Some((at, len)) = task_memory() {
        rank.renew(recorder, at, at + len);
    }
}

/// The memory that the runtime has made for the task that runs: where, and how long.
fn task_memory() -> Option<(u64, u64)> {
    /// What a compiler keeps before the variables.
    const HEADER: u64 = 32;
    let function = TASK_MEMORY.load(Ordering::Acquire);
    if function == 0 {
        return None;
    }
    let (mut at, mut len) = (std::ptr::null_mut(), 0);
    // SAFETY: OMPT says that the function of this name has this type; the variables are ours.
    let known = unsafe { std::mem::transmute::<usize, GetTaskMemory>(function)(&raw mut at, &raw mut len, 0) };
    (known != 0 && !at.is_null()).then(|| (at as u64 - HEADER, len as u64 + HEADER))
}

unsafe extern "C" fn dependences(task: *mut Data, list: *const Dependence, count: c_int) {
    if serial::on() || parallel::on() {
        serial::unfit("it has depend clauses");
    }
    if serial::on() {
        return;
    }
    // SAFETY: see above; the list has that many entries.
    let (task, list) = unsafe {
        let Some(task) = kept::<Task>(task) else { return };
        if list.is_null() || count <= 0 {
            return;
        }
        (task, std::slice::from_raw_parts(list, count as usize))
    };
    match list[0].kind {
        dependence::SOURCE => {
            if let Some(mark) = iteration(&task, list) {
                release([mark]);
            }
        }
        dependence::SINK => {
            if let Some(mark) = iteration(&task, list) {
                acquire(mark);
            }
        }
        _ => list.iter().for_each(|one| task.depend(one.variable, one.kind)),
    }
}

/// The token of an iteration of a loop whose iterations wait for each other.
fn iteration(task: &Arc<Task>, vector: &[Dependence]) -> Option<Mark> {
    let region = task.region.as_ref()?;
    let mut hasher = FxHasher::default();
    task.loops.load(Ordering::Relaxed).hash(&mut hasher);
    for one in vector {
        one.variable.hash(&mut hasher);
    }
    Some((region.posts, hasher.finish()))
}

unsafe extern "C" fn work(
    kind: c_int,
    endpoint: c_int,
    _region: *mut Data,
    task: *mut Data,
    _count: u64,
    code: *const c_void,
) {
    strand::called_at(code);
    if serial::on() {
        return;
    }
    // SAFETY: see above.
    let Some(task) = (unsafe { kept::<Task>(task) }) else { return };
    match (LOOPS.contains(&kind), endpoint) {
        (true, scope::BEGIN) => {
            task.loops.fetch_add(1, Ordering::Relaxed);
        }
        (true, _) => {
            shares::leaves(&task);
            tell(|_, recorder| recorder.gains());
        }
        (false, _) if kind == SINGLE => {
            tell(|_, recorder| recorder.gains());
            task.single.store(endpoint == scope::BEGIN, Ordering::Relaxed);
            turns::is_in(Some(&task));
        }
        _ => {}
    }
}

/// Mutexes whose holder we know. The runtime tells that one is released after it is: who takes it next waits here until we know.
static HELD: Mutex<Option<FxHashSet<u64>>> = Mutex::new(None);
/// How long at most: the holder is on its way.
const PATIENCE: Duration = Duration::from_millis(200);

fn hold(mutex: u64) {
    let mut since = None;
    while !lock(&HELD).get_or_insert_default().insert(mutex) {
        if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return;
        }
        std::thread::yield_now();
    }
}

unsafe extern "C" fn mutex_acquired(kind: c_int, mutex: u64, code: *const c_void) {
    strand::called_at(code);
    hold(mutex);
    tell(|rank, recorder| {
        if kind == ORDERED {
            rank.await_local(recorder, mutex);
        } else {
            rank.lock_local(recorder, Lock::Process(recorder.strand().rank, mutex), Mode::Exclusive);
        }
    });
}

unsafe extern "C" fn mutex_released(kind: c_int, mutex: u64, code: *const c_void) {
    strand::called_at(code);
    tell(|rank, recorder| {
        if kind == ORDERED {
            rank.signal_local(recorder, mutex, How::Modify);
        } else {
            rank.unlock(recorder, Lock::Process(recorder.strand().rank, mutex));
        }
    });
    lock(&HELD).get_or_insert_default().remove(&mutex);
}
