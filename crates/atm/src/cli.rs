//! The command line: what can be typed, and what happens to what comes back.

use std::io::{self, BufWriter, Write};

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::{
    config, cost, daemon, demo, dismiss, doctor, events, explain, export, generate, jump, list,
    notify, path, pick, resume, sessions, setup, show, stats, status, statusline, uninstall, wait,
    watch,
};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::{EXIT_CODES, Exit};

const EXAMPLES: &str = "\
Examples:
  atm setup                        let Claude Code and tmux tell atm what happens
  atm list                         which session needs you, and what for
  atm jump --next                  go to whoever waits longest for you
  atm explain %3                   why the session in pane %3 is in its state
  atm wait 1f3a --until idle       block until a session has finished
  atm watch --json                 every change as a line of JSON
  atm resume 1f3a                  go on with a session, in its directory

A session is named by its id, a unique beginning of it (4 characters or more),
its name, or its pane (%3).";

/// Tells which coding agent in your tmux needs you, and why.
#[derive(Debug, Parser)]
#[command(name = "atm", version, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Show(show::Args),
    Explain(explain::Args),
    Events(events::Args),
    Watch(watch::Args),
    Wait(wait::Args),
    Status(status::Args),
    Jump(jump::Args),
    Pick(pick::Args),
    Dismiss(dismiss::Args),
    Resume(resume::Args),
    Export(export::Args),
    Path(path::Args),
    Sessions(sessions::Args),
    Cost(cost::Args),
    Notify(notify::Args),
    Stats(stats::Args),
    Setup(setup::Args),
    Uninstall(uninstall::Args),
    Config(config::Args),
    Doctor(doctor::Args),
    Daemon(daemon::Args),
    Demo(demo::Args),
    /// Take in one hook event on standard input (agents call this, not people)
    ///
    /// Prints nothing, exits 0 and never waits for the daemon.
    Hook,
    Statusline(statusline::Args),
    #[command(hide = true)]
    Generate(generate::Args),
}

pub(crate) fn main() -> Exit {
    let mut out = BufWriter::new(io::stdout().lock());
    let done = match Cli::try_parse() {
        Ok(cli) => match (Context::from_env(&mut out), &cli.command) {
            (Ok(mut context), _) => run(cli, &mut context),
            // It says more than that there is no home.
            (Err(_), Some(Command::Doctor(args))) => doctor::run_without_places(args, &mut out),
            (Err(error), _) => Err(error),
        },
        Err(error) => return usage(&error),
    };
    let flushed = out.flush().map_err(CliError::from);
    let failure = match (done, flushed) {
        (Ok(exit), Ok(())) => return exit,
        (Err(error), _) | (Ok(_), Err(error)) => error,
    };
    // Without standard error there is nobody left to tell.
    failure.report(&mut io::stderr().lock()).ok();
    failure.kind
}

pub(crate) fn run(cli: Cli, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match cli.command {
        None => list::run(&list::Args::default(), context),
        Some(Command::List(args)) => list::run(&args, context),
        Some(Command::Show(args)) => show::run(args, context),
        Some(Command::Explain(args)) => explain::run(args, context),
        Some(Command::Events(args)) => events::run(&args, context),
        Some(Command::Watch(args)) => watch::run(&args, context),
        Some(Command::Wait(args)) => wait::run(&args, context),
        Some(Command::Status(args)) => status::run(&args, context),
        Some(Command::Jump(args)) => jump::run(&args, context),
        Some(Command::Pick(args)) => pick::run(&args, context),
        Some(Command::Dismiss(args)) => dismiss::run(args, context),
        Some(Command::Resume(args)) => resume::run(&args, context),
        Some(Command::Export(args)) => export::run(&args, context),
        Some(Command::Path(args)) => path::run(&args, context),
        Some(Command::Sessions(args)) => sessions::run(&args, context),
        Some(Command::Cost(args)) => cost::run(&args, context),
        Some(Command::Notify(args)) => notify::run(args, context),
        Some(Command::Stats(args)) => stats::run(&args, context),
        Some(Command::Setup(args)) => setup::run(&args, context),
        Some(Command::Uninstall(args)) => uninstall::run(&args, context),
        Some(Command::Config(args)) => config::run(&args, context),
        Some(Command::Doctor(args)) => doctor::run(&args, context),
        Some(Command::Daemon(args)) => daemon::run(&args, context),
        Some(Command::Demo(args)) => demo::run(&args, context),
        Some(Command::Hook | Command::Statusline(_)) => Ok(Exit::Ok),
        Some(Command::Generate(args)) => generate::run(&args, context),
    }
}

/// Help and version go to standard output; a usage error is cleaned, for it quotes what was typed.
fn usage(error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        error.print().ok();
        return Exit::Ok;
    }
    let mut err = io::stderr().lock();
    clean_lines(&error.render().to_string()).try_for_each(|line| writeln!(err, "{line}")).ok();
    Exit::Usage
}

fn clean_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| {
        let words = line.trim_start_matches(' ');
        format!("{:indent$}{}", "", clean(words), indent = line.len() - words.len())
    })
}

fn clean(words: &str) -> String {
    atm_core::text::clean(words, 1000)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn usage_error_quotes_no_control_bytes() {
        let error = Cli::try_parse_from(["atm", "list", "--x\x1b[2J\u{9b}\x07"]).unwrap_err();
        let text: Vec<String> = clean_lines(&error.render().to_string()).collect();
        assert!(text[0].starts_with("error: unexpected argument '--x"), "{text:?}");
        assert!(!text.iter().any(|line| line.chars().any(char::is_control)));
    }

    const LINES: &[&str] = &[
        "atm",
        "atm list --json --all",
        "atm show %3 --json",
        "atm explain abcd --json",
        "atm events --json --follow --limit 5",
        "atm events abcd --raw",
        "atm watch --json",
        "atm wait abcd --until idle --timeout 30s --json",
        "atm status --format tmux",
        "atm status --json",
        "atm daemon",
        "atm daemon --foreground",
        "atm daemon --detached",
        "atm daemon stop",
        "atm daemon status --json",
        "atm config show --origin --json",
        "atm config path",
        "atm config schema",
        "atm config default",
        "atm config check",
        "atm jump abcd --print",
        "atm jump --next --client /dev/pts/3",
        "atm jump --last",
        "atm jump --last-notified",
        "atm pick --print",
        "atm pick --client /dev/pts/3",
        "atm dismiss",
        "atm notify test --channel osc9 --json",
        "atm notify mute abcd",
        "atm notify unmute abcd",
        "atm notify snooze abcd 30m",
        "atm notify log --limit 5 --json",
        "atm stats --since 7d --json",
        "atm dismiss abcd",
        "atm sessions",
        "atm sessions login --not tests --json --since 7d --until 2026-11-01 --limit 5",
        "atm sessions --dir . --branch main --model opus --tool Bash --status live",
        "atm cost",
        "atm cost --by project --since 2026-11-01 --json",
        "atm setup",
        "atm setup --yes --dry-run --only claude --scope local",
        "atm uninstall --yes --dry-run --purge",
        "atm doctor --json --no-self-test",
        "atm doctor --fix --yes",
        "atm generate man /tmp",
        "atm statusline",
        "atm statusline -- cat",
        "atm path encode /tmp --resolve --json",
        "atm path decode -home-u-app --root /tmp --all --json",
        "atm path decode --all -home-u-app",
        "atm path decode --claude-agents",
        "atm path decode -- --all",
        "atm resume",
        "atm resume -y 23e30f82",
        "atm resume 23e30f82 -n --print",
        "atm resume 23e30f82 --fork -- --model opus",
        "atm export 23e30f82 --format html --output /tmp/x --no-redact --tools",
    ];

    #[test]
    fn every_command_takes_its_documented_arguments() {
        for line in LINES {
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
        let wrong = [
            "atm dance",
            "atm show",
            "atm wait a --until later",
            "atm config",
            "atm jump",
            "atm jump --next --last",
            "atm jump x --next",
            "atm wait a --until later",
            "atm events --raw --follow",
            "atm events --raw --follow",
            "atm resume a -y -n",
            "atm resume -y --print -n",
            "atm export",
            "atm path",
            "atm cost --by colour",
            "atm sessions --since soon",
            "atm wait a --until later",
            "atm notify",
            "atm notify test --channel pigeon",
            "atm notify snooze abcd soon",
            "atm events --raw --follow",
        ];
        for line in wrong {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
