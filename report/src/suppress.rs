//! Races that somebody has declared to be benign: by an entry of a suppression file, or by a comment in the source.
//!
//! ```toml
//! [[suppress]]
//! reason = "a statistic, off by a few is fine"   # must be there
//! expires = 2027-01-31                            # from then on the race counts again
//! file = "src/stats*.c"                           # conditions: all that are given must hold
//! ```
//!
//! Conditions on a side (`file`, `function`, `module`) must hold for one and the same side; `pair` gives them for both sides. `object`, `kind`
//! and `id` are conditions on the race. Patterns are globs; `*` does not stop at slashes.

use crate::shape::{Frame, RaceReport, Report, SuppressedReport};
use crate::source::Sources;
use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The entries of a suppression file.
#[derive(Debug, Default)]
pub struct Suppressions {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    by: String,
    reason: String,
    expires: Option<String>,
    sides: Vec<Side>,
    object: Option<GlobMatcher>,
    kind: Option<String>,
    id: Option<String>,
}

#[derive(Debug)]
struct Side {
    file: Option<GlobMatcher>,
    function: Option<GlobMatcher>,
    module: Option<GlobMatcher>,
}

/// What is wrong with a suppression file.
#[derive(Debug, thiserror::Error)]
pub enum SuppressionError {
    /// It cannot be read.
    #[error("cannot read the suppressions in {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no TOML, or has keys that mean nothing.
    #[error(
        "{path}: {what}\n  an entry is [[suppress]] with a reason, and at least one of file, function, object, module, pair, kind, id; expires is a date"
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
}

#[derive(Deserialize)]
struct TypedFile {
    #[serde(default)]
    suppress: Vec<toml::Spanned<TypedEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedEntry {
    reason: String,
    expires: Option<Date>,
    file: Option<String>,
    function: Option<String>,
    module: Option<String>,
    object: Option<String>,
    kind: Option<String>,
    id: Option<String>,
    pair: Option<[TypedSide; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedSide {
    file: Option<String>,
    function: Option<String>,
    module: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Date {
    Toml(toml::value::Datetime),
    Text(String),
}

impl Suppressions {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, SuppressionError> {
        let bytes = std::fs::read(path).map_err(|source| SuppressionError::Unreadable { path: path.into(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text, &path.display().to_string())
            .map_err(|what| SuppressionError::Malformed { path: path.into(), what })
    }

    /// Adds those of another file.
    pub fn add(&mut self, path: &Path) -> Result<(), SuppressionError> {
        self.entries.append(&mut Self::read(path)?.entries);
        Ok(())
    }

    fn parse(text: &str, name: &str) -> Result<Self, String> {
        let typed: TypedFile = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        let entries = typed.suppress.into_iter().map(|entry| {
            let line = text[..entry.span().start.min(text.len())].matches('\n').count() + 1;
            Entry::new(entry.into_inner(), format!("{name}:{line}")).map_err(|what| format!("line {line}: {what}"))
        });
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }
}

impl Entry {
    fn new(typed: TypedEntry, by: String) -> Result<Self, String> {
        if typed.reason.trim().is_empty() {
            return Err("the reason is empty".into());
        }
        let expires = match typed.expires {
            Some(date) => Some(date.text()?),
            None => None,
        };
        let one = Side::new(typed.file, typed.function, typed.module)?;
        let mut sides = Vec::from_iter(one);
        if let Some(pair) = typed.pair {
            if !sides.is_empty() {
                return Err("file, function and module belong into pair when there is one".into());
            }
            for side in pair {
                let side = Side::new(side.file, side.function, side.module)?;
                sides.push(side.ok_or("a side of pair is empty: give file, function or module")?);
            }
        }
        if let Some(kind) = &typed.kind
            && crate::pattern::Pattern::named(kind).is_none()
        {
            return Err(format!("kind = \"{kind}\" is no kind of race: `thrille explain` lists them"));
        }
        let object = typed.object.as_deref().map(glob).transpose()?;
        if sides.is_empty() && object.is_none() && typed.kind.is_none() && typed.id.is_none() {
            return Err("no condition: it would suppress every race".into());
        }
        Ok(Self { by, reason: typed.reason, expires, sides, object, kind: typed.kind, id: typed.id })
    }

    fn matches(&self, race: &RaceReport) -> bool {
        let (a, b) = (&race.a.at, &race.b.at);
        let sides = match self.sides.as_slice() {
            [] => true,
            [one] => one.matches(a) || one.matches(b),
            [x, y, ..] => (x.matches(a) && y.matches(b)) || (x.matches(b) && y.matches(a)),
        };
        let kind = |word: &String| {
            let pattern = crate::pattern::Pattern::named(word).map(crate::pattern::Pattern::word);
            race.why.kind == *word || pattern == Some(&race.why.pattern)
        };
        sides
            && self.object.as_ref().is_none_or(|glob| names(race).iter().any(|name| glob.is_match(name)))
            && self.kind.as_ref().is_none_or(kind)
            && self.id.as_ref().is_none_or(|id| *id == race.id)
    }
}

/// What an object may be called: the variable, or the function that allocated it.
fn names(race: &RaceReport) -> Vec<&str> {
    let allocated = race.object.allocation.as_ref().and_then(|allocation| allocation.at.function.as_deref());
    race.object.name.as_deref().into_iter().chain(allocated).collect()
}

impl Side {
    fn new(file: Option<String>, function: Option<String>, module: Option<String>) -> Result<Option<Self>, String> {
        let compiled = |text: Option<String>| text.as_deref().map(glob).transpose();
        let side = Self { file: compiled(file)?, function: compiled(function)?, module: compiled(module)? };
        Ok((side.file.is_some() || side.function.is_some() || side.module.is_some()).then_some(side))
    }

    fn matches(&self, at: &Frame) -> bool {
        let one_of = |glob: &GlobMatcher, path: &str| {
            // As shown, as absolute, or any tail of it.
            std::iter::once(path)
                .chain(path.match_indices('/').map(|(slash, _)| &path[slash + 1..]))
                .any(|tail| glob.is_match(tail))
        };
        let path = at.path.as_deref().or(at.file.as_deref()).unwrap_or_default();
        self.file.as_ref().is_none_or(|glob| one_of(glob, path))
            && self.module.as_ref().is_none_or(|glob| one_of(glob, &at.module))
            && self.function.as_ref().is_none_or(|glob| at.function.as_deref().is_some_and(|f| glob.is_match(f)))
    }
}

fn glob(text: &str) -> Result<GlobMatcher, String> {
    Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

impl Date {
    /// As `YYYY-MM-DD`.
    fn text(self) -> Result<String, String> {
        let text = match self {
            Self::Toml(date) => date.date.map(|date| date.to_string()).unwrap_or_default(),
            Self::Text(text) => text,
        };
        let good = text.len() == 10
            && text.char_indices().all(|(at, c)| if matches!(at, 4 | 7) { c == '-' } else { c.is_ascii_digit() });
        if good { Ok(text) } else { Err(format!("expires = \"{text}\" is no date: write YYYY-MM-DD")) }
    }
}

impl Report {
    /// Takes out what is suppressed; `today` is `YYYY-MM-DD`. Entries that are expired or met no race are noted.
    pub fn suppress(&mut self, suppressions: &Suppressions, today: &str) {
        let mut used = vec![false; suppressions.entries.len()];
        let mut comments = Comments::default();
        let mut kept = Vec::new();
        for mut race in std::mem::take(&mut self.races) {
            let mut by = comments.at(&race);
            for (entry, used) in suppressions.entries.iter().zip(&mut used) {
                if entry.matches(&race) {
                    *used = true;
                    if !entry.expired(today) {
                        by.get_or_insert((entry.by.clone(), entry.reason.clone(), "file"));
                    }
                }
            }
            if let Some((by, reason, origin)) = by {
                race.number = self.suppressed.len() + 1;
                self.suppressed.push(SuppressedReport { race, by, reason, origin: origin.into() });
            } else {
                race.number = kept.len() + 1;
                kept.push(race);
            }
        }
        self.races = kept;
        self.summary.races = self.races.len();
        self.summary.suppressed = self.suppressed.len();
        self.summary.confirmed = self.races.iter().filter(|race| race.confirmed()).count();
        for (entry, used) in suppressions.entries.iter().zip(used) {
            let about = format!("{} (\"{}\")", entry.by, entry.reason);
            match &entry.expires {
                Some(date) if entry.expired(today) => {
                    self.notes
                        .push(format!("the suppression at {about} expired on {date}: what it matches counts again"));
                }
                _ if !used => self.notes.push(format!("the suppression at {about} matched no race of this run")),
                _ => {}
            }
        }
        self.notes.append(&mut comments.notes);
    }
}

impl Entry {
    fn expired(&self, today: &str) -> bool {
        self.expires.as_deref().is_some_and(|date| date <= today)
    }
}

/// Comments `thrille: benign, reason` at the lines of races, or alone on the line before.
struct Comments {
    sources: Sources,
    notes: Vec<String>,
}

impl Default for Comments {
    fn default() -> Self {
        Self { sources: Sources::new(Path::new("/")), notes: Vec::new() }
    }
}

impl Comments {
    fn at(&mut self, race: &RaceReport) -> Option<(String, String, &'static str)> {
        [&race.a.at, &race.b.at].into_iter().find_map(|at| self.on(at))
    }

    fn on(&mut self, at: &Frame) -> Option<(String, String, &'static str)> {
        let (path, line) = (Path::new(at.path.as_deref()?), at.line?);
        let file = at.file.as_deref().or(at.path.as_deref())?;
        let before = line.checked_sub(1).and_then(|before| Some((before, self.sources.line(path, before)?)));
        let here = self.sources.line(path, line).or_else(|| at.source.clone()).map(|text| (line, text));
        let alone = before.filter(|(_, text)| text.trim_start().starts_with(['/', '!', '*']));
        let (line, reason) = here.into_iter().chain(alone).find_map(|(line, text)| Some((line, benign(&text)?)))?;
        let by = format!("{file}:{line}");
        if reason.is_empty() {
            let note = format!("the comment at {by} gives no reason: write /* thrille: benign, reason */");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            return Some((by, "no reason given".into(), "comment"));
        }
        Some((by, reason, "comment"))
    }
}

/// The reason that a comment in a line gives; empty if there is the comment but no reason.
fn benign(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("thrille:")?;
    let opener = before.trim_end();
    if !["/*", "//", "!", "*"].iter().any(|mark| opener.ends_with(mark)) {
        return None;
    }
    let rest = rest.trim_start().strip_prefix("benign")?;
    let rest = rest.split("*/").next().unwrap_or_default().trim();
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let reason = rest.trim_start_matches([',', ':', ';', '-', ' ']).trim();
    Some(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_all_languages() {
        let reason = benign;
        assert_eq!(reason("x = 1; /* thrille: benign, a statistic */ y();").as_deref(), Some("a statistic"));
        assert_eq!(reason("x = 1; // thrille: benign: only a hint").as_deref(), Some("only a hint"));
        assert_eq!(reason("x = 1 ! thrille: benign, Fortran").as_deref(), Some("Fortran"));
        assert_eq!(reason("/* thrille: benign */").as_deref(), Some(""));
        assert_eq!(reason("puts(\"thrille: benign, no\");"), None);
        assert_eq!(reason("/* thrille: benignly */"), None);
        assert_eq!(reason("/* thrille is benign */"), None);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let wrong = |text: &str| Suppressions::parse(text, "x.toml").unwrap_err();
        assert!(wrong("[[suppress]]\nfile = \"a\"\n").contains("reason"));
        assert!(wrong("[[suppress]]\nreason = \"x\"\n").contains("line 1: no condition"));
        assert!(wrong("\n[[suppress]]\nreason = \"x\"\nfiel = \"a\"").contains("fiel"));
        assert!(wrong("\n\n[[suppress]]\nreason = \"x\"\nfile = \"a\"\nexpires = \"soon\"").contains("YYYY-MM-DD"));
        assert!(wrong("[[suppress]]\nreason = \"x\"\nfile = \"a[\"").contains("a["));
        assert!(wrong("[[suppress]]\nreason = \"x\"\nkind = \"bad\"").contains("thrille explain"));
        assert!(Suppressions::parse("[budget]\noverhead = 5\n", "x.toml").is_ok());
    }
}
