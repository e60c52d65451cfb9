//! What a report is. The JSON is these types as they stand: renaming a field changes the format, see `README.md`.

use crate::run::RunInfo;
use serde::Serialize;

/// Version of the JSON: raised when a field changes its meaning or goes. New fields do not raise it.
pub const VERSION: u32 = 1;

/// All that is known of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// Version of the tool that made the report.
    pub tool: String,
    /// What was started and how it ended, if that is known.
    pub run: Option<RunInfo>,
    /// Figures of the whole run.
    pub summary: Summary,
    /// One for each pair of places.
    pub races: Vec<RaceReport>,
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

/// Figures of the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many races are listed.
    pub races: usize,
    /// How many of them were made to happen.
    pub confirmed: usize,
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
}

/// Two places of the program that race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaceReport {
    /// Its number in this report, from 1.
    pub number: usize,
    /// The memory.
    pub object: ObjectReport,
    /// One side.
    pub a: SideReport,
    /// The other side.
    pub b: SideReport,
    /// Why they are unordered.
    pub why: WhyReport,
    /// How many unordered pairs of records were met.
    pub seen: u64,
    /// What phase 2 has to say, if it was there.
    pub confirmation: Option<ConfirmationReport>,
    /// The records behind it; the first side of each is side a.
    #[serde(skip)]
    pub records: Vec<thrille_model::Race>,
    /// Whether it looks like a hand-made signal.
    #[serde(skip)]
    pub polled: bool,
}

/// What came of making a race happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfirmationReport {
    /// `changes_result`, `no_difference`, `crashes_or_hangs`, `not_compared` (all four: it happened) or `not_confirmed`.
    pub verdict: &'static str,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectReport {
    /// Whose memory, in the example shown.
    pub owner: u32,
    /// In whose memory it was met.
    pub owners: Vec<u32>,
    /// `heap`, `static`, `window` or `private`.
    pub segment: &'static str,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllocationReport {
    /// Its number in order of allocation.
    pub number: u32,
    /// Where it was asked for.
    pub at: Frame,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// The first.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}

/// One of the two accesses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideReport {
    /// Who, in the example shown.
    pub rank: u32,
    /// Which thread of that rank; 0 is the main thread.
    pub thread: u32,
    /// All ranks that were met here.
    pub ranks: Vec<u32>,
    /// `load`, `store`, `cpu_atomic`, `library_call`, `put`, `get`, `remote_atomic`, `signal`, `buffer`, `wait` or `collective`.
    pub act: &'static str,
    /// `read`, `write`, `atomic_read`, `atomic_update` or `wait`.
    pub kind: &'static str,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseRange {
    /// The first.
    pub first: u64,
    /// The last; none if no global barrier is known to come after.
    pub last: Option<u64>,
}

/// A lock that is held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LockReport {
    /// Which, in words.
    pub name: String,
    /// `shared` or `exclusive`.
    pub mode: &'static str,
}

/// Why two accesses are unordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WhyReport {
    /// `unsynchronised`, `incomplete` or `wrong_context`.
    pub kind: &'static str,
    /// In words.
    pub text: String,
    /// What may help, in words.
    pub hints: Vec<String>,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
