//! The daemon's socket, from outside.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use atm_core::places::Places;
use atm_core::proto::frame::{self, Check, MAX_REPLY};
use atm_core::proto::message::{DaemonStatus, Reply, Request, decode_reply, encode_request};

use crate::Outcome;

const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Client {
    stream: UnixStream,
    buffer: Vec<u8>,
    piece: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(places: &Places) -> io::Result<Client> {
        let stream = UnixStream::connect(places.socket())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Client { stream, buffer: Vec::new(), piece: vec![0; 64 * 1024] })
    }

    pub(crate) fn send(&mut self, request: &Request) -> Outcome<()> {
        Ok(self.stream.write_all(&encode_request(request)?)?)
    }

    pub(crate) fn ask(&mut self, request: &Request) -> Outcome<Reply> {
        self.send(request)?;
        match self.hear()? {
            Reply::Refused(refusal) => Err(format!("refused: {}", refusal.message).into()),
            reply => Ok(reply),
        }
    }

    pub(crate) fn status(&mut self) -> Outcome<DaemonStatus> {
        match self.ask(&Request::Status)? {
            Reply::Status(status) => Ok(status),
            other => Err(format!("no status but {other:?}").into()),
        }
    }

    pub(crate) fn hear(&mut self) -> Outcome<Reply> {
        loop {
            if let Check::Whole { start, end } = frame::check(&self.buffer, MAX_REPLY)? {
                let reply = decode_reply(&self.buffer[start..end])?;
                self.buffer.drain(..end);
                return Ok(reply);
            }
            let length = self.stream.read(&mut self.piece)?;
            if length == 0 {
                return Err("the daemon closed the connection".into());
            }
            self.buffer.extend_from_slice(&self.piece[..length]);
        }
    }
}
