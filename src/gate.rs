//! What counts against a program: suppressions take races out, an earlier report leaves only the new ones.

use crate::args;
use crate::stamp::Stamp;
use anyhow::{Context, Result};
use std::path::Path;
use std::time::SystemTime;
use thrille_report::{Report, Suppressions};

/// Where suppressions are looked for when nobody says where.
const USUAL: [&str; 2] = ["thrille.supp.toml", "thrille.toml"];

/// What a report is held against.
#[derive(Debug)]
pub struct Gate {
    suppressions: Suppressions,
    baseline: Option<(String, Report)>,
}

impl Gate {
    /// Reads what was named on the command line: mistakes are told before anything runs.
    pub fn new(typed: &args::Forms) -> Result<Self> {
        let mut suppressions = Suppressions::default();
        match &typed.suppressions {
            Some(file) => suppressions.add(file)?,
            None => {
                for file in USUAL.map(Path::new).into_iter().filter(|file| file.is_file()) {
                    suppressions.add(file)?;
                }
            }
        }
        let baseline = match &typed.baseline {
            Some(file) => {
                let report = Report::open(file).with_context(|| format!("--baseline {}", file.display()))?;
                Some((file.display().to_string(), report))
            }
            None => None,
        };
        Ok(Self { suppressions, baseline })
    }

    /// Holds a report against it.
    pub fn apply(&self, report: &mut Report) {
        report.suppress(&self.suppressions, &Stamp::of(SystemTime::now()).date());
        if let Some((file, earlier)) = &self.baseline {
            report.compare(file, earlier);
        }
    }
}
