//! What outlives the daemon, in SQLite: sessions, events, transitions, and how far the journal
//! was taken in.
//!
//! The journal is the truth: **rows and journal position are written in one transaction**, so a
//! daemon killed at any point goes on where the database says. Nothing here decides anything
//! about sessions.

mod batch;
mod notices;
mod open;
mod prune;
mod reader;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use atm_core::notify::{Mute, Record};
use atm_core::session::{Key, Session};
pub use batch::{Batch, EventRow, Notice};
pub use open::ENDED_LOADED;
pub use prune::Limits;
pub use reader::{EventQuery, Reader};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
pub use writer::Writer;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "{path} was written by a newer atm (schema {found}, this one knows {known}); \
         nothing was changed in it"
    )]
    Newer { found: i64, known: i64, path: PathBuf },
    #[error("the database is damaged: {what}")]
    Corrupt { what: String },
    #[error("cannot {action} {path}")]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot bring the database up to date")]
    Migration(#[source] Box<rusqlite_migration::Error>),
    #[error("the database refuses: {0}")]
    Sqlite(rusqlite::Error),
    #[error("session {key} cannot be written as JSON")]
    Encode {
        key: String,
        #[source]
        source: serde_json::Error,
    },
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Corrupt { what: error.to_string() }
            }
            _ => StoreError::Sqlite(error),
        }
    }
}

/// The only writing connection.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    /// Rows in `events`, once counted.
    events: Option<u64>,
}

#[derive(Debug)]
pub struct Opened {
    pub store: Store,
    /// Those alive, and the [`ENDED_LOADED`] that ended last.
    pub sessions: Vec<Session>,
    /// Where to go on in the journal.
    pub position: u64,
    /// The latest, oldest first.
    pub notifications: Vec<Record>,
    pub mutes: Vec<(Key, Mute)>,
    /// What the user should know, in words.
    pub notes: Vec<String>,
}

impl Store {
    /// Opens or creates the database. One that is damaged is set aside and a new one begun, at
    /// position 0; one of a newer atm is left alone.
    pub fn open(path: &Path) -> Result<Opened, StoreError> {
        match open::open(path) {
            Err(StoreError::Corrupt { what }) => Store::replace(path, &what),
            opened => opened,
        }
    }

    /// Sets the database aside, whatever is in it, and begins a new one; for damage found while
    /// it was in use, which [`Store::open`] may not see.
    pub fn replace(path: &Path, why: &str) -> Result<Opened, StoreError> {
        let aside = open::set_aside(path)?;
        let mut opened = open::open(path)?;
        opened.notes.insert(
            0,
            format!(
                "the database was damaged ({why}); it is kept as {}, a new one is begun",
                aside.display()
            ),
        );
        Ok(opened)
    }

    /// All of the batch or nothing of it. The same store can be used again after any error.
    pub fn apply(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let inserted = rows::insert_events(&transaction, &batch.events)?;
        rows::upsert_sessions(&transaction, &batch.sessions)?;
        rows::insert_transitions(&transaction, &batch.transitions)?;
        notices::save(&transaction, &batch.notices)?;
        rows::save_position(&transaction, batch.position)?;
        transaction.commit()?;
        self.events = self.events.map(|count| count + inserted);
        Ok(())
    }
}
