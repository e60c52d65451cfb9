//! Who called: the program, the library's bindings for another language, which speak for the program, or the library itself.

use crate::loaded;
use crate::mpi::call::Shared;
use crate::walk;
use std::sync::OnceLock;
use thrille_model::StackId;
use thrille_runtime::stacks::{CallStack, Walked};

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

/// Where the program called the binding that has called us: what it goes on with, and where that stands on the stack. None if it did not.
pub fn behind_binding(stacks: &mut CallStack, pc: u64) -> Option<(u64, u64)> {
    let sp = stacks.call_at(pc).unwrap_or(0);
    let call = |places: &[(u64, u64)]| places.last().map(|&(place, pc)| (pc, place)).filter(|call| is_program(call.0));
    if let Some(known) = walk::known(stacks, pc, sp) {
        return call(&known.places);
    }
    let places = walk::frames(pc, is_program);
    let found = call(&places);
    stacks.keep_walked(Walked { pc, sp, places, stack: StackId(0) });
    found
}

fn is_program(pc: u64) -> bool {
    of(pc) == Caller::Program
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
