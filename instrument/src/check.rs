//! The checks of the instrumented copy: one countdown for each group of accesses, and a rare detour that tells all of them.

use crate::accesses::{Extent, Group};
use crate::hooks::Hooks;
use crate::ir::Ir;
use crate::llvm::*;
use crate::tables::Tables;

/// Puts a group's check into the copy that `map` leads to. `first` is the number of its first site.
pub fn insert(ir: &Ir, hooks: &Hooks, tables: &Tables, map: Map, group: &Group, first: usize) {
    // What was not copied is the same in both copies.
    let copy = |value: Value| thrille_map_get(map, value).some().unwrap_or(value);
    let before = copy(group.before);
    let countdown = tables.site(ir, first);
    ir.before(before);
    let fires = ir.count_down(countdown, 1);
    let detour = thrille_detour(fires, before);
    ir.before(detour);
    for (number, access) in (first..).zip(&group.accesses) {
        let (address, site) = (copy(access.address), tables.site(ir, number));
        let call = match access.extent {
            Extent::Bytes(_) => hooks.access.call(ir, &[address, site]),
            Extent::Length(length) => {
                let length = ir.as_i64(copy(length));
                hooks.range.call(ir, &[address, site, length])
            }
            Extent::Spaced { times, step, rows: None, .. } => {
                hooks.affine.call(ir, &[address, site, copy(times), copy(step)])
            }
            Extent::Spaced { times, step, rows: Some((rows, pitch)), .. } => {
                hooks.nest.call(ir, &[address, site, copy(times), copy(step), copy(rows), copy(pitch)])
            }
        };
        thrille_place(call, copy(access.instruction));
        // Every answer is used: where it is not, LLVM 16 takes rax for preserved.
        ir.set(site, call);
    }
}
