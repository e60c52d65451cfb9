//! Members of one structure that are read or written at one place of the source are told as one.
//!
//! A copy of a structure is a load and a store for each member once it is optimised. They have one place in the source; those that lie next to each other
//! and are told together are one check of all their bytes, before a loop too: what was a row of gaps may then be one without any.

use crate::accesses::{Access, Extent, Group};
use crate::llvm::*;
use crate::source::Source;

/// Joins what can be, and says how many checks are left out by it.
pub fn join(function: Value, analyses: Analyses, groups: &mut [Group]) -> usize {
    groups.iter_mut().map(|group| within(function, analyses, group)).sum()
}

fn within(function: Value, analyses: Analyses, group: &mut Group) -> usize {
    let before = group.accesses.len();
    let mut kept: Vec<(Access, Option<Source>)> = Vec::new();
    for access in group.accesses.drain(..) {
        let source = Source::of(access.instruction).filter(|source| source.line != 0);
        let alike = |(other, place): &&mut (Access, Option<Source>)| {
            source.is_some() && *place == source && other.kind == access.kind
        };
        let joined = kept.iter_mut().filter(alike).any(|(other, _)| takes(function, analyses, other, &access));
        if !joined {
            kept.push((access, source));
        }
    }
    group.accesses = kept.into_iter().map(|(access, _)| access).collect();
    before - group.accesses.len()
}

/// The first takes in the second, if that lies right behind or before it, whenever either is executed.
fn takes(function: Value, analyses: Analyses, one: &mut Access, other: &Access) -> bool {
    let (Some(here), Some(there)) = (bytes(one.extent), bytes(other.extent)) else { return false };
    let Some(both) = here.checked_add(there) else { return false };
    if with(one.extent, 0) != with(other.extent, 0) {
        return false;
    }
    match thrille_distance(function, analyses, one.address, other.address) {
        distance if distance == i64::from(here) => {}
        distance if distance == -i64::from(there) => one.address = other.address,
        _ => return false,
    }
    one.extent = with(one.extent, both);
    true
}

fn bytes(extent: Extent) -> Option<u16> {
    match extent {
        Extent::Bytes(bytes) | Extent::Spaced { bytes, .. } => Some(bytes),
        Extent::Length(_) => None,
    }
}

/// The same of so many bytes.
fn with(extent: Extent, bytes: u16) -> Extent {
    match extent {
        Extent::Bytes(_) => Extent::Bytes(bytes),
        Extent::Spaced { times, step, rows, .. } => Extent::Spaced { bytes, times, step, rows },
        Extent::Length(_) => extent,
    }
}
