//! What is on disk, read without the product's own readers: records of the journal with their
//! positions, rows of the database.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::sealed::Sealed;
use crate::wire::Wire;

/// Name of the field by which tests know their events again.
pub(crate) const MARK: &str = "e2e";

/// All bytes of the journal, oldest first. Only for journals that never lost a segment: then a
/// position is an offset.
pub(crate) fn journal(sealed: &Sealed) -> Vec<u8> {
    let dir = sealed.state().join("journal");
    let mut closed: Vec<PathBuf> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("seg-"))
        .collect();
    closed.sort();
    // Right after a rotation there is none.
    closed.extend(Some(dir.join("current.jsonl")).filter(|path| path.exists()));
    closed.iter().flat_map(|path| fs::read(path).unwrap()).collect()
}

/// Lines of the journal that are JSON, by position.
pub(crate) fn records(journal: &[u8]) -> BTreeMap<u64, Value> {
    let mut position = 0;
    let mut found = BTreeMap::new();
    for line in journal.split(|byte| *byte == b'\n') {
        if let Ok(record) = serde_json::from_slice(line) {
            found.insert(position, record);
        }
        position += line.len() as u64 + 1;
    }
    found
}

/// Marks of the events in the journal, by position.
pub(crate) fn journal_marks(sealed: &Sealed) -> BTreeMap<u64, String> {
    let marked =
        |(at, record): (u64, Value)| Some((at, record["payload"][MARK].as_str()?.to_owned()));
    records(&journal(sealed)).into_iter().filter_map(marked).collect()
}

/// The database as it is, without a way to change it.
pub(crate) fn database(sealed: &Sealed) -> Connection {
    let path = sealed.state().join("atm.db");
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// Marks of the events in the database, by position, once all of the journal is in it.
pub(crate) fn stored_marks(sealed: &Sealed) -> BTreeMap<u64, String> {
    // Makes the daemon read the journal to its end, and starts one if there is none.
    sealed.ok(&["list"]);
    let end = journal(sealed).len() as u64;
    sealed.wait("the store of the whole journal", |sealed| {
        (Wire::open(sealed).ok()?.ask_status().stored >= end).then_some(())
    });
    let database = database(sealed);
    let mut select = database.prepare("SELECT seq, payload FROM events").unwrap();
    let rows = select
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?)))
        .unwrap();
    let marked = |(seq, payload): (i64, Option<String>)| {
        let payload: Value = serde_json::from_str(&payload?).unwrap();
        Some((u64::try_from(seq).unwrap(), payload[MARK].as_str()?.to_owned()))
    };
    rows.filter_map(|row| marked(row.unwrap())).collect()
}
