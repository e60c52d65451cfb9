//! Calls of the system that this library makes under names which a program may have functions of its own for: `send` is no name of the C language.
//!
//! The program's functions go before those of the C library for everybody, so the ones that this library needs to talk to the others are its own. Nobody
//! else sees them.

use core::arch::global_asm;
use libc::{c_int, c_long, c_void, size_t, ssize_t};

macro_rules! calls {
    ($( $name:literal = $function:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty, $number:ident $(, $more:literal)*; )*) => { $(
        extern "C" fn $function($($arg: $ty),*) -> $ret {
            // SAFETY: the arguments of the call of the system that the name stands for, as the caller has them.
            unsafe { libc::syscall(libc::$number, $(c_long::from_argument($arg),)* $($more as c_long),*) as $ret }
        }
        global_asm!(
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ": jmp {to}"),
            to = sym $function,
        );
    )* };
}

/// What the system takes in a register.
trait FromArgument<T> {
    fn from_argument(argument: T) -> Self;
}

macro_rules! arguments {
    ($($ty:ty)*) => { $( impl FromArgument<$ty> for c_long {
        fn from_argument(argument: $ty) -> Self {
            argument as Self
        }
    } )* };
}
arguments! { c_int u32 size_t *const c_void *mut c_void }

calls! {
    "send" = send(socket: c_int, at: *const c_void, len: size_t, flags: c_int) -> ssize_t, SYS_sendto, 0, 0;
    "recv" = receive(socket: c_int, at: *mut c_void, len: size_t, flags: c_int) -> ssize_t, SYS_recvfrom, 0, 0;
    "socket" = socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int, SYS_socket;
    "connect" = connect(socket: c_int, address: *const c_void, len: u32) -> c_int, SYS_connect;
    "shutdown" = shutdown(socket: c_int, how: c_int) -> c_int, SYS_shutdown;
    "poll" = poll(files: *mut c_void, number: size_t, timeout: c_int) -> c_int, SYS_poll;
    "close" = close(file: c_int) -> c_int, SYS_close;
}
