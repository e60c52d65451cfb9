//! Who this PE is and where everything is mapped; how a symmetric address of this PE becomes the address of the same
//! object of another one.
//!
//! Set once, in `shmem_init`, and then only read, so that the access path has no lock.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use thrille_launch::{Attached, Control, Mapping};

use crate::fail::{fail, fail_args};
use crate::statics::Statics;

/// Everything a PE knows about its job.
pub struct State {
    pub me: usize,
    pub npes: usize,
    pub control: Control,
    heaps: Mapping,
    heap_bytes: usize,
    /// Address of this PE's heap: within `heaps`.
    heap_here: usize,
    statics: Option<StaticData>,
}

struct StaticData {
    all: Mapping,
    bytes: usize,
    /// Address of this PE's static data: in the executable, not within `all`.
    here: usize,
    ranges: Vec<std::ops::Range<usize>>,
}

static STATE: OnceLock<State> = OnceLock::new();

/// The state, if `shmem_init` was called.
#[inline]
pub fn try_state() -> Option<&'static State> {
    STATE.get()
}

/// The state; a program that has none gets told so by `call`.
#[inline]
pub fn state(call: &'static str) -> &'static State {
    match STATE.get() {
        Some(state) => state,
        None => fail(call, "called before shmem_init; call shmem_init first"),
    }
}

/// Maps everything and becomes a PE. `statics` is the executable's static data, which this makes symmetric.
pub fn set(attached: Attached, statics: &Statics) -> Result<&'static State, String> {
    let (heaps, data) = map(&attached, statics).inspect_err(|_| attached.control.abort(1))?;
    let Attached { pe: me, npes, heap_bytes, control, .. } = attached;
    let heap_here = heaps.base().addr() + me * heap_bytes;
    Ok(STATE.get_or_init(|| State { me, npes, control, heaps, heap_bytes, heap_here, statics: data }))
}

fn map(attached: &Attached, statics: &Statics) -> Result<(Mapping, Option<StaticData>), String> {
    let heaps = attached.map_heaps().map_err(|e| e.to_string())?;
    let data = if statics.bytes() == 0 {
        None
    } else {
        attached.control.agree_statics(statics.bytes()).map_err(|other| {
            format!(
                "this executable has {} bytes of static data, another PE's has {other}; run the same executable on every PE",
                statics.bytes()
            )
        })?;
        let all = attached.map_statics(statics.bytes()).map_err(|e| e.to_string())?;
        statics.share(attached.raw_fd(), attached.statics_at() + attached.pe * statics.bytes())?;
        Some(StaticData { all, bytes: statics.bytes(), here: statics.base(), ranges: statics.ranges() })
    };
    Ok((heaps, data))
}

impl State {
    /// This PE's heap: address and bytes.
    pub fn heap(&self) -> (*mut u8, usize) {
        (self.heap_of(self.me), self.heap_bytes)
    }

    fn heap_of(&self, pe: usize) -> *mut u8 {
        self.heaps.base().wrapping_add(pe * self.heap_bytes)
    }

    /// A segment (0 heap, 1 statics) of `pe` as mapped here: address and bytes.
    pub fn segment(&self, segment: c_int, pe: usize) -> Option<(*mut u8, usize)> {
        match (segment, &self.statics) {
            _ if pe >= self.npes => None,
            (0, _) => Some((self.heap_of(pe), self.heap_bytes)),
            (1, Some(data)) if pe == self.me => Some((std::ptr::with_exposed_provenance_mut(data.here), data.bytes)),
            (1, Some(data)) => Some((data.all.base().wrapping_add(pe * data.bytes), data.bytes)),
            _ => None,
        }
    }

    /// Where the `len` bytes at the symmetric address `addr` of this PE are on `pe`, which exists.
    #[inline]
    pub fn translate(&self, addr: *const c_void, len: usize, pe: usize) -> Option<*mut u8> {
        let at = addr.addr().wrapping_sub(self.heap_here);
        if at < self.heap_bytes {
            return (len <= self.heap_bytes - at).then(|| self.heap_of(pe).wrapping_add(at));
        }
        let data = self.statics.as_ref()?;
        let at = addr.addr().wrapping_sub(data.here);
        if at >= data.bytes || len > data.bytes - at || !data.within(at, len) {
            return None;
        }
        Some(if pe == self.me { addr.cast_mut().cast() } else { data.all.base().wrapping_add(pe * data.bytes + at) })
    }

    /// The PE number as an index; one that does not exist ends the job.
    #[inline]
    pub fn pe(&self, call: &'static str, pe: c_int) -> usize {
        if (pe as usize) < self.npes {
            return pe as usize;
        }
        fail_args(
            call,
            format_args!("argument pe = {pe} is not a PE of this job; use 0 to {} (shmem_n_pes() - 1)", self.npes - 1),
        )
    }

    /// [`Self::translate`], or the end of the job with the reason.
    #[inline]
    pub fn remote(&self, call: &'static str, arg: &'static str, addr: *const c_void, len: usize, pe: usize) -> *mut u8 {
        match self.translate(addr, len, pe) {
            Some(p) => p,
            None => self.not_symmetric(call, arg, addr, len),
        }
    }

    #[cold]
    fn not_symmetric(&self, call: &'static str, arg: &'static str, addr: *const c_void, len: usize) -> ! {
        for (segment, name) in [(0, "the symmetric heap"), (1, "the static data")] {
            if let Some((base, bytes)) = self.segment(segment, self.me) {
                let at = addr.addr().wrapping_sub(base.addr());
                if at < bytes {
                    fail_args(
                        call,
                        format_args!(
                            "argument {arg} = {addr:p}: {len} bytes from there reach past the end of {name} ({} bytes are left); \
                             check the element count",
                            bytes - at
                        ),
                    )
                }
            }
        }
        fail_args(
            call,
            format_args!(
                "argument {arg} = {addr:p} is not a symmetric address; use memory of shmem_malloc, or a global or static \
                 variable of the program"
            ),
        )
    }
}

impl StaticData {
    /// Whether the bytes are all in one writable segment; there is nearly always only one.
    #[inline]
    fn within(&self, at: usize, len: usize) -> bool {
        self.ranges.len() == 1 || self.within_one(at, len)
    }

    #[cold]
    fn within_one(&self, at: usize, len: usize) -> bool {
        self.ranges.iter().any(|r| r.start <= at && at + len <= r.end)
    }
}
