//! `long double`: 80 bits in 16 bytes, which Rust has no type for. As memory it is bytes; its arithmetic is that of the x87 unit;
//! and the two calls that pass it by value follow the C convention by hand (argument on the stack, result in st(0)).

use std::arch::{asm, naked_asm};
use std::ffi::c_int;

use crate::ctx::{self, Ctx};
use crate::reduce::{Arith, Order};
use crate::rma::{get, put};
use crate::state::state;

/// The bytes of a `long double`.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct LongDouble([u8; 16]);

/// Loads two numbers, does `$how` with them (self in st(0), other in st(1)) and stores what is left in st(0).
macro_rules! x87 {
    ($a:expr, $b:expr, $($how:literal),*) => {{
        let (mut a, b) = ($a, $b);
        // SAFETY: loads and stores ten bytes each of two live 16-byte values, and leaves the register stack empty.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", $($how,)* "fstp tbyte ptr [{a}]",
                a = in(reg) &raw mut a, b = in(reg) &raw const b,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        a
    }};
}

impl Arith for LongDouble {
    fn sum(self, other: Self) -> Self {
        x87!(self, other, "faddp")
    }

    fn prod(self, other: Self) -> Self {
        x87!(self, other, "fmulp")
    }
}

impl Order for LongDouble {
    fn larger(self, other: Self) -> Self {
        x87!(self, other, "fcomi st(0), st(1)", "fcmovb st(0), st(1)", "fstp st(1)")
    }

    fn smaller(self, other: Self) -> Self {
        x87!(self, other, "fcomi st(0), st(1)", "fcmovnbe st(0), st(1)", "fstp st(1)")
    }
}

extern "C" fn put_one(dest: *mut LongDouble, pe: c_int, value: *const LongDouble) {
    const CALL: &str = "shmem_longdouble_p";
    let state = state(CALL);
    put(CALL, state, dest.cast(), value.cast(), size_of::<LongDouble>(), state.pe(CALL, pe));
}

extern "C" fn ctx_put_one(ctx: Ctx, dest: *mut LongDouble, pe: c_int, value: *const LongDouble) {
    const CALL: &str = "shmem_ctx_longdouble_p";
    let state = state(CALL);
    put(CALL, state, dest.cast(), value.cast(), size_of::<LongDouble>(), ctx::target(CALL, state, ctx, pe));
}

extern "C" fn get_one(source: *const LongDouble, pe: c_int, value: *mut LongDouble) {
    const CALL: &str = "shmem_longdouble_g";
    let state = state(CALL);
    get(CALL, state, value.cast(), source.cast(), size_of::<LongDouble>(), state.pe(CALL, pe));
}

extern "C" fn ctx_get_one(ctx: Ctx, source: *const LongDouble, pe: c_int, value: *mut LongDouble) {
    const CALL: &str = "shmem_ctx_longdouble_g";
    let state = state(CALL);
    get(CALL, state, value.cast(), source.cast(), size_of::<LongDouble>(), ctx::target(CALL, state, ctx, pe));
}

/// `void p(dest, long double value, pe)`: the value lies above the return address; pass on where.
macro_rules! by_value_in {
    ($to:path, $address:literal, $($name:ident),*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            naked_asm!(concat!("lea ", $address, ", [rsp + 8]"), "jmp {to}", to = sym $to)
        }
    )* };
}
by_value_in! { put_one, "rdx", shmem_longdouble_p, pshmem_longdouble_p }
by_value_in! { ctx_put_one, "rcx", shmem_ctx_longdouble_p, pshmem_ctx_longdouble_p }

/// `long double g(source, pe)`: let it be written to the stack, then load it into st(0).
macro_rules! by_value_out {
    ($to:path, $address:literal, $($name:ident),*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            naked_asm!("sub rsp, 24", concat!("mov ", $address, ", rsp"), "call {to}", "fld tbyte ptr [rsp]", "add rsp, 24", "ret", to = sym $to)
        }
    )* };
}
by_value_out! { get_one, "rdx", shmem_longdouble_g, pshmem_longdouble_g }
by_value_out! { ctx_get_one, "rcx", shmem_ctx_longdouble_g, pshmem_ctx_longdouble_g }
