//! The program's machine code, as far as what a call means is to be read there.

use iced_x86::{Decoder, DecoderError, DecoderOptions, Instruction};

/// The instruction at an address.
///
/// # Safety
/// An instruction is there.
pub unsafe fn decode(at: u64) -> Instruction {
    const LONGEST: u64 = 15;
    const PAGE: u64 = 4096;
    let here = LONGEST.min(PAGE - at % PAGE);
    let decode = |len: u64| {
        // SAFETY: on the page of the instruction's first byte; or on the next one as well, if it goes on there.
        let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, len as usize) };
        let mut decoder = Decoder::with_ip(64, bytes, at, DecoderOptions::NONE);
        (decoder.decode(), decoder.last_error())
    };
    match decode(here) {
        (_, DecoderError::NoMoreBytes) => decode(LONGEST).0,
        (instruction, _) => instruction,
    }
}
