//! The pairs of programs in `tests/shmem` and `tests/mpi`: see `tests/README.md` for how they say what must be reported.

use crate::support::root;
use crate::tool::{check, pairs, report, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One program and what it says of itself.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    pub name: String,
    pub ranks: Vec<u32>,
    flags: Option<String>,
    /// Which MPI it is checked on; none for OpenSHMEM.
    mpi: Option<&'static str>,
    /// Whether it is checked on Open MPI's OpenSHMEM library instead of the embedded one.
    oshmem: bool,
    /// The clang whose plugin instruments it; none for the compilers that are guessed.
    clang: Option<u32>,
    /// Whether the plugin for gcc instruments it.
    gcc: bool,
    openmp: bool,
    pub pairs: BTreeSet<(u64, u64)>,
    /// Under which the pairs must be found; only of those in `tests/sampling`.
    pub policies: Vec<String>,
}

impl Program {
    /// Reads the directive and the markers.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let directive = text.lines().next().and_then(|line| remark(line, "thrille: "));
        let directive = directive.ok_or_else(|| format!("{name}: no directive in the first line"))?;
        let (mut ranks, mut flags, mut policies) = (Vec::new(), None, Vec::new());
        for word in directive.split_whitespace() {
            match word.split_once('=') {
                Some(("n", list)) => ranks = list.split(',').filter_map(|n| n.parse().ok()).collect(),
                Some(("policies", list)) => policies = list.split(',').map(String::from).collect(),
                Some(("flags", flag)) => flags = Some(flag.to_owned()),
                _ => return Err(format!("{name}: {word} is not understood")),
            }
        }
        let pairs = markers(&text).map_err(|error| format!("{name}: {error}"))?;
        let racy = name.ends_with("_race");
        if ranks.is_empty() || racy == pairs.is_empty() || racy == name.ends_with("_safe") {
            return Err(format!("{name}: numbers of PEs, name and markers do not fit together"));
        }
        Ok(Self {
            path: path.into(),
            name,
            ranks,
            flags,
            mpi: None,
            oshmem: false,
            clang: None,
            gcc: false,
            openmp: text.contains("#pragma omp"),
            pairs,
            policies,
        })
    }

    /// The same, built by this clang and its plugin, or by the compilers that are guessed.
    pub fn built_by(&self, clang: Option<u32>) -> Self {
        Self { clang, ..self.clone() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of ranks it is run with.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Whether it has races.
    pub fn is_racy(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// What it runs on, in front of its name.
    pub fn engine(&self) -> String {
        self.mpi.map_or_else(String::new, |mpi| format!("{mpi}::"))
    }

    /// The arguments of `thrille check`.
    pub fn check(&self, ranks: u32, out: &Path) -> Vec<std::ffi::OsString> {
        let mut words =
            vec!["check".into(), self.path.clone().into(), format!("-n{ranks}").into(), "--no-confirm".into()];
        words.extend(["--quiet".into(), "--out".into(), out.into()]);
        if self.oshmem {
            words.extend(["--shmem".into(), "oshmem".into()]);
        }
        if let Some(mpi) = self.mpi {
            words.extend(["--mpi".into(), mpi.into()]);
            // What a program needs besides is guessed, save for another standard than the compiler's own, and optimisation.
            let said = |flags: &&str| flags.contains("-std=") || flags.starts_with("-O");
            if let Some(flag) = self.flags.as_deref().filter(said) {
                let compiler = match self.path.extension().and_then(|extension| extension.to_str()) {
                    Some("c") => "mpicc",
                    Some("f90") => "mpifort",
                    _ => "mpicxx",
                };
                words.extend(["--cc".into(), format!("{compiler}.{mpi} {flag}").into()]);
            }
        } else if let Some(version) = self.clang {
            let flags = self.flags.as_deref().unwrap_or_default();
            words.extend(["--cc".into(), format!("{} {flags}", self.clang(version)).into()]);
        } else if let Some(flags) = &self.flags {
            let compiler = if self.is_c() { "gcc" } else { "g++" };
            words.extend(["--cc".into(), format!("{compiler} {flags}").into()]);
        }
        words
    }
}

impl Program {
    fn is_c(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "c")
    }

    fn clang(&self, version: u32) -> String {
        format!("clang{}-{version}", if self.is_c() { "" } else { "++" })
    }

    /// The compilers of MPI libraries take the compiler that they call from the environment.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let plugin = ("THRILLE_INSTRUMENT", "plugin".to_owned());
        let Some(version) = self.clang else { return if self.gcc { vec![plugin] } else { Vec::new() } };
        let names = ["OMPI_CC", "OMPI_CXX", "MPICH_CC", "MPICH_CXX"].map(|name| (name, self.clang(version)));
        names.into_iter().chain([plugin]).collect()
    }
}

/// What a comment that begins with this word, and ends its line, says: `/* word text */`, or `! word text` in Fortran.
fn remark<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (_, c) = line.split_once(&format!("/* {word}")).unwrap_or_default();
    let fortran = || line.split_once(&format!("! {word}")).map(|(_, text)| text);
    c.strip_suffix(" */").or_else(fortran)
}

/// The marked pairs of lines, the smaller line first.
pub fn markers(text: &str) -> Result<BTreeSet<(u64, u64)>, String> {
    let mut lines: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let marker = match remark(line, "race: ") {
            Some(marker) => marker,
            None if line.contains("/* race: ") => {
                return Err(format!("line {number}: a marker that does not end the line"));
            }
            None => continue,
        };
        for letter in marker.split([',', ' ']).filter(|letter| !letter.is_empty()) {
            lines.entry(letter).or_default().push(number);
        }
    }
    let pair = |(letter, lines): (&str, Vec<u64>)| match lines.as_slice() {
        &[a, b] => Ok((a, b)),
        _ => Err(format!("{letter} stands {} times", lines.len())),
    };
    lines.into_iter().map(pair).collect()
}

/// All OpenSHMEM programs, in order of their names.
pub fn programs() -> Result<Vec<Program>, String> {
    programs_in("tests/shmem")
}

/// Those of a directory.
pub fn programs_in(dir: &str) -> Result<Vec<Program>, String> {
    let dir = root().join(dir);
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "c" || extension == "cpp" || extension == "f90")
    });
    paths.sort();
    paths.iter().map(|path| Program::read(path)).collect()
}

/// Whether there is time.
pub fn nightly() -> bool {
    std::env::var_os("THRILLE_NIGHTLY").is_some()
}

/// How often each program is run.
fn repetitions() -> u32 {
    let usual = if nightly() { 20 } else { 1 };
    std::env::var("THRILLE_REPEAT").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// One test for each program and number of PEs, one for the corpus itself.
pub fn trials() -> Vec<Trial> {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(error) => return vec![trial("corpus", move || Err(error.into()))],
    };
    let mut trials = vec![trial("corpus::every_race_has_its_safe_twin", {
        let names: BTreeSet<String> = programs.iter().map(|program| program.name.clone()).collect();
        move || twins(&names)
    })];
    for program in programs {
        for &ranks in &program.ranks {
            let name = format!("corpus::{}::{ranks}", program.name);
            let program = program.clone();
            trials.push(trial(&name, move || (0..repetitions()).try_for_each(|_| judge(&program, ranks))));
        }
    }
    trials.extend(mpi_trials("openmpi", 1));
    // MPICH spins: on few cores each program takes its time.
    trials.extend(mpi_trials("mpich", if nightly() { 1 } else { 4 }));
    trials.extend(plugin_trials());
    trials.extend(oshmem_trials());
    trials
}

/// Topics that Open MPI's OpenSHMEM library, which is of version 1.4, has the calls for: by day these, each racy and safe.
const OSHMEM: [&str; 13] = [
    "amo_get",
    "atomic_fetch_flag",
    "cas_lock",
    "ctx_wrong_quiet",
    "fence_third_party",
    "flag_p",
    "halo",
    "heap_realloc",
    "iput_interleave",
    "lock_handover",
    "nbi_put_origin_heap",
    "omp_taskwait",
    "store_flag_put",
];

fn oshmem_trials() -> Vec<Trial> {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(error) => return vec![trial("corpus::oshmem", move || Err(error.into()))],
    };
    let topic = |name: &str| name.trim_end_matches("_race").trim_end_matches("_safe").to_owned();
    (programs.into_iter().filter(|program| OSHMEM.contains(&topic(&program.name).as_str())))
        .map(|program| {
            let program = Program { oshmem: true, ..program };
            let ranks = program.ranks[0];
            trial(&format!("corpus::oshmem::{}::{ranks}", program.name), move || judge(&program, ranks))
        })
        .collect()
}

/// The MPI programs that run on a library.
pub fn mpi_programs(mpi: &'static str) -> Result<Vec<Program>, String> {
    let fits = |program: &Program| mpi == "openmpi" || program.ranks[0] == 2;
    let on = |program: Program| Program { mpi: Some(mpi), ..program };
    Ok(programs_in("tests/mpi")?.into_iter().filter(fits).map(on).collect())
}

/// One test for every so many MPI programs.
fn mpi_trials(mpi: &'static str, step: usize) -> Vec<Trial> {
    let programs = match mpi_programs(mpi) {
        Ok(programs) => programs,
        Err(error) => return vec![trial("corpus::mpi", move || Err(error.into()))],
    };
    (programs.into_iter().step_by(step))
        .map(|program| {
            let ranks = program.ranks[0];
            trial(&format!("corpus::{mpi}::{}::{ranks}", program.name), move || {
                (0..repetitions()).try_for_each(|_| judge(&program, ranks))
            })
        })
        .collect()
}

/// In code that is there twice, what several lines have the same function of the C++ library do between two synchronisations is told at one of them (README, "What it misses").
const ONE_FOR_ALL: [&str; 3] = ["cpp_called_back_race", "cpp_copies_race", "cpp_fills_race"];

/// The same programs built with a plugin: the same verdicts. By day some of them, with two versions of clang in turn, and others with gcc.
fn plugin_trials() -> Vec<Trial> {
    const CLANGS: [u32; 2] = [16, 19];
    let kinds = [("tests/shmem", None, 12), ("tests/mpi", Some("openmpi"), 16), ("tests/mpi", Some("mpich"), 40)];
    let mut trials = Vec::new();
    for (dir, mpi, step) in kinds {
        let mut programs = match programs_in(dir) {
            Ok(programs) => programs,
            Err(error) => return vec![trial("corpus::plugin", move || Err(error.into()))],
        };
        programs.retain(|program| !ONE_FOR_ALL.contains(&program.name()));
        let mut add = |with: &str, program: Program| {
            let ranks = program.ranks[0];
            let name = format!("corpus::{with}::{}::{}::{ranks}", mpi.unwrap_or("shmem"), program.name);
            trials.push(trial(&name, move || judge(&program, ranks)));
        };
        let clang = |program: &&Program| program.path.extension().is_some_and(|extension| extension != "f90");
        let step = if nightly() { 1 } else { step };
        for (index, program) in programs.iter().filter(clang).enumerate().step_by(step) {
            // One OpenMP library is installed, with the headers for its own clang.
            let version = if program.openmp { 16 } else { CLANGS[index / step % 2] };
            add(&format!("plugin{version}"), Program { mpi, clang: Some(version), ..program.clone() });
        }
        for program in programs.iter().skip(step / 2).step_by(step) {
            add("gcc", Program { mpi, gcc: true, ..program.clone() });
        }
    }
    trials
}

fn twins(names: &BTreeSet<String>) -> Outcome {
    let twin = |name: &str| match name.strip_suffix("_race") {
        Some(topic) => format!("{topic}_safe"),
        None => name.replace("_safe", "_race"),
    };
    let alone: Vec<_> = names.iter().filter(|name| !names.contains(&twin(name))).collect();
    check(alone.is_empty() && names.len() >= 200, || format!("{} programs, without a twin: {alone:?}", names.len()))
}

/// The verdict, the pairs and the program's own output.
fn judge(program: &Program, ranks: u32) -> Result<(), Failed> {
    let dir = temporary();
    let out = dir.path().join("run");
    let ended = run(thrille(program.check(ranks, &out)).current_dir(dir.path()).envs(program.environment()))?;
    check(!ended.stderr.contains("by hooks"), || format!("not instrumented by the plugin:\n{ended}"))?;
    ended.expect(i32::from(!program.pairs.is_empty()))?;
    let report = report(&out)?;
    let found = pairs(&report)?;
    check(found == program.pairs, || {
        let missed: Vec<_> = program.pairs.difference(&found).collect();
        let wrong: Vec<_> = found.difference(&program.pairs).collect();
        format!("{}: pairs of lines missed: {missed:?}, wrongly reported: {wrong:?}\n{ended}", program.path.display())
    })?;
    check(report["summary"]["dropped"] == 0, || format!("accesses were dropped:\n{ended}"))?;
    let stray: Vec<_> = report["notes"].as_array().into_iter().flatten().collect();
    check(stray.is_empty(), || format!("notes on a regular run: {stray:?}"))?;
    check(ended.stdout.is_empty(), || format!("the program prints nothing:\n{ended}"))
}
