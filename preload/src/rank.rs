//! This process as a rank: the session, once the program has initialised its communication library.

use crate::confirm;
use crate::entry::{Block, Looks, block, set_known};
use crate::link::Link;
use crate::tsan::access::INSTRUMENTED;
use crate::{last, loaded, sampled, signals, sites, uncounted, walk};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;
#[cfg(feature = "mpi")]
use thrille_model::Interval;
#[cfg(feature = "mpi")]
use thrille_model::job::Entry;
use thrille_model::job::{
    self, Api, ENV_HISTORY, ENV_HUB, ENV_MAX_RECORDS, ENV_RANK, ENV_RUN_DIR, ENV_SIZE, ENV_TOKEN, ENV_TRACE,
};
use thrille_runtime::sink::Sink;
use thrille_runtime::stacks::Walk;
use thrille_runtime::{Modules, Observes, Rank, Recorder, Regions, Session, Store};
use thrille_transport::{SocketTransport, Token, Transport};

/// Accesses that a rank holds between two exchanges, if nothing else is said.
const MAX_RECORDS: usize = 4 << 20;

/// The one session of the process.
pub static SESSION: OnceLock<Session<Link>> = OnceLock::new();

/// More than one thread has been seen.
pub static THREADED: AtomicBool = AtomicBool::new(false);

/// Who has begun the last exchange, as a number.
static OVER: AtomicU8 = AtomicU8::new(0);

/// Who makes the last exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// A thread of the program, at its end.
    Itself = 1,
    /// A thread of the detector's own: see [`last`].
    Listener = 2,
}

impl Maker {
    /// Nobody else begins it from now on; false if somebody has.
    fn begins(self) -> bool {
        OVER.compare_exchange(0, self as u8, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Whether it was this one who has begun it.
    pub fn has_begun(self) -> bool {
        OVER.load(Ordering::Acquire) == self as u8
    }
}

/// Whether somebody has begun the last exchange.
pub fn is_over() -> bool {
    OVER.load(Ordering::Acquire) != 0
}

/// There is more than one thread from now on.
pub fn has_threads() {
    THREADED.store(true, Ordering::SeqCst);
    uncounted::has_threads();
}

/// What the launcher told this process.
pub struct Told {
    dir: PathBuf,
    pub rank: u32,
    pub size: u32,
    /// Address and token of the hub; none under somebody else's launcher.
    hub: Option<(String, String)>,
}

/// Reads the environment; none when nobody wants this process observed.
#[cfg(feature = "shmem")]
pub fn told() -> Option<Told> {
    let var = |name: &str| std::env::var(name).ok();
    let dir = std::env::var_os(ENV_RUN_DIR)?;
    Some(Told {
        dir: dir.into(),
        rank: var(ENV_RANK)?.parse().ok()?,
        size: var(ENV_SIZE)?.parse().ok()?,
        hub: Some((var(ENV_HUB)?, var(ENV_TOKEN)?)),
    })
}

/// The same for a process that knows from its library which rank it is, and of how many.
#[cfg(feature = "mpi")]
pub fn told_as(rank: u32, size: u32) -> Option<Told> {
    let var = |name: &str| std::env::var(name).ok();
    let number = |name: &str| var(name).and_then(|n| n.parse::<u32>().ok());
    if let Some(started) = number(ENV_SIZE).filter(|&started| started != size) {
        let seat = number(ENV_RANK).unwrap_or(rank);
        let how = if std::env::var_os("SLURM_STEP_ID").is_some() {
            "srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH, --mpi=cray_shasta for Cray MPICH (srun --mpi=list shows what there is)"
        } else {
            "that one's mpirun or srun --mpi option"
        };
        let what = format!(
            "not observed: one of {started} processes, in a job of {size}: the program is linked with another MPI than the one whose \
             launcher started it; start it with {how}"
        );
        // All say the same: the first says it aloud, each leaves it for the report.
        if seat == 0 {
            complain(rank, &what);
        }
        if let Some(dir) = std::env::var_os(ENV_RUN_DIR)
            && let Ok(mut sink) = Sink::create(dir.as_ref(), thrille_model::Rank(seat))
        {
            sink.write(&Entry::Note(what));
        }
        return None;
    }
    Some(Told { dir: std::env::var_os(ENV_RUN_DIR)?.into(), rank, size, hub: var(ENV_HUB).zip(var(ENV_TOKEN)) })
}

/// Says something on standard error, in one line.
pub fn complain(rank: u32, what: &str) {
    let line = format!("thrille: rank {rank}: {what}\n");
    // SAFETY: writes a live buffer of that length.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}

/// Connects to the others.
pub fn connect(told: &Told) -> Option<Link> {
    let Some((address, token)) = &told.hub else {
        #[cfg(feature = "mpi")]
        return Some(Link::Mpi(thrille_transport::MpiTransport::new()));
        #[cfg(not(feature = "mpi"))]
        return None;
    };
    let Ok(hub) = address.parse() else {
        complain(told.rank, &format!("{ENV_HUB}={address} is no address: start the program with thrille run"));
        return None;
    };
    let Ok(token) = token.parse::<Token>() else {
        complain(told.rank, &format!("{ENV_TOKEN} is no token: start the program with thrille run"));
        return None;
    };
    let link = SocketTransport::connect(hub, &token, told.rank, told.size);
    #[cfg(feature = "mpi")]
    let link = link.and_then(|mut link| link.help_while_waiting(crate::mpi::help).map(|()| link));
    link.map_err(|error| complain(told.rank, &format!("not observed: {error}"))).map(Link::Hub).ok()
}

/// The file of this rank; if it cannot be made, that is said.
pub fn file(told: &Told) -> Option<Sink> {
    let rank = thrille_model::Rank(told.rank);
    let traced = |sink: Sink| {
        if std::env::var_os(ENV_TRACE).is_some() { sink.traced(&told.dir, rank) } else { Ok(sink) }
    };
    Sink::create(&told.dir, rank)
        .and_then(traced)
        .map_err(|error| {
            let dir = told.dir.display();
            complain(told.rank, &format!("not observed: cannot write into {dir} on {}: {error}", job::host()));
        })
        .ok()
}

/// Begins to observe this process; the calling thread is its first strand.
pub fn begin(told: &Told, link: Link, sink: Sink, regions: Regions) {
    let me = thrille_model::Rank(told.rank);
    let limit = std::env::var(ENV_MAX_RECORDS).ok().and_then(|n| n.parse().ok()).unwrap_or(MAX_RECORDS);
    let (mut rank, mut recorder) = Rank::new(me, regions, Modules::new(loaded::modules), limit);
    rank.muted = confirm::join(told);
    let api = if cfg!(feature = "mpi") { Api::Mpi } else { Api::OpenShmem };
    if !rank.muted {
        rank.watch = crate::openmp::serial::begin(told.rank);
    }
    rank.walk = sites::any().then_some(walk::walk as Walk);
    recorder.stack.walk_with(rank.walk);
    let any_thread = link.any_thread();
    let waits_with_an_end = matches!(link, Link::Hub(_));
    let mut session = Session::new(rank, link, sink, env!("CARGO_PKG_VERSION"), api);
    if any_thread {
        #[cfg(feature = "mpi")]
        let help = crate::mpi::help;
        #[cfg(not(feature = "mpi"))]
        let help = || {};
        session = session.with_worker(start_thread, help);
    }
    let session = match std::env::var(ENV_HISTORY).ok().map(|name| name.parse::<Store>()) {
        Some(Ok(history)) => session.with_history(history),
        Some(Err(error)) => {
            complain(told.rank, &format!("{ENV_HISTORY}: {error}"));
            session
        }
        None => session,
    };
    let observes = sampled::plan(told.rank);
    session.observes(if INSTRUMENTED.load(Ordering::Relaxed) { observes } else { Observes::Nothing });
    if SESSION.set(session).is_ok() {
        attach(recorder);
        // A second thread, even one that sleeps, makes some of what the C and C++ libraries do dearer. Libraries of MPI have one anyway, as a rule.
        let may_have_one = cfg!(feature = "mpi") || observes != Observes::Samples;
        if waits_with_an_end && may_have_one && !confirm::CONFIRMING.load(Ordering::Relaxed) {
            last::listen(start_thread);
            signals::watch_for_the_end();
        }
        signals::find_program();
        sites::note_retired();
        // SAFETY: registers a function of the right type for when the program calls `exit` or returns from `main`.
        unsafe {
            on_exit(at_exit, std::ptr::null_mut());
            libc::pthread_atfork(None, None, Some(in_child));
        }
    }
}

/// Starts a thread of the detector's own: no strand of the program, whose signals are not for it either.
fn start_thread(work: Box<dyn FnOnce() + Send>) -> bool {
    let (mut all, mut before) = (MaybeUninit::<libc::sigset_t>::uninit(), MaybeUninit::<libc::sigset_t>::uninit());
    // SAFETY: both sets are our own, and each is written before it is read.
    let masked = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) == 0
    };
    let started = masked && unobserved(|| std::thread::Builder::new().name("thrille".into()).spawn(work).is_ok());
    if masked {
        // SAFETY: the set was written above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    started
}

/// Makes a strand this thread's.
pub fn attach(recorder: Recorder) {
    sampled::attach(recorder.strand());
    // SAFETY: the block is this thread's own.
    unsafe {
        (*block()).local = confirm::begin(recorder.strand(), recorder.phase());
        if !(*block()).local.is_null() {
            (*block()).looks = Looks::Confirms;
        }
        let mut recorder = Box::new(recorder);
        set_known(Some(recorder.quick()));
        (*block()).recorder = Box::into_raw(recorder);
    }
}

/// Takes the strand from this thread.
pub fn detach() -> Option<Box<Recorder>> {
    last::detached(block());
    // SAFETY: the block is this thread's own; a pointer in it came from a box in `attach` and is taken out here, once.
    unsafe {
        let recorder = std::mem::replace(&mut (*block()).recorder, std::ptr::null_mut());
        set_known(None);
        confirm::end_strand(std::mem::replace(&mut (*block()).local, std::ptr::null_mut()));
        let kept = std::mem::replace(&mut (*block()).kept, std::ptr::null_mut());
        let mut recorder = (!recorder.is_null()).then(|| Box::from_raw(recorder))?;
        #[cfg(feature = "mpi")]
        {
            ((*block()).next_operation, (*block()).next_flush) = (std::ptr::null_mut(), std::ptr::null_mut());
            crate::mpi::again::forget(kept);
        }
        #[cfg(not(feature = "mpi"))]
        let _ = kept;
        sampled::detach(&mut recorder);
        Some(recorder)
    }
}

/// What the program does, if this thread is observed and the program itself is at work.
pub struct Observed {
    /// The rank.
    pub session: &'static Session<Link>,
    /// The strand.
    pub recorder: &'static mut Recorder,
    /// Who called.
    pub pc: u64,
    /// This thread's block.
    pub block: *mut Block,
    /// Whether what the call touches is recorded, once that has been asked.
    pub records: Option<bool>,
    /// What recording it has taken, if somebody measures, and how many records there are.
    pub recorded: (u64, u64),
}

impl Observed {
    /// Tells what waits to be told of this thread.
    #[inline]
    pub fn settle(&mut self) {
        // SAFETY: the block is this thread's own.
        if let Some(settle) = unsafe { (*self.block).settle.take() } {
            settle(self);
        }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        self.recorder.stack.in_call(0, 0);
        if self.recorded.1 > 0 {
            sampled::charge_records(self.block, self.recorded.0, self.recorded.1);
        }
        sampled::notice(self.block);
        // SAFETY: the block is this thread's own.
        unsafe {
            if !(*self.block).local.is_null() {
                confirm::leave_call((*self.block).local, Some(self.recorder.phase()));
            }
            (*self.block).depth -= 1;
        }
        last::between_calls(self.block);
    }
}

/// Begins a call of the program into us. While it is alive nothing that this thread does counts.
#[inline]
pub fn observe() -> Option<Observed> {
    let mut observed = observe_unsettled()?;
    observed.settle();
    Some(observed)
}

/// The same, by whom what waits to be told may concern.
#[inline]
pub fn observe_unsettled() -> Option<Observed> {
    let block = block();
    // SAFETY: the block is this thread's own. The recorder lives until the thread is detached, and depth keeps a second reference from
    // being made while this one is alive.
    unsafe {
        if (*block).recorder.is_null() || (*block).depth > 0 {
            return None;
        }
        let session = SESSION.get()?;
        (*block).depth = 1;
        let (pc, sp) = ((*block).pc, (*block).sp);
        if !(*block).local.is_null() {
            confirm::enter_call((*block).local);
        }
        let recorder = &mut *(*block).recorder;
        recorder.calling = pc;
        recorder.stack.in_call(pc, sp);
        Some(Observed { session, recorder, pc, block, records: None, recorded: (0, 0) })
    }
}

/// Code that runs in the program's threads but is not the program: address ranges of its communication library, settled when
/// observation begins. Looked up where nothing may be allocated: such a library may take locks inside `malloc`.
pub static FOREIGN: OnceLock<Vec<(u64, u64)>> = OnceLock::new();

/// Whether an address is there.
pub fn is_in_foreign(address: u64) -> bool {
    FOREIGN.get().is_some_and(|ranges| ranges.iter().any(|&(lo, hi)| lo <= address && address < hi))
}

/// Whether the call that this thread is in was made there.
pub fn is_foreign() -> bool {
    // SAFETY: the block is this thread's own.
    is_in_foreign(unsafe { (*block()).pc })
}

/// The same as [`observe`], for calls that the communication library makes too, at times when nobody called it: those are not the program's.
pub fn observe_program() -> Option<Observed> {
    if is_foreign() { None } else { observe() }
}

/// Runs something that is not the program's doing.
pub fn unobserved<R>(f: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own.
    unsafe { (*block).depth += 1 };
    let result = f();
    // SAFETY: as above.
    unsafe { (*block).depth -= 1 };
    result
}

/// Runs code of the program that a library calls back. What it does counts, but for these bytes of the library's own, though the call that it belongs to does not.
/// Not in a call of ours that is inside another one, and not where tasks are followed. In a run that confirms races the strand may be held there, for a bounded time and without a call into
/// the library, which may have locks of its own.
#[cfg(feature = "mpi")]
pub fn called_back<R>(library: Vec<Interval>, f: impl FnOnce() -> R) -> R {
    last::outside(|| called_back_outside(library, f))
}

#[cfg(feature = "mpi")]
fn called_back_outside<R>(library: Vec<Interval>, f: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own, and so is the recorder, unless the program ends meanwhile. The call that is being observed uses neither before the
    // library has returned to it.
    unsafe {
        let before = ((*block).depth, (*block).pc, (*block).sp);
        let (Some(session), Some(recorder), true) = (SESSION.get(), (*block).recorder.as_mut(), before.0 <= 1) else {
            return unobserved(f);
        };
        if recorder.follows_tasks() {
            return unobserved(f);
        }
        let (calling, call) = (recorder.calling, recorder.stack.called());
        let spared = recorder.spare(library);
        // As if the function that called the library had called this one.
        if call.0 != 0 {
            let entry = thrille_runtime::stacks::Entering { call: call.0, sp: call.1, function: 0 };
            session.enter_function(recorder, entry, |_| false);
        }
        recorder.stack.in_call(0, 0);
        let resumed = confirm::resume((*block).local, before.0 > 0);
        (*block).depth = 0;
        let result = f();
        ((*block).depth, (*block).pc, (*block).sp) = before;
        confirm::go_back((*block).local, resumed.as_ref());
        if let Some(recorder) = (*block).recorder.as_mut() {
            if call.0 != 0 {
                recorder.leave();
            }
            recorder.stack.in_call(call.0, call.1);
            recorder.calling = calling;
            recorder.spare(spared);
        }
        result
    }
}

/// How a process comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program finalised its library.
    Regular,
    /// It did not; the others may come to their end in the same way.
    Early,
    /// The others wait inside their library, and will not come to a last exchange.
    Abort,
}

/// How long a rank of an MPI program that ends early waits for the others to do so too.
const WAIT_FOR_OTHERS: Duration = Duration::from_secs(3);

/// The last exchange.
pub fn finish(ending: Ending) {
    if !Maker::Itself.begins() {
        return;
    }
    drop(observe());
    confirm::over();
    if let (Some(session), Some(mut recorder)) = (SESSION.get(), detach()) {
        tell_before_the_end(session);
        unobserved(|| match ending {
            Ending::Regular => session.finish(&mut recorder, true),
            Ending::Early => {
                if cfg!(feature = "mpi") {
                    session.hurry(WAIT_FOR_OTHERS);
                }
                session.finish(&mut recorder, false);
            }
            Ending::Abort => session.abandon(Some(&mut recorder)),
        });
        say_failure(session);
    }
}

/// For who reads the report of a program that ends in such a way.
#[cfg(feature = "mpi")]
const NO_FINALIZE: &str = "a rank ended without MPI_Finalize: call it in every rank, or mpirun ends the others";

fn tell_before_the_end(session: &Session<Link>) {
    unobserved(sampled::tell);
    if INSTRUMENTED.load(Ordering::Relaxed) {
        session.is_instrumented();
    }
}

fn say_failure(session: &Session<Link>) {
    if let Some(error) = session.failure() {
        let rank = std::env::var(ENV_RANK).ok().and_then(|rank| rank.parse().ok()).unwrap_or(0);
        complain(rank, &format!("what was found could not be written down: {error}; the report lacks it"));
    }
}

/// The last exchange, made by a thread of the detector's own for the one whose recorder this is; within that time. See [`last`].
pub fn last_exchange(recorder: &mut Recorder, within: Duration) {
    if let (Some(session), false) = (SESSION.get(), !Maker::Listener.begins()) {
        tell_before_the_end(session);
        session.hurry(within);
        session.finish(recorder, false);
        say_failure(session);
    }
}

/// The job ends, and this rank's thread does not come to a place where its part of the last exchange could be made: the others go on without it.
pub fn give_up() {
    if let (Some(session), false) = (SESSION.get(), !Maker::Listener.begins()) {
        session.abandon(None);
    }
}

/// What to do before the last exchange of a process that ends without finalising its library: the others must not wait for it there.
pub static LEAVING: OnceLock<unsafe extern "C" fn(c_int)> = OnceLock::new();

unsafe extern "C" {
    fn on_exit(f: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// A process that the program forks is no rank: it has nothing to tell, least of all in its parent's name.
unsafe extern "C" fn in_child() {
    OVER.store(Maker::Itself as u8, Ordering::Release);
    // SAFETY: the block is that of the only thread there is.
    unsafe {
        (*block()).recorder = std::ptr::null_mut();
        set_known(None);
    }
}

extern "C" fn at_exit(status: c_int, _argument: *mut c_void) {
    if let (Some(leaving), 0) = (LEAVING.get(), OVER.load(Ordering::Acquire)) {
        // SAFETY: a function of the communication library that takes the status.
        unsafe { leaving(status) };
    }
    #[cfg(feature = "mpi")]
    {
        if std::env::var_os(ENV_HUB).is_none() {
            // Over MPI nobody can be waited for with an end in sight.
            return finish(Ending::Abort);
        }
        if let (Some(session), false) = (SESSION.get(), is_over()) {
            session.note(NO_FINALIZE.into());
        }
        if last::call(last::Call::Leaves) {
            return;
        }
    }
    finish(Ending::Early);
}

/// The job ends early: what was observed so far is looked at with whoever is still there.
#[cfg(feature = "shmem")]
pub extern "C" fn on_abort() {
    finish(Ending::Early);
}

/// How many ranks take part, through the transport: for agreeing on something at the start.
pub fn agree(link: &mut Link, said: &str) -> Option<Vec<Option<Vec<u8>>>> {
    link.round(thrille_transport::Outbox::new().all(said)).ok().map(|inbox| inbox.all)
}
