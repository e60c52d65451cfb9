//! Programs of gcc, g++ and gfortran that are compiled twice and joined: they compute what they compute without it, `full` tells what hooks tell, what is not
//! looked at costs no report and makes none up, and the compiler's command line means what it meant.

use crate::plugin::sides;
use crate::support::root;
use crate::tool::{Ended, check, expect, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;
use std::process::Command;

/// Programs of the corpus, with their numbers of ranks: locks, threads, OpenMP, C++, atomics, strings, Fortran.
const CORPUS: [(&str, &str); 12] = [
    ("shmem/put_load_race.c", "2"),
    ("shmem/omp_barrier_race.c", "2"),
    ("shmem/omp_atomic_race.c", "2"),
    ("shmem/cpp_thread_race.cpp", "2"),
    ("shmem/cpp_template_race.cpp", "2"),
    ("shmem/overlap_partial_race.c", "2"),
    ("shmem/row_iput_race.c", "2"),
    ("shmem/fprintf_string_race.c", "2"),
    ("mpi/f90_vector_load_race.f90", "2"),
    ("mpi/f90_array_assign_race.f90", "2"),
    ("mpi/f08_section_race.f90", "2"),
    ("mpi/f08_write_statement_race.f90", "2"),
];

/// All tests.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("dual::atomics_order_what_is_not_looked_at", atomics),
        trial("dual::budget_finds_what_happens_often", budget),
        trial("dual::the_command_line_means_what_it_meant", command_line),
        trial("dual::what_cannot_be_joined_is_said", refused),
        trial("dual::parts_built_in_different_ways", mixed),
    ];
    for level in ["-O0", "-O2"] {
        trials.push(trial(&format!("dual::same_output::{level}"), move || same_output(level)));
        for (name, ranks) in CORPUS {
            let title = format!("dual::full_is_what_hooks_tell::{level}::{name}");
            trials.push(trial(&title, move || full_is_what_hooks_tell(name, ranks, level)));
        }
    }
    trials
}

fn compiler(name: &str) -> &'static str {
    match (name.starts_with("mpi/"), Path::new(name).extension().and_then(|e| e.to_str())) {
        (_, Some("f90")) => "mpifort.openmpi",
        (true, Some("cpp")) => "mpicxx.openmpi",
        (true, _) => "mpicc.openmpi",
        (_, Some("cpp")) => "g++",
        _ => "gcc",
    }
}

/// Runs a compiler through the tool.
fn build(dir: &Path, how: &str, words: &[&str]) -> Result<Ended, Failed> {
    let words = ["cc", "--instrument", how, "--"].into_iter().chain(words.iter().copied());
    expect(thrille(words).current_dir(dir), 0)
}

fn is_joined(ended: &Ended) -> Outcome {
    check(!ended.stderr.contains("hooks"), || format!("not joined:\n{ended}"))
}

fn full_is_what_hooks_tell(name: &str, ranks: &str, level: &str) -> Outcome {
    let dir = temporary();
    let source = root().join("tests").join(name).display().to_string();
    let mut told = Vec::new();
    for how in ["hooks", "dual"] {
        let built =
            build(dir.path(), how, &[compiler(name), "-g", level, "-fopenmp", "-pthread", &source, "-o", how, "-lm"])?;
        if how == "dual" {
            is_joined(&built)?;
        }
        let words = ["run", "-n", ranks, "--quiet", "--no-confirm", "--sampling", "full", "--out"];
        let program = format!("./{how}");
        let ended = run(thrille(words).args([&format!("{how}.run"), &program]).current_dir(dir.path()))?;
        // With optimisation the compiler may have left out what nobody needs, in both.
        check(level != "-O0" || ended.status.code() == Some(1), || format!("a race expected:\n{ended}"))?;
        told.push(sides(&report(&dir.path().join(format!("{how}.run")))?)?);
    }
    check(told[0] == told[1], || format!("hooks: {:?}\njoined: {:?}", told[0], told[1]))
}

/// Plain, joined but not observed, not sampled, sampled, and with all accesses observed.
fn same_output(level: &str) -> Outcome {
    let dir = temporary();
    let source = root().join("tests/plugin/language.cpp").display().to_string();
    let plain = ["-w", "-DPLAIN", level, &source, "-o", "plain", "-lm"];
    check(Command::new("g++").args(plain).current_dir(dir.path()).status()?.success(), || "g++ failed".into())?;
    is_joined(&build(dir.path(), "dual", &["g++", "-w", level, &source, "-o", "joined", "-lm"])?)?;
    let expected = run(Command::new(dir.path().join("plain")).current_dir(dir.path()))?.stdout;
    let alone = run(Command::new(dir.path().join("joined")).current_dir(dir.path()))?;
    check(alone.stdout == expected && expected.lines().count() > 5, || format!("it says something else:\n{alone}"))?;
    let mut executed = Vec::new();
    for sampling in ["NL", "HA", "full"] {
        let mut observed = thrille(["run", "-n1", "--quiet", "--sampling", sampling, "--out", sampling, "./joined"]);
        let ended = run(observed.current_dir(dir.path()))?;
        ended.expect(0)?;
        check(ended.stdout == expected, || format!("with {sampling} it says something else:\n{ended}"))?;
        executed.push(report(&dir.path().join(sampling))?["summary"]["executed"].as_u64().unwrap_or(0));
    }
    check(executed[0] < executed[2] / 10 && executed[2] > 50_000, || format!("{executed:?} accesses"))
}

/// Atomic instructions order whatever is looked at, in every policy, though plain code does not tell of them.
fn atomics() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/dual/handover.c").display().to_string();
    for (name, define, code) in [("safe", "-DSAFE", 0), ("racy", "-DRACE", 1)] {
        is_joined(&build(dir.path(), "dual", &["gcc", "-g", "-O2", "-pthread", define, &source, "-o", name])?)?;
        for policy in [["--budget", "5%"], ["--sampling", "HA.5"], ["--sampling", "F.5"], ["--sampling", "full"]] {
            let program = format!("./{name}");
            let words = ["run", "-n1", "--quiet", "--no-confirm", "--out", "run"];
            let ended = run(thrille(words).args(policy).arg(program).current_dir(dir.path()))?;
            check(ended.stdout == "800 25200\n" || code == 1, || format!("{ended}"))?;
            ended.expect(code)?;
            std::fs::remove_dir_all(dir.path().join("run"))?;
        }
    }
    Ok(())
}

/// The default of `run`, and that little is executed in instrumented copies.
fn budget() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/dual/steps.c").display().to_string();
    is_joined(&build(dir.path(), "dual", &["gcc", "-g", "-O2", &source, "-o", "steps"])?)?;
    for seed in ["1", "2", "3"] {
        let words = ["run", "-n2", "--quiet", "--no-confirm", "--seed", seed, "--out", "run", "./steps"];
        let ended = run(thrille(words).current_dir(dir.path()))?;
        ended.expect(1)?;
        let report = report(&dir.path().join("run"))?;
        check(report["races"].as_array().map(Vec::len) == Some(1), || format!("one race expected: {report}"))?;
        check(report["sampling"]["policy"] == "HA", || format!("not sampled: {}", report["sampling"]))?;
        std::fs::remove_dir_all(dir.path().join("run"))?;
    }
    Ok(())
}

/// Several sources, dependencies, warnings and errors, assembly.
fn command_line() -> Outcome {
    let dir = temporary();
    let file = |name: &str, text: &str| std::fs::write(dir.path().join(name), text);
    file("a.h", "int twice(int *);\n")?;
    file("a.c", "#include \"a.h\"\nint twice(int *p) { int unused; return 2 * *p; }\n")?;
    file(
        "b.c",
        "#include \"a.h\"\n#include <stdio.h>\nint main(void) { int x = 21; printf(\"%d\\n\", twice(&x)); return 0; }\n",
    )?;
    std::fs::create_dir(dir.path().join("out"))?;
    let made = |name: &str| check(dir.path().join(name).is_file(), || format!("{name} was not made"));
    let ended = build(dir.path(), "dual", &["gcc", "-Wall", "-O2", "-MMD", "-MP", "-c", "a.c", "b.c"])?;
    check(ended.stderr.matches("unused variable").count() == 1, || format!("one warning expected:\n{ended}"))?;
    ["a.o", "b.o", "a.d", "b.d"].into_iter().try_for_each(made)?;
    let depends = std::fs::read_to_string(dir.path().join("a.d"))?;
    check(depends.starts_with("a.o: a.c a.h"), || format!("dependencies: {depends}"))?;
    build(dir.path(), "dual", &["gcc", "-O2", "-MD", "-c", "a.c", "-o", "out/other.o"])?;
    ["out/other.o", "out/other.d"].into_iter().try_for_each(made)?;
    let depends = std::fs::read_to_string(dir.path().join("out/other.d"))?;
    check(depends.starts_with("out/other.o: a.c"), || format!("dependencies: {depends}"))?;
    build(dir.path(), "dual", &["gcc", "a.o", "b.o", "-o", "linked"])?;
    build(dir.path(), "dual", &["gcc", "-g", "-O1", "-shared", "-fPIC", "a.c", "-o", "liba.so"])?;
    build(dir.path(), "dual", &["gcc", "-flto", "-O2", "b.c", "-L.", "-la", "-Wl,-rpath,.", "-o", "shared"])?;
    for program in ["./linked", "./shared"] {
        let ended = run(Command::new(program).current_dir(dir.path()))?;
        check(ended.stdout == "42\n", || format!("{program}: {ended}"))?;
    }
    build(dir.path(), "dual", &["gcc", "-O2", "-S", "a.c", "-o", "a.s"])?;
    build(dir.path(), "dual", &["gcc", "-c", "a.s", "-o", "from-assembly.o"])?;
    made("from-assembly.o")?;
    file("bad.c", "int f( { }\n")?;
    let bad = run(thrille(["cc", "--", "gcc", "-c", "bad.c"]).current_dir(dir.path()))?;
    bad.expect(1)?;
    check(bad.stderr.matches("error:").count() <= 2 && !dir.path().join("bad.o").exists(), || format!("{bad}"))
}

/// Tables of labels lead from one copy into the other: such a file is left to hooks, which is said when somebody has asked for more.
fn refused() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/plugin/machine.c").display().to_string();
    let words = ["gcc", "-w", "-O2", &source, "-o", "machine", "-lm"];
    build(dir.path(), "dual", &words)?.says(&["machine.c", "address of a label", "by hooks"])?;
    let silent = expect(thrille(["cc", "--"].into_iter().chain(words)).current_dir(dir.path()), 0)?;
    check(silent.stderr.is_empty(), || format!("nobody asked:\n{silent}"))?;
    run(thrille(["run", "-n1", "--quiet", "--out", "run", "./machine"]).current_dir(dir.path()))?.expect(0)
}

/// One part by hooks, one joined, one plain, one loaded while the program runs: each knows who called it.
fn mixed() -> Outcome {
    let dir = temporary();
    let path = |name: &str| root().join("tests/plugin").join(name).display().to_string();
    build(dir.path(), "hooks", &["gcc", "-g", "-O0", "-c", &path("mixed_main.c"), "-o", "main.o"])?;
    is_joined(&build(dir.path(), "dual", &["gcc", "-g", "-O1", "-c", &path("mixed_part.c"), "-o", "part.o"])?)?;
    let loaded = ["gcc", "-g", "-O2", "-fPIC", "-shared", &path("mixed_loaded.c"), "-o", "libloaded.so"];
    is_joined(&build(dir.path(), "dual", &loaded)?)?;
    let plain = ["-g", "-c", &path("mixed_plain.c"), "-o", "plain.o"];
    check(Command::new("gcc").args(plain).current_dir(dir.path()).status()?.success(), || "gcc failed".into())?;
    build(dir.path(), "dual", &["gcc", "main.o", "part.o", "plain.o", "-o", "mixed", "-ldl"])?;
    run(thrille(["run", "-n2", "--quiet", "--out", "run", "./mixed"]).current_dir(dir.path()))?.expect(1)?;
    let report = report(&dir.path().join("run"))?;
    let races = report["races"].as_array().ok_or("a report without races")?;
    let loads: Vec<_> = races.iter().flat_map(|race| [&race["a"], &race["b"]]).filter(|s| s["act"] == "load").collect();
    let mut functions: Vec<&str> = loads.iter().filter_map(|side| side["at"]["function"].as_str()).collect();
    functions.sort_unstable();
    functions.dedup();
    check(functions == ["by_loaded", "by_plugin", "main"], || format!("races at loads of {functions:?}: {report}"))?;
    let own = loads.iter().filter(|side| side["at"]["function"] == "by_plugin");
    let callers: Vec<&str> = own.filter_map(|side| side["stack"][0]["function"].as_str()).collect();
    check(callers == ["main"], || format!("by_plugin called from {callers:?}"))
}
