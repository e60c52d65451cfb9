//! What the rows of the tables are written in.

use crate::entry::block;
use crate::observed::like_every_call;
use crate::rank::{Observed, observe};
use crate::shmem::words::{self, Part};
use crate::shmem::{fetched, library};
use crate::{sampled, uncounted};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, Channel, Comb, Ctx, How, Interval, Kind, Rank, Segment, Word};
use thrille_runtime::{End, Made, Operands};

/// A context or team handle, as `shmem.h` has them.
pub type Handle = *mut c_void;

/// Whether a call returns before the buffers it was given are free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Blocking {
    /// It returns when they are.
    Yes,
    /// They are free when the context is completed.
    No,
}

/// A context and the PE that a number means on it.
#[derive(Clone, Copy)]
pub struct Target {
    pub ctx: Ctx,
    pub pe: Rank,
}

impl Target {
    /// On the default context.
    pub fn default_ctx(pe: c_int) -> Option<Self> {
        Some(Self { ctx: Ctx(0), pe: Rank(u32::try_from(pe).ok()?) })
    }

    /// On any context: numbers are those of its team.
    pub fn on(ctx: Handle, pe: c_int) -> Option<Self> {
        let id = library::ctx_id(ctx);
        Some(Self { ctx: Ctx(id), pe: Rank(u32::try_from(library::world_pe(ctx, id, pe)).ok()?) })
    }
}

/// Elements of so many bytes, each so many of them behind the one before.
#[derive(Clone, Copy)]
pub struct Elements {
    pub count: usize,
    pub stride: isize,
    pub size: usize,
}

/// The number of a context.
pub fn ctx_id(ctx: Handle) -> Ctx {
    Ctx(library::ctx_id(ctx))
}

/// A call of the program, being observed.
pub struct Call {
    pub o: Observed,
}

/// Begins to observe a call; none when it is not to be observed.
pub fn call() -> Option<Call> {
    observe().map(|o| Call { o })
}

like_every_call!(Call);

/// Whether an operation is carried out and nothing else: nobody records anything, nor follows order, up to the next barrier, which completes this context.
#[inline(always)]
pub fn is_unseen(to: Option<Target>) -> bool {
    to.is_some_and(|to| to.ctx == Ctx(0)) && sampled::is_unseen(block())
}

/// Whether an update of a few bytes at a symmetric address of this PE, which stands for the target's, passes unrecorded and uncounted.
#[inline(always)]
pub fn passes(to: Option<Target>, address: *const c_void, bytes: usize) -> bool {
    is_unseen(to) || passes_uncounted(to, address, bytes)
}

fn passes_uncounted(to: Option<Target>, address: *const c_void, bytes: usize) -> bool {
    let block = block();
    // Barriers complete no other context.
    let Some(to) = to.filter(|to| to.ctx == Ctx(0) && sampled::lets_pass(block)) else { return false };
    // SAFETY: the block is this thread's own; who has a seat has a recorder, which nobody uses while the program itself is at work.
    let recorder = unsafe { &mut *(*block).recorder };
    let Some((owner, segment, offset, _)) = recorder.locate(address as u64) else { return false };
    let passes = |offset| uncounted::passes(Word { owner: to.pe, segment, offset });
    owner == recorder.strand().rank && passes(offset) && (bytes <= 8 || passes(offset + bytes as u64 - 1))
}

impl Call {
    /// The segment and offset of a symmetric address of this PE.
    pub fn symmetric(&mut self, address: *const c_void) -> Option<(Segment, u64)> {
        let me = self.me();
        let (owner, segment, offset, _) = self.o.recorder.locate(address as u64)?;
        (owner == me).then_some((segment, offset))
    }

    /// An access to this process's memory that is over when the call returns.
    pub fn touch(&mut self, address: *const c_void, len: usize, kind: Kind, act: Act) {
        if len > 0 {
            self.o.touch(address as u64, len as u64, kind, act);
        }
    }

    /// A put is issued whose near buffer this is: one that is free at return was read before anybody sees what the put changes.
    pub fn issue_from(
        &mut self,
        source: *const c_void,
        blocks: impl Iterator<Item = (usize, usize)>,
        ctx: Ctx,
        blocking: Blocking,
    ) {
        if blocking == Blocking::No {
            self.issue();
        }
        for (at, len) in blocks {
            self.near(source.wrapping_byte_add(at), len, Kind::Read, ctx, blocking);
        }
        if blocking == Blocking::Yes {
            self.issue();
        }
    }

    /// The near buffer of an operation.
    pub fn near(&mut self, address: *const c_void, len: usize, kind: Kind, ctx: Ctx, blocking: Blocking) {
        if blocking == Blocking::Yes {
            self.touch(address, len, kind, Act::Buffer);
            return;
        }
        if let Ok(bytes) = Interval::from_len(address as u64, len as u64) {
            self.until((bytes, Comb::SOLID), kind, Act::Buffer, ctx);
        }
    }

    /// The far end of an operation, at a symmetric address of this PE that stands for the target's.
    pub fn far(&mut self, address: *const c_void, len: usize, to: Target, kind: Kind, act: Act, lasts: Operands) {
        if let Some((segment, lo)) = self.symmetric(address) {
            self.end(End { owner: to.pe, segment, lo, len: len as u64, comb: Comb::SOLID, kind, act }, lasts);
        }
    }

    /// The same of elements, a comb of them unless they are side by side.
    pub fn far_elements(
        &mut self,
        address: *const c_void,
        by: Elements,
        to: Target,
        (kind, act): (Kind, Act),
        lasts: Operands,
    ) {
        let Some((segment, lo)) = self.symmetric(address) else { return };
        let (count, size) = (by.count as u64, by.size as u64);
        let teeth = match by.stride {
            1 => Interval::from_len(lo, count.saturating_mul(size)).ok().map(|range| (range, Comb::SOLID)),
            stride => Comb::new(lo, (stride.max(0) as u64).saturating_mul(size), size, count)
                .or_else(|| Comb::new(lo, 0, size, count.min(1))),
        };
        if let Some((range, comb)) = teeth {
            self.end(End { owner: to.pe, segment, lo: range.lo(), len: range.len(), comb, kind, act }, lasts);
        }
    }

    /// The way that puts and atomics take.
    pub fn channel(&self, to: Target) -> Channel {
        Channel { origin: self.me(), ctx: to.ctx, target: to.pe }
    }

    /// The words that bytes from a symmetric address of this PE on stand for on the target.
    pub fn parts(&mut self, address: *const c_void, bytes: usize, to: Target) -> impl Iterator<Item = Part> + use<> {
        let there = self.symmetric(address);
        there.into_iter().flat_map(move |(segment, offset)| words::parts(to.pe, segment, offset, bytes as u64))
    }

    /// The same of an element, which is part of one word.
    pub fn part<T>(&mut self, address: *const T, to: Target) -> Option<Part> {
        self.parts(address.cast(), size_of::<T>(), to).next()
    }

    /// Tells that an update made a version of a word.
    pub fn update(&mut self, (word, version, how): (Word, Made, How), via: Option<Channel>, signals: bool) {
        self.o.session.rank().update(self.o.recorder, word, version, how, via, signals);
    }

    /// Completes a context: what was fetched on it is seen.
    pub fn quiet(&mut self, ctx: Ctx) {
        self.o.quiet(ctx);
        fetched::completed(self, ctx);
    }

    /// The version of a word that this process knows all about.
    pub fn knows(&self, word: Word) -> Option<u64> {
        self.o.session.rank().knows(word)
    }

    /// Tells that a version of words was seen, and what was known of the first before the call.
    pub fn observe(&mut self, (version, words): (u64, impl Iterator<Item = Word>), known: Option<u64>) {
        for (word, known) in words.zip(std::iter::once(known).chain(std::iter::repeat(None))) {
            self.o.session.rank().observe_beyond(self.o.recorder, word, version, known);
        }
    }
}

/// Defines the wrappers of OpenSHMEM calls: in the body, `pshmem_NAME` is the library's function, and the body runs whether or not the call
/// is observed.
macro_rules! calls {
    ($( fn $name:ident ( $($arg:ident : $ty:ty),* $(,)? ) $(-> $ret:ty)? $body:block )*) => { pastey::paste! {
        $crate::shmem::call::foreign! { $( fn [<pshmem_ $name>]($($arg: $ty),*) $(-> $ret)?; )* }
        $crate::entry::entries! { $( shmem_ fn $name($($arg: $ty),*) $(-> $ret)? $body )* }
    } };
}
pub(crate) use calls;

/// The same of operations: of a thread that is not observed the body does not run; nor, of those on the default context, which are marked, in a round that is dark: nobody records
/// anything, nor follows order, up to the next barrier, which completes that context.
macro_rules! operations {
    ($( $(#$unseen:ident)? fn $name:ident ( $($arg:ident : $ty:ty),* $(,)? ) $(-> $ret:ty)? $body:block )*) => { pastey::paste! {
        $crate::shmem::call::foreign! { $( fn [<pshmem_ $name>]($($arg: $ty),*) $(-> $ret)?; )* }
        $crate::entry::entries! { $( shmem_ fn $name else [<pshmem_ $name>] $($unseen)? ($($arg: $ty),*) $(-> $ret)? $body )* }
    } };
}
pub(crate) use operations;

/// Functions of the library, which need not have all of them.
macro_rules! foreign {
    ($( fn $name:ident ( $($arg:ident : $ty:ty),* ) $(-> $ret:ty)?; )*) => {
        unsafe extern "C" {
            $( #[allow(dead_code)] fn $name($($arg: $ty),*) $(-> $ret)?; )*
        }
        $( core::arch::global_asm!(concat!(".weak ", stringify!($name))); )*
    };
}
pub(crate) use foreign;
