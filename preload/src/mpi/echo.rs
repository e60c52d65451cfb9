//! The last call once more, and nothing in between: what most of a tight loop of puts, or of barriers, is.
//!
//! A program that is not instrumented shows itself by its calls alone. When a thread that is its process's only one repeats what it has
//! just done, nothing new is to be told: of a put or get with its flush for the reason that [`again`] gives, of a barrier because there is
//! nothing between it and the one before. Such calls are compared with the last and forwarded; no lock is taken, nothing is looked up.
//! Any other call settles first what that has left open ([`settle`], through the thread's block).
//!
//! | echo | begins when | its calls | left open |
//! |---|---|---|---|
//! | `Pair` | a put or get was found to repeat, by its flush | the same operation, then the same flush | an operation without its flush: recorded late |
//! | `Barrier` | a global barrier is passed | the same barrier, until the next cut | how many there were |
//!
//! A put within a node takes less than 20 ns. So its comparison is written down instruction by instruction ([`operation`]), for libraries
//! whose handles are addresses; where they are numbers, operations take longer than what [`again`] adds to them.

use crate::entry::block;
use crate::last;
use crate::mpi::again::{self, Issued};
use crate::rank::Observed;
use crate::tsan::access::INSTRUMENTED;
use mpi_sys::MPI_Comm;
use std::ffi::c_int;
use std::sync::atomic::Ordering;

/// What a thread may do once more.
#[derive(Default)]
pub enum Echo {
    /// Nothing.
    #[default]
    Silent,
    /// An operation, and its flush after it. Which of them comes next is in the thread's block.
    Pair { issued: Issued, calls: Box<Calls> },
    /// A barrier.
    Barrier { comm: MPI_Comm, pc: u64, passed: u64, most: u64 },
}

/// A put or get and its flush, as arguments in registers and on the stack.
#[repr(C)]
pub struct Calls {
    /// The operation of the library, which one it is, and where it is called from.
    pub operation: usize,
    pub deed: u32,
    pub from: u64,
    /// Its arguments.
    pub near: u64,
    pub near_ty: u64,
    pub at: u64,
    pub ty: u64,
    pub win: u64,
    pub n: c_int,
    pub rank: c_int,
    pub count: c_int,
    /// The flush, and where that is called from.
    pub flush: usize,
    pub flushed_from: u64,
    /// How often both were called once more.
    pub times: u64,
}

/// Defines a put or get: the thread's next call as it was before, or any other, which `$body` is for.
macro_rules! operation {
    ($symbol:ident $body:ident $deed:expr) => {
        #[doc(hidden)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov rax, qword ptr fs:[r11 + {next_operation}]",
                "test rax, rax",
                "je 2f",
                "cmp r10, qword ptr [rax + {from}]",
                "jne 2f",
                "cmp rdi, qword ptr [rax + {near}]",
                "jne 2f",
                "cmp esi, dword ptr [rax + {n}]",
                "jne 2f",
                "cmp rdx, qword ptr [rax + {near_ty}]",
                "jne 2f",
                "cmp ecx, dword ptr [rax + {rank}]",
                "jne 2f",
                "cmp r8, qword ptr [rax + {at}]",
                "jne 2f",
                "cmp r9d, dword ptr [rax + {count}]",
                "jne 2f",
                "mov r10, qword ptr [rsp + 8]",
                "cmp r10, qword ptr [rax + {ty}]",
                "jne 3f",
                "mov r10, qword ptr [rsp + 16]",
                "cmp r10, qword ptr [rax + {win}]",
                "jne 3f",
                // The same instruction may call put and get.
                "cmp dword ptr [rax + {deed}], {this}",
                "jne 3f",
                "mov qword ptr fs:[r11 + {next_operation}], 0",
                "mov qword ptr fs:[r11 + {next_flush}], rax",
                "mov qword ptr fs:[r11 + {depth}], 1",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "push qword ptr [rsp + 24]",
                ".cfi_adjust_cfa_offset 8",
                "push qword ptr [rsp + 24]",
                ".cfi_adjust_cfa_offset 8",
                "call qword ptr [rax + {operation}]",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {depth}], 0",
                "add rsp, 24",
                ".cfi_adjust_cfa_offset -24",
                "ret",
                "3: mov r10, qword ptr [rsp]",
                "2: mov qword ptr fs:[r11 + {pc}], r10",
                "mov qword ptr fs:[r11 + {sp}], rsp",
                "jmp {to}",
                ".cfi_endproc",
                next_operation = const std::mem::offset_of!($crate::entry::Block, next_operation),
                next_flush = const std::mem::offset_of!($crate::entry::Block, next_flush),
                depth = const std::mem::offset_of!($crate::entry::Block, depth),
                pc = const std::mem::offset_of!($crate::entry::Block, pc),
                sp = const std::mem::offset_of!($crate::entry::Block, sp),
                from = const std::mem::offset_of!($crate::mpi::echo::Calls, from),
                near = const std::mem::offset_of!($crate::mpi::echo::Calls, near),
                n = const std::mem::offset_of!($crate::mpi::echo::Calls, n),
                near_ty = const std::mem::offset_of!($crate::mpi::echo::Calls, near_ty),
                rank = const std::mem::offset_of!($crate::mpi::echo::Calls, rank),
                at = const std::mem::offset_of!($crate::mpi::echo::Calls, at),
                count = const std::mem::offset_of!($crate::mpi::echo::Calls, count),
                ty = const std::mem::offset_of!($crate::mpi::echo::Calls, ty),
                win = const std::mem::offset_of!($crate::mpi::echo::Calls, win),
                operation = const std::mem::offset_of!($crate::mpi::echo::Calls, operation),
                deed = const std::mem::offset_of!($crate::mpi::echo::Calls, deed),
                this = const $deed,
                to = sym $body,
            )
        }
    };
}
pub(crate) use operation;

/// Defines the flush: likewise.
macro_rules! flush {
    ($symbol:ident $body:ident) => {
        #[doc(hidden)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov rax, qword ptr fs:[r11 + {next_flush}]",
                "test rax, rax",
                "je 2f",
                "cmp r10, qword ptr [rax + {flushed_from}]",
                "jne 2f",
                "cmp edi, dword ptr [rax + {rank}]",
                "jne 2f",
                "cmp rsi, qword ptr [rax + {win}]",
                "jne 2f",
                "inc qword ptr [rax + {times}]",
                "mov qword ptr fs:[r11 + {next_flush}], 0",
                "mov qword ptr fs:[r11 + {next_operation}], rax",
                "mov qword ptr fs:[r11 + {depth}], 1",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "call qword ptr [rax + {flush}]",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov qword ptr fs:[r11 + {depth}], 0",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "ret",
                "2: mov qword ptr fs:[r11 + {pc}], r10",
                "mov qword ptr fs:[r11 + {sp}], rsp",
                "jmp {to}",
                ".cfi_endproc",
                next_operation = const std::mem::offset_of!($crate::entry::Block, next_operation),
                next_flush = const std::mem::offset_of!($crate::entry::Block, next_flush),
                depth = const std::mem::offset_of!($crate::entry::Block, depth),
                pc = const std::mem::offset_of!($crate::entry::Block, pc),
                sp = const std::mem::offset_of!($crate::entry::Block, sp),
                flushed_from = const std::mem::offset_of!($crate::mpi::echo::Calls, flushed_from),
                rank = const std::mem::offset_of!($crate::mpi::echo::Calls, rank),
                win = const std::mem::offset_of!($crate::mpi::echo::Calls, win),
                flush = const std::mem::offset_of!($crate::mpi::echo::Calls, flush),
                times = const std::mem::offset_of!($crate::mpi::echo::Calls, times),
                to = sym $body,
            )
        }
    };
}
pub(crate) use flush;

/// A barrier: forwarded here if it is the last one once more.
#[inline(always)]
pub fn barrier(comm: MPI_Comm, real: impl FnOnce() -> c_int) -> Option<c_int> {
    // SAFETY: the block and what is kept with it are this thread's own, and used by one call at a time.
    let (block, echo) = unsafe {
        let block = &mut *block();
        let echo = again::echo(block.kept)?;
        (block, echo)
    };
    match echo {
        Echo::Barrier { comm: last, pc, passed, most } if *pc == block.pc && *last == comm && *passed < *most => {
            *passed += 1;
            block.depth = 1;
            // Barriers that have been passed and not told of.
            let result = last::busy(real);
            block.depth = 0;
            Some(result)
        }
        _ => None,
    }
}

/// Whether calls are all that this program shows, and this thread all that shows it.
fn alone(o: &Observed) -> bool {
    !INSTRUMENTED.load(Ordering::Relaxed) && o.recorder.is_idle() && !o.confirms()
}

/// An operation and its flush have repeated.
pub fn begin_pair(o: &mut Observed, issued: Issued, flushed_from: u64) {
    if alone(o)
        && let Some(calls) = issued.transfer.calls(issued.pc, flushed_from)
    {
        begin(o, Echo::Pair { issued, calls: Box::new(calls) });
        if let Echo::Pair { calls, .. } = again::kept_echo(o.block) {
            // SAFETY: the block is this thread's own; the calls live until the echo is settled.
            unsafe { (*o.block).next_operation = &raw mut **calls };
        }
    }
}

/// A global barrier was passed.
pub fn begin_barrier(o: &mut Observed, comm: MPI_Comm) {
    if alone(o) {
        let (pc, most) = (o.pc, o.session.barriers_to_pass());
        begin(o, Echo::Barrier { comm, pc, passed: 0, most });
    }
}

fn begin(o: &mut Observed, echo: Echo) {
    *again::kept_echo(o.block) = echo;
    // SAFETY: the block is this thread's own.
    unsafe { (*o.block).settle = Some(settle) };
}

/// Something else comes.
fn settle(o: &mut Observed) {
    // SAFETY: the block is this thread's own.
    let flushes = unsafe {
        (*o.block).next_operation = std::ptr::null_mut();
        !std::mem::replace(&mut (*o.block).next_flush, std::ptr::null_mut()).is_null()
    };
    match std::mem::take(again::kept_echo(o.block)) {
        Echo::Pair { issued, calls } => {
            again::count(o, &issued, calls.times);
            if flushes {
                o.recorder.issue_again(&[]);
                again::record_late(o, &issued);
            }
        }
        Echo::Barrier { passed, .. } if passed > 0 => o.session.rank().pass_barriers(o.recorder, passed),
        _ => {}
    }
}
