//! Removes the state directory, if it is one: whatever is not known to be atm's stays.

use std::fs;
use std::io;
use std::path::PathBuf;

use atm_core::places::Places;

use super::files::cannot;
use super::ledger::vet;
use crate::error::CliError;
use crate::exit::Exit;

/// Everything in the state directory; empty if there is none. Refuses one that holds anything that
/// atm did not put there: the variable may point at the wrong place.
pub(crate) fn survey(places: &Places) -> Result<Vec<PathBuf>, CliError> {
    vet(places)?;
    let entries = match fs::read_dir(&places.state) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let entries = entries.map_err(|error| cannot("read", &places.state, &error))?;
    match entries.iter().find(|entry| !is_ours(&entry.file_name().to_string_lossy())) {
        None => Ok(entries.iter().map(fs::DirEntry::path).collect()),
        Some(stranger) => Err(CliError::new(
            Exit::Failed,
            format!("{} is not atm's, so its directory stays", stranger.path().display()),
        )
        .hint("move it away, or run without --purge")),
    }
}

/// What has gone by itself meanwhile is no failure.
pub(crate) fn run(places: &Places) -> Result<(), CliError> {
    for path in survey(places)? {
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        forgive(removed).map_err(|error| cannot("remove", &path, &error))?;
    }
    forgive(fs::remove_dir(&places.state)).map_err(|error| cannot("remove", &places.state, &error))
}

fn forgive(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

fn is_ours(name: &str) -> bool {
    let beginnings = [
        "atm.db",
        "atm.log",
        "atm.sock",
        "poke.sock",
        "daemon.",
        "setup.json",
        "index.db",
        "tmux.off",
    ];
    matches!(name, "journal" | ".setup.json.atm-new")
        || beginnings.iter().any(|beginning| name.starts_with(beginning))
}
