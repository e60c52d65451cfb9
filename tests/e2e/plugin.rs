//! The plugins for clang and gcc: programs compute what they compute without it, parts built in different ways go together, what is told with full sampling is what
//! hooks tell, and compilers that there is no plugin for are said to be so.

use crate::support::root;
use crate::tool::{check, expect, pairs, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn nightly() -> bool {
    std::env::var_os("THRILLE_NIGHTLY").is_some()
}

/// All tests.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("plugin::parts_built_in_different_ways", mixed),
        trial("plugin::full_is_what_hooks_tell::clang", || {
            // Nothing is left out, neither by the sanitizer nor by the plugin.
            full_is_what_hooks_tell(["clang-16 -O0 -mllvm -tsan-instrument-read-before-write=1", "clang-16 -O0"])
        }),
        trial("plugin::full_is_what_hooks_tell::gcc", || full_is_what_hooks_tell(["gcc -O0"; 2])),
        trial("plugin::what_the_optimiser_puts_before_a_loop_has_a_line", before_a_loop),
        trial("plugin::no_plugin_for_the_compiler", no_plugin),
        trial("plugin::site_numbers_stay", site_numbers_stay),
        trial("plugin::another_version", another_version),
        trial("plugin::initialisers_of_reductions", initialisers_of_reductions),
        trial("plugin::what_is_not_executed", what_is_not_executed),
        trial("plugin::by_value", by_value),
        trial("plugin::what_branches_do_alike", what_branches_do_alike),
    ];
    for compiler in ["clang-16", "gcc"] {
        trials.push(trial(&format!("plugin::code_that_runs_once_behind_a_loop::{compiler}"), move || {
            found_within_budgets(compiler, "tests/sampling/behind_loop_race.c", &[(18, 24), (22, 25)])
        }));
        trials.push(trial(&format!("plugin::the_last_iterations_of_a_nest::{compiler}"), move || {
            found_within_budgets(compiler, "tests/plugin/ghost.c", &[(17, 33)])
        }));
    }
    let levels: &[u32] = if nightly() { &[0, 1, 2, 3] } else { &[0, 2] };
    let compilers: &[&str] = if nightly() { &["clang-16", "clang-19", "gcc"] } else { &["clang-16", "gcc"] };
    for &compiler in compilers {
        for &level in levels {
            for program in ["machine.c", "language.cpp", "lanes.c"] {
                let name = format!("plugin::same_output::{program}::{compiler}::O{level}");
                trials.push(trial(&name, move || same_output(program, compiler, level)));
            }
        }
    }
    trials
}

fn source(name: &str) -> PathBuf {
    root().join("tests/plugin").join(name)
}

/// The same for C++, if that is what it is.
fn of_its_language(name: &str, compiler: &str) -> String {
    if Path::new(name).extension().is_some_and(|e| e == "cpp") {
        compiler.replace("clang", "clang++").replace("gcc", "g++")
    } else {
        compiler.to_owned()
    }
}

/// Runs a compiler through the tool.
fn build(dir: &Path, how: &str, words: &[&str]) -> Outcome {
    let words = ["cc", "--instrument", how, "--"].into_iter().chain(words.iter().copied());
    expect(thrille(words).current_dir(dir).env("THRILLE_PLUGIN", "verify"), 0).map(|_| ())
}

/// Plain, built with the plugin but not observed, not sampled, and with all accesses observed.
fn same_output(name: &str, compiler: &str, level: u32) -> Outcome {
    let dir = temporary();
    let (path, level) = (source(name).display().to_string(), format!("-O{level}"));
    let compiler = of_its_language(name, compiler);
    let plain = Command::new(&compiler)
        .args(["-w", "-DPLAIN", "-fopenmp-simd", &level, &path, "-o", "plain", "-lm"])
        .current_dir(dir.path())
        .status()?;
    check(plain.success(), || format!("{compiler} failed"))?;
    build(dir.path(), "plugin", &[&compiler, "-w", "-fopenmp-simd", &level, &path, "-o", "doubled", "-lm"])?;
    let expected = run(Command::new(dir.path().join("plain")).current_dir(dir.path()))?.stdout;
    check(expected.lines().count() > 5, || format!("the program says too little: {expected}"))?;
    let alone = run(Command::new(dir.path().join("doubled")).current_dir(dir.path()))?;
    check(alone.stdout == expected, || format!("built with the plugin it says something else:\n{alone}"))?;
    let mut executed = Vec::new();
    // With the last, control goes from copy to copy all the time.
    for sampling in ["NL", "full", "HA.5"] {
        let mut observed = thrille(["run", "-n1", "--quiet", "--out", sampling, "./doubled"]);
        let ended = run(observed.current_dir(dir.path()).env("THRILLE_SAMPLING", sampling))?;
        ended.expect(0)?;
        check(ended.stdout == expected, || format!("with {sampling} it says something else:\n{ended}"))?;
        executed.push(report(&dir.path().join(sampling))?["summary"]["executed"].as_u64().unwrap_or(0));
    }
    // The function with computed jumps is left to hooks, which see what they see.
    check(executed[0] < executed[1] / 10 && executed[1] > 50_000, || {
        format!("{executed:?} accesses, without and with")
    })?;
    Ok(())
}

/// One part by hooks, one by the plugin, one not at all, one loaded while the program runs.
fn mixed() -> Outcome {
    let dir = temporary();
    let path = |name: &str| source(name).display().to_string();
    build(dir.path(), "hooks", &["clang-16", "-g", "-O0", "-c", &path("mixed_main.c"), "-o", "main.o"])?;
    build(dir.path(), "plugin", &["clang-16", "-g", "-O1", "-c", &path("mixed_part.c"), "-o", "part.o"])?;
    let loaded = ["clang-19", "-g", "-O2", "-fPIC", "-shared", &path("mixed_loaded.c"), "-o", "libloaded.so"];
    build(dir.path(), "plugin", &loaded)?;
    let plain = ["-g", "-c", &path("mixed_plain.c"), "-o", "plain.o"];
    check(Command::new("gcc").args(plain).current_dir(dir.path()).status()?.success(), || "gcc failed".into())?;
    build(dir.path(), "plugin", &["gcc", "main.o", "part.o", "plain.o", "-o", "mixed", "-ldl"])?;
    let mut observed = thrille(["run", "-n2", "--quiet", "--out", "run", "./mixed"]);
    run(observed.current_dir(dir.path()))?.expect(1)?;
    let report = report(&dir.path().join("run"))?;
    let races = report["races"].as_array().ok_or("a report without races")?;
    let loads: Vec<_> = races.iter().flat_map(|race| [&race["a"], &race["b"]]).filter(|s| s["act"] == "load").collect();
    let functions: BTreeSet<&str> = loads.iter().filter_map(|side| side["at"]["function"].as_str()).collect();
    let expected = BTreeSet::from(["main", "by_plugin", "by_loaded"]);
    check(functions == expected, || format!("races at loads of {functions:?} instead of {expected:?}: {report}"))?;
    // The plugin's functions know who called them.
    let own = loads.iter().filter(|side| side["at"]["function"] == "by_plugin");
    let callers: Vec<&str> = own.filter_map(|side| side["stack"][0]["function"].as_str()).collect();
    check(callers == ["main"], || format!("by_plugin called from {callers:?}"))
}

/// A part that was compiled for an older version of the hooks is linked with others, runs as if it were plain, and is named. How it is made of a new one says
/// what makes a version.
fn another_version() -> Outcome {
    let dir = temporary();
    let path = |name: &str| source(name).display().to_string();
    for (name, flag) in [("mixed_main", "-O0"), ("mixed_part", "-O1")] {
        let object = format!("{name}.s");
        build(dir.path(), "plugin", &["clang-16", flag, "-S", &path(&format!("{name}.c")), "-o", &object])?;
    }
    let part = dir.path().join("mixed_part.s");
    let new = std::fs::read_to_string(&part)?;
    let old = new.replace("thrille_register_3", "thrille_register").replace("thrille_functions_3", "thrille_functions");
    check(old != new, || "the version is not in the names".into())?;
    std::fs::write(&part, old + "\t.data\n\t.quad\tthrille_last\n")?;
    let loaded = ["clang-16", "-O2", "-fPIC", "-shared", &path("mixed_loaded.c"), "-o", "libloaded.so"];
    build(dir.path(), "plugin", &loaded)?;
    let plain = ["-c", &path("mixed_plain.c"), "-o", "plain.o"];
    check(Command::new("gcc").args(plain).current_dir(dir.path()).status()?.success(), || "gcc failed".into())?;
    let parts = ["clang-16", "mixed_main.s", "mixed_part.s", "plain.o", "-o", "mixed", "-ldl"];
    build(dir.path(), "plugin", &parts)?;
    let mut observed = thrille(["run", "-n2", "--out", "run", "./mixed"]);
    let ended = run(observed.current_dir(dir.path()))?;
    ended.expect(1)?;
    ended.says(&["mixed contains code that another version of thrille compiled", "compile it anew"])?;
    let report = report(&dir.path().join("run"))?;
    let races = report["races"].as_array().ok_or("a report without races")?;
    let sides = races.iter().flat_map(|race| [&race["a"], &race["b"]]).filter(|side| side["act"] == "load");
    let functions: BTreeSet<&str> = sides.filter_map(|side| side["at"]["function"].as_str()).collect();
    let expected = BTreeSet::from(["main", "by_loaded"]);
    check(functions == expected, || format!("races at loads of {functions:?} instead of {expected:?}: {report}"))
}

/// What no execution loads is in no race, wherever the optimiser would like to load it; and what one does is.
fn what_is_not_executed() -> Outcome {
    let path = source("conditions.c").display().to_string();
    let mut ways = vec![("plugin", "clang-16 -O2"), ("plugin", "gcc -O2"), ("dual", "gcc -O2"), ("hooks", "gcc -O1")];
    if nightly() {
        ways.extend([
            ("plugin", "clang-19 -O1"),
            ("plugin", "clang-19 -O3"),
            ("plugin", "gcc -O3"),
            ("dual", "gcc -O3"),
        ]);
    }
    for (how, compiler) in ways {
        let dir = temporary();
        let words = ["check", &path, "-n2", "--quiet", "--no-confirm", "--instrument", how, "--cc", compiler];
        run(thrille(words).current_dir(dir.path()))?.expect(0)?;
        let out = ["--out", "run", "--", "racy"];
        run(thrille(words.into_iter().chain(out)).current_dir(dir.path()))?.expect(1)?;
        let report = report(&dir.path().join("run"))?;
        let races = report["races"].as_array().ok_or("a report without races")?;
        let sides = races.iter().flat_map(|race| [&race["a"], &race["b"]]);
        let local: BTreeSet<&str> = sides.filter_map(|side| side["at"]["function"].as_str()).collect();
        let expected = BTreeSet::from(["add", "choose", "main", "total"]);
        check(local == expected, || format!("{compiler}: races in {local:?} instead of {expected:?}: {report}"))?;
    }
    Ok(())
}

/// What a call copies to pass it by value is read there.
fn by_value() -> Outcome {
    let dir = temporary();
    let path = source("by_value.c").display().to_string();
    let words = ["check", &path, "-n2", "--quiet", "--no-confirm", "--cc", "clang-16 -O1", "--out", "run"];
    run(thrille(words).current_dir(dir.path()))?.expect(1)?;
    let report = report(&dir.path().join("run"))?;
    let races = report["races"].as_array().ok_or("a report without races")?;
    let lines: Vec<_> =
        races.iter().map(|race| (race["a"]["at"]["line"].as_u64(), race["b"]["at"]["line"].as_u64())).collect();
    check(matches!(lines[..], [(Some(18), Some(20)) | (Some(20), Some(18))]), || format!("races at {lines:?}"))
}

/// Optimised programs name each line of two that are alike.
fn what_branches_do_alike() -> Outcome {
    let mut ways = vec![("plugin", "clang-16 -O2"), ("plugin", "gcc -O2"), ("hooks", "gcc -O2")];
    if nightly() {
        ways.extend([("plugin", "clang-19 -O3"), ("plugin", "gcc -O3"), ("dual", "gcc -O3"), ("hooks", "gcc -O1")]);
    }
    let expected = BTreeSet::from([(11, 35), (17, 35), (27, 29), (36, 44), (37, 46), (36, 48), (37, 50)]);
    let path = root().join("tests/shmem/alike_race.c").display().to_string();
    for (how, compiler) in ways {
        let dir = temporary();
        let words = ["check", &path, "-n3", "--quiet", "--no-confirm", "--instrument", how, "--cc", compiler];
        run(thrille(words.into_iter().chain(["--out", "run"])).current_dir(dir.path()))?.expect(1)?;
        let found = pairs(&report(&dir.path().join("run"))?)?;
        check(found == expected, || format!("{compiler}: {found:?} instead of {expected:?}"))?;
    }
    Ok(())
}

/// Clang's do not wait for each other, inlined or not.
fn initialisers_of_reductions() -> Outcome {
    let dir = temporary();
    for level in ["-O0", "-O2"] {
        for (verdict, code) in [("safe", 0), ("race", 1)] {
            let path = root().join(format!("tests/shmem/omp_declare_reduction_{verdict}.c")).display().to_string();
            let compiler = format!("clang-16 -fopenmp {level}");
            let words = ["check", &path, "-n2", "--quiet", "--instrument", "plugin", "--cc", &compiler];
            run(thrille(words).current_dir(dir.path()))?.expect(code)?;
        }
    }
    Ok(())
}

/// The program's races, in which every load and store of shared memory takes part, are the same.
fn full_is_what_hooks_tell(compilers: [&str; 2]) -> Outcome {
    let dir = temporary();
    let path = source("every_kind.c").display().to_string();
    let mut told = Vec::new();
    for (how, compiler) in ["hooks", "plugin"].into_iter().zip(compilers) {
        let words = ["check", &path, "-n2", "--quiet", "--instrument", how, "--cc", compiler, "--out", how];
        let mut observed = thrille(words);
        run(observed.current_dir(dir.path()).env("THRILLE_PLUGIN", "no-eliminate"))?.expect(1)?;
        told.push(sides(&report(&dir.path().join(how))?)?);
    }
    check(told[0].len() > 25, || format!("only {} accesses", told[0].len()))?;
    let (only_hooks, only_plugin): (Vec<_>, Vec<_>) =
        (told[0].difference(&told[1]).collect(), told[1].difference(&told[0]).collect());
    check(told[0] == told[1], || format!("only hooks: {only_hooks:?}\nonly the plugin: {only_plugin:?}"))
}

/// What runs once behind a hot loop is found with certainty, whatever the seed and the policy.
fn found_within_budgets(compiler: &str, source: &str, expected: &[(u64, u64)]) -> Outcome {
    let dir = temporary();
    let source = root().join(source).display().to_string();
    build(dir.path(), "plugin", &[compiler, "-g", "-O2", &source, "-o", "racy"])?;
    for policy in [["--budget", "5%"], ["--budget", "1%"], ["--sampling", "H0"]] {
        for seed in ["1", "2", "3"] {
            let words = ["run", "-n2", "--quiet", "--no-confirm", "--out", "run", "--seed", seed];
            run(thrille(words).args(policy).arg("./racy").current_dir(dir.path()))?.expect(1)?;
            let found = pairs(&report(&dir.path().join("run"))?)?;
            let right = found.iter().eq(expected);
            check(right, || format!("{policy:?}, seed {seed}: {found:?}"))?;
            std::fs::remove_dir_all(dir.path().join("run"))?;
        }
    }
    Ok(())
}

/// A load that the optimiser makes by itself is at the line of what it makes it of.
fn before_a_loop() -> Outcome {
    let dir = temporary();
    let words = ["check", &source("register.c").display().to_string(), "-n2", "--quiet", "--cc", "clang-16 -g -O2"];
    run(thrille(words).args(["--no-confirm", "--out", "run"]).current_dir(dir.path()))?.expect(1)?;
    let report = report(&dir.path().join("run"))?;
    let (found, sides) = (pairs(&report)?, sides(&report)?);
    check(found == BTreeSet::from([(12, 15)]) && sides.len() == 3, || format!("{found:?}, {sides:?}"))
}

/// Line, column, kind and bytes of each access that raced.
pub fn sides(report: &serde_json::Value) -> Result<BTreeSet<String>, Failed> {
    let races = report["races"].as_array().ok_or("a report without races")?;
    let both = |race: &serde_json::Value| {
        let bytes = &race["object"]["bytes"];
        ["a", "b"].map(|side| {
            let (side, at) = (&race[side], &race[side]["at"]);
            format!("{}:{} {} {} {bytes}", at["line"], at["column"], side["act"], side["kind"])
        })
    };
    Ok(races.iter().flat_map(both).collect())
}

/// A compiler that there is no plugin for is said to be one; the program is instrumented all the same.
fn no_plugin() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let dir = temporary();
    let path = source("every_kind.c").display().to_string();
    let old = dir.path().join("oldcc");
    let script = "#!/bin/sh\ncase \"$*\" in --version) echo 'gcc (GCC) 9.4.0'; echo 'Free Software Foundation';; *) exec gcc \"$@\";; esac\n";
    std::fs::write(&old, script)?;
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o700))?;
    let old = old.display().to_string();
    let words = ["check", &path, "-n2", "--quiet", "--instrument", "plugin", "--cc", &old, "--out", "run"];
    let ended = run(thrille(words).current_dir(dir.path()))?;
    ended.expect(1)?;
    ended.says(&["no plugin for this gcc", "by hooks"])?;
    check(!pairs(&report(&dir.path().join("run"))?)?.is_empty(), || "no races".into())
}

/// A function's number does not depend on other files, nor on what else is in its own.
fn site_numbers_stay() -> Outcome {
    let dir = temporary();
    let numbers = |text: &str| -> Result<String, Failed> {
        std::fs::write(dir.path().join("a.c"), text)?;
        build(dir.path(), "plugin", &["clang-16", "-g", "-O1", "-S", "a.c", "-o", "a.s"])?;
        let assembly = std::fs::read_to_string(dir.path().join("a.s"))?;
        let table = assembly.split_once("thrille.function.f:").ok_or("no table of f")?.1;
        let number = table.lines().filter_map(|line| line.trim().strip_prefix(".quad")).nth(3).ok_or("no number")?;
        Ok(number.split('#').next().unwrap_or_default().trim().to_owned())
    };
    let (one, two) = (
        numbers("int f(int *p) { return *p; }\n")?,
        numbers("int *q;\nint g(void) { return *q; }\nint f(int *p) { return 2 * *p; }\n")?,
    );
    check(one == two && one.parse::<i64>().is_ok(), || format!("{one} and {two}"))
}
