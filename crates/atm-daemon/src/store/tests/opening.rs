use super::*;

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
        .query_row("SELECT count(*) FROM sessions WHERE state LIKE '{\"shape%'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(rows, 2);
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
        matches!(&error, StoreError::Newer { found: 99, known: schema::KNOWN, path } if *path == copy.path()),
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
    store.conn.pragma_update(None, "user_version", schema::KNOWN + 1).unwrap();
    drop(store);
    let before = fs::read(temp.path()).unwrap();
    let error = Store::open(&temp.path()).unwrap_err();
    let newer = schema::KNOWN + 1;
    assert!(matches!(error, StoreError::Newer { found, .. } if found == newer), "{error}");
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
