//! The change that would order the two sides, where it is a mechanical one: a completion or a barrier that is missing, a completion that
//! completes something else.
//!
//! A completion that is not enough was recorded, with its place. In which sort of epoch an MPI program is, is told by the locks that it holds and
//! the synchronisation around the access, or else read off the source before it, as is whether one function has both sides. Where
//! nothing tells, nothing is suggested.

use crate::around;
use crate::pattern::Pattern;
use crate::shape::{FixReport, Frame, SideReport, SyncReport};
use crate::source::Sources;
use std::path::Path;
use thrille_model::job::Api;
use thrille_model::{Act, Lock, Race, Side, Why};

/// How far before an operation the beginning of its epoch is looked for.
const BACK: u32 = 400;

/// What is known of a race's places.
pub struct Places<'a> {
    /// The two sides.
    pub a: &'a SideReport,
    pub b: &'a SideReport,
    /// The synchronisation around them.
    pub around: &'a [SyncReport],
    /// The completion behind a that does not complete it.
    pub wrong: Option<Frame>,
}

/// A call that is not enough: its name, if the source tells, and its place.
type Found = (Option<String>, Frame);

impl Places<'_> {
    /// The change that puts the race right, if that can be told.
    pub fn fix(&self, race: &Race, pattern: &str, api: Api, sources: &mut Sources) -> Option<FixReport> {
        let (a, b) = (self.a, self.b);
        let near = matches!(race.first.act, Act::Buffer | Act::Collective);
        let call = match (race.why, api) {
            (Why::Unsynchronised, _) if pattern == Pattern::MissingSynchronisation.word() => {
                return self.barrier(race, api, sources);
            }
            (Why::Unsynchronised | Why::Tasks, _) => return None,
            (Why::Incomplete | Why::WrongContext, Api::OpenShmem) => match context(a) {
                Some(context) => format!("shmem_ctx_quiet({context})"),
                None if race.first.ctx.is_some_and(|ctx| ctx.0 != 0) => return None,
                None => "shmem_quiet()".into(),
            },
            (Why::Incomplete | Why::WrongContext, Api::Mpi) => {
                let request = a.call.as_deref().is_some_and(is_request);
                match (self.epoch(a, &race.first, sources), near) {
                    _ if near && request => "MPI_Wait",
                    (_, true) if race.first.act == Act::Collective => "MPI_Wait",
                    (Epoch::Lock, true) => "MPI_Win_flush_local",
                    (Epoch::Lock, false) => "MPI_Win_flush",
                    (Epoch::Fence, _) => "MPI_Win_fence",
                    (Epoch::Start, _) => "MPI_Win_complete",
                    (Epoch::Unknown, _) => return None,
                }
                .into()
            }
        };
        let wrong = self.wrong.clone().filter(|_| race.why == Why::WrongContext && !(near && api == Api::Mpi));
        let wrong = wrong.map(|at| (around::call(&at, api), at));
        let all = wrong.as_ref().is_some_and(|(name, _)| {
            name.as_ref().is_some_and(|name| name.to_ascii_lowercase().ends_with("_local_all"))
        });
        Some(completion(a, b, if all { format!("{call}_all") } else { call }, wrong))
    }

    /// Both sides happen in one function, which every rank runs, the operation first: there a barrier is missing between the two lines.
    fn barrier(&self, race: &Race, api: Api, sources: &mut Sources) -> Option<FixReport> {
        let (a, b) = (self.a, self.b);
        let far = |side: &SideReport| matches!(side.act.as_ref(), "put" | "get" | "remote_atomic" | "signal");
        let frames =
            |side: &SideReport| std::iter::once(side.at.clone()).chain(side.stack.iter().cloned()).collect::<Vec<_>>();
        let (of_a, of_b) = (frames(a), frames(b));
        let (x, y) = of_a.iter().find_map(|x| of_b.iter().find(|y| same_function(x, y)).map(|y| (x, y)))?;
        let (first, last) = if x.line < y.line { (x, y) } else { (y, x) };
        // With the operation further down, the two meet in a loop: what is missing there is at its end.
        let (begins, side) = if x.line < y.line { (a, &race.first) } else { (b, &race.second) };
        let (path, from, to) = (Path::new(first.path.as_deref()?), first.line?, last.line?);
        if from == to
            || !far(begins)
            || (from..=to).any(|line| sources.line(path, line).is_none_or(|text| branches(&text)))
        {
            return None;
        }
        let call = match (api, self.epoch(begins, side, sources)) {
            (Api::OpenShmem, _) => "shmem_barrier_all()",
            (Api::Mpi, Epoch::Fence) => "MPI_Win_fence",
            (Api::Mpi, Epoch::Lock) => "MPI_Win_flush, then MPI_Barrier",
            (Api::Mpi, Epoch::Start | Epoch::Unknown) => return None,
        };
        let file = first.file.clone()?;
        let text = format!("call `{call}` on all ranks between {file}:{from} and {file}:{to}");
        Some(FixReport { text, call: call.into(), line: Some(from), instead_of: None, file: Some(file) })
    }

    /// What a side is in.
    fn epoch(&self, side: &SideReport, record: &Side, sources: &mut Sources) -> Epoch {
        if record.locks.iter().any(|held| matches!(held.lock, Lock::Window(..))) {
            return Epoch::Lock;
        }
        let name = if std::ptr::eq(side, self.a) || self.a.rank == side.rank && self.a.thread == side.thread {
            "a"
        } else {
            "b"
        };
        let before = self.around.iter().rev().filter(|sync| sync.side == name && sync.when == "before");
        let recorded = before.filter_map(|sync| sync.call.as_deref()).find_map(begins);
        recorded.unwrap_or_else(|| epoch(&side.at, sources))
    }
}

fn completion(a: &SideReport, b: &SideReport, call: String, wrong: Option<Found>) -> FixReport {
    let issued = short(&a.at);
    let Some((name, at)) = wrong else {
        let until = if a.rank == b.rank && a.thread == b.thread {
            format!("before {}", crate::text::place(&b.at))
        } else {
            "before the synchronisation that leads to b".into()
        };
        let text = format!("call `{call}` after {issued}, {until}");
        return FixReport { text, call, line: a.at.line, instead_of: None, file: a.at.file.clone() };
    };
    let bare = call.split('(').next().unwrap_or_default();
    let shown = name.as_ref().map_or_else(|| "the completion".into(), |name| format!("`{name}`"));
    let text = if name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(bare)) {
        format!(
            "{shown} at {} completes something else (another target, window or context): the operation of {issued} needs `{call}` of its own",
            short(&at)
        )
    } else {
        format!("{shown} at {} does not complete the operation of {issued}: `{call}` does", short(&at))
    };
    FixReport { text, call, line: at.line, instead_of: name, file: at.file }
}

/// A place without its column.
fn short(at: &Frame) -> String {
    crate::text::place(&Frame { column: None, ..at.clone() })
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
    let begins = |text: &str| {
        let call = crate::source::called(text, None, |name| begins(name).is_some())?;
        begins(&call)
    };
    let before = (line.saturating_sub(BACK)..line).rev();
    before
        .filter_map(|line| sources.line(Path::new(path), line))
        .find_map(|text| begins(&text))
        .unwrap_or(Epoch::Unknown)
}

/// What a call begins; Fortran has no case.
fn begins(call: &str) -> Option<Epoch> {
    match call.trim_start_matches(['P', 'p']).to_ascii_lowercase().as_str() {
        "mpi_win_lock" | "mpi_win_lock_all" => Some(Epoch::Lock),
        "mpi_win_fence" => Some(Epoch::Fence),
        "mpi_win_start" => Some(Epoch::Start),
        _ => None,
    }
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
        assert_eq!((begins("mpi_win_lock_all"), begins("MPI_Win_flush")), (Some(Epoch::Lock), None));
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
