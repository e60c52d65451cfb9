//! How much the detector may cost: percent of the time that the program takes by itself.

use std::fmt;
use std::str::FromStr;

/// More than nothing, at most as much as the program itself: thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(u16);

/// Why it is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the budget `{0}` is not a share of the program's time: write more than 0 % and up to 100 %, for example 5% or 2.5%; to observe everything at \
     whatever cost, use the sampling policy full instead"
)]
pub struct BudgetError(String);

impl Budget {
    /// What is used if nothing else is said.
    pub const USUAL: Self = Self(50);

    /// From thousandths.
    pub fn from_thousandths(thousandths: u16) -> Option<Self> {
        (1..=1000).contains(&thousandths).then_some(Self(thousandths))
    }

    /// In thousandths.
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// As a fraction.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let error = || BudgetError(text.into());
        let number = text.trim().strip_suffix('%').ok_or_else(error)?.trim_end();
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() != 1 || whole.len() > 3 {
            return Err(error());
        }
        let (whole, part): (u16, u16) = (whole.parse().map_err(|_| error())?, part.parse().map_err(|_| error())?);
        Self::from_thousandths(whole * 10 + part).ok_or_else(error)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 10, self.0 % 10) {
            (whole, 0) => write!(f, "{whole}%"),
            (whole, part) => write!(f, "{whole}.{part}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent() {
        for (text, thousandths) in [("5%", 50), ("2.5 %", 25), ("100%", 1000), (" 0.1%", 1), ("50.0%", 500)] {
            assert_eq!(text.parse(), Ok(Budget(thousandths)), "{text}");
        }
        for wrong in ["0%", "0.0%", "-5%", "200%", "100.1%", "5", "%", "five%", "1.25%", "5%%", "", "99999999%", "1e1%"]
        {
            let error = wrong.parse::<Budget>().unwrap_err().to_string();
            assert!(error.contains("for example 5%"), "{wrong}: {error}");
        }
        assert_eq!([Budget(50), Budget(25)].map(|b| b.to_string()), ["5%", "2.5%"]);
    }
}
