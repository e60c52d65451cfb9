//! `thrille merge`: puts together what the ranks of a job left behind, also of a job that was killed before rank 0 could report.
//!
//! Ranks that wrote to a directory of their node (`exec --local`) copy their files when they end. Those of a rank that was killed stay on the node: run
//! `thrille merge DIR --from LOCAL` there, by one task on each node, and `thrille merge DIR` at the end.

use crate::args;
use crate::exec::{Seat, exits};
use crate::gate::Gate;
use crate::output::{self, Code};
use anyhow::{Context, Result, bail};
use std::path::Path;
use thrille_model::Rank;
use thrille_model::job::rank_file;
use thrille_report::{Report, RunInfo};

/// The subcommand.
pub fn merge(typed: &args::Merge) -> Result<Code> {
    if !typed.dir.is_dir() {
        bail!("there is no directory {}: name that of a run", typed.dir.display());
    }
    let mut copied = 0;
    for from in &typed.from {
        copied += collect(from, &typed.dir)?;
    }
    let seat = Seat::of_this_process();
    if !typed.from.is_empty() && seat.size > 1 {
        // Others copy at the same time: whoever asks when all are done gets the whole.
        eprintln!("thrille: {copied} files copied; when all nodes are done: thrille merge {}", typed.dir.display());
        return Ok(Code::Clean);
    }
    if let Ok(mut info) = RunInfo::read(&typed.dir) {
        let (known, first) = exits(&typed.dir, info.ranks);
        if info.exits.is_none() && !known.is_empty() {
            info.notes.push("rank 0 did not come to report: the job was ended before, or its node was lost".into());
            info.first_failure = first;
        }
        if info.exits.as_ref().is_none_or(|before| before.len() < known.len()) {
            info.exits = Some(known);
            info.write(&typed.dir)?;
        }
    }
    let mut report = Report::from_run_dir(&typed.dir)?;
    Gate::new(&args::Forms::default())?.apply(&mut report);
    output::keep_and_print(&report, &typed.dir, typed.json)
}

/// Copies one rank's files.
pub fn collect_rank(from: &Path, to: &Path, rank: u32) -> Result<()> {
    let name = rank_file(Rank(rank));
    // A program that never initialised its library has none.
    if from.join(&name).is_file() {
        copy(&from.join(&name), &to.join(&name))?;
        let _ = std::fs::remove_file(from.join(&name));
    }
    // Whoever is the last of its node finds it empty.
    let _ = std::fs::remove_dir(from);
    Ok(())
}

/// Copies the ranks' files that are there; how many.
fn collect(from: &Path, to: &Path) -> Result<usize> {
    let entries = std::fs::read_dir(from)
        .with_context(|| format!("cannot read {}: name the directory that exec --local wrote to", from.display()))?;
    let mut copied = 0;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = |before: &str, after: &str| name.strip_prefix(before)?.strip_suffix(after)?.parse::<u32>().ok();
        if number("rank-", ".thr").is_some() || number("exit-", ".json").is_some() {
            copy(&entry.path(), &to.join(&name))?;
            copied += 1;
        }
    }
    Ok(copied)
}

/// Whole or not at all; what is there already stays if it holds more.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let length = |path: &Path| std::fs::metadata(path).map(|meta| meta.len()).ok();
    if length(to) > length(from) {
        return Ok(());
    }
    let new = to.with_extension(format!("new-{}", std::process::id()));
    std::fs::copy(from, &new)
        .and_then(|_| std::fs::File::open(&new)?.sync_all())
        .and_then(|()| std::fs::rename(&new, to))
        .with_context(|| {
            format!("cannot copy {} to {}: free some space, or copy it yourself", from.display(), to.display())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_more_stays_and_strangers_are_left_alone() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (dir, name, text) in [
            (&from, "rank-1.thr", "longer"),
            (&from, "rank-2.thr", "x"),
            (&from, "notes", "x"),
            (&to, "rank-2.thr", "more"),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        assert_eq!(collect(from.path(), to.path()).unwrap(), 2);
        let read = |name: &str| std::fs::read_to_string(to.path().join(name)).ok();
        assert_eq!((read("rank-1.thr").as_deref(), read("rank-2.thr").as_deref()), (Some("longer"), Some("more")));
        assert_eq!(read("notes"), None);
        assert!(collect(Path::new("/no/such"), to.path()).unwrap_err().to_string().contains("--local"));
        collect_rank(from.path(), to.path(), 1).unwrap();
        assert!(!from.path().join("rank-1.thr").exists());
    }
}
