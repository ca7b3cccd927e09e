//! `atm doctor` with planted faults: each is named with its remedy, and gone after `--fix` where it
//! says that it can.

mod hooks;
mod self_test;
mod world;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::sealed::Sealed;

const ATM: &str = env!("CARGO_BIN_EXE_atm");

fn project(sealed: &Sealed) -> PathBuf {
    sealed.path().join("project")
}

fn settings(sealed: &Sealed) -> PathBuf {
    sealed.claude_dir().join("settings.json")
}

/// A program at `path` that does what `script` says.
fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// This atm as another version. A file that any process has open for writing cannot be run, so it is
/// not written by ourselves.
fn other_version(sealed: &Sealed, path: &Path) -> String {
    let own = env!("CARGO_PKG_VERSION");
    let other = own.replace(|c: char| c.is_ascii_digit(), "9");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let script = format!("s/{}/{other}/g", own.replace('.', "\\."));
    let target = fs::File::create(path).unwrap();
    let mut sed = sealed.command("sed");
    sed.env("LC_ALL", "C").args([&script, ATM]).stdout(target);
    assert!(sed.status().unwrap().success());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    other
}

/// A home in which all is well: a client, hooks, a trusted folder, one session that was heard.
fn healthy() -> Sealed {
    let mut sealed = Sealed::new();
    fs::create_dir(project(&sealed)).unwrap();
    let client = sealed.home().join(".local/share/claude/versions/2.1.325");
    program(&client, "exit 1");
    fs::create_dir_all(sealed.home().join(".local/bin")).unwrap();
    symlink(&client, sealed.home().join(".local/bin/claude")).unwrap();
    trust(&sealed, true);
    sealed.ok(&["setup", "--yes"]);
    let pid = sealed.client();
    let cwd = project(&sealed);
    sealed.hook(pid, "SessionStart", "abcd-0001", json!({"source": "startup", "cwd": cwd}));
    // The one that the hook starts must be up before a test stops it.
    sealed.ok(&["daemon"]);
    sealed
}

fn trust(sealed: &Sealed, is_trusted: bool) {
    let projects = json!({project(sealed).to_str().unwrap():
        {"hasTrustDialogAccepted": is_trusted}});
    let text = json!({"projects": projects, "oauthAccount": {"secret": "do-not-tell"}});
    fs::write(sealed.home().join(".claude.json"), text.to_string()).unwrap();
}

/// `atm` in the project, with itself on the PATH.
fn atm(sealed: &Sealed, args: &[&str]) -> Command {
    let own = Path::new(ATM).parent().unwrap().display();
    let mut command = sealed.command(ATM);
    command
        .args(args)
        .current_dir(project(sealed))
        .env("PATH", format!("{own}:/usr/local/bin:/usr/bin:/bin"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

struct Report {
    code: i32,
    json: Value,
}

impl Report {
    fn of(command: &mut Command) -> Report {
        let output = Sealed::finish(command.spawn().unwrap());
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{error}"));
        Report { code: output.status.code().unwrap(), json }
    }

    fn find(&self, id: &str) -> Option<&Value> {
        self.json["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == id)
    }

    /// What is said under this id, which must come with a meaning and this in its remedy.
    #[track_caller]
    fn expect(&self, id: &str, level: &str, remedy: &str) -> String {
        let finding =
            self.find(id).unwrap_or_else(|| panic!("no {id}: {:#}", self.json["findings"]));
        assert_eq!(finding["level"], level, "{finding:#}");
        assert!(finding["means"].as_str().is_some(), "{finding:#}");
        assert!(finding["remedy"].as_str().unwrap().contains(remedy), "{finding:#}");
        assert_eq!(self.code == 1, self.json["level"] == "problem");
        finding["what"].as_str().unwrap().to_owned()
    }

    fn ids_at_least(&self, levels: &[&str]) -> Vec<&str> {
        let all = self.json["findings"].as_array().unwrap().iter();
        let bad = all.filter(|finding| levels.contains(&finding["level"].as_str().unwrap()));
        bad.map(|finding| finding["id"].as_str().unwrap()).collect()
    }
}

fn examine(sealed: &Sealed, more: &[&str]) -> Report {
    Report::of(&mut atm(sealed, &[&["doctor", "--json"], more].concat()))
}

/// `doctor --fix --yes`, after which `id` is not found any more. Returns what it said.
#[track_caller]
fn assert_mended(sealed: &Sealed, id: &str, more: &[&str]) -> String {
    let before = examine(sealed, more);
    assert_eq!(before.find(id).unwrap_or(&Value::Null)["fixable"], true, "{id}");
    let mut fix = atm(sealed, &[&["doctor", "--fix", "--yes"], more].concat());
    let output = Sealed::finish(fix.spawn().unwrap());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("after mending:") && !said.contains("could not be mended"), "{said}");
    let after = examine(sealed, more);
    assert!(after.find(id).is_none(), "{:#}", after.json["findings"]);
    said
}

#[test]
fn healthy_home_has_no_warning_and_tells_no_secret() {
    let sealed = healthy();
    let report = examine(&sealed, &[]);
    let bad = report.ids_at_least(&["warning", "problem"]);
    assert!(bad.is_empty(), "{bad:?}: {:#}", report.json["findings"]);
    assert_eq!((report.code, &report.json["schema"]), (0, &json!(1)));
    for id in ["claude.found", "hooks.registered", "hooks.fired", "daemon.up", "self-test.passed"] {
        assert_eq!(report.find(id).unwrap_or_else(|| panic!("{id}"))["level"], "ok");
    }
    let heard = report.find("hooks.fired").unwrap()["what"].as_str().unwrap();
    assert!(heard.contains("SessionStart from session abcd-000"), "{heard}");
    assert!(!report.json.to_string().contains("do-not-tell"));
}

#[test]
fn text_for_people_has_words_and_no_colour_in_a_pipe() {
    let sealed = healthy();
    let output = Sealed::finish(atm(&sealed, &["doctor"]).spawn().unwrap());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("\nHooks\n") && text.contains("✔ ok"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn fix_without_a_terminal_and_without_yes_changes_nothing() {
    let sealed = healthy();
    fs::remove_file(settings(&sealed)).unwrap();
    let output = Sealed::finish(atm(&sealed, &["doctor", "--fix"]).spawn().unwrap());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("hint: add --yes"), "{error}");
    assert!(!settings(&sealed).exists());
}
