//! Partitioned messages: the sender's buffer is used part by part, each from when it is said to be ready, and the receiver's part by part, each until it
//! is seen to have arrived. What a part's sender did before
//! comes before who sees that part arrive, and what the sender did before any of them before who waits for the message.

use crate::mpi::call::{Buffer, Call, SUCCESS, call, calls, scope};
use crate::mpi::comms;
use crate::mpi::datatypes::layout;
use crate::mpi::messages::{self, Wanted};
use crate::mpi::p2p::Repeat;
use crate::mpi::requests::{self, Pending};
use mpi_sys::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Request};
use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use thrille_model::{Act, Ctx, Kind, Token};

/// They match each other only: as on communicators of their own.
const APART: u64 = 0x1357_9bdf_0246_8ace;

/// A partitioned send or receive, as the program describes it.
#[derive(Clone, Debug)]
pub struct Partitioned {
    /// One part, the first.
    part: Buffer,
    number: c_int,
    wanted: Wanted,
}

/// One that was started.
#[derive(Clone, Debug)]
pub struct Started {
    what: Partitioned,
    token: Token,
    /// Until when each part is used.
    until: Vec<Ctx>,
}

impl Partitioned {
    fn new(call: &Call, part: Buffer, number: c_int, (peer, tag, comm): (c_int, c_int, MPI_Comm)) -> Option<Self> {
        let source = Some(comms::peer(comm, peer)?);
        let id = (comms::about(comm)?.id ^ APART) >> 2;
        Some(Self { part, number, wanted: Wanted { comm, id, source, tag: Some(tag), me: call.me() } })
    }

    fn nth(&self, n: c_int) -> Buffer {
        let at = self.part.layout.stride(self.part.count).wrapping_mul(i64::from(n));
        Buffer { at: self.part.at.wrapping_add_signed(at), ..self.part.clone() }
    }

    /// The pieces of the message that a part of it is.
    fn pieces(&self, part: c_int) -> Vec<Piece> {
        let len = self.part.layout.len(self.part.count);
        let nth = |n: c_int| len.saturating_mul(n.clamp(0, self.number) as u64);
        pieces(nth(part)..nth(part.saturating_add(1)), nth(self.number))
    }
}

/// A piece of a message: a node of the binary tree over its bytes, whose root is 1.
///
/// The two ends may part a message differently, and neither knows how the other does. A part is some of these pieces. Two parts have bytes in common when a piece
/// of the one is within a piece of the other, so a part that is ready is told for each of its pieces as the whole of that, and as within all that are
/// around it; and who sees a part arrive comes after all within its pieces, and after what is the whole of one around them.
type Piece = u64;

/// The pieces of some bytes of a message of so many.
fn pieces(bytes: Range<u64>, total: u64) -> Vec<Piece> {
    let leaves = total.next_power_of_two();
    let (mut lo, mut hi) = (bytes.start + leaves, bytes.end + leaves);
    let mut found = Vec::new();
    while lo < hi {
        if lo % 2 == 1 {
            found.push(lo);
            lo += 1;
        }
        if hi % 2 == 1 {
            hi -= 1;
            found.push(hi);
        }
        (lo, hi) = (lo / 2, hi / 2);
    }
    found
}

/// Itself and those around it.
fn around(piece: Piece) -> impl Iterator<Item = Piece> {
    std::iter::successors(Some(piece), |piece| Some(piece / 2)).take_while(|&piece| piece > 0)
}

/// What is told of a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Whole(Piece),
    Within(Piece),
}

/// What a part that is ready tells.
fn tells(pieces: &[Piece]) -> BTreeSet<Told> {
    let within = pieces.iter().flat_map(|&piece| around(piece)).map(Told::Within);
    pieces.iter().map(|&piece| Told::Whole(piece)).chain(within).collect()
}

/// What one that has arrived comes after.
fn hears(pieces: &[Piece]) -> BTreeSet<Told> {
    let whole = pieces.iter().flat_map(|&piece| around(piece).skip(1)).map(Told::Whole);
    pieces.iter().map(|&piece| Told::Within(piece)).chain(whole).collect()
}

fn token(message: Token, told: Told) -> Token {
    match message {
        Token::Message { group, from, to, tag, seq } => {
            let number = match told {
                Told::Whole(piece) => 2 * piece,
                Told::Within(piece) => 2 * piece + 1,
            };
            // The two upper bits are others'.
            let group = (group ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 2;
            Token::Message { group, from, to, tag, seq }
        }
        other => other,
    }
}

/// A request is started.
pub fn again(call: &mut Call, what: &Partitioned) -> Option<Pending> {
    let Wanted { id, source, tag, me, .. } = what.wanted;
    let until: Vec<Ctx> = (0..what.number).map(|_| scope()).collect();
    let mut pending = Pending { scopes: until.clone(), ..Pending::default() };
    let token = if what.part.kind == Kind::Read {
        messages::send(id, me, source?, tag?)
    } else {
        call.issue();
        for (n, &until) in (0..).zip(&until) {
            call.near(&what.nth(n), until);
        }
        let posted = messages::post(what.wanted);
        pending.receive = Some(posted);
        posted.number()?
    };
    pending.parts = Some(Started { what: what.clone(), token, until });
    Some(pending)
}

fn ready(parts: impl IntoIterator<Item = c_int>, request: MPI_Request) {
    let Some(mut call) = call() else { return };
    let Some(Started { what, token, until }) = requests::started(request) else { return };
    for part in parts {
        call.release(token);
        for told in tells(&what.pieces(part)) {
            call.release(self::token(token, told));
        }
        call.issue();
        if let Some(&until) = until.get(part as usize) {
            call.near(&what.nth(part), until);
        }
    }
}

fn init(
    part: impl FnOnce() -> Buffer,
    number: c_int,
    with: (c_int, c_int, MPI_Comm),
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let call = call();
    let result = real();
    if let (Some(call), SUCCESS) = (call, result)
        && let Some(what) = Partitioned::new(&call, part(), number, with)
    {
        requests::persist(request, Repeat::Parts(what));
    }
    result
}

fn elements(at: *const c_void, n: MPI_Count, ty: MPI_Datatype, kind: Kind) -> Buffer {
    Buffer { at: at as u64, count: n.max(0) as u64, layout: layout(ty), kind, act: Act::Buffer }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Psend_init(
        at: *const c_void, parts: c_int, n: MPI_Count, ty: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, info: MPI_Info,
        request: *mut MPI_Request,
    ), real => { init(|| elements(at, n, ty, Kind::Read), parts, (dest, tag, comm), request, real) }
    fn Precv_init(
        at: *mut c_void, parts: c_int, n: MPI_Count, ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, info: MPI_Info,
        request: *mut MPI_Request,
    ), real => { init(|| elements(at, n, ty, Kind::Write), parts, (source, tag, comm), request, real) }
    fn Pready(part: c_int, request: MPI_Request), real => {
        ready([part], request);
        real()
    }
    fn Pready_range(first: c_int, last: c_int, request: MPI_Request), real => {
        ready(first..=last, request);
        real()
    }
    fn Pready_list(n: c_int, parts: *const c_int, request: MPI_Request), real => {
        // SAFETY: the program's array of that length.
        ready((0..n.max(0) as usize).map(|i| unsafe { *parts.add(i) }), request);
        real()
    }
    fn Parrived(request: MPI_Request, part: c_int, flag: *mut c_int), real => {
        let Some(mut call) = call() else { return real() };
        let Some(Started { what, token, until }) = requests::started(request) else { return real() };
        let until = until.get(part as usize);
        if let Some(&ctx) = until {
            call.completing(ctx);
        }
        let result = real();
        // SAFETY: the library has written the flag.
        if result == SUCCESS && unsafe { *flag } != 0 {
            if let Some(&ctx) = until {
                call.quiet(ctx);
            }
            for told in hears(&what.pieces(part)) {
                call.acquire(self::token(token, told));
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_meet_if_they_have_bytes_in_common() {
        for total in 1..=12 {
            let parts: Vec<Range<u64>> = (0..total).flat_map(|lo| (lo + 1..=total).map(move |hi| lo..hi)).collect();
            for (x, y) in parts.iter().flat_map(|x| parts.iter().map(move |y| (x, y))) {
                let meet = x.start < y.end && y.start < x.end;
                let (told, heard) = (tells(&pieces(x.clone(), total)), hears(&pieces(y.clone(), total)));
                assert_eq!(told.intersection(&heard).next().is_some(), meet, "{x:?} {y:?} of {total}");
            }
        }
    }
}
