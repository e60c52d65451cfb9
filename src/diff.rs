//! `thrille diff`: what is new, gone and still there between two reports.

use crate::args;
use crate::output::{Code, colour, print};
use anyhow::Result;
use std::io::{IsTerminal, stdout};
use thrille_report::Report;

/// The subcommand.
pub fn diff(typed: &args::Diff) -> Result<Code> {
    let old = Report::open(&typed.old)?;
    let mut new = Report::open(&typed.new)?;
    for (file, report) in [(&typed.old, &old), (&typed.new, &new)] {
        // What a damaged file does not hold any more would look like a race that is gone.
        for note in report.notes.iter().filter(|note| note.contains("damaged")) {
            print(&mut std::io::stderr(), &format!("note: {}: {note}\n", file.display()));
        }
    }
    new.compare(&typed.old.display().to_string(), &old);
    let text =
        if typed.json { new.changes_json() } else { new.changes(colour(stdout().is_terminal())).unwrap_or_default() };
    print(&mut stdout(), &text);
    Ok(if new.counting() > 0 { Code::Races } else { Code::Clean })
}
