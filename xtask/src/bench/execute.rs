//! One run: started, watched, ended when it takes too long or too much, and read.

use super::compile::{Built, Compiler};
use super::configs::{Config, Kind};
use super::manifest;
use super::options::Model;
use super::rows::{Key, Outcome, Row};
use crate::{Result, build, target};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What Open MPI wants to be told on one machine with few cores: as `thrille run` tells it, so that both are compared under the same conditions.
pub const OPEN_MPI: [(&str, &str); 11] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_oob_tcp_if_include", "lo"),
    ("OMPI_MCA_btl_tcp_if_include", "lo"),
    ("OMPI_MCA_memory", "^patcher"),
    ("OMPI_MCA_osc", "ucx,sm"),
    ("UCX_NET_DEVICES", "lo"),
    ("HYDRA_IFACE", "lo"),
];

/// When this little is left on the machine, the run is ended before the system does something worse.
const LEAST_AVAILABLE: u64 = 1 << 30;
/// How long a run may take to end once it was told to.
const GRACE: Duration = Duration::from_secs(15);

/// What to run.
pub struct Execution<'a> {
    pub built: &'a Built,
    pub config: &'a Config,
    pub class: char,
    pub ranks: u32,
    pub limit: Duration,
}

/// What a process left behind.
pub struct Ended {
    status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
    wall: Duration,
    pub peak: u64,
    /// Why it was ended.
    pub stopped: Option<String>,
}

impl Execution<'_> {
    /// Runs it and reads what it says.
    pub fn run(&self, key: Key, compiler: &Compiler) -> Result<Row> {
        let dir = target().join("nas-bench").join(format!("run-{}", std::process::id()));
        remove(&dir)?;
        let mut command = self.command(compiler.model, &dir)?;
        let mut row = Row::new(key);
        row.load = load();
        let before = cpu_of_children();
        let ended = watch(&mut command, self.limit)?;
        row.cpu = cpu_of_children() - before;
        row.wall = ended.wall.as_secs_f64();
        row.peak = ended.peak;
        row.timed = timed(&ended.stdout);
        row.outcome = self.outcome(&ended, row.key.variant);
        if self.config.kind.detects() && row.outcome == Outcome::Finished {
            match report(&dir) {
                Ok(report) => read(&report, &mut row),
                Err(error) => row.outcome = Outcome::Failed(error),
            }
        }
        remove(&dir)?;
        Ok(row)
    }

    fn command(&self, model: Model, dir: &Path) -> Result<Command> {
        let ranks = self.ranks.to_string();
        let class = self.class.to_string();
        let mut command;
        if model == Model::Mpi && !self.config.kind.detects() {
            command = Command::new("mpirun.openmpi");
            command.args(["-n", &ranks]).arg(&self.built.path).arg(class);
        } else {
            command = Command::new(build::thrille());
            command.args(["run", "--quiet", "--no-confirm", "-n", &ranks, "--out"]).arg(dir);
            if model == Model::Shmem {
                command.arg("--heap").arg(self.segment()?.to_string());
            }
            command.args(self.config.options);
            if self.config.kind == Kind::Hooks {
                // Without its run the library in the program stays inert: the hooks are called and return.
                command.args(["env", "-u", "THRILLE_RUN_DIR"]);
            }
            command.arg(&self.built.path).arg(class);
        }
        if model == Model::Mpi {
            command.envs(OPEN_MPI);
        }
        if self.config.kind == Kind::Tsan {
            command.env("TSAN_OPTIONS", "exitcode=0");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    /// Bytes of symmetric heap that the program asks for, and some for the rounding of its blocks.
    fn segment(&self) -> Result<u64> {
        let words: [OsString; 3] = ["--bytes".into(), self.class.to_string().into(), self.ranks.to_string().into()];
        let path = &self.built.path;
        let output = Command::new(path).args(words).output().map_err(|e| format!("{}: {e}", path.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let bytes: u64 = text.parse().map_err(|_| format!("{} does not say its bytes: {text}", path.display()))?;
        Ok(bytes + (1 << 20))
    }

    fn outcome(&self, ended: &Ended, variant: u32) -> Outcome {
        if let Some(why) = &ended.stopped {
            return Outcome::DidNotFinish(why.clone());
        }
        // The result of a racy program may be anything.
        let right = ended.stdout.contains("verification successful");
        let over = right || (variant > 0 && ended.stdout.contains("verification"));
        let code = ended.status.and_then(|status| status.code());
        // The launcher says with 2 that nothing was observed, which is so when nobody is meant to observe.
        let good_code =
            if self.config.kind.detects() { matches!(code, Some(0 | 1 | 3)) } else { matches!(code, Some(0 | 2)) };
        if over && (good_code || variant > 0) {
            return Outcome::Finished;
        }
        let said = ended.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing on standard error");
        let code = code.map_or_else(|| "a signal".into(), |code| format!("exit code {code}"));
        Outcome::Failed(format!("ended with {code}: {said}"))
    }
}

/// The program's own time.
fn timed(stdout: &str) -> f64 {
    let line = stdout.lines().find_map(|line| line.strip_prefix("time ")?.strip_suffix(" s"));
    line.and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("cannot remove {}: {e}", dir.display())),
        _ => Ok(()),
    }
}

fn report(dir: &Path) -> Result<Value> {
    let path = dir.join("report.json");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn read(report: &Value, row: &mut Row) {
    let figure = |name: &str| report["summary"][name].as_u64().unwrap_or(0);
    row.executed = figure("executed");
    row.observed = figure("observed");
    row.recorded = figure("recorded");
    row.dropped = figure("dropped");
    let seconds = |name: &str| report["summary"][name].as_f64().unwrap_or(0.0);
    row.analysis = seconds("analysis_seconds");
    row.waiting = seconds("communication_seconds");
    row.communication = seconds("communication_cpu_seconds");
    let place = |side: &Value| {
        let path = side["at"]["path"].as_str().or(side["at"]["file"].as_str()).unwrap_or("?");
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, side["at"]["line"].as_u64().unwrap_or(0) as usize)
    };
    for race in report["races"].as_array().into_iter().flatten() {
        let (a, b) = (place(&race["a"]), place(&race["b"]));
        row.found.insert(manifest::pair((&a.0, a.1), (&b.0, b.1)));
    }
}

/// Runs a command to its end, or to the limit.
pub fn watch(command: &mut Command, limit: Duration) -> Result<Ended> {
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))?;
    let readers = [reader(child.stdout.take()), reader(child.stderr.take())];
    let (mut peak, mut looked, mut stopped) = (0, Instant::now(), None);
    let (status, wall) = loop {
        if let Ok(Some(status)) = child.try_wait() {
            break (Some(status), begun.elapsed());
        }
        if looked.elapsed() > Duration::from_millis(20) || begun.elapsed() < Duration::from_millis(20) {
            peak = descendants(child.id()).into_iter().filter_map(high_water).max().unwrap_or(0).max(peak);
            looked = Instant::now();
            if begun.elapsed() > limit {
                stopped = Some(format!("{} s", limit.as_secs()));
            } else if available().is_some_and(|bytes| bytes < LEAST_AVAILABLE) {
                stopped = Some("memory".into());
            }
            if stopped.is_some() {
                let wall = begun.elapsed();
                break (end(&mut child), wall);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap_or_default());
    Ok(Ended { status, stdout, stderr, wall, peak, stopped })
}

/// Tells the launcher to end, which ends its ranks; kills it if it does not.
fn end(child: &mut Child) -> Option<ExitStatus> {
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    child.wait().ok()
}

fn reader(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The processes below one, itself left out: launchers are not what is measured.
fn descendants(pid: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let mut left = vec![pid];
    while let Some(pid) = left.pop() {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let children: Vec<u32> = lists
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect();
        left.extend(&children);
        all.extend(children);
    }
    all
}

/// Processor time of all children that have ended and been waited for, theirs included, in seconds.
pub fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in brackets, may hold anything. Behind it, cutime and cstime are the 14th and 15th field, in hundredths.
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split_whitespace().skip(13).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Processes that wanted to run in the last minute.
pub fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

/// Largest resident memory of a process so far.
fn high_water(pid: u32) -> Option<u64> {
    kilobytes(&PathBuf::from(format!("/proc/{pid}/status")), "VmHWM:")
}

fn available() -> Option<u64> {
    kilobytes(Path::new("/proc/meminfo"), "MemAvailable:")
}

fn kilobytes(path: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("60").stdout(Stdio::piped()).stderr(Stdio::piped());
        let ended = watch(&mut command, Duration::from_millis(50)).unwrap();
        assert!(ended.stopped.is_some() && ended.wall < Duration::from_secs(30));
    }

    #[test]
    fn processor_time_of_a_child_is_counted() {
        let before = cpu_of_children();
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        watch(&mut command, Duration::from_secs(60)).unwrap();
        assert!(cpu_of_children() > before);
    }

    #[test]
    fn the_programs_time() {
        assert!((timed("x\ntime 1.250000 s\ny\n") - 1.25).abs() < 1e-9);
        assert!(timed("no time").abs() < 1e-9);
    }
}
