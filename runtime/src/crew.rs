//! Tasks that run on several threads: the workers of PINT ([`thrille_tasks::pint`]), and what they have found for this rank.

use crate::footprint::{Bits, Footprint};
use crate::pairs::{Pair, Pairs};
use crate::trails::Trails;
use rustc_hash::FxHashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thrille_model::{Interval, Phase, Phases};
use thrille_tasks::pint::{Accessed, Block, Core, Graph, Logs, Path, Pint};
use thrille_tasks::{Access, Guard, Node, Race, Row, Rowing, SiteId, Touch};

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
    /// Whether the program's task graph is one that is known.
    fit: bool,
    /// Both, for threads that do not have the rank.
    looks: Arc<AtomicBool>,
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
    /// What keeps tasks that are bound to the thread apart, once that has a name.
    alone: Option<Guard>,
    findings: Arc<Mutex<Findings>>,
    looks: Arc<AtomicBool>,
}

impl Hand {
    /// Whether what strands do matters.
    pub(crate) fn looks(&self) -> bool {
        self.looks.load(Ordering::Relaxed)
    }

    /// What keeps what the thread runs apart from others; none if that has no name yet.
    pub(crate) fn guard(&self) -> Option<Guard> {
        if self.bound { self.alone } else { Some(Guard::NONE) }
    }

    /// It has.
    pub(crate) fn is_guarded_by(&mut self, guard: Guard) {
        self.alone = Some(guard);
    }

    /// Lines have these numbers by now: whether each of them writes.
    pub(crate) fn learns(&self, writes: impl Iterator<Item = bool>) {
        let known = &mut lock(&self.findings).writes;
        let more = writes.skip(known.len());
        known.extend(more);
    }

    /// What a strand has touched, under this guard, goes to the thread's core, and its log, all of whose places have names, to the others. Nothing of it is the rank's.
    pub(crate) fn leaves(&mut self, footprint: &mut Footprint, phase: Phase, guard: Guard) {
        if self.core.strand().is_some() {
            let (items, places) = footprint.logged(|place| place.name);
            let logged = items.len();
            let site = lock(&self.findings).trails.add(items, |place| SiteId(places[place as usize].name));
            if let Some(site) = site {
                self.core.stamp(phase.0);
                let (core, mut rowing) = (&mut self.core, Rowing::default());
                let read = |core: &mut Core, row: Row| {
                    core.read_row(Access { at: row.first, touch: Touch::Read, guard, site }, row);
                };
                footprint.intervals([Bits::OnlyRead, Bits::Overwritten, Bits::Written], |which, at| {
                    let (how, touch) = match which {
                        Bits::Written => (Accessed::Written, Touch::Write),
                        Bits::Overwritten => (Accessed::Overwritten, Touch::Read),
                        Bits::Read | Bits::OnlyRead => return rowing.add(at, |row| read(core, row)),
                    };
                    core.accessed(how, Access { at, touch, guard, site });
                });
                rowing.end(|row| read(core, row));
                core.done_with(site, logged);
            }
        }
        footprint.clear();
    }

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
        let looks = Arc::default();
        Ok(Self { pint, findings, words: FxHashMap::default(), threads: 0, active: false, fit: true, looks })
    }

    /// A thread takes part, which has this memory for itself.
    pub(crate) fn hand(&mut self, own: Vec<Interval>) -> Box<Hand> {
        self.threads += 1;
        let (findings, looks) = (Arc::clone(&self.findings), Arc::clone(&self.looks));
        let (core, number) = (self.pint.core(), self.threads);
        Box::new(Hand { core, number, own, bound: false, has_private: false, alone: None, findings, looks })
    }

    /// The main task of a graph of its own.
    pub fn first(&mut self) -> Path {
        self.active = true;
        self.tell_looks();
        self.words.clear();
        self.pint.first()
    }

    /// Nothing is parallel any more.
    pub fn rests(&mut self) {
        self.active = false;
        self.tell_looks();
    }

    /// The program's task graph is not one that is known.
    pub(crate) fn gives_up(&mut self) {
        self.fit = false;
        self.tell_looks();
    }

    fn tell_looks(&self) {
        self.looks.store(self.active && self.fit, Ordering::Relaxed);
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

    /// What has been found, when all that was left has been looked at.
    pub(crate) fn findings(&self) -> Vec<Pair> {
        self.pint.settle();
        self.lock().pairs.all().cloned().collect()
    }
}
