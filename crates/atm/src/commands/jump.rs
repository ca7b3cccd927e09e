//! `atm jump`: takes the user to a session.

use std::io::IsTerminal;
use std::time::Duration;

use atm_core::jump::To;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::travel::{self, Destination, Traveller};

/// Longer than the daemon goes by what tmux said last about panes.
const MOMENT: Duration = Duration::from_millis(150);

/// Go to a session's pane
///
/// The client that you sit at shows it, whichever tmux session or server it is in. Outside of tmux
/// this terminal attaches. Going there counts as having looked.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm jump --next              whoever waits longest for you; again for the one after
  atm jump --last              back to where you were before the last jump
  atm jump 1f3a
  bind-key j run-shell -b \"atm jump --next --client '#{client_name}'\"   in your tmux.conf")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane
    #[arg(value_name = "S", required_unless_present_any = ["next", "last", "last_notified"])]
    session: Option<String>,
    /// Who waits for you: an answer first, longest wait first, then what is finished and not looked at
    #[arg(long, conflicts_with_all = ["session", "last"])]
    next: bool,
    /// Where you came from at the last jump
    #[arg(long, conflicts_with = "session")]
    last: bool,
    /// Whoever you were notified of last
    #[arg(long, conflicts_with_all = ["session", "next", "last"])]
    last_notified: bool,
    /// The tmux client to move, for key bindings: problems are shown on it and the exit code is 0
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// Print the tmux socket and the pane, divided by a tab, and stay here
    #[arg(long)]
    print: bool,
}

impl Args {
    fn to(&self) -> To {
        match &self.session {
            Some(session) => To::Who(session.clone()),
            None if self.last => To::Last,
            None if self.last_notified => To::Notified,
            None => To::Next,
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let traveller = Traveller::look(args.client.as_deref());
    let told = jump(args, traveller.as_ref(), context);
    // What a key binding prints would cover the user's pane, and a failure too.
    let is_bound = args.client.is_some() && !std::io::stderr().is_terminal();
    let bound = traveller.as_ref().filter(|_| is_bound);
    match (told, bound) {
        (Ok(None), _) => Ok(Exit::Ok),
        (Ok(Some(note)), Some(traveller)) => {
            traveller.tell(&note);
            Ok(Exit::Ok)
        }
        (Ok(Some(note)), None) => {
            writeln!(context.out, "{}", atm_core::text::clean(&note, 500))?;
            Ok(Exit::Ok)
        }
        (Err(error), Some(traveller)) => {
            let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let shown = traveller.tell(&format!("{}{hint}", error.message));
            shown.map(|()| Exit::Ok).ok_or(error)
        }
        (Err(error), None) => Err(error),
    }
}

fn jump(
    args: &Args,
    traveller: Option<&Traveller>,
    context: &mut Context<'_>,
) -> Result<Option<String>, CliError> {
    let told = attempt(args, traveller, context);
    // The daemon knows of a pane that is gone a moment later; then somebody else is next.
    let is_late = args.next && told.as_ref().is_err_and(|error| error.kind == Exit::NotFound);
    let told = if is_late {
        std::thread::sleep(MOMENT);
        attempt(args, traveller, context)
    } else {
        told
    };
    told.map_err(|error| with_hint(error, args))
}

fn attempt(
    args: &Args,
    traveller: Option<&Traveller>,
    context: &mut Context<'_>,
) -> Result<Option<String>, CliError> {
    let destination = travel::destination(args.to(), traveller, context)?;
    if args.print {
        let Destination { spot, .. } = destination;
        writeln!(context.out, "{}\t{}", spot.socket, spot.pane)?;
        return Ok(None);
    }
    let is_there = traveller.and_then(Traveller::spot).as_ref() == Some(&destination.spot);
    let note = travel::go(&destination, traveller, context)?;
    let stays = (args.next && is_there).then(|| "nobody else waits for you".to_owned());
    Ok(note.or(stays))
}

fn with_hint(error: CliError, args: &Args) -> CliError {
    match &args.session {
        _ if error.kind != Exit::NotFound || error.hint.is_some() => error,
        Some(session) => error.hint(format!("`atm show {session}` says what is known of it")),
        None => error.hint("`atm list` shows what all of them do"),
    }
}
