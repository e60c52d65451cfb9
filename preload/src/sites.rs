//! Functions that are there twice, by the clang plugin or by joining two compilations: `instrument/hooks.h`, on the library's side.
//!
//! | module | is |
//! |---|---|
//! | [`abi`] | the tables, as compiled code has them |
//! | [`registry`] | which tables there are |
//! | [`policy`] | who decides what is looked at |
//! | [`live`] | decides in runs that confirm races |
//! | [`sampling`] | decides by the policies of `thrille_sampling` |
//! | [`hooks`] | what compiled code calls |
//! | [`retired`] | what code calls that was compiled for another version |
//! | [`joined`] | the same for joined functions |
//!
//! Tables are shared by all threads without locks: see `hooks.h` for what a lost update means. They are never freed while their code can run.

pub mod abi;
mod hooks;
mod joined;
mod live;
pub mod policy;
mod registry;
mod retired;
pub mod sampling;

pub use live::{arm, disarm};
pub use registry::any;
pub use retired::note as note_retired;
