//! The configurations of the table. A new one is a new row.

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As without the detector.
    Native,
    /// Library calls are observed, loads and stores are not instrumented.
    CallsOnly,
    /// A call before each access, but run without a detector: what the hooks alone cost.
    Hooks,
    /// As without the detector, with the compiler's own thread sanitizer.
    Tsan,
    /// Instrumented and observed.
    Full,
}

impl Kind {
    /// Whether it looks for races, so that what it costs is of interest.
    pub fn watches(self) -> bool {
        self.detects() || self == Self::Tsan
    }

    /// Whether there is a report.
    pub fn detects(self) -> bool {
        matches!(self, Self::CallsOnly | Self::Full)
    }
}

/// One configuration.
#[derive(Debug)]
pub struct Config {
    /// In results and, for those of the paper, in its Table 1.
    pub name: &'static str,
    pub kind: Kind,
    /// Options of `thrille run`.
    pub options: &'static [&'static str],
}

/// All, the one that the others are compared with first. The paper's are called as in its table; those with a budget by its percentage.
pub const CONFIGS: [Config; 14] = [
    Config { name: "native", kind: Kind::Native, options: &[] },
    Config { name: "NL", kind: Kind::CallsOnly, options: &[] },
    Config { name: "hooks", kind: Kind::Hooks, options: &[] },
    Config { name: "full", kind: Kind::Full, options: &["--sampling", "full"] },
    Config { name: "HA.5", kind: Kind::Full, options: &["--sampling", "HA.5"] },
    Config { name: "IA", kind: Kind::Full, options: &["--sampling", "IA"] },
    Config { name: "FA0", kind: Kind::Full, options: &["--sampling", "FA0"] },
    Config { name: "F", kind: Kind::Full, options: &["--sampling", "F"] },
    Config { name: "I", kind: Kind::Full, options: &["--sampling", "I"] },
    Config { name: "2%", kind: Kind::Full, options: &["--budget", "2%"] },
    Config { name: "5%", kind: Kind::Full, options: &["--budget", "5%"] },
    Config { name: "10%", kind: Kind::Full, options: &["--budget", "10%"] },
    Config { name: "50%", kind: Kind::Full, options: &["--budget", "50%"] },
    Config { name: "TSan", kind: Kind::Tsan, options: &[] },
];
