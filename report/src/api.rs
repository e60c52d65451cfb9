//! What things are called in the programming interface that a program is written to. The only place that knows.

use thrille_model::job::Api;
use thrille_model::{Act, Side, Why};

/// The call that makes a process a rank.
pub fn init(api: Option<Api>) -> &'static str {
    match api {
        Some(Api::OpenShmem) => "shmem_init",
        Some(Api::Mpi) => "MPI_Init",
        None => "shmem_init or MPI_Init",
    }
}

/// Whether a function belongs to the interface.
pub fn has(api: Api, function: &str) -> bool {
    let starts = |start: &str| function.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    match api {
        Api::OpenShmem => starts("shmem"),
        // Fortran has no case.
        Api::Mpi => starts("MPI_") || starts("PMPI_"),
    }
}

/// Why an operation that was issued before is not complete: what would have completed it.
pub fn incomplete(api: Api, side: &Side, why: Why) -> String {
    match (api, why) {
        (Api::OpenShmem, Why::WrongContext) => format!(
            "on {}, but what was completed in between is another context: only shmem_ctx_quiet on the context that issued it, or \
             shmem_quiet if that is the default one, completes it",
            match side.ctx {
                Some(ctx) if ctx.0 != 0 => format!("context {}", ctx.0),
                _ => "the default context".into(),
            }
        ),
        (Api::OpenShmem, _) => format!(
            "but nothing completed it: {} by the issuing thread must come between; shmem_fence and shmem_sync_all do not complete",
            match side.ctx {
                Some(ctx) if ctx.0 != 0 => "shmem_ctx_quiet on its context",
                _ => "shmem_quiet or shmem_barrier_all",
            }
        ),
        (Api::Mpi, why) => {
            let other = match why {
                Why::WrongContext => "what was completed in between were other operations, or only their near ends",
                _ => "nothing completed it",
            };
            let calls = match side.act {
                Act::Buffer => {
                    "MPI_Win_flush_local, MPI_Win_flush, MPI_Win_unlock, MPI_Win_fence or MPI_Win_complete, or the end of its request"
                }
                Act::Collective => "the end of its request",
                _ => "MPI_Win_flush, MPI_Win_unlock, MPI_Win_fence or MPI_Win_complete",
            };
            let not = match side.act {
                Act::Buffer | Act::Collective => "",
                _ => {
                    "; MPI_Win_flush_local and the end of a request complete it at its origin only, MPI_Barrier does not complete it"
                }
            };
            format!("but {other}: {calls} by the issuing thread must come between{not}")
        }
    }
}

/// What orders accesses of two ranks that nothing orders.
pub fn remedy(api: Api, sides: [&Side; 2]) -> String {
    let far = sides.iter().any(|side| matches!(side.act, Act::Put | Act::RemoteAtomic | Act::Get | Act::Signal));
    match (api, far) {
        (Api::OpenShmem, _) => {
            "a shmem_barrier_all between the two, a signal (shmem_put_signal, shmem_signal_wait_until), or one lock around both".into()
        }
        (Api::Mpi, true) => {
            "complete the operation, then let a barrier, a message or another collective lead from it to the other access; or give each side \
             an exclusive lock epoch of its own (MPI_Win_lock), or let both be accumulates"
                .into()
        }
        (Api::Mpi, false) => "a barrier, a message or another collective between the two, or one exclusive lock around both".into(),
    }
}

/// What orders accesses of two threads of one rank.
pub fn thread_remedy(api: Api, sides: [&Side; 2]) -> String {
    let calls = sides.iter().any(|side| crate::words::is_communication(side.act));
    let library = match api {
        Api::OpenShmem => "a shmem call",
        Api::Mpi => "an MPI call",
    };
    let not =
        if calls { format!("; {library} by one thread orders nothing that the other does") } else { String::new() };
    format!(
        "one mutex (or omp critical) around both, a barrier of the threads (pthread_barrier_wait, omp barrier) between the two, or joining \
         the thread first{not}"
    )
}

/// The interface in the JSON.
pub fn word(api: Api) -> &'static str {
    match api {
        Api::OpenShmem => "openshmem",
        Api::Mpi => "mpi",
    }
}

/// What to use in place of a polled word.
pub fn signal(api: Api) -> &'static str {
    match api {
        Api::OpenShmem => "shmem_wait_until (or shmem_signal_wait_until)",
        Api::Mpi => "MPI_Fetch_and_op with MPI_NO_OP for the polling and MPI_Accumulate for the setting, or a message",
    }
}
