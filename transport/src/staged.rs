//! Many messages in few: where ranks have something for very many others, by way of one rank in between.
//!
//! Ranks are the fields of a grid that is about as high as wide. What a rank has for another goes first along its own row, to the rank in the other's column, and from there down the column; what takes the same way
//! goes as one message. A rank that has something for all P sends and gets 2 sqrt P messages instead of P, and every byte twice. Worth it where a message costs more than its bytes do; all ranks agree on that by
//! the most that one of them has ([`worth`]). In the last row, which may be short, what has no rank in between goes straight to where it goes.

use std::collections::BTreeMap;

/// Messages, each with the rank that it goes to or comes from.
type Mail = Vec<(u32, Vec<u8>)>;

/// Bytes before each message: in the first step to whom it goes, in the second who sent it; and how many bytes there are.
pub const HEAD: usize = 8;

/// Messages shorter than this cost more by their number than by their bytes: 1.5 us to 6 ns each, with LogGOPSim's parameters, and every byte is sent twice.
const SHORT: u64 = 192;

/// The longest bundle.
const LONGEST: u64 = i32::MAX as u64;

/// How wide the grid is.
pub fn side(size: u32) -> u32 {
    let root = size.isqrt();
    root + u32::from(root * root < size)
}

/// Whether the ranks send by way of others, if one of them has so many messages, and one so many bytes.
pub fn worth(messages: u64, bytes: u64, size: u32) -> bool {
    let side = u64::from(side(size));
    messages > 4 * side
        && bytes < messages.saturating_mul(SHORT)
        && bytes.saturating_add(messages.saturating_mul(HEAD as u64)).saturating_mul(side) < LONGEST
}

/// By way of whom.
fn via(me: u32, to: u32, size: u32) -> u32 {
    let side = side(size);
    let between = me / side * side + to % side;
    if between < size { between } else { to }
}

fn put(bundle: &mut Vec<u8>, other: u32, bytes: &[u8]) {
    for word in [other, bytes.len() as u32] {
        bundle.extend_from_slice(&word.to_le_bytes());
    }
    bundle.extend_from_slice(bytes);
}

/// The messages of a bundle: to or from whom, and what. One that is cut off is none.
fn messages(mut bundle: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let (head, rest) = bundle.split_first_chunk::<HEAD>()?;
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let (message, rest) = rest.split_at_checked(word(4) as usize)?;
        bundle = rest;
        Some((word(0), message))
    })
}

/// The first step: what to send to whom.
pub fn first(me: u32, size: u32, to: &Mail) -> Mail {
    let mut bundles: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (rank, bytes) in to {
        put(bundles.entry(via(me, *rank, size)).or_default(), *rank, bytes);
    }
    bundles.into_iter().collect()
}

/// The second: what came in the first goes on, all of it; also what is for this rank itself.
pub fn second(came: &Mail) -> Mail {
    let mut bundles: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (from, bundle) in came {
        for (to, bytes) in messages(bundle) {
            put(bundles.entry(to).or_default(), *from, bytes);
        }
    }
    bundles.into_iter().collect()
}

/// What has come, from those who sent it.
pub fn last(came: &Mail) -> Mail {
    came.iter().flat_map(|(_, bundle)| messages(bundle)).map(|(from, bytes)| (from, bytes.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all send, given to those it is for.
    fn pass(sent: Vec<Mail>) -> Vec<Mail> {
        let mut got = vec![Mail::new(); sent.len()];
        for (from, mail) in (0..).zip(sent) {
            for (to, bytes) in mail {
                got[to as usize].push((from, bytes));
            }
        }
        got
    }

    #[test]
    fn everything_arrives_by_way_of_others() {
        for size in 1..60u32 {
            let word = |from: u32, to: u32| vec![from as u8; (to % 5) as usize];
            let some = |from: u32| (0..size).filter(move |to| !(from * 7 + to * 3).is_multiple_of(4) || from == 0);
            let sent: Vec<Mail> = (0..size).map(|from| some(from).map(|to| (to, word(from, to))).collect()).collect();
            let on_the_way = pass((0..size).zip(&sent).map(|(me, to)| first(me, size, to)).collect());
            let arrived = pass(on_the_way.iter().map(second).collect());
            for (got, direct) in arrived.iter().map(last).zip(pass(sent)) {
                let mut got = got;
                got.sort();
                assert_eq!(got, direct, "{size}");
            }
        }
    }

    #[test]
    fn few_messages_from_rank_to_rank() {
        let size = 65_536;
        let all: Mail = (0..size).map(|to| (to, vec![0; 8])).collect();
        let bundles = first(300, size, &all);
        assert_eq!(bundles.len(), 256);
        assert!(bundles.iter().all(|(via, _)| via / 256 == 300 / 256));
        assert!(worth(65_535, 1 << 22, size));
        assert!(!worth(6, 60, size), "few messages");
        assert!(!worth(65_535, 1 << 24, size), "long messages");
        assert!(!worth(u64::from(u32::MAX), 1 << 31, size), "bundles that are too long");
    }

    #[test]
    fn what_is_cut_off_is_no_message() {
        let mut bundle = Vec::new();
        put(&mut bundle, 1, b"abc");
        put(&mut bundle, 3, b"def");
        bundle.pop();
        assert_eq!(messages(&bundle).collect::<Vec<_>>(), [(1, &b"abc"[..])]);
    }
}
