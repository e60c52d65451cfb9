//! Shared mappings of a memory file.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

use crate::error::{Error, Result};
use crate::layout::PAGE;

/// A shared, readable and writable mapping. It stays until the process ends, as PEs need it, unless [`Mapping::unmap`] is called.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is only an address range; every access through it is the business of the one who makes it.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes of `fd` from `offset`, wherever there is room.
    pub fn new(fd: BorrowedFd<'_>, offset: usize, len: usize) -> Result<Self> {
        Self::aligned(fd, offset, len, PAGE)
    }

    /// The same, at a multiple of `align`, which is a power of two and whole pages.
    pub fn aligned(fd: BorrowedFd<'_>, offset: usize, len: usize, align: usize) -> Result<Self> {
        let room = (len + align - PAGE).max(PAGE);
        let quiet = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: no address is forced, so no existing mapping is touched.
        let free = unsafe { libc::mmap(std::ptr::null_mut(), room, libc::PROT_NONE, quiet, -1, 0) };
        if free == libc::MAP_FAILED {
            return Err(Error::last(
                "finding room for the memory of the job (less SHMEM_SYMMETRIC_SIZE needs less address space)",
            ));
        }
        let at = free.map_addr(|a| a.next_multiple_of(align));
        // SAFETY: replaces a part of the room that was just reserved and that nobody else knows of.
        let base = unsafe {
            libc::mmap(
                at,
                len.max(1),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED,
                fd.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        match NonNull::new(base.cast::<u8>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => Ok(Self { base, len }),
            _ => Err(Error::last("mapping the memory of the job (less SHMEM_SYMMETRIC_SIZE needs less address space)")),
        }
    }

    /// Ends the mapping. As long as one exists, so does all the memory of the file.
    ///
    /// # Safety
    /// Nobody may use it, or a copy of it, any more.
    pub(crate) unsafe fn unmap(self) {
        // SAFETY: the range is this mapping's own; the caller promises that it is not used.
        unsafe { libc::munmap(self.base().cast(), self.len) };
    }

    /// First byte.
    pub fn base(self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Number of bytes.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether nothing is mapped.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Makes the file at least `len` bytes long. Every PE asks for the same length, so the order does not matter.
pub(crate) fn grow(fd: BorrowedFd<'_>, len: usize) -> Result<()> {
    // SAFETY: changes only the length of the file.
    match unsafe { libc::ftruncate(fd.as_raw_fd(), len as libc::off_t) } {
        0 => Ok(()),
        _ => Err(Error::last("sizing the memory of the job")),
    }
}
