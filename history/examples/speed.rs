//! Nanoseconds per insertion, search and removal, by pattern of ranges: `cargo run --release --example speed [ranges]`.
//!
//! Each pattern is inserted in its order (into a history that was filled and cleared before, as at the end of a phase), then searched in its order and in a random order with the same ranges, then
//! half of it is removed. The best of several runs counts: the rest is the machine's noise.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;
use std::time::Instant;
use thrille_history::{History, Interval, IntervalSkiplist, Keep};

const RUNS: usize = 15;

fn main() {
    let ranges = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20_000_u64);
    println!("{ranges} ranges, ns per operation, best of {RUNS} runs");
    println!(
        "{:12} {:>8} {:>10} {:>10} {:>8} {:>10}",
        "pattern", "insert", "search", "shuffled", "remove", "hits/query"
    );
    for (name, pattern) in patterns(ranges) {
        let best = (0..RUNS).map(|_| measure(&pattern)).reduce(Times::min).unwrap_or_default();
        let [insert, search, shuffled, remove] = best.nanoseconds;
        println!("{name:12} {insert:8.1} {search:10.1} {shuffled:10.1} {remove:8.1} {:10.2}", best.hits);
    }
}

/// The paper's two, their reverse, and what else programs do.
fn patterns(n: u64) -> Vec<(&'static str, Vec<Interval>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut random = |below: u64| rng.random_range(0..below);
    let at = |lo: u64, len: u64| Interval::from_len(lo, len).expect("small numbers");
    let rows = 100.min(n);
    vec![
        ("sequential", (0..n).map(|i| at(i * 10, 10)).collect()),
        ("reverse", (0..n).rev().map(|i| at(i * 10, 10)).collect()),
        ("gapped", (0..n).map(|i| at(i * 64, 8)).collect()),
        ("strided", (0..n).map(|i| at((i % rows * (n / rows) + i / rows) * 8, 8)).collect()),
        ("random", (0..n).map(|_| at(random(n * 100), 10)).collect()),
        ("overlapping", (0..n).map(|_| at(random(n * 100), 1_000)).collect()),
        ("nested", (0..n.min(2_000)).map(|i| at(i, 2 * n - 2 * i)).collect()),
        ("repeated", (0..n).map(|_| at(random(500) * 8, 8)).collect()),
    ]
}

#[derive(Clone, Copy, Default)]
struct Times {
    nanoseconds: [f64; 4],
    hits: f64,
}

impl Times {
    fn min(self, other: Self) -> Self {
        let nanoseconds = std::array::from_fn(|i| self.nanoseconds[i].min(other.nanoseconds[i]));
        Self { nanoseconds, ..self }
    }
}

fn measure(pattern: &[Interval]) -> Times {
    let mut shuffled = pattern.to_vec();
    shuffled.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(2));
    let mut history = IntervalSkiplist::new();
    for at in pattern {
        history.insert(*at, 0);
    }
    history.clear();
    let per_range = |start: Instant| start.elapsed().as_nanos() as f64 / pattern.len() as f64;

    let start = Instant::now();
    pattern.iter().enumerate().for_each(|(number, at)| history.insert(*at, number as u64));
    let insert = per_range(start);

    let mut hits = 0_u64;
    let mut search = |queries: &[Interval]| {
        let start = Instant::now();
        for at in queries {
            history.overlapping(*at, |_, value| {
                black_box(value);
                hits += 1;
            });
        }
        per_range(start)
    };
    let (in_order, in_disorder) = (search(pattern), search(&shuffled));

    let start = Instant::now();
    for at in &shuffled[..shuffled.len() / 2] {
        history.retain_overlapping(*at, |stored, _| if stored == *at { Keep::No } else { Keep::Yes });
    }
    let remove = per_range(start) * 2.0;
    Times { nanoseconds: [insert, in_order, in_disorder, remove], hits: hits as f64 / (2 * pattern.len()) as f64 }
}
