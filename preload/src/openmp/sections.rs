//! gcc's sections: whichever thread comes first takes the next one, so that one thread may have carried out two which the next run gives to two.
//!
//! Each section is a strand of its own: it comes after what its thread did before the construct, and what follows the construct comes after it. A section that
//! uses what its thread has for itself is bound to the thread, as a task is. What the thread has on its stack begins another life with each.
//!
//! That is right only if another thread in the same place would come to the same memory. A thread that has asked for memory or for its number in the region, taken a lock, a number in
//! line or a part of other work, may have a pointer to what is its own, which no other thread would have: its sections are its own too, from there on. For them,
//! and for all others, there are [`shares`](super::shares).

use super::current;
use super::strand::{SLACK_ABOVE, Thread, tell, thread, thread_is, token};
use super::tasks::{Mark, names};
use super::{parallel, serial, shares};
use crate::real::Real;
use core::arch::naked_asm;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint};
use thrille_runtime::{Rank, Recorder, Role};

/// A construct that this thread is in.
struct Construct {
    /// In how many regions.
    level: c_int,
    /// What its sections come after.
    fork: Mark,
    /// What comes after those that the thread has carried out.
    ends: Vec<Mark>,
    /// While it is in one: what it was before.
    thread: Option<Role>,
    /// Where that one may have been led when it began.
    lead: u64,
    /// One has left something behind that the thread alone has.
    led: bool,
}

thread_local! {
    static CONSTRUCTS: RefCell<Vec<Construct>> = const { RefCell::new(Vec::new()) };
    /// Where this thread may have been led when its part of the region began.
    static LEAD: Cell<u64> = const { Cell::new(0) };
    /// Of how many sections the construct is that this thread has begun by a call.
    static COUNT: Cell<c_uint> = const { Cell::new(0) };
}

/// The thread's part of a region begins.
pub fn region_begins() {
    tell(|_, recorder| {
        thread_is(thread(recorder));
        LEAD.set(recorder.lead());
    });
}

/// Whether the next section is one that another thread would carry out as this one does.
fn is_anybodys(first: bool) -> bool {
    let mut same = false;
    if first {
        tell(|_, recorder| same = recorder.lead() == LEAD.get());
        return same;
    }
    CONSTRUCTS.with_borrow(|constructs| constructs.last().is_some_and(|construct| !construct.led))
}

/// The frame of the function that the sections are in, from the stack's present end on.
#[derive(Clone, Copy)]
struct Frame {
    sp: u64,
    base: u64,
}

impl Frame {
    /// Where it ends, if the function keeps its frame's address where it belongs, or those of its callers up to the region.
    fn end(self) -> Option<u64> {
        const LARGEST: u64 = 8 << 20;
        let ends = |base: &u64| *base > self.sp && *base - self.sp < LARGEST;
        let own = Some(self.base).filter(ends).map(|base| base + SLACK_ABOVE);
        own.max(current::frames_end().filter(ends))
    }
}

fn level() -> c_int {
    static REAL: Real = Real::new(b"omp_get_level\0");
    match REAL.get() {
        0 => 0,
        // SAFETY: the runtime's function of this name has this type.
        address => unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> c_int>(address)() },
    }
}

/// The thread is bound, or was by then: what its later doings come after.
fn passes(rank: &mut Rank, recorder: &mut Recorder, thread: &mut Thread) {
    if recorder.is_bound() {
        let mark = thread.next();
        rank.release(recorder, token(recorder, mark));
    }
}

fn renew(rank: &mut Rank, recorder: &mut Recorder, thread: &Thread, end: u64) {
    let (start, end) = thread.stack_below(end);
    rank.renew(recorder, start, end);
}

/// The thread comes to a section.
fn begins(frame: Frame) {
    let Some(end) = frame.end().filter(|_| !serial::on()) else { return };
    let first = !is_open();
    if !is_anybodys(first) {
        return;
    }
    if parallel::on() {
        parallel::section_begins(end, first);
    }
    let level = level();
    tell(|rank, recorder| {
        CONSTRUCTS.with_borrow_mut(|constructs| {
            let mut thread = thread(recorder);
            if first {
                let fork = (names(1), 1);
                rank.release(recorder, token(recorder, fork));
                constructs.push(Construct { level, fork, ends: Vec::new(), thread: None, lead: 0, led: false });
            }
            let Some(construct) = constructs.last_mut() else { return };
            let Some(role) = rank.task(recorder) else { return };
            passes(rank, recorder, &mut thread);
            renew(rank, recorder, &thread, end);
            construct.thread = Some(rank.play(recorder, role));
            rank.acquire(recorder, token(recorder, construct.fork));
            if let Some(mark) = thread.mark() {
                recorder.comes_after(token(recorder, mark));
            }
            construct.lead = recorder.lead();
            thread_is(thread);
        });
    });
}

/// It is done with the one that it was in, if any.
fn ends(frame: Frame) {
    if !is_anybodys(false) {
        return;
    }
    if parallel::on() {
        parallel::section_ends(frame.end());
    }
    let mut led = false;
    tell(|rank, recorder| {
        CONSTRUCTS.with_borrow_mut(|constructs| {
            let Some(construct) = constructs.last_mut() else { return };
            let Some(former) = construct.thread.take() else { return };
            let mut thread = thread(recorder);
            led = recorder.lead() != construct.lead;
            construct.led = led;
            let (at, bound) = (recorder.pos(), recorder.is_bound());
            passes(rank, recorder, &mut thread);
            let mark = (names(1), 1);
            rank.release(recorder, token(recorder, mark));
            construct.ends.push(mark);
            if let Some(end) = frame.end() {
                renew(rank, recorder, &thread, end);
            }
            let role = rank.play(recorder, former);
            rank.retire(&role, at);
            if let Some(mark) = thread.mark().filter(|_| bound) {
                rank.acquire(recorder, token(recorder, mark));
            }
            if led {
                // What the thread goes on with comes after this one.
                rank.acquire(recorder, token(recorder, mark));
            }
            thread_is(thread);
        });
    });
    if led && parallel::on() {
        parallel::sections_end();
    }
}

/// It leaves the construct.
fn leaves() {
    if parallel::on() && is_anybodys(false) {
        parallel::sections_end();
    }
    tell(|rank, recorder| {
        let Some(construct) = CONSTRUCTS.with_borrow_mut(Vec::pop) else { return };
        for mark in construct.ends {
            rank.acquire(recorder, token(recorder, mark));
        }
    });
}

fn is_open() -> bool {
    let level = level();
    CONSTRUCTS.with_borrow(|constructs| constructs.last().is_some_and(|construct| construct.level == level))
}

/// A function of the runtime whose caller's frame is passed on as well.
macro_rules! with_frame {
    ($( fn $name:ident = $to:ident; )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            naked_asm!("mov rsi, rsp", "mov rdx, rbp", "jmp {to}", to = sym $to)
        }
    )* };
}

with_frame! {
    fn GOMP_sections_start = start;
    fn GOMP_sections_next = next;
    fn GOMP_sections_end = end;
    fn GOMP_sections_end_nowait = end_nowait;
    fn GOMP_sections_end_cancel = end_cancel;
}

fn real<R>(real: &'static Real, argument: c_uint, without: R) -> R {
    match real.get() {
        0 => without,
        // SAFETY: the runtime's function has this type; what it does not take it does not look at.
        address => unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_uint) -> R>(address)(argument) },
    }
}

extern "C" fn start(count: c_uint, sp: u64, base: u64) -> c_uint {
    static REAL: Real = Real::new(b"GOMP_sections_start\0");
    COUNT.set(count);
    let section = asks(false, || real(&REAL, count, 0));
    if section > 0 {
        begins(Frame { sp, base });
    }
    section
}

extern "C" fn next(_: c_uint, sp: u64, base: u64) -> c_uint {
    static REAL: Real = Real::new(b"GOMP_sections_next\0");
    let frame = Frame { sp, base };
    if is_open() {
        ends(frame);
    }
    let led = !is_open() || !is_anybodys(false);
    let section = asks(led, || real(&REAL, 0, 0));
    if section > 0 {
        begins(frame);
    }
    section
}

/// Asks the runtime for a section. Of `parallel sections`, which begin without a call, it is not known how many there are: they are given as they come.
fn asks(led: bool, real: impl FnOnce() -> c_uint) -> c_uint {
    let count = COUNT.get();
    if count == 0 || serial::on() || parallel::on() {
        return real();
    }
    shares::section(count.into(), led, real)
}

fn over(sp: u64, base: u64) {
    if COUNT.replace(0) > 0 {
        shares::leaves_sections();
    }
    if is_open() {
        ends(Frame { sp, base });
        leaves();
    }
}

extern "C" fn end(_: c_uint, sp: u64, base: u64) {
    static REAL: Real = Real::new(b"GOMP_sections_end\0");
    over(sp, base);
    real(&REAL, 0, ());
}

extern "C" fn end_nowait(_: c_uint, sp: u64, base: u64) {
    static REAL: Real = Real::new(b"GOMP_sections_end_nowait\0");
    over(sp, base);
    real(&REAL, 0, ());
}

extern "C" fn end_cancel(_: c_uint, sp: u64, base: u64) -> bool {
    static REAL: Real = Real::new(b"GOMP_sections_end_cancel\0");
    over(sp, base);
    real(&REAL, 0, false)
}
