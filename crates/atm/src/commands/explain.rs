//! `atm explain`: why a session is in its state.

use atm_core::explain::Explanation;
use atm_core::proto::message::{Reply, Request};
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::explain::Page;

/// Say why a session is in its state: facts, what overruled what, and how it came there
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm explain %3\n  atm explain 1f3a --json")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ExplainJson<'a> {
    schema: u32,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

pub(crate) fn run(args: Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let reply = context.ask(&Request::Explain { who: args.session })?;
    let Reply::Explanation(explanation) = reply else { return Err(unexpected()) };
    if args.json {
        json::line(context.out, &ExplainJson { schema: SCHEMA, explanation: &explanation })?;
    } else {
        let page =
            Page { screen: &context.screen, home: context.home.as_deref(), now: Context::now() };
        page.explain(&explanation, context.out)?;
    }
    Ok(Exit::Ok)
}
