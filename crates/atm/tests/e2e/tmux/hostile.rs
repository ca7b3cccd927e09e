//! Texts of others are data: nothing in them is run, expanded or obeyed on the way to a terminal.

use serde_json::json;

use super::desk::{Desk, set_up_with};
use super::eye::{BLUE, RED, WHITE};
use crate::stage::Pane;

#[test]
fn hostile_ids_directories_and_prompts_run_nothing_and_carry_no_control_byte() {
    let mut desk = Desk::new();
    let marker = desk.sealed.path().join("M");
    let m = marker.display().to_string();
    let texts = [
        format!("#(touch {m})"),
        format!("$(touch {m})`touch {m}`"),
        format!("'; touch {m}; '"),
        format!("#{{E:#(touch {m})}}"),
        "#[fg=red]#[range=user|x]red".to_owned(),
        "a\u{1b}[31mb\u{1b}]0;title\u{7}\u{9b}2J".to_owned(),
        "two\nlines\r\ttab".to_owned(),
        "\u{202e}gnp.exe\u{2066}\u{200b}".to_owned(),
        "-t %0 ; kill-server ;".to_owned(),
        "ends with ;".to_owned(),
        "ends with \\;".to_owned(),
        format!("{}x", "long".repeat(4000)),
    ];
    for (index, text) in texts.iter().enumerate() {
        let name = format!("w{index}x");
        let pane = desk.window(&name);
        let payload = json!({"hook_event_name": "SessionStart", "session_id": text, "cwd": text,
            "source": "startup", "session_title": text, "model": text});
        desk.sealed.hook_from(pane.pid, &pane.env(), &payload);
        let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": text,
            "prompt": text, "cwd": text});
        desk.sealed.hook_from(pane.pid, &pane.env(), &payload);
        let notice = json!({"hook_event_name": "Notification", "session_id": text,
            "notification_type": text, "message": text});
        desk.sealed.hook_from(pane.pid, &pane.env(), &notice);
        desk.expect_option("w", &pane.window, "@claude-state", "running");
        desk.go(&name);
        desk.expect(&name, BLUE);
        check(&mut desk, &pane, text);
    }
    let drawn = String::from_utf8_lossy(&desk.eye.bytes()).into_owned();
    assert!(!drawn.contains("]0;title"), "a title was set");
    assert!(!marker.exists(), "a text was run");
}

fn check(desk: &mut Desk, pane: &Pane, text: &str) {
    let id = desk.option("p", &pane.id, "@meta.claude.session_id");
    let directory = desk.option("p", &pane.id, "@meta.claude.session_dir");
    for value in [&id, &directory] {
        assert!(!value.chars().any(char::is_control), "{value:?}");
        assert!(!value.contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{value:?}");
    }
    if text.is_ascii() && text.len() < 200 && !text.contains(char::is_control) {
        assert_eq!(directory, text, "a path is kept as it is");
    }
}

#[test]
fn hooks_run_a_program_whatever_its_path_is() {
    let mut desk = Desk::new();
    let folder = desk.sealed.path().join("it's \"#1\" $HOME #{pid} \\ ; x");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("atm");
    std::fs::copy(env!("CARGO_BIN_EXE_atm"), &program).unwrap();
    set_up_with(&mut desk.sealed, &program);
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.stop(&pane);
    desk.expect("one", RED);
    desk.go("one");
    desk.expect("one", WHITE);
    // The hook with a condition has two more quotes around it.
    let other = desk.window("two");
    desk.sealed.tmux(&["swap-pane", "-d", "-s", &pane.id, "-t", &other.id]);
    desk.expect_option("w", &other.window, "@claude-state", "idle");
}
