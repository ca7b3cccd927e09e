//! Which Claude Code is installed where.

use super::super::dump::{Install, Place};
use super::Env;
use crate::setup::claude;

pub(super) fn installs(env: Env<'_>) -> Vec<Install> {
    let install = |found: claude::Install| Install {
        path: Place(found.path),
        target: Place(found.target),
        version: found.version.map(|version| version.to_string()),
    };
    claude::installs(env).into_iter().map(install).collect()
}
