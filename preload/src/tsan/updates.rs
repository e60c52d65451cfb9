//! gcc's updates by OpenMP's `atomic`, of floating-point numbers and by whatever has no instruction of its own (`x *= 2`, `max`, `.and.`): a relaxed atomic load, for which there is a hook, and a loop
//! around a compare-and-exchange, for which there is none. All other compare-and-exchange instructions of code that is looked at are calls. So a load that goes on to one of those without
//! another call is the begin of an update, of the line of the compare-and-exchange: the load itself has that of whatever stands before it.

use crate::code::decode;
use iced_x86::{FlowControl, Mnemonic, OpKind};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many instructions are followed.
const REACH: u32 = 96;
/// What was found out last: the address behind the call, and how far behind it the loop's compare-and-exchange ends, 0 if there is none.
static KNOWN: [AtomicU64; ENTRIES] = [const { AtomicU64::new(0) }; ENTRIES];
const ENTRIES: usize = 1024;
const DISTANCE_BITS: u32 = 16;

/// Where the update ends that the call before this address loads for, if it does: the address behind its compare-and-exchange.
///
/// # Safety
/// Code of this process is there, which is executed next.
pub unsafe fn end(pc: u64, width: u8) -> Option<u64> {
    let entry = &KNOWN[(pc ^ (pc >> 10)) as usize % ENTRIES];
    let known = entry.load(Ordering::Relaxed);
    let distance = if known >> DISTANCE_BITS == pc {
        known & ((1 << DISTANCE_BITS) - 1)
    } else {
        // SAFETY: by what is asked of the caller.
        let end = unsafe { exchanges(pc, width, &mut { REACH }) };
        let distance = end.and_then(|end| u16::try_from(end.wrapping_sub(pc)).ok()).unwrap_or(0).into();
        entry.store(pc << DISTANCE_BITS | distance, Ordering::Relaxed);
        distance
    };
    (distance > 0).then_some(pc + distance)
}

/// Where the first compare-and-exchange of this width ends that comes before any call.
///
/// # Safety
/// What may be executed from there on is code.
unsafe fn exchanges(mut at: u64, width: u8, left: &mut u32) -> Option<u64> {
    while *left > 0 {
        *left -= 1;
        // SAFETY: only what may be executed is read.
        let instruction = unsafe { decode(at) };
        let of_memory = instruction.op0_kind() == OpKind::Memory;
        if instruction.mnemonic() == Mnemonic::Cmpxchg && instruction.has_lock_prefix() && of_memory {
            return (instruction.memory_size().size() == width.into()).then(|| instruction.next_ip());
        }
        at = match instruction.flow_control() {
            FlowControl::Next => instruction.next_ip(),
            FlowControl::UnconditionalBranch => instruction.near_branch_target(),
            FlowControl::ConditionalBranch => {
                // SAFETY: both ways may be executed.
                let found = unsafe { exchanges(instruction.next_ip(), width, left) };
                if found.is_some() {
                    return found;
                }
                instruction.near_branch_target()
            }
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &[u8], width: u8) -> Option<u64> {
        let mut code = code.to_vec();
        // What follows is no instruction.
        code.resize(code.len() + 16, 0x06);
        let at = code.as_ptr() as u64;
        // SAFETY: bytes that no instruction understood goes beyond.
        unsafe { exchanges(at, width, &mut { REACH }) }.map(|end| end - at)
    }

    #[test]
    fn a_load_before_a_loop_of_exchanges_is_an_update() {
        let sum = [0x48, 0x89, 0xc2, 0x66, 0x48, 0x0f, 0x6e, 0xca, 0x48, 0x89, 0xd0, 0xf0, 0x48, 0x0f, 0xb1, 0x0b];
        assert_eq!(found(&sum, 8), Some(16), "mov; movq; mov; lock cmpxchg [rbx], rcx");
        assert_eq!(found(&sum, 4), None, "of another width");
        assert_eq!(
            found(&[0x39, 0xc8, 0x7e, 0x02, 0x89, 0xc1, 0xf0, 0x0f, 0xb1, 0x0b], 4),
            Some(10),
            "a branch before it"
        );
        assert_eq!(found(&[0xeb, 0x01, 0xcc, 0xf0, 0x0f, 0xb1, 0x0b], 4), Some(7), "a jump");
    }

    #[test]
    fn one_before_a_call_or_the_end_is_none() {
        assert_eq!(found(&[0xe8, 0, 0, 0, 0, 0xf0, 0x0f, 0xb1, 0x0b], 4), None, "call");
        assert_eq!(found(&[0xff, 0xd0, 0xf0, 0x0f, 0xb1, 0x0b], 4), None, "call rax");
        assert_eq!(found(&[0xc3, 0xf0, 0x0f, 0xb1, 0x0b], 4), None, "ret");
        assert_eq!(found(&[0x0f, 0xb1, 0x0b, 0xc3], 4), None, "without lock");
        assert_eq!(found(&[0xeb, 0xfe], 4), None, "a loop of nothing");
    }
}
