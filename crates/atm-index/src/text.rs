//! What was said, made searchable: the words of prompts and answers, behind the facts by as much
//! as was appended since somebody last searched. Its size is bounded; the oldest go first.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use atm_core::transcript::glance::{Glance, glance};
use atm_core::transcript::line::Line;
use rusqlite::{Connection, Transaction, params};

use crate::error::IndexError;
use crate::lines::{self, Take};

/// Bytes of text that are written in one transaction.
const BATCH: usize = 16 << 20;
/// Bytes of text that are handed over at once.
const PARCEL: usize = 1 << 20;
/// Of the size that is allowed, what is kept when something has to go.
const KEPT_PERCENT: u64 = 80;
/// Bytes of words that are sorted in memory before they are written.
const HASH_SIZE: i64 = 8 << 20;
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

struct Pending {
    id: i64,
    path: PathBuf,
    from: u64,
    to: u64,
}

/// Texts of one file, up to an offset of it.
struct Parcel {
    file: i64,
    texts: Vec<Text>,
    size: usize,
    offset: u64,
}

struct Text {
    offset: u64,
    length: usize,
    at: Option<i64>,
    body: String,
}

pub(crate) fn run(conn: &mut Connection) -> Result<(), IndexError> {
    let pending = load_pending(conn)?;
    if pending.is_empty() {
        return Ok(());
    }
    let set = "INSERT INTO words (words, rank) VALUES ('hashsize', ?1)";
    conn.execute(set, [HASH_SIZE])?;
    thread::scope(|scope| {
        let (sender, parcels) = sync_channel(4);
        scope.spawn(move || pending.into_iter().all(|file| read(&file, &sender)));
        write_all(conn, &parcels)
    })
}

/// The oldest first: of equal hits the latest is then the one with the highest number.
fn load_pending(conn: &Connection) -> Result<Vec<Pending>, IndexError> {
    let mut select = conn.prepare_cached(
        "SELECT id, path, text_offset, offset FROM files
         WHERE text_offset >= 0 AND text_offset < offset ORDER BY modified",
    )?;
    let rows = select.query_map([], |row| {
        let path: Vec<u8> = row.get(1)?;
        Ok(Pending {
            id: row.get(0)?,
            path: OsStr::from_bytes(&path).into(),
            from: row.get(2).map(i64::cast_unsigned)?,
            to: row.get(3).map(i64::cast_unsigned)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// False if nobody takes the parcels any more.
fn read(pending: &Pending, sender: &SyncSender<Parcel>) -> bool {
    let mut taker =
        Packer { parcel: Parcel::new(pending.id, pending.from), sender, is_taken: true };
    // Gone or changed in the meantime: the next time sees to it.
    let opened = File::options().read(true).custom_flags(NONBLOCK).open(&pending.path);
    let Ok(file) = opened else { return true };
    if lines::read(&file, pending.from..pending.to, &mut Vec::new(), &mut taker).is_ok() {
        taker.parcel.offset = pending.to;
        taker.send();
    }
    taker.is_taken
}

struct Packer<'a> {
    parcel: Parcel,
    sender: &'a SyncSender<Parcel>,
    is_taken: bool,
}

impl Parcel {
    fn new(file: i64, offset: u64) -> Parcel {
        Parcel { file, texts: Vec::new(), size: 0, offset }
    }
}

impl Packer<'_> {
    fn send(&mut self) {
        let next = Parcel::new(self.parcel.file, self.parcel.offset);
        let full = std::mem::replace(&mut self.parcel, next);
        self.is_taken &= self.sender.send(full).is_ok();
    }
}

impl Take for Packer<'_> {
    fn take(&mut self, place: u64, line: &[u8]) {
        if glance(line) != Glance::Parse {
            return;
        }
        let lossy;
        let parsed = match Line::parse(line) {
            Some(parsed) => Some(parsed),
            None => {
                lossy = String::from_utf8_lossy(line).into_owned();
                Line::parse(lossy.as_bytes())
            }
        };
        let Some(parsed) = parsed else { return };
        if let Some((_, body)) = parsed.said() {
            self.parcel.size += body.len();
            let at = parsed.at().map(|at| at.0);
            self.parcel.texts.push(Text { offset: place, length: line.len(), at, body });
        }
    }

    fn rest(&mut self, from: u64, piece: &[u8]) {
        self.parcel.offset = from + piece.len() as u64;
        if self.parcel.size >= PARCEL {
            self.send();
        }
    }
}

fn write_all(conn: &mut Connection, parcels: &Receiver<Parcel>) -> Result<(), IndexError> {
    let mut more = true;
    while more {
        let batch = conn.transaction()?;
        let mut size = 0;
        while size < BATCH {
            let Ok(parcel) = parcels.recv() else {
                more = false;
                break;
            };
            write(&batch, &parcel)?;
            size += parcel.size;
        }
        batch.commit()?;
    }
    Ok(())
}

fn write(batch: &Transaction<'_>, parcel: &Parcel) -> Result<(), IndexError> {
    let mut place = batch
        .prepare_cached("INSERT INTO texts (file, offset, length, at) VALUES (?1, ?2, ?3, ?4)")?;
    let mut words = batch.prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?;
    for text in &parcel.texts {
        let length = i64::try_from(text.length).unwrap_or(i64::MAX);
        let id = place.insert(params![parcel.file, text.offset.cast_signed(), length, text.at])?;
        words.execute(params![id, text.body])?;
    }
    batch
        .prepare_cached("UPDATE files SET text_offset = ?2 WHERE id = ?1")?
        .execute(params![parcel.file, parcel.offset.cast_signed()])?;
    Ok(())
}

/// Takes out what is searchable of a file; it will be read anew.
pub(crate) fn forget(batch: &Transaction<'_>, file: i64) -> Result<(), IndexError> {
    drop_texts(batch, file)?;
    batch.prepare_cached("UPDATE files SET text_offset = 0 WHERE id = ?1")?.execute([file])?;
    Ok(())
}

fn drop_texts(batch: &Transaction<'_>, file: i64) -> Result<(), IndexError> {
    batch
        .prepare_cached("DELETE FROM words WHERE rowid IN (SELECT id FROM texts WHERE file = ?1)")?
        .execute([file])?;
    batch.prepare_cached("DELETE FROM texts WHERE file = ?1")?.execute([file])?;
    Ok(())
}

/// Lets go of the texts of the oldest transcripts if the index has outgrown `max_size`. They are
/// not taken in again.
pub(crate) fn prune(conn: &mut Connection, max_size: u64) -> Result<(), IndexError> {
    let size = used(conn)?;
    if size <= max_size {
        return Ok(());
    }
    let texts: u64 =
        conn.query_row("SELECT count(*) FROM texts", [], |row| row.get(0).map(i64::cast_unsigned))?;
    let kept = texts.saturating_mul(max_size) / size * KEPT_PERCENT / 100;
    let mut surplus = texts - kept.min(texts);
    let files: Vec<(i64, u64)> = {
        let mut select = conn.prepare(
            "SELECT file, count(*) FROM texts JOIN files ON files.id = file
             GROUP BY file ORDER BY modified",
        )?;
        let rows =
            select.query_map([], |row| Ok((row.get(0)?, row.get(1).map(i64::cast_unsigned)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    let batch = conn.transaction()?;
    for (file, count) in files {
        if surplus == 0 {
            break;
        }
        drop_texts(&batch, file)?;
        batch.execute("UPDATE files SET text_offset = -1 WHERE id = ?1", [file])?;
        surplus = surplus.saturating_sub(count);
    }
    batch.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    batch.commit()?;
    Ok(())
}

/// Pages that hold something: those that became free are used again.
fn used(conn: &Connection) -> Result<u64, IndexError> {
    let pragma = |name: &str| {
        conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0).map(i64::cast_unsigned))
    };
    Ok((pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?)
}

/// For who wants nothing to be searchable.
pub(crate) fn clear(conn: &mut Connection) -> Result<(), IndexError> {
    let is_empty: bool =
        conn.query_row("SELECT NOT EXISTS (SELECT 1 FROM texts)", [], |row| row.get(0))?;
    if is_empty {
        return Ok(());
    }
    let batch = conn.transaction()?;
    batch.execute_batch(
        "INSERT INTO words (words) VALUES ('delete-all'); DELETE FROM texts;
         UPDATE files SET text_offset = 0;",
    )?;
    batch.commit()?;
    Ok(())
}
