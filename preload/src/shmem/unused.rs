//! Whether a caller looks at what a call returned: it does not if the code behind the call writes over the register before it reads it.
//!
//! Only the few forms of instructions that compilers put there are understood. Whatever else comes counts as a look, and so does the end of the function, whose
//! own result it may be: in doubt the value is used.

/// How many instructions are followed.
const REACH: u32 = 48;

/// The register of results, `rax`.
const RESULT: u8 = 0;

/// What an instruction does to it, and where it goes on.
enum Step {
    /// It is read, or may be.
    Looks,
    /// It is written over.
    Forgets,
    /// Neither; the next one is so many bytes further.
    Passes(usize),
    /// It goes on so many bytes further.
    Jumps(isize),
    /// It goes on behind it, or so many bytes further.
    Branches(usize, isize),
}

/// Whether nobody looks at the result of the call that returns to this address.
///
/// # Safety
/// Code of this process is there, which is executed next.
pub unsafe fn is_unused(pc: u64) -> bool {
    let mut left = REACH;
    // SAFETY: by what is asked of the caller.
    unsafe { forgets(pc as *const u8, &mut left) }
}

/// # Safety
/// As above.
unsafe fn forgets(mut at: *const u8, left: &mut u32) -> bool {
    while *left > 0 {
        *left -= 1;
        // SAFETY: only what may be executed is read.
        match unsafe { step(at) } {
            Step::Looks => return false,
            Step::Forgets => return true,
            Step::Passes(len) => at = at.wrapping_add(len),
            Step::Jumps(by) => at = at.wrapping_offset(by),
            Step::Branches(len, by) => {
                // SAFETY: both ways may be executed.
                if !unsafe { forgets(at.wrapping_offset(by), left) } {
                    return false;
                }
                at = at.wrapping_add(len);
            }
        }
    }
    false
}

/// Register operand, and register or memory operand, of an instruction.
struct Operands {
    register: u8,
    /// The other one, if it is a register.
    other: Option<u8>,
    /// Whether the result is part of an address.
    addressed: bool,
    len: usize,
}

/// # Safety
/// An instruction's operands are there.
unsafe fn operands(at: *const u8, rex: u8) -> Operands {
    // SAFETY: the first byte, and the second where the first says that there is one.
    let (form, index) = unsafe { (*at, *at.wrapping_add(1)) };
    let (mode, low) = (form >> 6, form & 7);
    let register = (form >> 3 & 7) | (rex & 4) << 1;
    let base = |low: u8| low | (rex & 1) << 3;
    if mode == 3 {
        return Operands { register, other: Some(base(low)), addressed: false, len: 1 };
    }
    let indexed = low == 4;
    let absolute = mode == 0 && (if indexed { index & 7 } else { low }) == 5;
    let displaced = match mode {
        1 => 1,
        2 => 4,
        _ if absolute => 4,
        _ => 0,
    };
    let by_index = indexed && (index >> 3 & 7 | (rex & 2) << 2) == RESULT;
    let by_base = !absolute && base(if indexed { index & 7 } else { low }) == RESULT;
    Operands { register, other: None, addressed: by_index || by_base, len: 1 + usize::from(indexed) + displaced }
}

/// # Safety
/// An instruction is there.
unsafe fn step(at: *const u8) -> Step {
    // SAFETY: an instruction has the bytes that those before them say it has.
    let byte = |i: usize| unsafe { *at.wrapping_add(i) };
    // SAFETY: likewise.
    let far = |i: usize| unsafe { at.wrapping_add(i).cast::<i32>().read_unaligned() } as isize;
    // SAFETY: likewise.
    let parts = |i: usize, rex: u8| unsafe { operands(at.wrapping_add(i), rex) };

    let mut i = 0;
    let mut narrow = false;
    while matches!(byte(i), 0x64 | 0x66 | 0xf2 | 0xf3) {
        narrow |= byte(i) == 0x66;
        i += 1;
    }
    let rex = if byte(i) & 0xf0 == 0x40 { byte(i) } else { 0 };
    i += usize::from(rex != 0);
    let code = byte(i);
    i += 1;
    let low = code & 7 | (rex & 1) << 3;
    // Reads its second operand and the address of it, writes the register.
    let load = |o: Operands, from: usize, reads: bool| match () {
        () if o.addressed || reads && o.other == Some(RESULT) => Step::Looks,
        () if o.register == RESULT && !narrow => Step::Forgets,
        () if o.register == RESULT => Step::Looks,
        () => Step::Passes(from + o.len),
    };
    // Reads both.
    let compute = |o: Operands, from: usize| match () {
        () if o.addressed || o.register == RESULT || o.other == Some(RESULT) => Step::Looks,
        () => Step::Passes(from + o.len),
    };
    // Reads the second, with a constant of so many bytes.
    let constant = |o: Operands, from: usize, bytes: usize| match () {
        () if o.addressed || o.other == Some(RESULT) => Step::Looks,
        () => Step::Passes(from + o.len + bytes),
    };
    match code {
        0xe8 => Step::Forgets,
        0xe9 => Step::Jumps(i as isize + 4 + far(i)),
        0xeb => Step::Jumps(i as isize + 1 + byte(i) as i8 as isize),
        0x70..=0x7f => Step::Branches(i + 1, i as isize + 1 + byte(i) as i8 as isize),
        0x90 => Step::Passes(i),
        0x63 | 0x8b => load(parts(i, rex), i, true),
        0x8d => load(parts(i, rex), i, false),
        0x31 | 0x33 if parts(i, rex).other == Some(parts(i, rex).register) => load(parts(i, rex), i, false),
        0x89 => match parts(i, rex) {
            o if o.addressed || o.register == RESULT => Step::Looks,
            o if o.other == Some(RESULT) && !narrow => Step::Forgets,
            o if o.other == Some(RESULT) => Step::Looks,
            o => Step::Passes(i + o.len),
        },
        0x01 | 0x03 | 0x09 | 0x0b | 0x21 | 0x23 | 0x29 | 0x2b | 0x31 | 0x33 | 0x39 | 0x3b | 0x85 => {
            compute(parts(i, rex), i)
        }
        0x83 | 0xc1 => constant(parts(i, rex), i, 1),
        0x81 if !narrow => constant(parts(i, rex), i, 4),
        0xc7 if !narrow => match parts(i, rex) {
            o if o.other == Some(RESULT) => Step::Forgets,
            o => constant(o, i, 4),
        },
        0xb8..=0xbf if !narrow => match low {
            RESULT => Step::Forgets,
            _ => Step::Passes(i + if rex & 8 == 0 { 4 } else { 8 }),
        },
        0x50..=0x5f if low != RESULT => Step::Passes(i),
        0xff => match (parts(i, rex), byte(i) >> 3 & 7) {
            (o, _) if o.addressed || o.other == Some(RESULT) => Step::Looks,
            (_, 2) => Step::Forgets,
            (o, 0 | 1) => Step::Passes(i + o.len),
            _ => Step::Looks,
        },
        0x0f => match byte(i) {
            0x80..=0x8f => Step::Branches(i + 5, i as isize + 5 + far(i + 1)),
            0xb6 | 0xb7 | 0xbe | 0xbf => load(parts(i + 1, rex), i + 1, true),
            0x1f => Step::Passes(i + 1 + parts(i + 1, rex).len),
            // Of vector registers: only the address may have to do with it.
            0x10 | 0x11 | 0x28 | 0x29 | 0x2e | 0x2f | 0x51 | 0x54 | 0x57..=0x59 | 0x5c | 0x5e | 0xef => {
                match parts(i + 1, rex) {
                    o if o.addressed => Step::Looks,
                    o => Step::Passes(i + 1 + o.len),
                }
            }
            _ => Step::Looks,
        },
        _ => Step::Looks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(code: &[u8]) -> bool {
        let mut code = code.to_vec();
        // What follows is understood by nobody.
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
