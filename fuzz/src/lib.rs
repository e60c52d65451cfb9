//! What is fuzzed: each target is a plain function of some bytes that panics when something is wrong.
//!
//! | way to run it | with |
//! |---|---|
//! | `cargo fuzz run btree` | cargo-fuzz and a nightly compiler: guided by coverage |
//! | `cargo test --manifest-path fuzz/Cargo.toml --no-default-features` | any compiler: random and mutated bytes from a fixed seed |
//!
//! `THRILLE_NIGHTLY=1` makes the second one a hundred times as long. [`TARGETS`] lists them all; `fuzz_targets/` has one file for each, and
//! a test says so.

mod decoders;
mod stores;

/// A target: name and body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 12] = [
    ("skiplist", stores::skiplist),
    ("tree", stores::tree),
    ("treap", stores::treap),
    ("btree", stores::btree),
    ("bounded", stores::bounded),
    ("coalescer", stores::coalescer),
    ("tries", stores::tries),
    ("rma", stores::rma),
    ("stint", stores::stint),
    ("values", decoders::values),
    ("frames", decoders::frames),
    ("reader", decoders::reader),
];

/// Runs the target of a name.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, body) = TARGETS.iter().find(|(known, _)| *known == name).expect("a target of this name");
    body(bytes);
}
