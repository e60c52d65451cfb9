//! Tasks of a rank are strands of their own: what orders two of them is what the program says, not that one thread happened to run both.
//!
//! A thread that begins a task takes up the task's [`Role`], and its former one when it goes back. The strand of a task that has ended is
//! used again for one whose creator knows of that end: then its order is the program's too. There are at most [`MOST`]; a task that finds
//! none is part of what its thread was doing, as a task that its creator waits for is. That may hide a race and never makes one. So are tasks that PINT follows in a job of one rank: it has
//! their accesses and their order, and a strand for each would only cost. What begins when that is no longer so, because PINT has given up or there was an operation, gets its strand then ([`Rank::task_begins`]).
//!
//! *What belongs to the thread.* A task may use what its thread has for itself: thread-local variables, or a slot by the thread's number. Two
//! tasks of one thread do not race there. So a task that touches its thread's own memory or asks for the thread's number is *bound*: from
//! there on it comes after what the thread did before, and what the thread does next comes after it.

use super::rest::Life;
use super::{Knowledge, Rank, Section};
use crate::recorder::{Recorder, Watched};
use crate::underway::UnderWay;
use thrille_model::{Held, Interval, Lock, LocksetId, Mode, Phase, Pos, Strand, Token};

/// Strands for tasks.
const MOST: usize = 256;

/// What tasks that are bound to the thread hold: no mutex is there.
pub(crate) fn thread_of(rank: thrille_model::Rank) -> Lock {
    Lock::Process(rank, 2)
}

/// What makes a thread a strand.
#[derive(Debug)]
pub struct Role {
    pub(crate) strand: Strand,
    pub(crate) pos: Pos,
    pub(crate) epoch: Pos,
    pub(crate) phase: Phase,
    pub(crate) until: Phase,
    pub(crate) held: Vec<Held>,
    pub(crate) borrowed: Vec<Held>,
    pub(crate) lent: u64,
    pub(crate) locks: LocksetId,
    pub(crate) sections: Vec<Section>,
    pub(crate) under_way: UnderWay,
    pub(crate) watched: Watched,
    pub(crate) binding: Binding,
}

impl Role {
    fn new(strand: Strand, pos: Pos, phase: Phase) -> Self {
        Self {
            strand,
            pos,
            epoch: pos,
            phase,
            until: phase,
            held: Vec::new(),
            borrowed: Vec::new(),
            lent: 0,
            locks: LocksetId::EMPTY,
            sections: Vec::new(),
            under_way: UnderWay::default(),
            watched: Watched::default(),
            binding: Binding::Free(None),
        }
    }
}

/// Whether a strand is part of its thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    /// It is the thread, or a task that has asked for it.
    Bound,
    /// A task; and what its thread did before it began.
    Free(Option<Token>),
}

/// The strand of a task that has ended.
#[derive(Debug)]
struct Idle {
    strand: Strand,
    /// Its last access is not after this.
    end: Pos,
    /// Its last event.
    pos: Pos,
}

/// The strands of tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    made: usize,
    idle: Vec<Idle>,
}

/// The task graph of the rank, if somebody asks for the races between its tasks.
impl Rank {
    /// A step of the rank's task graph: the strand of a task ends, another one begins.
    pub fn task_step(&mut self, recorder: &mut Recorder, event: thrille_tasks::Event) {
        if let Some(watch) = &mut self.watch
            && watch.stays(event)
        {
            return watch.step(event);
        }
        self.drain(recorder);
        recorder.see(&self.regions, self.all_memory(recorder.strand));
        if let Some(watch) = &mut self.watch {
            watch.step(event);
            recorder.follow_tasks(watch.looks(), self.ranks == 1, !self.open.was_used());
            if watch.looks_at_each() {
                recorder.footprint.looks_at_each();
            }
        }
    }

    /// What the strand of a task on one of several threads did so far goes to its core ([`Recorder::core`]); `own` is asked for the thread's own memory when
    /// it takes part first. False if tasks are not followed in that way.
    pub fn task_core(&mut self, recorder: &mut Recorder, own: impl FnOnce() -> Vec<Interval>) -> bool {
        self.drain(recorder);
        let Some(crew) = self.watch.as_mut().and_then(|watch| watch.crew.as_mut()) else { return false };
        if recorder.hand.is_none() {
            recorder.hand = Some(crew.hand(own()));
        }
        let looks = self.watch.as_ref().is_some_and(|watch| watch.looks());
        // Where no operation of the rank uses it, private memory is for the core alone.
        if let Some(hand) = &mut recorder.hand {
            hand.has_private = looks && self.open.is_empty();
        }
        recorder.see(&self.regions, self.all_memory(recorder.strand));
        recorder.follow_tasks(looks, self.ranks == 1, !self.open.was_used());
        true
    }

    /// A task that runs where it was created uses what its thread has for itself, memory or number. Two such tasks of one thread do not run at the same time, and those of two
    /// threads have each their own: as if they held a lock from there on.
    pub fn bind_task(&mut self, recorder: &mut Recorder) {
        let lock = thread_of(self.me);
        if self.watch.as_ref().is_some_and(|watch| watch.looks()) && !recorder.holds(lock) {
            self.lock(recorder, lock, Mode::Exclusive);
            if let Some(watch) = &mut self.watch {
                watch.binds();
            }
        }
    }

    /// It is over.
    pub fn unbind_task(&mut self, recorder: &mut Recorder) {
        let lock = thread_of(self.me);
        if recorder.holds(lock) {
            self.unlock(recorder, lock);
        }
    }

    /// A task is done: its part of the stack, below this address, and memory that was made for it are used again.
    pub fn task_memory(&mut self, recorder: &mut Recorder, stack: Option<u64>, made: Option<(u64, u64)>) {
        self.drain(recorder);
        if let Some(watch) = &mut self.watch {
            if let Some(to) = stack {
                watch.unwind(to);
            }
            if let Some((lo, hi)) = made {
                watch.forget(lo, hi);
            }
        }
    }

    /// The races between tasks that were found, and what is to be said about how.
    pub fn task_races(&mut self, strand: Strand) -> (Vec<thrille_model::Race>, Vec<String>) {
        let (regions, locksets, modules) = (&self.regions, &self.locksets, &mut self.modules);
        self.watch.as_ref().map_or_else(Default::default, |watch| {
            (watch.races(regions, strand, locksets, |pc| modules.site(pc)), watch.notes())
        })
    }
}

impl Rank {
    /// Whether nothing depends on tasks being strands: PINT has all of their accesses, and there was no operation that one of them could complete for another.
    pub fn has_tasks_by_graph(&self) -> bool {
        self.ranks == 1
            && !self.open.was_used()
            && self.has_crew()
            && self.watch.as_ref().is_some_and(|watch| watch.looks())
    }

    /// The strand creates a task: its role, if it can have one.
    pub fn task(&mut self, creator: &Recorder) -> Option<Role> {
        let knows = &self.knowledge[creator.strand.number() as usize];
        self.role(self.idle_for(knows), knows.phase)
    }

    /// A task that was created without a role, with this token, begins on a thread: its role, if it must have one by now. It is not its own what the thread holds.
    pub fn task_begins(&mut self, thread: &Recorder, created: Token) -> Option<Role> {
        if self.has_tasks_by_graph() && thread.held.is_empty() {
            return None;
        }
        let knows = self.tokens.get(&created)?;
        self.role(self.idle_for(knows), knows.phase)
    }

    /// A strand whose end is known to who knows this.
    fn idle_for(&self, knows: &Knowledge) -> Option<usize> {
        self.tasks.idle.iter().rposition(|idle| knows.of(idle.strand) > idle.end.0)
    }

    /// For a task that comes after this phase: that strand, or one that nobody had before.
    fn role(&mut self, idle: Option<usize>, phase: Phase) -> Option<Role> {
        if self.muted || self.single() {
            return None;
        }
        let (strand, pos) = match idle.map(|index| self.tasks.idle.swap_remove(index)) {
            Some(idle) => (idle.strand, Pos(idle.pos.0 + 1)),
            None if self.tasks.made < MOST => {
                self.tasks.made += 1;
                let strand = Strand::task(self.me, self.knowledge.len() as u32);
                self.add_strand(strand, Knowledge::default());
                (strand, Pos(0))
            }
            None => return None,
        };
        let number = strand.number() as usize;
        self.lives[number] = Life::Runs;
        // It comes after its creator's last barrier, whenever it begins.
        self.knowledge[number].phase = self.knowledge[number].phase.max(phase);
        Some(Role::new(strand, pos, phase))
    }

    /// The thread takes up another role. Returns its former one.
    pub fn play(&mut self, recorder: &mut Recorder, mut role: Role) -> Role {
        self.drain(recorder);
        recorder.exchange(&mut role);
        recorder.see(&self.regions, !self.single());
        role
    }

    /// The task of this role has ended, with no access after `end`.
    pub fn retire(&mut self, role: &Role, end: Pos) {
        let &Role { strand, pos, .. } = role;
        for open in self.open.of(strand) {
            open.locks.retain(|held| matches!(held.lock, Lock::Window(..)));
        }
        self.inside.retain(|&(inside, ..)| inside != strand);
        self.set(strand, Life::Gone);
        self.tasks.idle.push(Idle { strand, end, pos });
    }

    /// Memory begins another life: the frames below an address of a stack as a task begins or is left, or what the runtime has for a task.
    pub fn renew(&mut self, recorder: &mut Recorder, start: u64, end: u64) {
        self.drain(recorder);
        self.blocks.renew(start, end);
    }

    /// The strand uses what its thread has for itself.
    pub fn bind(&mut self, recorder: &mut Recorder) {
        if recorder.hand.as_ref().is_some_and(|hand| !hand.bound) {
            // What it did before is not the thread's.
            self.drain(recorder);
            recorder.bound_to(true);
        }
        if let Binding::Free(before) = recorder.binding {
            self.drain(recorder);
            recorder.binding = Binding::Bound;
            if let Some(token) = before {
                self.acquire(recorder, token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::Modules;
    use crate::regions::Regions;

    const ME: thrille_model::Rank = thrille_model::Rank(0);

    fn token(round: u64) -> Token {
        Token::Local { rank: ME, address: 1 << 63, round }
    }

    /// A rank with a second thread, and its first strand.
    fn two_threads() -> (Rank, Recorder) {
        let (mut rank, mut main) = Rank::new(ME, Regions::default(), Modules::new(Vec::new), 100);
        assert!(rank.task(&main).is_none(), "alone, a task is part of the thread");
        rank.fork(&mut main);
        (rank, main)
    }

    /// The thread carries out a task and comes back.
    fn carry_out(rank: &mut Rank, thread: &mut Recorder, role: Role, done: Option<Token>) {
        let former = rank.play(thread, role);
        let end = thread.pos();
        if let Some(done) = done {
            rank.release(thread, done);
        }
        let role = rank.play(thread, former);
        rank.retire(&role, end);
    }

    #[test]
    fn a_strand_is_used_again_by_who_knows_of_its_end() {
        let (mut rank, mut main) = two_threads();
        let first = rank.task(&main).expect("a role");
        let strand = first.strand;
        assert!(strand.is_task() && strand != main.strand());
        carry_out(&mut rank, &mut main, first, Some(token(0)));
        let unknown = rank.task(&main).expect("a role");
        assert_ne!(unknown.strand, strand);
        rank.acquire(&mut main, token(0));
        let known = rank.task(&main).expect("a role");
        assert_eq!(known.strand, strand);
    }

    #[test]
    fn there_are_only_so_many() {
        let (mut rank, mut main) = two_threads();
        for _ in 0..MOST {
            let role = rank.task(&main).expect("a role");
            carry_out(&mut rank, &mut main, role, None);
        }
        assert!(rank.task(&main).is_none());
        assert_eq!(rank.threads(), 2);
    }

    #[test]
    fn a_bound_task_comes_after_what_its_thread_did() {
        let (mut rank, mut main) = two_threads();
        rank.release(&mut main, token(0));
        let (thread, before) = (main.strand(), main.pos());
        let role = rank.task(&main).expect("a role");
        let former = rank.play(&mut main, role);
        main.comes_after(token(0));
        let knows = |rank: &Rank, task: &Recorder| rank.knowledge[task.strand.number() as usize].of(thread);
        assert!(!main.is_bound() && knows(&rank, &main) == 0);
        rank.bind(&mut main);
        assert!(main.is_bound() && knows(&rank, &main) >= before.0);
        rank.play(&mut main, former);
        assert!(main.is_bound() && main.strand() == thread);
    }
}
