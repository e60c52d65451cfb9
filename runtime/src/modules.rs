//! Which code addresses belong to which loaded file: sites are the same on all ranks and in every run, addresses are not.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use thrille_model::Site;

/// A file that is loaded into this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Where it was loaded from.
    pub path: String,
    /// Its build id, if it has one.
    pub build_id: Vec<u8>,
    /// What is added to the addresses in the file.
    pub bias: u64,
    /// Address ranges of its loaded segments.
    pub ranges: Vec<(u64, u64)>,
}

impl Module {
    /// The number that sites use.
    pub fn id(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(if self.build_id.is_empty() { self.path.as_bytes() } else { &self.build_id });
        hasher.finish()
    }
}

/// All loaded files, found anew when an address belongs to none.
pub struct Modules {
    loaded: Vec<Module>,
    /// Addresses from, to; what to subtract; the number that sites use.
    ranges: Vec<(u64, u64, u64, u64)>,
    /// The one that was asked for last.
    last: (u64, u64, u64, u64),
    find: fn() -> Vec<Module>,
    /// How many have been written down already.
    told: usize,
}

impl Modules {
    /// Looks for the loaded files with `find`, now and whenever an address is unknown.
    pub fn new(find: fn() -> Vec<Module>) -> Self {
        let mut new = Self { loaded: Vec::new(), ranges: Vec::new(), last: (0, 0, 0, 0), find, told: 0 };
        new.refresh();
        new
    }

    fn refresh(&mut self) {
        for module in (self.find)() {
            if !self.loaded.contains(&module) {
                let (bias, id) = (module.bias, module.id());
                self.ranges.extend(module.ranges.iter().map(|&(lo, hi)| (lo, hi, bias, id)));
                self.loaded.push(module);
            }
        }
        self.ranges.sort_unstable();
    }

    /// The site of a return address, which may have the number of a caller in its upper bits.
    pub fn site(&mut self, pc: u64) -> Site {
        let (caller, pc) = (pc >> Site::CALLER << Site::CALLER, pc & ((1 << Site::CALLER) - 1));
        let site = self.instruction(pc);
        Site { offset: site.offset | caller, ..site }
    }

    fn instruction(&mut self, pc: u64) -> Site {
        if let Some(site) = self.known(pc) {
            return site;
        }
        self.refresh();
        self.known(pc).unwrap_or(Site { module: 0, offset: pc })
    }

    fn known(&mut self, pc: u64) -> Option<Site> {
        let (lo, hi, bias, module) = self.last;
        if lo <= pc && pc < hi {
            return Some(Site { module, offset: pc.wrapping_sub(bias) });
        }
        let index = self.ranges.partition_point(|&(lo, ..)| lo <= pc).checked_sub(1)?;
        self.last = self.ranges[index];
        let (_, hi, bias, module) = self.last;
        (pc <= hi).then(|| Site { module, offset: pc.wrapping_sub(bias) })
    }

    /// The files that were found since the last call.
    pub fn fresh(&mut self) -> &[Module] {
        let from = std::mem::replace(&mut self.told, self.loaded.len());
        &self.loaded[from..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<Module> {
        let module = |path: &str, bias: u64, ranges: &[(u64, u64)]| Module {
            path: path.into(),
            build_id: Vec::new(),
            bias,
            ranges: ranges.to_vec(),
        };
        vec![module("a", 1000, &[(1000, 1100), (1200, 1300)]), module("b", 5000, &[(5000, 6000)])]
    }

    #[test]
    fn addresses_become_offsets() {
        let mut modules = Modules::new(two);
        let a = modules.site(1250);
        assert_eq!(a.offset, 250);
        assert_eq!(modules.site(5001), Site { module: two()[1].id(), offset: 1 });
        let called = modules.site((3 << Site::CALLER) + 1250);
        assert_eq!((called.module, called.offset), (a.module, (3 << Site::CALLER) + 250));
        assert_eq!(called.instruction(), a);
        assert_eq!(modules.site(1150), Site { module: 0, offset: 1150 });
        assert_eq!(modules.fresh().len(), 2);
        assert!(modules.fresh().is_empty());
    }
}
