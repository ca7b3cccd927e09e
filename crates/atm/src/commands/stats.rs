//! `atm stats`: how often you were told, and how long agents waited for you.

use std::time::Duration;

use atm_core::proto::message::{Reply, Request};
use atm_core::stamp::Stamp;
use atm_core::stats::{self, Stats};
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::{local, stats as page};

/// Show how often you were told, how soon you answered, and how long agents waited for you
///
/// A wait begins with a question or a permission dialog and ends with the answer. Days are those of
/// your time zone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm stats\n  atm stats --since 24h\n  atm stats --json")]
pub(crate) struct Args {
    /// Look back this far (24h, 7d, 90d)
    #[arg(long, value_name = "SPAN", default_value = "7d", value_parser = atm_core::span::parse)]
    since: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StatsJson<'a> {
    schema: u32,
    #[serde(flatten)]
    stats: &'a Stats,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let now = Context::now();
    let span = i64::try_from(args.since.as_millis()).unwrap_or(i64::MAX);
    let since = Stamp(now.0.saturating_sub(span).max(0));
    let Reply::Past(past) = context.ask(&Request::Past { since })? else {
        return Err(unexpected());
    };
    let stats = stats::compute(&past, since, now, &local::day);
    if args.json {
        json::line(context.out, &StatsJson { schema: SCHEMA, stats: &stats })?;
    } else {
        page::write(&stats, &context.screen, context.home.as_deref(), context.out)?;
    }
    Ok(Exit::Ok)
}
