//! `atm notify`: tries channels, silences sessions, and says what was told and what not.

mod log;
mod show;
mod test;

use std::time::Duration;

use atm_core::proto::message::{Reply, Request};
use atm_core::span;
use atm_core::text::clean;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::place::short;

/// Try out and silence notifications, and see which there were
///
/// What is told, when and how is configured under [notify]; see `atm config default`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm notify test                  through every channel that is configured
  atm notify test --channel osc9   would my terminal show these?
  atm notify snooze %3 30m
  atm notify log                   what was told, what was not, and why")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Send a sample and say what each channel did with it; exit code 1 unless all took it
    Test(test::Args),
    /// Tell nothing of a session any more
    Mute(Who),
    /// Tell of a session again; at once, if it waits for an answer
    Unmute(Who),
    /// Tell nothing of a session for some time; if it waits then, tell it then
    Snooze(Snooze),
    /// Show the latest notifications: when, why, where, or why not
    Log(log::Args),
    /// Show a text until a key is pressed (what a popup of tmux runs)
    #[command(hide = true)]
    Show(show::Args),
}

#[derive(Debug, clap::Args)]
struct Who {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
}

#[derive(Debug, clap::Args)]
struct Snooze {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
    /// For how long (30s, 30m, 2h)
    #[arg(value_name = "SPAN", value_parser = span::parse)]
    time: Duration,
}

pub(crate) fn run(args: Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match args.command {
        Command::Test(args) => test::run(&args, context),
        Command::Log(args) => log::run(&args, context),
        Command::Show(args) => show::run(&args, context),
        Command::Mute(who) => {
            silence(&Request::Mute { who: who.session, for_ms: None }, "is muted", context)
        }
        Command::Unmute(who) => {
            silence(&Request::Unmute { who: who.session }, "is no longer muted", context)
        }
        Command::Snooze(Snooze { session, time }) => {
            let for_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
            let done = format!("is silent for {}", span::render(time));
            silence(&Request::Mute { who: session, for_ms }, &done, context)
        }
    }
}

fn silence(request: &Request, done: &str, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let Reply::Session { session } = context.ask(request)? else { return Err(unexpected()) };
    let name = session.name.as_deref().map(|name| format!(" ({})", clean(name, 60)));
    let id = clean(short(&session.id), 8);
    writeln!(context.out, "{id}{} {done}", name.unwrap_or_default())?;
    Ok(Exit::Ok)
}
