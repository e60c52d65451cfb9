//! The functions of a loaded file, and which of them hold some places: by the symbols of the file, if it has any.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
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

/// All functions that the symbols of a 64-bit ELF file name: with addresses as in the file, and lengths. No more than the symbols is read.
pub fn each_function(path: &Path, mut tell: impl FnMut(&[u8], u64, u64)) {
    let _ = told_from(path, &mut tell);
}

fn told_from(path: &Path, tell: &mut dyn FnMut(&[u8], u64, u64)) -> Option<()> {
    let file = File::open(path).ok()?;
    let most = file.metadata().ok()?.len();
    let part = |from: usize, size: usize| {
        let mut bytes = vec![0; (size as u64 <= most).then_some(size)?];
        file.read_exact_at(&mut bytes, from as u64).ok()?;
        Some(bytes)
    };
    let start = part(0, 64)?;
    start.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (at, size, count) = (u64_at(&start, 40)?, u16_at(&start, 58)?, u16_at(&start, 60)?);
    let headers = part(at, size.checked_mul(count)?)?;
    let content = |header: usize| part(u64_at(&headers, header + 24)?, u64_at(&headers, header + 32)?);
    let symbols =
        (0..count).map(|index| index * size).find(|&at| u32_at(&headers, at + 4) == Some(SYMBOLS as usize))?;
    let names = content(size.checked_mul(u32_at(&headers, symbols + 40)?)?)?;
    for symbol in content(symbols)?.chunks_exact(24).filter(|symbol| symbol[4] & 15 == FUNCTION) {
        let name = names.get(u32_at(symbol, 0)?..)?.split(|&byte| byte == 0).next()?;
        tell(name, u64_at(symbol, 8)? as u64, u64_at(symbol, 16)? as u64);
    }
    Some(())
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
        let mut told = false;
        each_function(Path::new(&module.path), |name, from, len| {
            let holds = (from..from + len).contains(&(here - module.bias));
            told |= holds && String::from_utf8_lossy(name).contains("this_function_is_found");
        });
        assert!(told);
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
