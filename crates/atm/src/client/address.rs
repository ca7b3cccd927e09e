//! The daemon's address, also where the path of the state directory is too long for one.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use atm_core::places::SOCKET_PATH_MAX;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, socket};
use rustix::process::Pid;

/// Connects within `patience`: a daemon that hangs has a full queue of callers one day.
pub(super) fn connect(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::from(socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
    fcntl_setfd(&stream, FdFlags::CLOEXEC)?;
    stream.set_write_timeout(Some(patience))?;
    let connect = |path: &Path| Ok(rustix::net::connect(&stream, &SocketAddrUnix::new(path)?)?);
    if path.as_os_str().len() <= SOCKET_PATH_MAX {
        connect(path)?;
    } else {
        through_directory(path, &connect)?;
    }
    Ok(stream)
}

#[cfg(target_os = "linux")]
fn through_directory(path: &Path, act: &dyn Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags, open};

    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let dir = open(dir, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    act(&Path::new("/proc/self/fd").join(dir.as_raw_fd().to_string()).join(name))
}

#[cfg(not(target_os = "linux"))]
fn through_directory(path: &Path, _: &dyn Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let length = path.as_os_str().len();
    Err(io::Error::new(
        io::ErrorKind::InvalidFilename,
        format!("{length} bytes are too long for a socket (at most {SOCKET_PATH_MAX})"),
    ))
}

#[cfg(target_os = "linux")]
pub(super) fn peer_pid(stream: &UnixStream) -> Option<Pid> {
    rustix::net::sockopt::socket_peercred(stream).ok().map(|peer| peer.pid)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn peer_pid(_: &UnixStream) -> Option<Pid> {
    None
}
