//! The tables of `hooks.h`.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, Ordering};
use thrille_model::{Act, Kind};

/// In which copy a function goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Mode {
    /// The plain one; nothing is counted.
    Off = 0,
    /// The plain one; calls are counted down.
    Count = 1,
    /// The instrumented one; accesses are counted down.
    In = 2,
    /// As [`Mode::Count`], and the hooks are asked behind loops.
    Ask = 3,
}

/// Bits of what a site does.
pub mod kind {
    /// Reads.
    pub const READ: u8 = 1;
    /// Writes; with the other one, reads first.
    pub const WRITE: u8 = 2;
    /// A copy or fill of memory.
    pub const LIBRARY: u8 = 4;
}

/// Bits of what a function is.
mod traits {
    pub const JOINED: u64 = 1;
    pub const SYNCHRONISES: u64 = 2;
    pub const LEAF: u64 = 4;
}

/// What is touched all the time of a site.
#[repr(C)]
pub struct Hot {
    countdown: AtomicI32,
    /// The policy's own.
    pub state: AtomicU8,
    /// Bits of [`kind`].
    pub kind: u8,
    /// Bytes; 0 when they are told.
    pub size: u16,
}

/// What is known of a site.
#[repr(C)]
pub struct Cold {
    file: i32,
    function: i32,
    /// From 1; 0 when it is not known.
    pub line: u32,
    /// From 1; 0 when it is not known.
    pub column: u16,
    /// Of the first of those that are told together: how many. Of the others 0.
    pub together: u16,
}

/// A function.
#[repr(C, align(64))]
pub struct Function {
    mode: AtomicI32,
    budget: AtomicI32,
    countdown: AtomicI32,
    sites: u32,
    hot: *const Hot,
    cold: *const Cold,
    name: *const c_char,
    /// The same in each build of its file.
    pub id: u64,
    traits: u64,
    /// The policy's own.
    pub own: AtomicU64,
}

const _: () = assert!(size_of::<Hot>() == 8 && size_of::<Cold>() == 16 && size_of::<Function>() == 64);

// SAFETY: what changes is atomic; the rest is constant.
unsafe impl Sync for Function {}

#[allow(dead_code, reason = "for policies")]
impl Function {
    /// Where it goes on from now on.
    pub fn set_mode(&self, mode: Mode) {
        self.mode.store(mode as i32, Ordering::Relaxed);
    }

    /// How many accesses its instrumented copy may contain until [`super::hooks`] are asked again.
    pub fn set_budget(&self, accesses: u32) {
        self.budget.store(i32::try_from(accesses).unwrap_or(i32::MAX), Ordering::Relaxed);
    }

    /// What is left of them.
    pub fn budget(&self) -> u32 {
        u32::try_from(self.budget.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// It is looked at, for so many accesses. Calls ask, too, as long as the countdown is not above zero.
    pub fn look(&self, accesses: u32) {
        self.set_budget(accesses);
        self.set_countdown(0);
        self.set_mode(Mode::In);
    }

    /// Whether it is.
    pub fn is_looked_at(&self) -> bool {
        self.mode.load(Ordering::Relaxed) == Mode::In as i32
    }

    /// Takes so many accesses off the budget; false: there are none left.
    pub fn pays(&self, accesses: u32) -> bool {
        let left = self.budget.load(Ordering::Relaxed).saturating_sub_unsigned(accesses);
        self.budget.store(left, Ordering::Relaxed);
        left >= 0
    }

    /// Where hooks in assembly find it.
    pub const MODE: usize = std::mem::offset_of!(Self, mode);
    /// See there.
    pub const BUDGET: usize = std::mem::offset_of!(Self, budget);
    /// See there.
    pub const COUNTDOWN: usize = std::mem::offset_of!(Self, countdown);
    /// See there; the bit of those that call nobody.
    pub const TRAITS: (usize, u64) = (std::mem::offset_of!(Self, traits), traits::LEAF);
    /// See there.
    pub const SITES: usize = std::mem::offset_of!(Self, sites);

    /// How many calls pass until the hooks are asked again.
    pub fn set_countdown(&self, calls: u32) {
        self.countdown.store(i32::try_from(calls).unwrap_or(i32::MAX), Ordering::Relaxed);
    }

    /// Its two copies were compiled apart and joined: what is called instrumented stays so until it returns, and compiled code does not
    /// count `budget`.
    pub fn is_joined(&self) -> bool {
        self.traits & traits::JOINED != 0
    }

    /// Its plain copy has atomic instructions that nobody sees.
    pub fn synchronises(&self) -> bool {
        self.traits & traits::SYNCHRONISES != 0
    }

    /// Its name, as the linker knows it.
    pub fn name(&self) -> &CStr {
        // SAFETY: the compiler's text, in the same file as this table.
        unsafe { CStr::from_ptr(self.name) }
    }

    /// Its sites.
    pub fn sites(&self) -> &[Hot] {
        // SAFETY: so many, in the same file as this table.
        if self.sites == 0 { &[] } else { unsafe { std::slice::from_raw_parts(self.hot, self.sites as usize) } }
    }

    /// What is known of them.
    pub fn places(&self) -> &[Cold] {
        // SAFETY: as many as there are sites.
        unsafe { std::slice::from_raw_parts(self.cold, self.sites as usize) }
    }
}

impl Hot {
    /// What it does, if it does one thing.
    pub fn act(&self) -> (Kind, Act) {
        if self.kind & kind::WRITE == 0 { (Kind::Read, Act::Load) } else { (Kind::Write, Act::Store) }
    }

    /// How many executions of its block pass until it is told.
    pub fn set_countdown(&self, executions: u32) {
        self.countdown.store(i32::try_from(executions).unwrap_or(i32::MAX), Ordering::Relaxed);
    }
}

#[allow(dead_code, reason = "for policies")]
impl Cold {
    /// The file.
    pub fn file(&self) -> Option<&CStr> {
        text(&self.file)
    }

    /// The function in the source, the inlined one if it is one.
    pub fn function(&self) -> Option<&CStr> {
        text(&self.function)
    }
}

/// A text at a distance from the field that says so.
fn text(field: &i32) -> Option<&CStr> {
    // SAFETY: the compiler's text, in the same file as the field.
    (*field != 0).then(|| unsafe { CStr::from_ptr((&raw const *field).cast::<c_char>().offset(*field as isize)) })
}
