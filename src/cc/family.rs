//! Which compiler a command is.

use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// Compilers that take different flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// GNU, and whatever looks like it: the version, if it is said as GNU says it.
    Gcc(Option<u32>),
    /// Clang and those made from it: the version, if it is said.
    Clang(Option<u32>),
}

impl Family {
    /// Whether it takes GNU's flags.
    pub fn is_gcc(self) -> bool {
        matches!(self, Self::Gcc(_))
    }

    /// Asks the compiler.
    pub fn of(command: &[OsString]) -> Result<Self> {
        let (program, args) = command.split_first().context("no compiler given")?;
        let output = Command::new(program)
            .args(args)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| not_startable(program, &error))?;
        Ok(Self::from_version(&String::from_utf8_lossy(&output.stdout)))
    }

    fn from_version(text: &str) -> Self {
        if !text.to_ascii_lowercase().contains("clang") {
            let first = text.lines().next().filter(|_| text.contains("Free Software Foundation"));
            let version = first.and_then(|line| line.rsplit(')').next()?.trim().split('.').next()?.parse().ok());
            return Self::Gcc(version);
        }
        // Apple counts in its own way.
        let version = text.split_once("clang version ").filter(|(before, _)| !before.contains("Apple"));
        Self::Clang(version.and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()))
    }
}

/// Why a compiler did not start.
pub fn not_startable(program: &OsStr, error: &std::io::Error) -> anyhow::Error {
    let name = program.display();
    match error.kind() {
        std::io::ErrorKind::NotFound => anyhow::anyhow!(
            "the compiler `{name}` was not found: install one (Debian: apt install gcc g++), or name another with --cc, CC or CXX"
        ),
        _ => anyhow::anyhow!("the compiler `{name}` cannot be started: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let gnu = |line: &str| Family::from_version(&format!("{line}\nCopyright (C) 2022 Free Software Foundation"));
        assert_eq!(gnu("gcc (Debian 12.2.0-14) 12.2.0"), Family::Gcc(Some(12)));
        assert_eq!(gnu("GNU Fortran (GCC) 9.4.1 20210728 (Red Hat 9.4.1-1)"), Family::Gcc(None));
        assert_eq!(Family::from_version("tcc version 0.9.27"), Family::Gcc(None));
        assert_eq!(Family::from_version("Debian clang version 16.0.6"), Family::Clang(Some(16)));
        assert_eq!(Family::from_version("clang version 19.1.7 (https://github.com)"), Family::Clang(Some(19)));
        assert_eq!(Family::from_version("Apple clang version 15"), Family::Clang(None));
        assert_eq!(Family::from_version("clang of somebody"), Family::Clang(None));
    }

    #[test]
    fn a_missing_compiler_is_named_with_the_remedy() {
        let error = Family::of(&["no-such-compiler".into()]).unwrap_err().to_string();
        assert!(error.contains("`no-such-compiler`") && error.contains("--cc"), "{error}");
    }
}
