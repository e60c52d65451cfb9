//! The command line.

use crate::bench;
use std::path::PathBuf;

/// What can be typed.
pub const HELP: &str = "\
cargo xtask build                  build the `thrille` command and the libraries it puts into programs
cargo xtask install [--prefix DIR] build them and copy them below DIR [default: ~/.local]
cargo xtask demo                   build, and find the race in a small program
cargo xtask test [--nightly] [--bless] [FILTER]
                                   everything that must hold; with FILTER only the tests whose names contain it
    --nightly                      many more random cases, 20 runs of each program
    --bless                        accept the present reports and symbols as the expected ones
cargo xtask bench nas [OPTIONS]    programs of nas-bench with and without the detector: time, memory, races; goes on where it was stopped
    --programs LIST                [default: all]         --classes LIST   of S W A B C D [default: A]
    --ranks LIST                   [default: 2]           --configs LIST   of native NL hooks full TSan and others [default: all]
    --model shmem|mpi              [default: shmem]       --repetitions N  [default: 3]
    --limit SECONDS                of a run [default: 600] --compiler CC   gcc or clang-16 to clang-19 [default: gcc]
    --races CLASS|none             class to look for races in [default: S]
    --out DIR                      [default: nas-bench/runs/<date>-<cores>c]
cargo xtask bench tasks [--repetitions N] [--out DIR] [--configs all|main]
                                   programs of nas-bench/tasks: ESP-bags, STINT, PINT, Archer, TSan
cargo xtask bench instrument       the clang plugin when nothing is looked at: time, compile time, code size, output
cargo xtask bench confirm [CLASS]  runs that confirm a race over plain ones, for each way to instrument [default: A]
cargo xtask bench plain [CLASS]    programs of nas-bench on one rank over the same loops without a library [default: A]";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    Help,
    Build,
    Install { prefix: Option<PathBuf> },
    Demo,
    Test(Options),
    Bench(bench::Options),
    BenchTasks { repetitions: u32, out: Option<PathBuf>, which: Configs },
    BenchInstrument,
    BenchConfirm { class: char },
    BenchPlain { class: char },
}

/// What `bench tasks` runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Configs {
    /// Everything.
    #[default]
    All,
    /// What the goals are about: the plain program, `stint`, `esp-bags`, `pint`, samples, Archer and TSan.
    Main,
}

/// How often the tests repeat themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    #[default]
    Usual,
    Nightly,
}

/// What becomes of reports that are not as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Golden {
    #[default]
    Compare,
    Bless,
}

/// Of `test`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub depth: Depth,
    pub golden: Golden,
    pub filter: Option<String>,
}

/// Understands the words after `cargo xtask`.
pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Task, String> {
    let task = words.next().unwrap_or_else(|| "help".into());
    let rest: Vec<String> = words.collect();
    let alone = |task: Task| match rest.first() {
        None => Ok(task),
        Some(word) => Err(format!("{word} is not expected here")),
    };
    match task.as_str() {
        "help" | "--help" | "-h" => Ok(Task::Help),
        "build" => alone(Task::Build),
        "demo" => alone(Task::Demo),
        "install" => match rest.as_slice() {
            [] => Ok(Task::Install { prefix: None }),
            [option, dir] if option == "--prefix" => Ok(Task::Install { prefix: Some(dir.into()) }),
            [option] if option.starts_with("--prefix=") => {
                Ok(Task::Install { prefix: Some(option["--prefix=".len()..].into()) })
            }
            _ => Err("install takes --prefix DIR and nothing else".into()),
        },
        "test" => options(rest).map(Task::Test),
        "bench" => match rest.split_first() {
            Some((suite, options)) if suite == "nas" => bench::Options::parse(options).map(Task::Bench),
            Some((suite, options)) if suite == "tasks" => tasks(options),
            Some((suite, [])) if suite == "instrument" => Ok(Task::BenchInstrument),
            Some((suite, [])) if suite == "confirm" => Ok(Task::BenchConfirm { class: 'A' }),
            Some((suite, [class])) if suite == "confirm" => {
                bench::class(class).map(|class| Task::BenchConfirm { class })
            }
            Some((suite, [])) if suite == "plain" => Ok(Task::BenchPlain { class: 'A' }),
            Some((suite, [class])) if suite == "plain" => bench::class(class).map(|class| Task::BenchPlain { class }),
            _ => Err("bench takes the name of a suite: nas, tasks, confirm or plain, or instrument alone".into()),
        },
        other => Err(format!("there is no task {other}")),
    }
}

fn tasks(words: &[String]) -> Result<Task, String> {
    let (mut repetitions, mut out, mut which) = (3, None, Configs::default());
    for pair in words.chunks(2) {
        match pair {
            [name, value] if name == "--repetitions" => {
                repetitions = value.parse().ok().filter(|&n| n > 0).ok_or(format!("{name} {value}: not a number"))?;
            }
            [name, value] if name == "--out" => out = Some(value.into()),
            [name, value] if name == "--configs" => {
                which = match value.as_str() {
                    "all" => Configs::All,
                    "main" => Configs::Main,
                    _ => return Err(format!("{name} {value}: it is all or main")),
                };
            }
            _ => return Err(format!("bench tasks has no option {}", pair[0])),
        }
    }
    Ok(Task::BenchTasks { repetitions, out, which })
}

fn options(words: Vec<String>) -> Result<Options, String> {
    let mut options = Options::default();
    for word in words {
        match word.as_str() {
            "--nightly" => options.depth = Depth::Nightly,
            "--bless" => options.golden = Golden::Bless,
            option if option.starts_with('-') => return Err(format!("test has no option {option}")),
            _ if options.filter.is_some() => return Err(format!("test takes one filter, {word} is a second one")),
            _ => options.filter = Some(word),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_mistakes() {
        let said = |line: &str| parse(line.split_whitespace().map(String::from));
        assert_eq!(said(""), Ok(Task::Help));
        assert_eq!(said("install --prefix /x"), Ok(Task::Install { prefix: Some("/x".into()) }));
        let all = Options { depth: Depth::Nightly, golden: Golden::Bless, filter: Some("ring".into()) };
        assert_eq!(said("test ring --bless --nightly"), Ok(Task::Test(all)));
        for wrong in
            ["tset", "demo now", "install /x", "test --fast", "test a b", "bench", "bench nbs", "bench tasks --fast 1"]
        {
            assert!(said(wrong).is_err(), "{wrong}");
        }
    }
}
