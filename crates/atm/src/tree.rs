//! The real file system behind the decoding of project names.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use atm_core::paths::decode::{Directories, Entry, Identity, Kind, Listing};

/// A directory that is taken for `/`.
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    pub(crate) fn whole() -> Tree {
        Tree { root: PathBuf::from("/") }
    }

    pub(crate) fn below(root: &Path) -> Tree {
        Tree { root: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()) }
    }

    /// Where a path of the tree is outside of it.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

impl Directories for Tree {
    fn list(&self, dir: &Path) -> Listing {
        let Ok(entries) = fs::read_dir(self.real(dir)) else { return Listing::Unreadable };
        let entries = entries.flatten().filter_map(|entry| {
            let kind = match entry.file_type().ok()? {
                kind if kind.is_dir() => Kind::Dir,
                kind if kind.is_symlink() => Kind::Link,
                _ => return None,
            };
            Some(Entry { name: entry.file_name(), kind })
        });
        Listing::Entries(entries.collect())
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.real(path).is_dir()
    }

    fn identity(&self, dir: &Path) -> Option<Identity> {
        fs::metadata(self.real(dir)).ok().map(|found| (found.dev(), found.ino()))
    }

    fn current(&self) -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        Some(Path::new("/").join(here.strip_prefix(&self.root).ok()?))
    }
}
