//! `bench instrument`: what the clang plugin costs when nothing is looked at. Each program is built plain and with the plugin, both run in turn with nobody
//! listening; they must print the same. Told are the ratios of processor time (the least of all repetitions), of the time to compile, and of the size of code.

use super::manifest;
use crate::packages::has;
use crate::{Result, build, root, target};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// The compiler, and what all programs are compiled with.
const CLANG: &str = "clang-16";
const FLAGS: [&str; 3] = ["-O2", "-g", "-std=gnu11"];
/// The programs that need no communication library.
const KERNELS: [&str; 4] = ["sparse", "stencil", "tree", "triad"];
const REPETITIONS: u32 = 5;

/// One program.
struct Subject {
    name: String,
    source: PathBuf,
    flags: Vec<String>,
    /// The class to run, of programs of `nas-bench`.
    class: Option<&'static str>,
}

/// A way to build.
#[derive(Clone, Copy, Debug)]
enum Way {
    Plain,
    Plugin,
}

struct Figures {
    compile: f64,
    code: u64,
    time: f64,
}

/// Builds, runs, and writes the table.
pub fn instrument() -> Result<()> {
    if !has(CLANG) || !has("size") {
        return Err(format!("{CLANG} and size (binutils) are needed: apt install {CLANG} binutils"));
    }
    build::build()?;
    let dir = target().join("nas-bench/instrument");
    std::fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let mut table = String::from("| program | plain (s) | time | compile time | code size |\n|---|---|---|---|---|\n");
    let (mut products, mut worst, mut count) = ([0.0; 3], [0.0_f64; 3], 0.0);
    for subject in subjects()? {
        let [plain, plugin] = measured(&subject, &dir)?;
        let ratios = [plugin.time / plain.time, plugin.compile / plain.compile, plugin.code as f64 / plain.code as f64];
        let _ = writeln!(
            table,
            "| {} | {:.3} | {:.3} | {:.2} | {:.2} |",
            subject.name, plain.time, ratios[0], ratios[1], ratios[2]
        );
        println!("{}: time {:.3}, compile {:.2}, code {:.2}", subject.name, ratios[0], ratios[1], ratios[2]);
        for (i, ratio) in ratios.into_iter().enumerate() {
            products[i] += ratio.ln();
            worst[i] = worst[i].max(ratio);
        }
        count += 1.0;
    }
    let mean = products.map(|sum: f64| (sum / count).exp());
    let _ = writeln!(table, "| geometric mean | | {:.3} | {:.2} | {:.2} |", mean[0], mean[1], mean[2]);
    let _ = writeln!(table, "| most | | {:.3} | {:.2} | {:.2} |", worst[0], worst[1], worst[2]);
    let out = super::default_dir()?.join("instrument.md");
    let head = format!(
        "# The plugin, not looking\n\n{CLANG} {}, with the plugin over plain; processor time of all processes, the least of {REPETITIONS} runs in turn, load {:.1}. Made by `cargo xtask bench \
         instrument`. Both print the same.\n\n",
        FLAGS.join(" "),
        load(),
    );
    std::fs::create_dir_all(out.parent().unwrap_or(Path::new("."))).map_err(|e| format!("{}: {e}", out.display()))?;
    std::fs::write(&out, head + &table).map_err(|e| format!("{}: {e}", out.display()))?;
    println!("{table}\nthe table is in {}", out.display());
    Ok(())
}

fn subjects() -> Result<Vec<Subject>> {
    let kernels = KERNELS.into_iter().map(|name| Subject {
        name: name.into(),
        source: root().join("nas-bench/src/kernels").join(format!("{name}.c")),
        flags: Vec::new(),
        class: None,
    });
    let programs = manifest::read()?.into_iter().map(|program| Subject {
        name: program.name.clone(),
        source: program.path(),
        flags: program.flags.clone(),
        // Long enough for a clock of hundredths of a second, and not much longer.
        class: Some(if ["EP", "guppie", "guppie-locks"].contains(&program.name.as_str()) { "W" } else { "A" }),
    });
    Ok(kernels.chain(programs).collect())
}

fn measured(subject: &Subject, dir: &Path) -> Result<[Figures; 2]> {
    let built = [Way::Plain, Way::Plugin].map(|way| compiled(subject, way, dir));
    let [plain, plugin] = built;
    let mut figures = [plain?, plugin?];
    let mut printed: Option<String> = None;
    for _ in 0..REPETITIONS {
        for (way, (path, figures)) in [Way::Plain, Way::Plugin].into_iter().zip(&mut figures) {
            let (time, said) = run(subject, path, dir)?;
            figures.time = figures.time.min(time);
            if *printed.get_or_insert_with(|| said.clone()) != said {
                return Err(format!("{}, {way:?}: prints something else:\n{said}", subject.name));
            }
        }
    }
    Ok(figures.map(|(_, figures)| figures))
}

fn compiled(subject: &Subject, way: Way, dir: &Path) -> Result<(PathBuf, Figures)> {
    // Programs print their names.
    let dir = dir.join(format!("{way:?}"));
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let path = dir.join(&subject.name);
    let object = path.with_extension("o");
    let mut command = match way {
        Way::Plain => Command::new(CLANG),
        Way::Plugin => {
            let mut command = Command::new(build::thrille());
            command.args(["cc", "--instrument", "plugin", "--", CLANG]);
            command
        }
    };
    command.args(FLAGS).args(&subject.flags).arg("-DRACE=0").arg("-c").arg(&subject.source).arg("-o").arg(&object);
    for include in ["nas-bench/src/shmem", "shmem/include"] {
        command.arg("-I").arg(root().join(include));
    }
    // The least of three: the first one reads the compiler from the disk.
    let mut compile = f64::INFINITY;
    for _ in 0..3 {
        let began = Instant::now();
        ended(&mut command)?;
        compile = compile.min(began.elapsed().as_secs_f64());
    }
    let mut link = match way {
        Way::Plugin => {
            let mut link = Command::new(build::thrille());
            link.args(["cc", "--instrument", "plugin", "--", CLANG]);
            link
        }
        Way::Plain => Command::new(CLANG),
    };
    link.arg(&object).arg("-o").arg(&path).arg("-lm");
    if matches!(way, Way::Plain) && subject.class.is_some() {
        let libraries = target().join("injected");
        link.arg("-L").arg(&libraries).arg("-lthrille_shmem");
        link.arg(format!("-Wl,-rpath,{},--disable-new-dtags", libraries.display()));
    }
    ended(&mut link)?;
    Ok((path, Figures { compile, code: code(&object)?, time: f64::INFINITY }))
}

/// Bytes of machine code in an object file.
fn code(object: &Path) -> Result<u64> {
    let output = ended(Command::new("size").arg("-A").arg(object))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let sections = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next().filter(|name| name.starts_with(".text"))?;
        words.next().and_then(|size| size.parse::<u64>().ok()).filter(|_| !name.is_empty())
    });
    Ok(sections.sum::<u64>().max(1))
}

/// Runs a program with nobody listening: processor time, and what it prints but for times.
fn run(subject: &Subject, path: &Path, dir: &Path) -> Result<(f64, String)> {
    let mut command = match subject.class {
        None => Command::new(path),
        Some(class) => {
            let bytes = ended(Command::new(path).args(["--bytes", class, "2"]))?;
            let bytes = String::from_utf8_lossy(&bytes.stdout).trim().parse::<u64>().unwrap_or(1 << 28) + (1 << 20);
            let mut command = Command::new(build::thrille());
            command.args(["run", "--quiet", "--no-confirm", "-n2", "--heap", &bytes.to_string(), "--out"]);
            command.arg(dir.join("run")).args(["env", "-u", "THRILLE_RUN_DIR"]).arg(path).arg(class);
            command
        }
    };
    let before = super::execute::cpu_of_children();
    let output = command.output().map_err(|e| format!("{}: {e}", path.display()))?;
    let time = super::execute::cpu_of_children() - before;
    let _ = std::fs::remove_dir_all(dir.join("run"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let varies = |line: &&str| !line.starts_with("time ") && !line.contains("steals");
    Ok((time.max(0.01), text.lines().filter(varies).collect::<Vec<_>>().join("\n")))
}

fn ended(command: &mut Command) -> Result<Output> {
    let output = command.output().map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}
