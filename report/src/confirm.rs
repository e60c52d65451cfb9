//! What phase 2 found, as it lies in the run's directory, and in words.

use crate::ReportError;
use crate::run::write_whole;
use crate::shape::{ConfirmationReport, Frame};
use crate::words::count;
use serde::{Deserialize, Serialize};
use std::path::Path;
use thrille_model::verdict::{Finding, Matters, Meeting, Obstacle, Verdict};
use thrille_model::{Race, Strand};

/// Name of the file in the run's directory.
pub const CONFIRM_FILE: &str = "confirm.json";

const VERSION: u32 = 1;

/// The findings of a run's races.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmations {
    version: u32,
    /// One a race.
    pub findings: Vec<Finding>,
    /// What the reader must know of the last search.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Confirmations {
    /// These.
    pub fn new(findings: Vec<Finding>, notes: Vec<String>) -> Self {
        Self { version: VERSION, findings, notes }
    }

    /// Writes them into the run's directory, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<(), ReportError> {
        write_whole(&dir.join(CONFIRM_FILE), serde_json::to_string(self).unwrap_or_default() + "\n")
    }

    /// Reads them; none if phase 2 has not been there. The error says what is wrong with the file.
    pub fn read(dir: &Path) -> Result<Self, String> {
        let text = match std::fs::read_to_string(dir.join(CONFIRM_FILE)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.map_err(|error| error.to_string())?,
        };
        let read: Self = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if read.version == VERSION { Ok(read) } else { Err(format!("version {} of its format", read.version)) }
    }

    /// What was found out about a race.
    pub fn of(&self, races: &[Race]) -> Option<&Finding> {
        let pair = |race: &Race| ((race.first.site, race.first.act), (race.second.site, race.second.act));
        let is = |finding: &&Finding| {
            let places = &finding.places;
            races.iter().map(pair).any(|(a, b)| places.contains(&(a, b)) || places.contains(&(b, a)))
        };
        self.findings.iter().find(is)
    }
}

/// A finding in words; the stacks are those of both sides, and the directory is where the run is.
pub fn confirmation(finding: &Finding, stacks: [Vec<Frame>; 2], dir: &str) -> ConfirmationReport {
    let [a_stack, b_stack] = stacks;
    let tries = finding.tries;
    match &finding.verdict {
        Verdict::Confirmed { matters, meeting, schedule } => {
            let (verdict, text) = mattering(matters);
            ConfirmationReport {
                verdict: verdict.into(),
                text,
                witness: Some(witness(meeting)),
                unlikely: false,
                tries,
                replay: Some(format!("thrille confirm {dir} --replay {schedule}")),
                schedule: Some(schedule.clone()),
                a_stack,
                b_stack,
            }
        }
        Verdict::NotConfirmed(obstacle) => ConfirmationReport {
            verdict: "not_confirmed".into(),
            text: format!("not confirmed in {}: {}", tried(tries), hindered(*obstacle)),
            witness: None,
            unlikely: matches!(obstacle, Obstacle::PolledFlag(_)),
            tries,
            schedule: None,
            replay: None,
            a_stack,
            b_stack,
        },
    }
}

fn tried(tries: u32) -> String {
    if tries == 1 { "1 try".into() } else { count(u64::from(tries), "trie") }
}

fn mattering(matters: &Matters) -> (&'static str, String) {
    match matters {
        Matters::ChangesResult(what) => {
            ("changes_result", format!("confirmed, changes the result: {what} depends on which side is first"))
        }
        Matters::NoDifference => (
            "no_difference",
            "confirmed, no difference seen: exit status and standard output were the same whichever side was first"
                .into(),
        ),
        Matters::CrashesOrHangs(how) => ("crashes_or_hangs", format!("confirmed, crashes or hangs: {how}")),
        Matters::NotCompared(why) => ("not_compared", format!("confirmed; whether it matters is not known: {why}")),
    }
}

fn witness(meeting: &Meeting) -> String {
    let [a, b] = meeting.strands;
    match meeting.under_way {
        None => format!("{a} stood at a and {b} at b at the same time"),
        Some(side) => {
            let (issued, at, other, there) = if side == 0 { ("a", a, "b", b) } else { ("b", b, "a", a) };
            let who = if at == there { format!("{there} itself") } else { name(there) };
            format!("{issued} was issued by {at} and not complete when {who} came to {other}")
        }
    }
}

fn name(strand: Strand) -> String {
    strand.to_string()
}

fn hindered(obstacle: Obstacle) -> String {
    match obstacle {
        Obstacle::NeverCame([true, true]) => "neither side came to its place on these bytes".into(),
        Obstacle::NeverCame([true, false]) => "side a never came to its place on these bytes".into(),
        Obstacle::NeverCame(_) => "side b never came to its place on these bytes".into(),
        Obstacle::PolledFlag(number) => format!(
            "unlikely: one side came only after the other had gone, ordered by the hand-made signal of race {number} (a word that is \
             polled): no race on a machine where that is enough, but the standard does not promise it"
        ),
        Obstacle::AlwaysOrdered => {
            "each was held for the other, and one came only after the other had gone: something that the model \
             does not know may order them (a file, a clock, a word polled by hand)"
                .into()
        }
        Obstacle::WaitedInCall => {
            "while one side was held, the other waited inside a call until it had gone: the library at hand, \
             or a sleep, orders them, which no standard promises"
                .into()
        }
        Obstacle::OtherBytes => "both sides came, but never to the same bytes while the other was there".into(),
        Obstacle::Budget => "no time was left: raise --confirm-time, or run `thrille confirm`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Act, Rank, Site};

    fn spot(offset: u64) -> (Site, Act) {
        (Site { module: 1, offset }, Act::Store)
    }

    fn finding(verdict: Verdict, tries: u32) -> Finding {
        Finding { places: vec![(spot(1), spot(2))], tries, verdict }
    }

    #[test]
    fn survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Confirmations::read(dir.path()), Ok(Confirmations::default()));
        let all = Confirmations::new(vec![finding(Verdict::NotConfirmed(Obstacle::Budget), 0)], Vec::new());
        all.write(dir.path()).unwrap();
        assert_eq!(Confirmations::read(dir.path()), Ok(all));
        std::fs::write(dir.path().join(CONFIRM_FILE), "{").unwrap();
        assert!(Confirmations::read(dir.path()).is_err());
        std::fs::write(dir.path().join(CONFIRM_FILE), r#"{"version":9,"findings":[]}"#).unwrap();
        assert!(Confirmations::read(dir.path()).unwrap_err().contains("version 9"));
    }

    #[test]
    fn verdicts_in_words() {
        let words = |verdict, tries| confirmation(&finding(verdict, tries), [Vec::new(), Vec::new()], "run");
        let strand = |rank| Strand { rank: Rank(rank), index: 0 };
        let confirmed = |matters, under_way, strands| Verdict::Confirmed {
            matters,
            meeting: Meeting { under_way, strands, stacks: [Vec::new(), Vec::new()] },
            schedule: "thr3-00".into(),
        };
        let changes = Matters::ChangesResult("the exit status".into());
        let report = words(confirmed(changes, None, [strand(0), strand(1)]), 1);
        assert!(report.text.starts_with("confirmed, changes the result: the exit status"), "{}", report.text);
        assert_eq!(report.witness.as_deref(), Some("rank 0 stood at a and rank 1 at b at the same time"));
        assert_eq!(report.replay.as_deref(), Some("thrille confirm run --replay thr3-00"));
        let report = words(confirmed(Matters::NoDifference, Some(1), [strand(0), strand(0)]), 1);
        assert_eq!(
            report.witness.as_deref(),
            Some("b was issued by rank 0 and not complete when rank 0 itself came to a")
        );
        let report = words(Verdict::NotConfirmed(Obstacle::PolledFlag(4)), 3);
        assert!(report.unlikely && report.text.starts_with("not confirmed in 3 tries: unlikely"), "{}", report.text);
        assert!(report.text.contains("race 4"));
    }
}
