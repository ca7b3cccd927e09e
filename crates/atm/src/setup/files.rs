//! Reads and writes files of the user: whole or not at all, through symbolic links, with the mode
//! and owner they had.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::diff::visible;
use crate::error::CliError;
use crate::exit::Exit;

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;
const PRIVATE: u32 = 0o600;

/// A text file as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// As the user knows it.
    pub(crate) path: PathBuf,
    /// Where its symbolic links lead to; the same as `path` if it is none.
    pub(crate) target: PathBuf,
    /// `None`: there is no such file.
    pub(crate) text: Option<String>,
    rights: Rights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    mode: u32,
    /// User and group; `None`: ours.
    owner: Option<(u32, u32)>,
}

impl Rights {
    pub(crate) const PRIVATE: Rights = Rights { mode: PRIVATE, owner: None };
}

impl TextFile {
    /// For a terminal.
    pub(crate) fn name(&self) -> String {
        visible(&self.path.to_string_lossy())
    }

    pub(crate) fn load(path: &Path) -> Result<TextFile, CliError> {
        let target = follow(path).map_err(|error| cannot("read", path, &error))?;
        let path = path.to_owned();
        let meta = match fs::metadata(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(TextFile { path, target, text: None, rights: Rights::PRIVATE });
            }
            meta => meta.map_err(|error| cannot("read", &path, &error))?,
        };
        // Not even opened: a pipe would never end.
        if !meta.is_file() {
            let what = if meta.is_dir() { "a directory" } else { "no regular file" };
            let error = CliError::new(Exit::Failed, format!("{} is {what}", path.display()));
            return Err(error.hint("move it away, then run the command again"));
        }
        let bytes = fs::read(&target).map_err(|error| cannot("read", &path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(&path, &error))?;
        let rights = Rights { mode: meta.mode() & 0o7777, owner: Some((meta.uid(), meta.gid())) };
        Ok(TextFile { path, target, text: Some(text), rights })
    }

    /// Refuses a file that its owner made read-only: replacing it would work, and be wrong.
    pub(crate) fn check_writable(&self) -> Result<(), CliError> {
        if self.text.is_some() && self.rights.mode & 0o200 == 0 {
            let message = format!("{} is read-only", self.path.display());
            return Err(CliError::new(Exit::Failed, message)
                .hint("make it writable (chmod u+w), or change it where it is generated"));
        }
        Ok(())
    }

    /// Refuses to go on if somebody changed the file after it was looked at.
    pub(crate) fn check_unchanged(&self) -> Result<(), CliError> {
        if TextFile::load(&self.path)? == *self {
            return Ok(());
        }
        let message = format!("{} was changed by somebody else meanwhile", self.path.display());
        Err(CliError::new(Exit::Failed, message).hint("run the command again"))
    }

    pub(crate) fn save(&self, text: &str) -> Result<(), CliError> {
        self.check_writable()?;
        make_folder(folder(&self.target))
            .and_then(|()| replace(&self.target, text.as_bytes(), self.rights))
            .map_err(|error| cannot("write", &self.path, &error))
    }

    /// Writes the text that was read to another place.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<(), CliError> {
        let text = self.text.as_deref().unwrap_or_default();
        replace(path, text.as_bytes(), self.rights)
            .map_err(|error| cannot("write the backup", path, &error))
    }

    pub(crate) fn remove(&self) -> Result<(), CliError> {
        remove_if_there(&self.target)
            .and_then(|()| sync_folder(&self.target))
            .map_err(|error| cannot("remove", &self.path, &error))
    }
}

/// Puts `bytes` in the place of what is at `path`: whoever reads sees the old or the new, and after
/// a crash one of the two is there.
pub(crate) fn replace(path: &Path, bytes: &[u8], rights: Rights) -> io::Result<()> {
    let draft = draft_of(path);
    remove_if_there(&draft)?;
    let done = write_new(&draft, bytes, rights).and_then(|()| fs::rename(&draft, path));
    if done.is_err() {
        // The first failure is the one to tell.
        fs::remove_file(&draft).ok();
    }
    done.and_then(|()| sync_folder(path))
}

fn write_new(path: &Path, bytes: &[u8], rights: Rights) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)?;
    file.write_all(bytes)?;
    let meta = file.metadata()?;
    if let Some((user, group)) = rights.owner.filter(|owner| *owner != (meta.uid(), meta.gid())) {
        std::os::unix::fs::fchown(&file, Some(user), Some(group))?;
    }
    file.set_permissions(fs::Permissions::from_mode(rights.mode))?;
    file.sync_all()
}

/// What a `kill -9` may have left behind is found and removed under this name.
pub(crate) fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".atm-new");
    path.with_file_name(name)
}

pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// One name for one file: without links among its folders. The file itself may be one.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let (folder, name) = (folder(path), path.file_name().unwrap_or_default());
    match folder.canonicalize() {
        Ok(folder) => folder.join(name),
        // To be made yet.
        Err(_) if folder != path => plain(folder).join(name),
        Err(_) => path.to_owned(),
    }
}

/// Also a link that leads nowhere yet has a target.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = folder(&at).join(next),
            // No link, or nothing at all.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound) => {
                return Ok(at);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

pub(crate) fn cannot(what: &str, path: &Path, error: &io::Error) -> CliError {
    let failed = CliError::failed(&format!("cannot {what} {}", path.display()), error);
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            failed.hint("see to it that you may write there, then run the command again")
        }
        _ => failed,
    }
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> CliError {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
    let message = format!("{}: line {line}: this is not UTF-8", path.display());
    CliError::new(Exit::Failed, message)
        .hint("the file was left as it is; save it as UTF-8, then run the command again")
}
