//! Makes the global and static variables of the executable symmetric.
//!
//! The writable pages of the main program (its writable `PT_LOAD` segments, without what the loader made read-only after
//! relocation) are copied into this PE's slice of the memory file, and the slice is mapped over them: same addresses, same
//! contents, but now other PEs can map them too. Between the copy of a page and its replacement nothing of the executable
//! runs, because this happens inside one call of `shmem_init`; threads that the program started before could lose a store,
//! which is why the standard wants `shmem_init` first.
//!
//! Pages of `.bss` that were never touched are not copied, so a program with gigabytes of static arrays starts at once.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use thrille_launch::layout::PAGE;

/// The writable, page-aligned address ranges of the executable, lowest first.
#[derive(Default)]
pub struct Statics {
    writable: Vec<Writable>,
}

struct Writable {
    pages: Range<usize>,
    /// First address that no file is behind: from the next page on, an untouched page is a zero page.
    anonymous: usize,
}

impl Statics {
    /// Finds them.
    pub fn of_executable() -> Self {
        let mut found = Self::default();
        // SAFETY: the callback gets back the pointer to `found`, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(main_program), (&raw mut found).cast()) };
        found.writable.sort_by_key(|w| w.pages.start);
        found
    }

    /// Lowest address.
    pub fn base(&self) -> usize {
        self.writable.first().map_or(0, |w| w.pages.start)
    }

    /// Bytes from the lowest to the highest address.
    pub fn bytes(&self) -> usize {
        self.writable.last().map_or(0, |w| w.pages.end) - self.base()
    }

    /// The ranges, relative to the lowest address.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        self.writable.iter().map(|w| w.pages.start - self.base()..w.pages.end - self.base()).collect()
    }

    /// Replaces the pages by those of the file `fd` from `offset` on.
    pub fn share(&self, fd: c_int, offset: usize) -> Result<(), String> {
        for w in &self.writable {
            let at = offset + (w.pages.start - self.base());
            w.copy(fd, at)?;
            // SAFETY: the range is whole pages of the executable's own data, whose contents were just copied to where the
            // new pages come from; nothing that runs between the copy and this lives there.
            let p = unsafe {
                libc::mmap(
                    std::ptr::with_exposed_provenance_mut(w.pages.start),
                    w.pages.len(),
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE,
                    fd,
                    at as libc::off_t,
                )
            };
            if p == libc::MAP_FAILED {
                return Err(format!("mapping the static data of the program: {}", std::io::Error::last_os_error()));
            }
        }
        Ok(())
    }
}

impl Writable {
    /// Copies the contents into the file, leaving out pages that are known to be zero.
    fn copy(&self, fd: c_int, at: usize) -> Result<(), String> {
        let touched = self.touched();
        for (index, page) in self.pages.clone().step_by(PAGE).enumerate() {
            if !touched.get(index).copied().unwrap_or(true) {
                continue;
            }
            let from: *const c_void = std::ptr::with_exposed_provenance(page);
            let to = (at + index * PAGE) as libc::off_t;
            // SAFETY: reads one mapped page of the executable.
            if unsafe { libc::pwrite(fd, from, PAGE, to) } != PAGE as isize {
                return Err(format!("copying the static data of the program: {}", std::io::Error::last_os_error()));
            }
        }
        Ok(())
    }

    /// For each page, whether it may hold something other than zeros. The kernel tells which anonymous pages exist; where
    /// it does not, all count.
    fn touched(&self) -> Vec<bool> {
        let mut entries = vec![0u8; self.pages.len() / PAGE * 8];
        let known = File::open("/proc/self/pagemap")
            .is_ok_and(|f| f.read_exact_at(&mut entries, (self.pages.start / PAGE * 8) as u64).is_ok());
        let (present, swapped) = (1u64 << 63, 1u64 << 62);
        entries
            .chunks_exact(8)
            .zip(self.pages.clone().step_by(PAGE))
            .map(|(entry, page)| {
                let entry = entry.try_into().map_or(u64::MAX, u64::from_le_bytes);
                !known || page < self.anonymous || entry & (present | swapped) != 0
            })
            .collect()
    }
}

/// Called for each loaded object, the main program first; stops there.
unsafe extern "C" fn main_program(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid entry, and `data` is the `Statics` of `of_executable`.
    let (info, found) = unsafe { (&*info, &mut *data.cast::<Statics>()) };
    // SAFETY: `dlpi_phdr` points to `dlpi_phnum` headers, which stay mapped.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let start = |h: &libc::Elf64_Phdr| (info.dlpi_addr + h.p_vaddr) as usize;
    let down = |a: usize| a / PAGE * PAGE;
    // The loader protects whole pages only, so the last, partial page of the region stays writable.
    let relro: Vec<Range<usize>> = headers
        .iter()
        .filter(|h| h.p_type == libc::PT_GNU_RELRO)
        .map(|h| down(start(h))..down(start(h) + h.p_memsz as usize))
        .collect();
    for h in headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0) {
        let whole = down(start(h))..(start(h) + h.p_memsz as usize).next_multiple_of(PAGE);
        let anonymous = start(h) + h.p_filesz as usize;
        for pages in without(whole, &relro) {
            found.writable.push(Writable { pages, anonymous });
        }
    }
    1
}

/// `whole` without the ranges of `holes`.
fn without(whole: Range<usize>, holes: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = vec![whole];
    for hole in holes {
        parts = parts
            .into_iter()
            .flat_map(|p| [p.start..p.end.min(hole.start.max(p.start)), p.start.max(hole.end.min(p.end))..p.end])
            .filter(|p| !p.is_empty())
            .collect();
    }
    parts
}
