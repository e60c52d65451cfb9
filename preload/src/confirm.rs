//! A run that confirms races: strands stop at the two sides of a predicted race and go on when the coordinator says so.
//!
//! | module | has |
//! |---|---|
//! | [`called_back`] | strands in functions that the communication library calls back |
//! | [`live`] | which return addresses are live: a map that every hook looks at, and what it stands for |
//! | [`strand`] | what a strand carries: its seat at the client, how often it has been where |
//! | [`spans`] | operations of this rank that are under way at live places |
//!
//! Rules: a strand asks *before* it acts, and before it completes what is under way; so what the coordinator takes for present is. What is
//! not live costs a hook one look at a map and a call two stores. If the coordinator is gone, nobody is stopped any more.

#[cfg(feature = "mpi")]
mod called_back;
mod live;
mod spans;
mod strand;

#[cfg(feature = "mpi")]
pub use called_back::{go_back, is_called_back, resume};
pub use live::Address;
pub use spans::{Span, Until};
pub use strand::Local;

use crate::entry::block;
use crate::loaded;
use crate::openmp;
use crate::rank::{Observed, THREADED, Told, complain, is_foreign, unobserved};
use crate::signals::interruptible;
use crate::sites;
use live::{GATE, Latest, Live};
use spans::Spans;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use thrille_model::job::ENV_TOKEN;
use thrille_model::{
    Access, Act, Comb, Ctx, Interval, Kind, LocksetId, Order, Phase, Phases, Place, Rank, Segment, Site, StackId,
    Strand,
};
use thrille_phase2::client::{Client, Go};
use thrille_phase2::protocol::{Arrival, ENV_COORDINATOR};
use thrille_phase2::schedule::{TaskName, Turn};
use thrille_runtime::{End, Module, Operands, Recorder, UNRESOLVED};
use thrille_transport::Token;

/// What a strand that is held does meanwhile: others may wait for its library to work on what they want of it.
#[cfg(feature = "mpi")]
#[allow(clippy::unnecessary_wraps, reason = "not every library needs it")]
fn idle() -> Option<fn(Strand)> {
    Some(crate::mpi::idle)
}
#[cfg(not(feature = "mpi"))]
use crate::shmem::idle;

/// This process takes part in such a run.
pub static CONFIRMING: AtomicBool = AtomicBool::new(false);

/// The part of it that needs a coordinator.
static CONFIRM: OnceLock<Confirm> = OnceLock::new();

struct Confirm {
    rank: u32,
    client: Arc<Client>,
    /// Live places of the files that are loaded now, of which strands have copies; and these files.
    live: RwLock<Arc<Live>>,
    modules: RwLock<Vec<Module>>,
    spans: Spans,
    /// Windows and what is attached to them, as addresses of this process: start and end.
    objects: Mutex<Vec<(u64, u64)>>,
}

/// Joins the run, if this is one; true if it is.
pub fn join(told: &Told) -> bool {
    let Ok(address) = std::env::var(ENV_COORDINATOR) else { return false };
    CONFIRMING.store(true, Ordering::Release);
    if let Err(error) = connect(told, &address) {
        complain(told.rank, &format!("races are not confirmed in this rank: {ENV_COORDINATOR}={address}: {error}"));
    }
    true
}

fn connect(told: &Told, address: &str) -> Result<(), String> {
    let at = address.parse().map_err(|_| "not an address; start the program with thrille confirm")?;
    let token = std::env::var(ENV_TOKEN).ok().and_then(|text| text.parse::<Token>().ok());
    let token = token.ok_or_else(|| format!("{ENV_TOKEN} is no token; start the program with thrille confirm"))?;
    let (client, stream) = Client::connect(at, &token, (told.rank, told.size), idle())
        .map_err(|error| format!("no coordinator there: {error}"))?;
    let listener = Arc::clone(&client);
    // Signals are for the program's own threads.
    let masked = Masked::new();
    let spawned =
        std::thread::Builder::new().name("thrille".into()).spawn(move || listener.listen(stream, switched_off));
    drop(masked);
    spawned.map_err(|error| format!("no thread to listen to it: {error}"))?;
    let (live, modules) = Default::default();
    let confirm =
        Confirm { rank: told.rank, client, live, modules, spans: Spans::default(), objects: Mutex::default() };
    if CONFIRM.set(confirm).is_ok() {
        loaded_more();
    }
    Ok(())
}

/// Files have been loaded: what is live in them is so from now on.
pub fn loaded_more() {
    let Some(confirm) = CONFIRM.get() else { return };
    unobserved(|| {
        let modules = loaded::modules();
        let places = live::addresses(confirm.client.live(), &modules);
        let stops = |&(.., index): &Address| confirm.client.live()[index as usize].stops(confirm.rank);
        let live = Arc::new(Live::new(places.iter().copied().filter(stops)));
        live.arm();
        // All ranks run the same copies of functions: in the one, calls are at other addresses than in the other.
        let places: Vec<_> = places.into_iter().filter(|&(.., index)| confirm.client.is_live(index)).collect();
        sites::arm(&places, &modules);
        *confirm.modules.write().unwrap_or_else(PoisonError::into_inner) = modules;
        *confirm.live.write().unwrap_or_else(PoisonError::into_inner) = live;
        live::changed();
    });
}

/// Nothing is left to be found at some places.
fn switched_off() {
    if let Some(confirm) = CONFIRM.get() {
        sites::disarm(|place| confirm.client.is_live(place));
    }
}

/// All signals are blocked while it lives, for threads that are made meanwhile.
struct Masked(libc::sigset_t);

impl Masked {
    fn new() -> Self {
        // SAFETY: fills sets of our own and changes the calling thread's mask.
        unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self(before)
        }
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        // SAFETY: restores what was there.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

/// A strand begins in a phase: what it carries, or null.
pub fn begin(strand: Strand, phase: Phase) -> *mut Local {
    CONFIRM.get().map_or(std::ptr::null_mut(), |confirm| {
        let seat = confirm.client.begin(strand);
        let late = confirm.client.late(strand);
        let mut local = Box::new(Local::new(seat, late, confirm.client.live().len(), confirm.live()));
        confirm.comes_to(&mut local, phase);
        Box::into_raw(local)
    })
}

/// A strand will begin soon: others may wait for it.
pub fn announce(strand: Strand) {
    if let Some(confirm) = CONFIRM.get() {
        confirm.client.announce(strand);
    }
}

/// It ends.
pub fn end_strand(local: *mut Local) {
    if let (Some(confirm), false) = (CONFIRM.get(), local.is_null()) {
        // SAFETY: the box that `begin` made, taken out of the thread's block.
        let local = unsafe { Box::from_raw(local) };
        confirm.client.end(&local.seat);
    }
}

/// The program ends: nobody is stopped any more.
pub fn over() {
    if let Some(confirm) = CONFIRM.get() {
        unobserved(|| confirm.client.bye());
        live::disarm();
    }
}

/// A strand enters a call that may wait for others.
pub fn enter_call(local: *mut Local) {
    if let Some(confirm) = CONFIRM.get() {
        // SAFETY: the calling thread's own.
        let local = unsafe { &mut *local };
        confirm.pay(local);
        confirm.client.enter(&local.seat);
    }
}

/// It is back from it; in which phase, if that may have changed.
pub fn leave_call(local: *mut Local, phase: Option<Phase>) {
    if let Some(confirm) = CONFIRM.get() {
        // SAFETY: the calling thread's own.
        let local = unsafe { &mut *local };
        let mine = Until::Return(local.seat.strand());
        confirm.complete(local, |span| span.until == mine);
        confirm.client.leave(&local.seat);
        // What it was let go for in this call, it may do behind it: its next step says that it is done.
        if let Some(phase) = phase {
            confirm.comes_to(local, phase);
        }
    }
}

/// Runs something of the C library that may wait for other threads. Nothing is told of what the communication library does for itself: it takes locks
/// inside `malloc`, where nothing may be allocated, and nobody be kept.
pub fn waiting<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the calling thread's own.
    let local = unsafe { (*block()).local };
    // SAFETY: as above; inside a call of the program's that is told of already, there is nothing to tell.
    if local.is_null() || unsafe { (*block()).depth > 0 } || is_foreign() {
        return interruptible(f);
    }
    unobserved(|| enter_call(local));
    let result = interruptible(f);
    // The thread may have been detached meanwhile.
    // SAFETY: the calling thread's own.
    let local = unsafe { (*block()).local };
    if !local.is_null() {
        unobserved(|| leave_call(local, None));
    }
    result
}

/// A shorter sleep ends before those who are held have waited in vain: who sleeps so is on its way, and waits for nobody.
const NAP: Duration = Duration::from_millis(50);

/// Sleeps, so long if that is known.
pub fn sleeping<R>(long: Option<Duration>, f: impl FnOnce() -> R) -> R {
    if long.is_some_and(|long| long <= NAP) { interruptible(f) } else { waiting(f) }
}

/// Memory with offsets of its own, from an address on.
#[cfg(feature = "mpi")]
pub fn object(start: u64, len: u64) {
    if let Some(confirm) = CONFIRM.get() {
        let mut objects = confirm.objects.lock().unwrap_or_else(PoisonError::into_inner);
        objects.push((start, start.saturating_add(len)));
    }
}

/// This rank's part of a window.
#[cfg(feature = "mpi")]
pub fn window(number: u32, base: u64) {
    if let Some(confirm) = CONFIRM.get() {
        confirm.client.window(number, base);
    }
}

/// Whether it waits at this place: the look at the map.
#[inline(always)]
pub fn waits_at(pc: u64) -> bool {
    GATE.open(pc)
}

/// A load or store at such a place.
pub fn hook(address: u64, len: u64, comb: Comb, kind: Kind, act: Act, pc: u64) {
    let block = block();
    // SAFETY: the block, what the strand carries and its recorder are this thread's own; at depth 0 nobody in this thread uses them, and
    // depth keeps it so.
    unsafe {
        if (*block).local.is_null() || (*block).recorder.is_null() || (*block).depth > 0 {
            return;
        }
        (*block).depth = 1;
        if let Some(confirm) = CONFIRM.get() {
            let touched = |recorder: &mut Recorder| Touched { comb, ..Touched::at(address, len, kind, act, recorder) };
            confirm.stand(&mut *(*block).local, &mut *(*block).recorder, (act, pc), None, touched);
        }
        (*block).depth = 0;
    }
}

/// An access in a call that is over when the call is.
pub fn point(o: &mut Observed, address: u64, len: u64, kind: Kind, act: Act) {
    if len > 0 {
        // The buffers of a collective are in use until its call returns.
        let lasts = (act == Act::Collective).then(|| Until::Return(o.recorder.strand()));
        stand_in(o, act, lasts, |recorder| Touched::at(address, len, kind, act, recorder));
    }
}

/// One end of an operation that is about to be issued.
pub fn end(o: &mut Observed, end: End, lasts: Operands) {
    let End { owner, segment, lo, len, kind, act, .. } = end;
    let segment = if segment == UNRESOLVED { Segment::Private } else { segment };
    let operation = match lasts {
        // Whoever sees its signal comes after it: it is there as long as its strand stands before it.
        Operands::Done | Operands::Until(_, Order::Signalled(_)) => None,
        Operands::Until(ctx, order) => Some(Until::Context(ctx, order)),
    };
    // What a fence has put ahead of this is there before it.
    completing(o, |span| span.fenced && span.target() == Some(owner));
    stand_in(o, act, operation, |_| Touched { spared: false, owner, segment, lo, len, comb: Comb::SOLID, kind, act });
}

fn stand_in(o: &mut Observed, act: Act, operation: Option<Until>, touched: impl Fn(&mut Recorder) -> Touched) {
    let pc = o.pc;
    // SAFETY: the calling thread's own; the call that is observed keeps others in this thread from it.
    let local = unsafe { (*block()).local.as_mut() };
    if let (Some(confirm), Some(local), true) = (CONFIRM.get(), local, GATE.open(pc)) {
        confirm.stand(local, o.recorder, (act, pc), operation, touched);
    }
}

/// Operations of this rank are about to be completed, or ordered.
pub fn completing(_o: &mut Observed, which: impl Fn(&Span) -> bool) {
    // SAFETY: the calling thread's own; the call that is observed keeps others in this thread from it.
    let local = unsafe { (*block()).local.as_mut() };
    if let (Some(confirm), Some(local)) = (CONFIRM.get(), local) {
        confirm.complete(local, which);
    }
}

/// A fence: what is under way is ordered before what goes to the same target later. Stores are not told of: where the program can store, they may come next.
pub fn fenced(o: &mut Observed, ctx: Ctx) {
    if let Some(confirm) = CONFIRM.get() {
        let me = o.recorder.strand().rank;
        let stored_to = |target| target == me || confirm.spans.is_stored_to(target);
        completing(o, |span| span.goes_by(ctx) && span.target().is_some_and(stored_to));
        confirm.spans.fence(ctx);
    }
}

/// The program has a pointer to memory of a rank.
#[cfg(feature = "shmem")]
pub fn stores_to(rank: Rank) {
    if let Some(confirm) = CONFIRM.get() {
        confirm.spans.stores_to(rank);
    }
}

/// Whether a return address is live.
pub fn is_live(pc: u64) -> bool {
    CONFIRM.get().is_some_and(|confirm| GATE.open(pc) && !confirm.live().live.at(pc).is_empty())
}

/// Which bytes are touched, how.
struct Touched {
    /// They are the library's own, which has called the program back.
    spared: bool,
    owner: Rank,
    segment: Segment,
    lo: u64,
    len: u64,
    /// Which of them.
    comb: Comb,
    kind: Kind,
    act: Act,
}

impl Touched {
    fn at(address: u64, len: u64, kind: Kind, act: Act, recorder: &mut Recorder) -> Self {
        let spared = recorder.spares(address, address.saturating_add(len));
        let (owner, segment, lo) = match recorder.locate(address) {
            Some((owner, segment, offset, _)) => (owner, segment, offset),
            None => (recorder.strand().rank, Segment::Private, address),
        };
        Self { spared, owner, segment, lo, len, comb: Comb::SOLID, kind, act }
    }
}

impl Confirm {
    fn live(&self) -> Latest {
        let number = live::changes();
        Latest { number, live: Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner)) }
    }

    /// A strand is in this phase now: if it is to be late in it, it waits for the others.
    fn comes_to(&self, local: &mut Local, phase: Phase) {
        if local.late.is_some_and(|late| late <= phase.0) {
            local.late = None;
            self.client.wait_for_others(&local.seat);
        }
    }

    /// Waits to be let into the completion of what is under way.
    fn complete(&self, local: &mut Local, which: impl Fn(&Span) -> bool) {
        let numbers = self.spans.take(which);
        if !numbers.is_empty() {
            let go = openmp::shares::held(|| self.client.completing(&local.seat, numbers));
            owe(local, go);
        }
    }

    /// A strand is about to do something: if that is at a live place, it asks. Nearly all executions of a live place in a loop are others than those
    /// that are looked for: what they touch is asked for last. Each counts, whatever it touches and whatever is live besides, so that its number is the
    /// same in every run.
    fn stand(
        &self,
        local: &mut Local,
        recorder: &mut Recorder,
        (act, pc): (Act, u64),
        lasts: Option<Until>,
        touched: impl Fn(&mut Recorder) -> Touched,
    ) {
        self.pay(local);
        for next in 0.. {
            // Files may be loaded while it waits.
            if local.latest.is_old() {
                local.latest = self.live();
            }
            let Some((of, index)) = local.latest.live.at(pc).get(next).copied() else { return };
            if of != act {
                continue;
            }
            let task = openmp::turns::current();
            let times = local.executes(index, task);
            let site = &self.client.live()[index as usize];
            let (strand, phase) = (recorder.strand(), recorder.phase().0);
            let mine = |turn: &Turn| turn.includes(strand, task, times);
            let wanted = |offset| site.wanted.iter().any(|wanted| wanted.includes(strand.rank.0, offset, phase));
            if !self.client.is_live(index)
                || site.only.as_ref().is_some_and(|turns| !turns.iter().any(mine))
                || !wanted(None)
            {
                continue;
            }
            let touched = touched(recorder);
            let offset = self.offset(recorder, &touched);
            let private = touched.segment == Segment::Private && offset.is_none();
            // Nobody else can be there.
            let alone = private && lasts.is_none() && !THREADED.load(Ordering::Relaxed) && self.spans.none();
            if !alone && !touched.spared && wanted(offset) && !local.backs_off(index) {
                self.ask(local, recorder, &touched, lasts, (index, task, times), pc);
            }
        }
    }

    /// Asks, and waits to be let go.
    fn ask(
        &self,
        local: &mut Local,
        recorder: &Recorder,
        touched: &Touched,
        lasts: Option<Until>,
        (index, task, times): (u32, Option<TaskName>, u32),
        pc: u64,
    ) {
        let Ok(bytes) = Interval::from_len(touched.lo, touched.len) else { return };
        let access = Access {
            place: Place { owner: touched.owner, segment: touched.segment, bytes, comb: touched.comb },
            kind: touched.kind,
            strand: recorder.strand(),
            begin: recorder.pos(),
            span: lasts.map_or(thrille_model::Span::Point, Until::span),
            phases: Phases { lo: recorder.phase(), hi: None },
            locks: LocksetId::EMPTY,
            act: touched.act,
            site: self.client.live()[index as usize].spot.0,
            stack: StackId(0),
            times: 1,
        };
        let number = lasts.map(|_| self.spans.number());
        let stack = self.stack(pc);
        let misses = local.misses(index);
        let arrival = Arrival { live: index, task, times, misses, access, operation: number, stack };
        let go = openmp::shares::held(|| self.client.arrive(&local.seat, arrival));
        if let (Some(number), Some(until)) = (number, lasts) {
            self.spans.add(Span { number, until, fenced: false });
        }
        if go.missed {
            local.missed(index);
        }
        owe(local, go);
    }

    /// The offsets of some bytes in the object that they belong to, if that is the same in every run.
    fn offset(&self, recorder: &Recorder, touched: &Touched) -> Option<(u64, u64)> {
        let range = |lo: u64| Some((lo, lo.saturating_add(touched.len)));
        match touched.segment {
            Segment::Heap | Segment::Statics | Segment::Window(_) => range(touched.lo),
            Segment::Private if touched.owner == recorder.strand().rank => {
                let objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
                let holds = |&&(start, end): &&(u64, u64)| start <= touched.lo && touched.lo < end;
                objects.iter().rev().find(holds).and_then(|(start, _)| range(touched.lo - start))
            }
            Segment::Private | Segment::Block(_) | Segment::File(_) => None,
        }
    }

    /// Says that the strand has done what it was let go for, if it was asked to.
    fn pay(&self, local: &mut Local) {
        if std::mem::take(&mut local.owes) {
            self.live().live.narrow();
            if openmp::shares::held(|| self.client.passed(&local.seat)) {
                switched_off();
            }
        }
    }

    /// The callers, innermost first.
    fn stack(&self, pc: u64) -> Vec<Site> {
        const DEEPEST: usize = 48;
        unsafe extern "C" {
            fn backtrace(into: *mut *mut libc::c_void, most: libc::c_int) -> libc::c_int;
        }
        let mut frames = [std::ptr::null_mut(); DEEPEST];
        // SAFETY: fills an array of that length.
        let found = unsafe { backtrace(frames.as_mut_ptr(), DEEPEST as libc::c_int) }.max(0) as usize;
        let addresses: Vec<u64> = frames[..found].iter().map(|&frame| frame as u64).collect();
        let from = addresses.iter().position(|&address| address == pc).map_or(addresses.len(), |at| at + 1);
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        addresses[from..].iter().filter_map(|&address| live::site(&modules, address)).collect()
    }
}

/// Notes that a strand is to say when it has gone on.
fn owe(local: &mut Local, go: Go) {
    if go.report && !std::mem::replace(&mut local.owes, true) {
        // Its next hook or call does so.
        live::widen();
    }
}
