//! Threads of POSIX, C11 and C++: who creates and joins whom, which locks are held, who waited for whom.
//!
//! Locks go into locksets and order nothing. Creation, joining, barriers, condition variables, semaphores and one-time initialisation
//! order.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::allocation::thread_stack;
use crate::confirm::{self, sleeping, waiting};
use crate::counters::between_processes;
use crate::entry::block;
use crate::files::{self, declares};
use crate::objects::Object;
use crate::openmp;
use crate::rank::{Observed, SESSION, attach, detach, has_threads, observe_program, unobserved};
use crate::real::Real;
use libc::{c_char, c_int, c_uint, c_void, pthread_attr_t, pthread_t, timespec};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use thrille_model::{How, Lock, Mode, Strand, Token};

/// Defines a function that the C library has too. In the body, `real` is that one.
macro_rules! interpose {
    ($( $(@$version:literal)? fn $name:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty , $real:ident => $body:block )*) => { pastey::paste! { $(
        /// Notes who called, as [`crate::entry::entries`] do, but not inside a call of ours: what it allocates may let the communication library take a lock, and the rest
        /// of the call must not pass for the library's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "cmp qword ptr fs:[r11 + 16], 0",
                "jne 2f",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + 8], r10",
                "2: jmp {to}",
                to = sym [<on_ $name>],
            )
        }
        #[allow(non_snake_case, reason = "the symbol's name")]
        unsafe extern "C" fn [<on_ $name>]($($arg: $ty),*) -> $ret {
            const VERSION: Option<&CStr> = { #[allow(unused_mut, unused_assignments)] let mut v = None; $( v = Some($version); )? v };
            static REAL: Real = Real::versioned(
                concat!(stringify!($name), "\0").as_bytes(),
                VERSION,
            );
            let address = REAL.get();
            if address == 0 {
                return libc::ENOSYS as $ret;
            }
            // SAFETY: the C library's function of this name has this type.
            let $real = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> $ret>(address) };
            $body
        }
    )* } };
}

mod languages;
mod locks;
mod sockets;
pub mod streams;

/// Which strand a thread is.
static STRANDS: Mutex<Option<FxHashMap<pthread_t, Strand>>> = Mutex::new(None);

fn strands<R>(f: impl FnOnce(&mut FxHashMap<pthread_t, Strand>) -> R) -> R {
    unobserved(|| f(STRANDS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default()))
}

struct Start<R> {
    routine: extern "C" fn(*mut c_void) -> R,
    argument: *mut c_void,
    strand: Strand,
}

/// Tells when a thread ends, however it does.
static AT_EXIT: OnceLock<libc::pthread_key_t> = OnceLock::new();

fn at_exit_key() -> libc::pthread_key_t {
    *AT_EXIT.get_or_init(|| {
        let mut key = 0;
        // SAFETY: makes a key with a destructor of the right type.
        unsafe { libc::pthread_key_create(&raw mut key, Some(thread_ends)) };
        key
    })
}

extern "C" fn thread_starts<R>(start: *mut c_void) -> R {
    // SAFETY: the box that was made for this thread when it was created.
    let start = unsafe { Box::from_raw(start.cast::<Start<R>>()) };
    becomes(start.strand);
    (start.routine)(start.argument)
}

/// Creates a thread that runs `routine`, by one of the C library's functions for that.
fn create<R>(
    thread: *mut pthread_t,
    routine: extern "C" fn(*mut c_void) -> R,
    argument: *mut c_void,
    real: impl FnOnce(extern "C" fn(*mut c_void) -> R, *mut c_void) -> c_int,
) -> c_int {
    if observe_program().is_some() {
        unobserved(openmp::comes_first);
    }
    let mut observed = observe_program();
    if observed.as_mut().is_some_and(|observed| !openmp::watches(observed)) {
        observed = None;
        openmp::forget();
    }
    let Some(Observed { session, recorder, .. }) = &mut observed else {
        return real(routine, argument);
    };
    has_threads();
    let strand = session.rank().fork(recorder);
    confirm::announce(strand);
    let start = Box::into_raw(Box::new(Start { routine, argument, strand }));
    let result = strands(|strands| {
        let result = real(thread_starts::<R>, start.cast());
        if result == 0 {
            // SAFETY: the C library has written the new thread's name there.
            strands.insert(unsafe { *thread }, strand);
        }
        result
    });
    if result != 0 {
        // SAFETY: no thread has taken the box.
        drop(unsafe { Box::from_raw(start) });
        session.rank().unborn(strand);
    }
    result
}

/// The calling thread is this strand from now on.
pub fn becomes(strand: Strand) {
    if let Some(session) = SESSION.get() {
        unobserved(|| {
            // SAFETY: any non-null value makes the destructor run; this one is the number of its round.
            unsafe { libc::pthread_setspecific(at_exit_key(), std::ptr::without_provenance(1)) };
            let mut rank = session.rank();
            if let Some((base, len)) = thread_stack() {
                rank.new_memory(base, len);
            }
            let recorder = rank.begin(strand);
            drop(rank);
            attach(recorder);
            has_threads();
        });
    }
}

/// How often the C library looks for destructors of a thread's keys, if they set keys again (PTHREAD_DESTRUCTOR_ITERATIONS).
const ROUNDS: usize = 4;

unsafe extern "C" fn thread_ends(round: *mut c_void) {
    // The program's destructors may come behind this one, in the order of the keys: they are the thread's doing too. So it ends in the last round.
    if (round as usize) < ROUNDS {
        let next = std::ptr::without_provenance::<c_void>(round as usize + 1);
        // SAFETY: the key is ours; what is not null makes the destructor run again.
        unsafe { libc::pthread_setspecific(at_exit_key(), next) };
        return;
    }
    if let (Some(session), Some(mut recorder)) = (SESSION.get(), detach()) {
        unobserved(|| {
            session.rank().exit(&mut recorder);
            session.count(&mut recorder);
        });
    }
}

fn process_lock(observed: &Observed, address: *const c_void) -> Lock {
    Lock::Process(observed.recorder.strand().rank, address as u64)
}

/// An object at this address that several processes use.
fn shared(observed: &mut Observed, address: *const c_void) -> Option<Object> {
    between_processes(observed.recorder, address as u64)
}

/// A lock is taken.
fn taken(address: *const c_void, mode: Mode) {
    if let Some(mut o) = observe_program() {
        if let Some(object) = shared(&mut o, address) {
            return take(&mut o, object, mode);
        }
        let lock = process_lock(&o, address);
        o.session.rank().lock_local(o.recorder, lock, mode);
    }
}

fn take(o: &mut Observed, object: Object, mode: Mode) {
    let mut rank = o.session.rank();
    match mode {
        Mode::Exclusive => rank.lock_section(o.recorder, object.lock(), object.make()),
        Mode::Shared => rank.lock_shared(o.recorder, object.lock(), object.version()),
    }
}

/// The same of a lock that has another name than an address.
fn takes_as(object: Object, mode: Mode) {
    if let Some(mut o) = observe_program() {
        take(&mut o, object, mode);
    }
}

/// One that only one can hold.
fn entered(address: *const c_void) {
    taken(address, Mode::Exclusive);
}

fn released(address: *const c_void) {
    if let Some(mut observed) = observe_program() {
        let shared = shared(&mut observed, address).map(|object| object.lock());
        let lock = shared.unwrap_or_else(|| process_lock(&observed, address));
        observed.session.rank().unlock(observed.recorder, lock);
    }
}

fn gives_back(object: Object) {
    if let Some(observed) = observe_program() {
        observed.session.rank().unlock(observed.recorder, object.lock());
    }
}

fn signalled(address: *const c_void) {
    if let Some(mut observed) = observe_program() {
        let shared = shared(&mut observed, address);
        let mut rank = observed.session.rank();
        match shared {
            Some(object) => rank.signal(observed.recorder, object.word, object.update(), How::Modify),
            None => rank.signal_local(observed.recorder, address as u64, How::Modify),
        }
    }
}

fn awaited(address: *const c_void) {
    awaited_with(address, Object::version);
}

/// What it comes after, of what processes share, is counted like this.
fn awaited_with(address: *const c_void, version: impl FnOnce(&Object) -> u64) {
    if let Some(mut observed) = observe_program() {
        let shared = shared(&mut observed, address);
        let mut rank = observed.session.rank();
        match shared.map(|object| (object.word, version(&object))) {
            Some((_, 0)) => {}
            Some((word, version)) => rank.observe(observed.recorder, word, version),
            None => rank.await_local(observed.recorder, address as u64),
        }
    }
}

/// Something that only this process has was read, with all that others added.
fn waited_for_all(name: *const c_void) {
    if let Some(observed) = observe_program() {
        observed.session.rank().await_local(observed.recorder, name as u64);
    }
}

/// A cleanup handler of the C library's, of the kind that lies in a frame: it is called when the thread is cancelled and unwinding leaves that frame.
#[repr(C)]
struct Cleanup {
    routine: Option<extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    cancelled: c_int,
    outer: *mut Self,
}

unsafe extern "C" {
    fn _pthread_cleanup_push(cleanup: *mut Cleanup, routine: extern "C" fn(*mut c_void), argument: *mut c_void);
    fn _pthread_cleanup_pop(cleanup: *mut Cleanup, execute: c_int);
}

/// The thread is cancelled where it waits: the C library has taken the mutex again, and the program's handlers come next.
extern "C" fn cancelled(mutex: *mut c_void) {
    if !mutex.is_null() {
        entered(mutex);
    }
    awake();
}

/// Waits in a call in which the thread may be cancelled, which then has the mutex, if any.
fn cancellable<R>(mutex: *mut c_void, wait: impl FnOnce() -> R) -> R {
    let mut cleanup = MaybeUninit::<Cleanup>::uninit();
    // SAFETY: the two come in pairs, in one function; the handler's memory is this frame's, which unwinding leaves after it has called it.
    unsafe { _pthread_cleanup_push(cleanup.as_mut_ptr(), cancelled, mutex) };
    let result = wait();
    // SAFETY: as above.
    unsafe { _pthread_cleanup_pop(cleanup.as_mut_ptr(), 0) };
    result
}

/// Waits, and does nothing until somebody signals this.
fn resting<R>(address: *const c_void, wait: impl FnOnce() -> R) -> R {
    if let Some(mut observed) = observe_program()
        && shared(&mut observed, address).is_none()
    {
        observed.session.rank().rest(observed.recorder, address as u64);
    }
    waiting(wait)
}

/// It goes on.
fn awake() {
    if let Some(observed) = observe_program() {
        observed.session.rank().wake(observed.recorder);
    }
}

fn joined(thread: pthread_t) {
    if let Some(strand) = strands(|s| s.remove(&thread))
        && let Some(observed) = observe_program()
    {
        observed.session.rank().acquire(observed.recorder, Token::Exit(strand));
    }
}

/// Rounds of the process's barriers: how many have come to each.
static BARRIERS: Mutex<Option<FxHashMap<u64, Round>>> = Mutex::new(None);

#[derive(Default, Clone, Copy)]
struct Round {
    members: u32,
    arrived: u32,
    number: u64,
}

fn barriers<R>(f: impl FnOnce(&mut FxHashMap<u64, Round>) -> R) -> R {
    unobserved(|| f(BARRIERS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default()))
}

/// What went through a semaphore that began with `free`.
#[derive(Clone, Copy)]
struct Passed {
    free: u64,
    posts: u64,
    waits: u64,
}

/// The process's semaphores.
static SEMAPHORES: Mutex<Option<FxHashMap<u64, Passed>>> = Mutex::new(None);

fn semaphores<R>(f: impl FnOnce(&mut FxHashMap<u64, Passed>) -> R) -> R {
    unobserved(|| f(SEMAPHORES.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default()))
}

/// A semaphore has let this thread pass: the n-th to pass comes after as many posts as that takes, not after those that have been made by now.
fn passed(semaphore: *const c_void) {
    let posts = semaphores(|s| {
        let passed = s.get_mut(&(semaphore as u64))?;
        passed.waits += 1;
        Some((passed.waits.saturating_sub(passed.free), passed.posts))
    });
    match posts {
        Some((needed, made)) if needed < made => {
            if let Some(observed) = observe_program() {
                observed.session.rank().await_local_earlier(observed.recorder, semaphore as u64, made - needed);
            }
        }
        _ => awaited_with(semaphore, Object::passes),
    }
}

/// A semaphore begins, or is looked at for the first time, with so many that may pass.
fn admits(semaphore: *mut c_void, free: u32, anew: bool) {
    let shared = observe_program().and_then(|mut o| shared(&mut o, semaphore));
    semaphores(|s| match shared {
        Some(object) => {
            s.remove(&(semaphore as u64));
            object.admits(free.into(), anew);
        }
        None if anew => _ = s.insert(semaphore as u64, Passed { free: free.into(), posts: 0, waits: 0 }),
        None => {}
    });
}

/// Whether attributes say that processes share what is made with them, which this function of the C library tells.
unsafe fn says_shared(
    attributes: *const c_void,
    ask: unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int,
) -> bool {
    let mut shared = libc::PTHREAD_PROCESS_PRIVATE;
    // SAFETY: the program's attributes, of the kind that the function is for.
    !attributes.is_null() && unsafe { ask(attributes, &raw mut shared) } == 0 && shared == libc::PTHREAD_PROCESS_SHARED
}

unsafe extern "C" {
    fn pthread_mutexattr_getpshared(attributes: *const c_void, shared: *mut c_int) -> c_int;
    fn pthread_rwlockattr_getpshared(attributes: *const c_void, shared: *mut c_int) -> c_int;
    fn pthread_condattr_getpshared(attributes: *const c_void, shared: *mut c_int) -> c_int;
    fn pthread_barrierattr_getpshared(attributes: *const c_void, shared: *mut c_int) -> c_int;
    fn sem_getvalue(semaphore: *mut c_void, value: *mut c_int) -> c_int;
}

// SAFETY (all rows): each body forwards the program's own arguments.
/// How long a program asks to sleep, if it says so in a form that is valid.
fn span(time: *const timespec) -> Option<Duration> {
    // SAFETY: null, or the program's, which the C library would read in the same way.
    let time = unsafe { time.as_ref() }?;
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

interpose! {
    fn pthread_create(thread: *mut pthread_t, attr: *const pthread_attr_t, routine: extern "C" fn(*mut c_void) -> *mut c_void, argument: *mut c_void) -> c_int, real => {
        create(thread, routine, argument, |routine, argument| unsafe { real(thread, attr, routine, argument) })
    }
    fn pthread_join(thread: pthread_t, value: *mut *mut c_void) -> c_int, real => {
        let result = waiting(|| unsafe { real(thread, value) });
        if result == 0 {
            joined(thread);
        }
        result
    }
    fn pthread_tryjoin_np(thread: pthread_t, value: *mut *mut c_void) -> c_int, real => {
        let result = unsafe { real(thread, value) };
        if result == 0 {
            joined(thread);
        }
        result
    }
    fn pthread_timedjoin_np(thread: pthread_t, value: *mut *mut c_void, until: *const timespec) -> c_int, real => {
        let result = waiting(|| unsafe { real(thread, value, until) });
        if result == 0 {
            joined(thread);
        }
        result
    }
    fn pthread_clockjoin_np(thread: pthread_t, value: *mut *mut c_void, clock: c_int, until: *const timespec) -> c_int, real => {
        let result = waiting(|| unsafe { real(thread, value, clock, until) });
        if result == 0 {
            joined(thread);
        }
        result
    }
    fn sleep(seconds: c_uint) -> c_uint, real => {
        sleeping(Some(Duration::from_secs(seconds.into())), || unsafe { real(seconds) })
    }
    fn usleep(microseconds: c_uint) -> c_int, real => {
        sleeping(Some(Duration::from_micros(microseconds.into())), || unsafe { real(microseconds) })
    }
    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int, real => {
        sleeping(span(time), || unsafe { real(time, left) })
    }
    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int, real => {
        let span = if flags & libc::TIMER_ABSTIME == 0 { span(time) } else { None };
        sleeping(span, || unsafe { real(clock, flags, time, left) })
    }
    @c"GLIBC_2.3.2" fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int, real => {
        released(mutex);
        let result = cancellable(mutex, || resting(condition, || unsafe { real(condition, mutex) }));
        entered(mutex);
        if result == 0 {
            awaited(condition);
        }
        awake();
        result
    }
    @c"GLIBC_2.3.2" fn pthread_cond_timedwait(condition: *mut c_void, mutex: *mut c_void, until: *const timespec) -> c_int, real => {
        released(mutex);
        let result = cancellable(mutex, || waiting(|| unsafe { real(condition, mutex, until) }));
        entered(mutex);
        if result == 0 {
            awaited(condition);
        }
        result
    }
    fn pthread_cond_clockwait(condition: *mut c_void, mutex: *mut c_void, clock: c_int, until: *const timespec) -> c_int, real => {
        released(mutex);
        let result = cancellable(mutex, || waiting(|| unsafe { real(condition, mutex, clock, until) }));
        entered(mutex);
        if result == 0 {
            awaited(condition);
        }
        result
    }
    @c"GLIBC_2.3.2" fn pthread_cond_signal(condition: *mut c_void) -> c_int, real => {
        signalled(condition);
        unsafe { real(condition) }
    }
    @c"GLIBC_2.3.2" fn pthread_cond_broadcast(condition: *mut c_void) -> c_int, real => {
        signalled(condition);
        unsafe { real(condition) }
    }
    fn pthread_mutex_init(mutex: *mut c_void, attr: *const c_void) -> c_int, real => {
        if unsafe { says_shared(attr, pthread_mutexattr_getpshared) } {
            declares(mutex as u64);
        }
        unsafe { real(mutex, attr) }
    }
    fn pthread_rwlock_init(lock: *mut c_void, attr: *const c_void) -> c_int, real => {
        if unsafe { says_shared(attr, pthread_rwlockattr_getpshared) } {
            declares(lock as u64);
        }
        unsafe { real(lock, attr) }
    }
    fn pthread_spin_init(lock: *mut c_void, shared: c_int) -> c_int, real => {
        if shared == libc::PTHREAD_PROCESS_SHARED {
            declares(lock as u64);
        }
        unsafe { real(lock, shared) }
    }
    @c"GLIBC_2.3.2" fn pthread_cond_init(condition: *mut c_void, attr: *const c_void) -> c_int, real => {
        if unsafe { says_shared(attr, pthread_condattr_getpshared) } {
            declares(condition as u64);
        }
        unsafe { real(condition, attr) }
    }
    fn pthread_barrier_init(barrier: *mut c_void, attr: *const c_void, members: u32) -> c_int, real => {
        if unsafe { says_shared(attr, pthread_barrierattr_getpshared) } {
            declares(barrier as u64);
        }
        if let Some(object) = observe_program().and_then(|mut o| shared(&mut o, barrier)) {
            object.gathers(members.into());
        }
        barriers(|b| b.insert(barrier as u64, Round { members, ..Round::default() }));
        unsafe { real(barrier, attr, members) }
    }
    fn pthread_barrier_wait(barrier: *mut c_void) -> c_int, real => {
        let address = barrier as u64;
        if let Some(mut o) = observe_program()
            && let Some(object) = shared(&mut o, barrier)
        {
            let mut rank = o.session.rank();
            let (version, last) = object.arrives();
            rank.signal(o.recorder, object.word, version, How::Modify);
            drop(rank);
            drop(o);
            let result = waiting(|| unsafe { real(barrier) });
            // Who goes on has seen everybody of the round come; some may have come to the next one.
            awaited_with(barrier, |object| last.unwrap_or_else(|| object.version()));
            return result;
        }
        let round = barriers(|b| {
            let round = b.entry(address).or_default();
            let current = round.number;
            round.arrived += 1;
            if round.arrived >= round.members {
                (round.arrived, round.number) = (0, current + 1);
            }
            current
        });
        let token = observe_program().map(|o| {
            let token = Token::Local { rank: o.recorder.strand().rank, address, round };
            o.session.rank().release(o.recorder, token);
            token
        });
        let result = waiting(|| unsafe { real(barrier) });
        if let (Some(token), Some(o)) = (token, observe_program()) {
            o.session.rank().acquire(o.recorder, token);
        }
        result
    }
    fn sem_init(semaphore: *mut c_void, shared: c_int, value: u32) -> c_int, real => {
        let result = unsafe { real(semaphore, shared, value) };
        if result == 0 {
            if shared != 0 {
                declares(semaphore as u64);
            }
            admits(semaphore, value, true);
        }
        result
    }
    // A mode and a value may follow, which are passed on as they came.
    fn sem_open(name: *const c_char, flags: c_int, mode: c_uint, value: c_uint) -> *mut c_void, real => {
        let semaphore = unsafe { real(name, flags, mode, value) };
        let mut free = 0;
        files::changes();
        if !semaphore.is_null() && unsafe { sem_getvalue(semaphore, &raw mut free) } == 0 {
            admits(semaphore, u32::try_from(free).unwrap_or(0), false);
        }
        semaphore
    }
    fn sem_close(semaphore: *mut c_void) -> c_int, real => {
        let result = unsafe { real(semaphore) };
        files::changes();
        result
    }
    fn sem_post(semaphore: *mut c_void) -> c_int, real => {
        signalled(semaphore);
        semaphores(|s| s.get_mut(&(semaphore as u64)).map(|passed| passed.posts += 1));
        unsafe { real(semaphore) }
    }
    fn sem_wait(semaphore: *mut c_void) -> c_int, real => {
        let result = cancellable(std::ptr::null_mut(), || resting(semaphore, || unsafe { real(semaphore) }));
        if result == 0 {
            passed(semaphore);
        }
        awake();
        result
    }
    fn sem_timedwait(semaphore: *mut c_void, until: *const timespec) -> c_int, real => {
        let result = waiting(|| unsafe { real(semaphore, until) });
        if result == 0 {
            passed(semaphore);
        }
        result
    }
    fn sem_clockwait(semaphore: *mut c_void, clock: c_int, until: *const timespec) -> c_int, real => {
        let result = waiting(|| unsafe { real(semaphore, clock, until) });
        if result == 0 {
            passed(semaphore);
        }
        result
    }
    fn sem_trywait(semaphore: *mut c_void) -> c_int, real => {
        let result = unsafe { real(semaphore) };
        if result == 0 {
            passed(semaphore);
        }
        result
    }
    fn pthread_once(once: *mut c_void, routine: extern "C" fn()) -> c_int, real => {
        let outer = ONCE.replace((once, Some(routine)));
        let result = unsafe { real(once, run_once) };
        ONCE.set(outer);
        awaited(once);
        result
    }
}

thread_local! {
    /// The one-time initialisation that this thread is in.
    static ONCE: Cell<(*mut c_void, Option<extern "C" fn()>)> = const { Cell::new((std::ptr::null_mut(), None)) };
}

/// Runs in the one thread that initialises; everybody else comes after it.
extern "C" fn run_once() {
    let (once, routine) = ONCE.get();
    // SAFETY: the block is this thread's own.
    let pc = unsafe { (*block()).pc };
    if let Some(routine) = routine {
        routine();
    }
    // Who called last may be the communication library, on behalf of the routine.
    // SAFETY: as above.
    unsafe { (*block()).pc = pc };
    signalled(once);
}
