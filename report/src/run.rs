//! `run.json`: what was started, and how it ended. Written by the launcher at the start and again at the end.

use crate::ReportError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Name of the file in the run's directory.
pub const RUN_FILE: &str = "run.json";

/// What the launcher knows of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunInfo {
    /// Version of the tool.
    pub tool: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How the tool was called, to call it so again; empty if that is not known.
    #[serde(default)]
    pub invocation: Vec<String>,
    /// How many ranks were asked for.
    pub ranks: u32,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// Where it was started.
    pub directory: String,
    /// How long it took; none while it runs, or when the launcher was killed.
    pub elapsed_seconds: Option<f64>,
    /// How each rank ended; none while it runs, or when the launcher was killed.
    pub exits: Option<Vec<Exit>>,
    /// The rank whose end ended the others, if one failed.
    pub first_failure: Option<u32>,
    /// How the launcher of an MPI library ended, if that says that the program failed and the ranks do not.
    #[serde(default)]
    pub launcher: Option<String>,
    /// The signal that the launcher was told to stop with, if it was.
    pub interrupted: Option<String>,
    /// The program's file, absolute.
    #[serde(default)]
    pub program: Option<PathBuf>,
    /// Symmetric heap of each rank.
    #[serde(default)]
    pub heap: Option<u64>,
    /// The file that was its standard input, from the beginning; none if that was something else.
    #[serde(default)]
    pub input: Option<PathBuf>,
    /// What the launcher has to say about the run.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How one rank ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Exit {
    /// Which rank.
    pub rank: u32,
    /// Its exit status, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The same by name.
    pub signal_name: Option<String>,
    /// Whether the launcher killed it, because it did not end after another rank had failed.
    pub killed: bool,
}

impl Exit {
    /// From what the system says.
    pub fn new(rank: u32, status: ExitStatus, killed: bool) -> Self {
        let signal = status.signal();
        Self { rank, code: status.code(), signal, signal_name: signal.map(signal_name), killed }
    }

    /// The file in the run's directory in which a rank's own parent writes it down.
    pub fn file(dir: &Path, rank: u32) -> PathBuf {
        dir.join(format!("exit-{rank}.json"))
    }

    /// Writes it there, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<(), ReportError> {
        let path = Self::file(dir, self.rank);
        write_whole(&path, serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads it; none if the rank has not ended, or nobody saw it.
    pub fn read(dir: &Path, rank: u32) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(Self::file(dir, rank)).ok()?).ok()
    }

    /// Whether it is the end that a program wants.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} ", self.rank)?;
        match (self.code, &self.signal_name) {
            _ if self.killed => f.write_str("did not end and was killed"),
            (Some(code), _) => write!(f, "exited with status {code}"),
            (None, Some(name)) => write!(f, "was killed by {name}"),
            (None, None) => f.write_str("ended in an unknown way"),
        }
    }
}

impl RunInfo {
    /// Writes it into the run's directory, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<(), ReportError> {
        write_whole(&dir.join(RUN_FILE), serde_json::to_string_pretty(self).unwrap_or_default() + "\n")
    }

    /// Reads it; the error says what is wrong with the file.
    pub fn read(dir: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(dir.join(RUN_FILE)).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }

    /// The line that runs it again, for a shell; none if it is not known how it was started.
    pub fn reproduce(&self) -> Option<String> {
        let words: Vec<String> = match self.invocation.as_slice() {
            [] => return None,
            words => words.iter().map(|word| crate::words::quoted(word)).collect(),
        };
        let line = words.join(" ");
        Some(if self.directory.is_empty() {
            line
        } else {
            format!("cd {} && {line}", crate::words::quoted(&self.directory))
        })
    }

    /// The ranks that failed, the one that failed first at the front.
    pub fn failures(&self) -> Vec<&Exit> {
        let mut failed: Vec<&Exit> = self.exits.iter().flatten().filter(|exit| !exit.success()).collect();
        failed.sort_by_key(|exit| Some(exit.rank) != self.first_failure);
        failed
    }
}

pub fn write_whole(path: &Path, text: String) -> Result<(), ReportError> {
    let new = path.with_extension("json.new");
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|source| ReportError::Unwritable { path: path.into(), source })
}

/// A signal by its name.
pub fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return format!("signal {number}"),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_disk_and_names_the_first_failure() {
        let dir = tempfile::tempdir().unwrap();
        let exits = vec![
            Exit::new(0, ExitStatus::from_raw(1 << 8), false),
            Exit::new(1, ExitStatus::from_raw(11), false),
            Exit::new(2, ExitStatus::from_raw(0), false),
            Exit::new(3, ExitStatus::from_raw(9), true),
        ];
        let info = RunInfo { ranks: 4, exits: Some(exits), first_failure: Some(1), ..RunInfo::default() };
        info.write(dir.path()).unwrap();
        let back = RunInfo::read(dir.path()).unwrap();
        assert_eq!(back, info);
        let words: Vec<String> = back.failures().iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            ["rank 1 was killed by SIGSEGV", "rank 0 exited with status 1", "rank 3 did not end and was killed"]
        );
    }
}
