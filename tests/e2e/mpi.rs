//! MPI programs under `thrille run` and under somebody else's launcher, how they end, and projects that build themselves.

use crate::corpus::{nightly, programs_in};
use crate::support::{THRILLE, root};
use crate::tool::{Ended, check, expect, pairs, program, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const LIBRARIES: [&str; 2] = ["openmpi", "mpich"];

/// What Open MPI wants on one machine with few cores, as root.
pub const OPEN_MPI: [(&str, &str); 9] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_oob_tcp_if_include", "lo"),
    ("OMPI_MCA_btl_tcp_if_include", "lo"),
    ("OMPI_MCA_osc", "ucx,sm"),
    ("UCX_NET_DEVICES", "lo"),
];

/// All of them.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("mpi::autotools_project", autotools),
        trial("mpi::cmake_project", cmake),
        trial("mpi::other_launcher", other_launcher),
    ];
    match programs_in("tests/calls") {
        Ok(programs) => {
            for (mpi, program) in LIBRARIES.into_iter().flat_map(|mpi| programs.iter().map(move |p| (mpi, p.clone()))) {
                trials
                    .push(trial(&format!("mpi::calls::{mpi}::{}", program.name()), move || calls(mpi, program.path())));
            }
        }
        Err(error) => trials.push(trial("mpi::calls", move || Err(error.into()))),
    }
    for mpi in LIBRARIES {
        trials.push(trial(&format!("mpi::exec::{mpi}"), move || exec(mpi)));
        trials.push(trial(&format!("mpi::given_up::{mpi}"), move || given_up(mpi)));
        trials.push(trial(&format!("mpi::wrapped::{mpi}"), move || wrapped(mpi)));
        trials.push(trial(&format!("mpi::behind_a_library::{mpi}"), move || behind_a_library(mpi)));
        for (end, code, says) in [
            ("no_finalize", 1, "without MPI_Finalize"),
            ("crash", 1, "rank 1 was killed by SIGSEGV"),
            ("abort", 1, "program failed"),
            ("status", 1, "exited with status 5"),
            ("error", 1, "1 race found"),
        ] {
            trials.push(trial(&format!("mpi::ends::{end}::{mpi}"), move || ends(mpi, end, code, says)));
        }
        for (nth, how) in LAST_WAYS.into_iter().enumerate() {
            for (mth, place) in LAST_PLACES.into_iter().enumerate() {
                // By day each way and each place once.
                if nightly() || nth % LAST_PLACES.len() == mth {
                    trials.push(trial(&format!("mpi::last::{how}::{place}::{mpi}"), move || {
                        last(mpi, how, place, "race")
                    }));
                    if nightly() || nth == 0 {
                        let name = format!("mpi::last::{how}::{place}::clean::{mpi}");
                        trials.push(trial(&name, move || last(mpi, how, place, "clean")));
                    }
                }
            }
        }
    }
    trials
}

/// The ways in which rank 1 of `mpi_last.c` ends, and where the others are then.
const LAST_WAYS: [&str; 5] = ["abort", "assert", "segv", "exit", "return"];
const LAST_PLACES: [&str; 5] = ["recv", "poll", "fetch", "compute", "barrier"];

/// What was recorded since the last exchange is in the report, too, though one rank ends the job while the others are elsewhere.
fn last(mpi: &str, how: &str, place: &str, sort: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let source = program("mpi_last.c");
    let ranks = if mpi == "mpich" { "2" } else { "3" };
    let mut command = thrille(["check", "-n", ranks, "--no-confirm", "--quiet", "--mpi", mpi, "--out"]);
    command.arg(&out).arg(&source).args(["--", how, place]).current_dir(dir.path());
    if sort == "clean" {
        let ended = expect(command.arg(sort), 3)?;
        let pairs = pairs(&report(&out)?)?;
        return check(pairs.is_empty(), || format!("{pairs:?} reported:\n{ended}"));
    }
    let ended = expect(&mut command, 1)?;
    found(&out, &[&source], &ended)
}

/// A program that is not instrumented shows itself by its calls alone.
fn calls(mpi: &str, source: &Path) -> Outcome {
    let dir = temporary();
    let (object, binary, out) = (dir.path().join("a.o"), dir.path().join("a"), dir.path().join("run"));
    expect(Command::new(format!("mpicc.{mpi}")).args(["-g", "-O1", "-c", "-o"]).arg(&object).arg(source), 0)?;
    compile(mpi, &object, &binary)?;
    let code = i32::from(source.to_string_lossy().contains("_race"));
    let mut command = thrille(["run", "-n2", "--no-confirm", "--quiet", "--out"]);
    let ended = expect(command.arg(&out).arg(&binary).current_dir(dir.path()), code)?;
    found(&out, &[source], &ended)
}

/// A script that starts the program of its name in `.libs`, as libtool writes for programs whose libraries are not installed.
fn wrapped(mpi: &str) -> Outcome {
    let dir = temporary();
    let (inner, script, out) = (dir.path().join(".libs"), dir.path().join("a"), dir.path().join("run"));
    let source = root().join("tests/mpi/allocate_fence_race.c");
    fs::create_dir(&inner)?;
    compile(mpi, &source, &inner.join("a"))?;
    fs::write(&script, "#!/bin/sh\nexec \"$(dirname \"$0\")/.libs/a\" \"$@\"\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let mut command = thrille(["run", "-n2", "--no-confirm", "--quiet", "--sampling", "full", "--out"]);
    let ended = expect(command.arg(&out).arg(&script).current_dir(dir.path()), 1)?;
    found(&out, &[&source], &ended)
}

/// A program that leaves all of MPI to a shared library of its own, linked by the plain compiler.
fn behind_a_library(mpi: &str) -> Outcome {
    let dir = temporary();
    let (library, main, binary) = (dir.path().join("libown.so"), dir.path().join("main.c"), dir.path().join("a"));
    let source = root().join("tests/mpi/allocate_fence_race.c");
    fs::write(&main, "int entry(int, char **);\nint main(int n, char **words) { return entry(n, words); }\n")?;
    let shared = ["-shared", "-fPIC", "-g", "-Dmain=entry", "-o"];
    expect(thrille(["cc", "--", &format!("mpicc.{mpi}")]).args(shared).arg(&library).arg(&source), 0)?;
    let mut link = thrille(["cc", "--", "gcc", "-g"]);
    link.arg(&main).arg("-o").arg(&binary).arg(&library).arg(format!("-Wl,-rpath,{}", dir.path().display()));
    expect(&mut link, 0)?;
    let out = dir.path().join("run");
    let mut command = thrille(["run", "-n2", "--no-confirm", "--quiet", "--sampling", "full", "--out"]);
    let ended = expect(command.arg(&out).arg(&binary).current_dir(dir.path()), 1)?;
    found(&out, &[&source], &ended)
}

/// However the program ends, what was found is reported, and how it ended is said.
fn ends(mpi: &str, end: &str, code: i32, says: &str) -> Outcome {
    let dir = temporary();
    let out = dir.path().join("run");
    let source = program("mpi_ends.c");
    let mut command = thrille(["check", "-n2", "--no-confirm", "--quiet", "--mpi", mpi, "--out"]);
    command.arg(&out).arg(&source).args(["--", end]).current_dir(dir.path());
    let ended = expect(&mut command, code)?;
    ended.says(&[says])?;
    found(&out, &[&source], &ended)
}

/// The reported pairs of lines are those that the sources mark.
fn found(out: &Path, sources: &[&Path], ended: &Ended) -> Outcome {
    let mut wanted = std::collections::BTreeMap::<String, Vec<u64>>::new();
    for source in sources {
        for (number, line) in (1..).zip(std::fs::read_to_string(source)?.lines()) {
            let marks = line.split_once("race: ").map(|(_, marks)| marks.trim_end_matches("*/")).unwrap_or_default();
            for mark in marks.split([',', ' ']).filter(|mark| !mark.is_empty()) {
                wanted.entry(mark.into()).or_default().push(number);
            }
        }
    }
    let wanted = wanted.into_values().map(|lines| (lines[0].min(lines[1]), lines[0].max(lines[1]))).collect();
    let pairs = pairs(&report(out)?)?;
    check(pairs == wanted, || format!("{pairs:?} reported, {wanted:?} marked:\n{ended}"))
}

fn mpirun(mpi: &str, ranks: u32) -> Command {
    let mut command = Command::new(format!("mpirun.{mpi}"));
    command.args(["-n", &ranks.to_string()]).envs(OPEN_MPI).env("HYDRA_IFACE", "lo").env("NO_COLOR", "1");
    command
}

fn compile(mpi: &str, source: &Path, program: &Path) -> Result<Ended, Failed> {
    expect(thrille(["cc", "--", &format!("mpicc.{mpi}"), "-g"]).arg(source).arg("-o").arg(program), 0)
}

/// The ranks find each other without a launcher of ours; the exit status is the program's own unless asked otherwise.
fn exec(mpi: &str) -> Outcome {
    let dir = temporary();
    let source = program("mpi_ends.c");
    let binary = dir.path().join("ends");
    compile(mpi, &source, &binary)?;
    for (words, code) in [(&[][..], 0), (&["--exit-code"][..], 1)] {
        let mut command = mpirun(mpi, 2);
        command.args([THRILLE, "exec"]).args(words).arg(&binary).current_dir(dir.path());
        let ended = run(&mut command)?;
        check(ended.status.success() == (code == 0), || format!("{code} expected:\n{ended}"))?;
        ended.says(&["1 race found"])?;
        found(&dir.path().join(".thrille/last"), &[&source], &ended)?;
    }
    let out = dir.path().join("mine");
    let mut command = mpirun(mpi, 2);
    command.args([THRILLE, "exec", "--out"]).arg(&out).arg(&binary).arg("crash").current_dir(dir.path());
    let ended = run(&mut command)?;
    check(!ended.status.success(), || format!("the program crashed:\n{ended}"))?;
    // The launcher may have ended rank 0's exec before it could report; the records are there for later.
    let later = expect(&mut thrille(["report".as_ref(), out.as_os_str()]), 1)?;
    check(later.stdout.contains("1 race found"), || format!("the race is on disk:\n{later}"))
}

/// A rank that cannot be observed any further says so, and keeps nobody.
fn given_up(mpi: &str) -> Outcome {
    let dir = temporary();
    let cc = format!("mpicc.{mpi} -fopenmp");
    let mut command = thrille(["check", "-n2", "--no-confirm", "--mpi", mpi, "--cc", &cc]);
    let ended = expect(command.arg(program("mpi_given_up.c")).current_dir(dir.path()), 0)?;
    ended.says(&["rank 1: not observed from its first OpenMP region on"])
}

/// A program of one MPI under the launcher of the other is so many jobs of one rank: said, not guessed.
fn other_launcher() -> Outcome {
    let dir = temporary();
    let binary = dir.path().join("ends");
    compile("mpich", &program("mpi_ends.c"), &binary)?;
    let mut command = mpirun("openmpi", 2);
    command.args([THRILLE, "exec"]).arg(&binary).current_dir(dir.path());
    run(&mut command)?.says(&["linked with another MPI than the one whose launcher started it"])
}

/// Runs what a person types, in order.
fn typed(dir: &Path, lines: &[&[&str]]) -> Outcome {
    for line in lines {
        expect(Command::new(line[0]).args(&line[1..]).current_dir(dir), 0)?;
    }
    Ok(())
}

fn copy(name: &str) -> Result<tempfile::TempDir, Failed> {
    let dir = temporary();
    typed(dir.path(), &[&["cp", "-r", &format!("{}/tests/projects/{name}", root().display()), "."]])?;
    Ok(dir)
}

fn autotools() -> Outcome {
    let dir = copy("autotools")?;
    let project = dir.path().join("autotools");
    let cc = format!("CC={THRILLE} cc -- mpicc.openmpi");
    typed(&project, &[&["autoreconf", "--install"], &["./configure", "--quiet", &cc], &["make"]])?;
    let out = project.join("run");
    let mut command = thrille(["run", "-n2", "--quiet", "--out"]);
    let ended = expect(command.arg(&out).arg("./ring").current_dir(&project), 1)?;
    found(&out, &[&project.join("src/shift.c"), &project.join("src/ring.c")], &ended)
}

fn cmake() -> Outcome {
    let dir = copy("cmake")?;
    let project = dir.path().join("cmake");
    let mut configure = Command::new("cmake");
    configure.args(["-S", ".", "-B", "build"]).current_dir(&project);
    for (name, compiler) in [("CC", "mpicc"), ("CXX", "mpicxx"), ("FC", "mpifort")] {
        configure.env(name, format!("{THRILLE} cc -- {compiler}.openmpi"));
    }
    expect(&mut configure, 0)?;
    typed(&project, &[&["cmake", "--build", "build"]])?;
    let ended = expect(thrille(["run", "-n2", "--quiet", "build/halo"]).current_dir(&project), 0)?;
    check(ended.stdout == "sum 210\n", || format!("the program's own output:\n{ended}"))?;
    let out = project.join("run");
    let mut command = thrille(["run", "-n2", "--quiet", "--out"]);
    let ended = expect(command.arg(&out).arg("build/total").current_dir(&project), 1)?;
    found(&out, &[&project.join("src/total.f90")], &ended)
}
