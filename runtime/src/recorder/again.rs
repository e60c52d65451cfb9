//! Accesses that need not be told a second time.

use thrille_model::{Kind, Pos};

/// Accesses of lines to bytes that others reach too, which were recorded at the strand's present position: tasks do the same thing many times over, and
/// nothing but their number would come of it.
#[derive(Debug, Default)]
pub(super) struct Again {
    known: Vec<(u64, u64, u64, Pos, bool)>,
}

impl Again {
    const SLOTS: usize = 256;

    /// Whether it is one of them; it is from now on.
    #[inline(never)]
    pub fn is(&mut self, pc: u64, address: u64, len: u64, kind: Kind, pos: Pos) -> bool {
        if self.known.is_empty() {
            self.known = vec![(0, 0, 0, Pos(0), false); Self::SLOTS];
        }
        let mixed = (pc ^ address.rotate_left(24)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let this = (pc, address, len, pos, kind == Kind::Write);
        let known = &mut self.known[(mixed >> 48) as usize % Self::SLOTS];
        std::mem::replace(known, this) == this
    }

    /// They have to be told again.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}
