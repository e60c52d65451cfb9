//! What a report is. The JSON is these types as they stand: renaming a field changes the format, see `README.md`.

use crate::run::RunInfo;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the JSON: raised when a field changes its meaning or goes. New fields do not raise it.
pub const VERSION: u32 = 1;

/// One of a few words that the format fixes. A report of a newer version may use one that is not known here yet.
pub type Word = Cow<'static, str>;

/// All that is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// Version of the tool that made the report.
    pub tool: String,
    /// What was started and how it ended, if that is known.
    pub run: Option<RunInfo>,
    /// Figures of the whole run.
    pub summary: Summary,
    /// Which loads and stores were looked at; none if all were.
    #[serde(default)]
    pub sampling: Option<SamplingReport>,
    /// One for each pair of places.
    pub races: Vec<RaceReport>,
    /// Races that somebody has declared to be benign: listed here, counted nowhere else.
    #[serde(default)]
    pub suppressed: Vec<SuppressedReport>,
    /// Which ranks raced with which, over all races, suppressed ones included.
    #[serde(default)]
    pub pairs: Vec<PairReport>,
    /// What has changed since an earlier report, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineReport>,
    /// One-sided operations from rank to rank, if they were counted.
    #[serde(default)]
    pub traffic: Vec<TrafficReport>,
    /// What the reader must know besides.
    pub notes: Vec<String>,
    /// The loaded files that sites refer to.
    #[serde(skip)]
    pub loaded: Vec<Loaded>,
}

/// A file that was loaded into the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The number that sites use.
    pub id: u64,
    /// Where it was loaded from.
    pub path: std::path::PathBuf,
    /// Its build id, if it has one.
    pub build_id: Vec<u8>,
}

/// A race that somebody has declared to be benign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuppressedReport {
    /// The race; its number counts among the suppressed ones.
    pub race: RaceReport,
    /// Where that is said, as `file:line`.
    pub by: String,
    /// Where that is: `file` (an entry of a suppression file) or `comment` (in the source).
    pub origin: Word,
    /// Why.
    pub reason: String,
}

/// What has changed since an earlier report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BaselineReport {
    /// The earlier report's file.
    pub file: String,
    /// Ids of races that are new.
    pub new: Vec<String>,
    /// Ids of races that were there before.
    pub still: Vec<String>,
    /// Races that are no longer met.
    pub gone: Vec<GoneReport>,
}

/// A race of an earlier report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GoneReport {
    /// Its id.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
}

/// Two ranks whose accesses raced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PairReport {
    /// The rank of a side a.
    pub a: u32,
    /// The rank of a side b.
    pub b: u32,
    /// How many of the races they met in.
    pub races: u64,
    /// How many unordered pairs of records.
    pub seen: u64,
}

/// One-sided operations of one rank on another's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrafficReport {
    /// Who issued them.
    pub from: u32,
    /// Whose memory they touched.
    pub to: u32,
    /// How many.
    pub operations: u64,
    /// How many bytes in all.
    pub bytes: u64,
}

/// Figures of the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// How many races are listed.
    pub races: usize,
    /// How many of them were made to happen.
    #[serde(default)]
    pub confirmed: usize,
    /// How many are suppressed besides.
    #[serde(default)]
    pub suppressed: usize,
    /// What the program is written to: `openshmem` or `mpi`, if that is known.
    #[serde(default)]
    pub api: Option<Word>,
    /// Ranks of the job.
    pub ranks: u32,
    /// Ranks that were observed at all.
    pub ranks_observed: u32,
    /// Ranks that came to their regular end, all records analysed.
    pub ranks_finished: u32,
    /// Whether the program has instrumented code.
    pub instrumented: bool,
    /// Threads seen, of all ranks.
    pub threads: u64,
    /// Phases: global barriers passed, and one.
    pub phases: u64,
    /// Instrumented loads and stores executed.
    pub executed: u64,
    /// Accesses to shared memory observed.
    pub observed: u64,
    /// Records kept after merging.
    pub recorded: u64,
    /// Accesses to shared memory dropped because the limit on records was reached.
    pub dropped: u64,
    /// Most records that one rank held at a time.
    pub most_held: u64,
    /// Most exchanges that one rank made.
    pub exchanges: u64,
    /// Longest time that one rank spent in exchanges and analysis.
    pub analysis_seconds: f64,
    /// Longest time of that in which the program of one rank went on.
    #[serde(default)]
    pub beside_seconds: f64,
    /// Of that, seconds of sending and of waiting for what others send, of the rank with the most.
    pub communication_seconds: f64,
    /// Processor time that this took, of all ranks.
    pub communication_cpu_seconds: f64,
}

/// Which loads and stores were looked at, of all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SamplingReport {
    /// The policy's name.
    pub policy: String,
    /// The seed of what was chosen at random.
    pub seed: u64,
    /// What looking was allowed to cost, of the program's own time.
    pub budget_percent: Option<f64>,
    /// What it did cost.
    pub cost_percent: Option<f64>,
    /// What of it went into observing what calls of the communication library order, which cannot be left out.
    pub calls_percent: Option<f64>,
    /// Loads and stores in the program, as far as they are known.
    pub sites: u64,
    /// Those that were looked at at least once.
    pub sites_taken: u64,
    /// How often they were executed.
    pub executed: u64,
    /// How often they were looked at.
    pub taken: u64,
    /// By function, the one that was executed most first.
    pub functions: Vec<FunctionSampling>,
}

/// The same for one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FunctionSampling {
    /// Its name.
    pub function: String,
    /// Source file as shown.
    pub file: Option<String>,
    /// A line in it.
    pub line: Option<u32>,
    /// Its calls.
    pub calls: u64,
    /// Those that were looked at.
    pub calls_taken: u64,
    /// Its loads and stores.
    pub sites: u32,
    /// Those that were looked at at least once.
    pub sites_taken: u32,
    /// How often they were executed.
    pub executed: u64,
    /// How often they were looked at.
    pub taken: u64,
}

/// Two places of the program that race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceReport {
    /// Its number in this report, from 1.
    pub number: usize,
    /// Its name across runs: made from file names, functions and the text of the two lines, not from their numbers.
    #[serde(default)]
    pub id: String,
    /// What it is, in a line.
    #[serde(default)]
    pub title: String,
    /// The memory.
    pub object: ObjectReport,
    /// One side.
    pub a: SideReport,
    /// The other side.
    pub b: SideReport,
    /// Why they are unordered.
    pub why: WhyReport,
    /// The synchronisation of the two strands around the two accesses, that of side a's strand first, each strand's in order.
    #[serde(default)]
    pub around: Vec<SyncReport>,
    /// How many unordered pairs of records were met.
    pub seen: u64,
    /// What phase 2 has to say, if it was there.
    #[serde(default)]
    pub confirmation: Option<ConfirmationReport>,
    /// The records behind it; the first side of each is side a.
    #[serde(skip)]
    pub records: Vec<thrille_model::Race>,
    /// Whether it looks like a hand-made signal.
    #[serde(skip)]
    pub polled: bool,
}

/// What came of making a race happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfirmationReport {
    /// `changes_result`, `no_difference`, `crashes_or_hangs`, `not_compared` (all four: it happened) or `not_confirmed`.
    pub verdict: Word,
    /// In words.
    pub text: String,
    /// How both sides were there at the same time.
    pub witness: Option<String>,
    /// It was not confirmed, and something that the program made itself orders the two.
    pub unlikely: bool,
    /// How often the program was run with these places live.
    pub tries: u32,
    /// What reproduces it.
    pub schedule: Option<String>,
    /// The command that reproduces it.
    pub replay: Option<String>,
    /// The callers of side a at that moment, innermost first.
    pub a_stack: Vec<Frame>,
    /// The callers of side b.
    pub b_stack: Vec<Frame>,
}

/// What the bytes belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectReport {
    /// Whose memory, in the example shown.
    pub owner: u32,
    /// In whose memory it was met.
    pub owners: Vec<u32>,
    /// `heap`, `static`, `window` or `private`.
    pub segment: Word,
    /// First byte that both sides touch: offset in the segment; an address in private memory.
    pub segment_offset: u64,
    /// Name of the variable, if it is one and known.
    pub name: Option<String>,
    /// Size of the variable or allocation, if known.
    pub size: Option<u64>,
    /// The bytes that both sides touch: offsets in the variable or allocation, else in the segment.
    pub bytes: Bytes,
    /// The heap allocation, if known.
    pub allocation: Option<AllocationReport>,
    /// Number of the window, if it is one.
    pub window: Option<u32>,
}

/// A piece of the symmetric heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AllocationReport {
    /// Its number in order of allocation.
    pub number: u32,
    /// Where it was asked for.
    pub at: Frame,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bytes {
    /// The first.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}

/// One of the two accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideReport {
    /// Who, in the example shown.
    pub rank: u32,
    /// Which thread or task of that rank; 0 is the main thread.
    pub thread: u32,
    /// Whether it is a task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub task: bool,
    /// All ranks that were met here.
    pub ranks: Vec<u32>,
    /// `load`, `store`, `cpu_atomic`, `library_call`, `put`, `get`, `remote_atomic`, `signal`, `buffer`, `wait` or `collective`.
    pub act: Word,
    /// `read`, `write`, `atomic_read`, `atomic_update` or `wait`.
    pub kind: Word,
    /// The function called, as far as the source line tells.
    pub call: Option<String>,
    /// What was done, in words.
    pub what: String,
    /// Which bytes: offsets in the segment.
    pub bytes: Bytes,
    /// In which phases it may fall.
    pub phases: PhaseRange,
    /// The context of an operation that lasts beyond its call; 0 is the default one.
    pub context: Option<u32>,
    /// Locks held for all of its duration.
    pub locks: Vec<LockReport>,
    /// How many executions the record stands for.
    pub times: u32,
    /// Where.
    pub at: Frame,
    /// Called from where, innermost first.
    pub stack: Vec<Frame>,
}

/// The phases that an access may fall into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PhaseRange {
    /// The first.
    pub first: u64,
    /// The last; none if no global barrier is known to come after.
    pub last: Option<u64>,
}

/// A lock that is held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LockReport {
    /// Which, in words.
    pub name: String,
    /// `shared` or `exclusive`.
    pub mode: Word,
}

/// Why two accesses are unordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WhyReport {
    /// `unsynchronised`, `incomplete`, `wrong_context` or `tasks`.
    pub kind: Word,
    /// The page that explains it: `thrille explain PATTERN`.
    #[serde(default)]
    pub pattern: Word,
    /// In words.
    pub text: String,
    /// What may help, in words.
    pub hints: Vec<String>,
    /// The change that would order the two, where it is a mechanical one.
    #[serde(default)]
    pub fix: Option<FixReport>,
}

/// Something that a strand did near its access by which it synchronises with others, or completes operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SyncReport {
    /// Whose strand: `a` or `b`; `a` if both sides are one strand's.
    pub side: Word,
    /// `before` its access, `after` it, or `between` the two if they are one strand's.
    pub when: Word,
    /// `release` (others come after it), `acquire` (it comes after others), `meet` (both), `barrier` (of all ranks), `lock`, `unlock`, `complete`
    /// (of operations) or `fence`.
    pub kind: Word,
    /// In words.
    pub text: String,
    /// The call or directive, as far as the source line tells.
    pub call: Option<String>,
    /// Where, if that is known.
    pub at: Option<Frame>,
    /// The events in this list that come after it, of the other strand: their numbers, from 0.
    pub leads_to: Vec<usize>,
    /// Why that does not order the two accesses.
    pub but: Option<String>,
}

/// A change of the source that would order the two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FixReport {
    /// What to do, in words.
    pub text: String,
    /// What to insert or to call instead.
    pub call: String,
    /// The file to change, as shown.
    pub file: Option<String>,
    /// The line behind which the call is missing, or which has the wrong one.
    pub line: Option<u32>,
    /// The call that stands there and is not enough.
    pub instead_of: Option<String>,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Frame {
    /// Source file as shown: relative to the current directory when below it.
    pub file: Option<String>,
    /// Source file, absolute.
    pub path: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// Function, demangled.
    pub function: Option<String>,
    /// Text of the line.
    pub source: Option<String>,
    /// Loaded file.
    pub module: String,
    /// Return address in it.
    pub offset: u64,
    /// Whether the function is inlined into that of the next frame.
    pub inlined: bool,
}
