//! Sends whose requests the program gave back. The library uses their buffers until the receiver has the message, of which the program learns by
//! other ways: who comes after the receive comes after them.
//!
//! No call of the sender ends them, so they stay open, and what they may have to be compared with is kept. That has its limits: the oldest of many,
//! and those of long ago, are taken to be over as soon as the sender hears of the receiver, by a message or a collective.

use crate::mpi::call::{Call, Shared};
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::{Ctx, Rank, Token};

/// How many stay open.
const MANY: usize = 256;

/// For how many collectives.
const LONG: u32 = 64;

struct Freed {
    to: Rank,
    scopes: Vec<Ctx>,
    /// Collectives since.
    age: u32,
}

static FREED: Shared<Vec<Freed>> = Shared::new();

/// Whether there ever were any.
static ANY: AtomicBool = AtomicBool::new(false);

/// The request of a message is given back while it may be under way.
pub fn add(call: &mut Call, message: Token, scopes: Vec<Ctx>) {
    let Token::Message { to, .. } = message else { return };
    for &ctx in &scopes {
        call.o.session.rank().hand_over(call.o.recorder, ctx, message);
    }
    ANY.store(true, Ordering::Relaxed);
    FREED.with(|freed| freed.push(Freed { to, scopes, age: 0 }));
}

/// This process has heard of one, or of all.
pub fn heard_of(call: &mut Call, whom: Option<Rank>) {
    if !ANY.load(Ordering::Relaxed) {
        return;
    }
    // Nothing is compared later in a run that confirms races.
    let at_once = call.confirms();
    let over: Vec<Freed> = FREED.with(|freed| {
        let mut younger = freed.len();
        let is_over = |send: &mut Freed| {
            younger -= 1;
            send.age += u32::from(whom.is_none());
            whom.is_none_or(|whom| whom == send.to) && (at_once || younger >= MANY || send.age > LONG)
        };
        freed.extract_if(.., is_over).collect()
    });
    for ctx in over.into_iter().flat_map(|send| send.scopes) {
        call.quiet(ctx);
    }
}
