//! Makes the log of a rank shorter where it says the same thing again and again.
//!
//! Between two cuts the log grows with every task, however little of what tasks do has to be told to others. What an event says matters only as far as it puts something that *counts* before
//! something else: a record, or an event that is more than a token of the rank's own strands. So an acquire of such a token is left out if its strand has come after all that counts among what it would learn, and a
//! release if no acquire of its token is left. Both only where the rank has forgotten the token: nobody releases or acquires it any more.
//!
//! *Why that changes no order.* Of each strand the places that count are numbered. Along the log it is followed how many of each strand's places another one, or a token, has come after, by tokens alone. That may be too
//! little: what comes by other events is not seen. But such an event counts itself, so who learns of what comes after it learns of its place. By induction, what is left out puts nothing behind what counts that is not behind it already.
//!
//! The bounds of a critical section in which nothing was recorded go first: they are there for what flows from what was done in one section to what was done in another, and order nothing by themselves.
//!
//! What was before the log, and told at earlier cuts, counts as one place of each strand, in front of its first event here. Tokens that were known at the last cut have releases that are not here: they stay.

use rustc_hash::{FxHashMap, FxHashSet};
use thrille_analysis::sections::Busy;
use thrille_model::{Lock, Mode, Pos, Strand, Sync, SyncEvent, Token};

/// Events from which on it is asked what of them orders anything.
const LOGGED: usize = 1 << 14;

/// When to look at the log next, and what of earlier cuts to keep in mind then.
pub(super) struct Look {
    /// At so many events.
    pub next: usize,
    /// Whether nothing that was told at earlier cuts may still be ordered by the log.
    pub may_clear: bool,
    /// The tokens that were known at the last cut: not all of their releases are in the log.
    pub before: FxHashSet<Token>,
}

impl Default for Look {
    fn default() -> Self {
        Self { next: LOGGED, may_clear: true, before: FxHashSet::default() }
    }
}

impl Look {
    /// The log has been looked at, and this much of it is left.
    pub fn again(&mut self, left: usize) {
        self.next = left * 2 + LOGGED;
    }

    /// The log was told, at which time these tokens were known.
    pub fn after_cut<'a>(&mut self, may_clear: bool, known: impl Iterator<Item = &'a Token>) {
        (self.next, self.may_clear) = (LOGGED, may_clear);
        self.before.clear();
        self.before.extend(known);
    }
}

/// Of each strand, how many of its places that count are known to come before.
type Known = Vec<u32>;

fn join(known: &mut Known, other: &Known) {
    for (mine, theirs) in known.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// The token of an event that is no more than one of the rank's own strands'. A lock of the process is handed over by one of them to the next.
fn local(sync: Sync) -> Option<Token> {
    let (Sync::Release(token) | Sync::Acquire(token)) = sync else { return None };
    let is_local = match token {
        Token::Local { .. } => true,
        Token::Handover { lock, mode, .. } => matches!(lock, Lock::Process(..)) && mode == Mode::Exclusive,
        _ => false,
    };
    is_local.then_some(token)
}

/// Leaves out what says nothing new about what counts: `records`, and what is not a token of the rank's own. `is_over` says of a token whether nobody uses it any more, and nobody has before these events.
pub fn shorten(
    events: &mut Vec<SyncEvent>,
    records: impl IntoIterator<Item = (Strand, Pos)>,
    is_over: impl Fn(&Token) -> bool,
) {
    let records: Vec<(Strand, Pos)> = records.into_iter().collect();
    let busy = Busy::new(events, records.iter().copied());
    let mut number = 0..;
    events.retain(|_| number.next().is_none_or(|number| !busy.is_idle(number)));
    let mut index: FxHashMap<Strand, usize> = FxHashMap::default();
    let mut places: Vec<Vec<u64>> = Vec::new();
    let mut counts = |strand: Strand, pos: u64| {
        let number = *index.entry(strand).or_insert_with(|| {
            places.push(Vec::new());
            places.len() - 1
        });
        places[number].push(pos);
    };
    let mut first: FxHashMap<Strand, u64> = FxHashMap::default();
    // Somebody finds out about these in other ways.
    let mut others: FxHashSet<Token> = FxHashSet::default();
    for event in events.iter() {
        let first = first.entry(event.strand).or_insert(event.pos.0);
        *first = (*first).min(event.pos.0);
        if local(event.sync).is_none() {
            counts(event.strand, event.pos.0);
        }
        if let Sync::Handed(_, token) | Sync::Peek(token) = event.sync {
            others.insert(token);
        }
    }
    for (strand, pos) in first {
        counts(strand, pos.saturating_sub(1));
    }
    for (strand, pos) in records {
        counts(strand, pos.0);
    }
    for places in &mut places {
        places.sort_unstable();
        places.dedup();
    }
    let none = || vec![0; places.len()];
    let mut known: Vec<Known> = vec![none(); places.len()];
    let mut tokens: FxHashMap<Token, Known> = FxHashMap::default();
    let is_over = |token: &Token| !others.contains(token) && is_over(token);
    let mut stays = vec![true; events.len()];
    let mut acquired: FxHashSet<Token> = FxHashSet::default();
    for (event, stays) in events.iter().zip(&mut stays) {
        let Some(token) = local(event.sync) else { continue };
        let own = index[&event.strand];
        let knows = &mut known[own];
        knows[own] = places[own].partition_point(|&place| place < event.pos.0) as u32;
        if matches!(event.sync, Sync::Release(_)) {
            join(tokens.entry(token).or_insert_with(none), knows);
            *stays = !is_over(&token);
        } else {
            match tokens.get(&token) {
                Some(told) if is_over(&token) && told.iter().zip(&*knows).all(|(told, knows)| told <= knows) => {
                    *stays = false;
                }
                Some(told) => {
                    join(knows, told);
                    acquired.insert(token);
                }
                None => {}
            }
        }
    }
    let mut stays = stays.into_iter();
    events.retain(|event| {
        stays.next().unwrap_or(true) || matches!(event.sync, Sync::Release(token) if acquired.contains(&token))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use thrille_model::{Caller, Ctx, Rank};

    const ME: Rank = Rank(0);

    /// What a strand does next: a record, another event, or a token, of which few are over.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Record,
        Event,
        Release(u64),
        Acquire(u64),
    }

    fn token(number: u64) -> Token {
        Token::Local { rank: ME, address: 7, round: number }
    }

    fn step() -> impl Strategy<Value = (u32, Step)> {
        let what = prop_oneof![
            2 => Just(Step::Record),
            1 => Just(Step::Event),
            8 => (0u64..12).prop_map(Step::Release),
            8 => (0u64..12).prop_map(Step::Acquire),
        ];
        (0u32..4, what)
    }

    /// The log, and the places that count: each with how much of the log came before it.
    fn run(steps: &[(u32, Step)]) -> (Vec<SyncEvent>, Vec<(Strand, Pos)>) {
        let (mut events, mut records, mut at) = (Vec::new(), Vec::new(), [0u64; 4]);
        let mut over = FxHashSet::default();
        for &(strand, step) in steps {
            let who = Strand::thread(ME, strand);
            let pos = &mut at[strand as usize];
            let sync = match step {
                Step::Record => {
                    records.push((who, Pos(*pos)));
                    continue;
                }
                Step::Event => Sync::Fence(Ctx(0)),
                // All releases of a token come before its acquires.
                Step::Release(number) if over.contains(&number) => continue,
                Step::Release(number) => Sync::Release(token(number)),
                Step::Acquire(number) => {
                    over.insert(number);
                    Sync::Acquire(token(number))
                }
            };
            *pos += 1;
            events.push(SyncEvent { strand: who, pos: Pos(*pos), sync, at: Caller(0) });
        }
        (events, records)
    }

    /// Of each place that counts, which strands come after it from which position on; and which tokens.
    fn after(events: &[SyncEvent], places: &[(Strand, Pos)]) -> Vec<(FxHashMap<Strand, Pos>, FxHashSet<Token>)> {
        let of = |&(strand, pos): &(Strand, Pos)| {
            let mut knows = FxHashMap::default();
            knows.insert(strand, Pos(pos.0 + 1));
            let mut tokens = FxHashSet::default();
            // The log is in the order of time.
            for event in events {
                let comes_after = knows.get(&event.strand).is_some_and(|&from| event.pos >= from);
                match event.sync {
                    Sync::Release(token) if comes_after => {
                        tokens.insert(token);
                    }
                    Sync::Acquire(token) if tokens.contains(&token) => {
                        let from = knows.entry(event.strand).or_insert(event.pos);
                        *from = (*from).min(event.pos);
                    }
                    _ => {}
                }
            }
            (knows, tokens)
        };
        places.iter().map(of).collect()
    }

    proptest! {
        /// Whatever counts comes before the same as in the whole log, now and later, however often it is made shorter on the way.
        #[test]
        fn the_order_of_what_counts_stays(steps in prop::collection::vec(step(), 0..160), alive in 0u64..12, cut in 0usize..160) {
            let (whole, records) = run(&steps);
            let mut places = records.clone();
            places.extend(whole.iter().filter(|event| local(event.sync).is_none()).map(|event| (event.strand, event.pos)));
            let cut = cut.min(whole.len());
            // In the middle only what comes no more is over.
            let used: FxHashSet<Token> = whole[cut..].iter().filter_map(|event| local(event.sync)).collect();
            let is_alive = |token: &Token| matches!(token, Token::Local { round, .. } if *round < alive);
            let mut shorter = whole[..cut].to_vec();
            let bound = |strand: Strand| whole[..cut].iter().filter(|e| e.strand == strand).map(|e| e.pos).max().unwrap_or(Pos(0));
            let so_far: Vec<_> = records.iter().copied().filter(|&(strand, pos)| pos < bound(strand)).collect();
            shorten(&mut shorter, so_far, |token| !used.contains(token) && !is_alive(token));
            shorter.extend_from_slice(&whole[cut..]);
            shorten(&mut shorter, records, |token| !is_alive(token));
            let positions = |all: Vec<(FxHashMap<Strand, Pos>, FxHashSet<Token>)>| -> Vec<(Vec<bool>, Vec<bool>)> {
                all.into_iter().map(|(knows, tokens)| {
                    let later = (0..4).map(|s| knows.contains_key(&Strand::thread(ME, s))).collect();
                    let places = places.iter().map(|(s, p)| knows.get(s).is_some_and(|from| p >= from)).collect::<Vec<_>>();
                    let alive = (0..alive).map(|n| tokens.contains(&token(n)));
                    (places, alive.chain::<Vec<bool>>(later).collect())
                }).collect()
            };
            prop_assert_eq!(positions(after(&shorter, &places)), positions(after(&whole, &places)));
        }
    }

    /// A strand creates tasks without end, of which nothing is recorded: the log does not grow.
    #[test]
    fn tasks_of_which_nothing_is_recorded_leave_nothing() {
        let (main, mut events, mut pos) = (Strand::thread(ME, 0), Vec::new(), 0);
        for number in 0..1000u64 {
            let task = Strand::task(ME, 1 + (number % 8) as u32);
            pos += 1;
            let created = Sync::Release(token(2 * number));
            events.push(SyncEvent { strand: main, pos: Pos(pos), sync: created, at: Caller(0) });
            let mut of_task =
                |at: u64, sync| events.push(SyncEvent { strand: task, pos: Pos(at), sync, at: Caller(0) });
            of_task(2 * number + 1, Sync::Acquire(token(2 * number)));
            of_task(2 * number + 2, Sync::Release(token(2 * number + 1)));
        }
        shorten(&mut events, [(main, Pos(0))], |_| true);
        assert!(events.len() <= 16, "{}", events.len());
    }

    /// Who polls under a lock leaves nothing but the sections in which something was recorded, and the one that it is in.
    #[test]
    fn sections_in_which_nothing_is_recorded_leave_nothing() {
        let (lock, mut events) = (Lock::Process(ME, 64), Vec::new());
        for number in 1..=1000u64 {
            let strand = Strand::thread(ME, (number % 2) as u32);
            let mut event =
                |at: u64, sync| events.push(SyncEvent { strand, pos: Pos(4 * number + at), sync, at: Caller(0) });
            event(0, Sync::Lock(lock, number));
            if number < 1000 {
                event(2, Sync::Unlock(lock, number));
            }
        }
        let records = [(Strand::thread(ME, 1), Pos(4 * 501 + 1)), (Strand::thread(ME, 0), Pos(4 * 501 + 3))];
        shorten(&mut events, records, |_| true);
        let left: Vec<Sync> = events.iter().map(|event| event.sync).collect();
        assert_eq!(left, [Sync::Lock(lock, 501), Sync::Unlock(lock, 501), Sync::Lock(lock, 1000)]);
    }

    /// Where what flows through a lock is not seen, each section hands all that was done before it over to the next one: that stays as far as there is something.
    #[test]
    fn what_locks_hand_over_stays_where_it_counts() {
        let lock = Lock::Process(ME, 64);
        let handover = |number| Token::Handover { lock, mode: Mode::Exclusive, number };
        let (first, second) = (Strand::thread(ME, 0), Strand::thread(ME, 1));
        let (mut events, mut pos) = (Vec::new(), 0);
        for number in 1..=1000u64 {
            let strand = if number % 100 == 0 { second } else { first };
            let all = [
                Sync::Lock(lock, number),
                Sync::Acquire(handover(number - 1)),
                Sync::Release(handover(number)),
                Sync::Unlock(lock, number),
            ];
            for sync in all {
                pos += 2;
                events.push(SyncEvent { strand, pos: Pos(pos), sync, at: Caller(0) });
            }
        }
        // The first strand does something before section 50 of its own and in between two others.
        let records = [(first, Pos(49 * 8 + 1)), (first, Pos(350 * 8 + 1))];
        shorten(&mut events, records, |token| *token != handover(1000));
        let of = |strand| events.iter().filter(move |event| event.strand == strand).map(|event| event.sync);
        // What the second one learns at its first section after each, and what it hands on in the end.
        let learns = [Sync::Acquire(handover(99)), Sync::Acquire(handover(399)), Sync::Release(handover(1000))];
        assert!(learns.iter().all(|sync| of(second).any(|own| own == *sync)), "{events:?}");
        assert!(
            of(first).any(|own| own == Sync::Release(handover(99)))
                && of(first).any(|own| own == Sync::Release(handover(399)))
        );
        assert!(events.len() < 20, "{} events", events.len());
    }
}
