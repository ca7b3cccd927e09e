//! The state directory: ours alone, private, and held by one daemon at a time.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use atm_core::places::Places;

use crate::RunError;

#[derive(Debug, thiserror::Error)]
pub enum StateDirError {
    #[error("the state directory {path} is a symbolic link")]
    Symlink { path: PathBuf },
    #[error("the state directory {path} belongs to user {owner}")]
    Foreign { path: PathBuf, owner: u32 },
    #[error("{path} is no directory")]
    NoDirectory { path: PathBuf },
    #[error("cannot use the state directory {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Makes the directory if it is missing and refuses one that somebody else controls.
pub(crate) fn prepare(places: &Places) -> Result<(), StateDirError> {
    let path = &places.state;
    let io = |source| StateDirError::Io { path: path.clone(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(path).or_else(|error| {
        // A link to nowhere, or a file: told apart below.
        if fs::symlink_metadata(path).is_ok() { Ok(()) } else { Err(io(error)) }
    })?;
    vet(path)?;
    let meta = fs::metadata(path).map_err(io)?;
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(io)?;
    }
    Ok(())
}

/// Refuses a directory that somebody else controls; one that is missing is nobody's yet.
pub fn vet(path: &Path) -> Result<(), StateDirError> {
    // A trailing slash would make the kernel follow a symlink.
    let path = path.components().as_path();
    let meta = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta.map_err(|source| StateDirError::Io { path: path.to_owned(), source })?,
    };
    let path = path.to_owned();
    if meta.is_symlink() {
        return Err(StateDirError::Symlink { path });
    }
    if !meta.is_dir() {
        return Err(StateDirError::NoDirectory { path });
    }
    let owner = meta.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return Err(StateDirError::Foreign { path, owner });
    }
    Ok(())
}

/// Held as long as the file is open; the kernel lets go when the process dies, however it dies.
pub(crate) fn lock(places: &Places) -> Result<File, RunError> {
    let path = places.lock();
    let io = |source| StateDirError::Io { path: path.clone(), source };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(RunError::AlreadyRunning { state_dir: places.state.display().to_string() })
        }
        Err(TryLockError::Error(source)) => Err(io(source).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(state: PathBuf) -> Places {
        Places { config: state.join("config"), state }
    }

    #[test]
    fn state_dir_missing_is_made_private() {
        let temp = tempfile::tempdir().unwrap();
        let places = places(temp.path().join("a/b"));
        prepare(&places).unwrap();
        assert_eq!(fs::metadata(&places.state).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn state_dir_open_to_others_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let places = places(temp.path().join("s"));
        fs::create_dir(&places.state).unwrap();
        fs::set_permissions(&places.state, fs::Permissions::from_mode(0o777)).unwrap();
        prepare(&places).unwrap();
        assert_eq!(fs::metadata(&places.state).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn state_dir_that_is_a_link_or_a_file_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().join("real");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, temp.path().join("link")).unwrap();
        let error = prepare(&places(temp.path().join("link"))).unwrap_err();
        assert!(matches!(error, StateDirError::Symlink { .. }));
        fs::write(temp.path().join("file"), "").unwrap();
        let error = prepare(&places(temp.path().join("file"))).unwrap_err();
        assert!(matches!(error, StateDirError::NoDirectory { .. }));
    }

    #[test]
    fn lock_taken_once_is_refused_to_the_next() {
        let temp = tempfile::tempdir().unwrap();
        let places = places(temp.path().to_owned());
        let held = lock(&places).unwrap();
        assert!(matches!(lock(&places), Err(RunError::AlreadyRunning { .. })));
        drop(held);
        assert!(lock(&places).is_ok());
    }
}
