//! `thrille sbatch`: a pair of jobs for Slurm. The first runs the program and predicts races, the second, which waits for the first to succeed,
//! confirms them. What they write is in one directory where the user stands.
//!
//! The first is submitted held, and let go when the second is there: so it can call the second off when there is nothing to confirm, however short it is.

mod script;

use crate::args::{self, Launch};
use crate::mpi::{Model, Mpi};
use crate::output::Code;
use crate::stamp::Stamp;
use crate::{mpi, output, program, split};
use anyhow::{Context, Result, bail};
use script::{Job, Templates};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use thrille_report::Report;

/// The subcommand.
pub fn sbatch(typed: &args::Sbatch) -> Result<Code> {
    if let Some(dir) = &typed.write_templates {
        Templates::built_in().write(dir)?;
        eprintln!("thrille: templates are in {}: edit them, then use --templates {0}", dir.display());
        return Ok(Code::Clean);
    }
    let name = typed.command.first().context("no program given")?;
    let file = std::path::absolute(program::find(name)?)?;
    if typed.nodes == 0 || typed.ranks < typed.nodes {
        bail!("-N {} -n {}: at least one node, and at least one rank a node", typed.nodes, typed.ranks);
    }
    let launch = launch(typed.mpi, mpi::model(&file), &file)?;
    let templates = typed.templates.as_deref().map_or_else(|| Ok(Templates::built_in()), Templates::read)?;
    let config = typed.config.clone().or_else(|| std::env::var_os("THRILLE_CONFIG").map(PathBuf::from));
    if let Some(config) = config.as_deref().filter(|config| !config.is_file()) {
        bail!("--config {}: there is no such file", config.display());
    }
    if !typed.dry_run {
        slurm_is_there()?;
    }
    let dir = make_dir(typed.out.as_deref(), &file)?;
    let mut command = typed.command.clone();
    command[0] = file.into();
    let job = Job {
        nodes: typed.nodes,
        ranks: typed.ranks,
        options: typed.slurm.as_deref().map(split::words).unwrap_or_default(),
        exec: typed.exec.as_deref().map(split::words).unwrap_or_default(),
        here: std::env::current_dir().context("cannot find out the current directory")?,
        dir: dir.clone(),
        thrille: std::env::current_exe().context("cannot find out where the `thrille` executable is")?,
        command,
        config: config.map(std::path::absolute).transpose()?,
    };
    let wanted: &[&str] = if typed.no_confirm { &["phase1"] } else { &["phase1", "phase2"] };
    for phase in wanted {
        write_script(&dir.join(format!("{phase}.sh")), &templates.fill(phase, launch, &job)?)?;
    }
    let shown = |phase: &str| dir.join(format!("{phase}.sh")).display().to_string();
    if typed.dry_run {
        eprintln!(
            "thrille: wrote {}; nothing was submitted",
            wanted.iter().map(|p| shown(p)).collect::<Vec<_>>().join(" and ")
        );
        return Ok(Code::Clean);
    }
    let ids = submit(&dir, typed.no_confirm).inspect_err(|_| discard(&dir))?;
    eprintln!("thrille: job {} is phase 1: {}", ids[0], dir.join("phase1.out").display());
    if let Some(second) = ids.get(1) {
        eprintln!(
            "thrille: job {second} is phase 2, if there is something to confirm: {}",
            dir.join("phase2.out").display()
        );
    }
    eprintln!("thrille: the report will be {}", dir.join("report.txt").display());
    if !typed.wait {
        return Ok(Code::Clean);
    }
    await_jobs(&ids)?;
    let report = Report::from_run_dir(&dir.join("run"))
        .with_context(|| format!("the job left no run: see {}", dir.join("phase1.out").display()))?;
    output::print_report(&report, false);
    Ok(Code::of(&report))
}

/// How the ranks are to be started.
fn launch(wanted: Option<Launch>, model: Model, file: &Path) -> Result<Launch> {
    match (wanted, model) {
        (Some(Launch::Mpich | Launch::Cray), Model::Mpi(Mpi::OpenMpi))
        | (Some(Launch::OpenMpi), Model::Mpi(Mpi::Mpich)) => bail!(
            "{} is linked with {}, which --mpi does not say: its ranks would be so many jobs of one rank each; leave --mpi out",
            file.display(),
            if model == Model::Mpi(Mpi::OpenMpi) { "Open MPI" } else { "MPICH" }
        ),
        (Some(wanted), _) => Ok(wanted),
        (None, Model::Mpi(Mpi::OpenMpi)) => Ok(Launch::OpenMpi),
        (None, Model::Mpi(Mpi::Mpich)) => Ok(Launch::Mpich),
        (None, Model::Shmem | Model::Oshmem) => bail!(
            "{} is not linked with Open MPI or MPICH: Slurm cannot start its ranks; if it is an MPI program all the same, say which by --mpi",
            file.display()
        ),
    }
}

fn slurm_is_there() -> Result<()> {
    if program::find(OsStr::new("sbatch")).is_err() {
        bail!(
            "there is no sbatch in PATH: on a machine without Slurm use `thrille run -n N ./program`, or write the scripts only with --dry-run"
        );
    }
    // Slurm's own commands would look for it for a minute before they say so.
    if let Some(conf) = std::env::var_os("SLURM_CONF").map(PathBuf::from).filter(|conf| !conf.is_file()) {
        bail!(
            "SLURM_CONF names {}, which is not there: unset it or name the cluster's slurm.conf; --dry-run writes the scripts only",
            conf.display()
        );
    }
    Ok(())
}

fn make_dir(wanted: Option<&Path>, file: &Path) -> Result<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let usual = || PathBuf::from(format!("thrille-{name}-{}", Stamp::of(SystemTime::now()).for_a_name()));
    let path = std::path::absolute(wanted.map_or_else(usual, Path::to_path_buf))?;
    if path.join("run").exists() || path.join("phase1.sh").exists() {
        bail!("{} holds a job already: name another directory with --out", path.display());
    }
    std::fs::create_dir_all(&path).with_context(|| {
        format!(
            "cannot make the directory {}: choose one that can be written, here and on the nodes, with --out DIR",
            path.display()
        )
    })?;
    Ok(path)
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text)
        .and_then(|()| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}: choose another directory with --out DIR", path.display()))
}

/// Nothing was submitted: the scripts would only be in the way. What else is there stays, and the directory with it.
fn discard(dir: &Path) {
    for name in ["phase1.sh", "phase2.sh", "phase2.job"] {
        let _ = std::fs::remove_file(dir.join(name));
    }
    let _ = std::fs::remove_dir(dir);
}

/// Submits the scripts of a directory; the jobs' numbers.
fn submit(dir: &Path, alone: bool) -> Result<Vec<String>> {
    let first = submitted(Command::new("sbatch").args(["--parsable", "--hold"]).arg(dir.join("phase1.sh")))?;
    let mut ids = vec![first.clone()];
    let rest = || -> Result<Option<String>> {
        let mut second = None;
        if !alone {
            let mut command = Command::new("sbatch");
            command.args(["--parsable", "--kill-on-invalid-dep=yes"]).arg(format!("--dependency=afterok:{first}"));
            let id = submitted(command.arg(dir.join("phase2.sh")))?;
            std::fs::write(dir.join("phase2.job"), format!("{id}\n"))?;
            second = Some(id);
        }
        told(Command::new("scontrol").args(["release", &first]))?;
        Ok(second)
    };
    match rest() {
        Ok(second) => ids.extend(second),
        Err(error) => {
            // A job that nobody lets go would stay for ever.
            let _ = Command::new("scancel").arg(&first).output();
            return Err(error);
        }
    }
    Ok(ids)
}

fn submitted(command: &mut Command) -> Result<String> {
    // With --parsable: the number, and after a semicolon the cluster.
    let text = told(command)?;
    Ok(text.trim().split(';').next().unwrap_or_default().to_owned())
}

/// Runs a command of Slurm's and gives back what it says.
fn told(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}: is Slurm installed here?"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        bail!("{name} refused: {why}");
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Until Slurm has nothing of them in its queue.
fn await_jobs(ids: &[String]) -> Result<()> {
    loop {
        let listed = told(Command::new("squeue").args(["--noheader", "--format=%i %t", "--jobs", &ids.join(",")]));
        match listed {
            Ok(text) if text.trim().is_empty() => return Ok(()),
            // Slurm has forgotten them: they have been over for a while.
            Err(error) if error.to_string().contains("Invalid job id") => return Ok(()),
            other => other.map(drop)?,
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}
