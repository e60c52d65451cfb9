//! Processes and launchers that die: what was found is reported, how it ended is said, nothing is left behind.

use crate::corpus::markers;
use crate::tool::{
    Ended, Running, check, children, pairs, program, report, run, runs, shared_files, signal, temporary, thrille,
};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The ways in which PE 1 of `dies.c` can end, and the report's words for them.
const WAYS: [(&str, &str); 9] = [
    ("segv", "rank 1 was killed by SIGSEGV"),
    ("abort", "rank 1 was killed by SIGABRT"),
    ("kill", "rank 1 was killed by SIGKILL"),
    ("exit", "rank 1 exited with status 3"),
    // The others never come to a barrier again.
    ("exit_alone", "rank 1 exited with status 3"),
    ("_exit", "rank 1 exited with status 3"),
    ("return", "rank 1 exited with status 3"),
    ("global", "exited with status 3"),
    ("none", ""),
];

/// One test for each way to die.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (how, words) in WAYS {
        trials.push(trial(&format!("crash::{how}::race"), move || dies(how, "race", words)));
        trials.push(trial(&format!("crash::{how}::clean"), move || dies(how, "clean", words)));
    }
    for how in ["segv_now", "abort_now"] {
        for racy in ["race", "clean"] {
            trials.push(trial(&format!("crash::{how}::{racy}"), move || dies(how, racy, "rank 1 was killed by SIG")));
        }
    }
    for what in ["barriers", "compute", "sleep"] {
        trials.push(trial(&format!("crash::kill_9_of_a_pe::{what}"), move || killed_pe(what)));
        trials.push(trial(&format!("crash::kill_9_of_the_launcher::{what}"), move || killed_launcher(what)));
        for name in ["INT", "TERM"] {
            trials.push(trial(&format!("crash::sig{}::{what}", name.to_lowercase()), move || stopped(name, what)));
        }
    }
    trials
}

fn check_dies(words: &[&str], out: &Path) -> Command {
    let mut command = thrille(["check", "--quiet", "-n", "3", "--grace", "1", "--out"]);
    command.arg(out).arg(program("dies.c")).arg("--").args(words);
    command
}

/// The race of `dies.c` is reported, and it alone.
fn race_is_reported(out: &Path) -> Outcome {
    let expected = markers(&std::fs::read_to_string(program("dies.c"))?)?;
    let found = pairs(&report(out)?)?;
    check(found == expected, || format!("{expected:?} expected, {found:?} reported"))
}

/// No process of a program below the directory runs, soon.
pub fn nobody_is_left(dir: &Path) -> Outcome {
    let begun = Instant::now();
    loop {
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
            if let Some(pid) = pid
                && std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.starts_with(dir))
                && runs(pid)
            {
                left.push(pid);
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        if begun.elapsed() > Duration::from_secs(5) {
            for &pid in &left {
                signal("KILL", pid)?;
            }
            return Err(format!("processes were left behind: {left:?}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn dies(how: &str, racy: &str, words: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let ended = run(check_dies(&[how, racy], &out).current_dir(dir.path()))?;
    if racy == "race" {
        ended.expect(1)?;
        race_is_reported(&out)?;
    } else {
        ended.expect(if words.is_empty() { 0 } else { 3 })?;
    }
    ended.says(&[words])?;
    nobody_is_left(dir.path())
}

/// A run of `dies.c` whose PEs have all come to the end of their way.
fn under_way(what: &str, dir: &Path, out: &Path) -> Result<(Running, Vec<u32>), Failed> {
    let ready = dir.join("ready");
    let mut running = Running::start(check_dies(&[what, "race", &ready.to_string_lossy()], out).current_dir(dir))?;
    let all_ready = || (0..3).all(|pe| dir.join(format!("ready-{pe}")).exists());
    running.wait_for("the PEs getting ready", all_ready)?;
    let pes = children(running.pid());
    check(pes.len() == 3, || format!("3 processes expected: {pes:?}"))?;
    Ok((running, pes))
}

fn killed_pe(what: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let (running, pes) = under_way(what, dir.path(), &out)?;
    signal("KILL", pes[1])?;
    let ended = running.end()?;
    ended.expect(1)?;
    ended.says(&["rank 1 was killed by SIGKILL"])?;
    race_is_reported(&out)?;
    nobody_is_left(dir.path())
}

fn killed_launcher(what: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let (running, pes) = under_way(what, dir.path(), &out)?;
    let files: BTreeSet<PathBuf> = pes.iter().flat_map(|&pid| shared_files(pid)).collect();
    signal("KILL", running.pid())?;
    nobody_is_left(dir.path())?;
    running.end()?;
    let left: Vec<_> = files.iter().filter(|file| file.exists()).collect();
    check(left.is_empty(), || format!("shared memory was left behind: {left:?}"))?;
    let ended: Ended = run(thrille(["report"]).arg(&out))?;
    ended.expect(1)?;
    check(ended.stdout.contains("launcher was killed"), || format!("how it ended is not said:\n{ended}"))
}

fn stopped(name: &str, what: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let (running, _) = under_way(what, dir.path(), &out)?;
    signal(name, running.pid())?;
    let ended = running.end()?;
    ended.expect(1)?;
    ended.says(&["stopped", &format!("SIG{name}")])?;
    race_is_reported(&out)?;
    nobody_is_left(dir.path())
}
