//! Which rank of which job a process is, as its launcher says in the environment.

use crate::mpi::{Model, Mpi};
use std::path::Path;

/// A process's place in a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Which rank.
    pub rank: u32,
    /// Of how many.
    pub size: u32,
    /// A name that all processes of the job, and no others, have.
    pub job: String,
}

/// Variables for rank and size, the surest first: a batch script's own are seen by every process that it starts.
const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    // Of the step: the job may have more tasks, and a batch script itself is in none.
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

impl Seat {
    /// Of this process; rank 0 of 1 without a launcher.
    pub fn of_this_process() -> Self {
        Self::from(&|name| std::env::var(name).ok(), &parent())
    }

    fn from(var: &dyn Fn(&str) -> Option<String>, parent: &str) -> Self {
        let number = |name: &str| var(name)?.parse::<u32>().ok();
        let seats = LAUNCHERS.iter().filter_map(|(rank, size)| Some((number(rank)?, number(size)?)));
        let (rank, size) = seats.clone().next().unwrap_or((0, 1));
        let slurm = || Some(format!("{}.{}", var("SLURM_JOB_ID")?, var("SLURM_STEP_ID")?));
        // Open MPI draws a key for each job. A step of Slurm has a number. Else the launcher's process is the parent of all.
        let job = var("OMPI_MCA_orte_precondition_transports").or_else(slurm).unwrap_or_else(|| parent.to_owned());
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' };
        Self { rank, size, job: job.chars().map(plain).collect() }
    }
}

/// What is to be said when `srun` starts processes in a way that the program's MPI does not understand: each is a job of its own then.
pub fn wrong_plugin(model: Model, var: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let tasks: u32 = var("SLURM_STEP_NUM_TASKS")?.parse().ok().filter(|&tasks| tasks > 1)?;
    // Below a launcher of the MPI itself, srun has started that, not the ranks.
    if var("OMPI_COMM_WORLD_RANK").is_some() || var("HYDI_CONTROL_FD").is_some() {
        return None;
    }
    let (library, sign, plugin) = match model {
        Model::Shmem => return None,
        Model::Oshmem | Model::Mpi(Mpi::OpenMpi) => ("Open MPI", &["PMIX_RANK", "PMIX_NAMESPACE"][..], "pmix"),
        // Cray's has other variables, and they begin like this too.
        Model::Mpi(Mpi::Mpich) => {
            ("MPICH", &["PMI_RANK", "PMI_FD", "PMI_CONTROL_PORT"][..], "pmi2 (Cray MPICH: cray_shasta)")
        }
    };
    if sign.iter().any(|name| var(name).is_some()) {
        return None;
    }
    let used = var("SLURM_MPI_TYPE").map_or("no --mpi plugin".into(), |used| format!("--mpi={used}"));
    Some(format!(
        "srun started {tasks} processes with {used}, which the program's {library} does not understand: they are {tasks} jobs of one rank each, \
         and nothing is observed; start them with srun --mpi={plugin}"
    ))
}

/// The parent process and when it started: process numbers come back, the two together do not.
fn parent() -> String {
    let id = std::os::unix::process::parent_id();
    let stat = std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything; the 20th field behind it is the time.
    let started = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19).map(str::to_owned));
    format!("{id}-{}", started.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(vars: &[(&str, &str)]) -> (u32, u32, String) {
        let var = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        let Seat { rank, size, job } = Seat::from(&var, "77-1");
        (rank, size, job)
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        let slurm =
            [("SLURM_PROCID", "3"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_JOB_ID", "12"), ("SLURM_STEP_ID", "0")];
        assert_eq!(seat(&slurm), (3, 8, "12.0".into()));
        let mut both = slurm.to_vec();
        both.extend([
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "2"),
            ("OMPI_MCA_orte_precondition_transports", "a/b"),
        ]);
        assert_eq!(seat(&both), (1, 2, "a-b".into()));
        assert_eq!(seat(&[("PMI_RANK", "1"), ("PMI_SIZE", "4")]), (1, 4, "77-1".into()));
        assert_eq!(seat(&[]), (0, 1, "77-1".into()));
        // A batch script that forgot srun.
        assert_eq!(seat(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), (0, 1, "77-1".into()));
        assert!(parent().contains('-') && parent().len() > 3);
    }

    #[test]
    fn processes_that_do_not_find_each_other_are_told_from_ranks() {
        let said = |model, vars: &[(&str, &str)]| {
            let mut all = vec![("SLURM_STEP_NUM_TASKS", "4")];
            all.extend(vars);
            wrong_plugin(model, &|name| all.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
        };
        let (open_mpi, mpich) = (Model::Mpi(Mpi::OpenMpi), Model::Mpi(Mpi::Mpich));
        assert_eq!(said(open_mpi, &[("PMIX_RANK", "0")]), None);
        assert_eq!(said(mpich, &[("PMI_RANK", "0")]), None);
        assert_eq!(said(Model::Shmem, &[]), None);
        assert_eq!(said(open_mpi, &[("OMPI_COMM_WORLD_RANK", "0")]), None);
        assert!(said(open_mpi, &[]).unwrap().contains("--mpi=pmix"));
        let text = said(mpich, &[("PMIX_RANK", "0"), ("SLURM_MPI_TYPE", "pmix")]).unwrap();
        assert!(text.contains("4 processes with --mpi=pmix") && text.contains("--mpi=pmi2"), "{text}");
        assert_eq!(wrong_plugin(mpich, &|_| None), None);
    }
}
