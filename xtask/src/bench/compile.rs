//! The binaries: one for each program, variant and way of building.

use super::configs::Kind;
use super::manifest::Program;
use super::options::Model;
use crate::packages::has;
use crate::{Result, build, root, target};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of all programs and configurations.
const FLAGS: [&str; 3] = ["-O2", "-g", "-std=gnu11"];

/// A binary.
#[derive(Debug)]
pub struct Built {
    pub path: PathBuf,
}

/// How to compile for one model.
pub struct Compiler {
    pub model: Model,
    /// The compiler itself.
    pub own: String,
    /// What is called: it, or what calls it.
    cc: String,
    dir: PathBuf,
}

impl Compiler {
    /// Looks for what is needed.
    pub fn new(model: Model, own: &str) -> Result<Self> {
        if !has(own) {
            return Err(format!("{own} was not found: install it"));
        }
        let cc = match model {
            Model::Shmem => own,
            Model::Mpi => "mpicc.openmpi",
        };
        if !has(cc) {
            return Err("Open MPI was not found (mpicc.openmpi): apt install openmpi-bin libopenmpi-dev".into());
        }
        let dir = target().join("nas-bench").join(model.name()).join(own);
        std::fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
        Ok(Self { model, own: own.into(), cc: cc.into(), dir })
    }

    /// Builds a program. Always: it takes a second, and nothing can be stale.
    pub fn build(&self, program: &Program, variant: u32, kind: Kind) -> Result<Built> {
        let name = |extension: &str| self.dir.join(format!("{}-{variant}-{kind:?}{extension}", program.name));
        let path = name("");
        let mut compile: Vec<OsString> = FLAGS.iter().map(Into::into).collect();
        compile.extend(program.flags.iter().map(Into::into));
        compile.push(format!("-DRACE={variant}").into());
        compile.push(include(&root().join("nas-bench/src").join(self.model.name())));
        let source = program.path().into_os_string();
        let libraries = build::thrille().with_file_name("../injected");
        match kind {
            Kind::Native | Kind::Tsan => {
                if kind == Kind::Tsan {
                    compile.push("-fsanitize=thread".into());
                }
                compile.extend([source, "-o".into(), path.clone().into()]);
                if self.model == Model::Shmem {
                    compile.push(include(&root().join("shmem/include")));
                    compile.extend(["-L".into(), libraries.clone().into(), "-lthrille_shmem".into()]);
                    compile.extend(["-Xlinker".into(), "-rpath".into(), "-Xlinker".into(), libraries.into()]);
                    // Cargo names its own directories by LD_LIBRARY_PATH, and would have the program load the library that was built for the tests.
                    compile.push("-Wl,--disable-new-dtags".into());
                }
                compile.push("-lm".into());
                run(self.command().args(compile))?;
            }
            Kind::CallsOnly => {
                let object = name(".o");
                compile.extend(["-c".into(), source, "-o".into(), object.clone().into()]);
                compile.push(include(&root().join("shmem/include")));
                run(self.command().args(compile))?;
                run(self.thrille_cc(&[]).arg(object).arg("-o").arg(&path).arg("-lm"))?;
            }
            Kind::Hooks | Kind::Full => {
                compile.extend([source, "-o".into(), path.clone().into(), "-lm".into()]);
                // Where functions are there twice, nobody listening means the plain copy.
                let how: &[&str] = if kind == Kind::Hooks { &["--instrument", "hooks"] } else { &[] };
                run(self.thrille_cc(how).args(compile))?;
            }
        }
        Ok(Built { path })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.cc);
        command.env("OMPI_CC", &self.own);
        command
    }

    fn thrille_cc(&self, how: &[&str]) -> Command {
        let mut command = Command::new(build::thrille());
        command.arg("cc").args(how).args(["--", &self.cc]).env("OMPI_CC", &self.own);
        command
    }
}

fn include(dir: &Path) -> OsString {
    let mut flag = OsString::from("-I");
    flag.push(dir);
    flag
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().display().to_string();
    let output = command.output().map_err(|e| format!("cannot start {program}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}
