//! The instrumented assembly without what is the plain one's, its functions under other names, its hooks as countdowns.
//!
//! A hook is a call, so the compiler keeps nothing in the registers that a call may change, nor in the flags: in its place there is room for
//! a countdown. The call itself stays where it was, for the sake of the tables that tell what is on the stack there and which line it is.

use crate::fit::Fit;
use crate::tables::{Site, Table, Tables};
use crate::text::{self, Kind, bare, first};
use crate::unit::{Binding, Hook, OF_SYMBOL, Section, Unit, called, is_frame};
use std::fmt::Write;

/// Directives for the contents of data.
const CONTENTS: [&str; 20] = [
    ".byte", ".value", ".word", ".short", ".long", ".int", ".quad", ".octa", ".zero", ".skip", ".space", ".string",
    ".ascii", ".asciz", ".single", ".float", ".double", ".2byte", ".4byte", ".8byte",
];

/// Where the sanitizer's own beginning is called from.
const OWN_START: &str = ".init_array.00099";

/// Writes it; and how many sites it has.
pub fn write(unit: &Unit, fit: &Fit, source: &str) -> (String, usize) {
    let mut writer = Writer {
        unit,
        fit,
        out: String::with_capacity(1 << 16),
        dropping: false,
        sites: Vec::new(),
        here: (0, 0),
        hooks: 0,
    };
    let mut tables = Tables::new(source);
    let mut functions = unit.functions.iter().peekable();
    for line in 0..unit.lines.len() {
        writer.line(line, functions.peek().is_some_and(|function| function.lines.0 <= line));
        if let Some(function) = functions.next_if(|function| function.lines.1 == line) {
            let sites = std::mem::take(&mut writer.sites);
            let plain = fit.twin_of.get(&function.name);
            let twin = plain.and_then(|plain| fit.twins.get(plain));
            let group = unit.sections[function.section].group.as_deref().map(|group| writer.group(group));
            tables.add(Table { name: plain.unwrap_or(&function.name), twin, group, number: tables.next(), sites });
        }
    }
    let mut out = writer.out;
    let sites = tables.sites();
    tables.write(&mut out);
    (out, sites)
}

struct Writer<'a> {
    unit: &'a Unit<'a>,
    fit: &'a Fit,
    out: String,
    /// In the contents of data that is the plain assembly's.
    dropping: bool,
    /// Of the function.
    sites: Vec<Site>,
    /// Line and column.
    here: (u32, u32),
    /// In all functions so far.
    hooks: usize,
}

impl Writer<'_> {
    fn group(&self, group: &str) -> String {
        if self.fit.groups.contains(group) { format!("{group}.thrille") } else { group.into() }
    }

    fn line(&mut self, line: usize, inside: bool) {
        let text = self.unit.lines[line];
        let section = self.unit.section(line);
        if section.is_start() && section.name != OWN_START {
            return;
        }
        match text::kind(text) {
            Kind::Label(name) if self.fit.dropped.contains(name) => self.dropping = true,
            Kind::Label(name) => {
                self.dropping = false;
                self.label(name);
            }
            Kind::Directive(name, _) if self.dropping && CONTENTS.contains(&name) => {}
            Kind::Directive(name, rest) if OF_SYMBOL.contains(&name) => {
                self.dropping = false;
                self.of_symbol(text, name, rest);
            }
            Kind::Directive(".section", rest) => {
                self.dropping = false;
                self.section(text, rest, section);
            }
            Kind::Instruction(name, rest) if inside => self.instruction(text, name, rest),
            kind => {
                if let Kind::Directive(name, rest) = kind {
                    self.dropping = false;
                    if name == ".loc" {
                        let mut numbers = rest.split_whitespace().skip(1).map(|word| word.parse().unwrap_or(0));
                        self.here = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                    }
                }
                self.renamed(text);
            }
        }
    }

    fn renamed(&mut self, text: &str) {
        text::renamed(&mut self.out, text, |name| self.fit.names.get(name).map(String::as_str));
    }

    /// What a function is called here, if it is one of the plain assembly's.
    fn twin(&self, name: &str) -> Option<(String, Option<Binding>)> {
        let plain = self.fit.twin_of.get(name)?;
        Some(match self.fit.twins.get(plain) {
            Some(twin) => (twin.symbol.clone(), Some(twin.binding)),
            None => (format!("{plain}.thrille.unused"), None),
        })
    }

    fn label(&mut self, name: &str) {
        let Some((symbol, binding)) = self.twin(name) else {
            let _ = writeln!(self.out, "{name}:");
            return;
        };
        if let Some(binding) = binding {
            let visible = if binding == Binding::Weak { ".weak" } else { ".globl" };
            let _ = write!(self.out, "\t{visible}\t{symbol}\n\t.hidden\t{symbol}\n");
        }
        let _ = writeln!(self.out, "{symbol}:");
    }

    fn of_symbol(&mut self, text: &str, directive: &str, rest: &str) {
        let name = first(rest);
        if self.fit.dropped.contains(name) {
            return;
        }
        let Some((symbol, _)) = self.twin(name) else {
            return self.renamed(text);
        };
        let _ = match directive {
            ".type" => writeln!(self.out, "\t.type\t{symbol}, @function"),
            ".size" => writeln!(self.out, "\t.size\t{symbol}, .-{symbol}"),
            _ => Ok(()),
        };
    }

    fn section(&mut self, text: &str, rest: &str, section: &Section) {
        match &section.group {
            Some(group) if self.fit.groups.contains(group) => {
                let before = bare(rest).strip_suffix(",comdat").and_then(|rest| rest.strip_suffix(group.as_str()));
                let _ = writeln!(self.out, "\t.section\t{}{},comdat", before.unwrap_or_default(), self.group(group));
            }
            _ => {
                self.out.push_str(text);
                self.out.push('\n');
            }
        }
    }

    fn instruction(&mut self, text: &str, name: &str, rest: &str) {
        let target = called(name, rest);
        if target.is_some_and(is_frame) {
            if name != "call" {
                self.out.push_str("\tret\n");
            }
            return;
        }
        let hook = target.filter(|_| name == "call");
        let Some((hook, told)) = hook.and_then(|hook| Some((hook, Hook::of(hook)?))) else {
            return self.renamed(text);
        };
        let (number, index) = (self.hooks, self.sites.len());
        self.hooks += 1;
        // Its function's table has this number among those that have any sites.
        let site = format!(".Lthrille.hot{}+{}(%rip)", number - index, 8 * index);
        let (more, visit) = match told.size {
            Some(_) => ("", "thrille_visit"),
            None => ("\tmovq\t%rsi, %rdx\n", "thrille_visit_range"),
        };
        let call = text.replace(hook, visit);
        let _ = write!(
            self.out,
            "\tsubl\t$1, {site}\n\tjns\t.Lthrille.on{number}\n{more}\tleaq\t{site}, %rsi\n{call}\n.Lthrille.on{number}:\n"
        );
        let (line, column) = self.here;
        self.sites.push(Site { hook: told, line, column, first: number - index });
    }
}
