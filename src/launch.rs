//! The processes of a run: started, watched, told to end, and never left behind.
//!
//! Everything happens on the thread that calls [`launch`], which must live as long as the processes do: they die with it. It looks
//! after four things in turn: processes that ended, words from the hub, signals to the launcher, and the time.

use crate::progress::{Line, Wish};
use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use std::ffi::OsString;
use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use thrille_launch::{Job, PeState};
use thrille_model::job::{ENV_HUB, ENV_RANK, ENV_RUN_DIR, ENV_SIZE, ENV_TOKEN};
use thrille_phase2::protocol::ENV_COORDINATOR;
use thrille_report::{Exit, signal_name};
use thrille_transport::{Hub, HubEvent, Refusal, Token};

/// What to start.
#[derive(Debug)]
pub struct Start {
    /// The file.
    pub program: PathBuf,
    /// The program's name as typed, and its arguments.
    pub command: Vec<OsString>,
    /// How many processes.
    pub ranks: u32,
    /// Symmetric heap of each.
    pub heap: u64,
    /// What the ranks are told by the environment, besides what the launcher tells all.
    pub told: Vec<(&'static str, String)>,
    /// How long the others may take to end after one failed.
    pub grace: Duration,
    /// What is shown while it runs.
    pub wish: Wish,
    /// What is different in a run that confirms races.
    pub confirming: Option<Confirming>,
}

/// A run that confirms races: nobody sees its output.
#[derive(Debug)]
pub struct Confirming {
    /// Where the coordinator is.
    pub coordinator: SocketAddr,
    /// What it wants to see.
    pub token: Token,
    /// After this long the program hangs.
    pub limit: Duration,
    /// Where the program runs.
    pub directory: PathBuf,
    /// The first rank's standard input: taken when that is started.
    pub input: Mutex<Option<Stdio>>,
}

impl Confirming {
    /// The standard input, once.
    pub fn input(&self) -> Stdio {
        self.input.lock().ok().and_then(|mut input| input.take()).unwrap_or_else(Stdio::null)
    }
}

/// Where the standard output of a rank goes in such a run.
pub fn output_file(dir: &Path, rank: u32) -> PathBuf {
    dir.join(format!("out-{rank}"))
}

/// How it went.
#[derive(Debug)]
pub struct Ended {
    /// By rank.
    pub exits: Vec<Exit>,
    /// Who failed first.
    pub first_failure: Option<u32>,
    /// How the launcher of an MPI library ended, if it failed and no rank is known to have.
    pub launcher: Option<String>,
    /// The signal that stopped the run.
    pub interrupted: Option<String>,
    /// It was ended because it took too long.
    pub hung: bool,
    /// How long it took.
    pub elapsed: Duration,
    /// Connections that were turned away although they knew the run's token.
    pub notes: Vec<String>,
}

/// Starts the processes and waits until all have ended.
pub fn launch(start: &Start, dir: &Path) -> Result<Ended> {
    let token = start.token()?;
    room_for_connections(start.ranks);
    let hub = Hub::start(start.ranks, token.clone())?;
    let job = Job::create(start.ranks as usize, start.heap)?;
    // Before the first process is there: from now on a signal ends the run in order.
    let mut signals = SignalsInfo::<WithOrigin>::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    let begun = Instant::now();
    let mut herd = Herd::new(&job, &hub, start.grace);
    for rank in 0..start.ranks {
        let child = job
            .spawn(rank as usize, command(start, rank, dir, &hub, &token))
            .with_context(|| format!("cannot start {}", start.program.display()))?;
        herd.children.push(Some(child));
    }
    let mut line = Line::new(start, dir);
    let mut notes = Vec::new();
    let mut nap = Duration::from_micros(200);
    let mut hung = false;
    while herd.is_alive() {
        if !hung && start.is_late(begun) {
            hung = true;
            herd.kill();
        }
        for event in hub.events().try_iter() {
            hear(event, &mut line, &mut notes);
        }
        for origin in signals.pending() {
            line.erase();
            // The terminal's own signal has reached the processes already: they share its foreground group.
            herd.signalled(origin.signal, origin.process.is_some());
        }
        if herd.reap() {
            nap = Duration::from_micros(200);
        } else {
            line.tick();
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
        }
        herd.insist();
    }
    let (exits, first_failure, interrupted) = herd.count();
    for event in hub.shutdown() {
        hear(event, &mut line, &mut notes);
    }
    line.erase();
    Ok(Ended { exits, first_failure, launcher: None, interrupted, hung, elapsed: begun.elapsed(), notes })
}

impl Start {
    /// The secret of the run.
    pub fn token(&self) -> Result<Token> {
        match &self.confirming {
            Some(confirming) => Ok(confirming.token.clone()),
            None => Token::random().context("cannot read /dev/urandom"),
        }
    }

    /// Whether it has taken too long.
    pub fn is_late(&self, begun: Instant) -> bool {
        self.confirming.as_ref().is_some_and(|confirming| begun.elapsed() >= confirming.limit)
    }
}

fn command(start: &Start, rank: u32, dir: &Path, hub: &Hub, token: &Token) -> Command {
    let mut command = Command::new(&start.program);
    let (name, args) = start.command.split_first().map_or((None, [].as_slice()), |(name, args)| (Some(name), args));
    if let Some(name) = name {
        command.arg0(name);
    }
    command
        .args(args)
        .env(ENV_RUN_DIR, dir)
        .env(ENV_RANK, rank.to_string())
        .env(ENV_SIZE, start.ranks.to_string())
        .env(ENV_HUB, hub.addr().to_string())
        .env(ENV_TOKEN, token.to_string())
        .envs(crate::openmp::environment(&start.program))
        .envs(start.told.iter().map(|(name, value)| (name, value)));
    if let Some(confirming) = &start.confirming {
        // What cannot be opened is not compared.
        let output = |file: &Path| File::create(file).map_or_else(|_| Stdio::null(), Stdio::from);
        command
            .env(ENV_COORDINATOR, confirming.coordinator.to_string())
            .current_dir(&confirming.directory)
            .stdout(output(&output_file(dir, rank)))
            .stderr(Stdio::null())
            .stdin(confirming.input());
    }
    if rank != 0 {
        command.stdin(Stdio::null());
    }
    command
}

pub fn hear(event: HubEvent, line: &mut Line, notes: &mut Vec<String>) {
    match event {
        HubEvent::Note(rank, bytes) | HubEvent::Left(rank, bytes) => line.note(rank, &bytes),
        HubEvent::Refused(_, refusal) => {
            // Strangers are none of the program's business.
            if !matches!(refusal, Refusal::NotOurs | Refusal::WrongToken | Refusal::NoHandshake) {
                notes.push(format!("a process was cut off from the analysis: {refusal}"));
            }
        }
        HubEvent::Joined(_) | HubEvent::Lost(_) => {}
    }
}

/// Hands a signal on to a process; one that is gone already is as good.
pub fn hand_on(child: &Child, number: i32) {
    if let Some(signal) = rustix::process::Signal::from_named_raw(number) {
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(child), signal);
    }
}

/// One connection a rank, and some more: raises the limit on open files if that is not enough.
pub fn room_for_connections(ranks: u32) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = u64::from(ranks) + 64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        // If it fails, the connections that do not fit are refused, and the report says so.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}

/// The processes.
struct Herd<'a> {
    job: &'a Job,
    hub: &'a Hub,
    grace: Duration,
    /// None once it has ended.
    children: Vec<Option<Child>>,
    ended: Vec<(u32, ExitStatus)>,
    /// Those that the launcher killed.
    killed: Vec<u32>,
    ending_since: Option<Instant>,
    interrupted: Option<String>,
}

impl<'a> Herd<'a> {
    fn new(job: &'a Job, hub: &'a Hub, grace: Duration) -> Self {
        let (children, ended, killed) = (Vec::new(), Vec::new(), Vec::new());
        Self { job, hub, grace, children, ended, killed, ending_since: None, interrupted: None }
    }

    fn is_alive(&self) -> bool {
        self.children.iter().any(Option::is_some)
    }

    /// Notes who has ended; true if somebody has.
    fn reap(&mut self) -> bool {
        let mut gone = Vec::new();
        for (rank, slot) in (0..).zip(&mut self.children) {
            if let Some(child) = slot
                && let Ok(Some(status)) = child.try_wait()
            {
                *slot = None;
                gone.push((rank, status));
            }
        }
        // Of those that ended at about the same time, a signal is the cause rather than a consequence.
        gone.sort_by_key(|(_, status)| status.signal().is_none());
        for &(rank, status) in &gone {
            self.hub.lose(rank);
            self.job.exited(rank as usize, status);
        }
        let news = !gone.is_empty();
        self.ended.extend(gone);
        news
    }

    /// The launcher was told to stop.
    fn signalled(&mut self, number: i32, forward: bool) {
        let again = self.interrupted.replace(signal_name(number)).is_some();
        if again {
            self.kill();
            return;
        }
        if forward {
            self.children.iter().flatten().for_each(|child| hand_on(child, number));
        }
        self.job.abort();
    }

    /// Once the job is being ended, those that do not end are killed; last those that are ending and wait for the others.
    fn insist(&mut self) {
        if self.job.aborted().is_none() {
            return;
        }
        let since = self.ending_since.get_or_insert_with(Instant::now).elapsed();
        if since >= self.grace * 2 {
            self.kill();
        } else if since >= self.grace {
            let job = self.job;
            self.kill_those(|rank| job.control().state(rank as usize) != PeState::Exited);
        }
    }

    fn kill(&mut self) {
        self.kill_those(|_| true);
    }

    fn kill_those(&mut self, which: impl Fn(u32) -> bool) {
        for (rank, slot) in (0..).zip(&mut self.children) {
            if let Some(child) = slot
                && !self.killed.contains(&rank)
                && which(rank)
            {
                // Gone already is as good as killed.
                let _ = child.kill();
                self.killed.push(rank);
            }
        }
    }

    fn count(mut self) -> (Vec<Exit>, Option<u32>, Option<String>) {
        let ended = std::mem::take(&mut self.ended);
        // What the launcher killed did not fail by itself.
        let failed = || ended.iter().filter(|(_, status)| !status.success()).map(|&(rank, _)| rank);
        let first = failed().find(|rank| !self.killed.contains(rank)).or_else(|| failed().next());
        let killed = |rank: u32, status: ExitStatus| status.signal().is_some() && self.killed.contains(&rank);
        let mut exits: Vec<Exit> =
            ended.into_iter().map(|(rank, status)| Exit::new(rank, status, killed(rank, status))).collect();
        exits.sort_by_key(|exit| exit.rank);
        (exits, first, self.interrupted.take())
    }
}

impl Drop for Herd<'_> {
    /// Nobody is left behind, whatever went wrong.
    fn drop(&mut self) {
        self.kill();
        for child in self.children.iter_mut().flatten() {
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(ranks: u32, script: &str, grace: Duration) -> Ended {
        let dir = tempfile::tempdir().unwrap();
        let command = ["sh", "-c", script].map(Into::into).into();
        let start = Start {
            program: "/bin/sh".into(),
            command,
            ranks,
            heap: 1 << 20,
            told: Vec::new(),
            grace,
            wish: Wish::Quiet,
            confirming: None,
        };
        launch(&start, dir.path()).unwrap()
    }

    #[test]
    fn ranks_know_who_they_are_and_only_the_first_has_input() {
        let script = r#"test -d "$THRILLE_RUN_DIR" && test -n "$THRILLE_HUB" && test ${#THRILLE_TOKEN} = 64 &&
            { test $THRILLE_RANK = 0 || test "$(readlink /proc/self/fd/0)" = /dev/null; } && test $THRILLE_SIZE = 3"#;
        let ended = shell(3, script, Duration::from_secs(10));
        assert!(ended.exits.iter().all(Exit::success), "{:?}", ended.exits);
        assert_eq!((ended.exits.len(), ended.first_failure, ended.interrupted), (3, None, None));
    }

    #[test]
    fn the_first_failure_is_named_and_the_others_do_not_last() {
        let script = "test $THRILLE_RANK = 1 && kill -SEGV $$; exec sleep 100";
        let begun = Instant::now();
        let ended = shell(3, script, Duration::from_millis(300));
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_eq!(ended.first_failure, Some(1));
        assert_eq!(ended.exits[1].signal_name.as_deref(), Some("SIGSEGV"));
        assert!(!ended.exits[1].killed && ended.exits[0].killed && ended.exits[2].killed);
    }

    #[test]
    fn exit_statuses_are_kept() {
        let ended = shell(2, "test $THRILLE_RANK = 0 || exit 7", Duration::from_millis(300));
        assert_eq!((ended.exits[0].code, ended.exits[1].code), (Some(0), Some(7)));
    }
}
