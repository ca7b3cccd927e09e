//! Folders that the user has not told Claude Code to trust: there it runs no hooks.

use super::super::dump::{Dump, Folder, Session};
use super::super::finding::Finding;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let untrusted = dump.trust.folders.iter().flatten().filter(|folder| !folder.is_trusted);
    untrusted.filter_map(|folder| judge(dump, folder)).collect()
}

fn judge(dump: &Dump, folder: &Folder) -> Option<Finding> {
    let live =
        || dump.sessions.iter().flatten().filter(|one| one.folder.as_ref() == Some(&folder.path));
    let path = &folder.path;
    // Hooks that arrive prove more than the file does: some clients trust for a session only.
    if live().any(|session| session.hooks) {
        return None;
    }
    let is_asked = |session: &&Session| session.attended != Some(false);
    if live().any(|session| is_asked(&session)) {
        return Some(
            Finding::warning(
                "trust.missing",
                format!("{path} is not trusted, and a session runs there"),
            )
            .means("Claude Code runs no hooks in a folder until you trust it.")
            .remedy(format!("start `claude` in {path} and accept its question")),
        );
    }
    let is_here = dump.here.as_ref() == Some(path);
    is_here.then(|| {
        Finding::note("trust.missing", format!("this folder ({path}) is not trusted yet"))
            .means("Claude Code runs no hooks in a folder until you trust it; it asks when you first start it there.")
            .remedy("start `claude` here and accept its question")
    })
}
