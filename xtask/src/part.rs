//! One part of the tests: a command whose output is passed on and read along.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Tests that a runner says it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    pub ignored: u64,
}

impl Count {
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// What one line of output says: the closing lines of libtest, libtest-mimic and nextest.
    fn of_line(line: &str) -> Option<Self> {
        let line = without_escapes(line);
        let figures = match line.trim_start().strip_prefix("test result:") {
            Some(rest) => rest.split_once('.')?.1,
            None => line.trim_start().strip_prefix("Summary [")?.split_once("run:")?.1,
        };
        let of = |what: &[&str]| {
            figures
                .split([';', ',', '('])
                .filter_map(|part| part.trim().split_once(' '))
                .filter(|(_, word)| what.iter().any(|what| word.starts_with(what)))
                .filter_map(|(number, _)| number.parse::<u64>().ok())
                .sum()
        };
        Some(Self { passed: of(&["passed"]), failed: of(&["failed", "timed out"]), ignored: of(&["ignored"]) })
    }
}

fn without_escapes(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            chars.find(char::is_ascii_alphabetic);
        } else {
            out.push(c);
        }
    }
    out
}

/// How a part went.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: &'static str,
    pub verdict: Verdict,
    pub count: Count,
    pub time: Duration,
}

/// Whether it is as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good,
    Bad,
    /// Not run, and why.
    Skipped(String),
}

impl Part {
    /// Runs a command, shows what it says, and counts.
    pub fn run(name: &'static str, command: &mut Command) -> Self {
        println!("\n== {name}: {}", spoken(command));
        let begun = Instant::now();
        let count = Mutex::new(Count::default());
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let good = match spawned {
            Err(error) => {
                println!("cannot start {}: {error}", command.get_program().display());
                false
            }
            Ok(mut child) => {
                let (out, err) = (child.stdout.take(), child.stderr.take());
                std::thread::scope(|scope| {
                    scope.spawn(|| out.map(|out| pass_on(out, &count)));
                    scope.spawn(|| err.map(|err| pass_on(err, &count)));
                });
                child.wait().is_ok_and(|status| status.success())
            }
        };
        let count = *count.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let verdict = if good && count.failed == 0 { Verdict::Good } else { Verdict::Bad };
        let part = Self { name, verdict, count, time: begun.elapsed() };
        println!("== {part}");
        part
    }

    /// One that cannot be run here.
    pub fn skip(name: &'static str, why: &str) -> Self {
        println!("\n== {name}: skipped, {why}");
        Self { name, verdict: Verdict::Skipped(why.into()), count: Count::default(), time: Duration::ZERO }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = match &self.verdict {
            Verdict::Good => "ok",
            Verdict::Bad => "FAILED",
            Verdict::Skipped(why) => return write!(f, "{:<12} skipped: {why}", self.name),
        };
        write!(f, "{:<12} {verdict:<7} {:>6.1} s", self.name, self.time.as_secs_f64())?;
        let Count { passed, failed, ignored } = self.count;
        if passed + failed > 0 {
            write!(f, "   {passed} passed, {failed} failed")?;
        }
        if ignored > 0 {
            write!(f, ", {ignored} ignored")?;
        }
        Ok(())
    }
}

fn spoken(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Lines as they come, whatever bytes are in them.
fn pass_on(from: impl Read, count: &Mutex<Count>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // Our own output gone is no reason to stop the tests.
        let _ = std::io::stdout().write_all(&line);
        if let Some(more) = Count::of_line(&String::from_utf8_lossy(&line)) {
            count.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(more);
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_the_runners() {
        let count = |passed, failed, ignored| Some(Count { passed, failed, ignored });
        for (line, expected) in [
            (
                "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.05s",
                count(12, 0, 1),
            ),
            ("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", count(1, 2, 0)),
            ("     Summary [  12.345s] 9 tests run: 7 passed (1 slow), 2 failed, 4 skipped", count(7, 2, 0)),
            (
                "\x1b[32;1m     Summary\x1b[0m [   0.1s] \x1b[1m3\x1b[0m tests run: \x1b[1m3\x1b[0m \x1b[32;1mpassed\x1b[0m, 0 skipped",
                count(3, 0, 0),
            ),
            ("     Summary [  60.0s] 3 tests run: 2 passed, 1 timed out, 0 skipped", count(2, 1, 0)),
            ("test ring ... ok", None),
        ] {
            assert_eq!(Count::of_line(line), expected, "{line}");
        }
    }
}
