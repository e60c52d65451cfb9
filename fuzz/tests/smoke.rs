//! Every target, fed by a generator with a fixed seed: random bytes, and mutations of what went well before.

use thrille_fuzz::TARGETS;
use thrille_model::job::{Api, Entry, Progress};
use thrille_model::wire::encode;
use thrille_model::{Rank, Site, StackId};

/// A small generator of its own (`SplitMix64`).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// Flips, cuts, repeats or splices.
    fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            match self.below(5) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xfb, 0xfc, 0xfd, 0xff][self.below(8)],
                2 => bytes.truncate(at),
                3 => bytes.extend_from_within(at..),
                _ => {
                    let from = self.below(other.len() + 1);
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[from..]);
                }
            }
        }
        bytes.truncate(1 << 13);
    }
}

/// Inputs that get far: entries with their lengths as the reader wants them, and a frame of each kind.
fn seeds() -> Vec<Vec<u8>> {
    let entries = [
        Entry::Start { rank: Rank(0), size: 2, pid: 7, tool: "0".into(), api: Api::Mpi },
        Entry::Module {
            id: 9,
            path: "/nowhere".into(),
            build_id: vec![1, 2, 3],
            bias: 4096,
            ranges: vec![(4096, 8192)],
        },
        Entry::Stack { id: StackId(1), parent: StackId(0), call: Site { module: 9, offset: 5 } },
        Entry::Note("a note".into()),
        Entry::Finished(Progress::default()),
    ];
    // Without the version byte, which the targets put in front.
    let encoded: Vec<Vec<u8>> = entries.iter().map(|entry| encode(entry)[1..].to_vec()).collect();
    let file = encoded.iter().flat_map(|bytes| [&[bytes.len() as u8], bytes.as_slice()].concat()).collect();
    let mut frames = vec![3, 200];
    for kind in [1_u8, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22] {
        let payload: &[u8] = match kind {
            20 | 22 => &[],
            16 => &[1, 0, 0, 0],
            _ => &[1, 0, 0, 0, 0, 0, 0, 0],
        };
        frames.extend([payload.len() as u8, 0, 0, 0, kind]);
        frames.extend(payload);
    }
    encoded.into_iter().chain([file, frames, b"{\"tool\":\"0\",\"command\":[],\"ranks\":2}".to_vec()]).collect()
}

#[test]
fn every_target_stands_what_it_is_fed() {
    let rounds = if std::env::var_os("THRILLE_NIGHTLY").is_some() { 30_000 } else { 300 };
    for (name, body) in TARGETS {
        let mut draws = Draws(name.len() as u64);
        let mut corpus = seeds();
        for round in 0..rounds {
            let mut input = if round % 3 == 0 {
                let len = draws.below(600);
                draws.bytes(len)
            } else {
                corpus[draws.below(corpus.len())].clone()
            };
            let other = corpus[draws.below(corpus.len())].clone();
            if round % 3 != 0 {
                draws.mutate(&mut input, &other);
            }
            let outcome = std::panic::catch_unwind(|| body(&input));
            assert!(outcome.is_ok(), "target {name} fails in round {round} with {input:?}");
            if corpus.len() < 200 {
                corpus.push(input);
            } else {
                let at = draws.below(200);
                corpus[at] = input;
            }
        }
    }
}

#[test]
fn every_target_has_its_file_and_its_line() {
    let manifest = include_str!("../Cargo.toml");
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz_targets");
    let mut files: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let mut named: Vec<String> = TARGETS.iter().map(|(name, _)| format!("{name}.rs")).collect();
    files.sort();
    named.sort();
    assert_eq!(files, named);
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")), "{name}");
        let text = std::fs::read_to_string(format!("{dir}/{name}.rs")).unwrap();
        assert!(text.contains(&format!("run(\"{name}\", bytes)")), "{name}");
    }
}
