//! What is done to memory, for how long, and by which line of the program.

use crate::lock::LocksetId;
use crate::place::Place;
use crate::strand::{Phase, Pos, Strand};
use crate::sync::{Channel, Ctx};
use serde::{Deserialize, Serialize};

/// Whether an atomic operation changes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Effect {
    /// It only reads.
    Load,
    /// It writes, or may.
    Update,
}

/// Who guarantees the atomicity: operations of different domains are not atomic towards each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Domain {
    /// The processor: C11, C++11 and compiler atomics.
    Processor,
    /// The OpenSHMEM library.
    Shmem,
    /// The MPI library: its accumulate operations.
    Mpi,
}

/// An atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Atomic {
    /// Who makes it atomic.
    pub domain: Domain,
    /// The window that it goes through, which the library makes it atomic for; 0 in the other domains.
    pub through: u16,
    /// Element type, in the numbering of the domain: atomicity holds among equal types.
    pub ty: u8,
    /// Bytes of one element.
    pub width: u8,
    /// The operation, in the numbering of the domain, where it matters which it is; 0 goes with every other.
    pub op: u8,
    /// Whether it is ordered with others of its kind that its rank issues to the same target.
    pub ordered: bool,
    /// Whether it writes.
    pub effect: Effect,
}

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read or update.
    Atomic(Atomic),
    /// The read of a wait or test routine: updates of the word by others are what it is there for.
    Await,
}

/// How a one-sided operation's far end is ordered before it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Order {
    /// By nothing but completion: gets, and the near end of any operation.
    None,
    /// By fences on its channel.
    Fenced(Channel),
    /// By fences, and by the signal that the same operation delivers after it.
    Signalled(Channel),
}

impl Order {
    /// The channel, if there is one.
    pub fn channel(self) -> Option<Channel> {
        match self {
            Self::None => None,
            Self::Fenced(channel) | Self::Signalled(channel) => Some(channel),
        }
    }
}

/// An access that lasts beyond the call that issues it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Operation {
    /// The context whose completion ends it.
    pub ctx: Ctx,
    /// Where its own strand completed it; none while it is open.
    pub end: Option<Pos>,
    /// What orders it before that.
    pub order: Order,
}

/// How long an access lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Span {
    /// It is over when the instruction or call is.
    Point,
    /// From its issue to its completion.
    Operation(Operation),
}

/// The phases an access may fall into: two accesses whose phases do not meet are ordered by a global barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Phases {
    /// Global barriers known to come before it.
    pub lo: Phase,
    /// The same at its end; none while no global barrier is known to come after it.
    pub hi: Option<Phase>,
}

impl Phases {
    /// Whether the two may fall into one phase.
    pub fn meet(self, other: Self) -> bool {
        self.hi.is_none_or(|hi| hi >= other.lo) && other.hi.is_none_or(|hi| hi >= self.lo)
    }
}

/// An instruction of the program: where it is in which loaded file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site {
    /// The loaded file, by the hash of its build id or path: equal on all ranks.
    pub module: u64,
    /// The return address of the hook or call in it, as an offset from where it is loaded. Of a function that does the doing of the line that calls it, the upper
    /// [bits](Site::CALLER) say which line that is.
    pub offset: u64,
}

impl Site {
    /// Bits of the offset, and of addresses of code, that are below the number of who called.
    pub const CALLER: u32 = 48;
    /// Such numbers are from 1 up to this.
    pub const CALLERS: u16 = i16::MAX as u16;

    /// Which instruction it is, whoever called.
    #[must_use]
    pub fn instruction(self) -> Self {
        Self { offset: self.offset & ((1 << Self::CALLER) - 1), ..self }
    }
}

/// A call stack in the table of the rank that made it; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StackId(pub u32);

/// What the program did, in the words of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic instruction of the processor.
    CpuAtomic,
    /// A C library function that reads or writes memory.
    LibraryCall,
    /// Far end of a put.
    Put,
    /// Far end of a get.
    Get,
    /// Far end of a remote atomic.
    RemoteAtomic,
    /// The signal word of a put-with-signal.
    Signal,
    /// The near buffer of a one-sided operation.
    Buffer,
    /// A word that is waited for or tested.
    Wait,
    /// A buffer of a collective operation.
    Collective,
}

/// One access: who touched which bytes how, from when to when, under which locks, and where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Which bytes.
    pub place: Place,
    /// How.
    pub kind: Kind,
    /// Who.
    pub strand: Strand,
    /// Since when.
    pub begin: Pos,
    /// Until when.
    pub span: Span,
    /// In which phases.
    pub phases: Phases,
    /// Under which locks, for all of its duration.
    pub locks: LocksetId,
    /// In the words of the report.
    pub act: Act,
    /// Which instruction.
    pub site: Site,
    /// Called from where.
    pub stack: StackId,
    /// How many executions were merged into this record.
    pub times: u32,
}

impl Access {
    /// The one-sided operation it is an end of, while that lasts beyond the call.
    pub fn operation(&self) -> Option<Operation> {
        match self.span {
            Span::Point => None,
            Span::Operation(operation) => Some(operation),
        }
    }

    /// What orders its far end before completion.
    pub fn order(&self) -> Order {
        self.operation().map_or(Order::None, |o| o.order)
    }

    /// Whether it may change memory.
    pub fn writes(&self) -> bool {
        match self.kind {
            Kind::Write => true,
            Kind::Atomic(atomic) => atomic.effect == Effect::Update,
            Kind::Read | Kind::Await => false,
        }
    }
}
