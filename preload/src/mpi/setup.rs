//! Init, finalize and abort. Observation begins when the library is initialised and ends before it is finalised. A program that has sessions
//! and no world is given one with its first session: all processes must open one.

use crate::last;
use crate::mpi::call::{SUCCESS, call, calls, is_given_up};
use crate::mpi::muster::muster;
use crate::mpi::windows::said;
use crate::mpi::{callers, comms, words};
use crate::rank::{Ending, FOREIGN, begin, connect, file, finish, told_as, unobserved};
use mpi_sys::{MPI_Comm, MPI_Errhandler, MPI_Info};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use thrille_model::job::ENV_RUN_DIR;
use thrille_runtime::Regions;

static BEGUN: AtomicBool = AtomicBool::new(false);

fn initialised(result: c_int) {
    if result != SUCCESS || BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    unobserved(|| {
        let (mut rank, mut size, mut level) = (0, 0, 0);
        // SAFETY: the library is initialised; the variables are our own.
        unsafe {
            mpi_sys::PMPI_Comm_rank(mpi_sys::RSMPI_COMM_WORLD, &raw mut rank);
            mpi_sys::PMPI_Comm_size(mpi_sys::RSMPI_COMM_WORLD, &raw mut size);
            mpi_sys::PMPI_Query_thread(&raw mut level);
        }
        let Some(told) = told_as(rank.max(0) as u32, size.max(0) as u32) else { return };
        comms::begin(size, level);
        let Some(mut transport) = connect(&told) else { return };
        let Some(sink) = muster(&told, &mut transport, file(&told)) else { return };
        words::make(&told, &mut transport);
        // Set once: the library is initialised once.
        let _ = FOREIGN.set(callers::library());
        begin(&told, transport, sink, Regions::default());
    });
}

/// Whether the world is there only because the program uses sessions: we talk over it.
static OWN_WORLD: AtomicBool = AtomicBool::new(false);

/// Sessions that the program has open.
static SESSIONS: AtomicU32 = AtomicU32::new(0);

/// A first session, of a program that has no world: it gets one.
fn world_for_sessions(info: MPI_Info) {
    if BEGUN.load(Ordering::Acquire) || std::env::var_os(ENV_RUN_DIR).is_none() {
        return;
    }
    let multiple = said(info, c"thread_level").is_some_and(|level| level == "MPI_THREAD_MULTIPLE");
    let level = if multiple { mpi_sys::MPI_THREAD_MULTIPLE } else { mpi_sys::MPI_THREAD_SINGLE };
    let mut provided = 0;
    // SAFETY: the library is not initialised; the variable is our own.
    let result =
        unsafe { real_Init_thread(std::ptr::null_mut(), std::ptr::null_mut(), level as c_int, &raw mut provided) };
    OWN_WORLD.store(result == SUCCESS, Ordering::Release);
    initialised(result);
}

/// The program's own call for a world that it has got already.
fn own_world_becomes_its() -> bool {
    OWN_WORLD.swap(false, Ordering::AcqRel)
}

/// The end of what is observed, with everybody.
fn ends() {
    // The library may end processes at once: all must have come here for the last exchange.
    // SAFETY: the program is about to finalise: the library is still there.
    let all_come = || last::inside(|| unsafe { mpi_sys::PMPI_Barrier(mpi_sys::RSMPI_COMM_WORLD) });
    if let Some(mut call) = call() {
        call.enter_barrier();
        all_come();
        call.leave_barrier();
    } else if is_given_up() {
        unobserved(all_come);
    }
    finish(Ending::Regular);
}

fn refuse(what: &str) {
    if let Some(call) = call() {
        call.o.session.note(format!("the program called {what}: the processes it starts are not observed"));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Init(argc: *mut c_int, argv: *mut *mut *mut c_char), real => {
        if own_world_becomes_its() {
            return SUCCESS;
        }
        let result = real();
        initialised(result);
        result
    }
    fn Init_thread(argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int), real => {
        if own_world_becomes_its() {
            // SAFETY: the program's variable.
            return unsafe { mpi_sys::PMPI_Query_thread(provided) };
        }
        let result = real();
        initialised(result);
        result
    }
    fn Finalize(), real => {
        ends();
        real()
    }
    fn Session_init(info: MPI_Info, handler: MPI_Errhandler, session: *mut c_void), real => {
        world_for_sessions(info);
        let result = real();
        if result == SUCCESS {
            SESSIONS.fetch_add(1, Ordering::AcqRel);
        }
        result
    }
    fn Session_finalize(session: *mut c_void), real => {
        let last = SESSIONS.fetch_sub(1, Ordering::AcqRel) == 1 && own_world_becomes_its();
        if last {
            ends();
        }
        let result = real();
        if last {
            // SAFETY: nobody but us uses the world.
            unsafe { real_Finalize() };
        }
        result
    }
    fn Abort(comm: MPI_Comm, code: c_int), real => {
        if !last::call(last::Call::Ends) {
            finish(Ending::Abort);
        }
        real()
    }
    fn Comm_spawn(
        command: *const c_char, argv: *mut *mut c_char, n: c_int, info: MPI_Info, root: c_int, comm: MPI_Comm,
        inter: *mut MPI_Comm, codes: *mut c_int,
    ), real => {
        refuse("MPI_Comm_spawn");
        real()
    }
    fn Comm_spawn_multiple(
        count: c_int, commands: *mut *mut c_char, argvs: *mut *mut *mut c_char, n: *const c_int, infos: *const MPI_Info, root: c_int,
        comm: MPI_Comm, inter: *mut MPI_Comm, codes: *mut c_int,
    ), real => {
        refuse("MPI_Comm_spawn_multiple");
        real()
    }
}
