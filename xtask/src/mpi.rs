//! The MPI libraries that there is a library of ours for, and their compiler wrappers.
//!
//! `MPICC` names one: a module's, Spack's, Cray's `cc`. Without it those of Debian's names are taken, several if there are, or else the `mpicc` in `PATH`. Which
//! library a wrapper belongs to is asked of its `mpi.h`.

use crate::packages::has;
use std::ffi::OsString;
use std::process::Command;

/// Their names, as in `mpicc.<name>` on Debian, and the macro that the `mpi.h` of each defines. What follows MPICH's ABI defines MPICH's.
const MPIS: [(&str, &str); 2] = [("openmpi", "OPEN_MPI"), ("mpich", "MPICH_VERSION")];

/// The names of all that could be.
pub fn names() -> impl Iterator<Item = &'static str> {
    MPIS.into_iter().map(|(name, _)| name)
}

/// Those that are installed, with their compiler wrappers.
pub fn installed() -> Vec<(&'static str, OsString)> {
    if let Some(wrapper) = std::env::var_os("MPICC") {
        return asked(wrapper).into_iter().collect();
    }
    let debian = names().map(|name| (name, format!("mpicc.{name}"))).filter(|(_, wrapper)| has(wrapper));
    let found: Vec<_> = debian.map(|(name, wrapper)| (name, wrapper.into())).collect();
    if found.is_empty() && has("mpicc") { asked("mpicc".into()).into_iter().collect() } else { found }
}

/// The library that a wrapper belongs to.
fn asked(wrapper: OsString) -> Option<(&'static str, OsString)> {
    let macros = Command::new(&wrapper).args(["-E", "-dM", "-include", "mpi.h", "-x", "c", "/dev/null"]).output();
    let name = macros.ok().and_then(|output| recognised(&String::from_utf8_lossy(&output.stdout)));
    if name.is_none() {
        eprintln!("xtask: {} compiles for neither Open MPI nor MPICH: nothing is built for it", wrapper.display());
    }
    Some((name?, wrapper))
}

/// The library whose `mpi.h` defines these macros.
fn recognised(macros: &str) -> Option<&'static str> {
    let defined = |name: &str| macros.lines().any(|line| line.split(' ').nth(1) == Some(name));
    MPIS.into_iter().find(|(_, own)| defined(own)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::recognised;

    #[test]
    fn a_library_is_known_by_its_header() {
        assert_eq!(recognised("#define A 1\n#define OPEN_MPI 1\n"), Some("openmpi"));
        assert_eq!(recognised("#define MPICH_VERSION \"4.0.2\"\n#define MPICH_NUMVERSION 40002300"), Some("mpich"));
        assert_eq!(recognised("#define MPICH_VERSIONS 3\n#define MPI_VERSION 3"), None);
        assert_eq!(recognised(""), None);
    }
}
