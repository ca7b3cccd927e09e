//! A terminal with a tmux client on it, and what can be seen there.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use vt100::{Color, Parser};

use crate::sealed::Sealed;

const ROWS: u16 = 30;
const COLUMNS: u16 = 140;

pub(crate) const BLUE: Color = Color::Rgb(0x66, 0x99, 0xcc);
pub(crate) const RED: Color = Color::Rgb(0xec, 0x5f, 0x67);
pub(crate) const WHITE: Color = Color::Rgb(0xcd, 0xd3, 0xde);

pub(crate) struct Eye {
    client: Child,
    screen: Arc<Mutex<Screen>>,
}

struct Screen {
    parser: Parser,
    bytes: Vec<u8>,
}

impl Eye {
    /// Attaches to a session of the server `-L server`.
    pub(crate) fn attach(sealed: &Sealed, server: &str, session: &str) -> Eye {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let end = || Stdio::from(terminal.try_clone().unwrap());
        let client = sealed
            .command("tmux")
            .args(["-u", "-L", server, "attach", "-t", &format!("={session}")])
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let parser = Parser::new(ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0);
        let screen = Arc::new(Mutex::new(Screen { parser, bytes: Vec::new() }));
        watch(master, Arc::clone(&screen));
        Eye { client, screen }
    }

    /// The colour in which the status line shows `text`, if it does.
    pub(crate) fn colour(&self, text: &str) -> Option<Color> {
        let shown = self.shown();
        let column = line(&shown, ROWS - 1).find(text)?;
        Some(shown.cell(ROWS - 1, u16::try_from(column).unwrap())?.fgcolor())
    }

    fn shown(&self) -> vt100::Screen {
        self.screen.lock().unwrap().parser.screen().clone()
    }

    pub(crate) fn row(&self, row: u16) -> String {
        line(&self.shown(), row)
    }

    pub(crate) fn status_line(&self) -> String {
        self.row(ROWS - 1)
    }

    /// Everything the terminal was sent so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.screen.lock().unwrap().bytes.clone()
    }
}

impl Drop for Eye {
    fn drop(&mut self) {
        self.client.kill().ok();
        self.client.wait().ok();
    }
}

/// One character a cell, so that a place in the text is a column.
fn line(screen: &vt100::Screen, row: u16) -> String {
    let cell = |column| screen.cell(row, column).and_then(|cell| cell.contents().chars().next());
    (0..COLUMNS).map(|column| cell(column).filter(char::is_ascii).unwrap_or('.')).collect()
}

/// Ends when the client does.
fn watch(master: OwnedFd, screen: Arc<Mutex<Screen>>) {
    let mut terminal = File::from(master);
    std::thread::spawn(move || {
        let mut chunk = [0; 16 * 1024];
        while let Ok(read) = terminal.read(&mut chunk) {
            if read == 0 {
                return;
            }
            let mut screen = screen.lock().unwrap();
            screen.parser.process(&chunk[..read]);
            screen.bytes.extend_from_slice(&chunk[..read]);
        }
    });
}
