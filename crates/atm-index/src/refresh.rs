//! Brings the facts up to date: finds what has changed, reads that on two threads, and writes what
//! was learnt from a file together with how far it was read.

use std::collections::HashMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use atm_core::transcript::facts::Facts;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::error::IndexError;
use crate::scan::{Job, Known, Scanned, scan};
use crate::text;
use crate::walk::{Stat, Walk};

const THREADS: usize = 2;
/// Files, and bytes of transcripts, that are written in one transaction.
const BATCH_FILES: usize = 256;
const BATCH_BYTES: u64 = 256 << 20;

/// What bringing it up to date came to.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// All transcripts that there are.
    pub files: usize,
    /// Those of them that were read, and how many bytes of them.
    pub read: usize,
    pub bytes: u64,
    /// Gone since the last time.
    pub removed: usize,
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

type Outcome = Result<Scanned, (PathBuf, io::Error)>;

pub(crate) fn run(conn: &mut Connection, walk: Walk) -> Result<Refreshed, IndexError> {
    let mut known = load_known(conn)?;
    let mut done = Refreshed { files: walk.found.len(), ..Refreshed::default() };
    let mut changed = Vec::new();
    for found in walk.found {
        match known.remove(found.path.as_os_str().as_bytes()) {
            Some(known) if known.stat == found.stat => {}
            Some(known) => changed.push((found, Some(known))),
            None => changed.push((found, None)),
        }
    }
    done.unreadable = walk.unreadable;
    remove_gone(conn, known, &mut done)?;
    // The largest first: no thread is left with much when the other is through.
    changed.sort_by_key(|(found, known)| {
        let start = known.as_ref().map_or(0, |known| known.offset);
        std::cmp::Reverse(found.stat.size.saturating_sub(start))
    });
    let mut jobs = Vec::with_capacity(changed.len());
    for (found, known) in changed {
        let known = match known {
            Some(known) => load_learnt(conn, known)?,
            None => None,
        };
        jobs.push(Job { found, known });
    }
    if !jobs.is_empty() {
        read_all(conn, jobs, &mut done)?;
    }
    Ok(done)
}

fn read_all(conn: &mut Connection, jobs: Vec<Job>, done: &mut Refreshed) -> Result<(), IndexError> {
    let threads = THREADS.min(jobs.len());
    let jobs = Mutex::new(jobs.into_iter());
    thread::scope(|scope| {
        let (sender, outcomes) = sync_channel::<Outcome>(64);
        for _ in 0..threads {
            let (jobs, sender) = (&jobs, sender.clone());
            scope.spawn(move || {
                let mut buffer = Vec::new();
                // A thread that panicked holds no job of others.
                let next = || jobs.lock().unwrap_or_else(|e| e.into_inner()).next();
                while let Some(job) = next() {
                    if sender.send(scan(job, &mut buffer)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        write_all(conn, &outcomes, done)
    })
}

fn write_all(
    conn: &mut Connection,
    outcomes: &Receiver<Outcome>,
    done: &mut Refreshed,
) -> Result<(), IndexError> {
    let mut more = true;
    while more {
        let batch = conn.transaction()?;
        let (mut files, mut bytes) = (0, 0);
        while files < BATCH_FILES && bytes < BATCH_BYTES {
            match outcomes.recv() {
                Ok(Ok(scanned)) => {
                    write(&batch, &scanned)?;
                    files += 1;
                    bytes += scanned.bytes;
                }
                Ok(Err(unreadable)) => done.unreadable.push(unreadable),
                Err(_) => {
                    more = false;
                    break;
                }
            }
        }
        batch.commit()?;
        done.read += files;
        done.bytes += bytes;
    }
    Ok(())
}

fn write(batch: &Transaction<'_>, scanned: &Scanned) -> Result<(), IndexError> {
    let Scanned { found, facts, .. } = scanned;
    let session = found.session.clone().or_else(|| facts.session.clone()).unwrap_or_default();
    let path = found.path.as_os_str().as_bytes();
    let stat = &found.stat;
    let id: i64 = batch.prepare_cached(UPSERT)?.query_row(
        params![
            path,
            found.config,
            session,
            found.agent,
            stat.device.cast_signed(),
            stat.inode.cast_signed(),
            stat.size.cast_signed(),
            stat.modified,
            stat.born,
            scanned.offset.cast_signed(),
            scanned.print.cast_signed(),
            serde_json::to_string(facts).unwrap_or_default(),
        ],
        |row| row.get(0),
    )?;
    if scanned.is_anew {
        text::forget(batch, id)?;
    }
    batch
        .prepare_cached("INSERT OR REPLACE INTO usage (file, records) VALUES (?1, ?2)")?
        .execute(params![id, scanned.records])?;
    Ok(())
}

const UPSERT: &str = "
INSERT INTO files (path, config, session, agent, device, inode, size, modified, born, offset, print,
    facts, text_offset)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0)
ON CONFLICT (path) DO UPDATE SET config = excluded.config, session = excluded.session,
    agent = excluded.agent, device = excluded.device, inode = excluded.inode,
    size = excluded.size, modified = excluded.modified, born = excluded.born,
    offset = excluded.offset, print = excluded.print, facts = excluded.facts
RETURNING id";

fn load_known(conn: &Connection) -> Result<HashMap<Vec<u8>, Known>, IndexError> {
    let mut select = conn.prepare_cached(
        "SELECT path, id, device, inode, size, modified, born, offset, print FROM files",
    )?;
    let unsigned = |row: &rusqlite::Row<'_>, at| row.get(at).map(i64::cast_unsigned);
    let rows = select.query_map([], |row| {
        let stat = Stat {
            device: unsigned(row, 2)?,
            inode: unsigned(row, 3)?,
            size: unsigned(row, 4)?,
            modified: row.get(5)?,
            born: row.get(6)?,
        };
        let (offset, print) = (unsigned(row, 7)?, unsigned(row, 8)?);
        Ok((row.get(0)?, Known { id: row.get(1)?, stat, offset, print }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// `None` if it cannot be gone on with.
fn load_learnt(
    conn: &Connection,
    known: Known,
) -> Result<Option<(Known, Facts, Vec<u8>)>, IndexError> {
    let mut select = conn.prepare_cached(
        "SELECT facts, records FROM files JOIN usage ON file = files.id WHERE files.id = ?1",
    )?;
    let row = select
        .query_row([known.id], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))
        .optional()?;
    let learnt =
        row.and_then(|(facts, records)| Some((serde_json::from_str(&facts).ok()?, records)));
    Ok(learnt.map(|(facts, records)| (known, facts, records)))
}

/// What was not found is gone, unless it is only out of reach.
fn remove_gone(
    conn: &mut Connection,
    gone: HashMap<Vec<u8>, Known>,
    done: &mut Refreshed,
) -> Result<(), IndexError> {
    let is_hidden = |path: &[u8]| {
        done.unreadable.iter().any(|(hidden, _)| path.starts_with(hidden.as_os_str().as_bytes()))
    };
    let gone: Vec<i64> =
        gone.into_iter().filter(|(path, _)| !is_hidden(path)).map(|(_, known)| known.id).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let batch = conn.transaction()?;
    for id in &gone {
        text::forget(&batch, *id)?;
        batch.prepare_cached("DELETE FROM usage WHERE file = ?1")?.execute([id])?;
        batch.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([id])?;
    }
    batch.commit()?;
    done.removed = gone.len();
    Ok(())
}
