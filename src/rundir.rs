//! The directory of a run: records, report, and what `thrille check` built.

use crate::stamp::Stamp;
use anyhow::{Context, Result, bail};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thrille_report::{CONFIRM_FILE, RUN_FILE};

/// Where runs go when nobody says otherwise.
const PARENT: &str = ".thrille";
/// The link to the latest of them.
const LAST: &str = "last";

/// A run's directory, readable by its owner only.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    /// Whether it is one of ours, which the `last` link may point to.
    listed: bool,
    made: bool,
}

impl RunDir {
    /// The directory that the user wants, or a new one below the current directory.
    pub fn make(wanted: Option<&Path>) -> Result<Self> {
        let Some(wanted) = wanted else {
            let name = format!("run-{}-{}", Stamp::of(SystemTime::now()).for_a_name(), std::process::id());
            let path = std::path::absolute(PARENT)?.join(name);
            create(&path)?;
            return Ok(Self { path, listed: true, made: true });
        };
        let path = std::path::absolute(wanted)?;
        let made = !path.exists();
        if made {
            create(&path)?;
        } else {
            clear(&path)?;
        }
        Ok(Self { path, listed: false, made })
    }

    /// The directory that the ranks of a job make together: the first to come makes it.
    pub fn shared(wanted: Option<&Path>, job: &str) -> Result<Self> {
        let path = match wanted {
            Some(wanted) => std::path::absolute(wanted)?,
            None => std::path::absolute(PARENT)?.join(format!("run-{job}")),
        };
        match create(&path) {
            Err(_) if path.is_dir() => {}
            made => made?,
        }
        Ok(Self { path, listed: wanted.is_none(), made: true })
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes `.thrille/last` point to it.
    pub fn is_last(&self) -> Result<()> {
        let (true, Some(parent), Some(name)) = (self.listed, self.path.parent(), self.path.file_name()) else {
            return Ok(());
        };
        let new = parent.join(format!("last-{}", std::process::id()));
        let link = parent.join(LAST);
        symlink(name, &new)
            .and_then(|()| std::fs::rename(&new, &link))
            .with_context(|| format!("cannot make {} point to this run", link.display()))
    }

    /// Removes it again: nothing was run.
    pub fn discard(self) {
        if self.made {
            let link = self.path.with_file_name(LAST);
            if self.listed && std::fs::read_link(&link).is_ok_and(|to| Some(to.as_os_str()) == self.path.file_name()) {
                let _ = std::fs::remove_file(&link);
            }
            // What stays behind is a directory without a run at worst.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

fn create(path: &Path) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(|| unwritable(parent))?;
    }
    std::fs::DirBuilder::new().mode(0o700).create(path).with_context(|| unwritable(path))
}

fn unwritable(path: &Path) -> String {
    format!("cannot make the directory {}: choose one that can be written with --out DIR", path.display())
}

/// Removes the records of an earlier run from a directory that the user named; refuses any other directory that is not empty.
fn clear(path: &Path) -> Result<()> {
    let entries = || {
        std::fs::read_dir(path).with_context(|| format!("--out {} is not a directory that can be used", path.display()))
    };
    if entries()?.next().is_none() {
        return Ok(());
    }
    if !path.join(RUN_FILE).is_file() {
        bail!("--out {} is not empty and holds no earlier run: name a new or an empty directory", path.display());
    }
    for entry in entries()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == RUN_FILE
            || name.starts_with("report.")
            || name.starts_with("rank-")
            || name.starts_with("exit-")
            || name == CONFIRM_FILE
        {
            std::fs::remove_file(entry.path())
                .with_context(|| format!("cannot remove {} of an earlier run", entry.path().display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_an_earlier_run_is_overwritten() {
        let tree = tempfile::tempdir().unwrap();
        let dir = tree.path().join("a/b");
        let made = RunDir::make(Some(&dir)).unwrap();
        assert_eq!(fs::metadata(made.path()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(dir.join("mine"), "").unwrap();
        assert!(RunDir::make(Some(&dir)).unwrap_err().to_string().contains("not empty"));
        fs::write(dir.join(RUN_FILE), "").unwrap();
        fs::write(dir.join("rank-0.thr"), "").unwrap();
        RunDir::make(Some(&dir)).unwrap();
        assert!(dir.join("mine").exists() && !dir.join("rank-0.thr").exists() && !dir.join(RUN_FILE).exists());
        assert!(RunDir::make(Some(Path::new("/proc/none/x"))).unwrap_err().to_string().contains("--out"));
    }
}
