//! See `thrille_fuzz::TARGETS`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thrille_fuzz::run("values", bytes));
