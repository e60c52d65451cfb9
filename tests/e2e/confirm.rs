//! Phase 2: races are made to happen, what is ordered is not, and nothing that goes wrong is left without a word.
//!
//! The programs of `tests/confirm` write down by themselves whether their two accesses overlapped; the tests compare that with what
//! phase 2 says. `THRILLE_NIGHTLY` takes all racy programs of the corpus instead of some.

use crate::corpus::{Program, mpi_programs, nightly, programs};
use crate::support::{THRILLE, root};
use crate::tool::{Ended, Running, check, expect, report, run, run_within, signal, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::fs;
use std::net::SocketAddrV4;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Ordered by what the library at hand does (its broadcast lets nobody go before everybody is there; no part of a message comes before all are ready; what an epoch
/// puts is there when its origin completes it, before the target waits; a fence that asserts that nothing is to be done is a barrier all the same), by a
/// signal that comes with the data, or by relaxed atomics that are polled: they race by the standard, and cannot be made to happen here; where a library is named, not with that one. A freed send counts as
/// gone, when races are confirmed, as soon as its sender hears of the receiver.
const ORDERED_HERE: [&str; 33] = [
    "bcast_order_race",
    "alltoall_order_race",
    "collect_rest_race",
    "row_put_signal_race",
    "ring_credits_race",
    "thread_c11_atomic_race",
    "thread_atomic16_race",
    "thread_cas_failure_race",
    "thread_fence_race",
    "thread_fence_acquire_race",
    "cpp_fence_count_race",
    "omp_atomic_acquire_race",
    "omp_flush_race",
    "ptr_atomic_race",
    "proc_flag_race",
    "request_free_answer_race",
    "request_free_barrier_race",
    "request_free_probe_race",
    "inter_barrier_race",
    "inter_allreduce_race",
    "allgatherv_empty_race",
    "alltoallv_empty_race",
    "reduce_scatter_empty_race",
    "neighbor_empty_race",
    "mpich::partitioned_apart_race",
    "pscw_complete_only_race",
    "pscw_wait_late_race",
    "shared_atomic_race",
    "shared_atomic_fence_race",
    "shared_atomic_sync_race",
    "shared_fence_assert_race",
    "sense_barrier_race",
    "signal_tail_race",
];

/// Confirmed by luck: who gets a mutex first decides whether the two can meet, and nobody is late for it.
const LOCK_DECIDES: [&str; 1] = ["thread_cancel_race"];

/// These come to an end with the numbers of PEs that they name, and with no other.
const OWN_NUMBER: [&str; 16] = [
    "active_set_barrier_race",
    "ctx_private_two_race",
    "flag_in_put_race",
    "flag_iput_race",
    "ptr_atomic_race",
    "signal_tail_race",
    "store_flag_last_race",
    "store_flag_lines_race",
    "store_flag_order_race",
    "store_flag_polled_race",
    "store_flag_put_race",
    "store_flag_reset_race",
    "store_flag_rounds_race",
    "team_halves_race",
    "test_any_failed_race",
    "wait_any_vector_race",
];

/// A race is confirmed in so many runs at most.
const TRIES: u64 = 3;

/// Always among those that must happen again: tasks whose threads are luck; a program that hung, because its MPI library takes locks inside `malloc`; threads that waited for one that
/// was held to take its share of their work; a put that came before its target had told where the window is.
const ALWAYS: [&str; 7] = [
    "omp_dep_taskwait_race",
    "omp_dep_iterator_race",
    "omp_dep_wavefront_race",
    "omp_fence_init_race",
    "omp_sections_master_race",
    "omp_before_nowait_race",
    "poll_nocheck_race",
];

/// Every so many programs of the corpus by day.
const STEP: usize = 13;

/// All of them.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("confirm::overlap_is_witnessed", || overlap_is_witnessed("overlap", &[])),
        trial("confirm::polled_is_not_confirmed", || ordered("polled", &[], true)),
        trial("confirm::fenced_is_not_confirmed", || ordered("fenced", &[], true)),
        trial("confirm::fenced_store_is_not_confirmed", || ordered("fenced_store", &[], true)),
        trial("confirm::by_file_is_not_confirmed", || ordered("by_file", &[], false)),
        trial("confirm::by_time_is_not_confirmed", || ordered("by_time", &[], false)),
        trial("confirm::rare_in_five_runs", rare_in_five_runs),
        trial("confirm::who_talks_much_is_met", who_talks_much_is_met),
        trial("confirm::a_crash_is_told", a_crash_is_told),
        trial("confirm::a_hundred_pairs_in_a_few_runs", a_hundred_pairs),
        trial("confirm::the_oracle_is_asked", the_oracle_is_asked),
        trial("confirm::input_is_given_again", input_is_given_again),
        trial("confirm::another_build_is_refused", another_build_is_refused),
        trial("confirm::a_rank_may_die", a_rank_may_die),
        trial("confirm::the_coordinator_may_die", the_coordinator_may_die),
        trial("confirm::strangers_stay_out", strangers_stay_out),
        trial("confirm::mistakes_have_their_line", mistakes),
        trial("confirm::known_ones_are_skipped", known_ones_are_skipped),
        trial("confirm::code_that_is_there_twice", || twice("plugin", "clang-16", &[])),
        trial("confirm::code_that_gcc_has_twice", || twice("plugin", "gcc", &[])),
        trial("confirm::calls_in_either_copy", calls_in_either_copy),
        trial("confirm::code_that_is_there_twice_and_stripped", || twice("plugin", "clang-16", &["-s"])),
        trial("confirm::libraries_that_come_later", || twice("hooks", "gcc", &[])),
    ];
    for mpi in ["openmpi", "mpich"] {
        trials.push(trial(&format!("confirm::a_rank_may_die::{mpi}"), move || a_rank_may_die_on(mpi)));
        trials
            .push(trial(&format!("confirm::the_coordinator_may_die::{mpi}"), move || the_coordinator_may_die_on(mpi)));
        let called_back = format!("mpicc.{mpi} -g -pthread");
        let polled = format!("{called_back} -DPOLLED");
        trials.push(trial(&format!("confirm::called_back_is_witnessed::{mpi}"), move || {
            overlap_is_witnessed("mpi_called_back", &["--mpi", mpi, "--cc", &called_back])
        }));
        trials.push(trial(&format!("confirm::called_back_polled_is_not_confirmed::{mpi}"), move || {
            ordered("mpi_called_back", &["--mpi", mpi, "--cc", &polled], true)
        }));
    }
    let step = if nightly() { 1 } else { STEP };
    let left_out = |program: &Program| {
        let name = format!("{}{}", program.engine(), program.name());
        ORDERED_HERE.contains(&program.name())
            || ORDERED_HERE.contains(&&*name)
            || LOCK_DECIDES.contains(&program.name())
    };
    let racy = |program: &Program| program.is_racy() && !left_out(program);
    let corpus = [programs(), mpi_programs("openmpi"), mpi_programs("mpich")];
    for (index, programs) in corpus.into_iter().enumerate() {
        match programs {
            Err(error) => trials.push(trial("confirm::corpus", move || Err(error.into()))),
            Ok(programs) => {
                // MPI programs take their time to start.
                let step = if nightly() { 1 } else { step * (1 + 2 * index) };
                let racy = programs.into_iter().filter(|program| racy(program)).enumerate();
                let taken =
                    |(number, program): &(usize, Program)| number % step == 0 || ALWAYS.contains(&program.name());
                for (_, program) in racy.filter(taken) {
                    let own = program.ranks()[0];
                    let varies = index == 0 && own > 1 && !OWN_NUMBER.contains(&program.name());
                    // By day its own number of PEs, and each time another one.
                    let others =
                        if nightly() { 2..=8 } else { 2 + trials.len() as u32 % 7..=2 + trials.len() as u32 % 7 };
                    let others = others.filter(|&ranks| varies && ranks > own);
                    for ranks in std::iter::once(own).chain(others) {
                        let name = format!("confirm::corpus::{}{}::{ranks}", program.engine(), program.name());
                        let program = program.clone();
                        trials.push(trial(&name, move || confirmed_and_replayed(&program, ranks)));
                    }
                }
            }
        }
    }
    trials
}

fn source(name: &str) -> PathBuf {
    root().join("tests/confirm").join(name)
}

/// `thrille check` with phase 2, in a directory of its own.
fn checked(dir: &Path, words: &[&str], source: &Path) -> Command {
    let mut command = thrille(["check", "-n2", "--quiet", "--out", "run", "--confirm-time", "40"]);
    command.args(words).arg(source).current_dir(dir);
    command.env("WITNESS", dir.join("witness")).env("HANDOVER", dir.join("handover"));
    command
}

fn races(dir: &Path) -> Result<Vec<Value>, Failed> {
    Ok(report(&dir.join("run"))?["races"].as_array().cloned().unwrap_or_default())
}

fn verdict(race: &Value) -> &str {
    race["confirmation"]["verdict"].as_str().unwrap_or("none")
}

fn is_confirmed(race: &Value) -> bool {
    !matches!(verdict(race), "not_confirmed" | "none")
}

/// What the program itself saw, one word a run; the first is phase 1's.
fn testimony(dir: &Path) -> Result<Vec<String>, Failed> {
    Ok(fs::read_to_string(dir.join("witness"))?.lines().map(str::to_owned).collect())
}

/// Where phase 2 says that both sides were there, the program saw it too: in the try that confirmed, and in each order. A try before that may have been in vain.
fn overlap_is_witnessed(name: &str, words: &[&str]) -> Outcome {
    let dir = temporary();
    let mut command = checked(dir.path(), words, &source(&format!("{name}.c")));
    let ended = run_within(&mut command, Duration::from_secs(120))?;
    ended.expect(1)?;
    let races = races(dir.path())?;
    check(races.len() == 1 && is_confirmed(&races[0]), || format!("{races:#?}\n{ended}"))?;
    let seen = testimony(dir.path())?;
    let tries = races[0]["confirmation"]["tries"].as_u64().unwrap_or(0) as usize;
    let overlaps = |runs: &[String]| runs.iter().filter(|&word| word == "overlap").count();
    check(tries >= 1 && seen.len() > tries + 2, || format!("{tries} tries and two orders: {seen:?}"))?;
    check(seen[tries] == "overlap", || format!("try {tries} confirmed, the program saw {seen:?}\n{ended}"))?;
    let orders = if verdict(&races[0]) == "no_difference" { 2 } else { 0 };
    check(overlaps(&seen[tries + 1..]) >= orders, || format!("{orders} orders met, the program saw {seen:?}\n{ended}"))
}

/// Code that the plugin has built: the copy with the live places runs, also in a library that is loaded later.
fn twice(how: &str, compiler: &str, flags: &[&str]) -> Outcome {
    let dir = temporary();
    let compile = |words: &[&str], name: &str| {
        let mut command = thrille(["cc", "--instrument", how, "--", compiler, "-g", "-O2"]);
        expect(command.args(flags).args(words).arg(source(name)).arg("-ldl").current_dir(dir.path()), 0)
    };
    compile(&["-o", "doubled"], "doubled.c")?;
    compile(&["-fPIC", "-shared", "-o", "libpart.so"], "doubled_part.c")?;
    let library = dir.path().join("libpart.so").display().to_string();
    let mut observed = thrille(["run", "-n2", "--quiet", "--sampling", "full", "--out", "run", "./doubled", &library]);
    run(observed.current_dir(dir.path()))?.expect(1)?;
    let mut confirm = thrille(["confirm", "run", "--quiet", "--confirm-time", "60", "--tries", "10"]);
    let ended = run_within(confirm.current_dir(dir.path()), Duration::from_secs(150))?;
    let found = races(dir.path())?;
    check(found.len() == 4 && found.iter().all(is_confirmed), || format!("{found:#?}\n{ended}"))?;
    for race in &found {
        let schedule = race["confirmation"]["schedule"].as_str().unwrap_or_default();
        expect(thrille(["confirm", "run", "--replay", schedule]).current_dir(dir.path()), 1)?;
    }
    Ok(())
}

/// Where phase 1 sampled, it met a call in one of the two copies of its function: it is waited for in both, a run each.
fn calls_in_either_copy() -> Outcome {
    let dir = temporary();
    let sources = root().join("nas-bench/src");
    let flags = [sources.join("shmem"), sources.clone()].map(|include| format!("-I{}", include.display())).join(" ");
    let compiler = format!("gcc -O2 -DRACE=1 -D_GNU_SOURCE {flags}");
    let path = sources.join("cg.c").display().to_string();
    let words = ["check", &path, "-n2", "--quiet", "--budget", "5%", "--instrument", "plugin", "--cc", &compiler];
    let mut checked = thrille(words);
    let ended =
        run_within(checked.args(["--out", "run", "--", "S"]).current_dir(dir.path()), Duration::from_secs(150))?;
    let found = races(dir.path())?;
    check(found.len() == 1 && found.iter().all(is_confirmed), || format!("{found:#?}\n{ended}"))?;
    let schedule = found[0]["confirmation"]["schedule"].as_str().unwrap_or_default();
    expect(thrille(["confirm", "run", "--replay", schedule]).current_dir(dir.path()), 1).map(|_| ())
}

/// A program whose data is ordered by something that the model does not know: nobody says that it raced, least of all itself.
fn ordered(name: &str, words: &[&str], by_flag: bool) -> Outcome {
    let dir = temporary();
    let file = source(&format!("{name}.c"));
    let ended = run_within(&mut checked(dir.path(), words, &file), Duration::from_secs(120))?;
    ended.expect(1)?;
    let text = fs::read_to_string(&file)?;
    let data: Vec<u64> =
        (1..).zip(text.lines()).filter(|(_, line)| line.contains("/* data */")).map(|(n, _)| n).collect();
    for race in races(dir.path())? {
        let line = |side: &str| race[side]["at"]["line"].as_u64().unwrap_or(0);
        if data.contains(&line("a")) && data.contains(&line("b")) {
            check(!is_confirmed(&race), || format!("a confirmation that is wrong: {race:#}\n{ended}"))?;
            check(race["confirmation"]["unlikely"] == by_flag, || format!("{race:#}"))?;
        } else {
            check(is_confirmed(&race), || format!("the race on the flag is one: {race:#}"))?;
        }
    }
    let seen = testimony(dir.path())?;
    check(seen.len() >= 6 && seen.iter().all(|word| word == "apart"), || format!("the program saw {seen:?}"))
}

/// The word is 1 for some microseconds: plain runs do not look at it then, each search makes it happen.
fn rare_in_five_runs() -> Outcome {
    let dir = temporary();
    let (runs, at_most, searches) = if nightly() { (1000, 0, 20) } else { (30, 2, 1) };
    for _ in 0..searches {
        let ended = expect(&mut checked(dir.path(), &[], &source("rare.c")), 1)?;
        let races = races(dir.path())?;
        let good = |race: &Value| is_confirmed(race) && race["confirmation"]["tries"].as_u64().is_some_and(|n| n <= 5);
        check(races.len() == 2 && races.iter().all(good), || format!("{races:#?}\n{ended}"))?;
        check(races.iter().any(|race| verdict(race) == "changes_result"), || format!("{races:#?}"))?;
    }
    // Plain runs do not show it, unless others want the processor at just that moment.
    let mut seen = 0;
    for _ in 0..runs {
        let mut plain = thrille(["run", "-n2", "--quiet", "--out", "plain", "--report", "/dev/null", "run/bin/rare"]);
        seen += usize::from(!run(plain.current_dir(dir.path()))?.stdout.is_empty());
    }
    check(seen <= at_most, || format!("{seen} of {runs} plain runs show it"))
}

/// Who is slowed down because it says much is where it was, in each run.
fn who_talks_much_is_met() -> Outcome {
    let dir = temporary();
    let ended = expect(&mut checked(dir.path(), &[], &source("talks.c")), 1)?;
    let races = races(dir.path())?;
    check(races.len() == 1 && is_confirmed(&races[0]), || format!("{races:#?}\n{ended}"))?;
    let schedule = races[0]["confirmation"]["schedule"].as_str().unwrap_or_default();
    expect(thrille(["confirm", "run", "--replay", schedule]).current_dir(dir.path()), 1).map(drop)
}

fn a_crash_is_told() -> Outcome {
    let dir = temporary();
    let ended = expect(&mut checked(dir.path(), &[], &source("crash.c")), 1)?;
    let races = races(dir.path())?;
    check(races.len() == 1 && verdict(&races[0]) == "crashes_or_hangs", || format!("{races:#?}\n{ended}"))?;
    ended.says(&["confirmed, crashes or hangs", "when b is first", "thrille confirm run --replay thr3-"])
}

fn a_hundred_pairs() -> Outcome {
    let dir = temporary();
    let mut text = String::from("#include <shmem.h>\nstatic long x[100];\nint main(void)\n{\n    shmem_init();\n");
    text += "    int me = shmem_my_pe();\n    volatile long seen = 0;\n    if (me == 0) {\n";
    text.extend((0..100).map(|n| format!("        shmem_long_p(&x[{n}], 1, 1);\n")));
    text += "    } else {\n";
    text.extend((0..100).map(|n| format!("        seen = x[{n}];\n")));
    text += "    }\n    (void)seen;\n    shmem_finalize();\n    return 0;\n}\n";
    let file = dir.path().join("many.c");
    fs::write(&file, text)?;
    // No time for the orders: the question is how many runs it takes to find them.
    expect(&mut checked(dir.path(), &[], &file), 1)?;
    let races = races(dir.path())?;
    let tries = races.iter().filter_map(|race| race["confirmation"]["tries"].as_u64()).max();
    check(races.len() == 100 && races.iter().all(is_confirmed), || format!("{} races", races.len()))?;
    check(tries.is_some_and(|tries| tries <= 3), || format!("it took {tries:?} runs"))
}

fn the_oracle_is_asked() -> Outcome {
    let dir = temporary();
    // What the program prints is no difference for this judge; that it printed anything is.
    let words = ["--oracle", "test ! -s \"$THRILLE_STDOUT\""];
    expect(&mut checked(dir.path(), &words, &source("rare.c")), 1)?;
    let texts: Vec<String> =
        races(dir.path())?.iter().map(|race| race["confirmation"]["text"].as_str().unwrap_or("").to_owned()).collect();
    check(texts.iter().any(|text| text.contains("the oracle's verdict")), || format!("{texts:?}"))?;
    let mut missing = thrille(["confirm", "run", "--again", "--oracle", "./no-such-judge"]);
    let ended = expect(missing.current_dir(dir.path()), 2)?;
    ended.says(&["no-such-judge", "was not found", "--oracle ./verify.sh"])
}

fn input_is_given_again() -> Outcome {
    let dir = temporary();
    let input = dir.path().join("input");
    fs::write(&input, "1\n")?;
    let mut command = checked(dir.path(), &[], &source("reads.c"));
    let ended = expect(command.stdin(fs::File::open(&input)?), 1)?;
    let races = races(dir.path())?;
    check(races.len() == 1 && verdict(&races[0]) == "changes_result", || format!("{races:#?}\n{ended}"))?;
    // Also later, by a command that does not name it; and if that file is gone, what was confirmed is not forgotten.
    let schedule = races[0]["confirmation"]["schedule"].as_str().unwrap_or_default().to_owned();
    expect(thrille(["confirm", "run", "--replay", &schedule]).current_dir(dir.path()).stdin(Stdio::null()), 1)?;
    fs::rename(&input, dir.path().join("elsewhere"))?;
    let mut again = thrille(["confirm", "run", "--quiet", "--again", "--tries", "1"]);
    let ended = expect(again.current_dir(dir.path()).stdin(Stdio::null()), 1)?;
    for words in ["1 race found, 1 confirmed", "a file that is gone", "their earlier confirmations are kept"] {
        check(ended.stdout.contains(words), || format!("{words}: {ended}"))?;
    }
    // What a pipe said is gone: that is said.
    let mut command = checked(dir.path(), &[], &source("reads.c"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::io::Write::write_all(&mut child.stdin.take().ok_or("no pipe")?, b"1\n")?;
    check(child.wait()?.code() == Some(1), || "races are found all the same".into())?;
    let known = report(&dir.path().join("run"))?;
    let race = &known["races"][0]["confirmation"];
    check(race["verdict"] == "not_confirmed", || format!("{race:#}"))?;
    check(known["notes"].to_string().contains("standard input"), || format!("{:#}", known["notes"]))?;
    // Given as a file, it is confirmed, and what was said of the pipe is true no longer.
    let mut command = thrille(["confirm", "run", "--quiet"]);
    let input = fs::File::open(dir.path().join("elsewhere"))?;
    let ended = expect(command.current_dir(dir.path()).stdin(input), 1)?;
    check(ended.stdout.contains("1 race found, 1 confirmed"), || format!("{ended}"))?;
    check(!ended.stdout.contains("standard input was"), || format!("a note of the search before: {ended}"))
}

/// A run of a program whose race was not looked for.
fn predicted(dir: &Path) -> Result<Ended, Failed> {
    expect(&mut checked(dir, &["--no-confirm"], &root().join("tests/shmem/put_load_race.c")), 1)
}

fn another_build_is_refused() -> Outcome {
    let dir = temporary();
    predicted(dir.path())?;
    let program = dir.path().join("run/bin/put_load_race");
    let built = fs::read(&program)?;
    let other = temporary();
    expect(&mut checked(other.path(), &["--no-confirm"], &root().join("tests/shmem/put_store_race.c")), 1)?;
    fs::copy(other.path().join("run/bin/put_store_race"), &program)?;
    let confirm = || {
        let mut command = thrille(["confirm", "run", "--quiet"]);
        command.current_dir(dir.path());
        command
    };
    expect(&mut confirm(), 2)?.says(&["put_load_race", "has been built anew since the run"])?;
    fs::remove_file(&program)?;
    expect(&mut confirm(), 2)?.says(&["put_load_race", "was not found"])?;
    fs::write(&program, built)?;
    expect(&mut confirm(), 2)?.says(&["is not executable"])?;
    // The report is as it was.
    check(races(dir.path())?.len() == 1, || "the race is lost".into())
}

fn a_rank_may_die() -> Outcome {
    let dir = temporary();
    let mut command = checked(dir.path(), &["--no-confirm"], &source("dies.c"));
    expect(command.env("DIE", dir.path().join("die")), 1)?;
    fs::write(dir.path().join("die"), "")?;
    let mut command = thrille(["confirm", "run", "--quiet", "--tries", "2"]);
    let ended = expect(command.env("DIE", dir.path().join("die")).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains("not confirmed in 2 tries: side b never came"), || format!("{ended}"))?;
    check(ended.stdout.contains("rank 1 is killed by signal 9"), || {
        format!("how the runs failed is not said: {ended}")
    })?;
    no_process_of(dir.path())?;
    // Nothing is lost: alive, they meet.
    fs::remove_file(dir.path().join("die"))?;
    let ended = expect(thrille(["confirm", "run", "--quiet"]).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains("1 race found, 1 confirmed"), || format!("{ended}"))
}

/// No process has its program below a directory.
fn no_process_of(dir: &Path) -> Outcome {
    let alive = || {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes.filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.starts_with(dir))).count()
    };
    for _ in 0..200 {
        if alive() == 0 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!("{} processes were left behind", alive()).into())
}

fn the_coordinator_may_die() -> Outcome {
    let dir = temporary();
    let mut command = checked(dir.path(), &["--no-confirm"], &source("by_time.c"));
    expect(&mut command, 1)?;
    let mut command = thrille(["confirm", "run", "--quiet"]);
    let mut child = command.current_dir(dir.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Each run takes more than a second.
    let begun = std::time::Instant::now();
    let below = |name: &str| {
        let entries = fs::read_dir(dir.path().join("run")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(name)).count()
    };
    while below("confirm-") == 0 {
        check(begun.elapsed() < Duration::from_secs(20), || "no run begins".into())?;
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    child.kill()?;
    child.wait()?;
    no_process_of(dir.path())?;
    let report = report(&dir.path().join("run"))?;
    check(report["races"].as_array().is_some_and(|races| races.len() == 1), || format!("{report:#}"))?;
    // What it left is no obstacle, and gone afterwards.
    check(below("confirm-") == 1, || "nothing was left behind: it was not killed in the middle of a run".into())?;
    let ended = expect(thrille(["confirm", "run", "--quiet", "--tries", "1"]).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains("1 race found, 0 confirmed"), || format!("{ended}"))?;
    check(below("confirm-") == 0, || "what a killed coordinator left behind is still there".into())
}

/// A run of `mpi_ends.c` whose race was not looked for, and what its searches are told.
fn predicted_on(mpi: &str, dir: &Path) -> Result<Command, Failed> {
    let mut command = thrille(["check", "-n2", "--quiet", "--out", "run", "--no-confirm", "--mpi", mpi]);
    expect(command.arg(source("mpi_ends.c")).env("END", dir.join("end")).current_dir(dir), 1)?;
    let mut command = thrille(["confirm", "run", "--quiet", "--tries", "2"]);
    command.env("END", dir.join("end")).current_dir(dir);
    Ok(command)
}

/// The launcher ends the rank that waits when the other one dies: it is the other one that is named.
fn a_rank_may_die_on(mpi: &str) -> Outcome {
    let dir = temporary();
    let mut command = predicted_on(mpi, dir.path())?;
    fs::write(dir.path().join("end.dies"), "")?;
    let ended = expect(&mut command, 1)?;
    check(ended.stdout.contains("not confirmed in 2 tries: side b never came"), || format!("{ended}"))?;
    check(ended.stdout.contains("rank 1 is killed by signal 9"), || format!("how the runs failed: {ended}"))?;
    no_process_of(dir.path())?;
    fs::remove_file(dir.path().join("end.dies"))?;
    let ended = expect(&mut command, 1)?;
    check(ended.stdout.contains("1 race found, 1 confirmed"), || format!("{ended}"))
}

/// No rank is left behind, nor the launcher, though the program would have gone on for a minute.
fn the_coordinator_may_die_on(mpi: &str) -> Outcome {
    let dir = temporary();
    let mut command = predicted_on(mpi, dir.path())?;
    fs::write(dir.path().join("end.waits"), "")?;
    let mut running = Running::start(&mut command)?;
    let program = dir.path().join("run/bin/mpi_ends").canonicalize()?;
    let words = program.display().to_string();
    let with = |what: &dyn Fn(&Path) -> bool| {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter(|entry| what(&entry.path())).count()
    };
    let ranks = || with(&|process| fs::read_link(process.join("exe")).is_ok_and(|exe| exe == program));
    // The launcher and each rank's `thrille exec` name it.
    let named = || {
        with(&|process| {
            fs::read(process.join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&words))
        })
    };
    running.wait_for("the ranks", || ranks() == 2)?;
    std::thread::sleep(Duration::from_millis(500));
    signal("KILL", running.pid())?;
    running.end()?;
    let begun = std::time::Instant::now();
    while named() > 0 {
        check(begun.elapsed() < Duration::from_secs(20), || format!("{} processes were left behind", named()))?;
        std::thread::sleep(Duration::from_millis(20));
    }
    check(races(dir.path())?.len() == 1, || "the race is lost".into())?;
    fs::remove_file(dir.path().join("end.waits"))?;
    let ended = expect(&mut command, 1)?;
    check(ended.stdout.contains("1 race found, 1 confirmed"), || format!("{ended}"))
}

/// Somebody without the token gets no answer, and disturbs nobody.
fn strangers_stay_out() -> Outcome {
    let dir = temporary();
    expect(&mut checked(dir.path(), &["--no-confirm"], &source("by_time.c")), 1)?;
    let mut command = thrille(["confirm", "run", "--quiet", "--tries", "1"]);
    let mut child = command.current_dir(dir.path()).stdout(Stdio::piped()).spawn()?;
    let mut asked = 0;
    let mut ports = Vec::new();
    while child.try_wait()?.is_none() {
        for at in listening(child.id()) {
            if !ports.contains(&at) {
                ports.push(at);
                asked += u32::from(turned_away(at)?);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    check(asked > 0, || "nobody listened".into())?;
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().ok_or("no output")?, &mut said)?;
    check(said.contains("not confirmed in 1 try"), || said.clone())
}

/// Somebody who greets with a token of zeros is told nothing; false if nobody listens there any more.
pub fn turned_away(at: SocketAddrV4) -> Result<bool, Failed> {
    use std::io::{Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(at) else { return Ok(false) };
    let mut greeting = b"THRCONF1\x02\0\0\0".to_vec();
    greeting.extend([b'0'; 64]);
    let _ = stream.write_all(&greeting);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    check(answer.is_empty(), || format!("a stranger was told {answer:?}"))?;
    Ok(true)
}

/// Where a process listens.
pub fn listening(pid: u32) -> Vec<SocketAddrV4> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let inodes: Vec<String> = links
        .filter_map(|link| fs::read_link(link.path()).ok())
        .filter_map(|to| to.to_string_lossy().strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .collect();
    let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mine = rows
        .filter(|row| row.get(3) == Some(&"0A") && row.get(9).is_some_and(|inode| inodes.iter().any(|i| i == inode)));
    // The address is a word as it lies in memory.
    let parse = |text: &str| {
        let (address, port) = text.split_once(':')?;
        let bytes = u32::from_str_radix(address, 16).ok()?.to_ne_bytes();
        Some(SocketAddrV4::new(bytes.into(), u16::from_str_radix(port, 16).ok()?))
    };
    mine.filter_map(|row| parse(row[1])).collect()
}

fn mistakes() -> Outcome {
    let dir = temporary();
    let said = |words: &[&str]| expect(thrille(words).current_dir(dir.path()), 2);
    said(&["confirm", "nowhere"])?.says(&["nowhere", "holds no run"])?;
    predicted(dir.path())?;
    said(&["confirm", "run", "--replay", "nonsense"])?.says(&["not a schedule", "thrille confirm --replay"])?;
    said(&["confirm", "run", "--replay", "thr3-0202"])?.says(&["damaged"])?;
    said(&["confirm", "run", "--replay", "thr2-0202"])?.says(&["another version"])?;
    expect(thrille(["confirm", "run", "--quiet"]).current_dir(dir.path()), 1)?;
    let schedule = races(dir.path())?[0]["confirmation"]["schedule"].as_str().unwrap_or("").to_owned();
    let other = temporary();
    expect(&mut checked(other.path(), &["--no-confirm"], &root().join("tests/shmem/put_store_race.c")), 1)?;
    let mut command = thrille(["confirm", "run", "--replay", &schedule]);
    expect(command.current_dir(other.path()), 2)?.says(&["not of a race of this run"])?;
    fs::write(dir.path().join("run/confirm.json"), "{")?;
    let ended = expect(thrille(["report", "run"]).current_dir(dir.path()), 1)?;
    check(ended.stdout.contains("confirm.json of this run cannot be read"), || format!("{ended}"))
}

fn known_ones_are_skipped() -> Outcome {
    let dir = temporary();
    expect(&mut checked(dir.path(), &[], &root().join("tests/shmem/put_load_race.c")), 1)?;
    let written = || fs::metadata(dir.path().join("run/confirm.json")).and_then(|meta| meta.modified());
    let before = written()?;
    expect(thrille(["confirm", "run", "--quiet"]).current_dir(dir.path()), 1)?;
    check(written()? == before, || "a race that is confirmed was looked for again".into())?;
    expect(thrille(["confirm", "run", "--quiet", "--again"]).current_dir(dir.path()), 1)?;
    check(written()? != before, || "--again does nothing".into())
}

/// Every race of a program happens in a few runs, and again by its schedule.
fn confirmed_and_replayed(program: &Program, ranks: u32) -> Outcome {
    let dir = temporary();
    let mut words = program.check(ranks, Path::new("run"));
    words.retain(|word| word != "--no-confirm");
    words.extend(["--confirm-time".into(), "60".into()]);
    let ended = run_within(thrille(words).current_dir(dir.path()), Duration::from_secs(150))?;
    ended.expect(1)?;
    for race in races(dir.path())? {
        let found = &race["confirmation"];
        let soon = found["tries"].as_u64().is_some_and(|tries| tries <= TRIES);
        check(is_confirmed(&race) && soon, || format!("not confirmed in {TRIES} runs: {found:#}\n{ended}"))?;
        // The command as it is printed.
        let printed = found["replay"].as_str().unwrap_or("");
        let words: Vec<&str> = printed.split(' ').collect();
        check(words.first() == Some(&"thrille"), || printed.to_owned())?;
        let mut replay = Command::new(THRILLE);
        replay.args(&words[1..]).current_dir(dir.path()).stdin(Stdio::null());
        let again = run_within(&mut replay, Duration::from_secs(100))?;
        check(again.status.code() == Some(1), || format!("{printed} does not reproduce it\n{again}"))?;
    }
    Ok(())
}
