//! Memory stays bounded however long a program runs: 8 PEs, 10,000 barriers, 10 million accesses (a tenth of both by default).
//!
//! *The bound.* A PE holds what was recorded since the last exchange, by itself and about its memory, and forgets it after that. It does
//! not grow with the number of barriers: the tenth needs as much as the whole.

use crate::corpus::markers;
use crate::support::root;
use crate::tool::{Running, check, children, pairs, report, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const RANKS: usize = 8;
/// Most resident memory of a PE, the program's own and the shared heap included.
const MOST_PER_PE: u64 = 64 << 20;
/// Most resident memory of the launcher.
const MOST_OF_LAUNCHER: u64 = 64 << 20;

/// In one program many ranks, in the other threads that rest.
pub fn trials() -> Vec<Trial> {
    vec![trial("scale::bounded_memory", bounded_memory), trial("scale::threads_that_rest", threads_that_rest)]
}

/// A PE holds what came in the 4096 barriers between two exchanges, two records each, and no more because of a thread that sleeps.
fn threads_that_rest() -> Outcome {
    const BARRIERS: u64 = 16_000;
    const MOST_HELD: u64 = 12_000;
    let dir = temporary();
    let source = root().join("tests/scale/resting.c");
    let mut command = thrille(["check", "--quiet", "--out", "run", "-n", "2", "--cc", "gcc -O1 -fopenmp"]);
    command.arg(&source).arg("--").arg(BARRIERS.to_string());
    Running::start(command.current_dir(dir.path()))?.end()?.expect(0)?;
    let summary = report(&dir.path().join("run"))?["summary"].clone();
    let figure = |name: &str| summary[name].as_u64().unwrap_or(0);
    check(figure("phases") >= BARRIERS && figure("dropped") == 0, || format!("too little: {summary}"))?;
    check(figure("most_held") <= MOST_HELD, || format!("more than {MOST_HELD} records were held: {summary}"))
}

/// The high-water mark of a process's resident memory.
fn peak(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn bounded_memory() -> Outcome {
    let barriers = if std::env::var_os("THRILLE_NIGHTLY").is_some() { 10_000 } else { 1_000 };
    let per_phase = 125;
    let dir = temporary();
    let source = root().join("tests/scale/scale.c");
    let mut command = thrille(["check", "--quiet", "--out", "run", "-n"]);
    command.arg(RANKS.to_string()).arg(&source).arg("--").arg(barriers.to_string()).arg(per_phase.to_string());
    let begun = Instant::now();
    let mut running = Running::start(command.current_dir(dir.path()))?;
    let launcher = running.pid();
    let (mut peaks, mut own) = (BTreeMap::new(), 0);
    while !running.is_over() {
        let pes = children(launcher);
        // Compilers come one at a time.
        if pes.len() > 1 || !peaks.is_empty() {
            for pid in pes {
                let most: &mut u64 = peaks.entry(pid).or_default();
                *most = (*most).max(peak(pid).unwrap_or(0));
            }
        }
        own = peak(launcher).unwrap_or(0).max(own);
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = running.end()?;
    ended.expect(1)?;
    let report = report(&dir.path().join("run"))?;
    let (found, marked) = (pairs(&report)?, markers(&std::fs::read_to_string(&source)?)?);
    check(found == marked, || format!("{marked:?} expected, {found:?} reported\n{ended}"))?;
    let summary = &report["summary"];
    let figure = |name: &str| summary[name].as_u64().unwrap_or(0);
    let most = peaks.values().copied().max().unwrap_or(0);
    eprintln!(
        "scale: {RANKS} PEs, {} phases, {} accesses observed, {} recorded, {} held at most, {} exchanges, {:.1} s; \
         peak resident memory: {:.1} MB a PE, {:.1} MB of the launcher",
        figure("phases"),
        figure("observed"),
        figure("recorded"),
        figure("most_held"),
        figure("exchanges"),
        begun.elapsed().as_secs_f64(),
        most as f64 / 1e6,
        own as f64 / 1e6
    );
    check(peaks.len() >= RANKS, || format!("only {} PEs were seen", peaks.len()))?;
    check(figure("observed") >= barriers * per_phase * RANKS as u64, || format!("too few accesses: {summary}"))?;
    check(figure("dropped") == 0, || format!("accesses were dropped: {summary}"))?;
    check(most <= MOST_PER_PE, || format!("a PE used {most} bytes, the bound is {MOST_PER_PE}"))?;
    check(own <= MOST_OF_LAUNCHER, || format!("the launcher used {own} bytes, the bound is {MOST_OF_LAUNCHER}"))
}
