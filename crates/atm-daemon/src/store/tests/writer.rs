use super::*;

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
fn writer_keeps_no_more_than_its_limits_of_now() {
    let temp = Temp::new();
    let writer = Writer::start(temp.open().store, 0, || ()).unwrap();
    writer.set_limits(Limits { events: 100, transitions: 10, ended: 5 });
    writer.try_submit(events(0..2_000)).unwrap();
    assert!(writer.flush(SOON));
    assert_eq!(seqs(&temp.reader(), &all()), (1_900..2_000).collect::<Vec<_>>());
    writer.set_limits(Limits { events: 500, transitions: 10, ended: 5 });
    writer.try_submit(events(2_000..4_000)).unwrap();
    assert!(writer.flush(SOON));
    assert_eq!(seqs(&temp.reader(), &all()), (3_500..4_000).collect::<Vec<_>>());
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
    assert!((2..=3).contains(&taken), "{taken} taken");
    drop(blocker);
    assert!(writer.flush(SOON));
    assert_eq!(writer.stored(), taken);
}
