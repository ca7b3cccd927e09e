//! `atm statusline`: feeds the daemon with what the client tells its status line, then becomes the
//! user's own command, which gets the same bytes and answers as if nobody stood between. Without
//! one it prints a line of its own.
//!
//! **It never hurts the client**: whatever goes wrong on our side is passed over in silence.

mod branch;
mod pass;

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write, stderr, stdin, stdout};
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use atm_core::places::Places;
use atm_core::statusline::{FEED_VERSION, Feed, Paint, StatusLine, Surroundings, line};

use crate::clock::Moment;
use crate::state::StateDir;
use crate::{Env, input, origin, poke};

/// The client sends one or two KiB; what is larger is passed on unread.
const READ_MAX: usize = 256 * 1024;

const NO_STATUS: &str = "atm statusline: Claude Code runs this and writes its status to standard input; `atm statusline --help` tells how";

/// What a shell says of a command that it cannot start.
const CANNOT_START: u8 = 127;

/// Handles the status on standard input; `words` are those that follow `statusline`. Does not
/// return if there is a command to become.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    set_hook(Box::new(|_| {}));
    let moment = Moment::now();
    let env = |name: &str| std::env::var_os(name);
    // A person at a terminal has no status to tell; it is the command's to ask.
    let status = (!stdin().is_terminal()).then(|| read(rustix::stdio::stdin(), input::IDLE_MAX));
    if let Some(command) = command_line(words) {
        if let Some(status) = &status {
            drop(catch_unwind(AssertUnwindSafe(|| feed(status, moment, &env))));
        }
        pass::become_command(&command, status.as_deref());
        return ExitCode::from(CANNOT_START);
    }
    let line = match status {
        Some(status) => catch_unwind(AssertUnwindSafe(|| told(&status, moment, &env))),
        None => {
            writeln!(stderr(), "{NO_STATUS}").ok();
            return ExitCode::SUCCESS;
        }
    };
    // A client that hung up wants no line.
    stdout().write_all(line.unwrap_or_default().as_bytes()).ok();
    ExitCode::SUCCESS
}

/// What follows `--`, as one line for the shell. Words before it mean nothing to us yet.
fn command_line(words: impl Iterator<Item = OsString>) -> Option<OsString> {
    let after: Vec<OsString> = words.skip_while(|word| word != "--").skip(1).collect();
    let line = after.join(OsStr::new(" "));
    let is_blank = line.as_encoded_bytes().iter().all(u8::is_ascii_whitespace);
    (!is_blank).then_some(line)
}

/// All that comes until the end, or until the client has been silent for `idle`.
fn read(from: BorrowedFd<'_>, idle: Duration) -> Vec<u8> {
    let mut status = Vec::new();
    let mut piece = Vec::with_capacity(input::PIECE);
    loop {
        input::receive(from, idle, &mut piece);
        if piece.is_empty() {
            return status;
        }
        status.extend_from_slice(&piece);
    }
}

/// Tells the daemon if there is one; starts none.
fn feed(status: &[u8], moment: Moment, env: Env<'_>) -> Option<StatusLine> {
    let status = StatusLine::decode(Some(status).filter(|status| status.len() <= READ_MAX)?)?;
    let feed =
        Feed { v: FEED_VERSION, ts: moment.stamp, process: origin::process(env), line: status };
    if let (Some(datagram), Ok(places)) = (feed.encode(), Places::resolve(env))
        && StateDir::existing(&places.state).is_ok()
    {
        // Nobody waits for it: the next run tells it again.
        poke::tell(&places, &datagram).ok();
    }
    Some(feed.line)
}

/// Feeds, and returns the line to print.
fn told(status: &[u8], moment: Moment, env: Env<'_>) -> String {
    let Some(status) = feed(status, moment, env) else { return String::new() };
    let home = env("HOME").and_then(|home| home.into_string().ok());
    let branch = status.cwd.as_ref().and_then(|cwd| branch::branch(Path::new(cwd)));
    let around = Surroundings {
        home: home.as_deref(),
        branch: branch.as_deref(),
        now: moment.stamp,
        paint: paint(env),
    };
    format!("{}\n", line(&status, &around))
}

/// The client understands colours in what it reads from our pipe.
fn paint(env: Env<'_>) -> Paint {
    let is_set = |name| env(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env("TERM").is_some_and(|term| term == "dumb");
    if is_set("NO_COLOR") || is_dumb { Paint::Off } else { Paint::On }
}

#[cfg(test)]
mod tests;
