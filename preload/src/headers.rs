//! Which functions do the doing of the line that calls them: those of the C++ library's headers, by the names of the symbols in the loaded files.

use crate::loaded;
use crate::symbols::each_function;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Addresses, from and up to.
type Range = (u64, u64);

/// What has been looked at.
struct Looked {
    /// Files.
    files: Vec<Range>,
    /// Functions of the library, in order.
    functions: Vec<Range>,
}

static LOOKED: Mutex<Looked> = Mutex::new(Looked { files: Vec::new(), functions: Vec::new() });

/// Whether an address is in such a function. A file's symbols are read once.
pub fn holds(address: u64) -> bool {
    let mut looked = LOOKED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_in = |&(lo, hi): &Range| lo <= address && address < hi;
    if !looked.files.iter().any(is_in) {
        look(&mut looked, address);
    }
    let next = looked.functions.partition_point(|&(lo, _)| lo <= address);
    next.checked_sub(1).is_some_and(|last| is_in(&looked.functions[last]))
}

/// Looks at the file that holds an address.
#[cold]
fn look(looked: &mut Looked, address: u64) {
    let holds = |&(lo, hi): &Range| lo <= address && address < hi;
    let Some(module) = loaded::modules().into_iter().find(|module| module.ranges.iter().any(holds)) else { return };
    looked.files.extend(&module.ranges);
    each_function(Path::new(&module.path), |name, from, len| {
        if is_librarys(name) && len > 0 {
            looked.functions.push((module.bias.wrapping_add(from), module.bias.wrapping_add(from).wrapping_add(len)));
        }
    });
    looked.functions.sort_unstable();
}

/// Whether the name of a symbol is that of a function in the library's namespaces, or of one that is local to such a function.
fn is_librarys(name: &[u8]) -> bool {
    let Some(mut rest) = name.strip_prefix(b"_Z") else { return false };
    while let Some(local) = rest.strip_prefix(b"Z") {
        rest = local;
    }
    if let Some(nested) = rest.strip_prefix(b"N") {
        rest = nested;
        while let [b'r' | b'V' | b'K' | b'R' | b'O', more @ ..] = rest {
            rest = more;
        }
    }
    let spaces: [&[u8]; 3] = [b"9__gnu_cxx", b"10__cxxabiv1", b"14__gnu_parallel"];
    matches!(rest, [b'S', b't' | b'a' | b'b' | b's' | b'i' | b'o' | b'd', ..])
        || spaces.iter().any(|space| rest.starts_with(space))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library() {
        let library: [&[u8]; 8] = [
            b"_ZSt4fillIPllEvT_S1_RKT0_",
            b"_ZNSt6vectorIdSaIdEEixEm",
            b"_ZNKSt6vectorIdSaIdEEixEm",
            b"_ZNVKSt6atomicIiE4loadESt12memory_order",
            b"_ZN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEppEv",
            b"_ZNSaIiEC2Ev",
            b"_ZZNSt8functionIFvvEEC1IZ4mainEUlvE_vEEOT_ENKUlvE_clEv",
            b"_ZNSs6assignERKSs",
        ];
        for name in library {
            assert!(is_librarys(name), "{}", String::from_utf8_lossy(name));
        }
        let program: [&[u8]; 7] = [
            b"main",
            b"_Z4workSt6vectorIiSaIiEE",
            b"_ZZ4mainENKUlRdE_clES_",
            b"_ZN4Grid4fillESt4spanIdE",
            b"_ZN5StackC2Ev",
            b"_ZNK6SolverIdE4stepEv",
            b"memcpy",
        ];
        for name in program {
            assert!(!is_librarys(name), "{}", String::from_utf8_lossy(name));
        }
    }

    #[test]
    fn functions_of_a_program_are_not_the_librarys() {
        assert!(!holds(names_of_the_library as *const () as u64));
        assert!(!holds(1), "in no file");
    }
}
