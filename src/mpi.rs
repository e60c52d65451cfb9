//! MPI programs: which library they use, how they are compiled, and `mpirun`, which starts their ranks.
//!
//! Ranks learn their number from MPI; where the analysis takes place they are told by the environment, as under the embedded launcher.

use crate::exec;
use crate::launch::{Ended, Start, hand_on, hear, room_for_connections};
use crate::program::Libraries;
use crate::progress::Line;
use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use thrille_launch::end_with_parent;
use thrille_model::job::{ENV_HUB, ENV_RUN_DIR, ENV_TOKEN};
use thrille_phase2::protocol::{ENV_COORDINATOR, ENV_OUTPUT};
use thrille_report::{Exit, signal_name};
use thrille_transport::{Hub, HubOptions, Token};

/// The MPI libraries that there is an injected library for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mpi {
    /// Open MPI
    #[value(name = "openmpi")]
    OpenMpi,
    /// MPICH, and what follows its ABI
    Mpich,
}

/// The OpenSHMEM libraries that programs can be run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Shmem {
    /// The one that comes with thrille
    #[default]
    Embedded,
    /// Open MPI's
    Oshmem,
}

impl Shmem {
    /// The variable that says which.
    pub const ENV: &str = "THRILLE_SHMEM";

    /// The compilers of Open MPI's library for C and C++.
    pub const COMPILERS: [&str; 2] = ["oshcc", "oshc++"];

    /// Whether this is the name of a compiler of an OpenSHMEM library; and if so, the plain one for that language.
    pub fn plain_compiler(name: &str) -> Option<&'static str> {
        match name {
            "oshcc" | "shmemcc" => Some("cc"),
            "oshc++" | "oshcxx" | "oshCC" | "shmemc++" | "shmemcxx" => Some("c++"),
            _ => None,
        }
    }

    /// What was asked for: on the command line, in the environment, or nowhere.
    pub fn chosen(typed: Option<Self>) -> Result<Self> {
        let said = std::env::var(Self::ENV).ok().filter(|said| !said.is_empty());
        match (typed, said) {
            (Some(typed), _) => Ok(typed),
            (None, None) => Ok(Self::default()),
            (None, Some(said)) => match <Self as clap::ValueEnum>::from_str(&said, true) {
                Ok(known) => Ok(known),
                Err(_) => bail!("{}={said} is not known: it is `embedded` or `oshmem`", Self::ENV),
            },
        }
    }
}

/// What a program is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// OpenSHMEM, on the embedded library.
    Shmem,
    /// OpenSHMEM, on Open MPI's library.
    Oshmem,
    /// MPI.
    Mpi(Mpi),
}

impl Mpi {
    /// As in directory and command names.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The compilers for C, C++ and Fortran: those of this library, or the only ones that there are.
    pub fn compilers(self) -> [OsString; 3] {
        let pick = |name: &str| {
            let own = format!("{name}.{}", self.name());
            if crate::program::find(own.as_ref()).is_ok() { own.into() } else { name.into() }
        };
        ["mpicc", "mpicxx", "mpifort"].map(pick)
    }

    /// The one that a library is part of, by its file's own name: that of Open MPI is `libmpi.so.40`, that of MPICH and its kin `libmpich.so`
    /// or `libmpi.so.12`.
    pub fn of_library(path: &Path) -> Option<Self> {
        let own = path.canonicalize().unwrap_or_else(|_| path.into());
        let name = own.file_name()?.to_string_lossy().into_owned();
        if name.starts_with("libmpich") || name.starts_with("libmpi.so.12") {
            Some(Self::Mpich)
        } else {
            (name.starts_with("libmpi.so") || name.starts_with("libmpi_")).then_some(Self::OpenMpi)
        }
    }

    /// The library behind an MPI compiler.
    pub fn of_compiler(compiler: &[OsString]) -> Result<Self> {
        let (program, args) = compiler.split_first().context("no compiler given")?;
        let name = program.to_string_lossy();
        let shown = Command::new(program).args(args).arg("-show").stdin(Stdio::null()).output();
        let shown = shown.with_context(|| {
            format!("the compiler `{name}` cannot be started: install libopenmpi-dev or libmpich-dev")
        })?;
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        match (text.contains("openmpi") || text.contains("open-mpi"), text.contains("mpich")) {
            (true, _) => Ok(Self::OpenMpi),
            (false, true) => Ok(Self::Mpich),
            (false, false) => bail!("{name} is a compiler of an MPI that is not supported: Open MPI and MPICH are"),
        }
    }
}

/// Whether this is the name of an MPI compiler.
pub fn is_compiler(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or(name);
    ["mpicc", "mpicxx", "mpic++", "mpiCC", "mpifort", "mpif90", "mpif77"].contains(&name)
}

/// What a built program is written to: by the libraries it is linked with. If our own has all that it calls, the linker may have left out the
/// one behind it.
pub fn model(program: &Path) -> Model {
    let wrapped = behind_wrapper(program);
    of_file(wrapped.as_deref().unwrap_or(program), DEEPEST).unwrap_or(Model::Shmem)
}

/// The program that libtool's script of the same name starts, of a build tree whose libraries are not installed yet.
fn behind_wrapper(program: &Path) -> Option<PathBuf> {
    let mut start = [0; 2];
    std::io::Read::read_exact(&mut std::fs::File::open(program).ok()?, &mut start).ok()?;
    let inner = program.parent()?.join(".libs").join(program.file_name()?);
    (&start == b"#!" && inner.is_file()).then_some(inner)
}

/// Libraries behind libraries that are looked at.
const DEEPEST: usize = 4;

/// What a program or shared library is linked with, itself or by a library of its own: a program may leave all of MPI to one.
pub fn of_file(file: &Path, depth: usize) -> Option<Model> {
    let libraries = Libraries::of(file);
    let behind = || {
        let mut needed = libraries.shared().into_iter();
        needed.find_map(|path| of_file(&path, depth.checked_sub(1)?))
    };
    linked_with(&libraries).or_else(behind)
}

fn linked_with(libraries: &Libraries) -> Option<Model> {
    if libraries.has("liboshmem") {
        Some(Model::Oshmem)
    } else if libraries.has("libmpich") {
        Some(Model::Mpi(Mpi::Mpich))
    } else if libraries.has("libmpi.so") || libraries.has("libmpi_") {
        Some(Model::Mpi(Mpi::OpenMpi))
    } else {
        None
    }
}

/// What Open MPI wants to be told on one machine with few cores; what the user has set stays. The component for one-sided operations that it
/// would choose itself, `rdma`, crashes in compare-and-swap of eight bytes on the own rank.
const OPEN_MPI: [(&str, &str); 9] = [
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_oob_tcp_if_include", "lo"),
    ("OMPI_MCA_btl_tcp_if_include", "lo"),
    ("OMPI_MCA_memory", "^patcher"),
    ("OMPI_MCA_osc", "ucx,sm"),
    ("UCX_NET_DEVICES", "lo"),
    ("HYDRA_IFACE", "lo"),
];

/// What starts programs on Open MPI's OpenSHMEM library.
const OSHRUN: &str = "oshrun";

/// Starts the ranks of a program in the way that it needs, and waits until they have ended.
pub fn launch(model: Model, start: &Start, dir: &Path) -> Result<Ended> {
    match model {
        Model::Shmem => crate::launch::launch(start, dir),
        Model::Mpi(mpi) => launch_by(&format!("mpirun.{}", mpi.name()), mpi, start, dir),
        Model::Oshmem => launch_by(OSHRUN, Mpi::OpenMpi, start, dir),
    }
}

/// Starts them by a runner of this name, or else `mpirun`, and waits until that has ended.
fn launch_by(own: &str, mpi: Mpi, start: &Start, dir: &Path) -> Result<Ended> {
    let token = start.token()?;
    room_for_connections(start.ranks);
    let hub = Hub::start_with(start.ranks, token.clone(), HubOptions { address: address()?, ..HubOptions::default() })?;
    let mut signals = SignalsInfo::<WithOrigin>::new([SIGINT, SIGTERM]).context("cannot listen to signals")?;
    let begun = Instant::now();
    let mut runner = Runner(command(own, mpi, start, dir, &hub, &token).spawn().with_context(|| match launcher() {
        Some(words) => format!("cannot start {}, which THRILLE_LAUNCHER names", words[0]),
        None => format!("cannot start {own}: install it (Debian: apt install openmpi-bin or mpich)"),
    })?);
    let mut line = Line::new(start, dir);
    let (mut notes, mut interrupted, mut ending) = (Vec::new(), None, None);
    let mut nap = Duration::from_micros(500);
    let mut hung = false;
    let status = loop {
        if !hung && start.is_late(begun) {
            hung = true;
            ending.get_or_insert_with(Instant::now);
            hand_on(&runner.0, SIGTERM);
        }
        for event in hub.events().try_iter() {
            hear(event, &mut line, &mut notes);
        }
        for origin in signals.pending() {
            line.erase();
            interrupted = Some(signal_name(origin.signal));
            ending.get_or_insert_with(Instant::now);
            if origin.process.is_some() {
                hand_on(&runner.0, origin.signal);
            }
        }
        if let Some(status) = runner.0.try_wait().context("cannot wait for mpirun")? {
            break status;
        }
        if ending.is_some_and(|since: Instant| since.elapsed() >= start.grace) {
            // Gone already is as good as killed.
            let _ = runner.0.kill();
        }
        line.tick();
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(10));
    };
    for event in hub.shutdown() {
        hear(event, &mut line, &mut notes);
    }
    line.erase();
    let (exits, first_failure) = exec::exits(dir, start.ranks);
    let launcher = (!status.success() && exits.iter().all(Exit::success)).then(|| status.to_string());
    if let Some(status) = &launcher {
        notes.push(format!("the program failed: mpirun, which started the ranks, ended with {status}"));
    }
    Ok(Ended { exits, first_failure, launcher, interrupted, hung, elapsed: begun.elapsed(), notes })
}

/// Where ranks reach this process: on this machine, unless `THRILLE_ADDRESS` says that they are on others.
pub fn address() -> Result<IpAddr> {
    let Ok(name) = std::env::var("THRILLE_ADDRESS") else { return Ok(Ipv4Addr::LOCALHOST.into()) };
    let known = (name.as_str(), 0).to_socket_addrs().ok().and_then(|mut found| found.next());
    Ok(known.with_context(|| format!("THRILLE_ADDRESS={name} is no address and no name of this machine"))?.ip())
}

/// What starts the ranks instead of `mpirun`, and its options: `THRILLE_LAUNCHER="srun --mpi=pmix"`.
fn launcher() -> Option<Vec<String>> {
    let words = crate::split::words(&std::env::var("THRILLE_LAUNCHER").ok()?);
    (!words.is_empty()).then_some(words)
}

fn command(own: &str, mpi: Mpi, start: &Start, dir: &Path, hub: &Hub, token: &Token) -> Command {
    let other = launcher();
    let usual = if crate::program::find(own.as_ref()).is_ok() { own } else { "mpirun" };
    let mut command = Command::new(other.as_ref().map_or(usual, |words| &words[0]));
    let mut told: Vec<(&str, OsString)> = vec![
        (ENV_RUN_DIR, dir.into()),
        (ENV_HUB, hub.addr().to_string().into()),
        (ENV_TOKEN, token.to_string().into()),
    ];
    if own == OSHRUN {
        told.push(("SHMEM_SYMMETRIC_SIZE", start.heap.to_string().into()));
    }
    told.extend(start.told.iter().map(|(name, value)| (*name, value.into())));
    if let Some(confirming) = &start.confirming {
        told.push((ENV_COORDINATOR, confirming.coordinator.to_string().into()));
        told.push((ENV_OUTPUT, dir.into()));
        command.current_dir(&confirming.directory);
        command.stdin(confirming.input()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    match mpi {
        // It hands on the environment, and knows where the ranks are to be.
        _ if other.is_some() => _ = command.args(other.iter().flatten().skip(1)),
        Mpi::OpenMpi => {
            let unset = OPEN_MPI.iter().filter(|(name, _)| std::env::var_os(name).is_none());
            command.envs(unset.copied());
            if rustix::process::geteuid().is_root() {
                command.args(["--allow-run-as-root"]);
            }
            for (name, _) in &told {
                command.args(["-x", name]);
            }
        }
        Mpi::Mpich => {
            command.args(["-iface", "lo"]);
        }
    }
    command.envs(told.iter().map(|(name, value)| (*name, value.as_os_str())));
    // Each rank below a `thrille exec`, which sees how it ends.
    command.arg("-n").arg(start.ranks.to_string()).arg(own_path()).args(["exec", "--"]).arg(&start.program);
    command.args(start.command.iter().skip(1));
    // It ends the ranks, also if this process is killed and cannot tell it to.
    end_with_parent(&mut command);
    command
}

/// This command.
fn own_path() -> std::path::PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "thrille".into())
}

/// `mpirun`; it is not left behind, whatever goes wrong.
struct Runner(Child);

impl Drop for Runner {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            // It takes the ranks with it.
            let _ =
                rustix::process::kill_process(rustix::process::Pid::from_child(&self.0), rustix::process::Signal::TERM);
            let _ = self.0.wait();
        }
    }
}
