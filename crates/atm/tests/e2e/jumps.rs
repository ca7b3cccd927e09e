//! Jumps: a user at a real terminal is taken to the right pane.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::stage::Pane;
use crate::viewer::Viewer;

fn tell(sealed: &Sealed, pane: &Pane, id: &str, event: &str, more: Value) {
    let payload = crate::stage::with(json!({"hook_event_name": event, "session_id": id}), more);
    sealed.hook_from(pane.pid, &pane.env(), &payload);
}

/// A session that waits for a permission.
pub(crate) fn asks(sealed: &Sealed, pane: &Pane, id: &str) {
    tell(sealed, pane, id, "SessionStart", json!({"source": "startup"}));
    tell(sealed, pane, id, "UserPromptSubmit", json!({"prompt": "go"}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make deploy"}});
    tell(sealed, pane, id, "PermissionRequest", call);
    sealed.wait_for(pane.pid, "status", &json!("attention"));
}

/// A session that has finished, unseen.
pub(crate) fn finishes(sealed: &Sealed, pane: &Pane, id: &str) {
    tell(sealed, pane, id, "SessionStart", json!({"source": "startup"}));
    tell(sealed, pane, id, "UserPromptSubmit", json!({"prompt": "go"}));
    tell(sealed, pane, id, "Stop", json!({}));
    sealed.wait_for(pane.pid, "unseen", &json!(true));
}

/// `atm` as it runs in this pane.
fn atm_in(sealed: &Sealed, pane: &Pane, args: &[&str]) -> Output {
    let mut atm = sealed.command(env!("CARGO_BIN_EXE_atm"));
    atm.args(args).envs(pane.env()).output().unwrap()
}

#[track_caller]
fn assert_done(output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), error.as_ref()), (Some(0), ""));
}

fn clients(sealed: &Sealed, socket: &str) -> Vec<String> {
    let mut tmux: Command = sealed.command("tmux");
    let list = ["list-clients", "-F", "#{client_name} #{pane_id}"];
    let output = tmux.args(["-S", socket]).args(list).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The pane that the only client of a server shows.
pub(crate) fn shown(sealed: &Sealed, socket: &str) -> Option<String> {
    let clients = clients(sealed, socket);
    let [client] = clients.as_slice() else { return None };
    client.split(' ').nth(1).map(str::to_owned)
}

pub(crate) fn wait_shown(sealed: &Sealed, pane: &Pane) {
    sealed.wait(&format!("{} in front of the user", pane.id), |sealed| {
        shown(sealed, &pane.socket).filter(|id| *id == pane.id)
    });
}

fn client_of(sealed: &Sealed, pane: &Pane) -> String {
    let clients = clients(sealed, &pane.socket);
    clients[0].split(' ').next().unwrap().to_owned()
}

#[test]
fn jump_shows_a_pane_of_another_session_window_and_split() {
    let mut sealed = Sealed::new();
    let (home, there) = (sealed.new_pane("home"), sealed.new_pane("there"));
    // Another pane and another window are in front there.
    sealed.tmux(&["split-window", "-t", &there.id, "exec sleep 600"]);
    sealed.tmux(&["new-window", "-t", "there:", "exec sleep 600"]);
    asks(&sealed, &there, "aaaa0001");
    let _viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    assert_done(&atm_in(&sealed, &home, &["jump", "aaaa"]));
    assert_eq!(shown(&sealed, &home.socket), Some(there.id.clone()));
    let session = sealed.session_of(there.pid).unwrap();
    assert_eq!(session["unseen"], false, "the user is there");
    assert_eq!(session["status"], "attention", "and has not answered yet");
}

#[test]
fn jump_next_walks_by_need_and_wraps_and_last_goes_back() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let panes: Vec<Pane> = ["a", "b", "c", "d"].map(|name| sealed.new_pane(name)).into();
    finishes(&sealed, &panes[2], "cccc0001");
    finishes(&sealed, &panes[3], "dddd0001");
    asks(&sealed, &panes[0], "aaaa0001");
    asks(&sealed, &panes[1], "bbbb0001");
    let _viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    let client = client_of(&sealed, &home);
    let next = |sealed: &Sealed, how: &str| {
        assert_done(&atm_in(sealed, &home, &["jump", how, "--client", &client]));
        let at = shown(sealed, &home.socket).unwrap();
        panes.iter().chain([&home]).position(|pane| pane.id == at).map(|at| "abcdH".as_bytes()[at])
    };
    let walk = ["--next"; 6].map(|how| next(&sealed, how).unwrap());
    // What was finished is seen after the first round; who asks still waits.
    assert_eq!(String::from_utf8_lossy(&walk), "abcdab");
    let back = ["--last"; 3].map(|how| next(&sealed, how).unwrap());
    assert_eq!(String::from_utf8_lossy(&back), "aba");
    sealed.tmux(&["switch-client", "-c", &client, "-t", &home.id]);
    assert_eq!(next(&sealed, "--next"), Some(b'a'), "from elsewhere it begins anew");
    assert_eq!(next(&sealed, "--last"), Some(b'H'), "a pane without a session is a place too");
}

#[test]
fn jump_to_another_server_uses_the_terminal_that_shows_it() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let (_server, there) = sealed.new_server("other");
    asks(&sealed, &there, "aaaa0001");
    let front = {
        let mut tmux = sealed.command("tmux");
        let window = ["new-window", "-P", "-F", "#{pane_id}", "exec sleep 600"];
        tmux.args(["-S", &there.socket]).args(window);
        String::from_utf8(tmux.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let _here = Viewer::attach(&sealed, "screen", &home.socket, "home");
    let _other = Viewer::attach(&sealed, "second", &there.socket, "other");
    wait_shown(&sealed, &home);
    sealed
        .wait("the other client", |sealed| shown(sealed, &there.socket).filter(|id| *id == front));
    let output = atm_in(&sealed, &home, &["jump", "--next"]);
    assert_done(&output);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(&format!("terminal {}", client_of(&sealed, &there))), "{said}");
    wait_shown(&sealed, &there);
    assert_eq!(shown(&sealed, &home.socket), Some(home.id), "the own terminal stays");
}

#[test]
fn jump_to_a_server_that_nobody_looks_at_takes_the_own_terminal_there() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let (_server, there) = sealed.new_server("other");
    asks(&sealed, &there, "aaaa0001");
    let _viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    assert_done(&atm_in(&sealed, &home, &["jump", "--next"]));
    wait_shown(&sealed, &there);
    assert_eq!(shown(&sealed, &home.socket), None, "it left the first server");
    assert_done(&atm_in(&sealed, &there, &["jump", "--last"]));
    wait_shown(&sealed, &home);
}

#[test]
fn jump_outside_of_tmux_attaches_the_terminal() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let there = sealed.new_pane("there");
    asks(&sealed, &there, "aaaa0001");
    let command = format!("exec {} jump --next", env!("CARGO_BIN_EXE_atm"));
    let _viewer = Viewer::run(&sealed, "screen", &command, (80, 20));
    wait_shown(&sealed, &there);
    // Without a terminal too, once one is attached.
    sealed.tmux(&["switch-client", "-t", &home.id]);
    wait_shown(&sealed, &home);
    let output = sealed.atm(&["jump", "aaaa"]);
    assert_done(&output);
    wait_shown(&sealed, &there);
}

#[test]
fn jump_without_anywhere_to_go_says_so() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    let (code, error) = sealed.fails(&["jump", "--next"]);
    assert_eq!(code, 4);
    assert!(error.contains("nobody waits for you") && error.contains("atm list"), "{error}");
    let (code, error) = sealed.fails(&["jump", "--last"]);
    assert!(code == 4 && error.contains("no jump yet"), "{error}");
    assert_eq!(sealed.fails(&["jump", "nobody"]).0, 4);
    let outside = sealed.client();
    sealed.hook(outside, "SessionStart", "bbbb0001", json!({"source": "startup"}));
    let (code, error) = sealed.fails(&["jump", "bbbb"]);
    assert_eq!(code, 4);
    assert!(error.contains("in no tmux pane") && error.contains("`atm show bbbb`"), "{error}");
    // Its pane is gone although its process is not.
    let survivor = sealed.client();
    let window = ["new-window", "-P", "-F", "#{pane_id}", "exec sleep 600"];
    let doomed = Pane { id: sealed.tmux(&window), pid: survivor, ..pane.clone() };
    asks(&sealed, &doomed, "cccc0001");
    sealed.tmux(&["kill-pane", "-t", &doomed.id]);
    let (code, error) = sealed.fails(&["jump", "cccc"]);
    assert!(code == 4 && error.contains("`atm show cccc`"), "{error}");
    assert_eq!(sealed.fails(&["jump", "--next"]).0, 4);
    // Nobody looks at the server, and we have no terminal.
    asks(&sealed, &pane, "dddd0001");
    let (code, error) = sealed.fails(&["jump", "--next"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("attach-session -t"), "{error}");
    let printed = sealed.ok(&["jump", "--next", "--print"]);
    assert_eq!(printed, format!("{}\t{}\n", pane.socket, pane.id));
}

#[test]
fn jump_bound_to_a_key_tells_its_trouble_on_the_client_and_expands_nothing() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    let marker = sealed.path().join("marker");
    let atm = env!("CARGO_BIN_EXE_atm");
    let run = format!("{atm} jump --next --client '#{{client_name}}'");
    sealed.tmux(&["bind-key", "-n", "M-n", "run-shell", "-b", &run]);
    viewer.press(&["M-n"]);
    viewer.wait_for(&sealed, "atm: nobody waits for you");
    let evil = format!("##(touch {}) 100%%H;", marker.display());
    let run = format!("{atm} jump '{evil}' --client '#{{client_name}}'");
    sealed.tmux(&["bind-key", "-n", "M-e", "run-shell", "-b", &run]);
    viewer.press(&["M-e"]);
    viewer.wait_for(&sealed, "#(touch ");
    assert!(!marker.exists());
    let mode = sealed.tmux(&["display-message", "-p", "-t", &home.id, "#{pane_mode}"]);
    assert_eq!(mode, "", "the user's pane is left alone");
}

#[test]
fn jump_to_hostile_names_runs_nothing() {
    let mut sealed = Sealed::new();
    let (home, there) = (sealed.new_pane("home"), sealed.new_pane("there"));
    let marker = sealed.path().join("marker");
    let touch = format!("touch {}", marker.display());
    for (at, name) in [
        format!("##({touch})"),
        format!("$({touch})"),
        format!("`{touch}`; {touch};"),
        "-t x".into(),
    ]
    .into_iter()
    .enumerate()
    {
        // A name cannot have a dot or a colon, and a path has none here.
        sealed.tmux(&["rename-session", "-t", "$1", "--", &name]);
        asks(&sealed, &there, &format!("aaaa000{at}"));
        let _viewer = Viewer::attach(&sealed, &format!("screen{at}"), &home.socket, "home");
        wait_shown(&sealed, &home);
        assert_done(&atm_in(&sealed, &home, &["jump", "--next"]));
        wait_shown(&sealed, &there);
        assert!(!marker.exists(), "{name}");
    }
}
