//! Reads what the ranks wrote down. A file that is damaged gives what it holds up to the damage, and a note.

use crate::ReportError;
use crate::confirm::{CONFIRM_FILE, Confirmations};
use crate::run::{RUN_FILE, RunInfo};
use crate::{api, words};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use thrille_model::job::{Api, Entry, Progress, Sampled, rank_file};
use thrille_model::wire::{WireError, read_frames};
use thrille_model::{Caller, Race, Rank, Site, StackId};

/// All that a run left.
#[derive(Debug, Default)]
pub struct Records {
    /// What the launcher wrote.
    pub run: Option<RunInfo>,
    /// By rank.
    pub ranks: Vec<RankRecords>,
    /// Loaded files, by the number that sites use: path and build id.
    pub modules: HashMap<u64, Module>,
    /// The executable: the first file that a rank named.
    pub executable: Option<u64>,
    /// What the program is written to.
    pub api: Option<Api>,
    /// What phase 2 found.
    pub confirmations: Confirmations,
    /// Where the run is.
    pub dir: PathBuf,
    /// What is wrong with the files.
    pub notes: Vec<String>,
}

/// Where a part of a loaded file is in a rank.
#[derive(Clone, Copy, Debug)]
pub struct FileRange {
    /// The first address.
    pub lo: u64,
    /// One past the last.
    pub hi: u64,
    /// What is added to the addresses in the file.
    pub bias: u64,
    /// Which file.
    pub module: u64,
}

/// What one rank wrote.
#[derive(Debug, Default)]
pub struct RankRecords {
    /// Whether its beginning is there.
    pub started: bool,
    /// Whether its regular end is there.
    pub finished: bool,
    /// Whether all it recorded was analysed, regular end or not.
    pub analysed: bool,
    /// Its races: of several entries for one pair the last.
    pub races: Vec<Race>,
    /// Nodes of its tree of calls: caller's node, return address.
    pub stacks: HashMap<StackId, (StackId, Site)>,
    /// Where its calls are that synchronise.
    pub callers: HashMap<Caller, Site>,
    /// Where its loaded files are.
    pub files: Vec<FileRange>,
    /// Its latest figures.
    pub progress: Progress,
    /// Its own notes.
    pub notes: Vec<String>,
    /// Its one-sided operations: whose memory, how many, how many bytes.
    pub traffic: BTreeMap<u32, (u64, u64)>,
    /// How it was sampled, if it was.
    pub sampled: Option<Sampled>,
}

/// A loaded file.
#[derive(Clone, Debug)]
pub struct Module {
    /// Where it was loaded from.
    pub path: PathBuf,
    /// Its build id, if it has one.
    pub build_id: Vec<u8>,
}

/// Reads the directory of a run.
pub fn read(dir: &Path) -> Result<Records, ReportError> {
    let listed = std::fs::read_dir(dir).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => ReportError::NotARun(dir.into()),
        _ => ReportError::Unreadable { path: dir.into(), source },
    })?;
    let present: Vec<u32> =
        listed.flatten().filter_map(|entry| rank_of(entry.file_name().to_str().unwrap_or_default())).collect();
    let mut records = Records::default();
    match RunInfo::read(dir) {
        Ok(run) => records.run = Some(run),
        Err(_) if present.is_empty() && !dir.join(RUN_FILE).exists() => return Err(ReportError::NotARun(dir.into())),
        Err(what) => records.notes.push(format!(
            "{RUN_FILE} of this run cannot be read ({what}): the command, the number of ranks and their exit statuses are unknown"
        )),
    }
    // `last` is another one tomorrow.
    records.dir = dir.canonicalize().unwrap_or_else(|_| dir.into());
    match Confirmations::read(dir) {
        Ok(confirmations) => records.confirmations = confirmations,
        Err(what) => records.notes.push(format!(
            "{CONFIRM_FILE} of this run cannot be read ({what}): which races were confirmed is unknown; confirm them again"
        )),
    }
    let known = records.run.as_ref().map_or(0, |run| run.ranks);
    let mut size = present.iter().map(|rank| rank + 1).max().unwrap_or(0).max(known);
    let mut damage = BTreeMap::new();
    let mut rank = 0;
    while rank < size {
        let path = dir.join(rank_file(Rank(rank)));
        let mut mine = RankRecords::default();
        let problem = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Damage::Missing),
            Err(error) => Some(Damage::Wire(error.into())),
            Ok(mut file) => {
                let (entries, error) = read_frames::<Entry>(&mut file);
                records.take(&mut mine, entries, &mut size);
                error.map(Damage::Wire)
            }
        };
        if let Some(problem) = problem {
            damage.insert(rank, problem);
        }
        records.ranks.push(mine);
        rank += 1;
    }
    records.note_damage(&damage);
    Ok(records)
}

enum Damage {
    Missing,
    Wire(WireError),
}

/// The rank whose file this is.
fn rank_of(name: &str) -> Option<u32> {
    let rank = name.strip_prefix("rank-")?.strip_suffix(".thr")?.parse().ok()?;
    // A job has far fewer ranks; a stray file must not make us list millions of missing ones.
    (rank < 1 << 20).then_some(rank)
}

impl Records {
    fn take(&mut self, mine: &mut RankRecords, entries: Vec<Entry>, size: &mut u32) {
        let mut races = HashMap::new();
        for entry in entries {
            match entry {
                Entry::Start { size: said, api, .. } => {
                    self.api = Some(api);
                    mine.started = true;
                    *size = (*size).max(said.min(1 << 20));
                }
                Entry::Module { id, path, build_id, bias, ranges } => {
                    mine.files.extend(ranges.iter().map(|&(lo, hi)| FileRange { lo, hi, bias, module: id }));
                    self.executable.get_or_insert(id);
                    self.modules.entry(id).or_insert(Module { path: path.into(), build_id });
                }
                Entry::Stack { id, parent, call } => {
                    mine.stacks.insert(id, (parent, call));
                }
                Entry::Caller { id, call } => {
                    mine.callers.insert(id, call);
                }
                Entry::Race(mut race) => {
                    let (a, b) = ((race.first.site, race.first.act), (race.second.site, race.second.act));
                    let before: Option<Race> = races.remove(&(a.min(b), a.max(b)));
                    if let (true, Some(before)) = (race.around.is_empty(), before) {
                        race.around = before.around;
                    }
                    races.insert((a.min(b), a.max(b)), race);
                }
                Entry::Progress(progress) => mine.progress = progress,
                Entry::Note(note) => mine.notes.push(note),
                Entry::Traffic(rows) => {
                    mine.traffic = rows.into_iter().map(|(to, count, bytes)| (to.0, (count, bytes))).collect();
                }
                Entry::Stopped(progress) => {
                    mine.progress = progress;
                    mine.analysed = true;
                }
                Entry::Finished(progress) => {
                    mine.progress = progress;
                    (mine.finished, mine.analysed) = (true, true);
                }
                Entry::Sampled(sampled) => mine.sampled = Some(sampled),
            }
        }
        let mut races: Vec<_> = races.into_iter().collect();
        races.sort_by_key(|&(pair, _)| pair);
        mine.races = races.into_iter().map(|(_, race)| race).collect();
    }

    /// One note for each rank whose file is not whole, unless no rank has any: then there was nothing to observe.
    fn note_damage(&mut self, damage: &BTreeMap<u32, Damage>) {
        let all_missing = damage.len() == self.ranks.len() && damage.values().all(|d| matches!(d, Damage::Missing));
        if all_missing {
            return;
        }
        let mut unfinished = Vec::new();
        for (rank, mine) in (0..).zip(&self.ranks) {
            let file = rank_file(Rank(rank));
            let note = match damage.get(&rank) {
                Some(Damage::Missing) => format!(
                    "rank {rank} left no records ({file} is missing): it never called {}, or died before; races in its memory are not in this report",
                    api::init(self.api)
                ),
                Some(Damage::Wire(error @ WireError::Truncated(_))) => format!(
                    "records of rank {rank} end early ({file}: {error}): races in its memory that were found later are not in this report"
                ),
                Some(Damage::Wire(WireError::Io(error))) => {
                    format!("records of rank {rank} cannot be read ({file}: {error}): its races are not in this report")
                }
                Some(Damage::Wire(error)) => format!(
                    "records of rank {rank} are damaged ({file}: {error}): what stands behind the damage is not in this report"
                ),
                None if mine.started && !mine.analysed => {
                    unfinished.push(rank);
                    continue;
                }
                None => continue,
            };
            self.notes.push(note);
        }
        if !unfinished.is_empty() {
            let (who, whose) = (words::ranks(&unfinished), if unfinished.len() == 1 { "its" } else { "their" });
            let note = format!(
                "{who} did not come to {whose} regular end: what they did since the last exchange was not analysed"
            );
            self.notes.push(if unfinished.len() == 1 { note.replace("they did", "it did") } else { note });
        }
    }
}
