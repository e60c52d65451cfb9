//! Put with signal: whoever sees the signal comes after the data of that put, before anything completes it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::rank::unobserved;
use crate::shmem::atomics::kind;
use crate::shmem::call::{Blocking, Handle, Target, call, calls, is_unseen};
use crate::shmem::words::{self, Change};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, Effect, How, Kind, Order};
use thrille_runtime::Operands;

/// `SHMEM_SIGNAL_SET` of `shmem.h`.
const SET: c_int = 0;

struct Signal {
    address: *const u64,
    value: u64,
    op: c_int,
}

fn put_signal(
    to: Option<Target>,
    dest: *const c_void,
    source: *const c_void,
    bytes: usize,
    signal: &Signal,
    blocking: Blocking,
    real: &dyn Fn(),
) {
    if is_unseen(to) {
        return unobserved(real);
    }
    let (Some(mut call), Some(to)) = (call(), to) else { return real() };
    let read = (bytes > 0).then_some((0, bytes));
    call.issue_from(source, read.into_iter(), to.ctx, blocking);
    let channel = call.channel(to);
    if bytes > 0 {
        call.far(dest, bytes, to, Kind::Write, Act::Put, Operands::Until(to.ctx, Order::Signalled(channel)));
    }
    let lasts = Operands::Until(to.ctx, Order::Fenced(channel));
    call.far(signal.address.cast(), 8, to, kind::<u64>(Effect::Update), Act::Signal, lasts);
    let (how, change) = match signal.op {
        SET => (How::Set, Change::To(signal.value)),
        _ => (How::Modify, Change::By(signal.value)),
    };
    let mut locked = call.part(signal.address, to).and_then(words::lock);
    real();
    let made = locked.as_mut().map(|locked| locked.write(how, change));
    drop(locked);
    if let Some(made) = made {
        call.update(made, Some(channel), true);
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! signals {
    ($size:expr, $blocking:ident; $name:ident $ctx_name:ident) => { pastey::paste! { calls! {
        fn $name(dest: *mut c_void, source: *const c_void, nelems: usize, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) {
            let told = Signal { address: sig_addr, value: signal, op: sig_op };
            put_signal(Target::default_ctx(pe), dest, source, nelems.saturating_mul($size), &told, Blocking::$blocking, &|| unsafe {
                [<pshmem_ $name>](dest, source, nelems, sig_addr, signal, sig_op, pe)
            });
        }
        fn $ctx_name(ctx: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) {
            let told = Signal { address: sig_addr, value: signal, op: sig_op };
            put_signal(Target::on(ctx, pe), dest, source, nelems.saturating_mul($size), &told, Blocking::$blocking, &|| unsafe {
                [<pshmem_ $ctx_name>](ctx, dest, source, nelems, sig_addr, signal, sig_op, pe)
            });
        }
    } } };
}

macro_rules! typed_sized {
    ($size:expr; $name:ident $ctx_name:ident) => {
        pastey::paste! {
            signals! { $size, Yes; $name $ctx_name }
            signals! { $size, No; [<$name _nbi>] [<$ctx_name _nbi>] }
        }
    };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => {
        pastey::paste! { typed_sized! { size_of::<$ty>(); [<$name _put_signal>] [<ctx_ $name _put_signal>] } }
    };
}
value_types! { typed }
typed_sized! { 16; longdouble_put_signal ctx_longdouble_put_signal }

macro_rules! sized {
    ($bits:literal, $ty:ty) => {
        pastey::paste! { typed_sized! { size_of::<$ty>(); [<put $bits _signal>] [<ctx_put $bits _signal>] } }
    };
}
sized_types! { sized }
typed_sized! { 1; putmem_signal ctx_putmem_signal }

calls! {
    fn signal_fetch(sig_addr: *const u64) -> u64 {
        let Some(mut call) = call() else { return unsafe { pshmem_signal_fetch(sig_addr) } };
        call.issue();
        call.touch(sig_addr.cast(), 8, Kind::Await, Act::Wait);
        let me = Target { ctx: thrille_model::Ctx(0), pe: call.me() };
        let mut locked = call.part(sig_addr, me).and_then(words::lock);
        let value = unsafe { pshmem_signal_fetch(sig_addr) };
        let seen = locked.as_mut().map(|locked| locked.look(None));
        drop(locked);
        if let Some(seen) = seen {
            call.observe(seen, None);
        }
        value
    }
}
