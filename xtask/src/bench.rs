//! `bench nas`: what the detector costs on the programs of `nas-bench/`, and whether it finds their races.
//!
//! Each cell of the table (program, class, ranks, configuration) is run a few times, the configurations in turn, so that whatever else happens on the
//! machine meets all of them. Every run is one row of `raw.csv`, written as soon as it is there: a run that was interrupted goes on
//! where it stopped. Tables and plots are made from that file alone.
//!
//! | module | does |
//! |---|---|
//! | [`options`] | what was asked for |
//! | [`manifest`] | the programs and the races they have |
//! | [`configs`] | the configurations: one row each |
//! | [`compile`] | the binaries |
//! | [`execute`] | one run: time, memory, report |
//! | [`rows`] | the file of results |
//! | [`table`], [`plot`] | what is made of it |
//! | [`tasks`] | `bench tasks`: the programs of `nas-bench/tasks`, with other tools side by side |
//! | [`confirm`] | `bench confirm`: runs that confirm a race |
//! | [`plain`] | `bench plain`: the programs against plain loops |
//! | [`instrument`] | `bench instrument`: the clang plugin when nothing is looked at |

mod compile;
mod configs;
mod confirm;
mod execute;
mod instrument;
mod manifest;
mod options;
mod plain;
mod plot;
mod rows;
mod table;
mod tasks;

pub use confirm::confirm;
pub use instrument::instrument;
pub use options::{Options, class};
pub use plain::plain;
pub use tasks::tasks;

use crate::{Result, build, root};
use compile::{Built, Compiler};
use configs::{CONFIGS, Config, Kind};
use execute::Execution;
use indicatif::{ProgressBar, ProgressStyle};
use manifest::{Program, Race};
use rows::{Key, Outcome, Row, Rows};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Runs what is missing, then writes tables and plots.
pub fn nas(options: &Options) -> Result<()> {
    let known = manifest::read()?;
    let programs = chosen(&known, options)?;
    // What is missing is said before minutes of building.
    let compiler = Compiler::new(options.model, &options.compiler)?;
    build::build()?;
    let out = options.out.clone().map_or_else(|| default_dir().map(|dir| of_compiler(&dir, &options.compiler)), Ok)?;
    std::fs::create_dir_all(&out).map_err(|e| format!("cannot make {}: {e}", out.display()))?;
    let mut rows = Rows::open(&out.join("raw.csv"))?;
    let cells = plan(&programs, options);
    let bar = progress(cells.len());
    let wrong = run_all(&cells, &compiler, &mut rows, options, &bar);
    bar.finish_and_clear();
    let wrong = wrong?;
    // Earlier runs may have left rows of programs that this one was not asked for.
    table::write(&out, &rows.all, &known, &options.compiler)?;
    plot::write(&out, &rows.all)?;
    println!("{}", std::fs::read_to_string(out.join("table.md")).unwrap_or_default());
    println!("results are in {}", out.display());
    if wrong.is_empty() { Ok(()) } else { Err(format!("not as expected:\n  {}", wrong.join("\n  "))) }
}

/// One run to be made.
struct Cell<'a> {
    program: &'a Program,
    race: Option<&'a Race>,
    class: char,
    ranks: u32,
    config: &'static Config,
    repetition: u32,
}

impl Cell<'_> {
    fn key(&self, options: &Options) -> Key {
        Key {
            program: self.program.name.clone(),
            model: options.model.name().into(),
            variant: self.race.map_or(0, |race| race.variant),
            class: self.class,
            ranks: self.ranks,
            config: self.config.name.into(),
            repetition: self.repetition,
        }
    }

    fn says(&self) -> String {
        let variant = self.race.map_or(String::new(), |race| format!(", race {}", race.variant));
        format!("{} {} on {}, {}{variant}", self.program.name, self.class, self.ranks, self.config.name)
    }
}

fn chosen(programs: &[Program], options: &Options) -> Result<Vec<Program>> {
    let known = |name: &String| programs.iter().any(|program| program.name.eq_ignore_ascii_case(name));
    if let Some(unknown) = options.programs.iter().find(|name| !known(name)) {
        let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        return Err(format!("there is no program {unknown}: {} are", names.join(", ")));
    }
    let wanted = |program: &Program| {
        options.programs.is_empty() || options.programs.iter().any(|name| name.eq_ignore_ascii_case(&program.name))
    };
    Ok(programs.iter().filter(|program| wanted(program)).cloned().collect())
}

/// Races first: they are quick, and a detector that misses them need not be timed.
fn plan<'a>(programs: &'a [Program], options: &Options) -> Vec<Cell<'a>> {
    let configs = || CONFIGS.iter().filter(|config| options.configs.iter().any(|name| name == config.name));
    let mut cells = Vec::new();
    if let Some(class) = options.races {
        for program in programs {
            for config in configs().filter(|config| config.kind.detects()) {
                let races = program.races.iter().map(Some);
                cells.extend(races.map(|race| Cell { program, race, class, ranks: 2, config, repetition: 0 }));
            }
        }
    }
    for &class in &options.classes {
        for program in programs {
            for &ranks in &options.ranks {
                for repetition in 0..options.repetitions {
                    let cell = |config| Cell { program, race: None, class, ranks, config, repetition };
                    cells.extend(configs().map(cell));
                }
            }
        }
    }
    cells
}

fn progress(cells: usize) -> ProgressBar {
    let bar = ProgressBar::new(cells as u64);
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} left {eta} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Runs the cells that have no row yet. What is not as it should be is returned in words; mistakes of the benchmark itself are errors.
fn run_all(
    cells: &[Cell],
    compiler: &Compiler,
    rows: &mut Rows,
    options: &Options,
    bar: &ProgressBar,
) -> Result<Vec<String>> {
    for cell in cells {
        let key = cell.key(options);
        bar.set_message(cell.says());
        // What did not finish once is not tried again.
        if !rows.has(&key) && !rows.is_hopeless(&key) {
            let row = run_cell(cell, key, compiler, options)?;
            if let Outcome::Failed(why) = &row.outcome {
                bar.suspend(|| eprintln!("{}: {why}", cell.says()));
            }
            rows.add(row)?;
        }
        bar.inc(1);
    }
    let of_this_run = |row: &&Row| cells.iter().any(|cell| cell.key(options) == row.key);
    Ok(rows.all.iter().filter(of_this_run).filter_map(Row::complaint).collect())
}

fn run_cell(cell: &Cell, key: Key, compiler: &Compiler, options: &Options) -> Result<Row> {
    let variant = cell.race.map_or(0, |race| race.variant);
    let built: Built = compiler.build(cell.program, variant, cell.config.kind)?;
    let execution =
        Execution { built: &built, config: cell.config, class: cell.class, ranks: cell.ranks, limit: options.limit };
    let mut row = execution.run(key, compiler)?;
    if cell.config.kind.detects() {
        let expected = cell.race.map(|race| race.expected.clone()).unwrap_or_default();
        row.judge(&expected, cell.config.kind == Kind::CallsOnly);
    }
    Ok(row)
}

/// Results of compilers other than the usual one are apart.
fn of_compiler(dir: &Path, compiler: &str) -> PathBuf {
    if compiler == "gcc" { dir.into() } else { PathBuf::from(format!("{}-{compiler}", dir.display())) }
}

/// `nas-bench/runs/<date>-<cores>c`.
fn default_dir() -> Result<PathBuf> {
    let date = Command::new("date").args(["-u", "+%F"]).output().map_err(|e| format!("cannot start date: {e}"))?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(root().join("nas-bench/runs").join(format!("{date}-{cores}c")))
}
