//! The journal as it is on disk, also when no daemon can read it.

use std::collections::VecDeque;

use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::proto::message::EventView;
use atm_core::record::Record;
use atm_core::select::MIN_PREFIX;
use atm_core::stamp::Stamp;
use atm_core::view::SCHEMA;
use atm_daemon::journal;
use serde_json::value::RawValue;

use super::{Args, write};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Of a line that is no record, this much is shown.
const GARBAGE_MAX: usize = 500;

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let mut newest = VecDeque::new();
    for line in journal::read_all(&context.places.journal_dir()) {
        let (position, line) =
            line.map_err(|error| CliError::failed("cannot read the journal", &error))?;
        let is_wanted = args.session.as_deref().is_none_or(|who| is_of(&line, who));
        if is_wanted && limit > 0 {
            if newest.len() == limit {
                newest.pop_front();
            }
            newest.push_back((position, line));
        }
    }
    for (position, line) in newest {
        write(&[event(position, &line)], args, context)?;
    }
    Ok(Exit::Ok)
}

fn event(position: u64, line: &[u8]) -> EventView {
    let record = match Record::decode(line) {
        Ok(record) => record,
        Err(error) => {
            let text = String::from_utf8_lossy(line);
            let text: String = text.chars().take(GARBAGE_MAX).collect();
            return bare(position, Some(format!("{error}: {text}")));
        }
    };
    let payload = record.payload.unwrap_or(RawValue::NULL);
    let wire = WireHook::decode(payload.get()).ok();
    let session = wire.as_ref().and_then(|wire| wire.text("session_id"));
    EventView {
        ts: record.ts,
        event: wire.as_ref().map(event_name).unwrap_or_default(),
        session: session.or(record.origin.session),
        pid: record.origin.process.map(|process| process.pid),
        pane: record.origin.pane,
        payload: payload.to_owned(),
        ..bare(position, record.malformed)
    }
}

fn bare(position: u64, malformed: Option<String>) -> EventView {
    EventView {
        schema: SCHEMA,
        seq: position,
        ts: Stamp::default(),
        event: String::new(),
        session: None,
        pid: None,
        pane: None,
        payload: RawValue::NULL.to_owned(),
        malformed,
    }
}

/// Without the daemon only what the record itself says can be compared.
fn is_of(line: &[u8], who: &str) -> bool {
    let Ok(record) = Record::decode(line) else { return false };
    let wire = record.payload.and_then(|payload| WireHook::decode(payload.get()).ok());
    let told = wire.and_then(|wire| wire.text("session_id"));
    let begins = |id: &String| who.len() >= MIN_PREFIX && id.starts_with(who);
    let is = |id: &Option<String>| id.as_deref() == Some(who);
    let origin = &record.origin;
    is(&told)
        || told.as_ref().is_some_and(begins)
        || is(&origin.session)
        || origin.session.as_ref().is_some_and(begins)
        || is(&origin.managed)
        || is(&origin.pane)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = br#"{"v":1,"ts":1794769560123,"mono":5,"origin":{"agent":"claude","process":{"pid":7},"pane":"%3","managed":"job-1"},"bytes":9,"payload":{"hook_event_name":"Stop","session_id":"abcdef12"}}"#;

    #[test]
    fn raw_record_becomes_the_event_that_the_daemon_would_print() {
        let event = event(17, RECORD);
        assert_eq!(
            serde_json::to_string(&event).unwrap(),
            r#"{"schema":1,"seq":17,"ts":"2026-11-15T19:06:00.123Z","event":"Stop","session":"abcdef12","pid":7,"pane":"%3","payload":{"hook_event_name":"Stop","session_id":"abcdef12"}}"#
        );
    }

    #[test]
    fn raw_garbage_is_shown_as_such() {
        let garbage = event(3, b"\xff\0junk");
        assert_eq!(garbage.malformed.unwrap(), "not a journal record: \u{fffd}\0junk");
        let cut = br#"{"v":1,"ts":1,"mono":1,"origin":{},"bytes":4,"malformed":"oops"}"#;
        let malformed = event(4, cut);
        assert_eq!((malformed.malformed.unwrap().as_str(), malformed.ts), ("oops", Stamp(1)));
        let newer = event(5, br#"{"v":2,"ts":1,"mono":1,"origin":{},"bytes":0}"#);
        assert!(newer.malformed.unwrap().starts_with("written by a newer atm"));
    }

    #[test]
    fn raw_events_are_picked_by_id_prefix_managed_id_and_pane() {
        for who in ["abcdef12", "abcd", "job-1", "%3"] {
            assert!(is_of(RECORD, who), "{who}");
        }
        for who in ["abc", "%4", "bcde"] {
            assert!(!is_of(RECORD, who), "{who}");
        }
        assert!(!is_of(b"junk", "abcd"));
    }
}
