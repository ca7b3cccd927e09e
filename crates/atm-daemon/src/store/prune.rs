//! Keeps the database at a bounded size. The oldest go first, some at a time.

use atm_core::config::{Config, History};
use rusqlite::Connection;

use super::rows::{from_sql, to_sql};
use super::{Store, StoreError, notices};

/// Rows deleted in one transaction.
const STEP: u64 = 1_000;

/// How many rows stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub events: u64,
    pub transitions: u64,
    /// Sessions that ended.
    pub ended: u64,
}

impl Limits {
    pub fn of(history: &History) -> Limits {
        Limits {
            events: history.keep_events,
            transitions: history.keep_events,
            ended: history.keep_sessions,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::of(&Config::default().history)
    }
}

impl Store {
    /// Deletes what is too much; returns the number of rows.
    pub fn prune(&mut self, limits: &Limits) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let step = self.prune_events(limits.events)?
                + prune_transitions(&self.conn, limits.transitions)?
                + notices::prune(&self.conn, limits.transitions)?
                + prune_ended(&self.conn, limits.ended)?;
            if step == 0 {
                return Ok(deleted);
            }
            deleted += step;
        }
    }

    fn prune_events(&mut self, keep: u64) -> Result<u64, StoreError> {
        // Counted once: that takes a walk through a whole index.
        let count = match self.events {
            Some(count) => count,
            None => count(&self.conn, "SELECT count(*) FROM events")?,
        };
        let deleted = delete(
            &self.conn,
            "DELETE FROM events WHERE seq IN (SELECT seq FROM events ORDER BY seq LIMIT ?1)",
            count.saturating_sub(keep),
        )?;
        self.events = Some(count.saturating_sub(deleted));
        Ok(deleted)
    }
}

/// Ids have no holes but at their beginning.
fn prune_transitions(conn: &Connection, keep: u64) -> Result<u64, StoreError> {
    let rows = count(conn, "SELECT ifnull(max(id) - min(id) + 1, 0) FROM transitions")?;
    delete(
        conn,
        "DELETE FROM transitions WHERE id IN (SELECT id FROM transitions ORDER BY id LIMIT ?1)",
        rows.saturating_sub(keep),
    )
}

fn prune_ended(conn: &Connection, keep: u64) -> Result<u64, StoreError> {
    let rows = count(conn, "SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL")?;
    delete(
        conn,
        "DELETE FROM sessions WHERE key IN
         (SELECT key FROM sessions WHERE ended_at IS NOT NULL ORDER BY ended_at LIMIT ?1)",
        rows.saturating_sub(keep),
    )
}

pub(super) fn count(conn: &Connection, sql: &str) -> Result<u64, StoreError> {
    Ok(from_sql(conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?))
}

pub(super) fn delete(conn: &Connection, sql: &str, excess: u64) -> Result<u64, StoreError> {
    if excess == 0 {
        return Ok(0);
    }
    Ok(conn.prepare_cached(sql)?.execute([to_sql(excess.min(STEP))])? as u64)
}
