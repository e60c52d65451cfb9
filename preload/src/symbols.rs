//! Which functions of a loaded file hold some places: by the symbols of the file, if it has any.

use std::collections::BTreeSet;
use std::path::Path;

const SYMBOLS: u32 = 2;
const FUNCTION: u8 = 2;

fn number<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(file: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(number(file, at)?).into())
}

fn u32_at(file: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(number(file, at)?) as usize)
}

fn u64_at(file: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(number(file, at)?)).ok()
}

/// Offset and size of a section's content.
fn section(file: &[u8], header: usize) -> Option<&[u8]> {
    let (from, size) = (u64_at(file, header + 24)?, u64_at(file, header + 32)?);
    file.get(from..from.checked_add(size)?)
}

/// Of a 64-bit ELF file, these addresses with the names of the functions that hold them; none if it has no symbols, or one is in no function.
pub fn functions(path: &Path, addresses: &BTreeSet<u64>) -> Option<BTreeSet<(u64, String)>> {
    holding(&std::fs::read(path).ok()?, addresses)
}

fn holding(file: &[u8], addresses: &BTreeSet<u64>) -> Option<BTreeSet<(u64, String)>> {
    file.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (headers, size, count) = (u64_at(file, 40)?, u16_at(file, 58)?, u16_at(file, 60)?);
    let header = |index: usize| headers.checked_add(index.checked_mul(size)?);
    let symbols = (0..count).filter_map(header).find(|&at| u32_at(file, at + 4) == Some(SYMBOLS as usize))?;
    let names = section(file, header(u32_at(file, symbols + 40)?)?)?;
    let mut found = BTreeSet::new();
    for symbol in section(file, symbols)?.chunks_exact(24) {
        let (from, len) = (u64_at(symbol, 8)? as u64, u64_at(symbol, 16)? as u64);
        let inside: Vec<u64> = addresses.range(from..from.saturating_add(len)).copied().collect();
        if symbol[4] & 15 == FUNCTION && !inside.is_empty() {
            let name = names.get(u32_at(symbol, 0)?..)?.split(|&byte| byte == 0).next()?;
            found.extend(inside.into_iter().map(|address| (address, String::from_utf8_lossy(name).into_owned())));
        }
    }
    addresses.iter().all(|address| found.iter().any(|(at, _)| at == address)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_function_is_found_in_this_program() {
        let here = this_function_is_found_in_this_program as *const () as u64;
        let modules = crate::loaded::modules();
        let module =
            modules.iter().find(|module| module.ranges.iter().any(|&(lo, hi)| lo <= here && here < hi)).unwrap();
        let found = functions(Path::new(&module.path), &BTreeSet::from([here - module.bias + 1])).unwrap();
        assert!(found.iter().any(|(_, name)| name.contains("this_function_is_found")), "{found:?}");
        assert_eq!(functions(Path::new(&module.path), &BTreeSet::from([1])), None, "in no function");
    }

    #[test]
    fn damaged_files_have_no_functions() {
        let file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for len in [0, 6, 40, 63, 64, 1000, file.len() / 2] {
            assert_eq!(holding(&file[..len], &BTreeSet::from([1])), None);
        }
        assert_eq!(holding(b"#!/bin/sh\n", &BTreeSet::new()), None);
    }
}
