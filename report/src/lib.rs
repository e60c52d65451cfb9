//! From what a run left behind to what a person reads.
//!
//! | module | does |
//! |---|---|
//! | [`run`] | `run.json`: what was started and how it ended |
//! | [`records`] | reads the ranks' record files; keeps what a damaged one still holds |
//! | [`read`] | reports of before, from their JSON |
//! | [`symbols`] | where the debug information of a loaded file is |
//! | [`modules`] | return addresses to files, lines, columns, functions, inlined frames |
//! | [`statics`] | offsets in the static data to variables |
//! | [`source`] | lines of source files, paths as the reader knows them |
//! | [`places`] | the line that an access is named by |
//! | [`merge`] | one race per unordered pair of (source location, act) |
//! | [`around`] | the synchronisation around them, in words |
//! | [`explain`] | why the two sides are unordered, in words |
//! | [`pattern`], [`pages`] | what kind of race it is, and the page on that kind |
//! | [`fix`] | the change that would order the two, where it is a mechanical one |
//! | [`identity`] | the name of a race across runs |
//! | [`suppress`] | races that somebody has declared to be benign |
//! | [`baseline`] | what has changed since an earlier report |
//! | [`confirm`] | what phase 2 found |
//! | [`build`] | puts the above together into a [`Report`] |
//! | [`sampling`] | what part of the program was looked at |
//! | [`shape`] | what a report is: the types behind the JSON |
//! | [`text`] | the terminal's form |
//! | [`html`], [`token`] | the browser's form (`templates/`), and what of a line is marked in it |
//! | [`sarif`], [`junit`], [`github`] | forms for services; [`repository`] has the paths as they want them |
//!
//! Everything degrades: no debug information gives `module+0xoffset`, no source file gives no source line, half a record file gives
//! half of its races and a note.

mod api;
mod around;
mod baseline;
mod build;
mod confirm;
mod explain;
mod fix;
mod github;
mod html;
mod identity;
mod junit;
mod merge;
mod modules;
mod pages;
mod pairs;
mod pattern;
mod places;
mod read;
mod records;
mod repository;
mod run;
mod sampling;
mod sarif;
mod shape;
mod source;
mod statics;
mod suppress;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod words;

pub use confirm::{CONFIRM_FILE, Confirmations};
pub use pages::{page, page_for};
pub use pattern::Pattern;
pub use run::{Exit, RUN_FILE, RunInfo, signal_name};
pub use shape::{
    AllocationReport, Bytes, ConfirmationReport, FixReport, Frame, FunctionSampling, Loaded, LockReport, ObjectReport,
    PairReport, PhaseRange, RaceReport, Report, SamplingReport, SideReport, Summary, SuppressedReport, SyncReport,
    TrafficReport, VERSION, WhyReport, Word,
};
pub use suppress::{SuppressionError, Suppressions};
pub use text::Colour;
pub use words::{count, list};

use std::path::{Path, PathBuf};

/// What a report can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// For a browser.
    Html,
    /// For code scanning services and editors.
    Sarif,
    /// For continuous integration.
    Junit,
    /// For GitHub's workflows.
    Github,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nobody ran here.
    #[error(
        "{0} holds no run of thrille: name a run directory (`thrille report DIR`), or make one with `thrille check` or `thrille run`"
    )]
    NotARun(PathBuf),
    /// Not a report.
    #[error("{path} {why}")]
    NotAReport {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
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

impl RaceReport {
    /// For a terminal, without colours.
    pub fn text(&self) -> String {
        text::one(self)
    }
}

impl Report {
    /// Reads a run's directory; paths are shown relative to the current directory.
    pub fn from_run_dir(dir: &Path) -> Result<Self, ReportError> {
        Self::from_run_dir_seen_from(dir, &std::env::current_dir().unwrap_or_default())
    }

    /// The same, with paths relative to `base`.
    pub fn from_run_dir_seen_from(dir: &Path, base: &Path) -> Result<Self, ReportError> {
        Ok(build::report(records::read(dir)?, dir, base))
    }

    /// For a terminal.
    pub fn text(&self, colour: Colour) -> String {
        text::text(self, colour)
    }

    /// In one of the forms; colours are for text only.
    pub fn render(&self, form: Form, colour: Colour) -> String {
        match form {
            Form::Text => self.text(colour),
            Form::Json => self.json() + "\n",
            Form::Html => html::html(self),
            Form::Sarif => sarif::sarif(self, &self.repository()) + "\n",
            Form::Junit => junit::junit(self),
            Form::Github => github::github(self, &self.repository()),
        }
    }

    /// The repository that the first race is in, or else the one that the run was started in.
    fn repository(&self) -> repository::Repository {
        let here = std::env::current_dir().unwrap_or_default();
        let race = self.races.iter().find_map(|race| race.a.at.path.as_deref().or(race.b.at.path.as_deref()));
        repository::Repository::around(race.map_or(here.as_path(), Path::new), &here)
    }

    /// What has changed since the report that it was compared with, for a terminal.
    pub fn changes(&self, colour: Colour) -> Option<String> {
        baseline::text(self, colour)
    }

    /// The same for programs.
    pub fn changes_json(&self) -> String {
        serde_json::to_string_pretty(&self.baseline).unwrap_or_default() + "\n"
    }

    /// For programs: see README.md for the fields.
    pub fn json(&self) -> String {
        // Strings, numbers and lists of them: nothing that JSON cannot hold.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}
