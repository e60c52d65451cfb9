//! `demo`: the README's program, checked before the reader's eyes.

use crate::packages::has;
use crate::{Result, build, root};
use std::process::Command;

/// The program, from the project's directory.
const PROGRAM: &str = "tests/demo/halo.c";

/// Builds, checks the program, says what to do next. Not finding its race is a failure.
pub fn demo() -> Result<()> {
    let compilers = ["gcc", "cc", "clang"];
    let compiler = match std::env::var_os("CC") {
        Some(named) => named,
        None => compilers.into_iter().find(|name| has(name)).ok_or("no C compiler found: install gcc or clang")?.into(),
    };
    build::build()?;
    let text = std::fs::read_to_string(root().join(PROGRAM)).map_err(|e| format!("cannot read {PROGRAM}: {e}"))?;
    println!("\n{PROGRAM}:\n");
    for (number, line) in (1..).zip(text.lines()) {
        println!("{number:>4} | {line}");
    }
    println!("\n$ thrille check {PROGRAM} -n 4\n");
    let mut check = Command::new(build::thrille());
    check.current_dir(root()).env("CC", compiler).args(["check", PROGRAM, "-n", "4"]);
    let status = check.status().map_err(|e| format!("cannot start thrille: {e}"))?;
    match status.code() {
        Some(1) => {
            println!("\n{}", next());
            Ok(())
        }
        Some(0) => Err("the race was not found".into()),
        _ => Err(format!("thrille check ended with {status}")),
    }
}

fn next() -> String {
    format!(
        "The race was found: exit code 1. Next:
    add shmem_barrier_all(); after line 23 and check again: exit code 0
    cargo xtask install                  copies the command to ~/.local/bin
    thrille check your_program.c -n 4    your own program
    {:<36} for more",
        "thrille help, README.md"
    )
}
