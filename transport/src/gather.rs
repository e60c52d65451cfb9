//! The round itself, without any input or output: gathers one outbox from each rank present, then deals them out.
//!
//! | a seat is | meaning | changes to |
//! |---|---|---|
//! | `Silent` | present, has not spoken in this round | `Spoke` (speak), `Gone` (leave) |
//! | `Spoke` | present, waits for the others | `Silent` (the round turns), `Gone` (leave) |
//! | `Gone` | left or lost | nothing |
//!
//! The round turns when no seat is `Silent` and one at least `Spoke`. Invariant: `silent` and `spoke` count those seats.
//! A rank that goes after it spoke, before the round turned, is silent in that round too: its words are dropped for
//! all, so that everybody sees the same ranks present.

use crate::message::Outbox;

/// Messages, each with the rank that sent it.
pub type Mail = Vec<(u32, Vec<u8>)>;

/// What a completed round deals out.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    /// The number of the round that ended.
    pub round: u64,
    /// What each rank said to everybody.
    pub said: Vec<Option<Vec<u8>>>,
    /// For each rank present, what was sent to it, sorted by sender.
    pub sent: Vec<(u32, Mail)>,
}

/// A rank spoke for another round than the current one, or twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfStep {
    /// The round that the others are in.
    pub current: u64,
}

enum Seat {
    Silent,
    Spoke(Outbox),
    Gone,
}

/// One round in the making.
pub struct Gather {
    round: u64,
    seats: Vec<Seat>,
    silent: usize,
    spoke: usize,
}

impl Gather {
    /// Round 0 of `size` ranks, all present.
    pub fn new(size: u32) -> Self {
        let seats: Vec<_> = (0..size).map(|_| Seat::Silent).collect();
        Self { round: 0, silent: seats.len(), spoke: 0, seats }
    }

    /// The number of the current round.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Whether this rank has spoken in the current round and waits for the others.
    pub fn waits(&self, rank: u32) -> bool {
        matches!(self.seats.get(rank as usize), Some(Seat::Spoke(_)))
    }

    /// A rank speaks; the turn, if it was the last.
    pub fn speak(&mut self, rank: u32, round: u64, out: Outbox) -> Result<Option<Turn>, OutOfStep> {
        match self.seats.get_mut(rank as usize) {
            Some(seat @ Seat::Silent) if round == self.round => *seat = Seat::Spoke(out),
            _ => return Err(OutOfStep { current: self.round }),
        }
        self.silent -= 1;
        self.spoke += 1;
        Ok(self.turn())
    }

    /// A rank is gone; the turn, if it was the last that the others waited for.
    pub fn leave(&mut self, rank: u32) -> Option<Turn> {
        let seat = self.seats.get_mut(rank as usize)?;
        match std::mem::replace(seat, Seat::Gone) {
            Seat::Silent => self.silent -= 1,
            Seat::Spoke(_) => self.spoke -= 1,
            Seat::Gone => return None,
        }
        self.turn()
    }

    fn turn(&mut self) -> Option<Turn> {
        if self.silent > 0 || self.spoke == 0 {
            return None;
        }
        let mut said = Vec::with_capacity(self.seats.len());
        let mut sent: Vec<_> = self.seats.iter().map(|seat| matches!(seat, Seat::Spoke(_)).then(Vec::new)).collect();
        for (rank, seat) in (0..).zip(&mut self.seats) {
            let Seat::Spoke(out) = seat else {
                said.push(None);
                continue;
            };
            let Outbox { to, all } = std::mem::take(out);
            *seat = Seat::Silent;
            said.push(Some(all));
            for (receiver, bytes) in to {
                if let Some(Some(inbox)) = sent.get_mut(receiver as usize) {
                    inbox.push((rank, bytes));
                }
            }
        }
        let sent = (0..).zip(sent).filter_map(|(rank, inbox)| Some((rank, inbox?))).collect();
        (self.silent, self.spoke) = (self.spoke, 0);
        self.round += 1;
        Some(Turn { round: self.round - 1, said, sent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_when_the_last_has_spoken() {
        let mut gather = Gather::new(2);
        assert_eq!(gather.speak(1, 0, Outbox::new().to(0, "a").to(1, "b").to(0, "c").all("x")), Ok(None));
        assert!(gather.waits(1) && !gather.waits(0));
        let turn = gather.speak(0, 0, Outbox::new().to(0, "d")).unwrap().unwrap();
        assert_eq!(turn.round, 0);
        assert_eq!(turn.said, [Some(vec![]), Some(b"x".to_vec())]);
        assert_eq!(turn.sent[0], (0, vec![(0, b"d".to_vec()), (1, b"a".to_vec()), (1, b"c".to_vec())]));
        assert_eq!(turn.sent[1], (1, vec![(1, b"b".to_vec())]));
        assert_eq!(gather.round(), 1);
    }

    #[test]
    fn out_of_step_changes_nothing() {
        let mut gather = Gather::new(2);
        assert_eq!(gather.speak(0, 1, Outbox::new()), Err(OutOfStep { current: 0 }));
        assert_eq!(gather.speak(0, 0, Outbox::new()), Ok(None));
        assert_eq!(gather.speak(0, 0, Outbox::new()), Err(OutOfStep { current: 0 }));
        assert_eq!(gather.speak(7, 0, Outbox::new()), Err(OutOfStep { current: 0 }));
        assert!(gather.speak(1, 0, Outbox::new()).unwrap().is_some());
    }

    #[test]
    fn one_that_goes_ends_the_wait_and_takes_its_words_along() {
        let mut gather = Gather::new(3);
        assert_eq!(gather.speak(0, 0, Outbox::new().to(1, "lost").all("lost")), Ok(None));
        assert_eq!(gather.leave(0), None);
        assert_eq!(gather.leave(0), None);
        assert_eq!(gather.speak(1, 0, Outbox::new().to(0, "nobody").all("here")), Ok(None));
        let turn = gather.leave(2).unwrap();
        assert_eq!(turn.said, [None, Some(b"here".to_vec()), None]);
        assert_eq!(turn.sent, [(1, vec![])]);
        assert_eq!(gather.leave(1), None);
    }
}
