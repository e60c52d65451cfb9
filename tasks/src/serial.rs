//! Tasks of a Rust program: the closures run one after the other, and say what they read and write.
//!
//! ```
//! use thrille_tasks::{Mode, Serial};
//!
//! let (a, b) = (0_u64, 0_u64);
//! let mut run = Serial::new(Mode::Stint);
//! run.finish(|run| {
//!     run.spawn(|run| run.write(&a));
//!     run.spawn(|run| run.write(&b));
//!     run.read(&a); // not waited for
//! });
//! run.read(&b);
//! let races = run.races();
//! assert_eq!(races.len(), 1);
//! assert!(races[0].earlier.line() < races[0].later.line());
//! ```

use crate::detector::{Access, Race, SiteId, Touch};
use crate::event::{End, Event};
use crate::guard::{Guard, Guards};
use crate::mode::{AnyDetector, Mode};
use crate::strand::Strand;
use rustc_hash::FxHashMap;
use std::panic::Location;
use thrille_history::Interval;

/// A place in a Rust program.
pub type Place = &'static Location<'static>;

/// Two places that race.
#[derive(Clone, Copy, Debug)]
pub struct SerialRace {
    /// Bytes of both, as addresses.
    pub bytes: Interval,
    /// The one that came first in this run.
    pub earlier: Place,
    /// The other one.
    pub later: Place,
}

/// See the top of `serial.rs`.
#[derive(Debug)]
pub struct Serial {
    detector: AnyDetector,
    strand: Strand,
    guards: Guards,
    guard: Guard,
    places: Vec<Place>,
    numbers: FxHashMap<Place, SiteId>,
    found: Vec<Race>,
}

impl Serial {
    /// The main task runs.
    pub fn new(mode: Mode) -> Self {
        Self {
            detector: AnyDetector::new(mode),
            strand: Strand::default(),
            guards: Guards::default(),
            guard: Guard::NONE,
            places: Vec::new(),
            numbers: FxHashMap::default(),
            found: Vec::new(),
        }
    }

    fn step(&mut self, event: Event) {
        if !self.detector.stays(event) {
            self.end_strand();
        }
        let stepped = self.detector.step(event);
        debug_assert!(stepped.is_ok(), "closures are nested: {stepped:?}");
    }

    fn end_strand(&mut self) {
        let found = &mut self.found;
        self.strand.end(&mut self.detector, &self.guards, &mut |race| {
            let alike = |known: &Race| (known.earlier.site, known.later.site) == (race.earlier.site, race.later.site);
            if !found.iter().any(alike) {
                found.push(*race);
            }
        });
    }

    /// Runs a task that may be parallel to what comes next, until [`Serial::wait`] or the end of the innermost [`Serial::finish`].
    pub fn spawn(&mut self, body: impl FnOnce(&mut Self)) {
        self.step(Event::Spawn);
        body(self);
        self.step(Event::End(End::Parallel));
    }

    /// Waits for the tasks that this one has spawned.
    pub fn wait(&mut self) {
        self.step(Event::Wait);
    }

    /// Waits for all tasks that are spawned in it, and for theirs.
    pub fn finish(&mut self, body: impl FnOnce(&mut Self)) {
        self.step(Event::BeginFinish);
        body(self);
        self.step(Event::EndFinish);
    }

    /// Excludes all other such blocks.
    pub fn isolated(&mut self, body: impl FnOnce(&mut Self)) {
        let outside = self.guard;
        self.guard = self.guards.of([0], None);
        body(self);
        self.guard = outside;
    }

    /// A value is read here.
    #[track_caller]
    pub fn read<T: ?Sized>(&mut self, value: &T) {
        self.touch(value, Touch::Read, Location::caller());
    }

    /// A value is written here, by whoever may.
    #[track_caller]
    pub fn write<T: ?Sized>(&mut self, value: &T) {
        self.touch(value, Touch::Write, Location::caller());
    }

    fn touch<T: ?Sized>(&mut self, value: &T, touch: Touch, place: Place) {
        let address = std::ptr::from_ref(value).cast::<u8>() as u64;
        let Ok(at) = Interval::from_len(address, size_of_val(value) as u64) else { return };
        let places = &mut self.places;
        let site = *self.numbers.entry(place).or_insert_with(|| {
            places.push(place);
            SiteId(places.len() as u32 - 1)
        });
        self.strand.add(Access { at, touch, guard: self.guard, site });
    }

    /// A value is gone: its memory may be used again.
    pub fn forget<T: ?Sized>(&mut self, value: &T) {
        self.end_strand();
        let address = std::ptr::from_ref(value).cast::<u8>() as u64;
        if let Ok(at) = Interval::from_len(address, size_of_val(value) as u64) {
            self.detector.forget(at);
        }
    }

    /// What was found, each pair of places once.
    pub fn races(&mut self) -> Vec<SerialRace> {
        self.end_strand();
        let place = |site: SiteId| self.places[site.0 as usize];
        let race = |race: &Race| SerialRace {
            bytes: race.bytes,
            earlier: place(race.earlier.site),
            later: place(race.later.site),
        };
        self.found.iter().map(race).collect()
    }
}
