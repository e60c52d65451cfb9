//! What a task graph is told by, and who answers questions about it.

/// A step of the serial, depth-first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The task that runs creates another one, which runs now. `async`, `spawn`, `omp task`.
    Spawn,
    /// The task that runs is done; the one that created it goes on.
    End(End),
    /// The task that runs waits for the tasks that it has created, and not for theirs: `omp taskwait`. Where each task waits for its own
    /// before it ends, this is Cilk's `sync`.
    Wait,
    /// Begins a scope that collects the tasks created in it, and theirs: `finish`, `omp taskgroup`.
    BeginFinish,
    /// Waits for all of them.
    EndFinish,
}

/// How a task was meant to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In parallel with what its creator does next.
    Parallel,
    /// Its creator does not go on before it is done: `if(0)`, or created by a `final` task.
    Included,
}

/// Who did an access, in the words of a [`Reach`]: a task, or a piece of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark(pub u32);

/// Events that do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misnested {
    /// More tasks end than began.
    #[error("a task ends that did not begin")]
    NoTask,
    /// A finish scope ends in a task that has not begun one.
    #[error("a finish scope ends that this task did not begin")]
    NoFinish,
    /// A task ends in a finish scope that it began.
    #[error("a task ends before the finish scope that it began")]
    OpenFinish,
    /// Names for tasks are used up.
    #[error("more than four thousand million tasks in one parallel region")]
    TooMany,
}

/// Follows the task graph.
pub trait Reach {
    /// Takes a step.
    fn step(&mut self, event: Event) -> Result<(), Misnested>;

    /// Whether a step would change nothing: what runs goes on under the same name, and comes after as much as before. May not know.
    fn stays(&self, event: Event) -> bool;

    /// The name of what runs now.
    fn now(&self) -> Mark;

    /// Whether what an earlier mark stands for may run in parallel with what runs now.
    fn parallel(&mut self, earlier: Mark) -> bool;

    /// Whether [`Reach::later`] can be asked of all marks so far, now and whenever nothing irregular has happened since.
    fn is_ordered(&self) -> bool;

    /// Of two marks the one that stays, of those who have read a byte: whatever is parallel to the other one from now on is parallel to it as well.
    fn later(&self, one: Mark, other: Mark) -> Mark;

    /// Whether the main task runs and everything so far comes before what it does now: then nothing of it matters any more.
    fn is_serial(&self) -> bool;

    /// Forgets all marks, when [`Reach::is_serial`]; what runs now goes on under another one.
    fn forget(&mut self);

    /// Steps after which the graph is not of the kind that this reachability is exact for; it has then taken more to be ordered than is.
    fn irregular(&self) -> u64;
}
