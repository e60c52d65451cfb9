//! What an assembly defines.

use crate::fit::Unfit;
use crate::statics::{self, Origin};
use crate::text::{self, Kind, bare, first};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Who can see a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// This object.
    #[default]
    Local,
    /// Others.
    Global,
    /// Others, and any of several definitions will do.
    Weak,
}

/// The section of what is not said to be in any.
const BSS: usize = 0;

/// A section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub flags: String,
    /// Of which the linker keeps one in a program.
    pub group: Option<String>,
}

impl Section {
    /// Cannot be written to when the program runs.
    pub fn is_constant(&self) -> bool {
        !self.flags.contains('w') || self.name.starts_with(".data.rel.ro")
    }

    fn is_debug(&self) -> bool {
        self.name.starts_with(".debug") || self.name.starts_with(".gnu.debug")
    }

    /// What runs before and after `main` by being in it.
    pub fn is_start(&self) -> bool {
        [".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"].iter().any(|n| self.name.starts_with(n))
    }
}

/// Where something is in the source: file, line and, for what they are compared, column.
pub type Place = (String, u32, u32);

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub section: usize,
    /// The lines of its label and of its size.
    pub lines: (usize, usize),
    /// Where the source declares it.
    pub place: Option<Place>,
    /// Its calls of hooks for atomic instructions.
    pub atomics: BTreeSet<(String, u32)>,
    /// It has atomic instructions.
    pub locks: bool,
    /// All lines of the source that it has code of.
    pub source: HashSet<(String, u32)>,
    /// What it calls, besides hooks, or jumps to.
    pub calls: bool,
    /// Hooks of loads and stores.
    pub hooks: usize,
    /// Whatever it names.
    pub names: HashSet<String>,
}

/// What is no function.
#[derive(Clone, Debug, Default)]
pub struct Data {
    pub section: usize,
    pub size: Option<String>,
    /// It is a second name of this.
    pub alias: Option<String>,
}

/// An assembly.
#[derive(Debug)]
pub struct Unit<'a> {
    pub lines: Vec<&'a str>,
    /// The section of each line.
    pub section_of: Vec<usize>,
    pub sections: Vec<Section>,
    pub functions: Vec<Function>,
    pub data: BTreeMap<String, Data>,
    pub binding: HashMap<String, Binding>,
    /// Named outside of functions and debug information.
    pub named_by_data: HashSet<String>,
    /// Which variables of the source symbols are.
    pub origins: HashMap<String, Origin>,
}

/// Directives that say something of a symbol, which comes first.
pub const OF_SYMBOL: [&str; 12] = [
    ".globl",
    ".global",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".type",
    ".size",
    ".local",
    ".comm",
    ".set",
    ".symver",
];

/// What assembly of the user's may contain: bytes and places for them, nothing that changes what the rest means. (The compiler adds lines of the source.)
const HARMLESS: [&str; 10] =
    [".loc", ".byte", ".value", ".word", ".short", ".long", ".quad", ".p2align", ".align", ".balign"];

impl<'a> Unit<'a> {
    /// Reads it.
    pub fn parse(all: &'a str) -> Result<Self, Unfit> {
        let mut new = Self {
            lines: all.lines().collect(),
            section_of: Vec::new(),
            sections: Vec::new(),
            functions: Vec::new(),
            data: BTreeMap::new(),
            binding: HashMap::new(),
            named_by_data: HashSet::new(),
            origins: HashMap::new(),
        };
        new.find_sections()?;
        let types = new.find_symbols();
        new.find_functions(&types)?;
        new.find_data(&types);
        new.find_names()?;
        new.keep_places_in_code_apart()?;
        let debug = |line: &usize| new.sections[new.section_of[*line]].name.starts_with(".debug_info");
        let info = (0..new.lines.len()).filter(debug).map(|line| new.lines[line]);
        new.origins = statics::origins(info);
        Ok(new)
    }

    pub fn section(&self, line: usize) -> &Section {
        &self.sections[self.section_of[line]]
    }

    pub fn binding(&self, name: &str) -> Binding {
        self.binding.get(name).copied().unwrap_or_default()
    }

    fn in_debug(&self, line: usize) -> bool {
        self.section(line).is_debug()
    }

    /// Lines that matter to the linker. What is said of a symbol may stand anywhere.
    fn proper(&self) -> impl Iterator<Item = (usize, Kind<'a>)> {
        let of_symbol = |kind: &Kind| matches!(kind, Kind::Directive(name, _) if OF_SYMBOL.contains(name));
        let all = (0..self.lines.len()).map(|line| (line, text::kind(self.lines[line])));
        all.filter(move |(line, kind)| !self.in_debug(*line) || of_symbol(kind))
    }

    fn find_sections(&mut self) -> Result<(), Unfit> {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut declared: HashMap<String, String> = HashMap::new();
        let mut sections: Vec<Section> = Vec::new();
        let mut enter = |name: &str, flags: &str, group: Option<&str>| {
            *known.entry(format!("{name}\n{}", group.unwrap_or_default())).or_insert_with(|| {
                sections.push(Section { name: name.into(), flags: flags.into(), group: group.map(Into::into) });
                sections.len() - 1
            })
        };
        enter(".bss", "aw", None);
        let (mut now, mut user) = (enter(".text", "ax", None), false);
        for line in &self.lines {
            let kind = text::kind(line);
            match kind {
                Kind::User => user = true,
                Kind::Compiler => user = false,
                Kind::Directive(name, _) if user && !HARMLESS.contains(&name) => {
                    return Err(Unfit::new(format!("assembly in the source that says {name}")));
                }
                Kind::Directive(".text", _) => now = enter(".text", "ax", None),
                Kind::Directive(".data", _) => now = enter(".data", "aw", None),
                Kind::Directive(".bss", _) => now = enter(".bss", "aw", None),
                Kind::Directive(".section", rest) => {
                    let parts: Vec<&str> = bare(rest).split(',').map(str::trim).collect();
                    let flags = match parts.get(1) {
                        Some(flags) => flags.trim_matches('"').to_owned(),
                        None => declared.get(parts[0]).cloned().unwrap_or_else(|| usual_flags(parts[0]).into()),
                    };
                    declared.insert(parts[0].into(), flags.clone());
                    let group = (parts.last() == Some(&"comdat")).then(|| parts[parts.len() - 2]);
                    now = enter(parts[0], &flags, group);
                }
                Kind::Directive(
                    name @ (".pushsection" | ".popsection" | ".previous" | ".subsection" | ".intel_syntax" | ".symver"
                    | ".macro" | ".include" | ".incbin" | ".if" | ".rept" | ".altmacro"),
                    _,
                ) => return Err(Unfit::new(format!("the compiler says {name}"))),
                _ => {}
            }
            self.section_of.push(now);
        }
        self.sections = sections;
        Ok(())
    }

    /// The types of symbols.
    fn find_symbols(&mut self) -> HashMap<&'a str, &'a str> {
        let (mut types, mut binding) = (HashMap::new(), HashMap::new());
        for (_, kind) in self.proper() {
            let Kind::Directive(name, rest) = kind else { continue };
            let symbol = first(rest);
            match name {
                ".globl" | ".global" | ".comm" => {
                    binding.entry(symbol.to_owned()).or_insert(Binding::Global);
                }
                ".weak" => {
                    binding.insert(symbol.to_owned(), Binding::Weak);
                }
                ".type" => {
                    types.insert(symbol, bare(rest).rsplit(['@', '%']).next().unwrap_or_default());
                }
                ".local" => {
                    binding.insert(symbol.to_owned(), Binding::Local);
                }
                _ => {}
            }
        }
        self.binding = binding;
        types
    }

    fn find_functions(&mut self, types: &HashMap<&str, &str>) -> Result<(), Unfit> {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        for (line, kind) in self.proper() {
            if let Kind::Directive(".size", rest) = kind {
                sizes.insert(first(rest), line);
            }
        }
        let mut files: HashMap<u32, String> = HashMap::new();
        let mut functions: Vec<Function> = Vec::new();
        let (mut end, mut user) = (0, false);
        let mut here = None;
        for (line, kind) in self.proper() {
            match kind {
                Kind::User => {
                    user = true;
                    if line > end || functions.is_empty() {
                        return Err(Unfit::new("assembly in the source, outside of functions"));
                    }
                }
                Kind::Compiler => user = false,
                Kind::Directive(".file", rest) => {
                    if let Some((number, path)) = file(rest) {
                        files.insert(number, path);
                    }
                    continue;
                }
                Kind::Label(name) if types.get(name) == Some(&"function") && !is_part(name) => {
                    let Some(&size) = sizes.get(name).filter(|&&size| size > line) else {
                        return Err(Unfit::new(format!("{name} has no end")));
                    };
                    if self.section_of[size] != self.section_of[line] {
                        return Err(Unfit::new(format!("{name} ends in another section")));
                    }
                    if line < end {
                        return Err(Unfit::new(format!("{name} begins within another function")));
                    }
                    end = size;
                    here = None;
                    functions.push(Function {
                        name: name.into(),
                        section: self.section_of[line],
                        lines: (line, size),
                        place: None,
                        atomics: BTreeSet::new(),
                        locks: false,
                        source: HashSet::new(),
                        calls: false,
                        hooks: 0,
                        names: HashSet::new(),
                    });
                    continue;
                }
                _ => {}
            }
            let Some(function) = functions.last_mut().filter(|_| line < end) else { continue };
            match kind {
                Kind::Directive(".loc", rest) => {
                    let mut numbers = rest.split_whitespace().map(|word| word.parse::<u32>().unwrap_or(0));
                    let mut next = || numbers.next().unwrap_or(0);
                    let (file, line, column) = (next(), next(), next());
                    let file = files.get(&file).cloned().unwrap_or_default();
                    function.source.insert((file.clone(), line));
                    here = Some((file.clone(), line));
                    function.place.get_or_insert((file, line, column));
                }
                Kind::Instruction(name, rest) if !user => {
                    let called = called(name, rest);
                    if name == "call" || name.starts_with('j') {
                        match called {
                            Some(hook) if hook.starts_with("__tsan_atomic") => {
                                if !hook.contains("fence") {
                                    function.atomics.extend(here.clone());
                                    function.locks = true;
                                }
                                function.calls = true;
                            }
                            Some(hook) if Hook::of(hook).is_some() => function.hooks += 1,
                            Some(hook) if is_frame(hook) => {}
                            Some(label) if label.starts_with(".L") => {}
                            _ => function.calls = true,
                        }
                    }
                    function.locks |= name == "lock" || (name.starts_with("xchg") && rest.contains('('));
                }
                _ => {}
            }
            let arguments = text::arguments(kind);
            for (from, to) in text::symbols(arguments) {
                let name = &arguments[from..to];
                if !name.starts_with(".L") && !function.names.contains(name) {
                    function.names.insert(name.into());
                }
            }
        }
        self.functions = functions;
        Ok(())
    }

    fn find_data(&mut self, types: &HashMap<&str, &str>) {
        let mut data: BTreeMap<String, Data> = BTreeMap::new();
        let mut sizes: HashMap<&str, &str> = HashMap::new();
        let inside = self.inside();
        for (line, kind) in self.proper() {
            let section = self.section_of[line];
            match kind {
                // Labels that are numbers are no symbols.
                Kind::Label(name)
                    if !name.starts_with(".L")
                        && !name.starts_with(|c: char| c.is_ascii_digit())
                        && types.get(name) != Some(&"function")
                        && !inside(line) =>
                {
                    data.insert(name.into(), Data { section, ..Data::default() });
                }
                Kind::Directive(".size", rest) => {
                    if let Some((name, size)) = bare(rest).split_once(',') {
                        sizes.insert(name.trim(), size.trim());
                    }
                }
                Kind::Directive(".comm", rest) => {
                    let mut parts = bare(rest).split(',').map(str::trim);
                    let (name, size) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                    data.insert(name.into(), Data { section: BSS, size: Some(size.into()), alias: None });
                }
                Kind::Directive(".set" | ".equ", rest) => {
                    let name = first(rest);
                    if !name.starts_with(".L") {
                        let of = bare(rest).split(',').nth(1).unwrap_or_default().trim();
                        data.insert(name.into(), Data { section, size: None, alias: Some(of.into()) });
                    }
                }
                _ => {}
            }
        }
        for (name, known) in &mut data {
            if known.size.is_none() {
                known.size = sizes.get(name.as_str()).map(|&size| size.into());
            }
        }
        self.data = data;
    }

    /// Whether a line is in a function.
    fn inside(&self) -> impl Fn(usize) -> bool + use<> {
        let bounds: Vec<(usize, usize)> = self.functions.iter().map(|function| function.lines).collect();
        move |line| {
            let after = bounds.partition_point(|&(from, _)| from <= line);
            after > 0 && line <= bounds[after - 1].1
        }
    }

    fn find_names(&mut self) -> Result<(), Unfit> {
        let inside = self.inside();
        let mut named = HashSet::new();
        for (line, kind) in self.proper() {
            match kind {
                Kind::Directive(".set" | ".equ", rest) => {
                    named.extend(bare(rest).split(',').skip(1).map(|name| name.trim().to_owned()));
                    continue;
                }
                Kind::Directive(name, _)
                    if OF_SYMBOL.contains(&name) || [".section", ".file", ".loc"].contains(&name) =>
                {
                    continue;
                }
                Kind::Instruction(..) if !inside(line) => return Err(Unfit::new("code outside of functions")),
                _ => {}
            }
            // Tables within functions are data too: addresses of what others may jump to.
            if !inside(line) || matches!(kind, Kind::Directive(..)) {
                let arguments = text::arguments(kind);
                let names = text::symbols(arguments).map(|(from, to)| &arguments[from..to]);
                named.extend(names.filter(|name| !name.starts_with(".L")).map(Into::into));
            }
        }
        self.named_by_data = named;
        Ok(())
    }

    /// Addresses of places in the middle of a function must not get from one copy to the other: no data that is shared may have them, nor code that
    /// could store them. (Tables that the compiler makes to jump by stand within their functions.)
    fn keep_places_in_code_apart(&self) -> Result<(), Unfit> {
        let local = |name: &str| name.starts_with(".L");
        let in_code = |line: usize| self.section(line).flags.contains('x');
        let places: HashSet<&str> = (self.proper())
            .filter_map(|(line, kind)| match kind {
                Kind::Label(name) if local(name) && in_code(line) => Some(name),
                _ => None,
            })
            .collect();
        let inside = self.inside();
        let apart = [".gcc_except_table", ".eh_frame"];
        for (line, kind) in self.proper() {
            let may_not = match kind {
                Kind::Instruction(name, _) => name != "call" && !name.starts_with('j') && !name.starts_with("xbegin"),
                Kind::Directive(name, _) => {
                    let section = self.section(line);
                    let counts = name.starts_with(".cfi") || name == ".loc" || OF_SYMBOL.contains(&name);
                    !counts && !inside(line) && !apart.iter().any(|name| section.name.starts_with(name))
                }
                _ => false,
            };
            let arguments = if may_not { text::arguments(kind) } else { "" };
            if text::symbols(arguments).any(|(from, to)| places.contains(&arguments[from..to])) {
                return Err(Unfit::new("it takes the address of a label"));
            }
        }
        Ok(())
    }

    /// Jumps and calls of functions by name: from where, whether it is a jump, and to what.
    fn goes(&self) -> impl Iterator<Item = (&Function, bool, &'a str)> {
        self.functions.iter().flat_map(|function| {
            let (from, to) = function.lines;
            self.lines[from..to].iter().filter_map(move |line| {
                let Kind::Instruction(name, rest) = text::kind(line) else { return None };
                let target = called(name, rest).filter(|target| !target.starts_with(".L") && !is_part(target))?;
                Some((function, name != "call", target))
            })
        })
    }

    /// Whether a function ends in a jump to one of others'. Those of C++ need not know from where they are called.
    pub fn jumps_away(&self) -> bool {
        let own: HashSet<&str> = self.functions.iter().map(|function| function.name.as_str()).collect();
        let other = |name: &str| !own.contains(name) && !self.data.contains_key(name) && !name.starts_with("_Z");
        self.goes().any(|(_, jumps, target)| jumps && other(target))
    }

    /// Calls at the end of a function are calls here, and were loops there: that a function called itself so can be what kept the stack small.
    pub fn recurses_no_more_than(&self, other: &Self) -> Result<(), Unfit> {
        let itself = |unit: &Self| -> HashSet<String> {
            unit.goes()
                .filter(|(function, jumps, to)| !jumps && function.name == *to)
                .map(|(.., to)| to.into())
                .collect()
        };
        let before = itself(other);
        match itself(self).iter().find(|name| !before.contains(*name)) {
            Some(name) => Err(Unfit::new(format!("{name} calls itself at its end"))),
            None => Ok(()),
        }
    }

    /// The groups that code is in.
    pub fn code_groups(&self) -> HashSet<&str> {
        self.functions.iter().filter_map(|function| self.sections[function.section].group.as_deref()).collect()
    }
}

/// A part of a function that is somewhere else, between its label and its size.
pub fn is_part(name: &str) -> bool {
    name.split('.').skip(1).any(|part| part == "cold")
}

fn usual_flags(section: &str) -> &'static str {
    match section.split('.').nth(1).unwrap_or_default() {
        "text" | "init" | "fini" => "ax",
        "rodata" | "gcc_except_table" | "eh_frame" | "note" | "comment" => "a",
        _ => "aw",
    }
}

/// `1 "dir" "name"`, or `0 "dir" "name" md5 ...`.
fn file(rest: &str) -> Option<(u32, String)> {
    let (number, rest) = rest.split_once(char::is_whitespace)?;
    let texts: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    Some((number.parse().ok()?, texts.join("/")))
}

/// The symbol that is called or jumped to.
pub fn called<'a>(name: &str, rest: &'a str) -> Option<&'a str> {
    if name != "call" && !name.starts_with('j') {
        return None;
    }
    let rest = rest.trim_start_matches('*');
    let (from, to) = text::symbols(rest).next()?;
    (from == 0).then(|| &rest[from..to])
}

/// Hooks that tell of calls, which nobody needs who can unwind.
pub fn is_frame(name: &str) -> bool {
    name == "__tsan_func_entry" || name == "__tsan_func_exit"
}

/// What a hook tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook {
    pub writes: bool,
    /// Bytes, if the call does not say how many.
    pub size: Option<u16>,
}

impl Hook {
    /// By its name.
    pub fn of(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("__tsan_")?;
        match rest {
            "vptr_read" => return Some(Self { writes: false, size: Some(8) }),
            "vptr_update" => return Some(Self { writes: true, size: Some(8) }),
            "read_range" => return Some(Self { writes: false, size: None }),
            "write_range" => return Some(Self { writes: true, size: None }),
            _ => {}
        }
        let rest = rest.strip_prefix("unaligned_").or_else(|| rest.strip_prefix("volatile_")).unwrap_or(rest);
        let (writes, size) = match (rest.strip_prefix("read"), rest.strip_prefix("write")) {
            (Some(size), _) => (false, size),
            (_, Some(size)) => (true, size),
            _ => return None,
        };
        let size = size.parse().ok().filter(|size| [1, 2, 4, 8, 16].contains(size))?;
        Some(Self { writes, size: Some(size) })
    }
}
