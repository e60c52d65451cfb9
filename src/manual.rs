//! `thrille man` and `thrille completions`: both from the one table of flags in [`crate::args`].

use crate::args::{self, Args};
use crate::output::{Code, print};
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::io::stdout;

/// Completions for a shell, on standard output.
pub fn completions(typed: &args::Completions) -> Code {
    let mut text = Vec::new();
    clap_complete::generate(typed.shell, &mut Args::command(), "thrille", &mut text);
    print(&mut stdout(), &String::from_utf8_lossy(&text));
    Code::Clean
}

/// Manual pages: one for the command, one for each subcommand.
pub fn pages(typed: &args::Man) -> Result<Code> {
    std::fs::create_dir_all(&typed.dir).with_context(|| format!("cannot make {}", typed.dir.display()))?;
    clap_mangen::generate_to(Args::command(), &typed.dir)
        .with_context(|| format!("cannot write manual pages into {}", typed.dir.display()))?;
    Ok(Code::Clean)
}
