//! The stream of all changes. It outlives a daemon that crashed, and ends with one that was
//! stopped.

use std::time::Instant;

use atm_core::proto::message::{Reply, Request};
use atm_core::view::SessionView;

use super::{Client, Heard, stopped, unexpected};
use crate::context::Context;
use crate::error::CliError;

#[derive(Debug)]
pub(crate) enum Told {
    /// All there is; comes first, and again after a gap.
    Snapshot(Vec<SessionView>),
    Changed(Box<SessionView>),
    Removed {
        id: String,
        key: String,
    },
    /// The deadline came first.
    Silence,
}

pub(crate) struct Stream {
    client: Client,
}

impl Stream {
    pub(crate) fn open(context: &Context<'_>) -> Result<Stream, CliError> {
        let mut client = context.client()?;
        client.send(&Request::Subscribe)?;
        Ok(Stream { client })
    }

    /// The snapshot that every stream begins with.
    pub(crate) fn snapshot(&mut self) -> Result<Vec<SessionView>, CliError> {
        match self.client.hear(Instant::now().checked_add(self.client.patience))? {
            Heard::Reply(reply) => match *reply {
                Reply::Snapshot { sessions } => Ok(sessions),
                _ => Err(unexpected()),
            },
            Heard::Closed => Err(super::errors::closed(&self.client.log)),
            Heard::Silence => Err(super::errors::silent(self.client.patience, &self.client.log)),
        }
    }

    pub(crate) fn next(
        &mut self,
        context: &Context<'_>,
        deadline: Option<Instant>,
    ) -> Result<Told, CliError> {
        match self.client.hear(deadline)? {
            Heard::Silence => Ok(Told::Silence),
            Heard::Closed => {
                *self = Stream::open(context)?;
                self.snapshot().map(Told::Snapshot)
            }
            Heard::Reply(reply) => match *reply {
                Reply::Snapshot { sessions } => Ok(Told::Snapshot(sessions)),
                Reply::Changed { session } => Ok(Told::Changed(session)),
                Reply::Removed { id, key } => Ok(Told::Removed { id, key }),
                Reply::Done => Err(stopped()),
                _ => Err(unexpected()),
            },
        }
    }
}
