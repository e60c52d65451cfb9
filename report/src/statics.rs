//! Which variable covers an offset in the static data of the executable.
//!
//! Offsets count from the lowest writable page of the executable as the embedded SHMEM library shares it (`shmem/src/statics.rs`):
//! the pages of the writable `PT_LOAD` segments without those that the loader makes read-only after relocation (`PT_GNU_RELRO`,
//! whole pages only).

use crate::words::demangled;
use object::elf::{PF_W, PT_GNU_RELRO, PT_LOAD};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache, SymbolKind};
use std::fs::File;
use std::path::Path;

/// The loader's pages, as the SHMEM library counts them.
const PAGE: u64 = 4096;

/// The variables of an executable.
#[derive(Debug, Default)]
pub struct Statics {
    base: u64,
    /// Address, size, name; sorted.
    variables: Vec<(u64, u64, String)>,
}

/// A variable and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: u64,
    /// The offset in it.
    pub offset: u64,
}

impl Statics {
    /// Reads the symbols of an executable; none if that is not possible.
    pub fn of(path: &Path) -> Option<Self> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        let endian = file.endian();
        let ranges = |wanted: &dyn Fn(u32, u32) -> bool| -> Vec<(u64, u64)> {
            let headers = file.elf_program_headers().iter();
            let wanted = headers.filter(|h| wanted(h.p_type(endian).0, h.p_flags(endian).0));
            wanted.map(|h| (h.p_vaddr(endian), h.p_vaddr(endian) + h.p_memsz(endian))).collect()
        };
        let writable = ranges(&|kind, flags| kind == PT_LOAD.0 && flags & PF_W.0 != 0);
        let protected = ranges(&|kind, _| kind == PT_GNU_RELRO.0);
        let base = writable.iter().filter_map(|&range| first_page(range, &protected)).min()?;
        let mut variables: Vec<_> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|s| s.kind() == SymbolKind::Data && s.size() > 0 && s.is_definition())
            .filter_map(|s| Some((s.address(), s.size(), readable(s.name().ok()?))))
            .collect();
        variables.sort();
        variables.dedup();
        Some(Self { base, variables })
    }

    /// Variables without an executable: offset, size, name.
    #[cfg(test)]
    pub fn made_up(variables: &[(u64, u64, &str)]) -> Self {
        let variables = variables.iter().map(|&(at, size, name)| (at, size, name.to_owned())).collect();
        Self { base: 0, variables }
    }

    /// The variable at an offset; of several the smallest.
    pub fn at(&self, offset: u64) -> Option<Variable> {
        self.at_address(self.base.checked_add(offset)?)
    }

    /// The variable at an address in the file.
    pub fn at_address(&self, address: u64) -> Option<Variable> {
        let behind = self.variables.partition_point(|&(at, ..)| at <= address);
        self.variables[..behind]
            .iter()
            .filter(|&&(at, size, _)| address - at < size)
            .min_by_key(|&&(at, size, ref name)| (size, at, name.starts_with('_')))
            .map(|(at, size, name)| Variable { name: name.clone(), size: *size, offset: address - at })
    }
}

/// The first page of a range that is not protected.
fn first_page((start, end): (u64, u64), protected: &[(u64, u64)]) -> Option<u64> {
    let down = |a: u64| a / PAGE * PAGE;
    let mut first = down(start);
    // Protected ranges hardly ever follow each other, but the order in which they are listed must not matter.
    for _ in protected {
        for &(from, to) in protected {
            if down(from) <= first && first < down(to) {
                first = down(to);
            }
        }
    }
    (first < end).then_some(first)
}

/// As the programmer wrote it: demangled, and without the number that gcc gives to a static variable of a function.
fn readable(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((plain, number)) if !plain.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => plain,
        _ => name,
    };
    demangled(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_pages_are_left_out() {
        assert_eq!(first_page((0x3de8, 0x5000), &[(0x3de8, 0x4000)]), Some(0x4000));
        assert_eq!(first_page((0x3de8, 0x5000), &[(0x3de8, 0x3ff0)]), Some(0x3000));
        assert_eq!(first_page((0x3de8, 0x4000), &[(0x3de8, 0x4000)]), None);
        assert_eq!(first_page((0x3de8, 0x4000), &[]), Some(0x3000));
    }

    #[test]
    fn names_as_written() {
        assert_eq!(readable("count.0"), "count");
        assert_eq!(readable("table"), "table");
        assert_eq!(readable("x"), "x");
        assert_eq!(readable("_ZN2ns5valueE"), "ns::value");
    }
}
