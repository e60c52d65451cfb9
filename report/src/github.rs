//! Annotations of GitHub's workflows: one line for each side of a race, shown beside the source line.

use crate::repository::Repository;
use crate::shape::{Frame, RaceReport, Report};
use std::fmt::Write;

/// The whole report as annotations.
pub fn github(report: &Report, repository: &Repository) -> String {
    let mut out = String::new();
    let known: &[String] = report.baseline.as_ref().map_or(&[], |baseline| &baseline.still);
    for race in &report.races {
        let level = if known.contains(&race.id) { "warning" } else { "error" };
        annotation(&mut out, level, race, &race.a.at, &race.b.at, repository);
        if place(&race.a.at, repository) != place(&race.b.at, repository) {
            annotation(&mut out, level, race, &race.b.at, &race.a.at, repository);
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "::notice title=thrille::{}", message(note));
    }
    out
}

fn annotation(out: &mut String, level: &str, race: &RaceReport, at: &Frame, other: &Frame, repository: &Repository) {
    let mut text = format!("{}\n{}\nthe other side: {}", race.title, race.why.text, crate::text::place(other));
    for help in race.why.fix.iter().map(|fix| &fix.text).chain(&race.why.hints) {
        text = format!("{text}\n{help}");
    }
    let title = property(&format!("data race {}", race.id));
    let _ = writeln!(out, "::{level} {}title={title}::{}", place(at, repository), message(&text));
}

fn place(at: &Frame, repository: &Repository) -> String {
    let Some(path) = &at.path else { return String::new() };
    let file = repository.relative(path).unwrap_or_else(|| path.clone());
    let mut out = format!("file={},", property(&file));
    for (name, number) in [("line", at.line), ("col", at.column)] {
        if let Some(number) = number {
            let _ = write!(out, "{name}={number},");
        }
    }
    out
}

/// A line break would begin the next command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
