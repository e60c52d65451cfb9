//! The definition of a race, executed naively: a graph of everything that happened, searched from every access.
//!
//! Slow on purpose and free of cleverness: each rule of the model is one `for` loop below. The engines of `analysis/` and the
//! stores of `history/` are tested against it.
//!
//! Nodes: two for every position of a strand (before and after the event that has it), one for every token and every update of a
//! word, and two for every access: when it is issued and when it is done. A point's two are the same in time.

use crate::access::{Access, Order, Site, Span};
use crate::conflict::{conflict, protected};
use crate::lock::{Lock, Locksets};
use crate::strand::{Phase, Pos, Strand};
use crate::sync::{Channel, Flow, How, Sync, SyncEvent, Token, Word};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Two sites that race, the smaller first.
pub type SitePair = (Site, Site);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Before(Strand, Pos),
    After(Strand, Pos),
    Token(Token),
    /// What was handed over with a token.
    Handed(Token),
    Update(Word, u64),
    Issued(usize),
    Done(usize),
}

#[derive(Default)]
struct Graph(HashMap<Node, Vec<Node>>);

impl Graph {
    fn edge(&mut self, from: Node, to: Node) {
        self.0.entry(from).or_default().push(to);
    }

    fn reachable(&self, from: Node) -> Nodes {
        let mut seen = std::collections::HashSet::from([from]);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for &next in self.0.get(&node).into_iter().flatten() {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }
}

type Nodes = std::collections::HashSet<Node>;

/// Every pair of sites of the log that races.
pub fn races(accesses: &[Access], events: &[SyncEvent], locksets: &Locksets) -> BTreeSet<SitePair> {
    let graph = graph(accesses, events, locksets);
    let fences = Fences::new(accesses, events, &graph);
    let after: Vec<Nodes> = (0..accesses.len()).map(|i| graph.reachable(Node::Done(i))).collect();
    let before = |i: usize, j: usize| {
        let (a, b) = (&accesses[i], &accesses[j]);
        let points_of_one_strand = a.strand == b.strand && a.span == Span::Point && b.span == Span::Point;
        points_of_one_strand
            || after[i].contains(&Node::Issued(j))
            || fences.between(i, a, Node::Issued(j), b.order().channel())
    };
    let mut found = BTreeSet::new();
    for i in 0..accesses.len() {
        for j in i + 1..accesses.len() {
            let (a, b) = (&accesses[i], &accesses[j]);
            if conflict(a, b) && !protected(a, b, locksets) && !before(i, j) && !before(j, i) {
                found.insert((a.site.min(b.site), a.site.max(b.site)));
            }
        }
    }
    found
}

/// What fences put ahead of what, though neither is complete.
struct Fences {
    /// The fences that come after the issue of each access, on its context.
    after: Vec<Vec<Node>>,
    /// What comes after each fence.
    reach: HashMap<Node, Nodes>,
}

impl Fences {
    fn new(accesses: &[Access], events: &[SyncEvent], graph: &Graph) -> Self {
        let mut reach = HashMap::new();
        let mut after = vec![Vec::new(); accesses.len()];
        for event in events {
            let Sync::Fence(ctx) = event.sync else { continue };
            let (before, fence) = (Node::Before(event.strand, event.pos), Node::After(event.strand, event.pos));
            reach.insert(fence, graph.reachable(fence));
            for (i, access) in accesses.iter().enumerate() {
                let its = access.order().channel().is_some_and(|c| c.origin == event.strand.rank && c.ctx == ctx);
                if its && graph.reachable(Node::Issued(i)).contains(&before) {
                    after[i].push(fence);
                }
            }
        }
        Self { after, reach }
    }

    /// Whether a fence lies between the issue of access `i` and what is issued at a node on a channel, which must be the same.
    fn between(&self, i: usize, access: &Access, later: Node, channel: Option<Channel>) -> bool {
        channel.is_some()
            && access.order().channel() == channel
            && self.after[i].iter().any(|fence| self.reach[fence].contains(&later))
    }
}

fn begin_and_end(access: &Access) -> impl Iterator<Item = (Strand, Pos)> + '_ {
    let end = access.operation().and_then(|o| o.end);
    std::iter::once(access.begin).chain(end).map(|pos| (access.strand, pos))
}

/// Program order, and what each strand completes by itself.
fn in_strands(accesses: &[Access], events: &[SyncEvent]) -> Graph {
    let mut graph = Graph::default();
    let mut positions: BTreeMap<Strand, BTreeSet<Pos>> = BTreeMap::new();
    for (strand, pos) in events.iter().map(|e| (e.strand, e.pos)).chain(accesses.iter().flat_map(begin_and_end)) {
        positions.entry(strand).or_default().insert(pos);
    }
    for (&strand, positions) in &positions {
        let mut last = None;
        for &pos in positions {
            if let Some(last) = last {
                graph.edge(Node::After(strand, last), Node::Before(strand, pos));
            }
            graph.edge(Node::Before(strand, pos), Node::After(strand, pos));
            last = Some(pos);
        }
    }
    for (i, access) in accesses.iter().enumerate() {
        let strand = access.strand;
        graph.edge(Node::After(strand, access.begin), Node::Issued(i));
        graph.edge(Node::Issued(i), Node::Done(i));
        if let Some(&next) = positions[&strand].range(Pos(access.begin.0 + 1)..).next() {
            graph.edge(Node::Issued(i), Node::Before(strand, next));
            if access.span == Span::Point {
                graph.edge(Node::Done(i), Node::Before(strand, next));
            }
        }
        // Completion by its own strand.
        if let Some(end) = access.operation().and_then(|o| o.end) {
            graph.edge(Node::Done(i), Node::After(strand, end));
        }
    }
    graph
}

fn graph(accesses: &[Access], events: &[SyncEvent], locksets: &Locksets) -> Graph {
    let mut graph = in_strands(accesses, events);

    // Tokens and words.
    for event in events {
        let (before, after) = (Node::Before(event.strand, event.pos), Node::After(event.strand, event.pos));
        match event.sync {
            Sync::Release(token) => graph.edge(before, Node::Token(token)),
            Sync::Peek(token) => graph.edge(Node::Token(token), after),
            Sync::Handed(ctx, token) => {
                for (i, access) in accesses.iter().enumerate() {
                    let of_rank = access.strand.rank == event.strand.rank;
                    if of_rank && access.operation().is_some_and(|o| o.ctx == ctx) {
                        graph.edge(Node::Done(i), Node::Handed(token));
                    }
                }
            }
            Sync::Acquire(token) => {
                graph.edge(Node::Token(token), after);
                graph.edge(Node::Handed(token), after);
                if let Token::Phase(phase) = token {
                    // Global barriers come one after the other, whichever strands call them.
                    graph.edge(Node::Token(token), Node::Token(Token::Phase(Phase(phase.0 + 1))));
                }
            }
            Sync::Update { word, version, signals, .. } => {
                let update = Node::Update(word, version);
                graph.edge(before, update);
                for (i, access) in accesses.iter().enumerate() {
                    let its = access.strand == event.strand && access.begin == event.pos;
                    let own_data = signals && matches!(access.order(), Order::Signalled(..));
                    let itself = access.span != Span::Point && word.holds(&access.place);
                    if its && (own_data || itself) {
                        graph.edge(Node::Done(i), update);
                    }
                }
            }
            Sync::Observe { word, version } => {
                for version in contained_in(word, version, events) {
                    graph.edge(Node::Update(word, version), after);
                }
            }
            _ => {}
        }
    }

    // What flows through locks.
    for (i, a) in accesses.iter().enumerate() {
        for b in &accesses[..i] {
            for flow in flows(a, b, events, locksets) {
                graph.edge(Node::Before(flow.from.0, flow.from.1), Node::After(flow.to.0, flow.to.1));
            }
        }
    }

    // A quiet completes, and a fence puts ahead, what its whole rank issued before it; "before" may depend on such an edge.
    loop {
        let mut edges = Vec::new();
        for (i, access) in accesses.iter().enumerate() {
            let Some(operation) = access.operation() else { continue };
            let later = graph.reachable(Node::Issued(i));
            for event in events {
                let completes = event.sync == Sync::Quiet(operation.ctx)
                    && event.strand.rank == access.strand.rank
                    && later.contains(&Node::Before(event.strand, event.pos));
                if completes {
                    edges.push((Node::Done(i), Node::After(event.strand, event.pos)));
                }
            }
        }
        let fences = Fences::new(accesses, events, &graph);
        for event in events {
            let Sync::Update { word, version, via, .. } = event.sync else { continue };
            for (i, access) in accesses.iter().enumerate() {
                if fences.between(i, access, Node::Before(event.strand, event.pos), via) {
                    edges.push((Node::Done(i), Node::Update(word, version)));
                }
            }
        }
        edges.retain(|(from, to)| !graph.0.get(from).is_some_and(|out| out.contains(to)));
        if edges.is_empty() {
            return graph;
        }
        for (from, to) in edges {
            graph.edge(from, to);
        }
    }
}

/// The flows between two accesses: for each lock that both hold, from the earlier critical section to the later, or to who shares the lock
/// later.
fn flows(a: &Access, b: &Access, events: &[SyncEvent], locksets: &Locksets) -> Vec<Flow> {
    let mut found = Vec::new();
    if !conflict(a, b) || a.strand == b.strand {
        return found;
    }
    for lock in locksets.get(a.locks).iter().filter(|h| locksets.get(b.locks).iter().any(|o| o.lock == h.lock)) {
        let (Some(x), Some(y)) = (taken(a, lock.lock, events), taken(b, lock.lock, events)) else { continue };
        let earlier = |x, y| match (x, y) {
            (Sync::Lock(_, x) | Sync::Share(_, x), Sync::Lock(_, y)) => x < y,
            (Sync::Lock(_, x), Sync::Share(_, y)) => x <= y,
            _ => false,
        };
        let (from, to) = match (x, y) {
            _ if earlier(x, y) => (a, b),
            _ if earlier(y, x) => (b, a),
            _ => continue,
        };
        if from.writes()
            && let Some(end) = given_back(from, lock.lock, events)
        {
            found.push(Flow { from: (from.strand, end), to: (to.strand, to.begin) });
        }
    }
    found
}

/// Where the lock that an access is under is given back; if it was shared, in the same phase.
fn given_back(access: &Access, lock: Lock, events: &[SyncEvent]) -> Option<Pos> {
    let ends = |e: &&SyncEvent| {
        let this = matches!(e.sync, Sync::Unlock(l, _) | Sync::Unshare { lock: l, .. } if l == lock);
        this && e.strand == access.strand && e.pos > access.begin
    };
    let end = events.iter().filter(ends).min_by_key(|e| e.pos)?;
    let flows = !matches!(end.sync, Sync::Unshare { phase, .. } if phase != access.phases.lo);
    flows.then_some(end.pos)
}

/// How the lock that an access is under was taken.
fn taken(access: &Access, lock: Lock, events: &[SyncEvent]) -> Option<Sync> {
    let takes = |e: &&SyncEvent| {
        let this = matches!(e.sync, Sync::Lock(l, _) | Sync::Share(l, _) if l == lock);
        this && e.strand == access.strand && e.pos <= access.begin
    };
    events.iter().filter(takes).max_by_key(|e| e.pos).map(|e| e.sync)
}

/// The versions of a word that its `version`-th value is made of: back to the last that set it.
fn contained_in(word: Word, version: u64, events: &[SyncEvent]) -> Vec<u64> {
    let updates: BTreeMap<u64, How> = events
        .iter()
        .filter_map(|e| match e.sync {
            Sync::Update { word: w, version, how, .. } if w == word => Some((version, how)),
            _ => None,
        })
        .collect();
    let mut contained = Vec::new();
    for (&version, &how) in updates.range(..=version).rev() {
        contained.push(version);
        if how == How::Set {
            break;
        }
    }
    contained
}
