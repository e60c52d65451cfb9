//! The processes of one embedded `OpenSHMEM` job.
//!
//! What the launcher (`thrille`) and the SHMEM library inside each processing element (PE) must agree on: the names of
//! the environment variables, the layout of the one anonymous memory file of the job, and who may write which word of it.
//!
//! The memory file is a memfd: it has no name in the file system, so a job that is killed leaves nothing behind.
//! It is inherited by descriptor number, and holds, in this order:
//!
//! | part | size | written by |
//! |---|---|---|
//! | control area ([`Control`]) | [`layout::control_bytes`] | launcher and PEs, atomically |
//! | symmetric heaps | `npes` times the heap size | the program |
//! | static data of the executable | `npes` times its size, known to the PEs only | the program |
//!
//! All of it is sparse: pages that nobody touches cost nothing.
#![allow(
    clippy::cast_ptr_alignment,
    reason = "mappings begin at pages, and every offset into one is a multiple of what is there"
)]
#![allow(unsafe_code, reason = "shared mappings, inherited descriptors and futexes are what this crate is for")]

mod attach;
mod control;
mod error;
pub mod futex;
mod job;
pub mod layout;
mod map;

pub use attach::{Attached, attach};
pub use control::{Control, PeState, Slot};
pub use error::{Error, Result};
pub use job::{Job, Outcome, die_with_parent, end_with_parent};
pub use map::Mapping;

/// Number of the inherited memory file descriptor.
pub const ENV_FD: &str = "THRILLE_SHMEM_FD";
/// Number of this PE, from 0.
pub const ENV_PE: &str = "THRILLE_SHMEM_PE";
/// Number of PEs of the job.
pub const ENV_NPES: &str = "THRILLE_SHMEM_NPES";
/// Bytes of symmetric heap of each PE.
pub const ENV_HEAP: &str = "THRILLE_SHMEM_HEAP";

/// Most PEs of an embedded job.
pub const MAX_PES: usize = 1024;
/// Symmetric heap of each PE when neither the user nor the environment says otherwise.
pub const DEFAULT_HEAP: u64 = 256 << 20;

/// Bytes of symmetric heap a PE that the environment asks for: `SHMEM_SYMMETRIC_SIZE`, or the older
/// `SHMEM_SYMMETRIC_HEAP_SIZE`, with an optional K, M, G or T; [`DEFAULT_HEAP`] when neither is set.
pub fn heap_from_env() -> Result<u64> {
    for name in ["SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE"] {
        if let Ok(text) = std::env::var(name) {
            return parse_size(&text).ok_or(Error::HeapText { name, text });
        }
    }
    Ok(DEFAULT_HEAP)
}

/// Reads a size such as `64M`, `1.5G`, `4096` or `2GiB`.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    let scale = 1u64 << shift;
    match number.parse::<u64>() {
        Ok(n) => n.checked_mul(scale),
        Err(_) => number.parse::<f64>().ok().map(|x| (x * scale as f64) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_with_and_without_suffix() {
        assert_eq!(parse_size("4096"), Some(4096));
        assert_eq!(parse_size(" 64M "), Some(64 << 20));
        assert_eq!(parse_size("1.5g"), Some(3 << 29));
        assert_eq!(parse_size("2 GiB"), Some(2 << 30));
        assert_eq!(parse_size("12x"), None);
        assert_eq!(parse_size(""), None);
        assert_eq!(parse_size("99999999999T"), None);
    }
}
