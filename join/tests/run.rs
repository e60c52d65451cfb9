//! Programs give the same output in whatever copies their functions run, also in both in turn, with gcc, g++ and gfortran, without and with
//! optimisation; and what cannot be joined is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use thrille_join::{FLAGS, Joined, Unfit, join};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    output
}

/// Compiles to assembly.
fn assembly(compiler: &str, source: &Path, flags: &[&str], more: &[&str], out: &Path) -> String {
    run(Command::new(compiler)
        .args(["-w", "-g", "-S"])
        .args(flags)
        .args(more)
        .args(FLAGS)
        .arg(source)
        .arg("-o")
        .arg(out));
    std::fs::read_to_string(out).unwrap()
}

fn joined(compiler: &str, source: &Path, flags: &[&str], dir: &Path) -> Result<Joined, Unfit> {
    let plain = assembly(compiler, source, flags, &["-D__SANITIZE_THREAD__=1"], &dir.join("p.s"));
    let instrumented = assembly(compiler, source, flags, &["-fsanitize=thread"], &dir.join("i.s"));
    join(&plain, None, &instrumented, "source", "unique")
}

/// The output of a program and how many sites it visited, with this in its environment.
fn said(program: &Path, environment: &[(&str, &str)]) -> (String, u64) {
    let output = run(Command::new(program).envs(environment.iter().copied()));
    let visits = String::from_utf8_lossy(&output.stderr).trim().parse().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), visits)
}

fn same_output(compiler: &str, name: &str, flags: &[&str], levels: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let (dir, source) = (dir.path(), programs().join("programs").join(name));
    for &level in levels {
        let flags: Vec<&str> = flags.iter().copied().chain([level]).collect();
        let both = joined(compiler, &source, &flags, dir).unwrap_or_else(|why| panic!("{name} {level}: {why}"));
        assert!(both.functions > 3 && both.sites > 20, "{name} {level}: {both:?}");
        for (part, text) in [("a", &both.plain), ("b", &both.twin)] {
            std::fs::write(dir.join(format!("{part}.s")), text).unwrap();
            run(Command::new(compiler)
                .arg("-c")
                .arg(dir.join(format!("{part}.s")))
                .arg("-o")
                .arg(dir.join(format!("{part}.o"))));
        }
        run(Command::new("ld").arg("-r").args([dir.join("a.o"), dir.join("b.o")]).arg("-o").arg(dir.join("both.o")));
        let (program, plain) = (dir.join("joined"), dir.join("plain"));
        run(Command::new("gcc").arg("-c").arg(programs().join("stub.c")).arg("-o").arg(dir.join("stub.o")));
        run(Command::new(compiler).args(&flags).args([dir.join("both.o"), dir.join("stub.o")]).arg("-o").arg(&program));
        run(Command::new(compiler).args(&flags).arg("-w").arg(&source).arg("-o").arg(&plain));
        let expected = String::from_utf8_lossy(&run(&mut Command::new(&plain)).stdout).into_owned();
        let off = said(&program, &[]);
        let all = said(&program, &[("MODE", "2")]);
        let some = said(&program, &[("MODE", "1")]);
        for (what, (output, _)) in [("plain", &off), ("instrumented", &all), ("in turn", &some)] {
            assert_eq!(output, &expected, "{name} {level}, {what}");
        }
        assert_eq!(off.1, 0, "{name} {level}");
        assert!(some.1 > 100 && some.1 < all.1, "{name} {level}: {} and {} sites", some.1, all.1);
    }
}

#[test]
fn c_programs_compute_the_same_in_both_copies() {
    same_output("gcc", "c.c", &[], &["-O0", "-O1", "-O2", "-O3"]);
    same_output("gcc", "c.c", &["-fPIC", "-fcf-protection=full", "-ffunction-sections"], &["-O0", "-O2"]);
    same_output("gcc", "c.c", &["-fno-plt", "-fno-pie", "-no-pie"], &["-O2"]);
}

#[test]
fn cxx_programs_compute_the_same_in_both_copies() {
    // At -O3 the two may disagree on what is worth a function of its own; then they are not joined.
    same_output("g++", "cxx.cpp", &[], &["-O0", "-O1", "-O2"]);
}

#[test]
fn fortran_programs_compute_the_same_in_both_copies() {
    same_output("gfortran", "fortran.f90", &["-fopenmp"], &["-O0", "-O1", "-O2", "-O3"]);
}

/// Why a source is not joined.
fn refused(text: &str, flags: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("a.c");
    std::fs::write(&source, text).unwrap();
    joined("gcc", &source, flags, dir.path()).err().map_or_else(String::new, |why| why.to_string())
}

#[test]
fn what_cannot_be_joined_with_certainty_is_refused() {
    let labels = "int f(int *p) { static void *to[] = {&&a, &&b}; goto *to[*p]; a: return *p; b: return 2; }";
    assert_eq!(refused(labels, &["-O2"]), "it takes the address of a label");
    let stored = "static void *to; int f(int *p) { if (to) goto *to; to = &&a; return *p; a: return 3; }";
    assert_eq!(refused(stored, &["-O0"]), "it takes the address of a label");
    let outside = "__asm__(\".globl x\\nx: ret\"); int f(int *p) { return *p; }";
    assert!(refused(outside, &["-O2"]).starts_with("assembly in the source"));
    let hidden =
        "struct s { int *a; }; struct s x = {(int[]){1}}, y = {(int[]){2}}; int f(void) { return *x.a + *y.a; }";
    assert!(refused(hidden, &["-O2"]).contains("not known to be any of the plain variables"));
}

#[test]
fn functions_with_atomic_instructions_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("a.c");
    let text = "int x; _Atomic int flag;\n\
                static inline int ready(void) { return __atomic_load_n(&flag, __ATOMIC_ACQUIRE); }\n\
                int waits(void) { while (!ready()) ; return x; }\n\
                int plain(void) { return x; }\n\
                void locks(int *p) { __sync_fetch_and_add(p, 1); }\n";
    std::fs::write(&source, text).unwrap();
    for level in ["-O0", "-O2"] {
        let twin = joined("gcc", &source, &[level], dir.path()).unwrap().twin;
        let synchronises = |name: &str| {
            let table = twin.split_once(&format!("{name}.thrille.table:")).unwrap().1;
            let traits = table.lines().filter_map(|line| line.trim().strip_prefix(".quad")).nth(4).unwrap();
            traits.trim() == "3,0"
        };
        assert!(synchronises("waits") || level == "-O0", "{level}");
        assert!(synchronises("locks") && !synchronises("plain"), "{level}");
    }
}
