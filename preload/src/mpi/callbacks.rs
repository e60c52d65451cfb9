//! Functions of the program that the library calls back: those of operators, attributes, error handlers and generalised requests. They are the program, in the
//! middle of a call of its own.
//!
//! The library is given another function in their place, one of a few that are here ([`THUNKS`]), which lets their accesses count ([`called_back`]). What it hands them is its
//! own memory, or that of buffers that the call itself is known to use: neither is told.
//!
//! *Whose doing it is.* Of attributes, handlers and requests it is that of the thread that called. An operator may be applied by whichever thread is in the library, to
//! what another one has asked for. Where there are several threads, it is told if the thread is in a blocking reduction and no nonblocking collective was ever begun.
//!
//! *When.* Between what the call releases and what it acquires: others may have their results while this process still combines. Where all results go to a root,
//! they cannot, and what the operator did comes before whatever the root does next ([`combining`]). Who waits for a generalised request comes after its
//! completion already in its functions.

use crate::mpi::call::{OPEN_MPI, SUCCESS, call, calls};
use crate::mpi::callers::{self, Caller};
use crate::mpi::requests;
use crate::rank::{THREADED, called_back, observe, unobserved};
use crate::real::Real;
use mpi_sys::{MPI_Aint, MPI_Count, MPI_Datatype, MPI_Errhandler, MPI_Op, MPI_Request, MPI_Status};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::{Interval, Token};

/// As many arguments as any of these functions has, in whatever language: numbers and addresses all. Those that a function does not have are whatever was there.
type Arguments = [usize; 8];

/// A function by which the library hands over its arguments, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Combines two arrays of so many elements of a type.
    Operator(Counts),
    /// Has these arguments for the address of something of the library's, so many bytes.
    Other(&'static [(usize, u64)]),
}

/// How an operator is told how many elements there are, and of which type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    Int,
    Large,
    Fortran,
}

const NOTHING: Role = Role::Other(&[]);
/// Where the copy of an attribute goes, and whether there is one.
const COPY: Role = Role::Other(&[(4, 8), (5, 4)]);
/// In Fortran all arguments are by address.
const FORTRAN: Role = Role::Other(&[(0, 8), (1, 8), (2, 8), (3, 8), (4, 8), (5, 8), (6, 8)]);

/// A type by its number in Fortran, where that is not the handle.
fn fortran_type(number: c_int) -> Option<MPI_Datatype> {
    static FROM_FORTRAN: Real = Real::new(b"PMPI_Type_f2c\0");
    let address = FROM_FORTRAN.get();
    // SAFETY: the library's function of this name has this type.
    (address != 0)
        .then(|| unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int) -> MPI_Datatype>(address)(number) })
}

impl Role {
    /// What is not the program's of what the arguments lead to.
    #[allow(clippy::unnecessary_cast, reason = "the libraries have different types for extents")]
    fn library(self, arguments: &Arguments) -> Vec<Interval> {
        let bytes = |at: usize, len: u64| Interval::from_len(at as u64, len).ok();
        let counts = match self {
            Self::Other(parts) => return parts.iter().filter_map(|&(n, len)| bytes(arguments[n], len)).collect(),
            Self::Operator(counts) => counts,
        };
        let [from, into, count, ty, ..] = *arguments;
        let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
        let (mut true_lb, mut true_extent) = (lb, extent);
        // SAFETY: an operator has the addresses of a number and of a type as its third and fourth argument; asks about that type, with variables of our own.
        let count = unsafe {
            let ty = match counts {
                Counts::Fortran if OPEN_MPI => fortran_type(*(ty as *const c_int)),
                _ => Some(*(ty as *const MPI_Datatype)),
            };
            if let Some(ty) = ty {
                mpi_sys::PMPI_Type_get_extent(ty, &raw mut lb, &raw mut extent);
                mpi_sys::PMPI_Type_get_true_extent(ty, &raw mut true_lb, &raw mut true_extent);
            }
            match counts {
                Counts::Large => *(count as *const MPI_Count) as i64,
                Counts::Int | Counts::Fortran => i64::from(*(count as *const c_int)),
            }
        };
        let last = (count.max(1) - 1) * extent as i64;
        let (lo, hi) = (last.min(0) + true_lb as i64, last.max(0) + (true_lb + true_extent) as i64);
        let array = |at: usize| bytes(at.wrapping_add_signed(lo as isize), (hi - lo).max(0) as u64);
        [array(from), array(into), bytes(arguments[2], 8), bytes(arguments[3], 8)].into_iter().flatten().collect()
    }

    /// Whether it is known whose doing it is.
    fn is_callers_own(self) -> bool {
        matches!(self, Self::Other(_))
            || !THREADED.load(Ordering::Relaxed)
            || (COMBINING.get().is_some() && !LATER.load(Ordering::Relaxed))
    }
}

/// Functions of the program.
static FUNCTIONS: [OnceLock<(usize, Role)>; THUNKS.len()] = [const { OnceLock::new() }; THUNKS.len()];

/// The n-th of them is called back.
#[allow(clippy::too_many_arguments, reason = "as many as any of them has")]
unsafe extern "C" fn thunk<const N: usize>(
    a0: usize,
    a1: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    a6: usize,
    a7: usize,
) -> usize {
    let arguments = [a0, a1, a2, a3, a4, a5, a6, a7];
    let Some(&(function, role)) = FUNCTIONS[N].get() else { return SUCCESS as usize };
    if !role.is_callers_own() {
        return unobserved(|| go_on(function, arguments));
    }
    COMBINING.set(COMBINING.get().map(|_| true));
    called_back(role.library(&arguments), || go_on(function, arguments))
}

/// Calls a function of the program's with what it was to be called with.
fn go_on(function: usize, [a0, a1, a2, a3, a4, a5, a6, a7]: Arguments) -> usize {
    // SAFETY: the library meant to call this function with these arguments. On this machine one that has fewer does not see the rest, and whatever it returns is
    // in the register of a number; error handlers have a variable number of arguments, which others do not mind.
    unsafe {
        let function = std::mem::transmute::<usize, unsafe extern "C" fn(usize, ...) -> usize>(function);
        function(a0, a1, a2, a3, a4, a5, a6, a7)
    }
}

type Thunk = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;

macro_rules! thunks {
    ($($n:literal)*) => { [$(thunk::<$n> as Thunk),*] };
}

/// More functions than these are not observed.
static THUNKS: [Thunk; 64] = thunks! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
};

/// What the library is to call in place of a function, if that is the program's: the library has some of its own.
fn instead_of(function: *const c_void, role: Role) -> *const c_void {
    if function.is_null() || callers::of(function as u64) != Caller::Program {
        return function;
    }
    let this = (function as usize, role);
    let place = FUNCTIONS.iter().position(|known| *known.get_or_init(|| this) == this);
    place.map_or(function, |n| THUNKS[n] as *const c_void)
}

thread_local! {
    /// Whether this thread is in a blocking reduction, and an operator of the program's was applied in it.
    static COMBINING: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Whether a nonblocking collective was ever begun.
static LATER: AtomicBool = AtomicBool::new(false);

/// One is begun.
pub fn may_combine_later() {
    LATER.store(true, Ordering::Relaxed);
}

/// Runs a blocking call that may apply an operator: its result, and whether it has applied one of the program's.
pub fn combining<R>(real: impl FnOnce() -> R) -> (R, bool) {
    let outer = COMBINING.replace(Some(false));
    let result = real();
    (result, COMBINING.replace(outer) == Some(true))
}

/// A generalised request.
struct Generalised {
    query: usize,
    free: usize,
    cancel: usize,
    state: usize,
    /// Released by who completes it.
    token: Token,
}

impl Generalised {
    fn call(&self, function: usize, mut arguments: Arguments, completed: bool) -> usize {
        let [_, status, error, ..] = arguments;
        arguments[0] = self.state;
        // A status, or what is one in Fortran.
        let library = [(status, size_of::<MPI_Status>() as u64), (error, 4)];
        let library = library.iter().filter_map(|&(at, len)| Interval::from_len(at as u64, len).ok()).collect();
        called_back(library, || {
            if let (true, Some(o)) = (completed, observe().filter(|o| !o.confirms())) {
                o.session.rank().acquire(o.recorder, self.token);
            }
            go_on(function, arguments)
        })
    }
}

/// What the library calls for them. Their first argument is a [`Generalised`], whatever the language.
macro_rules! generalised {
    ($($name:ident $completed:literal;)*) => { $(
        unsafe extern "C" fn $name(state: *mut Generalised, b: usize, c: usize) -> usize {
            // SAFETY: the box that the request was made with, which lives until the library wants it freed.
            let request = unsafe { &*state };
            request.call(request.$name, [0, b, c, 0, 0, 0, 0, 0], $completed)
        }
    )* };
}
generalised! {
    query true;
    cancel false;
}

unsafe extern "C" fn free(state: *mut Generalised, b: usize, c: usize) -> usize {
    // SAFETY: the box that the request was made with; the library lets go of it now.
    let request = unsafe { Box::from_raw(state) };
    request.call(request.free, [0, b, c, 0, 0, 0, 0, 0], true)
}

/// Who hands a function to the library; none if it is called without anybody noticing.
fn handed() -> Option<Caller> {
    call().map(|call| call.by)
}

fn role(of: Caller, in_c: Role) -> Role {
    if of == Caller::Binding { FORTRAN } else { in_c }
}

// SAFETY (all rows): each body forwards the program's own arguments, or a function that calls the program's with what it is called with.
calls! {
    fn Op_create(function: *const c_void, commutes: c_int, op: *mut MPI_Op), real => {
        let Some(by) = handed() else { return real() };
        let counts = if by == Caller::Binding { Counts::Fortran } else { Counts::Int };
        // SAFETY: as said above, here and below.
        unsafe { real_Op_create(instead_of(function, Role::Operator(counts)), commutes, op) }
    }
    fn Op_create_c(function: *const c_void, commutes: c_int, op: *mut MPI_Op), real => {
        if handed().is_none() {
            return real();
        }
        // SAFETY: as above.
        unsafe { real_Op_create_c(instead_of(function, Role::Operator(Counts::Large)), commutes, op) }
    }
    fn Grequest_start(
        query: *const c_void, free: *const c_void, cancel: *const c_void, state: *mut c_void, request: *mut MPI_Request,
    ), real => {
        let Some(call) = call() else { return real() };
        let token = requests::generalised(call.me());
        let (query, free, cancel) = (query as usize, free as usize, cancel as usize);
        let own = Box::into_raw(Box::new(Generalised { query, free, cancel, state: state as usize, token }));
        // SAFETY: as above; the library gives the box back by calling `free`.
        let result = unsafe {
            real_Grequest_start(self::query as *const c_void, self::free as *const c_void, self::cancel as *const c_void, own.cast(), request)
        };
        if result == SUCCESS {
            requests::add(request, requests::Pending { tokens: vec![token], ..requests::Pending::default() });
        } else {
            // SAFETY: no request has it.
            drop(unsafe { Box::from_raw(own) });
        }
        result
    }
}

macro_rules! keyvals {
    ($($name:ident)*) => { pastey::paste! { calls! { $(
        fn $name(copy: *const c_void, delete: *const c_void, keyval: *mut c_int, state: *mut c_void), real => {
            let Some(by) = handed() else { return real() };
            // SAFETY: as above.
            unsafe { [<real_ $name>](instead_of(copy, role(by, COPY)), instead_of(delete, role(by, NOTHING)), keyval, state) }
        }
    )* } } };
}
keyvals! { Comm_create_keyval Win_create_keyval Type_create_keyval Keyval_create }

macro_rules! handlers {
    ($($name:ident)*) => { pastey::paste! { calls! { $(
        fn $name(function: *const c_void, handler: *mut MPI_Errhandler), real => {
            if handed().is_none() {
                return real();
            }
            // SAFETY: as above.
            unsafe { [<real_ $name>](instead_of(function, NOTHING), handler) }
        }
    )* } } };
}
handlers! { Comm_create_errhandler Win_create_errhandler File_create_errhandler Session_create_errhandler Errhandler_create }
