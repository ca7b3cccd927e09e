//! `atm notify log`: what was told, what was not, and why.

use atm_core::notify::{Outcome, Record, Step, Told};
use atm_core::proto::message::{Reply, Request};
use atm_core::text::clean;
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::local;
use crate::render::place::short;
use crate::render::table::{Cell, Column, Keep, Table};
use crate::screen::Style;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show at most the newest N
    #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct LogJson<'a> {
    schema: u32,
    notifications: &'a [Record],
}

const COLUMNS: [Column; 6] = [
    Column { title: "WHEN", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "SESSION", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "NAME", keep: Keep::Start, min: 6, worth: 2 },
    Column { title: "EVENT", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "WHAT", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "WHY, WHERE", keep: Keep::Start, min: 10, worth: 5 },
];

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let reply = context.ask(&Request::NotifyLog { limit: args.limit })?;
    let Reply::Notifications { notifications } = reply else { return Err(unexpected()) };
    if args.json {
        let json = LogJson { schema: SCHEMA, notifications: &notifications };
        json::line(context.out, &json)?;
        return Ok(Exit::Ok);
    }
    if notifications.is_empty() {
        writeln!(context.out, "there was nothing to tell yet")?;
    }
    let mut table = Table::new(COLUMNS);
    for record in &notifications {
        table.push(row(record));
    }
    table.write(&context.screen, context.out)?;
    Ok(Exit::Ok)
}

fn row(record: &Record) -> [Cell; 6] {
    let event = match record.step {
        Step::First => record.event.word().to_owned(),
        Step::Again => format!("{} again", record.event),
    };
    let told = |told: &Told| {
        let what = clean(&told.what, 100);
        match told.outcome {
            Outcome::Sent => format!("{} {what}", told.channel),
            Outcome::Nobody | Outcome::Failed => format!("not by {} ({what})", told.channel),
        }
    };
    let channels: Vec<String> = record.channels.iter().map(told).collect();
    let together = match record.count {
        0 | 1 => String::new(),
        count => format!(" ({count} sessions as one)"),
    };
    let why = match channels.is_empty() {
        true => record.why.clone(),
        false => format!("{}{together}; {}", record.why, channels.join(", ")),
    };
    [
        Cell::new(Style::Dim, &local::minute(record.at)),
        Cell::new(Style::Plain, short(&record.session)),
        Cell::new(Style::Plain, &record.name),
        Cell::new(Style::Plain, &event),
        Cell::new(Style::Plain, record.verdict.word()),
        Cell::new(Style::Plain, &why),
    ]
}
