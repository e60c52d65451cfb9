//! Ranks that are not there: a transport that keeps what is sent and hands out what was put into it.

use crate::patterns::{Pattern, Rule};
use std::collections::{BTreeMap, BTreeSet};
use thrille_analysis::{Analysis, Gathered, Status};
use thrille_model::{Access, Phase, Rank, Strand, Sync, SyncEvent, Token};
use thrille_transport::{Dealt, Inbox, Outbox, Transport, TransportError};

/// Averages over the ranks looked at, for one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    pub partners: f64,
    pub messages: f64,
    pub bytes: f64,
    pub messages_in: f64,
    pub bytes_in: f64,
    /// Of the rank's records and those of its owners' part, with what is on its way.
    pub memory: f64,
    /// What a rank hears when order is looked up.
    pub log_bytes: f64,
    pub looked_up_order: bool,
}

struct Virtual {
    rank: u32,
    size: u32,
    sent: Vec<(u32, Vec<u8>)>,
    /// None: only what is sent is of interest.
    incoming: Option<Vec<(u32, Vec<u8>)>>,
    /// Bytes that everybody says to everybody.
    said: usize,
}

impl Transport for Virtual {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        // All say as much as this one; what they say changes nothing about what it costs.
        let all = out.words_to_all().to_vec();
        self.said += all.len() * self.size as usize;
        Ok(Inbox { from: Vec::new(), all: vec![Some(all)] })
    }

    fn deal(&mut self, to: Vec<(u32, Vec<u8>)>, mine: &[u64]) -> Result<Dealt, TransportError> {
        self.sent.extend(to);
        match &mut self.incoming {
            // All ranks are alike: the least of their numbers is this one's.
            Some(incoming) => Ok(Dealt { from: std::mem::take(incoming), least: mine.to_vec() }),
            None => Err(TransportError::Left { rank: self.rank }),
        }
    }

    fn leave(&mut self, _last_word: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }

    fn note(&mut self, _bytes: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }
}

fn gathered(rank: u32, accesses: Vec<Access>, phases: u64) -> Gathered {
    let strand = Strand { rank: Rank(rank), index: 0 };
    let barrier = |phase: u64| {
        let event = |sync, pos| SyncEvent { strand, pos: thrille_model::Pos(pos), sync };
        let token = Token::Phase(Phase(phase + 1));
        [event(Sync::Release(token), phase * 1000 + 998), event(Sync::Acquire(token), phase * 1000 + 999)]
    };
    let status =
        Status { phase: Phase(phases), watermark: Phase(phases), gathered: accesses.len() as u64, ..Status::default() };
    Gathered { accesses, events: (0..phases).flat_map(barrier).collect(), status, ..Gathered::default() }
}

fn cut(
    rank: u32,
    size: u32,
    accesses: Vec<Access>,
    phases: u64,
    incoming: Option<Vec<(u32, Vec<u8>)>>,
) -> (Virtual, usize, bool) {
    let mut analysis = Analysis::new(Virtual { rank, size, sent: Vec::new(), incoming, said: 0 });
    let cut = analysis.cut(gathered(rank, accesses, phases));
    let (judged, looked_up) = cut.map_or((0, false), |cut| (cut.judged, cut.looked_up_order));
    let transport = analysis.transport();
    let empty = Virtual { rank, size, sent: Vec::new(), incoming: None, said: 0 };
    (std::mem::replace(transport, empty), judged, looked_up)
}

/// One batch of a pattern, as some of its ranks see it.
pub fn exchange(pattern: &Pattern, rule: Rule, ranks: u32, phases: u64) -> Counts {
    let chosen: BTreeSet<u32> = {
        let number = if ranks <= 64 { ranks } else { pattern.sample(ranks) };
        (0..number).map(|i| (u64::from(i) * u64::from(ranks) / u64::from(number)) as u32).collect()
    };
    // What each of them is sent.
    let mut incoming: BTreeMap<u32, Vec<(u32, Vec<u8>)>> = BTreeMap::new();
    for &owner in &chosen {
        for from in pattern.origins(owner, ranks, phases) {
            let accesses = pattern.accesses_to(from, owner, ranks, rule, phases);
            let (transport, ..) = cut(from, ranks, accesses, phases, None);
            incoming.entry(owner).or_default().extend(transport.sent.into_iter().map(|(_, bytes)| (from, bytes)));
        }
    }
    let mut sum = Counts::default();
    for &rank in &chosen {
        let accesses = pattern.accesses(rank, ranks, rule, phases);
        let own = accesses.len();
        let got = incoming.remove(&rank).unwrap_or_default();
        let (messages_in, bytes_in) = (got.len(), got.iter().map(|(_, bytes)| bytes.len()).sum::<usize>());
        let senders: BTreeSet<u32> = got.iter().map(|(from, _)| *from).collect();
        let (transport, judged, looked_up) = cut(rank, ranks, accesses, phases, Some(got));
        let bytes: usize = transport.sent.iter().map(|(_, bytes)| bytes.len()).sum();
        let partners: BTreeSet<u32> = transport.sent.iter().map(|(to, _)| *to).chain(senders).collect();
        sum.partners += partners.len() as f64;
        sum.messages += transport.sent.len() as f64;
        sum.bytes += bytes as f64;
        sum.messages_in += messages_in as f64;
        sum.bytes_in += bytes_in as f64;
        sum.memory += ((own + judged) * size_of::<Access>() + bytes + bytes_in + transport.said) as f64;
        sum.log_bytes += transport.said as f64;
        sum.looked_up_order |= looked_up;
    }
    let n = chosen.len() as f64;
    Counts {
        partners: sum.partners / n,
        messages: sum.messages / n,
        bytes: sum.bytes / n,
        messages_in: sum.messages_in / n,
        bytes_in: sum.bytes_in / n,
        memory: sum.memory / n,
        log_bytes: sum.log_bytes / n,
        looked_up_order: sum.looked_up_order,
    }
}
