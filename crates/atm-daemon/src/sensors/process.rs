//! Tells when a process ends. Linux: a pidfd per process, so there is no polling and a reused
//! number cannot deceive.

use atm_core::record::Process;

use super::{Report, Reports};

/// Reports `gone` once `process` has ended, at once if it has already.
pub(crate) fn watch(process: Process, gone: Report, reports: Reports) {
    tokio::spawn(async move {
        ended(&process).await;
        // Fails only if the daemon is going down.
        drop(reports.send(gone));
    });
}

/// Whether this very process runs now.
pub(crate) fn is_alive(process: &Process) -> bool {
    platform::is_alive(process)
}

/// A variable of another process's start environment, if we may read it.
pub(crate) fn env_of(pid: i32, name: &str) -> Option<String> {
    platform::env_of(pid, name)
}

/// The namespace in which our process numbers mean something, in the client's words.
pub(crate) fn pid_namespace() -> Option<String> {
    platform::pid_namespace()
}

async fn ended(process: &Process) {
    platform::ended(process).await;
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use atm_core::process::Stat;
    use atm_core::record::Process;
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// How often to look where no pidfd can be had.
    const POLL: Duration = Duration::from_secs(2);

    pub(super) fn is_alive(process: &Process) -> bool {
        let stat = match fs::read(format!("/proc/{}/stat", process.pid)) {
            Ok(stat) => stat,
            // Out of descriptors, for one: that says nothing of the process.
            Err(error) => {
                return !matches!(Errno::from_io_error(&error), Some(Errno::NOENT | Errno::SRCH));
            }
        };
        let Some(stat) = Stat::parse(&stat) else { return false };
        stat.state != b'Z' && process.start.is_none_or(|start| start == stat.start)
    }

    pub(super) async fn ended(process: &Process) {
        let pidfd = Pid::from_raw(process.pid)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
            .and_then(readable);
        // Looked at after the pidfd is open: if it is our process now, the pidfd is its.
        if !is_alive(process) {
            return;
        }
        match pidfd {
            Some(pidfd) => drop(pidfd.readable().await),
            None => {
                while is_alive(process) {
                    tokio::time::sleep(POLL).await;
                }
            }
        }
    }

    fn readable(pidfd: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
        #[expect(unsafe_code, reason = "asked for by tokio; an OwnedFd cannot break the promise")]
        // SAFETY: the descriptor is owned by the AsyncFd and stays open and the same until dropped.
        let registered = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) };
        registered.ok()
    }

    pub(super) fn env_of(pid: i32, name: &str) -> Option<String> {
        let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let value = environ
            .split(|byte| *byte == 0)
            .find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        String::from_utf8(value.to_vec()).ok()
    }

    pub(super) fn pid_namespace() -> Option<String> {
        fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()
    }
}

/// Untested: looks every other second, and knows no start times.
#[cfg(not(target_os = "linux"))]
mod platform {
    use std::time::Duration;

    use atm_core::record::Process;
    use rustix::process::{Pid, test_kill_process};

    pub(super) fn is_alive(process: &Process) -> bool {
        Pid::from_raw(process.pid).is_some_and(|pid| test_kill_process(pid).is_ok())
    }

    pub(super) async fn ended(process: &Process) {
        while is_alive(process) {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }

    pub(super) fn env_of(_pid: i32, _name: &str) -> Option<String> {
        None
    }

    pub(super) fn pid_namespace() -> Option<String> {
        None
    }
}
