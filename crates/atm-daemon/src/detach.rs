//! The daemon as a process: leaving the one that started it, and its limits.

/// Descriptors that are enough for any number of sessions on one machine.
const MANY: u64 = 16_384;

/// Becomes the leader of a new session and closes whatever a careless parent left open.
pub(crate) fn leave_starter() {
    // Fails only for a process that leads its group already, which is as good.
    rustix::process::setsid().ok();
    close_inherited();
    rustix::process::chdir("/").ok();
}

/// A session costs a descriptor, and the usual limit of 1,024 is a soft one.
pub(crate) fn allow_many_descriptors() {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(MANY, |hard| hard.min(MANY));
    if limit.current.is_some_and(|soft| soft < wanted) {
        // With fewer, processes beyond the limit are looked at now and then instead.
        setrlimit(Resource::Nofile, rustix::process::Rlimit { current: Some(wanted), ..limit })
            .ok();
    }
}

/// Called before anything of ours is open: every descriptor above the standard three is foreign.
#[cfg(target_os = "linux")]
fn close_inherited() {
    use std::os::fd::{FromRawFd, OwnedFd, RawFd};

    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<RawFd> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // The listing's own descriptor is closed by now; skip what is not open any more.
        if std::fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_err() {
            continue;
        }
        #[expect(unsafe_code, reason = "inherited descriptors belong to nobody in this process")]
        // SAFETY: runs before this process opens anything, so nothing else owns `fd`.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
}

/// Untested: other systems keep what they inherited.
#[cfg(not(target_os = "linux"))]
fn close_inherited() {}
