//! A terminal with a tmux client on it, and when something reaches it.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Outcome;
use crate::program::Program;

/// Longer than changes are gathered: whatever comes next finds everybody at rest.
const QUIET: Duration = Duration::from_millis(80);
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct Terminal {
    client: Child,
    arrivals: Receiver<Instant>,
}

impl Terminal {
    /// `client` runs on it, and ends with it.
    pub(crate) fn open(client: &Program) -> Outcome<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        // Wide enough for the tabs of all windows.
        tcsetwinsize(&master, Winsize { ws_row: 30, ws_col: 600, ws_xpixel: 0, ws_ypixel: 0 })?;
        let name = ptsname(&master, Vec::new())?;
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let (sender, arrivals) = channel();
        let client = client.spawn_on(&terminal)?;
        watch(master, sender);
        let terminal = Terminal { client, arrivals };
        terminal.arrivals.recv_timeout(PATIENCE).map_err(|_| "the client displays nothing")?;
        Ok(terminal)
    }

    /// From before `act` until the first bytes that follow.
    pub(crate) fn time(&self, act: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
        self.settle();
        let start = Instant::now();
        act()?;
        let first = self.arrivals.recv_timeout(PATIENCE).map_err(|_| "nothing is displayed")?;
        Ok(first.saturating_duration_since(start))
    }

    pub(crate) fn settle(&self) {
        while self.arrivals.recv_timeout(QUIET).is_ok() {}
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Gone already is as good.
        self.client.kill().and_then(|()| self.client.wait()).ok();
    }
}

/// Ends when the client does.
fn watch(master: OwnedFd, arrivals: Sender<Instant>) {
    let mut terminal = File::from(master);
    std::thread::spawn(move || {
        let mut chunk = [0; 64 * 1024];
        while terminal.read(&mut chunk).is_ok_and(|read| read > 0) {
            if arrivals.send(Instant::now()).is_err() {
                return;
            }
        }
    });
}
