//! `atm setup` and `atm uninstall` on real files: what the user had comes back byte for byte, however
//! it looked, and a kill at any point leaves a whole file.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sealed::Sealed;

pub(crate) const ATM: &str = env!("CARGO_BIN_EXE_atm");

/// Comments, foreign hooks, an empty list, a trailing comma: all to be kept.
const RICH: &str = r#"{
    // mine
    "model": "opus", /* keep */
    "hooks": {
        "Stop": [],
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "my-guard"}]},
        ],
    },
}
"#;

pub(crate) fn claude(sealed: &Sealed) -> PathBuf {
    sealed.home().join(".claude")
}

pub(crate) fn settings(sealed: &Sealed) -> PathBuf {
    claude(sealed).join("settings.json")
}

/// An empty home, with a client installed.
pub(crate) fn fresh() -> Sealed {
    let sealed = Sealed::new();
    sealed.put_program("claude", "echo '2.1.325 (Claude Code)'");
    sealed
}

/// A home with these settings in it.
pub(crate) fn home_with(text: &[u8]) -> Sealed {
    let sealed = fresh();
    fs::create_dir(claude(&sealed)).unwrap();
    fs::write(settings(&sealed), text).unwrap();
    sealed
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

pub(crate) fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn setup_in_a_fresh_home_registers_and_uninstall_leaves_no_trace() {
    let sealed = fresh();
    let said = sealed.ok(&["setup", "--yes"]);
    assert!(said.contains("--- /dev/null") && said.contains("set up: 29 hooks"), "{said}");
    assert_eq!((mode(&claude(&sealed)), mode(&settings(&sealed))), (0o700, 0o600));
    assert_eq!(mode(&sealed.state().join("setup.json")), 0o600);
    assert_eq!(names(&claude(&sealed)), ["settings.json"]);
    let text = fs::read_to_string(settings(&sealed)).unwrap();
    let hooks = serde_json::from_str::<Value>(&text).unwrap()["hooks"].take();
    let atm = fs::canonicalize(ATM).unwrap();
    let handler = json!({"type": "command", "command": atm, "args": ["hook"], "timeout": 10});
    assert_eq!(hooks["SessionEnd"], json!([{"hooks": [handler]}]));
    assert_eq!(hooks["PostToolUse"][0]["hooks"][0]["async"], true);
    for left_out in ["WorktreeCreate", "MessageDisplay", "FileChanged"] {
        assert!(hooks.get(left_out).is_none(), "{left_out}");
    }
    sealed.ok(&["uninstall", "--yes"]);
    assert!(names(&sealed.home()).is_empty());
    assert!(names(sealed.state()).is_empty());
}

#[test]
fn setup_and_uninstall_give_back_every_byte_mode_and_no_backup() {
    let crlf = RICH.replace('\n', "\r\n");
    let texts = [
        RICH.to_owned(),
        format!("\u{feff}{crlf}"),
        crlf,
        RICH.replace("    ", "\t"),
        "{}".to_owned(),
        String::new(),
        " \n".to_owned(),
        r#"{"hooks":{}}"#.to_owned(),
    ];
    for text in texts {
        let sealed = home_with(text.as_bytes());
        fs::set_permissions(settings(&sealed), fs::Permissions::from_mode(0o640)).unwrap();
        sealed.ok(&["setup", "--yes"]);
        let set_up = fs::read_to_string(settings(&sealed)).unwrap();
        assert!(set_up.contains("\"SessionStart\""), "{set_up}");
        let [_, backup] = &names(&claude(&sealed))[..] else { panic!("no backup") };
        assert!(backup.starts_with("settings.json.atm-2"), "{backup}");
        let backup = claude(&sealed).join(backup);
        assert_eq!(fs::read_to_string(&backup).unwrap(), text);
        assert_eq!((mode(&settings(&sealed)), mode(&backup)), (0o640, 0o640));
        sealed.ok(&["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), text);
        assert_eq!(mode(&settings(&sealed)), 0o640);
        assert_eq!(names(&claude(&sealed)), ["settings.json"]);
    }
}

#[test]
fn setup_a_second_time_changes_nothing() {
    let sealed = home_with(RICH.as_bytes());
    sealed.ok(&["setup", "--yes"]);
    let before = (fs::read(settings(&sealed)).unwrap(), names(&claude(&sealed)));
    let ledger = fs::read(sealed.state().join("setup.json")).unwrap();
    assert!(sealed.ok(&["setup"]).starts_with("already set up: "));
    assert_eq!((fs::read(settings(&sealed)).unwrap(), names(&claude(&sealed))), before);
    assert_eq!(fs::read(sealed.state().join("setup.json")).unwrap(), ledger);
}

/// The command of our status line, as it stands in the file.
fn status_line(atm: &Path) -> String {
    let atm = fs::canonicalize(atm).unwrap();
    let word = atm.to_str().unwrap().replace('\'', r"'\''");
    json!(format!("'{word}' statusline")).to_string()
}

#[test]
fn setup_of_a_moved_atm_amends_its_entries_in_place() {
    let sealed = home_with(RICH.as_bytes());
    sealed.ok(&["setup", "--yes"]);
    let before = fs::read_to_string(settings(&sealed)).unwrap();
    let folder = sealed.path().join("it's \"new\"\n#1");
    fs::create_dir(&folder).unwrap();
    let moved = folder.join("atm");
    fs::copy(ATM, &moved).unwrap();
    let output = sealed.command(&moved).args(["setup", "--yes"]).output().unwrap();
    assert!(output.status.success(), "{}", error_of(&output));
    let quoted = |path: &Path| json!(fs::canonicalize(path).unwrap()).to_string();
    let expected = before
        .replace(&quoted(Path::new(ATM)), &quoted(&moved))
        .replace(&status_line(Path::new(ATM)), &status_line(&moved));
    let after = fs::read_to_string(settings(&sealed)).unwrap();
    assert_eq!(after, expected);
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), RICH);
    assert_eq!(names(&claude(&sealed)), ["settings.json"]);
}

#[test]
fn setup_writes_through_symbolic_links_also_to_a_file_not_there_yet() {
    let sealed = fresh();
    let dotfiles = sealed.home().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir(claude(&sealed)).unwrap();
    symlink("../dotfiles/claude.json", settings(&sealed)).unwrap();
    let real = dotfiles.join("claude.json");
    for before in [None, Some(RICH)] {
        if let Some(text) = before {
            fs::write(&real, text).unwrap();
        }
        sealed.ok(&["setup", "--yes"]);
        assert!(fs::read_to_string(&real).unwrap().contains("SessionStart"));
        assert!(settings(&sealed).is_symlink() && !real.is_symlink());
        sealed.ok(&["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(&real).ok().as_deref(), before);
        assert!(settings(&sealed).is_symlink());
        assert_eq!(names(&dotfiles).len(), before.iter().count());
    }
}

#[test]
fn setup_not_agreed_to_changes_nothing() {
    let sealed = home_with(RICH.as_bytes());
    let dry = sealed.ok(&["setup", "--dry-run", "--yes"]);
    assert!(dry.contains("+        \"SessionStart\": ["), "{dry}");
    let output = sealed.atm(&["setup"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error_of(&output).contains("--yes"), "{}", error_of(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("+        \"SessionStart\": ["));
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), RICH);
    assert_eq!(names(&claude(&sealed)), ["settings.json"]);
    assert!(!sealed.state().exists());
    sealed.ok(&["setup", "--yes"]);
    let set_up = fs::read(settings(&sealed)).unwrap();
    sealed.ok(&["uninstall", "--dry-run", "--purge"]);
    assert_eq!(sealed.atm(&["uninstall"]).status.code(), Some(2));
    assert_eq!(fs::read(settings(&sealed)).unwrap(), set_up);
}

#[test]
fn setup_in_a_terminal_asks_and_does_as_told() {
    let mut sealed = fresh();
    let shell = format!("{ATM} setup; echo \"ended $?\"; exec sleep 60");
    for (key, outcome) in [("n", "nothing was changed"), ("", "set up: 29 hooks")] {
        let pane = sealed.tmux(&["new-session", "-d", "-P", "-F", "#{pane_id}", &shell]);
        let shows = |sealed: &mut Sealed, words: &str| {
            let limit = Instant::now() + crate::sealed::LIMIT;
            loop {
                let screen = sealed.tmux(&["capture-pane", "-p", "-t", &pane]);
                if screen.contains(words) {
                    return;
                }
                assert!(Instant::now() < limit, "{words}: {screen}");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        shows(&mut sealed, "Apply? [Yn]");
        assert!(!settings(&sealed).exists());
        sealed.tmux(&["send-keys", "-t", &pane, key, "Enter"]);
        shows(&mut sealed, outcome);
        shows(&mut sealed, "ended 0");
    }
    assert!(settings(&sealed).exists());
}

#[test]
fn setup_of_what_is_no_settings_file_says_where_and_leaves_it_alone() {
    let cases: [(&[u8], &str); 4] = [
        (b"{\n  \"a\": 1,\n  oops here\n}\n", "line 3, column 3"),
        (b"[1]\n", "line 1, column 1"),
        (b"{\"hooks\": {\"Stop\": 3}}", "line 1, column 20"),
        (b"{\n\"a\": \"\xff\"}", "line 2: this is not UTF-8"),
    ];
    for (bytes, place) in cases {
        let sealed = home_with(bytes);
        for command in ["setup", "uninstall"] {
            let output = sealed.atm(&[command, "--yes"]);
            let error = error_of(&output);
            assert_eq!(output.status.code(), Some(1), "{error}");
            assert!(error.contains(".claude/settings.json") && error.contains(place), "{error}");
            assert!(error.contains("hint: the file was left as it is"), "{error}");
        }
        assert_eq!(fs::read(settings(&sealed)).unwrap(), bytes);
        assert_eq!(names(&claude(&sealed)), ["settings.json"]);
    }
}

#[test]
fn setup_where_it_cannot_write_says_why() {
    let sealed = home_with(b"{}");
    let refused = |sealed: &Sealed, words: &str| {
        let output = sealed.atm(&["setup", "--yes"]);
        let error = error_of(&output);
        assert!(output.status.code() == Some(1) && error.contains(words), "{words}: {error}");
    };
    fs::set_permissions(settings(&sealed), fs::Permissions::from_mode(0o444)).unwrap();
    refused(&sealed, "is read-only");
    assert_eq!(fs::read(settings(&sealed)).unwrap(), b"{}");
    fs::remove_file(settings(&sealed)).unwrap();
    fs::create_dir(settings(&sealed)).unwrap();
    refused(&sealed, "is a directory");
    fs::remove_dir(settings(&sealed)).unwrap();
    symlink("settings.json", settings(&sealed)).unwrap();
    refused(&sealed, "too many symbolic links");
    fs::remove_file(settings(&sealed)).unwrap();
    fs::remove_dir(claude(&sealed)).unwrap();
    fs::write(claude(&sealed), "").unwrap();
    refused(&sealed, "cannot read");
    let mut homeless = sealed.command(ATM);
    homeless.args(["setup", "--yes"]).env_remove("HOME").env("ATM_CONFIG_DIR", sealed.path());
    let output = homeless.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("HOME"), "{}", error_of(&output));
}

#[test]
fn setup_scopes_and_configuration_directory_choose_the_file_and_uninstall_finds_all() {
    let sealed = fresh();
    let project = sealed.path().join("project");
    let config = sealed.path().join("config dir");
    fs::create_dir(&project).unwrap();
    let run = |args: &[&str], dir: &Path| {
        let mut command = sealed.command(ATM);
        let output = command.args(args).current_dir(dir).env("CLAUDE_CONFIG_DIR", &config).output();
        assert!(output.unwrap().status.success(), "{args:?}");
    };
    run(&["setup", "--yes", "--scope", "local"], &project);
    run(&["setup", "--yes", "--scope", "project", "--only", "claude"], &project);
    run(&["setup", "--yes"], &project);
    assert_eq!(names(&project.join(".claude")), ["settings.json", "settings.local.json"]);
    assert_eq!(names(&config), ["settings.json"]);
    run(&["uninstall", "--yes", "--purge"], sealed.path());
    assert_eq!((project.join(".claude").exists(), config.exists()), (false, false));
    assert!(!sealed.state().exists());
}

#[test]
fn uninstall_without_a_ledger_cleans_the_users_file_and_keeps_what_was_added() {
    let sealed = home_with(b"");
    sealed.ok(&["setup", "--yes"]);
    let set_up = fs::read_to_string(settings(&sealed)).unwrap();
    fs::write(settings(&sealed), set_up.replacen('{', "{\n  \"model\": \"opus\",", 1)).unwrap();
    fs::remove_file(sealed.state().join("setup.json")).unwrap();
    sealed.ok(&["uninstall", "--yes"]);
    let text = fs::read_to_string(settings(&sealed)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({"model": "opus"}));
    assert!(sealed.ok(&["uninstall", "--yes"]).contains("nothing of atm is set up"));
}

#[test]
fn purge_stops_the_daemon_and_refuses_a_directory_with_foreign_things() {
    let sealed = fresh();
    sealed.ok(&["setup", "--yes"]);
    sealed.ok(&["daemon"]);
    let thesis = sealed.state().join("thesis.tex");
    fs::write(&thesis, "").unwrap();
    let output = sealed.atm(&["uninstall", "--yes", "--purge"]);
    assert!(output.status.code() == Some(1) && error_of(&output).contains("thesis.tex"));
    assert!(thesis.exists() && settings(&sealed).exists());
    fs::remove_file(thesis).unwrap();
    sealed.ok(&["uninstall", "--yes", "--purge"]);
    assert!(!sealed.state().exists() && !claude(&sealed).exists());
}

#[test]
fn uninstall_of_one_file_under_several_names_restores_it_once() {
    let sealed = home_with(RICH.as_bytes());
    let project = sealed.path().join("project/.claude");
    fs::create_dir_all(&project).unwrap();
    symlink(settings(&sealed), project.join("settings.json")).unwrap();
    let link = sealed.path().join("a-link-home");
    symlink(sealed.home(), &link).unwrap();
    sealed.ok(&["setup", "--yes"]);
    let mut here = sealed.command(ATM);
    here.args(["setup", "--scope", "project"]).current_dir(sealed.path().join("project"));
    assert!(here.output().unwrap().status.success());
    let mut linked = sealed.command(ATM);
    let output = linked.args(["uninstall", "--yes"]).env("HOME", link).output().unwrap();
    assert!(output.status.success(), "{}", error_of(&output));
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), RICH);
    assert!(names(sealed.state()).is_empty());
}

/// Where setup writes for tmux in a home without a configuration.
fn tmux_files(sealed: &Sealed) -> [Option<String>; 2] {
    let home = sealed.home();
    let files = [home.join(".tmux.conf"), home.join(".config/atm/tmux.conf")];
    files.map(|path| fs::read_to_string(path).ok())
}

fn killed_after(sealed: &Sealed, command: &str, span: Duration) {
    let mut atm = sealed.command(ATM);
    let mut child = atm.args([command, "--yes"]).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(span);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn setup_killed_anywhere_leaves_the_old_or_the_new_file_and_can_be_taken_back() {
    for before in [None, Some(RICH)] {
        let sealed = before.map_or_else(fresh, |text| home_with(text.as_bytes()));
        let tmux_before = before.map(|_| "set -g status off".to_owned());
        if let Some(text) = &tmux_before {
            fs::write(sealed.home().join(".tmux.conf"), text).unwrap();
        }
        let tmux_before = [tmux_before, None];
        let began = Instant::now();
        sealed.ok(&["setup", "--yes"]);
        let whole = began.elapsed();
        let new = fs::read_to_string(settings(&sealed)).unwrap();
        let new_tmux = tmux_files(&sealed);
        sealed.ok(&["uninstall", "--yes"]);
        for kill in 0..20 {
            // Later and later, from the start of the program to after its end.
            killed_after(&sealed, "setup", whole * kill / 16);
            let found = fs::read_to_string(settings(&sealed)).ok();
            assert!(
                found.as_deref() == before || found.as_ref() == Some(&new),
                "after kill {kill}: {found:?}"
            );
            for ((found, before), new) in
                tmux_files(&sealed).iter().zip(&tmux_before).zip(&new_tmux)
            {
                assert!(found == before || found == new, "after kill {kill}: {found:?}");
            }
            // Now and then the next setup has to make do with what the killed one left.
            if kill % 3 == 0 {
                sealed.ok(&["setup", "--yes"]);
            }
            if kill % 2 == 0 {
                killed_after(&sealed, "uninstall", whole * kill / 16);
            }
            sealed.ok(&["uninstall", "--yes"]);
            assert_eq!(fs::read_to_string(settings(&sealed)).ok().as_deref(), before);
            assert_eq!(tmux_files(&sealed), tmux_before, "after kill {kill}");
            let entries = if before.is_some() { vec![".claude", ".tmux.conf"] } else { Vec::new() };
            assert_eq!(names(&sealed.home()), entries, "after kill {kill}");
            let left = if before.is_some() { vec!["settings.json"] } else { Vec::new() };
            let found = claude(&sealed).exists().then(|| names(&claude(&sealed)));
            assert_eq!(found.unwrap_or_default(), left, "after kill {kill}");
        }
    }
}

/// The kernel ends a program that writes beyond its limit, with a part of the file written.
#[test]
fn setup_killed_in_the_midst_of_writing_leaves_the_old_file() {
    let sealed = home_with(RICH.as_bytes());
    let mut limited = sealed.command("/bin/sh");
    limited.args(["-c", "ulimit -c 0; ulimit -f 8; exec \"$0\" setup --yes", ATM]);
    let output = limited.output().unwrap();
    assert_eq!(output.status.code(), None, "{}", error_of(&output));
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), RICH);
    assert!(claude(&sealed).join(".settings.json.atm-new").exists());
    sealed.ok(&["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), RICH);
    assert_eq!(names(&claude(&sealed)), ["settings.json"]);
}
