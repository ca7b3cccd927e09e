//! The tables, and how older ones become these. A released migration is never edited; a change
//! is a new one at the end.

use rusqlite_migration::{M, Migrations};

/// Times are milliseconds since the Unix epoch. `status` and `why` are the session's status and
/// the words that go with it, `current_state` the same in the words of seed 004; `state` is the
/// whole session, from which the daemon goes on. `seq` is the journal position of the record, and
/// the row id: every index of `events` ends with it. `transitions` has no foreign key: one whose
/// session is gone must not hold up a batch for ever.
const FIRST: &str = "
CREATE TABLE sessions (
    key TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    pid INTEGER,
    process_start INTEGER,
    tmux_pane TEXT,
    tmux_socket TEXT,
    cwd TEXT,
    session_dir TEXT,
    name TEXT,
    title TEXT,
    managed_id TEXT,
    role TEXT,
    mode TEXT,
    mission_id TEXT,
    model TEXT,
    status TEXT NOT NULL,
    why TEXT,
    current_state TEXT NOT NULL,
    context_warning_level INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_reason TEXT,
    state TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_end ON sessions (ended_at);
CREATE INDEX sessions_by_id ON sessions (session_id);

CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    ts INTEGER NOT NULL,
    event TEXT NOT NULL,
    session_id TEXT,
    session_key TEXT,
    pid INTEGER,
    tmux_pane TEXT,
    payload TEXT,
    malformed TEXT
) STRICT;
CREATE INDEX events_by_key ON events (session_key);

CREATE TABLE transitions (
    id INTEGER PRIMARY KEY,
    session_key TEXT NOT NULL,
    session_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    cause TEXT NOT NULL,
    source TEXT NOT NULL,
    overruled TEXT
) STRICT;
CREATE INDEX transitions_by_key ON transitions (session_key, at);
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT;
";

/// What the user was told, or not, and why: `record` is the whole of it as JSON. A session without
/// `until` is muted for good.
const NOTIFICATIONS: &str = "
CREATE TABLE notifications (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session_key TEXT NOT NULL,
    session_id TEXT NOT NULL,
    event TEXT NOT NULL,
    step TEXT NOT NULL,
    verdict TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX notifications_by_time ON notifications (at);
CREATE TABLE mutes (session_key TEXT PRIMARY KEY, until INTEGER) STRICT;
";

/// `user_version` of a database with all of the above.
pub(super) const KNOWN: i64 = 2;

pub(super) fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(FIRST), M::up(NOTIFICATIONS)])
}
