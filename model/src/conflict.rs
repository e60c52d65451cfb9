//! Which two accesses need an order or a common lock at all.

use crate::access::{Access, Act, Atomic, Domain, Kind};
use crate::lock::{Lock, Locksets};
use crate::place::Segment;

/// Whether the two touch a common byte in ways that do not go together. Order and locks are not looked at.
pub fn conflict(a: &Access, b: &Access) -> bool {
    a.place.owner == b.place.owner
        && a.place.segment == b.place.segment
        && a.place.bytes.overlaps(b.place.bytes)
        && (a.writes() || b.writes())
        && !same_operation(a, b)
        && !go_together(a, b)
        && !of_collectives(a, b)
        && a.place.first_common(&b.place).is_some()
}

/// Whether a common lock, held for the whole of both, keeps them apart. A strand's lock does not keep it from itself, nor does one that a process has
/// keep its threads from one another.
pub fn protected(a: &Access, b: &Access, locksets: &Locksets) -> bool {
    let of_process = |lock: Lock| a.strand.rank == b.strand.rank && matches!(lock, Lock::Window(..));
    a.strand != b.strand && locksets.exclude_each_other(a.locks, b.locks, |lock| !of_process(lock))
}

/// The two ends of one operation are the library's business.
fn same_operation(a: &Access, b: &Access) -> bool {
    a.strand == b.strand
        && a.begin == b.begin
        && (a.operation().is_some() && b.operation().is_some() || a.site == b.site)
}

/// Members of a collective write each other's symmetric memory together: that is the library's business too. Nobody but the process itself uses its buffers
/// where there is no such memory: two processes that hand over the same bytes of a shared window are two.
fn of_collectives(a: &Access, b: &Access) -> bool {
    matches!(a.place.segment, Segment::Heap | Segment::Statics)
        && a.strand.rank != b.strand.rank
        && a.act == Act::Collective
        && b.act == Act::Collective
}

/// Whether how the two touch memory goes together: atomics of one type, say, as far apart as these are or by whole elements more or less.
pub fn go_together(a: &Access, b: &Access) -> bool {
    match (a.kind, b.kind) {
        (Kind::Atomic(x), Kind::Atomic(y)) => {
            let apart = a.place.bytes.lo().abs_diff(b.place.bytes.lo());
            let aligned = apart.is_multiple_of(u64::from(x.width.max(1)));
            let in_order = x.ordered && y.ordered && a.strand.rank == b.strand.rank;
            aligned
                && (atomic_towards_each_other(x, y)
                    || in_order && (x.domain, x.through, x.ty) == (y.domain, y.through, y.ty))
        }
        // What is waited for may be updated by an atomic, a put or a store.
        (Kind::Await, Kind::Atomic(_)) | (Kind::Atomic(_), Kind::Await) => true,
        (Kind::Await, Kind::Write) => updates_at_once(b),
        (Kind::Write, Kind::Await) => updates_at_once(a),
        _ => false,
    }
}

/// Whether a word is never seen half written.
fn updates_at_once(write: &Access) -> bool {
    write.operation().is_some() || write.act == Act::Store
}

fn atomic_towards_each_other(a: Atomic, b: Atomic) -> bool {
    a.domain == b.domain
        && a.width == b.width
        && match a.domain {
            // The processor does not care for types.
            Domain::Processor => true,
            Domain::Shmem => a.ty == b.ty,
            Domain::Mpi => (a.through, a.ty) == (b.through, b.ty) && (a.op == b.op || a.op == 0 || b.op == 0),
        }
}
