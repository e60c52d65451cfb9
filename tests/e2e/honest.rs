//! The program's input, output, arguments, environment and way to end are what they are without the tool.

use crate::support::root;
use crate::tool::{Running, check, expect, program, temporary, thrille};
use crate::{Outcome, trial};
use libtest_mimic::Trial;
use std::process::{Command, Stdio};

/// All of them.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("honest::arguments_and_output", arguments_and_output),
        trial("honest::standard_input", standard_input),
        trial("honest::exit_codes", exit_codes),
        trial("honest::compiler_prefix", compiler_prefix),
        trial("honest::inert_on_its_own", inert_on_its_own),
        trial("honest::several_files", several_files),
        trial("honest::last_run", last_run),
        trial("honest::forms_of_options", forms_of_options),
        trial("honest::code_that_is_not_instrumented", not_instrumented),
    ]
}

fn arguments_and_output() -> Outcome {
    let dir = temporary();
    let mut command = thrille(["check", "-n", "3", "--out", "run"]);
    command.arg(program("honest.c")).args(["--", "a b", "", "-n", "--json", "\"quoted\" $HOME *", "\u{e4}\n"]);
    let ended = expect(command.env("THRILLE_E2E", "x y").current_dir(dir.path()), 0)?;
    let one =
        |pe| format!("PE {pe} of 3, environment x y\n<a b>\n<>\n<-n>\n<--json>\n<\"quoted\" $HOME *>\n<\u{e4}\n>\n");
    let expected: String = (0..3).map(one).collect();
    check(ended.stdout == expected, || format!("expected:\n{expected}{ended}"))?;
    ended.says(&["error of PE 0\nerror of PE 1\nerror of PE 2\n", "no races found"])
}

fn standard_input() -> Outcome {
    let dir = temporary();
    let text = "line one\nline two without end";
    let input = dir.path().join("input");
    std::fs::write(&input, text)?;
    let mut command = thrille(["check", "-n", "2", "--out", "run"]);
    command.arg(program("honest.c")).stdin(std::fs::File::open(&input)?).current_dir(dir.path());
    let ended = expect(&mut command, 0)?;
    let expected = format!("PE 0 of 2, environment none\n{text}PE 1 of 2, environment none\n");
    check(ended.stdout == expected, || format!("expected:\n{expected}\n{ended}"))?;
    // A pipe that stays open must not keep the other PEs from ending.
    let mut command = thrille(["run", "-n", "2", "--out", "run2", "run/bin/honest"]);
    let mut cat = Command::new("sh").args(["-c", "echo piped"]).stdout(Stdio::piped()).spawn()?;
    let pipe = cat.stdout.take().ok_or("no pipe")?;
    let ended = Running::start(command.stdin(pipe).current_dir(dir.path()))?.end()?;
    cat.wait()?;
    ended.expect(0)?;
    check(ended.stdout.contains("none\npiped\nPE 1"), || format!("a pipe:\n{ended}"))
}

/// 0 no race, 1 races found, 2 usage or build error, 3 the program itself failed.
fn exit_codes() -> Outcome {
    let dir = temporary();
    let shmem = |name: &str| root().join("tests/shmem").join(name);
    for (file, args, code) in [
        (shmem("ring_safe.c"), [""; 2], 0),
        (shmem("ring_race.c"), [""; 2], 1),
        (program("syntax_error.c"), [""; 2], 2),
        (program("dies.c"), ["return", "clean"], 3),
        (program("dies.c"), ["return", "race"], 1),
    ] {
        let mut command = thrille(["check", "-n", "2"]);
        let ended = expect(command.arg(&file).arg("--").args(args).current_dir(dir.path()), code)?;
        if code != 2 {
            // The same verdict from the run's directory.
            let again = expect(thrille(["report"]).current_dir(dir.path()), code)?;
            check(again.stdout == ended.stderr, || format!("the report differs the second time:\n{ended}\n{again}"))?;
        }
    }
    Ok(())
}

/// An existing build: compile and link on their own, then run.
fn compiler_prefix() -> Outcome {
    let dir = temporary();
    let source = root().join("tests/shmem/functions_race.c");
    let run = |words: &[&str], code| expect(thrille(words).current_dir(dir.path()), code);
    run(&["cc", "--", "gcc", "-g", "-O2", "-c", &source.to_string_lossy(), "-o", "a.o"], 0)?;
    run(&["cc", "--", "gcc", "a.o", "-o", "a"], 0)?;
    run(&["run", "-n", "2", "./a"], 1)?.says(&["functions_race.c", "1 race found"])?;
    // The compiler's own exit code and message.
    let bad = run(&["cc", "--", "gcc", "-c", &program("syntax_error.c").to_string_lossy(), "-o", "b.o"], 1)?;
    bad.says(&["syntax_error.c:6"])
}

/// A program built with the tool runs without it, and leaves nothing.
fn inert_on_its_own() -> Outcome {
    let dir = temporary();
    let mut build = thrille(["cc", "--", "gcc", "-g"]);
    expect(build.arg(program("honest.c")).args(["-o", "honest"]).current_dir(dir.path()), 0)?;
    let mut alone = Command::new(dir.path().join("honest"));
    let ended = expect(alone.arg("x").stdin(Stdio::null()).current_dir(dir.path()), 0)?;
    check(ended.stdout == "PE 0 of 1, environment none\n<x>\n" && ended.stderr == "error of PE 0\n", || {
        ended.to_string()
    })?;
    let left: Vec<_> = std::fs::read_dir(dir.path())?.flatten().map(|entry| entry.file_name()).collect();
    check(left == ["honest"], || format!("files: {left:?}"))
}

fn several_files() -> Outcome {
    let dir = temporary();
    let main = "#include <shmem.h>\nvoid side(int);\nlong x;\nint main(void)\n{\n    shmem_init();\n    side(shmem_my_pe());\n    shmem_finalize();\n    return 0;\n}\n";
    let side = "#include <shmem.h>\nextern long x;\nextern \"C\" void side(int me)\n{\n    if (me == 0)\n        shmem_long_p(&x, 1, 1);\n    else\n        x = 2;\n}\n";
    std::fs::write(dir.path().join("main.c"), main)?;
    std::fs::write(dir.path().join("a side.cpp"), side)?;
    let ended = expect(thrille(["check", "main.c", "a side.cpp", "-n", "2"]).current_dir(dir.path()), 1)?;
    ended.says(&["a side.cpp:6", "a side.cpp:8", "`x`", "called from main main.c:7"])
}

/// `thrille report` without a directory is about the last run.
fn last_run() -> Outcome {
    let dir = temporary();
    let shmem = |name: &str| root().join("tests/shmem").join(name);
    expect(thrille(["check", "-n", "2"]).arg(shmem("put_load_race.c")).current_dir(dir.path()), 1)?;
    expect(thrille(["report", "--json"]).current_dir(dir.path()), 1)?;
    expect(thrille(["check", "-n", "2"]).arg(shmem("put_load_safe.c")).current_dir(dir.path()), 0)?;
    expect(thrille(["report"]).current_dir(dir.path()), 0)?;
    Ok(())
}

/// The number of ranks in each form that a person may type.
fn forms_of_options() -> Outcome {
    let dir = temporary();
    let mut build = thrille(["cc", "--", "gcc", "-g"]);
    expect(build.arg(program("honest.c")).args(["-o", "honest"]).current_dir(dir.path()), 0)?;
    for form in [&["-n", "2"][..], &["-n2"], &["-n=2"], &["--ranks", "2"], &["--ranks=2"], &["-qn2"], &["-q", "-n2"]] {
        let mut command = thrille(["run"]);
        let ended = expect(command.args(form).args(["./honest", "-n3"]).current_dir(dir.path()), 0)?;
        check(ended.stdout.starts_with("PE 0 of 2, environment none\n<-n3>\nPE 1 of 2"), || {
            format!("{form:?}: {ended}")
        })?;
    }
    Ok(())
}

/// What is not seen must not lead to a report: objects of the plain compiler, linked with the library.
fn not_instrumented() -> Outcome {
    let dir = temporary();
    let include = root().join("shmem/include");
    let mut plain = Command::new("gcc");
    expect(plain.arg("-c").arg(program("handover.c")).arg("-I").arg(include).current_dir(dir.path()), 0)?;
    expect(thrille(["cc", "--", "gcc", "handover.o", "-o", "handover"]).current_dir(dir.path()), 0)?;
    for _ in 0..5 {
        let ended = expect(thrille(["run", "-n2", "--quiet", "./handover"]).current_dir(dir.path()), 0)?;
        ended.says(&["no part of the program was instrumented"])?;
    }
    Ok(())
}
