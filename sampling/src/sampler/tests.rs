use super::*;
use crate::budget::Budget;
use crate::chance::Chance;
use std::collections::HashMap;

fn sampler(name: &str, seed: u64) -> Sampler {
    Sampler::new(&name.parse().unwrap(), Gaps::new(seed, 0, 0), Controller::new(None, 1000.0, 0)).unwrap()
}

/// One execution, of a site that touches shared memory or private memory only. Whether it was looked at.
fn execute(sampler: &mut Sampler, pc: u64, private: bool) -> bool {
    if sampler.skips(pc) {
        return false;
    }
    match sampler.decide(pc) {
        Look::Pass => false,
        Look::Take(taken) => {
            sampler.taken(taken, private);
            true
        }
    }
}

/// The paper's algorithm as it stands there: a probability and a coin for everything.
struct Naive {
    gaps: Gaps,
    statement: f64,
    function: f64,
    p: HashMap<u64, f64>,
}

impl Naive {
    fn check(&mut self, label: u64, factor: f64) -> bool {
        let p = self.p.entry(label).or_insert(1.0);
        let heads = self.gaps.coin(Chance::of(*p));
        if heads {
            *p *= factor;
        }
        heads
    }

    /// Calls of one function with a loop over three sites; how many accesses were taken, and how many calls.
    fn run(&mut self, calls: u32, turns: u32) -> (u32, u32) {
        let (mut taken, mut calls_taken) = (0, 0);
        for _ in 0..calls {
            let looking = self.check(1, self.function);
            calls_taken += u32::from(looking);
            for _ in 0..turns {
                for site in 2..5 {
                    taken += u32::from(looking && self.check(site, self.statement));
                }
            }
        }
        (taken, calls_taken)
    }
}

fn run(sampler: &mut Sampler, calls: u32, turns: u32) -> (u32, u32) {
    let mut taken = 0;
    for _ in 0..calls {
        sampler.enter(0x1000, 900);
        for _ in 0..turns {
            for site in 0..3 {
                taken += u32::from(execute(sampler, 0x2000 + site * 16, false));
            }
        }
        sampler.leave();
    }
    let calls_taken = sampler.take_coverage(0).functions.iter().map(|f| f.calls_taken).sum::<u64>();
    (taken, calls_taken as u32)
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[test]
fn gaps_take_as_many_as_the_papers_coins() {
    for (name, function, statement, calls, turns) in [
        ("I", 1.0, 0.9, 1, 2_000),
        ("I/.99", 1.0, 0.99, 3, 700),
        ("F.9", 0.9, 1.0, 400, 2),
        ("H.9/.95", 0.9, 0.95, 300, 5),
        ("H0", 0.0, 0.9, 50, 100),
        ("H1", 1.0, 0.9, 20, 50),
    ] {
        let (mut ours, mut theirs) = ([vec![], vec![]], [vec![], vec![]]);
        for seed in 0..150 {
            let (taken, calls_taken) = run(&mut sampler(name, seed), calls, turns);
            ours[0].push(f64::from(taken));
            ours[1].push(f64::from(calls_taken));
            let mut naive = Naive { gaps: Gaps::new(seed, 9, 9), statement, function, p: HashMap::new() };
            let (taken, calls_taken) = naive.run(calls, turns);
            theirs[0].push(f64::from(taken));
            theirs[1].push(f64::from(calls_taken));
        }
        for (what, (a, b)) in ["accesses", "calls"].iter().zip(ours.iter().zip(&theirs)) {
            let ((a, error_a), (b, error_b)) = (mean(a), mean(b));
            let error = (error_a.powi(2) + error_b.powi(2)).sqrt();
            assert!(
                (a - b).abs() <= 4.0 * error + 1e-9,
                "{name}, {what}: {a:.2} and {b:.2} by coins, error {error:.2}"
            );
        }
    }
}

#[test]
fn the_first_execution_is_always_looked_at() {
    for name in ["I/0", "F0", "H0/0", "HA.5", "B", "P", "K2A0/0", "M/0"] {
        let mut sampler = sampler(name, 3);
        // A function that has long been backed off from takes a branch for the first time.
        for _ in 0..1_000 {
            sampler.enter(0x1000, 900);
            for _ in 0..10 {
                execute(&mut sampler, 0x2000, false);
            }
            sampler.leave();
        }
        sampler.enter(0x1000, 900);
        assert!(execute(&mut sampler, 0x3000, false), "{name}");
        sampler.leave();
        // And a kind of phase begins that was not there before.
        sampler.phase(77);
        sampler.enter(0x1000, 900);
        assert!(execute(&mut sampler, 0x2000, false), "{name}");
        assert!(execute(&mut sampler, 0x3000, true), "{name}");
        sampler.leave();
    }
}

#[test]
fn each_kind_of_phase_once() {
    let mut sampler = sampler("IA/0", 1);
    let mut looked = Vec::new();
    for step in 0..6 {
        sampler.phase(if step % 2 == 0 { 10 } else { 20 });
        // In phases of the second kind, the branch is taken only later.
        if step % 2 == 0 || step == 5 {
            looked.push(execute(&mut sampler, 0x2000, false));
        }
    }
    assert_eq!(looked, [true, false, false, true]);
}

#[test]
fn private_sites_rest_and_are_woken() {
    let mut rests = sampler("IA", 1);
    let looked = (0..100_000).filter(|_| execute(&mut rests, 0x2000, true)).count();
    assert!((10..=20).contains(&looked), "{looked}");
    // Memory that is shared from now on.
    rests.renew();
    assert!(execute(&mut rests, 0x2000, true));
    assert!(!execute(&mut rests, 0x2000, true));
    // Without the cache it goes on by the policy.
    let mut goes_on = sampler("I/1", 1);
    assert_eq!((0..1_000).filter(|_| execute(&mut goes_on, 0x2000, true)).count(), 1_000);
}

#[test]
fn another_call_may_mean_another_pointer() {
    let mut sampler = sampler("IA", 1);
    for call in 0..10 {
        sampler.enter(0x1000, 900);
        let private = call < 9;
        let looked: Vec<bool> = (0..50).map(|_| execute(&mut sampler, 0x2000, private)).collect();
        assert!(looked[0], "call {call}");
        sampler.leave();
    }
}

#[test]
fn what_was_shared_once_does_not_rest() {
    let mut sampler = sampler("IA/1", 1);
    assert!(execute(&mut sampler, 0x2000, false));
    assert_eq!((0..100).filter(|i| execute(&mut sampler, 0x2000, i % 2 == 0)).count(), 100);
}

#[test]
fn contexts_and_stacks_are_told_apart() {
    // A function called from two others, long backed off from in one of them.
    let second = |name: &str| {
        let mut sampler = sampler(name, 1);
        for _ in 0..100 {
            sampler.enter(0x1000, 1000);
            sampler.enter(0x3000, 900);
            sampler.leave();
            sampler.leave();
        }
        sampler.take_coverage(0);
        sampler.enter(0x2000, 1000);
        sampler.enter(0x3000, 900);
        sampler.leave();
        sampler.leave();
        let coverage = sampler.take_coverage(0);
        coverage.functions.iter().find(|f| f.pc == 0x3000).unwrap().calls_taken
    };
    assert_eq!(["H0", "K1A0", "K2A0", "P"].map(second), [0, 0, 1, 1]);
}

#[test]
fn proportional_takes_about_as_many_of_each() {
    for name in ["P", "M"] {
        let mut counts = Vec::new();
        for calls in [1_000_u32, 10_000, 100_000] {
            let mut taken: Vec<f64> = Vec::new();
            for seed in 0..20 {
                taken.push(f64::from(run(&mut sampler(name, seed), calls, 1).1));
            }
            counts.push(mean(&taken).0);
        }
        assert!(counts[2] < 3.0 * counts[0] && counts[0] < counts[2], "{name}: {counts:?}");
    }
}

#[test]
fn bursts_never_end_for_good() {
    let mut bursty = sampler("B", 1);
    let (_, calls) = run(&mut bursty, 1_000_000, 1);
    // A thousandth of them, and the first ones.
    assert!((500..2_500).contains(&calls), "{calls}");
}

#[test]
fn long_jumps_and_outermost_code() {
    let mut sampler = sampler("F0", 1);
    assert!(execute(&mut sampler, 0x2000, false));
    sampler.leave();
    sampler.enter(0x1000, 1000);
    sampler.enter(0x1100, 900);
    // A long jump out of the second function into the first, which calls a third.
    sampler.enter(0x1200, 900);
    assert!(execute(&mut sampler, 0x2100, false));
    sampler.leave();
    sampler.leave();
    let coverage = sampler.take_coverage(0);
    let of = |pc| *coverage.functions.iter().find(|f| f.pc == pc).unwrap();
    assert_eq!((of(0x2000).executed, of(0x2000).taken, of(0x1200).executed, of(0x1100).calls), (1, 1, 1, 1));
    assert_eq!(sampler.take_executed(), 2);
}

/// A program of two functions, one hot, one called now and then, whose every sample costs a microsecond.
#[test]
fn rarely_executed_code_comes_first() {
    let mut now = 0_u64;
    let controller = Controller::new(Some(Budget::USUAL), 1000.0, 0);
    let mut sampler = Sampler::new(&Name::HA, Gaps::new(1, 0, 0), controller).unwrap();
    let step = |sampler: &mut Sampler, pc, now: &mut u64| {
        *now += 5;
        if sampler.skips(pc) {
            return;
        }
        let cost = match sampler.decide(pc) {
            Look::Pass => 30,
            Look::Take(taken) => {
                sampler.taken(taken, false);
                1_000
            }
        };
        *now += cost;
        sampler.controller().charge(cost, *now);
    };
    let call = |sampler: &mut Sampler, pc, now: &mut u64| {
        if sampler.enter(pc, 900) == Entry::Decided {
            *now += 50;
            sampler.controller().charge(50, *now);
        }
    };
    for turn in 0..2_000_000_u64 {
        call(&mut sampler, 0x1000, &mut now);
        for site in 0..4 {
            step(&mut sampler, 0x2000 + site * 16, &mut now);
        }
        sampler.leave();
        if turn % 1_000 == 0 {
            call(&mut sampler, 0x1800, &mut now);
            step(&mut sampler, 0x3000, &mut now);
            sampler.leave();
        }
    }
    let coverage = sampler.take_coverage(now);
    let share = |pc| {
        let f = coverage.functions.iter().find(|f| f.pc == pc).unwrap();
        f.taken as f64 / f.executed as f64
    };
    let spent = coverage.spent_us as f64 / (coverage.elapsed_us - coverage.spent_us) as f64;
    assert!(share(0x1800) > 20.0 * share(0x1000), "{} and {}", share(0x1800), share(0x1000));
    let credit = 10_000.0 / (coverage.elapsed_us - coverage.spent_us) as f64;
    assert!(spent < 0.05 + credit + 0.02, "{spent}");
}
