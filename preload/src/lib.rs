//! The injected library: what programs call instead of what they think they call.
//!
//! | module | answers |
//! |---|---|
//! | [`tsan`] | the calls that `-fsanitize=thread` puts before each load and store, and for atomics |
//! | [`sites`] | the calls of `instrument/hooks.h`, which the clang plugin puts into one of a function's two copies |
//! | [`walk`] | call stacks of programs that do not tell of their calls |
//! | [`sampled`] | which of them are looked at |
//! | [`meetings`] | what ranks wait for each other at barriers, because one has spent more than another |
//! | [`uncounted`] | which updates of words a budget lets pass uncounted, and what is not recorded after that |
//! | [`memory`] | `memcpy` and its kin, redirected at link time |
//! | [`stdio`] | input and output of the C library, redirected likewise |
//! | [`allocation`] | `malloc` and `operator new`, while there are several threads |
//! | [`fortran`] | what gfortran leaves to its run-time library: input, output, strings, array intrinsics |
//! | [`threads`] | threads of POSIX, C11 and C++: strands, locksets and the order between threads |
//! | [`objects`] | what processes of one machine synchronise by besides their memory: locks and semaphores that they share, pipes, connections, files |
//! | [`files`] | names for objects in memory that processes map |
//! | [`code`] | machine code behind a call, where that says what the call is for |
//! | [`signals`] | signal handlers of the program |
//! | [`last`] | the last cut of a job that ends before its time |
//! | [`own`] | calls of the system that programs have functions of the same name for |
//! | [`confirm`] | where strands stop in a run that confirms races |
//! | [`openmp`] | OpenMP: what its runtime tells a tool, and threads of runtimes that tell nothing |
//! | [`tasks`] | tasks of programs without OpenMP: `thrille/tasks.h` |
//! | `shmem` | OpenSHMEM: one row a call, forwarded to the library's `pshmem_` name (feature `shmem`, the default) |
//! | `mpi` | MPI: one row a call, forwarded to the library's `PMPI_` name (feature `mpi`, built for one MPI library) |
//!
//! Rules for this crate:
//! * Inert unless the launcher said otherwise: without [`thrille_model::job::ENV_RUN_DIR`] every function only forwards.
//! * It never unwinds, never exits the program, never changes what the program sees. What goes wrong is said in one line and
//!   the rank is observed no further.
//! * No allocation, lock or output for a load or store: see [`thrille_runtime::recorder`].
//! * What the program calls enters through a few instructions of assembly ([`entry`]) that note who called.
#![allow(unsafe_code, reason = "every function here is called from, or calls, foreign code")]

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!(
    "the injected library is written for Linux on x86-64: port `entry.rs` (thread-local block and trampolines)"
);

#[cfg(any(all(feature = "shmem", feature = "mpi"), not(any(feature = "shmem", feature = "mpi"))))]
compile_error!(
    "the injected library is built for one programming model: for MPI use --no-default-features --features mpi"
);

mod allocation;
mod code;
mod confirm;
mod counters;
mod entry;
mod files;
mod fortran;
mod headers;
mod last;
mod link;
mod loaded;
mod meetings;
mod memory;
#[cfg(feature = "mpi")]
mod mpi;
mod objects;
mod observed;
mod openmp;
mod own;
mod rank;
mod real;
mod sampled;
#[cfg(feature = "shmem")]
mod shmem;
mod signals;
mod sites;
mod stdio;
mod symbols;
mod tasks;
mod threads;
mod tsan;
mod uncounted;
mod walk;
