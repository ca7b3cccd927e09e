//! Many hooks at once while the journal is rotated under them.

#[path = "common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{hook, journal, records};
use rustix::fs::{FlockOperation, flock};

const HOOKS: usize = 64;
const EVENTS: usize = 40;
const ROTATIONS: usize = 50;

/// As the daemon does it. A hook may create the new segment first.
fn rotate(state: &Path, number: usize) -> io::Result<u64> {
    let current = journal(state);
    let segment = File::open(&current)?;
    flock(&segment, FlockOperation::LockExclusive)?;
    fs::rename(&current, state.join(format!("journal/{number}.jsonl")))?;
    File::options().append(true).create(true).open(&current)?;
    Ok(segment.metadata()?.len())
}

#[test]
fn events_of_many_hooks_survive_rotation_exactly_once() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    hook(state, &[], br#"{"n":"first"}"#);
    let written = AtomicUsize::new(0);
    let write = |first: usize| {
        for number in first..first + EVENTS {
            hook(state, &[], format!(r#"{{"n":"{number}"}}"#).as_bytes());
            written.fetch_add(1, Ordering::Relaxed);
        }
    };
    let lengths = std::thread::scope(|scope| {
        for number in 0..HOOKS {
            scope.spawn(move || write(number * EVENTS));
        }
        let rotation = |number: usize| {
            while written.load(Ordering::Relaxed) < number * HOOKS * EVENTS / (ROTATIONS + 1) {
                std::thread::yield_now();
            }
            rotate(state, number).unwrap()
        };
        (0..ROTATIONS).map(rotation).collect::<Vec<_>>()
    });
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for segment in fs::read_dir(state.join("journal")).unwrap() {
        for record in records(&segment.unwrap().path()) {
            *seen.entry(record["payload"]["n"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    assert_eq!((seen.len(), seen.values().max()), (HOOKS * EVENTS + 1, Some(&1)));
    for (number, length) in lengths.into_iter().enumerate() {
        let segment = state.join(format!("journal/{number}.jsonl"));
        assert_eq!(fs::metadata(segment).unwrap().len(), length, "segment {number} grew");
    }
}
