//! `thrille.toml`, and what of it the command line overrides.
//!
//! One table of keys ([`KEYS`]) gives what is read, what is explained and what is suggested for a key that does not exist.

use crate::args::Observe;
use crate::output::Code;
use anyhow::{Context, Result, anyhow, bail};
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use thrille_history::Store;
use thrille_launch::parse_size;
use thrille_model::job::{ENV_BUDGET, ENV_HISTORY, ENV_MAX_RECORDS, ENV_SAMPLING, ENV_SEED, ENV_TASKS};
use thrille_sampling::{Budget, Name, Sampling};
use thrille_tasks::Mode;
use toml::Value;

/// The file's name, where nobody says another one.
const FILE: &str = "thrille.toml";
/// Names another one.
const ENV_CONFIG: &str = "THRILLE_CONFIG";

/// What can be set.
struct Key {
    name: &'static str,
    example: &'static str,
    usual: &'static str,
    what: &'static str,
    set: fn(&mut File, &Value) -> Result<()>,
}

/// All that can be set.
const KEYS: [Key; 9] = [
    Key {
        name: "sampling",
        example: "\"HA.5\"",
        usual: "full for `check` and for programs built with TSan-style hooks",
        what: "which loads and stores are looked at: full, NL (none: calls only), or a policy: I, F, H, B, P, K<k>, M, with A for the locality \
               cache and back-off factors (docs/SAMPLING.md)",
        set: |file, value| {
            file.sampling = Some(said("sampling = ", &written(value), text(value).and_then(parsed)));
            Ok(())
        },
    },
    Key {
        name: "budget",
        example: "\"5%\"",
        usual: "none; with a budget and no policy, HA is used",
        what: "what looking at loads and stores may cost, as a share of the program's own time: more than 0 %, at most 100 %",
        set: |file, value| {
            let text = value.as_str().context("write it as text, with a percent sign, for example \"5%\"");
            file.budget = Some(said("budget = ", &written(value), text.and_then(parsed)));
            Ok(())
        },
    },
    Key {
        name: "memory",
        example: "\"1G\"",
        usual: "what max-records comes to, about 1.2G",
        what: "what the detector may use of each rank's memory, at least 64M; records that do not fit are dropped and counted",
        set: |file, value| {
            let text = text(value)?;
            let bytes =
                parse_size(text).with_context(|| format!("{text} is not a size: write for example \"512M\""))?;
            file.memory = Some(Memory::new(bytes)?);
            Ok(())
        },
    },
    Key {
        name: "seed",
        example: "42",
        usual: "another one in each run",
        what: "the seed of what is chosen at random; the report names it",
        set: |file, value| number(value).map(|seed| file.seed = Some(seed)),
    },
    Key {
        name: "max-records",
        example: "1000000",
        usual: "4194304",
        what: "most accesses that a rank holds between two exchanges; more are dropped and counted",
        set: |file, value| match number(value)? {
            0 => bail!("0 records hold nothing: write a number from 1 on"),
            limit => {
                file.max_records = Some(limit);
                Ok(())
            }
        },
    },
    Key {
        name: "history",
        example: "\"btree\"",
        usual: "auto",
        what: "the interval history that finds conflicts: auto, skiplist, tree, treap or btree; what is found does not depend on it",
        set: |file, value| text(value)?.parse().map(|store| file.history = Some(store)).map_err(Into::into),
    },
    Key {
        name: "tasks",
        example: "\"esp-bags\"",
        usual: "none: tasks run as the program says, and what orders them is followed",
        what: "how races between tasks of a rank are looked for: esp-bags or stint, for which tasks run one after the other on one OpenMP \
               thread, or pint, for which they run on all threads (docs/TASKS.md)",
        set: |file, value| text(value)?.parse().map(|mode| file.tasks = Some(mode)).map_err(Into::into),
    },
    Key {
        name: "heap",
        example: "\"512M\"",
        usual: "SHMEM_SYMMETRIC_SIZE, or 256M",
        what: "symmetric heap of each rank, for OpenSHMEM programs that `thrille` starts",
        set: |file, value| text(value).map(|size| file.heap = Some(size.to_owned())),
    },
    Key {
        name: "grace",
        example: "10",
        usual: "10",
        what: "seconds that the other ranks get to end after one failed; under `exec`, that rank 0 waits for them before it reports",
        set: |file, value| number(value).map(|seconds| file.grace = Some(seconds)),
    },
];

/// A value as a person wrote it, or what it is.
fn written(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::String(text) => format!("\"{text}\""),
        Value::Boolean(yes) => yes.to_string(),
        other => format!("a value of type {}", other.type_str()),
    }
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| anyhow!("{} should be text in quotation marks", written(value)))
}

fn number(value: &Value) -> Result<u64> {
    let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| anyhow!("{} should be a whole number from 0 on", written(value)))
}

/// What somebody said about sampling, or the words for what is not understood: it is replaced by what is usual, since a program, a job maybe that has waited for days, is
/// not to be stopped by it.
type Said<T> = Result<T, String>;

fn said<T>(by: &str, written: &str, parsed: Result<T>) -> Said<T> {
    parsed.map_err(|error| format!("{by}{written} is not understood: {error:#}"))
}

fn parsed<T: FromStr<Err: Into<anyhow::Error>>>(text: &str) -> Result<T> {
    text.parse().map_err(Into::into)
}

/// What is meant, and a note where that is not what was said.
fn meant<T: Display>(said: Option<Said<T>>, usual: T, notes: &mut Vec<String>) -> Option<T> {
    said.map(|said| {
        said.unwrap_or_else(|why| {
            notes.push(format!("{why}. {usual} is used instead"));
            usual
        })
    })
}

/// A limit on the detector's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory(u64);

impl Memory {
    /// Buffers of a strand, code and stacks: there whatever is recorded.
    const FIXED: u64 = 32 << 20;
    /// A record, where it is made and where the memory's owner keeps it.
    const RECORD: u64 = 2 * 140;
    const LEAST: u64 = 64 << 20;

    fn new(bytes: u64) -> Result<Self> {
        if bytes < Self::LEAST {
            bail!("{bytes} bytes of memory are too few for the detector: give it at least \"64M\" for each rank");
        }
        Ok(Self(bytes))
    }

    fn records(self) -> u64 {
        (self.0 - Self::FIXED) / Self::RECORD
    }
}

/// What a file says.
#[derive(Debug, Default, PartialEq)]
struct File {
    sampling: Option<Said<Sampling>>,
    budget: Option<Said<Budget>>,
    memory: Option<Memory>,
    seed: Option<u64>,
    max_records: Option<u64>,
    history: Option<Store>,
    tasks: Option<Mode>,
    heap: Option<String>,
    grace: Option<u64>,
}

impl File {
    fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = toml::from_str(text).map_err(|error| anyhow!("{}", error.to_string().trim_end()))?;
        let mut file = Self::default();
        // Suppressions may stand here too; the gate reads them.
        for (name, value) in table.iter().filter(|(name, _)| *name != "suppress") {
            let Some(key) = KEYS.iter().find(|key| key.name == name) else { bail!("{}", unknown(name)) };
            (key.set)(&mut file, value).with_context(|| format!("the key `{name}`"))?;
        }
        Ok(file)
    }

    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in the configuration {}", path.display()))
    }
}

/// What to say of a key that there is none of.
fn unknown(name: &str) -> String {
    let near = |key: &&Key| strsim::normalized_damerau_levenshtein(&name.to_lowercase().replace('_', "-"), key.name);
    let nearest = KEYS.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|key| near(key) > 0.3);
    let meant = nearest.map_or_else(String::new, |key| format!(" did you mean `{}`?", key.name));
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    format!(
        "there is no key `{name}`:{meant} the keys are {}; `thrille config --explain` says what they mean",
        names.join(", ")
    )
}

/// The file to read, and whether somebody named it.
fn location(typed: Option<&Path>) -> Option<PathBuf> {
    let named = typed.map(Path::to_path_buf);
    let told = || std::env::var_os(ENV_CONFIG).filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(told).or_else(|| Path::new(FILE).is_file().then(|| FILE.into()))
}

/// Which loads and stores are observed unless somebody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// All.
    Full,
    /// What suits how the program was built: the library in it knows.
    ByBuild,
}

/// What file and command line come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    file: Option<PathBuf>,
    /// What is not meant as it was said.
    pub notes: Vec<String>,
    sampling: Option<Sampling>,
    budget: Option<Budget>,
    seed: u64,
    max_records: Option<u64>,
    history: Option<Store>,
    tasks: Option<Mode>,
    /// As written.
    pub heap: Option<String>,
    /// In seconds.
    pub grace: Option<u64>,
}

impl Config {
    /// Whether every load and store is looked at.
    pub fn observes_everything(&self) -> bool {
        self.sampling == Some(Sampling::Full)
    }

    /// Reads the file, if there is one. What was typed goes first.
    pub fn new(typed: &Observe, usual: Usual, seed: u64) -> Result<Self> {
        let path = location(typed.config.as_deref());
        let file = path.as_deref().map(File::read).transpose()?.unwrap_or_default();
        Self::merge(typed, file, path, usual, seed)
    }

    fn merge(typed: &Observe, file: File, path: Option<PathBuf>, usual: Usual, seed: u64) -> Result<Self> {
        let budget = match &typed.budget {
            Some(text) => Some(said("--budget ", text, parsed(text))),
            // A policy that is typed is meant as it stands, unless a budget is typed too.
            None => file.budget.filter(|_| typed.sampling.is_none()),
        };
        let sampling = match &typed.sampling {
            Some(text) => Some(said("--sampling ", text, parsed(text))),
            None => file.sampling.filter(|said| typed.budget.is_none() || *said != Ok(Sampling::Full)),
        };
        let mut notes = Vec::new();
        let all = usual == Usual::Full && budget.is_none();
        let mistaken = matches!(sampling, Some(Err(_)));
        let budget = meant(budget, Budget::USUAL, &mut notes).or((mistaken && !all).then_some(Budget::USUAL));
        let sampling = meant(sampling, if all { Sampling::Full } else { Sampling::By(Name::HA) }, &mut notes);
        let (sampling, budget) = match (sampling, budget) {
            (Some(all @ (Sampling::Full | Sampling::NoLocal)), Some(allowed)) => {
                let used = if all == Sampling::Full { (Sampling::By(Name::HA), budget) } else { (all, None) };
                notes.push(format!(
                    "the sampling policy {all} and a budget of {allowed} do not go together, since {all} leaves nothing to choose. {} is used",
                    used.0
                ));
                (Some(used.0), used.1)
            }
            (None, Some(_)) => (Some(Sampling::By(Name::HA)), budget),
            // A byte's first race is found if all accesses are looked at.
            (None, None) if usual == Usual::Full || typed.tasks.is_some() || file.tasks.is_some() => {
                (Some(Sampling::Full), None)
            }
            said => said,
        };
        let tasks = match &typed.tasks {
            Some(text) => Some(text.parse().with_context(|| format!("--tasks {text}"))?),
            None => file.tasks,
        };
        let by_memory = file.memory.map(Memory::records);
        let limit = typed.max_records.or(file.max_records);
        Ok(Self {
            file: path,
            notes,
            sampling,
            budget,
            seed: typed.seed.or(file.seed).unwrap_or(seed),
            max_records: limit.into_iter().chain(by_memory).min(),
            history: file.history,
            tasks,
            heap: file.heap,
            grace: file.grace,
        })
    }

    /// How the ranks are told.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut told = vec![(ENV_SEED, self.seed.to_string())];
        told.extend(self.sampling.map(|sampling| (ENV_SAMPLING, sampling.to_string())));
        told.extend(self.budget.map(|budget| (ENV_BUDGET, budget.to_string())));
        told.extend(self.max_records.map(|limit| (ENV_MAX_RECORDS, limit.to_string())));
        told.extend(self.history.map(|history| (ENV_HISTORY, history.to_string())));
        if let Some(mode) = self.tasks {
            told.push((ENV_TASKS, mode.to_string()));
            if mode.is_serial() {
                // A program that asks for more threads gets one all the same.
                told.extend(["OMP_NUM_THREADS", "OMP_THREAD_LIMIT"].map(|name| (name, "1".to_owned())));
            }
        }
        told
    }
}

/// Seeds are short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// A seed that is as good as any.
pub fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64 ^ u64::from(std::process::id()) << 20) % SEEDS
}

/// One that all ranks of a job find by themselves.
pub fn seed_of_job(job: &str) -> u64 {
    job.bytes().fold(1, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % SEEDS
}

/// `thrille config`.
pub fn config(typed: &crate::args::Config) -> Result<Code> {
    let mut out = String::new();
    if typed.explain {
        explain(&mut out);
    } else {
        let config = Config::new(&typed.observe, Usual::ByBuild, any_seed())?;
        match &config.file {
            Some(path) => writeln!(out, "# {}, and what the command line says", path.display())?,
            None => writeln!(out, "# no {FILE} here, none named by --config or {ENV_CONFIG}")?,
        }
        for note in &config.notes {
            writeln!(out, "# {note}")?;
        }
        for (name, value) in config.environment() {
            writeln!(out, "{name}={value}")?;
        }
    }
    print!("{out}");
    Ok(Code::Clean)
}

fn explain(out: &mut String) {
    let _ = writeln!(
        out,
        "# {FILE}: found in the working directory, or named by --config or {ENV_CONFIG}. Options of the command line go first.\n\
         # All keys, each with an example:\n"
    );
    for key in KEYS {
        let _ = writeln!(out, "# {}\n# default: {}\n{} = {}\n", key.what, key.usual, key.name, key.example);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observe(line: &str) -> Observe {
        use clap::Parser;
        let line = format!("thrille run {line} ./a.out");
        let crate::args::Command::Run(run) = crate::args::Args::parse_from(line.split_whitespace()).command else {
            panic!()
        };
        run.common.observe
    }

    fn merged(line: &str, text: &str, usual: Usual) -> Result<Config> {
        Config::merge(&observe(line), File::parse(text)?, None, usual, 1)
    }

    fn told(line: &str, text: &str) -> Vec<String> {
        let config = merged(line, text, Usual::ByBuild).unwrap();
        let mut told: Vec<String> =
            config.environment().iter().map(|(name, value)| format!("{name}={value}")).collect();
        told.retain(|item| !item.starts_with(ENV_SEED) || line.contains("seed") || text.contains("seed"));
        told
    }

    #[test]
    fn the_command_line_goes_first() {
        assert!(told("", "").is_empty());
        assert_eq!(told("", "budget = \"5%\""), ["THRILLE_SAMPLING=HA", "THRILLE_BUDGET=5%"]);
        assert_eq!(told("--sampling IA", "budget = \"5%\""), ["THRILLE_SAMPLING=IA"]);
        assert_eq!(
            told("--sampling IA --budget 2.5%", "budget = \"5%\""),
            ["THRILLE_SAMPLING=IA", "THRILLE_BUDGET=2.5%"]
        );
        assert_eq!(told("--budget 2%", "sampling = \"full\""), ["THRILLE_SAMPLING=HA", "THRILLE_BUDGET=2%"]);
        assert_eq!(told("--budget 2%", "sampling = \"FA0\""), ["THRILLE_SAMPLING=FA0", "THRILLE_BUDGET=2%"]);
        assert_eq!(told("--seed 7", "seed = 9"), ["THRILLE_SEED=7"]);
        assert_eq!(told("", "seed = 9\nhistory = \"treap\""), ["THRILLE_SEED=9", "THRILLE_HISTORY=treap"]);
        assert_eq!(told("", "memory = \"64M\""), ["THRILLE_MAX_RECORDS=119837"]);
        assert_eq!(told("--max-records 5", "memory = \"64M\""), ["THRILLE_MAX_RECORDS=5"]);
        assert_eq!(
            told("--tasks stint", "tasks = \"esp-bags\""),
            ["THRILLE_SAMPLING=full", "THRILLE_TASKS=stint", "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1"]
        );
        assert_eq!(told("", "tasks = \"pint\""), ["THRILLE_SAMPLING=full", "THRILLE_TASKS=pint"]);
        let check = merged("", "", Usual::Full).unwrap();
        assert_eq!(check.sampling, Some(Sampling::Full));
        assert_eq!(merged("", "budget = \"5%\"", Usual::Full).unwrap().sampling, Some(Sampling::By(Name::HA)));
    }

    #[test]
    fn mistakes_have_their_words() {
        let said = |line: &str, text: &str| format!("{:#}", merged(line, text, Usual::ByBuild).unwrap_err());
        for (line, text, word) in [
            ("", "budgett = \"5%\"", "did you mean `budget`?"),
            ("", "max_records = 5", "did you mean `max-records`?"),
            ("", "zzz = 1", "the keys are sampling, budget"),
            ("", "budget = ", "line 1"),
            ("", "seed = -1", "whole number"),
            ("", "seed = \"x\"", "whole number"),
            ("", "memory = \"1M\"", "at least \"64M\""),
            ("", "memory = \"much\"", "not a size"),
            ("", "max-records = 0", "from 1 on"),
            ("", "history = \"splay\"", "one of auto"),
            ("--tasks cilk", "", "it is esp-bags, stint or pint"),
            ("", "tasks = \"cilk\"", "it is esp-bags, stint or pint"),
        ] {
            let error = said(line, text);
            assert!(error.contains(word), "{line} {text}: {error}");
        }
    }

    #[test]
    fn what_is_not_understood_of_sampling_is_replaced_by_what_is_usual() {
        const HA: [&str; 2] = ["THRILLE_SAMPLING=HA", "THRILLE_BUDGET=5%"];
        for (line, text, word, used) in [
            (
                "",
                "sampling = \"most\"",
                "sampling = \"most\" is not understood: there is no sampling policy `most`",
                &HA[..],
            ),
            ("", "sampling = \"HA7\"", "from 0 to 1", &HA),
            ("", "[sampling]\npolicy = 1", "a value of type table", &HA),
            ("", "budget = \"0%\"", "more than 0 %", &HA),
            ("", "budget = \"200%\"", "up to 100 %", &HA),
            ("", "budget = \"-5%\"", "`-5%`", &HA),
            ("", "budget = \"lots\"", "for example 5%", &HA),
            ("", "budget = 5", "budget = 5 is not understood: write it as text, with a percent sign", &HA),
            ("--sampling most", "", "--sampling most is not understood", &HA),
            ("--sampling most --budget 2%", "", "HA is used instead", &["THRILLE_SAMPLING=HA", "THRILLE_BUDGET=2%"]),
            ("--budget 0%", "", "5% is used instead", &HA),
            ("--budget 0% --sampling IA", "", "--budget 0%", &["THRILLE_SAMPLING=IA", "THRILLE_BUDGET=5%"]),
            ("--budget 5% --sampling full", "", "do not go together", &HA),
            ("", "budget = \"5%\"\nsampling = \"full\"", "do not go together", &HA),
            ("--sampling NL --budget 5%", "", "leaves nothing to choose. NL is used", &["THRILLE_SAMPLING=NL"]),
        ] {
            let notes = merged(line, text, Usual::ByBuild).unwrap().notes;
            assert!(notes.len() == 1 && notes[0].contains(word), "{line} {text}: {notes:?}");
            assert_eq!(told(line, text), used, "{line} {text}");
        }
        let checked = merged("--sampling most", "", Usual::Full).unwrap();
        assert!(checked.notes[0].ends_with("full is used instead"), "{:?}", checked.notes);
        let overridden = merged("--budget 2%", "budget = \"0%\"", Usual::ByBuild).unwrap();
        assert!(overridden.notes.is_empty(), "nobody uses that one: {:?}", overridden.notes);
    }

    #[test]
    fn the_explanation_is_a_configuration() {
        let mut text = String::new();
        explain(&mut text);
        let file = File::parse(&text).unwrap();
        assert!(matches!((file.sampling, file.budget), (Some(Ok(_)), Some(Ok(_)))) && file.grace.is_some());
        assert!(KEYS.iter().all(|key| text.contains(&format!("\n{} = ", key.name))));
    }
}
