//! Requests of commands and answers of the daemon. Grows by new variants and optional fields;
//! a change of meaning raises `PROTOCOL`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::frame::{self, TooLong};
use crate::explain::Explanation;
use crate::jump::{Spot, To};
use crate::notify::{Channel, Record, Told};
use crate::stamp::{self, Stamp};
use crate::stats::Past;
use crate::view::SessionView;

pub const PROTOCOL: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "req", rename_all = "kebab-case")]
pub enum Request {
    Status,
    List {
        all: bool,
    },
    Show {
        who: String,
    },
    Explain {
        who: String,
    },
    /// Events after position `after`, oldest first; without it the newest `limit`.
    Events {
        who: Option<String>,
        after: Option<u64>,
        limit: u32,
    },
    /// Events as they come, until the connection is closed.
    Follow {
        who: Option<String>,
        after: Option<u64>,
    },
    /// A client's configuration directory whose sessions count too (`CLAUDE_CONFIG_DIR`).
    Watch {
        config_dir: String,
    },
    /// A snapshot, then every change, until the connection is closed.
    Subscribe,
    /// The user has looked at it; without `who`, at all.
    Dismiss {
        who: Option<String>,
    },
    /// Where a jump would go; nobody has moved yet. `from` is where the user is.
    Jump {
        to: To,
        from: Option<Spot>,
    },
    /// The user was taken to `at`, to look at the session `key` there.
    Arrived {
        at: Spot,
        key: Option<String>,
        from: Option<Spot>,
    },
    /// Somebody may have come to a tmux window: a hook of tmux says so. `client` names who looks.
    Visit {
        socket: String,
        window: String,
        #[serde(default)]
        client: Option<String>,
        event: String,
    },
    /// What tmux shows is read and written anew; also ends what `Unpaint` began.
    Repaint,
    /// Takes everything out of tmux that atm wrote and keeps it out until `Repaint`.
    Unpaint,
    /// No notifications of this session: for good, or for some milliseconds.
    Mute {
        who: String,
        #[serde(default)]
        for_ms: Option<u64>,
    },
    Unmute {
        who: String,
    },
    /// Sends a sample through this channel; without one, through every configured one.
    NotifyTest {
        #[serde(default)]
        channel: Option<Channel>,
    },
    /// The latest notifications, sent or not, oldest first.
    NotifyLog {
        limit: u32,
    },
    /// The session that the user was told of last.
    LastNotified,
    /// What metrics are made of, after this time.
    Past {
        since: Stamp,
    },
    Stop,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    Status(DaemonStatus),
    Sessions {
        sessions: Vec<SessionView>,
    },
    Session {
        session: Box<SessionView>,
    },
    Explanation(Box<Explanation>),
    Events {
        events: Vec<EventView>,
    },
    /// Also sent again to a subscriber that was too slow for single changes.
    Snapshot {
        sessions: Vec<SessionView>,
    },
    Changed {
        session: Box<SessionView>,
    },
    Removed {
        id: String,
        key: String,
    },
    /// Where a jump goes, and who is there.
    Destination {
        spot: Spot,
        session: Option<Box<SessionView>>,
    },
    Tested {
        told: Vec<Told>,
    },
    Notifications {
        notifications: Vec<Record>,
    },
    Past(Box<Past>),
    Done,
    Refused(Refusal),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub socket: String,
    pub state_dir: String,
    pub uptime_ms: u64,
    pub sessions: usize,
    pub subscribers: usize,
    /// Journal records taken in since the daemon started, and how many made no sense.
    pub events: u64,
    pub malformed: u64,
    /// Journal position that the database holds.
    pub stored: u64,
    /// The configuration file that it reads, there or not, and how many options that sets.
    pub config: String,
    pub configured: usize,
    /// What does not work, in words; empty if all is well.
    pub troubles: Vec<String>,
    /// The mark of the last self-test that came through the journal since the daemon started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_test: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
    /// The sessions that an ambiguous name could mean.
    #[serde(default)]
    pub candidates: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    NotFound,
    Ambiguous,
    BadRequest,
    Version,
    Failed,
    /// There is no place to go to.
    Nowhere,
}

/// One hook event, as `atm events --json` prints it.
#[derive(Debug, Serialize, Deserialize)]
pub struct EventView {
    pub schema: u32,
    pub seq: u64,
    #[serde(with = "stamp::text")]
    pub ts: Stamp,
    pub event: String,
    pub session: Option<String>,
    pub pid: Option<i32>,
    pub pane: Option<String>,
    pub payload: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    v: u32,
    #[serde(flatten)]
    body: T,
}

#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("the other side speaks protocol {theirs}, this atm speaks {PROTOCOL}")]
    Version { theirs: u32 },
    #[error("not a message")]
    Garbage(#[source] serde_json::Error),
    #[error(transparent)]
    TooLong(#[from] TooLong),
}

pub fn encode_request(request: &Request) -> Result<Vec<u8>, MessageError> {
    let body = serde_json::to_vec(&Envelope { v: PROTOCOL, body: request });
    Ok(frame::encode(&body.map_err(MessageError::Garbage)?)?)
}

pub fn decode_request(body: &[u8]) -> Result<Request, MessageError> {
    check_version(body)?;
    serde_json::from_slice::<Envelope<Request>>(body).map(|e| e.body).map_err(MessageError::Garbage)
}

/// Answers hold raw JSON, which cannot pass through a flattened envelope: `[version, answer]`.
pub fn encode_reply(reply: &Reply) -> Result<Vec<u8>, MessageError> {
    let body = serde_json::to_vec(&(PROTOCOL, reply)).map_err(MessageError::Garbage)?;
    Ok(frame::encode(&body)?)
}

pub fn decode_reply(body: &[u8]) -> Result<Reply, MessageError> {
    let (theirs, raw): (u32, &RawValue) =
        serde_json::from_slice(body).map_err(MessageError::Garbage)?;
    if theirs != PROTOCOL {
        return Err(MessageError::Version { theirs });
    }
    serde_json::from_str(raw.get()).map_err(MessageError::Garbage)
}

fn check_version(body: &[u8]) -> Result<(), MessageError> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let Version { v } = serde_json::from_slice(body).map_err(MessageError::Garbage)?;
    if v == PROTOCOL { Ok(()) } else { Err(MessageError::Version { theirs: v }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_of_another_protocol_is_refused_by_version() {
        let error = decode_request(br#"{"v":9,"req":"dance"}"#).unwrap_err();
        assert!(matches!(error, MessageError::Version { theirs: 9 }));
    }

    #[test]
    fn request_and_event_reply_survive_the_wire() {
        let bytes = encode_request(&Request::Show { who: "%3".into() }).unwrap();
        assert_eq!(decode_request(&bytes[4..]).unwrap(), Request::Show { who: "%3".into() });
        let event = EventView {
            schema: 1,
            seq: 17,
            ts: Stamp(0),
            event: "Stop".into(),
            session: None,
            pid: Some(7),
            pane: None,
            payload: serde_json::from_str(r#"{ "a": 1.0 }"#).unwrap(),
            malformed: None,
        };
        let bytes = encode_reply(&Reply::Events { events: vec![event] }).unwrap();
        let Reply::Events { events } = decode_reply(&bytes[4..]).unwrap() else { panic!("events") };
        assert_eq!(events[0].payload.get(), r#"{ "a": 1.0 }"#);
    }
}
