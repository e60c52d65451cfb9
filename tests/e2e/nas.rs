//! Class S of every program of `nas-bench/`: the correct ones verify and give no report, the racy ones give exactly the pairs of lines that their sources
//! mark. By night over MPI as well. And what the programs say when they cannot run.
//!
//! `nas-bench/programs.toml` says which programs there are and how their sources mark races.

use crate::support::root;
use crate::tool::{check, report, run_within, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::Trial;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// FT takes the longest: 10 s on an idle machine.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone, Debug, Deserialize)]
struct Race {
    variant: u32,
    pairs: usize,
}

/// One of `nas-bench/programs.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    pub name: String,
    pub source: String,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    races: Vec<Race>,
}

#[derive(Deserialize)]
struct Manifest {
    program: Vec<Program>,
}

/// The library a program is built on; its name is that of a directory with a `pgas.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    Shmem,
    Mpi,
}

impl Model {
    fn name(self) -> &'static str {
        if self == Self::Shmem { "shmem" } else { "mpi" }
    }
}

/// All of them.
pub fn programs() -> Result<Vec<Program>, String> {
    let path = root().join("nas-bench/programs.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    toml::from_str::<Manifest>(&text)
        .map(|manifest| manifest.program)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// One test for each program and variant, and one for each mistake.
pub fn trials() -> Vec<Trial> {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(error) => return vec![trial("nas", move || Err(error.into()))],
    };
    let mut models = vec![Model::Shmem];
    if std::env::var_os("THRILLE_NIGHTLY").is_some() {
        models.push(Model::Mpi);
    }
    let mut trials = Vec::new();
    for model in models {
        for program in &programs {
            for race in std::iter::once(None).chain(program.races.iter().map(Some)) {
                let variant = race.map_or_else(|| "safe".into(), |race| format!("race{}", race.variant));
                let name = format!("nas::{}::{}::{variant}", model.name(), program.name);
                let (program, race) = (program.clone(), race.cloned());
                trials.push(trial(&name, move || judge(model, &program, race.as_ref())));
            }
        }
    }
    trials.push(trial("nas::unknown_class", || refused("ep", 2, "X", "1G", &["no class X", "S W A B C D"])));
    trials.push(trial("nas::no_class", || refused("ep", 2, "", "1G", &["no class", "S W A B C D"])));
    trials.push(trial("nas::unusable_ranks", || refused("mg", 3, "S", "1G", &["cannot use 3 ranks", "powers of two"])));
    trials.push(trial("nas::too_much_memory", || refused("ft", 2, "D", "1G", &["class D needs 120260206720 bytes"])));
    // On a machine that has the memory, the heap is too small.
    trials
        .push(trial("nas::too_much_for_guppie", || refused("guppie", 2, "D", "1G", &["class D needs", "17179873344"])));
    trials.push(trial("nas::small_heap", || refused("ft", 2, "S", "1M", &["needs 7344192 bytes", "--heap"])));
    trials
}

fn build_and_run(
    model: Model,
    source: &str,
    flags: &[String],
    ranks: u32,
    heap: &str,
    class: &str,
) -> (Vec<String>, PathBuf) {
    let sources = root().join("nas-bench/src");
    let cc = if model == Model::Shmem { "gcc" } else { "mpicc.openmpi" };
    let include = sources.join(model.name());
    let cc = format!("{cc} -O2 -g -std=gnu11 -Wall -Wextra -Werror '-I{}' {}", include.display(), flags.join(" "));
    let ranks = format!("-n{ranks}");
    let mut words: Vec<String> =
        ["check", "--quiet", "--no-confirm", "--out", "run", &ranks, "--cc", &cc].map(String::from).into();
    if model == Model::Shmem {
        words.extend(["--heap".into(), heap.into()]);
    }
    words.extend([sources.join(source).display().to_string(), "--".into(), class.into()]);
    (words, sources.join(source))
}

/// Reports what the source marks, and nothing else.
fn judge(model: Model, program: &Program, race: Option<&Race>) -> Outcome {
    let dir = temporary();
    let mut flags = program.flags.clone();
    flags.push(format!("-DRACE={}", race.map_or(0, |race| race.variant)));
    let (words, source) = build_and_run(model, &program.source, &flags, 2, "1G", "S");
    let ended = run_within(thrille(words).current_dir(dir.path()), PATIENCE)?;
    let expected = match race {
        Some(race) => markers(&std::fs::read_to_string(source)?, race.variant)?,
        None => BTreeSet::new(),
    };
    check(expected.len() == race.map_or(0, |race| race.pairs), || format!("{} pairs are marked", expected.len()))?;
    ended.expect(i32::from(race.is_some()))?;
    let report = report(&dir.path().join("run"))?;
    let found = places(&report)?;
    let own: BTreeSet<_> =
        expected.iter().map(|&(a, b)| ((program.source.clone(), a), (program.source.clone(), b))).collect();
    check(found == own, || format!("{own:?} expected, {found:?} reported\n{ended}"))?;
    check(report["summary"]["dropped"] == 0, || format!("accesses were dropped:\n{ended}"))?;
    check(race.is_some() || ended.stdout.contains("verification successful"), || format!("not verified:\n{ended}"))
}

type Place = (String, u64);

/// The reported pairs of files and lines, in order.
fn places(report: &Value) -> Result<BTreeSet<(Place, Place)>, String> {
    let place = |side: &Value| {
        let path = PathBuf::from(side["at"]["path"].as_str()?);
        Some((path.file_name()?.to_string_lossy().into_owned(), side["at"]["line"].as_u64()?))
    };
    let pair = |race: &Value| {
        let (a, b) = (place(&race["a"])?, place(&race["b"])?);
        Some(if a <= b { (a, b) } else { (b, a) })
    };
    let races = report["races"].as_array().ok_or("a report without races")?;
    races.iter().map(|race| pair(race).ok_or_else(|| format!("a race without its places: {race}"))).collect()
}

/// The lines that a source marks for a variant.
fn markers(text: &str, variant: u32) -> Result<BTreeSet<(u64, u64)>, String> {
    let opening = format!("/* race[{variant}]: ");
    let mut lines: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, marker)) = line.split_once(&opening) else { continue };
        let marker =
            marker.strip_suffix(" */").ok_or_else(|| format!("line {number}: the marker does not end the line"))?;
        for letter in marker.split([',', ' ']).filter(|letter| !letter.is_empty()) {
            lines.entry(letter).or_default().push(number);
        }
    }
    let pair = |(letter, lines): (&str, Vec<u64>)| match lines.as_slice() {
        &[a, b] => Ok((a, b)),
        _ => Err(format!("{letter} stands {} times", lines.len())),
    };
    lines.into_iter().map(pair).collect()
}

/// What cannot be run is refused with one line of the program.
fn refused(kernel: &str, ranks: u32, class: &str, heap: &str, said: &[&str]) -> Outcome {
    let dir = temporary();
    let (words, _) = build_and_run(Model::Shmem, &format!("{kernel}.c"), &[], ranks, heap, class);
    let ended = run_within(thrille(words).current_dir(dir.path()), PATIENCE)?;
    ended.expect(3)?;
    ended.says(said)?;
    let own: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with(&format!("{kernel}: "))).collect();
    check(own.len() == 1 && ended.stdout.is_empty(), || format!("one line expected:\n{ended}"))
}
