//! Remote atomics. A fetching one is over when it returns; one that does not fetch lasts until completion, as a put does.
//!
//! Each is carried out with the word's counter locked, so that it is known which update a fetch saw. One that fetches comes after the
//! update it saw; what it changes counts as made from what it saw, as for C11's read-modify-write operations.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::rank::unobserved;
use crate::shmem::call::{Blocking, Call, Handle, Target, call, is_unseen, operations, passes};
use crate::shmem::words::{self, Change};
use crate::shmem::{fetched, library};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, Atomic, Domain, Effect, How, Kind, Order};
use thrille_runtime::Operands;

/// Numbers of the element types, for telling whether two atomics are of one type.
pub trait Element: Copy + PartialEq {
    const TYPE: u8;

    /// The number that it is as a counter.
    fn count(self) -> u64;
}

macro_rules! elements {
    ($($ty:ty = $n:literal),*) => { $( impl Element for $ty {
        const TYPE: u8 = $n;

        fn count(self) -> u64 {
            self as u64
        }
    } )* };
}
elements! { i32 = 1, u32 = 2, i64 = 3, u64 = 4, isize = 3, usize = 4, f32 = 5, f64 = 6 }

/// The access of an atomic on this type.
pub fn kind<T: Element>(effect: Effect) -> Kind {
    Kind::Atomic(Atomic {
        domain: Domain::Shmem,
        through: 0,
        ty: T::TYPE,
        width: size_of::<T>() as u8,
        op: 0,
        ordered: false,
        effect,
    })
}

/// An atomic that does not fetch.
#[inline(always)]
fn change<T: Element>(to: Option<Target>, dest: *const T, change: (How, Change), real: impl Fn()) {
    if passes(to, dest.cast(), size_of::<T>()) {
        return unobserved(real);
    }
    change_seen(to, dest, change, &real);
}

fn change_seen<T: Element>(to: Option<Target>, dest: *const T, (how, change): (How, Change), real: &dyn Fn()) {
    let (Some(mut call), Some(to)) = (call(), to) else { return real() };
    call.issue();
    let channel = call.channel(to);
    call.far(
        dest.cast(),
        size_of::<T>(),
        to,
        kind::<T>(Effect::Update),
        Act::RemoteAtomic,
        Operands::Until(to.ctx, Order::Fenced(channel)),
    );
    let mut locked = call.part(dest, to).and_then(words::lock);
    real();
    let made = locked.as_mut().map(|locked| locked.write(how, change));
    drop(locked);
    if let Some(made) = made {
        call.update(made, Some(channel), false);
    }
}

/// Where the fetched value goes.
enum Fetched {
    /// It is returned.
    Value,
    /// Into memory, at the latest when the context is completed.
    Later(*const c_void),
}

/// An atomic that fetches. `changed` tells from what it fetched whether it wrote.
#[inline(always)]
fn fetch<T: Element>(
    to: Option<Target>,
    dest: *const T,
    into: &Fetched,
    change: (&dyn Fn(T) -> bool, Change),
    real: impl Fn() -> T,
) -> T {
    if is_unseen(to) { unobserved(real) } else { fetch_seen(to, dest, into, change, &real) }
}

fn fetch_seen<T: Element>(
    to: Option<Target>,
    dest: *const T,
    into: &Fetched,
    (changed, change): (&dyn Fn(T) -> bool, Change),
    real: &dyn Fn() -> T,
) -> T {
    let (Some(mut call), Some(to)) = (call(), to) else { return real() };
    let later = matches!(into, Fetched::Later(_));
    if later || call.confirms() {
        call.issue();
    }
    if call.confirms() {
        ends(&mut call, to, dest, into, Effect::Update);
        return real();
    }
    let part = call.part(dest, to);
    let known = part.and_then(|part| call.knows(part.word));
    let mut locked = part.and_then(words::lock);
    let fetched = real();
    let wrote = changed(fetched);
    let seen = match (&mut locked, into) {
        (Some(locked), Fetched::Value) => Some(locked.look(known)),
        (Some(locked), Fetched::Later(_)) => {
            fetched::fetches(&call, to.ctx, locked, known);
            None
        }
        (None, _) => None,
    };
    let made = if wrote { locked.as_mut().map(|locked| locked.write(How::Modify, change)) } else { None };
    drop(locked);
    library::help();

    let effect = if wrote { Effect::Update } else { Effect::Load };
    ends(&mut call, to, dest, into, effect);
    if !later {
        // It is over before anybody sees what it made.
        call.issue();
    }
    if let Some(made) = made {
        call.update(made, later.then_some(call.channel(to)), false);
    }
    if let Some(seen) = seen {
        call.observe(seen, known);
    }
    fetched
}

/// Both ends of one that fetches.
fn ends<T: Element>(call: &mut Call, to: Target, dest: *const T, into: &Fetched, effect: Effect) {
    let lasts = match *into {
        Fetched::Value => Operands::Done,
        Fetched::Later(at) => {
            call.near(at, size_of::<T>(), Kind::Write, to.ctx, Blocking::No);
            Operands::Until(to.ctx, Order::Fenced(call.channel(to)))
        }
    };
    call.far(dest.cast(), size_of::<T>(), to, kind::<T>(effect), Act::RemoteAtomic, lasts);
}

// SAFETY (all rows of this file): each body forwards the program's own arguments.
macro_rules! changes {
    ($ty:ty, $how:ident; $($name:ident ($($arg:ident),*) $change:expr),*) => { pastey::paste! { operations! { $(
        #unseen fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            change(Target::default_ctx(pe), dest, (How::$how, $change), || unsafe { [<pshmem_ $name>](dest, $($arg,)* pe) });
        }
        fn [<ctx_ $name>](ctx: Handle, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            change(Target::on(ctx, pe), dest, (How::$how, $change), || unsafe { [<pshmem_ctx_ $name>](ctx, dest, $($arg,)* pe) });
        }
    )* } } };
}

macro_rules! fetches {
    ($ty:ty; $($name:ident ($($arg:ident),*) $old:ident => $changed:expr, $change:expr);* $(;)?) => { pastey::paste! { operations! { $(
        #unseen fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) -> $ty {
            fetch(Target::default_ctx(pe), dest, &Fetched::Value, (&|$old| $changed, $change), || unsafe { [<pshmem_ $name>](dest, $($arg,)* pe) })
        }
        fn [<ctx_ $name>](ctx: Handle, dest: *mut $ty, $($arg: $ty,)* pe: c_int) -> $ty {
            fetch(Target::on(ctx, pe), dest, &Fetched::Value, (&|$old| $changed, $change), || unsafe { [<pshmem_ctx_ $name>](ctx, dest, $($arg,)* pe) })
        }
        #unseen fn [<$name _nbi>](into: *mut $ty, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            fetch(Target::default_ctx(pe), dest, &Fetched::Later(into.cast()), (&|$old| $changed, $change), || unsafe {
                [<pshmem_ $name _nbi>](into, dest, $($arg,)* pe);
                *into
            });
        }
        fn [<ctx_ $name _nbi>](ctx: Handle, into: *mut $ty, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            fetch(Target::on(ctx, pe), dest, &Fetched::Later(into.cast()), (&|$old| $changed, $change), || unsafe {
                [<pshmem_ctx_ $name _nbi>](ctx, into, dest, $($arg,)* pe);
                *into
            });
        }
    )* } } };
}

macro_rules! extended {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            changes! { $ty, Set; [<$name _atomic_set>](value) Change::To(value.count()) }
            fetches! { $ty; [<$name _atomic_fetch>]() _old => false, Change::Some; [<$name _atomic_swap>](value) _old => true, Change::To(value.count()) }
        }
    };
}
extended_amo_types! { extended }

macro_rules! standard {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            changes! { $ty, Modify; [<$name _atomic_inc>]() Change::By(1), [<$name _atomic_add>](value) Change::By(value.count()) }
            fetches! {
                $ty;
                [<$name _atomic_fetch_inc>]() _old => true, Change::By(1);
                [<$name _atomic_fetch_add>](value) _old => true, Change::By(value.count());
                [<$name _atomic_compare_swap>](cond, value) old => old == cond, Change::To(value.count())
            }
        }
    };
}
amo_types! { standard }

macro_rules! bitwise {
    ($name:ident, $ty:ty) => { pastey::paste! {
        changes! { $ty, Modify; [<$name _atomic_and>](value) Change::Some, [<$name _atomic_or>](value) Change::Some, [<$name _atomic_xor>](value) Change::Some }
        fetches! {
            $ty;
            [<$name _atomic_fetch_and>](value) _old => true, Change::Some;
            [<$name _atomic_fetch_or>](value) _old => true, Change::Some;
            [<$name _atomic_fetch_xor>](value) _old => true, Change::Some
        }
    } };
}
bitwise_amo_types! { bitwise }

/// The names from before version 1.4, on the default context only.
macro_rules! old_changes {
    ($ty:ty, $how:ident; $($name:ident ($($arg:ident),*) $change:expr),*) => { pastey::paste! { operations! { $(
        #unseen fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            change(Target::default_ctx(pe), dest, (How::$how, $change), || unsafe { [<pshmem_ $name>](dest, $($arg,)* pe) });
        }
    )* } } };
}

macro_rules! old_fetches {
    ($ty:ty; $($name:ident ($($arg:ident),*) $old:ident => $changed:expr, $change:expr);* $(;)?) => { pastey::paste! { operations! { $(
        #unseen fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) -> $ty {
            fetch(Target::default_ctx(pe), dest, &Fetched::Value, (&|$old| $changed, $change), || unsafe { [<pshmem_ $name>](dest, $($arg,)* pe) })
        }
    )* } } };
}

macro_rules! old_extended {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        old_changes! { $ty, Set; [<$name _set>](value) Change::To(value.count()) }
        old_fetches! { $ty; [<$name _fetch>]() _old => false, Change::Some; [<$name _swap>](value) _old => true, Change::To(value.count()) }
    )* } };
}
old_extended! { int, i32; long, i64; longlong, i64; float, f32; double, f64; }

macro_rules! old_standard {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        old_changes! { $ty, Modify; [<$name _inc>]() Change::By(1), [<$name _add>](value) Change::By(value.count()) }
        old_fetches! { $ty; [<$name _finc>]() _old => true, Change::By(1); [<$name _fadd>](value) _old => true, Change::By(value.count()); [<$name _cswap>](cond, value) old => old == cond, Change::To(value.count()) }
    )* } };
}
old_standard! { int, i32; long, i64; longlong, i64; }
