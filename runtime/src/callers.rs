//! The calls of the program that synchronise, each once: an event names its call by a number.

use rustc_hash::FxHashMap;
use thrille_model::Caller;

/// All calls met, by their return addresses.
#[derive(Debug, Default)]
pub struct Callers {
    calls: Vec<u64>,
    known: FxHashMap<u64, Caller>,
    last: (u64, Caller),
    told: usize,
}

impl Callers {
    /// The number of a call; 0 is none.
    #[inline]
    pub fn of(&mut self, pc: u64) -> Caller {
        if pc == 0 {
            return Caller::default();
        }
        if pc != self.last.0 {
            let next = Caller(self.calls.len() as u32 + 1);
            let caller = *self.known.entry(pc).or_insert(next);
            if caller == next {
                self.calls.push(pc);
            }
            self.last = (pc, caller);
        }
        self.last.1
    }

    /// Those that are new since the last call of this function: number, return address.
    pub fn fresh(&mut self) -> Vec<(Caller, u64)> {
        let from = std::mem::replace(&mut self.told, self.calls.len());
        (from as u32 + 1..).map(Caller).zip(self.calls[from..].iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_one_number() {
        let mut callers = Callers::default();
        assert_eq!([0, 7, 9, 7, 0, 9].map(|pc| callers.of(pc).0), [0, 1, 2, 1, 0, 2]);
        assert_eq!(callers.fresh(), [(Caller(1), 7), (Caller(2), 9)]);
        callers.of(8);
        assert_eq!(callers.fresh(), [(Caller(3), 8)]);
    }
}
