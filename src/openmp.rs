//! OpenMP programs run on LLVM's runtime, which tells the injected library what its threads do; gcc's does not.

use crate::home::LIBRARIES;
use crate::program::Libraries;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Names of LLVM's runtime.
const NAMES: [&str; 2] = ["libomp.so.5", "libomp.so"];

/// What the ranks of a program find in their environment.
pub fn environment(program: &Path) -> Vec<(&'static str, OsString)> {
    let libraries = Libraries::of(program);
    let (gnu, llvm) = (libraries.has("libgomp.so"), libraries.has("libomp.so") || libraries.has("libiomp5.so"));
    if !gnu && !llvm {
        return Vec::new();
    }
    // Whatever the user has set for other runs, here the runtime must talk.
    let mut all = vec![("OMP_TOOL", OsString::from("enabled"))];
    // LLVM's runtime takes gcc's programs, except for tasks that somebody else completes.
    let detaches = libraries.has("omp_fulfill_event");
    if gnu
        && !detaches
        && let Some(library) = installed()
    {
        let mut preload = OsString::new();
        // Ahead of the runtime: some of its functions are called through the injected library.
        if let Some(injected) = libraries.find(LIBRARIES[0]).filter(|file| usable(file)) {
            preload.push(injected);
            preload.push(":");
        }
        preload.push(library);
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        all.push(("LD_PRELOAD", preload));
    }
    all
}

/// Where the runtime may be, best first: as the linker looks, then Debian's own place for each LLVM, the newest first.
fn directories(path: Option<&OsString>) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.strip_prefix("llvm-")?.parse().ok()?;
            Some((version, entry.path().join("lib")))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    let usual = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib", "/usr/lib"].map(PathBuf::from);
    let path: Vec<PathBuf> = path.iter().flat_map(std::env::split_paths).filter(|dir| dir.is_absolute()).collect();
    path.into_iter().chain(usual).chain(versions.into_iter().map(|(_, dir)| dir)).collect()
}

/// LLVM's runtime, where it is looked for.
pub fn installed() -> Option<PathBuf> {
    runtime(&directories(std::env::var_os("LD_LIBRARY_PATH").as_ref()))
}

fn runtime(directories: &[PathBuf]) -> Option<PathBuf> {
    directories.iter().flat_map(|dir| NAMES.map(|name| dir.join(name))).find(|file| usable(file))
}

/// Whether a file is there and can be named to the linker: a name with a blank or a colon would be taken for two.
fn usable(file: &Path) -> bool {
    file.is_file() && !file.to_string_lossy().contains([' ', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_directory_that_has_it_wins() {
        let tree = tempfile::tempdir().unwrap();
        let (a, b) = (tree.path().join("a"), tree.path().join("b"));
        for dir in [&a, &b] {
            std::fs::create_dir(dir).unwrap();
        }
        assert_eq!(runtime(&[a.clone(), b.clone()]), None);
        std::fs::write(b.join("libomp.so"), "").unwrap();
        std::fs::write(b.join("libomp.so.5"), "").unwrap();
        assert_eq!(runtime(&[a.clone(), b.clone()]), Some(b.join("libomp.so.5")));
        assert!(directories(Some(&format!("{}:rel", a.display()).into())).starts_with(&[a]));
    }

    #[test]
    fn other_programs_are_left_alone() {
        assert_eq!(environment(Path::new("/bin/sh")), []);
        assert_eq!(environment(Path::new("/no/such/program")), []);
    }
}
