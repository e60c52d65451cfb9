//! gfortran's intrinsic functions and subroutines, as far as they are calls into its run-time library.
//!
//! Some are passed values in registers of any kind, and on the stack. So each notes what it is about to touch, which its row says, and jumps to
//! the library's own with all registers as they were.
//!
//! A row has names, their kinds, and lists of what the functions touch. A list counts arguments from 0, as registers are given out for integers
//! and addresses: values of floating types are none. A row of three lists is also of the functions with a mask, whose names begin with an `m`,
//! and of those with one mask for all elements, with an `s`. Arrays are taken to be read as a whole, as the language has it, save where a mask
//! leaves elements out.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::{Descriptor, observe_program};
use crate::rank::Observed;
use crate::real::Real;
use Touch::{All, Bytes, Element, First, If, Masked, Text, Texts};
use thrille_model::Act;
use thrille_model::Kind::{self, Read, Write};

/// What a function does with an argument. What is not there (a null pointer) is not touched.
enum Touch {
    /// An array.
    All(usize, Kind),
    /// So many of the first elements of an array.
    First(usize, usize, Kind),
    /// Reads an array where another one, of logicals, is true.
    Masked(usize, usize),
    /// So many bytes.
    Bytes(usize, usize, Kind),
    /// Reads a scalar that is like an element of an array.
    Element(usize, usize),
    /// A string: address, length, bytes of a character.
    Text(usize, usize, usize, Kind),
    /// Reads strings whose number is an argument: a length and an address of each follow it.
    Texts(usize, usize),
    /// Reads a logical: if it is false, what comes behind it in the list is not touched.
    If(usize),
}

/// Bytes that [`enter`] puts before the return address of a call.
const SAVED: usize = 216;

/// The arguments of a call, where [`enter`] has put them.
#[derive(Clone, Copy)]
struct Arguments(*const usize);

impl Arguments {
    /// An integer or address: six are in registers, the others are behind the return address.
    unsafe fn get(self, n: usize) -> usize {
        let place = if n < 6 { n } else { SAVED / 8 + 1 + n - 6 };
        // SAFETY: the caller's: the call has such an argument.
        unsafe { *self.0.add(place) }
    }
}

impl Touch {
    /// Tells of it. False: what comes behind it in the list is not touched.
    unsafe fn tell(&self, arguments: Arguments, observed: &mut Observed) -> bool {
        let mut tell = |at: u64, len: u64, kind: Kind| {
            if at != 0 && len > 0 {
                observed.touch(at, len, kind, Act::LibraryCall);
            }
        };
        // SAFETY: the caller's: the compiler passes what the row says.
        unsafe {
            let word = |n: usize| arguments.get(n);
            let array = |n: usize| (arguments.get(n) as *const Descriptor).as_ref();
            match *self {
                All(n, kind) => {
                    if let Some(array) = array(n) {
                        array.stretches(|at, len| tell(at, len, kind));
                    }
                }
                First(n, most, kind) => {
                    if let Some(array) = array(n) {
                        runs(array.elements().take(most), array.element as u64, |at, len| tell(at, len, kind));
                    }
                }
                Masked(n, mask) => match (array(n), array(mask)) {
                    (Some(array), Some(mask)) => {
                        mask.stretches(|at, len| tell(at, len, Read));
                        // The first byte of a logical of any kind says it.
                        let places = array.elements().zip(mask.elements());
                        let taken = places.filter(|&(_, mask)| *(mask as *const u8) != 0).map(|(at, _)| at);
                        runs(taken, array.element as u64, |at, len| tell(at, len, Read));
                    }
                    (Some(array), None) => array.stretches(|at, len| tell(at, len, Read)),
                    (None, _) => {}
                },
                Bytes(n, len, kind) => tell(word(n) as u64, len as u64, kind),
                Element(n, of) => {
                    if let Some(array) = array(of) {
                        tell(word(n) as u64, array.element as u64, Read);
                    }
                }
                Text(at, len, width, kind) => tell(word(at) as u64, word(len).saturating_mul(width) as u64, kind),
                Texts(count, width) => {
                    for n in 0..word(count) as u32 as usize {
                        let len = word(count + 1 + 2 * n).saturating_mul(width);
                        tell(word(count + 2 + 2 * n) as u64, len as u64, Read);
                    }
                }
                If(n) => {
                    let mask = word(n) as *const i32;
                    tell(mask as u64, size_of::<i32>() as u64, Read);
                    return mask.is_null() || *mask != 0;
                }
            }
        }
        true
    }
}

/// Joins elements that follow each other in memory.
fn runs(places: impl Iterator<Item = u64>, element: u64, mut visit: impl FnMut(u64, u64)) {
    let (mut start, mut len) = (0, 0);
    for at in places {
        if start + len == at {
            len += element;
        } else {
            visit(start, len);
            (start, len) = (at, element);
        }
    }
    visit(start, len);
}

/// A function of the library, and what it touches.
struct Entry {
    real: Real,
    touches: &'static [Touch],
}

/// Notes what is about to be touched; returns where the library's function is.
unsafe extern "C" fn note(arguments: *const usize, entry: *const Entry) -> usize {
    // SAFETY: `enter` passes the arguments of the call and its row.
    let (arguments, entry) = (Arguments(arguments), unsafe { &*entry });
    if let Some(mut observed) = observe_program() {
        for touch in entry.touches {
            // SAFETY: the row is of the function that was called.
            if !unsafe { touch.tell(arguments, &mut observed) } {
                break;
            }
        }
    }
    entry.real.get()
}

/// Where all of them go on, with their [`Entry`] in r10: notes the caller, saves what arguments may be in (rax has the number of vector registers of a
/// variadic call), has [`note`] look at it, and goes on to the library's function as if nothing had been.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, {saved}",
        ".cfi_adjust_cfa_offset {saved}",
        "mov qword ptr [rsp], rdi",
        "mov qword ptr [rsp + 8], rsi",
        "mov qword ptr [rsp + 16], rdx",
        "mov qword ptr [rsp + 24], rcx",
        "mov qword ptr [rsp + 32], r8",
        "mov qword ptr [rsp + 40], r9",
        "movaps xmmword ptr [rsp + 48], xmm0",
        "movaps xmmword ptr [rsp + 64], xmm1",
        "movaps xmmword ptr [rsp + 80], xmm2",
        "movaps xmmword ptr [rsp + 96], xmm3",
        "movaps xmmword ptr [rsp + 112], xmm4",
        "movaps xmmword ptr [rsp + 128], xmm5",
        "movaps xmmword ptr [rsp + 144], xmm6",
        "movaps xmmword ptr [rsp + 160], xmm7",
        "mov qword ptr [rsp + 176], rax",
        "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
        "mov rax, qword ptr [rsp + {saved}]",
        "mov qword ptr fs:[r11 + 8], rax",
        "lea rax, [rsp + {saved}]",
        "mov qword ptr fs:[r11 + 24], rax",
        "mov rdi, rsp",
        "mov rsi, r10",
        "call {note}",
        "mov r11, rax",
        "mov rdi, qword ptr [rsp]",
        "mov rsi, qword ptr [rsp + 8]",
        "mov rdx, qword ptr [rsp + 16]",
        "mov rcx, qword ptr [rsp + 24]",
        "mov r8, qword ptr [rsp + 32]",
        "mov r9, qword ptr [rsp + 40]",
        "movaps xmm0, xmmword ptr [rsp + 48]",
        "movaps xmm1, xmmword ptr [rsp + 64]",
        "movaps xmm2, xmmword ptr [rsp + 80]",
        "movaps xmm3, xmmword ptr [rsp + 96]",
        "movaps xmm4, xmmword ptr [rsp + 112]",
        "movaps xmm5, xmmword ptr [rsp + 128]",
        "movaps xmm6, xmmword ptr [rsp + 144]",
        "movaps xmm7, xmmword ptr [rsp + 160]",
        "mov rax, qword ptr [rsp + 176]",
        "add rsp, {saved}",
        ".cfi_adjust_cfa_offset -{saved}",
        // A program that has no such library does not call this.
        "test r11, r11",
        "je 2f",
        "jmp r11",
        "2:",
        "ret",
        ".cfi_endproc",
        saved = const SAVED,
        note = sym note,
    )
}

macro_rules! intrinsics {
    (@one $name:ident $touches:expr) => { pastey::paste! {
        static [<$name:upper>]: Entry =
            Entry { real: Real::new(concat!("_gfortran_", stringify!($name), "\0").as_bytes()), touches: $touches };
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn [<_gfortran_ $name>]() {
            core::arch::naked_asm!(
                "lea r10, [rip + {entry}]",
                "jmp {enter}",
                entry = sym [<$name:upper>],
                enter = sym enter,
            )
        }
    } };
    (@kinds $name:ident [] $touches:expr) => { intrinsics!(@one $name $touches); };
    (@kinds $name:ident [$($kind:tt)+] $touches:expr) => { pastey::paste! {
        $( intrinsics!(@one [<$name _ $kind>] $touches); )*
    } };
    (@lists $name:ident $kinds:tt ($touches:expr)) => { intrinsics!(@kinds $name $kinds $touches); };
    (@lists $name:ident $kinds:tt ($touches:expr, $masked:expr, $if:expr)) => { pastey::paste! {
        intrinsics!(@kinds $name $kinds $touches);
        intrinsics!(@kinds [<m $name>] $kinds $masked);
        intrinsics!(@kinds [<s $name>] $kinds $if);
    } };
    ($( [$($name:ident)*] $kinds:tt $lists:tt; )*) => { $( $( intrinsics!(@lists $name $kinds $lists); )* )* };
}

/// Of `result, array, dim`, and then the mask.
const ALONG: &[Touch] = &[Bytes(2, 8, Read), All(1, Read), All(0, Write)];
const ALONG_MASKED: &[Touch] = &[Bytes(2, 8, Read), Masked(1, 3), All(0, Write)];
const ALONG_IF: &[Touch] = &[Bytes(2, 8, Read), All(0, Write), If(3), All(1, Read)];

/// Of `result, array`, and then the mask.
const WHOLE: &[Touch] = &[All(1, Read), All(0, Write)];
const WHOLE_MASKED: &[Touch] = &[Masked(1, 2), All(0, Write)];
const WHOLE_IF: &[Touch] = &[All(0, Write), If(2), All(1, Read)];

// SAFETY (all rows): the compiler passes descriptors of the arrays, and addresses of the scalars and strings.
intrinsics! {
    [sum product] [i1 i2 i4 i8 i16 r4 r8 r10 r16 c4 c8 c10 c16] (ALONG, ALONG_MASKED, ALONG_IF);
    [minval maxval] [i1 i2 i4 i8 i16 r4 r8 r10 r16] (ALONG, ALONG_MASKED, ALONG_IF);
    [iall iany iparity] [i1 i2 i4 i8 i16] (ALONG, ALONG_MASKED, ALONG_IF);
    [any all parity] [l1 l2 l4 l8 l16] (ALONG);
    [count] [1_l 2_l 4_l 8_l 16_l] (ALONG);
    [norm2] [r4 r8 r10 r16] (ALONG);
    [minloc0 maxloc0] [
        4_i1 4_i2 4_i4 4_i8 4_i16 4_r4 4_r8 4_r10 4_r16 4_s1 4_s4
        8_i1 8_i2 8_i4 8_i8 8_i16 8_r4 8_r8 8_r10 8_r16 8_s1 8_s4
        16_i1 16_i2 16_i4 16_i8 16_i16 16_r4 16_r8 16_r10 16_r16 16_s1 16_s4
    ] (WHOLE, WHOLE_MASKED, WHOLE_IF);
    [minloc1 maxloc1] [
        4_i1 4_i2 4_i4 4_i8 4_i16 4_r4 4_r8 4_r10 4_r16 4_s1 4_s4
        8_i1 8_i2 8_i4 8_i8 8_i16 8_r4 8_r8 8_r10 8_r16 8_s1 8_s4
        16_i1 16_i2 16_i4 16_i8 16_i16 16_r4 16_r8 16_r10 16_r16 16_s1 16_s4
    ] (ALONG, ALONG_MASKED, ALONG_IF);

    // Of strings: the result is returned, one of a known length, or an array of those, with its length behind it.
    [minloc2 maxloc2] [4_s1 4_s4 8_s1 8_s4 16_s1 16_s4] (&[All(0, Read)], &[Masked(0, 1)], &[If(1), All(0, Read)]);
    [minval0 maxval0] [s1] (
        &[All(2, Read), Text(0, 1, 1, Write)],
        &[Masked(2, 3), Text(0, 1, 1, Write)],
        &[Text(0, 1, 1, Write), If(3), All(2, Read)]
    );
    [minval0 maxval0] [s4] (
        &[All(2, Read), Text(0, 1, 4, Write)],
        &[Masked(2, 3), Text(0, 1, 4, Write)],
        &[Text(0, 1, 4, Write), If(3), All(2, Read)]
    );
    [minval1 maxval1] [s1 s4] (
        &[Bytes(3, 8, Read), All(2, Read), All(0, Write)],
        &[Bytes(3, 8, Read), Masked(2, 4), All(0, Write)],
        &[Bytes(3, 8, Read), All(0, Write), If(4), All(2, Read)]
    );

    // The value to find takes no register of those that are counted, one, or two.
    [findloc0] [r4 r8 r10 r16 c4 c8 c10 c16] (WHOLE, WHOLE_MASKED, WHOLE_IF);
    [findloc0] [i1 i2 i4 i8] (WHOLE, &[Masked(1, 3), All(0, Write)], &[All(0, Write), If(3), All(1, Read)]);
    [findloc0] [i16] (WHOLE, &[Masked(1, 4), All(0, Write)], &[All(0, Write), If(4), All(1, Read)]);
    [findloc1] [r4 r8 r10 r16 c4 c8 c10 c16] (ALONG, ALONG_MASKED, ALONG_IF);
    [findloc1] [i1 i2 i4 i8] (
        &[Bytes(3, 8, Read), All(1, Read), All(0, Write)],
        &[Bytes(3, 8, Read), Masked(1, 4), All(0, Write)],
        &[Bytes(3, 8, Read), All(0, Write), If(4), All(1, Read)]
    );
    [findloc1] [i16] (
        &[Bytes(4, 8, Read), All(1, Read), All(0, Write)],
        &[Bytes(4, 8, Read), Masked(1, 5), All(0, Write)],
        &[Bytes(4, 8, Read), All(0, Write), If(5), All(1, Read)]
    );
    // A string to find is an address, and a length at the end.
    [findloc0] [s1] (
        &[Text(2, 5, 1, Read), All(1, Read), All(0, Write)],
        &[Text(2, 6, 1, Read), Masked(1, 3), All(0, Write)],
        &[All(0, Write), If(3), Text(2, 6, 1, Read), All(1, Read)]
    );
    [findloc0] [s4] (
        &[Text(2, 5, 4, Read), All(1, Read), All(0, Write)],
        &[Text(2, 6, 4, Read), Masked(1, 3), All(0, Write)],
        &[All(0, Write), If(3), Text(2, 6, 4, Read), All(1, Read)]
    );
    [findloc1] [s1] (
        &[Bytes(3, 8, Read), Text(2, 6, 1, Read), All(1, Read), All(0, Write)],
        &[Bytes(3, 8, Read), Text(2, 7, 1, Read), Masked(1, 4), All(0, Write)],
        &[Bytes(3, 8, Read), All(0, Write), If(4), Text(2, 7, 1, Read), All(1, Read)]
    );
    [findloc1] [s4] (
        &[Bytes(3, 8, Read), Text(2, 6, 4, Read), All(1, Read), All(0, Write)],
        &[Bytes(3, 8, Read), Text(2, 7, 4, Read), Masked(1, 4), All(0, Write)],
        &[Bytes(3, 8, Read), All(0, Write), If(4), Text(2, 7, 4, Read), All(1, Read)]
    );
    [findloc2] [s1] (
        &[Text(1, 4, 1, Read), All(0, Read)],
        &[Text(1, 5, 1, Read), Masked(0, 2)],
        &[If(2), Text(1, 5, 1, Read), All(0, Read)]
    );
    [findloc2] [s4] (
        &[Text(1, 4, 4, Read), All(0, Read)],
        &[Text(1, 5, 4, Read), Masked(0, 2)],
        &[If(2), Text(1, 5, 4, Read), All(0, Read)]
    );

    // Those of strings have the result's length behind the result.
    [matmul] [i1 i2 i4 i8 i16 r4 r8 r10 r16 c4 c8 c10 c16 l4 l8 l16] (&[All(1, Read), All(2, Read), All(0, Write)]);
    [reshape] [4 8 16 r4 r8 r10 r16 c4 c8 c10 c16]
        (&[All(1, Read), All(2, Read), All(3, Read), All(4, Read), All(0, Write)]);
    [reshape] [] (&[All(1, Read), All(2, Read), All(3, Read), All(4, Read), All(0, Write)]);
    [reshape] [char char4] (&[All(2, Read), All(3, Read), All(4, Read), All(5, Read), All(0, Write)]);
    [pack] [] (&[Masked(1, 2), All(3, Read), All(0, Write)]);
    [pack] [char char4] (&[Masked(2, 3), All(4, Read), All(0, Write)]);
    [pack_s] [] (&[All(3, Read), All(0, Write), If(2), All(1, Read)]);
    [pack_s] [char char4] (&[All(4, Read), All(0, Write), If(3), All(2, Read)]);
    [unpack0] [] (&[All(1, Read), All(2, Read), Element(3, 1), All(0, Write)]);
    [unpack0] [char char4] (&[All(2, Read), All(3, Read), Element(4, 2), All(0, Write)]);
    [unpack1] [] (&[All(1, Read), All(2, Read), All(3, Read), All(0, Write)]);
    [unpack1] [char char4] (&[All(2, Read), All(3, Read), All(4, Read), All(0, Write)]);
    [spread] [] (&[Bytes(2, 8, Read), Bytes(3, 8, Read), All(1, Read), All(0, Write)]);
    [spread] [char char4] (&[Bytes(3, 8, Read), Bytes(4, 8, Read), All(2, Read), All(0, Write)]);
    [spread_scalar] [] (&[Bytes(2, 8, Read), Bytes(3, 8, Read), Element(1, 0), All(0, Write)]);
    [spread_char_scalar spread_char4_scalar] [] (&[Bytes(3, 8, Read), Bytes(4, 8, Read), Element(2, 0), All(0, Write)]);

    [compare_string] [] (&[Text(1, 0, 1, Read), Text(3, 2, 1, Read)]);
    [compare_string] [char4] (&[Text(1, 0, 4, Read), Text(3, 2, 4, Read)]);
    [concat_string] [] (&[Text(3, 2, 1, Read), Text(5, 4, 1, Read), Text(1, 0, 1, Write)]);
    [concat_string] [char4] (&[Text(3, 2, 4, Read), Text(5, 4, 4, Read), Text(1, 0, 4, Write)]);
    [string_len_trim] [] (&[Text(1, 0, 1, Read)]);
    [string_len_trim] [char4] (&[Text(1, 0, 4, Read)]);
    [string_trim] [] (&[Text(3, 2, 1, Read)]);
    [string_trim] [char4] (&[Text(3, 2, 4, Read)]);
    [string_index string_scan string_verify] [] (&[Text(1, 0, 1, Read), Text(3, 2, 1, Read)]);
    [string_index string_scan string_verify] [char4] (&[Text(1, 0, 4, Read), Text(3, 2, 4, Read)]);
    [string_minmax] [] (&[Texts(3, 1)]);
    [string_minmax] [char4] (&[Texts(3, 4)]);
    [adjustl adjustr] [] (&[Text(2, 1, 1, Read), Text(0, 1, 1, Write)]);
    [adjustl adjustr] [char4] (&[Text(2, 1, 4, Read), Text(0, 1, 4, Write)]);
    [select_string] [] (&[Text(2, 3, 1, Read)]);
    [select_string] [char4] (&[Text(2, 3, 4, Read)]);
    [convert_char1_to_char4] [] (&[Text(2, 1, 1, Read)]);
    [convert_char4_to_char1] [] (&[Text(2, 1, 4, Read)]);

    [random] [r4] (&[Bytes(0, 4, Write)]);
    [random] [r8] (&[Bytes(0, 8, Write)]);
    [random] [r10 r16] (&[Bytes(0, 16, Write)]);
    [arandom] [r4 r8 r10 r16] (&[All(0, Write)]);
    [random_seed] [i4] (&[Bytes(0, 4, Write), All(1, Read), All(2, Write)]);
    [random_seed] [i8] (&[Bytes(0, 8, Write), All(1, Read), All(2, Write)]);
    [system_clock] [4] (&[Bytes(0, 4, Write), Bytes(1, 4, Write), Bytes(2, 4, Write)]);
    [system_clock] [8] (&[Bytes(0, 8, Write), Bytes(1, 8, Write), Bytes(2, 8, Write)]);
    [cpu_time] [4] (&[Bytes(0, 4, Write)]);
    [cpu_time] [8] (&[Bytes(0, 8, Write)]);
    [cpu_time] [10 16] (&[Bytes(0, 16, Write)]);
    [date_and_time] [] (&[Text(0, 4, 1, Write), Text(1, 5, 1, Write), Text(2, 6, 1, Write), First(3, 8, Write)]);
    [get_command_argument] [i4]
        (&[Bytes(0, 4, Read), Text(1, 4, 1, Write), Bytes(2, 4, Write), Bytes(3, 4, Write)]);
    [get_command_argument] [i8]
        (&[Bytes(0, 8, Read), Text(1, 4, 1, Write), Bytes(2, 8, Write), Bytes(3, 8, Write)]);
    [get_command] [i4] (&[Text(0, 3, 1, Write), Bytes(1, 4, Write), Bytes(2, 4, Write)]);
    [get_command] [i8] (&[Text(0, 3, 1, Write), Bytes(1, 8, Write), Bytes(2, 8, Write)]);
    [get_environment_variable] [i4]
        (&[Text(0, 5, 1, Read), Bytes(4, 4, Read), Text(1, 6, 1, Write), Bytes(2, 4, Write), Bytes(3, 4, Write)]);
    [get_environment_variable] [i8]
        (&[Text(0, 5, 1, Read), Bytes(4, 8, Read), Text(1, 6, 1, Write), Bytes(2, 8, Write), Bytes(3, 8, Write)]);
    [getarg] [i4] (&[Bytes(0, 4, Read), Text(1, 2, 1, Write)]);
    [getarg] [i8] (&[Bytes(0, 8, Read), Text(1, 2, 1, Write)]);
}

/// Shifts: of `result, array, shift, dim`, with the boundary behind the shift if there is one. Shifts and dimensions have so many bytes. The array is the
/// argument 1, or 2 for strings, whose length is behind the result.
const fn cshift0(bytes: usize, array: usize) -> [Touch; 4] {
    [Bytes(array + 1, bytes, Read), Bytes(array + 2, bytes, Read), All(array, Read), All(0, Write)]
}
const fn cshift1(bytes: usize, array: usize) -> [Touch; 4] {
    [All(array + 1, Read), Bytes(array + 2, bytes, Read), All(array, Read), All(0, Write)]
}
const fn eoshift0(bytes: usize, array: usize) -> [Touch; 5] {
    let (shift, dim) = (Bytes(array + 1, bytes, Read), Bytes(array + 3, bytes, Read));
    [shift, Element(array + 2, array), dim, All(array, Read), All(0, Write)]
}
const fn eoshift1(bytes: usize, array: usize) -> [Touch; 5] {
    let dim = Bytes(array + 3, bytes, Read);
    [All(array + 1, Read), Element(array + 2, array), dim, All(array, Read), All(0, Write)]
}
const fn eoshift2(bytes: usize, array: usize) -> [Touch; 5] {
    let (shift, dim) = (Bytes(array + 1, bytes, Read), Bytes(array + 3, bytes, Read));
    [shift, All(array + 2, Read), dim, All(array, Read), All(0, Write)]
}
const fn eoshift3(bytes: usize, array: usize) -> [Touch; 5] {
    let dim = Bytes(array + 3, bytes, Read);
    [All(array + 1, Read), All(array + 2, Read), dim, All(array, Read), All(0, Write)]
}

macro_rules! shifts {
    (@one $name:ident $($bytes:tt)*) => { pastey::paste! { $(
        intrinsics!(@one [<$name _ $bytes>] &$name($bytes, 1));
        intrinsics!(@one [<$name _ $bytes _char>] &$name($bytes, 2));
        intrinsics!(@one [<$name _ $bytes _char4>] &$name($bytes, 2));
    )* } };
    ($( $name:ident [$($bytes:tt)*] )*) => { $( shifts!(@one $name $($bytes)*); )* };
}

// SAFETY (all rows): as above.
shifts! {
    cshift0 [1 2 4 8 16]
    cshift1 [4 8 16]
    eoshift0 [1 2 4 8 16]
    eoshift1 [4 8 16]
    eoshift2 [1 2 4 8 16]
    eoshift3 [4 8 16]
}
