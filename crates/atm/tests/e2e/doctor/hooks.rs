//! Faults of the client's settings, and of hooks that do not arrive.

use std::fs;

use serde_json::{Value, json};

use super::{
    ATM, assert_mended, atm, examine, healthy, other_version, program, project, settings, trust,
};
use crate::sealed::Sealed;

fn edit(sealed: &Sealed, change: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(settings(sealed)).unwrap();
    let mut json: Value = serde_json::from_str(&text).unwrap();
    change(&mut json);
    fs::write(settings(sealed), json.to_string()).unwrap();
}

/// The hooks of the settings run this program instead.
fn run_instead(sealed: &Sealed, program: &str) {
    let text = fs::read_to_string(settings(sealed)).unwrap();
    let atm = fs::canonicalize(ATM).unwrap();
    let text = text.replace(&json!(atm).to_string(), &json!(program).to_string());
    fs::write(settings(sealed), text).unwrap();
}

#[test]
fn hooks_missing_are_registered() {
    let sealed = healthy();
    fs::write(settings(&sealed), "{\n  \"model\": \"opus\" // mine\n}\n").unwrap();
    examine(&sealed, &[]).expect("hooks.missing", "problem", "atm setup");
    let said = assert_mended(&sealed, "hooks.missing", &[]);
    assert!(said.contains("+++ "), "{said}");
    assert!(fs::read_to_string(settings(&sealed)).unwrap().contains("// mine"));
}

#[test]
fn hooks_of_an_older_atm_are_completed() {
    let sealed = healthy();
    edit(&sealed, |json| drop(json["hooks"].as_object_mut().unwrap().remove("Elicitation")));
    let what = examine(&sealed, &[]).expect("hooks.incomplete", "warning", "atm setup");
    assert!(what.contains("Elicitation"), "{what}");
    assert_mended(&sealed, "hooks.incomplete", &[]);
}

#[test]
fn hooks_of_user_and_project_are_double_and_the_projects_go() {
    let sealed = healthy();
    let folder = project(&sealed).join(".claude");
    fs::create_dir(&folder).unwrap();
    let shared = folder.join("settings.json");
    fs::write(&shared, "{\"model\": \"opus\"}").unwrap();
    let setup = atm(&sealed, &["setup", "--yes", "--scope", "project"]).output().unwrap();
    assert!(setup.status.success());
    let what = examine(&sealed, &[]).expect("hooks.double", "warning", "--fix");
    for path in [&settings(&sealed), &shared] {
        assert!(what.contains(path.to_str().unwrap()), "{what}");
    }
    assert_mended(&sealed, "hooks.double", &[]);
    assert_eq!(fs::read_to_string(&shared).unwrap(), "{\"model\": \"opus\"}");
    assert!(fs::read_to_string(settings(&sealed)).unwrap().contains("SessionStart"));
}

#[test]
fn hooks_of_settings_and_plugin_are_double() {
    let sealed = healthy();
    edit(&sealed, |json| json["enabledPlugins"] = json!({"atm@market": true}));
    let root = sealed.claude_dir().join("plugins/cache/market/atm/0.1.0");
    fs::create_dir_all(root.join("hooks")).unwrap();
    let handler = json!({"type": "command", "command": ATM, "args": ["hook"]});
    let hooks = json!({"hooks": {"Stop": [{"hooks": [handler]}]}});
    fs::write(root.join("hooks/hooks.json"), hooks.to_string()).unwrap();
    let what =
        examine(&sealed, &[]).expect("hooks.double", "warning", "claude plugin disable atm@market");
    assert!(what.contains("plugin atm@market"), "{what}");
    let installed = json!({"version": 2, "plugins": {"atm@market": [{"installPath": root}]}});
    let list = sealed.claude_dir().join("plugins/installed_plugins.json");
    fs::write(&list, installed.to_string()).unwrap();
    examine(&sealed, &[]).expect("hooks.double", "warning", "claude plugin disable atm@market");
    assert_mended(&sealed, "hooks.double", &[]);
    let report = examine(&sealed, &[]);
    assert!(report.find("hooks.missing").is_none(), "the plugin's are left");
}

#[test]
fn hooks_switched_off_are_told() {
    let sealed = healthy();
    edit(&sealed, |json| json["disableAllHooks"] = json!(true));
    let what = examine(&sealed, &[]).expect("hooks.disabled", "problem", "disableAllHooks");
    assert!(what.contains(settings(&sealed).to_str().unwrap()), "{what}");
}

#[test]
fn settings_unparsable_are_told_with_line_and_column_and_left_alone() {
    let sealed = healthy();
    fs::write(settings(&sealed), "{\n  \"hooks\": ]\n}").unwrap();
    let report = examine(&sealed, &[]);
    let what = report.expect("settings.unparsable", "problem", "mend");
    assert!(what.contains("line 2, column 12"), "{what}");
    assert!(report.find("hooks.missing").is_none(), "what is in it is not known");
    let fix = atm(&sealed, &["doctor", "--fix", "--yes"]).output().unwrap();
    assert_eq!(fix.status.code(), Some(1));
    assert_eq!(fs::read_to_string(settings(&sealed)).unwrap(), "{\n  \"hooks\": ]\n}");
}

#[test]
fn hook_program_that_is_gone_fails_the_self_test_and_is_set_right() {
    let sealed = healthy();
    run_instead(&sealed, "/nowhere/bin/atm");
    let report = examine(&sealed, &[]);
    let what = report.expect("hooks.program-gone", "problem", "atm setup");
    assert!(what.contains("/nowhere/bin/atm"), "{what}");
    report.expect("self-test.hook", "problem", "atm setup");
    assert_mended(&sealed, "hooks.program-gone", &[]);
    assert_eq!(examine(&sealed, &[]).code, 0);
}

#[test]
fn hook_program_of_another_version_is_told_and_set_right() {
    let sealed = healthy();
    let other = sealed.path().join("old/atm");
    let version = other_version(&sealed, &other);
    run_instead(&sealed, other.to_str().unwrap());
    let what = examine(&sealed, &[]).expect("hooks.program-other", "warning", "atm setup");
    assert!(what.contains(&version), "{what}");
    assert_mended(&sealed, "hooks.program-other", &[]);
}

#[test]
fn hook_program_of_another_kind_that_prints_is_told() {
    let sealed = healthy();
    let other = sealed.path().join("foreign/atm");
    program(&other, "echo Atmosphere 3");
    run_instead(&sealed, other.to_str().unwrap());
    let report = examine(&sealed, &[]);
    report.expect("hooks.program-foreign", "problem", "atm setup");
    let what = report.expect("self-test.hook", "problem", "atm setup");
    assert!(what.contains("printed 13 bytes"), "{what}");
    assert_mended(&sealed, "hooks.program-foreign", &[]);
}

#[test]
fn program_that_only_a_project_names_is_told_and_not_run() {
    let sealed = healthy();
    fs::remove_file(settings(&sealed)).unwrap();
    let (trap, sprung) = (project(&sealed).join("evil/atm"), sealed.path().join("sprung"));
    program(&trap, &format!("touch {}", sprung.display()));
    let handler = json!({"type": "command", "command": trap, "args": ["hook"]});
    let text = json!({"hooks": {"Stop": [{"hooks": [handler]}]}}).to_string();
    fs::create_dir(project(&sealed).join(".claude")).unwrap();
    fs::write(project(&sealed).join(".claude/settings.json"), text).unwrap();
    let report = examine(&sealed, &[]);
    let what = report.expect("hooks.program-other", "note", "--scope project");
    assert!(what.contains(trap.to_str().unwrap()), "{what}");
    assert_eq!(report.find("self-test.passed").unwrap()["level"], "ok");
    assert!(!sprung.exists(), "a program of the project was run");
}

#[test]
fn untrusted_folder_is_told_while_nothing_was_heard_from_it() {
    let mut sealed = healthy();
    trust(&sealed, false);
    let report = examine(&sealed, &[]);
    assert!(report.find("trust.missing").is_none(), "a hook from there was heard");
    let elsewhere = sealed.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let pid = sealed.client();
    sealed.write_session(pid, "eeee-0001", json!({"cwd": elsewhere}));
    sealed.wait_for(pid, "id", &json!("eeee-0001"));
    let what = examine(&sealed, &[]).expect("trust.missing", "warning", "accept");
    assert!(what.contains(elsewhere.to_str().unwrap()), "{what}");
}

#[test]
fn hooks_that_never_fired_are_told_with_the_session_that_runs() {
    let mut sealed = Sealed::new();
    fs::create_dir(project(&sealed)).unwrap();
    sealed.ok(&["setup", "--yes"]);
    let pid = sealed.client();
    sealed.write_session(pid, "ffff0001-x", json!({"cwd": project(&sealed)}));
    sealed.wait_for(pid, "id", &json!("ffff0001-x"));
    let what = examine(&sealed, &[]).expect("hooks.never-fired", "warning", "send a prompt");
    assert!(what.contains("ffff0001"), "{what}");
    sealed.hook(pid, "Stop", "ffff0001-x", json!({}));
    let report = examine(&sealed, &[]);
    assert!(report.find("hooks.never-fired").is_none());
    assert!(report.find("hooks.fired").is_some());
}

#[test]
fn session_known_by_its_file_only_is_named() {
    let mut sealed = healthy();
    let pid = sealed.client();
    sealed.write_session(pid, "9999aaaa-1", json!({"cwd": project(&sealed)}));
    sealed.wait_for(pid, "id", &json!("9999aaaa-1"));
    let what = examine(&sealed, &[]).expect("hooks.silent-session", "warning", "restart");
    assert!(what.contains("9999aaaa"), "{what}");
}
