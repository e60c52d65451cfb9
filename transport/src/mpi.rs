//! Ranks of an MPI job, over a communicator of the detector's own.
//!
//! A round has two parts. What ranks say to everybody is gathered by all: a few bytes travel with the lengths, longer words in a
//! second step. What they send to each other is sparse: each rank sends synchronously, receives what comes, and enters a barrier
//! without waiting when its own sends have arrived; the barrier is complete when everybody's have (Hoefler, Siebert and Lumsdaine's
//! dynamic sparse data exchange). Nobody learns how many messages to expect, nobody sends to ranks it has nothing for.
//!
//! A round without words to everybody ([`Transport::deal`]) has a reduction for its first part: no list that grows with the number of ranks. If a rank has very many messages, they
//! all go by way of others, in two such exchanges ([`staged`]).
//!
//! A message of the next exchange may arrive while a slow rank still waits for the end of this one: exchanges alternate between two tags.

use crate::message::{Dealt, Inbox, Outbox};
use crate::{Transport, TransportError, staged};
use mpi::collective::{CommunicatorCollectives, SystemOperation};
use mpi::datatype::PartitionMut;
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::request::{Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Count, Rank, Tag};

/// What travels in the first step, from each rank to all.
const HEAD: usize = 64;
/// How much of a word to everybody fits into it, behind the length and the number of messages.
const INLINE: usize = HEAD - 8;

/// One rank's end, on a duplicate of the world.
pub struct MpiTransport {
    comm: SimpleCommunicator,
    exchanges: u64,
    left: bool,
    /// Messages go by way of others, however few there are.
    by_way: bool,
}

impl MpiTransport {
    /// All ranks of the world call this, after the library was initialised.
    pub fn new() -> Self {
        Self { comm: SimpleCommunicator::world().duplicate(), exchanges: 0, left: false, by_way: false }
    }

    /// Sends all messages by way of others, as otherwise only very many are: for tests. All ranks call this.
    #[doc(hidden)]
    pub fn always_by_way(&mut self) {
        self.by_way = true;
    }

    /// What everybody says to everybody, and how many messages there are in all.
    fn say(&self, all: &[u8], messages: usize) -> (Vec<Option<Vec<u8>>>, u64) {
        let size = self.size() as usize;
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&(all.len() as u32).to_le_bytes());
        head[4..8].copy_from_slice(&(messages as u32).to_le_bytes());
        let short = all.len().min(INLINE);
        head[8..8 + short].copy_from_slice(&all[..short]);
        let mut heads = vec![0u8; HEAD * size];
        self.comm.all_gather_into(&head[..], &mut heads[..]);
        let word = |head: &[u8], at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let lengths: Vec<usize> = heads.chunks_exact(HEAD).map(|head| word(head, 0) as usize).collect();
        let messages = heads.chunks_exact(HEAD).map(|head| u64::from(word(head, 4))).sum();
        if lengths.iter().all(|&length| length <= INLINE) {
            let words =
                heads.chunks_exact(HEAD).zip(&lengths).map(|(head, &length)| Some(head[8..8 + length].to_vec()));
            return (words.collect(), messages);
        }
        let counts: Vec<Count> = lengths.iter().map(|&length| length as Count).collect();
        let begins: Vec<Count> = counts.iter().scan(0, |at, &n| Some(std::mem::replace(at, *at + n))).collect();
        let mut words = vec![0u8; lengths.iter().sum()];
        self.comm.all_gather_varcount_into(all, &mut PartitionMut::new(&mut words[..], counts, &begins[..]));
        let word = |(&begin, &length): (&Count, &usize)| Some(words[begin as usize..begin as usize + length].to_vec());
        (begins.iter().zip(&lengths).map(word).collect(), messages)
    }

    /// Of each number, the least that a rank has. In the order of signed numbers, which MPICH 4.0 takes for unsigned ones too.
    fn least(&self, mine: impl Iterator<Item = u64>) -> Vec<u64> {
        const SIGN: u64 = 1 << 63;
        let mine: Vec<i64> = mine.map(|n| (n ^ SIGN) as i64).collect();
        let mut least = vec![0i64; mine.len()];
        self.comm.all_reduce_into(&mine[..], &mut least[..], SystemOperation::min());
        least.into_iter().map(|n| n as u64 ^ SIGN).collect()
    }

    /// That this can be sent.
    fn check(&self, out: &Outbox) -> Result<(), TransportError> {
        let (rank, size) = (self.rank(), self.size());
        if self.left {
            return Err(TransportError::Left { rank });
        }
        out.check_receivers(rank, size)?;
        let longest = out.to.iter().map(|(_, bytes)| bytes.len()).chain([out.all.len()]).max().unwrap_or(0);
        if longest > Count::MAX as usize {
            return Err(TransportError::TooLarge { rank, bytes: longest as u64, limit: Count::MAX as u32 });
        }
        Ok(())
    }

    /// Sends and receives until everybody's messages have arrived.
    fn pass(&mut self, to: &[(u32, Vec<u8>)]) -> Vec<(u32, Vec<u8>)> {
        let tag: Tag = (self.exchanges % 2) as Tag;
        self.exchanges += 1;
        let mut from = Vec::new();
        scope(|scope| {
            let mut sends: Vec<Option<Request<'_, [u8], _>>> = to
                .iter()
                .map(|(rank, bytes)| {
                    let there = self.comm.process_at_rank(*rank as Rank);
                    Some(there.immediate_synchronous_send_with_tag(scope, &bytes[..], tag))
                })
                .collect();
            let mut barrier = None;
            loop {
                while let Some(matched) = self.comm.any_process().immediate_matched_probe_with_tag(tag) {
                    let (bytes, status) = matched.matched_receive_vec::<u8>();
                    from.push((status.source_rank() as u32, bytes));
                }
                for send in &mut sends {
                    *send = send.take().and_then(|request| request.test().err());
                }
                sends.retain(Option::is_some);
                barrier = match barrier.take() {
                    None if sends.is_empty() => Some(self.comm.immediate_barrier()),
                    None => None,
                    Some(request) => match request.test() {
                        Ok(_) => break,
                        Err(request) => Some(request),
                    },
                };
                std::thread::yield_now();
            }
        });
        // By sender; messages of one sender come in the order of their sending.
        from.sort_by_key(|(rank, _)| *rank);
        from
    }
}

impl Default for MpiTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for MpiTransport {
    fn rank(&self) -> u32 {
        self.comm.rank() as u32
    }

    fn size(&self) -> u32 {
        self.comm.size() as u32
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        self.check(&out)?;
        let (all, messages) = self.say(&out.all, out.to.len());
        let from = if messages > 0 { self.pass(&out.to) } else { Vec::new() };
        Ok(Inbox { from, all })
    }

    fn deal(&mut self, to: Vec<(u32, Vec<u8>)>, mine: &[u64]) -> Result<Dealt, TransportError> {
        let out = Outbox { to, all: Vec::new() };
        self.check(&out)?;
        // Two numbers more: the most messages that one rank has, and the most bytes.
        let bytes: usize = out.to.iter().map(|(_, bytes)| bytes.len()).sum();
        let most = [out.to.len(), bytes].map(|n| u64::MAX - n as u64);
        let mut least = self.least(mine.iter().copied().chain(most));
        let [bytes, messages] = [least.pop(), least.pop()].map(|least| u64::MAX - least.unwrap_or(u64::MAX));
        let from = if messages == 0 {
            Vec::new()
        } else if self.by_way || staged::worth(messages, bytes, self.size()) {
            let came = self.pass(&staged::first(self.rank(), self.size(), &out.to));
            let came = self.pass(&staged::second(&came));
            let mut from = staged::last(&came);
            from.sort_by_key(|(rank, _)| *rank);
            from
        } else {
            self.pass(&out.to)
        };
        Ok(Dealt { from, least })
    }

    fn leave(&mut self, _last_word: &[u8]) -> Result<(), TransportError> {
        // Nobody listens: the ranks' files say what there is to say.
        self.left = true;
        Ok(())
    }

    fn note(&mut self, _bytes: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }
}
