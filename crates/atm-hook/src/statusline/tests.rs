use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;

use atm_core::statusline::FEED_MAX;

use super::*;

const STATUS: &[u8] = br#"{"session_id":"s","model":{"id":"m","display_name":"M\u001b[2J"},
    "cwd":"/nonexistent/src","cost":{"total_cost_usd":0.35}}"#;

fn env(state: &Path) -> impl Fn(&str) -> Option<OsString> {
    let (state, pid) = (state.to_owned(), std::process::id().to_string());
    move |name| match name {
        "ATM_STATE_DIR" => Some(state.clone().into()),
        "ATM_CONFIG_DIR" => Some("/nonexistent".into()),
        "CLAUDE_PID" => Some(pid.clone().into()),
        "NO_COLOR" => Some("1".into()),
        "HOME" => Some("/nonexistent".into()),
        _ => None,
    }
}

#[test]
fn command_line_is_what_follows_the_dashes() {
    let cases: [(&[&str], Option<&str>); 8] = [
        (&[], None),
        (&["--"], None),
        (&["--", " "], None),
        (&["x"], None),
        (&["--", "cat -n | head"], Some("cat -n | head")),
        (&["--", "a", "b"], Some("a b")),
        (&["--", "a", "--", "b"], Some("a -- b")),
        (&["--new-flag", "--", "a"], Some("a")),
    ];
    for (words, expected) in cases {
        let found = command_line(words.iter().map(OsString::from));
        assert_eq!(found.as_deref(), expected.map(OsStr::new), "{words:?}");
    }
}

#[test]
fn status_reaches_the_daemon_in_one_datagram() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = UnixDatagram::bind(dir.path().join("poke.sock")).unwrap();
    let moment = Moment::now();
    feed(STATUS, moment, &env(dir.path())).unwrap();
    daemon.set_nonblocking(true).unwrap();
    let mut datagram = [0; FEED_MAX + 1];
    let length = daemon.recv(&mut datagram).unwrap();
    let heard = Feed::decode(&datagram[..length]).unwrap();
    let pid = i32::try_from(std::process::id()).unwrap();
    assert_eq!((heard.ts, heard.process.unwrap().pid), (moment.stamp, pid));
    assert_eq!(heard.line, StatusLine::decode(STATUS).unwrap());
    assert!(daemon.recv(&mut datagram).is_err(), "one");
}

#[test]
fn status_without_a_daemon_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("state");
    assert!(feed(STATUS, Moment::now(), &env(&missing)).is_some());
    assert!(!missing.exists());
    let moment = Moment::now();
    assert_eq!(told(STATUS, moment, &env(dir.path())), "M[2J  ~/src  $0.35\n");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn status_that_is_none_is_told_to_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let daemon = UnixDatagram::bind(dir.path().join("poke.sock")).unwrap();
    daemon.set_nonblocking(true).unwrap();
    let large = format!("{}{}", " ".repeat(READ_MAX), String::from_utf8_lossy(STATUS));
    for status in [&b""[..], b"{", b"\xff\0", b"[]", large.as_bytes()] {
        assert_eq!(told(status, Moment::now(), &env(dir.path())), "");
        assert!(daemon.recv(&mut [0; 8]).is_err());
    }
}

#[test]
fn status_is_read_to_its_end_or_until_silence() {
    let (reader, mut writer) = io::pipe().unwrap();
    let large = vec![b'x'; 1_000_000];
    let read_all = std::thread::scope(|scope| {
        let expected = &large;
        scope.spawn(move || writer.write_all(expected).unwrap());
        read(reader.as_fd(), input::IDLE_MAX)
    });
    assert!(read_all == large);
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(b"{").unwrap();
    assert_eq!(read(reader.as_fd(), Duration::from_millis(1)), b"{");
}
