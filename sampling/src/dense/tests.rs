use super::*;
use crate::budget::Budget;

/// A function as the compiler makes it: mode, budget and countdowns, one site a block unless said otherwise.
struct Compiled {
    number: Function,
    looking: bool,
    budget: i64,
    countdown: i64,
    blocks: Vec<Vec<u32>>,
    gaps: Vec<i64>,
}

struct World {
    dense: Dense,
    functions: Vec<Compiled>,
    now: u64,
}

impl World {
    fn new(name: &str, budget: Option<Budget>) -> Self {
        let controller = Controller::new(budget, 1000.0, 0);
        let dense = Dense::new(&name.parse().unwrap(), Gaps::new(1, 0, 0), controller, 1.0);
        Self { dense, functions: Vec::new(), now: 0 }
    }

    fn add(&mut self, blocks: &[u32]) -> usize {
        let number = self.dense.add(0x1000 * (self.functions.len() as u64 + 1), blocks.iter().copied());
        let mut site = 0;
        let mut next = |count: &u32| {
            site += count;
            (site - count..site).collect()
        };
        let blocks: Vec<Vec<u32>> = blocks.iter().map(&mut next).collect();
        let gaps = vec![0; blocks.len()];
        self.functions.push(Compiled { number, looking: true, budget: BURST.into(), countdown: 0, blocks, gaps });
        self.functions.len() - 1
    }

    fn grant(&mut self, function: usize, next: Next) {
        let compiled = &mut self.functions[function];
        match next {
            Next::Look(budget) => {
                (compiled.looking, compiled.budget) = (true, budget.into());
                let gaps = &mut compiled.gaps;
                let blocks = &compiled.blocks;
                self.dense.wakes(compiled.number, |site| gaps[blocks.iter().position(|b| b[0] == site).unwrap()] = 0);
            }
            Next::Pass(calls) => (compiled.looking, compiled.countdown) = (false, calls.into()),
        }
    }

    /// A call, at whose entry the copy is chosen.
    fn call(&mut self, function: usize) {
        let compiled = &mut self.functions[function];
        if !compiled.looking {
            compiled.countdown -= 1;
            if compiled.countdown < 0 {
                let next = self.dense.call(compiled.number);
                self.grant(function, next);
            }
        }
    }

    /// A block that is executed; the sites that were looked at.
    fn block(&mut self, function: usize, block: usize, private: bool) -> usize {
        self.now += 5;
        let compiled = &mut self.functions[function];
        if !compiled.looking {
            return 0;
        }
        let sites = compiled.blocks[block].clone();
        compiled.budget -= sites.len() as i64;
        compiled.gaps[block] -= 1;
        let mut looked = 0;
        if compiled.gaps[block] < 0 {
            for (i, &site) in sites.iter().enumerate() {
                let gap = match self.dense.told(compiled.number, site) {
                    Told::Pass(gap) => gap,
                    Told::Take(_) => {
                        looked += 1;
                        self.now += 100;
                        self.dense.controller().charge(100, self.now);
                        self.dense.taken(compiled.number, site, private)
                    }
                };
                if i == 0 {
                    compiled.gaps[block] = gap.into();
                }
            }
        }
        if compiled.budget < 0 {
            let next = self.dense.spent(compiled.number, self.now);
            self.grant(function, next);
        }
        looked
    }

    fn phase(&mut self, barrier: u64) {
        let functions = std::cell::RefCell::new(&mut self.functions);
        let burst = |f: Function, budget: u32| {
            let all = &mut functions.borrow_mut();
            let it = all.iter_mut().find(|c| c.number == f).unwrap();
            (it.looking, it.budget) = (true, budget.into());
        };
        let wake = |f: Function, site: u32| {
            let all = &mut functions.borrow_mut();
            let it = all.iter_mut().find(|c| c.number == f).unwrap();
            let block = it.blocks.iter().position(|b| b[0] == site).unwrap();
            it.gaps[block] = 0;
        };
        if barrier == 0 { self.dense.renew(burst, wake) } else { self.dense.phase(barrier, burst, wake) }
    }
}

#[test]
fn what_runs_once_is_looked_at_while_bursts_meet_new_blocks() {
    for name in ["HA", "I/0", "F0", "H0/0", "B", "M"] {
        let mut world = World::new(name, None);
        let f = world.add(&[1, 3, 1]);
        world.call(f);
        assert_eq!(world.block(f, 0, false), 1, "{name}");
        assert_eq!(world.block(f, 1, false), 3, "{name}: all sites of a block");
        for _ in 0..BURST / 2 {
            world.block(f, 0, false);
        }
        assert_eq!(world.block(f, 2, false), 1, "{name}");
    }
}

#[test]
fn each_kind_of_phase_begins_with_a_burst() {
    let mut world = World::new("HA0/0", None);
    let f = world.add(&[1]);
    for step in 0..4_u64 {
        for _ in 0..3 * BURST {
            world.call(f);
            world.block(f, 0, false);
        }
        assert!(!world.functions[f].looking, "step {step}");
        world.phase(10 + step % 2);
        let looked = world.block(f, 0, false);
        assert_eq!(looked, usize::from(step < 2), "step {step}");
    }
}

#[test]
fn loops_that_are_called_once_come_back() {
    let mut world = World::new("HA", None);
    let f = world.add(&[1]);
    let mut phases = 0;
    for _ in 0..2_000 {
        world.phase(10);
        phases += u32::from(world.functions[f].looking);
        while world.functions[f].looking {
            world.block(f, 0, false);
        }
    }
    assert!((5..200).contains(&phases), "{phases}");
}

#[test]
fn the_last_iterations_of_loops_are_looked_at_a_few_times() {
    let mut world = World::new("HA0/0", None);
    let f = world.add(&[1, 2]);
    for _ in 0..3 * BURST {
        world.block(f, 0, false);
        world.block(f, 1, true);
    }
    assert!(!world.functions[f].looking && world.dense.asks(world.functions[f].number));
    for turn in 0..LASTS + 2 {
        let Compiled { number, blocks, gaps, .. } = &mut world.functions[f];
        let wake = |site| gaps[blocks.iter().position(|block| block[0] == site).unwrap()] = 0;
        let accesses = world.dense.last(*number, 1, wake);
        assert_eq!(accesses > 0, turn < LASTS);
        if accesses > 0 {
            world.grant(f, Next::Look(accesses));
            assert_eq!(world.block(f, 0, false), 1, "turn {turn}");
            assert_eq!(world.block(f, 0, false), 0, "once in each of them");
        }
        for _ in 0..3 * BURST {
            world.block(f, 0, false);
        }
        assert!(!world.functions[f].looking);
    }
    assert!(world.dense.last(world.functions[f].number, 0, |_| ()) > 0, "another loop");
    assert_eq!(world.dense.last(world.functions[f].number, LOOPS, |_| ()), 0, "one too many");
}

#[test]
fn private_blocks_rest_and_are_woken() {
    let mut world = World::new("IA", None);
    let f = world.add(&[2]);
    let looked: usize = (0..1_000_000)
        .map(|_| {
            world.call(f);
            world.block(f, 0, true)
        })
        .sum();
    assert!(looked < 3_000, "{looked}");
    world.phase(0);
    world.call(f);
    assert_eq!(world.block(f, 0, true), 2);
}

#[test]
fn a_shared_site_behind_a_private_one_is_not_lost() {
    let mut world = World::new("IA/1", None);
    let f = world.add(&[2]);
    let mut looks = 0;
    for _ in 0..1_000 {
        world.call(f);
        let compiled = &world.functions[f];
        if !compiled.looking || compiled.gaps[0] > 0 {
            world.block(f, 0, true);
            continue;
        }
        // The first site is private, the second one is not.
        let number = compiled.number;
        assert!(matches!(world.dense.told(number, 0), Told::Take(_)));
        let gap = world.dense.taken(number, 0, true);
        assert!(matches!(world.dense.told(number, 1), Told::Take(_)));
        world.dense.taken(number, 1, false);
        world.functions[f].gaps[0] = gap.into();
        looks += 1;
    }
    assert!(looks > 990, "{looks}");
}

#[test]
fn the_budget_is_held() {
    for thousandths in [50, 500] {
        let budget = Budget::from_thousandths(thousandths).unwrap();
        let mut world = World::new("HA", Some(budget));
        let f = world.add(&[1, 2, 1]);
        while world.now < 150_000_000 {
            world.call(f);
            for i in 0..40 {
                world.block(f, i % 3, false);
            }
        }
        let now = world.now;
        let coverage = world.dense.take_coverage(now);
        let share = coverage.spent_us as f64 / (coverage.elapsed_us - coverage.spent_us) as f64;
        let credit = 10_000.0 / (coverage.elapsed_us - coverage.spent_us) as f64;
        assert!(share < budget.fraction() + 0.02 + credit, "{budget}: {share}");
        assert!(share > budget.fraction() * 0.4, "{budget}: {share}");
    }
}

/// A function with one site, looked at in whole calls: executes it so often, and gives what it is told to do at the end of its burst.
fn execute(dense: &mut Dense, function: Function, gap: &mut u64, times: u64, now: &mut u64) -> Option<Next> {
    let mut ends = None;
    for _ in 0..times {
        *now += 2;
        if *gap > 0 {
            *gap -= 1;
            continue;
        }
        *gap = match dense.told(function, 0) {
            Told::Pass(gap) => gap.into(),
            Told::Take(_) => dense.taken(function, 0, true).into(),
        };
        ends = dense.settle(function, *now).or(ends);
    }
    ends
}

#[test]
fn a_call_that_cannot_be_left_is_paid_for_before_the_next() {
    let controller = Controller::new(Some(Budget::USUAL), 1000.0, 0);
    let mut dense = Dense::new(&"HA".parse().unwrap(), Gaps::new(1, 0, 0), controller, 1.0);
    let function = dense.add_whole(0x1000, 1);
    let (mut now, mut gap) = (0, 0);
    // Until the credit is used up there is no end.
    let ends = execute(&mut dense, function, &mut gap, 40_000_000, &mut now);
    assert!(matches!(ends, Some(Next::Pass(_))), "{ends:?}");
    let (spent, _) = dense.controller().account(now);
    assert!((10_000..20_000).contains(&spent), "{spent} us: 0.4 ns each");
    // It is long, and not called again until a twentieth of the time is enough for it.
    assert_eq!(dense.call(function), Next::Pass(0));
    dense.controller().charge(0, 1_000_000_000);
    assert!(dense.controller().allows_overrun());
    let again = (0..100_000).any(|_| matches!(dense.call(function), Next::Look(_)));
    assert!(again, "it is looked at again");
    let coverage = dense.take_coverage(now);
    let executed = coverage.functions[0].executed;
    assert!((39_000_000..=40_000_000).contains(&executed), "{executed}");
}
