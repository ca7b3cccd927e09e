//! Sessions of the real client, as the index sees them. What is expected was read out of the
//! transcripts by eye.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;

use atm_core::prices::Prices;
use atm_core::transcript::facts::Ending;
use atm_index::{Index, Ledger, Limits, Query, Session, Want};

fn recordings() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings")
}

/// The index of one recording.
fn indexed(name: &str) -> (Index, Ledger, tempfile::TempDir) {
    let temp = tempfile::tempdir().unwrap();
    let config = recordings().join(format!("{name}.claude-dir"));
    let path = temp.path().join("index.db");
    let (index, refreshed) =
        Index::up_to_date(&path, &[config], Want::Texts, Limits::default()).unwrap();
    assert!(refreshed.unreadable.is_empty());
    let ledger = index.ledger(&Prices::list()).unwrap();
    (index, ledger, temp)
}

fn session<'l>(ledger: &'l Ledger, beginning: &str) -> &'l Session {
    ledger.sessions().iter().find(|session| session.id.starts_with(beginning)).unwrap()
}

#[test]
fn recording_with_interrupts_counts_them_and_the_time_spent_waiting() {
    let (_, ledger, _temp) = indexed("f_interrupt");
    let session = session(&ledger, "abc519ba");
    assert_eq!((session.turns, session.interrupts), (6, 2));
    // From the mark or the end of the turn to the next prompt: 3.372 + 1.431 + 3.317 + 1.469 s.
    assert_eq!(session.waited_ms, 9_589);
    assert_eq!(session.first_prompt.as_deref(), Some("talk long"));
    assert_eq!(session.tools.iter().collect::<Vec<_>>(), [(&"Bash".to_owned(), &1)]);
    assert_eq!(session.ending, Ending::Finished);
    assert_eq!(session.start.unwrap().to_string(), "2026-11-15T19:42:35.577Z");
}

#[test]
fn recording_with_compaction_has_no_turn_for_the_summary() {
    for (name, turns, context) in [("k_compact", 3, 1_200), ("k2_autocompact", 3, 3_000)] {
        let (_, ledger, _temp) = indexed(name);
        let session = &ledger.sessions()[0];
        assert_eq!((session.turns, session.compactions), (turns, 1), "{name}");
        assert_eq!(session.context_tokens, context, "{name}");
    }
}

#[test]
fn recording_with_subagents_counts_their_tokens_with_the_session() {
    let (_, ledger, _temp) = indexed("l2_subagents_parallel");
    assert_eq!(ledger.sessions().len(), 1);
    let session = session(&ledger, "f7779b05");
    assert_eq!((session.turns, session.subagents, session.files.len()), (1, 2, 1));
    // Four answers of the session, two of each subagent; the first has two lines.
    assert_eq!(session.tokens.answers, 8);
    assert_eq!(session.tools["Agent"], 2);
    assert_eq!(session.tools["Bash"], 2);
}

#[test]
fn recording_with_a_message_of_a_teammate_has_no_turn_for_it() {
    let (_, ledger, _temp) = indexed("z5_tasks_teams");
    assert_eq!(session(&ledger, "3b103b1a").turns, 2);
}

#[test]
fn recording_with_names_and_directories_has_them() {
    let (_, ledger, _temp) = indexed("o_statusline");
    assert_eq!(session(&ledger, "1767efce").title.as_deref(), Some("lab name"));
    let (_, ledger, _temp) = indexed("z3_worktree");
    let session = session(&ledger, "f33efde6");
    let worktree = "/home/dev/project/.claude/worktrees/labtree";
    assert_eq!(session.first_cwd.as_deref(), Some(worktree));
    assert_eq!(session.last_cwd.as_deref(), Some("/home/dev/project"));
    assert_eq!(session.branch.as_deref(), Some("worktree-second"));
}

#[test]
fn recording_tells_how_it_ended() {
    let ending = |name, id| session(&indexed(name).1, id).ending.clone();
    let error = "authentication_failed".to_owned();
    assert_eq!(ending("s_api_error", "266850f9"), Ending::Failed { error });
    assert_eq!(ending("h_kill9", "489b7faa"), Ending::MidTurn);
    assert_eq!(ending("h_kill9", "6263988e"), Ending::Finished);
}

#[test]
fn recording_of_a_fork_counts_shared_answers_once_and_knows_its_parent() {
    let (_, ledger, _temp) = indexed("i_resume");
    let answers: u64 = ledger.sessions().iter().map(|session| session.tokens.answers).sum();
    assert_eq!(answers, 6);
    let (a, b) = (session(&ledger, "14220ede"), session(&ledger, "571c4991"));
    // Which was first is told by the file system alone, and git does not keep that.
    let parents = [a.parent.as_deref() == Some(&b.id), b.parent.as_deref() == Some(&a.id)];
    assert_eq!(parents.iter().filter(|is_parent| **is_parent).count(), 1);
    assert_eq!(ledger.answers().count(), 6);
}

#[test]
fn recording_is_found_by_what_was_said() {
    let (index, ledger, _temp) = indexed("l2_subagents_parallel");
    let now = ledger.sessions()[0].end.unwrap();
    let found = |words: &str| {
        let query = Query::parse(words);
        let (ledger, finds) = index.search(&Prices::list(), &query, now).unwrap();
        let hits = ledger.hits(&finds, &query, 9, |_| true);
        hits.first().map(|hit| hit.snippet.as_ref().unwrap().text.clone())
    };
    assert_eq!(found("launched").as_deref(), Some("Launched both."));
    assert_eq!(found("\"both finished\"").as_deref(), Some("Both finished."));
    assert_eq!(found("\"finished both\""), None);
    // A subagent's words belong to its session.
    assert_eq!(
        found("result -nothing").as_deref().map(|text| text.ends_with("result.")),
        Some(true)
    );
    assert_eq!(found("launched -agents"), None);
}

/// `cost-state` is the client's own reckoning at the end of a session. It includes requests that
/// leave no answer in a transcript, so that it is never less than ours.
#[test]
fn recording_costs_what_the_client_says() {
    let (_, ledger, _temp) = indexed("a_plain");
    let session = &ledger.sessions()[0];
    let transcript = std::fs::read_to_string(&session.files[0]).unwrap();
    let state = transcript.lines().rev().find(|line| line.contains("\"cost-state\"")).unwrap();
    let state: serde_json::Value = serde_json::from_str(state).unwrap();
    let micros = (state["totalCostUSD"].as_f64().unwrap() * 1e6).round();
    let ours = u32::try_from(session.cost.picos / 1_000_000).unwrap();
    assert!((f64::from(ours) - micros).abs() < 0.5, "{ours} {micros}");
}
