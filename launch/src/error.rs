//! What can go wrong when a job is made or joined, in the user's words and with the remedy.

use std::io;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a job could not be made or joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of PEs is outside the limits.
    #[error("{0} PEs asked for, an embedded job has 1 to {max}: choose another -n, or run on a cluster's OpenSHMEM", max = crate::MAX_PES)]
    Npes(usize),
    /// The PE number is not one of the job's.
    #[error("PE {pe} does not exist in a job of {npes} PEs (0 to {last})", last = .npes - 1)]
    Pe {
        /// The number given.
        pe: usize,
        /// PEs of the job.
        npes: usize,
    },
    /// A size variable that is no size.
    #[error("{name}={text} is not a size: write a number of bytes, with K, M or G if wanted, for example {name}=512M")]
    HeapText {
        /// Variable.
        name: &'static str,
        /// Its text.
        text: String,
    },
    /// The heaps do not fit the address space.
    #[error(
        "{npes} PEs with {heap} bytes of symmetric heap each do not fit: set SHMEM_SYMMETRIC_SIZE to less, for example 256M"
    )]
    HeapSize {
        /// PEs of the job.
        npes: usize,
        /// Bytes of each.
        heap: u64,
    },
    /// An environment variable of the launcher is missing or unreadable.
    #[error(
        "{name} is {found}: start the program with `thrille run`, or unset all THRILLE_SHMEM_* variables to run it alone"
    )]
    Environment {
        /// Variable.
        name: &'static str,
        /// What stood there.
        found: String,
    },
    /// The descriptor is not the memory of a job of this version.
    #[error(
        "descriptor {fd} is not the memory of a job of this version ({what}): start the program with the `thrille` it was built with"
    )]
    Foreign {
        /// Descriptor number.
        fd: i32,
        /// What differs.
        what: &'static str,
    },
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The system call that just failed.
    pub(crate) fn last(what: &'static str) -> Self {
        Self::System { what, source: io::Error::last_os_error() }
    }
}
