mod opening;
mod past;
mod writer;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use atm_core::ids::{ConversationId, PaneId, WindowId};
use atm_core::record::Process;
use atm_core::session::derive::Source;
use atm_core::session::status::{Detail, Life, Reason, Status, Why};
use atm_core::session::{Found, Place, Transition};
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
    store
        .conn
        .execute_batch(
            "CREATE TRIGGER stuck BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'stuck'); END;",
        )
        .unwrap();
    store.apply(&batch).unwrap_err();
    assert_eq!(seqs(&temp.reader(), &all()), [0, 1], "no rows without their position");
    store.conn.execute_batch("DROP TRIGGER stuck").unwrap();

    store.apply(&batch).unwrap();
    assert_eq!(temp.open().position, 5);
    assert_eq!(seqs(&temp.reader(), &all()), [0, 1, 2, 3, 4]);
    assert_eq!(temp.reader().transitions(&key("a"), 9).unwrap(), [transition(1, "idle")]);
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
