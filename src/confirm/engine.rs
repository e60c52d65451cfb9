//! One run of the program with a coordinator beside it, and what the program said and did.

use super::bar::Bar;
use super::place::{self, Place};
use super::{Input, program_of};
use crate::launch::{self, Confirming, Start};
use crate::mpi;
use crate::progress::Wish;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use thrille_launch::heap_from_env;
use thrille_phase2::protocol::{Calls, ENV_SAMPLED};
use thrille_phase2::{Behaviour, Coordinator, Engine, Floor, Outcome, Plan};
use thrille_report::{Report, RunInfo};
use thrille_transport::Token;

/// What the user's judge is told.
const ENV_ORACLE_OUTPUT: &str = "THRILLE_STDOUT";
const ENV_ORACLE_STATUS: &str = "THRILLE_EXIT";

/// Starts the ranks of a run again and again.
pub struct Ranks {
    dir: PathBuf,
    program: PathBuf,
    command: Vec<OsString>,
    directory: PathBuf,
    size: u32,
    heap: u64,
    /// Phase 1 looked at some of the loads and stores only.
    sampled: bool,
    /// Where calls are waited for, if it was: the other way after each run in which not everything happened.
    calls: Calls,
    oracle: Option<String>,
    input: Input,
    bar: Bar,
}

impl Ranks {
    /// As a run was started, with directories for the new ones below its own.
    pub fn new(dir: &Path, info: &RunInfo, report: &Report, oracle: Option<String>, input: Input) -> Result<Self> {
        place::clean_up(dir);
        let heap = match info.heap {
            Some(heap) => heap,
            None => heap_from_env()?,
        };
        Ok(Self {
            dir: dir.into(),
            program: program_of(info)?,
            command: info.command.iter().map(OsString::from).collect(),
            directory: info.directory.clone().into(),
            size: info.ranks,
            heap,
            sampled: report.sampling.is_some(),
            calls: Calls::Plain,
            oracle,
            input,
            bar: Bar::new(true),
        })
    }

    /// How many they are.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether their standard input could be read once only.
    pub fn reads_once(&self) -> bool {
        matches!(self.input, Input::Once)
    }

    /// Shows a progress bar from now on.
    pub fn show(&mut self, quiet: bool) {
        self.bar = Bar::new(quiet);
    }

    /// Takes it away.
    pub fn erase(&mut self) {
        self.bar.erase();
    }

    /// What the user's command makes of a run: the outputs of the ranks one after the other in a file, and the worst exit status.
    fn judge(&self, command: &str, output: &Path, ended: &launch::Ended) -> Result<(Option<i32>, u64)> {
        let all = output.join("stdout");
        let mut bytes = Vec::new();
        for rank in 0..self.size {
            bytes.extend(std::fs::read(launch::output_file(output, rank)).unwrap_or_default());
        }
        std::fs::write(&all, bytes).with_context(|| format!("cannot write {}", all.display()))?;
        let status = ended.exits.iter().map(|exit| exit.code.unwrap_or(128 + exit.signal.unwrap_or(0))).max();
        let said = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.directory)
            .env(ENV_ORACLE_OUTPUT, &all)
            .env(ENV_ORACLE_STATUS, status.unwrap_or(0).to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .with_context(|| format!("cannot start the oracle `{command}`"))?;
        if said.status.code() == Some(127) {
            anyhow::bail!(
                "the oracle `{command}` was not found: name it with its path, for example --oracle ./verify.sh"
            );
        }
        Ok((said.status.code(), hash(&said.stdout)))
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

impl Engine for Ranks {
    type Error = anyhow::Error;

    fn run(&mut self, plan: &Plan) -> Result<Outcome> {
        self.bar.run();
        let place = Place::make(&self.dir)?;
        let token = Token::random().context("cannot read /dev/urandom")?;
        let floor = Floor::new(self.size, plan.candidates.clone(), plan.live.clone(), plan.choice.policy())
            .with_late(plan.late, plan.late_at_most());
        // Half of the time for the meeting, half for the program to come to its end.
        let coordinator = Coordinator::start(mpi::address()?, token.clone(), floor, plan.limit / 2)?;
        let start = Start {
            program: self.program.clone(),
            command: self.command.clone(),
            ranks: self.size,
            heap: self.heap,
            told: self.sampled.then(|| (ENV_SAMPLED, self.calls.word().into())).into_iter().collect(),
            grace: Duration::from_secs(2),
            wish: Wish::Quiet,
            confirming: Some(Confirming {
                coordinator: coordinator.addr(),
                token,
                limit: plan.limit,
                directory: self.directory.clone(),
                input: std::sync::Mutex::new(Some(self.input.again())),
            }),
        };
        let ended = mpi::launch(mpi::model(&self.program), &start, place.path())?;
        let floor = coordinator.finish().context("the coordinator ended early")?;
        if floor.witnesses().iter().any(Option::is_none) {
            self.calls = self.calls.other();
        }
        let oracle = match &self.oracle {
            Some(command) if !ended.hung => Some(self.judge(command, place.path(), &ended)?),
            _ => None,
        };
        let output =
            (0..self.size).map(|rank| std::fs::read(launch::output_file(place.path(), rank)).unwrap_or_default());
        let exit = |rank| ended.exits.iter().find(|exit| exit.rank == rank).map(|exit| (exit.code, exit.signal));
        let behaviour = Behaviour {
            exits: (0..self.size).map(|rank| exit(rank).unwrap_or_default()).collect(),
            first_failure: ended.first_failure,
            output: output.map(|bytes| bytes.split(|&byte| byte == b'\n').map(hash).collect()).collect(),
            oracle,
            hung: ended.hung,
        };
        Ok(Outcome {
            witnesses: floor.witnesses().to_vec(),
            tallies: floor.tallies().to_vec(),
            behaviour,
            interrupted: ended.interrupted.is_some(),
        })
    }

    fn progress(&mut self, settled: usize, of: usize) {
        self.bar.draw(settled, of);
    }
}
