//! What a run leaves behind, and how its processes are told where.
//!
//! The launcher sets the environment below for each process. Each process appends [`Entry`] frames (see [`crate::wire`]) to its own
//! file [`rank_file`] in the run's directory, as it goes: what was written before a crash is there after it.

use crate::access::{Site, StackId};
use crate::race::Race;
use crate::strand::{Phase, Rank};
use crate::sync::Caller;
use serde::{Deserialize, Serialize};

/// The directory of the run. Without this variable the injected library does nothing.
pub const ENV_RUN_DIR: &str = "THRILLE_RUN_DIR";
/// This process's rank.
pub const ENV_RANK: &str = "THRILLE_RANK";
/// How many ranks there are.
pub const ENV_SIZE: &str = "THRILLE_SIZE";
/// Address of the launcher's hub, for ranks that talk over sockets.
pub const ENV_HUB: &str = "THRILLE_HUB";
/// The token that the hub wants to see, in hexadecimal.
pub const ENV_TOKEN: &str = "THRILLE_TOKEN";
/// Most accesses that a rank holds between two exchanges; more are dropped and counted.
pub const ENV_MAX_RECORDS: &str = "THRILLE_MAX_RECORDS";

/// Which loads and stores are looked at: the name of a policy, `full` or `NL`. Without it, what suits how the program was built.
pub const ENV_SAMPLING: &str = "THRILLE_SAMPLING";
/// What looking may cost, for example `5%`.
pub const ENV_BUDGET: &str = "THRILLE_BUDGET";
/// The seed of what is chosen at random.
pub const ENV_SEED: &str = "THRILLE_SEED";
/// The interval history that finds conflicts.
pub const ENV_HISTORY: &str = "THRILLE_HISTORY";
/// If it is set, each rank also writes down what it gathers for each exchange: [`trace_file`].
pub const ENV_TRACE: &str = "THRILLE_TRACE";
/// How races between tasks of a rank are looked for; the tasks are then run one after the other.
pub const ENV_TASKS: &str = "THRILLE_TASKS";
/// Version of the `thrille` that started the process; the one it is linked with may be another.
pub const ENV_TOOL: &str = "THRILLE_TOOL";

/// The file of a rank in the directory of the run.
pub fn rank_file(rank: Rank) -> String {
    format!("rank-{}.thr", rank.0)
}

/// Where a rank writes down what it gathers: frames of [`Traced`].
pub fn trace_file(rank: Rank) -> String {
    format!("trace-{}.thr", rank.0)
}

/// What a rank gathered for one exchange.
pub type Traced = (Vec<crate::Access>, Vec<crate::SyncEvent>);

/// The node, as Slurm or the machine itself calls it.
pub fn host() -> String {
    let name = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    std::env::var("SLURMD_NODENAME").ok().or_else(name).unwrap_or_default().trim().to_owned()
}

/// The programming interface that a program is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Api {
    /// OpenSHMEM.
    OpenShmem,
    /// MPI.
    Mpi,
}

/// What a rank wrote down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "one at a time, on its way to or from a file")]
pub enum Entry {
    /// The process began.
    Start {
        /// Which rank it is.
        rank: Rank,
        /// Of how many.
        size: u32,
        /// Its process id.
        pid: u32,
        /// Version of the tool.
        tool: String,
        /// What it is written to.
        api: Api,
    },
    /// A file that is loaded into the process: [`Site`]s refer to it.
    Module {
        /// The number that sites use.
        id: u64,
        /// Where it was loaded from.
        path: String,
        /// Its build id, if it has one.
        build_id: Vec<u8>,
        /// What is added to the addresses in the file.
        bias: u64,
        /// From where to where its parts are.
        ranges: Vec<(u64, u64)>,
    },
    /// A node of the tree of calls: the function that was called from `call` in the function of `parent`.
    Stack {
        /// Its number in this rank; never 0.
        id: StackId,
        /// The caller's node; 0 is the outermost one known.
        parent: StackId,
        /// The return address of the call.
        call: Site,
    },
    /// Where the program called for synchronisation.
    Caller {
        /// Its number in this rank; never 0.
        id: Caller,
        /// The return address of the call.
        call: Site,
    },
    /// A race that this rank found in its memory. A later entry for the same pair of sites replaces it, without what is around: `seen` has grown.
    Race(Race),
    /// How far it has come.
    Progress(Progress),
    /// Something that the reader of the report must know.
    Note(String),
    /// The rank ended before its regular end, but all it recorded was analysed with those that were still there.
    Stopped(Progress),
    /// The rank came to its regular end, and all it recorded was analysed.
    Finished(Progress),
    /// One-sided operations on other ranks' memory so far: whose, how many, how many bytes. A later entry replaces it.
    Traffic(Vec<(Rank, u64, u64)>),
    /// Which part of its loads and stores was looked at; before the last entry, and only if it was not all.
    Sampled(Sampled),
}

/// How a rank was sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// The policy's name.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The budget, in thousandths of the program's own time.
    pub budget: Option<u16>,
    /// Microseconds that looking took, of all threads; 0 if nobody measured.
    pub spent_us: u64,
    /// Those of them that went into observing calls of the communication library, which no policy chooses from.
    pub calls_us: u64,
    /// Microseconds that passed meanwhile, of all threads.
    pub elapsed_us: u64,
    /// By function.
    pub functions: Vec<FunctionSampled>,
}

/// What was looked at in one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSampled {
    /// A place in it.
    pub at: Site,
    /// Its calls.
    pub calls: u64,
    /// Those that were looked at.
    pub calls_taken: u64,
    /// Its loads and stores, as far as they are known.
    pub sites: u32,
    /// Those that were looked at at least once.
    pub sites_taken: u32,
    /// How often they were executed.
    pub executed: u64,
    /// How often they were looked at.
    pub taken: u64,
}

/// Figures of one rank so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Global barriers passed.
    pub phase: Phase,
    /// Whether the program has instrumented code at all.
    pub instrumented: bool,
    /// Instrumented loads and stores executed, whatever memory they touched.
    pub executed: u64,
    /// Accesses to shared memory observed.
    pub observed: u64,
    /// Records kept after merging.
    pub recorded: u64,
    /// Accesses to shared memory that were dropped because the limit on records was reached.
    pub dropped: u64,
    /// Most records held at a time, by this rank as recorder and as owner.
    pub most_held: u64,
    /// Exchanges made.
    pub exchanges: u64,
    /// Threads seen.
    pub strands: u32,
    /// Microseconds spent in exchanges and analysis.
    pub analysis_us: u64,
    /// Of these, while the program went on.
    pub beside_us: u64,
    /// Of these, microseconds spent sending, and waiting for what others send.
    pub communication_us: u64,
    /// Microseconds of processor time that sending and waiting took.
    pub communication_cpu_us: u64,
    /// With a budget: microseconds that the thread which synchronises the rank has spent on being observed, and how many passed meanwhile.
    pub spent: Option<(u64, u64)>,
}
