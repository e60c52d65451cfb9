//! The rank's file: entries appended as they come, whole frames or nothing, private to the user.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use thrille_model::job::{Entry, rank_file, trace_file};
use thrille_model::{Access, Rank, SyncEvent, wire};

/// Where a rank writes down what it finds. After the first failure it is closed and says so once.
pub struct Sink {
    file: Option<File>,
    /// Where it writes down what it gathers, if somebody wants to have that.
    trace: Option<File>,
    failed: Option<io::Error>,
}

/// Creates a file of frames.
fn create(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    wire::write_head(&mut file)?;
    Ok(file)
}

impl Sink {
    /// Creates the file of a rank in the directory of the run.
    pub fn create(dir: &Path, rank: Rank) -> io::Result<Self> {
        Ok(Self { file: Some(create(&dir.join(rank_file(rank)))?), trace: None, failed: None })
    }

    /// The same, with a trace beside it.
    pub fn traced(mut self, dir: &Path, rank: Rank) -> io::Result<Self> {
        self.trace = Some(create(&dir.join(trace_file(rank)))?);
        Ok(self)
    }

    /// Appends what was gathered to the trace, if there is one.
    pub fn trace(&mut self, accesses: &[Access], events: &[SyncEvent]) {
        if let Some(Err(error)) = self.trace.as_mut().map(|file| wire::write_frame(file, &(accesses, events))) {
            self.trace = None;
            self.failed = Some(error);
        }
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
