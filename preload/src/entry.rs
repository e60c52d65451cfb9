//! How the program gets in: a thread-local block that costs one instruction to reach, and trampolines that note the caller.
//!
//! The block is in initial-exec storage, which Rust has no way to ask for; a global-dynamic one doubles the cost of a hook.

use crate::confirm::Local;
use crate::rank::Observed;
use crate::sampled::Seat;
use std::arch::{asm, global_asm};
use std::ffi::c_void;
use std::mem::offset_of;
use thrille_runtime::Recorder;
use thrille_runtime::quick::{LINES, NEVER, Quick};

/// Which of its loads and stores are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Looks {
    /// None.
    None = 0,
    /// All.
    All = 1,
    /// Those that a policy chooses.
    Sampled = 2,
    /// Those at which a run that confirms races waits.
    Confirms = 3,
}

/// What each thread has at hand.
#[repr(C)]
pub struct Block {
    /// This thread's strand; null while it is not observed.
    pub recorder: *mut Recorder,
    /// Return address of the call that the thread is in.
    pub pc: u64,
    /// How many of our own calls it is in: above 0, what it does is the library's business, not the program's.
    pub depth: u64,
    /// Where that return address is on the stack.
    pub sp: u64,
    /// What must be told of this thread before anything else is: see `mpi/again.rs`.
    pub settle: Option<fn(&mut Observed)>,
    /// What the tables of the communication library keep for this thread; null before it is used.
    pub kept: *mut c_void,
    /// Which of its loads and stores are looked at.
    pub looks: Looks,
    /// How they are chosen; null unless they are.
    pub seat: *mut Seat,
    /// What it has at hand in a run that confirms races; null otherwise.
    pub local: *mut Local,
    /// The put or get that it may do once more, and the flush: see `mpi/echo.rs`. At most one of them is not null.
    #[cfg(feature = "mpi")]
    pub next_operation: *mut crate::mpi::echo::Calls,
    #[cfg(feature = "mpi")]
    pub next_flush: *mut crate::mpi::echo::Calls,
    /// Whether it is inside the communication library: see `last.rs`.
    pub inside: u64,
    /// Whether it is in a call in which a signal may come, and nothing of our own is under way: see `signals.rs`.
    pub idle: u64,
    /// The handler of a signal that it is in; null if none.
    pub handling: *mut crate::signals::Handling,
}

const _: () = assert!(size_of::<Block>() <= 112);
// What the entries look at.
const _: () =
    assert!(offset_of!(Block, recorder) == 0 && offset_of!(Block, depth) == 16 && offset_of!(Block, seat) == 56);

global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".hidden thrille_block",
    ".globl thrille_block",
    ".type thrille_block, @object",
    ".size thrille_block, 112",
    ".balign 16",
    "thrille_block: .zero 112",
    ".text",
);

// What compiled code looks at before it calls a hook: where `Quick` is of this thread's strand, or, while it is none, one that knows nothing.
global_asm!(
    ".data",
    ".balign 16",
    "thrille_nobody: .quad -1",
    ".zero {rest}",
    ".section .tdata,\"awT\",@progbits",
    ".hidden thrille_known",
    ".globl thrille_known",
    ".type thrille_known, @object",
    ".size thrille_known, 8",
    ".balign 8",
    "thrille_known: .quad thrille_nobody",
    ".text",
    rest = const Quick::TABLE - 8 + 32 * LINES,
);

const _: () = assert!(Quick::NOW == 0 && NEVER == u64::MAX);

/// From now on compiled code of this thread finds what it needs to know there.
///
/// # Safety
/// It is there until another one is, or none.
pub unsafe fn set_known(quick: Option<*mut Quick>) {
    // SAFETY: writes a variable of this thread, whose offset is constant, and reads the address of a table.
    unsafe {
        let nobody: *mut Quick;
        asm!("lea {0}, [rip + thrille_nobody]", out(reg) nobody, options(nomem, nostack, preserves_flags));
        asm!(
            "mov {1}, qword ptr [rip + thrille_known@GOTTPOFF]",
            "mov qword ptr fs:[{1}], {0}",
            in(reg) quick.unwrap_or(nobody),
            out(reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// This thread's block.
#[inline(always)]
pub fn block() -> *mut Block {
    let block: *mut Block;
    // SAFETY: reads the thread pointer and the block's offset from it, both constant for the thread.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + thrille_block@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) block,
            // The addition sets the flags: the compiler must not keep a comparison across it.
            options(pure, nomem, nostack),
        );
    }
    block
}

/// Defines C functions: each symbol notes the return address in the thread's block and goes on to the body. `$prefix$name` is
/// the symbol; in the body, `real!(..)` is not provided: bodies name what they forward to. With `else`, a thread that is no strand goes there at once:
/// what stands between a program and its library's quickest operations takes less than they do. With `unseen` as well, so does one in a round that is dark
/// ([`crate::uncounted`]).
macro_rules! entries {
    ($( $prefix:ident fn $name:ident $(else $real:ident $($unseen:ident)?)? ( $($arg:ident : $ty:ty),* $(,)? ) $(-> $ret:ty)? $body:block )*) => { pastey::paste! { $(
        #[doc(hidden)]
        #[allow(non_snake_case, reason = "as the standard has it")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn [<$prefix $name>]() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                $(
                    "cmp qword ptr fs:[r11], 0",
                    "je 2f",
                    $(
                        concat!("/* ", stringify!($unseen), " */"),
                        "mov r10, qword ptr [rip + {darkness}]",
                        "mov r10, qword ptr [r10]",
                        "cmp r10, qword ptr [rip + {round}]",
                        "jne 3f",
                        "cmp byte ptr [rip + {threaded}], 0",
                        "jne 3f",
                        "cmp qword ptr fs:[r11 + 16], 0",
                        "jne 3f",
                        "cmp qword ptr fs:[r11 + 56], 0",
                        "je 3f",
                        concat!("jmp ", stringify!($real), "@PLT"),
                    )?
                    "jmp 3f",
                    "2:",
                    concat!("jmp ", stringify!($real), "@PLT"),
                    "3:",
                )?
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + 8], r10",
                "mov qword ptr fs:[r11 + 24], rsp",
                "jmp {to}",
                to = sym [<on_ $prefix $name>],
                $( $(
                    darkness = sym $crate::uncounted::[<$unseen:upper>],
                    round = sym $crate::uncounted::ROUND,
                    threaded = sym $crate::rank::THREADED,
                )? )?
            )
        }
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "as the standard has it")]
        unsafe extern "C" fn [<on_ $prefix $name>]($($arg: $ty),*) $(-> $ret)? $body
    )* } };
}
pub(crate) use entries;

/// Defines where calls of a function go that the C library has, and maybe the program, with whatever arguments: then nothing is in between. In the body, `real` is the C library's.
macro_rules! wraps {
    ($( fn $name:ident ( $($arg:ident : $ty:ty),* ) -> $ret:ty , $real:ident => $body:block )*) => { pastey::paste! { $(
        /// The program's own; 0 if it has none.
        #[allow(non_upper_case_globals, reason = "one for each function")]
        static [<OWN_ $name>]: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn [<__wrap_ $name>]() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + {own}]",
                "test r11, r11",
                "jne 2f",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + 8], r10",
                "mov qword ptr fs:[r11 + 24], rsp",
                "jmp {to}",
                "2: jmp r11",
                own = sym [<OWN_ $name>],
                to = sym [<on_ $name>],
            )
        }
        #[allow(non_snake_case, reason = "the symbol's name")]
        unsafe extern "C" fn [<on_ $name>]($($arg: $ty),*) -> $ret {
            static REAL: $crate::real::Real = $crate::real::Real::new(concat!(stringify!($name), "\0").as_bytes());
            let address = REAL.get();
            if address == 0 {
                return -1;
            }
            // SAFETY: the C library's function of this name has this type.
            let $real = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> $ret>(address) };
            $body
        }
    )*
        /// Finds the program's own functions of these names, which go before the C library's for everybody.
        extern "C" fn find_own() {
            $(
                let name = concat!(stringify!($name), "\0").as_ptr().cast();
                // SAFETY: a C string.
                let (first, next) = unsafe { (libc::dlsym(libc::RTLD_DEFAULT, name), libc::dlsym(libc::RTLD_NEXT, name)) };
                if first != next {
                    [<OWN_ $name>].store(first as usize, std::sync::atomic::Ordering::Relaxed);
                }
            )*
        }

        /// Before the program begins.
        #[used]
        #[unsafe(link_section = ".init_array")]
        static FIND_OWN: extern "C" fn() = find_own;
    } };
}
pub(crate) use wraps;
