//! Every serial detector against the definition, on random programs: all accesses, the whole task graph, its transitive closure.
//!
//! `THRILLE_NIGHTLY=1` runs 10,000 programs of each kind, by day 1,500.

mod random;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use random::{Language, Run, Statement, program};
use thrille_tasks::Mode;

fn agrees(language: Language, statements: &[Statement]) -> Result<(), TestCaseError> {
    let (guards, names) = random::guards();
    let run = Run::new(language, &guards, &names, &Mode::SERIAL, statements);
    let racy = run.racy();
    for (mode, detector, _, found) in &run.detectors {
        prop_assert!(found.is_subset(&racy), "{} reports {:?}, racy are {:?}", mode, found, racy);
        if detector.irregular() == 0 {
            prop_assert_eq!(found, &racy, "{}", mode);
        }
    }
    Ok(())
}

fn all(language: Language) {
    let cases = if std::env::var_os("THRILLE_NIGHTLY").is_some() { 10_000 } else { 1_500 };
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
        .run(&program(language), |statements| agrees(language, &statements))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn async_finish() {
    all(Language { guards: 0, waits: false, strict: false });
}

#[test]
fn async_finish_isolated() {
    all(Language { guards: 1, waits: false, strict: false });
}

#[test]
fn several_locks_and_atomics() {
    all(Language { guards: 4, waits: false, strict: false });
}

#[test]
fn spawn_and_conditional_sync() {
    all(Language { guards: 0, waits: true, strict: true });
}

#[test]
fn taskwait_and_taskgroup() {
    all(Language { guards: 1, waits: true, strict: false });
}
