//! Which detector, chosen at run time.

use crate::cells::Treaps;
use crate::detector::{Access, Detector, Race, SiteId};
use crate::esp_bags::EspBags;
use crate::event::{Event, Mark, Misnested, Reach};
use crate::guard::Guards;
use crate::pages::Pages;
use crate::rows::Row;
use crate::shadow::Shadow;
use crate::sp_order::SpOrder;
use std::fmt;
use std::str::FromStr;
use thrille_history::Interval;

/// The detectors that can be chosen, by the names of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Bags, and intervals in pages.
    EspBags,
    /// SP-order, and intervals in pages.
    Stint,
    /// SP-order, and intervals in treaps, as in the paper on STINT.
    Treaps,
    /// SP-order, and a table of pages, told of each access when it happens: what STINT is measured against.
    Vanilla,
    /// The same, told of coalesced accesses at the end of each strand.
    Coalesced,
    /// WSP-order, and intervals in three treaps, while the program runs in parallel: [`crate::pint`].
    Pint,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::EspBags, Self::Stint, Self::Treaps, Self::Vanilla, Self::Coalesced, Self::Pint];

    /// Those for a program whose tasks run one after the other.
    pub const SERIAL: [Self; 5] = [Self::EspBags, Self::Stint, Self::Treaps, Self::Vanilla, Self::Coalesced];

    /// Whether tasks run one after the other, on one thread.
    pub const fn is_serial(self) -> bool {
        !matches!(self, Self::Pint)
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EspBags => "esp-bags",
            Self::Stint => "stint",
            Self::Treaps => "treaps",
            Self::Vanilla => "vanilla",
            Self::Coalesced => "coalesced",
            Self::Pint => "pint",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no detector of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no detector of races between tasks is called {0:?}: it is esp-bags, stint or pint (or, to compare with, treaps, coalesced or vanilla)"
)]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// A detector of the kind that was chosen.
#[derive(Clone, Debug)]
pub enum AnyDetector {
    /// See [`Mode::EspBags`].
    EspBags(Box<Detector<EspBags, Pages>>),
    /// See [`Mode::Stint`].
    Stint(Box<Detector<SpOrder, Pages>>),
    /// See [`Mode::Treaps`].
    Treaps(Box<Detector<SpOrder, Treaps>>),
    /// See [`Mode::Vanilla`] and [`Mode::Coalesced`].
    Vanilla(Box<Detector<SpOrder, Shadow>>),
}

/// The same call of whichever it is.
macro_rules! whichever {
    ($self:expr, $detector:ident => $call:expr) => {
        match $self {
            Self::EspBags($detector) => $call,
            Self::Stint($detector) => $call,
            Self::Treaps($detector) => $call,
            Self::Vanilla($detector) => $call,
        }
    };
}

impl AnyDetector {
    /// A new one; the main task runs. Where tasks run in parallel, it is told of what runs on one thread: nothing.
    pub fn new(mode: Mode) -> Self {
        match mode {
            Mode::EspBags => Self::EspBags(Box::default()),
            Mode::Stint | Mode::Pint => Self::Stint(Box::default()),
            Mode::Treaps => Self::Treaps(Box::default()),
            Mode::Vanilla | Mode::Coalesced => Self::Vanilla(Box::default()),
        }
    }

    /// A step of the program.
    pub fn step(&mut self, event: Event) -> Result<(), Misnested> {
        whichever!(self, detector => detector.step(event))
    }

    /// Whether a step would change nothing.
    pub fn stays(&self, event: Event) -> bool {
        whichever!(self, detector => detector.reach().stays(event))
    }

    /// What runs now accesses memory.
    #[inline]
    pub fn access(&mut self, guards: &Guards, access: &Access, found: &mut dyn FnMut(&Race)) {
        whichever!(self, detector => detector.access(guards, access, found));
    }

    /// The races of an access of what runs now, which is not remembered.
    #[inline]
    pub fn check(&mut self, guards: &Guards, access: &Access, found: &mut dyn FnMut(&Race)) {
        whichever!(self, detector => detector.check(guards, access, found));
    }

    /// Remembers an access of what runs now, which is not known to have written these bytes if it is a read.
    #[inline]
    pub fn keep(&mut self, access: &Access) {
        whichever!(self, detector => detector.keep(access));
    }

    /// The same of a row of reads, of which this is the first.
    #[inline]
    pub fn keep_row(&mut self, access: &Access, row: Row) {
        whichever!(self, detector => detector.keep_row(access, row));
    }

    /// Calls `visit` with the place of each access that is remembered.
    pub fn sites(&self, visit: &mut dyn FnMut(SiteId)) {
        whichever!(self, detector => detector.sites(visit));
    }

    /// These bytes are other memory from now on.
    pub fn forget(&mut self, at: Interval) {
        whichever!(self, detector => detector.forget(at));
    }

    /// Whether all that happened so far comes before what happens now.
    pub fn is_serial(&self) -> bool {
        whichever!(self, detector => detector.reach().is_serial())
    }

    /// The name of what runs now.
    pub fn now(&self) -> Mark {
        whichever!(self, detector => detector.reach().now())
    }

    /// Whether what this mark stands for may run in parallel with what runs now.
    pub fn parallel(&mut self, earlier: Mark) -> bool {
        whichever!(self, detector => detector.parallel(earlier))
    }

    /// Waits that the detector is not exact for: see [`Reach::irregular`].
    pub fn irregular(&self) -> u64 {
        whichever!(self, detector => detector.reach().irregular())
    }
}
