//! The example of the paper on ESP-bags, figure 2 and table 1: two nested finish scopes, four tasks, a race between the second and the fourth.
//!
//! In the words of the events: the main task T1 begins a finish F1 and creates T2, which writes B[0]; then begins a finish F2 and creates T3,
//! which creates T4, which writes B[0] too.

use thrille_model::Interval;
use thrille_tasks::{Access, AnyDetector, Detector, End, EspBags, Event, Guard, Guards, Mode, Race, Reach, SiteId};
use thrille_tasks::{Touch, Treaps};

/// Tasks in the order of their creation.
const T1: u32 = 0;
const T2: u32 = 1;
const T3: u32 = 2;
const T4: u32 = 3;

/// Depths of scopes: each running task has one of its own.
const IN_MAIN: usize = 0;
const F1: usize = 1;
const F2: usize = 2;
const OF_T3: usize = 3;

#[test]
fn table_1() {
    let mut bags = EspBags::default();
    let mut step = |event| {
        bags.step(event).expect("well nested");
        bags.clone()
    };
    assert_eq!(step(Event::BeginFinish).parallel_in(F1), []);
    let mut at = step(Event::Spawn);
    assert_eq!((at.serial(0), at.serial(1), at.now().0), (vec![T1], vec![T2], T2));
    let mut at = step(Event::End(End::Parallel));
    assert_eq!((at.serial(0), at.parallel_in(F1)), (vec![T1], vec![T2]));
    let mut at = step(Event::BeginFinish);
    assert_eq!((at.parallel_in(F1), at.parallel_in(F2)), (vec![T2], vec![]));
    let mut at = step(Event::Spawn);
    assert_eq!((at.serial(1), at.parallel_in(F2)), (vec![T3], vec![]));
    let mut at = step(Event::Spawn);
    assert_eq!((at.serial(1), at.serial(2), at.now().0), (vec![T3], vec![T4], T4));
    let mut at = step(Event::End(End::Parallel));
    assert_eq!((at.parallel_in(OF_T3), at.serial(1)), (vec![T4], vec![T3]));
    let mut at = step(Event::End(End::Parallel));
    assert_eq!((at.parallel_in(F2), at.parallel_in(F1)), (vec![T3, T4], vec![T2]));
    let mut at = step(Event::EndFinish);
    assert_eq!((at.serial(0), at.parallel_in(F1)), (vec![T1, T3, T4], vec![T2]));
    let mut at = step(Event::EndFinish);
    assert_eq!((at.serial(0), at.parallel_in(IN_MAIN)), (vec![T1, T2, T3, T4], vec![]));
}

fn write(site: u32) -> Access {
    Access {
        at: Interval::from_len(0x1000, 4).expect("bytes"),
        touch: Touch::Write,
        guard: Guard::NONE,
        site: SiteId(site),
    }
}

#[test]
fn the_race_of_figure_2() {
    for mode in Mode::ALL {
        let (mut detector, guards, mut found) = (AnyDetector::new(mode), Guards::default(), Vec::<Race>::new());
        let step = |detector: &mut AnyDetector, event| detector.step(event).expect("well nested");
        step(&mut detector, Event::BeginFinish);
        step(&mut detector, Event::Spawn);
        detector.access(&guards, &write(8), &mut |race| found.push(*race));
        step(&mut detector, Event::End(End::Parallel));
        step(&mut detector, Event::BeginFinish);
        step(&mut detector, Event::Spawn);
        step(&mut detector, Event::Spawn);
        detector.access(&guards, &write(18), &mut |race| found.push(*race));
        assert_eq!(found.len(), 1, "{mode}");
        assert_eq!((found[0].earlier.site, found[0].later.site), (SiteId(8), SiteId(18)), "{mode}");
        step(&mut detector, Event::End(End::Parallel));
        step(&mut detector, Event::End(End::Parallel));
        step(&mut detector, Event::EndFinish);
        step(&mut detector, Event::EndFinish);
        // All of them are done: no race any more.
        detector.access(&guards, &write(23), &mut |race| found.push(*race));
        assert_eq!(found.len(), 1, "{mode}");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let mut detector = Detector::<EspBags, Treaps>::default();
    assert_eq!(detector.step(Event::End(End::Parallel)).unwrap_err().to_string(), "a task ends that did not begin");
    assert!(detector.step(Event::EndFinish).is_err());
    detector.step(Event::Spawn).expect("a task");
    assert!(detector.step(Event::EndFinish).is_err(), "the finish scope of another task");
    detector.step(Event::BeginFinish).expect("a scope");
    assert!(detector.step(Event::End(End::Parallel)).is_err(), "a scope is open");
}

/// A million tasks (by day fewer), each in the one before, then as many next to each other: nothing recurses, and what is serial is forgotten.
#[test]
fn a_million_deep_and_wide() {
    let many: u64 = if std::env::var_os("THRILLE_NIGHTLY").is_some() { 1_000_000 } else { 100_000 };
    for mode in [Mode::EspBags, Mode::Stint] {
        let (mut detector, guards) = (AnyDetector::new(mode), Guards::default());
        let mut races = 0;
        for i in 0..many {
            detector.step(Event::Spawn).expect("few enough");
            let at = Interval::from_len(i * 8, 8).expect("bytes");
            detector.access(&guards, &Access { at, ..write(1) }, &mut |_| races += 1);
        }
        for _ in 0..many {
            detector.step(Event::Wait).expect("any time");
            detector.step(Event::End(End::Parallel)).expect("begun");
        }
        detector.step(Event::Wait).expect("any time");
        for i in 0..many {
            detector.step(Event::Spawn).expect("few enough");
            let at = Interval::from_len(i * 8, 8).expect("bytes");
            detector.access(&guards, &Access { at, ..write(2) }, &mut |_| races += 1);
            detector.step(Event::End(End::Parallel)).expect("begun");
        }
        detector.step(Event::Wait).expect("any time");
        assert!(detector.is_serial());
        assert_eq!(races, 0, "{mode}");
    }
}
