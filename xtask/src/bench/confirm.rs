//! `bench confirm`: what a run costs that confirms a race, over the plain program. Each racy program is built plain and instrumented by the same compiler,
//! looked at once, its races confirmed once; then plain runs and runs that reproduce one confirmation take turns. Processor time of all processes, the
//! command's own and the reading of the report included; the least of all repetitions.

use super::execute::{cpu_of_children, load};
use super::manifest::{self, Program};
use crate::packages::has;
use crate::{Result, build, root, target};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FLAGS: [&str; 3] = ["-O2", "-g", "-std=gnu11"];
/// Programs with a race that takes place at two ranks.
const PROGRAMS: [&str; 4] = ["CG", "MG", "FT", "psearch"];
const RANKS: &str = "2";
const REPETITIONS: u32 = 5;

/// How loads and stores are made visible, as `thrille cc --instrument` has it, and by which compiler.
const WAYS: [(&str, &str); 3] = [("plugin", "clang-16"), ("dual", "gcc"), ("hooks", "gcc")];

/// A program in one way.
struct Subject<'a> {
    program: &'a Program,
    way: &'static str,
    cc: &'static str,
    class: &'a str,
    dir: PathBuf,
}

/// What it takes, in seconds; and how often the race took place again.
struct Figures {
    plain: f64,
    confirming: f64,
    met: u32,
}

/// Builds, looks, confirms, measures, and writes the table.
pub fn confirm(class: &str) -> Result<()> {
    for cc in ["clang-16", "gcc"] {
        if !has(cc) {
            return Err(format!("{cc} was not found: apt install {cc}"));
        }
    }
    build::build()?;
    let programs = manifest::read()?;
    let mut table = String::from(
        "| program | built by | plain (s) | confirming (s) | ratio | met again |\n|---|---|---|---|---|---|\n",
    );
    let loaded = load();
    for (way, cc) in WAYS {
        for program in PROGRAMS.iter().filter_map(|name| programs.iter().find(|program| program.name == *name)) {
            let dir = target().join("nas-bench/confirm").join(format!("{}-{way}", program.name));
            let subject = Subject { program, way, cc, class, dir };
            let head = format!("| {} | {way} ({cc})", program.name);
            let line = match subject.measured()? {
                Some(Figures { plain, confirming, met }) => format!(
                    "{head} | {plain:.2} | {confirming:.2} | {:.2} | {met} of {REPETITIONS} |",
                    confirming / plain
                ),
                None => format!("{head} | - | - | - | not confirmed |"),
            };
            println!("{line}");
            let _ = writeln!(table, "{line}");
        }
    }
    let out = super::default_dir()?.join("confirm.md");
    let head = format!(
        "# Runs that confirm a race\n\nClass {class}, {RANKS} ranks, {}, racy variants; `thrille confirm --replay` of one confirmed race over the plain program, processor time of all processes, reading the report \
         included, the least of {REPETITIONS} runs in turn; load {loaded:.1} at the beginning. `hooks` calls the library at each load and store. Made by `cargo xtask bench confirm`.\n\n",
        FLAGS.join(" "),
    );
    std::fs::create_dir_all(out.parent().unwrap_or(Path::new("."))).map_err(|e| format!("{}: {e}", out.display()))?;
    std::fs::write(&out, head + &table).map_err(|e| format!("{}: {e}", out.display()))?;
    println!("the table is in {}", out.display());
    Ok(())
}

impl Subject<'_> {
    /// None if no race of it was confirmed.
    fn measured(&self) -> Result<Option<Figures>> {
        let _ = std::fs::remove_dir_all(&self.dir);
        std::fs::create_dir_all(&self.dir).map_err(|e| format!("cannot make {}: {e}", self.dir.display()))?;
        let (plain, instrumented) = (self.plain()?, self.instrumented()?);
        let bytes = output(Command::new(&plain).args(["--bytes", self.class, RANKS]))?;
        let bytes = String::from_utf8_lossy(&bytes.stdout).trim().parse::<u64>().unwrap_or(1 << 28) + (1 << 20);
        let run = |to: &str, words: &[&str], path: &Path| {
            let mut command = Command::new(build::thrille());
            command.args(["run", "--quiet", "--no-confirm", "-n", RANKS, "--heap", &bytes.to_string(), "--out"]);
            command.arg(self.dir.join(to)).args(words).arg(path).arg(self.class).current_dir(&self.dir);
            command
        };
        // Within a budget first, as `thrille run` does by itself: a sample may miss the race.
        let mut schedule = None;
        for words in [&[][..], &["--sampling", "full"]] {
            output(&mut run("predicted", words, &instrumented))?;
            let mut confirm = Command::new(build::thrille());
            confirm.args(["confirm", "--quiet", "--confirm-time", "60"]).arg(self.dir.join("predicted"));
            output(&mut confirm)?;
            schedule = self.schedule();
            if schedule.is_some() {
                break;
            }
        }
        let Some(schedule) = schedule else { return Ok(None) };
        let mut figures = Figures { plain: f64::INFINITY, confirming: f64::INFINITY, met: 0 };
        for _ in 0..REPETITIONS {
            // Nobody listens.
            let (time, _) = timed(&mut run("plain", &["env", "-u", "THRILLE_RUN_DIR"], &plain))?;
            figures.plain = figures.plain.min(time);
            let mut replay = Command::new(build::thrille());
            let (time, ended) =
                timed(replay.arg("confirm").arg(self.dir.join("predicted")).args(["--replay", &schedule]))?;
            figures.confirming = figures.confirming.min(time);
            figures.met += u32::from(ended.status.code() == Some(1));
        }
        Ok(Some(figures))
    }

    /// Of the first race that was confirmed.
    fn schedule(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.dir.join("predicted/report.json")).ok()?;
        let report: Value = serde_json::from_str(&text).ok()?;
        let schedules = report["races"].as_array()?.iter().map(|race| race["confirmation"]["schedule"].as_str());
        schedules.flatten().next().map(str::to_owned)
    }

    fn plain(&self) -> Result<PathBuf> {
        let libraries = target().join("injected");
        let path = self.dir.join("plain-program");
        let mut command = Command::new(self.cc);
        self.source(&mut command).arg("-o").arg(&path);
        command.arg("-L").arg(&libraries).arg("-lthrille_shmem");
        // Not what LD_LIBRARY_PATH, which Cargo sets, would find.
        command.arg(format!("-Wl,-rpath,{},--disable-new-dtags", libraries.display()));
        built(command.arg("-lm"))?;
        Ok(path)
    }

    fn instrumented(&self) -> Result<PathBuf> {
        let path = self.dir.join(&self.program.name);
        let mut command = Command::new(build::thrille());
        command.args(["cc", "--instrument", self.way, "--", self.cc]);
        built(self.source(&mut command).arg("-o").arg(&path).arg("-lm"))?;
        Ok(path)
    }

    fn source<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.args(FLAGS).args(&self.program.flags).arg("-DRACE=1").arg(self.program.path());
        for include in ["nas-bench/src/shmem", "shmem/include"] {
            command.arg("-I").arg(root().join(include));
        }
        command
    }
}

fn timed(command: &mut Command) -> Result<(f64, Output)> {
    let before = cpu_of_children();
    let ended = output(command)?;
    Ok(((cpu_of_children() - before).max(0.01), ended))
}

fn output(command: &mut Command) -> Result<Output> {
    command.output().map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))
}

fn built(command: &mut Command) -> Result<()> {
    let ended = output(command)?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&ended.stderr)))
}
