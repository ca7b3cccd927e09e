//! `atm daemon stop`: asks the daemon to end, and ends one that does not listen to reason. The
//! journal makes that safe: whatever it had not stored is read again.

use std::time::{Duration, Instant};

use atm_core::proto::message::Request;

use crate::client::{Client, ConnectError, Heard};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

pub(super) fn run(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let mut client = match Client::connect(&context.places, context.patience) {
        Ok(client) => client,
        Err(ConnectError::NobodyListens) => {
            writeln!(context.out, "no daemon is running")?;
            return Ok(Exit::Ok);
        }
        Err(error) => return Err(error.into_cli(&context.places, context.patience)),
    };
    let process = process::Handle::open(&client);
    // One that hangs up instead of answering may be ending already.
    let asked = client.try_ask(&Request::Stop);
    if asked.is_ok() && is_gone(process.as_ref(), client, context.patience) {
        writeln!(context.out, "the daemon is stopped")?;
        return Ok(Exit::Ok);
    }
    if process.is_some_and(|process| process.end(context.patience)) {
        writeln!(context.out, "the daemon did not listen and was ended")?;
        return Ok(Exit::Ok);
    }
    Err(asked.err().unwrap_or_else(|| {
        CliError::new(Exit::Failed, "the daemon agreed to stop and did not")
            .hint("end its process by hand")
    }))
}

fn is_gone(process: Option<&process::Handle>, mut client: Client, patience: Duration) -> bool {
    match process {
        Some(process) => process.is_gone_within(patience),
        None => {
            let closed = client.hear(Instant::now().checked_add(patience));
            matches!(closed, Ok(Heard::Closed))
        }
    }
}

#[cfg(target_os = "linux")]
mod process {
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use crate::client::Client;

    /// The daemon's process; never another one that got its number.
    pub(super) struct Handle(OwnedFd);

    impl Handle {
        pub(super) fn open(client: &Client) -> Option<Handle> {
            pidfd_open(client.daemon_pid()?, PidfdFlags::empty()).ok().map(Handle)
        }

        pub(super) fn is_gone_within(&self, span: Duration) -> bool {
            let span = Timespec::try_from(span).ok();
            let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
            poll(&mut fds, span.as_ref()).is_ok_and(|ready| ready > 0)
        }

        pub(super) fn end(&self, span: Duration) -> bool {
            [Signal::TERM, Signal::KILL].into_iter().any(|signal| {
                // A failure means that it is gone already, which the wait will tell.
                pidfd_send_signal(&self.0, signal).ok();
                self.is_gone_within(span)
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod process {
    use std::convert::Infallible;
    use std::time::Duration;

    use crate::client::Client;

    /// Not known on this system.
    pub(super) struct Handle(Infallible);

    impl Handle {
        pub(super) fn open(_: &Client) -> Option<Handle> {
            None
        }

        pub(super) fn is_gone_within(&self, _: Duration) -> bool {
            match self.0 {}
        }

        pub(super) fn end(&self, _: Duration) -> bool {
            match self.0 {}
        }
    }
}
