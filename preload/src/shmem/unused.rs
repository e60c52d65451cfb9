//! Whether a caller looks at what a call returned: it does not if the code behind the call writes over the register before it reads it.
//!
//! In doubt it does: behind an indirect jump, at the end of the function, whose own result it may be, and when the code goes on for too long.

use crate::code::decode;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register};

/// How many instructions are followed.
const REACH: u32 = 48;

/// Whether nobody looks at the result of the call that returns to this address.
///
/// # Safety
/// Code of this process is there, which is executed next.
pub unsafe fn is_unused(pc: u64) -> bool {
    let mut reader = Reader { left: REACH, info: InstructionInfoFactory::new() };
    // SAFETY: by what is asked of the caller.
    unsafe { reader.forgets(pc) }
}

struct Reader {
    left: u32,
    info: InstructionInfoFactory,
}

/// What an instruction does to the result.
enum Use {
    Reads,
    Overwrites,
    None,
}

impl Reader {
    /// # Safety
    /// What may be executed from there on is code.
    unsafe fn forgets(&mut self, mut at: u64) -> bool {
        while self.left > 0 {
            self.left -= 1;
            // SAFETY: only what may be executed is read.
            let instruction = unsafe { decode(at) };
            match self.what(&instruction) {
                Use::Reads => return false,
                Use::Overwrites => return true,
                Use::None => {}
            }
            at = match instruction.flow_control() {
                FlowControl::Next => instruction.next_ip(),
                // The called function's result is another one.
                FlowControl::Call | FlowControl::IndirectCall => return true,
                FlowControl::UnconditionalBranch => instruction.near_branch_target(),
                // SAFETY: both ways may be executed.
                FlowControl::ConditionalBranch if unsafe { self.forgets(instruction.near_branch_target()) } => {
                    instruction.next_ip()
                }
                _ => return false,
            };
        }
        false
    }

    fn what(&mut self, instruction: &Instruction) -> Use {
        let mut used = Use::None;
        for register in self.info.info(instruction).used_registers() {
            if register.register().full_register() != Register::RAX {
                continue;
            }
            // What is left of it when a part is overwritten may be read.
            let whole = matches!(register.register(), Register::RAX | Register::EAX);
            match register.access() {
                OpAccess::None | OpAccess::NoMemAccess => {}
                OpAccess::Write if whole => used = Use::Overwrites,
                _ => return Use::Reads,
            }
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(code: &[u8]) -> bool {
        let mut code = code.to_vec();
        // What follows is no instruction.
        code.resize(code.len() + 16, 0x06);
        // SAFETY: bytes that no instruction understood goes beyond.
        unsafe { is_unused(code.as_ptr() as u64) }
    }

    #[test]
    fn a_result_that_is_kept_or_compared_is_used() {
        assert!(!unused(&[0x48, 0x89, 0x45, 0xf8]), "mov [rbp-8], rax");
        assert!(!unused(&[0x48, 0x85, 0xc0, 0x75, 0x02]), "test rax, rax");
        assert!(!unused(&[0x48, 0x89, 0xc7, 0xe8, 0, 0, 0, 0]), "mov rdi, rax; call");
        assert!(!unused(&[0x48, 0x83, 0xf8, 0x03]), "cmp rax, 3");
        assert!(!unused(&[0x48, 0x8b, 0x04, 0xc5, 0, 0, 0, 0]), "mov rax, [rax*8]");
        assert!(!unused(&[0x48, 0x8d, 0x50, 0x01]), "lea rdx, [rax+1]");
        assert!(!unused(&[0x48, 0x98]), "cdqe");
        assert!(!unused(&[0x5d, 0xc3]), "pop rbp; ret");
        assert!(!unused(&[0xff, 0xd0]), "call rax");
        assert!(!unused(&[0x66, 0xb8, 1, 0]), "mov ax, 1");
    }

    #[test]
    fn one_that_is_written_over_is_not() {
        assert!(unused(&[0x48, 0x8b, 0x45, 0xf8]), "mov rax, [rbp-8]");
        assert!(unused(&[0x8b, 0x45, 0xf8]), "mov eax, [rbp-8]");
        assert!(unused(&[0xbf, 1, 0, 0, 0, 0xe8, 0, 0, 0, 0]), "mov edi, 1; call");
        assert!(unused(&[0x48, 0x8d, 0x05, 1, 0, 0, 0]), "lea rax, [rip+1]");
        assert!(unused(&[0x31, 0xc0]), "xor eax, eax");
        assert!(unused(&[0x83, 0x45, 0xfc, 0x01, 0xb8, 0, 0, 0, 0]), "add dword [rbp-4], 1; mov eax, 0");
        assert!(unused(&[0x49, 0x8b, 0x00, 0xe8, 0, 0, 0, 0]), "mov rax, [r8]");
        assert!(
            unused(&[0xc7, 0x45, 0xe0, 0, 0, 0, 0, 0xeb, 0x00, 0x48, 0xc7, 0xc0, 1, 0, 0, 0]),
            "mov dword [rbp-32], 0; jmp; mov rax, 1"
        );
        assert!(unused(&[0xff, 0x15, 0, 0, 0, 0]), "call [rip]");
        assert!(unused(&[0xf2, 0x0f, 0x10, 0x45, 0xf0, 0xe8, 0, 0, 0, 0]), "movsd xmm0, [rbp-16]; call");
    }

    #[test]
    fn both_ways_of_a_branch_count() {
        let overwritten = [0x31, 0xc0];
        let kept = [0x48, 0x89, 0xc7];
        let branch = |first: &[u8], second: &[u8]| {
            let mut code = vec![0x39, 0xd9, 0x74, first.len() as u8];
            code.extend(first);
            code.extend(second);
            code
        };
        assert!(unused(&branch(&overwritten, &overwritten)));
        assert!(!unused(&branch(&overwritten, &kept)));
        assert!(!unused(&branch(&kept, &overwritten)));
    }
}
