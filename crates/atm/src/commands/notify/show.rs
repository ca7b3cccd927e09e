//! `atm notify show`: a title and a text, until a key is pressed or time is up.

use std::time::Duration;

use atm_core::text::clean;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::screen::Style;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Close after so many milliseconds
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    millis: u32,
    title: String,
    #[arg(default_value = "")]
    body: String,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let title = clean(&args.title, 500);
    writeln!(context.out, " {}", context.screen.paint(Style::Bold, &title))?;
    writeln!(context.out)?;
    writeln!(context.out, " {}", clean(&args.body, 1000))?;
    writeln!(context.out)?;
    write!(context.out, " {}", context.screen.paint(Style::Dim, "press a key"))?;
    context.out.flush()?;
    wait_for_key(Duration::from_millis(u64::from(args.millis)));
    Ok(Exit::Ok)
}

/// Any key, not only Enter. Without a terminal there is nothing to wait for but the time.
fn wait_for_key(limit: Duration) {
    let stdin = std::io::stdin();
    if let Ok(mut modes) = tcgetattr(&stdin) {
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        // As it is, Enter does the same.
        tcsetattr(&stdin, OptionalActions::Now, &modes).ok();
    }
    let limit = Timespec::try_from(limit).ok();
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref()).ok();
}
