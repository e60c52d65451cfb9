//! Where the symbols and lines of a loaded file are: in the file itself, or in another one of the same build.
//!
//! A run may be reported on another machine than it ran on, after the program has been built anew, or with the debug information split off. What
//! identifies a build is its build id. Looked at, in this order: the file that was loaded; the file that its debug link names; and, in each of
//! the run's own `bin/`, the directories of `THRILLE_SYMBOLS` (separated by colons) and the system's `/usr/lib/debug`, a file of the
//! same name, and the usual tree `.build-id/ab/cdef.debug`.

use crate::records::Module;
use object::{Object, ObjectSection, ReadCache};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where debug information is installed.
const SYSTEM: &str = "/usr/lib/debug";

/// The directories to look in for a run in `dir`.
pub fn directories(dir: Option<&Path>) -> Vec<PathBuf> {
    let named = std::env::var_os("THRILLE_SYMBOLS").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
    dir.map(|dir| dir.join("bin")).into_iter().chain(named).chain([SYSTEM.into()]).collect()
}

/// What a file offers.
enum Candidate {
    /// Of this build, with lines.
    Lines,
    /// Of this build, without: its symbols may help.
    Symbols,
    /// Not to be used, and why.
    Unfit(String),
}

/// The file to read lines, or at least symbols, from; the error says what is wrong with the one that was loaded.
pub fn locate(module: &Module, directories: &[PathBuf]) -> Result<PathBuf, String> {
    let first = look(&module.path, &module.build_id);
    if matches!(first, Candidate::Lines) {
        return Ok(module.path.clone());
    }
    let others = elsewhere(module, directories);
    if let Some(found) = others.iter().find(|path| matches!(look(path, &module.build_id), Candidate::Lines)) {
        return Ok(found.clone());
    }
    match first {
        Candidate::Lines | Candidate::Symbols => Ok(module.path.clone()),
        Candidate::Unfit(why) => {
            let symbols = others.into_iter().find(|path| matches!(look(path, &module.build_id), Candidate::Symbols));
            symbols.ok_or(why)
        }
    }
}

fn elsewhere(module: &Module, directories: &[PathBuf]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let beside = module.path.parent().unwrap_or(Path::new("/"));
    if let Some(link) = debug_link(&module.path) {
        paths.extend([beside.join(&link), beside.join(".debug").join(&link)]);
    }
    // Without a build id nothing says that a file elsewhere is of the same build.
    if module.build_id.is_empty() {
        return paths;
    }
    let id = crate::words::hex(&module.build_id);
    for dir in directories {
        if let (Some(head), Some(tail)) = (id.get(..2), id.get(2..)) {
            paths.push(dir.join(".build-id").join(head).join(format!("{tail}.debug")));
        }
        paths.extend(module.path.file_name().map(|name| dir.join(name)));
    }
    paths
}

fn look(path: &Path, build_id: &[u8]) -> Candidate {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Candidate::Unfit(format!("cannot be opened ({error})")),
    };
    let cache = ReadCache::new(file);
    let elf = match object::File::parse(&cache) {
        Ok(elf) => elf,
        Err(error) => return Candidate::Unfit(format!("cannot be read ({error})")),
    };
    let own = elf.build_id().ok().flatten().unwrap_or_default();
    if !build_id.is_empty() && own != build_id {
        return Candidate::Unfit("has been built anew since the run".into());
    }
    let lines = [".debug_info", ".zdebug_info"].iter().any(|name| {
        elf.section_by_name(name)
            .is_some_and(|section| section.size() > 0 && section.kind() != object::SectionKind::UninitializedData)
    });
    if lines { Candidate::Lines } else { Candidate::Symbols }
}

fn debug_link(path: &Path) -> Option<PathBuf> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let elf = object::File::parse(&cache).ok()?;
    let (name, _) = elf.gnu_debuglink().ok()??;
    Some(OsStr::from_bytes(name).into())
}
