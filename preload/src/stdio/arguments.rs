//! The arguments of a variadic call, as the processor's calling convention hands them over.

use std::ffi::c_void;

/// A `va_list`: where the next argument of each kind is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Arguments {
    general: u32,
    floating: u32,
    overflow: *const u8,
    saved: *const u8,
}

impl Arguments {
    /// The next one in a general register, or on the stack.
    ///
    /// # Safety
    /// The call has such an argument.
    pub unsafe fn word(&mut self) -> u64 {
        // SAFETY: the caller's; registers are saved first, in order, then comes the stack.
        unsafe {
            if self.general < 48 {
                let at = self.saved.add(self.general as usize);
                self.general += 8;
                at.cast::<u64>().read_unaligned()
            } else {
                let at = self.overflow;
                self.overflow = at.add(8);
                at.cast::<u64>().read_unaligned()
            }
        }
    }

    /// Passes by a `double`.
    ///
    /// # Safety
    /// As for [`Arguments::word`].
    pub unsafe fn skip_double(&mut self) {
        if self.floating < 176 {
            self.floating += 16;
        } else {
            // SAFETY: the caller's.
            self.overflow = unsafe { self.overflow.add(8) };
        }
    }

    /// Passes by a `long double`, which is always on the stack.
    ///
    /// # Safety
    /// As for [`Arguments::word`].
    pub unsafe fn skip_long_double(&mut self) {
        // SAFETY: the caller's.
        self.overflow = unsafe { self.overflow.add(self.overflow.align_offset(16) + 16) };
    }

    /// For the library's functions that take a `va_list`.
    pub fn as_list(&mut self) -> *mut c_void {
        (&raw mut *self).cast()
    }
}

/// Defines a variadic C function of so many fixed arguments: notes the caller, saves the registers that arguments may be in, and calls the body
/// with the fixed arguments and the address of a `va_list`, which comes in register `$list`.
macro_rules! variadic {
    ($( $symbol:ident $fixed:literal $list:literal $body:ident; )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + 8], r10",
                "mov qword ptr fs:[r11 + 24], rsp",
                "sub rsp, 216",
                ".cfi_adjust_cfa_offset 216",
                "mov qword ptr [rsp + 32], rdi",
                "mov qword ptr [rsp + 40], rsi",
                "mov qword ptr [rsp + 48], rdx",
                "mov qword ptr [rsp + 56], rcx",
                "mov qword ptr [rsp + 64], r8",
                "mov qword ptr [rsp + 72], r9",
                "test al, al",
                "je 2f",
                "movaps xmmword ptr [rsp + 80], xmm0",
                "movaps xmmword ptr [rsp + 96], xmm1",
                "movaps xmmword ptr [rsp + 112], xmm2",
                "movaps xmmword ptr [rsp + 128], xmm3",
                "movaps xmmword ptr [rsp + 144], xmm4",
                "movaps xmmword ptr [rsp + 160], xmm5",
                "movaps xmmword ptr [rsp + 176], xmm6",
                "movaps xmmword ptr [rsp + 192], xmm7",
                "2:",
                concat!("mov dword ptr [rsp], ", $fixed, " * 8"),
                "mov dword ptr [rsp + 4], 48",
                "lea r10, [rsp + 224]",
                "mov qword ptr [rsp + 8], r10",
                "lea r10, [rsp + 32]",
                "mov qword ptr [rsp + 16], r10",
                concat!("mov ", $list, ", rsp"),
                "call {to}",
                "add rsp, 216",
                ".cfi_adjust_cfa_offset -216",
                "ret",
                ".cfi_endproc",
                to = sym $body,
            )
        }
    )* };
}
pub(crate) use variadic;
