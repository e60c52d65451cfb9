//! The programs of `nas-bench/` as they are without the detector: their results are the published ones, whatever they are built on and on how many ranks.
//! Class S by day; by night W and A as well, and B on 2 ranks.

use crate::nas::{Program, programs};
use crate::support::{THRILLE, root};
use crate::tool::{check, expect, run_within, temporary};
use crate::{Outcome, mpi, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// guppie of class B takes the longest, on MPI: half a minute on an idle machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// For the rounding of blocks in a symmetric heap, and for what a library keeps there itself.
const HEAP_BESIDE: u64 = 16 << 20;

/// What a program is built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    Embedded,
    Oshmem,
    OpenMpi,
    Mpich,
}

impl Build {
    const ALL: [Self; 4] = [Self::Embedded, Self::Oshmem, Self::OpenMpi, Self::Mpich];

    fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Oshmem => "oshmem",
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// Ranks of MPICH spin: more than there are cores would take minutes.
    fn ranks(self, class: char) -> &'static [u32] {
        match (self, class) {
            (_, 'B') => &[2],
            (Self::Mpich, _) => &[1, 2],
            _ => &[1, 2, 4],
        }
    }

    fn compile(self, program: &Program, to: &Path) -> Outcome {
        let sources = root().join("nas-bench/src");
        let (cc, layer) = match self {
            Self::Embedded => ("gcc", "shmem"),
            Self::Oshmem => ("oshcc", "shmem"),
            Self::OpenMpi => ("mpicc.openmpi", "mpi"),
            Self::Mpich => ("mpicc.mpich", "mpi"),
        };
        let mut command = Command::new(cc);
        command.args(["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]).args(&program.flags);
        command.arg("-I").arg(sources.join(layer)).arg(sources.join(&program.source)).arg("-o").arg(to);
        if self == Self::Embedded {
            let libraries = Path::new(THRILLE).with_file_name("../injected");
            command.arg("-I").arg(root().join("shmem/include")).arg("-L").arg(&libraries).arg("-lthrille_shmem");
            // Whatever Cargo's LD_LIBRARY_PATH names.
            command.args(["-Wl,--disable-new-dtags", "-Xlinker", "-rpath", "-Xlinker"]).arg(libraries);
        }
        expect(command.arg("-lm"), 0).map(|_| ())
    }

    /// Starts a program without anybody looking on.
    fn start(self, binary: &Path, class: char, ranks: u32) -> Result<Command, Failed> {
        let (class, ranks) = (class.to_string(), ranks.to_string());
        let heap = expect(Command::new(binary).args(["--bytes", &class, &ranks]), 0)?.stdout.trim().parse::<u64>()?;
        let heap = (heap + HEAP_BESIDE).to_string();
        let launcher = match self {
            Self::Embedded => THRILLE,
            Self::Oshmem => "oshrun",
            Self::OpenMpi => "mpirun.openmpi",
            Self::Mpich => "mpirun.mpich",
        };
        let mut command = Command::new(launcher);
        if self == Self::Embedded {
            command.args(["run", "--quiet", "--no-confirm", "--out", "run", "--heap", &heap]);
        }
        command.args(["-n", &ranks]).arg(binary).arg(class).env("SHMEM_SYMMETRIC_HEAP_SIZE", heap);
        // With the patcher, shmem_finalize of Open MPI 4 crashes.
        command.envs(mpi::OPEN_MPI).env("OMPI_MCA_memory", "^patcher").env("HYDRA_IFACE", "lo");
        Ok(command)
    }
}

/// One test for each build, program and class.
pub fn trials() -> Vec<Trial> {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(error) => return vec![trial("nas::verified", move || Err(error.into()))],
    };
    let classes: &[char] = if std::env::var_os("THRILLE_NIGHTLY").is_some() { &['S', 'W', 'A', 'B'] } else { &['S'] };
    let mut trials = Vec::new();
    for build in Build::ALL {
        for program in &programs {
            // A lock for each update: class A has 33 million.
            let locks = !program.flags.is_empty();
            for &class in classes.iter().filter(|class| !(locks && "AB".contains(**class))) {
                let program = program.clone();
                let name = format!("nas::verified::{}::{}::{class}", build.name(), program.name);
                trials.push(trial(&name, move || verified(build, &program, class)));
            }
        }
    }
    trials
}

fn verified(build: Build, program: &Program, class: char) -> Outcome {
    let dir = temporary();
    let binary = dir.path().join("program");
    build.compile(program, &binary)?;
    for &ranks in build.ranks(class) {
        let ended = run_within(build.start(&binary, class, ranks)?.current_dir(dir.path()), PATIENCE)?;
        // With 2 the launcher says that nothing was observed, as nobody was asked to.
        let good = if build == Build::Embedded { 2 } else { 0 };
        ended.expect(good)?;
        check(ended.stdout.contains("verification successful"), || format!("{ranks} ranks: not verified:\n{ended}"))?;
    }
    Ok(())
}
