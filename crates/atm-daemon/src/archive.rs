//! Questions about the past, answered from the database on a thread of their own, so that the
//! dispatcher never waits for the disk.

use std::path::PathBuf;
use std::time::Duration;

use atm_core::proto::message::{Refusal, RefusalKind, Reply};
use atm_core::session::{Key, Session};
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::store::{EventQuery, Reader, StoreError};

/// How long a question waits for what is on its way into the database.
const CATCH_UP: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct Archive {
    database: PathBuf,
    /// Journal position up to which the dispatcher has handed everything to the store, and up to
    /// which the store holds it.
    handed: watch::Receiver<u64>,
    stored: watch::Receiver<u64>,
}

impl Archive {
    pub(crate) fn new(
        database: PathBuf,
        handed: watch::Receiver<u64>,
        stored: watch::Receiver<u64>,
    ) -> Archive {
        Archive { database, handed, stored }
    }

    /// Changes whenever there is more in the database.
    pub(crate) fn arrivals(&self) -> watch::Receiver<u64> {
        self.stored.clone()
    }

    pub(crate) async fn events(
        &self,
        of: Option<SessionView>,
        after: Option<u64>,
        limit: u32,
    ) -> Reply {
        let key = of.map(|session| Key::stored(session.key));
        let query = EventQuery { key, after, limit };
        match self.ask(move |reader| reader.events(&query)).await {
            Ok(events) => Reply::Events { events },
            Err(message) => failed(message),
        }
    }

    pub(crate) async fn ended(&self, limit: u32) -> Vec<Session> {
        self.ask(move |reader| reader.ended(limit)).await.unwrap_or_default()
    }

    pub(crate) async fn notifications(&self, limit: u32) -> Reply {
        match self.ask(move |reader| reader.notifications(limit)).await {
            Ok(notifications) => Reply::Notifications { notifications },
            Err(message) => failed(message),
        }
    }

    /// Waits and notifications after `since`.
    pub(crate) async fn past(&self, since: Stamp) -> Reply {
        match self.ask(move |reader| reader.past(since)).await {
            Ok(past) => Reply::Past(Box::new(past)),
            Err(message) => failed(message),
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let wanted = *self.handed.borrow();
        let mut stored = self.stored.clone();
        // An answer that misses the last moments is better than none.
        drop(timeout(CATCH_UP, stored.wait_for(|position| *position >= wanted)).await);
        let database = self.database.clone();
        let work = tokio::task::spawn_blocking(move || question(&Reader::open(&database)?));
        match work.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(format!("the database cannot be read: {error}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn failed(message: String) -> Reply {
    Reply::Refused(Refusal { kind: RefusalKind::Failed, message, candidates: Vec::new() })
}
