//! The self-test takes the real way and leaves no session behind.

use rusqlite::Connection;
use serde_json::json;

use super::{Report, atm, examine, healthy};

#[test]
fn self_test_arrives_and_no_session_comes_of_it() {
    let sealed = healthy();
    let before = sealed.json(&["list", "--all", "--json"])["sessions"].as_array().unwrap().len();
    let mut inside = atm(&sealed, &["doctor", "--json"]);
    // As Claude Code's own shell would run it.
    inside
        .env("CLAUDE_CODE_SESSION_ID", "bbbb-0002")
        .env("CLAUDE_PID", std::process::id().to_string());
    let report = Report::of(&mut inside);
    assert_eq!(report.find("self-test.passed").unwrap()["level"], "ok");
    let test = &report.json["dump"]["self_test"];
    assert_eq!(test["hook"]["code"], 0);
    assert_eq!(
        (&test["in_journal"], &test["in_daemon"], &test["hidden"]),
        (&json!("yes"), &json!("yes"), &json!("yes"))
    );
    let after = sealed.json(&["list", "--all", "--json"]);
    assert_eq!(after["sessions"].as_array().unwrap().len(), before, "{after}");
    let events = sealed.json_lines(&["events", "--json"]);
    let tests: Vec<_> = events.iter().filter(|e| e["event"] == "AtmSelfTest").collect();
    assert!(tests.len() == 1 && tests[0]["session"].is_null(), "{tests:?}");
    sealed.ok(&["daemon", "stop"]);
    let database = Connection::open(sealed.state().join("atm.db")).unwrap();
    let stored: u32 =
        database.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0)).unwrap();
    assert_eq!(stored as usize, before);
}

#[test]
fn self_test_not_wanted_sends_nothing_and_starts_nothing() {
    let sealed = healthy();
    sealed.ok(&["daemon", "stop"]);
    let report = examine(&sealed, &["--no-self-test"]);
    assert_eq!(report.find("self-test.skipped").unwrap()["level"], "note");
    assert_eq!(report.find("daemon.down").unwrap()["level"], "note");
    assert!(crate::wire::daemons(&sealed).is_empty());
    let events = sealed.json_lines(&["events", "--json"]);
    assert!(events.iter().all(|event| event["event"] != "AtmSelfTest"), "{events:?}");
}
