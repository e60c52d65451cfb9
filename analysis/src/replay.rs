//! Order later: logs, replayed in one order that respects happens-before, with the accesses in question.
//!
//! The logs may be those of some ranks only ([`known`](crate::known)). What they order is ordered; so an acquire of what nobody is known to have released
//! teaches nothing, and an observation of a word teaches only what the seen version is known to contain: back to the last version that set the
//! word or, unless all of them are known, that follows on one that is missing.
//!
//! This is FastTrack's idea moved to after the fact. Each strand's events and accesses are taken in program order; a strand that
//! acquires waits until what it acquires has been released. At each access the strand's [`Clock`] says what is known to be done;
//! a conflicting earlier access that is not among that is a race. The order of the replay is a linear extension of happens-before,
//! so the reverse question (is the new one done before the stored one begins?) never arises.
//!
//! An access is done, for who knows that
//! * its own strand passed its end (a point: its own position), or
//! * somebody acquired the token that it was handed over with, or
//! * something issued on its channel after a later fence has arrived, or the signal that follows its data was seen, or the word that it writes itself, or
//! * a strand of its rank completed its context after learning of its issue.
//!
//! *Locks.* The critical sections of a lock are replayed in the order in which they were, so that what flows through a lock is met from the
//! earlier section to the later. Flows are found in a first replay, shared among the owners and made part of the order in a second one:
//! the memory that is handed over and the flag that tells so may belong to different ranks.
//!
//! *Forgetting.* A stored access is dropped when a later one of the same strand, line, kind, bytes and locks comes after it, or will
//! be completed with it: whoever comes later and is unordered with the dropped one is unordered with the one that stays. So no pair of
//! lines is lost, and a location holds at most one record for each line and strand, unless operations pile up uncompleted.
//!
//! *Broken logs* (a rank died): when no strand can go on, one is let through knowing everything so far. That may hide a race, and
//! never invents one.

use crate::clock::{Clock, Lane};
use crate::known::Closed;
use crate::sections::Busy;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;
use thrille_history::{History, IntervalSkiplist, Keep};
use thrille_model::{
    Access, Caller, Ctx, Flow, How, Lock, Locksets, Order, Pos, Rank, Segment, Site, Span, Strand, Sync, SyncEvent,
    Token, Why, Word, conflict, protected,
};

/// An unordered, conflicting, unprotected pair: indices of accesses, the earlier in the replay first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the access that was replayed first.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// Why nothing orders them.
    pub why: Why,
}

/// What a replay comes upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Two accesses that race.
    Race(Pair),
    /// Two accesses that a lock keeps apart, the later of which saw, or may have seen, the earlier.
    Flow(Flow),
}

/// What is known of the logs.
#[derive(Clone, Copy)]
pub struct Logs<'a> {
    /// Events in any order, but for those of one position.
    pub events: &'a [SyncEvent],
    /// The versions of words of which all updates are there that they are made of, if not all logs are.
    pub closed: &'a Closed,
}

/// A change of a word by an operation.
struct Made {
    word: Word,
    /// The same by its address, as accesses are.
    at_home: Word,
    version: u64,
}

/// Replays the logs with the accesses that `chosen` marks, and tells `found` of every race and every flow through a lock that it meets.
///
/// The accesses are by address; `at_home` says where a word is there.
pub fn replay(
    accesses: &[Access],
    chosen: &[bool],
    logs: Logs,
    locksets: &Locksets,
    at_home: impl Fn(Word) -> Word,
    found: impl FnMut(Found),
) {
    let mut replay = Replay::new(accesses, chosen, logs, locksets, at_home, found);
    loop {
        while let Some(lane) = replay.ready.pop() {
            replay.run(lane);
        }
        if !replay.let_one_through() {
            return;
        }
    }
}

/// A flow as what it does to the order: the end of the earlier section comes before the access in the later one.
pub fn as_events(flow: Flow) -> [SyncEvent; 2] {
    let event = |(strand, pos), sync| SyncEvent { strand, pos, sync, at: Caller::default() };
    [event(flow.from, Sync::Release(Token::Flow(flow))), event(flow.to, Sync::Acquire(Token::Flow(flow)))]
}

#[derive(Clone, Copy)]
enum Item {
    Event(usize),
    Access(usize),
}

struct StrandState {
    items: Vec<Item>,
    next: usize,
    clock: Clock,
}

#[derive(Default)]
struct TokenState {
    releases_to_come: usize,
    complete: bool,
    clock: Clock,
    waiting: Vec<Lane>,
}

/// The updates of one word, joined in the order of their versions.
#[derive(Default)]
struct WordState {
    updates: BTreeMap<u64, WordUpdate>,
    /// Joined up to here.
    joined: Option<u64>,
    running: Clock,
    /// The same since the last gap, if there was one since the word was last set.
    since_gap: Option<Clock>,
    /// What an observer of a version learns, for the versions that somebody observes.
    learned: FxHashMap<u64, Rc<Clock>>,
    /// The versions that are observed, and whether all is known that they are made of.
    observed: FxHashMap<u64, bool>,
    /// The same of the last updates in them: words that are counted together leave each other numbers out.
    wanted: FxHashMap<u64, bool>,
    /// The versions before which one is missing.
    gaps: BTreeSet<u64>,
    /// The versions that replaced what was there.
    sets: BTreeSet<u64>,
    /// The puts whose signals are in the release sequence at a version.
    signals: Vec<(u64, (Strand, Pos))>,
    /// Which versions strands saw, and where.
    seen: FxHashMap<Lane, Vec<(Pos, u64)>>,
    waiting: Vec<Lane>,
}

struct WordUpdate {
    how: How,
    clock: Option<Clock>,
    signal: Option<(Strand, Pos)>,
}

/// The critical sections of a lock, which are replayed in the order in which they were.
#[derive(Default)]
struct LockState {
    /// Those that have not ended yet in the replay, of those whose end is in the logs.
    to_end: BTreeSet<u64>,
    /// The same of those who share it, by the number of the one before: how many they are.
    shared: BTreeMap<u64, usize>,
    waiting: Vec<Lane>,
}

impl LockState {
    /// The first that has not ended, be it shared.
    fn first_to_end(&self) -> Option<u64> {
        let shared = self.shared.first_key_value().map(|(first, _)| first);
        self.to_end.first().into_iter().chain(shared).min().copied()
    }

    /// One ends, if that is what this is: whether others may go on.
    fn ends(&mut self, sync: Sync) -> bool {
        match sync {
            Sync::Unlock(_, number) => self.to_end.remove(&number),
            Sync::Unshare { number, .. } => {
                let others = self.shared.get_mut(&number).map(|those| {
                    *those -= 1;
                    *those
                });
                others == Some(0) && self.shared.remove(&number).is_some()
            }
            _ => false,
        }
    }
}

/// One strand's completions of a context, in order: where, and what it knew then.
struct Quiets {
    lane: Lane,
    at: Vec<(Pos, Clock)>,
}

impl Quiets {
    /// Whether one that this clock knows of completed what `lane` issued at `begin`. Of those that it knows the last knew most.
    fn completed(&self, clock: &Clock, lane: Lane, begin: Pos) -> bool {
        let known = self.at.partition_point(|&(pos, _)| clock.knows(self.lane, pos));
        self.at[..known].last().is_some_and(|(_, knew)| knew.knows(lane, begin))
    }
}

struct Replay<'a, F> {
    accesses: &'a [Access],
    events: &'a [SyncEvent],
    locksets: &'a Locksets,
    strands: Vec<StrandState>,
    lanes: FxHashMap<Strand, Lane>,
    tokens: FxHashMap<Token, TokenState>,
    /// The global barriers among them, in order.
    barriers: Vec<Token>,
    words: FxHashMap<Word, WordState>,
    quiets: FxHashMap<(Rank, Ctx), Vec<Quiets>>,
    /// Why pairs of sites race, once found out.
    whys: FxHashMap<(Site, Site), Why>,
    locks: FxHashMap<Lock, LockState>,
    /// The sections that something may flow through.
    sections: Busy,
    /// With which token what a rank issued on a context is handed over.
    handed: FxHashMap<(Rank, Ctx), Token>,
    /// Who acquired such a token, and where.
    taken: FxHashMap<Token, Vec<(Lane, Pos)>>,
    /// Who saw the signal of a put, and where.
    signal_seen: FxHashMap<(Strand, Pos), Vec<(Lane, Pos)>>,
    /// The words that an operation changes.
    made: FxHashMap<(Strand, Pos), Vec<Made>>,
    /// Calls that also read or write this memory at once.
    both_ends: FxHashSet<(Strand, Pos, Site)>,
    history: FxHashMap<Segment, IntervalSkiplist<usize>>,
    ready: Vec<Lane>,
    found: F,
}

impl<'a, F: FnMut(Found)> Replay<'a, F> {
    fn new(
        accesses: &'a [Access],
        chosen: &[bool],
        logs: Logs<'a>,
        locksets: &'a Locksets,
        at_home: impl Fn(Word) -> Word,
        found: F,
    ) -> Self {
        let events = logs.events;
        let mut items: BTreeMap<Strand, Vec<(Pos, Item)>> = BTreeMap::new();
        let mut tokens: FxHashMap<Token, TokenState> = FxHashMap::default();
        let mut words: FxHashMap<Word, WordState> = FxHashMap::default();
        let mut locks: FxHashMap<Lock, LockState> = FxHashMap::default();
        let in_question = accesses.iter().zip(chosen).filter(|&(_, &chosen)| chosen);
        let sections = Busy::new(events, in_question.map(|(access, _)| (access.strand, access.begin)));
        let mut handed = FxHashMap::default();
        let those = |point: bool| {
            let chosen = accesses.iter().zip(chosen).filter(|&(_, &chosen)| chosen).map(|(access, _)| access);
            chosen.filter(move |a| (a.span == Span::Point) == point)
        };
        let mut made: FxHashMap<(Strand, Pos), Vec<Made>> =
            those(false).map(|a| ((a.strand, a.begin), Vec::new())).collect();
        let both_ends = those(true).filter(|a| made.contains_key(&(a.strand, a.begin)));
        let both_ends = both_ends.map(|a| (a.strand, a.begin, a.site)).collect();
        for (i, event) in events.iter().enumerate().filter(|&(i, _)| !sections.is_idle(i)) {
            items.entry(event.strand).or_default().push((event.pos, Item::Event(i)));
            match event.sync {
                Sync::Release(token) => tokens.entry(token).or_default().releases_to_come += 1,
                Sync::Update { word, version, how, signals, .. } => {
                    let signal = signals.then_some((event.strand, event.pos));
                    let state = words.entry(word).or_default();
                    if how == How::Set {
                        state.sets.insert(version);
                    }
                    state.updates.insert(version, WordUpdate { how, clock: None, signal });
                    if let Some(made) = made.get_mut(&(event.strand, event.pos)) {
                        made.push(Made { word, at_home: at_home(word), version });
                    }
                }
                Sync::Observe { word, version } => {
                    let closed = logs.closed.holds(word, version);
                    words.entry(word).or_default().observed.insert(version, closed);
                }
                Sync::Unlock(lock, number) => _ = locks.entry(lock).or_default().to_end.insert(number),
                Sync::Unshare { lock, number, .. } => {
                    *locks.entry(lock).or_default().shared.entry(number).or_default() += 1;
                }
                // A barrier comes after those before it, whoever is known to have called it.
                Sync::Acquire(token @ Token::Phase(_)) => _ = tokens.entry(token).or_default(),
                Sync::Handed(ctx, token) => _ = handed.insert((event.strand.rank, ctx), token),
                Sync::Lock(..)
                | Sync::Share(..)
                | Sync::Acquire(_)
                | Sync::Peek(_)
                | Sync::Quiet(_)
                | Sync::Fence(_) => {}
            }
        }
        words.values_mut().for_each(WordState::look_for_gaps);
        let mut barriers: Vec<Token> = tokens.keys().copied().filter(|t| matches!(t, Token::Phase(_))).collect();
        barriers.sort_unstable();
        for (i, access) in accesses.iter().enumerate().filter(|&(i, _)| chosen[i]) {
            items.entry(access.strand).or_default().push((access.begin, Item::Access(i)));
        }
        let mut strands = Vec::with_capacity(items.len());
        let mut lanes = FxHashMap::default();
        for (strand, mut items) in items {
            // What shares a position: the event or operation that it was advanced for, then the points that followed.
            items.sort_by_key(|&(pos, item)| (pos, matches!(item, Item::Access(i) if accesses[i].span == Span::Point)));
            lanes.insert(strand, Lane(strands.len() as u32));
            let items = items.into_iter().map(|(_, item)| item).collect();
            strands.push(StrandState { items, next: 0, clock: Clock::default() });
        }
        let ready = (0..strands.len() as u32).rev().map(Lane).collect();
        let first_barrier = barriers.first().copied();
        let mut replay = Self {
            accesses,
            events,
            locksets,
            strands,
            lanes,
            tokens,
            barriers,
            words,
            quiets: FxHashMap::default(),
            whys: FxHashMap::default(),
            locks,
            sections,
            taken: handed.values().map(|&token| (token, Vec::new())).collect(),
            handed,
            signal_seen: FxHashMap::default(),
            made,
            both_ends,
            history: FxHashMap::default(),
            ready,
            found,
        };
        if let Some(barrier) = first_barrier {
            replay.complete(barrier);
        }
        replay
    }

    /// Takes a strand as far as it can go.
    fn run(&mut self, lane: Lane) {
        while let Some(&item) = self.strands[lane.0 as usize].items.get(self.strands[lane.0 as usize].next) {
            match item {
                Item::Access(i) => self.access(lane, i),
                Item::Event(i) => {
                    let event = self.events[i];
                    if !self.event(lane, event) {
                        return;
                    }
                }
            }
            self.strands[lane.0 as usize].next += 1;
        }
    }

    /// Nobody can go on. Lets the first strand that waits through, knowing all that has happened; false when none waits.
    fn let_one_through(&mut self) -> bool {
        let Some(stuck) = self.strands.iter().position(|s| s.next < s.items.len()) else { return false };
        let mut everything = Clock::default();
        for strand in &self.strands {
            everything.join(&strand.clock);
        }
        for (lane, strand) in self.strands.iter().enumerate() {
            let last = strand.items[..strand.next].last().map(|&item| self.pos(item));
            if let Some(last) = last {
                everything.learn(Lane(lane as u32), last.0 + 1);
            }
        }
        let strand = &mut self.strands[stuck];
        strand.clock.join(&everything);
        strand.next += 1;
        self.ready.push(Lane(stuck as u32));
        true
    }

    fn pos(&self, item: Item) -> Pos {
        match item {
            Item::Event(i) => self.events[i].pos,
            Item::Access(i) => self.accesses[i].begin,
        }
    }

    /// One event; false when its strand has to wait.
    fn event(&mut self, lane: Lane, event: SyncEvent) -> bool {
        let clock = &mut self.strands[lane.0 as usize].clock;
        match event.sync {
            Sync::Release(token) => {
                clock.learn(lane, event.pos.0);
                let Some(state) = self.tokens.get_mut(&token) else { return true };
                state.clock.join(clock);
                state.releases_to_come = state.releases_to_come.saturating_sub(1);
                self.complete(token);
            }
            Sync::Acquire(token) | Sync::Peek(token) => {
                if let Some(state) = self.tokens.get_mut(&token) {
                    if !state.complete {
                        state.waiting.push(lane);
                        return false;
                    }
                    clock.join(&state.clock);
                }
                if let (Sync::Acquire(_), Some(taken)) = (event.sync, self.taken.get_mut(&token)) {
                    taken.push((lane, event.pos));
                }
            }
            Sync::Handed(..) => clock.learn(lane, event.pos.0),
            Sync::Update { word, version, via, .. } => {
                clock.learn(lane, event.pos.0);
                let mut told = clock.clone();
                if let Some(channel) = via {
                    told.arrive(channel);
                }
                let Some(state) = self.words.get_mut(&word) else { return true };
                if let Some(update) = state.updates.get_mut(&version) {
                    update.clock = Some(told);
                }
                state.advance();
                self.ready.append(&mut state.waiting);
            }
            Sync::Observe { word, version } => {
                let Some(state) = self.words.get_mut(&word) else { return true };
                let Some(latest) = state.updates.range(..=version).next_back().map(|(&v, _)| v) else { return true };
                if state.joined.is_none_or(|joined| joined < latest) {
                    state.waiting.push(lane);
                    return false;
                }
                state.seen.entry(lane).or_default().push((event.pos, version));
                let closed = state.observed.get(&version).copied().unwrap_or(false);
                if !closed && latest != version {
                    return true;
                }
                if let Some(learned) = state.learned.get(&latest) {
                    clock.join(learned);
                }
                let mut first = state.sets.range(..=latest).next_back().copied().unwrap_or(0);
                if !closed {
                    first = first.max(state.gaps.range(..=latest).next_back().copied().unwrap_or(0));
                }
                let from = state.signals.partition_point(|&(v, _)| v < first);
                let to = state.signals.partition_point(|&(v, _)| v <= latest);
                for &(_, put) in &state.signals[from..to] {
                    let seen = self.signal_seen.entry(put).or_default();
                    if !seen.iter().any(|&(l, _)| l == lane) {
                        seen.push((lane, event.pos));
                    }
                }
            }
            Sync::Quiet(ctx) => {
                clock.learn(lane, event.pos.0);
                let at = (event.pos, clock.clone());
                let quiets = self.quiets.entry((event.strand.rank, ctx)).or_default();
                match quiets.iter_mut().find(|quiets| quiets.lane == lane) {
                    Some(quiets) => quiets.at.push(at),
                    None => quiets.push(Quiets { lane, at: vec![at] }),
                }
            }
            Sync::Lock(lock, _) | Sync::Share(lock, _) | Sync::Unlock(lock, _) | Sync::Unshare { lock, .. } => {
                return self.section(lane, lock, event.sync);
            }
            Sync::Fence(ctx) => {
                clock.learn(lane, event.pos.0);
                let rank = event.strand.rank;
                let of_rank: Vec<Lane> = self.lanes.iter().filter(|(s, _)| s.rank == rank).map(|(_, &l)| l).collect();
                self.strands[lane.0 as usize].clock.fence(rank, ctx, &of_rank);
            }
        }
        true
    }

    /// A section of a lock begins or ends; false when its strand has to wait.
    fn section(&mut self, lane: Lane, lock: Lock, sync: Sync) -> bool {
        let Some(state) = self.locks.get_mut(&lock) else { return true };
        let waits = match sync {
            Sync::Lock(_, number) => state.first_to_end().is_some_and(|first| first < number),
            Sync::Share(_, number) => state.to_end.first().is_some_and(|&first| first <= number),
            _ => false,
        };
        if waits {
            state.waiting.push(lane);
            return false;
        }
        if state.ends(sync) {
            self.ready.append(&mut state.waiting);
        }
        true
    }

    /// Lets those go on that wait for a token, once everybody has released it. Global barriers come one after the other, also when
    /// different strands call them.
    fn complete(&mut self, mut token: Token) {
        loop {
            let barrier = self.barriers.binary_search(&token).ok();
            let before = barrier.and_then(|i| i.checked_sub(1)).and_then(|i| self.tokens.get(&self.barriers[i]));
            if before.is_some_and(|state| !state.complete) {
                return;
            }
            let before = before.map(|state| state.clock.clone());
            let Some(state) = self.tokens.get_mut(&token) else { return };
            if state.releases_to_come > 0 || state.complete {
                return;
            }
            if let Some(before) = before {
                state.clock.join(&before);
            }
            state.complete = true;
            self.ready.append(&mut state.waiting);
            let Some(&next) = barrier.and_then(|i| self.barriers.get(i + 1)) else { return };
            token = next;
        }
    }

    fn access(&mut self, lane: Lane, i: usize) {
        let access = &self.accesses[i];
        let clock = &mut self.strands[lane.0 as usize].clock;
        clock.learn(lane, access.begin.0 + 1);
        let clock = clock.clone();
        let mut history = self.history.remove(&access.place.segment).unwrap_or_default();
        // The other end of a call does not meet this one, but may meet what this one would stand for.
        let alone = access.span == Span::Point || !self.both_ends.contains(&(access.strand, access.begin, access.site));
        let (mut found, mut whys) = (Vec::new(), std::mem::take(&mut self.whys));
        history.retain_overlapping(access.place.bytes, |_, &mut j| {
            let other = &self.accesses[j];
            let ordered = self.done_before(other, access, &clock);
            if conflict(other, access) {
                if protected(other, access, self.locksets) {
                    found.extend(self.flows(other, access, &clock).map(Found::Flow));
                } else if !ordered {
                    let why = *whys.entry((other.site, access.site)).or_insert_with(|| self.why(other, &clock));
                    found.push(Found::Race(Pair { first: j, second: i, why }));
                }
            }
            if alone && stands_for(access, other) && (ordered || self.same_fate(access, other)) {
                Keep::No
            } else {
                Keep::Yes
            }
        });
        history.insert(access.place.bytes, i);
        self.history.insert(access.place.segment, history);
        self.whys = whys;
        found.into_iter().for_each(&mut self.found);
    }

    /// Whether `x`, replayed earlier, is done for a strand that begins `y` with this knowledge.
    fn done_before(&self, x: &Access, y: &Access, clock: &Clock) -> bool {
        let lane = self.lanes[&x.strand];
        let operation = match x.span {
            Span::Point => return clock.knows(lane, x.begin),
            Span::Operation(operation) => operation,
        };
        if operation.end.is_some_and(|end| clock.knows(lane, end)) {
            return true;
        }
        if let Some(channel) = operation.order.channel() {
            let fence_between = y.order().channel() == Some(channel) && clock.is_fenced(channel, lane, x.begin);
            if fence_between || clock.has_arrived(channel, lane, x.begin) {
                return true;
            }
        }
        let taken = self.handed.get(&(x.strand.rank, operation.ctx)).and_then(|token| self.taken.get(token));
        if taken.is_some_and(|taken| taken.iter().any(|&(lane, pos)| clock.knows(lane, pos))) {
            return true;
        }
        if matches!(operation.order, Order::Signalled(..)) {
            let seen = self.signal_seen.get(&(x.strand, x.begin));
            if seen.is_some_and(|seen| seen.iter().any(|&(lane, pos)| clock.knows(lane, pos))) {
                return true;
            }
        }
        let mut made = self.made.get(&(x.strand, x.begin)).into_iter().flatten();
        let seen = |made: &Made| self.words.get(&made.word).is_some_and(|word| word.was_seen(made.version, clock));
        if made.any(|made| made.at_home.holds(&x.place) && seen(made)) {
            return true;
        }
        let quiets = self.quiets.get(&(x.strand.rank, operation.ctx));
        quiets.is_some_and(|quiets| quiets.iter().any(|q| q.completed(clock, lane, x.begin)))
    }

    /// What flows from `x` to `y`, which comes later, through a lock that one of them has alone, and is not known to `y` anyway.
    fn flows<'s>(&'s self, x: &'s Access, y: &'s Access, clock: &'s Clock) -> impl Iterator<Item = Flow> + 's {
        let (mine, theirs) = (self.locksets.get(x.locks), self.locksets.get(y.locks));
        let common = mine.iter().filter(|held| x.writes() && theirs.iter().any(|other| other.lock == held.lock));
        common.filter_map(move |held| {
            let (end, sync) = self.sections.end(x.strand, held.lock, x.begin)?;
            let flows = match (sync, self.sections.taken(y.strand, held.lock, y.begin)?) {
                (Sync::Unlock(_, number), Sync::Lock(_, next)) => number < next,
                (Sync::Unlock(_, number), Sync::Share(_, shared)) => number <= shared,
                (Sync::Unshare { number, phase, .. }, Sync::Lock(_, next)) => number < next && phase == x.phases.lo,
                _ => false,
            };
            let known = end.0 > 0 && clock.knows(self.lanes[&x.strand], Pos(end.0 - 1));
            (flows && !known).then_some(Flow { from: (x.strand, end), to: (y.strand, y.begin) })
        })
    }

    /// Whether the two will be done by the same event, whatever it is.
    fn same_fate(&self, new: &Access, old: &Access) -> bool {
        let made = |x: &Access| self.made.get(&(x.strand, x.begin)).is_some_and(|made| !made.is_empty());
        match (new.operation(), old.operation()) {
            (Some(a), Some(b)) => a == b && !matches!(a.order, Order::Signalled(..)) && !made(new) && !made(old),
            _ => false,
        }
    }

    fn why(&self, x: &Access, clock: &Clock) -> Why {
        let lane = self.lanes[&x.strand];
        let Some(operation) = x.operation() else { return Why::Unsynchronised };
        if !clock.knows(lane, x.begin) {
            return Why::Unsynchronised;
        }
        let other_context = self.quiets.iter().any(|(&(rank, ctx), quiets)| {
            rank == x.strand.rank
                && ctx != operation.ctx
                && quiets.iter().filter(|q| q.lane == lane).any(|q| {
                    let after = q.at.partition_point(|&(pos, _)| pos <= x.begin);
                    q.at.get(after).is_some_and(|&(pos, _)| clock.knows(lane, pos))
                })
        });
        if other_context { Why::WrongContext } else { Why::Incomplete }
    }
}

/// Whether a race with `old` would be reported by a race with `new`, if nothing orders that one either.
fn stands_for(new: &Access, old: &Access) -> bool {
    new.strand == old.strand
        && new.site == old.site
        && new.kind == old.kind
        && new.act == old.act
        && new.locks == old.locks
        && new.place.covers(&old.place)
}

impl WordState {
    /// Where versions are missing, and which are wanted: once all updates and observations are there.
    fn look_for_gaps(&mut self) {
        let first = |&(&version, _): &(&u64, _)| version == 0 || !self.updates.contains_key(&(version - 1));
        self.gaps = self.updates.iter().filter(first).map(|(&version, _)| version).collect();
        for (&version, &closed) in &self.observed {
            if let Some((&latest, _)) = self.updates.range(..=version).next_back()
                && (closed || latest == version)
            {
                *self.wanted.entry(latest).or_default() |= closed;
            }
        }
    }

    /// Whether a strand whose doings this clock knows saw a version, or one that contains it.
    fn was_seen(&self, version: u64, clock: &Clock) -> bool {
        let set = self.sets.range(version + 1..).next().copied();
        let contains = |seen: u64| {
            let between = (Bound::Excluded(version), Bound::Included(seen));
            let whole = self.updates.contains_key(&seen) && self.gaps.range(between).next().is_none();
            set.is_none_or(|set| seen < set) && (whole || self.observed.get(&seen) == Some(&true))
        };
        // Of what a strand sees of a word the later is later.
        self.seen.iter().any(|(&lane, seen)| {
            let first = seen.partition_point(|&(_, seen)| seen < version);
            seen.get(first).is_some_and(|&(pos, seen)| clock.knows(lane, pos) && contains(seen))
        })
    }

    /// Joins the updates that have come in, in the order of their versions.
    fn advance(&mut self) {
        let from = self.joined.map_or(0, |v| v + 1);
        for (&version, update) in self.updates.range_mut(from..) {
            let Some(clock) = update.clock.take() else { return };
            if update.how == How::Set {
                self.running = clock;
                self.since_gap = None;
            } else {
                if self.joined.is_some() && self.gaps.contains(&version) {
                    self.since_gap = Some(clock.clone());
                } else if let Some(since_gap) = &mut self.since_gap {
                    since_gap.join(&clock);
                }
                self.running.join(&clock);
            }
            if let Some(put) = update.signal {
                self.signals.push((version, put));
            }
            self.joined = Some(version);
            if let Some(&closed) = self.wanted.get(&version) {
                let known = if closed { &self.running } else { self.since_gap.as_ref().unwrap_or(&self.running) };
                self.learned.insert(version, Rc::new(known.clone()));
            }
        }
    }
}
