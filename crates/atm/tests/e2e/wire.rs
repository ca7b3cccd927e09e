//! The daemon as a peer and as a process: raw connections, and signals that reach this very
//! process and no other that got its number.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use atm_core::process::Stat;
use atm_core::proto::frame::{self, Check, MAX_REPLY};
use atm_core::proto::message::{DaemonStatus, Reply, Request, decode_reply, encode_request};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::sealed::{LIMIT, Sealed};

pub(crate) struct Wire {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Wire {
    /// Fails if nobody listens; starts nothing.
    pub(crate) fn open(sealed: &Sealed) -> io::Result<Wire> {
        let stream = UnixStream::connect(sealed.state().join("atm.sock"))?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        Ok(Wire { stream, buffer: Vec::new() })
    }

    pub(crate) fn send(&mut self, request: &Request) {
        self.send_bytes(&encode_request(request).unwrap());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next message; `None` once the daemon has hung up.
    pub(crate) fn hear(&mut self) -> Option<Reply> {
        let mut chunk = vec![0; 64 * 1024];
        loop {
            if let Check::Whole { start, end } = frame::check(&self.buffer, MAX_REPLY).unwrap() {
                let reply = decode_reply(&self.buffer[start..end]).unwrap();
                self.buffer.drain(..end);
                return Some(reply);
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(read) => self.buffer.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("the daemon neither answers nor hangs up: {error}"),
            }
        }
    }

    pub(crate) fn ask_status(&mut self) -> DaemonStatus {
        self.send(&Request::Status);
        match self.hear() {
            Some(Reply::Status(status)) => status,
            other => panic!("no status but {other:?}"),
        }
    }

    /// Whoever serves the other end.
    pub(crate) fn daemon(&self) -> Daemon {
        let pid = rustix::net::sockopt::socket_peercred(&self.stream).unwrap().pid;
        Daemon { pid, handle: pidfd_open(pid, PidfdFlags::empty()).unwrap() }
    }
}

pub(crate) struct Daemon {
    pid: Pid,
    handle: OwnedFd,
}

impl Daemon {
    /// The running one, started by a command if there is none.
    pub(crate) fn of(sealed: &Sealed) -> Daemon {
        sealed.ok(&["daemon"]);
        Wire::open(sealed).unwrap().daemon()
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// `kill -9`; returns when nothing is left of it.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
        assert!(self.is_gone_within(LIMIT), "SIGKILL did not end the daemon");
    }

    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
        let limit = std::time::Instant::now() + LIMIT;
        while self.state() != b'T' {
            assert!(std::time::Instant::now() < limit, "SIGSTOP had no effect");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.is_gone_within(Duration::ZERO)
    }

    /// Resident memory in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim_end_matches("kB").trim().parse().unwrap()
    }

    fn state(&self) -> u8 {
        Stat::parse(&fs::read(format!("/proc/{}/stat", self.pid())).unwrap()).unwrap().state
    }

    fn signal(&self, signal: Signal) {
        pidfd_send_signal(&self.handle, signal).unwrap();
    }

    fn is_gone_within(&self, span: Duration) -> bool {
        let span = Timespec::try_from(span).unwrap();
        poll(&mut [PollFd::new(&self.handle, PollFlags::IN)], Some(&span)).unwrap() > 0
    }
}

/// Processes that run as a daemon of this world, whether they serve or not.
pub(crate) fn daemons(sealed: &Sealed) -> Vec<i32> {
    let ours = format!("ATM_STATE_DIR={}", sealed.state().display());
    let has = |path: String, word: &str| {
        let text = fs::read(path).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            // One that has ended and waits for its parent has neither.
            has(format!("/proc/{pid}/cmdline"), "daemon")
                && has(format!("/proc/{pid}/environ"), &ours)
        })
        .collect()
}
