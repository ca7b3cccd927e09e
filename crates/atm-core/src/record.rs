//! One record of the journal: what the hook saw, exactly once, in one line.
//!
//! A record is written as `\n{…}\n`. The leading newline ends a torn neighbour, the trailing one
//! says that this record is whole; empty lines mean nothing. Positions are bytes since the very
//! first segment, so they stay valid across rotation.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::stamp::Stamp;

/// Version of the shape below; a reader skips and counts newer ones.
pub const RECORD_VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: i32,
    /// Start time in the unit of the platform (Linux: field 22 of /proc/PID/stat); a pid alone
    /// may be reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
}

/// Where and in what circumstances the hook ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    pub agent: String,
    /// The agent's process, not the hook's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// `$TMUX`: socket path, server pid, session number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tmux: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
    /// `$CLAUDE_CODE_SESSION_ID`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// `$CLAUDE_SESSION_ID`, set by a spawner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed: Option<String>,
    /// `$CLAUDE_CODE_ENTRYPOINT`: `cli`, `sdk-cli`, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entrypoint: Option<String>,
    /// `$CLAUDE_CODE_SESSION_ATTENDED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attended: Option<bool>,
    /// `$CLAUDE_CONFIG_DIR`, else `$HOME/.claude`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_dir: Option<String>,
    /// `$CLAUDE_SESSION_ROLE`, `$CLAUDE_SESSION_MODE`, `$MISSION_EXECUTION_ID`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Record<'a> {
    pub v: u32,
    /// Wall clock when the hook process started.
    pub ts: Stamp,
    /// Monotonic clock at the same moment, in nanoseconds since boot.
    pub mono: u64,
    pub origin: Origin,
    /// Length of the payload as the agent sent it.
    pub bytes: u64,
    /// Bytes left out of long strings and large values.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<&'a RawValue>,
    /// The beginning of a payload that was no JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("not a journal record")]
    Garbage(#[source] serde_json::Error),
    #[error("written by a newer atm (record version {0})")]
    Newer(u32),
}

impl<'a> Record<'a> {
    /// The bytes to append, newlines included.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = Vec::with_capacity(512 + self.payload.map_or(0, |p| p.get().len()));
        line.push(b'\n');
        serde_json::to_writer(&mut line, self)?;
        line.push(b'\n');
        Ok(line)
    }

    pub fn decode(line: &'a [u8]) -> Result<Record<'a>, RecordError> {
        let record: Record<'a> = serde_json::from_slice(line).map_err(RecordError::Garbage)?;
        if record.v > RECORD_VERSION {
            return Err(RecordError::Newer(record.v));
        }
        Ok(record)
    }
}

/// A complete line of a chunk and where it starts in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub offset: usize,
    pub bytes: &'a [u8],
}

/// Splits a chunk of the journal into whole lines; empty ones are passed over. What follows the
/// last newline is not whole yet: [`whole_len`] says where to go on.
pub fn lines(chunk: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', chunk).filter_map(move |end| {
        let line = Line { offset: start, bytes: &chunk[start..end] };
        start = end + 1;
        (!line.bytes.is_empty()).then_some(line)
    })
}

/// Length of the part of `chunk` that consists of whole lines.
pub fn whole_len(chunk: &[u8]) -> usize {
    memchr::memrchr(b'\n', chunk).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(payload: &RawValue) -> Vec<u8> {
        let record = Record {
            v: RECORD_VERSION,
            ts: Stamp(1),
            mono: 2,
            origin: Origin { agent: "claude".into(), ..Origin::default() },
            bytes: 9,
            cut: 0,
            payload: Some(payload),
            malformed: None,
        };
        record.encode().unwrap()
    }

    #[test]
    fn record_torn_by_a_full_disk_spares_its_neighbours() {
        let payload: Box<RawValue> = serde_json::from_str(r#"{"a":1}"#).unwrap();
        let whole = record(&payload);
        let torn = &whole[..whole.len() / 2];
        let journal = [&whole[..], torn, &whole[..]].concat();
        let good = lines(&journal).filter(|l| Record::decode(l.bytes).is_ok()).count();
        assert_eq!((lines(&journal).count(), good), (3, 2));
    }

    #[test]
    fn lines_of_a_half_written_chunk_end_before_the_open_record() {
        let chunk = b"\n{\"a\":1}\n\n{\"b\":";
        assert_eq!(lines(chunk).count(), 1);
        assert_eq!(whole_len(chunk), 10);
    }

    #[test]
    fn record_of_a_newer_version_is_told_apart_from_garbage() {
        let line = br#"{"v":2,"ts":1,"mono":1,"origin":{},"bytes":0}"#;
        assert!(matches!(Record::decode(line), Err(RecordError::Newer(2))));
        assert!(matches!(Record::decode(b"\xff\0junk"), Err(RecordError::Garbage(_))));
    }
}
