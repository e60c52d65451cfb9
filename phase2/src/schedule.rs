//! A confirmation as a value that can be printed, read again and carried out: which execution of which strand met which.
//!
//! `thr2-` and hexadecimal digits: the value's bytes in the format of `thrille_model::wire`, and their checksum. The digit in front is
//! the version of this form.

use crate::candidate::{Side, Spot};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thrille_model::{Strand, wire};

const PREFIX: &str = "thr2-";

/// One side of the meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Turn {
    /// Where.
    pub spot: Spot,
    /// Who.
    pub strand: Strand,
    /// Its n-th execution of the place, from 1.
    pub times: u32,
}

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
        (any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>(), any::<u32>()).prop_map(
            |(module, offset, rank, index, times)| Turn {
                spot: (Site { module, offset }, Act::Put),
                strand: Strand { rank: Rank(rank), index },
                times,
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
        fn no_text_panics(text in ".{0,60}", digits in "thr2-[0-9a-f]{0,60}") {
            prop_assert!(text.parse::<Schedule>().is_err());
            prop_assert!(digits.parse::<Schedule>().is_err());
        }
    }

    #[test]
    fn each_mistake_has_its_line() {
        assert_eq!("xyz".parse::<Schedule>(), Err(ScheduleError::Foreign));
        assert_eq!("thr1-00".parse::<Schedule>(), Err(ScheduleError::Version));
        assert_eq!("thr2-0".parse::<Schedule>(), Err(ScheduleError::Damaged));
    }
}
