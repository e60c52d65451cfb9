//! Counts the races in the files that the ranks are writing. A file is read again only when it has grown, and not often.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thrille_model::job::{Entry, rank_file};
use thrille_model::wire::read_frames;
use thrille_model::{Act, Rank, Site};

/// Files are looked at this often, or one part in fifty of the time if reading takes long.
const BETWEEN: Duration = Duration::from_secs(1);
const SHARE: u32 = 50;

type Place = (Site, Act);

/// The pairs of places met so far.
#[derive(Debug)]
pub struct Races {
    files: Vec<(PathBuf, u64)>,
    pairs: HashSet<(Place, Place)>,
    next: Option<Instant>,
}

impl Races {
    /// Of a run in this directory.
    pub fn new(dir: &Path, ranks: usize) -> Self {
        let files = (0..ranks as u32).map(|rank| (dir.join(rank_file(Rank(rank))), 0)).collect();
        Self { files, pairs: HashSet::new(), next: None }
    }

    /// How many there are. Where one source line is several instructions, the report has fewer.
    pub fn count(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Looks at the files, whenever that was done before: it is over.
    pub fn look_again(&mut self) {
        self.next = None;
        self.look();
    }

    /// Looks at the files, if it is time to.
    pub fn look(&mut self) {
        let begun = Instant::now();
        if self.next.is_some_and(|next| begun < next) {
            return;
        }
        for (file, seen) in &mut self.files {
            let size = file.metadata().map_or(0, |meta| meta.len());
            if size == *seen {
                continue;
            }
            *seen = size;
            let Ok(mut open) = File::open(file) else { continue };
            // The last frame may be half written: the rest of it comes.
            let (entries, _) = read_frames::<Entry>(&mut open);
            for entry in entries {
                if let Entry::Race(race) = entry {
                    let (a, b) = ((race.first.site, race.first.act), (race.second.site, race.second.act));
                    self.pairs.insert((a.min(b), a.max(b)));
                }
            }
        }
        self.next = Some(begun + BETWEEN.max(begun.elapsed() * SHARE));
    }
}
