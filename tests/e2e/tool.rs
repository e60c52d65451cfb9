//! Runs the command, with a limit on its time, and reads what it reports.

use crate::support::{THRILLE, root};
use libtest_mimic::Failed;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No run of the tests takes longer, on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command, run from a directory of its own unless the test says otherwise.
pub fn thrille(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(THRILLE);
    command.args(words).stdin(Stdio::null()).env_remove("CC").env_remove("CXX").env("NO_COLOR", "1");
    command
}

/// A directory for one test.
pub fn temporary() -> TempDir {
    TempDir::with_prefix("thrille-e2e-").expect("temporary directory")
}

/// A source of the end-to-end tests.
pub fn program(name: &str) -> PathBuf {
    root().join("tests/e2e/programs").join(name)
}

/// How a command went.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Result<Ended, Failed> {
    Running::start(command)?.end()
}

/// Runs a command that may take longer than others.
pub fn run_within(command: &mut Command, patience: Duration) -> Result<Ended, Failed> {
    let mut running = Running::start(command)?;
    running.patience = patience;
    running.end()
}

/// Runs it and wants this exit code.
pub fn expect(command: &mut Command, code: i32) -> Result<Ended, Failed> {
    let ended = run(command)?;
    ended.expect(code)?;
    Ok(ended)
}

impl Ended {
    pub fn expect(&self, code: i32) -> Result<(), Failed> {
        check(self.status.code() == Some(code), || format!("exit code {code} expected:\n{self}"))
    }

    /// Wants all these words on standard error.
    pub fn says(&self, words: &[&str]) -> Result<(), Failed> {
        let missing: Vec<_> = words.iter().filter(|word| !self.stderr.contains(**word)).collect();
        check(missing.is_empty(), || format!("{missing:?} expected on standard error:\n{self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n--- stdout\n{}--- stderr\n{}---", self.status, self.stdout, self.stderr)
    }
}

/// A condition that must hold.
pub fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

/// A command at work. Killed if the test forgets it.
pub struct Running {
    child: Child,
    readers: Option<[std::thread::JoinHandle<String>; 2]>,
    begun: Instant,
    patience: Duration,
    words: String,
}

impl Running {
    pub fn start(command: &mut Command) -> Result<Self, Failed> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let readers = [reader(child.stdout.take()), reader(child.stderr.take())];
        Ok(Self {
            child,
            readers: Some(readers),
            begun: Instant::now(),
            patience: PATIENCE,
            words: format!("{command:?}"),
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has had its time. It has less of a machine that others use, too, and gets that much more of the clock's.
    fn is_late(&self) -> bool {
        let elapsed = self.begun.elapsed();
        elapsed > self.patience && elapsed > self.patience.mul_f64(load().clamp(1.0, 10.0))
    }

    /// Whether it has ended.
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for something to become true while the command runs.
    pub fn wait_for(&mut self, what: &str, mut holds: impl FnMut() -> bool) -> Result<(), Failed> {
        while !holds() {
            check(!self.is_over() && !self.is_late(), || format!("{what}: never happened in {}", self.words))?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub fn end(mut self) -> Result<Ended, Failed> {
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.is_late() {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return Err(format!("not over after {} s: {}", self.begun.elapsed().as_secs(), self.words).into());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let [stdout, stderr] = self.readers.take().expect("taken once").map(|reader| reader.join().expect("reader"));
        Ok(Ended { status, stdout, stderr })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How many want each processor, on average; 1 where that is not known.
fn load() -> f64 {
    let average = std::fs::read_to_string("/proc/loadavg").ok();
    let average = average.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    average.map_or(1.0, |average| average / std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64))
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

/// Sends a signal by its name.
pub fn signal(name: &str, pid: u32) -> Result<(), Failed> {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status()?;
    check(status.success(), || format!("kill -{name} {pid} failed"))
}

/// The processes that a process has started and that are still there.
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// Whether a process runs: neither gone nor waiting for its parent to notice.
pub fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// The named files of shared memory that a process has mapped.
pub fn shared_files(pid: u32) -> Vec<PathBuf> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let names = maps.lines().filter_map(|line| line.find("/dev/shm/").map(|at| line[at..].to_owned()));
    names.map(|name| name.trim_end_matches(" (deleted)").into()).collect()
}

/// The report of a run in its directory.
pub fn report(dir: &Path) -> Result<Value, Failed> {
    let path = dir.join("report.json");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// The reported pairs of lines, the smaller line first.
pub fn pairs(report: &Value) -> Result<std::collections::BTreeSet<(u64, u64)>, Failed> {
    let races = report["races"].as_array().ok_or("a report without races")?;
    let line = |side: &Value| side["at"]["line"].as_u64().ok_or_else(|| format!("a race without a line: {side}"));
    races
        .iter()
        .map(|race| {
            let (a, b) = (line(&race["a"])?, line(&race["b"])?);
            Ok((a.min(b), a.max(b)))
        })
        .collect()
}

/// Keeps the directory there that each `mpirun` of Open MPI makes for all and the last one removes: between two that start at the same time, the later one fails to make it.
pub fn hold_session_directory() -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")?;
    let host = host.trim().split('.').next().unwrap_or_default();
    let directory = format!("ompi.{host}.{}", rustix::process::geteuid().as_raw());
    let held = std::env::temp_dir().join(directory).join("held-by-tests");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(held)
}
