//! Hands rows to the store and knows how far it has come. Without a store (a full disk, a
//! directory that cannot be written) the daemon goes on from memory and says so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use atm_core::notify::{Mute, Record};
use atm_core::session::{Key, Session};
use tokio::sync::{Notify, watch};

use crate::archive::Archive;
use crate::store::{Batch, Limits, Opened, Store, StoreError, Writer};

pub(crate) struct Keeper {
    writer: Option<Writer>,
    /// Rung by the writer's thread after every batch and at every trouble.
    bell: Arc<Notify>,
    handed: watch::Sender<u64>,
    stored: watch::Sender<u64>,
    database: PathBuf,
    trouble: Option<String>,
}

/// What was known when the last daemon ended.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) sessions: Vec<Session>,
    pub(crate) position: u64,
    pub(crate) notifications: Vec<Record>,
    pub(crate) mutes: Vec<(Key, Mute)>,
    pub(crate) notes: Vec<String>,
}

/// The store does not take rows now: keep them and come again when the bell rings.
pub(crate) struct Busy(pub(crate) Batch);

impl Keeper {
    /// A database of a newer atm is the one thing that must not be worked around.
    pub(crate) fn open(database: PathBuf) -> Result<(Keeper, Past), StoreError> {
        let bell = Arc::new(Notify::new());
        let mut trouble = None;
        let (writer, opened) = match Store::open(&database) {
            Ok(Opened { store, sessions, position, notifications, mutes, notes }) => {
                let ring = bell.clone();
                let writer = Writer::start(store, position, move || ring.notify_one());
                let writer = writer.inspect_err(|error| trouble = Some(error.to_string())).ok();
                (writer, Past { sessions, position, notifications, mutes, notes })
            }
            Err(error @ StoreError::Newer { .. }) => return Err(error),
            Err(error) => {
                trouble = Some(format!("history is not kept: {error}"));
                (None, Past::default())
            }
        };
        let (handed, stored) =
            (watch::Sender::new(opened.position), watch::Sender::new(opened.position));
        Ok((Keeper { writer, bell, handed, stored, database, trouble }, opened))
    }

    pub(crate) fn archive(&self) -> Archive {
        Archive::new(self.database.clone(), self.handed.subscribe(), self.stored.subscribe())
    }

    pub(crate) fn bell(&self) -> Arc<Notify> {
        self.bell.clone()
    }

    /// For what has to be tried again and nobody will call us about.
    pub(crate) fn ring_after(&self, pause: Duration) {
        let bell = self.bell();
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            bell.notify_one();
        });
    }

    pub(crate) fn hand_over(&self, batch: Batch) -> Result<(), Busy> {
        let position = batch.position;
        if batch.is_empty() && position == *self.handed.borrow() {
            return Ok(());
        }
        if let Some(writer) = &self.writer {
            writer.try_submit(batch).map_err(Busy)?;
        }
        self.handed.send_replace(position);
        Ok(())
    }

    /// Takes note of how far the store has come.
    pub(crate) fn note_progress(&self) {
        if let Some(writer) = &self.writer {
            let stored = writer.stored();
            self.stored.send_if_modified(|known| std::mem::replace(known, stored) != stored);
        }
    }

    pub(crate) fn set_limits(&self, limits: Limits) {
        if let Some(writer) = &self.writer {
            writer.set_limits(limits);
        }
    }

    pub(crate) fn stored(&self) -> u64 {
        self.writer.as_ref().map_or(0, Writer::stored)
    }

    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.clone().or_else(|| self.writer.as_ref()?.trouble())
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.writer.as_ref().is_some_and(Writer::is_damaged)
    }

    /// Writes what is queued. A damaged database is set aside: the next daemon builds another one
    /// from the journal.
    pub(crate) fn close(self) -> Option<String> {
        let is_damaged = self.is_damaged();
        if let Some(writer) = self.writer {
            // What is left over is in the journal still, and the position says so.
            drop(writer.close());
        }
        if !is_damaged {
            return None;
        }
        match Store::replace(&self.database, "found while writing") {
            Ok(opened) => opened.notes.into_iter().next(),
            Err(error) => Some(error.to_string()),
        }
    }
}
