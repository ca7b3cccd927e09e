//! `atm events`: what the hooks said.

mod raw;

use atm_core::proto::message::{EventView, Reply, Request};
use atm_core::text::clean;

use crate::client::{Client, Heard, stopped, unexpected};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::gist::gist;
use crate::render::place::short;
use crate::render::width::cut_end;

/// Show the events that hooks reported, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm events %3 --limit 20
  atm events --follow --json | jq .event
  atm events --raw                 straight from the journal, without the daemon")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane; all if left out
    #[arg(value_name = "S")]
    session: Option<String>,
    /// Print one JSON value a line
    #[arg(long)]
    json: bool,
    /// Go on with what happens from now on
    #[arg(long, short)]
    follow: bool,
    /// Read the journal itself: works without a daemon and shows damaged records
    #[arg(long, conflicts_with = "follow")]
    raw: bool,
    /// Show at most the newest N
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    limit: u32,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    if args.raw {
        return raw::run(args, context);
    }
    let last = match args.limit {
        0 => None,
        limit => Some(write_past(limit, args, context)?),
    };
    if args.follow {
        follow(last, args, context)?;
    }
    Ok(Exit::Ok)
}

/// Returns the position to go on from, so that nothing falls between past and future.
fn write_past(limit: u32, args: &Args, context: &mut Context<'_>) -> Result<u64, CliError> {
    let request = Request::Events { who: args.session.clone(), after: None, limit };
    let Reply::Events { events } = context.ask(&request)? else {
        return Err(unexpected());
    };
    write(&events, args, context)?;
    Ok(events.last().map_or(0, |event| event.seq))
}

/// Goes on for ever; outlives a daemon that crashed.
fn follow(mut last: Option<u64>, args: &Args, context: &mut Context<'_>) -> Result<(), CliError> {
    let mut client = open(last, args, context)?;
    loop {
        context.out.flush()?;
        match client.hear(None)? {
            Heard::Reply(reply) => match *reply {
                Reply::Events { events } => {
                    last = events.last().map(|event| event.seq).or(last);
                    write(&events, args, context)?;
                }
                Reply::Done => return Err(stopped()),
                _ => return Err(unexpected()),
            },
            Heard::Closed | Heard::Silence => {
                context.check_crashed()?;
                client = open(last, args, context)?;
            }
        }
    }
}

/// Makes sure that the daemon answers before it settles down to listen.
fn open(after: Option<u64>, args: &Args, context: &Context<'_>) -> Result<Client, CliError> {
    let (mut client, _) = context.converse(&Request::Status)?;
    client.send(&Request::Follow { who: args.session.clone(), after })?;
    Ok(client)
}

fn write(events: &[EventView], args: &Args, context: &mut Context<'_>) -> Result<(), CliError> {
    for event in events {
        if args.json {
            json::line(context.out, event)?;
        } else {
            write_text(event, context)?;
        }
    }
    Ok(())
}

fn write_text(event: &EventView, context: &mut Context<'_>) -> Result<(), CliError> {
    let session = event.session.as_deref().map_or("-", short);
    let pane = event.pane.as_deref().unwrap_or("-");
    let (name, says) = match &event.malformed {
        Some(text) => ("malformed", text.clone()),
        None => (event.event.as_str(), gist(event.payload.get())),
    };
    let name = if name.is_empty() { "(no name)" } else { name };
    let line = format!(
        "{}  {:8}  {:4}  {:18}  {}",
        event.ts,
        clean(session, 8),
        clean(pane, 8),
        clean(name, 80),
        clean(&says, 500)
    );
    let line = match context.screen.width {
        Some(width) => cut_end(&line, width, context.screen.ellipsis()),
        None => line,
    };
    Ok(writeln!(context.out, "{}", line.trim_end())?)
}
