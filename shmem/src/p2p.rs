//! Point-to-point synchronisation: wait for, or test, variables of this PE that others write.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::atomics::{Word, word};
use crate::fail::fail_args;
use crate::state::{State, state};
use crate::wait::Backoff;

/// The comparisons, numbered as in `shmem.h`.
#[derive(Clone, Copy)]
pub enum Compare {
    Eq = 1,
    Ne = 2,
    Gt = 3,
    Ge = 4,
    Lt = 5,
    Le = 6,
}

impl Compare {
    /// Checks what the program passed.
    pub fn new(call: &'static str, cmp: c_int) -> Self {
        match cmp {
            1 => Self::Eq,
            2 => Self::Ne,
            3 => Self::Gt,
            4 => Self::Ge,
            5 => Self::Lt,
            6 => Self::Le,
            _ => fail_args(
                call,
                format_args!("argument cmp = {cmp} is not a comparison; use one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE"),
            ),
        }
    }

    fn holds<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
            Self::Lt => a < b,
            Self::Le => a <= b,
        }
    }
}

/// A type that one can wait on.
pub trait Waitable: Word + PartialOrd {
    fn load(word: &Self::Atomic) -> Self;
}

macro_rules! waitable {
    ($($ty:ty),*) => { $( impl Waitable for $ty {
        fn load(word: &Self::Atomic) -> Self { word.load(Ordering::Acquire) }
    } )* };
}
waitable! { i16, u16, i32, u32, i64, u64, isize, usize }

/// Waits until the variable compares as asked, and returns its value.
pub fn wait_value<T: Waitable>(call: &'static str, ivar: *const T, cmp: Compare, value: T) -> T {
    let state = state(call);
    let word = word::<T>(call, "ivar", state, ivar, state.me);
    let mut backoff = Backoff::new(state);
    loop {
        let now = T::load(word);
        if cmp.holds(now, value) {
            return now;
        }
        backoff.pause();
    }
}

fn test_value<T: Waitable>(call: &'static str, ivar: *const T, cmp: Compare, value: T) -> c_int {
    let state = state(call);
    c_int::from(cmp.holds(T::load(word::<T>(call, "ivar", state, ivar, state.me)), value))
}

/// What the variables are compared with.
#[derive(Clone, Copy)]
enum Values<T> {
    Same(T),
    Each(*const T),
}

/// Several variables, some of them left out by the program's status array.
struct Set<T: Waitable> {
    state: &'static State,
    words: &'static [T::Atomic],
    status: *const c_int,
    cmp: Compare,
    values: Values<T>,
}

/// Where the next search among several begins, so that none is passed over for ever.
static TURN: AtomicUsize = AtomicUsize::new(0);

impl<T: Waitable> Set<T> {
    fn new(
        call: &'static str,
        ivars: *const T,
        nelems: usize,
        status: *const c_int,
        cmp: c_int,
        values: Values<T>,
    ) -> Self {
        let state = state(call);
        let words = if nelems == 0 {
            &[]
        } else {
            state.remote(call, "ivars", ivars.cast(), nelems.saturating_mul(size_of::<T>()), state.me);
            // SAFETY: all `nelems` words are mapped for the life of the process, and the first is checked for alignment.
            unsafe {
                std::slice::from_raw_parts(std::ptr::from_ref(word::<T>(call, "ivars", state, ivars, state.me)), nelems)
            }
        };
        Self { state, words, status, cmp: Compare::new(call, cmp), values }
    }

    fn included(&self, i: usize) -> bool {
        // SAFETY: the program's array has as many elements as there are variables.
        self.status.is_null() || unsafe { *self.status.add(i) } == 0
    }

    fn holds(&self, i: usize) -> bool {
        let value = match self.values {
            Values::Same(value) => value,
            // SAFETY: the program's array has as many elements as there are variables.
            Values::Each(values) => unsafe { *values.add(i) },
        };
        self.cmp.holds(T::load(&self.words[i]), value)
    }

    fn is_empty(&self) -> bool {
        !(0..self.words.len()).any(|i| self.included(i))
    }

    fn test_all(&self) -> c_int {
        c_int::from((0..self.words.len()).all(|i| !self.included(i) || self.holds(i)))
    }

    fn test_any(&self) -> usize {
        let n = self.words.len();
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        (0..n).map(|i| (i + turn % n) % n).find(|&i| self.included(i) && self.holds(i)).unwrap_or(usize::MAX)
    }

    fn test_some(&self, indices: *mut usize) -> usize {
        let mut found = 0;
        for i in (0..self.words.len()).filter(|&i| self.included(i) && self.holds(i)) {
            // SAFETY: the program's array has as many elements as there are variables.
            unsafe { indices.add(found).write(i) };
            found += 1;
        }
        found
    }

    fn wait_all(&self) {
        let mut backoff = Backoff::new(self.state);
        for i in (0..self.words.len()).filter(|&i| self.included(i)) {
            while !self.holds(i) {
                backoff.pause();
            }
        }
    }

    fn wait_any(&self) -> usize {
        let mut backoff = Backoff::new(self.state);
        if self.is_empty() {
            return usize::MAX;
        }
        loop {
            let found = self.test_any();
            if found != usize::MAX {
                return found;
            }
            backoff.pause();
        }
    }

    fn wait_some(&self, indices: *mut usize) -> usize {
        let mut backoff = Backoff::new(self.state);
        if self.is_empty() {
            return 0;
        }
        loop {
            let found = self.test_some(indices);
            if found != 0 {
                return found;
            }
            backoff.pause();
        }
    }
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        export! {
            fn [<$name _wait_until>](ivar: *mut $ty, cmp: c_int, value: $ty) {
                wait_value(CALL, ivar, Compare::new(CALL, cmp), value);
            }
            fn [<$name _test>](ivar: *mut $ty, cmp: c_int, value: $ty) -> c_int {
                test_value(CALL, ivar, Compare::new(CALL, cmp), value)
            }
        }
        several! { $ty, $ty, Same, [<$name _wait_until_all>], [<$name _wait_until_any>], [<$name _wait_until_some>], [<$name _test_all>], [<$name _test_any>], [<$name _test_some>] }
        several! { $ty, *const $ty, Each, [<$name _wait_until_all_vector>], [<$name _wait_until_any_vector>], [<$name _wait_until_some_vector>], [<$name _test_all_vector>], [<$name _test_any_vector>], [<$name _test_some_vector>] }
    } };
}

/// The forms over several variables, compared with one value or with one each.
macro_rules! several {
    ($ty:ty, $value:ty, $form:ident, $wait_all:ident, $wait_any:ident, $wait_some:ident, $all:ident, $any:ident, $some:ident) => { export! {
        fn $wait_all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).wait_all();
        }
        fn $wait_any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).wait_any()
        }
        fn $wait_some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).wait_some(indices)
        }
        fn $all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> c_int {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).test_all()
        }
        fn $any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).test_any()
        }
        fn $some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            Set::new(CALL, ivars, nelems, status, cmp, Values::$form(value)).test_some(indices)
        }
    } };
}
p2p_types! { typed }

/// The forms from before version 1.4.
macro_rules! old_wait {
    ($($name:ident, $ty:ty;)*) => { export! { $(
        fn $name(ivar: *mut $ty, value: $ty) {
            wait_value(CALL, ivar, Compare::Ne, value);
        }
    )* } };
}
old_wait! { short_wait, i16; int_wait, i32; long_wait, c_long; longlong_wait, i64; wait, c_long; }

export! {
    fn wait_until(ivar: *mut c_long, cmp: c_int, value: c_long) {
        wait_value(CALL, ivar, Compare::new(CALL, cmp), value);
    }
}
