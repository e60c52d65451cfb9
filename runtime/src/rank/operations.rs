//! One-sided operations, and other calls that use memory until something completes them: from their issue to their completion, each end by itself.

use super::Rank;
use crate::open::Open;
use crate::recorder::{Recorder, UNRESOLVED};
use crate::runs::Run;
use crate::underway::Use;
use thrille_analysis::Close;
use thrille_model::{
    Access, Act, Comb, Ctx, Interval, Kind, LocksetId, Operation, Order, Phase, Phases, Place, Segment, Span, Sync,
    comb,
};

/// Buffers of a strand's operations that are gone through at every completion. More are gone through when half as many again are done: until then the
/// strand takes some memory for used that is used no more, and makes more records than it must.
const FEW_LEFT: usize = 16;

/// Operations that are completed together and are many.
const MANY: usize = 1 << 10;

/// One end of an operation.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Whose memory, which part, from which offset on.
    pub owner: thrille_model::Rank,
    /// Which part of it.
    pub segment: Segment,
    /// First byte.
    pub lo: u64,
    /// From there to the last.
    pub len: u64,
    /// Which of those.
    pub comb: Comb,
    /// How it is touched.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
}

/// What makes an end of an operation last.
#[derive(Clone, Copy, Debug)]
pub enum Operands {
    /// It is over when the call returns.
    Done,
    /// Until the context is completed, ordered before that as said.
    Until(Ctx, Order),
}

impl Rank {
    /// An operation is issued: its ends get a position of their own.
    pub fn issue(&mut self, recorder: &mut Recorder) {
        // Other strands of this rank may complete it: then its place among this strand's accesses matters.
        if self.single() {
            recorder.step();
            return;
        }
        if recorder.lent != self.lent {
            self.drain(recorder);
        }
        recorder.tick();
    }

    /// One end of the operation that was issued last.
    pub fn end(&mut self, recorder: &mut Recorder, end: End, pc: u64, lasts: Operands) {
        if self.muted {
            return;
        }
        let Some(place) = self.place(end.owner, end.segment, end.lo, end.len) else { return };
        let Ok(range) = Interval::from_len(end.lo, end.len) else { return };
        let (place, bytes) = (Place { comb: end.comb, ..place }, (range, end.comb));
        for tooth in comb::teeth(bytes) {
            let Some(watch) = self.watch.as_mut().filter(|watch| watch.looks()) else { break };
            let run = Run {
                pc,
                lo: tooth.lo(),
                hi: tooth.hi(),
                pos: recorder.pos,
                phase: recorder.phase,
                until: recorder.until,
                owner: end.owner,
                segment: end.segment,
                kind: end.kind,
                act: end.act,
                locks: recorder.locks,
                stack: recorder.stack.at(pc),
                times: 1,
            };
            watch.access(recorder.hand.as_deref_mut(), &self.regions, self.me, &self.locksets, &run);
        }
        let mut access = Access {
            place,
            kind: end.kind,
            strand: recorder.strand,
            begin: recorder.pos,
            span: Span::Point,
            phases: Phases { lo: recorder.phase, hi: None },
            locks: recorder.locks,
            act: end.act,
            site: self.modules.site(pc),
            stack: recorder.stack.at(pc),
            times: 1,
        };
        recorder.observed += 1;
        if end.owner != self.me {
            self.sent(end.owner, 1, end.comb.bytes(range));
        }
        let crosses = recorder.crosses(end.owner, end.segment, end.lo, end.lo.saturating_add(end.len));
        match lasts {
            Operands::Done => {
                access.phases.hi = self.single().then_some(recorder.until);
                let own = end.segment == UNRESOLVED && !recorder.crossed.private;
                if !own || !self.keeps_to_itself() {
                    self.keep_once(access, crosses);
                }
            }
            Operands::Until(ctx, order) => {
                access.span = Span::Operation(Operation { ctx, end: None, order });
                let uses = match end.segment {
                    UNRESOLVED => Use::Private(bytes),
                    segment => Use::Shared(end.owner, segment, bytes),
                };
                recorder.use_until_done(uses);
                let locks = recorder.all_held();
                self.open.add(ctx, Open { access, locks, uses, shipped: false, completed: None });
            }
        }
    }

    /// Whether nobody but the rank's only strand touches its private memory. What an operation did there matters then to what the strand did there
    /// meanwhile, and to nothing else.
    fn keeps_to_itself(&self) -> bool {
        self.single() && self.watch.is_none() && !self.carried.off
    }

    /// Adds the record of an operation that is over, unless it is that of an earlier one at another place.
    fn keep_once(&mut self, access: Access, crossed: bool) {
        // What flows into a section does so at the first access, not at the last.
        let flows = self.sees_flows && access.locks != LocksetId::EMPTY;
        if crossed || flows || !self.single() || self.carried.off {
            self.keep(access);
        } else if !self.carried.keep(&mut self.accesses, access) {
            return;
        }
        self.recorded += 1;
    }

    pub(super) fn sent(&mut self, to: thrille_model::Rank, times: u64, bytes: u64) {
        let to = to.0 as usize;
        if self.traffic.len() <= to {
            self.traffic.resize(to + 1, (0, 0));
        }
        let (operations, sum) = &mut self.traffic[to];
        (*operations, *sum) = (*operations + times, *sum + bytes);
    }

    /// Operations on other ranks' memory: whose, how many, how many bytes.
    pub fn traffic(&self) -> Vec<(thrille_model::Rank, u64, u64)> {
        let rows =
            (0..).zip(&self.traffic).map(|(to, &(operations, bytes))| (thrille_model::Rank(to), operations, bytes));
        rows.filter(|&(_, operations, _)| operations > 0).collect()
    }

    /// What comes on this context later arrives later.
    pub fn fence(&mut self, recorder: &mut Recorder, ctx: Ctx) {
        self.carried.fence();
        self.event(recorder, Sync::Fence(ctx));
    }

    /// What this rank issued on the context, as far as the strand knows of it, is complete.
    pub fn quiet(&mut self, recorder: &mut Recorder, ctx: Ctx) {
        if self.watch.is_some() {
            // What was done while the operations were under way is told before they are not.
            self.drain(recorder);
        }
        if self.single() {
            recorder.step();
        } else {
            self.event(recorder, Sync::Quiet(ctx));
        }
        let (me, phase) = (recorder.strand, self.single().then_some(recorder.until));
        let done = self.open.take(me, ctx);
        recorder.outdated += done.len();
        if done.len() > MANY {
            // All at once, instead of copying them again and again.
            self.accesses.reserve(done.len());
        }
        for mut open in done {
            if let Span::Operation(operation) = &mut open.access.span {
                operation.end = Some(recorder.pos);
            }
            if open.access.begin <= recorder.epoch {
                // What follows comes after it, not just what follows the next event.
                recorder.catch_up();
            }
            let own = matches!(open.uses, Use::Private(..)) && !open.shipped && !recorder.crossed.private;
            if !own || !self.keeps_to_itself() {
                self.close(open, phase, recorder.crossed.any);
            }
        }
        let knows = &self.knowledge[me.number() as usize];
        for open in self.open.of_others(me, ctx).filter(|o| knows.of(o.access.strand) > o.access.begin.0) {
            open.completed.get_or_insert((me, recorder.pos));
        }
        if self.single() && !self.open.is_empty() {
            // Something else is still under way: the report may have to say that the wrong context was completed.
            self.event_here(recorder, Sync::Quiet(ctx), recorder.pos);
        }
        let left = self.open.private(me);
        if left > FEW_LEFT && recorder.outdated < left / 2 {
            return;
        }
        recorder.nothing_under_way();
        let crossed = std::mem::take(&mut recorder.crossed);
        self.open.uses(me, |uses| {
            recorder.crossed.any = crossed.any;
            recorder.crossed.private |= crossed.private && matches!(uses, Use::Private(..));
            recorder.use_until_done(uses);
        });
    }

    /// Hands a completed operation on to its owner.
    pub(super) fn close(&mut self, open: Open, phase: Option<Phase>, crossed: bool) {
        let locks = self.locksets.intern(open.locks);
        let Span::Operation(operation) = open.access.span else { return };
        if open.shipped {
            let Access { strand, begin, place, .. } = open.access;
            self.closes
                .push((place.owner, Close { strand, begin, ctx: operation.ctx, end: operation.end, phase, locks }));
        } else {
            self.keep_once(
                Access { locks, phases: Phases { hi: phase, ..open.access.phases }, ..open.access },
                crossed,
            );
        }
    }
}
