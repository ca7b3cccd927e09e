//! `atm setup`: registers our hooks with the agent.

use std::io::Write;
use std::path::PathBuf;

use atm_core::places::claude_dir;
use atm_core::settings::hooks_in;
use clap::ValueEnum;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::consent::{Answer, Consent};
use crate::setup::diff::visible;
use crate::setup::files::{TextFile, plain};
use crate::setup::hooks;
use crate::setup::ledger::{self, Ledger};
use crate::setup::plan::Plan;

/// Register the hooks in the settings of Claude Code
///
/// Shows the change as a diff and asks. Everything else in the file stays byte for byte, and a backup
/// is put beside it. Can be run again, also to follow an atm that has moved; `atm uninstall` takes it
/// all back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm setup --dry-run\n  atm setup --scope local")]
pub(crate) struct Args {
    #[command(flatten)]
    consent: Consent,
    /// Set up only this
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Part>,
    /// Whose sessions: all of yours, or those in the current directory
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The hooks of Claude Code
    Claude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// ~/.claude/settings.json, or that in CLAUDE_CONFIG_DIR
    User,
    /// .claude/settings.json here, which is shared with others
    Project,
    /// .claude/settings.local.json here
    Local,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    register_in(args.scope, &args.consent, context)
}

/// `atm setup` for the hooks in the user's settings, for other commands.
pub(crate) fn register(consent: &Consent, context: &mut Context<'_>) -> Result<(), CliError> {
    register_in(Scope::User, consent, context).map(|_| ())
}

fn register_in(
    scope: Scope,
    consent: &Consent,
    context: &mut Context<'_>,
) -> Result<Exit, CliError> {
    let file = TextFile::load(&scope.settings()?)?;
    let ledger = Ledger::load(&context.places)?;
    let known = ledger.files.get(&file.path);
    let wanted = hooks::wanted(&hooks::this_program()?);
    let plan = Plan::setup(file, &wanted, known)?.with_backup(Context::now());
    if !plan.is_change() {
        if known.is_none() && !consent.dry_run {
            apply(&plan, context)?;
        }
        writeln!(context.out, "already set up: {}", plan.file.name())?;
        warn_if_disabled(&plan, context.out)?;
        return Ok(Exit::Ok);
    }
    plan.write_diff(&context.screen, context.out)?;
    if consent.seek(context.out)? == Answer::No {
        return Ok(Exit::Ok);
    }
    apply(&plan, context)?;
    writeln!(context.out, "set up: {} hooks in {}", wanted.len(), plan.file.name())?;
    writeln!(
        context.out,
        "running sessions take them up by themselves; `atm uninstall` takes them out"
    )?;
    if let Some(backup) = plan.entry.backups.last().filter(|_| plan.file.text.is_some()) {
        writeln!(context.out, "the file as it was: {}", visible(&backup.to_string_lossy()))?;
    }
    warn_if_disabled(&plan, context.out)?;
    Ok(Exit::Ok)
}

fn apply(plan: &Plan, context: &Context<'_>) -> Result<(), CliError> {
    ledger::prepare(&context.places)?;
    let _held = ledger::hold(&context.places)?;
    plan.file.check_unchanged()?;
    let mut ledger = Ledger::load(&context.places)?;
    ledger.files.insert(plan.file.path.clone(), plan.entry.clone());
    ledger.save(&context.places)?;
    if !plan.is_change() {
        return Ok(());
    }
    if plan.file.text.is_some()
        && let Some(backup) = plan.entry.backups.last()
    {
        plan.file.copy_to(backup)?;
    }
    plan.file.save(plan.text_after().unwrap_or_default())
}

fn warn_if_disabled(plan: &Plan, out: &mut dyn Write) -> Result<(), CliError> {
    let found = hooks_in(plan.text_after().unwrap_or_default());
    if found.is_ok_and(|found| found.is_disabled) {
        writeln!(out, "note: `disableAllHooks` is set there; until it goes, no hook runs")?;
    }
    Ok(())
}

impl Scope {
    fn settings(self) -> Result<PathBuf, CliError> {
        let here = || {
            std::env::current_dir()
                .map(|here| here.join(".claude"))
                .map_err(|error| CliError::failed("cannot find the current directory", &error))
        };
        match self {
            Scope::User => user_settings(),
            Scope::Project => Ok(plain(&here()?.join("settings.json"))),
            Scope::Local => Ok(plain(&here()?.join("settings.local.json"))),
        }
    }
}

pub(crate) fn user_settings() -> Result<PathBuf, CliError> {
    let folder = claude_dir(&|name| std::env::var_os(name)).ok_or_else(|| {
        CliError::new(Exit::Failed, "neither CLAUDE_CONFIG_DIR nor HOME is set to an absolute path")
            .hint("set HOME, or choose --scope project or local")
    })?;
    Ok(plain(&folder.join("settings.json")))
}
