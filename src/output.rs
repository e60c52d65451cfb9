//! Where reports go, and what the command's exit code says.

use crate::args;
use crate::gate::Gate;
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thrille_report::{Colour, Form, Report, ReportError};

/// The exit codes of `check`, `run` and `report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// No race.
    Clean = 0,
    /// Races found, however the program ended.
    Races = 1,
    /// Usage or build error, or nothing was observed.
    Usage = 2,
    /// The program itself failed.
    Failed = 3,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

impl Code {
    /// What a report amounts to.
    pub fn of(report: &Report) -> Self {
        let run = report.run.as_ref();
        let failed = run.is_some_and(|run| {
            run.exits.is_none() || run.interrupted.is_some() || run.launcher.is_some() || !run.failures().is_empty()
        });
        if report.counting() > 0 {
            Self::Races
        } else if failed {
            Self::Failed
        } else if report.summary.ranks_observed == 0 {
            Self::Usage
        } else {
            Self::Clean
        }
    }
}

/// Where the report of a run goes, and as what.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where the main form goes; otherwise standard error, or standard output of `thrille report`.
    file: Option<PathBuf>,
    main: Form,
    /// Further forms with files of their own.
    others: Vec<(Form, PathBuf)>,
}

impl Place {
    /// A file, or standard error: standard output belongs to the program.
    pub fn new(file: Option<PathBuf>, typed: &args::Forms) -> Result<Self> {
        let mut place = Self { file, main: Form::Text, others: Vec::new() };
        let wanted = [
            (Form::Json, "--json", &typed.json),
            (Form::Html, "--html", &typed.html),
            (Form::Sarif, "--sarif", &typed.sarif),
            (Form::Junit, "--junit", &typed.junit),
            (Form::Github, "--github", &typed.github),
        ];
        for (form, flag, file) in wanted {
            match file {
                None => {}
                Some(file) if !file.is_empty() => place.others.push((form, file.into())),
                Some(_) if place.main == Form::Text => place.main = form,
                Some(_) => bail!(
                    "{flag}: only one form can take the place of the text; give it a file, for example {flag}=FILE"
                ),
            }
        }
        Ok(place)
    }

    /// Writes the report to where the user wants it; what is for a terminal goes to `out`. A page goes to a file: `dir` has one for it.
    fn show(
        &self,
        report: &Report,
        dir: Option<&Path>,
        mut out: impl Write,
        terminal: bool,
    ) -> Result<(), ReportError> {
        let rendered = |form| report.render(form, Colour::Never);
        let mut shown = Ok(());
        for (form, file) in &self.others {
            shown = shown.and(write(file, &rendered(*form)));
        }
        match (&self.file, self.main, dir) {
            (Some(file), form, _) => shown.and(write(file, &rendered(form))),
            (None, Form::Html, Some(dir)) => {
                let file = dir.join("report.html");
                shown = shown.and(write(&file, &rendered(Form::Html)));
                print(&mut out, &format!("report: {}\n", file.display()));
                shown
            }
            (None, form, _) => {
                print(&mut out, &report.render(form, colour(terminal)));
                shown
            }
        }
    }
}

/// Writes the report into the run's directory and to where the user wants it. `so_far` is how earlier writing went.
pub fn deliver(report: &Report, dir: &Path, place: &Place, so_far: Result<(), ReportError>) -> Result<Code> {
    let text = report.text(Colour::Never);
    let kept = so_far.and_then(|()| keep(report, dir));
    let shown = place.show(report, Some(dir), stderr(), stderr().is_terminal());
    let code = Code::of(report);
    match (kept.and(shown), code) {
        (Ok(()), _) => Ok(code),
        // Races that were found are the more important news; the line on the file comes all the same.
        (Err(error), Code::Races) => {
            if place.file.is_some() {
                print(&mut stderr(), &text);
            }
            crate::complain(&error.into());
            Ok(code)
        }
        (Err(error), _) => Err(error.into()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    std::fs::write(path, text).map_err(|source| ReportError::Unwritable { path: path.into(), source })
}

/// Somebody who closed our output does not want more.
pub fn print(out: &mut impl Write, text: &str) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Colours on a terminal, unless the user objects (<https://no-color.org>).
pub fn colour(terminal: bool) -> Colour {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if terminal && !refused && !dumb { Colour::Always } else { Colour::Never }
}

/// `thrille report`.
pub fn report(typed: &args::Report) -> Result<Code> {
    let place = Place::new(None, &typed.forms)?;
    let gate = Gate::new(&typed.forms)?;
    let extension = typed.dir.extension().unwrap_or_default().to_string_lossy().into_owned();
    if !typed.dir.exists() && ["html", "sarif", "xml", "json"].contains(&extension.as_str()) {
        let flag = if extension == "xml" { "junit" } else { &extension };
        bail!("{0} is no run: to write the report there, say --{flag}={0}", typed.dir.display());
    }
    let mut report = Report::open(&typed.dir)?;
    gate.apply(&mut report);
    // A page on a terminal helps nobody.
    let terminal = stdout().is_terminal();
    let dir = Some(typed.dir.as_path()).filter(|dir| terminal && dir.is_dir());
    place.show(&report, dir, stdout(), terminal)?;
    Ok(Code::of(&report))
}

/// Prints a report on standard output.
pub fn print_report(report: &Report, json: bool) {
    let text = if json { report.json() + "\n" } else { report.text(colour(stdout().is_terminal())) };
    print(&mut stdout(), &text);
}

/// Writes the report into the run's directory and prints it.
pub fn keep_and_print(report: &Report, dir: &Path, json: bool) -> Result<Code> {
    let kept = keep(report, dir);
    print_report(report, json);
    kept?;
    Ok(Code::of(report))
}

/// Prints a line on standard output.
pub fn print_line(text: &str) {
    print(&mut stdout(), &format!("{text}\n"));
}

/// Writes the report into the run's directory.
pub fn keep(report: &Report, dir: &Path) -> Result<(), ReportError> {
    write(&dir.join("report.txt"), &report.text(Colour::Never))?;
    write(&dir.join("report.json"), &report.render(Form::Json, Colour::Never))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use thrille_report::{Exit, RunInfo, Summary};

    fn report(races: usize, observed: u32, status: i32) -> Report {
        let exits = Some(vec![Exit::new(0, ExitStatus::from_raw(status), false)]);
        let run = Some(RunInfo { ranks: 1, exits, ..RunInfo::default() });
        let summary = Summary { races, ranks: 1, ranks_observed: observed, ..Summary::default() };
        Report { version: 1, run, summary, ..Report::default() }
    }

    #[test]
    fn races_before_failure_before_nothing_observed() {
        for (races, observed, status, code) in [
            (0, 1, 0, Code::Clean),
            (2, 1, 0, Code::Races),
            (2, 1, 11, Code::Races),
            (0, 1, 11, Code::Failed),
            (0, 1, 1 << 8, Code::Failed),
            (0, 0, 1 << 8, Code::Failed),
            (0, 0, 0, Code::Usage),
        ] {
            assert_eq!(Code::of(&report(races, observed, status)), code, "{races} {observed} {status}");
        }
        let mut stopped = report(0, 1, 0);
        stopped.run.as_mut().unwrap().interrupted = Some("SIGINT".into());
        assert_eq!(Code::of(&stopped), Code::Failed);
        let mut ended = report(0, 1, 0);
        ended.run.as_mut().unwrap().launcher = Some("exit status: 7".into());
        assert_eq!(Code::of(&ended), Code::Failed);
        let mut lost = report(0, 1, 0);
        lost.run.as_mut().unwrap().exits = None;
        assert_eq!(Code::of(&lost), Code::Failed);
    }

    #[test]
    fn a_full_disk_does_not_hide_races() {
        let place = Place::new(Some("/dev/full".into()), &args::Forms::default()).unwrap();
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(deliver(&report(1, 1, 0), dir.path(), &place, Ok(())).unwrap(), Code::Races);
        let error = deliver(&report(0, 1, 0), dir.path(), &place, Ok(())).unwrap_err().to_string();
        assert!(error.contains("/dev/full") && error.contains("--out"), "{error}");
        assert!(dir.path().join("report.json").exists() && dir.path().join("report.txt").exists());
    }
}
