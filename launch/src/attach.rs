//! A PE joins its job.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use crate::error::{Error, Result};
use crate::job::memory_file;
use crate::{Control, ENV_FD, ENV_HEAP, ENV_NPES, ENV_PE, Mapping, heap_from_env, layout, map};

/// What a PE knows after joining: who it is, and the memory of the job.
#[derive(Debug)]
pub struct Attached {
    /// Number of this PE.
    pub pe: usize,
    /// PEs of the job.
    pub npes: usize,
    /// Bytes of symmetric heap of each PE, a multiple of [`layout::HEAP_ALIGN`].
    pub heap_bytes: usize,
    /// The mapped control area.
    pub control: Control,
    fd: OwnedFd,
}

impl Attached {
    /// Maps the symmetric heaps of all PEs, PE 0 first, without a gap.
    pub fn map_heaps(&self) -> Result<Mapping> {
        Mapping::aligned(self.fd.as_fd(), layout::heaps_at(self.npes), self.npes * self.heap_bytes, layout::HEAP_ALIGN)
    }

    /// Makes room for `npes` copies of `len` bytes (whole pages) of static data and maps them all, PE 0 first.
    pub fn map_statics(&self, len: usize) -> Result<Mapping> {
        map::grow(self.fd.as_fd(), self.statics_at() + self.npes * len)?;
        Mapping::new(self.fd.as_fd(), self.statics_at(), self.npes * len)
    }

    /// Where in the file the copies of static data begin.
    pub fn statics_at(&self) -> usize {
        layout::statics_at(self.npes, self.heap_bytes)
    }

    /// The memory file.
    pub fn raw_fd(&self) -> i32 {
        self.fd.as_raw_fd()
    }
}

/// Joins the job that the environment describes, or makes a job of one PE when it describes none.
pub fn attach() -> Result<Attached> {
    let Ok(fd) = std::env::var(ENV_FD) else {
        return alone();
    };
    let number = |name: &'static str| -> Result<usize> {
        let text = std::env::var(name).unwrap_or_default();
        text.parse().map_err(|_| Error::Environment { name, found: format!("`{text}`") })
    };
    let (pe, npes, heap_bytes) = (number(ENV_PE)?, number(ENV_NPES)?, number(ENV_HEAP)?);
    if npes == 0 || npes > crate::MAX_PES {
        return Err(Error::Npes(npes));
    }
    if pe >= npes {
        return Err(Error::Pe { pe, npes });
    }
    let raw: i32 = fd.parse().map_err(|_| Error::Environment { name: ENV_FD, found: format!("`{fd}`") })?;
    let file_bytes = memory_file_len(raw)?;
    if file_bytes < layout::control_bytes(npes) + npes * heap_bytes {
        return Err(Error::Foreign { fd: raw, what: "too short" });
    }
    // SAFETY: the launcher left this descriptor to us and nobody else in this process knows of it.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: sets a flag of our own descriptor: processes that the program starts have no use for it.
    unsafe { libc::fcntl(raw, libc::F_SETFD, libc::FD_CLOEXEC) };
    let control = Control::open(Mapping::new(fd.as_fd(), 0, layout::control_bytes(npes))?, raw, npes, heap_bytes)?;
    Ok(Attached { pe, npes, heap_bytes, control, fd })
}

/// A job of one PE, in this process.
fn alone() -> Result<Attached> {
    let (fd, control, heap_bytes) = memory_file(1, heap_from_env()?)?;
    Ok(Attached { pe: 0, npes: 1, heap_bytes, control, fd })
}

/// Length of the file behind `fd`, if it is a regular file: mapping it then cannot fault within that length.
fn memory_file_len(fd: i32) -> Result<usize> {
    // SAFETY: all-zero is a valid `stat`.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: fills the structure it is given; a bad descriptor is an error, not a fault.
    if unsafe { libc::fstat(fd, &raw mut stat) } != 0 {
        return Err(Error::Foreign { fd, what: "not open" });
    }
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG {
        return Err(Error::Foreign { fd, what: "no memory file" });
    }
    Ok(stat.st_size as usize)
}
