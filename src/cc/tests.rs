//! Command lines and what is run instead. In the expectations `<C>` stands for the compile flags and `<L>` for the link flags.

use super::*;
use std::path::PathBuf;

fn commands(line: &str) -> Result<Vec<String>> {
    let words: Vec<OsString> = split::words(line).into_iter().map(Into::into).collect();
    let home = Home {
        lib: PathBuf::from("/home/lib"),
        include: PathBuf::from("/home/include"),
        model: crate::mpi::Model::Shmem,
    };
    let setting = Setting {
        family: Family::Gcc(None),
        instrument: Instrument::Hooks,
        gcc: None,
        home: &home,
        temporary: Path::new("/t"),
    };
    let (compiler, given) = compiler(&words);
    let line = Line::parse(&expand(given, 0));
    let steps = plan(&on(Shmem::Embedded, compiler), &line, &setting)?;
    let plans = steps.into_iter().map(|step| match step {
        Step::Run(argv) => argv,
        Step::Join(_) => unreachable!("hooks were wanted"),
    });
    let text = |argv: &[OsString]| argv.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    let (c, l) = (
        text(&flags::compile(Family::Gcc(None), &Instrument::Hooks, flags::Part::Whole, &home)),
        text(&flags::link(&home)),
    );
    Ok(plans.map(|argv| text(&argv).replace(&c, "<C>").replace(&l, "<L>")).collect())
}

#[test]
fn table() {
    #[rustfmt::skip]
    let cases: &[(&str, &[&str])] = &[
        // compile only
        ("gcc -O2 -c a.c", &["gcc -O2 -c a.c -g <C>"]),
        ("gcc -g3 -c a.c -o b.o", &["gcc -g3 -c a.c -o b.o <C>"]),
        ("gcc -g -g0 -c a.c", &["gcc -g -g0 -c a.c -g <C>"]),
        ("gcc -E a.c", &["gcc -E a.c -g <C>"]),
        ("gcc -MM a.c", &["gcc -MM a.c -g <C>"]),
        ("gcc -MD -MF x.d -c a.c -ggdb", &["gcc -MD -MF x.d -c a.c -ggdb <C>"]),
        ("gcc -flto=auto -g -c a.c", &["gcc -flto=auto -g -c a.c -fno-lto <C>"]),
        ("gcc -g all.h", &["gcc -g all.h <C>"]),
        ("gcc -dM -E -x c -", &["gcc -dM -E -x c - -g <C>"]),
        // link only
        ("gcc a.o b.o -o prog -lm", &["gcc <L> a.o b.o -o prog -lm"]),
        ("gcc -shared -o libx.so a.o -Wl,-soname,libx.so.1", &["gcc <L> -shared -o libx.so a.o -Wl,-soname,libx.so.1"]),
        ("gcc a.o -fsanitize=thread -o p", &["gcc <L> a.o -o p"]),
        ("gcc a.o -fsanitize=thread,undefined -o p", &["gcc <L> a.o -fsanitize=undefined -o p"]),
        ("gcc a.o -lsma -lfoo -l oshmem", &["gcc <L> a.o -lfoo"]),
        ("gcc -r a.o b.o -o c.o", &["gcc -r a.o b.o -o c.o"]),
        // both
        ("gcc a.c", &["gcc -g <C> -c a.c -o /t/0-a.o", "gcc <L> /t/0-a.o"]),
        ("gcc -g -O2 x/a.c y/a.c z.o -Lq -lz -Wl,-s -o 'my prog'",
            &["gcc -g -O2 <C> -c x/a.c -o /t/2-a.o", "gcc -g -O2 <C> -c y/a.c -o /t/3-a.o",
              "gcc <L> -g -O2 /t/2-a.o /t/3-a.o z.o -Lq -lz -Wl,-s -o my prog"]),
        ("gcc -g -x c++ a.txt -x none b.o -Xlinker -s -I inc -DX",
            &["gcc -g -I inc -DX <C> -x c++ -c a.txt -o /t/2-a.o", "gcc <L> -g /t/2-a.o b.o -Xlinker -s -I inc -DX"]),
        ("gcc -g -MMD a.c -o p", &["gcc -g -MMD -MF a.d -MQ p <C> -c a.c -o /t/2-a.o", "gcc <L> -g /t/2-a.o -o p"]),
        ("gcc -g -MD -MF d -MT t a.c", &["gcc -g -MD -MF d -MT t <C> -c a.c -o /t/4-a.o", "gcc <L> -g /t/4-a.o"]),
        ("gcc -g -include conf.h -shared -fPIC a.c -olib.so",
            &["gcc -g -include conf.h -fPIC <C> -c a.c -o /t/4-a.o", "gcc <L> -g -include conf.h -shared -fPIC /t/4-a.o -olib.so"]),
        ("gcc -g a.c -fopenmp -pthread", &["gcc -g -fopenmp -pthread <C> -c a.c -o /t/1-a.o", "gcc <L> -g /t/1-a.o -fopenmp -pthread"]),
        // names
        ("oshcc -g -c a.c", &["cc -g -c a.c <C>"]),
        ("/opt/bin/oshc++ a.o", &["c++ <L> a.o"]),
        ("ccache gcc -g -c a.c", &["ccache gcc -g -c a.c <C>"]),
        // questions
        ("gcc --version", &["gcc --version"]),
        ("gcc -v", &["gcc -v"]),
        ("gcc -print-search-dirs", &["gcc -print-search-dirs"]),
        ("gcc", &["gcc"]),
    ];
    for (line, expected) in cases {
        assert_eq!(&commands(line).unwrap(), expected, "for {line}");
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (line, word) in [("gcc -fsanitize=address -c a.c", "-fsanitize=address"), ("gcc -static a.o", "-static")] {
        let error = commands(line).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn the_linker_never_hears_of_the_sanitizer() {
    for line in ["gcc a.c", "gcc -fsanitize=thread a.c b.o", "g++ -fsanitize=thread a.o"] {
        let commands = commands(line).unwrap();
        assert!(!commands.last().unwrap().contains("-fsanitize=thread"), "{commands:?}");
    }
}

#[test]
fn response_files_are_read_and_unreadable_ones_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (inner, outer) = (dir.path().join("inner"), dir.path().join("outer"));
    std::fs::write(&inner, "'a b.c' -g").unwrap();
    std::fs::write(&outer, format!("-DX \"@{}\"", inner.display())).unwrap();
    let args: Vec<OsString> = ["-c".into(), format!("@{}", outer.display()).into(), "@missing".into()].into();
    assert_eq!(expand(&args, 0), ["-c", "-DX", "a b.c", "-g", "@missing"]);
}

#[test]
fn clang_keeps_what_it_instruments_itself() {
    let home = Home { lib: PathBuf::new(), include: PathBuf::new(), model: crate::mpi::Model::Shmem };
    let compile = |family| flags::compile(family, &Instrument::Hooks, flags::Part::Whole, &home);
    let (gcc, clang) = (compile(Family::Gcc(None)), compile(Family::Clang(Some(16))));
    let has = |flags: &[OsString], flag: &str| flags.iter().any(|f| f == flag);
    assert!(has(&gcc, "-fno-builtin-memcpy") && !has(&clang, "-fno-builtin-memcpy"));
    assert!(has(&gcc, "-fno-builtin-strlen") && has(&clang, "-fno-builtin-strlen"));
    assert!(!has(&clang, "-fno-tree-loop-distribute-patterns"));
}

#[test]
fn gcc_moves_nothing_out_of_loops_and_branches() {
    let home = Home { lib: PathBuf::new(), include: PathBuf::new(), model: crate::mpi::Model::Shmem };
    for version in [Some(12), Some(11), None] {
        for flag in ["-fno-tree-loop-im", "-fno-code-hoisting", "-fno-crossjumping"] {
            let c = flags::compile(Family::Gcc(version), &Instrument::Hooks, flags::Part::Whole, &home);
            let fortran = flags::compile_fortran(Family::Gcc(version), &Instrument::Hooks, flags::Part::Twin, &home);
            assert!([c, fortran].iter().all(|flags| flags.iter().any(|f| f == flag)), "{flag}");
        }
    }
}

#[test]
fn the_plugin_comes_with_the_sanitizer_and_without_its_calls() {
    let home = Home { lib: PathBuf::new(), include: PathBuf::new(), model: crate::mpi::Model::Shmem };
    let flags = flags::compile(Family::Clang(Some(16)), &Instrument::Plugin("/p.so".into()), flags::Part::Whole, &home);
    for flag in
        ["-fsanitize=thread", "-fpass-plugin=/p.so", "-tsan-instrument-func-entry-exit=0", "-fno-builtin-strlen"]
    {
        assert!(flags.iter().any(|f| f == flag), "{flag}");
    }
    assert!(!flags.iter().any(|f| f == "-fno-omit-frame-pointer"));
}

#[test]
fn the_plugin_for_gcc_is_loaded_before_it_is_told_what_to_do_and_in_one_compilation() {
    let home = Home { lib: PathBuf::new(), include: PathBuf::new(), model: crate::mpi::Model::Shmem };
    let instrument = Instrument::Plugin("/p.so".into());
    let setting = Setting {
        family: Family::Gcc(Some(12)),
        instrument,
        gcc: Some("/p.so".into()),
        home: &home,
        temporary: Path::new("/t"),
    };
    for line in ["-O2 -c a.c", "-O2 -c a.f90"] {
        let words: Vec<OsString> = split::words(line).into_iter().map(Into::into).collect();
        let steps = plan(&["gcc".into()], &Line::parse(&words), &setting).unwrap();
        let [Step::Run(argv)] = &steps[..] else { panic!("one compilation: {steps:?}") };
        let place = |word: &str| argv.iter().position(|arg| arg == word);
        let (load, double) = (place("-fplugin=/p.so"), place("-fplugin-arg-libthrille_gcc-double"));
        assert!(load.is_some() && double > load && place("-fno-tree-loop-im").is_none(), "{argv:?}");
    }
}

#[test]
fn joined_sources_are_steps_of_their_own_and_others_are_left_to_hooks() {
    let home = Home { lib: PathBuf::new(), include: PathBuf::new(), model: crate::mpi::Model::Shmem };
    let instrument = Instrument::Dual(instrument::Asked::No);
    let gcc = Some("/b.so".into());
    let setting = Setting { family: Family::Gcc(Some(12)), instrument, gcc, home: &home, temporary: Path::new("/t") };
    let steps = |line: &str| {
        let words: Vec<OsString> = split::words(line).into_iter().map(Into::into).collect();
        let (compiler, given) = compiler(&words);
        plan(compiler, &Line::parse(given), &setting).unwrap()
    };
    let joined = |line: &str| steps(line).iter().filter(|step| matches!(step, Step::Join(_))).count();
    assert_eq!(joined("gcc -O2 -c a.c"), 1);
    let [Step::Join(one)] = &steps("gcc -O2 -c a.c")[..] else { panic!("one source, one step") };
    let helped = |argv: &[OsString]| argv.iter().any(|word| word == "-fplugin=/b.so");
    assert!(helped(&one.instrumented.0) && helped(&one.hooks) && !helped(&one.plain.0));
    assert_eq!(joined("gcc -O2 a.c b.o c.cpp -o p"), 2);
    assert_eq!(joined("mpifort -c a.f90 b.F90"), 2);
    for line in ["gcc -S a.c", "gcc -c a.s", "gcc -m32 -c a.c", "gcc --coverage -c a.c", "gcc -MM a.c", "gcc -c -x c -"]
    {
        assert_eq!(joined(line), 0, "{line}");
    }
    let Some(Step::Join(step)) = steps("gcc -MD -MP -Wa,-x -O2 -c x/a.c -o out/b.o").into_iter().next() else {
        panic!("not joined");
    };
    let has = |argv: &[OsString], word: &str| argv.iter().any(|a| a == word);
    let (plain, twin) = (&step.plain.0, &step.instrumented.0);
    assert!(has(twin, "-fsanitize=thread") && has(twin, "out/b.d") && has(twin, "out/b.o") && has(twin, "-MP"));
    assert!(!has(plain, "-fsanitize=thread") && !has(plain, "-MD") && !has(plain, "-MP") && has(plain, "-w"));
    assert!(has(plain, "-fno-ipa-ra") && has(twin, "-fno-ipa-ra") && has(&step.assemble, "-Wa,-x"));
    assert!(has(&step.hooks, "-c") && step.object == "out/b.o");
}

#[test]
fn a_plain_compiler_may_link_an_mpi_library() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().display();
    for (file, target) in [("libmpi.so.40.30.4", "a/libmpi.so"), ("libmpi.so.12.1", "b/libmpi.so")] {
        std::fs::create_dir(dir.path().join(&target[..1])).unwrap();
        std::fs::write(dir.path().join(file), "").unwrap();
        std::os::unix::fs::symlink(format!("../{file}"), dir.path().join(target)).unwrap();
    }
    let named = |line: &str| {
        let words: Vec<OsString> = split::words(line).into_iter().map(Into::into).collect();
        Line::parse(&words).linked().iter().find_map(|path| mpi::Mpi::of_library(path))
    };
    assert_eq!(named("a.o -o a -lm"), None);
    assert_eq!(named("a.o -o a -lmpi"), Some(mpi::Mpi::OpenMpi));
    assert_eq!(named("a.o -o a -lmpich"), Some(mpi::Mpi::Mpich));
    assert_eq!(named("a.o -o a /usr/lib/libmpi.so"), Some(mpi::Mpi::OpenMpi));
    assert_eq!(named(&format!("a.o -o a {at}/b/libmpi.so")), Some(mpi::Mpi::Mpich));
    assert_eq!(named(&format!("a.o -o a -L{at}/b -L {at}/a -lmpi")), Some(mpi::Mpi::Mpich));
    assert_eq!(named(&format!("a.o -o a -L {at}/a -lmpi")), Some(mpi::Mpi::OpenMpi));
}
