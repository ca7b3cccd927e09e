//! Programs of our names on the PATH.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::super::dump::{OnPath, Place};
use super::Env;
use super::identity::{self, Ask};

pub(super) fn collect(env: Env<'_>, own: Option<&Place>) -> Vec<OnPath> {
    let named = |name: &'static str| on_path(env, name).into_iter().map(move |path| (name, path));
    named("atm")
        .chain(named("cld"))
        .map(|(name, path)| OnPath {
            name: name.to_owned(),
            identity: identity::of(&path, own, Ask::Yes),
            path: Place(path),
        })
        .collect()
}

/// In the order in which a shell looks; a folder named twice counts once.
pub(super) fn on_path(env: Env<'_>, name: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&env("PATH").unwrap_or_default()) {
        let path = folder.join(name);
        if folder.is_absolute() && is_executable(&path) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
