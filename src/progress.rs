//! How a run goes, while it goes: on a terminal one line on long runs, or with `--watch` a few lines that are drawn anew; plain lines with
//! `--watch` when standard error is no terminal.
//!
//! The figures are those that the ranks send when they exchange; races are counted in the files that they write. The program does nothing
//! for it that it would not do anyway.

mod races;

use crate::launch::Start;
use races::Races;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::time::{Duration, Instant};
use thrille_model::job::{ENV_BUDGET, ENV_SAMPLING, Progress};
use thrille_model::wire;

/// Shorter runs have no line.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often something is drawn on a terminal, and how often a plain line is printed.
const BETWEEN: Duration = Duration::from_millis(250);
const PLAIN: Duration = Duration::from_secs(1);

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Nothing,
    /// One line on a terminal.
    Line,
    /// A few lines on a terminal.
    Block,
    /// A line from time to time.
    Plain,
}

/// What the user wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    Quiet,
    /// A line, if it takes long.
    Usual,
    /// All there is.
    Watch,
}

/// The line and what it is made from.
#[derive(Debug)]
pub struct Line {
    ranks: Vec<Progress>,
    heard: Vec<bool>,
    races: Races,
    started: Instant,
    drawn: Option<Instant>,
    view: View,
    /// Which accesses are looked at, and what that may cost.
    sampling: String,
    budget: Option<String>,
}

impl Line {
    /// For a run that starts so, now, and writes into this directory.
    pub fn new(start: &Start, dir: &Path) -> Self {
        let ranks = start.ranks as usize;
        let told = |name| start.told.iter().find(|(told, _)| *told == name).map(|(_, value)| value.clone());
        let view = match (start.wish, stderr().is_terminal()) {
            (Wish::Quiet, _) | (Wish::Usual, false) => View::Nothing,
            (Wish::Usual, true) => View::Line,
            (Wish::Watch, true) => View::Block,
            (Wish::Watch, false) => View::Plain,
        };
        Self {
            ranks: vec![Progress::default(); ranks],
            heard: vec![false; ranks],
            races: Races::new(dir, ranks),
            started: Instant::now(),
            drawn: None,
            view,
            sampling: told(ENV_SAMPLING).unwrap_or_else(|| "full".into()),
            budget: told(ENV_BUDGET),
        }
    }

    /// Takes in a rank's note.
    pub fn note(&mut self, rank: u32, bytes: &[u8]) {
        if let (Some(mine), Ok(news)) = (self.ranks.get_mut(rank as usize), wire::decode(bytes)) {
            *mine = news;
            self.heard[rank as usize] = true;
        }
    }

    /// Draws it when it is time to.
    pub fn tick(&mut self) {
        let elapsed = self.started.elapsed();
        let (between, patience) = match self.view {
            View::Nothing => return,
            View::Line => (BETWEEN, PATIENCE),
            View::Block => (BETWEEN, BETWEEN),
            View::Plain => (PLAIN, PLAIN),
        };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < between) || elapsed < patience {
            return;
        }
        self.drawn = Some(Instant::now());
        match self.view {
            View::Nothing => {}
            // The cursor goes back to the front: what the program prints overwrites the line instead of following it.
            View::Line => say(&format!("\r\x1b[2K{}\r", self.text(elapsed))),
            View::Block => {
                self.races.look();
                // The cursor goes back above it: what the program prints goes over a line left free, and the block is drawn anew below.
                let block = self.block(elapsed);
                say(&format!("\r\x1b[J\n{block}\x1b[{}A", block.lines().count() + 1));
            }
            View::Plain => {
                self.races.look();
                say(&format!("{}\n", self.plain(elapsed)));
            }
        }
    }

    /// Takes it away; of a watched run the last state stays.
    pub fn erase(&mut self) {
        match self.view {
            View::Line if self.drawn.take().is_some() => say("\r\x1b[2K"),
            View::Block => {
                self.races.look_again();
                say(&format!("\r\x1b[J{}", self.block(self.started.elapsed())));
            }
            View::Plain => {
                self.races.look_again();
                say(&format!("{}\n", self.plain(self.started.elapsed())));
            }
            View::Line | View::Nothing => {}
        }
    }

    fn sum(&self, of: impl Fn(&Progress) -> u64) -> u64 {
        self.ranks.iter().map(of).sum()
    }

    fn text(&self, elapsed: Duration) -> String {
        let phase = self.ranks.iter().map(|rank| rank.phase.0).max().unwrap_or(0);
        let accesses = self.sum(|rank| rank.executed);
        format!("thrille: {} s, phase {phase}, {} accesses", elapsed.as_secs(), short(accesses))
    }

    fn plain(&self, elapsed: Duration) -> String {
        let heard = self.heard.iter().filter(|heard| **heard).count();
        let mut line = format!("{}, {heard} of {} ranks heard of, ", self.text(elapsed), self.ranks.len());
        let dropped = self.sum(|rank| rank.dropped);
        if dropped > 0 {
            let _ = write!(line, "{} dropped, ", short(dropped));
        }
        if let Some(overhead) = self.overhead() {
            let _ = write!(line, "{overhead}, ");
        }
        let _ = write!(
            line,
            "analysis {}, {} so far",
            self.share(elapsed),
            thrille_report::count(self.races.count(), "race")
        );
        line
    }

    /// What being observed costs, against what it may: that of the rank that pays most.
    fn overhead(&self) -> Option<String> {
        let budget = self.budget.as_ref()?;
        let share = |&(spent, passed): &(u64, u64)| 100.0 * spent as f64 / passed.saturating_sub(spent).max(1) as f64;
        let most = self.ranks.iter().filter_map(|rank| rank.spent.as_ref().map(share)).fold(0.0, f64::max);
        Some(format!("overhead {most:.1} % of {budget}"))
    }

    /// The part of the time that the slowest rank spent in exchanges and analysis.
    fn share(&self, elapsed: Duration) -> String {
        let longest = self.ranks.iter().map(|rank| rank.analysis_us).max().unwrap_or(0);
        format!("{:.1} %", 100.0 * longest as f64 / 1e6 / elapsed.as_secs_f64().max(1e-3))
    }

    fn block(&self, elapsed: Duration) -> String {
        let heard = self.heard.iter().filter(|heard| **heard).count();
        let (most, least) = (
            self.ranks.iter().map(|rank| rank.phase.0).max().unwrap_or(0),
            self.ranks.iter().map(|rank| rank.phase.0).min().unwrap_or(0),
        );
        let behind = self.ranks.iter().position(|rank| rank.phase.0 == least).unwrap_or(0);
        let lag = if least < most { format!(" (rank {behind} is in phase {least})") } else { String::new() };
        let dropped = self.sum(|rank| rank.dropped);
        let dropping = if dropped > 0 { format!("{} dropped", short(dropped)) } else { "none dropped".into() };
        format!(
            "thrille   {} s, {heard} of {} ranks heard of\n  phase     {most}{lag}\n  accesses  {} executed, {} observed, {dropping}\n  sampling  {}{}\n  \
             analysis  {} of the time, {} exchanges\n  races     {} so far\n",
            elapsed.as_secs(),
            self.ranks.len(),
            short(self.sum(|rank| rank.executed)),
            short(self.sum(|rank| rank.observed)),
            self.sampling,
            self.overhead().map_or_else(String::new, |overhead| format!(", {overhead}")),
            self.share(elapsed),
            self.ranks.iter().map(|rank| rank.exchanges).max().unwrap_or(0),
            self.races.count(),
        )
    }
}

/// Nobody to tell when this fails.
fn say(text: &str) {
    let mut out = stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// `1234567` as `1.2 million`.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{} thousand", number / 1000),
        1_000_000..1_000_000_000 => format!("{:.1} million", number as f64 / 1e6),
        _ => format!("{:.1} billion", number as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::Phase;

    #[test]
    fn figures_of_all_ranks() {
        let told = vec![(ENV_SAMPLING, "HA".to_owned()), (ENV_BUDGET, "5%".to_owned())];
        let start = Start {
            program: "x".into(),
            command: Vec::new(),
            ranks: 2,
            heap: 0,
            told,
            grace: Duration::ZERO,
            wish: Wish::Quiet,
            confirming: None,
        };
        let mut line = Line::new(&start, Path::new("/no/such/run"));
        let news = |phase, executed| {
            let spent = Some((40, 1040));
            wire::encode(&Progress { phase: Phase(phase), executed, spent, ..Progress::default() })
        };
        line.note(0, &news(3, 1_000_000));
        line.note(1, &news(4, 500_000));
        line.note(1, b"garbage");
        line.note(7, &news(9, 9));
        let five = Duration::from_secs(5);
        assert_eq!(line.text(five), "thrille: 5 s, phase 4, 1.5 million accesses");
        assert!(
            line.plain(five).ends_with("2 of 2 ranks heard of, overhead 4.0 % of 5%, analysis 0.0 %, 0 races so far"),
            "{}",
            line.plain(five)
        );
        assert_eq!(line.overhead().as_deref(), Some("overhead 4.0 % of 5%"));
        let block = line.block(five);
        assert!(block.contains("sampling  HA, overhead 4.0 % of 5%"), "{block}");
        assert!(block.contains("phase     4 (rank 0 is in phase 3)") && block.ends_with('\n'), "{block}");
    }
}
