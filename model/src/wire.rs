//! The one byte format: a version byte, then the value; and files of checked frames.
//!
//! bincode stands behind this module only, so that it can be replaced.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};

/// The format's version: the first byte of every encoded value.
pub const VERSION: u8 = 6;

/// First bytes of every file of frames.
pub const MAGIC: [u8; 8] = *b"THRILLE\x01";

/// The largest frame anybody may write or believe.
pub const MAX_FRAME: usize = 1 << 30;

/// Why bytes could not be understood.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Written by another version of the tool.
    #[error("record format {found}, this tool reads {VERSION}: use one version of thrille for running and reporting")]
    Version {
        /// The version byte met.
        found: u8,
    },
    /// Not what the type says.
    #[error("corrupt record: {0}")]
    Corrupt(String),
    /// The file ends within a frame.
    #[error("record stream cut off after {0} whole frames: the process that wrote it was stopped")]
    Truncated(usize),
    /// Not a file of frames.
    #[error("not a thrille record stream")]
    Foreign,
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bytes of a value.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    // The types of this crate have no way to fail: no maps with unknown length, no foreign serialisers.
    if bincode::serde::encode_into_std_write(value, &mut bytes, bincode::config::standard()).is_err() {
        bytes.truncate(1);
    }
    bytes
}

/// The same without memory of its own: how many bytes, if there is room for them.
pub fn encode_into<T: Serialize>(value: &T, bytes: &mut [u8]) -> Option<usize> {
    let (version, rest) = bytes.split_first_mut()?;
    *version = VERSION;
    bincode::serde::encode_into_slice(value, rest, bincode::config::standard()).ok().map(|len| len + 1)
}

/// The value of some bytes, all of which must be used.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    let (&version, rest) = bytes.split_first().ok_or_else(|| WireError::Corrupt("no bytes".into()))?;
    if version != VERSION {
        return Err(WireError::Version { found: version });
    }
    let config = bincode::config::standard().with_limit::<MAX_FRAME>();
    let (value, used) =
        bincode::serde::decode_from_slice(rest, config).map_err(|e| WireError::Corrupt(e.to_string()))?;
    if used == rest.len() {
        Ok(value)
    } else {
        Err(WireError::Corrupt(format!("{} bytes too many", rest.len() - used)))
    }
}

/// Writes the head of a file of frames.
pub fn write_head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&MAGIC)
}

/// Appends one value as a frame: length, checksum, bytes; in one write, so that a frame is whole or at the very end.
pub fn write_frame<T: Serialize>(out: &mut impl Write, value: &T) -> io::Result<()> {
    let payload = encode(value);
    let mut frame = Vec::with_capacity(payload.len() + 8);
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
    frame.extend_from_slice(&payload);
    out.write_all(&frame)
}

/// Reads a whole file of frames. What was read before an error comes back with it: nothing found is lost.
pub fn read_frames<T: DeserializeOwned>(input: &mut impl Read) -> (Vec<T>, Option<WireError>) {
    let mut values = Vec::new();
    let mut bytes = Vec::new();
    if let Err(error) = input.read_to_end(&mut bytes) {
        return (values, Some(error.into()));
    }
    let Some(mut rest) = bytes.strip_prefix(&MAGIC) else { return (values, Some(WireError::Foreign)) };
    while !rest.is_empty() {
        let Some((head, body)) = rest.split_at_checked(8) else { return cut(values) };
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let sum = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let Some((payload, after)) = body.split_at_checked(len) else { return cut(values) };
        if crc32fast::hash(payload) != sum {
            let error = WireError::Corrupt(format!("checksum of frame {} is wrong", values.len()));
            return (values, Some(error));
        }
        match decode(payload) {
            Ok(value) => values.push(value),
            Err(error) => return (values, Some(error)),
        }
        rest = after;
    }
    (values, None)
}

fn cut<T>(values: Vec<T>) -> (Vec<T>, Option<WireError>) {
    let whole = values.len();
    (values, Some(WireError::Truncated(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strand::{Rank, Strand};
    use proptest::prelude::*;

    fn file(values: &[Strand]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_head(&mut bytes).unwrap();
        for value in values {
            write_frame(&mut bytes, value).unwrap();
        }
        bytes
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let mut bytes = encode(&Rank(7));
        assert_eq!(decode::<Rank>(&bytes).unwrap(), Rank(7));
        bytes[0] = 99;
        assert!(matches!(decode::<Rank>(&bytes), Err(WireError::Version { found: 99 })));
    }

    proptest! {
        #[test]
        fn whole_frames_survive_a_cut(ranks in prop::collection::vec(any::<u32>(), 1..20), cut in any::<prop::sample::Index>()) {
            let values: Vec<Strand> = ranks.iter().map(|&r| Strand { rank: Rank(r), index: r ^ 5 }).collect();
            let bytes = file(&values);
            let (all, error) = read_frames::<Strand>(&mut bytes.as_slice());
            prop_assert!(error.is_none());
            prop_assert_eq!(&all, &values);
            let cut = cut.index(bytes.len());
            let (some, error) = read_frames::<Strand>(&mut &bytes[..cut]);
            prop_assert_eq!(&some[..], &values[..some.len()]);
            prop_assert!(error.is_some() || file(&values[..some.len()]).len() == cut);
        }

        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), flip in any::<prop::sample::Index>()) {
            let _ = decode::<crate::race::Race>(&bytes);
            let _ = decode::<Vec<crate::access::Access>>(&bytes);
            let mut good = file(&[Strand { rank: Rank(1), index: 2 }, Strand { rank: Rank(3), index: 4 }]);
            let at = flip.index(good.len());
            good[at] ^= bytes.first().copied().unwrap_or(1).max(1);
            let (values, error) = read_frames::<Strand>(&mut good.as_slice());
            prop_assert!(error.is_some());
            prop_assert!(values.len() < 2);
        }
    }
}
