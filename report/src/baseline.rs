//! Two reports of a program: what is new, what is gone, what is still there. Races are the same when their ids are.

use crate::shape::{BaselineReport, GoneReport, RaceReport, Report};
use crate::text::{Colour, Ink};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

impl Report {
    /// Compares with an earlier report; from now on only what is new counts against the program.
    pub fn compare(&mut self, file: &str, earlier: &Self) {
        // What is suppressed now, or was then, is neither new nor gone.
        let then: HashSet<&str> = all(earlier).map(|race| race.id.as_str()).collect();
        let now: HashSet<&str> = all(self).map(|race| race.id.as_str()).collect();
        let ids = |known: bool| {
            let those = self.races.iter().filter(|race| then.contains(race.id.as_str()) == known);
            those.map(|race| race.id.clone()).collect()
        };
        let lost = earlier.races.iter().filter(|race| !now.contains(race.id.as_str()));
        let gone = lost.map(|race| GoneReport { id: race.id.clone(), title: race.title.clone() }).collect();
        self.baseline = Some(BaselineReport { file: file.into(), new: ids(false), still: ids(true), gone });
    }

    /// How many races count: all, or only the new ones if there is an earlier report to compare with.
    pub fn counting(&self) -> usize {
        self.baseline.as_ref().map_or(self.summary.races, |baseline| baseline.new.len())
    }
}

fn all(report: &Report) -> impl Iterator<Item = &RaceReport> {
    report.races.iter().chain(report.suppressed.iter().map(|suppressed| &suppressed.race))
}

/// The comparison, for a terminal.
pub fn text(report: &Report, colour: Colour) -> Option<String> {
    let baseline = report.baseline.as_ref()?;
    let titles: HashMap<&str, &str> = report.races.iter().map(|race| (race.id.as_str(), race.title.as_str())).collect();
    let titled = |ids: &[String]| -> Vec<GoneReport> {
        let title = |id: &String| titles.get(id.as_str()).copied().unwrap_or_default().to_owned();
        ids.iter().map(|id| GoneReport { id: id.clone(), title: title(id) }).collect()
    };
    let (new, still) = (titled(&baseline.new), titled(&baseline.still));
    let mut out = String::new();
    for (what, ink, races) in
        [("new", Ink::Bad, &new), ("gone", Ink::Good, &baseline.gone), ("still there", Ink::Warn, &still)]
    {
        if !races.is_empty() {
            let _ = writeln!(out, "{}", colour.paint(ink, &format!("{what}: {}", races.len())));
        }
        for GoneReport { id, title } in races {
            let _ = writeln!(out, "   {id}  {title}");
        }
    }
    let _ = writeln!(
        out,
        "{} new, {} gone, {} still there, compared with {}",
        new.len(),
        baseline.gone.len(),
        still.len(),
        baseline.file
    );
    Some(out)
}
