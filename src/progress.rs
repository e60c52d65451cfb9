//! The progress line: on a terminal, on long runs, one line that is gone before anything else is printed.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};
use thrille_model::job::Progress;
use thrille_model::wire;

/// Shorter runs have none.
const PATIENCE: Duration = Duration::from_secs(2);
const BETWEEN: Duration = Duration::from_millis(250);

/// The line and what it is made from.
#[derive(Debug)]
pub struct Line {
    ranks: Vec<Progress>,
    started: Instant,
    drawn: Option<Instant>,
    wanted: bool,
}

impl Line {
    /// For a run that starts now; `quiet` forbids it.
    pub fn new(ranks: usize, quiet: bool) -> Self {
        let wanted = !quiet && stderr().is_terminal();
        Self { ranks: vec![Progress::default(); ranks], started: Instant::now(), drawn: None, wanted }
    }

    /// Takes in a rank's note.
    pub fn note(&mut self, rank: u32, bytes: &[u8]) {
        if let (Some(mine), Ok(news)) = (self.ranks.get_mut(rank as usize), wire::decode(bytes)) {
            *mine = news;
        }
    }

    /// Draws it when it is time to.
    pub fn tick(&mut self) {
        let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= BETWEEN) && self.started.elapsed() >= PATIENCE;
        if self.wanted && due {
            self.drawn = Some(Instant::now());
            // The cursor goes back to the front: what the program prints overwrites the line instead of following it.
            let _ = write!(stderr(), "\r\x1b[2K{}\r", self.text(self.started.elapsed()));
        }
    }

    /// Takes it away.
    pub fn erase(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
    }

    fn text(&self, elapsed: Duration) -> String {
        let phase = self.ranks.iter().map(|rank| rank.phase.0).max().unwrap_or(0);
        let accesses: u64 = self.ranks.iter().map(|rank| rank.executed).sum();
        format!("thrille: {} s, phase {phase}, {} accesses", elapsed.as_secs(), short(accesses))
    }
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
        let mut line = Line::new(2, true);
        let news = |phase, executed| wire::encode(&Progress { phase: Phase(phase), executed, ..Progress::default() });
        line.note(0, &news(3, 1_000_000));
        line.note(1, &news(4, 500_000));
        line.note(1, b"garbage");
        line.note(7, &news(9, 9));
        assert_eq!(line.text(Duration::from_secs(5)), "thrille: 5 s, phase 4, 1.5 million accesses");
    }
}
