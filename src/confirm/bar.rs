//! How far phase 2 has come: on a terminal, one line that is gone before anything else is printed.

use std::io::{IsTerminal, Write, stderr};

const WIDTH: usize = 20;

/// The line.
#[derive(Debug)]
pub struct Bar {
    wanted: bool,
    drawn: bool,
    runs: u32,
}

impl Bar {
    /// None is drawn if `quiet`, or where there is no terminal.
    pub fn new(quiet: bool) -> Self {
        Self { wanted: !quiet && stderr().is_terminal(), drawn: false, runs: 0 }
    }

    /// One more run.
    pub fn run(&mut self) {
        self.runs += 1;
    }

    /// So many races are settled.
    pub fn draw(&mut self, settled: usize, of: usize) {
        if self.wanted {
            self.drawn = true;
            let _ = write!(stderr(), "\r\x1b[2K{}\r", self.text(settled, of));
        }
    }

    /// Takes it away.
    pub fn erase(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
    }

    fn text(&self, settled: usize, of: usize) -> String {
        let full = (settled * WIDTH).checked_div(of).unwrap_or(WIDTH).min(WIDTH);
        let (full, rest) = ("#".repeat(full), ".".repeat(WIDTH - full));
        format!("thrille: confirming races [{full}{rest}] {settled} of {of}, run {}", self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_up() {
        let mut bar = Bar::new(true);
        bar.run();
        assert_eq!(bar.text(1, 4), "thrille: confirming races [#####...............] 1 of 4, run 1");
        assert!(bar.text(0, 0).contains("[####################]"));
    }
}
