//! What lives in each rank: record, synchronise, finish. No foreign interface, so that it can be tested without one.
//!
//! | module | does |
//! |---|---|
//! | [`runs`] | merges one strand's loads and stores into runs of bytes: the access path |
//! | [`stores`] | plain stores that somebody may wait for |
//! | [`recorder`] | what one strand carries: its position, locks, call stack and runs; touched by its own thread only |
//! | [`underway`] | what a strand's own operations are using |
//! | `open` | the operations that are not complete |
//! | `callers` | which calls of the program events come from |
//! | `carried` | what an only strand does again and again, told once |
//! | [`rank`] | what the strands of a rank share: log, operations, locksets, what each strand knows of the others; behind one lock |
//! | `thin` | which records go when there are too many |
//! | [`blocks`] | which private memory is which block, while there are several threads |
//! | `quarantine` | memory that was given back, kept from the allocator for a while: at most 16 MB |
//! | [`regions`] | which addresses are whose shared memory |
//! | [`modules`] | which code addresses belong to which loaded file |
//! | [`stacks`] | the tree of calls |
//! | [`sink`] | the rank's file |
//! | [`footprint`] | what the strand of a task has touched: bits for bytes, and which lines |
//! | [`quick`] | accesses of which nothing comes: what hooks look at first |
//! | `pairs` | pairs of lines that race, each once |
//! | [`trails`] | which lines of a strand that is over touched which bytes |
//! | [`crew`] | tasks that run on several threads |
//! | [`watch`] | races between tasks of the rank, if somebody asks for them |
//! | [`cuts`] | when cuts are made, and by whom |
//! | `ledger` | what the rank writes down |
//! | [`session`] | a rank's whole life: it makes the cuts and writes down what they find |
//!
//! Shared state: [`rank::Rank`] is behind the one mutex of [`session::Session`], taken by calls that synchronise or communicate and when a
//! strand's buffer is full, never by a load or store. [`recorder::Recorder`]s belong to their threads.

pub mod blocks;
mod callers;
mod carried;
pub mod crew;
pub mod cuts;
pub mod footprint;
mod ledger;
pub mod modules;
mod open;
mod pairs;
mod quarantine;
pub mod quick;
pub mod rank;
pub mod recorder;
pub mod regions;
pub mod runs;
pub mod session;
pub mod sink;
pub mod stacks;
pub mod stores;
mod thin;
pub mod trails;
pub mod underway;
pub mod watch;

pub use blocks::Blocks;
pub use carried::Made;
pub use crew::{Crew, Hand};
pub use modules::{Module, Modules};
pub use rank::{End, Operands, POOL, Rank, Role};
pub use recorder::{Recorder, UNRESOLVED};
pub use regions::{Region, Regions};
pub use runs::{Room, Run, Runs};
pub use session::{Observes, Session};
pub use thrille_history::Store;
pub use thrille_tasks as graph;
pub use underway::Use;
pub use watch::Watch;
