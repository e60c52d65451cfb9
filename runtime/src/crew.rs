//! Tasks that run on several threads: the workers of PINT ([`thrille_tasks::pint`]), and what they have found for this rank.

use crate::footprint::{Footprint, Item};
use crate::pairs::{Pair, Pairs};
use crate::trails::Trails;
use rustc_hash::FxHashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thrille_model::{Interval, Phase, Phases};
use thrille_tasks::pint::{Block, Core, Graph, Logs, Path, Pint};
use thrille_tasks::{Node, Race, SiteId};

/// The pairs of lines that race, and the logs of strands that name their lines.
#[derive(Debug, Default)]
struct Findings {
    pairs: Pairs,
    trails: Trails,
    /// Which lines write.
    writes: Vec<bool>,
}

/// The findings, for PINT's workers.
struct Shared(Arc<Mutex<Findings>>);

impl Logs for Shared {
    fn looked_at(&self, sites: &[SiteId]) -> bool {
        if sites.is_empty() {
            return false;
        }
        let trails = &mut lock(&self.0).trails;
        for &site in sites {
            trails.looked_at(site);
        }
        let full = trails.is_full();
        if full {
            trails.begin_sweep();
        }
        full
    }

    fn needed(&self, sites: &mut dyn Iterator<Item = SiteId>) {
        let trails = &mut lock(&self.0).trails;
        sites.for_each(|site| trails.needed(site));
    }

    fn end_sweep(&self) {
        lock(&self.0).trails.end_sweep();
    }
}

fn lock(findings: &Mutex<Findings>) -> MutexGuard<'_, Findings> {
    findings.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rank's side of PINT.
#[derive(Debug)]
pub struct Crew {
    pub(crate) pint: Pint,
    findings: Arc<Mutex<Findings>>,
    /// Words that tasks wrote to let others go on, and who.
    words: FxHashMap<u64, (Arc<Graph>, Node)>,
    /// Threads that have taken part.
    pub(crate) threads: usize,
    /// Whether there are tasks, or threads of a region.
    pub(crate) active: bool,
}

/// A thread's side of PINT.
#[derive(Debug)]
pub struct Hand {
    /// Its strand.
    pub core: Core,
    /// Its number among all that take part.
    number: usize,
    /// Memory that it has for itself.
    pub(crate) own: Vec<Interval>,
    /// Whether what it runs uses what the thread has for itself, memory or number: two such tasks of one thread do not run at the same time, as if they held a lock.
    pub bound: bool,
    /// Whether what the thread does to private memory is for its core alone, though there are others.
    pub(crate) has_private: bool,
}

impl Hand {
    /// The thread, if what it runs is bound to it.
    pub(crate) fn thread(&self) -> Option<usize> {
        self.bound.then_some(self.number)
    }

    pub(crate) fn has_own(&self, at: Interval) -> bool {
        self.own.iter().any(|own| own.covers(at))
    }

    pub(crate) fn touches_own(&self, footprint: &Footprint) -> bool {
        self.own.iter().any(|&own| footprint.touches(own))
    }
}

impl Crew {
    /// Starts the workers; memory that the program gives back goes to `give_back` when nobody remembers it any more.
    pub fn start(give_back: impl Fn(u64) + Send + Sync + 'static) -> io::Result<Self> {
        let findings = Arc::<Mutex<Findings>>::default();
        let known = Arc::clone(&findings);
        let found = move |race: &Race, phase: u64| {
            let Findings { pairs, trails, writes } = &mut *lock(&known);
            let writes = |site: SiteId| writes.get(site.0 as usize).is_some_and(|&writes| writes);
            pairs.add(trails, writes, race, Phases { lo: Phase(phase), hi: Some(Phase(phase)) });
        };
        let logs = Box::new(Shared(Arc::clone(&findings)));
        let pint = Pint::start(Box::new(found), Box::new(move |block: Block| give_back(block.address)), logs)?;
        Ok(Self { pint, findings, words: FxHashMap::default(), threads: 0, active: false })
    }

    /// A thread takes part, which has this memory for itself.
    pub(crate) fn hand(&mut self, own: Vec<Interval>) -> Box<Hand> {
        self.threads += 1;
        Box::new(Hand { core: self.pint.core(), number: self.threads, own, bound: false, has_private: false })
    }

    /// The main task of a graph of its own.
    pub fn first(&mut self) -> Path {
        self.active = true;
        self.words.clear();
        self.pint.first()
    }

    /// Nothing is parallel any more.
    pub fn rests(&mut self) {
        self.active = false;
    }

    pub(crate) fn released(&mut self, hand: Option<&Hand>, word: u64) {
        if let Some(core) = hand.map(|hand| &hand.core)
            && let (Some(graph), Some(strand)) = (core.graph(), core.strand())
        {
            self.words.insert(word, (Arc::clone(graph), strand));
        }
    }

    /// Whether a strand that is parallel to the present one was the last to write this word.
    pub(crate) fn waits_by(&self, hand: Option<&Hand>, word: u64) -> bool {
        let Some((graph, by)) = self.words.get(&word) else { return false };
        let Some(core) = hand.map(|hand| &hand.core) else { return false };
        core.graph().is_some_and(|now| Arc::ptr_eq(now, graph))
            && core.strand().is_some_and(|now| graph.parallel(*by, now))
    }

    fn lock(&self) -> MutexGuard<'_, Findings> {
        lock(&self.findings)
    }

    /// Keeps the log of a strand as long as something of it is remembered: what stands for it. `writes` says of all lines whether they write.
    pub(crate) fn trail(
        &self,
        items: &[Item],
        name: impl FnMut(u32) -> SiteId,
        writes: impl Iterator<Item = bool>,
    ) -> Option<SiteId> {
        let mut findings = self.lock();
        let known = findings.writes.len();
        findings.writes.extend(writes.skip(known));
        findings.trails.add(items, name)
    }

    /// What has been found, when all that was left has been looked at.
    pub(crate) fn findings(&self) -> Vec<Pair> {
        self.pint.settle();
        self.lock().pairs.all().cloned().collect()
    }
}
