//! A real Slurm on this machine (`slurm/cluster.sh`): `srun thrille exec` and `thrille sbatch` on 2 nodes with 2 ranks each, both MPI libraries,
//! jobs that are cancelled, nodes that die, and what users get wrong.
//!
//! All tests share one cluster, which is up as long as this process lives; a test that kills a node has its own.

use crate::confirm::{listening, turned_away};
use crate::corpus::markers;
use crate::crash::nobody_is_left;
use crate::support::{THRILLE, root};
use crate::tool::{Ended, Running, check, expect, pairs, program, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const LIBRARIES: [&str; 2] = ["openmpi", "mpich"];

/// By day; by night every program of `tests/mpi` in C that runs on 4 ranks.
const PROGRAMS: [&str; 3] = ["halo", "chain", "flush_all"];

/// What Open MPI wants on one machine with few cores.
const OPEN_MPI: [(&str, &str); 6] = [
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_oob_tcp_if_include", "lo"),
    ("OMPI_MCA_btl_tcp_if_include", "lo"),
    ("OMPI_MCA_osc", "ucx,sm"),
    ("OMPI_MCA_memory", "^patcher"),
    ("UCX_NET_DEVICES", "lo"),
];

/// All of them.
pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("slurm::local_and_merge", local_and_merge),
        trial("slurm::killed_slurmd", killed_slurmd),
        trial("slurm::module_file", module_file),
        trial("slurm::mistakes::no_slurm", no_slurm),
        trial("slurm::mistakes::sbatch", sbatch_mistakes),
        trial("slurm::mistakes::unwritable", unwritable),
        trial("slurm::mistakes::versions", versions),
        trial("slurm::mistakes::clock_skew", clock_skew),
    ];
    for mpi in LIBRARIES {
        for name in programs() {
            for half in ["race", "safe"] {
                let name = format!("{name}_{half}");
                trials.push(trial(&format!("slurm::exec::{mpi}::{name}"), move || exec(mpi, &name)));
            }
        }
        for half in ["race", "safe"] {
            trials.push(trial(&format!("slurm::sbatch::{mpi}::{half}"), move || sbatch(mpi, half)));
        }
        trials.push(trial(&format!("slurm::confirm::{mpi}"), move || confirm(mpi)));
        for what in ["barriers", "compute"] {
            trials.push(trial(&format!("slurm::scancel::{mpi}::{what}"), move || scancel(mpi, what)));
        }
        trials.push(trial(&format!("slurm::mistakes::wrong_plugin::{mpi}"), move || wrong_plugin(mpi)));
    }
    trials
}

fn programs() -> Vec<String> {
    if std::env::var_os("THRILLE_NIGHTLY").is_none() {
        return PROGRAMS.map(String::from).into();
    }
    let entries = std::fs::read_dir(root().join("tests/mpi")).into_iter().flatten().flatten();
    let on_four = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().next().is_some_and(|line| line.contains(",4 "))
    };
    let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix("_race.c")?.to_owned());
    let paths = entries.map(|entry| entry.path()).filter(|path| on_four(path));
    let mut names: Vec<String> = paths.filter_map(|path| name(&path)).collect();
    names.sort();
    names
}

/// A cluster; down when it is dropped, or when this process dies.
struct Cluster(PathBuf);

static SHARED: Mutex<Option<Cluster>> = Mutex::new(None);

impl Cluster {
    fn up() -> Result<Self, Failed> {
        let dir = temporary().keep();
        let mut command = Command::new(root().join("slurm/cluster.sh"));
        command.arg("up").arg(&dir).args(["--while", &std::process::id().to_string()]);
        // Whoever writes to its ends would keep a reader waiting: no pipes.
        let log = dir.with_extension("log");
        let file = std::fs::File::create(&log)?;
        let status = command.stdout(file.try_clone()?).stderr(file).status()?;
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        std::fs::remove_file(&log)?;
        check(status.success(), || format!("the cluster does not come up:\n{said}"))?;
        Ok(Self(dir))
    }

    /// The one that the tests share.
    fn shared() -> Result<PathBuf, Failed> {
        let mut shared = SHARED.lock().map_err(|_| "an earlier test failed to start the cluster")?;
        if shared.is_none() {
            *shared = Some(Self::up()?);
        }
        Ok(shared.as_ref().map(|cluster| cluster.0.clone()).unwrap_or_default())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = Command::new(root().join("slurm/cluster.sh")).arg("down").arg(&self.0).status();
    }
}

/// Ends the shared cluster.
pub fn down() {
    if let Ok(mut shared) = SHARED.lock() {
        shared.take();
    }
}

/// A command of Slurm's, or one that calls such.
fn on(cluster: &Path, command: &mut Command) {
    command.env("SLURM_CONF", cluster.join("slurm.conf")).envs(OPEN_MPI).env("NO_COLOR", "1");
}

fn plugin(mpi: &str) -> &'static str {
    if mpi == "openmpi" { "--mpi=pmix" } else { "--mpi=pmi2" }
}

/// `srun` on 2 nodes with 2 ranks each.
fn srun(cluster: &Path, plugin: &str, dir: &Path) -> Command {
    let mut command = Command::new("srun");
    command.args(["-N2", "-n4", "--ntasks-per-node=2", plugin, "--quit-on-interrupt"]).current_dir(dir);
    on(cluster, &mut command);
    command
}

fn compile(mpi: &str, source: &Path, to: &Path) -> Result<Ended, Failed> {
    expect(thrille(["cc", "--", &format!("mpicc.{mpi}"), "-g", "-O0"]).arg(source).arg("-o").arg(to), 0)
}

/// The marked pairs of lines are the reported ones.
fn found(run: &Path, source: &Path, ended: &Ended) -> Outcome {
    let (wanted, pairs) = (markers(&std::fs::read_to_string(source)?)?, pairs(&report(run)?)?);
    check(pairs == wanted, || format!("{pairs:?} reported, {wanted:?} marked:\n{ended}"))
}

fn exec(mpi: &str, name: &str) -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    let (source, binary) = (root().join(format!("tests/mpi/{name}.c")), dir.path().join("program"));
    compile(mpi, &source, &binary)?;
    let mut command = srun(&cluster, plugin(mpi), dir.path());
    let ended = expect(command.args([THRILLE, "exec", "--out", "run", "./program"]), 0)?;
    found(&dir.path().join("run"), &source, &ended)?;
    let report = report(&dir.path().join("run"))?;
    check(report["summary"]["ranks_observed"] == 4, || format!("4 ranks expected:\n{ended}"))?;
    nobody_is_left(dir.path())
}

/// The pair of jobs: phase 2 waits for phase 1, and is called off when nothing was predicted.
fn sbatch(mpi: &str, half: &str) -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    let (source, binary) = (root().join(format!("tests/mpi/halo_{half}.c")), dir.path().join("halo"));
    compile(mpi, &source, &binary)?;
    let mut command = thrille(["sbatch", "-N2", "-n4", "--wait", "--out", "my job", "--slurm", "--time=5", "./halo"]);
    on(&cluster, command.current_dir(dir.path()));
    let ended = run(&mut command)?;
    ended.expect(i32::from(half == "race"))?;
    ended.says(&["is phase 1", "is phase 2"])?;
    let out = dir.path().join("my job");
    let said = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_default();
    found(&out.join("run"), &source, &ended)?;
    let wanted = if half == "race" { "race" } else { "no race" };
    check(said("report.txt").contains(wanted), || format!("{wanted} expected in report.txt:\n{}", said("report.txt")))?;
    let skipped = "phase 2 is skipped";
    check(said("phase1.out").contains(skipped) == (half == "safe"), || {
        format!("phase 2 is skipped when there is nothing to confirm:\n{}", said("phase1.out"))
    })?;
    check(out.join("phase2.out").exists() == (half == "race"), || {
        format!("phase 2 ran, or did not:\n{}\n{}", said("phase1.out"), said("phase2.out"))
    })?;
    if half == "race" {
        check(said("report.txt").contains("1 race found, 1 confirmed"), || {
            format!("the race happens again under control:\n{}\n{}", said("report.txt"), said("phase2.out"))
        })?;
    }
    nobody_is_left(dir.path())
}

/// An address of this machine that is not the one by which it reaches itself, if it has one: where no rank would look unless it was told.
fn address() -> Ipv4Addr {
    let own = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        // Nothing is sent: the way there is looked up.
        socket.connect((Ipv4Addr::new(198, 51, 100, 1), 9)).ok()?;
        match socket.local_addr().ok()?.ip() {
            IpAddr::V4(own) if !own.is_unspecified() => Some(own),
            _ => None,
        }
    };
    own().unwrap_or(Ipv4Addr::new(127, 0, 0, 2))
}

/// The processes that were started in a directory, what they are called by and with which environment.
fn started_in(dir: &Path) -> Vec<(u32, String, String)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let here = entries.filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == dir));
    let text = |path: PathBuf| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', "\n"));
    here.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, text(entry.path().join("cmdline")).ok()?, text(entry.path().join("environ")).ok()?))
    })
    .collect()
}

/// A race of two ranks on two nodes happens, and happens again by its schedule. The coordinator is on the first node and listens at the address that it was told, the ranks
/// know that address and the token by their environment alone, and who does not know the token is told nothing.
fn confirm(mpi: &str) -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    let source = program("mpi_across.c");
    compile(mpi, &source, &dir.path().join("across"))?;
    let (plugin, address) = (plugin(mpi), address());
    let script = format!(
        "#!/bin/bash\nsrun {plugin} {THRILLE} exec --sampling full --out run ./across\n\
         export THRILLE_LAUNCHER='srun {plugin}' THRILLE_ADDRESS={address}\n\
         echo \"confirmed from $SLURMD_NODENAME of $SLURM_JOB_NODELIST\"\n\
         {THRILLE} confirm run --quiet --confirm-time 60 >confirmed.txt; echo \"ended with $?\"\n\
         {THRILLE} $(grep -m1 -o 'confirm run --replay thr3-.*' confirmed.txt); echo \"replay ended with $?\"\n"
    );
    std::fs::write(dir.path().join("job.sh"), script)?;
    let mut command = Command::new("sbatch");
    command.args(["-N2", "-n4", "--ntasks-per-node=2", "--time=5", "--wait", "--output=job.out", "job.sh"]);
    on(&cluster, command.current_dir(dir.path()));
    let mut running = Running::start(&mut command)?;
    let here = dir.path().canonicalize()?;
    let (mut asked, mut told) = (BTreeSet::new(), BTreeSet::new());
    while !running.is_over() {
        let processes = started_in(&here);
        for (pid, words, environment) in &processes {
            let is_coordinator = |words: &str| words.contains("\nconfirm\nrun\n");
            let listens = if is_coordinator(words) { listening(*pid) } else { Vec::new() };
            // What it starts has its name until it has become another program.
            let still = started_in(&here).iter().any(|(other, words, _)| other == pid && is_coordinator(words));
            for at in listens.into_iter().filter(|_| still) {
                check(*at.ip() == address, || format!("it listens at {at}, not at {address}"))?;
                if !asked.contains(&at) && turned_away(at)? {
                    asked.insert(at);
                }
            }
            let says = |name: &str| environment.lines().find_map(|line| line.strip_prefix(name));
            if let (Some(at), Some(token)) = (says("THRILLE_CONFIRM="), says("THRILLE_TOKEN=")) {
                check(processes.iter().all(|(_, words, _)| !words.contains(token)), || {
                    "a token in an argument".into()
                })?;
                told.insert(at.to_owned());
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = running.end()?;
    let text = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    let said = text("job.out") + &text("confirmed.txt");
    check(said.contains("confirmed from n1 of n[1-2]\nended with 1\n"), || format!("{said}\n{ended}"))?;
    check(said.contains("1 race found, 1 confirmed"), || format!("the race happens under control:\n{said}"))?;
    let witness = report(&dir.path().join("run"))?["races"][0]["confirmation"]["witness"].to_string();
    check(witness.contains("rank 0") && witness.contains("rank 3"), || format!("ranks of two nodes: {witness}"))?;
    check(said.contains("replay ended with 1"), || format!("and by its schedule again:\n{said}"))?;
    let told_right = told.iter().all(|at| at.starts_with(&format!("{address}:")));
    check(!told.is_empty() && told_right && !asked.is_empty(), || format!("told {told:?}, asked {asked:?}"))?;
    nobody_is_left(dir.path())
}

/// A job of a program that does not end, all of whose ranks are under way.
fn under_way(cluster: &Path, mpi: &str, what: &str, dir: &Path, more: &[&str]) -> Result<Running, Failed> {
    compile(mpi, &program("mpi_forever.c"), &dir.join("forever"))?;
    let mut command = srun(cluster, plugin(mpi), dir);
    command.args(more).args([THRILLE, "exec", "--grace", "3", "--out", "run", "./forever", what, "ready"]);
    let mut running = Running::start(&mut command)?;
    let all_ready = || (0..4).all(|rank| dir.join(format!("ready-{rank}")).exists());
    running.wait_for("the ranks getting ready", all_ready)?;
    Ok(running)
}

/// The number of the job whose name is this.
fn job(cluster: &Path, name: &str) -> Result<String, Failed> {
    let mut command = Command::new("squeue");
    on(cluster, command.args(["--noheader", "--format=%i", "--name", name]));
    Ok(expect(&mut command, 0)?.stdout.trim().to_owned())
}

fn the_race_is_there(dir: &Path) -> Outcome {
    let later = run(thrille(["merge", "run"]).current_dir(dir))?;
    later.expect(1)?;
    let wanted = markers(&std::fs::read_to_string(program("mpi_forever.c"))?)?;
    let found: BTreeSet<_> = pairs(&report(&dir.join("run"))?)?;
    check(found == wanted, || format!("{wanted:?} expected, {found:?} reported:\n{later}"))
}

/// What was exchanged before is on disk, and no process is left.
fn scancel(mpi: &str, what: &str) -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    let name = format!("cancelled-{mpi}-{what}");
    let running = under_way(&cluster, mpi, what, dir.path(), &["--job-name", &name])?;
    let mut command = Command::new("scancel");
    on(&cluster, command.arg(job(&cluster, &name)?));
    expect(&mut command, 0)?;
    let ended = running.end()?;
    check(!ended.status.success(), || format!("the job was cancelled:\n{ended}"))?;
    nobody_is_left(dir.path())?;
    the_race_is_there(dir.path())?;
    let said = std::fs::read_to_string(dir.path().join("run/report.txt"))?;
    check(said.contains("SIGTERM") || said.contains("SIGKILL"), || {
        format!("how it ended is not said:\n{said}\n{ended}")
    })
}

/// A node dies: the job with it, the findings do not.
fn killed_slurmd() -> Outcome {
    let (cluster, dir) = (Cluster::up()?, temporary());
    let running = under_way(&cluster.0, "openmpi", "barriers", dir.path(), &["--no-kill=off"])?;
    let mut command = Command::new(root().join("slurm/cluster.sh"));
    expect(command.arg("kill-node").arg(&cluster.0).arg("n2"), 0)?;
    let ended = running.end()?;
    check(!ended.status.success(), || format!("a node was lost:\n{ended}"))?;
    let begun = Instant::now();
    let mut left = nobody_is_left(dir.path());
    while left.is_err() && begun.elapsed() < Duration::from_secs(20) {
        left = nobody_is_left(dir.path());
    }
    left?;
    the_race_is_there(dir.path())
}

/// Records on the nodes, copied at the end; those of a job that was killed, by hand.
fn local_and_merge() -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    let source = root().join("tests/mpi/halo_race.c");
    compile("openmpi", &source, &dir.path().join("program"))?;
    let mut command = srun(&cluster, "--mpi=pmix", dir.path());
    let script = format!("exec {THRILLE} exec --out run --local node-$SLURMD_NODENAME ./program");
    let ended = expect(command.args(["bash", "-c", &script]), 0)?;
    found(&dir.path().join("run"), &source, &ended)?;
    check(!dir.path().join("node-n1").exists(), || format!("node-n1 was left behind:\n{ended}"))?;
    // As a job leaves them whose ranks were killed: rank 1's records are on its node only.
    let local = dir.path().join("node-n9");
    std::fs::create_dir(&local)?;
    std::fs::rename(dir.path().join("run/rank-1.thr"), local.join("rank-1.thr"))?;
    let before = run(thrille(["merge", "run"]).current_dir(dir.path()))?;
    check(before.stdout.contains("rank 1 left no records"), || format!("rank 1's file is missing:\n{before}"))?;
    let merged = run(thrille(["merge", "run", "--from", "node-n9"]).current_dir(dir.path()))?;
    merged.expect(1)?;
    found(&dir.path().join("run"), &source, &merged)
}

/// Where an installation puts it, the module file finds what it is of, and takes it back.
fn module_file() -> Outcome {
    let dir = temporary();
    let (bin, modules) = (dir.path().join("bin"), dir.path().join("share/modulefiles/thrille"));
    std::fs::create_dir_all(&bin)?;
    std::fs::create_dir_all(&modules)?;
    std::os::unix::fs::symlink(THRILLE, bin.join("thrille"))?;
    std::fs::copy(root().join("slurm/modulefile"), modules.join("0.1.0"))?;
    let script = "exec >&2; source /usr/share/lmod/lmod/init/bash; module use share/modulefiles; module load thrille/0.1.0 || exit 2; \
                  command -v thrille; thrille --version; module whatis thrille 2>&1; module unload thrille; command -v thrille || echo gone";
    let mut command = Command::new("bash");
    let ended = expect(command.args(["--norc", "-c", script]).current_dir(dir.path()).env("PATH", "/usr/bin:/bin"), 0)?;
    let found = bin.join("thrille").display().to_string();
    ended.says(&[&found, "thrille 0.1.0", "PGAS-Thrille 0.1.0: finds data races", "gone"])
}

/// Slurm is not installed, or there is none where the user says.
fn no_slurm() -> Outcome {
    let dir = temporary();
    compile("mpich", &root().join("tests/mpi/halo_safe.c"), &dir.path().join("halo"))?;
    let mut command = thrille(["sbatch", "-n2", "./halo"]);
    let ended = expect(command.current_dir(dir.path()).env("PATH", "/nonexistent"), 2)?;
    ended.says(&["no sbatch in PATH", "thrille run", "--dry-run"])?;
    let mut command = thrille(["sbatch", "-n2", "./halo"]);
    let ended = expect(command.current_dir(dir.path()).env("SLURM_CONF", "/nonexistent/slurm.conf"), 2)?;
    ended.says(&["SLURM_CONF names /nonexistent/slurm.conf", "not there", "--dry-run"])?;
    let mut command = thrille(["sbatch", "-n2", "--dry-run", "--out", "job", "./halo"]);
    let ended = expect(command.current_dir(dir.path()).env("PATH", "/nonexistent"), 0)?;
    ended.says(&["phase1.sh", "phase2.sh", "nothing was submitted"])
}

fn sbatch_mistakes() -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    compile("mpich", &root().join("tests/mpi/halo_safe.c"), &dir.path().join("halo"))?;
    for (words, says) in [
        (&["-N2", "-n1", "./halo"][..], &["-N 2 -n 1"][..]),
        (&["./nothing"], &["nothing was not found"]),
        (&["--out", "/proc/none", "./halo"], &["/proc/none", "--out"]),
        (&["--templates", "none", "./halo"], &["--write-templates"]),
        (&["--config", "none.toml", "./halo"], &["none.toml"]),
        (&["--slurm", "--partition=moon", "./halo"], &["sbatch refused", "partition"]),
        (&["--slurm", "--nonsense", "./halo"], &["sbatch refused", "nonsense"]),
        (&["/bin/true"], &["not linked with Open MPI or MPICH"]),
        (&["--mpi", "openmpi", "./halo"], &["linked with MPICH", "leave --mpi out"]),
    ] {
        let mut command = thrille(["sbatch"]);
        on(&cluster, command.args(words).current_dir(dir.path()));
        expect(&mut command, 2)?.says(says)?;
    }
    Ok(())
}

/// So many jobs of one rank.
fn wrong_plugin(mpi: &str) -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    compile(mpi, &root().join("tests/mpi/halo_safe.c"), &dir.path().join("program"))?;
    let right = if mpi == "openmpi" { "srun --mpi=pmix" } else { "srun --mpi=pmi2" };
    for wrong in ["--mpi=none", if mpi == "openmpi" { "--mpi=pmi2" } else { "--mpi=pmix" }] {
        let mut command = srun(&cluster, wrong, dir.path());
        let ended = run(command.args([THRILLE, "exec", "--grace", "2", "--out", "run", "./program"]))?;
        ended.says(&["4 processes", right])?;
        check(ended.stderr.matches("jobs of one rank each, and nothing").count() <= 2, || {
            format!("too often:\n{ended}")
        })?;
        let report = std::fs::read_to_string(dir.path().join("run/report.txt"))?;
        check(report.contains(right), || format!("the report does not say so:\n{report}\n{ended}"))?;
        std::fs::remove_dir_all(dir.path().join("run"))?;
    }
    Ok(())
}

fn unwritable() -> Outcome {
    let (cluster, dir) = (Cluster::shared()?, temporary());
    compile("openmpi", &root().join("tests/mpi/halo_safe.c"), &dir.path().join("program"))?;
    for out in ["/proc/none", "/proc"] {
        let mut command = srun(&cluster, "--mpi=pmix", dir.path());
        let ended = run(command.args(["--kill-on-bad-exit=1", THRILLE, "exec", "--out", out, "./program"]))?;
        check(!ended.status.success(), || format!("nothing can be written to {out}:\n{ended}"))?;
        ended.says(&[out, "--out DIR", " on n"])?;
        check(!ended.stderr.contains("panicked"), || format!("a panic:\n{ended}"))?;
    }
    let mut command = srun(&cluster, "--mpi=pmix", dir.path());
    let words = ["--kill-on-bad-exit=1", THRILLE, "exec", "--out", "run", "--local", "/proc/none", "./program"];
    let ended = run(command.args(words))?;
    check(!ended.status.success(), || format!("nothing can be written to /proc/none:\n{ended}"))?;
    ended.says(&["/proc/none", "--local DIR", " on n"])
}

/// Runs a program on the cluster; on the second node something is different, as a script says.
fn different_on_the_second_node(what: &str, dir: &Path) -> Result<Ended, Failed> {
    let cluster = Cluster::shared()?;
    compile("mpich", &root().join("tests/mpi/halo_race.c"), &dir.join("program"))?;
    let script = dir.join("start.sh");
    std::fs::write(&script, format!("#!/bin/bash\nif [ \"$SLURM_NODEID\" = 1 ]; then {what}; fi\nexec ./program\n"))?;
    expect(Command::new("chmod").arg("+x").arg(&script), 0)?;
    let mut command = srun(&cluster, "--mpi=pmi2", dir);
    expect(command.args([THRILLE, "exec", "--out", "run", "./start.sh"]), 0)
}

/// Either all ranks are observed or none is.
fn versions() -> Outcome {
    let dir = temporary();
    let ended = different_on_the_second_node("export THRILLE_TOOL=9.9.9", dir.path())?;
    ended.says(&["rank 2 on n2 has thrille", "started by 9.9.9", "install the same version on all nodes"])?;
    let report = std::fs::read_to_string(dir.path().join("run/report.txt"))?;
    check(report.contains("same version"), || format!("the report does not say so:\n{report}"))
}

/// Clocks that differ change no verdict, and the report says that they do.
fn clock_skew() -> Outcome {
    let dir = temporary();
    let fake = "export LD_PRELOAD=\"$(dirname \"$(find /usr/lib -name libfaketime.so.1 | head -1)\")/libfaketime.so.1\" FAKETIME=+1h";
    let ended = different_on_the_second_node(fake, dir.path())?;
    ended.says(&["the clocks of the nodes differ", "on n2 is 3600 s ahead"])?;
    found(&dir.path().join("run"), &root().join("tests/mpi/halo_race.c"), &ended)
}
