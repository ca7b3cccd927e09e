//! Whether another program is this one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::super::dump::{Identity, Place};
use crate::program;

/// Of our `--help`: other programs are called atm, too.
const ABOUT: &str = "coding agent in your tmux";

/// Whether the program may be run to ask it. One that a project's files name may not: nobody has
/// agreed to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Yes,
    No,
}

pub(super) fn of(path: &Path, own: Option<&Place>, ask: Ask) -> Identity {
    if let Some(own) = own {
        if is_same_file(path, &own.0) {
            return Identity::Same;
        }
        if is_same_content(path, &own.0) {
            return Identity::Copy;
        }
    }
    match ask {
        Ask::Yes => Identity::Other { version: version(path) },
        Ask::No => Identity::Unasked,
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    id(one).is_some_and(|found| Some(found) == id(other))
}

fn is_same_content(one: &Path, other: &Path) -> bool {
    let size = |path: &Path| path.metadata().ok().map(|meta| meta.len());
    size(one).is_some_and(|found| Some(found) == size(other))
        && matches!((fs::read(one), fs::read(other)), (Ok(a), Ok(b)) if a == b)
}

fn version(path: &Path) -> Option<String> {
    let said = program::version(OsStr::new(path)).ok()?;
    let version = said.strip_prefix("atm ")?.to_owned();
    let help = program::run_with(OsStr::new(path), &[OsStr::new("--help")], b"", &[]).ok()?;
    help.out.contains(ABOUT).then_some(version)
}
