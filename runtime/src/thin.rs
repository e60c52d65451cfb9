//! Making room when a rank holds all the records that it may: the lines that have the most give.
//!
//! What is dropped may be one side of a race; it is counted and reported. A line that has few records keeps them, whenever it comes: a race
//! between lines that execute seldom is not lost to one that executes often. Of a line that gives, records stay that are evenly spread over
//! the order in which they stand. Loads and stores outside of critical sections alone are dropped: what flows through a section orders
//! it, and to forget that could invent a race.

use rustc_hash::FxHashMap;
use thrille_model::{Access, LocksetId, Site, Span};

/// Whether a record may be dropped.
fn may_go(access: &Access) -> bool {
    access.span == Span::Point && access.locks == LocksetId::EMPTY
}

/// How many of a line's records stay, and how many were met.
struct Line {
    of: u64,
    met: u64,
}

/// Drops records until `most` are left, as far as they may go. Returns how many accesses those were.
pub fn thin(accesses: &mut Vec<Access>, most: usize) -> u64 {
    let mut lines: FxHashMap<Site, Line> = FxHashMap::default();
    for access in accesses.iter().filter(|access| may_go(access)) {
        lines.entry(access.site).or_insert(Line { of: 0, met: 0 }).of += 1;
    }
    let going: u64 = lines.values().map(|line| line.of).sum();
    let room = (most as u64).saturating_sub(accesses.len() as u64 - going);
    let quota = quota(lines.values().map(|line| line.of).collect(), room).max(1);
    let mut dropped = 0;
    accesses.retain(|access| {
        let Some(line) = lines.get_mut(&access.site).filter(|line| may_go(access) && line.of > quota) else {
            return true;
        };
        let share = |met: u64| met * quota / line.of;
        let stays = share(line.met + 1) > share(line.met);
        line.met += 1;
        dropped += if stays { 0 } else { u64::from(access.times) };
        stays
    });
    dropped
}

/// The most that each may keep so that all together keep at most `room`.
fn quota(mut counts: Vec<u64>, room: u64) -> u64 {
    counts.sort_unstable();
    let (mut room, mut left) = (room, counts.len() as u64);
    for count in counts {
        if count * left > room {
            return room / left;
        }
        room -= count;
        left -= 1;
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Act, Interval, Kind, Phase, Phases, Place, Pos, Rank, Segment, StackId, Strand};

    fn access(line: u64, lo: u64, locks: LocksetId) -> Access {
        Access {
            place: Place::solid(Rank(0), Segment::Heap, Interval::from_len(lo, 1).unwrap()),
            kind: Kind::Write,
            strand: Strand { rank: Rank(0), index: 0 },
            begin: Pos(1),
            span: Span::Point,
            phases: Phases { lo: Phase(0), hi: Some(Phase(0)) },
            locks,
            act: Act::Store,
            site: Site { module: 0, offset: line },
            stack: StackId(0),
            times: 2,
        }
    }

    #[test]
    fn quotas_fill_the_room() {
        assert_eq!(quota(vec![10, 10, 1], 21), u64::MAX);
        assert_eq!(quota(vec![10, 10, 1], 20), 9);
        assert_eq!(quota(vec![100, 1, 7], 20), 12);
        assert_eq!(quota(vec![5, 5], 0), 0);
        assert_eq!(quota(vec![], 0), u64::MAX);
    }

    #[test]
    fn the_lines_with_most_records_give() {
        let locked = LocksetId(1);
        let of = |line, count: u64, locks| (0..count).map(move |lo| access(line, lo, locks));
        let mut all: Vec<Access> =
            of(1, 1000, LocksetId::EMPTY).chain(of(2, 3, LocksetId::EMPTY)).chain(of(3, 300, locked)).collect();
        let dropped = thin(&mut all, 503);
        let left = |line| all.iter().filter(|a| a.site.offset == line).count();
        assert_eq!((left(1), left(2), left(3), dropped), (200, 3, 300, 1600));
        let spread: Vec<u64> = all.iter().filter(|a| a.site.offset == 1).map(|a| a.place.bytes.lo()).collect();
        assert!(spread.windows(2).all(|pair| pair[1] - pair[0] == 5), "{spread:?}");
    }

    #[test]
    fn each_line_keeps_something() {
        let mut all: Vec<Access> = (0..1000).map(|n| access(n % 100, n, LocksetId::EMPTY)).collect();
        assert_eq!(thin(&mut all, 10), 2 * 900);
        assert_eq!(all.len(), 100);
        assert_eq!(thin(&mut all, 1000), 0);
    }
}
