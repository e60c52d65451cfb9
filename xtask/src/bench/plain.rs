//! `bench plain`: whether the programs of `nas-bench/` are honest measures. Each is built on the embedded OpenSHMEM, on Open MPI and as a plain C program
//! (`nas-bench/src/plain/pgas.h`: the same loops in memory of malloc, without any library), and run on one rank, the three in turn. Processor time of the
//! whole process, the least of all repetitions.

use super::compile::Compiler;
use super::configs::Kind;
use super::execute::{OPEN_MPI, cpu_of_children, load};
use super::manifest::{self, Program};
use super::options::Model;
use crate::{Result, build, cargo, root, target};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const REPETITIONS: u32 = 3;

/// What a program may take over the plain one.
const HONEST: f64 = 1.5;

/// Builds, runs, and writes the table.
pub fn plain(class: char) -> Result<()> {
    let compilers = [Compiler::new(Model::Shmem, "gcc")?, Compiler::new(Model::Mpi, "gcc")?];
    let libraries = cargo().args(build::COMMANDS[1]).status().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !libraries.success() {
        return Err("the libraries do not build".into());
    }
    let loaded = load();
    let mut table = String::from("| | plain (s) | OpenSHMEM | MPI |\n|---|---|---|---|\n");
    // What is built with flags is another way of synchronising, which a single rank does not need.
    for program in manifest::read()?.iter().filter(|program| program.flags.is_empty()) {
        let mut binaries = vec![plainly(program)?];
        for compiler in &compilers {
            binaries.push(compiler.build(program, 0, Kind::Native)?.path);
        }
        let mut least = vec![f64::INFINITY; binaries.len()];
        for _ in 0..REPETITIONS {
            for (binary, least) in binaries.iter().zip(&mut least) {
                *least = least.min(timed(binary, class)?);
            }
        }
        let ratio = |time: f64| {
            let over = if time / least[0] > HONEST { " (!)" } else { "" };
            format!("{:.2}{over}", time / least[0])
        };
        let line = format!("| {} | {:.2} | {} | {} |", program.name, least[0], ratio(least[1]), ratio(least[2]));
        println!("{line}");
        let _ = writeln!(table, "{line}");
    }
    let out = PathBuf::from(format!("{}-plain.md", super::default_dir()?.display()));
    let head = format!(
        "# The programs against plain loops\n\nClass {class}, one rank, gcc -O2; user and system time of the plain program, and of the others over it; the least of {REPETITIONS} runs in \
         turn; load {loaded:.1} at the beginning. (!) is more than {HONEST}. Made by `cargo xtask bench plain {class}`.\n\n"
    );
    std::fs::write(&out, head + &table).map_err(|e| format!("{}: {e}", out.display()))?;
    println!("the table is in {}", out.display());
    Ok(())
}

/// The program without any library.
fn plainly(program: &Program) -> Result<PathBuf> {
    let path = target().join("nas-bench").join(format!("{}-plain", program.name));
    let mut command = Command::new("gcc");
    command.args(["-O2", "-g", "-std=gnu11", "-I"]).arg(root().join("nas-bench/src/plain")).args(&program.flags);
    let output = command.arg(program.path()).arg("-o").arg(&path).arg("-lm").output();
    match output.map_err(|e| format!("cannot start gcc: {e}"))? {
        output if output.status.success() => Ok(path),
        output => Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Seconds of one run, alone.
fn timed(binary: &Path, class: char) -> Result<f64> {
    let before = cpu_of_children();
    let mut command = Command::new(binary);
    let output = command.arg(class.to_string()).envs(OPEN_MPI).env("SHMEM_SYMMETRIC_SIZE", "2G").output();
    let output = output.map_err(|e| format!("cannot start {}: {e}", binary.display()))?;
    if !String::from_utf8_lossy(&output.stdout).contains("verification successful") {
        return Err(format!("{command:?}: not verified\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok((cpu_of_children() - before).max(0.01))
}
