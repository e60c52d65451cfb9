//! The search against engines that are made up.

use super::*;
use crate::candidate::{Spot, Wanted};
use crate::floor::Part;
use crate::schedule::Turn;
use thrille_model::{Act, Rank, Site, Strand};

fn spot(offset: u64) -> Spot {
    (Site { module: 1, offset }, Act::Store)
}

fn candidate(number: usize) -> Candidate {
    Candidate {
        number,
        pairs: vec![(spot(number as u64), spot(1000 + number as u64))],
        named: vec![(spot(number as u64), spot(1000 + number as u64))],
        called: [0; 2],
        wanted: [0, 1].map(|rank| Wanted { ranks: vec![rank], ..Wanted::default() }),
        write_write: true,
        seen: 1,
        flag: number == 9,
        alone: false,
        loads_word: None,
    }
}

fn witness(candidate: &Candidate) -> Witness {
    let part = |spot, rank| Part {
        turn: Turn { spot, strand: Strand { rank: Rank(rank), index: 0 }, task: None, times: 1, phase: 0, bytes: None },
        stack: Vec::new(),
    };
    let (a, b) = candidate.pairs[0];
    Witness { parts: [part(a, 0), part(b, 1)], overlap: Overlap::BothStood, first: None, second: Side::B }
}

/// Candidates up to a number meet; behaviour is by who is first.
struct Fake {
    runs: Vec<(usize, Choice)>,
    late: Vec<Option<Late>>,
    meets: fn(usize, usize) -> bool,
    behaves: fn(Option<Side>, usize) -> Behaviour,
    tally: Tally,
}

impl Engine for Fake {
    type Error = String;

    fn run(&mut self, plan: &Plan) -> Result<Outcome, String> {
        let run = self.runs.len();
        self.runs.push((plan.candidates.len(), plan.choice));
        self.late.push(plan.late);
        let meet = |c: &Candidate| (self.meets)(c.number, run).then(|| witness(c));
        let first = match plan.choice {
            Choice::Ordered { first, .. } => Some(first),
            _ => None,
        };
        Ok(Outcome {
            witnesses: plan.candidates.iter().map(meet).collect(),
            tallies: vec![self.tally; plan.candidates.len()],
            behaviour: (self.behaves)(first, run),
            interrupted: false,
        })
    }
}

fn same(_first: Option<Side>, _run: usize) -> Behaviour {
    Behaviour { exits: vec![(Some(0), None)], ..Behaviour::default() }
}

fn search(fake: &mut Fake, numbers: &[usize]) -> Vec<Finding> {
    let budget = Budget { time: Duration::from_secs(60), tries: 5, usual: Duration::from_millis(10) };
    let mut campaign = Campaign::new(2, false, numbers.iter().map(|&n| candidate(n)).collect(), budget);
    campaign.run(fake).unwrap();
    campaign.findings()
}

fn fake(meets: fn(usize, usize) -> bool, behaves: fn(Option<Side>, usize) -> Behaviour) -> Fake {
    Fake {
        runs: Vec::new(),
        late: Vec::new(),
        meets,
        behaves,
        tally: Tally { arrived: [1, 1], late: [0, 1], ..Tally::default() },
    }
}

#[test]
fn many_candidates_share_a_run() {
    let mut fake = fake(|_, _| true, same);
    let all: Vec<usize> = (10..110).collect();
    let findings = search(&mut fake, &all);
    assert!(findings.iter().all(|f| f.tries == 1 && matches!(f.verdict, Verdict::Confirmed { .. })));
    let looking = fake.runs.iter().filter(|(_, choice)| !matches!(choice, Choice::Ordered { .. })).count();
    assert_eq!((looking, fake.runs.len()), (1, 201));
}

#[test]
fn what_does_not_meet_with_others_is_looked_for_alone() {
    let mut fake = fake(|number, run| number == 1 || run >= 3, same);
    let findings = search(&mut fake, &[1, 2]);
    assert_eq!(findings[1].tries, 4);
    assert!(fake.runs[2..4].iter().all(|run| run.0 == 1), "{:?}", fake.runs);
}

fn matters(behaves: fn(Option<Side>, usize) -> Behaviour) -> Matters {
    let findings = search(&mut fake(|_, _| true, behaves), &[1]);
    let Verdict::Confirmed { matters, .. } = &findings[0].verdict else { panic!() };
    matters.clone()
}

#[test]
fn whether_it_matters() {
    assert_eq!(matters(same), Matters::NoDifference);
    let output = |first, _| Behaviour { output: vec![vec![u64::from(first == Some(Side::A))]], ..same(None, 0) };
    assert_eq!(matters(output), Matters::ChangesResult("the standard output".into()));
    let clock = |_, run| Behaviour { output: vec![vec![run as u64, 7]], ..same(None, 0) };
    assert!(matches!(matters(clock), Matters::NotCompared(why) if why.contains("from run to run")));
    // A line that tells the time, and one that tells the result.
    let both =
        |first, run| Behaviour { output: vec![vec![run as u64, u64::from(first == Some(Side::A))]], ..same(None, 0) };
    assert_eq!(matters(both), Matters::ChangesResult("the standard output".into()));
    let chatty = |_, run| Behaviour { output: vec![vec![0; run]], ..same(None, 0) };
    assert!(matches!(matters(chatty), Matters::NotCompared(_)));
    let crash = |first, _| match first {
        Some(Side::B) => Behaviour { exits: vec![(None, Some(11))], ..Behaviour::default() },
        _ => same(None, 0),
    };
    assert_eq!(matters(crash), Matters::CrashesOrHangs("rank 0 is killed by signal 11 when b is first".into()));
    // Who died first is named, not who was ended because of it.
    let ended = |first, _| match first {
        Some(Side::A) => {
            Behaviour { exits: vec![(None, Some(9)), (Some(3), None)], first_failure: Some(1), ..Behaviour::default() }
        }
        _ => Behaviour { exits: vec![(Some(0), None); 2], ..Behaviour::default() },
    };
    assert_eq!(matters(ended), Matters::CrashesOrHangs("rank 1 exits with status 3 when a is first".into()));
    let hang = |first: Option<Side>, _| Behaviour { hung: first == Some(Side::A), ..same(None, 0) };
    assert!(matches!(matters(hang), Matters::CrashesOrHangs(how) if how.contains("a is first")));
}

#[test]
fn why_not() {
    let mut never = fake(|_, _| false, same);
    let of = |findings: &[Finding], index: usize| match &findings[index].verdict {
        Verdict::NotConfirmed(obstacle) => (*obstacle, findings[index].tries),
        Verdict::Confirmed { .. } => panic!(),
    };
    assert_eq!(of(&search(&mut never, &[1]), 0), (Obstacle::AlwaysOrdered, 5));
    assert_eq!(of(&search(&mut never, &[1, 9]), 0), (Obstacle::PolledFlag(9), 5));
    never.tally = Tally { arrived: [3, 0], ..Tally::default() };
    assert_eq!(of(&search(&mut never, &[1]), 0), (Obstacle::NeverCame([false, true]), 5));
    let budget = Budget { time: Duration::ZERO, tries: 5, usual: Duration::ZERO };
    let mut broke = Campaign::new(2, false, vec![candidate(1)], budget);
    broke.run(&mut never).unwrap();
    assert_eq!(of(&broke.findings(), 0), (Obstacle::Budget, 0));
}

/// Who was there too early is made to come later, at once.
#[test]
fn who_was_ahead_is_late_the_next_time() {
    let mut fake = fake(|_, run| run == 1, same);
    let ahead = Late { strand: Strand { rank: Rank(1), index: 0 }, phase: 7 };
    let behind = Late { strand: Strand { rank: Rank(0), index: 0 }, phase: 7 };
    fake.tally.apart = Some([ahead, behind]);
    let findings = search(&mut fake, &[1]);
    assert_eq!((findings[0].tries, &fake.late[..2]), (2, &[None, Some(ahead)][..]));
}
