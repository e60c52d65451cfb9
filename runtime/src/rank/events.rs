//! The log: what strands release and acquire, what they do to words of the job and see of them.

use super::knowledge::Knowledge;
use super::rest::Life;
use super::{Rank, log};
use crate::carried::Made;
use crate::recorder::Recorder;
use thrille_model::{Access, Channel, Ctx, How, Pos, Span, Strand, Sync, SyncEvent, Token, Word};

/// Whether a strand tells others something by it, and learns nothing itself.
fn is_told(sync: Sync) -> bool {
    use Sync::{Fence, Quiet, Release, Unlock, Unshare, Update};
    matches!(sync, Release(_) | Quiet(_) | Fence(_) | Unlock(..) | Unshare { .. } | Update { how: How::Set, .. })
}

impl Rank {
    /// Anything a strand does that others may come after or that comes after others.
    pub(super) fn event(&mut self, recorder: &mut Recorder, sync: Sync) {
        if !self.single() {
            self.drain(recorder);
        }
        recorder.see(&self.regions, self.all_memory(recorder.strand));
        let pos = if is_told(sync) { recorder.tell() } else { recorder.tick() };
        self.event_here(recorder, sync, pos);
    }

    pub(super) fn event_here(&mut self, recorder: &Recorder, sync: Sync, pos: Pos) {
        if self.muted {
            return;
        }
        self.knowledge[recorder.strand.number() as usize].learn(recorder.strand, pos.0);
        self.carried.fix(pos);
        let at = self.callers.of(recorder.calling);
        self.events.push(SyncEvent { strand: recorder.strand, pos, sync, at });
        if self.events.len() >= self.look.next {
            self.shorten_log(pos);
        }
    }

    /// The log is long.
    #[cold]
    fn shorten_log(&mut self, pos: Pos) {
        if self.look.may_clear && self.ranks == 1 && self.has_crew() && self.orders_all() {
            // There is nothing that the log could order: what comes after something yet to happen is yet to happen as well.
            self.carried.end(pos);
            self.events.clear();
            self.accesses.clear();
            self.recent.clear();
        } else if !self.single() && self.held() < self.events.len() / 4 {
            self.carried.end(pos);
            let open = self.open.all().map(|open| (open.access.strand, open.access.begin)).collect::<Vec<_>>();
            let records = self.accesses.iter().chain(&self.recent).flat_map(|access| {
                let end = match access.span {
                    Span::Point => None,
                    Span::Operation(operation) => operation.end,
                };
                [Some(access.begin), end].into_iter().flatten().map(|pos| (access.strand, pos))
            });
            let (tokens, look, sections) = (&self.tokens, &self.look, &self.sections);
            let is_over = |token: &Token| match token {
                // Who takes the lock next acquires it, and whoever shares it before.
                Token::Handover { lock, number, .. } => sections.get(lock).is_some_and(|taken| *number < taken.version),
                _ => !tokens.contains_key(token) && !look.before.contains(token),
            };
            log::shorten(&mut self.events, records.chain(open), is_over);
        }
        self.look.again(self.events.len());
    }

    /// Whether what the strand does to private memory is PINT's alone: it is part of a task graph, and no operation of the rank is under way that could be using such memory.
    pub(super) fn is_followed(&self, recorder: &Recorder) -> bool {
        self.open.is_empty()
            && self.watch.as_ref().is_some_and(|watch| watch.looks())
            && recorder.hand.as_ref().is_some_and(|hand| hand.core.strand().is_some())
    }

    /// Whether its tasks are followed on several threads.
    pub(super) fn has_crew(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.crew.is_some())
    }

    /// Whether what is recorded comes before all that will happen, and is in order itself: all of it is of one strand, and the others know of it. Then it is part of no race.
    fn orders_all(&self) -> bool {
        if !self.open.is_empty() || !self.inside.is_empty() {
            return false;
        }
        let mut records = self.accesses.iter().chain(&self.recent);
        let Some(first) = records.next() else { return true };
        let of_one = |access: &Access| access.strand == first.strand && access.span == Span::Point;
        if !of_one(first) || !records.all(of_one) {
            return false;
        }
        let last = self.accesses.iter().chain(&self.recent).map(|access| access.begin.0).max().unwrap_or(0);
        let knows = |&strand: &Strand| {
            strand == first.strand
                || self.lives[strand.number() as usize] == Life::Gone
                || self.knowledge[strand.number() as usize].of(first.strand) > last
        };
        self.strands.iter().all(knows)
    }

    /// Whether a token is one of the rank's own, and its only strand alone could acquire it: whoever is created later comes after all that anyway.
    fn orders_nothing(&self, token: Token) -> bool {
        self.single() && matches!(token, Token::Local { .. })
    }

    /// Everything before comes before who acquires the token.
    pub fn release(&mut self, recorder: &mut Recorder, token: Token) {
        if self.orders_nothing(token) {
            return;
        }
        self.event(recorder, Sync::Release(token));
        if matches!(token, Token::Fork(_) | Token::Exit(_) | Token::Local { .. }) {
            let knows = &self.knowledge[recorder.strand.number() as usize];
            let known = self.tokens.len();
            self.tokens.entry(token).or_default().join(knows);
            if self.tokens.len() > known {
                self.forget_before(token);
            }
        }
    }

    /// Nobody needs what was released two rounds before: a line of tokens goes on when all have come for the last but one.
    fn forget_before(&mut self, token: Token) {
        if let Token::Local { rank, address, round } = token
            && round >= 2
        {
            self.tokens.remove(&Token::Local { rank, address, round: round - 2 });
        }
    }

    /// Everything after comes after all releases of the token.
    pub fn acquire(&mut self, recorder: &mut Recorder, token: Token) {
        if self.orders_nothing(token) {
            return;
        }
        self.event(recorder, Sync::Acquire(token));
        if let Some(known) = self.tokens.get(&token).cloned() {
            self.learn(recorder, &known);
        }
        match token {
            Token::Fork(_) | Token::Exit(_) => {
                self.tokens.remove(&token);
            }
            _ => self.forget_before(token),
        }
    }

    /// The same of a token that nobody acquires after this strand, and nobody releases.
    pub fn acquire_last(&mut self, recorder: &mut Recorder, token: Token) {
        self.acquire(recorder, token);
        self.tokens.remove(&token);
    }

    /// The same for who leaves it to somebody to acquire the token.
    pub fn peek(&mut self, recorder: &mut Recorder, token: Token) {
        self.event(recorder, Sync::Peek(token));
    }

    /// What this rank issued on the context is done for who acquires the token.
    pub fn hand_over(&mut self, recorder: &mut Recorder, ctx: Ctx, token: Token) {
        self.event(recorder, Sync::Handed(ctx, token));
    }

    pub(super) fn learn(&mut self, recorder: &mut Recorder, known: &Knowledge) {
        let knowledge = &mut self.knowledge[recorder.strand.number() as usize];
        knowledge.join(known);
        recorder.phase = knowledge.phase;
        recorder.until = recorder.until.max(recorder.phase);
        self.borrow(recorder);
    }

    /// A one-sided update of a word of the job.
    pub fn update(
        &mut self,
        recorder: &mut Recorder,
        word: Word,
        made: Made,
        how: How,
        via: Option<Channel>,
        signals: bool,
    ) {
        if !self.single() {
            self.drain(recorder);
        }
        recorder.catch_up();
        let sync = Sync::Update { word, version: made.version, how, via, signals };
        if !self.single() || self.muted || self.carried.off {
            return self.event_here(recorder, sync, recorder.pos);
        }
        let at = self.callers.of(recorder.calling);
        let event = SyncEvent { strand: recorder.strand, pos: recorder.pos, sync, at };
        self.knowledge[recorder.strand.number() as usize].learn(recorder.strand, recorder.pos.0);
        self.carried.updated(&mut self.events, event, made, (how, via));
    }

    /// Whether a strand knows what another one did at a position.
    pub fn knows_of(&self, strand: Strand, other: Strand, pos: Pos) -> bool {
        self.knowledge[strand.number() as usize].of(other) > pos.0
    }

    /// Writes down all that an only strand repeats: for tests that compare the two.
    pub fn write_down_repeats(&mut self) {
        self.carried.off = true;
    }

    /// The version of a word of which the rank has nothing to learn.
    pub fn knows(&self, word: Word) -> Option<u64> {
        self.carried.known(word).filter(|_| self.single())
    }

    /// A word of the job is changed by an instruction of the processor.
    pub fn signal(&mut self, recorder: &mut Recorder, word: Word, version: u64, how: How) {
        self.event(recorder, Sync::Update { word, version, how, via: None, signals: false });
    }

    /// A word of the job was seen.
    pub fn observe(&mut self, recorder: &mut Recorder, word: Word, version: u64) {
        self.observe_beyond(recorder, word, version, self.knows(word));
    }

    /// The same, of which the strand knew that version before the operation by which it saw this one.
    pub fn observe_beyond(&mut self, recorder: &mut Recorder, word: Word, version: u64, known: Option<u64>) {
        if known == Some(version) {
            if self.sees_flows {
                // What flows into the accesses that follow does not flow into those before.
                recorder.tick();
            }
            return;
        }
        self.event(recorder, Sync::Observe { word, version });
        if self.single() {
            self.carried.saw(word, version);
        }
    }
}
