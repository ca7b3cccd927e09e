//! Talks to the daemon: blocking, one connection, and never longer than the user's patience.

mod address;
mod errors;
pub(crate) mod failure;
mod stream;

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use atm_core::places::Places;
use atm_core::proto::frame::{self, Check, MAX_REPLY};
use atm_core::proto::message::{Reply, Request, decode_reply, encode_request};

use crate::context::Starter;
use crate::error::CliError;
use crate::exit::Exit;

pub(crate) use self::errors::ConnectError;
pub(crate) use self::stream::{Stream, Told};

const CHUNK: usize = 64 * 1024;
/// Longest pause between two looks for a daemon that is coming up.
const PAUSE_MAX: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Client {
    stream: UnixStream,
    /// What was read and not decoded yet.
    buffer: Vec<u8>,
    socket: PathBuf,
    log: PathBuf,
    patience: Duration,
}

#[derive(Debug)]
pub(crate) enum Heard {
    Reply(Box<Reply>),
    /// The daemon is gone, or wants no more of us.
    Closed,
    /// The deadline came first.
    Silence,
}

enum Filled {
    More,
    Closed,
    Late,
}

impl Client {
    /// Connects, and starts the daemon if nobody listens.
    pub(crate) fn reach(
        places: &Places,
        patience: Duration,
        start: Starter,
    ) -> Result<Client, CliError> {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_millis(1);
        failure::forget(places);
        loop {
            match Client::connect(places, patience) {
                Ok(client) => return Ok(client),
                Err(ConnectError::NobodyListens) => {}
                Err(error) => return Err(error.into_cli(places, patience)),
            }
            start(places).map_err(|error| errors::cannot_start(&error, places))?;
            if let Some(why) = failure::read(places) {
                return Err(why);
            }
            if Instant::now() >= deadline {
                return Err(errors::not_up(places, patience));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Connects to a daemon that is there already.
    pub(crate) fn connect(places: &Places, patience: Duration) -> Result<Client, ConnectError> {
        atm_daemon::vet_state_dir(&places.state).map_err(ConnectError::Untrusted)?;
        let socket = places.socket();
        let stream = address::connect(&socket, patience).map_err(ConnectError::of)?;
        Ok(Client { stream, buffer: Vec::new(), socket, log: places.log(), patience })
    }

    /// Connects as [`Client::reach`] does and gets the first answer. A daemon that ends at this
    /// moment takes calls that it will never answer; then its successor is asked.
    pub(crate) fn converse(
        places: &Places,
        patience: Duration,
        start: Starter,
        request: &Request,
    ) -> Result<(Client, Reply), CliError> {
        let deadline = Instant::now() + patience;
        loop {
            let mut client = Client::reach(places, patience, start)?;
            match client.try_ask(request)? {
                Some(reply) => return Ok((client, reply)),
                None if Instant::now() >= deadline => return Err(errors::closed(&client.log)),
                None => thread::sleep(PAUSE_MAX),
            }
        }
    }

    /// One request, one answer. A refusal is an error.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Reply, CliError> {
        self.try_ask(request)?.ok_or_else(|| errors::closed(&self.log))
    }

    /// None if the daemon hung up instead of answering.
    pub(crate) fn try_ask(&mut self, request: &Request) -> Result<Option<Reply>, CliError> {
        self.send(request)?;
        match self.hear(Instant::now().checked_add(self.patience))? {
            Heard::Reply(reply) => Ok(Some(*reply)),
            Heard::Closed => Ok(None),
            Heard::Silence => Err(errors::silent(self.patience, &self.log)),
        }
    }

    /// Sends a request whose answers are taken with [`Client::hear`].
    pub(crate) fn send(&mut self, request: &Request) -> Result<(), CliError> {
        let bytes = encode_request(request)
            .map_err(|error| CliError::failed("cannot encode the request", &error))?;
        let sent = self
            .stream
            .set_write_timeout(Some(self.patience))
            .and_then(|()| self.stream.write_all(&bytes));
        match sent {
            Ok(()) => Ok(()),
            // It may have said why before it closed.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) if is_late(error.kind()) => Err(errors::silent(self.patience, &self.log)),
            Err(error) => Err(errors::broken(&error, &self.log)),
        }
    }

    /// The next answer, waiting for it until `deadline` or, without one, for ever.
    pub(crate) fn hear(&mut self, deadline: Option<Instant>) -> Result<Heard, CliError> {
        loop {
            let check =
                frame::check(&self.buffer, MAX_REPLY).map_err(|_| errors::garbage(&self.socket))?;
            if let Check::Whole { start, end } = check {
                let reply = decode_reply(&self.buffer[start..end]);
                self.buffer.drain(..end);
                return match reply {
                    Ok(Reply::Refused(refusal)) => Err(CliError::refused(refusal, &self.log)),
                    Ok(reply) => Ok(Heard::Reply(Box::new(reply))),
                    Err(error) => Err(errors::undecodable(&error, &self.socket)),
                };
            }
            match self.fill(deadline)? {
                Filled::More => {}
                Filled::Closed => return Ok(Heard::Closed),
                Filled::Late => return Ok(Heard::Silence),
            }
        }
    }

    fn fill(&mut self, deadline: Option<Instant>) -> Result<Filled, CliError> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(Filled::Late);
        }
        let mut chunk = [0; CHUNK];
        let read = self.stream.set_read_timeout(left).and_then(|()| self.stream.read(&mut chunk));
        match read {
            Ok(0) => Ok(Filled::Closed),
            Ok(length) => {
                self.buffer.extend_from_slice(&chunk[..length]);
                Ok(Filled::More)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Filled::More),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(Filled::Closed),
            Err(error) if is_late(error.kind()) => Ok(Filled::Late),
            Err(error) => Err(errors::broken(&error, &self.log)),
        }
    }

    /// The process that listens at the other end, if the system tells.
    pub(crate) fn daemon_pid(&self) -> Option<rustix::process::Pid> {
        address::peer_pid(&self.stream)
    }
}

/// The error for an answer that does not fit the question.
pub(crate) fn unexpected() -> CliError {
    CliError::new(Exit::Unreachable, "the daemon gave an answer that does not fit the question")
        .hint("if atm was updated just now, run `atm daemon stop` and try again")
}

/// The error for a stream that a daemon ended on purpose.
pub(crate) fn stopped() -> CliError {
    CliError::new(Exit::Unreachable, "the daemon was stopped")
        .hint("run the command again to start it")
}

fn is_late(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;
