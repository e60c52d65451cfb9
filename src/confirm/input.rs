//! The program's standard input, given again to each run. A file can be read again from where it was; what a pipe or a terminal said is gone.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;

/// Where the program's input comes from.
#[derive(Debug)]
pub enum Input {
    /// A file, from this place on.
    File(u64),
    /// Nothing.
    Nothing,
    /// A pipe or a terminal: what it says can be read once.
    Once,
}

/// This process's standard input, opened anew: with a position of its own.
fn opened() -> std::io::Result<File> {
    File::open("/proc/self/fd/0")
}

impl Input {
    /// What standard input is now.
    pub fn capture() -> Result<Self> {
        match (std::fs::metadata("/proc/self/fd/0"), std::fs::metadata("/dev/null")) {
            (Ok(input), _) if input.is_file() => {}
            (Ok(input), Ok(null)) if input.rdev() != null.rdev() || input.rdev() == 0 => return Ok(Self::Once),
            _ => return Ok(Self::Nothing),
        }
        // The position is that of the descriptor itself, which a new one does not share.
        let info =
            std::fs::read_to_string("/proc/self/fdinfo/0").context("cannot ask for the position in the input")?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
        Ok(Self::File(position.unwrap_or(0)))
    }

    /// The same again.
    pub fn again(&self) -> Stdio {
        let file = match self {
            Self::Nothing | Self::Once => None,
            Self::File(at) => opened().ok().and_then(|mut file| file.seek(SeekFrom::Start(*at)).ok().map(|_| file)),
        };
        file.map_or_else(Stdio::null, Stdio::from)
    }
}
