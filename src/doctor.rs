//! `thrille doctor`: what is installed, what will be used, what is missing and how to get it.

use crate::home::{Home, Plugins};
use crate::mpi::Mpi;
use crate::output::{Code, colour, print};
use crate::{openmp, program};
use rustix::process::{Resource, getrlimit};
use std::ffi::OsStr;
use std::fmt::Write;
use std::io::{IsTerminal, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use thrille_report::Colour;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    /// There, and used.
    Good,
    /// Not there; some programs need it.
    Absent,
    /// Not there, and nothing works without it.
    Bad,
}

/// One line: what, how it stands, what was found or how to get it.
struct Finding {
    what: String,
    health: Health,
    text: String,
}

/// The subcommand.
pub fn doctor() -> Code {
    let findings = own()
        .into_iter()
        .chain(compilers())
        .chain([plugins(), plugin_for_gcc()])
        .chain(mpis())
        .chain([threads(), batch()])
        .chain(system());
    let findings: Vec<Finding> = findings.collect();
    let ink = colour(stdout().is_terminal());
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    let mut out = format!("thrille {}\n", env!("CARGO_PKG_VERSION"));
    for Finding { what, health, text } in &findings {
        let mark = match (health, ink) {
            (Health::Good, Colour::Always) => "\x1b[32mok     \x1b[0m",
            (Health::Good, Colour::Never) => "ok     ",
            (Health::Absent, _) => "absent ",
            (Health::Bad, Colour::Always) => "\x1b[1;31mmissing\x1b[0m",
            (Health::Bad, Colour::Never) => "missing",
        };
        let _ = writeln!(out, "  {mark}  {what:<width$}  {text}");
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    out += if bad {
        "Something that every program needs is missing: see the lines marked so.\n"
    } else {
        "Ready: thrille check FILE.c -n 4\n"
    };
    print(&mut stdout(), &out);
    if bad { Code::Usage } else { Code::Clean }
}

fn finding(what: &str, health: Health, text: impl Into<String>) -> Finding {
    Finding { what: what.into(), health, text: text.into() }
}

/// The parts of the tool itself.
fn own() -> Vec<Finding> {
    vec![match Home::find() {
        Ok(home) => finding("OpenSHMEM library", Health::Good, format!("embedded, in {}", home.lib.display())),
        Err(error) => finding("OpenSHMEM library", Health::Bad, error.to_string()),
    }]
}

fn compilers() -> Vec<Finding> {
    let one = |what: &str, variable: &str, usual: &str, otherwise: Health, package: &str| {
        let named = std::env::var(variable).ok().filter(|text| !text.trim().is_empty());
        let from = if named.is_some() { format!(" (from {variable})") } else { String::new() };
        let command = named.unwrap_or_else(|| usual.into());
        let name = crate::split::words(&command).into_iter().next().unwrap_or_default();
        match version(&name, "--version") {
            Some(version) => finding(what, Health::Good, format!("{command}{from}: {version}")),
            None => finding(
                what,
                otherwise,
                format!("`{name}`{from} was not found: apt install {package}, or set {variable}"),
            ),
        }
    };
    vec![
        one("C compiler", "CC", "gcc", Health::Bad, "gcc"),
        one("C++ compiler", "CXX", "g++", Health::Absent, "g++"),
        one("Fortran compiler", "FC", "gfortran", Health::Absent, "gfortran"),
    ]
}

/// The first line that a program says about itself.
fn version(name: &str, flag: &str) -> Option<String> {
    let path = program::find(OsStr::new(name)).ok()?;
    let output = Command::new(path).arg(flag).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned())
}

fn mpis() -> Vec<Finding> {
    let one = |(mpi, what, packages): (Mpi, &str, &str)| {
        let [compiler, ..] = mpi.compilers();
        let is_this = Mpi::of_compiler(std::slice::from_ref(&compiler)).is_ok_and(|found| found == mpi);
        let runner = format!("mpirun.{}", mpi.name());
        let runs = ["mpirun", &runner].iter().any(|name| program::find(OsStr::new(name)).is_ok());
        match (is_this && runs, Home::find_mpi(mpi)) {
            (true, Ok(home)) => {
                finding(what, Health::Good, format!("{}, library in {}", compiler.display(), home.lib.display()))
            }
            (true, Err(error)) => finding(what, Health::Absent, error.to_string()),
            (false, _) => {
                finding(what, Health::Absent, format!("MPI programs need it or the other one: apt install {packages}"))
            }
        }
    };
    [(Mpi::OpenMpi, "Open MPI", "openmpi-bin libopenmpi-dev"), (Mpi::Mpich, "MPICH", "mpich libmpich-dev")]
        .map(one)
        .into()
}

/// Compilers whose code costs next to nothing where nobody looks.
fn plugins() -> Finding {
    let (plugins, clang) = (Plugins::find(), |version: &u32| format!("clang-{version}"));
    let usable = |version: &u32| program::find(OsStr::new(&clang(version))).is_ok();
    let names: Vec<String> = plugins.versions().iter().filter(|version| usable(version)).map(clang).collect();
    if names.is_empty() {
        let how = "programs are instrumented by hooks; for low overhead: apt install clang-16 llvm-16-dev, then cargo xtask build";
        return finding("clang plugin", Health::Absent, how);
    }
    finding(
        "clang plugin",
        Health::Good,
        format!("for {}: --cc {1}, or CC=\"thrille cc -- {1}\"", names.join(", "), names[0]),
    )
}

/// The plugin for gcc.
fn plugin_for_gcc() -> Finding {
    let what = "gcc plugin";
    let versions: Vec<String> = Plugins::find().versions_of_gcc().iter().map(u32::to_string).collect();
    if versions.is_empty() {
        let how = "programs of gcc cost more, and structures that they pass by value are not seen: apt install gcc-12-plugin-dev (your gcc's version), then cargo xtask build";
        return finding(what, Health::Absent, how);
    }
    finding(what, Health::Good, format!("for gcc {}", versions.join(", ")))
}

/// The batch system.
fn batch() -> Finding {
    match version("srun", "--version") {
        Some(version) => finding("Slurm", Health::Good, format!("{version}: thrille sbatch")),
        None => finding("Slurm", Health::Absent, "only `thrille sbatch` needs it: apt install slurm-wlm"),
    }
}

/// OpenMP inside ranks.
fn threads() -> Finding {
    match openmp::installed() {
        Some(library) => finding("OpenMP runtime", Health::Good, format!("LLVM's, {}", library.display())),
        None => finding(
            "OpenMP runtime",
            Health::Absent,
            "LLVM's libomp was not found: worker threads of OpenMP programs would not be observed; apt install libomp-dev",
        ),
    }
}

/// What the system lets a run do.
fn system() -> Vec<Finding> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let files = getrlimit(Resource::Nofile).maximum;
    let ranks = files.map_or_else(|| "no limit".into(), |files| format!("at most {files}"));
    let mut all = vec![
        finding("processors", Health::Good, format!("{cores}; more ranks than that take turns")),
        finding("open files", Health::Good, format!("{ranks}; a run needs one for each rank, and 64")),
    ];
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        all.push(finding("system", Health::Bad, "Linux on x86-64 is the only one supported"));
    }
    for file in ["thrille.toml", "thrille.supp.toml"] {
        if Path::new(file).is_file() {
            all.push(finding(file, Health::Good, "in this directory, will be used"));
        }
    }
    all
}
