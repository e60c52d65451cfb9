//! The calls that `-fsanitize=thread` puts into programs, of gcc and of clang. The real run-time library is never linked.

pub mod access;
pub mod atomics;
mod updates;
mod wide;
