//! `atm uninstall`: takes out what setup put in, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::daemon;
use super::setup::user_settings;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::consent::{Answer, Consent};
use crate::setup::diff::visible;
use crate::setup::files::{TextFile, cannot, draft_of, folder, plain, remove_if_there};
use crate::setup::ledger::{self, Entry, Ledger, Origin};
use crate::setup::plan::{After, Plan};
use crate::setup::purge;

/// Take the hooks out of every file that `atm setup` changed
///
/// A file that nobody else changed since is byte for byte what it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  atm uninstall --dry-run\n  atm uninstall --yes --purge")]
pub(crate) struct Args {
    #[command(flatten)]
    consent: Consent,
    /// Stop the daemon and remove everything atm has recorded, too
    #[arg(long)]
    purge: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    if args.purge {
        purge::survey(&context.places)?;
    }
    let ledger = Ledger::load(&context.places)?;
    let (plans, failures) = plan(&ledger);
    for plan in plans.iter().filter(|plan| plan.is_change()) {
        plan.write_diff(&context.screen, context.out)?;
    }
    if args.purge {
        let state = visible(&context.places.state.to_string_lossy());
        writeln!(context.out, "to be removed: {state}")?;
    }
    let is_change = args.purge || plans.iter().any(Plan::is_change);
    if is_change && args.consent.seek(context.out)? == Answer::No {
        return conclude(failures);
    }
    if !args.consent.dry_run {
        apply(&plans, context)?;
    }
    if !is_change && failures.is_empty() {
        writeln!(context.out, "nothing of atm is set up")?;
    }
    // The ledger is needed until the last file is clean.
    if args.purge && failures.is_empty() {
        daemon::stop(context)?;
        purge::run(&context.places)?;
        let state = visible(&context.places.state.to_string_lossy());
        writeln!(context.out, "removed {state}")?;
    }
    conclude(failures)
}

/// Takes our hooks out of one file, for other commands.
pub(crate) fn take_out(
    path: &Path,
    consent: &Consent,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let ledger = Ledger::load(&context.places)?;
    let plan = Plan::uninstall(TextFile::load(path)?, ledger.files.get(path))?;
    plan.write_diff(&context.screen, context.out)?;
    match consent.seek(context.out)? {
        Answer::No => Ok(()),
        Answer::Yes => apply(&[plan], context),
    }
}

/// A file that cannot be dealt with does not keep the others from it.
fn plan(ledger: &Ledger) -> (Vec<Plan>, Vec<CliError>) {
    let mut paths: BTreeSet<_> = ledger.files.keys().cloned().collect();
    paths.extend(user_settings().ok());
    // Of several names of one file, that by which it was changed comes first.
    let mut paths: Vec<_> = paths.into_iter().collect();
    paths.sort_by_key(|path| !ledger.files.get(path).is_some_and(Entry::has_changed));
    let (mut plans, mut failures) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for path in paths {
        let file = TextFile::load(&path);
        match file.and_then(|file| Plan::uninstall(file, ledger.files.get(&path))) {
            Ok(plan) if seen.insert(plain(&plan.file.target)) => plans.push(plan),
            Ok(plan) => plans.push(Plan { after: After::Same, ..plan }),
            Err(error) => failures.push(error),
        }
    }
    (plans, failures)
}

fn apply(plans: &[Plan], context: &mut Context<'_>) -> Result<(), CliError> {
    let _held = ledger::hold(&context.places)?;
    for plan in plans {
        if plan.is_change() {
            plan.file.check_unchanged()?;
        }
        let path = plan.file.name();
        match &plan.after {
            After::Same => {}
            After::Text(text) => {
                plan.file.save(text)?;
                writeln!(context.out, "hooks taken out of {path}")?;
            }
            After::Gone => {
                plan.file.remove()?;
                writeln!(context.out, "removed {path}, which setup had made")?;
            }
        }
        for kept in tidy(plan)? {
            writeln!(
                context.out,
                "kept {}: the file was changed since",
                visible(&kept.to_string_lossy())
            )?;
        }
        // After the file: until it is clean, the ledger is needed.
        let mut ledger = Ledger::load(&context.places)?;
        if ledger.files.remove(&plan.file.path).is_some() {
            ledger.save(&context.places)?;
        }
    }
    Ok(())
}

/// Removes what setup left around the file; returns the backups that hold something of their own.
fn tidy(plan: &Plan) -> Result<Vec<&Path>, CliError> {
    let mut kept = Vec::new();
    for backup in &plan.entry.backups {
        match fs::read_to_string(backup) {
            Ok(text) if plan.covers(&text) => remove(backup)?,
            Ok(_) => kept.push(backup.as_path()),
            // Never came to be, or is no longer what setup wrote.
            Err(_) => {}
        }
        remove(&draft_of(backup))?;
    }
    remove(&draft_of(&plan.file.target))?;
    if plan.entry.origin == Origin::MadeFileAndFolder && plan.text_after().is_none() {
        // Fails if anything is in it, and then it stays.
        fs::remove_dir(folder(&plan.file.target)).ok();
    }
    Ok(kept)
}

fn remove(path: &Path) -> Result<(), CliError> {
    remove_if_there(path).map_err(|error| cannot("remove", path, &error))
}

fn conclude(mut failures: Vec<CliError>) -> Result<Exit, CliError> {
    if failures.is_empty() {
        return Ok(Exit::Ok);
    }
    let mut first = failures.remove(0);
    first.notes.extend(failures.into_iter().map(|failure| failure.message));
    Err(first)
}
