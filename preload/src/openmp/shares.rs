//! Fair shares: of work that goes to whoever comes first, each thread of a team gets something before another one gets more.
//!
//! A thread that runs both iterations of a dynamic loop that race, or both of two `single` regions, runs them in its order: there is nothing to be seen then. In a short loop that is
//! the rule, because the first thread is through before the others have woken up. But two parts of such work cannot be taken to be unordered *because* another thread might have run the
//! second: each may use what its thread has for itself, memory of its own or a slot that it took before. So it is seen to that another thread does:
//!
//! * who was given its first chunk of a loop waits until the others of its team have been given one too, or found none left;
//! * of the `single` regions between two barriers the first goes to the last thread of the team, the next to the one before, and so on, so that two of them are run by two threads, and by another one
//!   than the code of the master where there is one; each time that a region is run it begins with another thread;
//! * clang's sections, which are shared out beforehand, go to the threads in that order too;
//! * gcc's go to the threads but the master, whose own code may follow, one after the other; who is bound to go on as it left the last one comes after all others, the master too.
//!
//! All for a while at most, the first few times that a region is run, and only where everything is looked at, or where a race is to happen again: who had which share then has it now. The order of who comes first is nobody's promise.
//! A while is counted by the clock and by turns at the processor: where many want it, half a second may be over before the others have had theirs.
//!
//! Where a race is to happen again, a thread may be held at one side of it, and whoever waits here for that thread to take its share may be the one that is to come to the other side. Its turn
//! passes to the next.

use super::abi::{CHUNK, Data};
use super::tasks::{Region, Task, kept, lock};
use super::{current, serial};
use crate::confirm::CONFIRMING;
use crate::entry::{Looks, block};
use crate::real::Real;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a region is run with fair shares.
const TIMES: u32 = 8;
/// Constructs of a region that have them.
const CONSTRUCTS: usize = 16;
/// How long a thread waits for the others.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it looks for them, at least. It lets others have the processor each time: where many want it, all have had it as often by then.
const LOOKS: u32 = 60;
/// How long until somebody who stands at a live place is taken to be held there.
const HELD: Duration = Duration::from_millis(16);
/// How long the threads of a process do so in all, in microseconds.
static LEFT: AtomicU64 = AtomicU64::new(2_000_000);

/// What a region counts for them.
#[derive(Default)]
pub struct Shares {
    /// How many threads have had a chunk of each loop, or found none.
    had: [AtomicU64; CONSTRUCTS],
    /// gcc's sections.
    sections: [Sections; CONSTRUCTS],
    /// How many have come past each `single`.
    past: [AtomicU64; CONSTRUCTS],
    /// Of how many.
    team: AtomicU64,
    /// The threads that stand at a live place: a bit each.
    held: AtomicU64,
    /// How often the region was run before.
    before: u64,
}

/// A construct of sections that go to whoever asks.
#[derive(Default)]
struct Sections {
    given: AtomicU64,
    /// The threads whose next one would be their own: a bit each.
    led: AtomicU64,
}

impl Sections {
    /// Who gets the next one, of a team and counted from a turn, but for those who are held.
    fn next(&self, team: u64, turn: u64, held: Threads) -> u64 {
        let (given, led) = (self.given.load(Ordering::Relaxed), Threads(self.led.load(Ordering::Relaxed)));
        let others = team - 1;
        let in_turn = (0..others).map(|step| others - (given + turn + step) % others).chain([0]);
        let in_turn = in_turn.filter(|&thread| !held.has(thread));
        in_turn.clone().find(|&thread| !led.has(thread)).or_else(|| in_turn.clone().next()).unwrap_or(0)
    }
}

/// The most threads of a team that are told apart.
const MOST: u64 = 64;

/// Some threads of a team: a bit each.
#[derive(Clone, Copy, Default)]
struct Threads(u64);

impl Threads {
    fn of(thread: u64) -> Self {
        Self(if thread < MOST { 1 << thread } else { 0 })
    }

    fn has(self, thread: u64) -> bool {
        self.0 & Self::of(thread).0 != 0
    }

    fn count(self) -> u64 {
        self.0.count_ones().into()
    }
}

impl Shares {
    /// For a region of this code, if it is one of the first times.
    pub fn of(code: *const c_void) -> Option<Box<Self>> {
        static RUN: Mutex<Option<FxHashMap<usize, u32>>> = Mutex::new(None);
        // SAFETY: the block is this thread's own.
        let all = unsafe { (*block()).looks } == Looks::All || CONFIRMING.load(Ordering::Relaxed);
        if !all || LEFT.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut run = lock(&RUN);
        let times = run.get_or_insert_default().entry(code as usize).or_default();
        *times += 1;
        (*times <= TIMES).then(|| Box::new(Self { before: u64::from(*times) - 1, ..Self::default() }))
    }

    /// How many there are in the team.
    pub fn team_is(&self, count: u64) {
        self.team.store(count, Ordering::Relaxed);
    }
}

/// What a thread of a team remembers of its own.
#[derive(Default)]
pub struct Part {
    /// The last loop that it has had a chunk of.
    served: AtomicU64,
    /// The `single` regions that it came past, and the constructs of gcc's sections.
    singles: AtomicU64,
    sections: AtomicU64,
    /// How many of them before the last barrier after which it came to one, and the number of that barrier.
    earlier: AtomicU64,
    since: AtomicU64,
}

impl Shares {
    /// Waits for something that others do, but for those who are held.
    fn wait_until(&self, done: impl Fn(Threads) -> bool) {
        let nobody = Threads::default();
        let patience = PATIENCE.min(Duration::from_micros(LEFT.load(Ordering::Relaxed)));
        if patience.is_zero() || done(nobody) {
            return;
        }
        let since = Instant::now();
        for look in 0.. {
            let waited = since.elapsed();
            let held = if waited < HELD { nobody } else { Threads(self.held.load(Ordering::Relaxed)) };
            if done(held) || waited >= patience && look >= LOOKS {
                break;
            }
            std::thread::yield_now();
        }
        let waited = since.elapsed().min(patience).as_micros() as u64;
        let _ = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(waited)));
    }
}

/// The calling thread stands at a live place while this runs, and may be held there.
pub fn held<R>(stands: impl FnOnce() -> R) -> R {
    let task = current::task();
    let Some((shares, task)) = task.as_deref().and_then(|task| Some((of(task)?, task))) else { return stands() };
    let me = Threads::of(task.index.into());
    shares.held.fetch_or(me.0, Ordering::Relaxed);
    let result = stands();
    shares.held.fetch_and(!me.0, Ordering::Relaxed);
    result
}

/// Those of the region that an implicit task is its thread's part of.
fn of(task: &Task) -> Option<&Shares> {
    task.region.as_deref().filter(|_| !task.is_explicit()).and_then(|region: &Region| region.shares.as_deref())
}

/// An implicit task has been given a chunk of the loop that it is in.
fn given(task: &Task) {
    if let (Some(had), Some(shares)) = (count(task), of(task)) {
        let team = shares.team.load(Ordering::Relaxed);
        shares.wait_until(|held| had.load(Ordering::Relaxed) + held.count() >= team);
    }
}

/// It leaves the loop, maybe without any.
pub fn leaves(task: &Task) {
    count(task);
}

/// Counts it as one that has had its share, if it was not before.
fn count(task: &Task) -> Option<&AtomicU64> {
    let number = task.loops.load(Ordering::Relaxed);
    let had = of(task)?.had.get(number as usize)?;
    (task.shares.served.swap(number, Ordering::Relaxed) != number).then(|| {
        had.fetch_add(1, Ordering::Relaxed);
        had
    })
}

/// Comes to a `single`; `real` tells whether it is this thread's.
fn single<R>(real: impl FnOnce() -> R) -> R {
    let task = current::task();
    let past = task.as_deref().and_then(|task| {
        let number = task.shares.singles.fetch_add(1, Ordering::Relaxed);
        let barrier = task.barrier.load(Ordering::Relaxed);
        if task.shares.since.swap(barrier, Ordering::Relaxed) != barrier {
            task.shares.earlier.store(number, Ordering::Relaxed);
        }
        let shares = of(task)?;
        let turn = shares.before + number - task.shares.earlier.load(Ordering::Relaxed);
        let team = shares.team.load(Ordering::Relaxed).max(1);
        let whose = team - 1 - turn % team;
        let past = shares.past.get(number as usize)?;
        if u64::from(task.index) != whose {
            shares.wait_until(|held| past.load(Ordering::Relaxed) > 0 || held.has(whose));
        }
        Some(past)
    });
    let Some(past) = past else { return real() };
    let runs = real();
    past.fetch_add(1, Ordering::Relaxed);
    runs
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __kmpc_single(at: *mut c_void, thread: c_int) -> c_int {
    static REAL: Real = Real::new(b"__kmpc_single\0");
    single(|| match REAL.get() {
        0 => 1,
        // SAFETY: forwards the program's own arguments to the runtime's function of this name and type.
        address => unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void, c_int) -> c_int>(address)(at, thread)
        },
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn GOMP_single_start() -> bool {
    static REAL: Real = Real::new(b"GOMP_single_start\0");
    single(|| match REAL.get() {
        0 => true,
        // SAFETY: the runtime's function of this name has this type.
        address => unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> bool>(address)() },
    })
}

thread_local! {
    /// This thread asks for a section, which the runtime tells as a chunk of a loop.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread asks for one of so many sections; `led` if it would be its own, because of the last one; `real` gives it one, or 0.
pub fn section(count: u64, led: bool, real: impl FnOnce() -> c_uint) -> c_uint {
    let Some(task) = current::task() else { return real() };
    let number = task.shares.sections.load(Ordering::Relaxed);
    let construct = of(&task).and_then(|shares| Some((shares, shares.sections.get(number as usize)?)));
    let Some((shares, sections)) = construct else { return real() };
    let (team, me) = (shares.team.load(Ordering::Relaxed), u64::from(task.index));
    if !(2..MOST).contains(&team) {
        return real();
    }
    if led {
        sections.led.fetch_or(Threads::of(me).0, Ordering::Relaxed);
    }
    let given = || sections.given.load(Ordering::Relaxed) >= count;
    shares.wait_until(|held| given() || sections.next(team, shares.before, held) == me);
    ASKS.set(true);
    let section = real();
    ASKS.set(false);
    sections.given.fetch_add(1, Ordering::Relaxed);
    section
}

/// The calling thread has left a construct of sections.
pub fn leaves_sections() {
    if let Some(task) = current::task() {
        task.shares.sections.fetch_add(1, Ordering::Relaxed);
    }
}

/// Gives clang's sections, which the runtime has numbered, to the threads of the team in another order: each has what another one would have had.
fn share_sections(all: (c_int, c_int), last: &mut c_int, lower: &mut c_int, upper: &mut c_int) {
    let Some(task) = current::task() else { return };
    let Some(shares) = of(&task) else { return };
    let team = shares.team.load(Ordering::Relaxed).max(1) as i64;
    let count = i64::from(all.1) - i64::from(all.0) + 1;
    let place = (team - 1 - i64::from(task.index) + shares.before as i64) % team;
    let (each, more) = (count / team, count % team);
    let first = i64::from(all.0) + place * each + place.min(more);
    *lower = first as c_int;
    *upper = (first + each - i64::from(place >= more)) as c_int;
    *last = c_int::from(place == count.min(team) - 1);
}

/// The bounds of what a thread has of a loop, or of sections.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn __kmpc_for_static_init_4() {
    core::arch::naked_asm!(
        "test rdi, rdi",
        "je 2f",
        "test dword ptr [rdi + 4], {sections}",
        "jne {share}",
        "2:",
        "sub rsp, 8",
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9",
        "call {real}",
        "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "add rsp, 8",
        "test rax, rax",
        "je 3f",
        "jmp rax",
        "3:",
        "ret",
        sections = const WORK_SECTIONS,
        share = sym static_sections,
        real = sym static_init,
    )
}

/// Of a construct of sections, in the flags that the compiler describes it by.
const WORK_SECTIONS: c_int = 0x400;
static STATIC_INIT: Real = Real::new(b"__kmpc_for_static_init_4\0");

extern "C" fn static_init() -> usize {
    STATIC_INIT.get()
}

#[allow(clippy::too_many_arguments, reason = "as the compiler has it")]
unsafe extern "C" fn static_sections(
    at: *mut c_void,
    thread: c_int,
    schedule: c_int,
    last: *mut c_int,
    lower: *mut c_int,
    upper: *mut c_int,
    stride: *mut c_int,
    step: c_int,
    chunk: c_int,
) {
    /// Each thread has one part.
    const STATIC: c_int = 34;
    type Init =
        unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int, c_int, c_int);
    let address = STATIC_INIT.get();
    if address == 0 {
        return;
    }
    // SAFETY: forwards the program's own arguments to the runtime's function of this name and type; the compiler's variables are the calling thread's own.
    unsafe {
        let all = (*lower, *upper);
        std::mem::transmute::<usize, Init>(address)(at, thread, schedule, last, lower, upper, stride, step, chunk);
        if schedule == STATIC && step == 1 && !last.is_null() && !serial::on() {
            share_sections(all, &mut *last, &mut *lower, &mut *upper);
        }
    }
}

/// A thread is given something of a construct.
pub unsafe extern "C" fn dispatch(_region: *mut Data, task: *mut Data, kind: c_int, _instance: Data) {
    if kind != CHUNK || serial::on() || ASKS.get() {
        return;
    }
    // SAFETY: the word of a task holds a `Task`, as for all callbacks.
    if let Some(task) = unsafe { kept::<Task>(task) } {
        given(&task);
    }
}
