//! Which return addresses are live.
//!
//! Hooks look at a bit map: one bit for the hash of an address. What it lets through is looked up in a table. While a strand is to say
//! when it has gone on, the whole map is open: its next hook comes through, whichever that is.

use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use thrille_model::{Act, Site};
use thrille_phase2::LiveSite;
use thrille_runtime::Module;

const WORDS: usize = 64;

/// The bit map.
pub struct Gate([AtomicU64; WORDS]);

/// Of this process.
pub static GATE: Gate = Gate([const { AtomicU64::new(0) }; WORDS]);

/// Strands that are to say when they have gone on.
static WIDE: AtomicU32 = AtomicU32::new(0);

impl Gate {
    fn bit(pc: u64) -> (usize, u64) {
        let hash = pc ^ (pc >> 12);
        ((hash >> 6) as usize % WORDS, 1 << (hash & 63))
    }

    /// Whether an address may be live.
    #[inline(always)]
    pub fn open(&self, pc: u64) -> bool {
        let (word, bit) = Self::bit(pc);
        self.0[word].load(Ordering::Relaxed) & bit != 0
    }

    fn set(&self, words: &[u64; WORDS]) {
        self.0.iter().zip(words).for_each(|(word, &value)| word.store(value, Ordering::Relaxed));
    }
}

/// Nothing is live any more.
pub fn disarm() {
    GATE.set(&[0; WORDS]);
}

/// Everything comes through.
pub fn widen() {
    WIDE.fetch_add(1, Ordering::AcqRel);
    GATE.set(&[u64::MAX; WORDS]);
}

struct Words([u64; WORDS]);

impl Default for Words {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

/// What the bits stand for.
#[derive(Default)]
pub struct Live {
    words: Words,
    places: FxHashMap<u64, Vec<(Act, u32)>>,
}

impl Live {
    /// The live places as addresses of this process.
    pub fn new(sites: &[LiveSite], modules: &[Module]) -> Self {
        let mut new = Self::default();
        for (index, LiveSite { spot: (site, act), .. }) in (0..).zip(sites) {
            for module in modules.iter().filter(|module| module.id() == site.module) {
                let pc = module.bias.wrapping_add(site.offset);
                let (word, bit) = Gate::bit(pc);
                new.words.0[word] |= bit;
                new.places.entry(pc).or_default().push((*act, index));
            }
        }
        new
    }

    /// All addresses that are live, and for what.
    pub fn all(&self) -> Vec<(u64, Act)> {
        self.places.iter().flat_map(|(&pc, acts)| acts.iter().map(move |&(act, _)| (pc, act))).collect()
    }

    /// Hooks come through from now on; all of them while a strand is to say that it has gone on.
    pub fn arm(&self) {
        if WIDE.load(Ordering::Acquire) > 0 {
            return;
        }
        GATE.set(&self.words.0);
    }

    /// A strand has said that it has gone on.
    pub fn narrow(&self) {
        if WIDE.fetch_sub(1, Ordering::AcqRel) == 1 {
            GATE.set(&self.words.0);
        }
    }

    /// What is live at an address.
    pub fn at(&self, pc: u64) -> &[(Act, u32)] {
        self.places.get(&pc).map_or(&[], Vec::as_slice)
    }
}

/// The site of an address.
pub fn site(modules: &[Module], pc: u64) -> Option<Site> {
    let holds = |module: &&Module| module.ranges.iter().any(|&(lo, hi)| lo <= pc && pc <= hi);
    modules.iter().find(holds).map(|module| Site { module: module.id(), offset: pc.wrapping_sub(module.bias) })
}
