//! The function that the program meant to call, which stands behind this library under the same name.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Looked up once.
pub struct Real {
    name: &'static CStr,
    /// Functions with an older namesake are looked up with their version.
    version: Option<&'static CStr>,
    address: AtomicUsize,
}

impl Real {
    /// By its name, as bytes that end with a zero.
    pub const fn new(name: &'static [u8]) -> Self {
        Self::versioned(name, None)
    }

    /// By its name, and its version if that is given.
    pub const fn versioned(name: &'static [u8], version: Option<&'static CStr>) -> Self {
        let name = match CStr::from_bytes_with_nul(name) {
            Ok(name) => name,
            Err(_) => c"",
        };
        Self { name, version, address: AtomicUsize::new(0) }
    }

    /// Its address; 0 when there is none.
    pub fn get(&self) -> usize {
        let known = self.address.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        // SAFETY: names are C strings; the linker looks behind this library.
        let found = unsafe {
            let versioned = self.version.map(|v| libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), v.as_ptr()));
            versioned.filter(|p| !p.is_null()).unwrap_or_else(|| libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()))
        };
        self.address.store(found as usize, Ordering::Relaxed);
        found as usize
    }
}
