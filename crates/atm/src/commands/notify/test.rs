//! `atm notify test`: a sample through the channels.

use std::time::Duration;

use atm_core::notify::{CHANNELS, Channel, Outcome, Told};
use atm_core::proto::message::{Reply, Request};
use atm_core::text::clean;
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;

/// Channels have limits of their own.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this channel, configured or not
    #[arg(long, value_name = "CHANNEL", value_parser = parse, help = help())]
    channel: Option<Channel>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct TestJson<'a> {
    schema: u32,
    channels: &'a [Told],
}

fn parse(word: &str) -> Result<Channel, String> {
    Channel::parse(word).ok_or_else(|| format!("there are {}", CHANNELS.join(", ")))
}

fn help() -> String {
    format!("Only this channel, configured or not: {}", CHANNELS.join(", "))
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    context.patience = context.patience.max(PATIENCE);
    let reply = context.ask(&Request::NotifyTest { channel: args.channel })?;
    let Reply::Tested { told } = reply else { return Err(unexpected()) };
    if args.json {
        json::line(context.out, &TestJson { schema: SCHEMA, channels: &told })?;
    } else if told.is_empty() {
        writeln!(context.out, "no channel is configured; name one with --channel")?;
    } else {
        for Told { channel, what, outcome } in &told {
            let word = outcome.word();
            writeln!(context.out, "{:18} {word:7} {}", channel.word(), clean(what, 300))?;
        }
    }
    let is_failed = told.iter().any(|told| told.outcome != Outcome::Sent);
    Ok(if is_failed { Exit::Failed } else { Exit::Ok })
}
