//! The name of a race across runs and versions of a program.
//!
//! It is made from what a person would recognise the race by: for each side the file's name, the function, what is done, and the text of the
//! line with the column in it; blanks do not count. Line numbers and directories are no part of it, so that code that moves keeps its races'
//! names. Where nothing else is known it is the loaded file and the offset in it. Races that are alike in all this (a line that stands twice
//! in a function) are numbered in the order of their lines.

use crate::shape::{Frame, RaceReport, SideReport};
use crate::words::hex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// How many bytes of the hash: enough for a project's life, few enough to type.
const BYTES: usize = 5;

/// Names the races of a report.
pub fn name(races: &mut [RaceReport]) {
    let mut met: HashMap<String, u32> = HashMap::new();
    // Reports are sorted by place: the order of lines.
    for race in races {
        let id = id(race);
        let times = met.entry(id.clone()).or_default();
        *times += 1;
        race.id = if *times == 1 { id } else { format!("{id}-{times}") };
    }
}

/// Names those that have no name yet: reports of an earlier version.
pub fn complete(races: &mut [RaceReport]) {
    if races.iter().any(|race| race.id.is_empty()) {
        name(races);
    }
    for race in races.iter_mut().filter(|race| race.title.is_empty()) {
        race.title = crate::text::title(&race.a, &race.b, &race.object);
    }
}

fn id(race: &RaceReport) -> String {
    // Which side is a may differ between runs.
    let (a, b) = (side(&race.a), side(&race.b));
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    let digest = Sha256::digest(format!("{low}\n{high}"));
    hex(&digest[..BYTES])
}

fn side(side: &SideReport) -> String {
    format!("{}\t{}", side.act, spot(&side.at))
}

fn spot(frame: &Frame) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let function = frame.function.as_deref().unwrap_or_default();
    let Some(path) = &frame.path else { return format!("{}+{:#x}\t{function}", name(&frame.module), frame.offset) };
    let text = match &frame.source {
        Some(line) => {
            let column = frame.column.map_or(0, |column| column as usize).saturating_sub(1);
            let before = line.char_indices().filter(|(at, c)| *at < column && !c.is_whitespace()).count();
            let squeezed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            format!("{before}\t{squeezed}")
        }
        None => format!("{}\t{}", frame.line.unwrap_or_default(), frame.column.unwrap_or_default()),
    };
    format!("{}\t{function}\t{text}", name(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(path: &str, line: u32, column: u32, source: &str) -> Frame {
        Frame {
            path: Some(path.into()),
            line: Some(line),
            column: Some(column),
            function: Some("f".into()),
            source: Some(source.into()),
            ..Frame::default()
        }
    }

    #[test]
    fn code_that_moves_keeps_its_name() {
        let here = spot(&frame("/a/x.c", 10, 5, "    p[0] = 1;"));
        assert_eq!(here, spot(&frame("/b/c/x.c", 99, 3, "  p[0]  = 1;")));
        assert_ne!(here, spot(&frame("/a/y.c", 10, 5, "    p[0] = 1;")));
        assert_ne!(here, spot(&frame("/a/x.c", 10, 5, "    p[1] = 1;")));
        assert_ne!(here, spot(&frame("/a/x.c", 10, 12, "    p[0] = 1;")));
    }
}
