//! `atm watch`: every change as it happens.

use std::collections::HashMap;

use atm_core::view::{SCHEMA, SessionView};
use serde::Serialize;

use crate::client::{Stream, Told};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::change::row;
use crate::render::mark::Mark;
use crate::render::sessions::{sort, table};
use crate::render::what::what;

/// Print every change as it happens, until interrupted
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  atm watch --json | jq -r 'select(.session.status == \"attention\") | .session.id'")]
pub(crate) struct Args {
    /// Print one JSON value a line: a snapshot, then what changed
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line<'a> {
    Snapshot { sessions: &'a [SessionView] },
    Changed { session: &'a SessionView },
    Removed { id: &'a str, key: &'a str },
}

#[derive(Serialize)]
struct WatchJson<'a> {
    schema: u32,
    #[serde(flatten)]
    line: Line<'a>,
}

/// What people were shown last of each session, by key.
type Shown = HashMap<String, (&'static str, String)>;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let (mut stream, sessions) = Stream::open(context)?;
    let mut shown = Shown::new();
    let mut told = Told::Snapshot(sessions);
    loop {
        if args.json {
            write_json(&told, context)?;
        } else {
            write_text(&mut told, &mut shown, context)?;
        }
        context.out.flush()?;
        told = stream.next(context, None)?;
    }
}

fn write_json(told: &Told, context: &mut Context<'_>) -> Result<(), CliError> {
    let line = match told {
        Told::Snapshot(sessions) => Line::Snapshot { sessions },
        Told::Changed(session) => Line::Changed { session },
        Told::Removed { id, key } => Line::Removed { id, key },
        Told::Silence => return Ok(()),
    };
    json::line(context.out, &WatchJson { schema: SCHEMA, line })
}

fn write_text(
    told: &mut Told,
    shown: &mut Shown,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    match told {
        Told::Snapshot(sessions) if shown.is_empty() => {
            sort(sessions);
            *shown = sessions.iter().map(|view| (view.key.clone(), state(view))).collect();
            let home = context.home.as_deref();
            let table = table(sessions, &context.screen, home, Context::now());
            Ok(table.write(&context.screen, context.out)?)
        }
        Told::Snapshot(sessions) => {
            sessions.iter().try_for_each(|view| write_change(view, shown, context))
        }
        Told::Changed(session) => write_change(session, shown, context),
        Told::Removed { key, .. } => {
            shown.remove(key);
            Ok(())
        }
        Told::Silence => Ok(()),
    }
}

/// Says nothing if people would see no difference.
fn write_change(
    view: &SessionView,
    shown: &mut Shown,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let state = state(view);
    if shown.insert(view.key.clone(), state.clone()) == Some(state) {
        return Ok(());
    }
    let row = row(view, &context.screen, context.home.as_deref(), Context::now());
    Ok(row.write(&context.screen, context.out)?)
}

fn state(view: &SessionView) -> (&'static str, String) {
    (Mark::of(view).word(), what(view))
}
