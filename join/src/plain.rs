//! The plain assembly, with a choice at the entry of each function that has a twin.
//!
//! At the entry no register is free but r11, and none is needed: a word is compared, and a branch that is not taken as a rule leads behind the function,
//! where the rest is decided as `instrument/hooks.h` has it.

use crate::fit::{Fit, Twin};
use crate::text::{self, Kind};
use crate::unit::{Binding, Unit};
use std::fmt::Write;

pub fn write(plain: &Unit, fit: &Fit) -> String {
    let mut out = String::with_capacity(plain.lines.iter().map(|line| line.len() + 1).sum::<usize>() * 5 / 4);
    let mut functions = plain.functions.iter().enumerate().peekable();
    let mut line = 0;
    while let Some(&text) = plain.lines.get(line) {
        let Some((number, function)) = functions.next_if(|(_, f)| f.lines.0 == line) else {
            push(&mut out, text);
            line += 1;
            continue;
        };
        let twin = fit.twins.get(&function.name);
        let entry = twin.map(|_| entry(plain, function.lines));
        for at in function.lines.0..=function.lines.1 {
            if let (Some(twin), true) = (twin, entry == Some(at)) {
                choice(&mut out, twin, number);
            }
            push(&mut out, plain.lines[at]);
        }
        if let Some(twin) = twin {
            decision(&mut out, twin, number);
        }
        line = function.lines.1 + 1;
    }
    for (symbol, name) in &fit.exported {
        let _ = write!(out, "\t.globl\t{name}\n\t.hidden\t{name}\n\t.set\t{name},{symbol}\n");
    }
    for twin in fit.twins.values() {
        let weak = if twin.binding == Binding::Weak { ".weak" } else { ".globl" };
        let _ = write!(out, "\t{weak}\t{0}\n\t.hidden\t{0}\n\t{weak}\t{1}\n\t.hidden\t{1}\n", twin.symbol, twin.table);
    }
    out
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// The line of a function's first instruction, or of the one behind it if that marks the place as one that may be jumped to.
fn entry(plain: &Unit, (from, to): (usize, usize)) -> usize {
    let mut lines = (from + 1..to).filter_map(|line| match text::kind(plain.lines[line]) {
        Kind::Instruction(name, _) => Some((line, name)),
        Kind::User => Some((line, "")),
        _ => None,
    });
    match lines.next() {
        Some((line, "endbr64")) => line + 1,
        Some((line, _)) => line,
        None => to,
    }
}

fn choice(out: &mut String, twin: &Twin, number: usize) {
    let _ = write!(out, "\tcmpl\t$0, {}(%rip)\n\tjne\t.Lthrille.go{number}\n.Lthrille.plain{number}:\n", twin.table);
}

fn decision(out: &mut String, Twin { symbol, table, .. }: &Twin, number: usize) {
    let _ = write!(
        out,
        ".Lthrille.go{number}:
\t.cfi_startproc
\tcmpl\t$2, {table}(%rip)
\tje\t{symbol}
\tsubl\t$1, {table}+8(%rip)
\tjns\t.Lthrille.plain{number}
\tleaq\t{table}(%rip), %r11
\tcall\t*thrille_arrive@GOTPCREL(%rip)
\ttestl\t%r11d, %r11d
\tje\t.Lthrille.plain{number}
\tjmp\t{symbol}
\t.cfi_endproc
"
    );
}
