//! Builds the library if needed, compiles C programs against it and runs them as jobs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use thrille_launch::Job;

/// Small enough that exhausting it is quick.
pub const HEAP: u64 = 8 << 20;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn include() -> PathBuf {
    package().join("include")
}

fn newest(dir: &Path) -> SystemTime {
    let mut newest = SystemTime::UNIX_EPOCH;
    for entry in std::fs::read_dir(dir).unwrap() {
        newest = newest.max(entry.unwrap().metadata().unwrap().modified().unwrap());
    }
    newest
}

/// The library beside this test, built now if it is not there or older than its sources.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let exe = std::env::current_exe().unwrap();
        let profile_dir = exe.parent().unwrap().parent().unwrap().to_owned();
        let so = profile_dir.join("libthrille_shmem.so");
        let sources = newest(&package().join("src")).max(newest(&package().join("../launch/src")));
        if so.metadata().and_then(|m| m.modified()).is_ok_and(|made| made > sources) {
            return so;
        }
        let profile = match profile_dir.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "-p", "thrille-shmem", "--profile", profile, "--target-dir"])
            .arg(profile_dir.parent().unwrap())
            .current_dir(package())
            .status()
            .unwrap();
        assert!(status.success(), "building the library");
        so
    })
}

/// A C or C++ program under `tests/c` and how to compile it.
pub struct Program {
    source: &'static str,
    flags: &'static [&'static str],
}

impl Program {
    pub fn new(source: &'static str) -> Self {
        Self { source, flags: &[] }
    }

    pub fn flags(source: &'static str, flags: &'static [&'static str]) -> Self {
        Self { source, flags }
    }

    pub fn build(&self) -> PathBuf {
        static BUILT: AtomicUsize = AtomicUsize::new(0);
        let so = library();
        let name = format!("{}-{}-{}", self.source, std::process::id(), BUILT.fetch_add(1, Ordering::Relaxed));
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let compiler = if self.source.ends_with("cc") { "c++" } else { "cc" };
        let output = Command::new(compiler)
            .args(["-g", "-O1", "-Wall", "-Wextra", "-Werror"])
            .args(self.flags)
            .arg("-I")
            .arg(include())
            .arg(package().join("tests/c").join(self.source))
            .arg("-o")
            .arg(&out)
            .arg(so)
            .arg(format!("-Wl,-rpath,{}", so.parent().unwrap().display()))
            .args(["-lm", "-pthread"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}: {}", self.source, String::from_utf8_lossy(&output.stderr));
        out
    }

    /// Runs it on `npes` PEs.
    pub fn run(&self, npes: usize, args: &[&str]) -> Ran {
        let exe = self.build();
        let ran = run(&exe, npes, args);
        std::fs::remove_file(&exe).unwrap();
        ran
    }

    /// Runs it on each of these numbers of PEs; it must succeed, and say nothing.
    pub fn passes(&self, npes: &[usize]) {
        let exe = self.build();
        for &n in npes {
            let ran = run(&exe, n, &[]);
            assert!(ran.code == 0 && ran.stderr.is_empty(), "{} on {n} PEs: {ran:?}", self.source);
        }
        std::fs::remove_file(&exe).unwrap();
    }
}

/// What a job did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

fn run(exe: &Path, npes: usize, args: &[&str]) -> Ran {
    let job = Job::create(npes, HEAP).unwrap();
    let files: Vec<[PathBuf; 2]> = (0..npes)
        .map(|pe| ["out", "err"].map(|s| PathBuf::from(format!("{}.{npes}.{pe}.{s}", exe.display()))))
        .collect();
    let outcome = job
        .run(
            |pe| {
                let mut command = Command::new(exe);
                let [out, err] = files[pe].each_ref().map(|f| Stdio::from(std::fs::File::create(f).unwrap()));
                command.args(args).stdin(Stdio::null()).stdout(out).stderr(err);
                command
            },
            Duration::from_secs(2),
        )
        .unwrap();
    let read = |which: usize| {
        let mut text = String::new();
        for pair in &files {
            text += &std::fs::read_to_string(&pair[which]).unwrap();
            std::fs::remove_file(&pair[which]).unwrap();
        }
        text
    };
    Ran { code: outcome.code(), stdout: read(0), stderr: read(1) }
}
