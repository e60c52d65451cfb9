//! The text of reports, as a user reads it: `tests/golden/<program>.txt`.

use crate::corpus::Program;
use crate::support::{golden, root};
use crate::tool::{check, run, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::Trial;

/// Programs whose reports are the same in every run, and between them show each kind of side, object and reason.
const CHOSEN: [(&str, u32); 14] = [
    ("put_load_race.c", 2),
    ("put_loop_race.c", 2),
    ("halo_race.c", 4),
    ("two_races_race.c", 2),
    ("ctx_wrong_quiet_race.c", 2),
    ("nbi_put_origin_stack_race.c", 2),
    ("amo_add_plain_race.c", 2),
    ("lock_two_race.c", 2),
    ("bcast_source_race.c", 2),
    ("heap_put_race.c", 2),
    ("functions_race.c", 2),
    ("thread_barrier_race.c", 2),
    ("cpp_template_race.cpp", 2),
    ("ring_safe.c", 4),
];

/// One test for each.
pub fn trials() -> Vec<Trial> {
    let one = |&(file, ranks): &(&'static str, u32)| trial(&format!("golden::{file}"), move || compare(file, ranks));
    CHOSEN.iter().map(one).collect()
}

fn compare(file: &str, ranks: u32) -> Outcome {
    let program = Program::read(&root().join("tests/shmem").join(file))?;
    let dir = temporary();
    let out = dir.path().join("run");
    let ended = run(thrille(program.check(ranks, &out)).current_dir(root().join("tests/shmem")))?;
    let kept = std::fs::read_to_string(out.join("report.txt"))?;
    check(ended.stderr == kept, || format!("standard error is not report.txt\n{ended}\n--- report.txt\n{kept}"))?;
    let name = file.split('.').next().unwrap_or(file);
    golden(&format!("{name}.txt"), &normalised(&kept, dir.path())).map_err(Into::into)
}

/// Without what differs from run to run: times and the number of exchanges, addresses, the run's directory.
fn normalised(text: &str, dir: &std::path::Path) -> String {
    let mut out = String::new();
    for line in text.replace(&dir.display().to_string(), "<dir>").lines() {
        let line = match line.split_once("analysis: ") {
            Some((before, _)) => format!("{before}analysis: <time> s in <some> exchanges"),
            None => without_addresses(line),
        };
        out += &line;
        out.push('\n');
    }
    out
}

fn without_addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "0x<address>";
        out += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    out
}
