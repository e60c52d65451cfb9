//! `nas-bench/programs.toml`, and the races that its programs mark in their sources.

use crate::{Result, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Two lines, the smaller one first, as `file:line`.
pub type Pair = (String, String);

/// A racy variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Race {
    pub variant: u32,
    pub pairs: usize,
    pub calls: usize,
    pub what: String,
    /// From the source.
    #[serde(skip)]
    pub expected: BTreeSet<Pair>,
}

/// A program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub name: String,
    pub source: String,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    pub races: Vec<Race>,
    /// Lines of the source.
    #[serde(skip)]
    pub lines: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    program: Vec<Program>,
}

impl Program {
    pub fn path(&self) -> PathBuf {
        root().join("nas-bench/src").join(&self.source)
    }
}

/// The programs, with the pairs of lines that their races have.
pub fn read() -> Result<Vec<Program>> {
    let path = root().join("nas-bench/programs.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut programs = manifest.program;
    for program in &mut programs {
        let text = std::fs::read_to_string(program.path()).map_err(|e| format!("{}: {e}", program.path().display()))?;
        program.lines = text.lines().count();
        for race in &mut program.races {
            race.expected = markers(&text, &program.source, race.variant)?;
            if race.expected.len() != race.pairs {
                let (name, found) = (&program.name, race.expected.len());
                return Err(format!(
                    "{name}: race {} has {found} marked pairs, {} in the manifest",
                    race.variant, race.pairs
                ));
            }
        }
    }
    Ok(programs)
}

/// The pairs that a source marks for a variant.
fn markers(text: &str, file: &str, variant: u32) -> Result<BTreeSet<Pair>> {
    let opening = format!("/* race[{variant}]: ");
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, marker)) = line.split_once(&opening) else { continue };
        let marker =
            marker.strip_suffix(" */").ok_or(format!("{file}:{number}: a marker that does not end the line"))?;
        for letter in marker.split([',', ' ']).filter(|letter| !letter.is_empty()) {
            lines.entry(letter).or_default().push(number);
        }
    }
    let pair = |(letter, lines): (&str, Vec<usize>)| match lines.as_slice() {
        &[a, b] => Ok(pair((file, a), (file, b))),
        _ => Err(format!("{file}: pair {letter} of race {variant} stands {} times", lines.len())),
    };
    lines.into_iter().map(pair).collect()
}

/// Two places in a fixed order.
pub fn pair(a: (&str, usize), b: (&str, usize)) -> Pair {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    (format!("{}:{}", first.0, first.1), format!("{}:{}", second.0, second.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_make_pairs() {
        let text = "x; /* race[1]: a, b b */\ny; /* race[1]: a */\nz; /* race[2]: a a */\n";
        let pairs = markers(text, "x.c", 1).unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(pairs, BTreeSet::from([pair("x.c:1", "x.c:1"), pair("x.c:1", "x.c:2")]));
        assert!(markers("x; /* race[1]: a */\n", "x.c", 1).is_err());
        assert!(markers("x; /* race[1]: a a */ y;\n", "x.c", 1).is_err());
    }

    #[test]
    fn the_manifest_fits_the_sources() {
        let programs = read().unwrap();
        assert!(programs.len() >= 8);
        assert!(programs.iter().all(|program| program.lines > 50));
    }
}
