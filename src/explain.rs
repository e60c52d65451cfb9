//! `thrille explain`: a race with all that is known of it, and the page on its kind.

use crate::args;
use crate::output::{Code, print};
use anyhow::{Result, bail};
use std::fmt::Write;
use std::io::stdout;
use thrille_report::{Pattern, Report, RunInfo, page_for};

/// The subcommand.
pub fn explain(typed: &args::Explain) -> Result<Code> {
    let text = match &typed.what {
        None => kinds(),
        Some(what) => match Pattern::named(what) {
            Some(pattern) => page_for(pattern, None),
            None => race(what, typed)?,
        },
    };
    print(&mut stdout(), &text);
    Ok(Code::Clean)
}

fn kinds() -> String {
    let mut out = String::from(
        "Kinds of races; `thrille explain KIND` shows the page, `thrille explain ID` a race of the last run:\n\n",
    );
    for pattern in Pattern::ALL {
        let _ = writeln!(out, "  {:<24} {}", pattern.word(), pattern.gist());
    }
    out
}

fn race(what: &str, typed: &args::Explain) -> Result<String> {
    let report = Report::open(&typed.run)?;
    let all = report.races.iter().chain(report.suppressed.iter().map(|suppressed| &suppressed.race));
    // A number, an id, or the beginning of one.
    let found: Vec<_> = all
        .filter(|race| {
            race.id == what || race.number.to_string() == what || (what.len() >= 4 && race.id.starts_with(what))
        })
        .collect();
    let race = match found.as_slice() {
        [] => bail!(
            "{what} is neither a race of {} (it has {}) nor a kind of races: `thrille explain` lists the kinds, `thrille report` the races",
            typed.run.display(),
            thrille_report::count(report.races.len() as u64, "race")
        ),
        [race, ..] => *race,
    };
    let mut out = race.text();
    out.push('\n');
    if let Some(pattern) = Pattern::named(&race.why.pattern) {
        out += &page_for(pattern, report.summary.api.as_deref());
    }
    if let Some(again) = report.run.as_ref().and_then(RunInfo::reproduce) {
        let _ = write!(out, "\n## Run it again\n{again}\n");
    }
    Ok(out)
}
