//! The picker in a real terminal: typed into, looked at, and left.

use crate::jumps::{asks, finishes, shown, wait_shown};
use crate::sealed::Sealed;
use crate::viewer::Viewer;

const ATM: &str = env!("CARGO_BIN_EXE_atm");

#[test]
fn pick_filters_shows_the_pane_and_goes_there() {
    let mut sealed = Sealed::new();
    let home = sealed.new_pane("home");
    let deploy = sealed.new_pane("deploy");
    let line = ["new-window", "-t", "deploy:", "-P", "-F", "#{pane_id}"];
    let print = "printf '\\033[31mDEPLOY LOG\\033[0m \\033]0;x\\007\\n'; exec sleep 600";
    let log = sealed.tmux(&[&line[..], &[print]].concat());
    let log = crate::stage::Pane { id: log, pid: sealed.client(), ..deploy };
    asks(&sealed, &home, "aaaa0001");
    finishes(&sealed, &log, "bbbb0001");
    let viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    sealed.tmux(&["new-window", "-t", "home:", &format!("exec {ATM} pick")]);
    let screen = viewer.wait_for(&sealed, "2/2");
    assert!(screen.contains("attention") && screen.contains("Enter go"), "{screen}");
    viewer.press(&["bbbb"]);
    let screen = viewer.wait_for(&sealed, "DEPLOY LOG");
    assert!(screen.contains("› bbbb") && screen.contains("1/2"), "{screen}");
    viewer.press(&["Enter"]);
    wait_shown(&sealed, &log);
    sealed.wait_for(log.pid, "unseen", &serde_json::json!(false));
}

#[test]
fn pick_in_a_popup_moves_the_client_below_it() {
    let mut sealed = Sealed::new();
    let (home, there) = (sealed.new_pane("home"), sealed.new_pane("there"));
    asks(&sealed, &there, "aaaa0001");
    let viewer = Viewer::attach(&sealed, "screen", &home.socket, "home");
    wait_shown(&sealed, &home);
    let popup = format!("{ATM} pick");
    sealed.tmux(&[
        "bind-key",
        "-n",
        "M-g",
        "display-popup",
        "-E",
        "-w",
        "90%",
        "-h",
        "90%",
        &popup,
    ]);
    viewer.press(&["M-g"]);
    viewer.wait_for(&sealed, "1/1");
    viewer.press(&["Enter"]);
    wait_shown(&sealed, &there);
    sealed.wait("the popup's end", |_| (!viewer.screen().contains("Enter go")).then_some(()));
}

#[test]
fn pick_left_goes_nowhere_and_gives_the_terminal_back() {
    let mut sealed = Sealed::new();
    let there = sealed.new_pane("there");
    asks(&sealed, &there, "aaaa0001");
    let command = format!("echo BEFORE; {ATM} pick; echo \"LEFT $?\"; exec sleep 600");
    let viewer = Viewer::run(&sealed, "screen", &command, (80, 24));
    viewer.wait_for(&sealed, "1/1");
    assert!(!viewer.screen().contains("BEFORE"), "a page of its own");
    viewer.press(&["Escape"]);
    let screen = viewer.wait_for(&sealed, "LEFT 0");
    assert!(screen.contains("BEFORE") && !screen.contains("Enter go"), "{screen}");
    assert_eq!(shown(&sealed, &there.socket), None);
}

#[test]
fn pick_prints_the_choice_for_another_program() {
    let mut sealed = Sealed::new();
    let there = sealed.new_pane("there");
    asks(&sealed, &there, "aaaa0001");
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", "bbbb0001", serde_json::json!({"source": "startup"}));
    let command = format!("id=$({ATM} pick --print); echo \"GOT $id\"; exec sleep 600");
    let viewer = Viewer::run(&sealed, "screen", &command, (80, 24));
    viewer.wait_for(&sealed, "2/2");
    viewer.press(&["Down"]);
    viewer.press(&["Enter"]);
    viewer.wait_for(&sealed, "GOT bbbb0001");
}

#[test]
fn pick_follows_what_happens_and_dismisses() {
    let mut sealed = Sealed::new();
    let there = sealed.new_pane("there");
    let viewer = Viewer::run(&sealed, "screen", &format!("exec {ATM} pick"), (80, 24));
    viewer.wait_for(&sealed, "no live sessions found");
    finishes(&sealed, &there, "aaaa0001");
    viewer.wait_for(&sealed, "● done");
    viewer.press(&["C-d"]);
    viewer.wait_for(&sealed, "■ idle");
    sealed.wait_for(there.pid, "unseen", &serde_json::json!(false));
    sealed.tmux(&["kill-pane", "-t", &there.id]);
    viewer.wait_for(&sealed, "no live sessions found");
}

#[test]
fn pick_without_a_terminal_says_so() {
    let sealed = Sealed::new();
    for args in [&["pick"][..], &["pick", "--print"]] {
        let (code, error) = sealed.fails(args);
        assert_eq!(code, 2);
        assert!(error.contains("needs a terminal") && error.contains("atm list"), "{error}");
    }
}
