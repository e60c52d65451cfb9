//! The configurations of the table. A new one is a new row.

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As without the detector.
    Native,
    /// Library calls are observed, loads and stores are not instrumented.
    CallsOnly,
    /// Instrumented, but run without a detector: what the hooks alone cost.
    Hooks,
    /// Instrumented and observed.
    Full,
}

impl Kind {
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

/// All, the one that the others are compared with first. The paper's sampling configurations (HA.5, IA, FA0, I) come with sampling.
pub const CONFIGS: [Config; 4] = [
    Config { name: "native", kind: Kind::Native, options: &[] },
    Config { name: "NL", kind: Kind::CallsOnly, options: &[] },
    Config { name: "hooks", kind: Kind::Hooks, options: &[] },
    Config { name: "full", kind: Kind::Full, options: &["--sampling", "full"] },
];
