//! From what a run left behind to what a person reads.
//!
//! | module | does |
//! |---|---|
//! | [`run`] | `run.json`: what was started and how it ended |
//! | [`records`] | reads the ranks' record files; keeps what a damaged one still holds |
//! | [`modules`] | return addresses to files, lines, columns, functions, inlined frames |
//! | [`statics`] | offsets in the static data to variables |
//! | [`source`] | lines of source files, paths as the reader knows them |
//! | [`merge`] | one race per unordered pair of (source location, act) |
//! | [`explain`] | why the two sides are unordered, in words |
//! | [`confirm`] | what phase 2 found |
//! | [`build`] | puts the above together into a [`Report`] |
//! | [`shape`] | what a report is: the types behind the JSON |
//! | [`text`] | the terminal's form |
//!
//! Everything degrades: no debug information gives `module+0xoffset`, no source file gives no source line, half a record file gives
//! half of its races and a note.

mod api;
mod build;
mod confirm;
mod explain;
mod merge;
mod modules;
mod records;
mod run;
mod shape;
mod source;
mod statics;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use confirm::{CONFIRM_FILE, Confirmations};
pub use run::{Exit, RUN_FILE, RunInfo, signal_name};
pub use shape::{
    AllocationReport, Bytes, ConfirmationReport, Frame, Loaded, LockReport, ObjectReport, PhaseRange, RaceReport,
    Report, SideReport, Summary, VERSION, WhyReport,
};
pub use text::Colour;
pub use words::{count, list};

use std::path::{Path, PathBuf};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nobody ran here.
    #[error(
        "{0} holds no run of thrille: name a run directory (`thrille report DIR`), or make one with `thrille check` or `thrille run`"
    )]
    NotARun(PathBuf),
    /// The directory cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// What cannot be read.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {source}; free some space or choose another directory with --out")]
    Unwritable {
        /// What cannot be written.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Report {
    /// Reads a run's directory; paths are shown relative to the current directory.
    pub fn from_run_dir(dir: &Path) -> Result<Self, ReportError> {
        Self::from_run_dir_seen_from(dir, &std::env::current_dir().unwrap_or_default())
    }

    /// The same, with paths relative to `base`.
    pub fn from_run_dir_seen_from(dir: &Path, base: &Path) -> Result<Self, ReportError> {
        Ok(build::report(records::read(dir)?, base))
    }

    /// For a terminal.
    pub fn text(&self, colour: Colour) -> String {
        text::text(self, colour)
    }

    /// For programs: see README.md for the fields.
    pub fn json(&self) -> String {
        // Strings, numbers and lists of them: nothing that JSON cannot hold.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}
