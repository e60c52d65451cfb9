//! `build` and `install`.

use crate::packages::has;
use crate::{Result, cargo, mpi, root, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries that are put into programs.
const LIBRARIES: [&str; 2] = ["libthrille.so", "libthrille_shmem.so"];

/// The arguments of the cargo commands that build what users get: the command, and what it puts into programs.
pub const COMMANDS: [&[&str]; 2] = [
    &["build", "--release", "--package", "thrille"],
    &["build", "--profile", "injected", "--package", "thrille-preload", "--package", "thrille-shmem"],
];

/// Cargo with these arguments and the feature `mpi`, once for each MPI that is installed.
pub fn for_each_mpi(args: &[&str]) -> Vec<(&'static str, Command)> {
    let command = |(mpi, wrapper)| {
        let mut cargo = cargo();
        cargo.args(args).args(["--features", "mpi", "--target-dir"]).arg(target().join(format!("mpi-{mpi}")));
        cargo.env("MPICC", wrapper);
        (mpi, cargo)
    };
    mpi::installed().into_iter().map(command).collect()
}

/// The commands that build the library for each MPI that is installed.
pub fn mpi_commands() -> Vec<(&'static str, Command)> {
    for_each_mpi(&["build", "--profile", "injected", "--package", "thrille-preload", "--no-default-features"])
}

/// The compiler plugin of one LLVM.
const PLUGIN: &str = "libthrille_instrument.so";

/// The versions of LLVM that plugins can be built for: the oldest and the newest that are tried out, and what is in between.
const LLVMS: std::ops::RangeInclusive<u32> = 16..=19;

/// Where the plugin for a version is built.
fn plugin_dir(version: u32) -> PathBuf {
    target().join(format!("plugin-{version}"))
}

/// Cargo with these arguments on the plugin, once for each LLVM whose headers are installed.
pub fn for_each_llvm(args: &[&str]) -> Vec<(u32, Command)> {
    let installed = LLVMS.filter(|version| has(&format!("llvm-config-{version}")));
    let command = |version: u32| {
        let mut cargo = cargo();
        cargo.args(args).args(["--manifest-path", "instrument/Cargo.toml", "--target-dir"]).arg(plugin_dir(version));
        cargo.env("THRILLE_LLVM", version.to_string());
        (version, cargo)
    };
    installed.map(command).collect()
}

/// The commands that build the plugins.
pub fn plugin_commands() -> Vec<(u32, Command)> {
    for_each_llvm(&["build", "--release"])
}

/// The command, once built.
pub fn thrille() -> PathBuf {
    target().join("release/thrille")
}

/// Builds what users get.
pub fn build() -> Result<()> {
    build_own()?;
    for (mpi, mut command) in mpi_commands() {
        match command.status() {
            Ok(status) if status.success() => println!("built the library for {mpi}"),
            _ => println!(
                "the library for {mpi} could not be built: programs of this MPI cannot be checked (libclang-dev is needed)"
            ),
        }
    }
    build_plugins();
    Ok(())
}

/// Builds what programs without MPI need.
pub fn build_without_mpi() -> Result<()> {
    build_own()?;
    build_plugins();
    Ok(())
}

fn build_own() -> Result<()> {
    for args in COMMANDS {
        let status = cargo().args(args).status().map_err(|e| format!("cannot start cargo: {e}"))?;
        if !status.success() {
            return Err(format!("cargo {} failed", args.join(" ")));
        }
    }
    println!("built {} and {}", thrille().display(), target().join("injected").display());
    Ok(())
}

/// The plugin of one gcc.
const GCC_PLUGIN: &str = "libthrille_gcc.so";

/// Its sources, in `instrument/gcc`.
const GCC_SOURCES: [&str; 4] = ["plugin.cc", "overlooked.cc", "double.cc", "tables.cc"];

/// Where that is built for a version.
fn gcc_dir(version: u32) -> PathBuf {
    target().join(format!("gcc-{version}"))
}

/// The versions of gcc that it is built for, if they are installed under such a name.
const GCCS: std::ops::RangeInclusive<u32> = 12..=15;

/// The commands that build it for each gcc that is installed; none for one whose headers for plugins are not.
pub fn gcc_commands() -> Vec<(u32, Option<Command>)> {
    let installed = GCCS.filter(|version| has(&format!("g++-{version}")));
    installed.map(|version| (version, gcc_command(version))).collect()
}

fn gcc_command(version: u32) -> Option<Command> {
    let compiler = format!("g++-{version}");
    let said = Command::new(&compiler).arg("-print-file-name=plugin").output().ok()?;
    let include = Path::new(String::from_utf8_lossy(&said.stdout).trim()).join("include");
    let dir = gcc_dir(version);
    if !include.join("gcc-plugin.h").is_file() || fs::create_dir_all(&dir).is_err() {
        return None;
    }
    let mut command = Command::new(compiler);
    // The headers of gcc make warnings of their own.
    command.args(["-std=c++17", "-O2", "-fPIC", "-shared", "-fno-rtti", "-w"]).arg("-I").arg(include);
    command.args(GCC_SOURCES.map(|source| root().join("instrument/gcc").join(source)));
    command.arg("-o").arg(dir.join(GCC_PLUGIN));
    Some(command)
}

fn build_plugins() {
    for (version, command) in gcc_commands() {
        if command.is_some_and(|mut command| command.status().is_ok_and(|status| status.success())) {
            println!("built the plugin for gcc {version}");
        } else {
            println!(
                "the plugin for gcc {version} could not be built: its programs cost more, and structures that they pass by value are not seen (gcc-{version}-plugin-dev is needed)"
            );
        }
    }
    for (version, mut command) in plugin_commands() {
        match command.status() {
            Ok(status) if status.success() => println!("built the plugin for clang {version}"),
            _ => println!(
                "the plugin for clang {version} could not be built: its programs are instrumented by hooks (llvm-{version}-dev and g++ are needed)"
            ),
        }
    }
}

/// Builds and copies: `bin/thrille`, `lib/thrille/*.so`, `include/thrille/*`, `share/modulefiles/thrille/<version>`.
pub fn install(prefix: Option<PathBuf>) -> Result<()> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let prefix = prefix.or_else(home).ok_or("HOME is not set: say where to with --prefix DIR")?;
    let prefix = std::path::absolute(&prefix).map_err(|e| format!("{}: {e}", prefix.display()))?;
    build()?;
    let (bin, lib, include) = (prefix.join("bin"), prefix.join("lib/thrille"), prefix.join("include/thrille"));
    copy(&thrille(), &bin.join("thrille"))?;
    for library in LIBRARIES {
        copy(&target().join("injected").join(library), &lib.join(library))?;
    }
    for mpi in mpi::names() {
        let built = target().join(format!("mpi-{mpi}/injected/libthrille.so"));
        if built.is_file() {
            copy(&built, &lib.join(mpi).join("libthrille.so"))?;
        }
    }
    for version in LLVMS {
        let built = plugin_dir(version).join("release").join(PLUGIN);
        if built.is_file() {
            copy(&built, &lib.join(format!("plugin-{version}")).join(PLUGIN))?;
        }
    }
    for version in GCCS {
        let built = gcc_dir(version).join(GCC_PLUGIN);
        if built.is_file() {
            copy(&built, &lib.join(format!("gcc-{version}")).join(GCC_PLUGIN))?;
        }
    }
    copy_tree(&root().join("shmem/include"), &include)?;
    let modules = prefix.join("share/modulefiles/thrille");
    copy(&root().join("slurm/modulefile"), &modules.join(env!("CARGO_PKG_VERSION")))?;
    println!("installed {}", bin.join("thrille").display());
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|dir| dir == bin) {
        println!("{} is not in PATH yet:\n    export PATH=\"{}:$PATH\"", bin.display(), bin.display());
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).map_err(|e| format!("cannot read {}: {e}", from.display()))? {
        let path = entry.map_err(|e| format!("cannot read {}: {e}", from.display()))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_tree(&path, &target)? } else { copy(&path, &target)? }
    }
    Ok(())
}

/// Copies under another name first, so that running programs keep the old file and nobody sees half of one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().unwrap_or(Path::new("/"));
    let new = dir.join(format!(".new-{}", to.file_name().unwrap_or_default().display()));
    fs::create_dir_all(dir)
        .and_then(|()| fs::copy(from, &new))
        .and_then(|_| fs::rename(&new, to))
        .map_err(|e| format!("cannot copy {} to {}: {e}", from.display(), to.display()))
}
