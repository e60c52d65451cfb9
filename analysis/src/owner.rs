//! What an owner keeps of its memory's accesses from one cut to the next.

use crate::around::Around;
use crate::exchange::Close;
use crate::known::Doubts;
use crate::replay::{Found, Logs, Pair, replay};
use crate::screen::{Screened, screen};
use crate::sections::Over;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use thrille_history::Store;
use thrille_model::{
    Access, Act, Ctx, Flow, Held, Interval, Kind, LocksetId, Locksets, Object, Phase, Place, Pos, Race, Rank, Segment,
    Side, Site, Span, Strand, Word, comb,
};

/// Two sites and what they did, in a fixed order.
type Pairing = ((Site, Act), (Site, Act));

/// The accesses to one rank's memory.
#[derive(Default)]
pub struct Owner {
    /// Carried over first, those of this cut behind them.
    accesses: Vec<Access>,
    /// Where they were before, empty.
    room: Vec<Access>,
    /// Those that are judged among themselves.
    carried: usize,
    /// Those, and what was postponed.
    retained: usize,
    locksets: Locksets,
    /// Which interval history finds conflicts.
    history: Store,
    screened: Screened,
    /// Which critical sections are over.
    over: Over,
    /// Where this rank's part of each window is.
    windows: FxHashMap<u32, u64>,
    races: FxHashMap<Pairing, Race>,
    fresh: Vec<Pairing>,
    /// Whether some rank holds back an operation at this cut.
    held_back: bool,
    /// Pairs that are judged once more at the next cut.
    postponed: Postponed,
}

/// How many pairs of two lines are postponed at most.
const POSTPONED: usize = 16;

/// Pairs that nothing orders as yet, while operations inside of critical sections are held back: what flows into those may.
#[derive(Default)]
struct Postponed {
    pairs: FxHashMap<Pairing, usize>,
    /// Accesses of such pairs, by where they are; those that count as new at the next cut.
    kept: BTreeSet<usize>,
    again: BTreeSet<usize>,
}

impl Postponed {
    fn add(&mut self, pairing: Pairing, pair: Pair) {
        let pairs = self.pairs.entry(pairing).or_default();
        if *pairs < POSTPONED {
            *pairs += 1;
            self.kept.extend([pair.first, pair.second]);
            self.again.insert(pair.first.max(pair.second));
        }
    }
}

impl Owner {
    /// Finds conflicts with this kind of history from now on.
    pub fn use_history(&mut self, history: Store) {
        self.history = history;
    }

    /// Takes in what one rank did to this memory. `locksets` is that rank's own table.
    pub fn take(&mut self, mut accesses: Vec<Access>, closes: &[Close], locksets: &[Vec<Held>]) {
        let ids: Vec<LocksetId> = locksets.iter().map(|set| self.locksets.intern(set.clone())).collect();
        let translate = |id: LocksetId| ids.get(id.0 as usize).copied().unwrap_or_default();
        let by_issue: FxHashMap<(Strand, Pos, Ctx), &Close> =
            closes.iter().map(|c| ((c.strand, c.begin, c.ctx), c)).collect();
        for access in &mut self.accesses[..self.retained] {
            let Span::Operation(operation) = &mut access.span else { continue };
            if let Some(close) = by_issue.get(&(access.strand, access.begin, operation.ctx)) {
                operation.end = close.end;
                access.phases.hi = close.phase;
                access.locks = translate(close.locks);
            }
        }
        let windows = &self.windows;
        for access in &mut accesses {
            access.locks = translate(access.locks);
            access.place = address(access.place, windows);
        }
        if self.accesses.is_empty() {
            std::mem::swap(&mut self.accesses, &mut accesses);
        } else {
            self.accesses.append(&mut accesses);
        }
        if accesses.capacity() > self.room.capacity() {
            self.room = accesses;
        }
    }

    /// Room that it needs no more.
    pub fn room(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.room)
    }

    /// Learns where this rank's part of a window begins.
    pub fn window(&mut self, number: u32, base: u64) {
        self.windows.insert(number, base);
    }

    /// Learns that all that a strand did before a position comes before the barrier that ended `phase`.
    pub fn settle(&mut self, strand: Strand, before: Pos, phase: Phase) {
        for access in &mut self.accesses {
            let end = match access.span {
                Span::Point => Some(access.begin),
                Span::Operation(operation) => operation.end,
            };
            if access.strand == strand && end.is_some_and(|end| end < before) {
                access.phases.hi.get_or_insert(phase);
            }
        }
    }

    /// Learns that all that a strand did before a position, and the critical sections it is in, come before the barrier that ended `phase`.
    pub fn sections_over(&mut self, strand: Strand, before: Pos, phase: Phase) {
        self.over.learn(strand, before, phase);
    }

    /// Learns whether some rank holds back an operation that is in a critical section.
    pub fn postpone(&mut self, held_back: bool) {
        self.held_back = held_back;
    }

    /// How many accesses there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.accesses.len()
    }

    /// Conflict first.
    pub fn screen(&mut self) -> &Screened {
        self.screened = screen(&self.accesses, self.carried, &self.locksets, self.history);
        &self.screened
    }

    /// The ranks whose accesses have a conflicting partner.
    pub fn in_question(&self) -> BTreeSet<Rank> {
        let marked = self.accesses.iter().zip(&self.screened.marked).filter(|&(_, &marked)| marked);
        marked.map(|(access, _)| access.strand.rank).collect()
    }

    /// What flowed through locks to or from this memory.
    pub fn flows(&self, logs: Logs) -> Vec<Flow> {
        let mut flows = Vec::new();
        let found = |found| {
            if let Found::Flow(flow) = found {
                flows.push(flow);
            }
        };
        replay(&self.accesses, &self.screened.marked, logs, &self.locksets, |word| located(word, &self.windows), found);
        flows.sort_unstable();
        flows.dedup();
        flows
    }

    /// Order later: what is unordered as far as the logs are known.
    pub fn doubts(&self, logs: Logs) -> Doubts {
        let mut doubts = Doubts::default();
        self.unordered(logs, |_, a, b| doubts.add(a, b));
        doubts
    }

    /// What is unordered now is a race, unless something that may order it is held back.
    pub fn judge(&mut self, logs: Logs) {
        let (mut races, mut fresh) = (std::mem::take(&mut self.races), std::mem::take(&mut self.fresh));
        let mut postponed = Postponed::default();
        let around = OnceCell::new();
        self.unordered(logs, |pair, a, b| {
            let pairing = pairing(a, b);
            if self.held_back && !races.contains_key(&pairing) {
                postponed.add(pairing, pair);
                return;
            }
            races.entry(pairing).and_modify(|race| race.seen += 1).or_insert_with(|| {
                fresh.push(pairing);
                let around = around.get_or_init(|| Around::new(logs.events)).of(a, b);
                Race { around, ..race(a, b, pair, &self.locksets) }
            });
        });
        (self.races, self.fresh, self.postponed) = (races, fresh, postponed);
    }

    fn unordered(&self, logs: Logs, mut found: impl FnMut(Pair, &Access, &Access)) {
        let at_home = |word| located(word, &self.windows);
        replay(&self.accesses, &self.screened.marked, logs, &self.locksets, at_home, |met| {
            let Found::Race(pair) = met else { return };
            if pair.first < self.carried && pair.second < self.carried {
                return; // met at an earlier cut
            }
            found(pair, &self.accesses[pair.first], &self.accesses[pair.second]);
        });
    }

    /// Forgets all that ended before every strand's phase. Returns how much is left.
    pub fn forget(&mut self, watermark: Phase) -> usize {
        let over = &self.over;
        let Postponed { kept, again, .. } = std::mem::take(&mut self.postponed);
        let (mut postponed, mut new, mut index) = (Vec::new(), Vec::new(), 0..);
        self.accesses.retain(|a| {
            let index = index.next().unwrap_or_default();
            if again.contains(&index) {
                new.push(*a);
                return false;
            }
            if kept.contains(&index) {
                postponed.push(*a);
                return false;
            }
            let flows = a.locks != LocksetId::EMPTY && !over.before(a.strand, a.begin, watermark);
            flows || a.phases.hi.is_none_or(|hi| hi >= watermark)
        });
        self.over.forget(watermark);
        keep_the_latest_of_each_line(&mut self.accesses);
        self.accesses.append(&mut postponed);
        self.carried = self.accesses.len();
        self.accesses.append(&mut new);
        self.retained = self.accesses.len();
        self.screened = Screened::default();
        self.retained
    }

    /// The races found since the last call.
    pub fn fresh(&mut self) -> Vec<Race> {
        let told = |pairing| {
            let race = self.races.get_mut(&pairing)?;
            // Nobody asks for what is around it again.
            let around = std::mem::take(&mut race.around);
            Some(Race { around, ..race.clone() })
        };
        self.fresh.drain(..).filter_map(told).collect()
    }

    /// All races so far, with how often they were met.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.races.values()
    }
}

/// Bytes of a window as bytes of the process: the same memory may be reached by other ways too.
fn address(place: Place, windows: &FxHashMap<u32, u64>) -> Place {
    let Segment::Window(number) = place.segment else { return place };
    let Some(base) = windows.get(&number) else { return place };
    match Interval::from_len(base.saturating_add(place.bytes.lo()), place.bytes.len()) {
        Ok(bytes) => Place { segment: Segment::Private, bytes, ..place },
        Err(_) => place,
    }
}

/// A word of a window likewise.
fn located(word: Word, windows: &FxHashMap<u32, u64>) -> Word {
    let Segment::Window(number) = word.segment else { return word };
    let Some(base) = windows.get(&number) else { return word };
    Word { segment: Segment::Private, offset: base.saturating_add(word.offset), ..word }
}

/// Of points by one line of one strand on the same bytes under the same locks the latest is enough: who is ordered after that is
/// ordered after the others, and who comes before it was there in time to meet them.
fn keep_the_latest_of_each_line(accesses: &mut Vec<Access>) {
    let mut latest: FxHashMap<(Strand, Site, Kind, Place, LocksetId), Pos> = FxHashMap::default();
    let key = |a: &Access| (a.strand, a.site, a.kind, a.place, a.locks);
    for access in accesses.iter().filter(|a| a.span == Span::Point) {
        let pos = latest.entry(key(access)).or_default();
        *pos = (*pos).max(access.begin);
    }
    accesses.retain(|a| a.span != Span::Point || latest[&key(a)] == a.begin);
}

fn pairing(a: &Access, b: &Access) -> Pairing {
    let (a, b) = ((a.site, a.act), (b.site, b.act));
    (a.min(b), a.max(b))
}

fn race(a: &Access, b: &Access, pair: Pair, locksets: &Locksets) -> Race {
    let offset = a.place.first_common(&b.place).unwrap_or(a.place.bytes.lo());
    Race {
        object: Object { owner: a.place.owner, segment: a.place.segment, offset, allocation: None },
        first: side(a, offset, locksets),
        second: side(b, offset, locksets),
        why: pair.why,
        around: Vec::new(),
        seen: 1,
    }
}

/// One side, with those of its bytes that hold the one in question.
fn side(access: &Access, offset: u64, locksets: &Locksets) -> Side {
    Side {
        strand: access.strand,
        act: access.act,
        kind: access.kind,
        bytes: comb::tooth_at(access.place.teeth(), offset).unwrap_or(access.place.bytes),
        begin: access.begin,
        end: access.operation().and_then(|operation| operation.end),
        phases: access.phases,
        ctx: access.operation().map(|o| o.ctx),
        locks: locksets.get(access.locks).to_vec(),
        site: access.site,
        stack: access.stack,
        times: access.times,
    }
}
