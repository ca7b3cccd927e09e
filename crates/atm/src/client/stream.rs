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
    /// The stream, and the snapshot that it begins with.
    pub(crate) fn open(context: &Context<'_>) -> Result<(Stream, Vec<SessionView>), CliError> {
        match context.converse(&Request::Subscribe)? {
            (client, Reply::Snapshot { sessions }) => Ok((Stream { client }, sessions)),
            _ => Err(unexpected()),
        }
    }

    /// What comes next, waiting for it until `deadline` or, without one, for ever.
    pub(crate) fn next(
        &mut self,
        context: &Context<'_>,
        deadline: Option<Instant>,
    ) -> Result<Told, CliError> {
        match self.client.hear(deadline)? {
            Heard::Silence => Ok(Told::Silence),
            Heard::Closed => {
                context.check_crashed()?;
                let (again, sessions) = Stream::open(context)?;
                *self = again;
                Ok(Told::Snapshot(sessions))
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
