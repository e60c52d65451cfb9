//! What ARCHITECTURE.md promises of the code's shape: the edges between crates, where the compiler's guarantees are lifted, which
//! symbols the injected library has. And that every pair of programs has its row in tests/README.md.
//!
//! The edges are in a code block of ARCHITECTURE.md that opens with ```` ```edges ````, one line a crate: `crate -> crate, crate`,
//! or `crate ->` for one that needs no other. Crates are called by their directories, the command `thrille`. What a crate needs for
//! its tests only does not count.

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Crates that touch the outside.
const BOUNDARY: [&str; 4] = ["launch", "shmem", "preload", "instrument"];

fn drawn(text: &str) -> Result<Edges, String> {
    let block = text.split_once("```edges\n").ok_or("ARCHITECTURE.md has no block that opens with ```edges")?.1;
    let block = block.split_once("```").ok_or("the block of edges is not closed")?.0;
    let mut edges = Edges::new();
    for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (from, to) = line.split_once("->").ok_or_else(|| format!("not `crate -> crate, crate`: {line}"))?;
        let to = to.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        if edges.insert(from.trim().to_owned(), to).is_some() {
            return Err(format!("{} has two lines", from.trim()));
        }
    }
    Ok(edges)
}

fn real() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(support::root())
        .output()
        .expect("cannot start cargo");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let short = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("manifest_path"));
        let dir = manifest.parent().expect("directory");
        if dir == support::root() { "thrille".into() } else { dir.file_name().expect("name").display().to_string() }
    };
    let names: BTreeMap<&str, String> =
        packages.iter().map(|package| (package["name"].as_str().expect("name"), short(package))).collect();
    let needs = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let lasting = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
        lasting.filter_map(|dependency| names.get(dependency["name"].as_str()?).cloned()).collect()
    };
    packages.iter().map(|package| (short(package), needs(package))).collect()
}

#[test]
fn edges_between_crates_are_those_of_the_drawing() {
    let text = std::fs::read_to_string(support::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (drawn, real) = (drawn(&text).expect("ARCHITECTURE.md"), real());
    let flat = |edges: &Edges| -> BTreeSet<String> {
        let one = |(from, to): (&String, &BTreeSet<String>)| {
            let edges = to.iter().map(|to| format!("{from} -> {to}"));
            edges.chain([from.clone()]).collect::<Vec<_>>()
        };
        edges.iter().flat_map(one).collect()
    };
    let (drawn, real) = (flat(&drawn), flat(&real));
    let undrawn: Vec<_> = real.difference(&drawn).collect();
    let gone: Vec<_> = drawn.difference(&real).collect();
    assert!(undrawn.is_empty(), "edges or crates that ARCHITECTURE.md does not draw: {undrawn:?}");
    assert!(gone.is_empty(), "edges or crates that ARCHITECTURE.md draws and that are no more: {gone:?}");
}

#[test]
fn the_format_of_the_drawing() {
    let edges = drawn("x\n```edges\na -> b, c\nb ->\n```\n").unwrap();
    assert_eq!(edges["a"], BTreeSet::from(["b".into(), "c".into()]));
    assert!(edges["b"].is_empty());
    assert!(
        drawn("```edges\na b\n```").is_err()
            && drawn("nothing").is_err()
            && drawn("```edges\na ->\na ->\n```").is_err()
    );
}

/// The code of a line without comment and string.
fn code(line: &str) -> String {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    code.split('"').step_by(2).collect()
}

fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("directory").map(|entry| entry.expect("entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

#[test]
fn only_boundary_crates_lift_the_compilers_guarantees() {
    let mut files = Vec::new();
    for name in real().keys().filter(|name| !BOUNDARY.contains(&name.as_str())) {
        for part in ["src", "tests", "benches", "examples"] {
            let dir =
                if name == "thrille" { support::root().join(part) } else { support::root().join(name).join(part) };
            if dir.is_dir() {
                sources(&dir, &mut files);
            }
        }
    }
    assert!(files.len() > 20, "only {} files were looked at", files.len());
    let mut found = Vec::new();
    for file in files {
        for (number, line) in (1..).zip(std::fs::read_to_string(&file).expect("source").lines()) {
            let code = code(line);
            let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| word == "unsafe") {
                found.push(format!("{}:{number}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "only {BOUNDARY:?} may use it:\n{}", found.join("\n"));
}

#[test]
fn exported_symbols_are_the_expected_ones() {
    let library = support::libraries().join("libthrille.so");
    let output =
        Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&library).output().expect("nm");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("names");
    let symbols: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let text = symbols.into_iter().collect::<Vec<_>>().join("\n") + "\n";
    support::golden("exports.txt", &text).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn every_pair_has_a_row() {
    let text = std::fs::read_to_string(support::root().join("tests/README.md")).expect("tests/README.md");
    let (shmem, mpi) = text.split_once("\n# MPI programs\n").expect("a part for each of the two");
    let mut missing = BTreeSet::new();
    for (dir, part) in [("shmem", shmem), ("mpi", mpi)] {
        let rows: BTreeSet<&str> =
            part.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|row| row.0).collect();
        let programs = std::fs::read_dir(support::root().join("tests").join(dir)).expect("programs");
        for program in programs.map(|entry| entry.expect("program").file_name()) {
            let program = program.to_string_lossy().into_owned();
            let pair = program.split('.').next().and_then(|name| name.rsplit_once('_'));
            if let Some((pair, "race" | "safe")) = pair
                && !rows.contains(pair)
            {
                missing.insert(format!("{dir}/{pair}"));
            }
        }
    }
    assert!(missing.is_empty(), "no row says what these are about: {missing:?}");
}
