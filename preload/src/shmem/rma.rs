//! Put and get: the near buffer is free at return unless the call is nonblocking, the far end of a put lasts until completion.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::entry::block;
use crate::rank::unobserved;
use crate::sampled;
use crate::shmem::call::{Blocking, Call, Elements, Handle, Target, call, is_unseen, operations, passes};
use crate::shmem::words::{self, Change, Part};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, How, Kind, Order};
use thrille_runtime::Operands;

/// Puts up to this many bytes may be what another PE waits for, or contain it: they are counted as updates of the words they touch.
const FLAG: usize = 64;

/// Where what is put comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// From memory.
    At(*const c_void),
    /// It is an argument.
    Value(Change),
}

/// A put of `bytes` bytes.
#[inline(always)]
pub fn put(to: Option<Target>, dest: *const c_void, source: Source, bytes: usize, blocking: Blocking, real: impl Fn()) {
    if bytes <= FLAG && passes(to, dest, bytes) {
        return unobserved(real);
    }
    put_seen(to, dest, source, bytes, blocking, &real);
}

fn put_seen(
    to: Option<Target>,
    dest: *const c_void,
    source: Source,
    bytes: usize,
    blocking: Blocking,
    real: &dyn Fn(),
) {
    let (Some(mut call), Some(to), true) = (call(), to, bytes > 0) else { return real() };
    let change = match source {
        Source::Value(change) => {
            call.issue();
            change
        }
        Source::At(source) => {
            call.issue_from(source, std::iter::once((0, bytes)), to.ctx, blocking);
            value(source, bytes)
        }
    };
    far_write(&mut call, dest, bytes, to);
    counted(&mut call, [(dest, bytes)].into_iter(), to, change, real);
}

/// The value of one element.
pub fn value(at: *const c_void, bytes: usize) -> Change {
    // SAFETY: the element that is about to be put.
    unsafe {
        match bytes {
            2 => Change::To(at.cast::<u16>().read_unaligned().into()),
            4 => Change::To(at.cast::<u32>().read_unaligned().into()),
            8 => Change::To(at.cast::<u64>().read_unaligned()),
            _ => Change::Some,
        }
    }
}

fn argument<T>(argument: &T) -> Source {
    Source::Value(value(std::ptr::from_ref(argument).cast(), size_of::<T>()))
}

/// Carries out a put of these blocks, counting what may be a flag.
fn counted(
    call: &mut Call,
    blocks: impl Iterator<Item = (*const c_void, usize)>,
    to: Target,
    change: Change,
    real: &dyn Fn(),
) {
    let mut parts: Vec<Part> = Vec::new();
    let mut bytes = 0;
    for (at, len) in blocks {
        bytes += len;
        if bytes > FLAG {
            return real();
        }
        for part in call.parts(at, len, to) {
            if !parts.last_mut().is_some_and(|last| last.join(part)) {
                parts.push(part);
            }
        }
    }
    let mut locked: Vec<_> = parts.into_iter().filter_map(words::lock).collect();
    real();
    let made: Vec<_> = locked.iter_mut().map(|locked| locked.write(How::Set, change)).collect();
    drop(locked);
    let channel = call.channel(to);
    for made in made {
        call.update(made, Some(channel), false);
    }
}

/// The far end of a put.
fn far_write(call: &mut Call, dest: *const c_void, bytes: usize, to: Target) {
    let channel = call.channel(to);
    call.far(dest, bytes, to, Kind::Write, Act::Put, Operands::Until(to.ctx, Order::Fenced(channel)));
}

/// A get of `bytes` bytes; `dest` is none when the value is returned.
fn get(from: Option<Target>, dest: Option<*const c_void>, source: *const c_void, bytes: usize, blocking: Blocking) {
    // It orders nothing.
    if is_unseen(from) || sampled::lets_pass(block()) {
        return;
    }
    let (Some(mut call), Some(from), true) = (call(), from, bytes > 0) else { return };
    call.issue();
    if let Some(dest) = dest {
        call.near(dest, bytes, Kind::Write, from.ctx, blocking);
    }
    let lasts = match blocking {
        Blocking::Yes => Operands::Done,
        Blocking::No => Operands::Until(from.ctx, Order::None),
    };
    call.far(source, bytes, from, Kind::Read, Act::Get, lasts);
}

/// The elements of a strided block: contiguous ones as one.
fn elements(nelems: usize, stride: isize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let (count, step, len) =
        if stride == 1 { (1, 0, nelems * size) } else { (nelems, stride.max(0) as usize * size, size) };
    (0..if nelems == 0 { 0 } else { count }).map(move |i| (i * step, len))
}

fn iput(
    to: Option<Target>,
    dest: *const c_void,
    source: *const c_void,
    (dst, sst): (isize, isize),
    nelems: usize,
    size: usize,
    real: &dyn Fn(),
) {
    let (Some(mut call), Some(to)) = (call(), to) else { return real() };
    call.issue_from(source, elements(nelems, sst, size), to.ctx, Blocking::Yes);
    let lasts = Operands::Until(to.ctx, Order::Fenced(call.channel(to)));
    let there = Elements { count: nelems, stride: dst, size };
    call.far_elements(dest, there, to, (Kind::Write, Act::Put), lasts);
    let blocks = elements(nelems, dst, size).map(|(at, len)| (dest.wrapping_byte_add(at), len));
    counted(&mut call, blocks, to, Change::Some, real);
}

fn iget(
    from: Option<Target>,
    dest: *const c_void,
    source: *const c_void,
    (dst, sst): (isize, isize),
    nelems: usize,
    size: usize,
) {
    if is_unseen(from) || sampled::lets_pass(block()) {
        return;
    }
    let (Some(mut call), Some(from)) = (call(), from) else { return };
    call.issue();
    for (at, len) in elements(nelems, dst, size) {
        call.near(dest.wrapping_byte_add(at), len, Kind::Write, from.ctx, Blocking::Yes);
    }
    let there = Elements { count: nelems, stride: sst, size };
    call.far_elements(source, there, from, (Kind::Read, Act::Get), Operands::Done);
}

// SAFETY (all rows of this file): each body forwards the program's own arguments.
macro_rules! block {
    ($size:expr; $put:ident $get:ident $ctx_put:ident $ctx_get:ident) => { pastey::paste! { operations! {
        #unseen fn $put(dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            put(Target::default_ctx(pe), dest, Source::At(source), nelems.saturating_mul($size), Blocking::Yes, || unsafe { [<pshmem_ $put>](dest, source, nelems, pe) });
        }
        fn $ctx_put(ctx: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            put(Target::on(ctx, pe), dest, Source::At(source), nelems.saturating_mul($size), Blocking::Yes, || unsafe { [<pshmem_ $ctx_put>](ctx, dest, source, nelems, pe) });
        }
        #unseen fn [<$put _nbi>](dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            put(Target::default_ctx(pe), dest, Source::At(source), nelems.saturating_mul($size), Blocking::No, || unsafe { [<pshmem_ $put _nbi>](dest, source, nelems, pe) });
        }
        fn [<$ctx_put _nbi>](ctx: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            put(Target::on(ctx, pe), dest, Source::At(source), nelems.saturating_mul($size), Blocking::No, || unsafe { [<pshmem_ $ctx_put _nbi>](ctx, dest, source, nelems, pe) });
        }
        #unseen fn $get(dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            get(Target::default_ctx(pe), Some(dest), source, nelems.saturating_mul($size), Blocking::Yes);
            unsafe { [<pshmem_ $get>](dest, source, nelems, pe) }
        }
        fn $ctx_get(ctx: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            get(Target::on(ctx, pe), Some(dest), source, nelems.saturating_mul($size), Blocking::Yes);
            unsafe { [<pshmem_ $ctx_get>](ctx, dest, source, nelems, pe) }
        }
        #unseen fn [<$get _nbi>](dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            get(Target::default_ctx(pe), Some(dest), source, nelems.saturating_mul($size), Blocking::No);
            unsafe { [<pshmem_ $get _nbi>](dest, source, nelems, pe) }
        }
        fn [<$ctx_get _nbi>](ctx: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            get(Target::on(ctx, pe), Some(dest), source, nelems.saturating_mul($size), Blocking::No);
            unsafe { [<pshmem_ $ctx_get _nbi>](ctx, dest, source, nelems, pe) }
        }
    } } };
}

macro_rules! strided {
    ($size:expr; $iput:ident $iget:ident $ctx_iput:ident $ctx_iget:ident) => { pastey::paste! { operations! {
        #unseen fn $iput(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            iput(Target::default_ctx(pe), dest, source, (dst, sst), nelems, $size, &|| unsafe { [<pshmem_ $iput>](dest, source, dst, sst, nelems, pe) });
        }
        fn $ctx_iput(ctx: Handle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            iput(Target::on(ctx, pe), dest, source, (dst, sst), nelems, $size, &|| unsafe { [<pshmem_ $ctx_iput>](ctx, dest, source, dst, sst, nelems, pe) });
        }
        #unseen fn $iget(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            iget(Target::default_ctx(pe), dest, source, (dst, sst), nelems, $size);
            unsafe { [<pshmem_ $iget>](dest, source, dst, sst, nelems, pe) }
        }
        fn $ctx_iget(ctx: Handle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            iget(Target::on(ctx, pe), dest, source, (dst, sst), nelems, $size);
            unsafe { [<pshmem_ $ctx_iget>](ctx, dest, source, dst, sst, nelems, pe) }
        }
    } } };
}

macro_rules! typed_blocks {
    ($name:ident, $size:expr) => {
        pastey::paste! {
            block! { $size; [<$name _put>] [<$name _get>] [<ctx_ $name _put>] [<ctx_ $name _get>] }
            strided! { $size; [<$name _iput>] [<$name _iget>] [<ctx_ $name _iput>] [<ctx_ $name _iget>] }
        }
    };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        typed_blocks! { $name, size_of::<$ty>() }
        operations! {
            #unseen fn [<$name _p>](dest: *mut $ty, value: $ty, pe: c_int) {
                put(Target::default_ctx(pe), dest.cast(), argument(&value), size_of::<$ty>(), Blocking::Yes, || unsafe { [<pshmem_ $name _p>](dest, value, pe) });
            }
            fn [<ctx_ $name _p>](ctx: Handle, dest: *mut $ty, value: $ty, pe: c_int) {
                put(Target::on(ctx, pe), dest.cast(), argument(&value), size_of::<$ty>(), Blocking::Yes, || unsafe { [<pshmem_ctx_ $name _p>](ctx, dest, value, pe) });
            }
            #unseen fn [<$name _g>](source: *const $ty, pe: c_int) -> $ty {
                get(Target::default_ctx(pe), None, source.cast(), size_of::<$ty>(), Blocking::Yes);
                unsafe { [<pshmem_ $name _g>](source, pe) }
            }
            fn [<ctx_ $name _g>](ctx: Handle, source: *const $ty, pe: c_int) -> $ty {
                get(Target::on(ctx, pe), None, source.cast(), size_of::<$ty>(), Blocking::Yes);
                unsafe { [<pshmem_ctx_ $name _g>](ctx, source, pe) }
            }
        }
    } };
}
value_types! { typed }
typed_blocks! { longdouble, 16 }

macro_rules! sized {
    ($bits:literal, $ty:ty) => {
        pastey::paste! {
            block! { size_of::<$ty>(); [<put $bits>] [<get $bits>] [<ctx_put $bits>] [<ctx_get $bits>] }
            strided! { size_of::<$ty>(); [<iput $bits>] [<iget $bits>] [<ctx_iput $bits>] [<ctx_iget $bits>] }
        }
    };
}
sized_types! { sized }

block! { 1; putmem getmem ctx_putmem ctx_getmem }

/// `long double` goes over the x87 stack, which Rust cannot pass: the value's bytes stay where they are and the call is forwarded.
mod longdouble {
    use super::{Blocking, Change, Source, Target, c_int, c_void, get, put};
    use core::arch::naked_asm;

    /// Symbol, what it is told to, where its address and PE are, where it goes on.
    macro_rules! forward {
        ($( $symbol:ident $tell:ident $real:ident ( $($arg:ident : $ty:ty),* ) $code:block )*) => { $(
            unsafe extern "C" {
                fn $real();
            }
            core::arch::global_asm!(concat!(".weak ", stringify!($real)));
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol() {
                naked_asm!(
                    "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                    "mov r10, qword ptr [rsp]",
                    "mov qword ptr fs:[r11 + 8], r10",
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "call {tell}",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp {real}",
                    tell = sym $tell,
                    real = sym $real,
                )
            }
            unsafe extern "C" fn $tell($($arg: $ty),*) $code
        )* };
    }

    forward! {
        shmem_longdouble_p tell_p pshmem_longdouble_p (dest: *mut c_void, pe: c_int) {
            put(Target::default_ctx(pe), dest, Source::Value(Change::Some), 16, Blocking::Yes, || ());
        }
        shmem_ctx_longdouble_p tell_ctx_p pshmem_ctx_longdouble_p (ctx: *mut c_void, dest: *mut c_void, pe: c_int) {
            put(Target::on(ctx, pe), dest, Source::Value(Change::Some), 16, Blocking::Yes, || ());
        }
        shmem_longdouble_g tell_g pshmem_longdouble_g (source: *const c_void, pe: c_int) {
            get(Target::default_ctx(pe), None, source, 16, Blocking::Yes);
        }
        shmem_ctx_longdouble_g tell_ctx_g pshmem_ctx_longdouble_g (ctx: *mut c_void, source: *const c_void, pe: c_int) {
            get(Target::on(ctx, pe), None, source, 16, Blocking::Yes);
        }
    }
}
