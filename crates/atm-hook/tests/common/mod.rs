//! A state directory of its own and a hook that is fed by hand.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What one hook did beside writing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) starts: usize,
}

/// Runs the hook on `payload` (at most a pipe full) with nothing but a state directory and `vars`
/// in its environment.
pub(crate) fn hook(state: &Path, vars: &[(&str, &str)], payload: &[u8]) -> Ran {
    let (input, mut agent) = std::io::pipe().expect("a pipe");
    agent.write_all(payload).expect("room in the pipe");
    drop(agent);
    let env = |name: &str| -> Option<OsString> {
        let var = |(k, v): &(&str, &str)| (*k == name).then(|| v.into());
        if name == "ATM_STATE_DIR" { Some(state.into()) } else { vars.iter().find_map(var) }
    };
    let starts = Cell::new(0);
    atm_hook::handle(input, &|name| env(name).or_else(|| config(name)), &|_| {
        starts.set(starts.get() + 1);
        Ok(())
    });
    Ran { starts: starts.get() }
}

fn config(name: &str) -> Option<OsString> {
    (name == "ATM_CONFIG_DIR").then(|| "/nonexistent".into())
}

pub(crate) fn journal(state: &Path) -> PathBuf {
    state.join("journal/current.jsonl")
}

pub(crate) fn records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter(|l| !l.is_empty()).map(|l| serde_json::from_str(l).expect(l)).collect()
}
