//! Order is looked up among partners: who has a pair in question asks those who can know.
//!
//! 1. An owner gets the logs of the ranks whose accesses are in question, and with them finds most order there is: a flag, a message, a collective between the two.
//! 2. What flowed through locks is told to the ranks whose critical sections it connects: it is part of their logs from then on.
//! 3. Only if somebody is in doubt after that, ranks tell the homes of their tokens and words what they did ([`directory`](crate::directory)), and those in doubt ask on,
//!    step by step ([`known`](crate::known)), until nobody has a question left. All ranks take part in each step, most of them
//!    without a word: that nobody asks is one number, of which the least is found.
//!
//! What a rank sends and holds follows the partners in question. A race in a long chain of ranks that wait for each other within one
//! phase is the worst case: before it can be told that nothing orders its two sides, the whole chain behind them has been asked.

use crate::directory::{Directory, Ends, Key, Way, home};
use crate::exchange::{AnalysisError, read};
use crate::known::{Doubts, Known, Questions, part};
use crate::owner::Owner;
use crate::replay::{Logs, as_events};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thrille_model::{Flow, Pos, Rank, Strand, SyncEvent, wire};
use thrille_transport::Transport;

/// What an owner found when it looked for conflicts.
#[derive(Clone, Copy, Debug)]
pub struct Findings {
    /// A pair that no lock protects.
    pub suspicious: bool,
    /// A pair that a lock protects: something may have flowed through it.
    pub protected: bool,
    /// Whether any rank has one of the latter.
    pub anybody_protected: bool,
}

/// What one rank did, for others to ask about.
#[derive(Default)]
pub struct Log {
    events: Vec<SyncEvent>,
    flows: BTreeSet<Flow>,
}

impl Log {
    /// These events come next.
    pub fn extend(&mut self, events: Vec<SyncEvent>) {
        if self.events.is_empty() {
            self.events = events;
        } else {
            self.events.extend(events);
        }
    }

    /// Nobody will ask about anything that was.
    pub fn clear(&mut self) {
        self.events.clear();
        self.flows.clear();
    }

    /// Something flowed through a lock, from or to this rank.
    fn flow(&mut self, me: Rank, flow: Flow) {
        if self.flows.insert(flow) {
            self.events.extend(as_events(flow).into_iter().filter(|event| event.strand.rank == me));
        }
    }
}

/// What one rank asks another.
#[derive(Default, Serialize, Deserialize)]
struct Asked {
    keys: Vec<(Way, Key)>,
    parts: Vec<(Way, Strand, Pos)>,
}

/// The answer.
#[derive(Serialize, Deserialize)]
struct Answer {
    ends: Vec<Ends>,
    events: Vec<SyncEvent>,
}

/// Looks up order; all ranks do so at the same cut. Returns how many events this one came to know.
pub fn look_up<T: Transport>(
    transport: &mut T,
    owner: &mut Owner,
    log: &mut Log,
    findings: Findings,
) -> Result<usize, AnalysisError> {
    let mut known = Known::new(transport.size());
    if findings.anybody_protected {
        let ranks = if findings.protected { owner.in_question() } else { BTreeSet::new() };
        fetch(transport, log, &mut known, ranks)?;
        let logs = Logs { events: known.events(), closed: &known.closed() };
        let flows = if findings.protected { owner.flows(logs) } else { Vec::new() };
        tell_flows(transport, log, &flows)?;
    }
    let ranks = if findings.suspicious { owner.in_question() } else { BTreeSet::new() };
    fetch(transport, log, &mut known, ranks)?;
    let mut doubts = Doubts::default();
    if findings.suspicious {
        doubts = owner.doubts(Logs { events: known.events(), closed: &known.closed() });
    }
    let questions = known.questions(&doubts);
    if anybody(transport, !questions.is_empty())? {
        let shelf = Shelf::new(transport, log)?;
        ask_on(transport, &shelf, owner, &mut known, &mut doubts, questions)?;
    }
    if !doubts.is_empty() {
        owner.judge(Logs { events: known.events(), closed: &known.closed() });
    }
    Ok(known.events().len())
}

/// Whether any rank says yes.
fn anybody<T: Transport>(transport: &mut T, yes: bool) -> Result<bool, AnalysisError> {
    let dealt = transport.deal(Vec::new(), &[u64::from(!yes)])?;
    Ok(dealt.least.first() == Some(&0))
}

/// Asks step by step until nobody has a question left.
fn ask_on<T: Transport>(
    transport: &mut T,
    shelf: &Shelf,
    owner: &Owner,
    known: &mut Known,
    doubts: &mut Doubts,
    mut questions: Questions,
) -> Result<(), AnalysisError> {
    let (mut step, mut news) = (1u64, false);
    loop {
        let mut asked: BTreeMap<Rank, Asked> = BTreeMap::new();
        for &(way, key) in &questions.keys {
            asked.entry(key.home(transport.size())).or_default().keys.push((way, key));
        }
        for &(way, strand, pos) in &questions.parts {
            asked.entry(strand.rank).or_default().parts.push((way, strand, pos));
        }
        let keys: BTreeMap<Rank, Vec<(Way, Key)>> =
            asked.iter().map(|(&rank, asked)| (rank, asked.keys.clone())).collect();
        let Some(answers) = inquire(transport, asked, |asked: Asked| shelf.answer(&asked))? else { return Ok(()) };
        let (mut ends, mut events) = (Vec::new(), Vec::new());
        for (rank, answer) in answers {
            ends.extend(keys.get(&rank).into_iter().flatten().copied().zip(answer.ends));
            events.extend(answer.events);
        }
        news |= known.add_answers(questions, ends, events);
        step += 1;
        // Little is needed, as a rule, to dispel a doubt; much has to be asked to be sure that nothing does.
        let mut next = known.questions(doubts);
        if news && (step.is_power_of_two() || next.is_empty()) {
            *doubts = owner.doubts(Logs { events: known.events(), closed: &known.closed() });
            next = known.questions(doubts);
            news = false;
        }
        questions = next;
    }
}

/// Gets the logs of some ranks, or what has been added to them.
fn fetch<T: Transport>(
    transport: &mut T,
    log: &Log,
    known: &mut Known,
    ranks: BTreeSet<Rank>,
) -> Result<(), AnalysisError> {
    let questions = ranks.into_iter().map(|rank| (rank, known.length(rank) as u64)).collect();
    let rest = |from: u64| log.events.get(from as usize..).unwrap_or_default().to_vec();
    for (rank, events) in inquire(transport, questions, rest)?.unwrap_or_default() {
        known.add_whole(rank, events);
    }
    Ok(())
}

/// Tells the ranks at both ends what flowed.
fn tell_flows<T: Transport>(transport: &mut T, log: &mut Log, flows: &[Flow]) -> Result<(), AnalysisError> {
    let me = Rank(transport.rank());
    let mut told: BTreeMap<Rank, BTreeSet<Flow>> = BTreeMap::new();
    for flow in flows {
        for (strand, _) in [flow.from, flow.to] {
            told.entry(strand.rank).or_default().insert(*flow);
        }
    }
    let mine = told.remove(&me).unwrap_or_default();
    let to = told.into_iter().map(|(rank, flows)| (rank.0, wire::encode(&flows))).collect();
    let dealt = transport.deal(to, &[])?;
    for flow in mine {
        log.flow(me, flow);
    }
    for (from, bytes) in dealt.from {
        for flow in read::<BTreeSet<Flow>>(from, &bytes)? {
            log.flow(me, flow);
        }
    }
    Ok(())
}

/// Asks and is asked: two rounds. None, after one, when nobody asks anything.
fn inquire<T: Transport, Q: Serialize + DeserializeOwned, A: Serialize + DeserializeOwned>(
    transport: &mut T,
    mut questions: BTreeMap<Rank, Q>,
    answer: impl Fn(Q) -> A,
) -> Result<Option<Vec<(Rank, A)>>, AnalysisError> {
    let me = Rank(transport.rank());
    let nothing = u64::from(questions.is_empty());
    let own = questions.remove(&me).map(|question| (me, answer(question)));
    let to = questions.into_iter().map(|(rank, question)| (rank.0, wire::encode(&question))).collect();
    let dealt = transport.deal(to, &[nothing])?;
    if dealt.least.first() == Some(&1) {
        return Ok(None);
    }
    let mut replies = Vec::new();
    for (from, bytes) in dealt.from {
        replies.push((from, wire::encode(&answer(read(from, &bytes)?))));
    }
    let answers = transport.deal(replies, &[])?.from;
    let others = answers.into_iter().map(|(from, bytes)| Ok((Rank(from), read(from, &bytes)?)));
    own.map(Ok).into_iter().chain(others).collect::<Result<_, _>>().map(Some)
}

/// What a rank can be asked about: its own log, and what it is the home of.
struct Shelf {
    strands: FxHashMap<Strand, Vec<SyncEvent>>,
    directory: Directory,
}

impl Shelf {
    /// All ranks tell the homes what they did.
    fn new<T: Transport>(transport: &mut T, log: &Log) -> Result<Self, AnalysisError> {
        let me = Rank(transport.rank());
        let mut shelf = Self { strands: FxHashMap::default(), directory: Directory::default() };
        let mut told: BTreeMap<Rank, Vec<SyncEvent>> = BTreeMap::new();
        for &event in &log.events {
            shelf.strands.entry(event.strand).or_default().push(event);
            match home(event.sync, transport.size()) {
                Some(home) if home == me => shelf.directory.register(&event),
                Some(home) => told.entry(home).or_default().push(event),
                None => {}
            }
        }
        for list in shelf.strands.values_mut() {
            list.sort_by_key(|event| event.pos);
        }
        let to = told.into_iter().map(|(rank, events)| (rank.0, wire::encode(&events))).collect();
        for (from, bytes) in transport.deal(to, &[])?.from {
            for event in read::<Vec<SyncEvent>>(from, &bytes)? {
                shelf.directory.register(&event);
            }
        }
        Ok(shelf)
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let ends = self.directory.find(&asked.keys);
        let mut places: BTreeSet<(Strand, usize)> = BTreeSet::new();
        for (strand, part) in self.parts(&asked.parts) {
            places.extend(part.map(|i| (strand, i)));
        }
        let events = places.into_iter().map(|(strand, i)| self.strand(strand)[i]).collect();
        Answer { ends, events }
    }

    /// What was asked for of strands, each of it once or twice: what lies between the same barriers is part of what reaches furthest.
    fn parts(&self, asked: &[(Way, Strand, Pos)]) -> Vec<(Strand, Range<usize>)> {
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        let (back, forth): (Vec<_>, Vec<_>) = asked.into_iter().partition(|&(way, ..)| way == Way::Back);
        let mut parts: Vec<(Strand, Range<usize>)> = Vec::new();
        let mut last: Option<Way> = None;
        for (way, strand, pos) in back.into_iter().rev().chain(forth) {
            let list = self.strand(strand);
            let covered =
                parts.last().filter(|(of, _)| last == Some(way) && *of == strand).is_some_and(|(_, range)| match way {
                    Way::Back => list.partition_point(|e| e.pos <= pos) > range.start,
                    Way::Forth => list.partition_point(|e| e.pos < pos) < range.end,
                });
            if !covered {
                parts.push((strand, part(way, pos, list)));
                last = Some(way);
            }
        }
        parts
    }

    fn strand(&self, strand: Strand) -> &[SyncEvent] {
        self.strands.get(&strand).map_or(&[], Vec::as_slice)
    }
}
