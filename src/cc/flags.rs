//! What is added to compiler command lines. The only place that knows.

use super::family::Family;
use super::instrument::Instrument;
use crate::home::Home;
use crate::mpi::Model;
use std::ffi::OsString;
use std::path::Path;

/// C library functions whose accesses the library sees: calls of `X` go to its `__wrap_X`. The names that the preload crate defines.
/// These the compiler would otherwise expand in place.
const EXPANDED: [&str; 31] = [
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "memcmp",
    "memchr",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strcat",
    "strncat",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "bcopy",
    "bzero",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
];

/// And these stay calls, of themselves or of each other. The compiler goes on checking their formats.
const CALLED: [&str; 99] = [
    "GOMP_task",
    "GOMP_taskgroup_reduction_register",
    "printf",
    "fprintf",
    "dprintf",
    "sprintf",
    "snprintf",
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "scanf",
    "fscanf",
    "sscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc99_sscanf",
    "puts",
    "fputs",
    "fgets",
    "fread",
    "fwrite",
    "read",
    "write",
    "pread",
    "pwrite",
    "qsort",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
    "strtold",
    "strtok",
    "strtok_r",
    "strsep",
    "strspn",
    "strcspn",
    "strpbrk",
    "strcasecmp",
    "strncasecmp",
    "strchrnul",
    "strndup",
    "memrchr",
    "memmem",
    "memccpy",
    "getline",
    "getdelim",
    "__getdelim",
    "readv",
    "writev",
    "gethostname",
    "getcwd",
    "fflush",
    "fclose",
    "mmap",
    "mmap64",
    "munmap",
    "mremap",
    "shmat",
    "shmdt",
    "send",
    "sendto",
    "sendmsg",
    "recv",
    "recvfrom",
    "recvmsg",
    "socketpair",
    "connect",
    "accept",
    "accept4",
    "shutdown",
    "close",
    "flock",
    "lockf",
    "fcntl",
    "fcntl64",
    "mq_send",
    "mq_timedsend",
    "mq_receive",
    "mq_timedreceive",
    "msgsnd",
    "msgrcv",
    "semop",
    "semtimedop",
    "semctl",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "raise",
    "kill",
    "pthread_kill",
    "pause",
    "sigsuspend",
];

/// These clang itself turns into calls of the library.
const CLANG_INSTRUMENTS: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Which of the compilations of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The only one.
    Whole,
    /// The plain one of two that are joined.
    Plain,
    /// The instrumented one.
    Twin,
}

/// Macros that depend on how the source is compiled: the same for all its parts.
const SAME_MACROS: [&str; 3] = ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0", "-D__SANITIZE_THREAD__=1"];

/// For gcc: two calls that are alike stay two, each with its line, also where nothing else is looked at.
const CALLS_APART: [&str; 3] = ["-fno-tree-tail-merge", "-fno-crossjumping", "-fno-ipa-icf"];

/// For one part of two, of any language: what [`thrille_join`] asks for.
fn part(part: Part, home: &Home, macros: &[&str]) -> Vec<OsString> {
    let mut flags: Vec<OsString> = Vec::new();
    if part == Part::Plain {
        flags.push("-w".into());
        flags.extend(macros.iter().map(Into::into));
        if home.model == Model::Shmem && !macros.is_empty() {
            flags.extend(["-isystem".into(), home.include.clone().into()]);
        }
    }
    flags.extend(thrille_join::FLAGS.into_iter().chain(CALLS_APART).map(Into::into));
    flags
}

/// For gcc of any language: loops stay loops, what they store is stored where that is written, not behind them at the line of the loop, and what a condition keeps them from loading is not loaded before
/// them. What two lines do stays two: branches that end alike, and functions that are alike, are not made one, which has the line of either. (Its plugin sees to some of that itself, up to the
/// sanitizer's pass.)
fn gcc(instrument: &Instrument) -> Vec<OsString> {
    let mut flags = vec!["-fno-tree-loop-distribute-patterns", "-fno-code-hoisting", "-Wno-tsan"];
    flags.extend(CALLS_APART);
    match instrument {
        Instrument::Plugin(_) => {
            flags.extend(["--param=tsan-instrument-func-entry-exit=0", "-fasynchronous-unwind-tables"]);
        }
        _ => flags.extend(["-fno-tree-loop-im", "-fno-tree-cselim", "-fno-tree-sink"]),
    }
    flags.into_iter().map(Into::into).collect()
}

/// For compiling Fortran. Array assignments must stay calls of memcpy and memset, which the library sees.
pub fn compile_fortran(family: Family, instrument: &Instrument, which: Part, home: &Home) -> Vec<OsString> {
    let mut flags: Vec<OsString> = match (instrument, which) {
        (_, Part::Plain) => return part(which, home, &[]),
        (_, Part::Twin) => part(which, home, &[]),
        (Instrument::Plugin(_), _) => Vec::new(),
        _ => vec!["-fno-omit-frame-pointer".into()],
    };
    flags.push("-fsanitize=thread".into());
    if family.is_gcc() {
        flags.extend(gcc(instrument));
        if cfg!(target_arch = "x86_64") {
            flags.extend(["memcpy", "memset"].map(|name| format!("-m{name}-strategy=libcall:-1:noalign").into()));
        }
    }
    flags
}

/// For compiling: behind the user's own flags.
pub fn compile(family: Family, instrument: &Instrument, which: Part, home: &Home) -> Vec<OsString> {
    if which == Part::Plain {
        return part(which, home, &SAME_MACROS);
    }
    let mut flags: Vec<OsString> =
        ["-fsanitize=thread", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0"].map(Into::into).into();
    match (instrument, which) {
        (Instrument::Plugin(_), _) if family.is_gcc() => {}
        (Instrument::Plugin(path), _) => flags.extend(plugin(path)),
        (_, Part::Twin) => flags.extend(part(which, home, &[])),
        _ => flags.push("-fno-omit-frame-pointer".into()),
    }
    let kept = |name: &&str| family.is_gcc() || !CLANG_INSTRUMENTS.contains(name);
    flags.extend(EXPANDED.iter().copied().filter(kept).map(|name| format!("-fno-builtin-{name}").into()));
    if family.is_gcc() {
        flags.extend(gcc(instrument));
    }
    if home.model == Model::Shmem {
        flags.extend(["-isystem".into(), home.include.clone().into()]);
    }
    flags
}

/// For the plugin. It works within `-fsanitize=thread`: that marks the functions, sees to atomic instructions and to functions that
/// the plugin leaves alone. Calls are not told: stacks are found by the tables for unwinding.
fn plugin(path: &Path) -> Vec<OsString> {
    let mut load = OsString::from("-fpass-plugin=");
    load.push(path);
    let mut flags: Vec<OsString> = vec!["--start-no-unused-arguments".into(), load];
    // Addresses of hooks and tables are needed in cold blocks: not to be kept in registers all through the loops around them.
    // What a condition keeps a loop from loading is not loaded before the loop. What two branches do alike is not done once, by neither's line.
    let hooks = ["-tsan-instrument-func-entry-exit=0", "-disable-hoisting-to-hotter-blocks=all"];
    let loops = ["-disable-licm-promotion"];
    let alike = ["-sink-common-insts=false", "-hoist-common-insts=false", "-simplifycfg-merge-cond-stores=false"];
    for option in hooks.into_iter().chain(loops).chain(alike) {
        flags.extend(["-mllvm", option].map(Into::into));
    }
    flags.push("--end-no-unused-arguments".into());
    flags.push("-fasynchronous-unwind-tables".into());
    flags
}

/// For linking: before everything else, so that the library's definitions come before those of other libraries.
pub fn link(home: &Home) -> Vec<OsString> {
    let mut lib = OsString::from("-L");
    lib.push(&home.lib);
    let mut flags = vec![lib];
    flags.extend(["-Wl,--push-state,--no-as-needed", "-lthrille"].map(Into::into));
    if home.model == Model::Shmem {
        flags.push("-lthrille_shmem".into());
    }
    flags.push("-Wl,--pop-state".into());
    // Not -Wl,-rpath,DIR: a comma in DIR would end it.
    flags.extend(["-Xlinker".into(), "-rpath".into(), "-Xlinker".into(), home.lib.clone().into(), "-rdynamic".into()]);
    // The path in the program goes before LD_LIBRARY_PATH, which may lead to the library for another programming model.
    flags.push("-Wl,--disable-new-dtags".into());
    // Binding at the first call spoils a register that the hooks of the plugin keep.
    flags.push("-Wl,-z,now".into());
    flags.extend(EXPANDED.iter().chain(&CALLED).map(|name| format!("-Wl,--wrap={name}").into()));
    flags
}
