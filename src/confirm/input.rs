//! The program's standard input, given again to each run. A file can be read again from where it was; what a pipe or a terminal said is gone.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// This process's standard input: opened, it has a position of its own.
const OWN: &str = "/proc/self/fd/0";

/// Where the program's input comes from.
#[derive(Debug)]
pub enum Input {
    /// A file, from this place on.
    File(PathBuf, u64),
    /// Nothing.
    Nothing,
    /// A pipe or a terminal: what it says can be read once.
    Once,
}

impl Input {
    /// What standard input is now.
    pub fn capture() -> Result<Self> {
        match (std::fs::metadata(OWN), std::fs::metadata("/dev/null")) {
            (Ok(input), _) if input.is_file() => {}
            (Ok(input), Ok(null)) if input.rdev() != null.rdev() || input.rdev() == 0 => return Ok(Self::Once),
            _ => return Ok(Self::Nothing),
        }
        // The position is that of the descriptor itself, which a new one does not share.
        let info =
            std::fs::read_to_string("/proc/self/fdinfo/0").context("cannot ask for the position in the input")?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
        Ok(Self::File(OWN.into(), position.unwrap_or(0)))
    }

    /// The same, or what it was when the program ran first if it is no file now.
    pub fn or_as_before(self, before: Option<&Path>) -> Self {
        match (self, before) {
            (Self::Nothing | Self::Once, Some(file)) if file.is_file() => Self::File(file.into(), 0),
            // That file is gone.
            (Self::Nothing, Some(_)) => Self::Once,
            (input, _) => input,
        }
    }

    /// The file, if it is one and read from its beginning.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path, 0) => std::fs::canonicalize(path).ok(),
            _ => None,
        }
    }

    /// The same again.
    pub fn again(&self) -> Stdio {
        let file = match self {
            Self::Nothing | Self::Once => None,
            Self::File(path, at) => {
                File::open(path).ok().and_then(|mut file| file.seek(SeekFrom::Start(*at)).ok().map(|_| file))
            }
        };
        file.map_or_else(Stdio::null, Stdio::from)
    }
}
