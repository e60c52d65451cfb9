//! What nonblocking atomics fetch is there, and seen, when their context is completed: who completes it comes after the updates that were fetched.
//!
//! Open MPI's library has none of them; the embedded one carries them out when it is told to, so what they fetch is known then.

use crate::shmem::call::Call;
use crate::shmem::words::Locked;
use crate::uncounted;
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};
use thrille_model::{Ctx, Pos, Strand, Word};

/// A fetch whose context nobody has completed yet who knows of it.
struct Fetch {
    ctx: Ctx,
    strand: Strand,
    issued: Pos,
    /// What it saw, and of which words.
    version: u64,
    words: SmallVec<[Word; 1]>,
}

static UNDER_WAY: Mutex<Vec<Fetch>> = Mutex::new(Vec::new());

/// The operation that was issued last fetches these bytes, before it changes them.
pub fn fetches(call: &Call, ctx: Ctx, locked: &mut Locked, known: Option<u64>) {
    let (version, words) = locked.look(known);
    if Some(version) == known {
        return;
    }
    let (strand, issued) = (call.o.recorder.strand(), call.o.recorder.pos());
    let fetch = Fetch { ctx, strand, issued, version, words: words.collect() };
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).push(fetch);
}

/// A context was completed: what was fetched on it is seen, if it is known to have been issued.
pub fn completed(call: &mut Call, ctx: Ctx) {
    for Fetch { version, words, .. } in taken(call, ctx) {
        if !uncounted::is_dark() {
            call.observe((version, words.into_iter()), None);
        }
    }
}

/// Those of a context that who completes it knows of.
fn taken(call: &Call, ctx: Ctx) -> Vec<Fetch> {
    let mut under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    if under_way.is_empty() {
        return Vec::new();
    }
    let (me, rank) = (call.o.recorder.strand(), call.o.session.rank());
    let is_known =
        |fetch: &mut Fetch| fetch.ctx == ctx && (fetch.strand == me || rank.knows_of(me, fetch.strand, fetch.issued));
    under_way.extract_if(.., is_known).collect()
}
