use super::*;

#[test]
fn event_stored_twice_is_there_once_and_the_position_never_goes_back() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    store.apply(&events(0..5)).unwrap();
    store.apply(&events(3..8)).unwrap();
    store.apply(&Batch { sessions: vec![session("a")], ..Batch::default() }).unwrap();
    assert_eq!(seqs(&temp.reader(), &all()), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(temp.open().position, 8);
}

#[test]
fn events_are_found_by_session_and_position() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let mut batch = Batch::default();
    for seq in 0..20 {
        batch.events.push(event(seq * 10, if seq % 2 == 0 { "even" } else { "odd" }));
    }
    batch.events[5].key = None;
    store.apply(&batch).unwrap();
    let reader = temp.reader();
    let check = |key, after, limit, expected: &[u64]| {
        let query = EventQuery { key, after, limit };
        assert_eq!(seqs(&reader, &query), expected, "{query:?}");
    };
    check(None, None, 3, &[170, 180, 190]);
    check(None, Some(20), 3, &[30, 40, 50]);
    check(None, Some(190), 3, &[]);
    check(Some(key("odd")), None, 3, &[150, 170, 190]);
    check(Some(key("odd")), Some(30), 2, &[70, 90]);
    check(Some(key("even")), Some(0), 2, &[20, 40]);
    check(Some(key("nobody")), None, 3, &[]);
}

#[test]
fn event_read_back_is_what_was_stored() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let mut batch = events(5..6);
    batch.events.push(EventRow {
        seq: 9,
        event: "?".to_owned(),
        malformed: Some("not json \0".to_owned()),
        ..EventRow::default()
    });
    store.apply(&batch).unwrap();
    let found = temp.reader().events(&all()).unwrap();
    let json: Vec<String> = found.iter().map(|e| serde_json::to_string(e).unwrap()).collect();
    assert_eq!(
        json,
        [
            r#"{"schema":1,"seq":5,"ts":"2026-11-15T19:06:00.123Z","event":"PreToolUse","session":"id-a","pid":7,"pane":"%3","payload":{"n": 5.0}}"#,
            r#"{"schema":1,"seq":9,"ts":"1970-01-01T00:00:00.000Z","event":"?","session":null,"pid":null,"pane":null,"payload":null,"malformed":"not json \u0000"}"#,
        ]
    );
}

#[test]
fn queries_walk_an_index_and_never_sort() {
    let store = Temp::new().open().store;
    for (sql, index) in [
        ("SELECT * FROM events WHERE session_key = ?1 AND seq > ?2 ORDER BY seq", "events_by_key"),
        ("SELECT * FROM events WHERE ?1 IS NULL AND seq > ?2 ORDER BY seq DESC", "PRIMARY KEY"),
        (
            "SELECT * FROM transitions WHERE session_key = ?1 ORDER BY at DESC, id DESC",
            "transitions_by_key",
        ),
        (
            "SELECT * FROM sessions WHERE ended_at NOT NULL ORDER BY ended_at DESC",
            "sessions_by_end",
        ),
        ("SELECT * FROM sessions WHERE session_id = ?1", "sessions_by_id"),
    ] {
        let mut explain = store.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let values = vec!["x"; explain.parameter_count()];
        let rows = explain.query_map(rusqlite::params_from_iter(values), |row| row.get(3)).unwrap();
        let plan: Vec<String> = rows.map(Result::unwrap).collect();
        assert!(plan.len() == 1 && plan[0].contains(index), "{sql}: {plan:?}");
    }
}

#[test]
fn transitions_come_oldest_first_and_the_latest_if_cut() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let id = ConversationId::new("id-a");
    let rows = [(1, "a"), (2, "b"), (2, "c")].map(|(at, from)| transition(at, from));
    let mut transitions: Vec<_> =
        rows.iter().map(|row| (key("a"), id.clone(), row.clone())).collect();
    transitions.push((key("b"), id, transition(3, "other")));
    store.apply(&Batch { transitions, ..Batch::default() }).unwrap();
    assert_eq!(temp.reader().transitions(&key("a"), 9).unwrap(), rows);
    assert_eq!(temp.reader().transitions(&key("a"), 2).unwrap(), rows[1..]);
    for source in [Source::Hook, Source::SessionFile, Source::Transcript, Source::Process] {
        let row = Transition { source, ..transition(1, "x") };
        let transitions = vec![(key("s"), ConversationId::new("s"), row.clone())];
        store.apply(&Batch { transitions, ..Batch::default() }).unwrap();
        assert_eq!(temp.reader().transitions(&key("s"), 9).unwrap().pop(), Some(row));
    }
}

#[test]
fn pruning_keeps_the_newest_of_everything() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let mut batch = events(0..2_500);
    let id = ConversationId::new("id-a");
    batch.transitions = (0..50).map(|n| (key("a"), id.clone(), transition(n, "x"))).collect();
    batch.sessions = (0..20).map(|n| ended(&format!("e{n}"), n)).collect();
    batch.sessions.push(session("live"));
    store.apply(&batch).unwrap();
    let limits = Limits { events: 100, transitions: 10, ended: 5 };
    assert_eq!(store.prune(&limits).unwrap(), 2_400 + 40 + 15);
    assert_eq!(store.prune(&limits).unwrap(), 0);
    let reader = temp.reader();
    assert_eq!(seqs(&reader, &all()), (2_400..2_500).collect::<Vec<_>>());
    let left: Vec<i64> =
        reader.transitions(&key("a"), 99).unwrap().iter().map(|t| t.at.0).collect();
    assert_eq!(left, (40..50).collect::<Vec<_>>());
    let opened = temp.open();
    assert_eq!((opened.sessions.len(), opened.position), (6, 2_500));
    // Events already there do not count again.
    store.apply(&events(2_490..2_510)).unwrap();
    assert_eq!(store.prune(&limits).unwrap(), 10);
}

#[test]
fn reader_of_a_missing_database_creates_none() {
    let temp = Temp::new();
    Reader::open(&temp.path()).unwrap_err();
    assert_eq!(temp.names(), [""; 0]);
}

#[test]
fn notifications_and_mutes_outlive_the_daemon_and_are_bounded() {
    use atm_core::notify::{Mute, Occasion, Record, Step, Verdict};
    let temp = Temp::new();
    let mut store = temp.open().store;
    let record = |at: i64| Record {
        at: Stamp(at),
        key: "a".into(),
        session: "id-a".into(),
        name: "näme".into(),
        event: Occasion::Attention,
        reason: "attention: Permission: Bash".into(),
        since: Stamp(1),
        step: Step::First,
        verdict: Verdict::Sent,
        why: "why".into(),
        channels: Vec::new(),
        count: 1,
    };
    let told = (0..5).map(|at| Notice::Told(record(at)));
    let mutes = [
        Notice::Muted(key("a"), Some(Mute::Always)),
        Notice::Muted(key("b"), Some(Mute::Until(Stamp(9)))),
        Notice::Muted(key("a"), None),
    ];
    let transitions = vec![
        (key("a"), ConversationId::new("id-a"), transition(10, "attention: Permission: Bash")),
        (key("a"), ConversationId::new("id-a"), transition(20, "idle: done")),
    ];
    let notices = told.chain(mutes).collect();
    store.apply(&Batch { notices, transitions, ..Batch::default() }).unwrap();
    let opened = temp.open();
    assert_eq!(opened.notifications, (0..5).map(record).collect::<Vec<_>>());
    assert_eq!(opened.mutes, [(key("b"), Mute::Until(Stamp(9)))]);
    assert_eq!(temp.reader().notifications(2).unwrap(), [record(3), record(4)]);
    let past = temp.reader().past(Stamp(3)).unwrap();
    assert_eq!((past.steps.len(), past.notifications.len()), (1, 2), "only what is about waiting");
    store.prune(&Limits { transitions: 2, ..Limits::default() }).unwrap();
    assert_eq!(temp.reader().notifications(9).unwrap().len(), 2);
}
