//! What the strands of one rank share.
//!
//! | state | invariant | written by |
//! |---|---|---|
//! | `knowledge` | of each strand, what of the rank's other strands it knows: exact or too little, never too much | the strand's own events |
//! | `events` | the log since the last cut; a strand's events in order | every synchronising call |
//! | `open` | operations that no strand of this rank has completed *and* settled | issue adds, completion and barriers take out |
//! | `accesses` | what goes to the owners at the next cut | completions, drained runs |
//!
//! A strand's runs are taken ([`Rank::drain`]) before each of its events once there is more than one strand: what it did is there before
//! anybody can come after it. While there is one strand only, it suffices to do so at a cut.
//!
//! | module | is about |
//! |---|---|
//! | `events` | the log: tokens and words of the job |
//! | `knowledge` | what a strand knows of the others |
//! | `operations` | one-sided operations, from issue to completion |
//! | `barriers` | global barriers, what they settle, and cuts |
//! | `records` | from a strand's runs to the records of the next cut |
//! | `memory` | blocks of private memory, and what others reach |
//! | `locks`, `atomics`, `tasks`, `rest` | locks, atomics of the process, tasks, threads that rest |

mod atomics;
mod barriers;
mod events;
mod knowledge;
mod locks;
mod log;
mod memory;
mod operations;
mod records;
mod rest;
mod tasks;

use crate::blocks::Blocks;
use crate::callers::Callers;
use crate::carried::{Carried, Made};
use crate::modules::Modules;
use crate::open::Operations;
use crate::quarantine::Quarantine;
use crate::recorder::Recorder;
use crate::regions::Regions;
use crate::runs::Run;
use crate::stacks::Walk;
use crate::watch::Watch;
use knowledge::Knowledge;
use locks::Epoch;
pub(crate) use locks::Section;
pub use operations::{End, Operands};
use rest::Life;
pub use rest::POOL;
use rustc_hash::FxHashMap;
use std::sync::Arc;
pub use tasks::Role;
pub(crate) use tasks::{Binding, thread_of};
use thrille_analysis::Close;
use thrille_model::{Access, Caller, Lock, Locksets, Phase, Pos, Site, Strand, SyncEvent, Token};

/// The state that a rank's strands share.
pub struct Rank {
    me: thrille_model::Rank,
    regions: Arc<Regions>,
    modules: Modules,
    strands: Vec<Strand>,
    knowledge: Vec<Knowledge>,
    lives: Vec<Life>,
    /// Of each strand, a position behind all of its records.
    recorded_below: Vec<u64>,
    tasks: tasks::Tasks,
    tokens: FxHashMap<Token, Knowledge>,
    words: atomics::Words,
    /// How often one strand has had each lock of this process alone, and whether nobody has shared it since.
    sections: FxHashMap<Lock, Made>,
    /// The critical sections that strands are in, and since which phase.
    inside: Vec<(Strand, Lock, Phase)>,
    /// The locks of windows that this process has.
    epochs: Vec<Epoch>,
    /// How often one was taken or given back.
    lent: u64,
    locksets: Locksets,
    blocks: Blocks,
    quarantine: Quarantine,
    events: Vec<SyncEvent>,
    /// How many ranks there are; 0 if that is not known.
    pub ranks: u32,
    look: log::Look,
    /// Where the program called for them.
    callers: Callers,
    open: Operations,
    closes: Vec<(thrille_model::Rank, Close)>,
    windows: Vec<(u32, u64)>,
    accesses: Vec<Access>,
    /// Which events and records can still be moved.
    carried: Carried,
    /// The last of them, since somebody came to a global barrier: not known yet whether that one comes after them.
    recent: Vec<Access>,
    /// When to look again for what can be merged.
    next_merge: usize,
    /// The limit was reached since the last cut, and not much room could be made.
    full: bool,
    scratch: Vec<Run>,
    phase: Phase,
    settled: Vec<(Strand, Pos)>,
    limit: usize,
    /// Whether all of the program's loads and stores are observed: then what flows through a lock is seen, and nothing else of it orders.
    pub sees_flows: bool,
    /// Nothing is recorded: strands, phases and shared memory are followed, no more. For runs that confirm what another one recorded.
    pub muted: bool,
    /// How its strands find their call stacks, if the program does not tell of its calls.
    pub walk: Option<Walk>,
    /// Accesses that were dropped because there was no room.
    pub dropped: u64,
    /// Records made.
    pub recorded: u64,
    /// Operations on each other rank's memory, and their bytes.
    traffic: Vec<(u64, u64)>,
    /// Races between tasks, if somebody asks for them.
    pub watch: Option<Box<Watch>>,
}

impl Rank {
    /// A rank of which nothing has happened yet, and its first strand.
    pub fn new(me: thrille_model::Rank, regions: Regions, modules: Modules, limit: usize) -> (Self, Recorder) {
        let regions = Arc::new(regions);
        let mut new = Self {
            me,
            regions,
            modules,
            strands: Vec::new(),
            knowledge: Vec::new(),
            lives: Vec::new(),
            recorded_below: Vec::new(),
            tasks: tasks::Tasks::default(),
            tokens: FxHashMap::default(),
            words: atomics::Words::default(),
            sections: FxHashMap::default(),
            inside: Vec::new(),
            epochs: Vec::new(),
            lent: 0,
            locksets: Locksets::default(),
            blocks: Blocks::default(),
            quarantine: Quarantine::default(),
            events: Vec::new(),
            ranks: 0,
            look: log::Look::default(),
            callers: Callers::default(),
            open: Operations::default(),
            closes: Vec::new(),
            windows: Vec::new(),
            accesses: Vec::new(),
            carried: Carried::default(),
            recent: Vec::new(),
            next_merge: records::MERGE,
            full: false,
            scratch: Vec::new(),
            phase: Phase(0),
            settled: Vec::new(),
            limit,
            sees_flows: true,
            muted: false,
            walk: None,
            dropped: 0,
            recorded: 0,
            traffic: Vec::new(),
            watch: None,
        };
        let main = Strand::thread(me, 0);
        new.add_strand(main, Knowledge::default());
        let recorder = Recorder::new(main, Arc::clone(&new.regions));
        (new, recorder)
    }

    fn add_strand(&mut self, strand: Strand, knowledge: Knowledge) {
        self.carried.end(Pos(0));
        self.strands.push(strand);
        self.knowledge.push(knowledge);
        self.lives.push(Life::Runs);
        self.recorded_below.push(0);
    }

    /// How many threads there have been.
    pub fn threads(&self) -> usize {
        self.strands.iter().filter(|strand| !strand.is_task()).count()
    }

    /// Global barriers passed.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The rank's loaded files.
    pub fn modules(&mut self) -> &mut Modules {
        &mut self.modules
    }

    /// Calls that synchronise and were not told before: number, place.
    pub fn fresh_callers(&mut self) -> Vec<(Caller, Site)> {
        let fresh = self.callers.fresh().into_iter();
        fresh.map(|(caller, pc)| (caller, self.modules.site(pc))).collect()
    }

    /// Records waiting for the next cut.
    pub fn held(&self) -> usize {
        self.accesses.len() + self.recent.len() + self.open.len()
    }

    fn single(&self) -> bool {
        self.strands.len() == 1
    }

    /// Makes room in a strand's buffer, binds it to its thread, or counts its store: what a full buffer asks for.
    pub fn make_room(&mut self, recorder: &mut Recorder) {
        self.drain(recorder);
        if recorder.asked() {
            self.bind(recorder);
        }
        self.count_store(recorder);
    }

    /// A strand is about to be created.
    pub fn fork(&mut self, recorder: &mut Recorder) -> Strand {
        self.drain(recorder);
        let child = Strand::thread(self.me, self.strands.len() as u32);
        self.add_strand(child, Knowledge::default());
        recorder.see(&self.regions, true);
        self.release(recorder, Token::Fork(child));
        child
    }

    /// It begins.
    pub fn begin(&mut self, child: Strand) -> Recorder {
        let mut recorder = Recorder::new(child, Arc::clone(&self.regions));
        recorder.see(&self.regions, true);
        recorder.stack.walk_with(self.walk);
        self.acquire(&mut recorder, Token::Fork(child));
        recorder
    }

    /// It could not be created after all.
    pub fn unborn(&mut self, child: Strand) {
        self.set(child, Life::Gone);
    }

    /// It ends.
    pub fn exit(&mut self, recorder: &mut Recorder) {
        self.drain(recorder);
        recorder.calling = 0;
        self.release(recorder, Token::Exit(recorder.strand));
        self.set(recorder.strand, Life::Gone);
    }
}
