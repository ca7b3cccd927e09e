//! Questions about the past, on a connection of its own that cannot write.

use std::collections::BTreeMap;
use std::path::Path;

use atm_core::proto::message::EventView;
use atm_core::session::{Key, Session, Transition};
use atm_core::stamp::Stamp;
use atm_core::view::SCHEMA;
use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;

use super::rows::{self, Loaded, from_sql, to_sql};
use super::{StoreError, open};

#[derive(Debug)]
pub struct Reader {
    conn: Connection,
}

/// Events of any of the conversations in `who` or of the session `key`; of all without both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventQuery {
    pub who: Option<Vec<String>>,
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

    /// Oldest first.
    pub fn events(&self, query: &EventQuery) -> Result<Vec<EventView>, StoreError> {
        let mut found = BTreeMap::new();
        if query.who.is_none() && query.key.is_none() {
            self.collect("?1 IS NULL", None, query, &mut found)?;
        }
        for id in query.who.iter().flatten() {
            self.collect("session_id = ?1", Some(id), query, &mut found)?;
        }
        if let Some(key) = &query.key {
            self.collect("session_key = ?1", Some(key.as_str()), query, &mut found)?;
        }
        let limit = query.limit as usize;
        let surplus = match query.after {
            Some(_) => 0,
            None => found.len().saturating_sub(limit),
        };
        Ok(found.into_values().skip(surplus).take(limit).collect())
    }

    /// One walk along one index, so that no query ever sorts or scans.
    fn collect(
        &self,
        filter: &str,
        value: Option<&str>,
        query: &EventQuery,
        found: &mut BTreeMap<u64, EventView>,
    ) -> Result<(), StoreError> {
        let order = if query.after.is_some() { "ASC" } else { "DESC" };
        let mut select = self.conn.prepare_cached(&format!(
            "SELECT seq, ts, event, session_id, pid, tmux_pane, payload, malformed FROM events
             WHERE {filter} AND seq > ?2 ORDER BY seq {order} LIMIT ?3"
        ))?;
        let after = query.after.map_or(-1, to_sql);
        for event in select.query_map(params![value, after, query.limit], event_view)? {
            let event = event?;
            found.insert(event.seq, event);
        }
        Ok(())
    }

    /// Sessions that ended, the latest first; those that cannot be read are left out.
    pub fn ended(&self, limit: u32) -> Result<Vec<Session>, StoreError> {
        let mut loaded = Loaded::default();
        loaded.take(&self.conn, rows::ENDED, limit)?;
        Ok(loaded.sessions)
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
