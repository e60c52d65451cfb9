//! Policies by their names.
//!
//! ```text
//! full                      every access
//! NL                        no local accesses: calls only
//! I [A] [/S]                instruction              IA, I/.8
//! F [A] [F]                 function                 FA0, F.5
//! H [A] [F] [/S]            hierarchical             HA.5, HA, H1/.5
//! B [A]                     bursty
//! P [A]                     proportional per region stack
//! K k [A] [F] [/S]          k-region context         K2A.5
//! M [A] [/S]                proportional functions, exponential statements
//! ```
//!
//! A: with the locality cache. F and S: back-off factors of functions (.5) and statements (.9), from 0 (the first time only) to 1 (no
//! back-off). A name is printed as it was written, but for factors, which are printed shortest.

use crate::chance::Factor;
use crate::policies::{Bursty, Context, Function, Hierarchical, Instruction, Mixed, Stack};
use crate::policy::Policy;
use std::fmt;
use std::str::FromStr;

/// What of the program's loads and stores is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Everything.
    Full,
    /// Nothing: calls only.
    NoLocal,
    /// What a policy chooses.
    By(Name),
}

/// The policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// I.
    Instruction,
    /// F.
    Function,
    /// H.
    Hierarchical,
    /// B.
    Bursty,
    /// P.
    Stack,
    /// K, with its k.
    Context(u8),
    /// M.
    Mixed,
}

/// A policy with all that its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which policy.
    pub family: Family,
    /// Whether the locality cache is used.
    pub cache: bool,
    function: Option<Factor>,
    statement: Option<Factor>,
}

/// Why a name is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is none that begins like this.
    #[error(
        "there is no sampling policy `{0}`: full, NL, I, F, H, B, P, K<k> and M are, with A for the locality cache and back-off factors, for \
         example HA.5, FA0, IA/.9, K2A"
    )]
    Unknown(String),
    /// What stands where a factor should.
    #[error(
        "sampling policy `{0}`: `{1}` is not a back-off factor: a number from 0 to 1 with up to three digits, for example .5, is"
    )]
    Factor(String, String),
    /// A factor that the policy has no use for.
    #[error("sampling policy `{0}`: {1}")]
    Useless(String, &'static str),
    /// A context of no or too many functions.
    #[error(
        "sampling policy `{0}`: k is the number of functions that tell contexts apart, from 1 to 9, for example K2A"
    )]
    K(String),
}

impl Family {
    fn letter(self) -> char {
        match self {
            Self::Instruction => 'I',
            Self::Function => 'F',
            Self::Hierarchical => 'H',
            Self::Bursty => 'B',
            Self::Stack => 'P',
            Self::Context(_) => 'K',
            Self::Mixed => 'M',
        }
    }

    fn backs_off_functions(self) -> bool {
        matches!(self, Self::Function | Self::Hierarchical | Self::Context(_))
    }

    fn backs_off_statements(self) -> bool {
        matches!(self, Self::Instruction | Self::Hierarchical | Self::Context(_) | Self::Mixed)
    }
}

impl Name {
    /// `HA`: hierarchical, with the locality cache.
    pub const HA: Self = Self { family: Family::Hierarchical, cache: true, function: None, statement: None };

    /// The policy.
    pub fn policy(&self) -> Box<dyn Policy> {
        let function = self.function.unwrap_or(Factor::HALF);
        let statement = self.statement.unwrap_or(Factor::NINE_TENTHS);
        match self.family {
            Family::Instruction => Box::new(Instruction { statement }),
            Family::Function => Box::new(Function { function }),
            Family::Hierarchical => Box::new(Hierarchical { function, statement }),
            Family::Bursty => Box::new(Bursty),
            Family::Stack => Box::new(Stack),
            Family::Context(k) => Box::new(Context { k, function, statement }),
            Family::Mixed => Box::new(Mixed { statement }),
        }
    }
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let unknown = || NameError::Unknown(text.into());
        let mut rest = text.chars();
        let family = match rest.next() {
            Some('I') => Family::Instruction,
            Some('F') => Family::Function,
            Some('H') => Family::Hierarchical,
            Some('B') => Family::Bursty,
            Some('P') => Family::Stack,
            Some('M') => Family::Mixed,
            Some('K') => match rest.next().and_then(|k| k.to_digit(10)) {
                Some(k @ 1..=9) => Family::Context(k as u8),
                _ => return Err(NameError::K(text.into())),
            },
            _ => return Err(unknown()),
        };
        let rest = rest.as_str();
        let (cache, rest) = rest.strip_prefix('A').map_or((false, rest), |rest| (true, rest));
        if rest.starts_with(|c: char| c.is_alphabetic()) {
            return Err(unknown());
        }
        let (function, statement) = match rest.split_once('/') {
            Some((function, statement)) => (function, Some(statement)),
            None => (rest, None),
        };
        let factor =
            |text_of: &str| Factor::parse(text_of).ok_or_else(|| NameError::Factor(text.into(), text_of.into()));
        let function = if function.is_empty() { None } else { Some(factor(function)?) };
        let statement = statement.map(factor).transpose()?;
        if function.is_some() && !family.backs_off_functions() {
            let what =
                "it does not back off functions; a factor for statements stands after a slash, for example IA/.9";
            return Err(NameError::Useless(text.into(), what));
        }
        if statement.is_some() && !family.backs_off_statements() {
            return Err(NameError::Useless(text.into(), "it takes all statements of a call, none by a factor"));
        }
        Ok(Self { family, cache, function, statement })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.family.letter())?;
        if let Family::Context(k) = self.family {
            write!(f, "{k}")?;
        }
        if self.cache {
            f.write_str("A")?;
        }
        if let Some(factor) = self.function {
            write!(f, "{factor}")?;
        }
        self.statement.map_or(Ok(()), |factor| write!(f, "/{factor}"))
    }
}

impl FromStr for Sampling {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text {
            "full" => Ok(Self::Full),
            "NL" => Ok(Self::NoLocal),
            name => name.parse().map(Self::By),
        }
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("full"),
            Self::NoLocal => f.write_str("NL"),
            Self::By(name) => name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::History;

    #[test]
    fn names_are_printed_as_written() {
        for name in [
            "full",
            "NL",
            "I",
            "IA",
            "I/.8",
            "F",
            "FA0",
            "F.5",
            "FA.5",
            "H",
            "HA",
            "H0",
            "H1",
            "HA.5",
            "HA.25/.75",
            "HA/.5",
            "B",
            "BA",
            "P",
            "PA",
            "K1",
            "K2A.5",
            "K9/0",
            "M",
            "MA/.5",
        ] {
            assert_eq!(name.parse::<Sampling>().map(|sampling| sampling.to_string()).as_deref(), Ok(name));
        }
    }

    #[test]
    fn mistakes_have_their_words() {
        for (name, word) in [
            ("", "HA.5"),
            ("some", "no sampling policy `some`"),
            ("Full", "full, NL, I, F, H"),
            ("NLA", "no sampling policy"),
            ("HA2", "`2` is not a back-off factor"),
            ("HA-.5", "from 0 to 1"),
            ("H.5x", "`.5x`"),
            ("HA/", "`` is not"),
            ("I.5", "does not back off functions"),
            ("F/.5", "all statements"),
            ("B.5", "does not back off functions"),
            ("HB", "no sampling policy"),
            ("K", "from 1 to 9"),
            ("K0A", "from 1 to 9"),
        ] {
            let error = name.parse::<Sampling>().unwrap_err().to_string();
            assert!(error.contains(word), "{name}: {error}");
        }
    }

    #[test]
    fn factors_mean_what_the_paper_says() {
        let chances = |name: &str, taken| {
            let policy = name.parse::<Name>().unwrap().policy();
            let history = History { met: 100, taken };
            (policy.function(history).probability(), policy.statement(history).probability())
        };
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9;
        assert!(close(chances("I", 2), (1.0, 0.81)));
        assert!(close(chances("F", 2), (0.25, 1.0)));
        assert!(close(chances("FA0", 1), (0.0, 1.0)));
        assert!(close(chances("H1", 7), (1.0, 0.9_f64.powi(7))), "H1 is I");
        assert!(close(chances("HA.5/.5", 1), (0.5, 0.5)));
        assert!(close(chances("K2A.5", 2), (0.25, 0.81)));
        assert!(close(chances("P", 3), (0.08, 1.0)));
        assert!(close(chances("M", 1), (0.08, 0.9)));
    }
}
