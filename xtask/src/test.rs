//! `test`: everything that must hold. A part that fails does not keep the others from running.

use crate::args::{Depth, Golden, Options};
use crate::packages::{self, has};
use crate::part::{Count, Part, Verdict};
use crate::{Result, build, cargo, root, target};
use std::process::Command;
use std::time::Instant;

/// How to get the checker of licences and advisories: not optimised, it takes half the time and is fast enough.
const INSTALL_DENY: [&str; 5] = ["install", "cargo-deny", "--locked", "--debug", "--root"];

/// Runs the parts and sums up.
pub fn test(options: &Options) -> Result<()> {
    let begun = Instant::now();
    packages::install()?;
    let parts = match &options.filter {
        Some(filter) => tests(options, Some(filter)),
        None => everything(options),
    };
    sum_up(&parts, begun)
}

fn everything(options: &Options) -> Vec<Part> {
    let mut parts = vec![Part::run("format", cargo().args(["fmt", "--all", "--check"]))];
    let lint = ["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"];
    parts.push(Part::run("lints", cargo().args(lint)));
    let format = ["fmt", "--manifest-path", "instrument/Cargo.toml", "--check"];
    parts.push(Part::run("format", cargo().args(format)));
    let lint = build::for_each_llvm(&["clippy", "--all-targets"]);
    let lint =
        lint.into_iter().take(1).map(|(_, mut lint)| Part::run("plugin lints", lint.args(["--", "-D", "warnings"])));
    parts.extend(lint);
    if options.depth == Depth::Nightly {
        let lint = ["clippy", "--package", "thrille-preload", "--no-default-features"];
        parts.extend(
            build::for_each_mpi(&lint)
                .into_iter()
                .map(|(_, mut command)| Part::run("lints of MPI", command.args(["--", "-D", "warnings"]))),
        );
    }
    parts.extend(tests(options, None));
    parts.push(Part::run("demo", cargo().args(["xtask", "demo"])));
    parts.extend(deny(options.depth));
    parts
}

/// Builds what is tested and tests it.
fn tests(options: &Options, filter: Option<&str>) -> Vec<Part> {
    let cargo = || {
        let mut cargo = cargo();
        if options.depth == Depth::Nightly {
            cargo.env("THRILLE_NIGHTLY", "1");
        }
        if options.golden == Golden::Bless {
            cargo.env("THRILLE_BLESS", "1");
        }
        cargo
    };
    // Thousands of random cases want optimised code.
    let profile: &[&str] = if options.depth == Depth::Nightly { &["--release"] } else { &[] };
    let mut parts = vec![Part::run("libraries", cargo().args(build::COMMANDS[1]))];
    parts.extend(build::mpi_commands().into_iter().map(|(mpi, mut command)| Part::run(mpi, &mut command)));
    parts.extend(build::plugin_commands().into_iter().map(|(_, mut command)| Part::run("plugin", &mut command)));
    parts.extend(
        build::gcc_commands().into_iter().filter_map(|(_, command)| Some(Part::run("gcc plugin", &mut command?))),
    );
    if parts.iter().any(|part| part.verdict == Verdict::Bad) {
        return parts;
    }
    if has("cargo-nextest") {
        let args = ["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass", "--status-level=fail"];
        parts.push(Part::run("unit tests", cargo().args(args).args(profile).args(filter)));
    } else {
        let args = ["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"];
        let skip = ["--", "--skip", "e2e::"];
        parts.push(Part::run("unit tests", cargo().args(args).args(profile).args(filter).args(skip)));
    }
    let unit = build::for_each_llvm(&["test", "--lib"]);
    parts.extend(unit.into_iter().take(1).map(|(_, mut command)| Part::run("plugin tests", command.args(filter))));
    let rounds = build::for_each_mpi(&["test", "--package", "thrille-transport", "--test", "over_mpi"]);
    let often = if options.depth == Depth::Nightly { rounds.len() } else { 1 };
    parts.extend(rounds.into_iter().take(often).map(|(_, mut command)| Part::run("over MPI", &mut command)));
    let units = build::for_each_mpi(&["test", "--package", "thrille-preload", "--no-default-features", "--lib"]);
    parts.extend(units.into_iter().take(1).map(|(_, mut command)| Part::run("MPI tables", command.args(filter))));
    let fuzz = ["test", "--manifest-path", "fuzz/Cargo.toml", "--no-default-features", "--target-dir"];
    parts.push(Part::run("fuzz targets", cargo().args(fuzz).arg(target().join("fuzz"))));
    let doc = ["test", "--workspace", "--doc", "--no-fail-fast"];
    parts.push(Part::run("doc tests", cargo().args(doc).args(profile).args(filter)));
    let e2e = ["test", "--workspace", "--test", "e2e"];
    parts.push(Part::run("end to end", cargo().args(e2e).args(profile).args(["--", "--test-threads=2"]).args(filter)));
    parts
}

/// Licences, sources, advisories.
fn deny(depth: Depth) -> Vec<Part> {
    let name = "dependencies";
    let tools = target().join("tools");
    let mut parts = Vec::new();
    let mut program = std::path::PathBuf::from("cargo-deny");
    if !has("cargo-deny") {
        program = tools.join("bin/cargo-deny");
        if !program.is_file() {
            if depth == Depth::Usual && std::env::var_os("CI").is_none() {
                return vec![Part::skip(name, "no cargo-deny here: cargo install cargo-deny --locked")];
            }
            let part = Part::run("cargo-deny", cargo().args(INSTALL_DENY).arg(&tools));
            let bad = part.verdict == Verdict::Bad;
            parts.push(part);
            if bad {
                return parts;
            }
        }
    }
    let deny = |words: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(root()).args(words);
        command
    };
    parts.push(Part::run(name, &mut deny(&["check", "licenses", "bans", "sources"])));
    // The list of advisories is on a server that not every machine can reach.
    let fetched = deny(&["fetch", "db"]).output().is_ok_and(|output| output.status.success());
    parts.push(if fetched {
        Part::run("advisories", &mut deny(&["check", "advisories"]))
    } else {
        Part::skip("advisories", "their list cannot be fetched from github.com")
    });
    parts
}

fn sum_up(parts: &[Part], begun: Instant) -> Result<()> {
    println!("\n== in all: {:.1} s", begun.elapsed().as_secs_f64());
    let mut all = Count::default();
    for part in parts {
        println!("   {part}");
        all.add(part.count);
    }
    let bad: Vec<&str> = parts.iter().filter(|part| part.verdict == Verdict::Bad).map(|part| part.name).collect();
    let ignored = if all.ignored > 0 { format!(", {} ignored", all.ignored) } else { String::new() };
    println!("{} passed, {} failed{ignored}", all.passed, all.failed);
    if bad.is_empty() { Ok(()) } else { Err(format!("these parts failed: {}", bad.join(", "))) }
}
