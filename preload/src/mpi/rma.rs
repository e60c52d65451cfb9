//! One-sided operations: what they do to the buffers here and to the window there, and what completes either end.
//!
//! | operation | near ends until | far end until |
//! |---|---|---|
//! | Put, Accumulate | local completion at the target | completion at the target |
//! | Get, Get_accumulate, Fetch_and_op, Compare_and_swap | local completion | the same: once the result is here, the target is done |
//! | Rput, Raccumulate | the request, or local completion | completion at the target |
//! | Rget, Rget_accumulate | the request, or local completion | the same |

use crate::counters::Counted;
use crate::entry::block;
use crate::mpi::again;
use crate::mpi::call::{Buffer, Call, SUCCESS, calls, operation, raw, scope};
use crate::mpi::datatypes::layout;
use crate::mpi::echo::Calls;
use crate::mpi::elsewhere::{self, Pieces};
use crate::mpi::epochs::{real_flush, take};
use crate::mpi::requests;
use crate::mpi::windows::{All, Ordered, Taken, window};
use crate::mpi::words::{self, Few};
use crate::rank::{Observed, unobserved};
use crate::{sampled, uncounted};
use mpi_sys::{MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Request, MPI_Win};
use std::ffi::{c_int, c_void};
use thrille_model::{
    Act, Atomic, Channel, Ctx, Domain, Effect, Held, How, Kind, Lock, Mode, Order, Rank, Segment, Strand, Token, Word,
    comb::Teeth,
};
use thrille_runtime::{End, Operands};

/// The operation that leaves nothing of what was there.
const REPLACE: u8 = 13;
/// The operation that changes nothing.
const NO_OP: u8 = 14;
/// Compare-and-swap has no operation that could be another's: it goes with every accumulate of its type. Queues and locks made by hand
/// swap with `MPI_REPLACE` what they compare (the standard's own example does), and count with `MPI_SUM`.
const COMPARE_AND_SWAP: u8 = 0;

/// How [`Calls`] tell operations from one another.
const PUT: u32 = 1;
const GET: u32 = 2;

/// The tag of fences that wait for nobody.
const OPENING: i64 = -2;

/// The far end of an operation, as the program names it.
#[derive(Clone, Copy, PartialEq)]
struct Target {
    rank: c_int,
    at: MPI_Aint,
    count: i64,
    ty: MPI_Datatype,
    win: MPI_Win,
}

/// What is done there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Put,
    Get,
    /// An accumulate with this operation, fetching or not.
    Accumulate(u8, Fetch),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetch {
    Yes,
    No,
}

impl Deed {
    /// Whether both ends are done at once.
    fn fetches(self) -> bool {
        matches!(self, Self::Get | Self::Accumulate(_, Fetch::Yes))
    }

    fn act(self) -> Act {
        match self {
            Self::Put => Act::Put,
            Self::Get => Act::Get,
            Self::Accumulate(..) => Act::RemoteAtomic,
        }
    }
}

/// A put or a get, as the program calls it.
#[derive(Clone, Copy, PartialEq)]
pub struct Transfer {
    deed: Deed,
    to: Target,
    near: *const c_void,
    n: i64,
    ty: MPI_Datatype,
}

impl Transfer {
    /// Its displacement.
    pub fn at(&self) -> MPI_Aint {
        self.to.at
    }

    /// Whether this completes it.
    pub fn goes_to(&self, rank: c_int, win: MPI_Win) -> bool {
        (self.to.rank, self.to.win) == (rank, win)
    }

    /// Itself, called from one place, and its flush from another, where handles are addresses.
    pub fn calls(&self, from: u64, flushed_from: u64) -> Option<Calls> {
        let Self { deed, to, near, n, ty } = *self;
        let (operation, deed) = match deed {
            Deed::Put => (PMPI_PUT.get(), PUT),
            Deed::Get => (PMPI_GET.get(), GET),
            Deed::Accumulate(..) => return None,
        };
        let addresses = size_of::<MPI_Win>() == 8 && size_of::<MPI_Datatype>() == 8;
        addresses.then_some(())?;
        Some(Calls {
            operation,
            deed,
            from,
            near: near as u64,
            near_ty: raw(ty),
            at: to.at as u64,
            ty: raw(to.ty),
            win: raw(to.win),
            n: n.try_into().ok()?,
            rank: to.rank,
            count: to.count.try_into().ok()?,
            flush: real_flush(),
            flushed_from,
            times: 0,
        })
    }

    fn buffer(&self) -> Buffer {
        near(self.near, self.n, self.ty, if self.deed == Deed::Get { Kind::Write } else { Kind::Read })
    }
}

fn number(op: MPI_Op) -> u8 {
    // SAFETY: a conversion of the handle that the program passes to the library; the library numbers its own operations alike.
    (unsafe { mpi_sys::RSMPI_Op_c2f(op) } & 0xff) as u8
}

fn near(at: *const c_void, count: i64, ty: MPI_Datatype, kind: Kind) -> Buffer {
    Buffer { at: at as u64, count: count.max(0) as u64, layout: layout(ty), kind, act: Act::Buffer }
}

fn reads(at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Buffer {
    near(at, count.into(), ty, Kind::Read)
}

fn writes(at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Buffer {
    near(at, count.into(), ty, Kind::Write)
}

/// How long the ends of an operation last, and where it goes.
struct Plan {
    rank: Rank,
    segment: Segment,
    offset: u64,
    near: Ctx,
    far: Ctx,
    order: Order,
    ordered: Ordered,
    reading_goes_with_all: bool,
    /// The epoch of shared locks of all that the operation is under, until it is known that its strand has that of its target.
    locks: Option<All>,
    /// The target's coming to a fence that waited for nobody, if this is the first operation after it.
    opened: Option<Token>,
    number: u32,
    /// What the target exposes of others' memory.
    elsewhere: Option<Pieces>,
}

fn plan(to: Target, deed: Deed, request: Option<Ctx>, by: Strand) -> Option<Plan> {
    window(to.win, |w| {
        let (segment, offset) = w.place(to.rank, to.at);
        let partner = w.partner(to.rank)?;
        let newly_pending = !std::mem::replace(&mut partner.pending, true);
        let (rank, mut near, mut far) = (partner.rank, partner.near, partner.far);
        if let Some(request) = request {
            partner.requests.push(request);
            near = request;
        }
        let mut order = Order::None;
        if deed.fetches() {
            far = near;
        } else if w.started.iter().any(|&(_, r)| r == rank) {
            order = Order::Fenced(Channel { origin: by.rank, ctx: far, target: rank });
        }
        if newly_pending {
            w.pending.push(to.rank);
        }
        let locks = w.lock_all.filter(|all| all.taken == Taken::Yes).filter(|all| match w.locks.get(&to.rank) {
            None => true,
            Some(Taken::ForAnother) => all.by == by,
            Some(Taken::Yes | Taken::OnTrust) => false,
        });
        let opened = w.opening.filter(|_| w.met.insert((by, rank))).map(|seq| opening(w.group(), rank, seq));
        let (ordered, reading_goes_with_all, number) = (w.ordered, w.reading_goes_with_all, w.number);
        let elsewhere = w.elsewhere(to.rank);
        Some(Plan {
            rank,
            segment,
            offset,
            near,
            far,
            order,
            ordered,
            reading_goes_with_all,
            locks,
            opened,
            number,
            elsewhere,
        })
    })?
}

/// A rank comes to a fence that waits for nobody: operations on its part begin after that.
pub fn opening(group: u64, rank: Rank, seq: u64) -> Token {
    Token::Message { group: 1 << 62 | group, from: rank, to: rank, tag: OPENING, seq }
}

fn kind(deed: Deed, plan: &Plan, basic: Option<(u8, u8)>) -> Kind {
    match deed {
        Deed::Put => Kind::Write,
        Deed::Get => Kind::Read,
        Deed::Accumulate(op, fetch) => {
            let (ty, width) = basic.unwrap_or((0, 1));
            let ordered = match (op, fetch) {
                (NO_OP, _) => plan.ordered.reads,
                (_, Fetch::No) => plan.ordered.writes,
                (_, Fetch::Yes) => plan.ordered.both,
            };
            let effect = if op == NO_OP { Effect::Load } else { Effect::Update };
            let op = if op == NO_OP && plan.reading_goes_with_all { 0 } else { op };
            Kind::Atomic(Atomic { domain: Domain::Mpi, through: plan.number as u16, ty, width, op, ordered, effect })
        }
    }
}

/// A put or a get: the library carries it out, then its ends are recorded, unless they are already.
fn transfer(transfer: Transfer, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut call) = operation() else { return real() };
    if call.confirms() {
        return stand(&mut call, transfer.to, transfer.deed, &[transfer.buffer()], None, real);
    }
    let result = real();
    if result == SUCCESS && transfer.to.rank != mpi_sys::MPI_PROC_NULL {
        again::transferred(&mut call.o, transfer);
    }
    result
}

/// Issues a transfer and records its ends.
pub fn record(o: &mut Observed, transfer: Transfer) {
    issue(o, transfer.to, transfer.deed, || [transfer.buffer()], None);
}

/// Records the ends of a transfer that has been issued before.
pub fn record_late(o: &mut Observed, transfer: Transfer) {
    let Transfer { deed, to, .. } = transfer;
    if let Some(plan) = plan(to, deed, None, o.recorder.strand()) {
        ends(o, to, deed, &[transfer.buffer()], &plan);
    }
}

/// An operation: the library carries it out, then its ends are recorded.
fn operate(
    to: Target,
    deed: Deed,
    buffers: impl FnOnce() -> Vec<Buffer>,
    request: Option<*mut MPI_Request>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(call) = operation() else { return real() };
    observed(call, to, deed, buffers, request, real)
}

/// The same, once it is observed.
fn observed(
    mut call: Call,
    to: Target,
    deed: Deed,
    buffers: impl FnOnce() -> Vec<Buffer>,
    request: Option<*mut MPI_Request>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    if call.confirms() {
        return stand(&mut call, to, deed, &buffers(), request, real);
    }
    let result = real();
    if result == SUCCESS && to.rank != mpi_sys::MPI_PROC_NULL {
        issue(&mut call.o, to, deed, buffers, request);
    } else if let Some(at) = request {
        requests::nothing(at, result);
    }
    result
}

/// The same in a run that confirms races: the strand stands at the operation's ends before it issues it.
fn stand(
    call: &mut Call,
    to: Target,
    deed: Deed,
    buffers: &[Buffer],
    request: Option<*mut MPI_Request>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let issued = if to.rank == mpi_sys::MPI_PROC_NULL {
        None
    } else {
        issue_until(&mut call.o, to, deed, || buffers, request.map(|_| scope()))
    };
    let result = real();
    if let (SUCCESS, Some(issued), Some(at)) = (result, issued, request) {
        issued.belongs_to(at, to);
    }
    // Somebody may poll a word of its own that another one, who needs this process, is to change.
    words::progress_at(to.rank, to.win);
    result
}

/// An accumulate of few elements, if possible carried out at once and counted: see [`words`]. `wrote` tells, when it is done, whether it
/// changed anything.
fn count(
    to: Target,
    deed: Deed,
    buffers: impl FnOnce() -> Vec<Buffer>,
    request: Option<*mut MPI_Request>,
    wrote: impl FnOnce() -> bool,
    real: impl FnOnce() -> c_int,
) -> c_int {
    if !deed.fetches() && request.is_none() && passes(to) {
        return unobserved(real);
    }
    // First of all: the library, asked about types, may call what is interposed, and who called us would be forgotten.
    let Some(mut call) = operation() else { return real() };
    let words = if call.confirms() { Few::new() } else { words(to) };
    if words.is_empty() {
        return observed(call, to, deed, buffers, request, real);
    }
    let mut counted = words::lock_all(&words);
    let result = real();
    if result != SUCCESS {
        return result;
    }
    if !counted.is_empty() {
        // SAFETY: the window is in a lock epoch for that rank, or there would be no words.
        unsafe { mpi_sys::PMPI_Win_flush(to.rank, to.win) };
    }
    let wrote = wrote();
    let versions = |(word, counted): &mut (Word, Counted)| {
        let seen = deed.fetches().then(|| counted.version());
        (*word, seen, wrote.then(|| counted.make()))
    };
    let versions: Few<_> = counted.iter_mut().map(versions).collect();
    drop(counted);
    words::progress_at(to.rank, to.win);
    issue(&mut call.o, to, deed, buffers, request);
    let sets = matches!(deed, Deed::Accumulate(REPLACE, Fetch::No));
    let how = if sets { How::Set } else { How::Modify };
    let rank = || call.o.session.rank();
    for &(word, _, made) in &versions {
        if let Some(version) = made {
            rank().update(call.o.recorder, word, version, how, None, false);
        }
    }
    for &(word, seen, _) in &versions {
        if let Some(version) = seen {
            rank().observe(call.o.recorder, word, version);
        }
    }
    result
}

/// Whether an accumulate passes unrecorded and uncounted.
fn passes(to: Target) -> bool {
    let block = block();
    if !sampled::lets_pass(block) {
        return false;
    }
    // SAFETY: the block is this thread's own.
    let from = unsafe { ((*block).pc, (*block).sp) };
    let words = unobserved(|| words(to));
    // SAFETY: as above. The library, asked about types, may have called what is interposed.
    unsafe { ((*block).pc, (*block).sp) = from };
    matches!(*words, [word] if uncounted::passes(word))
}

/// The words that the elements at a target are, if they can be waited for: in a lock epoch, no larger than words, and few, as flags are.
fn words(to: Target) -> Few<Word> {
    const MOST: i64 = 8;
    let layout = layout(to.ty);
    let Some((_, width)) = layout.basic.filter(|&(_, width)| width <= 8 && layout.size == u64::from(width)) else {
        return Few::new();
    };
    if to.rank == mpi_sys::MPI_PROC_NULL || !(1..=MOST).contains(&to.count) {
        return Few::new();
    }
    let words = window(to.win, |w| {
        let locked = w.lock_all.is_some() || w.locks.contains_key(&to.rank);
        let (segment, offset) = w.place(to.rank, to.at);
        let owner = w.world_rank(to.rank).filter(|_| locked)?;
        let elsewhere = w.elsewhere(to.rank);
        let at = |element| {
            let (owner, segment, offset) = elsewhere::place(
                elsewhere.as_deref().unwrap_or(&[]),
                offset + element * u64::from(width),
                (owner, segment),
            );
            Word { owner, segment, offset }
        };
        Some((0..to.count as u64).map(at).collect())
    });
    words.flatten().unwrap_or_default()
}

/// An operation that was issued: the scope of its request, and its window.
struct Issued {
    until: Option<Ctx>,
    window: u32,
}

impl Issued {
    /// It has a request.
    fn belongs_to(&self, at: *mut MPI_Request, to: Target) {
        if let Some(scope) = self.until {
            requests::one_sided(at, scope, self.window, to.rank);
        }
    }
}

fn issue<B: AsRef<[Buffer]>>(
    o: &mut Observed,
    to: Target,
    deed: Deed,
    buffers: impl FnOnce() -> B,
    request: Option<*mut MPI_Request>,
) {
    let issued = issue_until(o, to, deed, buffers, request.map(|_| scope()));
    if let (Some(issued), Some(at)) = (issued, request) {
        issued.belongs_to(at, to);
    }
}

fn issue_until<B: AsRef<[Buffer]>>(
    o: &mut Observed,
    to: Target,
    deed: Deed,
    buffers: impl FnOnce() -> B,
    until: Option<Ctx>,
) -> Option<Issued> {
    let plan = plan(to, deed, until, o.recorder.strand())?;
    prepare(o, to, &plan);
    o.issue();
    if o.is_recorded() {
        ends(o, to, deed, buffers().as_ref(), &plan);
    }
    Some(Issued { until, window: plan.number })
}

/// What comes before an operation: the target's coming to an opening fence, and a lock that is taken with the first one.
fn prepare(o: &mut Observed, to: Target, plan: &Plan) {
    if let Some(token) = plan.opened {
        o.acquire(token);
    }
    if let Some(All { by, since, .. }) = plan.locks {
        let own = by == o.recorder.strand();
        if own {
            take(o, (plan.number, plan.rank), Mode::Shared);
        }
        let held = Held { lock: Lock::Window(plan.number, plan.rank), mode: Mode::Shared };
        o.session.rank().lend(o.recorder, held, (by, since));
        // Only now: another thread that comes to the same target meanwhile must have the lock as well.
        window(to.win, |w| {
            let taken = w.locks.entry(to.rank).or_insert(Taken::ForAnother);
            if own {
                *taken = Taken::Yes;
            }
        });
    }
}

/// The ends of an operation that has been issued.
fn ends(o: &mut Observed, to: Target, deed: Deed, buffers: &[Buffer], plan: &Plan) {
    for buffer in buffers {
        buffer.used_until(o, plan.near);
    }
    let layout = layout(to.ty);
    let kind = kind(deed, plan, layout.basic);
    let mut end = |(owner, segment, (range, comb)): (Rank, Segment, Teeth)| {
        let end = End { owner, segment, lo: range.lo(), len: range.len(), comb, kind, act: deed.act() };
        o.end(end, Operands::Until(plan.far, plan.order));
    };
    let there = (plan.rank, plan.segment);
    for teeth in layout.combs(plan.offset, to.count.max(0) as u64) {
        match &plan.elsewhere {
            None => end((there.0, there.1, teeth)),
            Some(pieces) => elsewhere::cut(pieces, teeth, there).into_iter().for_each(&mut end),
        }
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
/// The calls that count, with what they count in and how their names end.
macro_rules! counting {
    ($n:ty $(, $c:ident)?) => { pastey::paste! { calls! {
    fn [<Accumulate $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, to: MPI_Datatype, op: MPI_Op,
        win: MPI_Win,
    ), real => {
        let op = number(op);
        let deed = Deed::Accumulate(op, Fetch::No);
        self::count(Target { rank, at, count: count.into(), ty: to, win }, deed, || vec![reads(from, n, ty)], None, || op != NO_OP, real)
    }
    fn [<Get_accumulate $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, rank: c_int, at: MPI_Aint,
        count: $n, to: MPI_Datatype, op: MPI_Op, win: MPI_Win,
    ), real => {
        let op = number(op);
        let buffers = || fetching(|| reads(from, n, ty), op, writes(into, m, into_ty));
        let deed = Deed::Accumulate(op, Fetch::Yes);
        self::count(Target { rank, at, count: count.into(), ty: to, win }, deed, buffers, None, || op != NO_OP, real)
    }
    fn [<Rput $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, to: MPI_Datatype, win: MPI_Win,
        request: *mut MPI_Request,
    ), real => {
        operate(Target { rank, at, count: count.into(), ty: to, win }, Deed::Put, || vec![reads(from, n, ty)], Some(request), real)
    }
    fn [<Rget $($c)?>](
        into: *mut c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, from: MPI_Datatype, win: MPI_Win,
        request: *mut MPI_Request,
    ), real => {
        operate(Target { rank, at, count: count.into(), ty: from, win }, Deed::Get, || vec![writes(into, n, ty)], Some(request), real)
    }
    fn [<Raccumulate $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, to: MPI_Datatype, op: MPI_Op,
        win: MPI_Win, request: *mut MPI_Request,
    ), real => {
        let op = number(op);
        let deed = Deed::Accumulate(op, Fetch::No);
        let buffers = || vec![reads(from, n, ty)];
        self::count(Target { rank, at, count: count.into(), ty: to, win }, deed, buffers, Some(request), || op != NO_OP, real)
    }
    fn [<Rget_accumulate $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, rank: c_int, at: MPI_Aint,
        count: $n, to: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: *mut MPI_Request,
    ), real => {
        let op = number(op);
        let buffers = || fetching(|| reads(from, n, ty), op, writes(into, m, into_ty));
        let deed = Deed::Accumulate(op, Fetch::Yes);
        self::count(Target { rank, at, count: count.into(), ty: to, win }, deed, buffers, Some(request), || op != NO_OP, real)
    }
    } } };
}
/// Puts and gets: likewise, and the numbers of those that may be called once more.
macro_rules! transfers {
    ($n:ty $(, $c:ident)? $(; $put:ident $get:ident)?) => { pastey::paste! { calls! {
    fn [<Put $($c)?>](
        from: *const c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, to: MPI_Datatype, win: MPI_Win,
    ), real $(by operation $put)? => {
        let to = Target { rank, at, count: count.into(), ty: to, win };
        transfer(Transfer { deed: Deed::Put, to, near: from, n: n.into(), ty }, real)
    }
    fn [<Get $($c)?>](
        into: *mut c_void, n: $n, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, count: $n, from: MPI_Datatype, win: MPI_Win,
    ), real $(by operation $get)? => {
        let to = Target { rank, at, count: count.into(), ty: from, win };
        transfer(Transfer { deed: Deed::Get, to, near: into, n: n.into(), ty }, real)
    }
    } } };
}
transfers! { c_int; PUT GET }
transfers! { MPI_Count, _c }
counting! { c_int }
counting! { MPI_Count, _c }

calls! {
    fn Fetch_and_op(
        from: *const c_void, into: *mut c_void, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, op: MPI_Op, win: MPI_Win,
    ), real => {
        let op = number(op);
        let buffers = || fetching(|| reads(from, 1, ty), op, writes(into, 1, ty));
        let deed = Deed::Accumulate(op, Fetch::Yes);
        count(Target { rank, at, count: 1, ty, win }, deed, buffers, None, || op != NO_OP, real)
    }
    fn Compare_and_swap(
        from: *const c_void, compare: *const c_void, into: *mut c_void, ty: MPI_Datatype, rank: c_int, at: MPI_Aint, win: MPI_Win,
    ), real => {
        let deed = Deed::Accumulate(COMPARE_AND_SWAP, Fetch::Yes);
        let buffers = || vec![reads(from, 1, ty), reads(compare, 1, ty), writes(into, 1, ty)];
        let swapped = || {
            let len = layout(ty).basic.map_or(0, |(_, width)| usize::from(width));
            // SAFETY: both are elements of that type, and the operation is complete.
            unsafe { libc::memcmp(into, compare, len) == 0 }
        };
        count(Target { rank, at, count: 1, ty, win }, deed, buffers, None, swapped, real)
    }
}

/// The buffers of a fetching accumulate: one that only reads does not look at the origin buffer.
fn fetching(from: impl FnOnce() -> Buffer, op: u8, into: Buffer) -> Vec<Buffer> {
    if op == NO_OP { vec![into] } else { vec![from(), into] }
}
