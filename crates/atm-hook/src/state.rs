//! The state directory as an open descriptor: everything the hook writes goes through it, so that
//! what was checked is what is used.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat};
use rustix::io::Errno;
use rustix::process::{Resource, geteuid, getrlimit};

const PRIVATE_DIR: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

#[derive(Debug)]
pub(crate) struct StateDir(OwnedFd);

impl StateDir {
    /// Creates it for the user alone if it is missing; refuses a symlink and somebody else's.
    pub(crate) fn open(path: &Path) -> io::Result<StateDir> {
        // A trailing slash would make the kernel follow a symlink.
        let path = path.components().as_path();
        let dir = match open_dir(CWD, path) {
            Err(Errno::NOENT) => {
                DirBuilder::new().recursive(true).mode(0o700).create(path)?;
                open_dir(CWD, path)?
            }
            opened => opened?,
        };
        StateDir::own(dir)
    }

    /// The same, but a missing one is an error.
    pub(crate) fn existing(path: &Path) -> io::Result<StateDir> {
        StateDir::own(open_dir(CWD, path.components().as_path())?)
    }

    fn own(dir: OwnedFd) -> io::Result<StateDir> {
        if fstat(&dir)?.st_uid != geteuid().as_raw() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the state directory belongs to another user",
            ));
        }
        Ok(StateDir(dir))
    }

    pub(crate) fn subdir(&self, name: &str) -> rustix::io::Result<OwnedFd> {
        match open_dir(&self.0, name) {
            Err(Errno::NOENT) => match mkdirat(&self.0, name, PRIVATE_DIR) {
                Ok(()) | Err(Errno::EXIST) => open_dir(&self.0, name),
                Err(error) => Err(error),
            },
            opened => opened,
        }
    }
}

impl AsFd for StateDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn open_dir(at: impl AsFd, path: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty())
}

/// Opens a file of ours for writing at its end. `extra` may ask for creation.
pub(crate) fn open_to_append(
    dir: impl AsFd,
    name: &str,
    extra: OFlags,
) -> rustix::io::Result<(File, Stat)> {
    // NONBLOCK has no effect on files; it keeps a planted FIFO from holding the hook.
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = openat(dir, name, flags | OFlags::NONBLOCK | extra, PRIVATE_FILE)?;
    let stat = fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    Ok((file.into(), stat))
}

/// Whether the process may let a file grow to `size`. The signal that it would get otherwise
/// (SIGXFSZ) ends it, which the agent would see.
pub(crate) fn may_grow_to(size: u64) -> bool {
    getrlimit(Resource::Fsize).current.is_none_or(|limit| size <= limit)
}
