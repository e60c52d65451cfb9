//! What a load or store costs in the rank: `cargo bench -p thrille-runtime`.
//!
//! Everything from the hook on is in the figure: finding the region, merging, taking the full buffer away, and gathering what is left
//! for the owners at the end. Times are the processor's for this thread, the least of several rounds: a shared machine only ever
//! adds. A word behind `--` selects the lines that contain it.

use std::hint::black_box;
use thrille_model::{Act, Kind, Segment};
use thrille_runtime::runs::Room;
use thrille_runtime::{Modules, Rank, Recorder, Region, Regions};

const BASE: u64 = 0x10_0000_0000;
const ACCESSES: u64 = 1 << 22;
const ROUNDS: usize = 3;

/// A small generator of its own (`SplitMix64`).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn rank(bytes: u64) -> (Rank, Recorder) {
    let me = thrille_model::Rank(0);
    let region = Region { start: BASE, end: BASE + bytes, owner: me, segment: Segment::Heap, offset: 0 };
    Rank::new(me, Regions::new(vec![region]), Modules::new(Vec::new), 1 << 22)
}

/// Nanoseconds of processor time that this thread has had: others on the machine do not count, as far as they leave the caches alone.
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds an access, and records that are left. `access` says offset and line of the n-th.
fn measure(bytes: u64, access: impl FnMut(u64) -> (u64, u64)) -> (f64, usize) {
    let accesses: Vec<(u64, u64)> = (0..ACCESSES).map(access).map(|(at, pc)| (BASE + at, pc)).collect();
    let mut best = (f64::MAX, 0);
    for _ in 0..ROUNDS {
        let (mut rank, mut recorder) = rank(bytes);
        let begin = now();
        for &(address, pc) in &accesses {
            if recorder.touch(black_box(address), 8, Kind::Write, Act::Store, pc) == Room::Full {
                rank.drain(&mut recorder);
            }
        }
        let left = rank.gather(&mut recorder, true, 0).accesses.len();
        let ns = (now() - begin) / ACCESSES as f64;
        best = if ns < best.0 { (ns, left) } else { best };
    }
    best
}

fn main() {
    const MB: u64 = 1 << 20;
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or_default();
    println!("{:<44} {:>10} {:>9}", "8-byte stores", "ns/access", "records");
    let line = |name: &str, bytes: u64, access: &mut dyn FnMut(u64) -> (u64, u64)| {
        if name.contains(&wanted) {
            let (ns, records) = measure(bytes, access);
            println!("{name:<44} {ns:>10.1} {records:>9}");
        }
    };
    let mut draws = Draws(1);
    line("sequential, 8 MB", 8 * MB, &mut |n| (n * 8 % (8 * MB), 0x400));
    line("backwards, 8 MB", 8 * MB, &mut |n| (8 * MB - 8 - n * 8 % (8 * MB), 0x400));
    line("three arrays in turn, 3 lines, 24 MB", 24 * MB, &mut |n| {
        (n % 3 * 8 * MB + n / 3 * 8 % (8 * MB), 0x400 + n % 3 * 7)
    });
    line("random, 1 line, 8 MB", 8 * MB, &mut |_| (draws.next() % MB * 8, 0x400));
    line("random, 16 lines, 8 MB", 8 * MB, &mut |n| (draws.next() % MB * 8, 0x400 + n % 16 * 5));
    line("columns of a 1024 x 1024 matrix, 8 MB", 8 * MB, &mut |n| (n % 1024 * 8192 + n / 1024 % 1024 * 8, 0x400));
    line("random, 1 line, 64 MB", 64 * MB, &mut |_| (draws.next() % (8 * MB) * 8, 0x400));
    line("random, 1 line, 1 GB", 1024 * MB, &mut |_| (draws.next() % (128 * MB) * 8, 0x400));
}
