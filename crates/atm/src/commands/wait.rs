//! `atm wait`: blocks until a session is in a state.

use std::time::{Duration, Instant};

use atm_core::proto::message::{Reply, Request};
use atm_core::select::{Choice, select};
use atm_core::session::status::Class;
use atm_core::text::clean;
use atm_core::view::{SCHEMA, SessionView};
use clap::ValueEnum;
use serde::Serialize;

use crate::client::{Stream, Told, unexpected};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::render::mark::Mark;
use crate::render::place::{candidate, short};
use crate::render::what::what;

/// Block until a session is in a state
///
/// Returns at once if it already is. Exit code 6 on timeout, 4 if there is no such session or it
/// ended before.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm wait 1f3a --until idle && notify-send 'agent is done'
  atm wait %3 --until attention --timeout 10m")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S")]
    session: String,
    #[arg(long, value_enum, value_name = "STATE")]
    until: Until,
    /// Give up after this long (500ms, 30s, 5m, 1h30m); for ever if left out
    #[arg(long, value_name = "SPAN", value_parser = atm_core::span::parse)]
    timeout: Option<Duration>,
    /// Print the session as JSON when it is reached
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Until {
    Idle,
    Attention,
    Working,
    Ended,
}

#[derive(Serialize)]
struct WaitJson<'a> {
    schema: u32,
    reached: Until,
    session: &'a SessionView,
}

impl Until {
    fn is_reached(self, view: &SessionView) -> bool {
        match (self, &view.ended) {
            (Until::Ended, ended) => ended.is_some(),
            (_, Some(_)) => false,
            (Until::Idle, None) => view.status == Class::Idle,
            (Until::Attention, None) => view.status == Class::Attention,
            (Until::Working, None) => view.status == Class::Working,
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let (mut stream, sessions) = Stream::open(context)?;
    let mut view = find(&sessions, &args.session, context)?;
    while !args.until.is_reached(&view) {
        if view.ended.is_some() {
            return Err(gone(&view, args));
        }
        view = next_of(view, &mut stream, context, deadline)?
            .ok_or_else(|| CliError::new(Exit::TimedOut, timed_out(args)))?;
    }
    if args.json {
        json::line(context.out, &WaitJson { schema: SCHEMA, reached: args.until, session: &view })?;
    } else {
        let mark = Mark::of(&view).text(&context.screen);
        writeln!(context.out, "{}", clean(&format!("{mark} {}", what(&view)), 500))?;
    }
    Ok(Exit::Ok)
}

/// The session that is meant; one that ended long ago only the daemon finds.
fn find(
    sessions: &[SessionView],
    who: &str,
    context: &Context<'_>,
) -> Result<SessionView, CliError> {
    match select(sessions, who) {
        Choice::One(view) => Ok(view.clone()),
        Choice::Several(views) => {
            let home = context.home.as_deref();
            let candidates = views.into_iter().map(|view| candidate(view, home)).collect();
            Err(CliError::ambiguous(format!("`{who}` means several sessions"), candidates))
        }
        Choice::None => match context.ask(&Request::Show { who: who.to_owned() })? {
            Reply::Session { session } => Ok(*session),
            _ => Err(unexpected()),
        },
    }
}

/// The next news of this session, by its key: its id may change. None if the deadline came first.
fn next_of(
    view: SessionView,
    stream: &mut Stream,
    context: &Context<'_>,
    deadline: Option<Instant>,
) -> Result<Option<SessionView>, CliError> {
    loop {
        match stream.next(context, deadline)? {
            Told::Silence => return Ok(None),
            Told::Changed(session) if session.key == view.key => return Ok(Some(*session)),
            Told::Removed { key, .. } if key == view.key => return Ok(Some(removed(view))),
            Told::Snapshot(sessions) => {
                let found = sessions.into_iter().find(|session| session.key == view.key);
                return Ok(Some(found.unwrap_or_else(|| removed(view))));
            }
            Told::Changed(_) | Told::Removed { .. } => {}
        }
    }
}

/// Nobody lists it any more, so it has ended.
fn removed(view: SessionView) -> SessionView {
    let ended =
        atm_core::view::EndedView { at: Context::now(), reason: "removed".to_owned(), lost: false };
    SessionView { ended: Some(ended), ..view }
}

fn gone(view: &SessionView, args: &Args) -> CliError {
    let reason = view.ended.as_ref().map_or("", |ended| &ended.reason);
    let state = until_word(args.until);
    let message = format!("session {} ended ({reason}) before it was {state}", short(&view.id));
    CliError::new(Exit::NotFound, message)
}

fn timed_out(args: &Args) -> String {
    let timeout = args.timeout.unwrap_or_default();
    format!("{} was not {} within {timeout:?}", args.session, until_word(args.until))
}

fn until_word(until: Until) -> &'static str {
    match until {
        Until::Idle => "idle",
        Until::Attention => "in need of attention",
        Until::Working => "working",
        Until::Ended => "ended",
    }
}
