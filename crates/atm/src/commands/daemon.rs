//! `atm daemon`: starts, runs, stops and asks after the daemon.

mod status;
mod stop;

use atm_core::proto::message::{Reply, Request};
use atm_daemon::store::StoreError;
use atm_daemon::{RunError, Start};

use crate::client::{failure, unexpected};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Start the daemon in the background, or look after it
///
/// Every command that needs the daemon starts it by itself.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  atm daemon status
  atm daemon stop
  atm daemon --foreground          to see what it does, or under a service manager"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Run here and log to the terminal
    #[arg(long, conflicts_with = "detached")]
    foreground: bool,
    /// Run here and leave the terminal; how hooks and commands start it
    #[arg(long, hide = true)]
    detached: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Stop the daemon, also one that hangs; nothing is lost
    Stop,
    /// Say whether the daemon runs; exit code 3 if not
    Status(status::Args),
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match (&args.command, args.foreground, args.detached) {
        (Some(Command::Stop), ..) => stop::run(context),
        (Some(Command::Status(args)), ..) => status::run(args, context),
        (None, true, _) => serve(Start::Foreground, context),
        (None, _, true) => serve(Start::Detached, context),
        (None, false, false) => start(context),
    }
}

/// `atm daemon stop` for other commands.
pub(crate) fn stop(context: &mut Context<'_>) -> Result<Exit, CliError> {
    stop::run(context)
}

pub(crate) fn start(context: &mut Context<'_>) -> Result<Exit, CliError> {
    let Reply::Status(status) = context.ask(&Request::Status)? else {
        return Err(unexpected());
    };
    writeln!(context.out, "the daemon runs (pid {})", status.pid)?;
    Ok(Exit::Ok)
}

fn serve(how: Start, context: &Context<'_>) -> Result<Exit, CliError> {
    let error = match atm_daemon::run(context.places.clone(), how) {
        Ok(()) => return Ok(Exit::Ok),
        // Of several started at once, all but one find this; that is how it should be.
        Err(RunError::AlreadyRunning { .. }) if how == Start::Detached => return Ok(Exit::Ok),
        Err(error) => error,
    };
    let hint = match &error {
        RunError::AlreadyRunning { .. } => {
            "run `atm daemon stop` first, or set ATM_STATE_DIR to another directory".to_owned()
        }
        RunError::Store(StoreError::Newer { .. }) => {
            "update atm, or set ATM_STATE_DIR to another directory".to_owned()
        }
        _ => format!("its log is {}", context.places.log().display()),
    };
    let error = CliError::failed("cannot run the daemon", &error).hint(hint);
    if how == Start::Detached {
        // There is nobody else to tell; whoever waits gives up by itself.
        drop(failure::write(&context.places, &error));
    }
    Err(error)
}
