//! Opening the database file: whose it is, whether it is sound, what is in it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags};

use super::rows::{self, Loaded};
use super::{Opened, Store, StoreError, notices, schema};

/// Sessions that ended most recently, given back on opening.
pub const ENDED_LOADED: u32 = 200;
/// Notifications given back on opening.
const RECALLED: u32 = 500;
/// A larger file is not checked on opening: that takes 1 ms per MiB of the 50 ms that a start may
/// last. Damage in it is found when it is met.
const CHECKED_MAX: u64 = 16 << 20;
const BUSY: Duration = Duration::from_secs(2);
/// In KiB. A batch of 500 events of 50 sessions dirties some 200 pages: with less room they are
/// written twice.
const WRITER_CACHE: i64 = 2048;
const READER_CACHE: i64 = 1024;
/// Pages in the write-ahead log that make it worth the two `fsync`s to empty it, and the size it
/// is cut back to if it had to grow beyond.
const WAL_PAGES: i64 = 4_000;
const WAL_KEPT: i64 = 16 << 20;

pub(super) fn open(path: &Path) -> Result<Opened, StoreError> {
    let size = make_private(path)?;
    if size > 0 {
        refuse_newer(path)?;
    }
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    set_up(&conn)?;
    if size > 0 && size <= CHECKED_MAX {
        check(&conn)?;
    }
    schema::migrations().to_latest(&mut conn).map_err(migration_failed)?;
    load(conn)
}

/// Creates the file for the user alone if it is missing; SQLite gives its mode to the files
/// beside it. Returns its size.
fn make_private(path: &Path) -> Result<u64, StoreError> {
    let failed = |source| StoreError::Io { action: "open", path: path.to_owned(), source };
    let file = File::options().append(true).create(true).mode(0o600).open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600)).map_err(failed)?;
    }
    Ok(meta.len())
}

/// Looks through a connection that cannot write: closing one that can would change the file.
fn refuse_newer(path: &Path) -> Result<(), StoreError> {
    let conn = read_only(path)?;
    let found = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > schema::KNOWN {
        return Err(StoreError::Newer { found, known: schema::KNOWN, path: path.to_owned() });
    }
    Ok(())
}

pub(super) fn read_only(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY)?;
    conn.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(conn)
}

fn set_up(conn: &Connection) -> Result<(), StoreError> {
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(16);
    let answer = |_row: &rusqlite::Row<'_>| Ok(());
    conn.pragma_update_and_check(None, "journal_mode", "WAL", answer)?;
    conn.pragma_update_and_check(None, "journal_size_limit", WAL_KEPT, answer)?;
    conn.pragma_update_and_check(None, "wal_autocheckpoint", WAL_PAGES, answer)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    Ok(())
}

pub(super) fn check(conn: &Connection) -> Result<(), StoreError> {
    let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Corrupt { what: verdict }) }
}

fn migration_failed(error: rusqlite_migration::Error) -> StoreError {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
        other => StoreError::Migration(Box::new(other)),
    }
}

fn load(conn: Connection) -> Result<Opened, StoreError> {
    let mut loaded = Loaded::default();
    loaded.take(&conn, rows::LIVE, u32::MAX)?;
    loaded.take(&conn, rows::ENDED, ENDED_LOADED)?;
    let note = loaded.first.map(|first| {
        let count = loaded.unreadable;
        format!("{count} stored sessions cannot be read and are left as they are ({first})")
    });
    Ok(Opened {
        sessions: loaded.sessions,
        position: rows::load_position(&conn)?,
        notifications: notices::latest(&conn, RECALLED)?,
        mutes: notices::mutes(&conn)?,
        notes: note.into_iter().collect(),
        store: Store { conn, events: None },
    })
}

/// Renames the database and what belongs to it; returns the new name.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let aside = with_suffix(path, &format!(".corrupt-{now}"));
    // The database goes last: as long as it is there, another start tries again.
    for end in ["-wal", "-shm", ""] {
        match fs::rename(with_suffix(path, end), with_suffix(&aside, end)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Io { action: "set aside", path: path.to_owned(), source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
