//! What people expect around a report: forms, baselines, suppressions, explanations, the live view, the manual, the doctor.

use crate::support::root;
use crate::tool::{Ended, check, expect, program, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// All of them.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("conveniences::forms", forms),
        trial("conveniences::baseline_and_diff", baseline_and_diff),
        trial("conveniences::suppressions", suppressions),
        trial("conveniences::comments", comments),
        trial("conveniences::explain", explain),
        trial("conveniences::mechanical_fixes", mechanical_fixes),
        trial("conveniences::traffic", traffic),
        trial("conveniences::repeats_are_traffic", repeats_are_traffic),
        trial("conveniences::watch", watch),
        trial("conveniences::manual", manual),
        trial("conveniences::doctor", doctor),
        trial("conveniences::bad_input", bad_input),
    ]
}

/// A directory in which a racy program has been checked.
fn racy() -> Result<TempDir, Failed> {
    let dir = temporary();
    std::fs::copy(root().join("tests/shmem/two_races_race.c"), dir.path().join("two.c"))?;
    expect(thrille(["check", "two.c", "-n", "2"]).current_dir(dir.path()), 1)?;
    Ok(dir)
}

fn last(dir: &Path) -> PathBuf {
    dir.join(".thrille/last")
}

fn forms() -> Outcome {
    let dir = racy()?;
    let in_dir = |words: &[&str], code| expect(thrille(words).current_dir(dir.path()), code);
    in_dir(&["report", "--html=r.html", "--sarif=r.sarif", "--junit=r.xml", "--github=r.txt", "--json=r.json"], 1)?;
    for (file, words) in [
        ("r.html", "<!DOCTYPE html>"),
        ("r.sarif", "\"version\": \"2.1.0\""),
        ("r.xml", "failures=\"2\""),
        ("r.txt", "::error file="),
        ("r.json", "\"races\": ["),
    ] {
        let text = std::fs::read_to_string(dir.path().join(file))?;
        check(text.contains(words), || format!("{file} lacks {words}"))?;
    }
    // In place of the text, and from the JSON as from the run.
    for (flag, start) in [
        ("--html", "<!DOCTYPE html>"),
        ("--sarif", "{"),
        ("--junit", "<?xml"),
        ("--json", "{"),
        ("--github", "::error"),
    ] {
        for from in [&["report", flag][..], &["report", flag, "r.json"]] {
            let ended = in_dir(from, 1)?;
            check(ended.stdout.starts_with(start), || format!("{from:?}\n{ended}"))?;
        }
    }
    check(last(dir.path()).join("report.html").metadata().is_err(), || "a page that nobody asked for".into())?;
    let checked = in_dir(&["check", "two.c", "-n", "2", "--html"], 1)?;
    checked.says(&["report.html"])?;
    check(last(dir.path()).join("report.html").exists(), || format!("no page in the run's directory\n{checked}"))?;
    in_dir(&["report", "--json", "--sarif"], 2)?.says(&["--sarif=FILE"])?;
    in_dir(&["report", "out.html"], 2)?.says(&["--html=out.html"])
}

fn baseline_and_diff() -> Outcome {
    let dir = racy()?;
    let in_dir = |words: &[&str], code| expect(thrille(words).current_dir(dir.path()), code);
    std::fs::copy(last(dir.path()).join("report.json"), dir.path().join("old.json"))?;
    // The same code, further down and elsewhere indented: the same races.
    let source = std::fs::read_to_string(dir.path().join("two.c"))?;
    std::fs::write(dir.path().join("two.c"), format!("/* moved */\n\n{}", source.replace("    ", "  ")))?;
    in_dir(&["check", "two.c", "-n", "2", "--baseline", "old.json"], 0)?.says(&["2 races found, 0 new"])?;
    let same = in_dir(&["diff", "old.json", ".thrille/last"], 0)?;
    check(same.stdout.contains("0 new, 0 gone, 2 still there"), || format!("{same}"))?;
    // Against a report without races, both are new; the other way round they are gone.
    let clean = root().join("tests/shmem/ring_safe.c");
    in_dir(&["check", "-n", "2", "--json=clean.json", clean.to_str().unwrap_or_default()], 0)?;
    let new = in_dir(&["diff", "clean.json", "old.json"], 1)?;
    check(new.stdout.contains("new: 2"), || format!("{new}"))?;
    let gone = in_dir(&["diff", "old.json", "clean.json", "--json"], 0)?;
    let value: Value = serde_json::from_str(&gone.stdout)?;
    check(value["gone"].as_array().is_some_and(|gone| gone.len() == 2), || format!("{gone}"))?;
    in_dir(&["diff", "old.json", "none.json"], 2)?.says(&["none.json"])?;
    in_dir(&["check", "two.c", "--baseline", "none.json"], 2)?.says(&["--baseline none.json"])
}

fn suppressions() -> Outcome {
    let dir = racy()?;
    let supp = dir.path().join("thrille.supp.toml");
    let in_dir = |words: &[&str], code| expect(thrille(words).current_dir(dir.path()), code);
    std::fs::write(
        &supp,
        "[[suppress]]\nreason = \"known\"\nfile = \"two.c\"\n\n[[suppress]]\nreason = \"unused\"\nobject = \"nothing\"\n",
    )?;
    let ended = in_dir(&["report"], 0)?;
    for words in [
        "no races found",
        "suppressed: ",
        "by thrille.supp.toml:1: known",
        "thrille.supp.toml:5 (\"unused\") matched no race",
    ] {
        check(ended.stdout.contains(words), || format!("{words}\n{ended}"))?;
    }
    in_dir(&["check", "two.c", "-n", "2"], 0)?;
    check(report(&last(dir.path()))?["suppressed"].as_array().is_some_and(|list| list.len() == 2), || {
        "none suppressed".into()
    })?;
    std::fs::write(&supp, "[[suppress]]\nreason = \"over\"\nexpires = 2020-01-01\nfile = \"two.c\"\n")?;
    let ended = in_dir(&["report"], 1)?;
    check(ended.stdout.contains("expired on 2020-01-01"), || format!("{ended}"))?;
    // They may also stand in the configuration.
    std::fs::remove_file(&supp)?;
    std::fs::write(dir.path().join("thrille.toml"), "[[suppress]]\nreason = \"known\"\nfile = \"two.c\"\n")?;
    in_dir(&["check", "two.c", "-n", "2"], 0)?;
    std::fs::remove_file(dir.path().join("thrille.toml"))?;
    // A mistake in the file is told before anything runs.
    std::fs::write(&supp, "[[suppress]]\nreason = \"x\"\nfiel = \"two.c\"\n")?;
    in_dir(&["check", "two.c", "-n", "2"], 2)?.says(&["thrille.supp.toml", "fiel"])?;
    in_dir(&["report", "--suppressions", "none.toml"], 2)?.says(&["none.toml"])
}

fn comments() -> Outcome {
    let dir = racy()?;
    let source = std::fs::read_to_string(dir.path().join("two.c"))?;
    let races = report(&last(dir.path()))?;
    let line = races["races"][0]["b"]["at"]["line"].as_u64().ok_or("no line")? as usize;
    let lines: Vec<String> = source
        .lines()
        .enumerate()
        .map(|(at, text)| if at + 1 == line { format!("{text} // thrille: benign, tested") } else { text.into() })
        .collect();
    std::fs::write(dir.path().join("two.c"), lines.join("\n"))?;
    let ended = expect(thrille(["check", "two.c", "-n", "2"]).current_dir(dir.path()), 1)?;
    ended.says(&["1 race found", "suppressed: ", &format!("by two.c:{line}: tested")])
}

fn explain() -> Outcome {
    let dir = racy()?;
    let in_dir = |words: &[&str], code| expect(thrille(words).current_dir(dir.path()), code);
    let id = report(&last(dir.path()))?["races"][1]["id"].as_str().ok_or("no id")?.to_owned();
    for what in ["2", id.as_str(), &id[..6]] {
        let ended = in_dir(&["explain", what], 0)?;
        for words in ["race 2:", &format!("id {id}"), "## How it is usually put right", "## OpenSHMEM", "two.c -n 2"] {
            check(ended.stdout.contains(words), || format!("{words}\n{ended}"))?;
        }
        check(!ended.stdout.contains("## MPI"), || format!("the other interface\n{ended}"))?;
    }
    let all = in_dir(&["explain"], 0)?;
    for kind in
        all.stdout.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned))
    {
        let page = in_dir(&["explain", &kind], 0)?;
        check(page.stdout.starts_with(&format!("# {kind}")), || format!("{page}"))?;
    }
    in_dir(&["explain", "weather"], 2)?.says(&["weather", "thrille explain"])
}

/// The suggestions where they are mechanical: what is missing, and what is there but is not enough.
fn mechanical_fixes() -> Outcome {
    for (file, call, instead_of) in [
        ("shmem/put_load_race.c", "shmem_barrier_all()", None),
        ("shmem/nbi_put_origin_stack_race.c", "shmem_quiet()", None),
        ("shmem/ctx_wrong_quiet_race.c", "shmem_ctx_quiet(", Some("shmem_ctx_quiet")),
        ("mpi/allocate_lock_all_race.c", "MPI_Win_flush", Some("MPI_Win_flush_local")),
        ("mpi/flush_all_race.c", "MPI_Win_flush_all", Some("MPI_Win_flush_local_all")),
        ("mpi/flush_wrong_target_race.c", "MPI_Win_flush", None),
        ("mpi/rput_origin_race.c", "MPI_Wait", None),
    ] {
        let dir = temporary();
        let path = root().join("tests").join(file);
        check(path.is_file(), || format!("{file} is gone"))?;
        expect(thrille(["check", "-n", "3", "--out", "run"]).arg(&path).current_dir(dir.path()), 1)?;
        let report = report(&dir.path().join("run"))?;
        let races = report["races"].as_array().ok_or("no races")?;
        let fits = |race: &Value| {
            let fix = &race["why"]["fix"];
            fix["call"].as_str().is_some_and(|found| found.starts_with(call))
                && fix["instead_of"].as_str() == instead_of
        };
        check(races.iter().any(fits), || {
            format!("{file}: {call}, instead of {instead_of:?}, is not suggested: {}", races[0]["why"])
        })?;
    }
    Ok(())
}

fn traffic() -> Outcome {
    let dir = racy()?;
    let report = report(&last(dir.path()))?;
    let rows = report["traffic"].as_array().ok_or("no traffic")?;
    check(
        !rows.is_empty() && rows.iter().all(|row| row["from"] != row["to"] && row["operations"].as_u64() > Some(0)),
        || format!("{rows:?}"),
    )?;
    check(report["pairs"].as_array().is_some_and(|pairs| !pairs.is_empty()), || "no racing pairs".into())
}

/// Operations that repeat are recorded once, and counted each time.
fn repeats_are_traffic() -> Outcome {
    let dir = temporary();
    let text = "#include <mpi.h>\nint main(void)\n{\n    MPI_Init(0, 0);\n    long *mem, v = 1;\n    int me;\n    MPI_Win win;\n\
                MPI_Comm_rank(MPI_COMM_WORLD, &me);\n    MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);\n\
                MPI_Win_lock_all(0, win);\n    for (int i = 0; me == 0 && i < 1000; i++) {\n\
                MPI_Put(&v, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);\n        MPI_Win_flush(1, win);\n    }\n\
                MPI_Win_unlock_all(win);\n    MPI_Win_free(&win);\n    MPI_Finalize();\n}\n";
    std::fs::write(dir.path().join("again.c"), text)?;
    expect(thrille(["check", "again.c", "-n", "2", "--out", "run"]).current_dir(dir.path()), 0)?;
    let report = report(&dir.path().join("run"))?;
    let row = serde_json::json!([{ "from": 0, "to": 1, "operations": 1000, "bytes": 8000 }]);
    check(report["traffic"] == row, || format!("{:#}", report["traffic"]))
}

fn watch() -> Outcome {
    let dir = racy()?;
    let ended = expect(thrille(["check", "two.c", "-n", "2", "--watch"]).current_dir(dir.path()), 1)?;
    ended.says(&["thrille: ", "2 of 2 ranks heard of", "2 races so far"])?;
    check(!ended.stderr.contains('\x1b'), || format!("escapes without a terminal\n{ended}"))?;
    // With a budget, what is spent of it.
    let ended = run(thrille(["check", "two.c", "-n", "2", "--watch", "--budget", "50%"]).current_dir(dir.path()))?;
    ended.says(&["overhead ", " % of 50%"])?;
    expect(thrille(["check", "two.c", "--watch", "--quiet"]).current_dir(dir.path()), 2)?.says(&["--quiet"])
}

fn manual() -> Outcome {
    let dir = temporary();
    expect(thrille(["man", "pages"]).current_dir(dir.path()), 0)?;
    for name in
        ["thrille.1", "thrille-check.1", "thrille-run.1", "thrille-report.1", "thrille-diff.1", "thrille-explain.1"]
    {
        let text =
            std::fs::read_to_string(dir.path().join("pages").join(name)).map_err(|error| format!("{name}: {error}"))?;
        check(text.contains(".TH ") && text.contains(".SH"), || format!("{name} is no manual page\n{text}"))?;
    }
    let report = std::fs::read_to_string(dir.path().join("pages/thrille-report.1"))?;
    check(report.contains("sarif"), || format!("options are missing\n{report}"))?;
    for (shell, words) in [("bash", "complete -F"), ("zsh", "#compdef thrille"), ("fish", "complete -c thrille")] {
        let ended = expect(&mut thrille(["completions", shell]), 0)?;
        check(ended.stdout.contains(words) && ended.stdout.contains("baseline"), || format!("{shell}\n{ended}"))?;
        if shell == "bash" {
            let file = dir.path().join("thrille.bash");
            std::fs::write(&file, &ended.stdout)?;
            expect(Command::new("bash").arg("-n").arg(&file), 0)?;
        }
    }
    Ok(())
}

fn doctor() -> Outcome {
    let ended: Ended = expect(&mut thrille(["doctor"]), 0)?;
    for words in ["ok       OpenSHMEM library", "ok       C compiler", "Open MPI", "MPICH", "OpenMP runtime", "Ready"] {
        check(ended.stdout.contains(words), || format!("{words}\n{ended}"))?;
    }
    let bare = expect(thrille(["doctor"]).env("PATH", "/nonexistent"), 2)?;
    for words in ["missing  C compiler", "apt install gcc", "absent   Fortran compiler", "apt install openmpi-bin"] {
        check(bare.stdout.contains(words), || format!("{words}\n{bare}"))?;
    }
    Ok(())
}

fn bad_input() -> Outcome {
    let dir = racy()?;
    let in_dir = |words: &[&str]| run(thrille(words).current_dir(dir.path()));
    let whole = std::fs::read(last(dir.path()).join("report.json"))?;
    std::fs::write(dir.path().join("cut.json"), &whole[..whole.len() * 3 / 4])?;
    let cut = in_dir(&["report", "cut.json"])?;
    check(cut.status.code() == Some(1) && cut.stdout.contains("damaged"), || format!("{cut}"))?;
    for (name, text) in [("foreign.json", "{\"version\": \"2.1.0\"}"), ("empty.json", ""), ("list.json", "[1, 2]")] {
        std::fs::write(dir.path().join(name), text)?;
        let ended = in_dir(&["report", name])?;
        ended.expect(2)?;
        ended.says(&[name, "is not a report of thrille"])?;
    }
    // Names that are not UTF-8, and sources that are gone.
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.c"));
    std::fs::copy(dir.path().join("two.c"), &odd)?;
    let ended = expect(thrille(["check", "-n", "2", "--html=odd.html"]).arg(&odd).current_dir(dir.path()), 1)?;
    ended.says(&["2 races found"])?;
    std::fs::remove_file(dir.path().join("two.c"))?;
    let first = std::fs::read_dir(dir.path().join(".thrille"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|p| p.is_dir() && !p.is_symlink())
        .min();
    let ended = expect(thrille(["report"]).arg(first.ok_or("no run")?).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains("the source of two.c is not here"), || format!("{ended}"))?;
    let minus = expect(thrille(["check", "-n", "-1"]).arg(program("honest.c")), 2)?;
    minus.says(&["-1", "no negative number of ranks", "-n 4"])
}
