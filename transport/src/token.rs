//! The shared secret of a run: 32 random bytes that only the launcher and the processes it started know.
//!
//! Any user of the machine can connect to a port on the loopback interface; the token is what keeps them out. It is
//! compared in constant time and never shown by `Debug`.

use std::{fmt, fs::File, hint::black_box, io, io::Read, str::FromStr};

/// 32 random bytes. `Display` and `FromStr` write and read them as 64 hexadecimal digits; `Debug` hides them.
#[derive(Clone)]
pub struct Token([u8; Token::LEN]);

impl Token {
    /// Length in bytes.
    pub const LEN: usize = 32;

    /// A new token from the operating system's random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; Self::LEN];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Whether these are the token's bytes; the time taken does not depend on where they differ.
    pub fn matches(&self, bytes: &[u8; Self::LEN]) -> bool {
        let difference = self.0.iter().zip(bytes).fold(0, |difference, (a, b)| black_box(difference | (a ^ b)));
        difference == 0
    }

    pub(crate) const fn bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.matches(&other.0)
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The text is no token. It is not repeated: it may be most of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is 64 hexadecimal digits, nothing else; pass on the one that the launcher printed, unchanged")]
pub struct TokenError;

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(TokenError);
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != Self::LEN || !rest.is_empty() {
            return Err(TokenError);
        }
        let mut bytes = [0; Self::LEN];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4 | digit(*low)?) as u8;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn random_tokens_differ_and_round_trip() {
        let (one, two) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.to_string().parse::<Token>().unwrap(), one);
        assert_eq!(one.to_string().to_uppercase().parse::<Token>().unwrap(), one);
    }

    #[test]
    fn debug_hides_it() {
        let token = Token::random().unwrap();
        assert!(!format!("{token:?}").contains(&token.to_string()[..4]));
    }

    #[test]
    fn every_bit_counts() {
        let token = Token::random().unwrap();
        for bit in 0..Token::LEN * 8 {
            let mut bytes = *token.bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!token.matches(&bytes));
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = text.parse::<Token>();
        }

        #[test]
        fn only_64_digits_are_a_token(text in "[0-9a-f]{0,80}") {
            prop_assert_eq!(text.parse::<Token>().is_ok(), text.len() == 64);
        }
    }
}
