//! Where one run of phase 2 writes: a directory below that of the run it confirms races of. It goes with its owner; what a killed owner left behind,
//! the next one removes. An owner has its directory locked, and a lock ends with its process, however that ends.

use anyhow::Context;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// How the names of such directories begin.
const PREFIX: &str = "confirm-";

/// A directory, and its lock.
pub struct Place {
    dir: TempDir,
    _lock: File,
}

impl Place {
    /// A new one below a directory.
    pub fn make(below: &Path) -> anyhow::Result<Self> {
        let wrong = || format!("cannot make a directory in {}", below.display());
        loop {
            let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(below).with_context(wrong)?;
            let lock = File::open(dir.path()).with_context(wrong);
            // Where there are no locks, nobody gets one to clean up either.
            let mine = lock.as_ref().is_ok_and(|file| try_lock(file) != Err(Errno::WOULDBLOCK));
            // Somebody who cleans up may have found it before it was locked.
            match lock {
                Ok(lock) if mine && dir.path().is_dir() => return Ok(Self { dir, _lock: lock }),
                Err(error) if dir.path().is_dir() => return Err(error),
                _ => {}
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

fn try_lock(dir: &File) -> Result<(), Errno> {
    flock(dir, FlockOperation::NonBlockingLockExclusive)
}

/// Removes those below a directory whose owners are gone.
pub fn clean_up(below: &Path) {
    for entry in std::fs::read_dir(below).into_iter().flatten().flatten() {
        let ours =
            entry.file_name().to_string_lossy().starts_with(PREFIX) && entry.file_type().is_ok_and(|t| t.is_dir());
        if let (true, Ok(dir)) = (ours, File::open(entry.path()))
            && try_lock(&dir).is_ok()
        {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_owns_is_removed_and_nothing_else() {
        let below = tempfile::tempdir().unwrap();
        let mine = Place::make(below.path()).unwrap();
        let left = below.path().join("confirm-left");
        std::fs::create_dir_all(left.join("inside")).unwrap();
        std::fs::create_dir(below.path().join("bin")).unwrap();
        std::fs::write(below.path().join("confirm-file"), "").unwrap();
        clean_up(below.path());
        assert!(!left.exists() && mine.path().is_dir());
        assert!(below.path().join("bin").is_dir() && below.path().join("confirm-file").is_file());
        let path = mine.path().to_owned();
        drop(mine);
        assert!(!path.exists());
    }
}
