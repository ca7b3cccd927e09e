//! The daemon as it is found: asked, never started.

use std::fs;
use std::time::Duration;

use atm_core::places::Places;
use atm_core::proto::message::{Reply, Request};

use super::super::dump::{Answer, Daemon, Place};
use crate::client::{Client, ConnectError, failure, unexpected};
use crate::error::CliError;

pub(super) fn ask(places: &Places, patience: Duration) -> Answer {
    let bad = |error: CliError| Answer::Bad { why: error.message };
    let mut client = match Client::connect(places, patience) {
        Ok(client) => client,
        Err(ConnectError::NobodyListens) => return Answer::Nobody,
        Err(error) => return bad(error.into_cli(places, patience)),
    };
    match client.ask(&Request::Status) {
        Ok(Reply::Status(status)) => Answer::Up(Box::new(status)),
        Ok(_) => bad(unexpected()),
        Err(error) => bad(error),
    }
}

/// What is left to know once it was asked.
pub(super) fn collect(places: &Places, daemon: &mut Daemon) {
    match &daemon.now {
        Some(Answer::Up(status)) => daemon.is_replaced = is_replaced(status.pid),
        Some(Answer::Nobody) => {
            let sockets = [places.socket(), places.poke_socket()];
            let there = sockets.into_iter().filter(|path| path.symlink_metadata().is_ok());
            daemon.leftovers = there.map(Place).collect();
        }
        Some(Answer::Bad { .. }) | None => {}
    }
    daemon.start_failure = failure::read(places).map(|error| error.message);
}

#[cfg(target_os = "linux")]
fn is_replaced(pid: u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|program| program.to_string_lossy().ends_with(" (deleted)"))
}

#[cfg(not(target_os = "linux"))]
fn is_replaced(_: u32) -> bool {
    false
}
