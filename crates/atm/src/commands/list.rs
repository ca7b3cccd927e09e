//! `atm list`: every session, the one that needs the user first.

use atm_core::proto::message::{Reply, Request};
use atm_core::view::{SCHEMA, SessionView};
use serde::Serialize;

use crate::client::{Client, unexpected};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::sessions::{sort, table};
use crate::screen::Style;

const NO_HOOKS: &str = "hooks are not installed yet: statuses come from the client's own session files; run `atm setup`";

/// List sessions, the ones that need you first
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:\n  atm list\n  atm list --json | jq '.sessions[].id'")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show ended sessions too
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct ListJson<'a> {
    schema: u32,
    sessions: &'a [SessionView],
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    // A daemon that runs already may not know of it.
    if let Ok(config_dir) = std::env::var("CLAUDE_CONFIG_DIR") {
        context.ask(&Request::Watch { config_dir })?;
    }
    let (mut client, reply) = context.converse(&Request::List { all: args.all })?;
    let Reply::Sessions { mut sessions } = reply else { return Err(unexpected()) };
    sort(&mut sessions);
    if args.json {
        json::line(context.out, &ListJson { schema: SCHEMA, sessions: &sessions })?;
    } else if sessions.is_empty() {
        write_empty(args, &mut client, context)?;
    } else {
        let table = table(&sessions, &context.screen, context.home.as_deref(), Context::now());
        table.write(&context.screen, context.out)?;
        write_footer(&sessions, context)?;
    }
    Ok(Exit::Ok)
}

fn write_empty(
    args: &Args,
    client: &mut Client,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let which = if args.all { "no sessions found" } else { "no live sessions found" };
    writeln!(context.out, "{which}: start `claude` in a tmux pane and it shows up here")?;
    // Only a hint hangs on this answer.
    if let Ok(Reply::Status(status)) = client.ask(&Request::Status)
        && status.events == 0
        && status.stored == 0
    {
        writeln!(context.out, "{NO_HOOKS}")?;
    }
    Ok(())
}

fn write_footer(sessions: &[SessionView], context: &mut Context<'_>) -> Result<(), CliError> {
    let is_terminal = context.screen.width.is_some();
    if is_terminal && !sessions.iter().any(|view| view.hooks) {
        writeln!(context.out, "\n{}", context.screen.paint(Style::Dim, NO_HOOKS))?;
    }
    Ok(())
}
