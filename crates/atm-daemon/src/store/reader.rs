//! Questions about the past, on a connection of its own that cannot write.

use std::path::Path;

use atm_core::notify::Record;
use atm_core::proto::message::EventView;
use atm_core::session::{Key, Session, Transition};
use atm_core::stamp::Stamp;
use atm_core::stats::Past;
use atm_core::view::SCHEMA;
use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;

use super::rows::{self, Loaded, from_sql, to_sql};
use super::{StoreError, notices, open};

#[derive(Debug)]
pub struct Reader {
    conn: Connection,
}

/// Events of the session `key`, of all without it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventQuery {
    pub key: Option<Key>,
    /// The oldest after this position; without it the newest.
    pub after: Option<u64>,
    pub limit: u32,
}

impl Reader {
    /// The database must be there already.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let conn = open::read_only(path)?;
        Ok(Reader { conn })
    }

    /// Fails if the file is damaged; takes 1 ms per MiB.
    pub fn check(&self) -> Result<(), StoreError> {
        open::check(&self.conn)
    }

    /// Oldest first.
    pub fn events(&self, query: &EventQuery) -> Result<Vec<EventView>, StoreError> {
        let key = query.key.as_ref().map(Key::as_str);
        // One walk along one index, so that no query ever sorts or scans.
        let filter = if key.is_some() { "session_key = ?1" } else { "?1 IS NULL" };
        let order = if query.after.is_some() { "ASC" } else { "DESC" };
        let mut select = self.conn.prepare_cached(&format!(
            "SELECT seq, ts, event, session_id, pid, tmux_pane, payload, malformed FROM events
             WHERE {filter} AND seq > ?2 ORDER BY seq {order} LIMIT ?3"
        ))?;
        let after = query.after.map_or(-1, to_sql);
        let rows = select.query_map(params![key, after, query.limit], event_view)?;
        let mut found: Vec<EventView> = rows.collect::<rusqlite::Result<_>>()?;
        if query.after.is_none() {
            found.reverse();
        }
        Ok(found)
    }

    /// Sessions that ended, the latest first; those that cannot be read are left out.
    pub fn ended(&self, limit: u32) -> Result<Vec<Session>, StoreError> {
        let mut loaded = Loaded::default();
        loaded.take(&self.conn, rows::ENDED, limit)?;
        Ok(loaded.sessions)
    }

    /// The latest `limit` notifications, oldest first.
    pub fn notifications(&self, limit: u32) -> Result<Vec<Record>, StoreError> {
        notices::latest(&self.conn, limit)
    }

    /// Waits and notifications after `since`.
    pub fn past(&self, since: Stamp) -> Result<Past, StoreError> {
        notices::past(&self.conn, since)
    }

    /// The latest `limit` transitions of a session, oldest first.
    pub fn transitions(&self, key: &Key, limit: u32) -> Result<Vec<Transition>, StoreError> {
        let mut select = self.conn.prepare_cached(
            "SELECT at, from_state, to_state, cause, source, overruled FROM transitions
             WHERE session_key = ?1 ORDER BY at DESC, id DESC LIMIT ?2",
        )?;
        let found = select.query_map(params![key.as_str(), limit], rows::transition)?;
        let mut found: Vec<Transition> = found.collect::<rusqlite::Result<_>>()?;
        found.reverse();
        Ok(found)
    }
}

fn event_view(row: &Row<'_>) -> rusqlite::Result<EventView> {
    let payload: Option<String> = row.get(6)?;
    Ok(EventView {
        schema: SCHEMA,
        seq: from_sql(row.get(0)?),
        ts: Stamp(row.get(1)?),
        event: row.get(2)?,
        session: row.get(3)?,
        pid: row.get(4)?,
        pane: row.get(5)?,
        payload: payload.and_then(|text| RawValue::from_string(text).ok()).unwrap_or_else(null),
        malformed: row.get(7)?,
    })
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}
