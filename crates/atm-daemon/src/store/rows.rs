//! Rows to and from the types of the core.

use atm_core::ids::ConversationId;
use atm_core::session::derive::Source;
use atm_core::session::status::{Class, Detail, Life, Status};
use atm_core::session::{Key, Session, Transition};
use atm_core::stamp::Stamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{EventRow, StoreError};

/// SQLite counts up to `i64::MAX`; positions and start times never come near.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Returns how many were new.
pub(super) fn insert_events(conn: &Connection, events: &[EventRow]) -> Result<u64, StoreError> {
    let mut insert = conn.prepare_cached(
        "INSERT OR IGNORE INTO events
         (seq, ts, event, session_id, session_key, pid, tmux_pane, payload, malformed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut inserted = 0;
    for event in events {
        inserted += insert.execute(params![
            to_sql(event.seq),
            event.ts.0,
            event.event,
            event.session,
            event.key.as_ref().map(Key::as_str),
            event.pid,
            event.pane,
            event.payload,
            event.malformed,
        ])? as u64;
    }
    Ok(inserted)
}

/// `context_warning_level` is not the daemon's state and stays as it is.
const UPSERT_SESSION: &str = "
INSERT INTO sessions (key, session_id, agent, pid, process_start, tmux_pane, tmux_socket, cwd,
    session_dir, name, title, managed_id, role, mode, mission_id, model, status, why,
    current_state, started_at, last_seen_at, ended_at, end_reason, state)
VALUES (:key, :session_id, :agent, :pid, :process_start, :tmux_pane, :tmux_socket, :cwd,
    :session_dir, :name, :title, :managed_id, :role, :mode, :mission_id, :model, :status, :why,
    :current_state, :started_at, :last_seen_at, :ended_at, :end_reason, :state)
ON CONFLICT (key) DO UPDATE SET (session_id, agent, pid, process_start, tmux_pane, tmux_socket,
    cwd, session_dir, name, title, managed_id, role, mode, mission_id, model, status, why,
    current_state, started_at, last_seen_at, ended_at, end_reason, state)
= (excluded.session_id, excluded.agent, excluded.pid, excluded.process_start, excluded.tmux_pane,
    excluded.tmux_socket, excluded.cwd, excluded.session_dir, excluded.name, excluded.title,
    excluded.managed_id, excluded.role, excluded.mode, excluded.mission_id, excluded.model,
    excluded.status, excluded.why, excluded.current_state, excluded.started_at,
    excluded.last_seen_at, excluded.ended_at, excluded.end_reason, excluded.state)";

pub(super) fn upsert_sessions(conn: &Connection, sessions: &[Session]) -> Result<(), StoreError> {
    let mut upsert = conn.prepare_cached(UPSERT_SESSION)?;
    for session in sessions {
        let about = &session.about;
        let process = session.process.as_ref();
        let place = session.place.as_ref();
        upsert.execute(named_params! {
            ":key": session.key.as_str(),
            ":session_id": session.conversation.as_str(),
            ":agent": session.agent,
            ":pid": process.map(|process| process.pid),
            ":process_start": process.and_then(|process| process.start).map(to_sql),
            ":tmux_pane": place.map(|place| place.pane.as_str()),
            ":tmux_socket": place.map(|place| &place.socket),
            ":cwd": about.cwd,
            ":session_dir": about.session_dir,
            ":name": about.name,
            ":title": about.title,
            ":managed_id": session.managed,
            ":role": about.role,
            ":mode": about.mode,
            ":mission_id": about.mission,
            ":model": about.model,
            ":status": session.class().word(),
            ":why": why(session.status()),
            ":current_state": current_state(session.status()),
            ":started_at": session.started.0,
            ":last_seen_at": session.last_activity.0,
            ":ended_at": session.ended_at().map(|at| at.0),
            ":end_reason": end_reason(&session.life),
            ":state": encode_state(session)?,
        })?;
    }
    Ok(())
}

fn encode_state(session: &Session) -> Result<String, StoreError> {
    serde_json::to_string(session)
        .map_err(|source| StoreError::Encode { key: session.key.to_string(), source })
}

fn why(status: &Status) -> Option<String> {
    let words = match status {
        Status::Idle { why } => why.to_string(),
        Status::Working { detail } => detail.to_string(),
        Status::Attention { reason } => reason.to_string(),
    };
    Some(words).filter(|words| !words.is_empty())
}

/// The words of seed 004.
fn current_state(status: &Status) -> &'static str {
    match (status.class(), status) {
        (Class::Idle, _) => "idle",
        (_, Status::Working { detail: Detail::Tool { .. } }) => "tool_active",
        (Class::Working | Class::Attention, _) => "active",
    }
}

fn end_reason(life: &Life) -> Option<&str> {
    match life {
        Life::Live => None,
        Life::Ended { reason, .. } => Some(reason),
        Life::Lost { .. } => Some("lost"),
    }
}

pub(super) fn insert_transitions(
    conn: &Connection,
    transitions: &[(Key, ConversationId, Transition)],
) -> Result<(), StoreError> {
    let mut insert = conn.prepare_cached(
        "INSERT INTO transitions
         (session_key, session_id, at, from_state, to_state, cause, source, overruled)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (key, conversation, change) in transitions {
        insert.execute(params![
            key.as_str(),
            conversation.as_str(),
            change.at.0,
            change.from,
            change.to,
            change.cause,
            change.source.word(),
            change.overruled,
        ])?;
    }
    Ok(())
}

/// From columns `at, from_state, to_state, cause, source, overruled`.
pub(super) fn transition(row: &Row<'_>) -> rusqlite::Result<Transition> {
    Ok(Transition {
        at: Stamp(row.get(0)?),
        from: row.get(1)?,
        to: row.get(2)?,
        cause: row.get(3)?,
        source: parse_source(row.get_ref(4)?.as_str()?),
        overruled: row.get(5)?,
    })
}

fn parse_source(word: &str) -> Source {
    match word {
        "session-file" => Source::SessionFile,
        "transcript" => Source::Transcript,
        "process" => Source::Process,
        _ => Source::Hook,
    }
}

/// Never goes back: a batch without events may carry any position.
pub(super) fn save_position(conn: &Connection, position: u64) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO meta (key, value) VALUES ('position', ?1)
         ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)",
    )?
    .execute([to_sql(position)])?;
    Ok(())
}

pub(super) fn load_position(conn: &Connection) -> Result<u64, StoreError> {
    let stored = conn
        .query_row("SELECT value FROM meta WHERE key = 'position'", [], |row| row.get(0))
        .optional()?;
    Ok(from_sql(stored.unwrap_or(0)))
}

/// Sessions of a query for `key, state`.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) sessions: Vec<Session>,
    /// Rows of another shape: how many, and what is wrong with the first.
    pub(super) unreadable: usize,
    pub(super) first: Option<String>,
}

impl Loaded {
    pub(super) fn take(
        &mut self,
        conn: &Connection,
        sql: &str,
        limit: u32,
    ) -> Result<(), StoreError> {
        let mut select = conn.prepare(sql)?;
        let mut rows = select.query([limit])?;
        while let Some(row) = rows.next()? {
            match serde_json::from_slice(row.get_ref(1)?.as_bytes().unwrap_or_default()) {
                Ok(session) => self.sessions.push(session),
                Err(error) => {
                    self.unreadable += 1;
                    let key: String = row.get(0)?;
                    self.first.get_or_insert_with(|| format!("{key}: {error}"));
                }
            }
        }
        Ok(())
    }
}

pub(super) const LIVE: &str =
    "SELECT key, state FROM sessions WHERE ended_at IS NULL ORDER BY started_at LIMIT ?1";
pub(super) const ENDED: &str =
    "SELECT key, state FROM sessions WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?1";
