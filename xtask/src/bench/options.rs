//! What was asked for on the command line of `bench nas`.

use super::configs::CONFIGS;
use crate::Result;
use std::path::PathBuf;
use std::time::Duration;

/// The library the programs are built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The embedded OpenSHMEM.
    Shmem,
    /// Open MPI.
    Mpi,
}

impl Model {
    /// As on the command line; also the directory of its `pgas.h`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shmem => "shmem",
            Self::Mpi => "mpi",
        }
    }
}

/// Of `bench nas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// None means all.
    pub programs: Vec<String>,
    pub classes: Vec<char>,
    pub ranks: Vec<u32>,
    pub configs: Vec<String>,
    pub model: Model,
    /// `gcc`, or a clang whose plugin is built.
    pub compiler: String,
    pub repetitions: u32,
    /// Of one run; more is "did not finish".
    pub limit: Duration,
    /// The class in which races are looked for, if they are.
    pub races: Option<char>,
    pub out: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            programs: Vec::new(),
            classes: vec!['A'],
            ranks: vec![2],
            configs: CONFIGS.iter().map(|config| config.name.into()).collect(),
            model: Model::Shmem,
            compiler: "gcc".into(),
            repetitions: 3,
            limit: Duration::from_secs(600),
            races: Some('S'),
            out: None,
        }
    }
}

impl Options {
    /// Understands the words after `bench nas`.
    pub fn parse(words: &[String]) -> Result<Self> {
        parse(words)
    }
}

fn parse(words: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (word.as_str(), words.next().ok_or_else(|| format!("{word} needs a value"))?.clone()),
        };
        let list = || value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(String::from);
        let number = || value.parse::<u32>().ok().filter(|&n| n > 0).ok_or(format!("{name} {value}: not a number"));
        match name {
            "--programs" => options.programs = list().collect(),
            "--classes" => options.classes = list().map(|item| class(&item)).collect::<Result<_>>()?,
            "--ranks" => {
                let rank = |item: String| item.parse().ok().filter(|&n| n > 0).ok_or(format!("{item}: not a number"));
                options.ranks = list().map(rank).collect::<Result<_>>()?;
            }
            "--configs" => options.configs = list().map(config).collect::<Result<_>>()?,
            "--model" => {
                options.model = match value.as_str() {
                    "shmem" => Model::Shmem,
                    "mpi" => Model::Mpi,
                    _ => return Err(format!("there is no model {value}: shmem and mpi are")),
                }
            }
            "--compiler" => options.compiler = value,
            "--repetitions" => options.repetitions = number()?,
            "--limit" => options.limit = Duration::from_secs(number()?.into()),
            "--races" => options.races = if value == "none" { None } else { Some(class(&value)?) },
            "--out" => options.out = Some(value.into()),
            _ => return Err(format!("bench nas has no option {name}")),
        }
    }
    Ok(options)
}

/// The letter of a class.
pub fn class(text: &str) -> Result<char> {
    let mut letters = text.chars();
    match (letters.next().map(|letter| letter.to_ascii_uppercase()), letters.next()) {
        (Some(letter), None) if "SWABCD".contains(letter) => Ok(letter),
        _ => Err(format!("there is no class {text}: S W A B C D are")),
    }
}

fn config(name: String) -> Result<String> {
    if CONFIGS.iter().any(|config| config.name == name) {
        return Ok(name);
    }
    let names: Vec<&str> = CONFIGS.iter().map(|config| config.name).collect();
    Err(format!("there is no configuration {name}: {} are", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Result<Options> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn words_and_mistakes() {
        assert_eq!(said(""), Ok(Options::default()));
        assert_eq!(said("--compiler clang-16").unwrap().compiler, "clang-16");
        let options =
            said("--programs=ep,CG --classes s,W --ranks 1,2 --configs native,full --races none --limit 60").unwrap();
        assert_eq!((options.programs.len(), options.classes, options.ranks), (2, vec!['S', 'W'], vec![1, 2]));
        assert_eq!((options.races, options.limit), (None, Duration::from_secs(60)));
        for (wrong, word) in [
            ("--classes X", "no class X"),
            ("--configs fast", "no configuration fast"),
            ("--model upc", "no model upc"),
            ("--repetitions 0", "not a number"),
            ("--ranks two", "not a number"),
            ("--limit", "needs a value"),
            ("--speed 3", "no option --speed"),
        ] {
            let error = said(wrong).unwrap_err();
            assert!(error.contains(word), "{wrong}: {error}");
        }
    }
}
