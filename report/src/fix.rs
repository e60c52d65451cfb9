//! The change that would order the two sides, where it is a mechanical one: a completion or a barrier that is missing, a completion that
//! completes something else.
//!
//! It is read off the source text around the two places: which call stands between them and is not enough, in which sort of epoch an MPI
//! program is, in which function both sides happen. Where the text does not tell, nothing is suggested.

use crate::pattern::Pattern;
use crate::shape::{FixReport, Frame, SideReport};
use crate::source::Sources;
use std::path::Path;
use thrille_model::job::Api;
use thrille_model::{Act, Race, Why};

/// How far behind an operation a call that should have completed it is looked for.
const AHEAD: u32 = 60;
/// How far before an operation the beginning of its epoch is looked for.
const BACK: u32 = 400;

/// The change that puts a race right, if the source tells.
pub fn fix(race: &Race, pattern: &str, [a, b]: [&SideReport; 2], api: Api, sources: &mut Sources) -> Option<FixReport> {
    let near = matches!(race.first.act, Act::Buffer | Act::Collective);
    match (race.why, api) {
        (Why::Unsynchronised, _) if pattern == Pattern::MissingSynchronisation.word() => barrier([a, b], api, sources),
        (Why::Unsynchronised | Why::Tasks, _) => None,
        (Why::Incomplete | Why::WrongContext, Api::OpenShmem) => {
            let call = match context(a) {
                Some(context) => format!("shmem_ctx_quiet({context})"),
                None if race.first.ctx.is_some_and(|ctx| ctx.0 != 0) => return None,
                None => "shmem_quiet()".into(),
            };
            let wrong = find(a, b, sources, &["shmem_ctx_quiet", "shmem_quiet"]);
            Some(completion(a, b, call, wrong.filter(|_| race.why == Why::WrongContext)))
        }
        (Why::Incomplete | Why::WrongContext, Api::Mpi) => {
            let request = a.call.as_deref().is_some_and(is_request);
            let epoch = epoch(&a.at, sources);
            let call = match (epoch, near) {
                _ if near && request => "MPI_Wait",
                (_, true) if race.first.act == Act::Collective => "MPI_Wait",
                (Epoch::Lock, true) => "MPI_Win_flush_local",
                (Epoch::Lock, false) => "MPI_Win_flush",
                (Epoch::Fence, _) => "MPI_Win_fence",
                (Epoch::Start, _) => "MPI_Win_complete",
                (Epoch::Unknown, _) => return None,
            };
            let wrong = match (race.why, near) {
                (Why::WrongContext, false) => {
                    find(a, b, sources, &["MPI_Win_flush_local_all", "MPI_Win_flush_local", "MPI_Win_flush"])
                }
                _ => None,
            };
            let all = wrong.as_ref().is_some_and(|(name, _)| name.ends_with("_all"));
            let call = if all { format!("{call}_all") } else { call.into() };
            Some(completion(a, b, call, wrong))
        }
    }
}

/// A call that stands in the source: its name and its line.
type Found = (String, u32);

fn completion(a: &SideReport, b: &SideReport, call: String, wrong: Option<Found>) -> FixReport {
    let file = a.at.file.clone();
    let at = |line: Option<u32>| match (&file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => crate::text::place(&a.at),
    };
    let same = wrong.as_ref().is_some_and(|(name, _)| call.split('(').next() == Some(name));
    match wrong {
        Some((name, line)) if !same => FixReport {
            text: format!(
                "`{name}` at {} does not complete the operation of {}: `{call}` does",
                at(Some(line)),
                at(a.at.line)
            ),
            call,
            line: Some(line),
            instead_of: Some(name),
            file,
        },
        Some((name, line)) => FixReport {
            text: format!(
                "`{name}` at {} completes something else (another target, window or context): the operation of {} needs `{call}` of its own",
                at(Some(line)),
                at(a.at.line)
            ),
            call,
            line: Some(line),
            instead_of: Some(name),
            file,
        },
        None => {
            let until = if a.rank == b.rank && a.thread == b.thread {
                format!("before {}", crate::text::place(&b.at))
            } else {
                "before the synchronisation that leads to b".into()
            };
            let text = format!("call `{call}` after {}, {until}", at(a.at.line));
            FixReport { text, call, line: a.at.line, instead_of: None, file }
        }
    }
}

/// Both sides happen in one function, which every rank runs, the operation first: there a barrier is missing between the two lines.
fn barrier([a, b]: [&SideReport; 2], api: Api, sources: &mut Sources) -> Option<FixReport> {
    let far = |side: &SideReport| matches!(side.act.as_ref(), "put" | "get" | "remote_atomic" | "signal");
    let frames =
        |side: &SideReport| std::iter::once(side.at.clone()).chain(side.stack.iter().cloned()).collect::<Vec<_>>();
    let (of_a, of_b) = (frames(a), frames(b));
    let (x, y) = of_a.iter().find_map(|x| of_b.iter().find(|y| same_function(x, y)).map(|y| (x, y)))?;
    let (first, last) = if x.line < y.line { (x, y) } else { (y, x) };
    // With the operation further down, the two meet in a loop: what is missing there is at its end.
    let begins = if x.line < y.line { a } else { b };
    let (path, from, to) = (Path::new(first.path.as_deref()?), first.line?, last.line?);
    if from == to || !far(begins) || (from..=to).any(|line| sources.line(path, line).is_none_or(|text| branches(&text)))
    {
        return None;
    }
    let call = match (api, epoch(&begins.at, sources)) {
        (Api::OpenShmem, _) => "shmem_barrier_all()",
        (Api::Mpi, Epoch::Fence) => "MPI_Win_fence",
        (Api::Mpi, Epoch::Lock) => "MPI_Win_flush, then MPI_Barrier",
        (Api::Mpi, Epoch::Start | Epoch::Unknown) => return None,
    };
    let file = first.file.clone()?;
    let text = format!("call `{call}` on all ranks between {file}:{from} and {file}:{to}");
    Some(FixReport { text, call: call.into(), line: Some(from), instead_of: None, file: Some(file) })
}

/// Whether a line belongs to the other branch than the lines before: no rank comes to both.
fn branches(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| ["else", "case", "default"].contains(&word.to_ascii_lowercase().as_str()))
}

fn same_function(x: &Frame, y: &Frame) -> bool {
    x.function.is_some() && x.function == y.function && x.path.is_some() && x.path == y.path
}

/// The context that a call of OpenSHMEM names.
fn context(side: &SideReport) -> Option<String> {
    let call = side.call.as_deref().filter(|call| call.starts_with("shmem_ctx_"))?;
    let (_, rest) = side.at.source.as_deref()?.split_once(call)?;
    let argument = rest.trim_start().strip_prefix('(')?.split([',', ')']).next()?.trim();
    (!argument.is_empty()).then(|| argument.to_owned())
}

/// `MPI_Rput` and its like, `MPI_Isend` and its like: the request frees the buffer.
fn is_request(call: &str) -> bool {
    let name = call.trim_start_matches(['P', 'p']).to_ascii_lowercase();
    ["mpi_r", "mpi_i"].iter().any(|start| name.starts_with(start)) && !name.starts_with("mpi_reduce")
}

/// The first of these calls behind side a, and before side b if that is further down in the same function.
fn find(a: &SideReport, b: &SideReport, sources: &mut Sources, names: &[&str]) -> Option<Found> {
    let (path, from) = (a.at.path.as_deref()?, a.at.line?);
    let until = match b.at.line {
        Some(line) if same_function(&a.at, &b.at) && line > from => line,
        _ => from + AHEAD,
    };
    (from + 1..until).find_map(|line| {
        let text = sources.line(Path::new(path), line)?;
        names.iter().find(|name| calls(&text, name)).map(|name| ((*name).to_owned(), line))
    })
}

/// Whether a line calls a function; Fortran has no case.
fn calls(line: &str, name: &str) -> bool {
    crate::source::called(line, None, |found| found.eq_ignore_ascii_case(name)).is_some()
}

/// What an MPI program's operation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Epoch {
    Lock,
    Fence,
    Start,
    Unknown,
}

/// The epoch that begins last before a place, by the text of the file.
fn epoch(at: &Frame, sources: &mut Sources) -> Epoch {
    let (Some(path), Some(line)) = (at.path.as_deref(), at.line) else { return Epoch::Unknown };
    let begins = |text: &str| match text {
        _ if calls(text, "MPI_Win_lock") || calls(text, "MPI_Win_lock_all") => Some(Epoch::Lock),
        _ if calls(text, "MPI_Win_fence") => Some(Epoch::Fence),
        _ if calls(text, "MPI_Win_start") => Some(Epoch::Start),
        _ => None,
    };
    let before = (line.saturating_sub(BACK)..line).rev();
    before
        .filter_map(|line| sources.line(Path::new(path), line))
        .find_map(|text| begins(&text))
        .unwrap_or(Epoch::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_contexts_by_their_names() {
        for (call, is) in
            [("MPI_Rput", true), ("MPI_Irecv", true), ("PMPI_Isend", true), ("MPI_Put", false), ("MPI_Reduce", false)]
        {
            assert_eq!(is_request(call), is, "{call}");
        }
        assert!(calls("  call mpi_win_flush(1, win, ierr)", "MPI_Win_flush"));
        assert!(!calls("MPI_Win_flush_local(1, win);", "MPI_Win_flush"));
    }

    #[test]
    fn the_epoch_that_begins_last_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.c");
        std::fs::write(&path, "MPI_Win_fence(0, w);\nMPI_Win_lock_all(0, w);\nMPI_Put();\n").unwrap();
        let mut sources = Sources::new(dir.path());
        let mut at = |line| {
            let frame = Frame { path: Some(path.display().to_string()), line: Some(line), ..Frame::default() };
            epoch(&frame, &mut sources)
        };
        assert_eq!((at(1), at(2), at(3)), (Epoch::Unknown, Epoch::Fence, Epoch::Lock));
    }
}
