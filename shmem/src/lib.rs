//! An embedded `OpenSHMEM` 1.5: one process a PE, on one machine, with nothing to install.
//!
//! The symmetric heap and the static data of the executable live in one memory file that every PE maps
//! (`thrille-launch` says how it is laid out). So a put is a copy, an atomic is an atomic of the processor, and everything
//! is complete when it returns: `shmem_quiet` is a memory fence.
//!
//! | file | concern |
//! |---|---|
//! | `state` | who this PE is, where everything is mapped, symmetric address to remote address |
//! | `statics` | makes the global variables of the executable symmetric |
//! | `fail` | the one way out: a bad argument, `shmem_global_exit`, an aborted job |
//! | `wait` | barriers on futexes, back-off for everything that polls |
//! | `setup`, `heap`, `rma`, `strided`, `signal`, `atomics`, `ctx`, `team`, `sync`, `collectives`, `reduce`, `p2p`, `lock` | the chapters of the API |
//! | `longdouble` | what Rust has no type for |
//! | `introspect` | what the detector asks |
//!
//! Every function `X` of the API is exported twice, by the `export!` macro: `pshmem_X` is the implementation and `shmem_X`
//! calls it, so that a tool can put its own `shmem_X` in front. Nothing in here calls a `shmem_X`.
#![allow(unsafe_code, reason = "a C library over shared memory; each block says why it is sound")]
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "C entry points: the caller vouches for its pointers, as in any SHMEM library"
)]
#![allow(clippy::cast_ptr_alignment, reason = "addresses are checked for alignment before they become atomics")]
#![allow(
    clippy::used_underscore_binding,
    reason = "an argument that the body ignores is still passed on by the second name"
)]
#![allow(clippy::too_many_arguments, reason = "the signatures are the standard's")]
#![allow(clippy::similar_names, reason = "dst and sst, dest and dst are the standard's names")]

#[macro_use]
mod types;
#[macro_use]
mod table;

mod atomics;
mod collectives;
mod ctx;
mod fail;
mod heap;
mod introspect;
mod lock;
mod longdouble;
mod p2p;
mod reduce;
mod rma;
mod setup;
mod signal;
mod state;
mod statics;
mod strided;
mod sync;
mod team;
mod wait;
