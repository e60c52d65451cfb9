//! Sampling: what each policy must find, and that none ever reports what is not there.
//!
//! `tests/sampling` holds pairs of programs like those of the corpus. Their directives name, besides, the policies under which the marked pairs must be
//! found, whatever the seed (`budget` stands for a budget of 5 %); no other pair may be reported under any. The programs of the corpus run
//! under a few policies too, where nothing but marked pairs may be reported.

use crate::corpus::{self, Program};
use crate::tool::{check, expect, pairs, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::Trial;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Policies that the corpus runs under.
const POLICIES: [&str; 9] = ["budget", "HA", "NL", "I/.5", "FA0", "B", "P", "K2A", "M"];
/// By day: every so many programs of the corpus, under so many policies.
const BY_DAY: (usize, usize) = (8, 3);

pub fn trials() -> Vec<Trial> {
    let programs = match corpus::programs_in("tests/sampling") {
        Ok(programs) => programs,
        Err(error) => return vec![trial("sampling", move || Err(error.into()))],
    };
    let mut trials: Vec<Trial> = (programs.into_iter())
        .map(|program| trial(&format!("sampling::{}", program.name), move || pair(&program)))
        .collect();
    let (step, policies) = if corpus::nightly() { (1, POLICIES.len()) } else { BY_DAY };
    // Built twice, plainly too, these want a library for atomics of sixteen bytes.
    let wants_libatomic = |program: &Program| program.name.starts_with("thread_atomic16");
    let corpus = corpus::programs().unwrap_or_default().into_iter().filter(|program| !wants_libatomic(program));
    for program in corpus.step_by(step) {
        trials.push(trial(&format!("sampling::corpus::{}", program.name), move || never_wrong(&program, policies)));
    }
    trials.push(trial("sampling::the_same_seed_sees_the_same", the_same_seed));
    trials.push(trial("sampling::the_report_says_what_was_looked_at", reported));
    trials.push(trial("sampling::configuration", configuration));
    trials
}

/// The options of a policy.
fn options(policy: &str, seed: u32) -> Vec<OsString> {
    let chosen =
        if policy == "budget" { ["--budget".into(), "5%".into()] } else { ["--sampling".into(), policy.into()] };
    let seed = ["--seed".into(), seed.to_string().into()];
    chosen.into_iter().chain(seed).collect()
}

/// Builds a program and runs it once as it stands; the directory, the executable and the report.
fn built(
    program: &Program,
    ranks: u32,
    dir: &Path,
    options: &[OsString],
) -> Result<(PathBuf, serde_json::Value), libtest_mimic::Failed> {
    let out = dir.join("built");
    run(thrille(program.check(ranks, &out)).args(options).current_dir(dir))?;
    let executable = std::fs::read_dir(out.join("bin"))?.flatten().map(|entry| entry.path()).next();
    Ok((executable.ok_or("nothing was built")?, report(&out)?))
}

/// Runs an executable.
fn sampled(
    executable: &Path,
    ranks: u32,
    dir: &Path,
    options: &[OsString],
) -> Result<serde_json::Value, libtest_mimic::Failed> {
    let out = dir.join("run");
    let words: Vec<OsString> =
        vec!["run".into(), format!("-n{ranks}").into(), "--quiet".into(), "--out".into(), out.clone().into()];
    run(thrille(words).args(options).arg(executable).current_dir(dir))?;
    let report = report(&out)?;
    std::fs::remove_dir_all(out)?;
    Ok(report)
}

fn pair(program: &Program) -> Outcome {
    let dir = temporary();
    let ranks = program.ranks[0];
    let (executable, full) = built(program, ranks, dir.path(), &[])?;
    let found = pairs(&full)?;
    check(found == program.pairs, || format!("{}: with all accesses observed: {found:?}", program.name))?;
    for policy in &program.policies {
        for seed in 1..=if corpus::nightly() { 10 } else { 2 } {
            let found = pairs(&sampled(&executable, ranks, dir.path(), &options(policy, seed))?)?;
            check(found == program.pairs, || {
                format!("{} under {policy}, seed {seed}: {found:?}, marked are {:?}", program.name, program.pairs)
            })?;
        }
    }
    Ok(())
}

fn never_wrong(program: &Program, policies: usize) -> Outcome {
    let dir = temporary();
    let ranks = program.ranks[0];
    let (executable, first) = built(program, ranks, dir.path(), &options(POLICIES[0], 1))?;
    let judge = |policy: &str, report: &serde_json::Value| -> Outcome {
        let wrong: Vec<_> = pairs(report)?.difference(&program.pairs).copied().collect();
        check(wrong.is_empty(), || format!("{} under {policy}: wrongly reported: {wrong:?}", program.name))?;
        check(report["sampling"]["policy"].is_string(), || format!("{} under {policy}: not sampled", program.name))
    };
    judge(POLICIES[0], &first)?;
    // By day each program meets others.
    let turn = program.name.bytes().map(usize::from).sum::<usize>();
    for n in 1..policies {
        let policy = POLICIES[1 + (turn + n) % (POLICIES.len() - 1)];
        judge(policy, &sampled(&executable, ranks, dir.path(), &options(policy, 7))?)?;
    }
    Ok(())
}

fn the_same_seed() -> Outcome {
    let dir = temporary();
    let program = corpus::programs_in("tests/sampling")?.into_iter().find(|p| p.name == "phase_kind_race");
    let program = program.ok_or("no phase_kind_race")?;
    let (executable, _) = built(&program, 2, dir.path(), &[])?;
    let taken = |seed| -> Result<String, libtest_mimic::Failed> {
        Ok(sampled(&executable, 2, dir.path(), &options("H.9/.99", seed))?["sampling"]["functions"].to_string())
    };
    let (a, b, c) = (taken(5)?, taken(5)?, taken(6)?);
    check(a == b && a != c, || format!("seed 5: {a}\nseed 5: {b}\nseed 6: {c}"))
}

fn reported() -> Outcome {
    let dir = temporary();
    let program =
        corpus::programs_in("tests/sampling")?.into_iter().find(|p| p.name == "once_race").ok_or("no once_race")?;
    let out = dir.path().join("run");
    // Hooks tell of every execution, functions that are there twice of those in one of their copies.
    let words = ["--budget", "10%", "--seed", "11", "--instrument", "hooks"];
    let ended = run(thrille(program.check(2, &out)).args(words).current_dir(dir.path()))?;
    ended.says(&["sampling: HA, seed 11, budget 10 %", "coverage:", "--sampling full", "step"])?;
    let report = report(&out)?;
    let sampling = &report["sampling"];
    let number = |name: &str| sampling[name].as_u64().unwrap_or_default();
    check(number("seed") == 11 && sampling["budget_percent"] == 10.0, || sampling.to_string())?;
    check(sampling["cost_percent"].as_f64().is_some_and(|cost| cost > 0.0), || sampling.to_string())?;
    check(number("sites") > 0 && number("sites") == number("sites_taken"), || sampling.to_string())?;
    check(number("taken") > 0 && number("taken") < number("executed"), || sampling.to_string())?;
    check(report["summary"]["executed"] == sampling["executed"], || report["summary"].to_string())?;
    let step = sampling["functions"].as_array().and_then(|all| all.iter().find(|f| f["function"] == "step"));
    check(step.is_some_and(|f| f["calls"] == 200_000), || format!("{step:?}"))
}

fn configuration() -> Outcome {
    let dir = temporary();
    let words = |words: &[&str]| -> Result<_, libtest_mimic::Failed> { run(thrille(words).current_dir(dir.path())) };
    expect(thrille(["config", "--explain"]).current_dir(dir.path()), 0)?;
    std::fs::write(dir.path().join("thrille.toml"), "sampling = \"IA\"\nseed = 3\n")?;
    let ended = words(&["config"])?;
    check(ended.stdout.contains("THRILLE_SAMPLING=IA") && ended.stdout.contains("THRILLE_SEED=3"), || {
        ended.to_string()
    })?;
    for (text, said) in [("budgte = \"5%\"", "did you mean `budget`?"), ("sampling = ", "thrille.toml")] {
        std::fs::write(dir.path().join("thrille.toml"), text)?;
        for command in ["run", "exec"] {
            let ended = words(&[command, "/bin/true"])?;
            ended.expect(2)?;
            ended.says(&[said])?;
        }
    }
    // What is wrong with policy and budget stops no program, wherever it was said.
    let runs = |command: &str, typed: &[&str], said: &[&str]| -> Outcome {
        let line = [&[command], typed, &["/bin/echo", "it ran"]].concat();
        let ended = words(&line)?;
        check(ended.stdout.contains("it ran"), || format!("{line:?}: {ended}"))?;
        ended.says(said)
    };
    for (text, said) in [
        ("budget = \"0%\"", ["more than 0 %", "5% is used instead"]),
        ("sampling = \"HA9\"", ["from 0 to 1", "HA is used instead"]),
        ("sampling = \"full\"\nbudget = \"5%\"", ["do not go together", "HA is used"]),
    ] {
        std::fs::write(dir.path().join("thrille.toml"), text)?;
        runs("run", &[], &said)?;
        runs("exec", &[], &said)?;
    }
    std::fs::remove_file(dir.path().join("thrille.toml"))?;
    for command in ["run", "exec"] {
        runs(command, &["--sampling", "most"], &["no sampling policy `most`", "HA.5", "HA is used instead"])?;
        runs(command, &["--budget", "0%"], &["more than 0 %", "5% is used instead"])?;
    }
    let ended = words(&["run", "--config", "no-such.toml", "/bin/true"])?;
    ended.expect(2)?;
    ended.says(&["cannot read the configuration no-such.toml"])
}
