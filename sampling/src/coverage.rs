//! What was looked at.

/// One function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// A code address in it; of what runs outside of any function that was seen to begin, its first site.
    pub pc: u64,
    /// Its calls.
    pub calls: u64,
    /// Those that were looked at.
    pub calls_taken: u64,
    /// Loads and stores that it consists of, as far as they are known.
    pub sites: u32,
    /// Those of them that were looked at at least once.
    pub sites_taken: u32,
    /// How often they were executed.
    pub executed: u64,
    /// How often they were looked at.
    pub taken: u64,
}

/// One thread, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By function.
    pub functions: Vec<FunctionCoverage>,
    /// Microseconds that looking took.
    pub spent_us: u64,
    /// Those of them that went into calls of the communication library.
    pub calls_us: u64,
    /// Microseconds that passed.
    pub elapsed_us: u64,
}

impl Coverage {
    /// Takes in another thread's.
    pub fn add(&mut self, other: &Self) {
        self.spent_us += other.spent_us;
        self.calls_us += other.calls_us;
        self.elapsed_us += other.elapsed_us;
        for theirs in &other.functions {
            match self.functions.iter_mut().find(|mine| mine.pc == theirs.pc) {
                Some(mine) => {
                    mine.calls += theirs.calls;
                    mine.calls_taken += theirs.calls_taken;
                    // Two threads' sites are the same ones: as many as the one that met most.
                    mine.sites = mine.sites.max(theirs.sites);
                    mine.sites_taken = mine.sites_taken.max(theirs.sites_taken);
                    mine.executed += theirs.executed;
                    mine.taken += theirs.taken;
                }
                None => self.functions.push(*theirs),
            }
        }
    }
}
