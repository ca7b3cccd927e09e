//! `atm daemon status`: asks, and never starts one.

use std::io::Write;
use std::time::Duration;

use atm_core::proto::message::{DaemonStatus, Reply, Request};
use atm_core::text::clean;
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::client::{Client, ConnectError, unexpected};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::age::age;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StatusJson<'a> {
    schema: u32,
    running: bool,
    #[serde(flatten)]
    status: Option<&'a DaemonStatus>,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let status = match Client::connect(&context.places, context.patience) {
        Ok(mut client) => match client.ask(&Request::Status)? {
            Reply::Status(status) => Some(status),
            _ => return Err(unexpected()),
        },
        Err(ConnectError::NobodyListens) => None,
        Err(error) => return Err(error.into_cli(&context.places, context.patience)),
    };
    if args.json {
        let running = status.is_some();
        json::line(context.out, &StatusJson { schema: SCHEMA, running, status: status.as_ref() })?;
    } else {
        write(status.as_ref(), context.out)?;
    }
    Ok(if status.is_some() { Exit::Ok } else { Exit::Unreachable })
}

fn write(status: Option<&DaemonStatus>, out: &mut dyn Write) -> Result<(), CliError> {
    let Some(status) = status else {
        writeln!(out, "the daemon is not running; any command that needs it starts it")?;
        return Ok(());
    };
    let version = clean(&status.version, 80);
    let uptime = age(Duration::from_millis(status.uptime_ms));
    writeln!(out, "running for {uptime} (pid {}, version {version})", status.pid)?;
    writeln!(out, "state      {}", clean(&status.state_dir, 1000))?;
    // A daemon of an older atm reads none.
    if !status.config.is_empty() {
        let config = clean(&status.config, 1000);
        writeln!(out, "config     {config}, {} set", count(status.configured, "option"))?;
    }
    writeln!(out, "sessions   {}, watched by {}", status.sessions, status.subscribers)?;
    writeln!(out, "events     {}, {} malformed", status.events, status.malformed)?;
    for trouble in &status.troubles {
        writeln!(out, "trouble    {}", clean(trouble, 1000))?;
    }
    Ok(())
}

fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}
