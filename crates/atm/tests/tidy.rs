//! Rules of the house that no compiler checks: which crate may depend on what, and how long a file
//! may grow before it owns too much.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// Production lines, tests aside.
const LONGEST_FILE: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn dependencies(krate: &str) -> Vec<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()
}

#[track_caller]
fn check_wall(krate: &str, allowed: &[&str]) {
    let foreign: Vec<String> =
        dependencies(krate).into_iter().filter(|name| !allowed.contains(&name.as_str())).collect();
    assert!(foreign.is_empty(), "{krate} must not depend on {foreign:?}");
}

#[test]
fn core_depends_on_nothing_that_acts() {
    let allowed = ["jiff", "jsonc-parser", "memchr", "serde", "serde_json", "thiserror", "toml"];
    check_wall("atm-core", &allowed);
}

#[test]
fn hook_has_no_runtime_no_database_and_no_argument_parser_in_its_tree() {
    check_wall("atm-hook", &["atm-core", "rustix", "serde_json"]);
}

#[test]
fn screens_know_the_core_and_the_terminal_and_nobody_else() {
    check_wall("atm-tui", &["atm-core", "nucleo-matcher", "ratatui", "unicode-width"]);
}

#[test]
fn daemon_and_hook_do_not_know_each_other() {
    assert!(!dependencies("atm-daemon").contains(&"atm-hook".to_owned()));
    assert!(!dependencies("atm-hook").contains(&"atm-daemon".to_owned()));
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_has_grown_beyond_one_subject() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 50, "the sources were not found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not say what it owns", file.display());
        let lines = text.lines().take_while(|line| !line.contains("#[cfg(test)]")).count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines", file.display());
    }
}
