//! `atm pick`: choose a session on a full screen, and go there.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use atm_core::jump::{Spot, To};
use atm_core::places::Places;
use atm_core::proto::message::Request;
use atm_core::stamp::Stamp;
use atm_core::tmux::reach;
use atm_core::view::SessionView;
use atm_tui::{Choice, Heard, Look, News, Outcome, World};

use crate::client::{Stream, Told};
use crate::context::{Context, Starter};
use crate::error::CliError;
use crate::exit::Exit;
use crate::screen::{Colour, Screen};
use crate::tmux::Server;
use crate::travel::{self, Traveller};

/// Choose a session from a list and go there
///
/// Letters narrow the list; the pane of the selected session is shown where there is room. Made for
/// a popup of tmux, and works in any terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bind-key g display-popup -E -w 80% -h 80% 'atm pick'   in your tmux.conf
  atm show \"$(atm pick --print)\"")]
pub(crate) struct Args {
    /// Print the id of the chosen session and stay here; exit code 4 if none was chosen
    #[arg(long)]
    print: bool,
    /// The tmux client to move; without it the one used last
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let is_shown = args.print || io::stdout().is_terminal();
    if !is_shown || !io::stdin().is_terminal() {
        return Err(CliError::new(Exit::Usage, "the picker needs a terminal")
            .hint("`atm list` prints the sessions; `atm jump --next` goes to who waits longest"));
    }
    // Before the picker shows: whatever is typed there, the user came from here.
    let traveller = Traveller::look(args.client.as_deref());
    match show(args, context)? {
        Outcome::Left if args.print => Ok(Exit::NotFound),
        Outcome::Left => Ok(Exit::Ok),
        Outcome::Chosen(view) if args.print => {
            writeln!(context.out, "{}", view.id)?;
            Ok(Exit::Ok)
        }
        Outcome::Chosen(view) => go(&view, traveller.as_ref(), context),
    }
}

fn show(args: &Args, context: &Context<'_>) -> Result<Outcome, CliError> {
    let screen = context.screen;
    let look = Look {
        colour: match screen.colour {
            Colour::Off if screen.width.is_some() => atm_tui::Colour::Off,
            // Where the output goes says nothing about the terminal that the picker is on.
            Colour::Off if std::env::var_os("NO_COLOR").is_some_and(|no| !no.is_empty()) => {
                atm_tui::Colour::Off
            }
            Colour::Off | Colour::On => atm_tui::Colour::On,
        },
        charset: screen.charset,
        home: context.home.clone(),
    };
    let choice = if args.print { Choice::Any } else { Choice::Panes };
    let world = Outside {
        places: context.places.clone(),
        screen,
        patience: context.patience,
        start: context.start,
        config_dir: std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from),
    };
    atm_tui::pick(look, choice, &Arc::new(world))
        .map_err(|error| CliError::failed("the terminal cannot show the picker", &error))
}

fn go(
    view: &SessionView,
    traveller: Option<&Traveller>,
    context: &mut Context<'_>,
) -> Result<Exit, CliError> {
    let to = To::Who(view.key.clone());
    let destination = travel::destination(to, traveller, context)?;
    let note = travel::go(&destination, traveller, context)?;
    if let Some(note) = note {
        // A popup is closed with what it says.
        match traveller.and_then(|traveller| traveller.tell(&note)) {
            Some(()) => {}
            None => writeln!(context.out, "{}", atm_core::text::clean(&note, 500))?,
        }
    }
    Ok(Exit::Ok)
}

/// What the picker knows of the world: the daemon, and tmux.
struct Outside {
    places: Places,
    screen: Screen,
    patience: Duration,
    start: Starter,
    config_dir: Option<PathBuf>,
}

impl Outside {
    fn context<'a>(&self, out: &'a mut io::Sink) -> Context<'a> {
        Context {
            places: self.places.clone(),
            screen: self.screen,
            home: None,
            out,
            patience: self.patience,
            start: self.start,
        }
    }

    fn stream(&self, tell: &mut dyn FnMut(News) -> Heard) -> Result<(), CliError> {
        let mut out = io::sink();
        let context = self.context(&mut out);
        // A daemon that runs already may not know of it.
        if let Some(dir) = self.config_dir.as_ref().and_then(|dir| dir.to_str()) {
            context.ask(&Request::Watch { config_dir: dir.to_owned() })?;
        }
        // Where panes are is looked up for who lists, and the stream tells what changed by it.
        context.ask(&Request::List { all: false })?;
        let (mut stream, sessions) = Stream::open(&context)?;
        let mut told = Told::Snapshot(sessions);
        loop {
            let news = match told {
                Told::Snapshot(sessions) => Some(News::Snapshot(sessions)),
                Told::Changed(session) => Some(News::Changed(session)),
                Told::Removed { id, key } => Some(News::Removed { id, key }),
                Told::Silence => None,
            };
            if news.map(&mut *tell) == Some(Heard::NobodyListens) {
                return Ok(());
            }
            told = stream.next(&context, None)?;
        }
    }
}

impl World for Outside {
    fn now(&self) -> Stamp {
        Context::now()
    }

    fn follow(&self, tell: &mut dyn FnMut(News) -> Heard) {
        if let Err(error) = self.stream(tell) {
            let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            tell(News::Trouble(format!("{}{hint}", error.message)));
        }
    }

    fn capture(&self, spot: &Spot) -> Result<String, String> {
        Server::at(&spot.socket).run(reach::capture(&spot.pane)).map_err(|error| error.to_string())
    }

    fn dismiss(&self, key: &str) -> Result<(), String> {
        let mut out = io::sink();
        let asked = self.context(&mut out).ask(&Request::Dismiss { who: Some(key.to_owned()) });
        asked.map(drop).map_err(|error| error.message)
    }
}
