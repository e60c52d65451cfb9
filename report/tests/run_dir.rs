//! Reports of directories as runs leave them: real executables, whole and damaged record files.

use object::{Object as _, ObjectSymbol as _};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use thrille_model::job::{Api, Entry, Progress, rank_file};
use thrille_model::wire::{write_frame, write_head};
use thrille_model::{
    Act, Caller, Interval, Kind, Object, Phase, Phases, Pos, Race, Rank, Segment, Side, Site, StackId, Strand, Sync,
    SyncEvent, Token, Why,
};
use thrille_report::{Colour, Report, RunInfo};

const MODULE: u64 = 42;

fn side(rank: u32, act: Act, offset: u64, at: u64) -> Side {
    Side {
        strand: Strand { rank: Rank(rank), index: 0 },
        act,
        kind: Kind::Write,
        bytes: Interval::from_len(at, 4).unwrap(),
        begin: Pos(0),
        end: None,
        phases: Phases { lo: Phase(0), hi: Some(Phase(0)) },
        ctx: None,
        locks: Vec::new(),
        site: Site { module: MODULE, offset },
        stack: StackId(1),
        times: 1,
    }
}

fn race(a: u64, b: u64, at: u64) -> Race {
    let object = Object { owner: Rank(0), segment: Segment::Statics, offset: at, allocation: None };
    let (first, second) = (side(0, Act::Store, a, at), side(1, Act::Put, b, at));
    Race { object, first, second, why: Why::Unsynchronised, around: Vec::new(), seen: 1 }
}

fn write(dir: &Path, rank: u32, entries: &[Entry]) {
    let mut bytes = Vec::new();
    write_head(&mut bytes).unwrap();
    for entry in entries {
        write_frame(&mut bytes, entry).unwrap();
    }
    std::fs::write(dir.join(rank_file(Rank(rank))), bytes).unwrap();
}

fn begin(rank: u32, path: &Path) -> Vec<Entry> {
    vec![
        Entry::Start { rank: Rank(rank), size: 2, pid: 1, tool: "test".into(), api: Api::OpenShmem },
        Entry::Module {
            id: MODULE,
            path: path.display().to_string(),
            build_id: Vec::new(),
            bias: 0,
            ranges: Vec::new(),
        },
    ]
}

fn compile(dir: &Path, compiler: &str, source: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(source);
    let program = dir.join("program");
    let status = Command::new(compiler).args(flags).arg("-o").arg(&program).arg(source).status().unwrap();
    assert!(status.success());
    program
}

fn address(program: &Path, symbol: &str) -> u64 {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.symbols().find(|s| s.name() == Ok(symbol)).unwrap().address()
}

/// A run of two ranks whose only race is at the marks of `places.c`.
fn run_of_places(dir: &Path, program: &Path, marks: (u64, u64), variable: u64) {
    let mut entries = begin(0, program);
    let main = Site { module: MODULE, offset: marks.1 };
    entries.push(Entry::Stack { id: StackId(1), parent: StackId(0), call: main });
    entries.push(Entry::Race(race(marks.0, marks.0, variable)));
    entries.push(Entry::Race(Race { seen: 5, ..race(marks.0, marks.0, variable) }));
    entries.push(Entry::Finished(Progress::default()));
    write(dir, 0, &entries);
    write(dir, 1, &[begin(1, program), vec![Entry::Finished(Progress::default())]].concat());
    RunInfo { ranks: 2, ..RunInfo::default() }.write(dir).unwrap();
}

#[test]
fn a_real_executable_gives_lines_columns_functions_and_variables() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1"]);
    let marks = (address(&program, "mark_inner"), address(&program, "mark_main"));
    let printed = Command::new(&program).output().unwrap().stdout;
    let offsets: Vec<u64> =
        String::from_utf8(printed).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    for (offset, name, inside) in [(offsets[0], "before", 4), (offsets[1], "table", 16), (offsets[2], "zeros", 9000)] {
        run_of_places(dir.path(), &program, marks, offset);
        let report = Report::from_run_dir_seen_from(dir.path(), Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let race = &report.races[0];
        assert_eq!(race.object.name.as_deref(), Some(name));
        assert_eq!(race.object.bytes.first, inside);
        assert_eq!(race.seen, 5, "a later entry replaces an earlier one");
        let place = (race.a.at.file.as_deref(), race.a.at.line, race.a.at.function.as_deref(), race.a.at.inlined);
        assert_eq!(place, (Some("tests/c/places.c"), Some(17), Some("inner"), true));
        assert_eq!(race.a.at.column, Some(3));
        assert_eq!(race.a.at.source.as_deref(), Some("  sink(); MARK(mark_inner);"));
        let stack: Vec<_> = race.a.stack.iter().map(|frame| (frame.function.as_deref().unwrap(), frame.line)).collect();
        assert_eq!(stack, [("outer", Some(21)), ("main", Some(45))]);
        assert!(race.b.stack.iter().all(|frame| !frame.inlined), "rank 1 wrote no stack");
    }
}

#[test]
fn less_is_shown_when_less_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1"]);
    let marks = (address(&program, "mark_inner"), address(&program, "mark_main"));
    run_of_places(dir.path(), &program, marks, 0);
    for (flag, function) in [("--strip-debug", Some("outer")), ("--strip-all", None)] {
        assert!(Command::new("strip").arg(flag).arg(&program).status().unwrap().success());
        let report = Report::from_run_dir(dir.path()).unwrap();
        let at = &report.races[0].a.at;
        // With only symbols left, a label of ours may be the nearest one.
        let named = at.function.as_deref().filter(|name| !name.starts_with("mark_"));
        assert!(named == function || flag == "--strip-debug", "{at:?}");
        assert_eq!((&at.file, at.line, at.offset), (&None, None, marks.0));
        assert!(report.text(Colour::Never).contains(&format!("program+{:#x}", marks.0)));
    }
    std::fs::remove_file(&program).unwrap();
    let report = Report::from_run_dir(dir.path()).unwrap();
    assert_eq!(report.races.len(), 1);
    assert!(report.notes.iter().any(|note| note.contains("cannot be opened")), "{:?}", report.notes);
}

#[test]
fn another_build_of_the_executable_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1"]);
    run_of_places(dir.path(), &program, (address(&program, "mark_inner"), 1), 0);
    let module = Entry::Module {
        id: MODULE,
        path: program.display().to_string(),
        build_id: vec![1, 2, 3],
        bias: 0,
        ranges: Vec::new(),
    };
    write(dir.path(), 0, &[module, Entry::Race(race(address(&program, "mark_inner"), 9, 0))]);
    let report = Report::from_run_dir(dir.path()).unwrap();
    assert_eq!(report.races[0].a.at.line, None);
    assert!(report.notes.iter().any(|note| note.contains("built anew")), "{:?}", report.notes);
}

#[test]
fn names_of_cxx_are_readable() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "c++", "names.cpp", &["-g", "-O1"]);
    run_of_places(dir.path(), &program, (address(&program, "mark_work"), 1), 0);
    let report = Report::from_run_dir(dir.path()).unwrap();
    let at = &report.races[0].a.at;
    assert_eq!((at.function.as_deref(), at.line), (Some("void ns::work<int>(int)"), Some(7)));
}

#[test]
fn damaged_files_lose_only_what_is_behind_the_damage() {
    let dir = tempfile::tempdir().unwrap();
    let program = Path::new("/no/program");
    run_of_places(dir.path(), program, (0x10, 0x20), 0);
    let file = dir.path().join(rank_file(Rank(0)));
    let whole = std::fs::read(&file).unwrap();

    let read = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        Report::from_run_dir(dir.path()).unwrap()
    };
    let said = |report: &Report, words: &[&str]| {
        let found = report.notes.iter().any(|note| words.iter().all(|word| note.contains(word)));
        assert!(found, "{words:?} in {:?}", report.notes);
    };
    assert_eq!(read(&whole).races.len(), 1);
    let cut = read(&whole[..whole.len() - 5]);
    assert_eq!(cut.races.len(), 1);
    said(&cut, &["rank 0", "rank-0.thr", "cut off"]);
    assert_eq!(cut.summary.ranks_finished, 1);

    let mut flipped = whole.clone();
    let last = flipped.len() - 3;
    flipped[last] ^= 0x40;
    let flipped = read(&flipped);
    assert_eq!(flipped.races.len(), 1);
    said(&flipped, &["rank 0", "rank-0.thr", "damaged"]);

    said(&read(b"something else"), &["rank 0", "not a thrille record stream"]);
    said(&read(b""), &["rank 0"]);
    for length in 0..whole.len() {
        read(&whole[..length]);
    }
    std::fs::remove_file(&file).unwrap();
    let missing = Report::from_run_dir(dir.path()).unwrap();
    said(&missing, &["rank 0", "missing"]);
    assert_eq!((missing.summary.ranks, missing.summary.ranks_observed), (2, 1));

    std::fs::remove_file(dir.path().join(rank_file(Rank(1)))).unwrap();
    let nothing = Report::from_run_dir(dir.path()).unwrap();
    assert_eq!((nothing.summary.ranks_observed, nothing.notes.len()), (0, 0));
    assert!(nothing.text(Colour::Never).contains("nothing was observed"));
}

#[test]
fn a_killed_launcher_or_a_bad_run_file_leave_the_races() {
    let dir = tempfile::tempdir().unwrap();
    run_of_places(dir.path(), Path::new("/no/program"), (0x10, 0x20), 0);
    std::fs::write(dir.path().join("run.json"), "{ \"ranks\"").unwrap();
    let report = Report::from_run_dir(dir.path()).unwrap();
    assert_eq!((report.races.len(), report.summary.ranks), (1, 2));
    assert!(report.notes[0].contains("run.json"), "{:?}", report.notes);
    let empty = tempfile::tempdir().unwrap();
    let error = Report::from_run_dir(empty.path()).unwrap_err().to_string();
    assert!(error.contains("no run of thrille"), "{error}");
    assert!(Report::from_run_dir(Path::new("/no/such")).is_err());
}

/// A run whose only race is at one place of a program that is known by its build id.
fn run_of_build(dir: &Path, program: &Path, at: u64) {
    let bytes = std::fs::read(program).unwrap();
    let build_id = object::File::parse(&*bytes).unwrap().build_id().unwrap().unwrap().to_vec();
    let module =
        Entry::Module { id: MODULE, path: program.display().to_string(), build_id, bias: 0, ranges: Vec::new() };
    let start = Entry::Start { rank: Rank(0), size: 1, pid: 1, tool: "test".into(), api: Api::OpenShmem };
    write(dir, 0, &[start, module, Entry::Race(race(at, at, 0)), Entry::Finished(Progress::default())]);
    RunInfo { ranks: 1, ..RunInfo::default() }.write(dir).unwrap();
}

fn tool(name: &str, args: &[&Path]) {
    assert!(Command::new(name).args(args).status().unwrap().success(), "{name} {args:?}");
}

#[test]
fn symbols_are_found_by_their_build_id() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1", "-Wl,--build-id"]);
    let mark = address(&program, "mark_inner");
    run_of_build(dir.path(), &program, mark);
    let line = || {
        let report = Report::from_run_dir(dir.path()).unwrap();
        let notes = report.notes.iter().filter(|note| note.contains("shown as offsets")).count();
        (report.races[0].a.at.line, report.races[0].a.at.inlined, notes)
    };
    assert_eq!(line(), (Some(17), true, 0));
    // Split off into the usual tree, the program stripped.
    let bytes = std::fs::read(&program).unwrap();
    let id = object::File::parse(&*bytes).unwrap().build_id().unwrap().unwrap().to_vec();
    let id = id.iter().fold(String::new(), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    });
    let tree = dir.path().join("bin/.build-id").join(&id[..2]);
    std::fs::create_dir_all(&tree).unwrap();
    let debug = tree.join(format!("{}.debug", &id[2..]));
    tool("objcopy", &[Path::new("--only-keep-debug"), &program, &debug]);
    tool("strip", &[&program]);
    assert_eq!(line(), (Some(17), true, 0), "lines from the file of this build id");
    // The program is gone, or another one is in its place.
    std::fs::write(&program, "something else").unwrap();
    assert_eq!(line(), (Some(17), true, 0));
    std::fs::remove_file(&program).unwrap();
    assert_eq!(line(), (Some(17), true, 0));
    // A file of the same name and build in the run's own directory.
    std::fs::remove_file(&debug).unwrap();
    std::fs::write(dir.path().join("bin/program"), &bytes).unwrap();
    assert_eq!(line(), (Some(17), true, 0));
    std::fs::remove_file(dir.path().join("bin/program")).unwrap();
    assert_eq!(line(), (None, false, 1));
}

#[test]
fn compressed_debug_information_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1", "-gz=zlib"]);
    run_of_places(dir.path(), &program, (address(&program, "mark_inner"), 1), 0);
    assert_eq!(Report::from_run_dir(dir.path()).unwrap().races[0].a.at.line, Some(17));
}

#[test]
fn names_of_fortran_are_readable() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "gfortran", "names.f90", &["-g", "-O0"]);
    for (symbol, name) in [("__grid_MOD_fill", "grid::fill"), ("solve_", "solve")] {
        run_of_places(dir.path(), &program, (address(&program, symbol) + 8, 1), 0);
        let report = Report::from_run_dir(dir.path()).unwrap();
        assert_eq!(report.races[0].a.at.function.as_deref(), Some(name));
        assert!(report.races[0].a.at.line.is_some());
    }
}

#[test]
fn unreadable_debug_information_is_one_note() {
    let dir = tempfile::tempdir().unwrap();
    let program = compile(dir.path(), "cc", "places.c", &["-g", "-O1"]);
    let mark = address(&program, "mark_inner");
    run_of_places(dir.path(), &program, (mark, 1), 0);
    let whole = std::fs::read(&program).unwrap();
    let range = |name: &str| {
        use object::ObjectSection as _;
        let file = object::File::parse(&*whole).unwrap();
        let (start, len) = file.section_by_name(name).unwrap().file_range().unwrap();
        start as usize..(start + len) as usize
    };
    let mut noted = 0;
    for section in [".debug_info", ".debug_abbrev", ".debug_line", ".debug_str"] {
        for byte in [0x00, 0xff, 0x7f] {
            let mut bytes = whole.clone();
            bytes[range(section)].fill(byte);
            std::fs::write(&program, bytes).unwrap();
            let report = Report::from_run_dir(dir.path()).unwrap();
            assert_eq!(report.races.len(), 1);
            let about = report.notes.iter().filter(|note| note.contains("debug information")).count();
            assert!(about <= 1, "{:?}", report.notes);
            noted += about;
        }
    }
    assert!(noted > 0);
}

#[test]
fn names_that_are_not_utf8_are_shown_all_the_same() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.c"));
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/places.c"), &source).unwrap();
    let program = dir.path().join("program");
    assert!(Command::new("cc").args(["-g", "-O1", "-o"]).arg(&program).arg(&source).status().unwrap().success());
    run_of_places(dir.path(), &program, (address(&program, "mark_inner"), 1), 0);
    let report = Report::from_run_dir(dir.path()).unwrap();
    assert_eq!(report.races[0].a.at.line, Some(17));
    assert!(report.races[0].a.at.file.as_deref().is_some_and(|file| file.contains("caf")));
    assert!(report.text(Colour::Never).contains(":17:3"));
    assert!(report.notes.iter().any(|note| note.contains("is not here")), "{:?}", report.notes);
}

#[test]
fn a_hundred_thousand_sightings_of_five_hundred_races_are_quick() {
    let dir = tempfile::tempdir().unwrap();
    // 25 functions of 20 lines that store, 500 places in all; each of 4 ranks met each pair 50 times, with growing counts.
    let mut text = String::from("static int x[512];\n");
    for function in 0..25 {
        let _ = writeln!(text, "void f{function}(void) {{");
        for line in 0..20 {
            let index = function * 20 + line;
            let _ = writeln!(text, "  x[{index}] = {line}; __asm__ volatile(\"mark_{function}_{line}:\");");
        }
        text += "}\n";
    }
    text += "int main(void) { return 0; }\n";
    let (source, program) = (dir.path().join("many.c"), dir.path().join("program"));
    std::fs::write(&source, text).unwrap();
    assert!(Command::new("cc").args(["-g", "-O0", "-o"]).arg(&program).arg(&source).status().unwrap().success());
    let bytes = std::fs::read(&program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let marks: std::collections::BTreeMap<String, u64> = file
        .symbols()
        .filter_map(|s| Some((s.name().ok()?.to_owned(), s.address())))
        .filter(|(n, _)| n.starts_with("mark_"))
        .collect();
    let marks: Vec<u64> = marks.into_values().collect();
    assert_eq!(marks.len(), 500);
    // Each with as much synchronisation around it as there can be, told once.
    let sync = |n: u64| Sync::Release(Token::Collective { group: 1, seq: n });
    let event = |n: u64| SyncEvent {
        strand: Strand::thread(Rank((n % 2) as u32), 0),
        pos: Pos(n),
        sync: sync(n),
        at: Caller(1),
    };
    let around: Vec<SyncEvent> = (0..20).map(event).collect();
    for rank in 0..4 {
        let mut entries = begin(rank, &program);
        entries.push(Entry::Caller { id: Caller(1), call: Site { module: MODULE, offset: marks[0] } });
        for seen in 1..=50 {
            for &mark in &marks {
                let around = if seen == 1 { around.clone() } else { Vec::new() };
                entries.push(Entry::Race(Race { seen, around, ..race(mark, mark, 64) }));
            }
        }
        entries.push(Entry::Finished(Progress::default()));
        write(dir.path(), rank, &entries);
    }
    RunInfo { ranks: 4, ..RunInfo::default() }.write(dir.path()).unwrap();
    let begun = std::time::Instant::now();
    let report = Report::from_run_dir(dir.path()).unwrap();
    let page = report.render(thrille_report::Form::Html, Colour::Never);
    for form in [thrille_report::Form::Json, thrille_report::Form::Sarif, thrille_report::Form::Text] {
        let _ = report.render(form, Colour::Never);
    }
    let took = begun.elapsed();
    assert_eq!((report.races.len(), report.races[0].seen), (500, 200));
    println!("{} races in {took:?}, a page of {} bytes", report.races.len(), page.len());
    // Not optimised, on a busy machine, it takes longer.
    let limit = std::time::Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 5 });
    assert!(took < limit, "{took:?}");
    assert!(page.len() < 10_000_000, "{}", page.len());
}
