//! `atm show`: all that is known of one session.

use atm_core::proto::message::{Reply, Request};
use atm_core::view::{SCHEMA, SessionView};
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::explain::Page;

/// Show all that is known of one session
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm show %3\n  atm show 1f3a --json")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ShowJson<'a> {
    schema: u32,
    session: &'a SessionView,
}

pub(crate) fn run(args: Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let reply = context.ask(&Request::Show { who: args.session })?;
    let Reply::Session { session } = reply else { return Err(unexpected()) };
    if args.json {
        json::line(context.out, &ShowJson { schema: SCHEMA, session: &session })?;
    } else {
        let page =
            Page { screen: &context.screen, home: context.home.as_deref(), now: Context::now() };
        page.show(&session, context.out)?;
    }
    Ok(Exit::Ok)
}
