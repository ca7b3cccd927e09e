//! Texts of users, and what they are told.

use std::time::Duration;

use super::super::theme::Colours;
use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) -> Config {
    let loaded = plain(text);
    assert_eq!(messages(&loaded), expected, "{text}");
    loaded.config
}

fn colours(config: &Config) -> [String; 3] {
    let Colours { running, waiting, idle } = Colours::of(config);
    [running, waiting, idle].map(|colour| colour.as_str().to_owned())
}

#[test]
fn values_of_a_file_are_taken() {
    let config = check(
        "\u{feff}# mine\n[tmux]\ntab_colours = false\ndwell = \"1s\"\nglyphs = \"ascii\"\n\
         [history]\nkeep_journal = \"1GiB\"\nkeep_events = 5_000\n",
        &[],
    );
    assert!(!config.tmux.tab_colours && config.tmux.pane_label);
    assert_eq!(config.tmux.dwell, Duration::from_secs(1));
    assert_eq!(config.tmux.glyphs, Glyphs::Ascii);
    assert_eq!((config.history.keep_journal, config.history.keep_events), (1 << 30, 5_000));
}

#[test]
fn unknown_keys_name_their_place_and_the_nearest_known_one() {
    let config = check(
        "[tmux]\nenable = false\n  dwel = \"1s\"\n[tmx]\nx = 1\n[tmux.colors]\nidle = \"red\"\n",
        &[
            "3:3: tmux.dwel: no such option; did you mean tmux.dwell?",
            "4:2: tmx: no such option; did you mean tmux?",
            "6:7: tmux.colors: no such option; did you mean tmux.colours?",
        ],
    );
    assert!(!config.tmux.enable, "the rest of the file counts");
}

#[test]
fn unknown_key_in_the_wrong_table_is_shown_the_right_one() {
    check("glyphs = \"ascii\"\n", &["1:1: glyphs: no such option; did you mean tmux.glyphs?"]);
    check(
        "qqq = 1\n",
        &[
            "1:1: qqq: no such option; there are [tmux], [themes], [notify], [statusline], [history]",
        ],
    );
    check("tmux.qqq = 1\n", &["1:6: tmux.qqq: no such option; `atm config default` prints all"]);
}

#[test]
fn wrong_values_keep_the_default_and_say_what_was_expected() {
    let span = "expected a span of time from 0s to 10s such as \"400ms\"";
    let used = "\"400ms\" is used, the default";
    let config = check(
        "[tmux]\nenable = \"no\"\ndwell = 400\nglyphs = \"emoji\"\n[history]\n\
         keep_events = 5\nkeep_journal = \"1B\"\n[tmux.colours]\nidle = \"#fff\"\n",
        &[
            "2:10: tmux.enable: expected true or false, found \"no\"; true is used, the default",
            &format!("3:9: tmux.dwell: {span}, found 400; {used}"),
            "4:10: tmux.glyphs: expected \"unicode\" or \"ascii\", found \"emoji\"; \"unicode\" \
             is used, the default",
            "6:15: history.keep_events: expected a whole number from 1000 to 100000000, found 5; \
             200000 is used, the default",
            "7:16: history.keep_journal: expected a size from 32MiB to 1TiB such as \"256MiB\", \
             found \"1B\"; \"256MiB\" is used, the default",
            "9:8: tmux.colours.idle: expected a colour such as \"#6699cc\", \"red\", \
             \"brightblue\", \"colour208\" or \"default\", found \"#fff\"; \"\" is used, the default",
        ],
    );
    assert_eq!(config, Config::default());
    for dwell in ["\"11s\"", "\"soon\"", "-1", "1.5", "[]", "1979-05-27", "{}"] {
        let loaded = plain(&format!("tmux.dwell = {dwell}"));
        assert_eq!((loaded.problems.len(), loaded.config), (1, Config::default()), "{dwell}");
    }
    check("tmux = 3\n", &["1:8: tmux: expected a table, found 3"]);
    check("themes.x = 3\n", &["1:12: themes.x: expected a table, found 3"]);
    check("[[themes]]\n", &["1:1: themes: expected a table of tables, found a list"]);
}

#[test]
fn text_that_is_no_toml_gives_the_defaults_and_one_problem_with_its_place() {
    let loaded = plain("[tmux]\nenable = false\nwhat is this\n");
    assert_eq!((loaded.problems.len(), loaded.config), (1, Config::default()));
    let problem = &loaded.problems[0];
    assert_eq!((problem.at.line, problem.key.as_str()), (3, ""));
    assert!(problem.message.starts_with("this is not TOML ("), "{problem}");
}

#[test]
fn themes_resolve_to_three_colours() {
    let of = |text: &str| colours(&check(text, &[]));
    assert_eq!(of(""), ["#6699cc", "#EC5f67", "#cdd3de"]);
    assert_eq!(of("tmux.theme = 'catppuccin'"), ["#89b4fa", "#f38ba8", "#cdd6f4"]);
    assert_eq!(of("tmux.theme = 'nord'"), ["#81a1c1", "#bf616a", "#d8dee9"]);
    assert_eq!(of("tmux.theme = 'gruvbox'"), ["#83a598", "#fb4934", "#ebdbb2"]);
    assert_eq!(of("tmux.theme = 'plain'"), ["blue", "red", "default"]);
    let own = "tmux.theme = 'sea'\n[themes.sea]\nrunning = 'colour30'\n";
    assert_eq!(of(own), ["colour30", "#EC5f67", "#cdd3de"]);
    let over = "tmux.colours.idle = 'cyan'\n";
    assert_eq!(of(&format!("{over}{own}")), ["colour30", "#EC5f67", "cyan"]);
    let ours = "tmux.theme = 'nord'\n[themes.nord]\nidle = 'white'\n";
    assert_eq!(of(ours), ["#81a1c1", "#bf616a", "white"]);
}

#[test]
fn theme_that_does_not_exist_is_a_problem_with_the_nearest_name() {
    let config = check(
        "[tmux]\ntheme = \"gruvbocks\"\n",
        &["2:9: tmux.theme: no theme is called \"gruvbocks\"; did you mean \"gruvbox\"? \
           \"default\" is used"],
    );
    assert_eq!(config, Config::default());
    check(
        "themes.sea = {}\ntmux.theme = \"zzzzzzzz\"\n",
        &[
            "2:14: tmux.theme: no theme is called \"zzzzzzzz\"; there are default, catppuccin, nord, \
           gruvbox, plain, sea; \"default\" is used",
        ],
    );
}

#[test]
fn environment_turns_the_debug_options_on_and_never_off() {
    let with = |value: &'static str, text| {
        let env = move |name: &str| (name == "CLAUDE_TMUX_DEBUG").then(|| value.into());
        let loaded = load(text, &env);
        let settings = loaded.root.settings();
        let origin = settings.iter().find(|s| s.key == "tmux.debug_options").unwrap().origin;
        (loaded.config.tmux.debug_options, origin)
    };
    let env = Origin::Env("CLAUDE_TMUX_DEBUG");
    assert_eq!(with("1", ""), (true, env));
    assert_eq!(with("1", "tmux.debug_options = false"), (true, env));
    assert_eq!((with("0", ""), with("", "")), ((false, Origin::Default), (false, Origin::Default)));
    let at = At { line: 1, column: 22 };
    assert_eq!(with("0", "tmux.debug_options = true"), (true, Origin::File(at)));
}

#[test]
fn hostile_text_in_a_problem_is_harmless() {
    let marks = plain("[themes.\"\\u202e\\U000e0041\"]\n").to_toml();
    assert!(marks.contains("[themes.\"\\U0000202e\\U000e0041\"]"), "{marks}");
    let loaded = plain("tmux.\"a\\u001b[31m\\u009b\" = 1\ntmux.theme = \"\\u001b]0;x\\u0007\"\n");
    assert_eq!(loaded.problems.len(), 2);
    let told = messages(&loaded).join("");
    assert!(!told.chars().any(char::is_control), "{told:?}");
    assert!(!loaded.to_toml().chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn nonsense_without_end_is_told_a_hundred_times_and_no_more() {
    let text: String = (0..20_000).map(|n| format!("k{n} = 1\n")).collect();
    assert_eq!(plain(&text).problems.len(), 100);
    let themes: String = (0..5_000).map(|n| format!("themes.t{n}.idle = 'red'\n")).collect();
    let loaded = plain(&themes);
    assert_eq!((loaded.config.themes.len(), loaded.problems.len()), (500, 1));
}
