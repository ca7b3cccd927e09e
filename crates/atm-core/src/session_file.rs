//! The client's own session file, `<config>/sessions/<pid>.json`: undocumented, so read with
//! care. Shape as in the `#session-file` lines of `fixtures/recordings`.

use serde::{Deserialize, Serialize};

use crate::hook::wire::WireHook;
use crate::ids::{ConversationId, PaneId};
use crate::stamp::Stamp;
use crate::text::clean;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileStatus {
    Idle,
    Busy,
    Waiting,
    /// Only background shells are running.
    Shell,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    pub pid: i32,
    pub start: Option<u64>,
    pub conversation: ConversationId,
    pub cwd: Option<String>,
    pub name: Option<String>,
    pub version: Option<String>,
    pub kind: String,
    pub entrypoint: Option<String>,
    /// The pane at start; only its id can be trusted later (t_two_panes.jsonl).
    pub pane: Option<PaneId>,
    pub pid_domain: Option<String>,
    pub started_at: Option<Stamp>,
    pub status: Option<FileStatus>,
    pub waiting_for: Option<String>,
    pub status_at: Option<Stamp>,
    pub updated_at: Option<Stamp>,
}

impl SessionFile {
    /// `None` for a half-written file, another kind of file, or the client's own daemons.
    pub fn parse(json: &str) -> Option<SessionFile> {
        let wire = WireHook::decode(json).ok()?;
        let short = |field| wire.text(field).map(|text| clean(&text, 200));
        let kind = short("kind").unwrap_or_default();
        if matches!(kind.as_str(), "daemon" | "daemon-worker") {
            return None;
        }
        Some(SessionFile {
            pid: wire.get("pid")?,
            start: wire.text("procStart").and_then(|text| text.parse().ok()),
            conversation: ConversationId::known(wire.text("sessionId"))?,
            cwd: wire.text("cwd"),
            name: short("name"),
            version: short("version"),
            kind,
            entrypoint: short("entrypoint"),
            pane: wire.text("tmux").and_then(|place| pane_of(&place)),
            pid_domain: short("pidDomain"),
            started_at: wire.get("startedAt").map(Stamp),
            status: wire.text("status").and_then(|text| status(&text)),
            waiting_for: short("waitingFor"),
            status_at: wire.get("statusUpdatedAt").map(Stamp),
            updated_at: wire.get("updatedAt").map(Stamp),
        })
    }
}

fn status(text: &str) -> Option<FileStatus> {
    match text {
        "idle" => Some(FileStatus::Idle),
        "busy" => Some(FileStatus::Busy),
        "waiting" => Some(FileStatus::Waiting),
        "shell" => Some(FileStatus::Shell),
        _ => None,
    }
}

/// `name:@1.%3` → `%3`; the session's name may hold any of these characters itself.
fn pane_of(place: &str) -> Option<PaneId> {
    let digits = place.rsplit_once('%')?.1;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| PaneId::new(&format!("%{digits}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_file_of_a_waiting_client_is_read_whole() {
        let json = r#"{"pid":7,"sessionId":"s","procStart":"123","status":"waiting","kind":"interactive",
            "waitingFor":"permission prompt","statusUpdatedAt":5,"tmux":"a:%b.c:@1.%3","future":[]}"#;
        let file = SessionFile::parse(json).unwrap();
        assert_eq!((file.pid, file.start, file.status), (7, Some(123), Some(FileStatus::Waiting)));
        assert_eq!(file.pane, Some(PaneId::new("%3")));
        assert_eq!(file.status_at, Some(Stamp(5)));
    }

    #[test]
    fn session_file_half_written_or_of_a_daemon_is_none() {
        for json in ["", "{\"pid\":7", "{}", r#"{"pid":7,"sessionId":"s","kind":"daemon"}"#] {
            assert_eq!(SessionFile::parse(json), None, "{json}");
        }
    }

    #[test]
    fn session_file_with_an_unknown_status_is_still_a_session() {
        let file = SessionFile::parse(r#"{"pid":7,"sessionId":"s","status":"dreaming"}"#).unwrap();
        assert_eq!(file.status, None);
    }
}
