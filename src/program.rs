//! Finds the program that a user names, as a shell would, and says what is wrong if that fails.

use anyhow::{Result, bail};
use object::{Object, ObjectSection, ReadCache};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file behind a name: a path if there is a slash in it, else searched in `PATH`.
pub fn find(name: &OsStr) -> Result<PathBuf> {
    let path = Path::new(name);
    if name.as_encoded_bytes().contains(&b'/') {
        usable(path)?;
        return Ok(path.into());
    }
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = std::env::split_paths(&dirs).map(|dir| dir.join(path)).find(|file| usable(file).is_ok()) {
        return Ok(found);
    }
    if path.is_file() {
        bail!("{} is not in PATH: did you mean ./{0} ?", name.display());
    }
    bail!("the program {} was not found: name it with its path, for example ./{0}", name.display());
}

// Of a file only what is looked at is read: our own library has 20 MB of debug information.

/// The names in a program's dynamic string table, those of the shared libraries that it is linked with among them.
pub struct Libraries(Vec<u8>);

impl Libraries {
    /// Of a program; none if it cannot be read.
    pub fn of(program: &Path) -> Self {
        let names = std::fs::File::open(program).ok().and_then(|file| {
            let parts = ReadCache::new(file);
            let file = object::File::parse(&parts).ok()?;
            file.section_by_name(".dynstr")?.data().ok().map(<[u8]>::to_vec)
        });
        Self(names.unwrap_or_default())
    }

    /// Where a library is that the program says itself where to look for.
    pub fn find(&self, library: &str) -> Option<PathBuf> {
        let places = self.0.split(|&b| b == 0 || b == b':').map(|name| Path::new(OsStr::from_bytes(name)));
        places.filter(|dir| dir.is_absolute()).map(|dir| dir.join(library)).find(|file| file.is_file())
    }

    /// Where those are that the program says itself where to look for, or the environment does.
    pub fn shared(&self) -> Vec<PathBuf> {
        let named = self.0.split(|&b| b == 0).filter(|name| name.windows(3).any(|part| part == b".so"));
        let elsewhere = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let somewhere = |name: &str| {
            let other = || std::env::split_paths(&elsewhere).map(|dir| dir.join(name)).find(|file| file.is_file());
            self.find(name).or_else(other)
        };
        named.filter_map(|name| std::str::from_utf8(name).ok()).filter_map(somewhere).collect()
    }

    /// Whether one begins like this.
    pub fn has(&self, start: &str) -> bool {
        self.0.split(|&b| b == 0).any(|name| name.starts_with(start.as_bytes()))
    }
}

/// The build id of a file, if it has one.
pub fn build_id(file: &Path) -> Option<Vec<u8>> {
    let parts = ReadCache::new(std::fs::File::open(file).ok()?);
    object::File::parse(&parts).ok()?.build_id().ok().flatten().map(<[u8]>::to_vec)
}

fn usable(path: &Path) -> Result<()> {
    let name = path.display();
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("the program {name} was not found: build it first, or correct the path")
        }
        Err(error) => bail!("the program {name} cannot be started: {error}"),
        Ok(meta) if meta.is_dir() => bail!("{name} is a directory, not a program"),
        Ok(meta) if meta.permissions().mode() & 0o111 == 0 => {
            bail!("{name} is not executable: chmod +x it if it is a program, or `thrille check` it if it is a source")
        }
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_has_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("data");
        std::fs::write(&file, "").unwrap();
        let said = |path: &Path| find(path.as_os_str()).unwrap_err().to_string();
        assert!(said(&dir.path().join("no")).contains("not found"));
        assert!(said(&file).contains("not executable"));
        assert!(said(dir.path()).contains("directory"));
        assert!(said(Path::new("no-such-program-anywhere")).contains("not found"));
        assert!(find(OsStr::new("sh")).unwrap().ends_with("sh"));
    }
}
