//! What the rows of the tables are written in.

use crate::entry::block;
use crate::mpi::again;
use crate::mpi::callers::{self, Caller};
use crate::mpi::datatypes::Layout;
use crate::mpi::freed;
use crate::mpi::words;
use crate::observed::like_every_call;
use crate::openmp;
use crate::rank::{Observed, observe, observe_unsettled};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use thrille_model::{Act, Ctx, Kind, Token};

/// Success, in both libraries.
pub const SUCCESS: c_int = 0;

/// Whether a call did what it is for: also if a message was longer than its buffer, which ends its receive. Other errors are found before
/// anything is done; who handles them goes on as if there had been no call.
pub fn has_ended(result: c_int) -> bool {
    let mut class = SUCCESS;
    // SAFETY: asks about a code that the library has returned.
    result == SUCCESS
        || unsafe { mpi_sys::PMPI_Error_class(result, &raw mut class) } == SUCCESS
            && class == mpi_sys::MPI_ERR_TRUNCATE as c_int
}

/// Which of the two libraries this is built for: they number things differently.
pub const OPEN_MPI: bool = mpi_sys::MPI_ANY_SOURCE == -1;

/// State of this process that several calls share. Held while the library is asked something, never while it may wait for others.
pub struct Shared<T>(Mutex<Option<T>>);

impl<T: Default> Shared<T> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Works on it.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
    }
}

/// A handle of the library as a number: an address in one library, an integer in the other.
pub fn raw<H: Copy>(handle: H) -> u64 {
    let mut bytes = [0u8; 8];
    let len = size_of::<H>().min(8);
    // SAFETY: handles are plain pointers or integers, of which at most 8 bytes are read.
    unsafe { std::ptr::copy_nonoverlapping((&raw const handle).cast::<u8>(), bytes.as_mut_ptr(), len) };
    u64::from_ne_bytes(bytes)
}

/// Defines the wrappers of MPI calls, under both names: in the body, `$real()` is the library's function with the program's arguments, and
/// `real_NAME` the same with any others. With `by`, the symbol is one of those of [`crate::mpi::echo`].
macro_rules! calls {
    ($( fn $name:ident ( $($arg:ident : $ty:ty),* $(,)? ), $real:ident $(by $way:ident $which:expr)? => $body:block )*) => { pastey::paste! { $(
        static [<PMPI_ $name:upper>]: $crate::real::Real =
            $crate::real::Real::new(concat!("PMPI_", stringify!($name), "\0").as_bytes());
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "as the standard has it")]
        pub unsafe fn [<real_ $name>]($($arg: $ty),*) -> std::ffi::c_int {
            let address = [<PMPI_ $name:upper>].get();
            if address == 0 {
                return mpi_sys::MPI_ERR_INTERN as std::ffi::c_int;
            }
            // SAFETY: the library's function of this name has this type.
            let real = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> std::ffi::c_int>(address) };
            // SAFETY: the caller's.
            $crate::last::inside(|| unsafe { real($($arg),*) })
        }
        $crate::mpi::call::trampoline! { [<MPI_ $name>] [<on_ $name>] $($way $which)? }
        $crate::mpi::call::trampoline! { [<PMPI_ $name>] [<on_ $name>] $($way $which)? }
        #[allow(non_snake_case, unused_braces, clippy::too_many_arguments, reason = "as the standard has it")]
        unsafe extern "C" fn [<on_ $name>]($($arg: $ty),*) -> std::ffi::c_int {
            // SAFETY: forwards the program's own arguments.
            #[allow(unused_variables)]
            let $real = || unsafe { [<real_ $name>]($($arg),*) };
            $body
        }
    )* } };
}
pub(crate) use calls;

/// A symbol that notes who called and goes on.
macro_rules! trampoline {
    ($symbol:ident $body:ident operation $deed:expr) => { $crate::mpi::echo::operation! { $symbol $body $deed } };
    ($symbol:ident $body:ident flush $one:expr) => { $crate::mpi::echo::flush! { $symbol $body } };
    ($symbol:ident $body:ident) => {
        #[doc(hidden)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + 8], r10",
                "mov qword ptr fs:[r11 + 24], rsp",
                "jmp {to}",
                to = sym $body,
            )
        }
    };
}
pub(crate) use trampoline;

/// Numbers of completion scopes.
static SCOPES: AtomicU32 = AtomicU32::new(2);

/// A new completion scope.
pub fn scope() -> Ctx {
    scopes().0
}

/// A scope of near ends and that of the far ends, which is known to belong to it ([`Ctx::near`]).
pub fn scopes() -> (Ctx, Ctx) {
    let near = SCOPES.fetch_add(2, Ordering::Relaxed);
    (Ctx(near), Ctx(near + 1))
}

/// A call of the program, being observed.
pub struct Call {
    pub o: Observed,
    /// Who made it: the program, or a binding for it.
    pub by: Caller,
}

/// Begins to observe a call; none when it is not to be observed: not yet, not any more, or made by the library itself.
pub fn call() -> Option<Call> {
    let mut call = operation()?;
    again::other_call(&mut call.o);
    Some(call)
}

/// The same for an operation, which changes nothing about how the next one is understood.
pub fn operation() -> Option<Call> {
    called(observe()?)
}

/// The same for a flush, which may concern what waits to be told.
pub fn flush() -> Option<Call> {
    called(observe_unsettled()?)
}

/// Whether this is a call of the program in a rank that was given up: where the others agree on something, it has to say its part.
pub fn is_given_up() -> bool {
    // SAFETY: the block is this thread's own.
    let (depth, pc) = unsafe { ((*block()).depth, (*block()).pc) };
    openmp::is_given_up() && depth == 0 && callers::of(pc) != Caller::Library
}

fn called(mut o: Observed) -> Option<Call> {
    let by = callers::of(o.pc);
    match by {
        Caller::Program => Some(Call { o, by }),
        Caller::Binding => {
            let (pc, sp) = callers::behind_binding(&mut o.recorder.stack, o.pc).unwrap_or_default();
            (o.pc, o.recorder.calling) = (pc, pc);
            o.recorder.stack.in_call(pc, sp);
            Some(Call { o, by })
        }
        Caller::Library => None,
    }
}

/// Elements of memory, as MPI calls have them.
#[derive(Clone)]
pub struct Buffer {
    /// Address of the first element.
    pub at: u64,
    /// How many.
    pub count: u64,
    /// Which bytes each has.
    pub layout: Arc<Layout>,
    /// How it is touched.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
}

impl Buffer {
    /// Its bytes: address and length of each stretch.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.layout.runs(self.count).map(|(at, len)| (self.at.wrapping_add_signed(at), len))
    }

    /// An operation uses it until a scope is completed.
    pub fn used_until(&self, o: &mut Observed, scope: Ctx) {
        for teeth in self.layout.combs(self.at, self.count) {
            o.until(teeth, self.kind, self.act, scope);
        }
    }
}

/// Where the arguments of collectives say that there is no separate buffer.
pub fn in_place(at: *const c_void) -> bool {
    at as usize == if OPEN_MPI { 1 } else { usize::MAX }
}

like_every_call!(Call);

impl Call {
    /// Uses a buffer for the time of the call.
    pub fn touch(&mut self, buffer: &Buffer) {
        for (at, len) in buffer.runs() {
            self.o.touch(at, len, buffer.kind, buffer.act);
        }
    }

    /// Uses a buffer until a scope is completed.
    pub fn near(&mut self, buffer: &Buffer, until: Ctx) {
        buffer.used_until(&mut self.o, until);
    }

    /// Comes to a global barrier, which completes what only waited for one.
    pub fn enter_barrier(&mut self) {
        for ctx in crate::mpi::active::settled() {
            self.quiet(ctx);
        }
        self.o.enter_barrier();
    }

    /// Passes one that waits for nobody.
    pub fn count_barrier(&mut self) {
        words::helping(|| self.o.session.count_barrier(self.o.recorder));
    }

    /// Sees that a message was sent, which is still to be received.
    pub fn peek(&mut self, message: Token) {
        self.o.session.rank().peek(self.o.recorder, message);
    }

    /// Acquires a token, having heard of who released it.
    pub fn hear(&mut self, token: Token) {
        self.acquire(token);
        match token {
            Token::Message { from, .. } => freed::heard_of(self, Some(from)),
            Token::Collective { .. } => freed::heard_of(self, None),
            _ => {}
        }
    }

    /// Goes on after it, having heard of everybody.
    pub fn leave_barrier(&mut self) {
        words::helping(|| self.o.leave_barrier());
        freed::heard_of(self, None);
    }
}
