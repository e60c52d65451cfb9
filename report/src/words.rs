//! Figures, lists and acts in words.

use std::borrow::Cow;
use thrille_model::{Act, Effect, Kind, Side, Strand};

/// Two strands of one rank.
pub fn strands(x: Strand, y: Strand) -> String {
    let noun = |strand: Strand| if strand.is_task() { "task" } else { "thread" };
    match (noun(x), noun(y)) {
        (a, b) if a == b => format!("{a}s {} and {}", x.number(), y.number()),
        (a, b) => format!("{a} {} and {b} {}", x.number(), y.number()),
    }
}

/// `1 race`, `2 races`.
pub fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
}

/// `12345678` as `12,345,678`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Sorted numbers as `0-3, 5`.
pub fn list(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words = runs.iter().map(|&(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `rank 3` or `ranks 0-3, 5`.
pub fn ranks(numbers: &[u32]) -> String {
    if numbers.len() == 1 { format!("rank {}", numbers[0]) } else { format!("ranks {}", list(numbers)) }
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// A symbol as the programmer wrote it. Names of C stay: `x` is no `long long`.
pub fn demangled(name: &str) -> String {
    if name.starts_with("__") && name.contains("_MOD_") || name == "MAIN__" {
        fortran(name)
    } else if name.starts_with("_Z") || name.starts_with("_R") {
        addr2line::demangle_auto(Cow::Borrowed(name), None).into_owned()
    } else {
        name.into()
    }
}

/// A symbol of a Fortran compiler as the programmer wrote it: `__grid_MOD_fill` is `fill` of module `grid`, `solve_` is `solve`.
pub fn fortran(name: &str) -> String {
    if name == "MAIN__" {
        return "main program".into();
    }
    match name.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, entity)) => format!("{module}::{entity}"),
        None => name.strip_suffix('_').filter(|plain| !plain.is_empty()).unwrap_or(name).into(),
    }
}

/// The name of an act in the JSON.
pub fn act(act: Act) -> &'static str {
    match act {
        Act::Load => "load",
        Act::Store => "store",
        Act::CpuAtomic => "cpu_atomic",
        Act::LibraryCall => "library_call",
        Act::Put => "put",
        Act::Get => "get",
        Act::RemoteAtomic => "remote_atomic",
        Act::Signal => "signal",
        Act::Buffer => "buffer",
        Act::Wait => "wait",
        Act::Collective => "collective",
    }
}

/// The name of a kind in the JSON.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Atomic(atomic) if atomic.effect == Effect::Load => "atomic_read",
        Kind::Atomic(_) => "atomic_update",
        Kind::Await => "wait",
    }
}

/// The thing a side is: `store`, `put`, `atomic update`.
pub fn thing(side: &Side) -> &'static str {
    let reads = matches!(kind(side.kind), "read" | "atomic_read" | "wait");
    match side.act {
        Act::Load => "load",
        Act::Store => "store",
        Act::CpuAtomic if reads => "atomic load",
        Act::RemoteAtomic if reads => "atomic fetch",
        Act::CpuAtomic | Act::RemoteAtomic => "atomic update",
        Act::LibraryCall if reads => "library read",
        Act::LibraryCall => "library write",
        Act::Put => "put",
        Act::Get => "get",
        Act::Signal => "signal",
        Act::Buffer if reads => "source buffer",
        Act::Buffer => "destination buffer",
        Act::Wait => "wait or test",
        Act::Collective if reads => "collective read",
        Act::Collective => "collective write",
    }
}

/// The same with its size: `store of 4 bytes`.
pub fn sized(side: &Side) -> String {
    let bytes = count(side.bytes.len(), "byte");
    match side.act {
        Act::Load | Act::Store => format!("{} of {bytes}", thing(side)),
        _ => format!("{}, {bytes}", thing(side)),
    }
}

/// Whether an act is a call of the communication library.
pub fn is_communication(act: Act) -> bool {
    match act {
        Act::Put | Act::Get | Act::RemoteAtomic | Act::Signal | Act::Buffer | Act::Wait | Act::Collective => true,
        Act::Load | Act::Store | Act::CpuAtomic | Act::LibraryCall => false,
    }
}

/// How the names of functions begin by which threads synchronise.
const THREADS: [&str; 9] = ["pthread_", "thrd_", "mtx_", "cnd_", "sem_", "omp_", "atomic_", "__atomic_", "fetch_"];
/// The same for methods and types of C++, whole.
const METHODS: [&str; 14] = [
    "thread",
    "jthread",
    "async",
    "join",
    "lock",
    "unlock",
    "wait",
    "notify_one",
    "notify_all",
    "load",
    "store",
    "exchange",
    "arrive_and_wait",
    "lock_guard",
];

/// Whether threads synchronise by a function of this name.
pub fn synchronises(name: &str) -> bool {
    THREADS.iter().any(|start| name.starts_with(start)) || METHODS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_lists() {
        assert_eq!(count(1, "race"), "1 race");
        assert_eq!(count(1_234_567, "race"), "1,234,567 races");
        assert_eq!(grouped(999), "999");
        assert_eq!(list(&[0, 1, 2, 3, 5, 7, 8]), "0-3, 5, 7, 8");
        assert_eq!(ranks(&[4]), "rank 4");
    }

    #[test]
    fn fortran_names() {
        assert_eq!(fortran("__grid_MOD_fill"), "grid::fill");
        assert_eq!(fortran("solve_"), "solve");
        assert_eq!(fortran("MAIN__"), "main program");
        assert_eq!(demangled("__grid_MOD_counts"), "grid::counts");
        assert_eq!(demangled("solve_"), "solve_", "of a name alone nobody knows the language");
        assert_eq!(demangled("_ZN2ns5valueE"), "ns::value");
    }

    #[test]
    fn words_survive_a_shell() {
        for word in ["plain", "a b", "it's", "", "$(x)`y`", "a\\b\"c"] {
            let output = std::process::Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(word))).output();
            assert_eq!(output.unwrap().stdout, word.as_bytes());
        }
    }
}
