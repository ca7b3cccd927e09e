use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use atm_core::ids::{ConversationId, PaneId, WindowId};
use atm_core::record::Process;
use atm_core::session::derive::Source;
use atm_core::session::status::{Detail, Life, Reason, Status, Why};
use atm_core::session::{Found, Key, Place, Transition};
use atm_core::stamp::Stamp;
use tempfile::TempDir;

use super::*;

const SOON: Duration = Duration::from_secs(10);

struct Temp(TempDir);

impl Temp {
    fn new() -> Temp {
        Temp(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("atm.db")
    }

    fn open(&self) -> Opened {
        let opened = Store::open(&self.path()).unwrap();
        assert_eq!(opened.notes, [""; 0]);
        opened
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.path()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn key(name: &str) -> Key {
    Key::stored(name.to_owned())
}

fn session(name: &str) -> Session {
    Session::new(key(name), ConversationId::new(&format!("id-{name}")), Stamp(1_000))
}

fn ended(name: &str, at: i64) -> Session {
    let life = Life::Ended { at: Stamp(at), reason: "clear".to_owned() };
    Session { life, ..session(name) }
}

/// One with something in every column.
fn full_session() -> Session {
    let mut session = session("7-99");
    session.process = Some(Process { pid: 7, start: Some(99) });
    session.lineage = vec![ConversationId::new("before")];
    session.managed = Some("managed".to_owned());
    session.place = Some(Place {
        socket: "/tmp/tmux-1000/default".to_owned(),
        server: Some(812),
        pane: PaneId::new("%3"),
        found: Found::In { window: WindowId::new("@1"), session: "main".to_owned() },
    });
    let about = &mut session.about;
    about.cwd = Some("/work".to_owned());
    about.session_dir = Some("/start".to_owned());
    about.name = Some("näme 'quoted'".to_owned());
    about.title = Some("title".to_owned());
    about.role = Some("reviewer".to_owned());
    about.mode = Some("autonomous".to_owned());
    about.mission = Some("m-1".to_owned());
    about.model = Some("opus".to_owned());
    session.last_activity = Stamp(2_000);
    session.history = vec![transition(1_500, "idle: fresh")];
    session
}

fn transition(at: i64, from: &str) -> Transition {
    Transition {
        at: Stamp(at),
        from: from.to_owned(),
        to: "working: Bash".to_owned(),
        cause: "PreToolUse".to_owned(),
        source: Source::SessionFile,
        overruled: Some("idle".to_owned()),
    }
}

fn event(seq: u64, who: &str) -> EventRow {
    EventRow {
        seq,
        ts: Stamp(1_794_769_560_123),
        event: "PreToolUse".to_owned(),
        session: Some(format!("id-{who}")),
        key: Some(key(who)),
        pid: Some(7),
        pane: Some("%3".to_owned()),
        payload: Some(format!("{{\"n\": {seq}.0}}")),
        malformed: None,
    }
}

fn events(range: std::ops::Range<u64>) -> Batch {
    let position = range.end;
    Batch { events: range.map(|seq| event(seq, "a")).collect(), position, ..Batch::default() }
}

fn seqs(reader: &Reader, query: &EventQuery) -> Vec<u64> {
    reader.events(query).unwrap().iter().map(|event| event.seq).collect()
}

fn all() -> EventQuery {
    EventQuery { limit: 1_000_000, ..EventQuery::default() }
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn database_is_readable_by_its_owner_only() {
    let temp = Temp::new();
    fs::write(temp.path(), "").unwrap();
    fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o644)).unwrap();
    let mut opened = temp.open();
    opened.store.apply(&events(0..3)).unwrap();
    let names = temp.names();
    assert_eq!(names, ["atm.db", "atm.db-shm", "atm.db-wal"]);
    for name in names {
        let mode = fs::metadata(temp.0.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn session_stored_and_loaded_is_the_same() {
    let temp = Temp::new();
    let mut opened = temp.open();
    assert_eq!((opened.sessions.len(), opened.position), (0, 0));
    let sessions = vec![full_session(), ended("e", 5)];
    let batch = Batch { sessions: sessions.clone(), position: 17, ..Batch::default() };
    opened.store.apply(&batch).unwrap();
    let again = temp.open();
    assert_eq!((again.sessions, again.position), (sessions, 17));
}

#[test]
fn session_columns_say_what_the_session_says() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let batch = Batch { sessions: vec![full_session()], ..Batch::default() };
    store.apply(&batch).unwrap();
    let columns = "key,session_id,agent,pid,process_start,tmux_pane,tmux_socket,cwd,session_dir,\
        name,title,managed_id,role,mode,mission_id,model,status,why,current_state,\
        context_warning_level,started_at,last_seen_at,ended_at,end_reason";
    let sql = format!("SELECT concat_ws('|',{columns}) FROM sessions");
    let row: String = store.conn.query_row(&sql, [], |row| row.get(0)).unwrap();
    assert_eq!(
        row,
        "7-99|id-7-99|claude|7|99|%3|/tmp/tmux-1000/default|/work|/start|näme 'quoted'|title|\
         managed|reviewer|autonomous|m-1|opus|idle|fresh|idle|0|1000|2000"
    );
}

#[test]
fn session_stored_again_is_replaced_but_its_warning_level_stays() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let tool = Detail::Tool { name: "Bash".to_owned(), subject: None };
    let reason = Reason::Dialog { what: "trust".to_owned() };
    let cases = [
        (Status::Working { detail: tool }, "working|Bash|tool_active|1"),
        (Status::Working { detail: Detail::Thinking }, "working|Thinking|active|1"),
        (Status::Working { detail: Detail::Unknown }, "working|active|1"),
        (Status::Attention { reason }, "attention|Trust|active|1"),
        (Status::Idle { why: Why::Done }, "idle|done|idle|1"),
    ];
    store.apply(&Batch { sessions: vec![session("a")], ..Batch::default() }).unwrap();
    store.conn.execute("UPDATE sessions SET context_warning_level = 1", []).unwrap();
    for (status, expected) in cases {
        let mut session = session("a");
        session.verdict.status = status;
        store.apply(&Batch { sessions: vec![session.clone()], ..Batch::default() }).unwrap();
        let sql = "SELECT concat_ws('|',status,why,current_state,context_warning_level)
                   FROM sessions";
        let row: String = store.conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(row, expected);
        assert_eq!(temp.open().sessions, [session]);
    }
    for (life, expected) in [
        (Life::Ended { at: Stamp(9), reason: "logout".to_owned() }, "9|logout"),
        (Life::Lost { at: Stamp(8) }, "8|lost"),
        (Life::Live, ""),
    ] {
        let session = Session { life, ..session("a") };
        store.apply(&Batch { sessions: vec![session], ..Batch::default() }).unwrap();
        let sql = "SELECT concat_ws('|',ended_at,end_reason) FROM sessions";
        let row: String = store.conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(row, expected);
    }
}

#[test]
fn opening_gives_all_live_sessions_and_the_latest_ended() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let mut sessions: Vec<Session> = (0..250).map(|n| session(&format!("live{n}"))).collect();
    sessions.extend((0..300).map(|n| ended(&format!("ended{n}"), n)));
    store.apply(&Batch { sessions, ..Batch::default() }).unwrap();
    let opened = temp.open();
    let (live, over): (Vec<_>, Vec<_>) = opened.sessions.iter().partition(|s| s.is_live());
    assert_eq!((live.len(), over.len()), (250, 200));
    assert!(over.iter().all(|session| session.ended_at() >= Some(Stamp(100))));
    let latest: Vec<_> = temp.reader().ended(2).unwrap().into_iter().map(|s| s.key).collect();
    assert_eq!(latest, [key("ended299"), key("ended298")]);
}

#[test]
fn session_of_another_shape_is_left_in_place_and_noted() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let sessions = vec![session("a"), session("b"), session("c")];
    store.apply(&Batch { sessions, ..Batch::default() }).unwrap();
    let sql = "UPDATE sessions SET state = '{\"shape\":\"old\"}' WHERE key IN ('a', 'b')";
    store.conn.execute(sql, []).unwrap();
    let opened = Store::open(&temp.path()).unwrap();
    assert_eq!(opened.sessions, [session("c")]);
    assert_eq!(opened.notes.len(), 1);
    assert!(opened.notes[0].starts_with("2 stored sessions"), "{}", opened.notes[0]);
    let rows: u32 = store
        .conn
        .query_row("SELECT count(*) FROM sessions WHERE state LIKE '%old%'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 2);
}

#[test]
fn batch_that_fails_in_the_middle_leaves_nothing_behind() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    store.apply(&events(0..2)).unwrap();
    store
        .conn
        .execute_batch(
            "CREATE TRIGGER poison BEFORE INSERT ON transitions WHEN NEW.cause = 'poison'
             BEGIN SELECT RAISE(ABORT, 'poison'); END;",
        )
        .unwrap();
    let mut batch = events(2..5);
    batch.sessions = vec![session("a")];
    let poison = Transition { cause: "poison".to_owned(), ..transition(2, "idle") };
    let id = ConversationId::new("id-a");
    batch.transitions = vec![(key("a"), id.clone(), transition(1, "idle")), (key("a"), id, poison)];
    store.apply(&batch).unwrap_err();
    let opened = temp.open();
    assert_eq!((opened.sessions.len(), opened.position), (0, 2));
    assert_eq!(seqs(&temp.reader(), &all()), [0, 1]);
    assert_eq!(temp.reader().transitions(&key("a"), 9).unwrap(), []);

    batch.transitions.pop();
    store.apply(&batch).unwrap();
    assert_eq!(temp.open().position, 5);
    assert_eq!(seqs(&temp.reader(), &all()), [0, 1, 2, 3, 4]);
    assert_eq!(temp.reader().transitions(&key("a"), 9).unwrap(), [transition(1, "idle")]);
}

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
fn database_of_a_newer_atm_is_refused_and_not_touched() {
    let (live, copy) = (Temp::new(), Temp::new());
    let mut store = live.open().store;
    store.apply(&events(0..5)).unwrap();
    store.conn.pragma_update(None, "user_version", 99).unwrap();
    // Copied while in use: the version is in the write-ahead log only.
    for name in live.names() {
        fs::copy(live.0.path().join(&name), copy.0.path().join(&name)).unwrap();
    }
    let before =
        (fs::read(copy.path()).unwrap(), fs::read(copy.0.path().join("atm.db-wal")).unwrap());
    let error = Store::open(&copy.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Newer { found: 99, known: 1, path } if *path == copy.path()),
        "{error}"
    );
    let after =
        (fs::read(copy.path()).unwrap(), fs::read(copy.0.path().join("atm.db-wal")).unwrap());
    assert!(before == after);
}

#[test]
fn database_of_a_newer_atm_at_rest_is_refused_and_not_touched() {
    let temp = Temp::new();
    let store = temp.open().store;
    store.conn.pragma_update(None, "user_version", 2).unwrap();
    drop(store);
    let before = fs::read(temp.path()).unwrap();
    let error = Store::open(&temp.path()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
    assert!(before == fs::read(temp.path()).unwrap());
}

#[test]
fn schema_version_is_the_number_of_migrations() {
    let store = Temp::new().open().store;
    let found: i64 = store.conn.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(found, schema::KNOWN);
    schema::migrations().validate().unwrap();
}

fn assert_begun_anew(temp: &Temp, opened: &Opened, damaged: &[u8]) {
    assert_eq!((opened.position, opened.sessions.len()), (0, 0));
    assert_eq!(opened.notes.len(), 1);
    let aside = temp.names().into_iter().find(|name| {
        name.strip_prefix("atm.db.corrupt-")
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let aside = aside.expect("the damaged file is kept");
    assert!(opened.notes[0].contains(&aside), "{}", opened.notes[0]);
    assert!(fs::read(temp.0.path().join(aside)).unwrap() == damaged);
}

#[test]
fn file_that_is_no_database_is_set_aside() {
    let temp = Temp::new();
    let text = b"certainly not a database, but long enough to look like one".repeat(100);
    fs::write(temp.path(), &text).unwrap();
    let mut opened = Store::open(&temp.path()).unwrap();
    assert_begun_anew(&temp, &opened, &text);
    opened.store.apply(&events(0..2)).unwrap();
    assert_eq!(temp.open().position, 2);
}

#[test]
fn database_damaged_inside_is_set_aside() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    store.apply(&events(0..2_000)).unwrap();
    drop(store);
    let mut bytes = fs::read(temp.path()).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(temp.path(), &bytes).unwrap();
    let opened = Store::open(&temp.path()).unwrap();
    assert_begun_anew(&temp, &opened, &bytes);
}

#[test]
fn damage_found_in_use_is_told_apart() {
    let temp = Temp::new();
    let mut opened = temp.open();
    opened.store.apply(&events(0..2_000)).unwrap();
    drop(opened);
    opened = temp.open();
    let mut bytes = fs::read(temp.path()).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(temp.path(), &bytes).unwrap();
    // What is in memory is not read again.
    opened.store.conn.execute_batch("PRAGMA shrink_memory").unwrap();
    let error = opened.store.apply(&events(2_000..2_001)).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");

    let writer = Writer::start(opened.store, 2_000, || ()).unwrap();
    assert!(!writer.is_damaged());
    writer.try_submit(events(2_000..2_001)).unwrap();
    wait_for("damage", || writer.is_damaged());
    assert_eq!(writer.close(), Some(events(2_000..2_001)));
    let opened = Store::replace(&temp.path(), "seen in use").unwrap();
    assert_begun_anew(&temp, &opened, &bytes);
}

#[test]
fn full_disk_refuses_the_batch_as_a_whole_until_there_is_room_again() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    store.apply(&events(0..10)).unwrap();
    let pages: i64 = store.conn.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let limit = |store: &Store, pages: i64| {
        store.conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(&store, pages + 2);
    let mut batch = events(10..1_000);
    batch.sessions = vec![session("a")];
    for _ in 0..3 {
        let error = store.apply(&batch).unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
        let reader = temp.reader();
        assert_eq!((seqs(&reader, &all()).len(), temp.open().position), (10, 10));
    }
    limit(&store, 1_000_000);
    store.apply(&batch).unwrap();
    assert_eq!((seqs(&temp.reader(), &all()).len(), temp.open().position), (1_000, 1_000));
}

#[test]
fn events_are_found_by_conversation_session_and_position() {
    let temp = Temp::new();
    let mut store = temp.open().store;
    let mut batch = Batch::default();
    for seq in 0..20 {
        batch.events.push(event(seq * 10, if seq % 2 == 0 { "even" } else { "odd" }));
    }
    batch.events[3].session = Some("renamed".to_owned());
    batch.events[5].session = None;
    batch.events[5].key = None;
    store.apply(&batch).unwrap();
    let reader = temp.reader();
    let ids = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect());
    let check = |query: EventQuery, expected: &[u64]| {
        assert_eq!(seqs(&reader, &query), expected, "{query:?}");
    };
    let query = |who, key, after, limit| EventQuery { who, key, after, limit };
    check(query(None, None, None, 3), &[170, 180, 190]);
    check(query(None, None, Some(20), 3), &[30, 40, 50]);
    check(query(None, None, Some(190), 3), &[]);
    check(query(ids(&["renamed"]), None, None, 3), &[30]);
    check(query(ids(&["renamed", "id-odd"]), None, None, 3), &[150, 170, 190]);
    check(query(ids(&["renamed", "id-odd"]), None, Some(5), 3), &[10, 30, 70]);
    check(query(ids(&["renamed"]), Some(key("odd")), Some(5), 3), &[10, 30, 70]);
    check(query(None, Some(key("even")), Some(0), 2), &[20, 40]);
    check(query(ids(&[]), None, None, 3), &[]);
    check(query(ids(&["id-nobody"]), Some(key("nobody")), None, 3), &[]);
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
        (
            "SELECT * FROM events WHERE session_id = ?1 AND seq > ?2 ORDER BY seq DESC",
            "events_by_id",
        ),
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
fn appended_batch_keeps_order_and_only_the_newer_state_of_a_session() {
    let mut batch = events(0..2);
    batch.sessions = vec![session("a"), session("b")];
    let mut later = events(2..4);
    let newer = Session { last_activity: Stamp(9_000), ..session("a") };
    later.sessions = vec![newer.clone(), session("c")];
    batch.append(later);
    assert_eq!(batch.events.iter().map(|event| event.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(batch.sessions, [session("b"), newer, session("c")]);
    assert_eq!(batch.position, 4);
    batch.append(Batch::default());
    assert_eq!(batch.position, 4);
}

/// A connection that keeps everybody else from writing.
fn blocker(temp: &Temp) -> Connection {
    let conn = Connection::open(temp.path()).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    conn
}

#[test]
fn writer_stores_in_order_and_tells_how_far() {
    let temp = Temp::new();
    let (woken, wakes) = std::sync::mpsc::channel();
    let writer = Writer::start(temp.open().store, 3, move || woken.send(()).unwrap()).unwrap();
    assert_eq!(writer.stored(), 3);
    for start in (3..103).step_by(10) {
        let mut batch = Some(events(start..start + 10));
        wait_for("room", || match writer.try_submit(batch.take().unwrap()) {
            Ok(()) => true,
            Err(back) => {
                batch = Some(back);
                false
            }
        });
    }
    assert!(writer.flush(SOON));
    assert_eq!((writer.stored(), writer.trouble()), (103, None));
    assert_eq!(wakes.try_iter().count(), 10);
    writer.try_submit(events(103..104)).unwrap();
    drop(writer);
    assert_eq!(seqs(&temp.reader(), &all()), (3..104).collect::<Vec<_>>());
}

#[test]
fn writer_in_trouble_takes_no_more_and_goes_on_when_it_is_over() {
    let temp = Temp::new();
    let store = temp.open().store;
    store.conn.busy_timeout(Duration::ZERO).unwrap();
    let blocker = blocker(&temp);
    let writer = Writer::start(store, 0, || ()).unwrap();
    writer.try_submit(events(0..10)).unwrap();
    wait_for("trouble", || writer.trouble().is_some());
    assert!(writer.trouble().unwrap().contains("locked"), "{:?}", writer.trouble());
    assert_eq!(writer.try_submit(events(10..20)), Err(events(10..20)));
    assert!(!writer.flush(Duration::from_millis(50)));
    assert_eq!(writer.stored(), 0);
    blocker.execute_batch("ROLLBACK").unwrap();
    wait_for("recovery", || writer.trouble().is_none());
    writer.try_submit(events(10..20)).unwrap();
    assert!(writer.flush(SOON));
    assert_eq!(writer.stored(), 20);
    assert_eq!(seqs(&temp.reader(), &all()), (0..20).collect::<Vec<_>>());
}

#[test]
fn writer_closed_in_trouble_gives_back_what_it_could_not_store() {
    let temp = Temp::new();
    let store = temp.open().store;
    store.conn.busy_timeout(Duration::from_millis(200)).unwrap();
    let _blocker = blocker(&temp);
    let writer = Writer::start(store, 0, || ()).unwrap();
    writer.try_submit(events(0..10)).unwrap();
    writer.try_submit(events(10..20)).unwrap();
    wait_for("trouble", || writer.trouble().is_some());
    let begun = Instant::now();
    assert_eq!(writer.close(), Some(events(0..20)));
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(temp.reader().events(&all()).unwrap().len(), 0);
}

#[test]
fn writer_with_a_full_queue_gives_the_batch_back() {
    let temp = Temp::new();
    let store = temp.open().store;
    let blocker = blocker(&temp);
    let writer = Writer::start(store, 0, || ()).unwrap();
    let mut taken = 0;
    let back = loop {
        match writer.try_submit(events(taken..taken + 1)) {
            Ok(()) => taken += 1,
            Err(back) => break back,
        }
        assert!(taken < 100);
    };
    assert_eq!(back, events(taken..taken + 1));
    assert!((8..=9).contains(&taken), "{taken} taken");
    drop(blocker);
    assert!(writer.flush(SOON));
    assert_eq!(writer.stored(), taken);
}

#[test]
fn reader_of_a_missing_database_creates_none() {
    let temp = Temp::new();
    Reader::open(&temp.path()).unwrap_err();
    assert_eq!(temp.names(), [""; 0]);
}
