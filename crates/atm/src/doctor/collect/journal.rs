//! The end of the journal: when a hook last fired, and whether a mark has come in.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use atm_core::hook::event::event_name;
use atm_core::hook::self_test;
use atm_core::hook::wire::WireHook;
use atm_core::places::Places;
use atm_core::record::{self, Record};
use atm_core::text::clean;

use super::super::dump::{Journal, LastHook};

/// As much of a segment's end is read; a record has 40 KiB at most.
const TAIL: u64 = 1 << 20;

pub(super) fn collect(places: &Places) -> Journal {
    let segments = match segments(places) {
        Ok(segments) => segments,
        Err(error) if error.kind() == ErrorKind::NotFound => return Journal::default(),
        Err(error) => return Journal { fault: Some(error.to_string()), ..Journal::default() },
    };
    let mut journal = Journal::default();
    for (path, bytes) in segments {
        journal.bytes += bytes;
        if journal.last_hook.is_none() && journal.fault.is_none() {
            match tail(&path) {
                Ok(tail) => journal.last_hook = last_hook(&tail),
                Err(error) => journal.fault = Some(format!("{}: {error}", path.display())),
            }
        }
    }
    journal
}

/// Whether a self-test with this mark is there.
pub(super) fn has(places: &Places, nonce: &str) -> io::Result<bool> {
    for (path, _) in segments(places)?.into_iter().take(2) {
        let tail = tail(&path)?;
        let is_it = |wire: &WireHook<'_>| self_test::nonce(wire).as_deref() == Some(nonce);
        if record::lines(&tail)
            .any(|line| with_payload(line.bytes, |_, wire| is_it(wire)) == Some(true))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The newest first: hooks append to the current one, the others are named by position.
fn segments(places: &Places) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(places.journal_dir())? {
        let entry = entry?;
        let is_segment = entry.path().extension().is_some_and(|ending| ending == "jsonl");
        let meta = entry.metadata()?;
        if is_segment && meta.is_file() {
            found.push((entry.path(), meta.len()));
        }
    }
    let current = places.journal();
    let first = |path: &Path| {
        let name = path.file_stem()?.to_str()?.strip_prefix("seg-")?;
        name.parse::<u64>().ok()
    };
    found.sort_by_key(|(path, _)| std::cmp::Reverse((*path == current, first(path))));
    Ok(found)
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(2 * TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn last_hook(tail: &[u8]) -> Option<LastHook> {
    record::lines(tail).filter_map(|line| with_payload(line.bytes, hook_of)?).last()
}

fn hook_of(record: &Record<'_>, wire: &WireHook<'_>) -> Option<LastHook> {
    let session = wire.text("session_id")?;
    Some(LastHook {
        ts: record.ts,
        event: event_name(wire),
        session: Some(clean(&session, 80)),
        pid: record.origin.process.as_ref().map(|process| process.pid),
    })
}

fn with_payload<T>(line: &[u8], look: impl Fn(&Record<'_>, &WireHook<'_>) -> T) -> Option<T> {
    let record = Record::decode(line).ok()?;
    let wire = WireHook::decode(record.payload?.get()).ok()?;
    Some(look(&record, &wire))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ts: i64, payload: &str) -> String {
        format!(
            "\n{{\"v\":1,\"ts\":{ts},\"mono\":1,\"origin\":{{\"process\":{{\"pid\":7}}}},\"bytes\":9,\"payload\":{payload}}}\n"
        )
    }

    #[test]
    fn last_hook_is_that_of_a_session_and_no_self_test() {
        let stop = line(5, r#"{"hook_event_name":"Stop","session_id":"s1"}"#);
        let text = format!("torn}}\n{stop}{}\nnoise\n", line(6, &self_test::payload("abc")));
        let hook = last_hook(text.as_bytes()).unwrap();
        assert_eq!((hook.ts.0, hook.event.as_str(), hook.pid), (5, "Stop", Some(7)));
        assert!(last_hook(line(6, &self_test::payload("abc")).as_bytes()).is_none());
    }

    #[test]
    fn journal_is_searched_newest_segment_first() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places { state: dir.path().into(), config: dir.path().into() };
        assert!(collect(&places).last_hook.is_none());
        fs::create_dir(places.journal_dir()).unwrap();
        let stop =
            |id: &str| line(5, &format!(r#"{{"hook_event_name":"Stop","session_id":"{id}"}}"#));
        for (name, text) in [("seg-0.jsonl", stop("a")), ("seg-100.jsonl", stop("b"))] {
            fs::write(places.journal_dir().join(name), text).unwrap();
        }
        fs::write(places.journal(), line(9, &self_test::payload("n1"))).unwrap();
        let journal = collect(&places);
        assert_eq!(journal.last_hook.unwrap().session.as_deref(), Some("b"));
        assert!(has(&places, "n1").unwrap() && !has(&places, "n2").unwrap());
    }
}
