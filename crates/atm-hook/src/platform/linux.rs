//! Linux: `/proc` and `splice`.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use atm_core::process::{Stat, is_claude};
use atm_core::record::Process;
use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};
use rustix::pipe::{SpliceFlags, splice};

/// Parents looked at: a hook in shell form has one shell between, wrappers may add some.
const PARENTS_MAX: usize = 6;

const CMDLINE_MAX: u64 = 4096;

pub(crate) fn process_start(pid: i32) -> Option<u64> {
    stat(pid).map(|stat| stat.start)
}

/// The nearest ancestor that is an agent.
pub(crate) fn agent_above() -> Option<Process> {
    let mut pid = rustix::process::getppid()?.as_raw_nonzero().get();
    for _ in 0..PARENTS_MAX {
        let stat = stat(pid)?;
        if is_claude(&stat.comm, &cmdline(pid)) {
            return Some(Process { pid, start: Some(stat.start) });
        }
        pid = stat.ppid;
    }
    None
}

fn stat(pid: i32) -> Option<Stat> {
    Stat::parse(&read_up_to(&format!("/proc/{pid}/stat"), CMDLINE_MAX).ok()?)
}

fn cmdline(pid: i32) -> Vec<u8> {
    read_up_to(&format!("/proc/{pid}/cmdline"), CMDLINE_MAX).unwrap_or_default()
}

fn read_up_to(path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(512);
    File::open(path)?.take(limit).read_to_end(&mut text)?;
    Ok(text)
}

/// Where input goes that nobody wants.
pub(crate) struct Sink(File);

impl Sink {
    pub(crate) fn open() -> Option<Sink> {
        File::options().write(true).open("/dev/null").ok().map(Sink)
    }

    /// Throws away what `input` holds; an error if it is no pipe.
    pub(crate) fn swallow(&self, input: impl AsFd) -> io::Result<usize> {
        Ok(splice(input, None, &self.0, None, 1 << 20, SpliceFlags::MOVE)?)
    }
}

/// A file in memory.
pub(crate) fn nameless_file() -> io::Result<File> {
    Ok(memfd_create(c"status", MemfdFlags::CLOEXEC)?.into())
}

/// An address for a socket whose path is too long for one: through its open directory.
pub(crate) struct ShortPath {
    pub(crate) path: PathBuf,
    _dir: OwnedFd,
}

impl ShortPath {
    pub(crate) fn of(path: &Path) -> io::Result<ShortPath> {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(dir, flags, Mode::empty())?;
        let path = Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(name);
        Ok(ShortPath { path, _dir: dir })
    }
}
