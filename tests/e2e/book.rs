//! The book in `docs/`: every command in it is run, and must print what the book says it prints.
//!
//! A block ` ```c file=halo.c ` is written to that file. A block ` ```console ` holds commands (`$ ...`) and lines that they print, on
//! whichever stream; `...` stands for any lines. The blocks of a page are run one after the other in one directory.

use crate::support::{THRILLE, root};
use crate::tool::{check, run_within, temporary};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The pages, and the help of all commands.
pub fn trials() -> Vec<Trial> {
    let pages = ["README.md", "tutorial.md", "reports.md", "ci.md", "how-it-works.md", "limits.md"];
    let one = |page: &'static str| trial(&format!("book::{page}"), move || run_page(page));
    let mut all: Vec<Trial> = pages.into_iter().map(one).collect();
    all.push(trial("book::commands.md", commands));
    all.push(trial("book::links", links));
    all
}

/// A block of a page.
struct Block {
    info: String,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                all.push(Block { info: info.trim().into(), lines: Vec::new() });
                open = true;
            }
            None if open => all.last_mut().expect("an open block").lines.push(line.into()),
            None => {}
        }
    }
    all
}

fn run_page(page: &str) -> Outcome {
    let text = std::fs::read_to_string(root().join("docs").join(page))?;
    let dir = temporary();
    let mut last = 0;
    for block in blocks(&text) {
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        if let Some(file) = words.next().and_then(|word| word.strip_prefix("file=")) {
            std::fs::write(dir.path().join(file), block.lines.join("\n") + "\n")?;
        }
        check(!["sh", "bash", "shell"].contains(&language), || {
            format!("{page}: commands belong into a block `console`")
        })?;
        if language == "console" {
            run_block(page, &block.lines, dir.path(), &mut last)?;
        }
    }
    Ok(())
}

fn run_block(page: &str, lines: &[String], dir: &Path, last: &mut i32) -> Outcome {
    let mut left = lines;
    while let Some((first, rest)) = left.split_first() {
        let command = first.strip_prefix("$ ").ok_or_else(|| format!("{page}: `{first}` is no command"))?;
        let expected = rest.iter().take_while(|line| !line.starts_with("$ ")).count();
        let (said, behind) = rest.split_at(expected);
        left = behind;
        let output = shell(command, dir, last)?;
        in_order(said, &output)
            .map_err(|missing| format!("{page}: `{command}` does not print `{missing}`, but\n{output}"))?;
    }
    Ok(())
}

/// Runs a line as a shell does, with our command first in `PATH`; `$?` is that of the line before.
fn shell(line: &str, dir: &Path, last: &mut i32) -> Result<String, Failed> {
    let bin = Path::new(THRILLE).parent().expect("a directory");
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec 2>&1; (exit {last}); {line}")).current_dir(dir).env("PATH", path);
    command.env("NO_COLOR", "1").env_remove("CC").env_remove("CXX");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    let ended = run_within(&mut command, Duration::from_secs(120))?;
    *last = ended.status.code().unwrap_or(128);
    Ok(ended.stdout + &ended.stderr)
}

/// Whether these lines stand in the output, in this order; the first that does not. What changes from run to run is not compared.
fn in_order(expected: &[String], output: &str) -> Result<(), String> {
    let mut lines = output.lines();
    for wanted in expected.iter().filter(|line| !line.trim().is_empty() && line.trim() != "...") {
        if !lines.any(|line| plain(line) == plain(wanted)) {
            return Err(wanted.clone());
        }
    }
    Ok(())
}

fn plain(line: &str) -> String {
    line.split("analysis:").next().unwrap_or_default().trim_end().to_owned()
}

/// `docs/commands.md` is the help of every command.
fn commands() -> Outcome {
    let help = |words: &[&str]| -> Result<String, Failed> {
        let output = Command::new(THRILLE).args(words).arg("--help").env("COLUMNS", "100").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    };
    let mut text = String::from(
        "# Commands\n\nThe help of every command, as `thrille COMMAND --help` prints it. `thrille man DIR` writes the same as manual pages, \
         `thrille completions SHELL` completions.\n",
    );
    let main = help(&[])?;
    let _ = write!(text, "\n## thrille\n\n```text\n{main}\n```\n");
    let listed = main.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    for name in names.filter(|name| *name != "help") {
        let _ = write!(text, "\n## thrille {name}\n\n```text\n{}\n```\n", help(&[name])?);
    }
    crate::support::golden("../../docs/commands.md", &text).map_err(Into::into)
}

/// What the pages refer to is there.
fn links() -> Outcome {
    for entry in std::fs::read_dir(root().join("docs"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            let there =
                target.is_empty() || target.starts_with("https://") || root().join("docs").join(target).exists();
            check(there, || format!("{} refers to {target}, which is not there", path.display()))?;
        }
    }
    Ok(())
}
