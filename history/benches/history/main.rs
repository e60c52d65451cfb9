//! Histories side by side: `cargo bench -p thrille-history`.
//!
//! | argument | does |
//! |---|---|
//! | (none) | the tables: 20,000 and 1,000,000 ranges, four distributions, overlap 0, 1 and 16 |
//! | `--quick` | 20,000 ranges only |
//! | `--million` | 1,000,000 ranges that do not overlap only |
//! | `--only btree/iset` | these structures only |
//! | `--coalescing` | a million contiguous stores in the bit map |
//! | `--growth FILE.svg` | time an operation from 1,000 to 10,000,000 ranges, drawn too |
//! | `--trace DIR...` | what rank 0 of recorded runs got: their directories, of runs with `THRILLE_TRACE=1` in the environment |
//! | `--callgrind` | instructions an operation, at 20,000 ranges: needs valgrind |
//!
//! Lines are comma-separated. Ranges are inserted one by one, then searched for one by one in another random order or, for ordered
//! distributions, in the same. Times are the processor's for this thread, the least of
//! several rounds: a shared machine only ever adds.

mod callgrind;
mod distributions;
mod peers;
mod plot;
mod traces;

use distributions::Distribution;
use peers::{PEERS, Peer, peer};
use thrille_history::{Class, Coalescer, History, Interval, IntervalBTree};

/// Rounds of one measurement: at least, at most, and no more once it has taken so long.
const LEAST_ROUNDS: usize = 1;
const MOST_ROUNDS: usize = 60;
const ENOUGH: f64 = 150e6;

/// Nanoseconds of processor time that this thread has had: others on the machine do not count, as far as they leave the caches alone.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds an insertion and a search, and hits a search.
struct Measured {
    insert: f64,
    search: f64,
    hits: u64,
    sum: u64,
}

fn measure(name: &str, distribution: Distribution, n: u64, overlap: u64) -> Measured {
    measure_ranges(name, &distribution.ranges(n, overlap, 1), &distribution.ranges(n, 0, 2))
}

fn measure_ranges(name: &str, ranges: &[(u64, u64)], wanted: &[(u64, u64)]) -> Measured {
    let n = ranges.len() as f64;
    let mut best = Measured { insert: f64::MAX, search: f64::MAX, hits: 0, sum: 0 };
    let start = now();
    for round in 0..MOST_ROUNDS {
        if round >= LEAST_ROUNDS && now() - start > ENOUGH {
            break;
        }
        let mut peer: Box<dyn Peer> = peer(name);
        let begin = now();
        peer.insert_all(ranges);
        let inserted = (now() - begin) / n;
        let begin = now();
        let (hits, sum) = peer.search_all(wanted);
        let searched = (now() - begin) / n;
        best = Measured { insert: best.insert.min(inserted), search: best.search.min(searched), hits, sum };
    }
    best
}

/// Whether it can be run with so many without taking minutes.
fn bearable(name: &str, distribution: Distribution, n: u64, overlap: u64) -> bool {
    match name {
        // Moves half of all ranges at each insertion.
        "rust-lapper" => n <= 20_000 || distribution == Distribution::Sequential && n <= 100_000,
        // Each range is listed in as many pieces as it overlaps others.
        "tree" | "treap" => n <= 1_000_000 && (overlap <= 1 || n <= 20_000),
        _ => true,
    }
}

fn tables(sizes: &[u64], peers: &[&str], overlaps: &[u64]) {
    println!("ranges,distribution,overlap,structure,insert ns,search ns,hits a search");
    for &n in sizes {
        for distribution in Distribution::ALL {
            for &overlap in overlaps {
                let mut expected = None;
                for &name in peers.iter().filter(|name| bearable(name, distribution, n, overlap)) {
                    let Measured { insert, search, hits, sum } = measure(name, distribution, n, overlap);
                    if name != "page table" {
                        assert_eq!(*expected.get_or_insert((hits, sum)), (hits, sum), "{name} finds something else");
                    }
                    let hits = hits as f64 / n as f64;
                    println!("{n},{distribution},{overlap},{name},{insert:.1},{search:.1},{hits:.1}");
                }
            }
        }
    }
}

fn growth(drawing: &str) {
    let mut points = Vec::new();
    println!("ranges,distribution,structure,insert ns,search ns");
    for exponent in 3..=7 {
        for distribution in [Distribution::Sequential, Distribution::Random] {
            for name in ["btree", "skiplist", "std BTreeMap"] {
                let n = 10_u64.pow(exponent);
                if n > 1_000_000 && name == "skiplist" {
                    continue;
                }
                let Measured { insert, search, .. } = measure(name, distribution, n, 0);
                println!("{n},{distribution},{name},{insert:.1},{search:.1}");
                points.push(plot::Point { line: format!("{name}, {distribution}"), n, insert, search });
            }
        }
    }
    std::fs::write(drawing, plot::svg(&points)).unwrap_or_else(|error| panic!("{drawing}: {error}"));
}

/// The ranges of recorded runs, in the order in which their owner got them.
fn recorded(dirs: &[&str]) {
    println!("run,ranges,structure,insert ns,search ns,hits a search");
    for dir in dirs {
        let ranges = traces::of_rank_0(dir);
        let mut expected = None;
        for name in PEERS {
            // Fragments of ranges that overlap many times over take minutes, as does moving half of a long list.
            if ranges.len() > 100_000 && matches!(name, "tree" | "treap" | "rust-lapper" | "page table") {
                continue;
            }
            let Measured { insert, search, hits, sum } = measure_ranges(name, &ranges, &ranges);
            if name != "page table" {
                assert_eq!(*expected.get_or_insert((hits, sum)), (hits, sum), "{name} finds something else");
            }
            let run = dir.rsplit('/').next().unwrap_or(dir);
            println!("{run},{},{name},{insert:.1},{search:.1},{:.1}", ranges.len(), hits as f64 / ranges.len() as f64);
        }
    }
}

/// Contiguous stores of eight bytes, and what they leave.
fn coalescing() {
    const STORES: u64 = 1_000_000;
    let mut coalescer = Coalescer::with_pages(2048);
    let mut best = [f64::MAX; 2];
    let mut intervals = 0;
    for _ in 0..100 {
        let begin = now();
        for i in 0..STORES {
            coalescer.set(Class(0), std::hint::black_box(i * 8), i * 8 + 8).expect("room");
        }
        best[0] = best[0].min((now() - begin) / STORES as f64);
        let begin = now();
        intervals = 0;
        coalescer.drain(|_, _| intervals += 1);
        best[1] = best[1].min((now() - begin) / STORES as f64);
    }
    println!(
        "coalescing,{STORES} contiguous stores,set {:.2} ns,drain {:.2} ns,intervals {intervals}",
        best[0], best[1]
    );
}

/// Memory of our own, by its own account.
fn memory() {
    for distribution in Distribution::ALL {
        let mut history = IntervalBTree::new();
        let ranges = distribution.ranges(1_000_000, 0, 1);
        for &(lo, hi) in &ranges {
            history.insert(Interval::from_bounds(lo, hi).expect("not empty"), lo);
        }
        println!(
            "memory,{distribution},{:.1} bytes a range with a value of 8",
            history.bytes() as f64 / ranges.len() as f64
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", name, distribution, stage] => callgrind::one(name, distribution, stage),
        ["--callgrind"] => callgrind::table(),
        ["--coalescing"] => coalescing(),
        ["--growth", drawing] => growth(drawing),
        ["--trace", ref dirs @ ..] => recorded(dirs),
        ["--quick"] => tables(&[20_000], &PEERS, &[0, 1, 16]),
        ["--only", names] => tables(&[20_000, 1_000_000], &names.split('/').collect::<Vec<_>>(), &[0, 1, 16]),
        ["--million"] => tables(&[1_000_000], &PEERS, &[0]),
        _ => {
            coalescing();
            memory();
            tables(&[20_000, 1_000_000], &PEERS, &[0, 1, 16]);
        }
    }
}
