//! A page for each pattern of races: what happens, what the standards say, how it is usually put right. The pages are `pages/*.md`.

use crate::pattern::Pattern;

/// The page of a pattern.
pub fn page(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::MissingSynchronisation => include_str!("../pages/missing_synchronisation.md"),
        Pattern::MissingCompletion => include_str!("../pages/missing_completion.md"),
        Pattern::WrongCompletion => include_str!("../pages/wrong_completion.md"),
        Pattern::BufferReused => include_str!("../pages/buffer_reused.md"),
        Pattern::HandMadeSignal => include_str!("../pages/hand_made_signal.md"),
        Pattern::NoCommonLock => include_str!("../pages/no_common_lock.md"),
        Pattern::SharedLock => include_str!("../pages/shared_lock.md"),
        Pattern::Threads => include_str!("../pages/threads.md"),
        Pattern::Tasks => include_str!("../pages/tasks.md"),
        Pattern::MixedAtomics => include_str!("../pages/mixed_atomics.md"),
        Pattern::AtomicAndPlain => include_str!("../pages/atomic_and_plain.md"),
    }
}

/// The same for a reader whose program is written to one interface (`openshmem` or `mpi`): the sections of the others are left out.
pub fn page_for(pattern: Pattern, api: Option<&str>) -> String {
    let wanted = match api {
        Some("openshmem") => "OpenSHMEM",
        Some("mpi") => "MPI",
        _ => return page(pattern).into(),
    };
    let mut out = String::new();
    let mut shown = true;
    for line in page(pattern).lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            shown = !["OpenSHMEM", "MPI", "Coarray Fortran"].contains(&heading) || heading == wanted;
        }
        if shown {
            out += line;
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_parts() {
        for pattern in Pattern::ALL {
            let page = page(pattern);
            assert!(page.starts_with(&format!("# {}\n", pattern.word())), "{pattern:?}");
            for part in ["## What happens", "## How it is usually put right"] {
                assert!(page.contains(part), "{pattern:?} lacks {part}");
            }
            for api in ["openshmem", "mpi"] {
                let part = page_for(pattern, Some(api));
                assert!(!part.contains("## Coarray"), "{part}");
                assert!(part.contains("## How it is usually put right"));
                assert!(!(part.contains("## MPI\n") && part.contains("## OpenSHMEM\n")));
            }
        }
    }
}
