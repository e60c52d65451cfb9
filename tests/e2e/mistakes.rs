//! What goes wrong around a program: each time one clear message, the right exit code, no debris.

use crate::corpus::markers;
use crate::crash::nobody_is_left;
use crate::support::{libraries, root};
use crate::tool::{check, expect, pairs, program, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All of them.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("mistakes::missing_compiler", missing_compiler),
        trial("mistakes::number_of_ranks", number_of_ranks),
        trial("mistakes::never_calls_shmem_init", never_init),
        trial("mistakes::not_instrumented", not_instrumented),
        trial("mistakes::syntax_error", || does_not_build("syntax_error.c", &["syntax_error.c:6"])),
        trial("mistakes::routine_that_is_not_there", || does_not_build("not_there.c", &["shmem_teleport"])),
        trial("mistakes::files_that_are_not_there", files_that_are_not_there),
        trial("mistakes::usage", usage),
        trial("mistakes::truncated_records", truncated),
        trial("mistakes::corrupt_records", corrupt),
        trial("mistakes::disk_full_from_the_start", full_from_the_start),
        trial("mistakes::disk_fills_during_the_run", fills_during_the_run),
        trial("mistakes::report_to_a_full_device", report_to_full_device),
        trial("mistakes::records_beyond_the_limit", beyond_the_limit),
        trial("mistakes::a_flood", a_flood),
    ]
}

/// Checks a program with a directory for the run that must not be there afterwards: nothing was run.
fn nothing_is_run(words: &[&str], file: &Path, change: impl FnOnce(&mut Command), says: &[&str]) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let mut command = thrille(["check", "--out"]);
    command.arg(&out).args(words).arg(file).current_dir(dir.path());
    change(&mut command);
    let ended = expect(&mut command, 2)?;
    ended.says(says)?;
    check(!ended.stderr.contains("panicked"), || format!("a panic:\n{ended}"))?;
    check(!out.exists(), || format!("{} was left behind", out.display()))
}

fn missing_compiler() -> Outcome {
    let file = program("honest.c");
    nothing_is_run(&["--cc", "no-such-compiler -O2"], &file, |_| (), &["no-such-compiler", "not found"])?;
    nothing_is_run(&[], &file, |command| _ = command.env("PATH", "/nonexistent"), &["gcc", "not found"])
}

fn number_of_ranks() -> Outcome {
    for n in ["0", "10000", "4294967297"] {
        nothing_is_run(&["-n", n], &program("honest.c"), |_| (), &[n, "1 to"])?;
    }
    for n in ["-1", "two", "2.5"] {
        nothing_is_run(&["-n", n], &program("honest.c"), |_| (), &[n, "--help"])?;
    }
    Ok(())
}

fn does_not_build(name: &str, says: &[&str]) -> Outcome {
    nothing_is_run(&[], &program(name), |_| (), says)
}

fn never_init() -> Outcome {
    let dir = temporary();
    let mut command = thrille(["check", "-n", "2", "--out", "run"]);
    let ended = expect(command.arg(program("never_init.c")).current_dir(dir.path()), 2)?;
    ended.says(&["nothing was observed", "shmem_init"])?;
    check(ended.stdout == "hello\nhello\n", || format!("the program's output:\n{ended}"))
}

fn not_instrumented() -> Outcome {
    let dir = temporary();
    let (lib, plain) = (libraries(), dir.path().join("plain"));
    let mut gcc = Command::new("gcc");
    gcc.arg("-I").arg(root().join("shmem/include")).arg(program("honest.c")).arg("-o").arg(&plain);
    gcc.arg("-L").arg(&lib).arg("-lthrille_shmem").arg(format!("-Wl,-rpath,{}", lib.display()));
    expect(&mut gcc, 0)?;
    for file in [plain.as_path(), Path::new("/bin/true")] {
        let ended = expect(thrille(["run", "-n", "2", "--out", "run"]).arg(file).current_dir(dir.path()), 2)?;
        ended.says(&["not instrumented", "thrille cc"])?;
    }
    Ok(())
}

fn files_that_are_not_there() -> Outcome {
    nothing_is_run(&[], Path::new("no-such.c"), |_| (), &["no-such.c", "not found"])?;
    nothing_is_run(&[], Path::new("/etc/passwd"), |_| (), &["passwd", "not a C, C++ or Fortran source"])?;
    let dir = temporary();
    let run = |words: &[&str]| expect(thrille(words).current_dir(dir.path()), 2);
    run(&["run", "-n", "2", "./no-such-program"])?.says(&["no-such-program", "not found"])?;
    run(&["run", "-n", "2", "/etc/passwd"])?.says(&["not executable"])?;
    run(&["report", "no-such-run"])?.says(&["no-such-run", "no run"])?;
    run(&["report"])?.says(&["no run"])?;
    run(&["cc", "--", "no-such-compiler", "-c", "a.c"])?.says(&["no-such-compiler"])?;
    check(!dir.path().join(".thrille").exists(), || "a directory was left behind".into())
}

fn usage() -> Outcome {
    for words in [&[][..], &["frobnicate"], &["check"], &["run"], &["cc"], &["check", "--frobnicate", "a.c"]] {
        expect(&mut thrille(words), 2)?.says(&["Usage"])?;
    }
    expect(&mut thrille(["--help"]), 0)?;
    expect(&mut thrille(["--version"]), 0)?;
    Ok(())
}

/// A run of a racy program, and its races.
fn racy_run(dir: &Path) -> Result<PathBuf, Failed> {
    let out = dir.join("run");
    let source = root().join("tests/shmem/two_races_race.c");
    expect(thrille(["check", "-n", "2", "--out"]).arg(&out).arg(source).current_dir(dir), 1)?;
    Ok(out)
}

/// `thrille report` on a directory whose files are damaged: an answer and a note, whatever is in them.
fn survives(out: &Path, damage: &str) -> Outcome {
    for words in [&["report"][..], &["report", "--json"]] {
        let ended = run(thrille(words).arg(out))?;
        let code = ended.status.code();
        check(matches!(code, Some(0..=3)) && !ended.stderr.contains("panicked"), || format!("{damage}: {ended}"))?;
        let text = format!("{}{}", ended.stdout, ended.stderr);
        // Cut between two records, a file is that of a rank that died.
        let told =
            text.contains("note") && (text.contains("rank-1.thr") || text.contains("rank 1 did not come to its"));
        check(told, || format!("{damage}: the damage is not told:\n{ended}"))?;
    }
    Ok(())
}

fn truncated() -> Outcome {
    let dir = temporary();
    let out = racy_run(dir.path())?;
    let file = out.join("rank-1.thr");
    let whole = std::fs::read(&file)?;
    check(whole.len() > 100, || "a record file of some length expected".into())?;
    let step = (whole.len() / 40).max(1);
    for len in (0..whole.len()).step_by(step).chain([1, whole.len() - 1]) {
        std::fs::write(&file, &whole[..len])?;
        survives(&out, &format!("the first {len} of {} bytes", whole.len()))?;
    }
    // All but the last byte: the races stand before it.
    std::fs::write(&file, &whole[..whole.len() - 1])?;
    let ended = expect(thrille(["report"]).arg(&out), 1)?;
    check(ended.stdout.contains("2 races found"), || format!("races before the damage:\n{ended}"))?;
    std::fs::remove_file(&file)?;
    survives(&out, "no file")
}

fn corrupt() -> Outcome {
    let dir = temporary();
    let out = racy_run(dir.path())?;
    let file = out.join("rank-1.thr");
    let whole = std::fs::read(&file)?;
    let step = (whole.len() / 60).max(1);
    for at in (0..whole.len()).step_by(step) {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            std::fs::write(&file, &bytes)?;
            survives(&out, &format!("byte {at} of {} changed by {flip:#x}", whole.len()))?;
        }
    }
    for (what, bytes) in [("zeros", vec![0; 5000]), ("ones", vec![0xff; 5000]), ("text", b"hello\n".repeat(999))] {
        std::fs::write(&file, bytes)?;
        survives(&out, what)?;
    }
    std::fs::write(&file, &whole)?;
    std::fs::write(out.join("run.json"), "{ \"ranks\": ")?;
    let ended = run(thrille(["report"]).arg(&out))?;
    check(ended.stdout.contains("run.json") && ended.stdout.contains("2 races found"), || format!("run.json: {ended}"))
}

/// A disk of a few pages, if this machine lets us have one.
struct TinyDisk(PathBuf);

impl TinyDisk {
    fn new(dir: &Path, size: &str) -> Option<Self> {
        let path = dir.join("disk");
        std::fs::create_dir(&path).ok()?;
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&path).output();
        mount.is_ok_and(|output| output.status.success()).then_some(Self(path))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn tiny_disk(dir: &Path, size: &str) -> Option<TinyDisk> {
    let disk = TinyDisk::new(dir, size);
    if disk.is_none() {
        eprintln!("skipped: a full disk needs a tmpfs, which only root can mount");
    }
    disk
}

fn built(name: &str, dir: &Path) -> Result<PathBuf, Failed> {
    let to = dir.join(name.trim_end_matches(".c"));
    expect(thrille(["cc", "--", "gcc", "-g"]).arg(program(name)).arg("-o").arg(&to).current_dir(dir), 0)?;
    Ok(to)
}

fn full_from_the_start() -> Outcome {
    let dir = temporary();
    let Some(disk) = tiny_disk(dir.path(), "16k") else { return Ok(()) };
    // Filled to the last byte; a directory can still be made.
    let _ = std::fs::write(disk.0.join("filler"), vec![0; 1 << 16]);
    let out = disk.0.join("run");
    let file = built("fills_disk.c", dir.path())?;
    let ended = expect(thrille(["run", "-n", "2", "--out"]).arg(&out).arg(file).current_dir(dir.path()), 2)?;
    ended.says(&["No space left", &out.display().to_string(), "--out"])?;
    check(!out.exists(), || format!("{} was left behind", out.display()))?;
    nobody_is_left(dir.path())
}

fn fills_during_the_run() -> Outcome {
    let dir = temporary();
    let Some(disk) = tiny_disk(dir.path(), "256k") else { return Ok(()) };
    let (out, filler) = (disk.0.join("run"), disk.0.join("filler"));
    let file = built("fills_disk.c", dir.path())?;
    let mut command = thrille(["run", "--quiet", "-n", "2", "--out"]);
    let ended = expect(command.arg(&out).arg(&file).arg(&filler).current_dir(dir.path()), 1)?;
    let marked = markers(&std::fs::read_to_string(program("fills_disk.c"))?)?;
    let lines: Vec<String> = marked.iter().flat_map(|&(a, b)| [a, b]).map(|n| format!("fills_disk.c:{n}:")).collect();
    ended.says(&[&lines[0], &lines[1], "No space left"])?;
    check(ended.stdout == "done\ndone\n", || format!("the program itself must not notice:\n{ended}"))?;
    std::fs::remove_file(filler)?;
    let ended = expect(thrille(["report"]).arg(&out).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains(&lines[0]), || format!("the race found before must be on disk:\n{ended}"))?;
    nobody_is_left(dir.path())
}

fn report_to_full_device() -> Outcome {
    let dir = temporary();
    let race = root().join("tests/shmem/put_load_race.c");
    let mut command = thrille(["check", "-n", "2", "--out", "run", "--report", "/dev/full"]);
    let ended = expect(command.arg(&race).current_dir(dir.path()), 1)?;
    ended.says(&["/dev/full", "No space left", "1 race found"])?;
    let safe = root().join("tests/shmem/put_load_safe.c");
    let mut command = thrille(["check", "-n", "2", "--out", "run", "--report", "/dev/full"]);
    expect(command.arg(&safe).current_dir(dir.path()), 2)?.says(&["/dev/full", "No space left"])
}

/// What does not fit is dropped and counted, and the report says so.
fn beyond_the_limit() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/scale/scale.c");
    let mut command = thrille(["check", "--quiet", "-n", "2", "--out", "run", "--max-records", "50"]);
    let ended = run(command.arg(&source).args(["--", "20", "5000"]).current_dir(dir.path()))?;
    let report = report(&dir.path().join("run"))?;
    let dropped = report["summary"]["dropped"].as_u64().unwrap_or(0);
    check(dropped > 0, || format!("nothing was dropped:\n{ended}"))?;
    ended.says(&["dropped", "note:"])?;
    let marked = markers(&std::fs::read_to_string(source)?)?;
    let found = pairs(&report)?;
    check(found.is_subset(&marked), || format!("wrongly reported: {found:?}\n{ended}"))
}

/// What executes seldom is not dropped for what executes often.
fn a_flood() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/scale/flood.c");
    let mut command = thrille(["check", "--quiet", "--no-confirm", "-n", "2", "--out", "run", "--max-records", "5000"]);
    let ended = expect(command.arg(&source).current_dir(dir.path()), 1)?;
    let report = report(&dir.path().join("run"))?;
    check(report["summary"]["dropped"].as_u64() > Some(0), || format!("nothing was dropped:\n{ended}"))?;
    let (marked, found) = (markers(&std::fs::read_to_string(source)?)?, pairs(&report)?);
    check(found == marked, || format!("{found:?} reported, {marked:?} marked:\n{ended}"))
}
