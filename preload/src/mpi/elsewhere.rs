//! Memory that a rank exposes and that is not its own: another rank's part of a shared window, which it reaches by pointer and has made
//! a second window over (what the leader of a node does with the memory of the whole node). An operation through the second window is
//! told where the memory is, not where it is exposed.

use mpi_sys::MPI_Comm;
use std::ffi::c_int;
use std::sync::Arc;
use thrille_model::comb::{Teeth, tooth_at};
use thrille_model::{Comb, Interval, Rank, Segment};
use thrille_runtime::Region;

/// A stretch of what one rank exposes, by its offsets there, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    from: u64,
    to: u64,
    owner: Rank,
    window: u32,
    offset: u64,
}

/// How many numbers tell a piece.
const WIDTH: usize = 5;

impl Piece {
    fn said(&self) -> [i64; WIDTH] {
        let Self { from, to, owner, window, offset } = *self;
        [from as i64, to as i64, i64::from(owner.0), i64::from(window), offset as i64]
    }

    /// None where a rank had fewer to tell than another one.
    fn heard(said: [i64; WIDTH]) -> Option<Self> {
        let [from, to, owner, window, offset] = said;
        let piece = Self {
            from: from as u64,
            to: to as u64,
            owner: Rank(owner as u32),
            window: window as u32,
            offset: offset as u64,
        };
        (piece.from < piece.to).then_some(piece)
    }

    fn place(&self, at: u64) -> (Rank, Segment, u64) {
        (self.owner, Segment::Window(self.window), self.offset + (at - self.from))
    }
}

/// The pieces of one rank, in order.
pub type Pieces = Arc<[Piece]>;

/// What of some memory belongs to other ranks, and what is left, as addresses.
pub fn apart(me: Rank, base: u64, size: u64, parts: &[(u32, Region)]) -> (Vec<Piece>, Vec<(u64, u64)>) {
    let end = base.saturating_add(size);
    let mut others: Vec<Piece> = parts
        .iter()
        .filter(|(_, part)| part.owner != me && part.start < end && base < part.end)
        .map(|&(window, part)| {
            let (lo, hi) = (part.start.max(base), part.end.min(end));
            Piece { from: lo - base, to: hi - base, owner: part.owner, window, offset: part.offset + (lo - part.start) }
        })
        .collect();
    others.sort_by_key(|piece| piece.from);
    let mut own = Vec::new();
    let mut at = base;
    for piece in &others {
        own.push((at, base + piece.from));
        at = at.max(base + piece.to);
    }
    own.push((at, end));
    own.retain(|(lo, hi)| lo < hi);
    (others, own)
}

/// Everybody learns of everybody's pieces, of which nobody has more than `most`.
pub fn exchange(comm: MPI_Comm, size: c_int, mine: &[Piece], most: usize) -> Vec<Pieces> {
    let mut say: Vec<i64> = mine.iter().flat_map(Piece::said).collect();
    say.resize(most * WIDTH, 0);
    let mut heard = vec![0i64; say.len() * size.max(0) as usize];
    // SAFETY: all members of the communicator are here; there is room for what each of them says.
    crate::last::inside(|| unsafe {
        let (ty, n) = (mpi_sys::RSMPI_INT64_T, say.len() as c_int);
        mpi_sys::PMPI_Allgather(say.as_ptr().cast(), n, ty, heard.as_mut_ptr().cast(), n, ty, comm);
    });
    let pieces = |said: &[i64]| said.as_chunks().0.iter().copied().filter_map(Piece::heard).collect();
    heard.chunks(most * WIDTH).map(pieces).collect()
}

/// Where a byte is that a rank exposes, which is `otherwise` if it is the rank's own.
pub fn place(pieces: &[Piece], at: u64, otherwise: (Rank, Segment)) -> (Rank, Segment, u64) {
    let piece = pieces.iter().find(|piece| (piece.from..piece.to).contains(&at));
    piece.map_or((otherwise.0, otherwise.1, at), |piece| piece.place(at))
}

/// The same for many bytes, cut where the memory belongs to somebody else.
pub fn cut(pieces: &[Piece], teeth: Teeth, otherwise: (Rank, Segment)) -> Vec<(Rank, Segment, Teeth)> {
    let (range, comb) = teeth;
    let edges = || pieces.iter().flat_map(|piece| [piece.from, piece.to]);
    let inside = |range: Interval| edges().filter(move |&edge| range.lo() < edge && edge < range.hi());
    let told = |lo: u64, len: u64, comb| {
        let (owner, segment, lo) = place(pieces, lo, otherwise);
        Some((owner, segment, (Interval::from_len(lo, len).ok()?, comb)))
    };
    if inside(range).next().is_none() {
        return told(range.lo(), range.len(), comb).into_iter().collect();
    }
    let mut all = Vec::new();
    let mut next = tooth_at(teeth, range.lo());
    while let Some(tooth) = next {
        let mut lo = tooth.lo();
        let mut ends: Vec<u64> = inside(tooth).chain([tooth.hi()]).collect();
        ends.sort_unstable();
        for end in ends.into_iter().filter(|&end| end > tooth.lo()) {
            all.extend((lo < end).then(|| told(lo, end - lo, Comb::SOLID)).flatten());
            lo = end;
        }
        next = tooth_at(teeth, tooth.hi());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: (Rank, Segment) = (Rank(0), Segment::Window(9));

    fn part(start: u64, end: u64, owner: u32) -> (u32, Region) {
        (3, Region { start, end, owner: Rank(owner), segment: Segment::Window(3), offset: 0 })
    }

    /// The bytes of what is cut are those that are placed one by one.
    #[test]
    fn cut_is_place_of_each_byte() {
        let (pieces, own) = apart(Rank(0), 1000, 300, &[part(900, 1040, 1), part(1040, 1100, 0), part(1100, 1150, 2)]);
        assert_eq!(own, [(1040, 1100), (1150, 1300)]);
        let heard: Vec<Piece> = pieces.iter().map(Piece::said).filter_map(Piece::heard).collect();
        assert_eq!(heard, pieces);
        assert_eq!(Piece::heard([0; WIDTH]), None);
        let solid = (Interval::from_len(10, 250).expect("fits"), Comb::SOLID);
        let combs = [(0, 16, 8, 18), (120, 30, 20, 5), (200, 9, 3, 4), (38, 4, 2, 2)];
        let combs = combs.map(|(lo, stride, width, count)| Comb::new(lo, stride, width, count).expect("a comb"));
        for teeth in [&[solid][..], &combs[..]].concat() {
            let bytes = |teeth: Teeth| thrille_model::comb::teeth(teeth).flat_map(|tooth| tooth.lo()..tooth.hi());
            let expected: Vec<_> = bytes(teeth).map(|at| place(&pieces, at, MINE)).collect();
            let cut = cut(&pieces, teeth, MINE);
            let told = cut.iter().flat_map(|&(owner, segment, teeth)| bytes(teeth).map(move |at| (owner, segment, at)));
            assert_eq!(told.collect::<Vec<_>>(), expected, "{teeth:?}");
        }
    }
}
