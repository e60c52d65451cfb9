//! Messages: what the sender did before comes before what the receiver does after. Buffers are used for the time of the call, or until
//! the request is complete. A synchronous send also comes back with what its receiver did before the receive.

use crate::mpi::call::{Buffer, Call, SUCCESS, Shared, call, calls, has_ended, raw, scope};
use crate::mpi::collectives::{self, Recurring};
use crate::mpi::comms;
use crate::mpi::datatypes::{Layout, layout};
use crate::mpi::messages::{self, Posted, Wanted};
use crate::mpi::neighbours;
use crate::mpi::partitioned::{self, Partitioned};
use crate::mpi::requests::{self, Pending, Statuses, received};
use mpi_sys::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Message, MPI_Request, MPI_Status};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, MutexGuard};
use thrille_model::{Act, Kind, Rank, Token};

/// Whether a send waits for its receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Send {
    Plain,
    Synchronous,
}

/// A send, as the program describes it.
#[derive(Clone, Debug)]
pub struct Sending {
    buffer: Buffer,
    id: u64,
    to: Rank,
    tag: c_int,
    how: Send,
}

/// A receive, as the program describes it.
#[derive(Clone, Debug)]
pub struct Receiving {
    buffer: Buffer,
    wanted: Wanted,
}

/// What a persistent request does each time.
#[derive(Clone, Debug)]
pub enum Repeat {
    Send(Sending),
    Receive(Receiving),
    Collective(Recurring),
    Neighbours(neighbours::Recurring),
    Parts(Partitioned),
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} x {:?} at {:#x}", self.count, self.layout, self.at)
    }
}

pub fn buffer(at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype, kind: Kind) -> Buffer {
    Buffer { at: at as u64, count: count.into().max(0) as u64, layout: layout(ty), kind, act: Act::Buffer }
}

impl Sending {
    fn new(
        at: *const c_void,
        n: impl Into<i64>,
        ty: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
        how: Send,
    ) -> Option<Self> {
        let to = comms::peer(comm, dest)?;
        Some(Self { buffer: buffer(at, n, ty, Kind::Read), id: comms::about(comm)?.id, to, tag, how })
    }
}

impl Receiving {
    fn new(
        call: &Call,
        at: *const c_void,
        n: impl Into<i64>,
        ty: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> Option<Self> {
        if source == mpi_sys::MPI_PROC_NULL {
            return None;
        }
        let any = source == mpi_sys::MPI_ANY_SOURCE;
        let from = if any { None } else { Some(comms::peer(comm, source)?) };
        let tag = (tag != mpi_sys::MPI_ANY_TAG).then_some(tag);
        let wanted = Wanted { comm, id: comms::about(comm)?.id, source: from, tag, me: call.me() };
        Some(Self { buffer: buffer(at, n, ty, Kind::Write), wanted })
    }
}

/// A blocking send begins.
fn send(call: &mut Call, sending: &Sending) -> Token {
    let me = call.me();
    let token = messages::send(sending.id, me, sending.to, sending.tag);
    // Who has the message knows that the buffer was read.
    call.touch(&sending.buffer);
    call.release(token);
    token
}

/// The send in it has ended, or has not begun.
fn sent(message: Option<Token>, result: c_int) {
    if let Some(message) = message.filter(|_| !has_ended(result)) {
        messages::take_back(message);
    }
}

/// A nonblocking send begins.
fn begin_send(call: &mut Call, sending: &Sending) -> Pending {
    let me = call.me();
    let token = messages::send(sending.id, me, sending.to, sending.tag);
    call.release(token);
    let ctx = scope();
    call.issue();
    call.near(&sending.buffer, ctx);
    let receipt = if sending.how == Send::Synchronous { messages::receipt(token) } else { None };
    let tokens = receipt.into_iter().collect();
    Pending { scopes: vec![ctx], tokens, sent: Some(token), ..Pending::default() }
}

/// A receive is posted. Whoever sends to it synchronously comes after this.
fn post(call: &mut Call, receiving: &Receiving) -> Posted {
    let posted = messages::post(receiving.wanted);
    if let Posted::Numbered(token) = posted
        && let Some(receipt) = messages::receipt(token)
    {
        call.release(receipt);
    }
    posted
}

/// A nonblocking receive begins.
fn begin_receive(call: &mut Call, receiving: &Receiving) -> Pending {
    let posted = post(call, receiving);
    let ctx = scope();
    call.issue();
    call.near(&receiving.buffer, ctx);
    Pending { scopes: vec![ctx], receive: Some(posted), ..Pending::default() }
}

/// A persistent request is started for the n-th time.
pub fn again(call: &mut Call, repeat: &Repeat, n: u64) -> Pending {
    match repeat {
        Repeat::Send(sending) => begin_send(call, sending),
        Repeat::Receive(receiving) => begin_receive(call, receiving),
        Repeat::Collective(recurring) => collectives::again(call, recurring, n),
        Repeat::Neighbours(recurring) => neighbours::again(call, recurring, n),
        Repeat::Parts(what) => partitioned::again(call, what).unwrap_or_default(),
    }
}

/// What a receive wrote: no more than came.
pub fn arrived(call: &mut Call, buffer: &Buffer, status: &MPI_Status) {
    if call.confirms() {
        // Stood at before the call, see `awaits`.
        return;
    }
    let mut bytes = 0;
    // SAFETY: a status that the library has written.
    unsafe { mpi_sys::PMPI_Get_count(status, mpi_sys::RSMPI_UINT8_T, &raw mut bytes) };
    if bytes < 0 || bytes as u64 >= buffer.layout.len(buffer.count) {
        call.touch(buffer);
        return;
    }
    let mut left = bytes as u64;
    for (at, len) in buffer.runs() {
        let len = len.min(left);
        left -= len;
        let part = Buffer { at, count: 1, layout: Arc::new(Layout::bytes(len, 0)), ..buffer.clone() };
        call.touch(&part);
        if left == 0 {
            return;
        }
    }
}

/// The two halves of one request.
fn both(sent: Option<Pending>, posted: Option<Pending>) -> Pending {
    let (sent, mut posted) = (sent.unwrap_or_default(), posted.unwrap_or_default());
    posted.scopes.extend(sent.scopes);
    posted.tokens.extend(sent.tokens);
    posted.sent = sent.sent;
    posted
}

/// Begins what another thread may begin the like of, and waits for it when it is that one's turn.
fn in_two_steps(turn: MutexGuard<()>, begin: impl FnOnce(*mut MPI_Request) -> c_int, status: *mut MPI_Status) -> c_int {
    // SAFETY: a handle, which the library writes; an all-zero one is valid.
    let mut request = unsafe { std::mem::zeroed() };
    let result = begin(&raw mut request);
    drop(turn);
    if result != SUCCESS {
        return result;
    }
    // SAFETY: the request has just been made; the status is the caller's.
    unsafe { mpi_sys::PMPI_Wait(&raw mut request, status) }
}

fn sending(
    sending: impl FnOnce() -> Option<Sending>,
    begin: impl FnOnce(*mut MPI_Request) -> c_int,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(sending) = sending() else { return real() };
    let turn = messages::in_turn();
    let message = send(&mut call, &sending);
    let result = match turn {
        None => real(),
        // SAFETY: a constant of the library.
        Some(turn) => in_two_steps(turn, begin, unsafe { mpi_sys::RSMPI_STATUS_IGNORE }),
    };
    sent(Some(message), result);
    if let (Send::Synchronous, SUCCESS, Some(receipt)) = (sending.how, result, messages::receipt(message)) {
        call.acquire(receipt);
    }
    result
}

fn isending(
    sending: impl FnOnce() -> Option<Sending>,
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let _turn = messages::in_turn();
    let pending = sending().map(|s| begin_send(&mut call, &s));
    let result = real();
    match pending {
        Some(pending) => requests::begun(&mut call, request, pending, result),
        None => requests::nothing(request, result),
    }
    result
}

fn send_init(
    sending: impl FnOnce() -> Option<Sending>,
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let call = call();
    let result = real();
    if call.is_some()
        && result == SUCCESS
        && let Some(sending) = sending()
    {
        requests::persist(request, Repeat::Send(sending));
    }
    result
}

/// In a run that confirms races: a receive writes when its message is there, so the strand stands at its buffer then, not before.
fn awaits(call: &mut Call, receiving: &Receiving, (source, tag, comm): (c_int, c_int, MPI_Comm)) {
    if call.confirms() && crate::confirm::is_live(call.o.pc) {
        // SAFETY: waits for the message that the program is about to wait for; nobody wants its status.
        if unsafe { mpi_sys::PMPI_Probe(source, tag, comm, mpi_sys::RSMPI_STATUS_IGNORE) } == SUCCESS {
            call.issue();
            call.touch(&receiving.buffer);
        }
    }
}

/// A blocking receive with everything around it.
fn receiving(
    call: &mut Call,
    receiving: &Receiving,
    status: *mut MPI_Status,
    real: impl FnOnce(*mut MPI_Status) -> c_int,
) -> c_int {
    let posted = post(call, receiving);
    call.issue();
    let mut statuses = Statuses::new(status, 1);
    let result = real(statuses.pass());
    if has_ended(result) {
        let status = statuses.get(0);
        arrived(call, &receiving.buffer, &status);
        received(call, posted, &status);
    } else {
        messages::withdraw(posted);
    }
    result
}

/// The same beside other threads. A message of any sender or tag is taken first, and received when its number is known.
fn receiving_in_turn(
    call: &mut Call,
    turn: MutexGuard<'static, ()>,
    receiving: &Receiving,
    (source, tag, comm, status): (c_int, c_int, MPI_Comm, *mut MPI_Status),
    begin: impl FnOnce(*mut MPI_Request) -> c_int,
    receive: impl FnOnce(*mut MPI_Message, *mut MPI_Status) -> c_int,
) -> c_int {
    let mut statuses = Statuses::new(status, 1);
    let (posted, result) = if receiving.wanted.is_of_one_line() {
        let posted = post(call, receiving);
        call.issue();
        (Some(posted), in_two_steps(turn, begin, statuses.pass()))
    } else {
        // SAFETY: a handle, which the library writes; an all-zero one is valid.
        let mut message = unsafe { std::mem::zeroed() };
        let result = matching(call, Some(turn), (source, tag, comm), &raw mut message, &mut statuses);
        if result != SUCCESS {
            return result;
        }
        let taken = take(call, &raw const message);
        call.issue();
        (taken, receive(&raw mut message, statuses.pass()))
    };
    if has_ended(result) {
        let status = statuses.get(0);
        arrived(call, &receiving.buffer, &status);
        if let Some(posted) = posted {
            received(call, posted, &status);
        }
    } else if let Some(posted) = posted {
        messages::withdraw(posted);
    }
    result
}

/// Waits for a message and takes it, in turn with other threads.
fn matching(
    call: &mut Call,
    mut turn: Option<MutexGuard<'static, ()>>,
    (source, tag, comm): (c_int, c_int, MPI_Comm),
    message: *mut MPI_Message,
    statuses: &mut Statuses,
) -> c_int {
    loop {
        let mut flag = 0;
        // SAFETY: the program's arguments, a flag of our own, and a status and message that the caller has.
        let result = unsafe { real_Improbe(source, tag, comm, &raw mut flag, message, statuses.pass()) };
        if result != SUCCESS || flag != 0 {
            if result == SUCCESS {
                matched(call, source, tag, comm, message, &statuses.get(0));
            }
            return result;
        }
        drop(turn);
        std::thread::yield_now();
        turn = messages::in_turn();
    }
}

/// A probe saw a message: it has been sent.
fn probed(call: &mut Call, source: c_int, tag: c_int, comm: MPI_Comm, status: &MPI_Status) {
    let receiving = Receiving::new(call, std::ptr::null(), 0, nothing(), source, tag, comm);
    if let Some(token) = receiving.and_then(|r| messages::seen(r.wanted, status)) {
        call.peek(token);
    }
}

/// Messages that a matching probe has taken: the number of each.
static TAKEN: Shared<FxHashMap<u64, Token>> = Shared::new();

/// A matching probe found something.
fn matched(
    call: &mut Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *const MPI_Message,
    status: &MPI_Status,
) {
    // SAFETY: the library has written the message.
    let handle = raw(unsafe { *message });
    if let Some(receiving) = Receiving::new(call, std::ptr::null(), 0, nothing(), source, tag, comm) {
        let posted = messages::post(receiving.wanted);
        if let Some(token) = messages::complete(posted, status) {
            TAKEN.with(|taken| taken.insert(handle, token));
            call.peek(token);
        }
    }
}

/// The receive of such a message begins.
fn take(call: &mut Call, message: *const MPI_Message) -> Option<Posted> {
    // SAFETY: the program's message, before the library takes it.
    let handle = raw(unsafe { *message });
    let token = TAKEN.with(|taken| taken.remove(&handle))?;
    if let Some(receipt) = messages::receipt(token) {
        call.release(receipt);
    }
    Some(Posted::Numbered(token))
}

fn nothing() -> MPI_Datatype {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_UINT8_T }
}

// SAFETY (all rows): each body forwards the program's own arguments, or a status of our own where it wants none.
macro_rules! sends {
    ($n:ty; $($blocking:ident $nonblocking:ident $persistent:ident $how:ident;)*) => { pastey::paste! { calls! { $(
        fn $blocking(at: *const c_void, n: $n, ty: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm), real => {
            // SAFETY: as above.
            let begin = |request| unsafe { [<real_ $nonblocking>](at, n, ty, dest, tag, comm, request) };
            sending(|| Sending::new(at, n, ty, dest, tag, comm, Send::$how), begin, real)
        }
        fn $nonblocking(
            at: *const c_void, n: $n, ty: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request,
        ), real => {
            isending(|| Sending::new(at, n, ty, dest, tag, comm, Send::$how), request, real)
        }
        fn $persistent(
            at: *const c_void, n: $n, ty: MPI_Datatype, dest: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request,
        ), real => {
            send_init(|| Sending::new(at, n, ty, dest, tag, comm, Send::$how), request, real)
        }
    )* } } };
}
sends! {
    c_int;
    Send Isend Send_init Plain;
    Bsend Ibsend Bsend_init Plain;
    Rsend Irsend Rsend_init Plain;
    Ssend Issend Ssend_init Synchronous;
}
sends! {
    MPI_Count;
    Send_c Isend_c Send_init_c Plain;
    Bsend_c Ibsend_c Bsend_init_c Plain;
    Rsend_c Irsend_c Rsend_init_c Plain;
    Ssend_c Issend_c Ssend_init_c Synchronous;
}

/// The calls that count, with what they count in and how their names end.
macro_rules! receives {
    ($n:ty $(, $c:ident)?) => { pastey::paste! { calls! {
    fn [<Recv $($c)?>](at: *mut c_void, n: $n, ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let Some(what) = Receiving::new(&call, at, n, ty, source, tag, comm) else { return real() };
        awaits(&mut call, &what, (source, tag, comm));
        if let Some(turn) = messages::in_turn() {
            // SAFETY: as above.
            let begin = |request| unsafe { [<real_Irecv $($c)?>](at, n, ty, source, tag, comm, request) };
            // SAFETY: as above.
            let receive = |message, status| unsafe { [<real_Mrecv $($c)?>](at, n, ty, message, status) };
            return receiving_in_turn(&mut call, turn, &what, (source, tag, comm, status), begin, receive);
        }
        // SAFETY: as above.
        receiving(&mut call, &what, status, |s| unsafe { [<real_Recv $($c)?>](at, n, ty, source, tag, comm, s) })
    }
    fn [<Irecv $($c)?>](at: *mut c_void, n: $n, ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request), real => {
        let Some(mut call) = call() else { return real() };
        let _turn = messages::in_turn();
        let pending = Receiving::new(&call, at, n, ty, source, tag, comm).map(|r| begin_receive(&mut call, &r));
        let result = real();
        match pending {
            Some(pending) => requests::begun(&mut call, request, pending, result),
            None => requests::nothing(request, result),
        }
        result
    }
    fn [<Recv_init $($c)?>](at: *mut c_void, n: $n, ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request), real => {
        let call = call();
        let result = real();
        if let (Some(call), SUCCESS) = (call, result)
            && let Some(receiving) = Receiving::new(&call, at, n, ty, source, tag, comm)
        {
            requests::persist(request, Repeat::Receive(receiving));
        }
        result
    }
    fn [<Sendrecv $($c)?>](
        at: *const c_void, n: $n, ty: MPI_Datatype, dest: c_int, send_tag: c_int, into: *mut c_void, m: $n,
        into_ty: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status,
    ), real => {
        let Some(mut call) = call() else { return real() };
        let message = Sending::new(at, n, ty, dest, send_tag, comm, Send::Plain).map(|s| send(&mut call, &s));
        let Some(what) = Receiving::new(&call, into, m, into_ty, source, tag, comm) else { return real() };
        // SAFETY: as above.
        let result = receiving(&mut call, &what, status, |s| unsafe {
            [<real_Sendrecv $($c)?>](at, n, ty, dest, send_tag, into, m, into_ty, source, tag, comm, s)
        });
        sent(message, result);
        result
    }
    fn [<Sendrecv_replace $($c)?>](
        at: *mut c_void, n: $n, ty: MPI_Datatype, dest: c_int, send_tag: c_int, source: c_int, tag: c_int, comm: MPI_Comm,
        status: *mut MPI_Status,
    ), real => {
        let Some(mut call) = call() else { return real() };
        let message = Sending::new(at, n, ty, dest, send_tag, comm, Send::Plain).map(|s| send(&mut call, &s));
        let Some(what) = Receiving::new(&call, at, n, ty, source, tag, comm) else { return real() };
        // SAFETY: as above.
        let result = receiving(&mut call, &what, status, |s| unsafe {
            [<real_Sendrecv_replace $($c)?>](at, n, ty, dest, send_tag, source, tag, comm, s)
        });
        sent(message, result);
        result
    }
    fn [<Mrecv $($c)?>](at: *mut c_void, n: $n, ty: MPI_Datatype, message: *mut MPI_Message, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let taken = take(&mut call, message);
        call.issue();
        let mut statuses = Statuses::new(status, 1);
        // SAFETY: as above.
        let result = unsafe { [<real_Mrecv $($c)?>](at, n, ty, message, statuses.pass()) };
        if let (SUCCESS, Some(posted)) = (result, taken) {
            let status = statuses.get(0);
            arrived(&mut call, &buffer(at, n, ty, Kind::Write), &status);
            received(&mut call, posted, &status);
        }
        result
    }
    fn [<Imrecv $($c)?>](at: *mut c_void, n: $n, ty: MPI_Datatype, message: *mut MPI_Message, request: *mut MPI_Request), real => {
        let Some(mut call) = call() else { return real() };
        let taken = take(&mut call, message);
        let result = real();
        if let (SUCCESS, Some(posted)) = (result, taken) {
            let ctx = scope();
            call.issue();
            call.near(&buffer(at, n, ty, Kind::Write), ctx);
            requests::add(request, Pending { scopes: vec![ctx], receive: Some(posted), ..Pending::default() });
        }
        result
    }
    fn [<Isendrecv $($c)?>](
        at: *const c_void, n: $n, ty: MPI_Datatype, dest: c_int, send_tag: c_int, into: *mut c_void, m: $n, into_ty: MPI_Datatype,
        source: c_int, tag: c_int, comm: MPI_Comm, request: *mut MPI_Request,
    ), real => {
        let Some(mut call) = call() else { return real() };
        let sent = Sending::new(at, n, ty, dest, send_tag, comm, Send::Plain).map(|s| begin_send(&mut call, &s));
        let posted = Receiving::new(&call, into, m, into_ty, source, tag, comm).map(|r| begin_receive(&mut call, &r));
        let result = real();
        requests::begun(&mut call, request, both(sent, posted), result);
        result
    }
    fn [<Isendrecv_replace $($c)?>](
        at: *mut c_void, n: $n, ty: MPI_Datatype, dest: c_int, send_tag: c_int, source: c_int, tag: c_int, comm: MPI_Comm,
        request: *mut MPI_Request,
    ), real => {
        let Some(mut call) = call() else { return real() };
        // The buffer is the receive's.
        let sent = Sending::new(at, 0, ty, dest, send_tag, comm, Send::Plain).map(|s| begin_send(&mut call, &s));
        let posted = Receiving::new(&call, at, n, ty, source, tag, comm).map(|r| begin_receive(&mut call, &r));
        let result = real();
        requests::begun(&mut call, request, both(sent, posted), result);
        result
    }
    } } };
}
receives! { c_int }
receives! { MPI_Count, _c }

calls! {
    fn Probe(source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let mut statuses = Statuses::new(status, 1);
        // SAFETY: as above.
        let result = unsafe { real_Probe(source, tag, comm, statuses.pass()) };
        if result == SUCCESS {
            probed(&mut call, source, tag, comm, &statuses.get(0));
        }
        result
    }
    fn Iprobe(source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let mut statuses = Statuses::new(status, 1);
        // SAFETY: as above; the library has written the flag.
        let (result, found) = unsafe {
            let result = real_Iprobe(source, tag, comm, flag, statuses.pass());
            (result, result == SUCCESS && *flag != 0)
        };
        if found {
            probed(&mut call, source, tag, comm, &statuses.get(0));
        }
        result
    }
    fn Mprobe(source: c_int, tag: c_int, comm: MPI_Comm, message: *mut MPI_Message, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let mut statuses = Statuses::new(status, 1);
        if let Some(turn) = messages::in_turn() {
            return matching(&mut call, Some(turn), (source, tag, comm), message, &mut statuses);
        }
        // SAFETY: as above.
        let result = unsafe { real_Mprobe(source, tag, comm, message, statuses.pass()) };
        if result == SUCCESS {
            matched(&mut call, source, tag, comm, message, &statuses.get(0));
        }
        result
    }
    fn Improbe(source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, message: *mut MPI_Message, status: *mut MPI_Status), real => {
        let Some(mut call) = call() else { return real() };
        let mut statuses = Statuses::new(status, 1);
        let _turn = messages::in_turn();
        // SAFETY: as above; the library has written the flag.
        let (result, found) = unsafe {
            let result = real_Improbe(source, tag, comm, flag, message, statuses.pass());
            (result, result == SUCCESS && *flag != 0)
        };
        if found {
            matched(&mut call, source, tag, comm, message, &statuses.get(0));
        }
        result
    }
}
