//! Before anything else the ranks tell each other who they are: version of the tool, machine, whether they can write, and the time.
//!
//! Two versions would misread each other's bytes; a rank that cannot write would leave the others alone in the first exchange. So either all ranks
//! are observed or none is, and rank 0 says why. Clocks that differ between machines only make times in the report doubtful: a note.
//!
//! The words are plain text: whatever versions meet here can read them.

use crate::link::Link;
use crate::rank::{Told, agree, complain};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use thrille_model::job::{self, ENV_TOOL, Entry};
use thrille_runtime::sink::Sink;

/// Clocks that differ by less than this, in milliseconds, are as good as equal.
const TOLERATED: i64 = 2000;

/// One rank's word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    tool: String,
    host: String,
    writes: bool,
}

impl Word {
    fn own(writes: bool) -> Self {
        let library = env!("CARGO_PKG_VERSION");
        let tool = match std::env::var(ENV_TOOL) {
            Ok(starter) if starter != library => format!("{library} started by {starter}"),
            _ => library.into(),
        };
        Self { tool, host: job::host(), writes }
    }

    fn text(&self) -> String {
        format!("{}\n{}\n{}", self.tool, if self.writes { "writes" } else { "cannot" }, self.host)
    }

    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let mut line = || lines.next().unwrap_or("unknown").to_owned();
        let (tool, writes, host) = (line(), line() == "writes", line());
        Self { tool, host, writes }
    }
}

/// All ranks call this once, each with its file. None, and the reason is said, if no rank can be observed.
pub fn muster(told: &Told, link: &mut Link, sink: Option<Sink>) -> Option<Sink> {
    let said = agree(link, &Word::own(sink.is_some()).text())?;
    let words: Vec<Word> = said.iter().map(|word| Word::read(word.as_deref().unwrap_or_default())).collect();
    if let Some(why) = obstacle(&words) {
        if told.rank == 0 {
            complain(0, &why);
            if let Some(mut sink) = sink {
                sink.write(&Entry::Note(why));
            }
        }
        return None;
    }
    // All have just spoken: their clocks should show the same.
    let began = Instant::now();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    let said = agree(link, &now.to_string())?;
    let clocks: Vec<i64> = said
        .iter()
        .map(|word| std::str::from_utf8(word.as_deref().unwrap_or_default()).ok()?.parse().ok())
        .collect::<Option<_>>()?;
    let slack = began.elapsed().as_millis() as i64 + TOLERATED;
    let mut sink = sink?;
    if told.rank == 0
        && let Some(skew) = skew(&clocks, &words, slack)
    {
        sink.write(&Entry::Note(skew));
    }
    Some(sink)
}

/// Why the ranks cannot work together.
fn obstacle(words: &[Word]) -> Option<String> {
    let first = words.first()?;
    if let Some((rank, other)) = words.iter().enumerate().find(|(_, word)| word.tool != first.tool) {
        return Some(format!(
            "not observed: rank {rank} on {} has thrille {}, rank 0 on {} has {}: install the same version on all nodes",
            other.host, other.tool, first.host, first.tool
        ));
    }
    let (rank, silent) = words.iter().enumerate().find(|(_, word)| !word.writes)?;
    let others = words.iter().filter(|word| !word.writes).count() - 1;
    let more = if others > 0 { format!(" (and {others} more)") } else { String::new() };
    Some(format!(
        "not observed: rank {rank} on {}{more} cannot write into the run's directory: name one with --out that all nodes can write",
        silent.host
    ))
}

/// What is to be said of clocks, in milliseconds.
fn skew(clocks: &[i64], words: &[Word], slack: i64) -> Option<String> {
    let own = *clocks.first()?;
    let (rank, far) = clocks.iter().map(|clock| clock - own).enumerate().max_by_key(|(_, away)| away.abs())?;
    if far.abs() <= slack {
        return None;
    }
    let host = words.get(rank).map_or("another node", |word| word.host.as_str());
    let side = if far > 0 { "ahead of" } else { "behind" };
    Some(format!(
        "the clocks of the nodes differ: that of rank {rank} on {host} is {:.0} s {side} that of rank 0. Races do not depend on it; times of files \
         and which rank failed first may be wrong",
        far.abs() as f64 / 1000.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(tool: &str, host: &str, writes: bool) -> Word {
        Word { tool: tool.into(), host: host.into(), writes }
    }

    #[test]
    fn words_travel_and_obstacles_are_named() {
        let (a, b) = (word("0.1.0", "n1", true), word("0.2.0", "n2", true));
        assert_eq!(Word::read(a.text().as_bytes()), a);
        assert!(!Word::read(b"\xff").writes);
        assert_eq!(obstacle(&[a.clone(), a.clone()]), None);
        let said = obstacle(&[a.clone(), a.clone(), b]).unwrap();
        assert!(said.contains("rank 2 on n2 has thrille 0.2.0") && said.contains("same version"), "{said}");
        let said = obstacle(&[a.clone(), word("0.1.0", "n2", false), word("0.1.0", "n2", false)]).unwrap();
        assert!(said.contains("rank 1 on n2 (and 1 more) cannot write"), "{said}");
        assert_eq!(skew(&[5000, 5100], &[a.clone(), a.clone()], 2000), None);
        let said = skew(&[5000, 5100, -3_595_000], &[a.clone(), a.clone(), a], 2000).unwrap();
        assert!(said.contains("rank 2 on n1 is 3600 s behind"), "{said}");
    }
}
