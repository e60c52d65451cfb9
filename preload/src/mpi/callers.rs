//! Who called: the program, the library's bindings for another language, which speak for the program, or the library itself.

use crate::loaded;
use crate::mpi::call::Shared;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// What is to be observed.
    Program,
    /// Fortran's way into the library.
    Binding,
    /// Its own doing.
    Library,
}

/// How the names of the files begin that the libraries are made of.
const LIBRARY: [&str; 14] = [
    "libmpi.so",
    "libmpich.so",
    "libopen-",
    "mca_",
    "libuc",
    "libfabric",
    "libpmix",
    "libevent",
    "libhwloc",
    "libpsm",
    "libibverbs",
    "librdmacm",
    "libxpmem",
    "libslurm",
];

/// The same for Fortran's bindings. (C++'s are in headers.)
const BINDINGS: [&str; 5] = ["libmpi_mpifh.so", "libmpi_usempi", "libmpi_f", "libmpichf", "libmpifort.so"];

impl Caller {
    fn of_file(path: &str) -> Self {
        let file = path.rsplit('/').next().unwrap_or_default();
        let begins = |starts: &[&str]| starts.iter().any(|start| file.starts_with(start));
        if begins(&BINDINGS) {
            Self::Binding
        } else if begins(&LIBRARY) {
            Self::Library
        } else {
            Self::Program
        }
    }
}

/// Where the library and what it is made of are loaded now.
pub fn library() -> Vec<(u64, u64)> {
    let own = |path: &str| Caller::of_file(path) != Caller::Program;
    loaded::modules().into_iter().filter(|m| own(&m.path)).flat_map(|m| m.ranges).collect()
}

/// Where files are loaded, sorted, and whose they are.
static FILES: Shared<Vec<(u64, u64, Caller)>> = Shared::new();

/// The executable's own code, where most calls come from.
static EXECUTABLE: OnceLock<(u64, u64)> = OnceLock::new();

fn executable() -> (u64, u64) {
    *EXECUTABLE.get_or_init(|| {
        let ranges = loaded::modules().into_iter().next().map(|m| m.ranges).unwrap_or_default();
        let lo = ranges.iter().map(|r| r.0).min().unwrap_or(0);
        (lo, ranges.iter().map(|r| r.1).max().unwrap_or(0))
    })
}

/// Whose this code is.
pub fn of(pc: u64) -> Caller {
    let (lo, hi) = executable();
    if lo <= pc && pc < hi {
        return Caller::Program;
    }
    FILES
        .with(|files| {
            find(files, pc).or_else(|| {
                // Loaded since.
                *files = loaded::modules()
                    .into_iter()
                    .flat_map(|m| {
                        let whose = Caller::of_file(&m.path);
                        m.ranges.into_iter().map(move |(lo, hi)| (lo, hi, whose))
                    })
                    .collect();
                files.sort_unstable_by_key(|file| file.0);
                find(files, pc)
            })
        })
        // Code that was made at run time is the program's.
        .unwrap_or(Caller::Program)
}

fn find(files: &[(u64, u64, Caller)], pc: u64) -> Option<Caller> {
    let at = files.partition_point(|file| file.0 <= pc).checked_sub(1)?;
    (pc < files[at].1).then_some(files[at].2)
}

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// What the walk up the stack has met.
struct Walk {
    /// Frames of the binding begin here.
    in_binding: bool,
    found: u64,
}

/// Where the program called the binding that has called us.
pub fn behind_binding() -> u64 {
    let mut walk = Walk { in_binding: false, found: 0 };
    // SAFETY: the function is called with the walk, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

extern "C" fn visit(context: *mut c_void, walk: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 4;
    // SAFETY: called by the unwinder with its context and the walk of `behind_binding`.
    let (pc, walk) = unsafe { (_Unwind_GetIP(context) as u64, &mut *walk.cast::<Walk>()) };
    match (of(pc), walk.in_binding) {
        (Caller::Binding, _) => walk.in_binding = true,
        (Caller::Program, true) => {
            walk.found = pc;
            return STOP;
        }
        // Our own frames come first.
        _ => {}
    }
    GO_ON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_owners() {
        assert_eq!(Caller::of_file("/usr/lib/libmpi.so.40"), Caller::Library);
        assert_eq!(Caller::of_file("/usr/lib/openmpi/mca_osc_ucx.so"), Caller::Library);
        for file in
            ["libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpichfort.so.12", "libmpi_usempi_ignore_tkr.so"]
        {
            assert_eq!(Caller::of_file(file), Caller::Binding, "{file}");
        }
        assert_eq!(Caller::of_file("/home/u/a.out"), Caller::Program);
    }

    #[test]
    fn ranges_end() {
        let files = [(10, 20, Caller::Library), (20, 30, Caller::Binding), (40, 50, Caller::Program)];
        let whose = |pc| find(&files, pc);
        assert_eq!(
            [5, 10, 19, 20, 35, 49, 50].map(whose).map(|w| w.is_some()),
            [false, true, true, true, false, true, false]
        );
        assert_eq!(whose(20), Some(Caller::Binding));
    }
}
