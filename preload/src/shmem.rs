//! OpenSHMEM: what each call means to the model, forwarded to the library's `pshmem_` name.
//!
//! | module | calls |
//! |---|---|
//! | [`setup`] | init and finalize, allocation |
//! | [`rma`] | put and get in all their forms |
//! | [`atomics`], [`signal`] | remote atomics, put-with-signal |
//! | [`fetched`] | what nonblocking atomics fetched |
//! | [`wait`] | wait and test |
//! | [`order`] | fence, quiet, barriers, locks, contexts |
//! | [`collectives`] | what moves data among many |
//! | [`members`] | who takes part in a collective |
//! | [`library`] | whose library is behind |
//! | [`unused`] | whether a caller looks at what a call returned |
//! | [`words`] | which update of a word an observer saw |
//! | [`call`] | what the rows of all of them are written in |

#[macro_use]
#[path = "../../shmem/src/types.rs"]
mod types;

mod atomics;
mod call;
mod collectives;
mod fetched;
mod library;
mod members;
mod order;
mod rma;
mod setup;
mod signal;
mod unused;
mod wait;
mod words;

use thrille_model::Strand;
pub use words::{between_processes, is_own, others_changed, update_own};

/// What lets the library work while a strand is held, if it needs that: by the thread that has initialised it.
pub fn idle() -> Option<fn(Strand)> {
    let work: fn(Strand) = |strand| {
        if strand.index == 0 {
            library::progress();
        }
    };
    (!library::is_embedded()).then_some(work)
}
