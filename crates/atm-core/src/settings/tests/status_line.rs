use super::*;

const OURS: &str = "'/opt/atm' statusline";

fn check(before: &str, expected: &str) {
    let edited = wrap_status_line(before, OURS, &Memo::default()).unwrap();
    assert_eq!(edited.text, expected);
    let again = wrap_status_line(&edited.text, OURS, &edited.memo).unwrap();
    assert_eq!((&again.text, again.changed, &again.memo), (&edited.text, false, &edited.memo));
    let back = unwrap_status_line(&again.text, &again.memo).unwrap();
    assert_eq!(back.text, before);
    assert_eq!(back.memo, Memo::default());
}

#[test]
fn status_line_absent_is_added_and_goes_again() {
    let ours = "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"'/opt/atm' statusline\"\n  }\n}";
    check("{}", ours);
    check("", &format!("{ours}\n"));
}

#[test]
fn status_line_of_the_user_keeps_its_other_fields_and_comes_back() {
    check(
        r#"{"statusLine": { "type" : "command", /* mine */ "command": "my\u0020line", "padding": 2 }}"#,
        r#"{"statusLine": { "type" : "command", /* mine */ "command": "'/opt/atm' statusline", "padding": 2 }}"#,
    );
    check(
        r#"{"statusLine": null}"#,
        r#"{"statusLine": {"type": "command", "command": "'/opt/atm' statusline"}}"#,
    );
    check(
        r#"{"statusLine": { }, "a": 1}"#,
        r#"{"statusLine": {"type": "command", "command": "'/opt/atm' statusline" }, "a": 1}"#,
    );
}

#[test]
fn status_line_of_no_use_is_replaced_in_the_style_of_the_file() {
    check(
        "{\n\t\"statusLine\": null,\n\t\"a\": 1\n}",
        "{\n\t\"statusLine\": {\n\t\t\"type\": \"command\",\n\t\t\"command\": \"'/opt/atm' statusline\"\n\t},\n\t\"a\": 1\n}",
    );
}

#[test]
fn status_line_changed_by_others_gets_only_its_command_back() {
    let before = r#"{"statusLine": {"type": "command", "command": "mine"}}"#;
    let edited = wrap_status_line(before, OURS, &Memo::default()).unwrap();
    let changed = edited.text.replace("}}", ", \"padding\": 1}}");
    let moved = wrap_status_line(&changed, "/new/atm statusline", &edited.memo).unwrap();
    let back = unwrap_status_line(&moved.text, &moved.memo).unwrap();
    let expected = r#"{"statusLine": {"type": "command", "command": "mine", "padding": 1}}"#;
    assert_eq!(back.text, expected);
}

#[test]
fn status_line_replaced_by_the_user_stays() {
    let edited = wrap_status_line("{}", OURS, &Memo::default()).unwrap();
    let theirs = r#"{"statusLine": {"type": "command", "command": "theirs"}}"#;
    let back = unwrap_status_line(theirs, &edited.memo).unwrap();
    assert_eq!((back.text.as_str(), back.changed, back.memo), (theirs, false, Memo::default()));
    let rewrapped = wrap_status_line(theirs, OURS, &edited.memo).unwrap();
    assert_eq!(unwrap_status_line(&rewrapped.text, &rewrapped.memo).unwrap().text, theirs);
}

#[test]
fn status_line_of_an_older_atm_is_upgraded_and_still_comes_back() {
    let before = "{\n\t\"statusLine\": {\"command\": \"mine\"}\n}";
    let old = wrap_status_line(before, "/old/atm statusline", &Memo::default()).unwrap();
    let new = wrap_status_line(&old.text, OURS, &old.memo).unwrap();
    assert!(new.changed && !new.text.contains("/old/"));
    assert_eq!(unwrap_status_line(&new.text, &new.memo).unwrap().text, before);
}

#[test]
fn status_line_without_a_memo_goes_and_a_forged_memo_does_no_harm() {
    let text =
        format!("{{\"a\": 1, \"statusLine\": {{\"type\": \"command\", \"command\": \"{OURS}\"}}}}");
    assert_eq!(unwrap_status_line(&text, &Memo::default()).unwrap().text, "{\"a\": 1}");
    let ours = r#"{\"command\": \"atm statusline\"}"#;
    let forged = format!(r#"{{"status_line": {{"before": "{ours}", "ours": ""}}}}"#);
    let forged: Memo = serde_json::from_str(&forged).unwrap();
    assert!(unwrap_status_line(&text, &forged).is_ok());
}

#[test]
fn status_line_command_that_is_not_known_again_is_refused() {
    let error = wrap_status_line("{}", "mine | atm statusline", &Memo::default()).unwrap_err();
    assert!(matches!(error, SettingsError::Unrecognisable { .. }));
}

fn status_line(command: &str) -> String {
    let command = serde_json::Value::from(command);
    format!("{{\"statusLine\": {{\"type\": \"command\", \"command\": {command}}}}}")
}

#[test]
fn status_line_put_around_the_users_runs_it_and_is_never_nested() {
    let before = status_line("it's \"mine\" | sed 1q");
    let edited = put_status_line(&before, "/opt/atm", &Memo::default()).unwrap();
    let expected = status_line(r#"'/opt/atm' statusline -- 'it'\''s "mine" | sed 1q'"#);
    assert_eq!(edited.text, expected);
    for memo in [&edited.memo, &Memo::default()] {
        let moved = put_status_line(&edited.text, "/new/atm", memo).unwrap();
        assert_eq!(moved.text, expected.replace("/opt/", "/new/"));
        assert_eq!(unwrap_status_line(&moved.text, &moved.memo).unwrap().text, before);
    }
}

#[test]
fn status_line_that_the_client_would_not_run_is_not_run_by_ours() {
    for before in [
        r#"{"statusLine": {"type": "off", "command": "mine"}}"#,
        r#"{"statusLine": {"command": "mine"}}"#,
        r#"{"statusLine": {"type": "command", "command": "  "}}"#,
        r#"{"statusLine": ["mine"]}"#,
    ] {
        let edited = put_status_line(before, "/opt/atm", &Memo::default()).unwrap();
        assert_eq!(hooks_in(&edited.text).unwrap().status_line.unwrap().command, OURS);
        assert_eq!(unwrap_status_line(&edited.text, &edited.memo).unwrap().text, before);
    }
}
