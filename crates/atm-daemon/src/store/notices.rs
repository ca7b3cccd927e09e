//! What the user was told: rows in, rows out.

use atm_core::notify::{Mute, Record};
use atm_core::session::Key;
use atm_core::stamp::Stamp;
use atm_core::stats::{Past, Step};
use rusqlite::{Connection, params};

use super::prune::{count, delete};
use super::{Notice, StoreError};

/// Steps and notifications of which metrics are made, at most.
const PAST_MAX: u32 = 50_000;

pub(super) fn save(conn: &Connection, notices: &[Notice]) -> Result<(), StoreError> {
    for notice in notices {
        match notice {
            Notice::Told(record) => insert(conn, record)?,
            Notice::Muted(key, Some(mute)) => {
                let until = match mute {
                    Mute::Always => None,
                    Mute::Until(at) => Some(at.0),
                };
                conn.prepare_cached(
                    "INSERT OR REPLACE INTO mutes (session_key, until) VALUES (?1, ?2)",
                )?
                .execute(params![key.as_str(), until])?;
            }
            Notice::Muted(key, None) => {
                conn.execute("DELETE FROM mutes WHERE session_key = ?1", [key.as_str()])?;
            }
        }
    }
    Ok(())
}

fn insert(conn: &Connection, record: &Record) -> Result<(), StoreError> {
    let json = serde_json::to_string(record)
        .map_err(|source| StoreError::Encode { key: record.key.clone(), source })?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO notifications (at, session_key, session_id, event, step, verdict, record)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    insert.execute(params![
        record.at.0,
        record.key,
        record.session,
        record.event.word(),
        record.step.word(),
        record.verdict.word(),
        json,
    ])?;
    Ok(())
}

/// The latest, oldest first; one of another shape is left out.
pub(super) fn latest(conn: &Connection, limit: u32) -> Result<Vec<Record>, StoreError> {
    let mut found = since(conn, Stamp(i64::MIN), limit)?;
    found.reverse();
    Ok(found)
}

fn since(conn: &Connection, since: Stamp, limit: u32) -> Result<Vec<Record>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT record FROM notifications WHERE at >= ?1 ORDER BY id DESC LIMIT ?2",
    )?;
    let texts = select.query_map(params![since.0, limit], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = texts.collect::<rusqlite::Result<_>>()?;
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

pub(super) fn mutes(conn: &Connection) -> Result<Vec<(Key, Mute)>, StoreError> {
    let mut select = conn.prepare("SELECT session_key, until FROM mutes")?;
    let found = select.query_map([], |row| {
        let until: Option<i64> = row.get(1)?;
        let mute = until.map_or(Mute::Always, |at| Mute::Until(Stamp(at)));
        Ok((Key::stored(row.get(0)?), mute))
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn past(conn: &Connection, since: Stamp) -> Result<Past, StoreError> {
    let mut select = conn.prepare(
        "SELECT t.session_key, t.session_id, t.at, t.from_state, t.to_state,
                ifnull(s.session_dir, ifnull(s.cwd, '')), ifnull(s.name, ifnull(s.title, ''))
         FROM transitions t LEFT JOIN sessions s ON s.key = t.session_key
         WHERE t.at >= ?1 AND (t.from_state LIKE 'attention%' OR t.to_state LIKE 'attention%')
         ORDER BY t.session_key, t.id LIMIT ?2",
    )?;
    let steps = select.query_map(params![since.0, PAST_MAX], |row| {
        Ok(Step {
            key: row.get(0)?,
            session: row.get(1)?,
            at: Stamp(row.get(2)?),
            from: row.get(3)?,
            to: row.get(4)?,
            directory: row.get(5)?,
            name: row.get(6)?,
        })
    })?;
    let steps = steps.collect::<rusqlite::Result<_>>()?;
    let notifications = self::since(conn, since, PAST_MAX)?;
    Ok(Past { steps, notifications })
}

/// Ids have no holes but at their beginning.
pub(super) fn prune(conn: &Connection, keep: u64) -> Result<u64, StoreError> {
    let rows = count(conn, "SELECT ifnull(max(id) - min(id) + 1, 0) FROM notifications")?;
    delete(
        conn,
        "DELETE FROM notifications WHERE id IN (SELECT id FROM notifications ORDER BY id LIMIT ?1)",
        rows.saturating_sub(keep),
    )
}
