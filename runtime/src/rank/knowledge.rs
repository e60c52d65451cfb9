//! What a strand knows of the other strands of its rank: exact or too little, never too much.

use thrille_model::{Phase, Strand};

/// What a strand knows of its rank: of each strand all positions below a bound, and the phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    pub strands: Vec<u64>,
    pub phase: Phase,
}

impl Knowledge {
    /// The bound of one strand.
    pub fn of(&self, strand: Strand) -> u64 {
        self.strands.get(strand.number() as usize).copied().unwrap_or(0)
    }

    /// It knows all below this bound.
    pub fn learn(&mut self, strand: Strand, bound: u64) {
        let index = strand.number() as usize;
        if self.strands.len() <= index {
            self.strands.resize(index + 1, 0);
        }
        self.strands[index] = self.strands[index].max(bound);
    }

    /// It knows what another one knows.
    pub fn join(&mut self, other: &Self) {
        if self.strands.len() < other.strands.len() {
            self.strands.resize(other.strands.len(), 0);
        }
        for (mine, theirs) in self.strands.iter_mut().zip(&other.strands) {
            *mine = (*mine).max(*theirs);
        }
        self.phase = self.phase.max(other.phase);
    }
}
