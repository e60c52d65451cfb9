//! Ranks that are not there: those that are looked at, and those that they may ask or be asked by, are threads that talk to each other; what the others
//! send them is put into the first round, and what they send to others is counted and gone.
//!
//! A rank that is looked at hears all that it would hear: those near it take part in full, and those near these are there to answer.

use crate::patterns::{Program, Rule};
use std::collections::{BTreeMap, BTreeSet};
use thrille_analysis::{Analysis, Gathered, Status};
use thrille_model::{Access, Caller, Phase, Pos, Rank, Strand, Sync, SyncEvent, Token};
use thrille_transport::{Dealt, Inbox, Local, Outbox, Transport, TransportError, local, staged};

type Mail = Vec<(u32, Vec<u8>)>;

/// One round of a batch: averages over the ranks looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Round {
    pub messages: f64,
    pub bytes: f64,
    pub messages_in: f64,
    pub bytes_in: f64,
    /// Sparse exchanges, one after the other, if there is mail.
    pub exchanges: f64,
}

/// Averages over the ranks looked at, for one batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    pub partners: f64,
    /// The most of any of them.
    pub most_partners: usize,
    pub rounds: Vec<Round>,
    /// Of the rank's records and those of its owners' part, with logs and what is on its way.
    pub memory: f64,
    pub looked_up_order: bool,
    /// Races found, as pairs of lines.
    pub races: f64,
}

impl Counts {
    pub fn messages(&self) -> f64 {
        self.rounds.iter().map(|round| round.messages).sum()
    }

    pub fn bytes(&self) -> f64 {
        self.rounds.iter().map(|round| round.bytes).sum()
    }
}

struct Virtual<'s> {
    rank: u32,
    size: u32,
    /// None: only what is sent in the first round is of interest.
    there: Option<There<'s>>,
    /// What was sent in the first round.
    sent: Mail,
    rounds: Vec<Round>,
    partners: BTreeSet<u32>,
}

/// A rank that is a thread.
struct There<'s> {
    seat: Local,
    seats: &'s BTreeMap<u32, u32>,
    ranks: &'s [u32],
    /// What all the others send in the first round.
    incoming: Mail,
}

impl Virtual<'_> {
    fn count(&mut self, to: &Mail, from: &Mail) {
        let bytes = |mail: &Mail| mail.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() as u64;
        self.partners.extend(to.iter().chain(from).map(|(rank, _)| *rank));
        let [out, back] = [to, from].map(|mail| (mail.len() as u64, bytes(mail)));
        // By way of others, a rank passes on as much as others do for it.
        let by_way = staged::worth(out.0.max(back.0), out.1.max(back.1), self.size);
        let passes = |(messages, bytes): (u64, u64)| {
            if by_way {
                let side = u64::from(staged::side(self.size));
                ((2 * messages.min(side)) as f64, (2 * (bytes + messages * staged::HEAD as u64)) as f64)
            } else {
                (messages as f64, bytes as f64)
            }
        };
        let ((messages, bytes), (messages_in, bytes_in)) = (passes(out), passes(back));
        let exchanges = if by_way { 2.0 } else { 1.0 };
        self.rounds.push(Round { messages, bytes, messages_in, bytes_in, exchanges });
    }
}

impl Transport for Virtual<'_> {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn round(&mut self, _out: Outbox) -> Result<Inbox, TransportError> {
        // Nobody speaks to everybody.
        Err(TransportError::Left { rank: self.rank })
    }

    fn deal(&mut self, to: Mail, mine: &[u64]) -> Result<Dealt, TransportError> {
        let Some(there) = &mut self.there else {
            self.sent = to;
            return Err(TransportError::Left { rank: self.rank });
        };
        let first = self.rounds.is_empty();
        let known = |(rank, bytes): &(u32, Vec<u8>)| Some((*there.seats.get(rank)?, bytes.clone()));
        let seated = if first { Vec::new() } else { to.iter().filter_map(known).collect() };
        let Dealt { from, least } = there.seat.deal(seated, mine)?;
        let from: Mail = if first {
            std::mem::take(&mut there.incoming)
        } else {
            from.into_iter().map(|(seat, bytes)| (there.ranks[seat as usize], bytes)).collect()
        };
        self.count(&to, &from);
        Ok(Dealt { from, least })
    }

    fn leave(&mut self, _last_word: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }

    fn note(&mut self, _bytes: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }
}

fn virtual_rank(rank: u32, size: u32, there: Option<There>) -> Virtual {
    Virtual { rank, size, there, sent: Vec::new(), rounds: Vec::new(), partners: BTreeSet::new() }
}

/// A job: a pattern, its rule and how many ranks and phases.
#[derive(Clone, Copy)]
struct Job<'p> {
    pattern: &'p dyn Program,
    rule: Rule,
    ranks: u32,
    phases: u64,
}

impl Job<'_> {
    fn events(&self, rank: u32) -> Vec<SyncEvent> {
        let strand = Strand { rank: Rank(rank), index: 0 };
        let of_phase = |phase: u64| {
            let event = |sync, pos| SyncEvent { strand, pos: Pos(pos), sync, at: Caller::default() };
            let token = Token::Phase(Phase(phase + 1));
            let barrier =
                [event(Sync::Release(token), phase * 1000 + 998), event(Sync::Acquire(token), phase * 1000 + 999)];
            self.pattern.signals(rank, self.ranks, phase).into_iter().chain(barrier)
        };
        (0..self.phases).flat_map(of_phase).collect()
    }

    fn gathered(&self, accesses: Vec<Access>, events: Vec<SyncEvent>) -> Gathered {
        let (phase, gathered) = (Phase(self.phases), accesses.len() as u64);
        let status = Status { phase, watermark: phase, gathered, ..Status::default() };
        Gathered { accesses, events, status, ..Gathered::default() }
    }

    /// What all others send a rank in the first round.
    fn incoming(&self, owner: u32) -> Mail {
        let mut mail = Vec::new();
        for from in self.pattern.origins(owner, self.ranks, self.phases) {
            let accesses = self.pattern.accesses_to(from, owner, self.ranks, self.rule, self.phases);
            let mut analysis = Analysis::new(virtual_rank(from, self.ranks, None));
            let _ = analysis.cut(self.gathered(accesses, Vec::new()));
            let sent = std::mem::take(&mut analysis.transport().sent);
            mail.extend(sent.into_iter().map(|(_, bytes)| (from, bytes)));
        }
        mail
    }

    /// A rank's whole part in the batch.
    fn take_part(&self, rank: u32, accesses: Vec<Access>, there: There) -> Counts {
        let (own, events) = (accesses.len(), self.events(rank));
        let log = events.len();
        let mut analysis = Analysis::new(virtual_rank(rank, self.ranks, Some(there)));
        let cut = analysis.cut(self.gathered(accesses, events)).unwrap_or_default();
        let Virtual { rounds, partners, .. } = analysis.transport();
        let mail: f64 = rounds.iter().map(|round| round.bytes + round.bytes_in).sum();
        let records = (own + cut.judged) * size_of::<Access>() + (log + cut.events) * size_of::<SyncEvent>();
        Counts {
            partners: partners.len() as f64,
            most_partners: partners.len(),
            rounds: std::mem::take(rounds),
            memory: records as f64 + mail,
            looked_up_order: cut.looked_up_order,
            races: cut.races.len() as f64,
        }
    }
}

/// One batch of a pattern, as some of its ranks see it.
pub fn exchange(pattern: &dyn Program, rule: Rule, ranks: u32, phases: u64) -> Counts {
    let job = Job { pattern, rule, ranks, phases };
    let chosen: BTreeSet<u32> = {
        let number = if ranks <= 64 { ranks } else { pattern.sample(ranks) };
        (0..number).map(|i| (u64::from(i) * u64::from(ranks) / u64::from(number)) as u32).collect()
    };
    let with_near = |set: &BTreeSet<u32>| -> BTreeSet<u32> {
        set.iter().flat_map(|&rank| pattern.near(rank, ranks).into_iter().chain([rank])).collect()
    };
    let full = with_near(&chosen);
    let there: Vec<u32> = with_near(&full).into_iter().collect();
    let seats: BTreeMap<u32, u32> = there.iter().copied().zip(0..).collect();
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let threads: Vec<_> = there
            .iter()
            .zip(local(there.len() as u32))
            .map(|(&rank, seat)| {
                let (seats, ranks_there, full) = (&seats, &there[..], &full);
                scope.spawn(move || {
                    let (incoming, accesses) = if full.contains(&rank) {
                        (job.incoming(rank), pattern.accesses(rank, ranks, rule, phases))
                    } else {
                        (Vec::new(), Vec::new())
                    };
                    job.take_part(rank, accesses, There { seat, seats, ranks: ranks_there, incoming })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank")).collect()
    });
    let mut sum = Counts::default();
    for (_, counts) in there.iter().zip(&counts).filter(|(rank, _)| chosen.contains(rank)) {
        sum.rounds.resize(sum.rounds.len().max(counts.rounds.len()), Round::default());
        for (sum, round) in sum.rounds.iter_mut().zip(&counts.rounds) {
            sum.messages += round.messages;
            sum.bytes += round.bytes;
            sum.messages_in += round.messages_in;
            sum.bytes_in += round.bytes_in;
            sum.exchanges += round.exchanges;
        }
        sum.partners += counts.partners;
        sum.most_partners = sum.most_partners.max(counts.most_partners);
        sum.memory += counts.memory;
        sum.looked_up_order |= counts.looked_up_order;
        sum.races += counts.races;
    }
    let n = chosen.len() as f64;
    for round in &mut sum.rounds {
        round.messages /= n;
        round.bytes /= n;
        round.messages_in /= n;
        round.bytes_in /= n;
        round.exchanges /= n;
    }
    Counts { partners: sum.partners / n, memory: sum.memory / n, races: sum.races / n, ..sum }
}
