//! Reads the payload in small pieces and keeps only what the [`Cutter`] keeps of it.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use atm_core::hook::cut::{Cut, Cutter};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read as read_fd};

use crate::platform;

/// Longest silence of the agent before the hook goes on with what came.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(2);

/// What comes after this many bytes is counted and thrown away.
const CUT_MAX: u64 = 32 * 1024 * 1024;

pub(crate) const PIECE: usize = 64 * 1024;

pub(crate) fn read(input: BorrowedFd<'_>, idle: Duration) -> Cut {
    let mut cutter = Cutter::default();
    let mut piece = Vec::with_capacity(PIECE);
    let mut seen = 0;
    while seen < CUT_MAX {
        receive(input, idle, &mut piece);
        if piece.is_empty() {
            return cutter.finish();
        }
        cutter.push(&piece);
        seen += piece.len() as u64;
    }
    let mut cut = cutter.finish();
    let rest = drain(input, idle, &mut piece);
    cut.input_bytes += rest;
    cut.cut_bytes += rest;
    cut
}

/// Fills `piece` with what there is; leaves it empty at the end, on an error and after silence.
pub(crate) fn receive(input: BorrowedFd<'_>, idle: Duration, piece: &mut Vec<u8>) {
    piece.clear();
    while is_ready(input, idle) {
        match read_fd(input, spare_capacity(piece)) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

fn is_ready(input: BorrowedFd<'_>, idle: Duration) -> bool {
    let Ok(limit) = Timespec::try_from(idle) else { return false };
    loop {
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&limit)) {
            Err(Errno::INTR) => {}
            Ok(ready) => return ready > 0,
            Err(_) => return false,
        }
    }
}

/// The agent must be able to write to the end, so the rest is taken, without copying if possible.
fn drain(input: BorrowedFd<'_>, idle: Duration, piece: &mut Vec<u8>) -> u64 {
    let mut count = 0;
    if let Some(sink) = platform::Sink::open() {
        while is_ready(input, idle) {
            match sink.swallow(input) {
                Ok(0) => return count,
                Ok(swallowed) => count += swallowed as u64,
                Err(_) => break,
            }
        }
    }
    loop {
        receive(input, idle, piece);
        if piece.is_empty() {
            return count;
        }
        count += piece.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn read_written(mut writer: impl Write + Send, reader: impl AsFd, input: &[u8]) -> Cut {
        std::thread::scope(|scope| {
            scope.spawn(move || writer.write_all(input).unwrap());
            read(reader.as_fd(), IDLE_MAX)
        })
    }

    #[test]
    fn input_through_pipe_or_socket_is_read_to_its_end() {
        let input = format!(r#"{{"a":"{}","b":1}}"#, "x".repeat(300_000));
        let (reader, writer) = std::io::pipe().unwrap();
        let piped = read_written(writer, reader, input.as_bytes());
        let (reader, writer) = UnixStream::pair().unwrap();
        let sent = read_written(writer, reader, input.as_bytes());
        assert_eq!(piped.input_bytes, input.len() as u64);
        assert!(piped.json.ends_with(br#"of 300000 bytes]","b":1}"#));
        assert_eq!(piped, sent);
    }

    #[test]
    fn input_beyond_the_limit_is_counted_and_not_kept() {
        let input = vec![b'['; 40 * 1024 * 1024];
        let (reader, writer) = std::io::pipe().unwrap();
        let piped = read_written(writer, reader, &input);
        let (reader, writer) = UnixStream::pair().unwrap();
        let sent = read_written(writer, reader, &input);
        assert_eq!(piped.input_bytes, input.len() as u64);
        assert!(piped.json.len() < 1000);
        assert_eq!(piped, sent);
    }

    #[test]
    fn input_that_falls_silent_is_taken_as_it_is() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"{\"a\":").unwrap();
        let cut = read(reader.as_fd(), Duration::from_millis(1));
        assert_eq!(cut.json, b"{\"a\":");
    }
}
