//! `atm doctor`: what works, what does not, and what mends it.

use std::io::Write;
use std::time::Duration;

use atm_core::places::Places;
use atm_core::view::SCHEMA;
use serde::Serialize;

use crate::context::Context;
use crate::doctor::checks::{check, worst};
use crate::doctor::collect::{Look, Test};
use crate::doctor::dump::Dump;
use crate::doctor::finding::{Finding, Level};
use crate::doctor::{fix, render};
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::screen::Screen;
use crate::setup::consent::Consent;

/// Check everything that atm relies on, and say what mends it
///
/// Looks at Claude Code, hooks in every scope, the daemon, its files, tmux and the PATH, and sends one
/// marked event through the real path; no session comes of it. Exit code 1 if there is a problem.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  atm doctor\n  atm doctor --fix\n  atm doctor --json | jq '.findings[] | select(.level != \"ok\")'"
)]
pub(crate) struct Args {
    /// Print the findings, and all that was looked at, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mending: Mending,
    /// Send no event
    #[arg(long)]
    no_self_test: bool,
}

#[derive(Debug, clap::Args)]
struct Mending {
    /// Mend what can be mended, each after a question; then check again
    #[arg(long, conflicts_with = "json")]
    fix: bool,
    /// Mend without asking
    #[arg(long, requires = "fix")]
    yes: bool,
}

#[derive(Serialize)]
struct DoctorJson<'a> {
    schema: u32,
    level: Level,
    findings: &'a [Finding],
    dump: &'a Dump,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let (places, patience) = (context.places.clone(), context.patience);
    let (dump, findings) = examine(args, Some(&places), patience);
    show(args, (&dump, &findings), &context.screen, context.out)?;
    if !args.mending.fix || findings.iter().all(|finding| finding.fix.is_none()) {
        return Ok(exit(&findings));
    }
    writeln!(context.out)?;
    fix::run(&findings, &Consent::of(args.mending.yes), context)?;
    writeln!(context.out, "\nafter mending:\n")?;
    let (dump, findings) = examine(args, Some(&places), patience);
    show(args, (&dump, &findings), &context.screen, context.out)?;
    Ok(exit(&findings))
}

/// Without a home there is no state directory: what else there is can be looked at all the same.
pub(crate) fn run_without_places(args: &Args, out: &mut dyn Write) -> Result<Exit, CliError> {
    let (dump, findings) = examine(args, None, Duration::ZERO);
    let screen = Screen::from_env(&|name| std::env::var_os(name));
    show(args, (&dump, &findings), &screen, out)?;
    Ok(exit(&findings))
}

fn examine(args: &Args, places: Option<&Places>, patience: Duration) -> (Dump, Vec<Finding>) {
    let test = if args.no_self_test { Test::Skip } else { Test::Run };
    let dump = Look { env: &|name| std::env::var_os(name), places, patience, test }.collect();
    let findings = check(&dump);
    (dump, findings)
}

fn show(
    args: &Args,
    (dump, findings): (&Dump, &[Finding]),
    screen: &Screen,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if args.json {
        let level = worst(findings);
        return json::line(out, &DoctorJson { schema: SCHEMA, level, findings, dump });
    }
    Ok(render::write(findings, screen, out)?)
}

fn exit(findings: &[Finding]) -> Exit {
    if worst(findings) == Level::Problem { Exit::Failed } else { Exit::Ok }
}
