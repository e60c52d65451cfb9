//! Records on their way: from a strand's runs to what is held for the next exchange, merged, and thinned when there are too many.

use super::{Binding, Rank};
use crate::recorder::{Recorder, UNRESOLVED};
use crate::runs::Run;
use crate::thin::thin;
use thrille_model::{Access, Comb, Interval, Kind, LocksetId, Phases, Place, Span, comb};

/// Records at which merging begins.
pub(super) const MERGE: usize = 1 << 16;

/// Joins points of one line that touch, as [`crate::runs`] does for what it holds at a time.
fn merge(accesses: &mut Vec<Access>) {
    let alike = |a: &Access| (a.strand, a.site, a.begin, a.place.owner, a.place.segment, a.kind, a.locks);
    accesses.sort_unstable_by_key(|a| (a.site.offset, a.kind == Kind::Write, a.begin, a.place.bytes.lo()));
    accesses.dedup_by(|next, kept| {
        let points = kept.span == Span::Point && next.span == Span::Point;
        if !points || alike(kept) != alike(next) || kept.phases != next.phases {
            return false;
        }
        let Some((bytes, comb)) = comb::join(kept.place.teeth(), next.place.teeth()) else { return false };
        (kept.place.bytes, kept.place.comb) = (bytes, comb);
        kept.times = kept.times.saturating_add(next.times);
        true
    });
}

/// How many runs, from the first on, are one comb: equally long, equally far apart, of one line at one time. And how many accesses.
fn progression(runs: &[Run]) -> (usize, u32) {
    /// Fewer teeth are not worth a comb.
    const FEWEST: usize = 4;
    let first = &runs[0];
    let stride = runs.get(1).map_or(0, |second| second.lo.saturating_sub(first.lo));
    if stride <= first.hi - first.lo {
        return (1, first.times);
    }
    let like_first = |run: &Run| run.hi - run.lo == first.hi - first.lo && run.same_but_for_bytes(first);
    let follows = |pair: &&[Run]| like_first(&pair[1]) && pair[1].lo.checked_sub(pair[0].lo) == Some(stride);
    let teeth = 1 + runs.windows(2).take_while(follows).count();
    if teeth < FEWEST {
        return (1, first.times);
    }
    (teeth, runs[..teeth].iter().fold(0, |sum: u32, run| sum.saturating_add(run.times)))
}

impl Rank {
    /// Takes a strand's runs.
    pub fn drain(&mut self, recorder: &mut Recorder) {
        for (to, operations, bytes) in recorder.repeated.drain(..) {
            self.sent(to, operations, bytes);
        }
        let mut runs = std::mem::take(&mut self.scratch);
        recorder.settle_owners();
        recorder.count_repeated();
        recorder.runs.take(&mut runs);
        if recorder.lent != self.lent {
            self.give_back(recorder, &mut runs);
        }
        if self.watch.as_ref().is_some_and(|watch| watch.looks()) {
            self.look_at(recorder, &mut runs);
        }
        let next = if self.single() { &mut self.accesses } else { &mut self.recent };
        next.reserve(runs.len());
        let mut left = runs.as_slice();
        while let Some(run) = left.first() {
            let (mut teeth, mut times) = progression(left);
            if teeth > 1 && run.segment == UNRESOLVED {
                // One comb, if all of it is in one block.
                let len = left[teeth - 1].hi - run.lo;
                if self.blocks.part(run.lo, len).2 < len {
                    (teeth, times) = (1, run.times);
                }
            }
            left = &left[teeth..];
            if self.kept() >= self.limit && !self.make_some_room() {
                self.dropped += u64::from(times);
                continue;
            }
            let end = runs[runs.len() - left.len() - 1].hi;
            let site = self.modules.site(run.pc);
            let mut at = run.lo;
            while at < end {
                let whole = (run.segment, at, end - at);
                let (segment, lo, len) = if run.segment == UNRESOLVED { self.blocks.part(at, end - at) } else { whole };
                at += len;
                let Ok(bytes) = Interval::from_len(lo, len) else { break };
                let mut place = Place::solid(run.owner, segment, bytes);
                if teeth > 1 {
                    let stride = (end - run.hi) / (teeth as u64 - 1);
                    let comb = Comb::new(bytes.lo(), stride, run.hi - run.lo, teeth as u64);
                    (place.bytes, place.comb) = comb.unwrap_or((bytes, Comb::SOLID));
                }
                self.recorded += 1;
                self.keep(Access {
                    place,
                    kind: run.kind,
                    strand: recorder.strand,
                    begin: run.pos,
                    span: Span::Point,
                    phases: Phases { lo: run.phase, hi: self.single().then_some(run.until) },
                    locks: run.locks,
                    act: run.act,
                    site,
                    stack: run.stack,
                    times,
                });
            }
        }
        runs.clear();
        self.scratch = runs;
        if self.kept() >= self.next_merge {
            self.carried.forget_records();
            merge(&mut self.accesses);
            merge(&mut self.recent);
            self.next_merge = self.kept() * 2 + MERGE;
        }
    }

    /// Records that are held for the next cut.
    fn kept(&self) -> usize {
        self.accesses.len() + self.recent.len()
    }

    /// The limit is reached: records are merged; if that does not help, the lines that have the most give. Whether there is room now.
    #[cold]
    fn make_some_room(&mut self) -> bool {
        if self.full {
            return false;
        }
        self.carried.forget_records();
        merge(&mut self.accesses);
        merge(&mut self.recent);
        if self.kept() > self.limit / 4 * 3 {
            for list in [&mut self.accesses, &mut self.recent] {
                self.dropped += thin(list, list.len() / 2);
            }
        }
        // When little could be dropped, it is not tried again before the next cut.
        self.full = self.kept() > self.limit / 8 * 7;
        self.kept() < self.limit
    }

    /// Keeps an access for its owner.
    pub(super) fn keep(&mut self, access: Access) {
        let end = match access.span {
            Span::Point => access.begin,
            Span::Operation(operation) => operation.end.unwrap_or(access.begin),
        };
        let below = &mut self.recorded_below[access.strand.number() as usize];
        *below = (*below).max(end.0 + 1);
        if access.phases.hi.is_some() { self.accesses.push(access) } else { self.recent.push(access) }
    }

    /// Shows the runs of a task to the detector. Private memory matters to nobody else then, unless there are threads or an operation uses it.
    fn look_at(&mut self, recorder: &mut Recorder, runs: &mut Vec<Run>) {
        let Some(watch) = &mut self.watch else { return };
        if let Some(hand) = &mut recorder.hand {
            let own = |run: &Run| Interval::from_bounds(run.lo, run.hi).is_ok_and(|at| hand.has_own(at));
            hand.bound |= runs.iter().any(|run| run.segment == UNRESOLVED && own(run));
        }
        // What a task did that nothing keeps apart from others is in its footprint; the rest is here, and what others have to know.
        let by_line = |run: &Run| {
            !recorder.footprint.is_on()
                || run.locks != LocksetId::EMPTY
                || !matches!(run.kind, Kind::Read | Kind::Write)
        };
        for run in runs.iter().filter(|run| by_line(run)) {
            watch.access(recorder.hand.as_deref_mut(), &self.regions, self.me, &self.locksets, run);
        }
        let binds = if let Some(hand) = &mut recorder.hand {
            recorder.asked |= watch.strand_of(hand, &mut recorder.footprint, recorder.phase, &self.locksets)
                && matches!(recorder.binding, Binding::Free(_));
            false
        } else {
            let phases = Phases { lo: recorder.phase, hi: Some(recorder.until) };
            runs.iter().any(|run| run.segment == UNRESOLVED && watch.has_own(run.lo))
                | watch.strand(self.me, &mut recorder.footprint, phases)
        };
        recorder.renew_quick();
        let followed = self.is_followed(recorder);
        if followed && self.ranks == 1 {
            // There is nobody else.
            runs.clear();
        } else if followed || (self.single() && self.open.is_empty()) {
            runs.retain(|run| run.segment != UNRESOLVED);
        }
        if binds {
            self.bind_task(recorder);
        }
    }
}
