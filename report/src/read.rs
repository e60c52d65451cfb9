//! Reports that were written before: the JSON, whole or damaged.
//!
//! A file that ends early, because a disk was full or a copy was cut off, still holds whole races: these are read one by one. A file of a
//! newer version is read as far as its fields are known here.

use crate::ReportError;
use crate::shape::{RaceReport, Report, VERSION};
use serde_json::Value;
use std::path::Path;

impl Report {
    /// A report from where it is: the directory of a run, or a JSON file of before.
    pub fn open(path: &Path) -> Result<Self, ReportError> {
        if path.is_dir() || !path.exists() {
            return Self::from_run_dir(path);
        }
        let unreadable = |source| ReportError::Unreadable { path: path.into(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        // Names that are not UTF-8 come with a mark in place of what cannot be read.
        Self::from_json(&String::from_utf8_lossy(&bytes))
            .map_err(|why| ReportError::NotAReport { path: path.into(), why })
    }

    /// A report from its JSON; what is damaged is left out, and a note says so. The error says why it is none at all.
    pub fn from_json(text: &str) -> Result<Self, String> {
        match serde_json::from_str::<Self>(text) {
            Ok(mut report) => {
                if report.version > VERSION {
                    report.notes.insert(0, newer(report.version));
                }
                crate::identity::complete(&mut report.races);
                Ok(report)
            }
            Err(error) => salvage(text, &error),
        }
    }
}

fn newer(version: u32) -> String {
    format!(
        "this report has version {version} of the format, this is thrille for version {VERSION}: what is new in it is not shown"
    )
}

/// The races that are whole.
fn salvage(text: &str, error: &serde_json::Error) -> Result<Report, String> {
    let foreign = "is not a report of thrille (`thrille report --json` writes them)";
    // The summary has a figure of this name.
    let mut lists = text.match_indices("\"races\"").filter_map(|(at, _)| after_key(&text[at..], "races"));
    let list = lists.find_map(|rest| rest.trim_start().strip_prefix('['));
    let Some(mut rest) = list.filter(|_| after_key(text, "version").is_some()) else {
        return Err(match serde_json::from_str::<Value>(text) {
            Ok(_) => foreign.into(),
            Err(_) if text.trim().is_empty() => format!("{foreign}: it is empty"),
            Err(error) => format!("{foreign}: {error}"),
        });
    };
    let version = after_key(text, "version").and_then(first_value::<u32>).map_or(VERSION, |(version, _)| version);
    let mut report = Report { version, ..Report::default() };
    report.tool = after_key(text, "tool").and_then(first_value).map(|(tool, _)| tool).unwrap_or_default();
    report.run = after_key(text, "run").and_then(first_value).and_then(|(run, _)| run);
    if let Some((summary, _)) = after_key(text, "summary").and_then(first_value) {
        report.summary = summary;
    }
    let mut left_out = 0_u64;
    while let Some((value, behind)) = first_value::<Value>(rest) {
        match serde_json::from_value::<RaceReport>(value) {
            Ok(race) => report.races.push(race),
            Err(_) => left_out += 1,
        }
        rest = match behind.trim_start().strip_prefix(',') {
            Some(next) => next,
            None => break,
        };
    }
    let count = crate::words::count(report.races.len() as u64, "race");
    let more = if left_out > 0 { format!(", {left_out} more could not be understood") } else { String::new() };
    report.notes.push(format!(
        "the report is damaged ({error}): {count} could be read{more}; what else was in it is not shown"
    ));
    report.summary.races = report.races.len();
    crate::identity::complete(&mut report.races);
    Ok(report)
}

/// What stands behind a key; of several the first.
fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quoted = format!("\"{key}\"");
    text.match_indices(&quoted).find_map(|(at, _)| text[at + quoted.len()..].trim_start().strip_prefix(':'))
}

/// The value that a text begins with, and what stands behind it.
fn first_value<T: serde::de::DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}
