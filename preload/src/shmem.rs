//! OpenSHMEM: what each call means to the model, forwarded to the library's `pshmem_` name.
//!
//! | module | calls |
//! |---|---|
//! | [`setup`] | init and finalize, allocation |
//! | [`rma`] | put and get in all their forms |
//! | [`atomics`], [`signal`] | remote atomics, put-with-signal |
//! | [`wait`] | wait and test |
//! | [`order`] | fence, quiet, barriers, locks, contexts |
//! | [`collectives`] | what moves data among many |
//! | [`words`] | which update of a word an observer saw |
//! | [`call`] | what the rows of all of them are written in |

#[macro_use]
#[path = "../../shmem/src/types.rs"]
mod types;

mod atomics;
mod call;
mod collectives;
mod order;
mod rma;
mod setup;
mod signal;
mod wait;
mod words;
