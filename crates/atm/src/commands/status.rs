//! `atm status`: all sessions in one line.

use atm_core::config::theme::Colours;
use atm_core::config::{Config, Glyphs};
use atm_core::proto::message::{Reply, Request};
use atm_core::summary::{Click, Summary};
use atm_core::words::Charset;
use clap::ValueEnum;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;

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
        Format::Tmux => {
            writeln!(context.out, "{}", tmux(&summary, &context.config(), context.screen.charset))?;
        }
    }
    Ok(Exit::Ok)
}

/// tmux tells its version to what it runs, `#()` included.
fn tmux(summary: &Summary, config: &Config, screen: Charset) -> String {
    let text = |name: &str| std::env::var(name).unwrap_or_default();
    let version = Some(text("TERM_PROGRAM_VERSION")).filter(|_| text("TERM_PROGRAM") == "tmux");
    let click = version.map_or(Click::Nothing, |version| Click::of_version(&version));
    let charset = match config.tmux.glyphs {
        Glyphs::Ascii => Charset::Ascii,
        Glyphs::Unicode => screen,
    };
    summary.tmux(&Colours::of(config), charset, click)
}
