//! What can be switched, for tests and measurements: words in `THRILLE_PLUGIN`, separated by commas.

/// Which checks may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eliminate {
    /// None.
    Nothing,
    /// Those that an equal or stronger one of the same source line stands for: no pair of lines is lost.
    SameLine,
    /// Those that any equal or stronger one stands for: no racy byte is lost, but lines may be.
    AnyLine,
}

/// All switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Checks of loops at equally spaced addresses are one check before the loop.
    pub ranges: bool,
    /// The same before nests of loops.
    pub nests: bool,
    /// Control changes sides at loop headers.
    pub loops: bool,
    /// Functions without loops get their instrumented copy out of line.
    pub apart: bool,
    /// Variables whose address goes nowhere are not told.
    pub escape: bool,
    /// Constants are not told.
    pub constants: bool,
    /// See there.
    pub eliminate: Eliminate,
    /// Members of a structure that are next to each other are one check.
    pub neighbours: bool,
    /// Whether an access need be told is found out in place.
    pub in_place: bool,
    /// Every function is verified.
    pub verify: bool,
    /// Says what became of each function.
    pub report: bool,
}

impl Options {
    /// What is said in the environment.
    pub fn from_environment() -> Self {
        Self::parse(&std::env::var("THRILLE_PLUGIN").unwrap_or_default())
    }

    fn parse(words: &str) -> Self {
        let mut options = Self {
            ranges: true,
            nests: true,
            loops: true,
            apart: true,
            escape: true,
            constants: true,
            eliminate: Eliminate::SameLine,
            neighbours: true,
            in_place: true,
            verify: cfg!(debug_assertions),
            report: false,
        };
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "no-ranges" => options.ranges = false,
                "no-nests" => options.nests = false,
                "no-loops" => options.loops = false,
                "no-apart" => options.apart = false,
                "no-escape" => options.escape = false,
                "no-constants" => options.constants = false,
                "no-eliminate" => options.eliminate = Eliminate::Nothing,
                "no-neighbours" => options.neighbours = false,
                "no-in-place" => options.in_place = false,
                "eliminate-any-line" => options.eliminate = Eliminate::AnyLine,
                "verify" => options.verify = true,
                "report" => options.report = true,
                _ => eprintln!(
                    "thrille: THRILLE_PLUGIN={word} is not known: no-ranges, no-nests, no-loops, no-apart, no-escape, no-constants, no-eliminate, no-neighbours, no-in-place, eliminate-any-line, verify, report"
                ),
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let options = Options::parse("no-ranges, verify,eliminate-any-line");
        assert!(!options.ranges && options.verify && options.loops);
        assert_eq!(options.eliminate, Eliminate::AnyLine);
    }
}
