//! The journal's directory: the user's own, for nobody else to see.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use super::JournalError;

const PRIVATE: u32 = 0o700;

pub(super) fn prepare(dir: &Path) -> Result<(), JournalError> {
    // A trailing slash would make the kernel follow a symlink.
    let dir = dir.components().as_path();
    let meta = match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create(dir),
        meta => meta.map_err(|error| JournalError::io("look at", dir, error))?,
    };
    if meta.is_symlink() {
        return Err(JournalError::Symlink { path: dir.to_owned() });
    }
    if !meta.is_dir() {
        return Err(JournalError::NotADirectory { path: dir.to_owned() });
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(JournalError::Foreign { path: dir.to_owned(), uid: meta.uid() });
    }
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(dir, Permissions::from_mode(PRIVATE))
            .map_err(|error| JournalError::io("make private", dir, error))?;
    }
    Ok(())
}

fn create(dir: &Path) -> Result<(), JournalError> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE)
        .create(dir)
        .map_err(|error| JournalError::io("create", dir, error))
}
