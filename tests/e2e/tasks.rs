//! Races between tasks of a rank (`--tasks`): the pairs of programs in `tests/tasks`, under each mode, with gcc's hooks and clang's plugin.

use crate::corpus::{self, Program};
use crate::support::{THRILLE, root};
use crate::tool::{Ended, check, expect, pairs, program, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const MODES: [&str; 6] = ["esp-bags", "stint", "treaps", "coalesced", "vanilla", "pint"];

/// What the report says whenever tasks were followed.
const USUAL: &str = "tasks were run by";
/// And when a wait left grandchildren behind.
const IRREGULAR: &str = "a task waited for its children while";
/// And when tasks used what their thread has for itself.
const BOUND: &str = "used their thread's number or memory";

pub fn trials() -> Vec<Trial> {
    let programs = match corpus::programs_in("tests/tasks") {
        Ok(programs) => programs,
        Err(error) => return vec![trial("tasks", move || Err(error.into()))],
    };
    let mut trials = Vec::new();
    for program in programs {
        for clang in [None, Some(16)] {
            let program = program.built_by(clang);
            let compiler = if clang.is_some() { "clang" } else { "gcc" };
            let name = format!("tasks::{compiler}::{}", program.name);
            trials.push(trial(&name, move || judge(&program)));
        }
    }
    trials.push(trial("tasks::what_is_not_followed_is_said", unfit));
    trials.push(trial("tasks::many_deep_and_wide", many));
    trials.push(trial("tasks::one_after_the_other", one_after_the_other));
    trials.push(trial("tasks::a_stack_without_limit", a_stack_without_limit));
    trials.push(trial("tasks::no_such_mode", no_such_mode));
    trials.push(trial("tasks::detached", detached));
    trials.push(trial("tasks::what_threads_have_for_themselves", what_threads_have));
    for (source, sizes) in BENCHMARKS {
        for racy in [false, true] {
            let name = format!("tasks::pint::{source}_{}", if racy { "race" } else { "safe" });
            trials.push(trial(&name, move || agree(source, sizes, racy)));
        }
    }
    let mpi = corpus::mpi_programs("openmpi").unwrap_or_default();
    match corpus::programs_in("tests/shmem") {
        Ok(programs) => {
            let all = programs.into_iter().chain(mpi);
            let openmp = |program: &Program| program.name().starts_with("omp_");
            for program in all.filter(openmp) {
                let name = format!("tasks::pint::{}{}", program.engine(), program.name());
                trials.push(trial(&name, move || all_of_openmp(&program)));
            }
        }
        Err(error) => trials.push(trial("tasks::pint::omp", move || Err(error.into()))),
    }
    for (source, compiler) in
        [("mmul", "clang-16"), ("sort", "clang-16"), ("strassen", "gcc"), ("strassen", "clang-16")]
    {
        let name = format!("tasks::with_threads::{source}::{compiler}");
        trials.push(trial(&name, move || with_threads(source, compiler)));
    }
    trials
}

/// The programs of `nas-bench/tasks`, and sizes for a test.
const BENCHMARKS: [(&str, &[&str]); 7] = [
    ("chol", &["128", "16"]),
    ("fft", &["10"]),
    ("heat", &["128", "128", "5"]),
    ("mmul", &["128", "32"]),
    ("sort", &["50000"]),
    ("strassen", &["128"]),
    ("strassen-z", &["128"]),
];

/// PINT on four threads says what STINT says of a serial run.
fn agree(source: &str, sizes: &[&str], racy: bool) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("built");
    let cc = format!("clang-16 -O2 -fopenmp{}", if racy { " -DRACY" } else { "" });
    let words = ["check", "-n1", "--quiet", "--no-confirm", "--tasks", "pint", "--out"];
    let mut command = thrille(words);
    command.arg(&out).arg("--cc").arg(cc).arg(root().join(format!("nas-bench/tasks/{source}.c"))).arg("--");
    let ended = run(command.args(sizes).env("OMP_NUM_THREADS", "4").current_dir(dir.path()))?;
    ended.expect(i32::from(racy))?;
    ended.says(&["tasks were run by 4 threads"])?;
    let file = std::fs::read_dir(out.join("bin"))?.flatten().next().ok_or("nothing was built")?.path();
    let words = ["run", "-n1", "--quiet", "--no-confirm", "--tasks", "stint"];
    expect(thrille(words).arg(file).args(sizes).current_dir(dir.path()), i32::from(racy)).map(drop)
}

/// Programs with all that OpenMP has, on several threads under PINT: what it cannot follow is left to the rest of the tool or said, and nothing false is.
fn all_of_openmp(program: &Program) -> Outcome {
    let dir = temporary();
    let ranks = *program.ranks().last().ok_or("no number of ranks")?;
    let mut command = thrille(program.check(ranks, &dir.path().join("run")));
    command.args(["--tasks", "pint"]).env("OMP_NUM_THREADS", "4");
    let ended = run(command.current_dir(dir.path()))?;
    if program.is_racy() && ended.expect(0).is_ok() {
        return ended.says(&["the task graph is not one that pint knows"]);
    }
    ended.expect(i32::from(program.is_racy()))?;
    Ok(())
}

/// Tasks by the thousand on several threads, without a mode: what the runtime uses again for one after the other belongs to nobody.
fn with_threads(source: &str, compiler: &str) -> Outcome {
    let dir = temporary();
    let source = root().join(format!("nas-bench/tasks/{source}.c"));
    let mut command = thrille(["check", "--quiet", "--no-confirm", "-n", "1", "--cc"]);
    command.arg(format!("{compiler} -O2 -fopenmp")).arg(source).env("OMP_NUM_THREADS", "4");
    expect(command.current_dir(dir.path()), 0).map(drop)
}

/// The notes of a report but for those that are always there.
fn notes(report: &Value) -> Vec<&str> {
    let all = report["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    all.filter(|note| !note.contains(USUAL)).collect()
}

/// Built once, run under each mode: the same pairs.
fn judge(program: &Program) -> Outcome {
    let dir = temporary();
    let ranks = *program.ranks().last().ok_or("no number of ranks")?;
    let built = dir.path().join("built");
    let mut executable = None;
    for mode in MODES {
        let out = executable.as_ref().map_or_else(|| built.clone(), |_| dir.path().join(mode));
        let ended = match &executable {
            None => run(thrille(program.check(ranks, &out)).args(["--tasks", mode]).current_dir(dir.path()))?,
            Some(file) => {
                let words = ["run", "--quiet", "--no-confirm", "--tasks", mode, "--out"];
                let mut command = thrille(words);
                command.arg(&out).arg(format!("-n{ranks}")).arg(file);
                // Heeded where tasks run in parallel.
                run(command.env("OMP_NUM_THREADS", "4").current_dir(dir.path()))?
            }
        };
        verdict(program, mode, &out, &ended)?;
        if executable.is_none() {
            let file = std::fs::read_dir(built.join("bin"))?.flatten().next().ok_or("nothing was built")?;
            executable = Some(file.path());
        }
    }
    Ok(())
}

fn verdict(program: &Program, mode: &str, out: &Path, ended: &Ended) -> Result<(), Failed> {
    let report = report(out)?;
    let found = pairs(&report)?;
    if mode == "pint" && notes(&report).iter().any(|note| note.contains(IRREGULAR)) {
        // Two orders cannot tell what the wait has left behind: that is said, and nothing else is.
        return check(found.iter().all(|pair| program.pairs.contains(pair)), || {
            format!("{found:?} reported:\n{ended}")
        });
    }
    ended.expect(i32::from(program.is_racy()))?;
    check(found == program.pairs, || format!("{mode}: {found:?} reported, not {:?}:\n{ended}", program.pairs))?;
    let stray: Vec<&str> =
        notes(&report).into_iter().filter(|note| !note.contains(IRREGULAR) && !note.contains(BOUND)).collect();
    check(stray.is_empty(), || format!("{mode}: notes on a regular run: {stray:?}"))?;
    check(ended.stdout.is_empty(), || format!("the program prints nothing:\n{ended}"))
}

/// Programs whose task graph is another one: nothing is reported that is none, and the report says what was not followed.
fn unfit() -> Outcome {
    for (which, word) in
        [("DEPEND", "depend clauses"), ("REDUCTION", "reductions over tasks"), ("ACQUIRE", "acquiring atomic")]
    {
        for mode in ["esp-bags", "stint", "pint"] {
            let dir = temporary();
            let out = dir.path().join("run");
            let source = program("tasks_unfit.c");
            let words = ["check", "-n1", "--quiet", "--no-confirm", "--tasks", mode, "--cc"];
            let cc = format!("gcc -fopenmp -D{which}");
            let ended = expect(thrille(words).arg(cc).arg("--out").args([&out, &source]).current_dir(dir.path()), 0)?;
            // On several threads it may not have happened.
            if (mode, which) != ("pint", "ACQUIRE") {
                ended.says(&["the task graph is not one that", word, "run without --tasks"])?;
            }
        }
    }
    Ok(())
}

/// Many tasks next to each other, and some in each other: no false race, and memory stays bounded, also at the end of the run.
fn many() -> Outcome {
    for (mode, most) in [("esp-bags", 400_000), ("stint", 400_000), ("pint", 200_000)] {
        let dir = temporary();
        let source = program("tasks_many.c");
        let wide = if corpus::nightly() { "1000000" } else { "200000" };
        let words = ["check", "-n1", "--quiet", "--no-confirm", "--tasks", mode];
        let mut command = thrille(words);
        command.arg(&source).args(["--", wide, "2000"]).env("OMP_NUM_THREADS", "4");
        let ended = expect(command.current_dir(dir.path()), 0)?;
        let peak: u64 = ended.stdout.trim().parse().map_err(|_| format!("no number of kilobytes:\n{ended}"))?;
        check(peak < most, || format!("{mode}: {peak} kB"))?;
    }
    Ok(())
}

/// Tasks each of which creates the next and does not wait for it: what is complete keeps nobody that came before. The plain program takes 73 MB, since libomp keeps who created a task.
fn one_after_the_other() -> Outcome {
    let dir = temporary();
    let mut command = thrille(["check", "-n1", "--quiet", "--no-confirm", "--tasks", "pint"]);
    command.arg(program("tasks_chain.c")).args(["--", "100000"]).env("OMP_NUM_THREADS", "2");
    let ended = expect(command.current_dir(dir.path()), 0)?;
    let peak: u64 = ended.stdout.trim().parse().map_err(|_| format!("no number of kilobytes:\n{ended}"))?;
    check(peak < 250_000, || format!("{peak} kB"))
}

/// Without a limit the stack is said to reach down to the heap: that is not the stack's, and not forgotten with it.
fn a_stack_without_limit() -> Outcome {
    let programs = corpus::programs_in("tests/tasks")?;
    for program in programs.iter().filter(|p| ["heap_race", "nest_race", "heap_safe"].contains(&p.name())) {
        for tasks in [&["--tasks", "stint"][..], &[]] {
            let dir = temporary();
            let mut command = Command::new("sh");
            command.args([
                "-c",
                "ulimit -s unlimited; exec \"$@\"",
                "sh",
                THRILLE,
                "check",
                "-n1",
                "--quiet",
                "--no-confirm",
            ]);
            let ended = run(command.args(tasks).arg(program.path()).current_dir(dir.path()))?;
            ended.expect(i32::from(program.is_racy()))?;
        }
    }
    Ok(())
}

/// What comes before the fulfilment of an event comes before what depends on the detached task, whichever of its end and its event is first.
fn detached() -> Outcome {
    for (name, code) in [("detach_safe.c", 0), ("detach_race.c", 1)] {
        for tasks in [&["--tasks", "pint"][..], &[]] {
            let dir = temporary();
            let mut command = thrille(["check", "-n1", "--quiet", "--no-confirm", "--cc", "clang-16 -fopenmp"]);
            command.args(tasks).arg(program(name)).env("OMP_NUM_THREADS", "4");
            expect(command.current_dir(dir.path()), code)?;
        }
    }
    Ok(())
}

/// On one thread all tasks have one number, and one copy of what each thread has its own of: that is no race.
fn what_threads_have() -> Outcome {
    let programs = corpus::programs_in("tests/shmem")?;
    let names = ["omp_task_number_safe", "omp_task_number_race", "omp_task_private_safe", "omp_task_private_race"];
    for program in programs.iter().filter(|p| names.contains(&p.name())) {
        for mode in ["esp-bags", "stint"] {
            let dir = temporary();
            let mut command = thrille(program.check(2, &dir.path().join("run")));
            run(command.args(["--tasks", mode]).current_dir(dir.path()))?.expect(i32::from(program.is_racy()))?;
        }
    }
    Ok(())
}

fn no_such_mode() -> Outcome {
    let dir = temporary();
    let ended = expect(thrille(["run", "--tasks", "cilk", "/bin/true"]).current_dir(dir.path()), 2)?;
    ended.says(&["--tasks cilk", "it is esp-bags, stint or pint"])
}
