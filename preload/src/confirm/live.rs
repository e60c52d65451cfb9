//! Which return addresses are live.
//!
//! Hooks look at a map: one byte for the lowest bits of an address, so that a look is one instruction. What it lets through is looked up in a table. While a strand is to say
//! when it has gone on, the whole map is open: its next hook comes through, whichever that is.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use thrille_model::{Act, Site};
use thrille_phase2::LiveSite;
use thrille_runtime::Module;

const PLACES: usize = 4096;

/// The map: not 0 where somebody may wait.
pub struct Gate([AtomicU8; PLACES]);

/// Of this process.
pub static GATE: Gate = Gate([const { AtomicU8::new(0) }; PLACES]);

/// Strands that are to say when they have gone on.
static WIDE: AtomicU32 = AtomicU32::new(0);

impl Gate {
    #[inline(always)]
    fn place(pc: u64) -> usize {
        pc as usize % PLACES
    }

    /// Whether an address may be live.
    #[inline(always)]
    pub fn open(&self, pc: u64) -> bool {
        self.0[Self::place(pc)].load(Ordering::Relaxed) != 0
    }

    /// Opens it for these addresses alone.
    fn open_for<'a>(&self, live: impl Iterator<Item = &'a u64>) {
        self.set(0);
        live.for_each(|&pc| self.0[Self::place(pc)].store(1, Ordering::Relaxed));
    }

    fn set(&self, value: u8) {
        self.0.iter().for_each(|place| place.store(value, Ordering::Relaxed));
    }
}

/// Nothing is live any more.
pub fn disarm() {
    GATE.set(0);
}

/// Everything comes through.
pub fn widen() {
    WIDE.fetch_add(1, Ordering::AcqRel);
    GATE.set(1);
}

/// A live place: its return address, what is done there, and which of all it is.
pub type Address = (u64, Act, u32);

/// The live places in the files that are loaded.
pub fn addresses(sites: &[LiveSite], modules: &[Module]) -> Vec<Address> {
    let in_files = |(index, live): (u32, &LiveSite)| {
        let (site, act) = live.spot;
        let files = modules.iter().filter(move |module| module.id() == site.module);
        files.map(move |module| (module.bias.wrapping_add(site.offset), act, index)).collect::<Vec<_>>()
    };
    (0..).zip(sites).flat_map(in_files).collect()
}

/// What it lets through.
#[derive(Default)]
pub struct Live {
    places: FxHashMap<u64, Vec<(Act, u32)>>,
}

impl Live {
    /// These places.
    pub fn new(live: impl Iterator<Item = Address>) -> Self {
        let mut new = Self::default();
        live.for_each(|(pc, act, index)| new.places.entry(pc).or_default().push((act, index)));
        new
    }

    /// Hooks come through from now on; all of them while a strand is to say that it has gone on.
    pub fn arm(&self) {
        if WIDE.load(Ordering::Acquire) > 0 {
            return;
        }
        GATE.open_for(self.places.keys());
    }

    /// A strand has said that it has gone on.
    pub fn narrow(&self) {
        if WIDE.fetch_sub(1, Ordering::AcqRel) == 1 {
            GATE.open_for(self.places.keys());
        }
    }

    /// What is live at an address.
    pub fn at(&self, pc: u64) -> &[(Act, u32)] {
        self.places.get(&pc).map_or(&[], Vec::as_slice)
    }
}

/// How often what is live has changed, by files that were loaded.
static CHANGES: AtomicU32 = AtomicU32::new(0);

/// See there.
pub fn changes() -> u32 {
    CHANGES.load(Ordering::Acquire)
}

/// Once more.
pub fn changed() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

/// What is live, as a strand knows it: a look at it takes no lock.
pub struct Latest {
    /// The number of changes before it was taken, at least.
    pub number: u32,
    /// What it is.
    pub live: Arc<Live>,
}

impl Latest {
    /// Whether there may be another one.
    #[inline(always)]
    pub fn is_old(&self) -> bool {
        self.number != CHANGES.load(Ordering::Relaxed)
    }
}

/// The site of an address.
pub fn site(modules: &[Module], pc: u64) -> Option<Site> {
    let holds = |module: &&Module| module.ranges.iter().any(|&(lo, hi)| lo <= pc && pc <= hi);
    modules.iter().find(holds).map(|module| Site { module: module.id(), offset: pc.wrapping_sub(module.bias) })
}
