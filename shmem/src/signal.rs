//! Put with signal: the data first, then the signal word, atomically.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use crate::atomics::word;
use crate::ctx::{self, Ctx};
use crate::fail::fail_args;
use crate::p2p::{self, Compare};
use crate::rma::{extent, put};
use crate::state::{State, state};

/// `SHMEM_SIGNAL_SET` and `SHMEM_SIGNAL_ADD` of `shmem.h`.
const SET: c_int = 0;
const ADD: c_int = 1;

/// The signal word, what to do with it, and with which value.
struct Signal {
    addr: *mut u64,
    value: u64,
    op: c_int,
}

fn put_signal(
    call: &'static str,
    state: &State,
    dest: *mut c_void,
    source: *const c_void,
    bytes: usize,
    signal: &Signal,
    pe: usize,
) {
    let flag = word::<u64>(call, "sig_addr", state, signal.addr, pe);
    put(call, state, dest, source, bytes, pe);
    match signal.op {
        SET => flag.store(signal.value, Ordering::Release),
        ADD => {
            flag.fetch_add(signal.value, Ordering::Release);
        }
        op => fail_args(
            call,
            format_args!("argument sig_op = {op} is not a signal operation; use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD"),
        ),
    }
}

macro_rules! signals {
    ($size:expr; $($name:ident $ctx_name:ident),*) => { export! { $(
        fn $name(dest: *mut c_void, source: *const c_void, nelems: usize, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) {
            let state = state(CALL);
            let signal = Signal { addr: sig_addr, value: signal, op: sig_op };
            put_signal(CALL, state, dest, source, extent(nelems, $size), &signal, state.pe(CALL, pe));
        }
        fn $ctx_name(ctx: Ctx, dest: *mut c_void, source: *const c_void, nelems: usize, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int) {
            let state = state(CALL);
            let signal = Signal { addr: sig_addr, value: signal, op: sig_op };
            put_signal(CALL, state, dest, source, extent(nelems, $size), &signal, ctx::target(CALL, state, ctx, pe));
        }
    )* } };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        signals! {
            size_of::<$ty>();
            [<$name _put_signal>] [<ctx_ $name _put_signal>], [<$name _put_signal_nbi>] [<ctx_ $name _put_signal_nbi>]
        }
    } };
}
rma_types! { typed }

macro_rules! sized {
    ($bits:literal, $ty:ty) => {
        pastey::paste! {
            signals! {
                size_of::<$ty>();
                [<put $bits _signal>] [<ctx_put $bits _signal>], [<put $bits _signal_nbi>] [<ctx_put $bits _signal_nbi>]
            }
        }
    };
}
sized_types! { sized }

signals! { 1; putmem_signal ctx_putmem_signal, putmem_signal_nbi ctx_putmem_signal_nbi }

export! {
    fn signal_fetch(sig_addr: *const u64) -> u64 {
        let state = state(CALL);
        word::<u64>(CALL, "sig_addr", state, sig_addr, state.me).load(Ordering::Acquire)
    }
    fn signal_wait_until(sig_addr: *mut u64, cmp: c_int, cmp_value: u64) -> u64 {
        p2p::wait_value(CALL, sig_addr, Compare::new(CALL, cmp), cmp_value)
    }
}
