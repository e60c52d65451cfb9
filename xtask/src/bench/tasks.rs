//! `bench tasks`: what following tasks costs on the programs of `nas-bench/tasks`, with Archer and plain TSan side by side.
//!
//! All run on one thread but TSan and Archer, which have all cores. The configurations come in turn, so that whatever else happens on the machine
//! meets all of them; every run is a row of `raw.csv`, `table.md` has the medians.

use super::execute::{cpu_of_children, load, watch};
use crate::{Result, build, root, target};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The programs and their arguments.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("chol", &["700", "16"]),
    ("fft", &["19", "128"]),
    ("heat", &["1000", "1000", "20", "10"]),
    ("mmul", &["512", "64"]),
    ("sort", &["2000000", "2048"]),
    ("strassen", &["512", "64"]),
    ("strassen-z", &["512", "64"]),
];

/// How a program is built and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As it is.
    Plain,
    /// With a mode of `--tasks`.
    Tasks(&'static str),
    /// With clang's thread sanitizer and Archer.
    Archer,
    /// Without Archer.
    Tsan,
}

const CONFIGS: [(&str, How); 6] = [
    ("native", How::Plain),
    ("esp-bags", How::Tasks("esp-bags")),
    ("stint", How::Tasks("stint")),
    ("coalesced", How::Tasks("coalesced")),
    ("archer", How::Archer),
    ("tsan", How::Tsan),
];

const LIMIT: Duration = Duration::from_secs(300);
const ARCHER: &str = "/usr/lib/llvm-16/lib/libarcher.so";

/// One run.
#[derive(Clone, Copy, Debug)]
struct Measured {
    seconds: f64,
    peak_mb: f64,
    right: bool,
    races: bool,
    load: f64,
}

/// Runs everything so many times and writes the results into a directory.
pub fn tasks(repetitions: u32, out: Option<PathBuf>) -> Result<()> {
    build::build()?;
    let out = out.map_or_else(|| Ok(super::default_dir()?.with_extension("tasks")), Ok::<_, String>)?;
    std::fs::create_dir_all(&out).map_err(|e| format!("cannot make {}: {e}", out.display()))?;
    let mut raw = String::from("program,config,repetition,cpu_seconds,peak_mb,right,races,load\n");
    let mut all: BTreeMap<(usize, usize), Vec<Measured>> = BTreeMap::new();
    for repetition in 0..repetitions {
        for (p, (program, arguments)) in PROGRAMS.iter().enumerate() {
            for (c, (name, how)) in CONFIGS.iter().enumerate() {
                let m = run(program, arguments, *how)?;
                let _ = writeln!(
                    raw,
                    "{program},{name},{repetition},{:.3},{:.1},{},{},{:.1}",
                    m.seconds, m.peak_mb, m.right, m.races, m.load
                );
                all.entry((p, c)).or_default().push(m);
                write(&out.join("raw.csv"), &raw)?;
            }
        }
    }
    let table = table(&all);
    write(&out.join("table.md"), &table)?;
    println!("{table}\nresults are in {}", out.display());
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
        How::Plain => "plain",
        How::Tasks(_) => "thrille",
        How::Archer | How::Tsan => "tsan",
    };
    let file = dir.join(format!("{program}-{kind}"));
    let mut command = match how {
        How::Tasks(_) => {
            let mut command = Command::new(build::thrille());
            command.args(["cc", "--", "clang-16"]);
            command
        }
        _ => Command::new("clang-16"),
    };
    command.args(["-O2", "-g", "-fopenmp"]);
    match how {
        How::Plain => _ = command.arg("-DPLAIN"),
        How::Archer | How::Tsan => _ = command.args(["-DPLAIN", "-fsanitize=thread"]),
        How::Tasks(_) => {}
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
    let mut command = if let How::Tasks(mode) = how {
        let mut command = Command::new(build::thrille());
        command.args(["run", "-n1", "--quiet", "--no-confirm", "--sampling", "full", "--tasks", mode, "--out"]);
        command.arg(&dir);
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
        How::Tasks(_) => {}
    }
    let before = cpu_of_children();
    let ended = watch(&mut command, LIMIT)?;
    Ok(Measured {
        seconds: cpu_of_children() - before,
        peak_mb: ended.peak as f64 / f64::from(1 << 20),
        right: ended.stdout.contains("verified") && ended.stopped.is_none(),
        races: ended.stderr.contains("race 1:") || ended.stderr.contains("WARNING: ThreadSanitizer"),
        load: load(),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(all: &BTreeMap<(usize, usize), Vec<Measured>>) -> String {
    let cell = |p: usize, c: usize, what: fn(&Measured) -> f64| median(all[&(p, c)].iter().map(what));
    let mut out = String::from(
        "Processor time over that of the plain program on one thread, medians; memory in MB behind it. R: reports races.\n\n",
    );
    let names: Vec<&str> = CONFIGS.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(out, "| program | {} |\n|---|{}", names.join(" | "), "---|".repeat(CONFIGS.len()));
    let mut logs = vec![0.0; CONFIGS.len()];
    for (p, (program, _)) in PROGRAMS.iter().enumerate() {
        let native = cell(p, 0, |m| m.seconds).max(0.01);
        let _ = write!(out, "| {program} ");
        for (c, log) in logs.iter_mut().enumerate() {
            let (time, memory) = (cell(p, c, |m| m.seconds), cell(p, c, |m| m.peak_mb));
            *log += (time.max(0.01) / native).ln();
            let runs = &all[&(p, c)];
            let races = if runs.iter().any(|m| m.races) { " R" } else { "" };
            let wrong = if runs.iter().all(|m| m.right) { "" } else { " WRONG" };
            let _ = match c {
                0 => write!(out, "| {time:.2} s, {memory:.0}{wrong} "),
                _ => write!(out, "| {:.1}, {memory:.0}{races}{wrong} ", time / native),
            };
        }
        out.push_str("|\n");
    }
    out.push_str("| geometric mean ");
    for log in logs {
        let _ = write!(out, "| {:.1} ", (log / PROGRAMS.len() as f64).exp());
    }
    let loads: Vec<f64> = all.values().flatten().map(|m| m.load).collect();
    let (least, most) = loads.iter().fold((f64::MAX, 0.0_f64), |(a, b), &load| (a.min(load), b.max(load)));
    let _ = write!(out, "|\n\nProcesses that wanted to run meanwhile: {least:.1} to {most:.1}.\n");
    out
}
