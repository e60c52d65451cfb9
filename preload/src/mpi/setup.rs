//! Init, finalize and abort. Observation begins when the library is initialised and ends before it is finalised.

use crate::mpi::call::{SUCCESS, call, calls};
use crate::mpi::muster::muster;
use crate::mpi::{callers, comms, words};
use crate::rank::{Ending, FOREIGN, begin, connect, file, finish, told_as, unobserved};
use mpi_sys::{MPI_Comm, MPI_Info};
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
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

fn refuse(what: &str) {
    if let Some(call) = call() {
        call.o.session.note(format!("the program called {what}: the processes it starts are not observed"));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Init(argc: *mut c_int, argv: *mut *mut *mut c_char), real => {
        let result = real();
        initialised(result);
        result
    }
    fn Init_thread(argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int), real => {
        let result = real();
        initialised(result);
        result
    }
    fn Finalize(), real => {
        if let Some(mut call) = call() {
            call.enter_barrier();
            // The library may end processes at once: all must have come here for the last exchange.
            // SAFETY: the program is about to finalise: the library is still there.
            unsafe { mpi_sys::PMPI_Barrier(mpi_sys::RSMPI_COMM_WORLD) };
            call.leave_barrier();
        }
        finish(Ending::Regular);
        real()
    }
    fn Abort(comm: MPI_Comm, code: c_int), real => {
        finish(Ending::Abort);
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
