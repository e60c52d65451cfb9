//! Small C programs that use the library as programs of today do, run as jobs of 1 to 8 PEs.

mod harness;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use harness::{Program, include, library};

#[test]
fn basics() {
    Program::new("basics.c").passes(&[1, 2, 3, 8]);
}

#[test]
fn position_dependent_executable() {
    Program::flags("basics.c", &["-no-pie", "-fno-pie"]).passes(&[1, 4]);
}

#[test]
fn position_independent_executable() {
    Program::flags("basics.c", &["-pie", "-fPIE"]).passes(&[4]);
}

#[test]
fn lazily_bound_executable_without_relro() {
    Program::flags("basics.c", &["-Wl,-z,lazy", "-Wl,-z,norelro"]).passes(&[4]);
}

#[test]
fn eagerly_bound_executable() {
    Program::flags("basics.c", &["-Wl,-z,now", "-Wl,-z,relro"]).passes(&[4]);
}

/// A section of its own, far away, is a second writable segment.
#[test]
fn executable_with_two_writable_segments() {
    Program::flags("far.c", &["-no-pie", "-fno-pie", "-Wl,--section-start=.far=0x10000000"]).passes(&[1, 4]);
}

/// A tool's functions come first, and the library calls none of them by itself.
#[test]
fn functions_can_be_wrapped() {
    Program::new("wrapped.c").passes(&[1, 3]);
}

#[test]
fn allocation() {
    Program::new("alloc.c").passes(&[1, 2, 5]);
}

#[test]
fn rma_of_all_types() {
    Program::new("types.c").passes(&[1, 2, 4]);
}

#[test]
fn c11_generics() {
    Program::flags("generics.c", &["-std=gnu11"]).passes(&[1, 3, 8]);
}

#[test]
fn atomics() {
    Program::new("atomics.c").passes(&[1, 2, 8]);
}

#[test]
fn teams_and_contexts() {
    Program::new("teams.c").passes(&[1, 2, 3, 4, 7, 8]);
}

#[test]
fn collectives() {
    Program::flags("collectives.c", &["-O0"]).passes(&[1, 2, 3, 8]);
}

#[test]
fn waiting_and_testing() {
    Program::new("waits.c").passes(&[1, 2, 8]);
}

#[test]
fn locks() {
    Program::new("locks.c").passes(&[1, 2, 8]);
}

#[test]
fn threads() {
    Program::new("threads.c").passes(&[1, 2, 4]);
}

#[test]
fn introspection() {
    Program::new("introspect.c").passes(&[1, 4]);
}

#[test]
fn cxx() {
    Program::flags("cxx.cc", &["-pedantic"]).passes(&[1, 4]);
}

#[test]
fn older_program() {
    Program::flags("guppie.c", &["-std=gnu99"]).passes(&[1, 4, 8]);
}

#[test]
fn many_pes() {
    Program::new("many.c").passes(&[1, 64, 200]);
}

/// A program started by hand is a job of one PE.
#[test]
fn without_a_launcher() {
    let exe = Program::new("basics.c").build();
    let output = Command::new(&exe).env("SHMEM_SYMMETRIC_SIZE", "4M").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let output = Command::new(&exe).env("SHMEM_SYMMETRIC_SIZE", "much").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("SHMEM_SYMMETRIC_SIZE=much is not a size"), "{output:?}");
    let output = Command::new(&exe)
        .envs([
            ("THRILLE_SHMEM_FD", "0"),
            ("THRILLE_SHMEM_PE", "0"),
            ("THRILLE_SHMEM_NPES", "1"),
            ("THRILLE_SHMEM_HEAP", "4096"),
        ])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("descriptor 0 is not the memory of a job"), "{output:?}");
    std::fs::remove_file(&exe).unwrap();
}

/// Runs a faulty program on 3 PEs and gives what it said.
fn fault(what: &str, code: i32) -> harness::Ran {
    let ran = Program::new("faults.c").run(3, &[what]);
    assert_eq!(ran.code, code, "{what}: {ran:?}");
    ran
}

/// A bad argument ends the job with one line that names the call, the PE and what is wrong; nobody hangs.
#[track_caller]
fn complains(what: &str, words: &[&str]) {
    let ran = fault(what, 1);
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{what}: `{word}` not in {ran:?}");
    }
    assert!(ran.stdout.contains("callback"), "{ran:?}");
}

#[test]
fn bad_pe() {
    complains("pe", &["PE 2: shmem_long_p: argument pe = 3", "use 0 to 2"]);
    complains("negative", &["shmem_long_g", "pe = -1"]);
}

#[test]
fn bad_address() {
    complains("address", &["shmem_long_put: argument dest", "not a symmetric address", "shmem_malloc"]);
    complains("past", &["argument dest", "reach past the end of the static data"]);
    complains("heap", &["argument dest", "reach past the end"]);
    complains("misaligned", &["shmem_long_atomic_inc", "aligned"]);
    complains("free", &["shmem_free", "not a block"]);
}

#[test]
fn bad_handles_and_operators() {
    complains("ctx", &["shmem_ctx_quiet", "not a context"]);
    complains("team", &["shmem_team_sync", "not a team"]);
    complains("cmp", &["cmp = 99"]);
    complains("stride", &["dst = 0"]);
    complains("unlock", &["shmem_clear_lock", "not set"]);
    complains("set", &["PE_size = 4"]);
}

#[test]
fn use_before_init() {
    let ran = fault("early", 1);
    assert!(ran.stderr.contains("shmem_barrier_all: called before shmem_init"), "{ran:?}");
}

#[test]
fn allocation_that_differs() {
    let ran = fault("malloc", 1);
    assert!(ran.stderr.contains("other arguments than on PE 0"), "{ran:?}");
}

#[test]
fn crash_ends_the_job() {
    let ran = fault("crash", 128 + 11);
    assert!(ran.stdout.contains("started"), "{ran:?}");
}

#[test]
fn global_exit_ends_the_job() {
    assert_eq!(fault("global_exit", 7).stdout.matches("callback").count(), 3);
    fault("wait", 6);
    fault("lock", 6);
    fault("spin", 8);
}

#[test]
fn failing_pe_ends_the_job() {
    fault("fail", 5);
}

#[test]
fn leaving_pe_is_named() {
    let ran = fault("leave", 1);
    assert!(ran.stderr.contains("shmem_barrier_all: waits for PE 2, which has ended or finalized"), "{ran:?}");
}

#[test]
fn result_of_main_is_the_result_of_the_job() {
    fault("result", 3);
}

/// The header is clean in every language that programs are written in, and takes no name of theirs.
#[test]
fn header_in_every_dialect() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dialect-{}.c", std::process::id()));
    std::fs::write(&source, "#include <shmem.h>\n#include <shmemx.h>\n#include <mpp/shmem.h>\n#include <thrille_shmem.h>\nint I, complex, my_pe;\n").unwrap();
    for (language, standards) in [("c", ["c99", "c11", "gnu17"]), ("c++", ["c++11", "c++17", "gnu++20"])] {
        for standard in standards {
            let output = Command::new("cc")
                .args([
                    "-x",
                    language,
                    &format!("-std={standard}"),
                    "-pedantic",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-fsyntax-only",
                    "-I",
                ])
                .arg(include())
                .arg(&source)
                .output()
                .unwrap();
            assert!(output.status.success(), "{standard}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    std::fs::remove_file(&source).unwrap();
}

/// Every function that the header declares is in the library, and every one of the library's is declared: nothing fails later
/// than at compile time, and both names of each exist.
#[test]
fn header_and_library_agree() {
    let mut preprocessed = Command::new("cc");
    preprocessed.args(["-E", "-P", "-x", "c", "-I"]).arg(include()).arg(include().join("thrille_shmem.h"));
    let text = String::from_utf8(preprocessed.output().unwrap().stdout).unwrap();
    let ours = |name: &str| {
        ["shmem_", "pshmem_", "thrille_shmem_", "shm", "pshm", "shr", "pshr", "shf", "pshf"]
            .iter()
            .any(|p| name.starts_with(p))
            || ["start_pes", "pstart_pes", "_my_pe", "p_my_pe", "_num_pes", "p_num_pes"].contains(&name)
    };
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared: BTreeSet<String> = text
        .split('(')
        .filter_map(|before| before.trim_end().rsplit(|c| !name(c)).next())
        .filter(|n| ours(n))
        .map(String::from)
        .collect();
    let nm = Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output().unwrap();
    let exported: BTreeSet<String> = String::from_utf8(nm.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| line.rsplit(' ').next())
        .filter(|n| ours(n))
        .map(String::from)
        .collect();
    assert!(declared.len() > 3000, "{} declared", declared.len());
    assert_eq!(declared.difference(&exported).collect::<Vec<_>>(), Vec::<&String>::new(), "declared but not exported");
    assert_eq!(exported.difference(&declared).collect::<Vec<_>>(), Vec::<&String>::new(), "exported but not declared");
    for n in exported.iter().filter(|n| n.starts_with("shmem_")) {
        assert!(exported.contains(&format!("p{n}")), "{n} has no profiling name");
    }
}
