//! A terminal with a tmux client in it: a pty whose every byte is kept.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::sealed::Sealed;

pub(crate) struct Screen {
    client: Child,
    keyboard: std::fs::File,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Screen {
    /// Attaches to a session of the test's tmux and waits until the client is there.
    pub(crate) fn attach(sealed: &mut Sealed, session: &str) -> Screen {
        let before = sealed.tmux(&["list-clients"]).lines().count();
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let size = Winsize { ws_row: 24, ws_col: 240, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let slave = || {
            let flags = OFlags::NOCTTY.bits().cast_signed();
            Stdio::from(
                OpenOptions::new().read(true).write(true).custom_flags(flags).open(&name).unwrap(),
            )
        };
        let client = sealed
            .command("tmux")
            .args(["-u", "-L", "e2e", "attach-session", "-t", session])
            .env("TERM", "xterm-256color")
            .stdin(slave())
            .stdout(slave())
            .stderr(slave())
            .spawn()
            .unwrap();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (mut from, into) = (std::fs::File::from(master), bytes.clone());
        let keyboard = from.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = from.read(&mut chunk) {
                into.lock().unwrap().extend_from_slice(&chunk[..length]);
            }
        });
        let limit = std::time::Instant::now() + crate::sealed::LIMIT;
        while sealed.tmux(&["list-clients"]).lines().count() <= before {
            assert!(std::time::Instant::now() < limit, "the client does not attach");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Screen { client, keyboard, bytes }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    /// Waits until the terminal has got this.
    pub(crate) fn wait(&self, sealed: &Sealed, what: &str) {
        sealed
            .wait(&format!("{what:?} on the screen"), |_| self.text().contains(what).then_some(()));
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.client.kill().ok();
        self.client.wait().ok();
    }
}
