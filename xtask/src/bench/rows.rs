//! The file of results: one line a run, added as soon as it is over.

use super::manifest::Pair;
use crate::Result;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// What was run. Two runs with one key are the same run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub program: String,
    pub model: String,
    /// 0 is the correct program.
    pub variant: u32,
    pub class: char,
    pub ranks: u32,
    pub config: String,
    pub repetition: u32,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To its end; correct programs with the right result.
    Finished,
    /// Too long, or too much memory.
    DidNotFinish(String),
    /// Anything else, in words.
    Failed(String),
}

/// A run. What is not known is zero or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub key: Key,
    pub outcome: Outcome,
    /// From start to end, the detector's report included.
    pub wall: f64,
    /// Processor time of all processes of the run, to the hundredth of a second. Where others use the machine too, this is what can be compared.
    pub cpu: f64,
    /// Processes that wanted to run when it began, of the whole machine: how much the wall times are worth.
    pub load: f64,
    /// The part that the program times itself.
    pub timed: f64,
    /// Largest resident memory of a rank.
    pub peak: u64,
    pub executed: u64,
    pub observed: u64,
    pub recorded: u64,
    pub dropped: u64,
    /// The detector's own figure: wall time of its exchanges, of the slowest rank.
    pub analysis: f64,
    /// Of that, sending and waiting for what others send, of the rank with the most.
    pub waiting: f64,
    /// Processor time that this took, of all ranks.
    pub communication: f64,
    /// Pairs of lines that were reported, as `file:line+file:line`, separated by blanks.
    pub found: BTreeSet<Pair>,
    pub missed: usize,
    pub wrong: usize,
}

const HEADER: &str = "program,model,variant,class,ranks,config,repetition,outcome,wall_s,cpu_s,load,timed_s,peak_bytes,executed,observed,recorded,dropped,analysis_s,waiting_s,communication_cpu_s,missed,wrong,found";

impl Row {
    pub fn new(key: Key) -> Self {
        Self {
            key,
            outcome: Outcome::Finished,
            wall: 0.0,
            cpu: 0.0,
            load: 0.0,
            timed: 0.0,
            peak: 0,
            executed: 0,
            observed: 0,
            recorded: 0,
            dropped: 0,
            analysis: 0.0,
            waiting: 0.0,
            communication: 0.0,
            found: BTreeSet::new(),
            missed: 0,
            wrong: 0,
        }
    }

    /// Compares what was reported with what the program has. Who sees calls only need not find the rest.
    pub fn judge(&mut self, expected: &BTreeSet<Pair>, only_calls: bool) {
        if self.outcome != Outcome::Finished {
            return;
        }
        self.wrong = self.found.difference(expected).count();
        self.missed = if only_calls { 0 } else { expected.difference(&self.found).count() };
    }

    /// What is not as it should be.
    pub fn complaint(&self) -> Option<String> {
        let Key { program, class, ranks, config, variant, .. } = &self.key;
        let run = format!("{program} {class} on {ranks}, {config}, variant {variant}");
        match &self.outcome {
            Outcome::Failed(why) => Some(format!("{run}: {why}")),
            Outcome::Finished if self.missed + self.wrong > 0 => {
                Some(format!("{run}: {} races missed, {} wrongly reported", self.missed, self.wrong))
            }
            _ => None,
        }
    }

    fn line(&self) -> String {
        let key = &self.key;
        let outcome = match &self.outcome {
            Outcome::Finished => "finished".into(),
            Outcome::DidNotFinish(why) => format!("DNF: {}", plain(why)),
            Outcome::Failed(why) => format!("failed: {}", plain(why)),
        };
        let found: Vec<String> = self.found.iter().map(|(a, b)| format!("{a}+{b}")).collect();
        let head = format!("{},{},{},{},{},{}", key.program, key.model, key.variant, key.class, key.ranks, key.config);
        let times = format!(
            "{},{outcome},{:.6},{:.2},{:.2},{:.6},{}",
            key.repetition, self.wall, self.cpu, self.load, self.timed, self.peak
        );
        let counts = format!("{},{},{},{}", self.executed, self.observed, self.recorded, self.dropped);
        let exchanges = format!("{:.6},{:.6},{:.6}", self.analysis, self.waiting, self.communication);
        let races = format!("{},{},{}", self.missed, self.wrong, found.join(" "));
        format!("{head},{times},{counts},{exchanges},{races}")
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != HEADER.split(',').count() {
            return None;
        }
        let key = Key {
            program: fields[0].into(),
            model: fields[1].into(),
            variant: fields[2].parse().ok()?,
            class: fields[3].parse().ok()?,
            ranks: fields[4].parse().ok()?,
            config: fields[5].into(),
            repetition: fields[6].parse().ok()?,
        };
        let outcome = match fields[7].split_once(": ") {
            None => Outcome::Finished,
            Some(("DNF", why)) => Outcome::DidNotFinish(why.into()),
            Some((_, why)) => Outcome::Failed(why.into()),
        };
        let pair = |text: &str| text.split_once('+').map(|(a, b)| (a.to_owned(), b.to_owned()));
        Some(Self {
            key,
            outcome,
            wall: fields[8].parse().ok()?,
            cpu: fields[9].parse().ok()?,
            load: fields[10].parse().ok()?,
            timed: fields[11].parse().ok()?,
            peak: fields[12].parse().ok()?,
            executed: fields[13].parse().ok()?,
            observed: fields[14].parse().ok()?,
            recorded: fields[15].parse().ok()?,
            dropped: fields[16].parse().ok()?,
            analysis: fields[17].parse().ok()?,
            waiting: fields[18].parse().ok()?,
            communication: fields[19].parse().ok()?,
            missed: fields[20].parse().ok()?,
            wrong: fields[21].parse().ok()?,
            found: fields[22].split_whitespace().map(pair).collect::<Option<_>>()?,
        })
    }
}

/// Nothing that would be taken for more fields or lines.
fn plain(text: &str) -> String {
    text.replace(',', ";").replace('\n', " ")
}

/// All rows, in memory and on disk.
pub struct Rows {
    pub all: Vec<Row>,
    file: File,
}

impl Rows {
    /// Reads what is there already. A last line that was cut off is as good as not there.
    pub fn open(path: &Path) -> Result<Self> {
        let error = |e: std::io::Error| format!("{}: {e}", path.display());
        let text = if path.exists() { std::fs::read_to_string(path).map_err(error)? } else { String::new() };
        let mut lines = text.lines();
        if !text.is_empty() && lines.next() != Some(HEADER) {
            return Err(format!("{} is of another version: move it away, or give another --out", path.display()));
        }
        let all: Vec<Row> = lines.filter_map(Row::parse).collect();
        let mut whole = format!("{HEADER}\n");
        whole.extend(all.iter().map(|row| row.line() + "\n"));
        if whole != text {
            std::fs::write(path, whole).map_err(error)?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(error)?;
        Ok(Self { all, file })
    }

    pub fn has(&self, key: &Key) -> bool {
        self.all.iter().any(|row| row.key == *key)
    }

    /// Whether another repetition of it did not finish.
    pub fn is_hopeless(&self, key: &Key) -> bool {
        let same = |row: &&Row| Key { repetition: 0, ..row.key.clone() } == Key { repetition: 0, ..key.clone() };
        self.all.iter().filter(same).any(|row| row.outcome != Outcome::Finished)
    }

    pub fn add(&mut self, row: Row) -> Result<()> {
        let written = writeln!(self.file, "{}", row.line()).and_then(|()| self.file.flush());
        self.all.push(row);
        written.map_err(|e| format!("cannot write results: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(repetition: u32) -> Row {
        let key = Key {
            program: "CG".into(),
            model: "shmem".into(),
            variant: 1,
            class: 'S',
            ranks: 2,
            config: "full".into(),
            repetition,
        };
        let found = BTreeSet::from([("cg.c:1".to_owned(), "cg.c:2".to_owned())]);
        Row {
            wall: 1.5,
            cpu: 0.25,
            load: 2.5,
            peak: 7,
            waiting: 0.5,
            communication: 0.125,
            found,
            missed: 1,
            ..Row::new(key)
        }
    }

    #[test]
    fn lines_come_back_as_they_were() {
        let failed = Row { outcome: Outcome::Failed("exit code 1; all".into()), ..row(1) };
        for row in [row(0), failed, Row { outcome: Outcome::DidNotFinish("600 s".into()), ..row(2) }] {
            assert_eq!(Row::parse(&row.line()), Some(row));
        }
        let commas = Row { outcome: Outcome::Failed("a, b\nc".into()), ..row(0) };
        assert!(Row::parse(&commas.line()).is_some());
    }

    #[test]
    fn an_interrupted_run_goes_on_behind_its_last_whole_line() {
        let dir = std::env::temp_dir().join(format!("thrille-rows-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("raw.csv");
        Rows::open(&path).unwrap().add(row(0)).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        let line = row(1).line();
        text.push_str(&line[..line.len() / 2]);
        std::fs::write(&path, text).unwrap();
        let mut rows = Rows::open(&path).unwrap();
        assert!(rows.has(&row(0).key) && !rows.has(&row(1).key));
        rows.add(row(1)).unwrap();
        assert_eq!(Rows::open(&path).unwrap().all, [row(0), row(1)]);
        std::fs::write(&path, "something else\n").unwrap();
        assert!(Rows::open(&path).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn reported_pairs_are_held_against_the_expected_ones() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = BTreeSet::from([pair("cg.c:1", "cg.c:2"), pair("cg.c:3", "cg.c:4")]);
        let mut judged = row(0);
        judged.judge(&expected, false);
        assert_eq!((judged.missed, judged.wrong), (1, 0));
        judged.judge(&expected, true);
        assert!(judged.complaint().is_none());
        judged.judge(&BTreeSet::new(), true);
        assert_eq!(judged.wrong, 1);
        assert!(judged.complaint().unwrap().contains("wrongly"));
    }
}
