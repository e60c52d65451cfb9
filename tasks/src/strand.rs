//! A strand's accesses until it ends: coalesced in time and space, as STINT does at run time.
//!
//! Within a strand the task graph does not change, so it makes no difference whether an access is looked at when it happens or at the strand's end.
//! Until then equal and neighbouring accesses of one line become one.

use crate::detector::{Access, Race, Touch};
use crate::guard::Guards;
use crate::mode::AnyDetector;
use crate::rows::Rowing;
use thrille_history::Interval;

/// Accesses that are kept before they are joined.
const MOST: usize = 1 << 14;

/// The accesses of the strand that runs.
#[derive(Clone, Debug, Default)]
pub struct Strand {
    accesses: Vec<Access>,
}

impl Strand {
    /// Takes in an access.
    pub fn add(&mut self, access: Access) {
        if let Some(last) = self.accesses.last_mut()
            && joins(last, &access)
        {
            return;
        }
        if self.accesses.len() >= MOST {
            self.coalesce();
        }
        self.accesses.push(access);
    }

    fn coalesce(&mut self) {
        coalesce(&mut self.accesses);
    }

    /// The strand ends: what it did is looked at, writes last.
    pub fn end(&mut self, detector: &mut AnyDetector, guards: &Guards, found: &mut dyn FnMut(&Race)) {
        self.coalesce();
        let writes = self.accesses.partition_point(|access| access.touch == Touch::Read);
        for access in &self.accesses[..writes] {
            detector.check(guards, access, found);
        }
        for alike in self.accesses[..writes].chunk_by(|a, b| (a.guard, a.site) == (b.guard, b.site)) {
            let mut rowing = Rowing::default();
            for access in alike {
                rowing.add(access.at, |row| detector.keep_row(access, row));
            }
            rowing.end(|row| detector.keep_row(&alike[0], row));
        }
        for access in &self.accesses[writes..] {
            detector.access(guards, access, found);
        }
        self.accesses.clear();
    }
}

/// Joins what touches, reads first.
pub(crate) fn coalesce(accesses: &mut Vec<Access>) {
    accesses.sort_unstable_by_key(|a| (a.touch, a.guard, a.site, a.at.lo()));
    accesses.dedup_by(|next, kept| joins(kept, next));
}

/// Takes the second into the first, if nothing but the bytes tells them apart and they touch.
fn joins(kept: &mut Access, next: &Access) -> bool {
    let (a, b) = (kept.at, next.at);
    let alike = (kept.touch, kept.guard, kept.site) == (next.touch, next.guard, next.site);
    if !alike || b.lo() > a.hi() || a.lo() > b.hi() {
        return false;
    }
    let Ok(both) = Interval::from_bounds(a.lo().min(b.lo()), a.hi().max(b.hi())) else { return false };
    kept.at = both;
    true
}
