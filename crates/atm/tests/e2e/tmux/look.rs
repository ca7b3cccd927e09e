//! The user's configuration, by what a terminal shows: it is followed at once.

use std::fs;

use vt100::Color;

use super::desk::Desk;
use super::eye::{BLUE, RED, WHITE};
use super::styles::{ours, styles};

fn configure(desk: &Desk, text: &str) {
    let folder = desk.sealed.home().join(".config/atm");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn colours_follow_the_configuration_while_they_are_shown() {
    let mut desk = Desk::new();
    let (one, two) = (desk.window("one"), desk.window("two"));
    desk.prompt(&one);
    desk.prompt(&two);
    desk.stop(&two);
    desk.expect("one", BLUE);
    desk.expect("two", RED);
    configure(&desk, "tmux.theme = \"nord\"\n[tmux.colours]\nrunning = \"green\"\n");
    desk.expect("one", Color::Idx(2));
    desk.expect("two", Color::Rgb(0xbf, 0x61, 0x6a));
    configure(&desk, "");
    desk.expect("one", BLUE);
    desk.expect("two", RED);
}

#[test]
fn nothing_is_in_tmux_while_it_is_disabled() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.sealed.tmux(&["set", "-w", "-t", &pane.window, "window-status-style", "fg=yellow"]);
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.go("one");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    configure(&desk, "tmux.enable = false\n");
    desk.expect("one", Color::Idx(3));
    desk.settle();
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    assert_eq!(styles(&mut desk, &pane), ("fg=yellow".into(), String::new()));
    desk.stop(&pane);
    desk.settle();
    assert_eq!(ours(&mut desk), Vec::<String>::new(), "it stays out");
    configure(&desk, "");
    desk.expect("one", RED);
}

#[test]
fn parts_are_switched_one_by_one_and_debug_options_reach_who_paints_already() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.start(&pane);
    desk.expect("one", WHITE);
    configure(&desk, "tmux.tab_colours = false\ntmux.debug_options = true\n");
    desk.expect_option("w", &pane.window, "@claude-state", "");
    desk.expect_option("w", &pane.window, "window-status-style", "");
    desk.prompt(&pane);
    desk.expect_pane(&pane, "status", "running");
    desk.tool(&pane, "PreToolUse", "a");
    desk.expect_pane(&pane, "latest_hook_event", "PreToolUse");
    configure(&desk, "tmux.pane_options = false\n");
    desk.expect_pane(&pane, "session_id", "");
    desk.expect("one", BLUE);
}
