//! Parts of `atm setup`: what is asked for and no more, a status line around the user's, hooks as the
//! installed client knows them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::setup::{ATM, error_of, fresh, home_with, names, settings};

fn read(sealed: &Sealed) -> Value {
    serde_json::from_str(&fs::read_to_string(settings(sealed)).unwrap()).unwrap()
}

#[test]
fn setup_of_one_part_does_no_more_than_that_and_parts_can_follow_each_other() {
    let cases: [(&[&str], &[&str]); 4] = [
        (&["--only", "claude"], &["hooks"]),
        (&["--only", "statusline"], &["statusLine"]),
        (&["--only", "claude,statusline"], &["hooks", "statusLine"]),
        (&["--only", "statusline", "--only", "claude"], &["hooks", "statusLine"]),
    ];
    for (args, keys) in cases {
        let sealed = home_with(b"{}");
        sealed.ok(&[&["setup", "--yes"], args].concat());
        let found = read(&sealed);
        let mut found: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, keys);
        assert_eq!(names(&sealed.home()), [".claude"]);
        sealed.ok(&["setup", "--yes"]);
        assert_eq!(read(&sealed).as_object().unwrap().len(), 2);
        assert!(sealed.home().join(".tmux.conf").exists());
        sealed.ok(&["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), "{}");
        assert_eq!(
            (names(&sealed.home()), names(sealed.state())),
            (vec![".claude".into()], vec![])
        );
    }
    assert_eq!(fresh().atm(&["setup", "--yes", "--only", "cluade"]).status.code(), Some(2));
}

#[test]
fn status_line_of_the_user_is_run_by_ours_and_comes_back() {
    let users = r#"it's "mine" | sed 's/x/y/'"#;
    let text = json!({"statusLine": {"type": "command", "command": users, "padding": 1}});
    let text = text.to_string();
    let sealed = home_with(text.as_bytes());
    sealed.ok(&["setup", "--yes"]);
    let found = read(&sealed)["statusLine"].take();
    assert_eq!(found["padding"], 1);
    // A shell hands the user's line over as one word.
    let command = found["command"].as_str().unwrap();
    let words = Command::new("/bin/sh").args(["-c", &format!("printf '%s\\n' {command}")]).output();
    let words = String::from_utf8(words.unwrap().stdout).unwrap();
    let atm = fs::canonicalize(ATM).unwrap();
    assert_eq!(words, format!("{}\nstatusline\n--\n{users}\n", atm.display()));
    let once = fs::read(settings(&sealed)).unwrap();
    fs::remove_file(sealed.state().join("setup.json")).unwrap();
    sealed.ok(&["setup", "--yes"]);
    assert_eq!(fs::read(settings(&sealed)).unwrap(), once);
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(read(&sealed)["statusLine"]["command"], users);
}

#[test]
fn status_line_of_a_project_is_left_alone_with_a_note_and_scopes_do_not_mix() {
    let sealed = fresh();
    let project = sealed.path().join("project");
    fs::create_dir_all(project.join(".claude")).unwrap();
    let theirs = r#"{"statusLine": {"type": "command", "command": "theirs"}}"#;
    fs::write(project.join(".claude/settings.json"), theirs).unwrap();
    let run = |args: &[&str]| -> Output {
        sealed.command(ATM).args(args).current_dir(&project).output().unwrap()
    };
    let output = run(&["setup", "--yes", "--only", "statusline"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("project/.claude/settings.json has a status line of its own"), "{said}");
    assert_eq!(fs::read_to_string(project.join(".claude/settings.json")).unwrap(), theirs);
    let refused = run(&["setup", "--yes", "--scope", "local", "--only", "statusline"]);
    assert_eq!(refused.status.code(), Some(2), "{}", error_of(&refused));
    run(&["setup", "--yes", "--scope", "local"]);
    let local = fs::read_to_string(project.join(".claude/settings.local.json")).unwrap();
    assert!(local.contains("hooks") && !local.contains("statusLine"));
}

fn hooks_with(sealed: &Sealed) -> (Value, String) {
    let said = sealed.ok(&["setup", "--yes", "--only", "claude"]);
    (read(sealed)["hooks"].take(), said)
}

#[test]
fn hooks_suit_the_client_that_is_installed() {
    let shell = json!(format!("'{}' hook", fs::canonicalize(ATM).unwrap().display()));
    let sealed = fresh();
    sealed.put_program("claude", "echo '2.1.78 (Claude Code)'");
    let (hooks, said) = hooks_with(&sealed);
    assert!(said.contains("Claude Code 2.1.78 knows 22 of 29 events"), "{said}");
    let handler = &hooks["StopFailure"][0]["hooks"][0];
    assert_eq!((&handler["command"], handler.get("args")), (&shell, None));
    assert!(hooks.get("CwdChanged").is_none());
    // After an update the same entries are amended, and others join them.
    sealed.put_program("claude", "echo '2.1.325 (Claude Code)'");
    let (hooks, _) = hooks_with(&sealed);
    assert_eq!(hooks.as_object().unwrap().len(), 29);
    assert_eq!(hooks["StopFailure"][0]["hooks"][0]["args"], json!(["hook"]));
    assert_eq!(hooks["StopFailure"].as_array().unwrap().len(), 1);
}

#[test]
fn version_of_the_client_is_read_from_its_files_without_running_it() {
    let never = "touch \"$HOME/was-run\"; echo 1.0.0";
    let program = |sealed: &Sealed, path: &str| {
        let path = sealed.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{never}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let package = |folder: &std::path::Path| {
        let text = json!({"name": "@anthropic-ai/claude-code", "version": "2.1.100"});
        fs::write(folder.join("package.json"), text.to_string()).unwrap();
    };
    let check = |sealed: &Sealed| {
        let (_, said) = hooks_with(sealed);
        assert!(said.contains("Claude Code 2.1.100 knows 25"), "{said}");
        assert!(!sealed.home().join("was-run").exists());
    };
    let native = Sealed::new();
    let real = program(&native, ".local/share/claude/versions/2.1.100");
    fs::create_dir_all(native.home().join(".local/bin")).unwrap();
    symlink(real, native.home().join(".local/bin/claude")).unwrap();
    check(&native);
    let npm = Sealed::new();
    let real = program(&npm, "npm/@anthropic-ai/claude-code/bin/claude.exe");
    package(real.parent().unwrap().parent().unwrap());
    fs::create_dir(npm.programs()).unwrap();
    symlink(real, npm.programs().join("claude")).unwrap();
    check(&npm);
    let local = Sealed::new();
    let script = program(&local, ".claude/local/claude");
    let folder = script.parent().unwrap().join("node_modules/@anthropic-ai/claude-code");
    fs::create_dir_all(&folder).unwrap();
    package(&folder);
    check(&local);
}

#[test]
fn client_that_hangs_or_is_missing_holds_up_nothing() {
    let sealed = Sealed::new();
    let only_ours = |args: &[&str]| {
        let mut atm = sealed.command(ATM);
        atm.args(args).env("PATH", sealed.programs()).stdout(Stdio::piped());
        let output = Sealed::finish(atm.stderr(Stdio::piped()).spawn().unwrap());
        String::from_utf8(output.stdout).unwrap()
    };
    let setup = ["setup", "--yes", "--only", "claude"];
    let said = only_ours(&setup);
    assert!(
        said.contains("set up: 29 hooks") && said.contains("no Claude Code was found"),
        "{said}"
    );
    sealed.put_program("claude", "/bin/sleep 600 & /bin/cat; /bin/sleep 600");
    let said = only_ours(&setup);
    assert!(said.contains("set up: 26 hooks") && said.contains("does not tell"), "{said}");
}

#[test]
fn setup_in_a_home_where_nothing_can_be_written_changes_nothing() {
    let sealed = fresh();
    // Not even root writes below a file.
    fs::remove_dir(sealed.home()).unwrap();
    fs::write(sealed.home(), "").unwrap();
    let output = sealed.atm(&["setup", "--yes"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("cannot read"), "{}", error_of(&output));
    let output = sealed
        .command(ATM)
        .args(["setup", "--yes"])
        .env_remove("HOME")
        .env("ATM_CONFIG_DIR", sealed.path().join("config"))
        .output()
        .unwrap();
    let error = error_of(&output);
    assert!(output.status.code() == Some(1) && error.contains("HOME is not set"), "{error}");
    assert!(!sealed.path().join("config").exists() && !sealed.state().exists());
}
