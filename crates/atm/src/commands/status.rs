//! `atm status`: all sessions in one line.

use atm_core::proto::message::{Reply, Request};
use atm_core::summary::{COLOURS, Click, Summary};
use clap::ValueEnum;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::screen::Screen;

/// Sum up all sessions in one line
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm status                                       2 need you (longest 4m) · 3 working
  set -g status-right '#(atm status --format tmux)'   in your tmux.conf")]
pub(crate) struct Args {
    #[arg(long, value_enum, default_value = "plain")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Glyphs and counts with tmux style marks
    Tmux,
    /// Words
    Plain,
    /// Counts as JSON
    Json,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let reply = context.ask(&Request::List { all: false })?;
    let Reply::Sessions { sessions } = reply else { return Err(unexpected()) };
    let summary = Summary::of(&sessions, Context::now());
    match if args.json { Format::Json } else { args.format } {
        Format::Json => json::line(context.out, &summary)?,
        Format::Plain => writeln!(context.out, "{}", summary.plain(context.screen.charset))?,
        Format::Tmux => writeln!(context.out, "{}", tmux(&summary, &context.screen))?,
    }
    Ok(Exit::Ok)
}

/// tmux tells its version to what it runs, `#()` included.
fn tmux(summary: &Summary, screen: &Screen) -> String {
    let text = |name: &str| std::env::var(name).unwrap_or_default();
    let version = Some(text("TERM_PROGRAM_VERSION")).filter(|_| text("TERM_PROGRAM") == "tmux");
    let click = version.map_or(Click::Nothing, |version| Click::of_version(&version));
    summary.tmux(COLOURS, screen.charset, click)
}
