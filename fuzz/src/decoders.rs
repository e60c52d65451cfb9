//! Bytes from outside: they may be refused, never believed, and never bring anything down.

use thrille_model::job::Entry;
use thrille_model::wire::{self, decode, encode, read_frames};
use thrille_model::{Access, Race, SyncEvent};
use thrille_transport::recode;

/// What can be decoded is what its encoding decodes to.
fn round_trip<T: serde_like::Value>(bytes: &[u8]) {
    if let Ok(value) = decode::<T>(bytes) {
        let again = decode::<T>(&encode(&value)).expect("an encoded value");
        assert!(value == again);
    }
}

mod serde_like {
    /// What the values of the format have in common.
    pub trait Value: serde::Serialize + serde::de::DeserializeOwned + PartialEq {}
    impl<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq> Value for T {}
}

/// Single values, as ranks exchange them: the version byte is put in front, or the fuzzer would have to guess it each time.
pub fn values(bytes: &[u8]) {
    let versioned = [&[wire::VERSION], bytes].concat();
    for bytes in [bytes, &versioned] {
        round_trip::<Race>(bytes);
        round_trip::<Vec<Access>>(bytes);
        round_trip::<Vec<SyncEvent>>(bytes);
        round_trip::<Entry>(bytes);
    }
}

/// Frames of the transport, in pieces of any length, with any limit: what comes out is a prefix of what went in.
pub fn frames(bytes: &[u8]) {
    let Some((&[piece, limit], frames)) = bytes.split_first_chunk::<2>() else { return };
    let limit = u32::from(limit) << 4;
    let (whole, error) = recode(frames, frames.len(), limit);
    assert!(frames.starts_with(&whole));
    assert_eq!(recode(frames, usize::from(piece), limit), (whole.clone(), error), "pieces make no difference");
    if error.is_none() {
        assert!(frames.len() - whole.len() < 5 + limit as usize, "no more than one frame is held back");
    }
}

/// A rank's file, and the report made of it: raw, and as frames with the right checksums.
pub fn reader(bytes: &[u8]) {
    let (values, _) = read_frames::<Entry>(&mut &bytes[..]);
    assert!(values.len() <= bytes.len());
    let mut framed = Vec::new();
    wire::write_head(&mut framed).expect("memory");
    // A length byte, then so many bytes as one frame.
    let mut rest = bytes;
    while let Some((&length, body)) = rest.split_first() {
        let (payload, after) = body.split_at(usize::from(length).min(body.len()));
        framed.extend(u32::try_from(payload.len() + 1).expect("short").to_le_bytes());
        let payload = [&[wire::VERSION], payload].concat();
        framed.extend(crc32fast::hash(&payload).to_le_bytes());
        framed.extend(payload);
        rest = after;
    }
    let _ = read_frames::<Entry>(&mut framed.as_slice());
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).expect("a file");
    write("rank-0.thr", &framed);
    write("rank-1.thr", bytes);
    write("run.json", bytes);
    if let Ok(report) = thrille_report::Report::from_run_dir(dir.path()) {
        let _ = (report.text(thrille_report::Colour::Never), report.json());
    }
}
