//! The rank's file: entries appended as they come, whole frames or nothing, private to the user.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use thrille_model::job::{Entry, rank_file};
use thrille_model::{Rank, wire};

/// Where a rank writes down what it finds. After the first failure it is closed and says so once.
pub struct Sink {
    file: Option<File>,
    failed: Option<io::Error>,
}

impl Sink {
    /// Creates the file of a rank in the directory of the run.
    pub fn create(dir: &Path, rank: Rank) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(dir.join(rank_file(rank)))?;
        wire::write_head(&mut file)?;
        Ok(Self { file: Some(file), failed: None })
    }

    /// Appends an entry.
    pub fn write(&mut self, entry: &Entry) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = wire::write_frame(file, entry) {
            self.fail(error);
        }
    }

    /// Makes what was written survive the machine.
    pub fn sync(&mut self) {
        if let Some(Err(error)) = self.file.as_ref().map(File::sync_data) {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.file = None;
        self.failed = Some(error);
    }

    /// The failure since the last call, if there was one.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }
}
