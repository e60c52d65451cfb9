//! A compiler's command line, understood as far as needed: which words are inputs, what is made of them, what is only for the linker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// One argument, or an option with its separate value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As given.
    pub raw: Vec<OsString>,
    /// What it is.
    pub role: Role,
}

/// What a word is to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be compiled, in the language that `-x` demands, if one does.
    Source(Option<OsString>),
    /// A header to be precompiled.
    Header,
    /// An object, a library by name, a linker script.
    Object,
    /// `-x`.
    Language,
    /// `-o`.
    Output,
    /// `-l`, with the name.
    Library(String),
    /// `-fsanitize=`, with its list.
    Sanitize(Vec<String>),
    /// Meaningful to the linker only.
    LinkOnly,
    /// `-MD` and `-MMD`, `-MF`, `-MT` and `-MQ`.
    Dependency(Dependency),
    /// Anything else.
    Other,
}

/// Options that write dependencies for make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// Write them besides.
    Write,
    /// Into this file.
    File,
    /// For this target.
    Target,
}

/// How far the compiler goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing to compile or link: a question to the compiler.
    Query,
    /// Up to an object, assembly, preprocessed text or dependencies.
    Compile,
    /// Up to an executable or shared library.
    Link,
    /// Objects into one object.
    Relocatable,
}

/// The command line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its words in order.
    pub words: Vec<Word>,
    /// How far it goes.
    pub mode: Mode,
}

/// Options whose value is the next argument, when it does not follow at once.
const VALUE_MAY_FOLLOW: [&str; 11] = ["-o", "-x", "-I", "-J", "-L", "-l", "-D", "-U", "-B", "-T", "-u"];
/// Options whose value is always the next argument.
const VALUE_FOLLOWS: [&str; 36] = [
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xlinker",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-z",
    "-e",
    "-h",
    "-A",
    "-aux-info",
    "--param",
    "-wrapper",
    "-specs",
    "-arch",
    "-target",
    "-framework",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-Tbss",
    "-Tdata",
    "-Ttext",
];
const LINK_ONLY: [&str; 20] = [
    "-L",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-Xlinker",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-s",
    "-rdynamic",
    "-shared",
    "-static",
    "-pie",
    "-no-pie",
    "-static-pie",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
];
const LINK_ONLY_STARTS: [&str; 6] = ["-L", "-T", "-Wl,", "-static-lib", "-shared-lib", "-fuse-ld="];
const COMPILE_ONLY: [&str; 6] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"];
const SOURCES: [&str; 17] =
    ["c", "i", "ii", "C", "cc", "cp", "cxx", "cpp", "CPP", "c++", "m", "mi", "mm", "M", "s", "S", "sx"];
/// Those that can be joined.
const JOINED_SOURCES: [&str; 10] = ["c", "i", "ii", "C", "cc", "cp", "cxx", "cpp", "CPP", "c++"];
/// How options begin with which a source cannot be compiled twice and joined.
const NOT_JOINED: [&str; 33] = [
    "-S",
    "-E",
    "-fsyntax-only",
    "-###",
    "-save-temps",
    "--save-temps",
    "-fprofile",
    "--coverage",
    "-coverage",
    "-ftest-coverage",
    "-fbranch-probabilities",
    "-fauto-profile",
    "-fdump-",
    "-fstack-usage",
    "-fcallgraph-info",
    "-aux-info",
    "-dump",
    "-gsplit-dwarf",
    "-gstabs",
    "-gno-as-loc-support",
    "-g1",
    "-fsplit-stack",
    "-fplugin",
    "-fgnu-tm",
    "-fopenacc",
    "-fno-dwarf2-cfi-asm",
    "-fwhole-program",
    "-m32",
    "-mx32",
    "-m16",
    "-masm=",
    "-mcmodel=large",
    "-Wp,-M",
];
/// Extensions of Fortran sources; in upper case they are preprocessed.
pub const FORTRAN: [&str; 14] =
    ["f", "f90", "f95", "f03", "f08", "for", "ftn", "F", "F90", "F95", "F03", "F08", "FOR", "FTN"];
const HEADERS: [&str; 9] = ["h", "H", "hh", "hp", "hxx", "hpp", "HPP", "h++", "tcc"];

impl Line {
    /// Understands the arguments behind the compiler's name.
    pub fn parse(args: &[OsString]) -> Self {
        let mut words = Vec::new();
        let mut language: Option<OsString> = None;
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.to_string_lossy();
            let mut raw = vec![arg.clone()];
            if text == "-" || !text.starts_with('-') {
                words.push(Word { raw, role: input(&text, language.as_ref()) });
                continue;
            }
            let option = option_name(&text);
            if option == text && (VALUE_FOLLOWS.contains(&option) || VALUE_MAY_FOLLOW.contains(&option)) {
                raw.extend(rest.next().cloned());
            }
            // The value, wherever it stands.
            let value = match raw.get(1) {
                Some(value) => value.to_string_lossy().into_owned(),
                None => text[option.len()..].to_owned(),
            };
            if option == "-x" {
                language = (value != "none").then(|| value.clone().into());
            }
            words.push(Word { raw, role: role(&text, option, value) });
        }
        let mode = mode(&words);
        Self { words, mode }
    }

    /// Whether this argument is there.
    pub fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|word| word.raw[0] == flag)
    }

    /// Whether Fortran is compiled: its compiler takes other flags.
    pub fn is_fortran(&self) -> bool {
        self.words.iter().any(|word| match &word.role {
            Role::Source(Some(language)) => language.to_string_lossy().starts_with('f'),
            Role::Source(None) => {
                Path::new(&word.raw[0]).extension().and_then(|e| e.to_str()).is_some_and(|e| FORTRAN.contains(&e))
            }
            _ => false,
        })
    }

    /// Whether an argument begins like this.
    pub fn has_start(&self, start: &str) -> bool {
        self.words.iter().any(|word| word.raw[0].to_string_lossy().starts_with(start))
    }

    /// Whether debug information is asked for.
    pub fn has_debug(&self) -> bool {
        let mut levels = self.words.iter().rev().filter(|word| word.role == Role::Other).filter_map(|word| {
            let text = word.raw[0].to_string_lossy().into_owned();
            let wanted = ["-g", "-g1", "-g2", "-g3"].contains(&&*text)
                || text.starts_with("-ggdb")
                || text.starts_with("-gdwarf");
            if text == "-g0" { Some(false) } else { wanted.then_some(true) }
        });
        levels.next().unwrap_or(false)
    }

    /// Whether this source can be compiled twice and joined, as far as the arguments go: nothing else is written that both compilations would
    /// write differently, and the assembly is of the kind that is understood.
    pub fn can_be_joined(&self, source: &Word) -> bool {
        let extension = Path::new(&source.raw[0]).extension().and_then(|e| e.to_str()).unwrap_or_default();
        let language = match &source.role {
            Role::Source(Some(language)) => {
                let language = language.to_string_lossy();
                ["c", "c++", "cpp-output", "c++-cpp-output"].contains(&&*language) || language.starts_with('f')
            }
            _ => JOINED_SOURCES.contains(&extension) || FORTRAN.contains(&extension),
        };
        let other = |word: &Word| match &word.role {
            Role::Sanitize(list) => list.iter().any(|name| name != "thread"),
            Role::Other => NOT_JOINED.iter().any(|start| word.raw[0].to_string_lossy().starts_with(start)),
            _ => false,
        };
        let only_dependencies = ["-M", "-MM", "-MG"].into_iter().any(|flag| self.has(flag));
        language && source.raw[0] != "-" && !only_dependencies && !self.words.iter().any(other)
    }

    /// Directories given by `-I` and the like.
    pub fn include_dirs(&self) -> Vec<PathBuf> {
        let dir = |word: &Word| {
            let first = word.raw[0].to_string_lossy().into_owned();
            match (word.raw.get(1), first.strip_prefix("-I")) {
                (Some(next), _) if ["-I", "-isystem", "-iquote", "-idirafter"].contains(&&*first) => Some(next.into()),
                (None, Some(joined)) => Some(joined.into()),
                _ => None,
            }
        };
        self.words.iter().filter_map(dir).collect()
    }

    /// The files of the libraries and objects that are linked, as far as the line says where they are: without a directory otherwise.
    pub fn linked(&self) -> Vec<PathBuf> {
        let dirs = self.words.iter().filter(|word| word.role == Role::LinkOnly).filter_map(|word| {
            let first = word.raw[0].to_string_lossy().into_owned();
            word.raw
                .get(1)
                .map(PathBuf::from)
                .filter(|_| first == "-L")
                .or_else(|| first.strip_prefix("-L").map(Into::into))
        });
        let dirs: Vec<PathBuf> = dirs.collect();
        let file = |word: &Word| match &word.role {
            Role::Object => Some(PathBuf::from(&word.raw[0])),
            Role::Library(name) => {
                let file = format!("lib{name}.so");
                let found = dirs.iter().map(|dir| dir.join(&file)).find(|path| path.exists());
                Some(found.unwrap_or_else(|| file.into()))
            }
            _ => None,
        };
        self.words.iter().filter_map(file).collect()
    }

    /// The value of `-o`.
    pub fn output(&self) -> Option<OsString> {
        let word = self.words.iter().rev().find(|word| word.role == Role::Output)?;
        match word.raw.get(1) {
            Some(value) => Some(value.clone()),
            None => Some(word.raw[0].to_string_lossy()[2..].into()),
        }
    }
}

/// The name of an option whose value may stand in the same argument; otherwise all of it.
fn option_name(text: &str) -> &str {
    // Not `-T` and `-u`: `-Ttext` and `-undef` are options of their own.
    let longer =
        ["-o", "-x", "-I", "-J", "-L", "-l", "-D", "-U", "-B"].iter().find(|option| text.starts_with(**option));
    match longer {
        Some(option) => option,
        None => text,
    }
}

fn role(text: &str, option: &str, value: String) -> Role {
    if let Some(list) = text.strip_prefix("-fsanitize=") {
        return Role::Sanitize(list.split(',').map(Into::into).collect());
    }
    match option {
        "-o" => return Role::Output,
        "-x" => return Role::Language,
        "-l" => return Role::Library(value),
        "-MD" | "-MMD" => return Role::Dependency(Dependency::Write),
        "-MF" => return Role::Dependency(Dependency::File),
        "-MT" | "-MQ" => return Role::Dependency(Dependency::Target),
        _ => {}
    }
    if LINK_ONLY.contains(&option) || LINK_ONLY_STARTS.iter().any(|start| text.starts_with(start)) {
        Role::LinkOnly
    } else {
        Role::Other
    }
}

fn input(text: &str, language: Option<&OsString>) -> Role {
    let extension = Path::new(text).extension().and_then(|e| e.to_str()).unwrap_or_default();
    match language {
        Some(language) if language.to_string_lossy().ends_with("-header") => Role::Header,
        Some(language) => Role::Source(Some(language.clone())),
        None if SOURCES.contains(&extension) || FORTRAN.contains(&extension) => Role::Source(None),
        None if HEADERS.contains(&extension) => Role::Header,
        None => Role::Object,
    }
}

fn mode(words: &[Word]) -> Mode {
    let has = |flag: &str| words.iter().any(|word| word.raw[0] == flag);
    let inputs = words.iter().any(|word| matches!(word.role, Role::Source(_) | Role::Header | Role::Object));
    let libraries = words.iter().any(|word| matches!(word.role, Role::Library(_)));
    if !inputs && !libraries {
        Mode::Query
    } else if COMPILE_ONLY.iter().any(|flag| has(flag)) || words.iter().any(|word| word.role == Role::Header) {
        Mode::Compile
    } else if has("-r") || has("-Wl,-r") {
        Mode::Relocatable
    } else {
        Mode::Link
    }
}
