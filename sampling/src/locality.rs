//! The locality cache: what touches private memory only need not be looked at.
//!
//! The paper takes a reference that touched private memory once for private from then on. That misses races when a pointer goes to
//! shared memory later. Here a site that touched private memory rests, and is woken
//!
//! * when something makes memory shared that was not: a window, a symmetric allocation, a buffer that is new to nonblocking calls, a second
//!   thread (a new *generation*): all at once, at their next executions;
//! * when a kind of phase begins in which it has not been looked at ([`crate::kinds`]);
//! * when its function is looked at again: in each of the first [`VISITS`] such calls, then in the 32nd, the 64th, ...: the pointer may be
//!   another one;
//! * after a gap that doubles each time, up to 65,536 executions.
//!
//! What touched shared memory once, or memory that some nonblocking call has used, is not in the cache until the next generation: it may do
//! so again with nothing in between that could be noticed. What this can miss: a site that was private in all its first calls and is handed
//! shared memory in a later call that is not looked at. `full` does not use the cache.

use crate::gaps::LONGEST;

/// First calls of a function in which its resting sites are woken, each time.
pub const VISITS: u32 = 16;

/// What a site touched, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locality {
    /// Nothing yet in this generation.
    #[default]
    Unknown,
    /// Private memory only, each time it was looked at: so many times.
    Private(u8),
    /// Memory that others can reach, at least once.
    Shared,
}

impl Locality {
    /// After one more look.
    #[must_use]
    pub fn after(self, private: bool) -> Self {
        match self {
            Self::Shared => Self::Shared,
            _ if !private => Self::Shared,
            Self::Unknown => Self::Private(1),
            Self::Private(looks) => Self::Private(looks.saturating_add(1)),
        }
    }

    /// How many executions it rests, if it does.
    pub fn rest(self) -> Option<u32> {
        match self {
            Self::Private(looks) => Some((1_u32 << looks.min(16)).min(LONGEST)),
            Self::Unknown | Self::Shared => None,
        }
    }
}

/// Whether a function's resting sites are woken in this call of those that are looked at.
pub fn wakes(visit: u32) -> bool {
    visit <= VISITS || visit.is_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_shared_is_never_private_again() {
        let mut site = Locality::Unknown;
        for rest in [2, 4, 8] {
            site = site.after(true);
            assert_eq!(site.rest(), Some(rest));
        }
        site = site.after(false).after(true);
        assert_eq!((site, site.rest()), (Locality::Shared, None));
        let old = (0..300).fold(Locality::Unknown, |site, _| site.after(true));
        assert_eq!(old.rest(), Some(LONGEST));
    }
}
