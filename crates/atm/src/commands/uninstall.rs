//! `atm uninstall`: takes out what setup put in, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use atm_core::proto::message::Request;

use super::daemon;
use super::setup::user_settings;
use crate::client::Client;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::consent::{Answer, Consent};
use crate::setup::diff::visible;
use crate::setup::files::{TextFile, cannot, draft_of, folder, plain, remove_if_there};
use crate::setup::ledger::{self, Entry, Kind, Ledger, Origin};
use crate::setup::plan::{After, Plan};
use crate::setup::purge;
use crate::setup::tmux::possible_files;
use crate::setup::tmux::server::Server;

/// Take out everything that `atm setup` put in
///
/// Out of every file that it changed, and out of the running tmux servers. A file that nobody else
/// changed since is byte for byte what it was.
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
    let servers = Server::all(&context.places);
    let (plans, mut failures) = plan(&ledger, &possible(context, &servers));
    let servers: Vec<Server> = servers.into_iter().filter(Server::has_ours).collect();
    show(args, &plans, &servers, context)?;
    let is_change = args.purge || !servers.is_empty() || plans.iter().any(Plan::is_change);
    if is_change && args.consent.seek(context.out)? == Answer::No {
        return conclude(failures);
    }
    if !args.consent.dry_run {
        apply(&plans, context, &mut failures)?;
        failures.extend(unpaint(context).err());
        withdraw(&servers, context, &mut failures)?;
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

/// Takes ours out of one settings file, for other commands.
pub(crate) fn take_out(
    path: &Path,
    consent: &Consent,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let ledger = Ledger::load(&context.places)?;
    let plan = Plan::uninstall(TextFile::load(path)?, Kind::Settings, ledger.files.get(path))?;
    plan.write_diff(&context.screen, context.out)?;
    if consent.seek(context.out)? == Answer::No {
        return Ok(());
    }
    let mut failures = Vec::new();
    apply(&[plan], context, &mut failures)?;
    conclude(failures).map(drop)
}

fn show(
    args: &Args,
    plans: &[Plan],
    servers: &[Server],
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    for plan in plans.iter().filter(|plan| plan.is_change()) {
        plan.write_diff(&context.screen, context.out)?;
    }
    for server in servers {
        writeln!(context.out, "to be taken out of the running tmux at {}", server.name())?;
    }
    if args.purge {
        let state = visible(&context.places.state.to_string_lossy());
        writeln!(context.out, "to be removed: {state}")?;
    }
    Ok(())
}

/// Where something of ours may be even if the ledger is lost.
fn possible(context: &Context<'_>, servers: &[Server]) -> Vec<(PathBuf, Kind)> {
    let settings = user_settings().ok().map(|path| (path, Kind::Settings));
    settings.into_iter().chain(possible_files(&context.places, servers)).collect()
}

/// A file that cannot be dealt with does not keep the others from it.
fn plan(ledger: &Ledger, possible: &[(PathBuf, Kind)]) -> (Vec<Plan>, Vec<CliError>) {
    let known = ledger.files.iter().map(|(path, entry)| (path.clone(), entry.kind));
    let mut paths: Vec<(PathBuf, Kind)> = known.collect();
    paths.extend(possible.iter().filter(|(path, _)| !ledger.files.contains_key(path)).cloned());
    // Of several names of one file, that by which it was changed comes first.
    paths.sort_by_key(|(path, _)| !ledger.files.get(path).is_some_and(Entry::has_changed));
    let (mut plans, mut failures) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for (path, kind) in paths {
        let file = TextFile::load(&path);
        match file.and_then(|file| Plan::uninstall(file, kind, ledger.files.get(&path))) {
            Ok(plan) if seen.insert(plain(&plan.file.target)) => plans.push(plan),
            Ok(plan) => plans.push(Plan { after: After::Same, ..plan }),
            Err(error) => failures.push(error),
        }
    }
    // The line goes before the file that it loads.
    plans.sort_by_key(|plan| plan.entry.kind == Kind::Generated);
    (plans, failures)
}

fn apply(
    plans: &[Plan],
    context: &mut Context<'_>,
    failures: &mut Vec<CliError>,
) -> Result<(), CliError> {
    let _held = ledger::hold(&context.places)?;
    for plan in plans {
        match apply_one(plan, context) {
            Err(error) if error.kind == Exit::Ok => return Err(error),
            Err(error) => failures.push(error),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn apply_one(plan: &Plan, context: &mut Context<'_>) -> Result<(), CliError> {
    let name = plan.file.name();
    if plan.is_change() {
        plan.file.check_unchanged()?;
    }
    match &plan.after {
        After::Same => {}
        After::Text(text) => {
            plan.file.save(text)?;
            writeln!(context.out, "taken out of {name}")?;
        }
        After::Gone => {
            plan.file.remove()?;
            writeln!(context.out, "removed {name}, which setup had made")?;
        }
    }
    for kept in tidy(plan)? {
        let kept = visible(&kept.to_string_lossy());
        writeln!(context.out, "kept {kept}: the file was changed since")?;
    }
    // After the file: until it is clean, the ledger is needed.
    let mut ledger = Ledger::load(&context.places)?;
    if ledger.files.remove(&plan.file.path).is_some() {
        ledger.save(&context.places)?;
    }
    Ok(())
}

/// From now on nothing is shown in tmux. A daemon that does not run is not started: it finds the
/// note, if it could know of a session at all.
fn unpaint(context: &Context<'_>) -> Result<(), CliError> {
    let places = &context.places;
    if let Ok(mut client) = Client::connect(places, context.patience) {
        return client.ask(&Request::Unpaint).map(drop);
    }
    if !places.database().exists() && !places.journal().exists() {
        return Ok(());
    }
    let file = places.tmux_off();
    fs::write(&file, "").map_err(|error| cannot("write", &file, &error))
}

fn withdraw(
    servers: &[Server],
    context: &mut Context<'_>,
    failures: &mut Vec<CliError>,
) -> Result<(), CliError> {
    for server in servers {
        match server.clear() {
            Ok(()) => writeln!(context.out, "taken out of the running tmux at {}", server.name())?,
            Err(error) => failures.push(error),
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
        let innermost = [folder(&plan.file.target)].into_iter();
        for made in innermost.chain(plan.entry.folders.iter().map(PathBuf::as_path)) {
            // Fails if anything is in it, and then it stays.
            fs::remove_dir(made).ok();
        }
    }
    Ok(kept)
}

fn remove(path: &Path) -> Result<(), CliError> {
    remove_if_there(path).map_err(|error| cannot("remove", path, &error))
}

fn conclude(failures: Vec<CliError>) -> Result<Exit, CliError> {
    CliError::first_of(failures).map_or(Ok(Exit::Ok), Err)
}
