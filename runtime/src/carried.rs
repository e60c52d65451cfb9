//! What a rank's only strand does again and again, told once: a lock that it takes over and over, a word that only it changes, an operation that it repeats.
//!
//! Others come before or after a strand at its events. An event that nobody else can have come after may as well have happened later, with the
//! next one of its kind: it is *carried along*, by giving its entry in the log the later position. That is known of
//!
//! * the end of a critical section, when the strand that takes the lock next is the one that gave it back, and nobody shared it in between: the numbers of
//!   the sections tell. Then the two are one section, and what comes in between is in it. Only where sections follow each other anyway ([`crate::Rank::sees_flows`]);
//! * the update of a word, when the next update is its strand's too and nobody has seen the word in between: its counter tells;
//! * the observation of a version that the strand has observed before, or has made itself from such a one. It teaches nothing, unless the
//!   strand has fenced: who sees what was issued behind a fence knows what was issued before it to have arrived, be it the strand itself.
//!
//! An operation that is equal to an earlier one, with no event in between that stays where it is, races with whatever the earlier one races with:
//! others know of both or of neither, and the strand has learned nothing in between. So the earlier one's record is moved to the later one's place.
//! Not if the strand itself touched the bytes of either while an operation used them: then the moment matters.
//!
//! All of it ends at a cut, and when there is a second strand.

use thrille_model::{Access, Caller, Channel, How, Lock, Mode, Pos, Span, Sync, SyncEvent, Token, Word};

/// How many words, and how many locks, are followed.
const FEW: usize = 4;
/// How many records are remembered.
const RECORDS: usize = 64;

/// A version of a word that an update made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its number.
    pub version: u64,
    /// Whether nobody has seen the version before.
    pub unseen_before: bool,
}

#[derive(Debug)]
struct Updated {
    word: Word,
    version: u64,
    how: How,
    via: Option<Channel>,
    /// Where the log has it.
    entry: usize,
    pos: Pos,
}

#[derive(Debug)]
struct Section {
    lock: Lock,
    number: u64,
    /// Where the log has its end: that others may come after it, and that it is over.
    entries: [usize; 2],
    released: Pos,
    /// The next one has begun, so nobody can come after this one's end.
    goes_on: bool,
}

/// See above.
#[derive(Debug)]
pub(crate) struct Carried {
    /// Nothing is carried along.
    pub off: bool,
    /// The last event that stays where it is.
    fixed: Pos,
    updates: Vec<Updated>,
    sections: Vec<Section>,
    /// There was a fence; what was issued before it may be open for long.
    fenced: bool,
    /// Versions of which nothing is to be learned.
    known: Vec<(Word, u64)>,
    /// Where records of operations are.
    records: [u32; RECORDS],
}

impl Default for Carried {
    fn default() -> Self {
        let (updates, sections, known) = (Vec::new(), Vec::new(), Vec::new());
        Self { off: false, fixed: Pos(0), updates, sections, fenced: false, known, records: [u32::MAX; RECORDS] }
    }
}

impl Carried {
    /// An event stays where it is.
    pub fn fix(&mut self, pos: Pos) {
        self.fixed = self.fixed.max(pos);
    }

    /// The log or the records are no longer what they were: everything stays where it is.
    pub fn end(&mut self, now: Pos) {
        self.fix(now);
        self.updates.clear();
        self.sections.clear();
        self.known.clear();
        self.forget_records();
    }

    /// There is a fence.
    pub fn fence(&mut self) {
        self.fenced = true;
    }

    /// The records are no longer where they were.
    pub fn forget_records(&mut self) {
        self.records = [u32::MAX; RECORDS];
    }

    /// Whether others may come after, or before, one of two positions and not the other: there is an event between them.
    fn separated(&self, from: Pos, to: Pos) -> bool {
        let between = |pos: Pos| from < pos && pos < to;
        self.fixed > from
            || self.updates.iter().any(|update| between(update.pos))
            || self.sections.iter().any(|section| !section.goes_on && between(section.released))
    }

    /// The version of a word that the strand knows all about.
    pub fn known(&self, word: Word) -> Option<u64> {
        self.known.iter().find(|known| known.0 == word && !self.off).map(|known| known.1)
    }

    /// The strand has seen a version.
    pub fn saw(&mut self, word: Word, version: u64) {
        // What it has made from that is known as well.
        let made = |update: &Updated| update.word == word && update.version == version + 1 && !self.teaches(update.via);
        let made = self.updates.iter().any(made);
        let version = version + u64::from(made);
        if let Some(known) = self.known.iter_mut().find(|known| known.0 == word) {
            known.1 = version;
            return;
        }
        if self.known.len() == FEW {
            self.known.remove(0);
        }
        self.known.push((word, version));
    }

    /// Whether the strand's own update by this way tells it something.
    fn teaches(&self, via: Option<Channel>) -> bool {
        self.fenced && via.is_some()
    }

    /// The strand has changed a word.
    pub fn updated(
        &mut self,
        events: &mut Vec<SyncEvent>,
        event: SyncEvent,
        made: Made,
        (how, via): (How, Option<Channel>),
    ) {
        let Sync::Update { word, version, signals, .. } = event.sync else { return };
        let from_known = how == How::Set || self.known(word).is_some_and(|known| known + 1 == version);
        if from_known && !self.teaches(via) {
            self.saw(word, version);
        }
        if let Some(at) = self.updates.iter().position(|update| update.word == word) {
            let update = &mut self.updates[at];
            let entry = events.get_mut(update.entry);
            if made.unseen_before
                && update.version + 1 == version
                && update.via == via
                && !signals
                && let Some(entry) = entry
            {
                // What was set is replaced as a whole, whatever is done to it afterwards.
                let how = if update.how == How::Set { How::Set } else { how };
                *entry = SyncEvent { sync: Sync::Update { word, version, how, via, signals }, ..event };
                (update.version, update.how, update.pos) = (version, how, event.pos);
                return;
            }
            let pos = self.updates.remove(at).pos;
            self.fix(pos);
        }
        events.push(event);
        if signals {
            return self.fix(event.pos);
        }
        if self.updates.len() == FEW {
            let pos = self.updates.remove(0).pos;
            self.fix(pos);
        }
        self.updates.push(Updated { word, version, how, via, entry: events.len() - 1, pos: event.pos });
    }

    /// A lock is taken: whether the strand's last section of it goes on.
    pub fn goes_on(&mut self, lock: Lock, taken: Made) -> bool {
        let Some(at) = self.sections.iter().position(|section| section.lock == lock) else { return false };
        if self.sections[at].number + 1 == taken.version && taken.unseen_before {
            self.sections[at].goes_on = true;
            return true;
        }
        let released = self.sections.remove(at).released;
        self.fix(released);
        false
    }

    /// It is given back: so many positions are used.
    pub fn ended(&mut self, events: &mut Vec<SyncEvent>, at: [SyncEvent; 2], lock: Lock, number: u64) {
        if let Some(section) = self.sections.iter_mut().find(|section| section.lock == lock)
            && let Ok([release, unlock]) = events.get_disjoint_mut(section.entries)
        {
            [*release, *unlock] = at;
            (section.number, section.released, section.goes_on) = (number, at[0].pos, false);
            return;
        }
        events.extend(at);
        if self.sections.len() == FEW {
            let released = self.sections.remove(0).released;
            self.fix(released);
        }
        let entries = [events.len() - 2, events.len() - 1];
        self.sections.push(Section { lock, number, entries, released: at[0].pos, goes_on: false });
    }

    /// Adds a record, or moves an earlier one to its place; whether it is a new one.
    pub fn keep(&mut self, accesses: &mut Vec<Access>, access: Access) -> bool {
        let mixed = (access.site.offset ^ access.place.bytes.lo()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (mixed >> 32) as usize % RECORDS;
        if let Some(earlier) = accesses.get_mut(self.records[slot] as usize)
            && repeats(&access, earlier)
            && !self.separated(earlier.begin, access.begin)
        {
            *earlier = Access { times: earlier.times.saturating_add(access.times), ..access };
            return false;
        }
        self.records[slot] = u32::try_from(accesses.len()).unwrap_or(u32::MAX);
        accesses.push(access);
        true
    }
}

/// The two events that end a critical section.
pub(crate) fn end_of_section(strand: thrille_model::Strand, at: [Pos; 2], lock: Lock, number: u64) -> [SyncEvent; 2] {
    let event = |pos, sync| SyncEvent { strand, pos, sync, at: Caller::default() };
    let handover = Token::Handover { lock, mode: Mode::Exclusive, number };
    [event(at[0], Sync::Release(handover)), event(at[1], Sync::Unlock(lock, number))]
}

/// Whether nothing but the moment tells two accesses apart.
fn repeats(later: &Access, earlier: &Access) -> bool {
    let lasts = |access: &Access| match access.span {
        Span::Point => None,
        Span::Operation(operation) => Some((operation.ctx, operation.order, operation.end.is_some())),
    };
    later.place == earlier.place
        && later.site == earlier.site
        && later.stack == earlier.stack
        && later.kind == earlier.kind
        && later.act == earlier.act
        && later.locks == earlier.locks
        && later.strand == earlier.strand
        && later.phases == earlier.phases
        && lasts(later) == lasts(earlier)
}
