//! The exchange at sizes that no machine at hand has: virtual ranks in one process, with the analysis that real ranks run.
//!
//! One batch of phases is exchanged. What a rank sends is made by [`thrille_analysis::Analysis`] itself, what it gets is what the ranks that reach its
//! memory send it, and it judges that; where order has to be looked up, those that it asks answer, and those ask that would ask it. Every rank is like every other in the patterns, so of a large job some are looked at: all up to 64, then 16 (2 of a job of more than 1,024 in
//! which each talks to all or to anybody). Bytes, messages, partners and records are counted; the time is that of the LogGP model ([`network`]).
//!
//! What the ranks do is written by hand ([`patterns`]) or comes from real runs ([`recorded`]).
//!
//! `cargo run --release -p thrille-analysis --example scale -- DIR` writes `scale.csv` and `scale.svg` there, and from what is in `DIR/traces` `recorded.csv` and `recorded.svg`;
//! `scale record NAME RUN DIR/traces/NAME.txt` makes one of the latter of a run with `THRILLE_TRACE=1`.

mod network;
mod patterns;
mod plot;
mod recorded;
mod virtual_rank;

use network::Network;
use patterns::{PATTERNS, Program, Rule};
use recorded::Recorded;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use virtual_rank::{Counts, exchange};

/// One line of the table.
#[derive(Clone, Debug)]
struct Row {
    pattern: String,
    rule: Rule,
    ranks: u32,
    phases: u64,
    counts: Counts,
    /// Microseconds on the critical path, for each phase.
    time: f64,
    /// The same for a tool that exchanges full vector clocks at each barrier, and the bytes and memory of that.
    clocks: Clocks,
}

/// What full vector clocks cost, for each rank and barrier.
#[derive(Clone, Copy, Debug)]
struct Clocks {
    bytes: f64,
    memory: f64,
    time: f64,
}

fn row(pattern: &dyn Program, rule: Rule, ranks: u32) -> Row {
    let network = Network::default();
    let phases = pattern.batch(ranks);
    let counts = exchange(pattern, rule, ranks, phases);
    let time = network.exchange(ranks, &counts) / phases as f64;
    let clock = f64::from(ranks) * 8.0;
    let clocks = Clocks { bytes: clock * network::depth(ranks), memory: clock, time: network.reduction(ranks, clock) };
    Row { pattern: pattern.name().to_owned(), rule, ranks, phases, counts, time, clocks }
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "pattern,rule,ranks,phases_in_batch,partners,messages_per_phase,bytes_per_phase,memory_per_rank,critical_us_per_phase,\
         order_looked_up,rounds,races,clock_bytes_per_phase,clock_memory_per_rank,clock_us_per_phase\n",
    );
    for row in rows {
        let Row { counts, clocks, .. } = row;
        let per = |total: f64| total / row.phases as f64;
        let _ = writeln!(
            text,
            "{},{},{},{},{:.1},{:.3},{:.1},{:.0},{:.3},{},{},{:.1},{:.0},{:.0},{:.3}",
            row.pattern,
            row.rule.name(),
            row.ranks,
            row.phases,
            counts.partners,
            per(counts.messages()),
            per(counts.bytes()),
            counts.memory,
            row.time,
            u8::from(counts.looked_up_order),
            counts.rounds.len(),
            counts.races,
            clocks.bytes,
            clocks.memory,
            clocks.time
        );
    }
    text
}

/// All jobs of some programs.
fn simulate(programs: &[&dyn Program]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &program in programs {
        for rule in [Rule::Weak, Rule::Strong] {
            for ranks in (1..=16).map(|doubling| 1u32 << doubling).filter(|ranks| *ranks >= program.least()) {
                let row = row(program, rule, ranks);
                let Counts { partners, memory, races, rounds, .. } = &row.counts;
                eprintln!(
                    "{} {} {ranks}: {partners:.1} partners, {memory:.0} bytes, {} rounds, {races} races",
                    program.name(),
                    rule.name(),
                    rounds.len()
                );
                rows.push(row);
            }
        }
    }
    rows
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [record, name, run, out] = &args[..]
        && record == "record"
    {
        return write(Path::new(out), &recorded::record(name, Path::new(run)));
    }
    let out = PathBuf::from(args.first().map_or(".", String::as_str));
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(out.join("traces")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let recorded: Vec<Recorded> = files.iter().map(|path| Recorded::read(path)).collect();
    let sets: [(&str, Vec<&dyn Program>); 2] = [
        ("recorded", recorded.iter().map(|program| program as &dyn Program).collect()),
        ("scale", PATTERNS.iter().map(|program| program as &dyn Program).collect()),
    ];
    for (name, programs) in sets.iter().filter(|(_, programs)| !programs.is_empty()) {
        let rows = simulate(programs);
        write(&out.join(format!("{name}.csv")), &csv(&rows));
        write(&out.join(format!("{name}.svg")), &plot::svg(&rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rank sends and holds for a batch grows no faster than the program's own partners times log P.
    #[test]
    fn growth_follows_partners() {
        for program in PATTERNS.iter().map(|program| program as &dyn Program) {
            let counted = [8, 32].map(|ranks| (ranks, row(program, Rule::Weak, ranks).counts));
            let allowed = |(ranks, counts): &(u32, Counts)| counts.partners * f64::from(ranks.ilog2());
            for pair in counted.windows(2) {
                let (small, large) = (&pair[0], &pair[1]);
                let growth = allowed(large) / allowed(small);
                let what = format!("{} from {} to {} ranks", program.name(), small.0, large.0);
                assert!(large.1.messages() <= small.1.messages() * growth, "messages of {what}");
                assert!(large.1.memory <= small.1.memory * growth, "memory of {what}");
            }
        }
    }
}
