//! The launcher's side: make the memory of a job, start its PEs, watch them, end them.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use crate::control::PeState;
use crate::error::{Error, Result};
use crate::{Control, ENV_FD, ENV_HEAP, ENV_NPES, ENV_PE, MAX_PES, Mapping, layout, map};

/// Lowest descriptor number of the memory file.
const FIRST_FD: i32 = 100;

/// One job: its memory and what its PEs are told.
#[derive(Debug)]
pub struct Job {
    npes: usize,
    heap_bytes: usize,
    control: Control,
    fd: OwnedFd,
}

/// How a job ended.
#[derive(Debug)]
pub struct Outcome {
    /// Exit status of each PE.
    pub statuses: Vec<ExitStatus>,
    /// Status the job was ended with (`shmem_global_exit`, a bad argument, a PE that died), if it was.
    pub aborted: Option<i32>,
}

impl Outcome {
    /// What a shell would see: the abort status, else the first PE's that is not zero (128 plus the signal for a killed
    /// one), else zero.
    pub fn code(&self) -> i32 {
        let of = |s: &ExitStatus| s.code().unwrap_or_else(|| 128 + s.signal().unwrap_or(0));
        self.aborted.or_else(|| self.statuses.iter().map(of).find(|&c| c != 0)).unwrap_or(0)
    }
}

impl Job {
    /// Makes the memory of a job of `npes` PEs with `heap_bytes` of symmetric heap each, rounded up to
    /// [`layout::HEAP_ALIGN`].
    pub fn create(npes: usize, heap_bytes: u64) -> Result<Self> {
        let (fd, control, heap_bytes) = memory_file(npes, heap_bytes)?;
        Ok(Self { npes, heap_bytes, control, fd })
    }

    /// PEs of the job.
    pub fn npes(&self) -> usize {
        self.npes
    }

    /// Bytes of symmetric heap of each PE.
    pub fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    /// The control area.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Starts PE number `pe`.
    ///
    /// The child dies with the thread that calls this (`PR_SET_PDEATHSIG`): call it from one that lives as long as the
    /// job, the main thread for example. So a launcher that is killed, even by SIGKILL, leaves no PE behind.
    pub fn spawn(&self, pe: usize, mut command: Command) -> Result<Child> {
        if pe >= self.npes {
            return Err(Error::Pe { pe, npes: self.npes });
        }
        let fd = self.fd.as_raw_fd();
        command
            .env(ENV_FD, fd.to_string())
            .env(ENV_PE, pe.to_string())
            .env(ENV_NPES, self.npes.to_string())
            .env(ENV_HEAP, self.heap_bytes.to_string());
        // SAFETY: the closure runs between fork and exec and makes only async-signal-safe calls.
        unsafe {
            command.pre_exec(move || match libc::fcntl(fd, libc::F_SETFD, 0) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
        die_with_parent(&mut command);
        command.spawn().map_err(|source| Error::System { what: "starting a PE", source })
    }

    /// Tells every PE to end and wakes those that sleep. PEs that compute do not look: kill them after a while.
    pub fn abort(&self) {
        self.control.abort(1);
    }

    /// Status the job is being ended with, if it is.
    pub fn aborted(&self) -> Option<i32> {
        self.control.aborted()
    }

    /// Notes that PE number `pe` has ended. One that died, or failed before `shmem_finalize`, ends the job.
    /// One that merely stopped is remembered, so that a barrier that waits for it can say so.
    pub fn exited(&self, pe: usize, status: ExitStatus) {
        let finalized = self.control.state(pe) == PeState::Finalized;
        if !finalized {
            self.control.set_state(pe, PeState::Exited);
        }
        if status.signal().is_some() || (!finalized && !status.success()) {
            self.control.abort(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)));
        }
    }

    /// Waits for all PEs (`children[pe]`); once the job is being ended, kills those that still run after `grace`.
    pub fn wait(&self, mut children: Vec<Child>, grace: Duration) -> Result<Outcome> {
        let mut statuses: Vec<Option<ExitStatus>> = vec![None; children.len()];
        let mut abort_seen: Option<Instant> = None;
        let mut nap = Duration::from_micros(200);
        while statuses.iter().any(Option::is_none) {
            let mut news = false;
            for (pe, (child, known)) in children.iter_mut().zip(&mut statuses).enumerate() {
                if known.is_some() {
                    continue;
                }
                let ended = child.try_wait().map_err(|source| Error::System { what: "waiting for a PE", source })?;
                if let Some(status) = ended {
                    self.exited(pe, status);
                    *known = Some(status);
                    news = true;
                }
            }
            if self.aborted().is_some() && abort_seen.get_or_insert_with(Instant::now).elapsed() >= grace {
                for (child, _) in children.iter_mut().zip(&statuses).filter(|(_, known)| known.is_none()) {
                    // Gone already is as good as killed.
                    let _ = child.kill();
                }
            }
            if !news {
                std::thread::sleep(nap);
                nap = (nap * 2).min(Duration::from_millis(10));
            }
        }
        Ok(Outcome { statuses: statuses.into_iter().flatten().collect(), aborted: self.aborted() })
    }

    /// Starts all PEs with the commands that `command` makes, and waits for them.
    pub fn run(&self, mut command: impl FnMut(usize) -> Command, grace: Duration) -> Result<Outcome> {
        let mut children = Vec::with_capacity(self.npes);
        for pe in 0..self.npes {
            match self.spawn(pe, command(pe)) {
                Ok(child) => children.push(child),
                Err(error) => {
                    for mut child in children {
                        let _ = child.kill();
                        let _ = child.wait();
                    }
                    return Err(error);
                }
            }
        }
        self.wait(children, grace)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: the control area is lent out by reference only, so nobody has it any more.
        unsafe { self.control.mapping().unmap() };
    }
}

/// A new memory file with the control area written, and the heap size that it uses.
pub(crate) fn memory_file(npes: usize, heap_bytes: u64) -> Result<(OwnedFd, Control, usize)> {
    if npes == 0 || npes > MAX_PES {
        return Err(Error::Npes(npes));
    }
    // A quarter of the address space of a process, so that the static data and the program fit as well.
    if heap_bytes == 0 || heap_bytes.saturating_mul(npes as u64) > 1 << 45 {
        return Err(Error::HeapSize { npes, heap: heap_bytes });
    }
    let heap_bytes = (heap_bytes as usize).next_multiple_of(layout::HEAP_ALIGN);
    // SAFETY: the name is a C string; the result is checked.
    let raw = unsafe { libc::memfd_create(c"thrille-shmem".as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(Error::last("making the memory of the job (memfd_create)"));
    }
    // SAFETY: a new descriptor, owned by nobody else.
    let low = unsafe { OwnedFd::from_raw_fd(raw) };
    // Away from the numbers that shells and programs redirect by habit.
    // SAFETY: duplicates our own descriptor; the result is checked.
    let raw = unsafe { libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, FIRST_FD) };
    if raw < 0 {
        return Err(Error::last("making the memory of the job (fcntl)"));
    }
    // SAFETY: a new descriptor, owned by nobody else.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    map::grow(fd.as_fd(), layout::statics_at(npes, heap_bytes))?;
    let control = Control::create(Mapping::new(fd.as_fd(), 0, layout::control_bytes(npes))?, npes, heap_bytes);
    Ok((fd, control, heap_bytes))
}
/// The process that this command starts is killed when the thread that starts it ends.
pub fn die_with_parent(command: &mut Command) {
    hear_of_parent(command, libc::SIGKILL);
}

/// The process that this command starts is asked to end when the thread that starts it ends: it has others to end.
pub fn end_with_parent(command: &mut Command) {
    hear_of_parent(command, libc::SIGTERM);
}

fn hear_of_parent(command: &mut Command, signal: i32) {
    let parent = std::process::id();
    // SAFETY: the closure runs between fork and exec and makes only async-signal-safe calls.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The launcher may have died before the line above took effect.
            if libc::getppid() as u32 != parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
}
