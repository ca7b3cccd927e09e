//! Sessions in tmux: where they are now, not where they began.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::stage::{Pane, signal};

const ID: &str = "3f5a9c10-0001";

fn start(sealed: &Sealed, pid: u32, pane: &Pane, id: &str) {
    let payload = json!({"hook_event_name": "SessionStart", "session_id": id, "source": "startup"});
    sealed.hook_from(pid, &pane.env(), &payload);
}

/// Waits until the session of `pid` is in this window of this tmux session.
fn wait_for_place(sealed: &Sealed, pid: u32, window: &str, session: &str) -> Value {
    sealed.wait(&format!("{session}:{window}"), |sealed| {
        sealed.session_of(pid).filter(|s| s["window"] == window && s["tmux"]["session"] == session)
    })
}

#[test]
fn session_in_a_pane_is_shown_where_it_is() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    start(&sealed, pane.pid, &pane, ID);
    // The first answer already: whoever asks gets tmux asked first.
    let session = sealed.session_of(pane.pid).unwrap();
    assert_eq!((&session["pane"], &session["window"]), (&json!(pane.id), &json!(pane.window)));
    assert_eq!(session["tmux"], json!({"socket": pane.socket, "session": "main"}));
    assert!(sealed.ok(&["list"]).contains(&format!("main:{}.{}", pane.window, pane.id)));
}

#[test]
fn session_found_by_its_file_alone_is_shown_in_its_pane() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    let place = format!("main:{}.{}", pane.window, pane.id);
    sealed.write_session(pane.pid, ID, json!({"tmux": place}));
    let session = wait_for_place(&sealed, pane.pid, &pane.window, "main");
    assert_eq!((&session["pane"], &session["hooks"]), (&json!(pane.id), &json!(false)));
    assert_eq!(session["tmux"]["socket"], pane.socket.as_str());
}

#[test]
fn session_follows_its_pane_through_breaks_joins_and_moves() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    sealed.tmux(&["split-window", "-t", &pane.id, "exec sleep 600"]);
    start(&sealed, pane.pid, &pane, ID);
    wait_for_place(&sealed, pane.pid, &pane.window, "main");
    let window = sealed.tmux(&["break-pane", "-d", "-s", &pane.id, "-P", "-F", "#{window_id}"]);
    assert_ne!(window, pane.window);
    wait_for_place(&sealed, pane.pid, &window, "main");
    let other = sealed.new_pane("other");
    sealed.tmux(&["join-pane", "-d", "-s", &pane.id, "-t", &other.id]);
    let session = wait_for_place(&sealed, pane.pid, &other.window, "other");
    assert_eq!(session["pane"], pane.id.as_str(), "the pane keeps its id");
    sealed.tmux(&["move-window", "-d", "-s", &other.window, "-t", "main:7"]);
    wait_for_place(&sealed, pane.pid, &other.window, "main");
}

#[test]
fn session_of_tmux_with_an_odd_name_is_shown_cleanly() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    start(&sealed, pane.pid, &pane, ID);
    wait_for_place(&sealed, pane.pid, &pane.window, "main");
    // tmux expands what is typed here, hence the doubled `#`, and writes control characters as text.
    let names = [
        ("my work", "my work"),
        ("##(touch x) ##{pane_id} ####", "#(touch x) #{pane_id} ##"),
        ("a\u{1b}[31mb", "a\\033[31mb"),
        ("%9 @9 x", "%9 @9 x"),
        ("Übung 日本", "Übung 日本"),
    ];
    let mut before = "main".to_owned();
    for (name, shown) in names {
        sealed.tmux(&["rename-session", "-t", &format!("={before}"), name]);
        shown.clone_into(&mut before);
        wait_for_place(&sealed, pane.pid, &pane.window, shown);
        let text = sealed.ok(&["list"]) + &sealed.ok(&["show", ID]);
        assert!(text.contains(shown), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn name_of_a_tmux_session_is_whole_although_the_daemon_has_no_locale() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("Übung 日本");
    let atm = |args: &[&str]| {
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        command.args(args).env_remove("LANG").output().unwrap()
    };
    assert!(atm(&["daemon"]).status.success());
    start(&sealed, pane.pid, &pane, ID);
    wait_for_place(&sealed, pane.pid, &pane.window, "Übung 日本");
}

#[test]
fn pane_killed_takes_its_session_along() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    let outside = sealed.client();
    let doomed = {
        let args = ["split-window", "-P", "-F", "#{pane_id} #{pane_pid}", "exec sleep 600"];
        let line = sealed.tmux(&args);
        let (id, pid) = line.split_once(' ').unwrap();
        Pane { id: id.to_owned(), pid: pid.parse().unwrap(), ..pane.clone() }
    };
    start(&sealed, doomed.pid, &doomed, ID);
    // A client that survives its pane, as one that was moved to another terminal does.
    start(&sealed, outside, &doomed, "3f5a9c10-0002");
    wait_for_place(&sealed, doomed.pid, &pane.window, "main");
    wait_for_place(&sealed, outside, &pane.window, "main");
    sealed.tmux(&["kill-pane", "-t", &doomed.id]);
    sealed.wait("its end", |sealed| sealed.session_of(doomed.pid).is_none().then_some(()));
    let ended = sealed.any_session_of(doomed.pid).unwrap();
    assert_eq!(ended["ended"]["lost"], true);
    let survivor = sealed.wait("the pane's end", |sealed| {
        sealed.session_of(outside).filter(|session| session["pane"].is_null())
    });
    assert_eq!((&survivor["window"], &survivor["tmux"]), (&json!(null), &json!(null)));
    assert!(!sealed.ok(&["list"]).contains(&doomed.id));
}

#[test]
fn server_started_again_has_nothing_of_the_old_ones_panes() {
    let mut sealed = Sealed::new();
    let old = sealed.new_pane("main");
    let (stays, comes) = (sealed.client(), sealed.client());
    start(&sealed, stays, &old, ID);
    wait_for_place(&sealed, stays, &old.window, "main");
    sealed.tmux(&["kill-server"]);
    sealed.wait("its server's end", |_| fs::metadata(format!("/proc/{}", old.server)).err());
    let new = sealed.new_pane("main");
    assert_eq!((&new.id, &new.window, &new.socket), (&old.id, &old.window, &old.socket));
    // Also not by a hook that still has the old server in its environment.
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": ID, "prompt": "go"});
    sealed.hook_from(stays, &old.env(), &payload);
    let session = sealed.wait("the loss of its pane", |sealed| {
        sealed.session_of(stays).filter(|session| session["pane"].is_null())
    });
    assert_eq!(session["status"], "working", "it lives on");
    start(&sealed, comes, &new, "3f5a9c10-0002");
    wait_for_place(&sealed, comes, &new.window, "main");
    assert_eq!(sealed.session_of(stays).unwrap()["pane"], json!(null));
    assert_eq!(sealed.json(&["show", "--json", &new.id])["session"]["pid"], comes);
}

#[test]
fn two_servers_with_equal_pane_ids_are_kept_apart() {
    let mut sealed = Sealed::new();
    let one = sealed.new_pane("main");
    let (server, two) = sealed.new_server("second");
    assert_eq!((&one.id, &one.window), (&two.id, &two.window));
    start(&sealed, one.pid, &one, ID);
    start(&sealed, two.pid, &two, "3f5a9c10-0002");
    let first = wait_for_place(&sealed, one.pid, &one.window, "main");
    let second = wait_for_place(&sealed, two.pid, &two.window, "second");
    assert_eq!(first["tmux"]["socket"], one.socket.as_str());
    assert_eq!(second["tmux"]["socket"], server.socket());
    let (code, error) = sealed.fails(&["show", &one.id]);
    assert_eq!(code, 1, "which of the two?");
    assert!(error.contains(ID) && error.contains("3f5a9c10-0002"), "{error}");
    drop(server);
    sealed.wait("the second's end", |sealed| sealed.session_of(two.pid).is_none().then_some(()));
    wait_for_place(&sealed, one.pid, &one.window, "main");
    assert_eq!(sealed.json(&["show", "--json", &one.id])["session"]["id"], ID);
}

/// Stopped, so that it hangs; goes on when the test ends.
struct Frozen(i32);

impl Frozen {
    fn new(server: i32) -> Frozen {
        signal(server, Signal::STOP);
        Frozen(server)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal(self.0, Signal::CONT);
    }
}

#[test]
fn server_that_hangs_holds_up_no_answer() {
    let mut sealed = Sealed::new();
    let (sick, well) = (sealed.new_pane("main"), sealed.new_server("second"));
    let frozen = Frozen::new(sick.server);
    let outside = sealed.client();
    start(&sealed, outside, &sick, ID);
    start(&sealed, well.1.pid, &well.1, "3f5a9c10-0002");
    wait_for_place(&sealed, well.1.pid, &well.1.window, "second");
    let session = sealed.session_of(outside).unwrap();
    assert_eq!((&session["pane"], &session["window"]), (&json!(sick.id), &json!(null)));
    for args in [&["list"][..], &["show", ID], &["explain", ID], &["status"], &["events", ID]] {
        sealed.ok(args);
    }
    drop(frozen);
    wait_for_place(&sealed, outside, &sick.window, "main");
}

#[test]
fn daemon_that_finds_no_tmux_answers_all_the_same() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    let empty = sealed.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let started = sealed
        .command(env!("CARGO_BIN_EXE_atm"))
        .arg("daemon")
        .env("PATH", &empty)
        .output()
        .unwrap();
    assert!(started.status.success());
    start(&sealed, pane.pid, &pane, ID);
    let session = sealed.session_of(pane.pid).unwrap();
    assert_eq!((&session["pane"], &session["window"]), (&json!(pane.id), &json!(null)));
    assert_eq!((&session["status"], &session["why"]), (&json!("idle"), &json!("fresh")));
    assert!(sealed.ok(&["list"]).contains(&pane.id));
}
