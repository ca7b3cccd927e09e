//! Tells the daemon that the journal has grown. The datagram says nothing and may get lost: one
//! that does not fit into the queue means that the daemon is about to look anyway. What status
//! lines tell goes the same way, and may get lost too.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::Path;

use atm_core::places::{Places, SOCKET_PATH_MAX};
use rustix::io::Errno;

use crate::platform::ShortPath;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poke {
    Heard,
    NobodyListens,
}

pub(crate) fn poke(places: &Places) -> io::Result<Poke> {
    tell(places, b"!")
}

pub(crate) fn tell(places: &Places, datagram: &[u8]) -> io::Result<Poke> {
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    outcome(at_address(&places.poke_socket(), |path| socket.send_to(datagram, path)))
}

/// Whether a daemon serves this state directory. Sends nothing.
pub fn is_listening(places: &Places) -> bool {
    let connect = |path: &Path| UnixDatagram::unbound()?.connect(path);
    matches!(outcome(at_address(&places.poke_socket(), connect)), Ok(Poke::Heard))
}

fn outcome<T>(result: io::Result<T>) -> io::Result<Poke> {
    let Err(error) = result else { return Ok(Poke::Heard) };
    match Errno::from_io_error(&error) {
        Some(Errno::AGAIN | Errno::NOBUFS) => Ok(Poke::Heard),
        Some(Errno::NOENT | Errno::CONNREFUSED) => Ok(Poke::NobodyListens),
        _ => Err(error),
    }
}

pub(crate) fn at_address<T>(path: &Path, act: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= SOCKET_PATH_MAX {
        return act(path);
    }
    act(&ShortPath::of(path)?.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: &Places) {
        assert_eq!(poke(places).unwrap(), Poke::NobodyListens);
        let path = places.poke_socket();
        let socket = at_address(&path, |path| UnixDatagram::bind(path)).unwrap();
        assert!(is_listening(places));
        assert_eq!(poke(places).unwrap(), Poke::Heard);
        socket.set_nonblocking(true).unwrap();
        assert_eq!(socket.recv(&mut [0; 8]).unwrap(), 1);
        assert!(socket.recv(&mut [0; 8]).is_err(), "asking must not poke");
        for _ in 0..1000 {
            assert_eq!(poke(places).unwrap(), Poke::Heard, "a full queue is a daemon too");
        }
        drop(socket);
        assert!(path.exists() && !is_listening(places));
        assert_eq!(poke(places).unwrap(), Poke::NobodyListens);
    }

    fn places(state: &Path) -> Places {
        Places { state: state.into(), config: state.into() }
    }

    #[test]
    fn poke_tells_a_daemon_from_its_remains() {
        check(&places(tempfile::tempdir().unwrap().path()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn poke_reaches_a_socket_with_a_long_path() {
        let dir = tempfile::tempdir().unwrap();
        let long = dir.path().join("d".repeat(150));
        std::fs::create_dir(&long).unwrap();
        check(&places(&long));
    }
}
