//! Mends what the doctor says it can: each act is shown and agreed to first.

use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use atm_core::proto::message::Request;

use super::dump::Place;
use super::finding::{Finding, Fix};
use crate::client::Client;
use crate::commands::{daemon, setup, uninstall};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::consent::{Answer, Consent};
use crate::setup::files::{cannot, remove_if_there};
use crate::setup::tmux::server::Server;

/// Fails only if nobody can be asked; an act that fails is told and does not keep others from theirs.
pub(crate) fn run(
    findings: &[Finding],
    consent: &Consent,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    if !consent.is_given() && !io::stdin().is_terminal() {
        let message = "nothing was changed: standard input is no terminal, so nobody can be asked";
        return Err(CliError::new(Exit::Usage, message)
            .hint("add --yes to mend all that can be mended, or run `atm doctor` alone"));
    }
    let mut done: Vec<&Fix> = Vec::new();
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        if done.contains(&fix) {
            continue;
        }
        done.push(fix);
        if let Err(error) = mend(fix, consent, context) {
            writeln!(context.out, "could not be mended: {}", error.message)?;
            if let Some(hint) = error.hint {
                writeln!(context.out, "hint: {hint}")?;
            }
        }
    }
    Ok(())
}

fn mend(fix: &Fix, consent: &Consent, context: &mut Context<'_>) -> Result<(), CliError> {
    // These two show a diff and ask by themselves.
    match fix {
        Fix::Register => return setup::register(consent, context),
        Fix::TakeOut(path) => return uninstall::take_out(path, consent, context),
        _ => writeln!(context.out, "to be mended: {}", describe(fix))?,
    }
    if consent.seek(context.out)? == Answer::No {
        return Ok(());
    }
    match fix {
        Fix::Register | Fix::TakeOut(_) => {}
        Fix::RestartDaemon => restart(context)?,
        Fix::MakePrivate(paths) => paths.iter().try_for_each(|path| make_private(path))?,
        Fix::RemoveSockets(paths) => {
            paths.iter().try_for_each(|path| remove_socket(path, context))?;
        }
        Fix::SourceTmux { socket, file } => source(socket, file, context)?,
    }
    Ok(())
}

fn describe(fix: &Fix) -> String {
    let list = |paths: &[std::path::PathBuf]| {
        paths.iter().map(|path| Place::of(path).to_string()).collect::<Vec<_>>().join(", ")
    };
    match fix {
        Fix::Register => "register the hooks".to_owned(),
        Fix::TakeOut(path) => format!("take our hooks out of {}", Place::of(path)),
        Fix::RestartDaemon => "stop the daemon and start this version".to_owned(),
        Fix::MakePrivate(paths) => format!("take away the rights of others on {}", list(paths)),
        Fix::RemoveSockets(paths) => format!("remove {}", list(paths)),
        Fix::SourceTmux { socket, file } => {
            format!("let the tmux server at {} read {}", Place::of(socket), Place::of(file))
        }
    }
}

fn restart(context: &mut Context<'_>) -> Result<(), CliError> {
    daemon::stop(context)?;
    daemon::start(context)?;
    Ok(())
}

fn make_private(path: &Path) -> Result<(), CliError> {
    let done = fs::symlink_metadata(path).and_then(|meta| {
        if meta.is_symlink() {
            return Ok(());
        }
        let own = if meta.is_dir() { 0o700 } else { meta.mode() & 0o700 };
        fs::set_permissions(path, fs::Permissions::from_mode(own))
    });
    // A file that is gone meanwhile is as good as private.
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(|error| cannot("change the rights of", path, &error)),
    }
}

/// Only as long as no daemon holds the lock: then nobody lives behind it.
fn remove_socket(path: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let lock = fs::File::options().write(true).open(context.places.lock());
    if lock.is_ok_and(|file| file.try_lock().is_err()) {
        return Err(CliError::new(Exit::Failed, "a daemon has come up meanwhile")
            .hint("run `atm doctor` again"));
    }
    remove_if_there(path).map_err(|error| cannot("remove", path, &error))
}

/// What the daemon shows comes with it.
fn source(socket: &Path, file: &Path, context: &Context<'_>) -> Result<(), CliError> {
    let gone = || CliError::new(Exit::Failed, "tmux is no longer on the PATH");
    let plain = || CliError::new(Exit::Failed, "tmux cannot be told of a path that is not UTF-8");
    let server = Server::at(socket).ok_or_else(gone)?;
    server.load(file.to_str().ok_or_else(plain)?)?;
    if let Ok(mut client) = Client::connect(&context.places, context.patience) {
        client.ask(&Request::Repaint)?;
    }
    Ok(())
}
