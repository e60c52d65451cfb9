//! The results as a table in the form of the paper's Table 1, and what stands beside it.

use super::configs::{CONFIGS, Kind};
use super::manifest::Program;
use super::rows::{Key, Outcome, Row};
use crate::{Result, root};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A group of repetitions.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    rows: Vec<&'a Row>,
}

/// A value and how far the repetitions are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) };
        Some(Self { least, median, most })
    }
}

impl<'a> Group<'a> {
    /// The repetitions of a program in a configuration, on the terms of `like`.
    pub fn find(rows: &'a [Row], like: &Key, config: &str) -> Self {
        let same = |row: &&Row| {
            Key { repetition: 0, config: String::new(), ..row.key.clone() }
                == Key { repetition: 0, config: String::new(), ..like.clone() }
        };
        let rows = rows.iter().filter(same).filter(|row| row.key.config == config).collect();
        Self { rows }
    }

    fn finished(&self) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().copied().filter(|row| row.outcome == Outcome::Finished)
    }

    pub fn spread(&self, value: impl Fn(&Row) -> f64) -> Option<Spread> {
        Spread::of(self.finished().map(value).collect())
    }

    /// How many times as much as another group takes: repetition by repetition, which ran one after the other. Nothing for what is too short to
    /// be measured.
    pub fn ratio(&self, to: &Self, value: fn(&Row) -> f64) -> Option<Spread> {
        let partner = |row: &Row| to.finished().find(|other| other.key.repetition == row.key.repetition);
        let ratio = |row: &Row| Some(value(row) / partner(row).map(value).filter(|&value| value > 0.0)?);
        Spread::of(self.finished().filter_map(ratio).collect())
    }

    /// A mark for runs that did not keep all they observed: their time is not that of full observation.
    fn dropped(&self) -> String {
        let share = |row: &Row| row.dropped as f64 / (row.observed.max(1)) as f64;
        match self.spread(share) {
            Some(spread) if spread.most > 0.0 => format!(" ({:.1}% dropped)", spread.most * 100.0),
            _ => String::new(),
        }
    }

    /// Why there is nothing.
    fn missing(&self) -> String {
        match self.rows.first().map(|row| &row.outcome) {
            None => "-".into(),
            Some(Outcome::DidNotFinish(why)) => format!("DNF ({why})"),
            Some(_) => "failed".into(),
        }
    }
}

/// The correct programs that were run, one key for each program, class and number of ranks.
pub fn subjects(rows: &[Row]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for row in rows.iter().filter(|row| row.key.variant == 0) {
        let key = Key { repetition: 0, config: String::new(), ..row.key.clone() };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Writes `table.md`.
pub fn write(out: &Path, rows: &[Row], programs: &[Program], compiler: &str) -> Result<()> {
    let path = out.join("table.md");
    let text =
        format!("{}\n{}\n{}\n{}", machine(compiler), overheads(rows, programs), breakdown(rows), races(rows, programs));
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn machine(compiler: &str) -> String {
    let said = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(root()).output();
        output
            .map(|output| String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("?").trim().to_owned())
            .unwrap_or_default()
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("?", |(_, name)| name.trim());
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory =
        memory.lines().next().and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0);
    format!(
        "# nas-bench\n\n{cpu}, {} cores, {:.1} GB; {}; commit {}. Made by `cargo xtask bench nas` from `raw.csv`.\n",
        std::thread::available_parallelism().map_or(1, usize::from),
        memory as f64 * 1024.0 / 1e9,
        said(compiler, &["--version"]),
        said("git", &["rev-parse", "--short=12", "HEAD"]),
    )
}

/// The paper's Table 1. Overhead is of the whole run, the detector's report included.
fn overheads(rows: &[Row], programs: &[Program]) -> String {
    let shown: Vec<_> = CONFIGS.iter().filter(|config| config.kind.watches()).collect();
    let mut text = String::from(
        "Runtime is that of the program without the detector, from start to end. Overhead is what the whole run takes more, report included: of\n\
         processor time of all processes first, of wall time second, each the median of the repetitions with the least and the most in brackets. Load is how many\n\
         processes wanted to run, of the whole machine, while this program was measured: much above the number of cores, wall times tell more of the\n\
         neighbours than of the detector. Races are those of the racy variant, A + C as in the paper: A found by watching calls alone (NL), C more by\n\
         watching loads and stores, of all that there are. DNF: did not finish within the limit. TSan is the compiler's own sanitizer: it knows nothing of other ranks.\n\
         Dropped: the share of observed accesses lost to the detector's limit on records; such a run is cheaper than it should be, and may miss races.\n\n\
         | Bench | Class | Ranks | LoC | Runtime (s) | CPU (s) | Load | #Races |",
    );
    for config in &shown {
        let _ = write!(text, " {0} (CPU) | {0} (wall) |", config.name);
    }
    text.push_str(" Memory native | Memory full |\n|---|---|---|---|---|---|---|---|");
    text.push_str(&"---|".repeat(2 * shown.len() + 2));
    text.push('\n');
    for key in subjects(rows) {
        let native = Group::find(rows, &key, "native");
        let lines = programs.iter().find(|program| program.name == key.program).map_or(0, |program| program.lines);
        let own = |value: fn(&Row) -> f64, digits: usize| {
            native.spread(value).map_or_else(|| native.missing(), |spread| format!("{:.digits$}", spread.median))
        };
        let name = if key.model == "shmem" { key.program.clone() } else { format!("{} ({})", key.program, key.model) };
        let _ = write!(text, "| {name} | {} | {} | {lines} | {} |", key.class, key.ranks, own(|row| row.wall, 3));
        let _ = write!(text, " {} | {} | {} |", own(|row| row.cpu, 2), load(rows, &key), found(rows, &key, programs));
        for config in &shown {
            let group = Group::find(rows, &key, config.name);
            for value in [(|row| row.cpu) as fn(&Row) -> f64, |row| row.wall] {
                let cell = group.ratio(&native, value).map_or_else(|| group.missing(), percent);
                let _ = write!(text, " {cell}{} |", group.dropped());
            }
        }
        for config in ["native", "full"] {
            let group = Group::find(rows, &key, config);
            let peak = group.spread(|row| row.peak as f64);
            let cell = peak.map_or_else(|| group.missing(), |spread| format!("{:.0} MB", spread.most / 1e6));
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

/// Of the machine while a program was measured: least to most.
fn load(rows: &[Row], key: &Key) -> String {
    let of = |row: &&Row| Key { repetition: 0, config: String::new(), ..row.key.clone() } == *key;
    Spread::of(rows.iter().filter(of).map(|row| row.load).collect())
        .map_or_else(|| "-".into(), |spread| format!("{:.0}-{:.0}", spread.least, spread.most))
}

/// Ratios as overheads, in percent.
fn percent(ratio: Spread) -> String {
    let one = |ratio: f64| {
        let percent = (ratio - 1.0) * 100.0;
        if percent.abs() < 99.5 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
    };
    if ratio.least < ratio.most {
        return format!("{} [{}, {}]", one(ratio.median), one(ratio.least), one(ratio.most));
    }
    one(ratio.median)
}

fn found(rows: &[Row], key: &Key, programs: &[Program]) -> String {
    let all: usize =
        programs.iter().filter(|p| p.name == key.program).flat_map(|p| &p.races).map(|race| race.pairs).sum();
    if all == 0 {
        return "0 + 0 of 0".into();
    }
    let racy = |config: &str| -> Option<usize> {
        let of = |row: &&Row| {
            row.key.program == key.program
                && row.key.model == key.model
                && row.key.variant > 0
                && row.key.config == config
        };
        let mut rows = rows.iter().filter(of).peekable();
        rows.peek()?;
        Some(rows.map(|row| row.found.len() - row.wrong.min(row.found.len())).sum())
    };
    match (racy("NL"), racy("full")) {
        (Some(calls), Some(full)) => format!("{calls} + {} of {all}", full.saturating_sub(calls)),
        (_, Some(full)) => format!("{full} of {all}"),
        _ => "-".into(),
    }
}

/// Parts of the processor time that a run with the detector takes more than one without.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub native: f64,
    /// The instrumented program with nobody listening, less the native one.
    pub instrumentation: f64,
    /// What observing takes more than that, but for communication: recording, analysis, the launcher's part and the report.
    pub computation: f64,
    /// Sending, and waiting for what others send, of all ranks.
    pub communication: f64,
    pub full: f64,
}

impl Parts {
    pub fn of(rows: &[Row], key: &Key) -> Option<Self> {
        let median = |config: &str, value: fn(&Row) -> f64| {
            Group::find(rows, key, config).spread(value).map(|spread| spread.median)
        };
        let cpu = |config: &str| median(config, |row| row.cpu);
        let (native, hooks, full) = (cpu("native")?, cpu("hooks")?, cpu("full")?);
        let instrumentation = (hooks - native).clamp(0.0, (full - native).max(0.0));
        let detection = (full - native - instrumentation).max(0.0);
        let communication = median("full", |row| row.communication)?.min(detection);
        Some(Self { native, instrumentation, computation: detection - communication, communication, full })
    }
}

/// The paper's figure 1 in numbers.
fn breakdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "## Where the time goes (full)\n\n\
         Processor time, medians. Instrumentation is what the program takes more with a call before each access and nobody listening; computation and\n\
         communication are what observing it takes on top. Communication is what the ranks spend in exchanges on sending and on waiting for others, by their own\n\
         clocks; computation is the rest: recording, analysis, the launcher's part, the report. Exchanges are wall time of the slowest rank, and of that the part in\n\
         which it sends or waits: no parts of the sum. Shared is the share of executed accesses that went to shared memory.\n\n\
         | Bench | Class | Ranks | native (s) | instrumentation (s) | computation (s) | communication (s) | full (s) | exchanges, wall (s) | sending and waiting, wall (s) | accesses | shared | records | dropped |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for key in subjects(rows) {
        let Some(parts) = Parts::of(rows, &key) else { continue };
        let full = Group::find(rows, &key, "full");
        let figure = |value: fn(&Row) -> f64| full.spread(value).map_or(0.0, |spread| spread.median);
        let (executed, observed) = (figure(|row| row.executed as f64), figure(|row| row.observed as f64));
        let _ = write!(text, "| {} | {} | {} |", key.program, key.class, key.ranks);
        let _ = write!(text, " {:.2} | {:.2} | {:.2} |", parts.native, parts.instrumentation, parts.computation);
        let _ = write!(text, " {:.3} | {:.2} |", parts.communication, parts.full);
        let (exchanges, waiting) = (figure(|row| row.analysis), figure(|row| row.waiting));
        let _ = write!(text, " {exchanges:.3} | {waiting:.3} | {executed:.3e} |");
        let _ = writeln!(
            text,
            " {:.0}% | {:.3e} | {:.0} |",
            (observed / executed.max(1.0) * 100.0).min(100.0),
            figure(|row| row.recorded as f64),
            figure(|row| row.dropped as f64),
        );
    }
    text
}

/// What was found in the racy variants, line by line.
fn races(rows: &[Row], programs: &[Program]) -> String {
    let mut text = String::from(
        "## Races\n\n| Bench | Variant | Class | Configuration | Found | Missed | Wrong | What |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows.iter().filter(|row| row.key.variant > 0) {
        let key = &row.key;
        let program = programs.iter().find(|program| program.name == key.program);
        let race = program.and_then(|program| program.races.iter().find(|race| race.variant == key.variant));
        let Some(race) = race else { continue };
        let whole = CONFIGS.iter().any(|config| config.name == key.config && config.kind == Kind::Full);
        let expected = if whole { race.pairs } else { race.calls };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} of {expected} | {} | {} | {} |",
            key.program,
            key.variant,
            key.class,
            key.config,
            row.found.len() - row.wrong.min(row.found.len()),
            row.missed,
            row.wrong,
            race.what
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(config: &str, repetition: u32, wall: f64) -> Row {
        let key = Key {
            program: "EP".into(),
            model: "shmem".into(),
            variant: 0,
            class: 'S',
            ranks: 2,
            config: config.into(),
            repetition,
        };
        Row { wall, cpu: wall, ..Row::new(key) }
    }

    #[test]
    fn ratios_are_taken_repetition_by_repetition() {
        let rows = [
            row("native", 0, 1.0),
            row("full", 0, 3.0),
            row("native", 1, 2.0),
            row("full", 1, 4.0),
            row("full", 2, 9.0),
        ];
        let key = &subjects(&rows)[0];
        let ratio = Group::find(&rows, key, "full").ratio(&Group::find(&rows, key, "native"), |row| row.wall).unwrap();
        assert_eq!(ratio, Spread { least: 2.0, median: 2.5, most: 3.0 });
        assert_eq!(percent(ratio), "150% [100%, 200%]");
        assert_eq!(percent(Spread { least: 1.01, median: 1.01, most: 1.01 }), "1.0%");
    }

    #[test]
    fn what_did_not_finish_is_said() {
        let rows =
            [row("native", 0, 1.0), Row { outcome: Outcome::DidNotFinish("600 s".into()), ..row("full", 0, 600.0) }];
        let text = overheads(&rows, &[]);
        assert!(text.contains("DNF (600 s)") && text.contains("| - |"), "{text}");
    }

    #[test]
    fn a_run_that_dropped_accesses_is_marked() {
        let dropped = Row { observed: 200, dropped: 30, ..row("full", 0, 2.0) };
        let text = overheads(&[row("native", 0, 1.0), dropped], &[]);
        assert!(text.contains("100% (15.0% dropped)"), "{text}");
    }

    #[test]
    fn parts_add_up() {
        let rows = [row("native", 0, 1.0), row("hooks", 0, 3.0), Row { communication: 0.5, ..row("full", 0, 10.0) }];
        let parts = Parts::of(&rows, &subjects(&rows)[0]).unwrap();
        let sum = parts.native + parts.instrumentation + parts.computation + parts.communication;
        assert!((sum - parts.full).abs() < 1e-9 && (parts.communication - 0.5).abs() < 1e-9, "{parts:?}");
    }
}
