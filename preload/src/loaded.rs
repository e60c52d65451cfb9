//! Which files are loaded into this process, from the dynamic linker.

use std::ffi::{CStr, c_int, c_void};
use thrille_runtime::Module;

/// All loaded files.
pub fn modules() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: the callback is called with the vector that is passed here, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut modules).cast()) };
    modules
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, modules: *mut c_void) -> c_int {
    // SAFETY: the linker's description is valid during the call; the vector is that of `modules`.
    unsafe {
        let (info, modules) = (&*info, &mut *modules.cast::<Vec<Module>>());
        let name = if info.dlpi_name.is_null() {
            String::new()
        } else {
            CStr::from_ptr(info.dlpi_name).to_string_lossy().into_owned()
        };
        let path = if name.is_empty() {
            std::fs::read_link("/proc/self/exe").map_or_else(|_| String::new(), |p| p.to_string_lossy().into_owned())
        } else {
            name
        };
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let ranges = headers
            .iter()
            .filter(|h| h.p_type == libc::PT_LOAD)
            .map(|h| (info.dlpi_addr + h.p_vaddr, info.dlpi_addr + h.p_vaddr + h.p_memsz))
            .collect();
        let build_id = headers
            .iter()
            .filter(|h| h.p_type == libc::PT_NOTE)
            .find_map(|h| {
                let notes = std::slice::from_raw_parts((info.dlpi_addr + h.p_vaddr) as *const u8, h.p_memsz as usize);
                build_id(notes)
            })
            .unwrap_or_default();
        modules.push(Module { path, build_id, bias: info.dlpi_addr, ranges });
    }
    0
}

/// What the executable can write, its static data: begin and length.
#[cfg(feature = "shmem")]
pub fn data() -> Option<(u64, u64)> {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the linker's description is valid during the call; the option is that of `data`.
        unsafe {
            let (info, data) = (&*info, &mut *data.cast::<Option<(u64, u64)>>());
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
            let writable = |h: &&libc::Elf64_Phdr| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0;
            *data = headers.iter().find(writable).map(|h| (info.dlpi_addr + h.p_vaddr, h.p_memsz));
        }
        // The executable comes first.
        1
    }
    let mut data = None;
    // SAFETY: the callback is called with the option that is passed here, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut data).cast()) };
    data
}

/// The GNU build id among an ELF file's notes.
fn build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    let word = |bytes: &[u8], at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    loop {
        let (name_len, len, kind) = (word(notes, 0)?, word(notes, 4)?, word(notes, 8)?);
        let name = notes.get(12..12 + name_len)?;
        let at = 12 + name_len.next_multiple_of(4);
        let content = notes.get(at..at + len)?;
        if kind == 3 && name == b"GNU\0" {
            return Some(content.to_vec());
        }
        notes = notes.get(at + len.next_multiple_of(4)..)?;
    }
}
