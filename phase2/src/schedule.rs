//! A confirmation as a value that can be printed, read again and carried out: which execution of which strand met which.
//!
//! `thr3-` and hexadecimal digits: the value's bytes in the format of `thrille_model::wire`, and their checksum. The digit in front is
//! the version of this form.

use crate::candidate::{Side, Spot};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thrille_model::{Strand, wire};

const PREFIX: &str = "thr3-";

/// One side of the meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// Where.
    pub spot: Spot,
    /// Who. Of a task, the thread that had it.
    pub strand: Strand,
    /// The task, by how it came to be: whichever thread gets it the next time.
    pub task: Option<TaskName>,
    /// Its n-th execution of the place, from 1.
    pub times: u32,
    /// Global barriers that it had passed.
    pub phase: u64,
    /// Offsets in the object, if that is known to be the same in every run.
    pub bytes: Option<(u64, u64)>,
}

impl Turn {
    /// Whether an execution is this one, or a later one of the same strand or task.
    pub fn includes(&self, strand: Strand, task: Option<TaskName>, times: u32) -> bool {
        let same = if self.task.is_some() { strand.rank == self.strand.rank } else { strand == self.strand };
        same && task == self.task && times >= self.times
    }
}

/// A task of a rank, known by its creator and which of its creator's tasks it is, and so on up to the program's begin: a hash of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskName(pub u64);

/// A strand that waits when it comes to a phase, or begins in a later one, until the others have done what they can without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Late {
    /// Who.
    pub strand: Strand,
    /// Global barriers that it has passed.
    pub phase: u64,
}

/// What was done to make two accesses meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Schedule {
    /// How many ranks the program ran on.
    pub ranks: u32,
    /// Side a.
    pub a: Turn,
    /// Side b.
    pub b: Turn,
    /// Who went first, if that was settled.
    pub first: Option<Side>,
    /// Who is late, so that the other is the first to get what both want.
    pub late: Option<Late>,
}

impl Schedule {
    /// A side.
    pub fn turn(&self, side: Side) -> &Turn {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Something else.
    #[error(
        "not a schedule: one begins with {PREFIX} and is printed by the report behind `thrille confirm --replay`; copy all of it"
    )]
    Foreign,
    /// Another version's.
    #[error("this schedule was printed by another version of thrille: confirm the race again with this one")]
    Version,
    /// Not all of it, or changed.
    #[error("this schedule is damaged: copy all of the text that the report prints behind `thrille confirm --replay`")]
    Damaged,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = wire::encode(self);
        f.write_str(PREFIX)?;
        bytes.iter().chain(&crc32fast::hash(&bytes).to_le_bytes()).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let text = text.trim();
        let digits = match text.strip_prefix(PREFIX) {
            Some(digits) => digits.as_bytes(),
            None if text.starts_with("thr") && text.contains('-') => return Err(ScheduleError::Version),
            None => return Err(ScheduleError::Foreign),
        };
        let (pairs, rest) = digits.as_chunks::<2>();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |&[high, low]: &[u8; 2]| Some((digit(high)? << 4 | digit(low)?) as u8);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        let bytes = bytes.filter(|_| rest.is_empty()).ok_or(ScheduleError::Damaged)?;
        let (value, sum) = bytes.split_last_chunk::<4>().ok_or(ScheduleError::Damaged)?;
        if crc32fast::hash(value) != u32::from_le_bytes(*sum) {
            return Err(ScheduleError::Damaged);
        }
        wire::decode(value).map_err(|error| match error {
            wire::WireError::Version { .. } => ScheduleError::Version,
            _ => ScheduleError::Damaged,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use thrille_model::{Act, Rank, Site};

    fn turns() -> impl Strategy<Value = Turn> {
        let who = (any::<u32>(), any::<u32>(), any::<Option<u64>>());
        let bytes = any::<Option<(u64, u64)>>();
        (any::<u64>(), any::<u64>(), who, any::<u32>(), any::<u64>(), bytes).prop_map(
            |(module, offset, (rank, index, task), times, phase, bytes)| Turn {
                spot: (Site { module, offset }, Act::Put),
                strand: Strand { rank: Rank(rank), index },
                task: task.map(TaskName),
                times,
                phase,
                bytes,
            },
        )
    }

    proptest! {
        #[test]
        fn printed_and_read_again(a in turns(), b in turns(), ranks in any::<u32>(), first in any::<Option<bool>>()) {
            let first = first.map(|a| if a { Side::A } else { Side::B });
            let late = Some(Late { strand: a.strand, phase: a.spot.0.offset });
            let schedule = Schedule { ranks, a, b, first, late };
            let text = schedule.to_string();
            prop_assert_eq!(text.parse::<Schedule>(), Ok(schedule));
            prop_assert_eq!(text[..text.len() - 2].parse::<Schedule>(), Err(ScheduleError::Damaged));
        }

        #[test]
        fn no_text_panics(text in ".{0,60}", digits in "thr3-[0-9a-f]{0,60}") {
            prop_assert!(text.parse::<Schedule>().is_err());
            prop_assert!(digits.parse::<Schedule>().is_err());
        }
    }

    #[test]
    fn each_mistake_has_its_line() {
        assert_eq!("xyz".parse::<Schedule>(), Err(ScheduleError::Foreign));
        assert_eq!("thr2-00".parse::<Schedule>(), Err(ScheduleError::Version));
        assert_eq!("thr3-0".parse::<Schedule>(), Err(ScheduleError::Damaged));
    }

    #[test]
    fn a_task_is_itself_on_any_thread_and_a_thread_is_none_of_its_tasks() {
        let on = |index| Strand { rank: Rank(1), index };
        let spot = (Site { module: 1, offset: 2 }, Act::Store);
        let thread = Turn { spot, strand: on(2), task: None, times: 3, phase: 0, bytes: None };
        assert!(thread.includes(on(2), None, 3) && thread.includes(on(2), None, 9));
        assert!(!thread.includes(on(2), None, 2) && !thread.includes(on(1), None, 3));
        assert!(!thread.includes(on(2), Some(TaskName(7)), 3));
        let task = Turn { task: Some(TaskName(7)), ..thread };
        assert!(task.includes(on(0), Some(TaskName(7)), 3) && !task.includes(on(2), Some(TaskName(8)), 3));
        assert!(
            !task.includes(Strand { rank: Rank(0), index: 2 }, Some(TaskName(7)), 3) && !task.includes(on(2), None, 3)
        );
    }
}
