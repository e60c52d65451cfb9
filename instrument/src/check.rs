//! The checks of the instrumented copy: one countdown for each group of accesses, and a rare detour that tells all of them.
//!
//! Where all accesses are looked at, the detour is what is always taken, and most of them are of bytes that the same strand has touched before. That is found out in place (`struct thrille_quick` of
//! `hooks.h`); the hook is called for the others.

use crate::accesses::{Access, Extent, Group};
use crate::hooks::{Hooks, quick};
use crate::ir::Ir;
use crate::llvm::*;
use crate::tables::Tables;
use std::collections::HashMap;

/// What a group's checks need.
struct Checks<'a> {
    ir: &'a Ir,
    hooks: &'a Hooks,
    map: Map,
}

/// What is known of this thread's accesses.
#[derive(Clone, Copy)]
struct Known {
    /// Where that is.
    at: Value,
    /// What its tags have in common.
    now: Value,
}

/// Puts a group's check into the copy that `map` leads to. `first` is the number of its first site.
pub fn insert(ir: &Ir, hooks: &Hooks, tables: &Tables, map: Map, group: &Group, first: usize, in_place: bool) {
    let checks = Checks { ir, hooks, map };
    let before = checks.copy(group.before);
    let countdown = tables.site(ir, first);
    ir.before(before);
    let fires = ir.count_down(countdown, 1);
    let detour = thrille_detour(fires, before, true);
    ir.before(detour);
    let short = group.accesses.iter().filter(|access| bits(access).is_some()).count();
    let known = (in_place && short > 0).then(|| checks.known(countdown, short));
    let mut shapes = Shapes::of(&group.accesses);
    let mut next = None;
    for (number, access) in (first..).zip(&group.accesses) {
        let site = |next: Option<Value>| next.unwrap_or_else(|| tables.site(ir, number));
        match known.zip(bits(access)) {
            Some((known, bits)) => {
                let new = checks.is_new(known, access, bits);
                let told = thrille_detour(new, detour, false);
                ir.before(told);
                ir.add_to(ir.plus(known.at, quick::REPEATED), -1);
                ir.use_up(checks.tell(access, site(None), &mut shapes));
                ir.before(detour);
                next = None;
            }
            None => next = Some(checks.tell(access, site(next), &mut shapes)),
        }
    }
    if let Some(last) = next {
        // Where an answer is not used, LLVM 16 takes rax for preserved.
        ir.use_up(last);
    }
}

/// Puts what is computed for these groups' checks alone where it is needed, once all of them are in.
pub fn settle(map: Map, groups: &[Group]) {
    for access in groups.iter().flat_map(|group| &group.accesses) {
        thrille_sink(thrille_map_get(map, access.address).some().unwrap_or(access.address));
    }
}

/// The bytes that an access touches of a line that it begins with, if it can be told by that.
fn bits(access: &Access) -> Option<u64> {
    match access.extent {
        Extent::Bytes(bytes) if (1..quick::LINE).contains(&u64::from(bytes)) => Some((1 << bytes) - 1),
        Extent::Bytes(_) | Extent::Length(_) | Extent::Spaced { .. } => None,
    }
}

impl Checks<'_> {
    /// What was not copied is the same in both copies.
    fn copy(&self, value: Value) -> Value {
        thrille_map_get(self.map, value).some().unwrap_or(value)
    }

    /// Asks what is known, of which so many accesses will be repetitions; the countdown stays at zero if all of them are.
    fn known(&self, countdown: Value, accesses: usize) -> Known {
        let ir = self.ir;
        let at = self.hooks.quick.call(ir, &[]);
        ir.set(countdown, ir.int(ir.i32, 0));
        ir.add_to(ir.plus(at, quick::REPEATED), accesses as i64);
        Known { at, now: ir.look_at(at) }
    }

    /// Whether an access is of another line than the one that is known there, or of other bytes of it.
    fn is_new(&self, known: Known, access: &Access, bits: u64) -> Value {
        let ir = self.ir;
        let number = |value: u64| ir.int(ir.i64, value);
        let address = ir.as_number(self.copy(access.address));
        let tag = ir.or(ir.shift(address, number(quick::LINE.ilog2().into())), known.now);
        let scale = quick::LINE / quick::SIZE;
        let place = ir.and(ir.shift(address, number(scale.ilog2().into())), (quick::LINES - 1) * quick::SIZE);
        let line = ir.sum(known.at, place);
        let other = ir.differ(ir.look_at(ir.plus(line, quick::TAG)), tag);
        let touched = ir.shift(ir.look_at(ir.plus(line, quick::bits(access.kind))), ir.and(address, quick::LINE - 1));
        let untouched = ir.and(ir.differ(touched, number(u64::MAX)), bits);
        ir.compare(compare::NOT_EQUAL, ir.or(other, untouched), number(0))
    }

    /// Tells of a site; the next one's is given back.
    fn tell(&self, access: &Access, site: Value, shapes: &mut Shapes) -> Value {
        let Self { ir, hooks, .. } = self;
        let address = self.copy(access.address);
        let mut shape = |value| shapes.get(ir, value, self.copy(value));
        let call = match access.extent {
            Extent::Bytes(_) => hooks.access.call(ir, &[address, site]),
            Extent::Length(length) => hooks.range.call(ir, &[address, site, ir.as_i64(self.copy(length))]),
            Extent::Spaced { times, step, rows: None, .. } => {
                hooks.affine.call(ir, &[address, site, shape(times), shape(step)])
            }
            Extent::Spaced { times, step, rows: Some((rows, pitch)), .. } => {
                hooks.nest.call(ir, &[address, site, shape(times), shape(step), shape(rows), shape(pitch)])
            }
        };
        thrille_place(call, self.copy(access.instruction));
        call
    }
}

/// The numbers that say how rows are spaced. Those that several of a group have in common are loaded once: hooks leave them where they are.
struct Shapes {
    uses: HashMap<Value, u32>,
    loaded: HashMap<Value, Value>,
}

impl Shapes {
    fn of(accesses: &[Access]) -> Self {
        let mut uses = HashMap::new();
        for access in accesses {
            if let Extent::Spaced { times, step, rows, .. } = access.extent {
                let (rows, pitch) = rows.unzip();
                for value in [Some(times), Some(step), rows, pitch].into_iter().flatten() {
                    *uses.entry(value).or_default() += 1;
                }
            }
        }
        Self { uses, loaded: HashMap::new() }
    }

    fn get(&mut self, ir: &Ir, value: Value, copy: Value) -> Value {
        if LLVMIsConstant(value) == 0 || self.uses.get(&value).is_none_or(|&uses| uses < 2) {
            return copy;
        }
        *self.loaded.entry(value).or_insert_with(|| ir.in_register(copy))
    }
}
