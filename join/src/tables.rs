//! The tables of `instrument/hooks.h`. They go with their functions: in the same group, if those are in one.

use crate::fit::Twin;
use crate::unit::{Binding, Hook};
use std::fmt::Write;

/// A load or store.
#[derive(Debug)]
pub struct Site {
    pub hook: Hook,
    pub line: u32,
    pub column: u32,
    /// The number of its function's first hook.
    pub first: usize,
}

/// A function's.
#[derive(Debug)]
pub struct Table<'a> {
    /// As the linker knows it.
    pub name: &'a str,
    /// None if it is not in the plain assembly.
    pub twin: Option<&'a Twin>,
    pub group: Option<String>,
    pub number: usize,
    pub sites: Vec<Site>,
}

/// A function's traits, as in `hooks.h`.
const JOINED: u64 = 1;
const SYNCHRONISES: u64 = 2;

/// All of a file.
pub struct Tables<'a> {
    source: &'a str,
    all: Vec<Table<'a>>,
    count: usize,
}

impl<'a> Tables<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, all: Vec::new(), count: 0 }
    }

    pub fn next(&self) -> usize {
        self.count
    }

    pub fn add(&mut self, table: Table<'a>) {
        self.count += 1;
        if table.twin.is_some() || !table.sites.is_empty() {
            self.all.push(table);
        }
    }

    pub fn sites(&self) -> usize {
        self.all.iter().map(|table| table.sites.len()).sum()
    }

    /// Writes them, and what tells the library of them.
    pub fn write(&self, out: &mut String) {
        for table in &self.all {
            // Writing to a string does not fail.
            let _ = self.table(out, table);
        }
        if self.all.is_empty() {
            return;
        }
        out.push_str("\t.hidden\t__start_thrille_functions_3\n\t.hidden\t__stop_thrille_functions_3\n");
        for (hook, section, label) in [
            ("thrille_register_3", ".init_array.00099", ".Lthrille.start"),
            ("thrille_unregister", ".fini_array.00099", ".Lthrille.end"),
        ] {
            let _ = write!(
                out,
                "\t.section\t.text.startup,\"ax\",@progbits
{label}:
\t.cfi_startproc
\tsubq\t$8, %rsp
\t.cfi_def_cfa_offset 16
\tleaq\t__start_thrille_functions_3(%rip), %rdi
\tleaq\t__stop_thrille_functions_3(%rip), %rsi
\tcall\t*{hook}@GOTPCREL(%rip)
\taddq\t$8, %rsp
\t.cfi_def_cfa_offset 8
\tret
\t.cfi_endproc
\t.section\t{section},\"aw\"
\t.p2align 3
\t.quad\t{label}
"
            );
        }
    }

    fn table(&self, out: &mut String, table: &Table) -> std::fmt::Result {
        let Table { name, twin, number, sites, .. } = table;
        let section = |name: &str, flags: &str| match &table.group {
            Some(group) => format!("\t.section\t{name},\"{flags}G\",@progbits,{group},comdat\n"),
            None => format!("\t.section\t{name},\"{flags}\",@progbits\n"),
        };
        let hot = sites.first().map_or_else(|| "0".to_owned(), |site| format!(".Lthrille.hot{}", site.first));
        if !sites.is_empty() {
            write!(out, "{}\t.p2align 3\n{hot}:\n", section(".data.thrille", "aw"))?;
            for site in sites {
                let kind = if site.hook.writes { 2 } else { 1 };
                writeln!(out, "\t.long\t0\n\t.byte\t0,{kind}\n\t.value\t{}", site.hook.size.unwrap_or(0))?;
            }
        }
        write!(out, "{}\t.p2align 2\n.Lthrille.cold{number}:\n", section(".rodata.thrille", "a"))?;
        for site in sites {
            writeln!(out, "\t.long\t0,0,{}\n\t.value\t{},1", site.line, site.column.min(u32::from(u16::MAX)))?;
        }
        writeln!(out, ".Lthrille.name{number}:\n\t.string\t\"{name}\"")?;
        writeln!(out, "{}\t.p2align 6", section("thrille_functions_3", "aw"))?;
        if let Some(Twin { table, binding, .. }) = twin {
            let visible = if *binding == Binding::Weak { ".weak" } else { ".globl" };
            writeln!(out, "\t{visible}\t{table}\n\t.hidden\t{table}\n{table}:")?;
        }
        let traits = JOINED | if twin.is_some_and(|twin| twin.synchronises) { SYNCHRONISES } else { 0 };
        writeln!(
            out,
            "\t.long\t0,0,0,{}\n\t.quad\t{hot}\n\t.quad\t.Lthrille.cold{number}\n\t.quad\t.Lthrille.name{number}",
            sites.len()
        )?;
        writeln!(out, "\t.quad\t{}\n\t.quad\t{traits},0", id(self.source, name))
    }
}

/// A function's number: the same in each build of its file. (FNV-1a, as in the plugin.)
fn id(file: &str, name: &str) -> u64 {
    let bytes = file.bytes().chain([0]).chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
