//! The Debian packages that the tests and the benchmarks need.

use crate::Result;
use std::process::Command;

/// A file that the tests use, in `PATH` or of this name, and the package it is in.
const NEEDED: &[(&str, &str)] = &[
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("/usr/lib/gcc/x86_64-linux-gnu/12/plugin/include/gcc-plugin.h", "gcc-12-plugin-dev"),
    ("gfortran", "gfortran"),
    ("make", "make"),
    ("cmake", "cmake"),
    ("autoconf", "autoconf"),
    ("automake", "automake"),
    ("nm", "binutils"),
    ("chromium", "chromium"),
    ("mpirun.openmpi", "openmpi-bin"),
    ("mpicc.openmpi", "libopenmpi-dev"),
    ("oshcc", "openmpi-bin"),
    ("mpirun.mpich", "mpich"),
    ("mpicc.mpich", "libmpich-dev"),
    ("/usr/sbin/slurmctld", "slurm-wlm"),
    ("/usr/sbin/munged", "munge"),
    ("faketime", "faketime"),
    ("/usr/share/lmod/lmod/init/bash", "lmod"),
    ("/usr/lib/llvm-14/lib/libclang.so", "libclang-dev"),
    ("/usr/lib/llvm-16/lib/libomp.so.5", "libomp-16-dev"),
    ("clang-16", "clang-16"),
    ("llvm-config-16", "llvm-16-dev"),
    ("clang-19", "clang-19"),
    ("llvm-config-19", "llvm-19-dev"),
];

/// The same for `bench tasks`, which compares with the compiler's sanitizer and Archer.
pub const COMPARED: &[(&str, &str)] = &[
    ("clang-16", "clang-16"),
    ("/usr/lib/llvm-16/lib/libarcher.so", "libomp-16-dev"),
    ("/usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.tsan-x86_64.a", "libclang-rt-16-dev"),
];

/// Whether a command is in `PATH`.
pub fn has(command: &str) -> bool {
    // A name with a directory is that file, whatever it is joined to.
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(command).is_file())
}

/// Installs what is missing for the tests when root, else says how to.
pub fn install() -> Result<()> {
    install_for("the test suite", NEEDED)
}

/// The same of these, for whatever needs them.
pub fn install_for(who: &str, needed: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<&str> = needed.iter().filter(|(command, _)| !has(command)).map(|&(_, package)| package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!("apt-get update && apt-get install -y --no-install-recommends {}", missing.join(" "));
    if !has("apt-get") {
        return Err(format!(
            "not found: {}. Install them in your system's way; on Debian:\n    {line}",
            missing.join(", ")
        ));
    }
    if !is_root() {
        let line = line.replace("apt-get", "sudo apt-get");
        return Err(format!("{who} needs {}. Install them with\n    {line}", missing.join(", ")));
    }
    println!("{line}");
    let status = Command::new("sh").args(["-c", &line]).env("DEBIAN_FRONTEND", "noninteractive").status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("this failed:\n    {line}")),
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
