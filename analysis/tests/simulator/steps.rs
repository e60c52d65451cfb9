//! The generator: numbers as steps of a program, and steps by name for programs that are written by hand.

use super::{Simulated, WORDS, World};
use thrille_model::*;

const CTXS: u32 = 2;

/// One step of the program: a number that decides everything, so that shrinking is by fewer and smaller numbers.
pub type Step = (u8, u32);

impl World {
    #[allow(clippy::too_many_lines, reason = "one arm a kind of step")]
    pub fn step(&mut self, (what, how): Step) {
        let alive: Vec<usize> = (0..self.strands.len()).filter(|&s| self.strands[s].awake()).collect();
        let s = alive[how as usize % alive.len()];
        let strand = self.strands[s].strand;
        let rank = strand.rank;
        let other = Rank((how >> 4) % self.ranks);
        let lo = u64::from((how >> 8) % 6);
        let len = 1 + u64::from((how >> 12) % 3);
        let ctx = Ctx((how >> 16) % CTXS);
        let word_number = u64::from(how >> 6) % (u64::from(self.ranks) * WORDS);
        let channel = Channel { origin: rank, ctx, target: other };
        let site = self.site(how >> 3);
        let operation = |order| Span::Operation(Operation { ctx, end: None, order });
        match what % 24 {
            0 | 1 => self.access(s, rank, lo, len, Kind::Read, Span::Point, site),
            2 | 3 => self.access(s, rank, lo, len, Kind::Write, Span::Point, site),
            4 | 5 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Write, operation(Order::Fenced(channel)), site);
            }
            6 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Read, Span::Point, site);
            }
            7 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Read, operation(Order::None), site);
            }
            8 => self.event(s, Sync::Fence(ctx)),
            9 => self.quiet(s, ctx),
            10 | 11 => {
                // An update of a word, by its channel, now and then as the signal of a put.
                let word = Self::word(word_number);
                let channel = Channel { target: word.owner, ..channel };
                let pos = self.tick(s);
                let signals = how & (1 << 20) != 0;
                if signals {
                    self.access(s, word.owner, lo, len, Kind::Write, operation(Order::Signalled(channel)), site);
                }
                self.versions[World::counter(word_number)] += 1;
                let version = self.versions[World::counter(word_number)];
                let change = if how & (1 << 21) != 0 { How::Set } else { How::Modify };
                self.event_at(s, pos, Sync::Update { word, version, how: change, via: Some(channel), signals });
            }
            12 | 13 => {
                let version = self.versions[World::counter(word_number)];
                let word = Self::word(word_number);
                self.event(s, Sync::Observe { word, version });
            }
            14 => {
                let atomic = Atomic {
                    domain: Domain::Shmem,
                    through: 0,
                    ty: (how >> 22) as u8 % 2,
                    width: 2,
                    op: 0,
                    ordered: false,
                    effect: Effect::Update,
                };
                self.tick(s);
                self.access(s, other, lo & !1, 2, Kind::Atomic(atomic), operation(Order::Fenced(channel)), site);
            }
            15 => {
                let callers = self.one_strand_of_each_rank(how);
                self.barrier(&callers, how & (1 << 20) != 0, how & (1 << 21) != 0);
            }
            16 => {
                // A broadcast or an all-to-all among some ranks.
                self.collectives += 1;
                let token = Token::Collective { group: 7, seq: self.collectives };
                let members: Vec<usize> = self
                    .one_strand_of_each_rank(how)
                    .into_iter()
                    .filter(|&s| how >> (24 + self.strands[s].strand.rank.0) & 1 == 1)
                    .collect();
                let root_only = how & (1 << 20) != 0;
                for (i, &member) in members.iter().enumerate() {
                    if !root_only || i == 0 {
                        self.event(member, Sync::Release(token));
                    }
                }
                for (i, &member) in members.iter().enumerate() {
                    if !root_only || i > 0 {
                        self.event(member, Sync::Acquire(token));
                    }
                }
            }
            17 => {
                // A thread is created, or ends and is joined.
                let mine = self.strands.iter().filter(|o| o.strand.rank == rank).count();
                if mine < 3 && how & (1 << 20) != 0 {
                    self.thread(s);
                } else if strand.index > 0 && self.strands[s].locks.is_empty() {
                    self.event(s, Sync::Release(Token::Exit(strand)));
                    self.strands[s].alive = false;
                    let joiner = self.strands.iter().position(|o| o.strand == Strand { rank, index: 0 }).unwrap();
                    let (knows, phase) = (self.strands[s].knows.clone(), self.strands[s].phase);
                    self.event(joiner, Sync::Acquire(Token::Exit(strand)));
                    for (mine, theirs) in self.strands[joiner].knows.iter_mut().zip(knows) {
                        *mine = (*mine).max(theirs);
                    }
                    self.strands[joiner].phase = self.strands[joiner].phase.max(phase);
                }
            }
            22 => {
                // A thread rests, or another of its rank wakes it.
                let resting = |o: &Simulated| o.resting && o.strand.rank == rank;
                if let Some(rested) = self.strands.iter().position(resting).filter(|_| how & (1 << 20) != 0) {
                    self.messages += 1;
                    let token = Token::Local { rank, address: 0, round: self.messages };
                    self.event(s, Sync::Release(token));
                    self.strands[rested].resting = false;
                    let (knows, phase) = (self.strands[s].knows.clone(), self.strands[s].phase);
                    self.event(rested, Sync::Acquire(token));
                    for (mine, theirs) in self.strands[rested].knows.iter_mut().zip(knows) {
                        *mine = (*mine).max(theirs);
                    }
                    self.strands[rested].phase = self.strands[rested].phase.max(phase);
                } else if strand.index > 0 && self.strands[s].locks.is_empty() {
                    self.strands[s].resting = true;
                }
            }
            21 => {
                // A put or store of a word that others may wait for, who does so, or a load or store of one.
                let word = Self::word(word_number);
                let channel = Channel { target: word.owner, ..channel };
                if how & (3 << 20) == 0 {
                    let kind = if how & (1 << 22) == 0 { Kind::Read } else { Kind::Write };
                    self.access_word(s, word, kind, Span::Point, site);
                    return;
                }
                if how & (3 << 20) == 1 << 20 {
                    self.store_or_wait(s, word_number, channel, site, how);
                    return;
                }
                let pos = self.tick(s);
                self.access_word(s, word, Kind::Write, operation(Order::Fenced(channel)), site);
                self.versions[World::counter(word_number)] += 1;
                let version = self.versions[World::counter(word_number)];
                let via = Some(channel);
                self.event_at(s, pos, Sync::Update { word, version, how: How::Set, via, signals: false });
            }
            23 => {
                // A message whose buffer is left to the library, at once or later; somebody looks at it or receives it.
                let (token, ctx) = match how >> 20 & 3 {
                    0 | 1 => {
                        self.messages += 1;
                        let token = Token::Message { group: 2, from: rank, to: other, tag: 0, seq: self.messages };
                        let ctx = Ctx(CTXS + self.messages as u32);
                        self.event(s, Sync::Release(token));
                        self.tick(s);
                        let until = Span::Operation(Operation { ctx, end: None, order: Order::None });
                        self.access(s, rank, lo, len, Kind::Read, until, site);
                        self.under_way.push((token, ctx));
                        if how & (1 << 20) == 0 {
                            return;
                        }
                        (token, ctx)
                    }
                    _ if self.under_way.is_empty() => return,
                    _ => self.under_way[(how >> 24) as usize % self.under_way.len()],
                };
                let Token::Message { from, to, .. } = token else { unreachable!() };
                let someone = self.one_strand_of_each_rank(how >> 2);
                match how >> 22 & 7 {
                    0..=2 => self.event(someone[from.0 as usize], Sync::Handed(ctx, token)),
                    3 | 4 => self.event(someone[to.0 as usize], Sync::Peek(token)),
                    _ => {
                        self.event(someone[to.0 as usize], Sync::Acquire(token));
                        self.under_way.retain(|&(other, _)| other != token);
                    }
                }
            }
            20 => {
                // A message; its receiver may pass on what it learned.
                let to = self.one_strand_of_each_rank(how >> 2)[other.0 as usize];
                self.messages += 1;
                let token = Token::Message { group: 1, from: rank, to: other, tag: 0, seq: self.messages };
                self.event(s, Sync::Release(token));
                self.event(to, Sync::Acquire(token));
            }
            _ => {
                let lock = Lock::Symmetric(Segment::Heap, 1000 + u64::from((how >> 18) % 2));
                let held = self.strands.iter().flat_map(|o| &o.locks).find(|h| h.lock == lock).map(|h| h.mode);
                if self.strands[s].locks.iter().any(|h| h.lock == lock) {
                    self.unlock(s, lock);
                } else if held != Some(Mode::Exclusive) && (how >> 19).is_multiple_of(3) {
                    self.share(s, lock);
                } else if held.is_none() {
                    self.lock(s, lock);
                }
            }
        }
    }

    /// The first two words of a rank are counted together: each leaves out numbers of the other.
    fn counter(n: u64) -> usize {
        (n - u64::from(n % WORDS == 1)) as usize
    }

    pub fn word(n: u64) -> Word {
        Word { owner: Rank((n / WORDS) as u32), segment: Segment::Statics, offset: (n % WORDS) * 8 }
    }

    /// A store that counts, which a fence puts behind puts to the same rank, or who waits for one.
    fn store_or_wait(&mut self, s: usize, number: u64, via: Channel, site: Site, how: u32) {
        let (word, counter) = (Self::word(number), Self::counter(number));
        if how & (1 << 22) == 0 {
            self.access_word(s, word, Kind::Write, Span::Point, site);
            self.versions[counter] += 1;
            let (version, via) = (self.versions[counter], Some(via));
            self.event(s, Sync::Update { word, version, how: How::Set, via, signals: false });
        } else {
            self.tick(s);
            self.access_word(s, word, Kind::Await, Span::Point, site);
            self.event(s, Sync::Observe { word, version: self.versions[counter] });
        }
    }

    pub fn message(&mut self, from: usize, to: usize) {
        self.messages += 1;
        let (a, b) = (self.strands[from].strand.rank, self.strands[to].strand.rank);
        let token = Token::Message { group: 1, from: a, to: b, tag: 0, seq: self.messages };
        self.event(from, Sync::Release(token));
        self.event(to, Sync::Acquire(token));
    }

    pub fn update(&mut self, s: usize, word: Word, version: u64, how: How) {
        self.event(s, Sync::Update { word, version, how, via: None, signals: false });
    }

    pub fn point(&mut self, s: usize, owner: u32, kind: Kind, line: u64) {
        self.tick(s);
        self.access(s, Rank(owner), 0, 1, kind, Span::Point, Site { module: 0, offset: 2 * line + 1 });
    }

    /// A strand creates another one.
    pub fn thread(&mut self, s: usize) -> usize {
        let rank = self.strands[s].strand.rank;
        let index = self.strands.iter().filter(|o| o.strand.rank == rank).count() as u32;
        let child = Strand { rank, index };
        self.event(s, Sync::Release(Token::Fork(child)));
        let Simulated { knows, phase, .. } = &self.strands[s];
        let (knows, phase) = (knows.clone(), *phase);
        let (pos, locks) = (Pos(0), Vec::new());
        self.strands.push(Simulated {
            strand: child,
            pos,
            alive: true,
            resting: false,
            knows,
            phase,
            locks,
            locked_since: phase,
        });
        let c = self.strands.len() - 1;
        self.event(c, Sync::Acquire(Token::Fork(child)));
        c
    }
}
