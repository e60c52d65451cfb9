//! Requests: what happens when one is complete, and the calls that complete them.
//!
//! The library may use one handle for several requests that are complete from the start. The program may keep them where it likes: all
//! but the first are given handles of their own.

use crate::mpi::call::{Call, SUCCESS, Shared, call, calls, has_ended, raw};
use crate::mpi::messages::{self, Posted};
use crate::mpi::p2p::{Repeat, again};
use crate::mpi::partitioned::Started;
use crate::mpi::{comms, freed, windows};
use mpi_sys::{MPI_Comm, MPI_Request, MPI_Status};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use thrille_model::{Ctx, Rank, Token};

/// What the completion of a request means.
#[derive(Debug, Default)]
pub struct Pending {
    /// What it completes.
    pub scopes: Vec<Ctx>,
    /// What it comes after.
    pub tokens: Vec<Token>,
    /// The message that it sends.
    pub sent: Option<Token>,
    /// The receive that it is.
    pub receive: Option<Posted>,
    /// The one-sided operation that it is: window and target.
    pub one_sided: Option<(u32, c_int)>,
    /// The partitioned message that it is.
    pub parts: Option<Started>,
    /// The communicator that it makes, and its id.
    pub makes: Option<(MPI_Comm, u64)>,
}

#[derive(Debug)]
struct Entry {
    at: u64,
    pending: Pending,
}

#[derive(Debug)]
struct Persistent {
    repeat: Repeat,
    /// How often it was started.
    starts: u64,
    active: Option<Pending>,
}

#[derive(Default)]
struct Requests {
    once: FxHashMap<u64, Vec<Entry>>,
    persistent: FxHashMap<u64, Persistent>,
}

// SAFETY: addresses of the program's variables are only used where the program passes them to the library.
unsafe impl Send for Requests {}

static REQUESTS: Shared<Requests> = Shared::new();

/// Gives a request another handle if it shares its own with another one: then the library has carried it out already.
fn unshare(request: *mut MPI_Request) {
    // SAFETY: the library has written it.
    let mut shared = unsafe { *request };
    if !REQUESTS.with(|r| r.once.contains_key(&raw(shared))) {
        return;
    }
    let mut done = 0;
    // SAFETY: a request of the library, and variables of our own. Ours is complete at once, too.
    unsafe {
        let tested = real_Test(&raw mut shared, &raw mut done, mpi_sys::RSMPI_STATUS_IGNORE);
        if tested == SUCCESS && done != 0 {
            mpi_sys::PMPI_Grequest_start(Some(query), Some(free), Some(cancel), std::ptr::null_mut(), request);
            mpi_sys::PMPI_Grequest_complete(*request);
        }
    }
}

unsafe extern "C" fn query(_: *mut c_void, status: *mut MPI_Status) -> c_int {
    // SAFETY: the library asks for a status.
    unsafe {
        mpi_sys::PMPI_Status_set_cancelled(status, 0);
        mpi_sys::PMPI_Status_set_elements(status, mpi_sys::RSMPI_UINT8_T, 0)
    }
}

unsafe extern "C" fn free(_: *mut c_void) -> c_int {
    SUCCESS
}

unsafe extern "C" fn cancel(_: *mut c_void, _: c_int) -> c_int {
    SUCCESS
}

/// A request that stands for nothing was made: of a message to or from nobody, of a collective without data. The library may give others that are complete
/// the same handle.
pub fn nothing(request: *mut MPI_Request, result: c_int) {
    if result == SUCCESS {
        // SAFETY: the library has written it.
        let handle = raw(unsafe { *request });
        let entry = Entry { at: request as u64, pending: Pending::default() };
        REQUESTS.with(|r| r.once.entry(handle).or_default().push(entry));
    }
}

/// A request was made.
pub fn add(request: *mut MPI_Request, pending: Pending) {
    // A receive's status is the program's: it is not looked at here.
    if pending.receive.is_none() {
        unshare(request);
    }
    // SAFETY: the library has written it.
    let handle = unsafe { *request };
    if let Some(posted) = pending.receive {
        messages::has_request(posted, handle);
    }
    REQUESTS.with(|r| r.once.entry(raw(handle)).or_default().push(Entry { at: request as u64, pending }));
}

/// A call that makes a request has returned: that is there, or nothing has begun.
pub fn begun(call: &mut Call, request: *mut MPI_Request, pending: Pending, result: c_int) {
    if result == SUCCESS {
        return add(request, pending);
    }
    for ctx in pending.scopes {
        call.quiet(ctx);
    }
    if let Some(posted) = pending.receive {
        messages::withdraw(posted);
    }
    if let Some(message) = pending.sent {
        messages::take_back(message);
    }
}

/// A one-sided operation's request was made.
pub fn one_sided(request: *mut MPI_Request, scope: Ctx, window: u32, target: c_int) {
    add(request, Pending { scopes: vec![scope], one_sided: Some((window, target)), ..Pending::default() });
}

/// A communicator is being duplicated.
pub fn duplicating(handle: MPI_Request, at: *const MPI_Request, new: MPI_Comm, id: u64) {
    let pending = Pending { makes: Some((new, id)), ..Pending::default() };
    REQUESTS.with(|r| r.once.entry(raw(handle)).or_default().push(Entry { at: at as u64, pending }));
}

/// A persistent request was made.
pub fn persist(request: *const MPI_Request, repeat: Repeat) {
    // SAFETY: the library has written it.
    let handle = raw(unsafe { *request });
    REQUESTS.with(|r| r.persistent.insert(handle, Persistent { repeat, starts: 0, active: None }));
}

/// The partitioned message that a request is, while that is under way.
pub fn started(request: MPI_Request) -> Option<Started> {
    REQUESTS.with(|r| r.persistent.get(&raw(request))?.active.as_ref()?.parts.clone())
}

/// What the completion of a request comes after.
fn awaited(request: MPI_Request) -> Vec<Token> {
    REQUESTS.with(|r| {
        let entry = r.once.get(&raw(request)).and_then(|list| list.first());
        entry.map(|entry| entry.pending.tokens.clone()).unwrap_or_default()
    })
}

/// Requests that the program completes itself: as a message from who does so to who waits.
const GENERALISED: u64 = 0x0f1e_2d3c_4b5a_6978;

/// How many of them there were.
static GENERALISED_SO_FAR: AtomicU64 = AtomicU64::new(0);

/// What the next one of them releases when it is complete.
pub fn generalised(me: Rank) -> Token {
    let seq = GENERALISED_SO_FAR.fetch_add(1, Ordering::Relaxed);
    Token::Message { group: GENERALISED, from: me, to: me, tag: 0, seq }
}

/// A request as the program passed it, before the library changes it.
#[derive(Clone, Copy)]
struct Asked {
    handle: u64,
    at: u64,
}

fn asked(request: *const MPI_Request) -> Asked {
    // SAFETY: the program's request.
    Asked { handle: raw(unsafe { *request }), at: request as u64 }
}

fn asked_all(n: c_int, requests: *const MPI_Request) -> Vec<Asked> {
    (0..n.max(0) as usize).map(|i| asked(requests.wrapping_add(i))).collect()
}

fn take(asked: Asked) -> Option<Pending> {
    REQUESTS.with(|r| {
        if let Some(persistent) = r.persistent.get_mut(&asked.handle) {
            return persistent.active.take();
        }
        let list = r.once.get_mut(&asked.handle)?;
        let index = list.iter().position(|e| e.at == asked.at).unwrap_or(0);
        let entry = list.remove(index);
        if list.is_empty() {
            r.once.remove(&asked.handle);
        }
        Some(entry.pending)
    })
}

/// Requests are about to be waited for or tested: in a run that confirms races, what they stand for counts as over from now on.
fn completing(call: &mut Call, asked: &[Asked]) {
    if !call.confirms() {
        return;
    }
    let scopes: Vec<Ctx> = REQUESTS.with(|r| {
        let of = |asked: &Asked| -> Vec<Ctx> {
            let persistent = r.persistent.get(&asked.handle).and_then(|p| p.active.as_ref());
            let once = r
                .once
                .get(&asked.handle)
                .and_then(|list| list.iter().find(|e| e.at == asked.at).or(list.first()).map(|entry| &entry.pending));
            persistent.or(once).map_or_else(Vec::new, |pending| pending.scopes.clone())
        };
        asked.iter().flat_map(of).collect()
    });
    for ctx in scopes {
        call.o.completing(ctx);
    }
}

/// A request is complete.
fn complete(call: &mut Call, asked: Asked, status: &MPI_Status) {
    let Some(pending) = take(asked) else { return };
    for &ctx in &pending.scopes {
        call.quiet(ctx);
    }
    if let Some((window, target)) = pending.one_sided {
        windows::numbered(window, |w| {
            if let Some(partner) = w.partners.get_mut(&target) {
                partner.requests.retain(|ctx| !pending.scopes.contains(ctx));
            }
        });
    }
    for &token in &pending.tokens {
        call.hear(token);
    }
    if let Some(posted) = pending.receive {
        received(call, posted, status);
    }
    if let Some((new, id)) = pending.makes {
        comms::kept(new, id);
    }
}

/// A receive is complete, or was withdrawn.
pub fn received(call: &mut Call, posted: Posted, status: &MPI_Status) {
    let mut cancelled = 0;
    // SAFETY: a status that the library has written.
    unsafe { mpi_sys::PMPI_Test_cancelled(status, &raw mut cancelled) };
    if cancelled != 0 {
        messages::withdraw(posted);
        return;
    }
    let Some(token) = messages::complete(posted, status) else { return };
    if let (Posted::Later(..), Some(receipt)) = (posted, messages::receipt(token)) {
        call.release(receipt);
    }
    call.hear(token);
}

/// A status of our own where the program wants none.
pub struct Statuses {
    own: Vec<MPI_Status>,
    given: *mut MPI_Status,
}

impl Statuses {
    pub fn new(given: *mut MPI_Status, n: usize) -> Self {
        // SAFETY: constants of the library; an all-zero status is valid.
        let (ignored, zero) = unsafe {
            (given == mpi_sys::RSMPI_STATUS_IGNORE || given == mpi_sys::RSMPI_STATUSES_IGNORE, std::mem::zeroed())
        };
        Self { own: if ignored { vec![zero; n.max(1)] } else { Vec::new() }, given }
    }

    pub fn pass(&mut self) -> *mut MPI_Status {
        if self.own.is_empty() { self.given } else { self.own.as_mut_ptr() }
    }

    pub fn get(&self, i: usize) -> MPI_Status {
        // SAFETY: the library has written as many as were asked for.
        if self.own.is_empty() { unsafe { *self.given.add(i) } } else { self.own[i] }
    }
}

fn one(
    request: *mut MPI_Request,
    status: *mut MPI_Status,
    real: impl Fn(*mut MPI_Status) -> (c_int, bool),
    plain: impl Fn() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return plain() };
    let asked = asked(request);
    completing(&mut call, &[asked]);
    let mut statuses = Statuses::new(status, 1);
    let (result, done) = real(statuses.pass());
    if done && has_ended(result) {
        complete(&mut call, asked, &statuses.get(0));
    }
    result
}

fn all(
    n: c_int,
    requests: *mut MPI_Request,
    status: *mut MPI_Status,
    real: impl Fn(*mut MPI_Status) -> (c_int, bool),
    plain: impl Fn() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return plain() };
    let asked = asked_all(n, requests);
    completing(&mut call, &asked);
    let mut statuses = Statuses::new(status, asked.len());
    let (result, done) = real(statuses.pass());
    if done && (result == SUCCESS || result == mpi_sys::MPI_ERR_IN_STATUS as c_int) {
        for (i, &asked) in asked.iter().enumerate() {
            let status = statuses.get(i);
            if result == SUCCESS || status.MPI_ERROR != mpi_sys::MPI_ERR_PENDING as c_int {
                complete(&mut call, asked, &status);
            }
        }
    }
    result
}

fn any(
    n: c_int,
    requests: *mut MPI_Request,
    index: *const c_int,
    status: *mut MPI_Status,
    real: impl Fn(*mut MPI_Status) -> (c_int, bool),
    plain: impl Fn() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return plain() };
    let asked = asked_all(n, requests);
    completing(&mut call, &asked);
    let mut statuses = Statuses::new(status, 1);
    let (result, done) = real(statuses.pass());
    if done
        && has_ended(result)
        // SAFETY: the library has written the index if it is done.
        && let Some(&asked) = asked.get(unsafe { *index } as usize)
    {
        complete(&mut call, asked, &statuses.get(0));
    }
    result
}

fn some(
    n: c_int,
    requests: *mut MPI_Request,
    count: *const c_int,
    indices: *const c_int,
    status: *mut MPI_Status,
    real: impl Fn(*mut MPI_Status) -> c_int,
    plain: impl Fn() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return plain() };
    let asked = asked_all(n, requests);
    completing(&mut call, &asked);
    let mut statuses = Statuses::new(status, asked.len());
    let result = real(statuses.pass());
    if result == SUCCESS {
        // SAFETY: the library has written how many are complete, and which.
        let done = unsafe { *count }.max(0) as usize;
        for i in 0..done {
            // SAFETY: as above.
            if let Some(&asked) = asked.get(unsafe { *indices.add(i) } as usize) {
                complete(&mut call, asked, &statuses.get(i));
            }
        }
    }
    result
}

fn start(call: &mut Call, request: *const MPI_Request) {
    let asked = asked(request);
    let started = REQUESTS.with(|r| {
        let persistent = r.persistent.get_mut(&asked.handle)?;
        persistent.starts += 1;
        Some((persistent.repeat.clone(), persistent.starts))
    });
    let Some((repeat, n)) = started else { return };
    let pending = again(call, &repeat, n);
    if let Some(posted) = pending.receive {
        // SAFETY: the program's request, which stays the same.
        messages::has_request(posted, unsafe { *request });
    }
    REQUESTS.with(|r| {
        if let Some(persistent) = r.persistent.get_mut(&asked.handle) {
            persistent.active = Some(pending);
        }
    });
}

// SAFETY (all rows): each body forwards the program's own arguments, or a status of our own where it wants none.
calls! {
    fn Wait(request: *mut MPI_Request, status: *mut MPI_Status), real => {
        // SAFETY: as said above, here and below.
        one(request, status, |s| (unsafe { real_Wait(request, s) }, true), real)
    }
    fn Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status), real => {
        // SAFETY: as above.
        one(request, status, |s| unsafe { let r = real_Test(request, flag, s); (r, r == SUCCESS && *flag != 0) }, real)
    }
    fn Waitall(n: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status), real => {
        // SAFETY: as above.
        all(n, requests, statuses, |s| (unsafe { real_Waitall(n, requests, s) }, true), real)
    }
    fn Testall(n: c_int, requests: *mut MPI_Request, flag: *mut c_int, statuses: *mut MPI_Status), real => {
        // SAFETY: as above.
        all(n, requests, statuses, |s| unsafe { let r = real_Testall(n, requests, flag, s); (r, *flag != 0) }, real)
    }
    fn Waitany(n: c_int, requests: *mut MPI_Request, index: *mut c_int, status: *mut MPI_Status), real => {
        // SAFETY: as above.
        any(n, requests, index, status, |s| (unsafe { real_Waitany(n, requests, index, s) }, true), real)
    }
    fn Testany(n: c_int, requests: *mut MPI_Request, index: *mut c_int, flag: *mut c_int, status: *mut MPI_Status), real => {
        // SAFETY: as above.
        any(n, requests, index, status, |s| unsafe { let r = real_Testany(n, requests, index, flag, s); (r, *flag != 0) }, real)
    }
    fn Waitsome(n: c_int, requests: *mut MPI_Request, count: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status), real => {
        // SAFETY: as above.
        some(n, requests, count, indices, statuses, |s| unsafe { real_Waitsome(n, requests, count, indices, s) }, real)
    }
    fn Testsome(n: c_int, requests: *mut MPI_Request, count: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status), real => {
        // SAFETY: as above.
        some(n, requests, count, indices, statuses, |s| unsafe { real_Testsome(n, requests, count, indices, s) }, real)
    }
    fn Request_get_status(request: MPI_Request, flag: *mut c_int, status: *mut MPI_Status), real => {
        // Complete for the program, though the request stays: nothing is left to do when it is waited for.
        let Some(mut call) = call() else { return real() };
        completing(&mut call, &[Asked { handle: raw(request), at: 0 }]);
        let mut statuses = Statuses::new(status, 1);
        // SAFETY: as above.
        let result = unsafe { real_Request_get_status(request, flag, statuses.pass()) };
        // SAFETY: the library has written the flag.
        if result == SUCCESS && unsafe { *flag } != 0 {
            complete(&mut call, Asked { handle: raw(request), at: 0 }, &statuses.get(0));
        }
        result
    }
    fn Request_free(request: *mut MPI_Request), real => {
        let Some(mut call) = call() else { return real() };
        let asked = asked(request);
        let pending = take(asked);
        REQUESTS.with(|r| r.persistent.remove(&asked.handle));
        match pending {
            Some(Pending { sent: Some(message), receive: None, scopes, .. }) => freed::add(&mut call, message, scopes),
            Some(Pending { receive: Some(posted), .. }) => messages::has_no_request(posted),
            _ => {}
        }
        real()
    }
    fn Grequest_complete(request: MPI_Request), real => {
        if let Some(mut call) = call() {
            for token in awaited(request) {
                call.release(token);
            }
        }
        real()
    }
    fn Start(request: *mut MPI_Request), real => {
        let Some(mut call) = call() else { return real() };
        let _turn = messages::in_turn();
        start(&mut call, request);
        real()
    }
    fn Startall(n: c_int, requests: *mut MPI_Request), real => {
        let Some(mut call) = call() else { return real() };
        let _turn = messages::in_turn();
        for i in 0..n.max(0) as usize {
            start(&mut call, requests.wrapping_add(i));
        }
        real()
    }
}
