//! What a rank writes down: its file, and the names of the memory that is in it.
//!
//! Shared by the rank's threads and the worker that makes its long cuts ([`cuts`](crate::cuts)), behind one lock.

use crate::sink::Sink;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thrille_model::job::{Entry, Progress};
use thrille_model::{Object, Race, Segment, Site};

/// Memory that the program asked for, or made a window of.
#[derive(Clone, Copy, Debug)]
struct Allocation {
    number: u32,
    segment: Segment,
    lo: u64,
    len: u64,
    site: Site,
}

/// The rank's file.
pub struct Ledger {
    pub sink: Sink,
    allocations: Vec<Allocation>,
}

/// How many allocations there were at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment(usize);

impl Ledger {
    /// With nothing allocated.
    pub fn new(sink: Sink) -> Mutex<Self> {
        Mutex::new(Self { sink, allocations: Vec::new() })
    }

    /// A segment has a new object.
    pub fn allocated(&mut self, segment: Segment, lo: u64, len: u64, site: Site) {
        let number = self.allocations.last().map_or(0, |a| a.number) + 1;
        self.allocations.push(Allocation { number, segment, lo, len, site });
    }

    /// Now: what is allocated later is nothing that was accessed before.
    pub fn now(&self) -> Moment {
        Moment(self.allocations.len())
    }

    /// A race between accesses of before that moment, with the allocation that the bytes lie in.
    pub fn race(&mut self, race: Race, then: Moment) {
        let offset = race.object.offset;
        let holds = |a: &&Allocation| a.segment == race.object.segment && a.lo <= offset && offset < a.lo + a.len;
        let allocation = self.allocations[..then.0].iter().rev().find(holds).map(|a| (a.number, a.lo, a.len, a.site));
        self.sink.write(&Entry::Race(Race { object: Object { allocation, ..race.object }, ..race }));
    }

    /// What came of a cut; races survive the machine.
    pub fn cut(&mut self, races: Vec<Race>, then: Moment, progress: Progress) {
        let found = !races.is_empty();
        for race in races {
            self.race(race, then);
        }
        self.sink.write(&Entry::Progress(progress));
        if found {
            self.sink.sync();
        }
    }

    /// Something the reader of the report must know.
    pub fn note(&mut self, text: String) {
        self.sink.write(&Entry::Note(text));
        self.sink.sync();
    }
}

/// Takes a lock; whoever had it is done with it, even if by a panic.
pub fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
