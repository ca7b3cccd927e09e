use std::cell::Cell;
use std::io;
use std::os::unix::net::UnixListener;

use atm_core::proto::message::{DaemonStatus, Refusal, RefusalKind};

use super::fake::{Fake, Peer, Script, answer};
use super::*;

const PATIENCE: Duration = Duration::from_secs(10);
const IMPATIENCE: Duration = Duration::from_millis(20);

fn never(_: &Places) -> io::Result<()> {
    Err(io::Error::other("must not be started"))
}

fn ask(script: Script) -> Result<Reply, CliError> {
    let fake = Fake::new();
    let places = fake.places();
    let daemon = fake.play(vec![script]);
    let reply = Client::reach(&places, PATIENCE, never).and_then(|mut c| c.ask(&Request::Status));
    daemon.join().unwrap();
    reply
}

fn body(text: &[u8]) -> Vec<u8> {
    frame::encode(text).unwrap()
}

#[test]
fn client_gets_an_answer_that_comes_in_pieces() {
    let reply = ask(Box::new(|peer: &mut Peer| {
        assert_eq!(peer.request(), Request::Status);
        let status = DaemonStatus { pid: 7, ..DaemonStatus::default() };
        let bytes = atm_core::proto::message::encode_reply(&Reply::Status(status)).unwrap();
        bytes.chunks(3).for_each(|piece| peer.bytes(piece));
    }));
    assert!(matches!(reply, Ok(Reply::Status(status)) if status.pid == 7));
}

#[test]
fn client_of_a_daemon_that_never_answers_gives_up_with_a_hint() {
    let fake = Fake::new();
    let error = Client::reach(&fake.places(), IMPATIENCE, never)
        .and_then(|mut client| client.ask(&Request::Status))
        .unwrap_err();
    assert_eq!(error.kind, Exit::Unreachable);
    assert_eq!(error.message, "the daemon is there but did not answer within 20ms");
    let hint = error.hint.unwrap();
    assert!(hint.contains("atm daemon stop") && hint.contains("atm.log"), "{hint}");
}

#[test]
fn client_of_a_daemon_that_trickles_keeps_its_deadline() {
    let fake = Fake::new();
    let mut client = Client::connect(&fake.places(), IMPATIENCE).unwrap();
    client.buffer.extend([0, 0, 0, 9, b'[']);
    let error = client.ask(&Request::Status).unwrap_err();
    assert_eq!(error.kind, Exit::Unreachable);
}

#[test]
fn client_that_finds_a_full_queue_gives_up() {
    let fake = Fake::new();
    rustix::net::listen(fake.listener(), 0).unwrap();
    let calls: Vec<_> = (0..4).map(|_| Client::connect(&fake.places(), IMPATIENCE)).collect();
    assert!(matches!(calls.last(), Some(Err(ConnectError::Silent))), "{calls:?}");
}

#[test]
fn client_of_another_protocol_says_how_to_get_the_right_daemon() {
    let by_reply = ask(Box::new(|peer| {
        peer.request();
        peer.bytes(&body(br#"[9,{"dance":{}}]"#));
    }));
    let refusal = Refusal {
        kind: RefusalKind::Version,
        message: "the other side speaks protocol 1".into(),
        candidates: vec![],
    };
    let by_refusal = ask(answer(vec![Reply::Refused(refusal)]));
    for error in [by_reply.unwrap_err(), by_refusal.unwrap_err()] {
        assert_eq!(error.kind, Exit::Unreachable);
        assert!(error.message.contains("protocol"), "{error:?}");
        assert!(error.hint.unwrap().contains("atm daemon stop"));
    }
}

#[test]
fn client_of_a_daemon_that_closes_early_says_so() {
    let at_once = ask(Box::new(|_| {}));
    let within = ask(Box::new(|peer| {
        peer.request();
        peer.bytes(&[0, 0, 0, 50, b'[']);
    }));
    for error in [at_once.unwrap_err(), within.unwrap_err()] {
        assert_eq!(error.kind, Exit::Unreachable);
        assert!(error.message.contains("closed the connection"), "{error:?}");
    }
}

#[test]
fn client_that_called_a_dying_daemon_asks_its_successor() {
    let fake = Fake::new();
    let places = fake.places();
    let status = Reply::Status(DaemonStatus::default());
    let daemon = fake.play(vec![answer(vec![]), answer(vec![status])]);
    let reply = Client::converse(&places, PATIENCE, never, &Request::Status);
    assert!(matches!(reply, Ok((_, Reply::Status(_)))), "{reply:?}");
    daemon.join().unwrap();
}

#[test]
fn client_that_hears_garbage_says_so() {
    let garbage: [&[u8]; 4] = [
        b"HTTP/1.1 400 Bad\r\n",
        &[255; 64],
        &body(b"\xff\x00{"),
        &body(br#"[1,{"new-thing":1}]"#),
    ];
    for bytes in garbage.map(<[u8]>::to_vec) {
        let error = ask(Box::new(move |peer| {
            peer.request();
            peer.bytes(&bytes);
        }));
        let error = error.unwrap_err();
        assert_eq!(error.kind, Exit::Unreachable);
        assert!(error.message.contains("makes no sense"), "{error:?}");
    }
}

#[test]
fn client_starts_a_daemon_where_none_listens() {
    thread_local! { static LISTENER: Cell<Option<UnixListener>> = const { Cell::new(None) }; }
    fn start(places: &Places) -> io::Result<()> {
        LISTENER.set(Some(UnixListener::bind(places.socket())?));
        Ok(())
    }
    let dir = tempfile::tempdir().unwrap();
    let places = Places { state: dir.path().into(), config: dir.path().into() };
    assert!(Client::reach(&places, PATIENCE, start).is_ok());
}

#[test]
fn client_whose_daemon_does_not_come_up_says_where_to_look() {
    let dir = tempfile::tempdir().unwrap();
    let places = Places { state: dir.path().join("none"), config: dir.path().into() };
    let error = Client::reach(&places, IMPATIENCE, |_| Ok(())).unwrap_err();
    assert_eq!(error.kind, Exit::Unreachable);
    assert!(error.hint.unwrap().contains("atm daemon --foreground"));
    let error = Client::reach(&places, IMPATIENCE, never).unwrap_err();
    assert_eq!(error.message, "cannot start the daemon: must not be started");
}

#[test]
#[cfg(target_os = "linux")]
fn client_reaches_a_socket_with_a_long_path() {
    let dir = tempfile::tempdir().unwrap();
    let long = dir.path().join("d".repeat(150));
    let places = Places { state: long.clone(), config: long.clone() };
    let nobody = Client::connect(&places, PATIENCE);
    assert!(matches!(nobody, Err(ConnectError::NobodyListens)));
    std::fs::create_dir(&long).unwrap();
    std::os::unix::fs::symlink(&long, dir.path().join("s")).unwrap();
    let _listener = UnixListener::bind(dir.path().join("s/atm.sock")).unwrap();
    assert!(Client::connect(&places, PATIENCE).is_ok());
}
