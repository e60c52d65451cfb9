//! Probabilities and the factors they are multiplied with.

use std::fmt;

/// A probability, kept as its natural logarithm: after ten thousand back-offs it is still not rounded to zero, and a controller can
/// bring it back.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Chance(f64);

impl Chance {
    /// Always.
    pub const CERTAIN: Self = Self(0.0);
    /// Not once more.
    pub const NEVER: Self = Self(f64::NEG_INFINITY);

    /// From a probability; what is above 1 is certain.
    pub fn of(probability: f64) -> Self {
        Self(probability.clamp(0.0, 1.0).ln())
    }

    /// The probability.
    pub fn probability(self) -> f64 {
        self.0.exp()
    }

    /// A factor, so many times over.
    pub fn backed_off(factor: Factor, times: u64) -> Self {
        // 0 to the power of 0 is 1: the first time is certain.
        if times == 0 { Self::CERTAIN } else { Self(factor.value().ln() * times as f64) }
    }

    /// Scaled by a weight, given as a logarithm; at most certain.
    #[must_use]
    pub fn weighted(self, ln_weight: f64) -> Self {
        if self == Self::NEVER { self } else { Self((self.0 + ln_weight).min(0.0)) }
    }

    /// Whether it is all but certain.
    pub fn is_certain(self) -> bool {
        self.0 >= 0.0
    }

    /// Whether it will not happen.
    pub fn is_never(self) -> bool {
        self.0 == f64::NEG_INFINITY
    }

    /// The logarithm.
    pub fn ln(self) -> f64 {
        self.0
    }
}

/// A back-off factor: thousandths from 0 to 1, so that it is printed as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u16);

impl Factor {
    /// The first time only.
    pub const ZERO: Self = Self(0);
    /// No back-off.
    pub const ONE: Self = Self(1000);
    /// What the paper uses for functions.
    pub const HALF: Self = Self(500);
    /// What the paper uses for statements.
    pub const NINE_TENTHS: Self = Self(900);

    /// Thousandths.
    pub fn from_thousandths(thousandths: u16) -> Option<Self> {
        (thousandths <= 1000).then_some(Self(thousandths))
    }

    /// Reads `.5`, `0.5`, `0`, `1`; at most three digits after the point.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 3 || (whole.is_empty() && part.is_empty()) {
            return None;
        }
        let whole: u16 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part: u16 = format!("{part:0<3}").parse().ok()?;
        Self::from_thousandths(whole.checked_mul(1000)?.checked_add(part)?)
    }

    /// As a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            1000 => f.write_str("1"),
            part => f.write_str(format!(".{part:03}").trim_end_matches('0')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_printed_as_written() {
        for text in ["0", "1", ".5", ".25", ".001", ".999"] {
            assert_eq!(Factor::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Factor::parse("0.50"), Some(Factor::HALF));
        assert_eq!(Factor::parse("1."), Some(Factor::ONE));
        for wrong in ["", ".", "1.1", "2", "-1", ".1234", "x", "65536", "1e3", "66.0"] {
            assert_eq!(Factor::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn chances_do_not_run_out_of_digits() {
        let far = Chance::backed_off(Factor::HALF, 10_000);
        assert!(!far.is_never() && far.probability() < 1e-300);
        assert!((far.weighted(10_000.0 * 2_f64.ln()).probability() - 1.0).abs() < 1e-9);
        assert!(Chance::backed_off(Factor::ZERO, 0).is_certain());
        assert!(Chance::backed_off(Factor::ZERO, 1).weighted(1e9).is_never());
        assert!(Chance::of(0.0).is_never() && Chance::of(7.0).is_certain());
    }
}
