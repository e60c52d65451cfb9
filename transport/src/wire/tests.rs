//! The codec against itself, and against bytes that nobody would send.

use proptest::{collection::vec, prelude::*};

use super::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200)
}

fn frame() -> impl Strategy<Value = Frame<Vec<u8>>> {
    prop_oneof![
        (any::<u32>(), bytes()).prop_map(|(rank, bytes)| Frame::To { rank, bytes }),
        (any::<u64>(), bytes()).prop_map(|(round, all)| Frame::Round { round, all }),
        bytes().prop_map(Frame::Note),
        bytes().prop_map(Frame::Leave),
        any::<u32>().prop_map(|limit| Frame::Welcome { limit }),
        (any::<u32>(), bytes()).prop_map(|(rank, bytes)| Frame::Said { rank, bytes }),
        (any::<u32>(), bytes()).prop_map(|(rank, bytes)| Frame::From { rank, bytes }),
        any::<u64>().prop_map(|round| Frame::Turn { round }),
        Just(Frame::Alive),
        bytes().prop_map(Frame::Refused),
        Just(Frame::Farewell),
    ]
}

fn encode(frames: &[Frame<Vec<u8>>]) -> Vec<u8> {
    let mut out = Vec::new();
    for frame in frames {
        let before = out.len();
        frame.encode(&mut out);
        assert_eq!((out.len() - before) as u64, frame.wire_len());
    }
    out
}

/// Feeds the bytes in pieces of at most `piece`; the frames before the first error, and whether there was one.
/// Checks on the way that the decoder holds no more than what it was fed justifies.
fn decode(mut input: &[u8], piece: usize, limit: u32) -> (Vec<Frame<Vec<u8>>>, Option<WireError>) {
    let (mut decoder, mut frames, mut fed) = (Decoder::new(limit), Vec::new(), 0);
    while !input.is_empty() {
        let (mut now, later) = input.split_at(piece.min(input.len()));
        fed += now.len();
        while !now.is_empty() {
            let before = now.len();
            match decoder.push(&mut now) {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => assert!(now.is_empty()),
                Err(error) => return (frames, Some(error)),
            }
            assert!(now.len() < before, "no progress");
            assert!(decoder.payload.capacity() <= 2 * fed.max(8), "{} for {fed}", decoder.payload.capacity());
        }
        input = later;
    }
    (frames, None)
}

proptest! {
    #[test]
    fn round_trip_in_any_pieces(frames in vec(frame(), 0..8), piece in 1_usize..300) {
        prop_assert_eq!(decode(&encode(&frames), piece, 1 << 20), (frames, None));
    }

    #[test]
    fn random_bytes_do_no_harm(input in vec(any::<u8>(), 0..600), piece in 1_usize..300, limit: u32) {
        decode(&input, piece, limit);
    }

    /// Random bytes rarely get past the length field; these do.
    #[test]
    fn random_payloads_do_no_harm(kind: u8, payload in vec(any::<u8>(), 0..40)) {
        let _ = Frame::parse(kind, payload);
    }

    #[test]
    fn truncated_is_a_prefix(frames in vec(frame(), 1..6), cut in any::<prop::sample::Index>()) {
        let whole = encode(&frames);
        let (some, error) = decode(&whole[..cut.index(whole.len())], 64, 1 << 20);
        prop_assert_eq!(error, None);
        prop_assert!(some.len() < frames.len() && frames.starts_with(&some));
    }

    #[test]
    fn a_flipped_bit_does_no_harm(frames in vec(frame(), 1..6), flip in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut bytes = encode(&frames);
        let at = flip.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        decode(&bytes, 64, 1 << 20);
    }

    #[test]
    fn any_greeting_is_read_back(rank: u32, size: u32) {
        let token = Token::random().unwrap();
        let bytes = greeting(&token, Claim { rank, size });
        let (first, rest) = bytes.split_first_chunk().unwrap();
        let (secret, seat) = rest.split_first_chunk().unwrap();
        prop_assert_eq!(opening(*first), Some(VERSION));
        prop_assert!(token.matches(secret));
        prop_assert_eq!(Claim::decode(seat.try_into().unwrap()), Claim { rank, size });
    }

    #[test]
    fn any_opening_does_no_harm(bytes: [u8; OPENING_LEN]) {
        opening(bytes);
    }
}

#[test]
fn the_bytes_are_what_the_table_says() {
    let bytes = encode(&[Frame::To { rank: 7, bytes: b"hi".to_vec() }, Frame::Turn { round: 258 }, Frame::Alive]);
    assert_eq!(bytes, b"\x06\0\0\0\x01\x07\0\0\0hi\x08\0\0\0\x13\x02\x01\0\0\0\0\0\0\0\0\0\0\x14");
}

#[test]
fn a_huge_length_allocates_nothing() {
    let mut decoder = Decoder::new(u32::MAX);
    assert_eq!(decoder.push(&mut &b"\xff\xff\xff\xff\x03ab"[..]), Ok(None));
    assert!(decoder.payload.capacity() < 64);
    let error = WireError::TooLong { length: 11, limit: 10 };
    assert_eq!(Decoder::new(10).push(&mut &b"\x0b\0\0\0\x03"[..]), Err(error));
}

#[test]
fn wrong_lengths_are_named() {
    assert_eq!(Frame::parse(1, vec![0; 3]), Err(WireError::WrongLength(1)));
    assert_eq!(Frame::parse(20, vec![0]), Err(WireError::WrongLength(20)));
    assert_eq!(Frame::parse(19, vec![0; 9]), Err(WireError::WrongLength(19)));
    assert_eq!(Frame::parse(99, vec![]), Err(WireError::UnknownKind(99)));
}
