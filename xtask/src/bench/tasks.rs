//! `bench tasks`: what following tasks costs on the programs of `nas-bench/tasks`, with Archer and plain TSan side by side.
//!
//! All run on one thread but those that are named otherwise, TSan and Archer, which have all cores. The configurations come in turn, so that whatever else happens
//! on the machine meets all of them; every run is a row of `raw.csv`, `table.md` has the medians. Times are of the processor: on a machine that others use too, elapsed ones
//! say nothing.

use super::execute::{cpu_of_children, load, watch};
use crate::args::Configs;
use crate::{Result, build, packages, root, target};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The programs and their arguments: 0.2 to 2 s each, on a machine of 2026.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("chol", &["1500", "16"]),
    ("fft", &["20", "128"]),
    ("heat", &["2000", "2000", "60", "10"]),
    ("mmul", &["1536", "48"]),
    ("sort", &["2000000", "2048"]),
    ("strassen", &["1024", "64"]),
    ("strassen-z", &["1024", "64"]),
];

/// How a program is built and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As it is.
    Plain,
    /// With a mode of `--tasks`, on so many threads.
    Tasks(&'static str, u32),
    /// The same, of samples.
    Sampled(&'static str),
    /// With STINT, built without something that the plugin can do, or by gcc.
    Built(With),
    /// With clang's thread sanitizer and Archer.
    Archer,
    /// Without Archer.
    Tsan,
}

impl How {
    /// Whether the goals are about it: it is run before the others.
    fn is_of_interest(self) -> bool {
        matches!(
            self,
            Self::Plain | Self::Tasks("stint" | "esp-bags" | "pint", _) | Self::Sampled(_) | Self::Archer | Self::Tsan
        )
    }
}

/// What a program that is followed is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    /// The plugin, without this.
    Without(&'static str),
    /// gcc's hooks.
    Gcc,
}

const CONFIGS: [(&str, How); 17] = [
    ("native", How::Plain),
    ("stint", How::Tasks("stint", 1)),
    ("esp-bags", How::Tasks("esp-bags", 1)),
    ("treaps", How::Tasks("treaps", 1)),
    ("coalesced", How::Tasks("coalesced", 1)),
    ("vanilla", How::Tasks("vanilla", 1)),
    ("pint, 1 thread", How::Tasks("pint", 1)),
    ("pint, 2 threads", How::Tasks("pint", 2)),
    ("stint, sampled", How::Sampled("stint")),
    ("archer", How::Archer),
    ("tsan", How::Tsan),
    ("no motion out of nests", How::Built(With::Without("no-nests"))),
    ("no motion out of loops", How::Built(With::Without("no-ranges"))),
    ("no read/write elimination", How::Built(With::Without("no-eliminate"))),
    ("no escape analysis", How::Built(With::Without("no-escape"))),
    ("no read-only elimination", How::Built(With::Without("no-constants"))),
    ("gcc's hooks", How::Built(With::Gcc)),
];

/// Longest time of a run; what takes longer is not run again.
const LIMIT: Duration = Duration::from_secs(60);
const ARCHER: &str = "/usr/lib/llvm-16/lib/libarcher.so";

/// One run.
#[derive(Clone, Copy, Debug)]
struct Measured {
    seconds: f64,
    peak_mb: f64,
    right: bool,
    /// It was ended before it was done.
    stopped: bool,
    races: bool,
    load: f64,
}

/// The runs by program and configuration.
type Runs = BTreeMap<(usize, usize), Vec<Measured>>;

impl Measured {
    /// A row of the file of results: which program and configuration, and what was measured.
    fn read(row: &str) -> Option<(usize, usize, Self)> {
        let (program, rest) = row.split_once(",\"")?;
        let (config, rest) = rest.split_once("\",")?;
        let fields: Vec<&str> = rest.split(',').collect();
        let [_, seconds, peak_mb, right, finished, races, load] = fields.as_slice() else { return None };
        let measured = Self {
            seconds: seconds.parse().ok()?,
            peak_mb: peak_mb.parse().ok()?,
            right: right.parse().ok()?,
            stopped: *finished == "false",
            races: races.parse().ok()?,
            load: load.parse().ok()?,
        };
        let p = PROGRAMS.iter().position(|known| known.0 == program)?;
        Some((p, CONFIGS.iter().position(|known| known.0 == config)?, measured))
    }
}

/// Runs everything so many times and writes the results into a directory.
pub fn tasks(repetitions: u32, out: Option<PathBuf>, which: Configs) -> Result<()> {
    packages::install_for("`bench tasks`", packages::COMPARED)?;
    build::build_without_mpi()?;
    let out = out.map_or_else(|| Ok(super::default_dir()?.with_extension("tasks")), Ok::<_, String>)?;
    std::fs::create_dir_all(&out).map_err(|e| format!("cannot make {}: {e}", out.display()))?;
    let file = out.join("raw.csv");
    let mut raw = std::fs::read_to_string(&file)
        .unwrap_or_else(|_| "program,config,repetition,cpu_seconds,peak_mb,right,finished,races,load\n".into());
    // A run that was interrupted goes on.
    let mut all: Runs = raw.lines().filter_map(Measured::read).fold(Runs::new(), |mut all, (p, c, m)| {
        all.entry((p, c)).or_default().push(m);
        all
    });
    let (first, later): (Vec<usize>, Vec<usize>) = (0..CONFIGS.len()).partition(|&c| CONFIGS[c].1.is_of_interest());
    let later = if which == Configs::All { later } else { Vec::new() };
    for repetition in 0..repetitions {
        for configs in [&first, &later] {
            for (p, (program, arguments)) in PROGRAMS.iter().enumerate() {
                for &c in configs {
                    let (name, how) = CONFIGS[c];
                    let known = all.entry((p, c)).or_default();
                    if known.len() > repetition as usize || known.iter().any(|m| m.stopped) {
                        continue;
                    }
                    let m = run(program, arguments, how)?;
                    known.push(m);
                    let _ = writeln!(
                        raw,
                        "{program},\"{name}\",{repetition},{:.3},{:.1},{},{},{},{:.1}",
                        m.seconds, m.peak_mb, m.right, !m.stopped, m.races, m.load
                    );
                    write(&file, &raw)?;
                    write(&out.join("table.md"), &table(&all))?;
                }
            }
        }
    }
    println!("{}\nresults are in {}", table(&all), out.display());
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// The executable, built if it is not there yet.
fn executable(program: &str, how: How) -> Result<PathBuf> {
    let source = root().join("nas-bench/tasks").join(format!("{program}.c"));
    let dir = target().join("bench-tasks");
    std::fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let kind = match how {
        How::Plain => "plain".to_owned(),
        How::Tasks(..) | How::Sampled(_) => "thrille".to_owned(),
        How::Built(With::Without(word)) => word.to_owned(),
        How::Built(With::Gcc) => "gcc".to_owned(),
        How::Archer | How::Tsan => "tsan".to_owned(),
    };
    let file = dir.join(format!("{program}-{kind}"));
    let mut command = match how {
        How::Plain | How::Archer | How::Tsan => Command::new("clang-16"),
        How::Tasks(..) | How::Sampled(_) | How::Built(_) => {
            let mut command = Command::new(build::thrille());
            command.args(["cc", "--", if how == How::Built(With::Gcc) { "gcc" } else { "clang-16" }]);
            command
        }
    };
    command.args(["-O2", "-g", "-fopenmp"]);
    match how {
        How::Plain => _ = command.arg("-DPLAIN"),
        How::Archer | How::Tsan => _ = command.args(["-DPLAIN", "-fsanitize=thread"]),
        How::Built(With::Without(word)) => _ = command.env("THRILLE_PLUGIN", word),
        How::Tasks(..) | How::Sampled(_) | How::Built(With::Gcc) => {}
    }
    let output = command.arg("-o").arg(&file).arg(&source).arg("-lm").output();
    let output = output.map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(file);
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn run(program: &str, arguments: &[&str], how: How) -> Result<Measured> {
    let file = executable(program, how)?;
    let dir = target().join("bench-tasks/run");
    let _ = std::fs::remove_dir_all(&dir);
    let tasks = match how {
        How::Tasks(mode, _) | How::Sampled(mode) => Some(mode),
        How::Built(_) => Some("stint"),
        How::Plain | How::Archer | How::Tsan => None,
    };
    let mut command = if let Some(mode) = tasks {
        let mut command = Command::new(build::thrille());
        command.args(["run", "-n1", "--quiet", "--no-confirm", "--tasks", mode, "--sampling"]);
        match how {
            How::Sampled(_) => command.args(["HA", "--budget", "5%"]),
            _ => command.arg("full"),
        };
        command.arg("--out").arg(&dir);
        command
    } else {
        // What is measured is a child of what is started.
        let mut command = Command::new("sh");
        command.args(["-c", "\"$0\" \"$@\"; exit $?"]);
        command
    };
    command.arg(&file).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match how {
        How::Plain => _ = command.env("OMP_NUM_THREADS", "1"),
        How::Archer => {
            command.env("OMP_TOOL_LIBRARIES", ARCHER);
            command.env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1 exitcode=0");
        }
        How::Tsan => _ = command.env("OMP_TOOL", "disabled").env("TSAN_OPTIONS", "exitcode=0"),
        How::Tasks(_, threads) => _ = command.env("OMP_NUM_THREADS", threads.to_string()),
        How::Sampled(_) | How::Built(_) => {}
    }
    let before = cpu_of_children();
    let ended = watch(&mut command, LIMIT)?;
    Ok(Measured {
        seconds: cpu_of_children() - before,
        peak_mb: ended.peak as f64 / f64::from(1 << 20),
        right: ended.stdout.contains("verified"),
        stopped: ended.stopped.is_some(),
        races: ended.stderr.contains("race 1:") || ended.stderr.contains("WARNING: ThreadSanitizer"),
        load: load(),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(all: &Runs) -> String {
    let mut out = machine();
    out.push_str(
        "\nProcessor time over that of the plain program on one thread, medians; memory in MB behind it. R: reports races, of which there are none. DNF: ended \
         after a while.\n\n",
    );
    let was_run = |&c: &usize| (0..PROGRAMS.len()).any(|p| all.get(&(p, c)).is_some_and(|runs| !runs.is_empty()));
    let runs: Vec<usize> = (0..CONFIGS.len()).filter(was_run).collect();
    let (built, columns): (Vec<usize>, Vec<usize>) = runs.iter().partition(|&&c| matches!(CONFIGS[c].1, How::Built(_)));
    rows(&mut out, all, &columns);
    if let Some(archer) = columns.iter().copied().find(|&c| CONFIGS[c].1 == How::Archer) {
        out.push_str(
            "\nOver Archer, where that finishes: processor time, and peak memory behind it. Below 1 is ahead, and the goal for memory is 0.5.\n\n",
        );
        let ours = |&c: &usize| matches!(CONFIGS[c].1, How::Tasks(..) | How::Sampled(_));
        ratios(&mut out, all, &columns.iter().copied().filter(ours).collect::<Vec<_>>(), archer);
    }
    if !built.is_empty() {
        out.push_str("\nThe same with `stint`, built in other ways:\n\n");
        rows(&mut out, all, &[&[0, 1], built.as_slice()].concat());
    }
    let loads: Vec<f64> = all.values().flatten().map(|m| m.load).collect();
    let (least, most) = loads.iter().fold((f64::MAX, 0.0_f64), |(a, b), &load| (a.min(load), b.max(load)));
    let _ = writeln!(out, "\nProcesses that wanted to run meanwhile: {least:.1} to {most:.1}.");
    out
}

/// A row for each program, and the geometric mean of those that all of a column's runs have finished.
fn rows(out: &mut String, all: &Runs, columns: &[usize]) {
    let cell = |p: usize, c: usize, what: fn(&Measured) -> f64| median(all[&(p, c)].iter().map(what));
    let names: Vec<&str> = columns.iter().map(|&c| CONFIGS[c].0).collect();
    let _ = writeln!(out, "| program | {} |\n|---|{}", names.join(" | "), "---|".repeat(columns.len()));
    let mut means = vec![(0.0, 0); CONFIGS.len()];
    for (p, (program, arguments)) in PROGRAMS.iter().enumerate() {
        let missing = |c: usize| all.get(&(p, c)).is_none_or(Vec::is_empty);
        if missing(0) {
            continue;
        }
        let native = cell(p, 0, |m| m.seconds).max(0.01);
        let _ = write!(out, "| {program} {} ", arguments.join(" "));
        for &c in columns {
            if missing(c) {
                out.push_str("| – ");
                continue;
            }
            let (time, memory) = (cell(p, c, |m| m.seconds), cell(p, c, |m| m.peak_mb));
            let runs = &all[&(p, c)];
            if runs.iter().any(|m| m.stopped) {
                let _ = write!(out, "| DNF ({:.0}) ", time / native);
                continue;
            }
            means[c] = (means[c].0 + (time.max(0.01) / native).ln(), means[c].1 + 1);
            let races = if runs.iter().any(|m| m.races) { " R" } else { "" };
            let wrong = if runs.iter().all(|m| m.right) { "" } else { " WRONG" };
            let _ = match c {
                0 => write!(out, "| {time:.2} s, {memory:.0}{wrong} "),
                _ => write!(out, "| {:.2}, {memory:.0}{races}{wrong} ", time / native),
            };
        }
        out.push_str("|\n");
    }
    out.push_str("| geometric mean ");
    for &c in columns {
        let (sum, count) = means[c];
        let of = if count == PROGRAMS.len() { String::new() } else { format!(" of {count}") };
        let _ = write!(out, "| {:.2}{of} ", (sum / f64::from(count as u32)).exp());
    }
    out.push_str("|\n");
}

/// A row for each program: time and memory over those of another configuration, and their geometric means.
fn ratios(out: &mut String, all: &Runs, columns: &[usize], over: usize) {
    let of = |p: usize, c: usize| {
        let runs = all.get(&(p, c)).filter(|runs| !runs.is_empty() && !runs.iter().any(|m| m.stopped))?;
        Some((median(runs.iter().map(|m| m.seconds)).max(0.01), median(runs.iter().map(|m| m.peak_mb)).max(1.0)))
    };
    let names: Vec<&str> = columns.iter().map(|&c| CONFIGS[c].0).collect();
    let _ = writeln!(out, "| program | {} |\n|---|{}", names.join(" | "), "---|".repeat(columns.len()));
    let mut sums = vec![(0.0, 0.0, 0); columns.len()];
    for (p, (program, _)) in PROGRAMS.iter().enumerate() {
        let Some(other) = of(p, over) else { continue };
        let _ = write!(out, "| {program} ");
        for (sum, &c) in sums.iter_mut().zip(columns) {
            let Some(one) = of(p, c) else {
                out.push_str("| – ");
                continue;
            };
            let (time, memory) = (one.0 / other.0, one.1 / other.1);
            *sum = (sum.0 + time.ln(), sum.1 + memory.ln(), sum.2 + 1);
            let _ = write!(out, "| {time:.2}, {memory:.2} ");
        }
        out.push_str("|\n");
    }
    out.push_str("| geometric mean ");
    for (time, memory, count) in sums {
        let mean = |sum: f64| (sum / f64::from(count)).exp();
        let _ = write!(out, "| {:.2}, {:.2} ", mean(time), mean(memory));
    }
    out.push_str("|\n");
}

/// When and on what.
fn machine() -> String {
    let said = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).output().ok();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} cores of {}, commit {}, {}.\n",
        said("date", &["-u", "+%F %H:%M"]),
        cpu.trim_start_matches([':', ' ', '\t']),
        said("git", &["rev-parse", "--short", "HEAD"]),
        said("clang-16", &["--version"]).lines().next().unwrap_or_default(),
    )
}
