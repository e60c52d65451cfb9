//! Instructions an operation: what a machine that others use does not change.
//!
//! The benchmark runs itself under callgrind three times: to make the ranges, to insert them too, to search for them too. Differences are
//! what insertion and search cost.

use crate::distributions::Distribution;
use crate::peers::{PEERS, peer};
use std::process::Command;

const RANGES: u64 = 20_000;

/// One stage of one measurement, with nothing else around it.
pub fn one(name: &str, distribution: &str, stage: &str) {
    let distribution = Distribution::ALL.into_iter().find(|d| d.to_string() == distribution).expect("a distribution");
    let (ranges, wanted) = (distribution.ranges(RANGES, 0, 1), distribution.ranges(RANGES, 0, 2));
    let mut peer = peer(name);
    if stage != "make" {
        peer.insert_all(std::hint::black_box(&ranges));
    }
    if stage == "search" {
        std::hint::black_box(peer.search_all(std::hint::black_box(&wanted)));
    }
}

fn instructions(name: &str, distribution: Distribution, stage: &str) -> f64 {
    let me = std::env::current_exe().expect("a path");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(me)
        .args(["--one", name, &distribution.to_string(), stage])
        .output()
        .expect("valgrind is installed");
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split_once("Collected : ")).expect("callgrind counts").1;
    collected.trim().parse().expect("a number")
}

pub fn table() {
    println!("distribution,structure,instructions an insertion,instructions a search");
    for distribution in Distribution::ALL {
        for name in PEERS.into_iter().filter(|&name| name != "rust-lapper") {
            let [make, insert, search] =
                ["make", "insert", "search"].map(|stage| instructions(name, distribution, stage));
            let each = |more: f64, less: f64| (more - less) / RANGES as f64;
            println!("{distribution},{name},{:.0},{:.0}", each(insert, make), each(search, insert));
        }
    }
}
