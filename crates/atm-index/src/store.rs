//! The index file: whose it is, whether it is sound, what its tables are.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::error::IndexError;
use crate::refresh::{self, Refreshed};
use crate::{text, walk};

/// An index of another version is made anew: nothing in it is lost by that.
const VERSION: i64 = 1;
const BUSY: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes: the records of a file fill many pages, and are read as a whole.
const PAGE: i64 = 16 * 1024;
/// In KiB.
const CACHE: i64 = 16 * 1024;
const WAL_PAGES: i64 = 1_000;
const WAL_KEPT: i64 = 16 << 20;

/// Times are milliseconds since the Unix epoch, but for `modified`. `facts` is what the lines up to
/// `offset` tell, `records` their usage; `print` is a hash of the bytes around. `texts` says where
/// each row of `words` stands in its transcript: the words themselves are not kept twice.
const SCHEMA: &str = "
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    config TEXT NOT NULL,
    session TEXT NOT NULL,
    agent TEXT,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    born INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    print INTEGER NOT NULL,
    text_offset INTEGER NOT NULL,
    facts TEXT NOT NULL
) STRICT;
CREATE TABLE usage (file INTEGER PRIMARY KEY, records BLOB NOT NULL) STRICT;
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    at INTEGER
) STRICT;
CREATE INDEX texts_by_file ON texts (file);
CREATE VIRTUAL TABLE words USING fts5(
    body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
";

#[derive(Debug)]
pub struct Index {
    pub(crate) conn: Connection,
    pub(crate) path: PathBuf,
    pub(crate) limits: Limits,
}

/// Settings of the index: `[index] full_text = true, max_size = \"512MiB\"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub full_text: FullText,
    /// Bytes of the index file beyond which the oldest texts are let go.
    pub max_size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullText {
    On,
    Off,
}

/// What has to be up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Sessions and their cost.
    Facts,
    /// And what was said.
    Texts,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { full_text: FullText::On, max_size: 512 << 20 }
    }
}

impl Index {
    /// Opens the index `path` and brings it up to date with the transcripts below `configs`.
    pub fn up_to_date(
        path: &Path,
        configs: &[PathBuf],
        want: Want,
        limits: Limits,
    ) -> Result<(Index, Refreshed), IndexError> {
        Index::consult(path, limits, |mut index| {
            let refreshed = index.refresh(configs, want)?;
            Ok((index, refreshed))
        })
    }

    /// Opens the index `path` for `ask`, alone. If it turns out to be damaged, it is set aside and
    /// `ask` gets a new one, which is empty.
    pub fn consult<T>(
        path: &Path,
        limits: Limits,
        mut ask: impl FnMut(Index) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        make_folder(path)?;
        let _lock = lock(&with_suffix(path, "-lock"))?;
        match Index::open(path, limits).and_then(&mut ask) {
            Err(error) if error.is_damage() => {
                set_aside(path)?;
                Index::open(path, limits).and_then(ask)
            }
            other => other,
        }
    }

    pub fn refresh(&mut self, configs: &[PathBuf], want: Want) -> Result<Refreshed, IndexError> {
        let mut walk = walk::Walk::default();
        let mut configs = configs.to_vec();
        configs.extend(self.known_configs()?);
        configs.sort();
        configs.dedup();
        configs.iter().for_each(|config| walk.config(config));
        let refreshed = refresh::run(&mut self.conn, walk)?;
        match (self.limits.full_text, want) {
            (FullText::Off, _) => text::clear(&mut self.conn)?,
            (FullText::On, Want::Facts) => {}
            (FullText::On, Want::Texts) => {
                text::run(&mut self.conn)?;
                text::prune(&mut self.conn, self.limits.max_size)?;
            }
        }
        Ok(refreshed)
    }

    /// Directories that were named before and still hold transcripts.
    fn known_configs(&self) -> Result<Vec<PathBuf>, IndexError> {
        let mut select = self.conn.prepare_cached("SELECT DISTINCT config FROM files")?;
        let rows = select.query_map([], |row| row.get::<_, String>(0).map(PathBuf::from))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn open(path: &Path, limits: Limits) -> Result<Index, IndexError> {
        if make_private(path)? == 0 {
            // Of one that was removed by hand: SQLite would take them for its own.
            remove(path)?;
            make_private(path)?;
        }
        let conn = connect(path)?;
        let path = path.to_owned();
        match conn.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? {
            VERSION => return Ok(Index { conn, path, limits }),
            0 => {}
            _ => {
                drop(conn);
                remove(&path)?;
                return Index::open(&path, limits);
            }
        }
        let script = format!("BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;");
        conn.execute_batch(&script)?;
        Ok(Index { conn, path, limits })
    }
}

pub(crate) fn connect(path: &Path) -> Result<Connection, IndexError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY)?;
    conn.pragma_update(None, "page_size", PAGE)?;
    let answer = |_: &rusqlite::Row<'_>| Ok(());
    conn.pragma_update_and_check(None, "journal_mode", "WAL", answer)?;
    conn.pragma_update_and_check(None, "journal_size_limit", WAL_KEPT, answer)?;
    conn.pragma_update_and_check(None, "wal_autocheckpoint", WAL_PAGES, answer)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "cache_size", -CACHE)?;
    Ok(conn)
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    move |source| IndexError::Io { action, path: path.to_owned(), source }
}

fn make_folder(path: &Path) -> Result<(), IndexError> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed("make", folder))
}

/// For the user alone: it tells what was said. SQLite gives its mode to the files beside it.
/// Returns its size.
fn make_private(path: &Path) -> Result<u64, IndexError> {
    let open = || {
        let file = File::options().append(true).create(true).mode(0o600).open(path)?;
        let meta = file.metadata()?;
        if meta.permissions().mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(meta.len())
    };
    open().map_err(failed("open", path))
}

/// One at a time brings the index up to date; the lock goes with its holder.
fn lock(path: &Path) -> Result<File, IndexError> {
    let file = File::options().append(true).create(true).mode(0o600).open(path);
    let file = file.map_err(failed("open", path))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(IndexError::Busy { path: path.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(failed("lock", path)(source)),
        }
    }
}

const ENDS: [&str; 3] = ["-wal", "-shm", ""];

/// Only the last damaged one is kept: it is of use to whoever looks for the cause.
fn set_aside(path: &Path) -> Result<(), IndexError> {
    let aside = with_suffix(path, ".damaged");
    remove(&aside)?;
    each(path, |end| fs::rename(with_suffix(path, end), with_suffix(&aside, end)), "set aside")
}

fn remove(path: &Path) -> Result<(), IndexError> {
    each(path, |end| fs::remove_file(with_suffix(path, end)), "remove")
}

fn each(
    path: &Path,
    act: impl Fn(&str) -> io::Result<()>,
    action: &'static str,
) -> Result<(), IndexError> {
    for end in ENDS {
        match act(end) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(action, path)(error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
