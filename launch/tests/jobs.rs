//! Jobs of plain shell commands: what children inherit, limits, and that nothing is left behind.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use thrille_launch::{Error, Job, PeState};

const HEAP: u64 = 1 << 20;
const GRACE: Duration = Duration::from_millis(100);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn limits_are_explained() {
    for npes in [0, 1025] {
        let error = Job::create(npes, HEAP).unwrap_err();
        assert!(matches!(error, Error::Npes(n) if n == npes));
        assert!(error.to_string().contains("1 to 1024"), "{error}");
    }
    assert!(Job::create(1024, HEAP).is_ok());
    let error = Job::create(1024, 1 << 40).unwrap_err();
    assert!(error.to_string().contains("SHMEM_SYMMETRIC_SIZE"), "{error}");
    assert!(Job::create(1, 0).is_err());
    assert!(Job::create(2, HEAP).unwrap().spawn(2, shell("true")).is_err());
}

#[test]
fn children_get_their_numbers_and_the_memory() {
    let job = Job::create(3, HEAP).unwrap();
    let script = r#"test "$THRILLE_SHMEM_NPES" = 3 && test "$THRILLE_SHMEM_HEAP" = 2097152 &&
        test "$(readlink /proc/self/fd/$THRILLE_SHMEM_FD)" = "/memfd:thrille-shmem (deleted)" && exit $((10 + THRILLE_SHMEM_PE))"#;
    let children: Vec<_> = (0..3).map(|pe| job.spawn(pe, shell(script)).unwrap()).collect();
    for (pe, mut child) in children.into_iter().enumerate() {
        assert_eq!(child.wait().unwrap().code(), Some(10 + pe as i32));
    }
}

#[test]
fn other_children_do_not_get_the_memory() {
    let _job = Job::create(1, HEAP).unwrap();
    let listing = shell("ls -l /proc/self/fd").output().unwrap();
    assert!(!String::from_utf8_lossy(&listing.stdout).contains("thrille-shmem"));
}

#[test]
fn all_succeed() {
    let job = Job::create(4, HEAP).unwrap();
    let outcome = job.run(|_| shell("exit 0"), GRACE).unwrap();
    assert_eq!((outcome.code(), outcome.aborted, outcome.statuses.len()), (0, None, 4));
}

#[test]
fn one_that_fails_ends_the_others() {
    let job = Job::create(3, HEAP).unwrap();
    let begin = Instant::now();
    let outcome = job.run(|pe| shell(if pe == 1 { "exit 7" } else { "exec sleep 60" }), GRACE).unwrap();
    assert_eq!((outcome.code(), outcome.aborted), (7, Some(7)));
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert_eq!(job.control().state(1), PeState::Exited);
}

#[test]
fn one_that_is_killed_ends_the_others() {
    let job = Job::create(2, HEAP).unwrap();
    let outcome = job.run(|pe| shell(if pe == 0 { "kill -9 $$" } else { "exec sleep 60" }), GRACE).unwrap();
    assert_eq!(outcome.code(), 128 + 9);
}

#[test]
fn abort_ends_the_job() {
    let job = Job::create(2, HEAP).unwrap();
    let children = (0..2).map(|pe| job.spawn(pe, shell("exec sleep 60")).unwrap()).collect();
    job.abort();
    assert_eq!(job.wait(children, GRACE).unwrap().code(), 1);
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let job = Job::create(2, HEAP).unwrap();
    assert!(job.run(|_| Command::new("/no/such/program"), GRACE).is_err());
}

/// This test, run again as a launcher that gets killed: it prints the pids of its PEs and waits.
#[test]
fn launcher_for_the_next_test() {
    if std::env::var_os("THRILLE_TEST_LAUNCHER").is_none() {
        return;
    }
    let job = Job::create(2, HEAP).unwrap();
    let children: Vec<_> = (0..2).map(|pe| job.spawn(pe, shell("exec sleep 60")).unwrap()).collect();
    for child in &children {
        println!("pid {}", child.id());
    }
    let _ = job.wait(children, GRACE);
}

#[test]
fn killed_launcher_leaves_no_process() {
    use std::io::{BufRead, BufReader};
    let mut launcher = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "launcher_for_the_next_test", "--nocapture"])
        .env("THRILLE_TEST_LAUNCHER", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pids: Vec<u32> = BufReader::new(launcher.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.split("pid ").nth(1)?.trim().parse().ok())
        .take(2)
        .collect();
    assert_eq!(pids.len(), 2);
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    let alive = |pid: &u32| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
    };
    let begin = Instant::now();
    while pids.iter().any(alive) {
        assert!(begin.elapsed() < Duration::from_secs(10), "a PE survived its launcher");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A launcher that runs many jobs does not keep the memory of those that are over.
#[test]
fn memory_goes_with_the_job() {
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap().matches("memfd:thrille-shmem").count();
    drop(Job::create(2, HEAP).unwrap());
    // Other tests of this process have jobs of their own at the same time: count in a process of our own.
    if std::env::var_os("THRILLE_TEST_MAPS").is_some() {
        assert_eq!(maps(), 0);
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory_goes_with_the_job"])
        .env("THRILLE_TEST_MAPS", "1")
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}
