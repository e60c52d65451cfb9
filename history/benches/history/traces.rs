//! Ranges of programs that were run with `THRILLE_TRACE=1`.

use std::fs::File;
use thrille_model::Rank;
use thrille_model::job::{Traced, trace_file};
use thrille_model::wire::read_frames;

/// The byte ranges that all ranks of a run accessed of rank 0's memory, exchange by exchange. Parts of its memory are laid side by side.
pub fn of_rank_0(dir: &str) -> Vec<(u64, u64)> {
    let of = |rank| File::open(format!("{dir}/{}", trace_file(Rank(rank)))).ok();
    let mut ranks: Vec<std::vec::IntoIter<Traced>> = Vec::new();
    while let Some(mut file) = of(ranks.len() as u32) {
        let (frames, error) = read_frames::<Traced>(&mut file);
        assert!(error.is_none(), "{dir}: {error:?}");
        ranks.push(frames.into_iter());
    }
    assert!(!ranks.is_empty(), "{dir}: no {}", trace_file(Rank(0)));
    let mut segments = Vec::new();
    let mut ranges = Vec::new();
    loop {
        let exchange: Vec<Traced> = ranks.iter_mut().filter_map(Iterator::next).collect();
        if exchange.is_empty() {
            return ranges;
        }
        for access in exchange.iter().flat_map(|(accesses, _)| accesses).filter(|a| a.place.owner == Rank(0)) {
            let known = segments.iter().position(|&s| s == access.place.segment);
            let at = known.unwrap_or_else(|| {
                segments.push(access.place.segment);
                segments.len() - 1
            });
            let bytes = access.place.bytes;
            ranges.push((bytes.lo() + ((at as u64) << 48), bytes.hi() + ((at as u64) << 48)));
        }
    }
}
