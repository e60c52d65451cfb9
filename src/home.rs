//! Where the libraries that are put into programs, and their headers, are.

use crate::mpi::{Model, Mpi};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The two libraries.
pub const LIBRARIES: [&str; 2] = ["libthrille.so", "libthrille_shmem.so"];

/// The compiler plugin of one LLVM.
pub const PLUGIN: &str = "libthrille_instrument.so";

/// The plugin of one gcc.
pub const GCC_PLUGIN: &str = "libthrille_gcc.so";

/// Where the compiler plugins are: in directories `plugin-16`, `plugin-19` and so on, and `gcc-12` for one of gcc.
#[derive(Clone, Debug)]
pub struct Plugins {
    dirs: Vec<PathBuf>,
}

impl Plugins {
    /// Looks in `$THRILLE_HOME`, beside the executable, where an installation puts them, and in a cargo tree.
    pub fn find() -> Self {
        let home = std::env::var_os("THRILLE_HOME").map(|home| Path::new(&home).join("lib"));
        let exe = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())).unwrap_or_default();
        Self::below(home.into_iter().chain(["", "../lib/thrille", ".."].map(|below| exe.join(below))).collect())
    }

    /// Those in these directories.
    pub fn below(dirs: Vec<PathBuf>) -> Self {
        Self { dirs }
    }

    /// The one for this version.
    pub fn of(&self, version: u32) -> Option<PathBuf> {
        let dirs = self.dirs.iter().map(|dir| dir.join(format!("plugin-{version}")));
        // In a cargo tree it is below that, by profile.
        let all = dirs.flat_map(|dir| ["", "release", "debug"].map(|profile| dir.join(profile)));
        pick(all, &[PLUGIN]).map(|dir| dir.join(PLUGIN))
    }

    /// The one for this version of gcc.
    pub fn of_gcc(&self, version: u32) -> Option<PathBuf> {
        let dirs = self.dirs.iter().map(|dir| dir.join(format!("gcc-{version}")));
        pick(dirs, &[GCC_PLUGIN]).map(|dir| dir.join(GCC_PLUGIN))
    }

    /// The versions of clang that there are plugins for.
    pub fn versions(&self) -> Vec<u32> {
        self.listed("plugin-", Self::of)
    }

    /// The same of gcc.
    pub fn versions_of_gcc(&self) -> Vec<u32> {
        self.listed("gcc-", Self::of_gcc)
    }

    fn listed(&self, prefix: &str, of: impl Fn(&Self, u32) -> Option<PathBuf>) -> Vec<u32> {
        let listed = self.dirs.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten();
        let version = |name: &std::ffi::OsStr| name.to_str()?.strip_prefix(prefix)?.parse().ok();
        let mut versions: Vec<u32> = listed.filter_map(|entry| version(&entry.file_name())).collect();
        versions.retain(|&version| of(self, version).is_some());
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

/// What programs are built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Directory of the libraries.
    pub lib: PathBuf,
    /// Directory of `shmem.h`.
    pub include: PathBuf,
    /// What the libraries are for.
    pub model: Model,
}

impl Home {
    /// The library for an MPI: in a directory of its name where the others are, or in a cargo tree.
    pub fn find_mpi(mpi: Mpi) -> Result<Self> {
        let home = std::env::var_os("THRILLE_HOME").map(PathBuf::from);
        let exe = std::env::current_exe().context("cannot find out where the `thrille` executable is")?;
        let exe = exe.parent().unwrap_or(Path::new("/"));
        let name = mpi.name();
        let libs = home.map(|home| home.join("lib").join(name)).into_iter().chain(
            [
                name.to_string(),
                format!("../lib/thrille/{name}"),
                format!("../mpi-{name}/injected"),
                format!("../mpi-{name}/release"),
                format!("../mpi-{name}/debug"),
            ]
            .map(|below| exe.join(below)),
        );
        match pick(libs, &LIBRARIES[..1]) {
            Some(lib) => Ok(Self { include: lib.clone(), lib, model: Model::Mpi(mpi) }),
            None => bail!(
                "the library for {name} was not found near {}: build it with `MPICC=mpicc cargo xtask install` where that `mpicc` is \
                 {name}'s, or set THRILLE_HOME",
                exe.display()
            ),
        }
    }

    /// The library for OpenSHMEM programs on Open MPI's library: the same as on the embedded one.
    pub fn find_oshmem() -> Result<Self> {
        Ok(Self { model: Model::Oshmem, ..Self::find()? })
    }

    /// Looks in `$THRILLE_HOME`, beside the executable, where an installation puts them, and in a cargo tree.
    pub fn find() -> Result<Self> {
        let home = std::env::var_os("THRILLE_HOME").map(PathBuf::from);
        let exe = std::env::current_exe().context("cannot find out where the `thrille` executable is")?;
        Self::find_from(home.as_deref(), exe.parent().unwrap_or(Path::new("/")))
    }

    fn find_from(home: Option<&Path>, exe: &Path) -> Result<Self> {
        let libs = home
            .map(|home| home.join("lib"))
            .into_iter()
            .chain(["../injected", "", "../lib/thrille", "../release", "../debug"].iter().map(|below| exe.join(below)));
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let includes = home
            .map(|home| home.join("include"))
            .into_iter()
            .chain([exe.join("../include/thrille")])
            .chain(exe.ancestors().chain([source]).map(|above| above.join("shmem/include")));
        let lib = pick(libs, &LIBRARIES);
        let include = pick(includes, &["shmem.h"]);
        match (lib, include) {
            (Some(lib), Some(include)) => Ok(Self { lib, include, model: Model::Shmem }),
            (None, _) => bail!(
                "{} not found beside {}: build them with `cargo xtask build`, or set THRILLE_HOME",
                LIBRARIES.join(" and "),
                exe.display()
            ),
            (_, None) => {
                bail!("shmem.h not found near {}: build with `cargo xtask build`, or set THRILLE_HOME", exe.display())
            }
        }
    }
}

/// The first directory that has all the files, without detours.
fn pick(candidates: impl Iterator<Item = PathBuf>, files: &[&str]) -> Option<PathBuf> {
    candidates.filter(|dir| files.iter().all(|file| dir.join(file).is_file())).find_map(|dir| dir.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_first_complete_directory_wins_and_none_is_an_error_with_the_remedy() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path().canonicalize().unwrap();
        let (exe, injected) = (root.join("target/debug"), root.join("target/injected"));
        let include = root.join("shmem/include");
        for dir in [&exe, &injected, &include] {
            fs::create_dir_all(dir).unwrap();
        }
        fs::write(include.join("shmem.h"), "").unwrap();
        fs::write(exe.join(LIBRARIES[0]), "").unwrap();
        let error = Home::find_from(None, &exe).unwrap_err().to_string();
        assert!(error.contains("cargo xtask build"), "{error}");
        fs::write(exe.join(LIBRARIES[1]), "").unwrap();
        let beside = Home { lib: exe.clone(), include: include.clone(), model: Model::Shmem };
        assert_eq!(Home::find_from(None, &exe).unwrap(), beside);
        for file in LIBRARIES {
            fs::write(injected.join(file), "").unwrap();
        }
        assert_eq!(Home::find_from(None, &exe).unwrap(), Home { lib: injected, include, model: Model::Shmem });
    }
}
