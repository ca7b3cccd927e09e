//! One session as its hooks report it. Payloads have the fields of the recorded ones
//! (fixtures/recordings/b_bash_allowed.jsonl).

use std::time::SystemTime;

use atm_core::record::{Origin, Process, RECORD_VERSION, Record};
use atm_core::stamp::Stamp;
use rustix::time::{ClockId, clock_gettime};
use serde_json::value::RawValue;

use crate::Outcome;

pub(crate) const TRANSCRIPT: &str = "{\"type\":\"summary\",\"summary\":\"bench\"}\n";

#[derive(Debug)]
pub(crate) struct Speaker {
    pub(crate) id: String,
    pub(crate) process: Process,
    pub(crate) cwd: String,
    pub(crate) transcript: String,
    pub(crate) config_dir: String,
}

impl Speaker {
    pub(crate) fn start(&self) -> String {
        self.payload("SessionStart", r#""source":"startup","model":"claude-opus-5-5""#)
    }

    pub(crate) fn prompt(&self) -> String {
        self.payload("UserPromptSubmit", r#""prompt":"make the tests green again, please""#)
    }

    pub(crate) fn pre_tool(&self, tool_use: &str) -> String {
        self.payload("PreToolUse", &format!("{TOOL},\"tool_use_id\":\"{tool_use}\""))
    }

    pub(crate) fn post_tool(&self, tool_use: &str) -> String {
        self.post_tool_of(tool_use, "running 12 tests\\ntest result: ok. 12 passed; 0 failed\\n")
    }

    /// `stdout` is the inside of a JSON string.
    pub(crate) fn post_tool_of(&self, tool_use: &str, stdout: &str) -> String {
        let rest = format!(
            "{TOOL},\"tool_response\":{{\"stdout\":\"{stdout}\",\"stderr\":\"\",\
             \"interrupted\":false,\"isImage\":false}},\
             \"tool_use_id\":\"{tool_use}\",\"duration_ms\":79"
        );
        self.payload("PostToolUse", &rest)
    }

    pub(crate) fn permission(&self) -> String {
        self.payload("PermissionRequest", &format!("{TOOL},\"permission_suggestions\":[]"))
    }

    pub(crate) fn stop(&self) -> String {
        let rest = r#""stop_hook_active":false,"last_assistant_message":"Done.","background_tasks":[],"session_crons":[]"#;
        self.payload("Stop", rest)
    }

    /// A PreToolUse of exactly `length` bytes, or as few as it takes.
    pub(crate) fn pre_tool_of(&self, tool_use: &str, length: usize) -> String {
        let mut payload = self.pre_tool(tool_use);
        let missing = length.saturating_sub(payload.len());
        let at = payload.find("cargo test").unwrap_or(0);
        payload.insert_str(at, &"x".repeat(missing));
        payload
    }

    /// A record of the journal, as the hook would write it now.
    pub(crate) fn record(&self, payload: &str) -> Outcome<Vec<u8>> {
        self.record_in(None, payload)
    }

    /// The same, from a pane: `$TMUX` and `$TMUX_PANE`.
    pub(crate) fn record_in(
        &self,
        place: Option<(String, String)>,
        payload: &str,
    ) -> Outcome<Vec<u8>> {
        let (tmux, pane) = place.unzip();
        let raw: &RawValue = serde_json::from_str(payload)?;
        let record = Record {
            v: RECORD_VERSION,
            ts: now(),
            mono: monotonic(),
            origin: Origin { tmux, pane, ..self.origin() },
            bytes: payload.len() as u64,
            cut: 0,
            payload: Some(raw),
            malformed: None,
        };
        Ok(record.encode()?)
    }

    fn payload(&self, event: &str, rest: &str) -> String {
        let Speaker { id, transcript, cwd, .. } = self;
        format!(
            "{{\"session_id\":\"{id}\",\"transcript_path\":\"{transcript}\",\"cwd\":\"{cwd}\",\
             \"permission_mode\":\"default\",\"hook_event_name\":\"{event}\",{rest}}}"
        )
    }

    fn origin(&self) -> Origin {
        Origin {
            agent: "claude".to_owned(),
            process: Some(self.process.clone()),
            session: Some(self.id.clone()),
            entrypoint: Some("cli".to_owned()),
            attended: Some(true),
            config_dir: Some(self.config_dir.clone()),
            ..Origin::default()
        }
    }
}

const TOOL: &str =
    r#""tool_name":"Bash","tool_input":{"command":"cargo test","description":"Run the tests"}"#;

pub(crate) fn now() -> Stamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn monotonic() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_json_and_pad_to_the_byte() {
        let speaker = Speaker {
            id: "0".into(),
            process: Process::default(),
            cwd: "/w".into(),
            transcript: "/t".into(),
            config_dir: "/c".into(),
        };
        let padded = speaker.pre_tool_of("toolu_1", 445);
        assert_eq!(padded.len(), 445);
        let others = [
            speaker.start(),
            speaker.prompt(),
            speaker.post_tool("toolu_1"),
            speaker.permission(),
            speaker.stop(),
        ];
        for payload in std::iter::once(padded).chain(others) {
            let line = speaker.record(&payload).unwrap();
            assert!(Record::decode(&line).is_ok(), "{payload}");
        }
    }
}
