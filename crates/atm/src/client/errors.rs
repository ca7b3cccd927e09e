//! What can go wrong between a command and the daemon, in words that help.

use std::io;
use std::path::Path;
use std::time::Duration;

use atm_core::places::Places;
use atm_core::proto::message::MessageError;
use atm_daemon::StateDirError;
use rustix::io::Errno;

use super::is_late;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug)]
pub(crate) enum ConnectError {
    /// No socket, or one that a daemon left behind.
    NobodyListens,
    /// Somebody listens and does not take calls.
    Silent,
    /// The directory of the socket is not ours, and neither is who listens there.
    Untrusted(StateDirError),
    Failed(io::Error),
}

impl ConnectError {
    pub(super) fn of(error: io::Error) -> ConnectError {
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::CONNREFUSED) => ConnectError::NobodyListens,
            _ if is_late(error.kind()) => ConnectError::Silent,
            _ => ConnectError::Failed(error),
        }
    }

    pub(crate) fn into_cli(self, places: &Places, patience: Duration) -> CliError {
        match self {
            ConnectError::NobodyListens => not_up(places, patience),
            ConnectError::Silent => silent(patience, &places.log()),
            ConnectError::Untrusted(error) => {
                CliError { kind: Exit::Unreachable, ..CliError::failed("cannot trust it", &error) }
                    .hint("make it a directory of your own, or set ATM_STATE_DIR to another one")
            }
            ConnectError::Failed(error) => CliError::new(
                Exit::Unreachable,
                format!("cannot connect to {}: {error}", places.socket().display()),
            )
            .hint("check that the state directory is yours, or set ATM_STATE_DIR to another one"),
        }
    }
}

pub(super) fn cannot_start(error: &io::Error, places: &Places) -> CliError {
    CliError::new(Exit::Unreachable, format!("cannot start the daemon: {error}")).hint(format!(
        "check the state directory {}, or set ATM_STATE_DIR to another one",
        places.state.display()
    ))
}

pub(super) fn not_up(places: &Places, patience: Duration) -> CliError {
    let message = format!("the daemon did not come up within {patience:?}");
    CliError::new(Exit::Unreachable, message).hint(format!(
        "run `atm daemon --foreground` to see why; its log is {}",
        places.log().display()
    ))
}

pub(super) fn silent(patience: Duration, log: &Path) -> CliError {
    let message = format!("the daemon is there but did not answer within {patience:?}");
    CliError::new(Exit::Unreachable, message)
        .hint(format!("run `atm daemon stop` and try again; its log is {}", log.display()))
}

pub(super) fn closed(log: &Path) -> CliError {
    CliError::new(Exit::Unreachable, "the daemon closed the connection without an answer")
        .hint(format!("try again; the daemon's log is {}", log.display()))
}

pub(super) fn broken(error: &io::Error, log: &Path) -> CliError {
    CliError::new(Exit::Unreachable, format!("lost the daemon: {error}"))
        .hint(format!("try again; the daemon's log is {}", log.display()))
}

pub(super) fn garbage(socket: &Path) -> CliError {
    let message = format!("what answers at {} makes no sense", socket.display());
    CliError::new(Exit::Unreachable, message)
        .hint("if atm was updated just now, run `atm daemon stop` and try again")
}

pub(super) fn undecodable(error: &MessageError, socket: &Path) -> CliError {
    match error {
        MessageError::Version { .. } => CliError::version(&error.to_string()),
        MessageError::Garbage(_) | MessageError::TooLong(_) => garbage(socket),
    }
}
