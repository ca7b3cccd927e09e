use super::*;

/// Registers, and sees that a second time changes nothing and that taking out gives it all back.
fn check(before: &str, expected: &str) {
    let wanted = [entry("Stop")];
    let edited = register(before, &wanted, &Memo::default()).unwrap();
    assert_eq!(edited.text, expected);
    assert!(edited.changed);
    let again = register(&edited.text, &wanted, &edited.memo).unwrap();
    assert_eq!((again.text.as_str(), again.changed), (expected, false));
    assert_eq!(again.memo, edited.memo);
    let back = unregister(&again.text, &again.memo).unwrap();
    assert_eq!(back.text, before);
    assert_eq!(back.memo, Memo::default());
}

const PRETTY: &str = r#"{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/our place/atm",
            "args": ["hook"],
            "timeout": 5,
            "async": true
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn register_in_a_missing_or_blank_file_writes_a_whole_one() {
    check("", PRETTY);
    check(" \n\n ", PRETTY);
    check("\u{feff}", &format!("\u{feff}{PRETTY}"));
    check("\r\n", &PRETTY.replace('\n', "\r\n"));
    check("// nothing yet ", &format!("// nothing yet \n{PRETTY}"));
    check("// nothing yet", &format!("// nothing yet\n{PRETTY}"));
    check("/* a */\n\n", &format!("/* a */\n\n{PRETTY}"));
}

#[test]
fn register_in_an_empty_object_opens_it() {
    let bare = PRETTY.trim_end();
    check("{}", bare);
    check("{  }\n", PRETTY);
    check("{\n}\n", PRETTY);
    check("\u{feff}{}\r\n", &format!("\u{feff}{}", PRETTY.replace('\n', "\r\n")));
    check("{ // mine\n}", &bare.replacen('{', "{ // mine", 1));
    check("{ /* mine */ }", &bare.replacen('{', "{ /* mine */", 1));
}

#[test]
fn register_follows_the_indentation_and_line_ends_of_the_file() {
    for unit in ["  ", "    ", "\t", "   "] {
        for line_end in ["\n", "\r\n"] {
            let styled = |text: &str| text.replace("  ", unit).replace('\n', line_end);
            let expected = PRETTY.replacen('{', "{\n  \"model\": \"opus\",", 1);
            check(&styled("{\n  \"model\": \"opus\"\n}\n"), &styled(&expected));
        }
    }
}

#[test]
fn register_in_a_file_of_one_line_stays_on_it() {
    check(
        r#"{"a":1}"#,
        r#"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/our place/atm","args":["hook"],"timeout":5,"async":true}]}]}}"#,
    );
    check(
        r#"{ "hooks": { "Stop": [] } }"#,
        r#"{ "hooks": { "Stop": [{"hooks": [{"type": "command", "command": "/opt/our place/atm", "args": ["hook"], "timeout": 5, "async": true}]}] } }"#,
    );
}

const OURS_AT_6: &str = r#"{
        "hooks": [
          {
            "type": "command",
            "command": "/opt/our place/atm",
            "args": ["hook"],
            "timeout": 5,
            "async": true
          }
        ]
      }"#;

#[test]
fn register_beside_foreign_hooks_and_comments_touches_neither() {
    let before = r#"// mine
{
  "hooks": { // all of them
    "Stop": [
      { "hooks": [{ "type": "command", "command": "bell" }] } // ring
      // and more
    ],
    "Other": [],
  },
  "model": "opus", "model": "sonnet" /* twice */
}"#;
    let expected = before.replacen("} // ring", &format!("}}, // ring\n      {OURS_AT_6}"), 1);
    check(before, &expected);
}

#[test]
fn register_keeps_a_trailing_comma_and_restores_it() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": [\n      {},\n    ],\n  },\n}\n";
    let expected = before.replacen("{},", &format!("{{}},\n      {OURS_AT_6},"), 1);
    check(before, &expected);
}

#[test]
fn register_in_empty_containers_gives_them_back_as_they_were() {
    for hooks in ["{}", "{ }", "{\n  }", "{ \"Stop\": [ ] }", "{ /* c */ \"Stop\": [ // c\n ] }"] {
        let before = format!("{{\n  \"hooks\": {hooks}\n}}\n");
        let edited = register(&before, &[entry("Stop")], &Memo::default()).unwrap();
        assert_eq!(unregister(&edited.text, &edited.memo).unwrap().text, before);
    }
}

#[test]
fn register_takes_the_last_of_equal_keys_as_the_client_does() {
    let before = r#"{"hooks": 1, "hooks": {"Stop": 2, "Stop": [{"n": 1}]}}"#;
    let edited = register(before, &[entry("Stop")], &Memo::default()).unwrap();
    assert!(edited.text.starts_with(r#"{"hooks": 1, "hooks": {"Stop": 2, "Stop": [{"n": 1}, {"#));
    assert_eq!(unregister(&edited.text, &edited.memo).unwrap().text, before);
}

const OLD: &str = r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "*",
        "hooks": [
          // the old one
          { "type": "command", "command": "'/old/atm' hook", "async": true, "statusMessage": "x" },
          { "type": "command", "command": "bell" },
          { "type": "command", "command": "/older/atm", "args": ["hook"] }
        ]
      }
    ],
    "Gone": [
      { "hooks": [{ "type": "command", "command": "atm hook" }] }
    ]
  }
}
"#;

#[test]
fn register_amends_an_older_entry_in_place_and_drops_the_surplus() {
    let edited = register(OLD, &[entry("Stop")], &Memo::default()).unwrap();
    assert_eq!(
        edited.text,
        r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "*",
        "hooks": [
          // the old one
          { "type": "command", "command": "/opt/our place/atm", "async": true, "statusMessage": "x", "args": ["hook"], "timeout": 5 },
          { "type": "command", "command": "bell" }
        ]
      }
    ]
  }
}
"#
    );
}

#[test]
fn register_back_to_shell_form_takes_the_arguments_and_flags_out() {
    let wanted = HookEntry {
        command: format!("{} hook", quote("/it's/atm")),
        form: Form::Shell,
        run: Run::Wait,
        timeout: None,
        ..entry("Stop")
    };
    let edited = register(PRETTY, &[wanted], &Memo::default()).unwrap();
    let handler = &meaning(&edited.text)["hooks"]["Stop"][0]["hooks"][0];
    let expected = serde_json::json!({"type": "command", "command": r"'/it'\''s/atm' hook"});
    assert_eq!(*handler, expected);
}

#[test]
fn register_with_another_matcher_moves_to_a_group_of_its_own() {
    let wanted = HookEntry { matcher: Some("Bash".to_owned()), ..entry("Stop") };
    let edited = register(PRETTY, &[wanted], &Memo::default()).unwrap();
    let groups = meaning(&edited.text)["hooks"]["Stop"].clone();
    assert_eq!(groups.as_array().unwrap().len(), 1, "{groups}");
    assert_eq!(groups[0]["matcher"], "Bash");
}

#[test]
fn register_of_another_event_leaves_hooks_where_they_stand() {
    let text = PRETTY.replacen("\n  }\n}", "\n  },\n  \"model\": \"opus\"\n}", 1);
    let edited = register(&text, &[entry("SessionEnd")], &Memo::default()).unwrap();
    assert_eq!(edited.text, text.replace("Stop", "SessionEnd"));
}

#[test]
fn register_of_two_for_one_event_keeps_both() {
    let guard = Form::Exec { args: vec!["hook".to_owned(), "--guard".to_owned()] };
    let guard = HookEntry { form: guard, run: Run::Wait, ..entry("Stop") };
    let wanted = [entry("Stop"), guard.clone(), entry("Stop")];
    let edited = register("{}", &wanted, &Memo::default()).unwrap();
    let found = hooks_in(&edited.text).unwrap().hooks;
    assert_eq!(found.iter().map(|hook| hook.args.len()).collect::<Vec<_>>(), [1, 2]);
    let turned = register(&edited.text, &[guard, entry("Stop")], &edited.memo).unwrap();
    assert!(!turned.changed);
}

#[test]
fn register_of_a_command_that_is_not_known_again_is_refused() {
    for command in ["/opt/agent", "/opt/atm-dev"] {
        let wanted = HookEntry { command: command.to_owned(), ..entry("Stop") };
        let error = register("{}", &[wanted], &Memo::default()).unwrap_err();
        assert_eq!(error, SettingsError::Unrecognisable { command: command.to_owned() });
    }
}

#[test]
fn unregister_leaves_what_others_added_to_our_places() {
    let edited = register("{}", &[entry("Stop")], &Memo::default()).unwrap();
    let changed = edited.text.replacen("\"Stop\": [", "\"Stop\": [ // keep me", 1).replacen(
        "\n  }\n}",
        "\n  },\n  \"model\": \"opus\"\n}",
        1,
    );
    let back = unregister(&changed, &edited.memo).unwrap();
    let expected =
        "{\n  \"hooks\": {\n    \"Stop\": [ // keep me\n    ]\n  },\n  \"model\": \"opus\"\n}";
    assert_eq!(back.text, expected);
}

#[test]
fn unregister_behind_a_line_comment_does_not_let_it_swallow_the_rest() {
    let ours = r#"{"type": "command", "command": "atm hook"}"#;
    for rest in [" ", ", ", " /* b */ ,", ",/* b */", ", 1"] {
        let text =
            format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [0, // a\n {ours}{rest}]}}]}}}}");
        let back = unregister(&text, &Memo::default()).unwrap();
        assert!(hooks_in(&back.text).unwrap().hooks.is_empty(), "{}", back.text);
        assert!(back.text.contains("// a\n"), "{}", back.text);
    }
}

#[test]
fn unregister_without_a_memo_takes_our_containers_with_it() {
    let back = unregister(PRETTY, &Memo::default()).unwrap();
    assert_eq!(back.text, "{}\n");
}

#[test]
fn unregister_takes_dead_entries_too() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "atm hook"}]}]}, "hooks": {}}"#;
    assert_eq!(unregister(text, &Memo::default()).unwrap().text, r#"{ "hooks": {}}"#);
}

#[test]
fn memo_survives_being_saved() {
    let edited = register("{ }", &[entry("Stop")], &Memo::default()).unwrap();
    let edited = wrap_status_line(&edited.text, "atm statusline", &edited.memo).unwrap();
    let saved = serde_json::to_string(&edited.memo).unwrap();
    let loaded: Memo = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded, edited.memo);
    assert_eq!(serde_json::from_str::<Memo>("{}").unwrap(), Memo::default());
}

#[test]
fn broken_or_odd_file_is_refused_with_line_and_column() {
    let unparsable = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 2, 9),
        ("{\n  \"é\": x\n}", 2, 8),
        ("{", 1, 1),
        ("{}\n{}", 2, 1),
        ("{'a': 1}", 1, 2),
        ("{\"a\": \"x\ty\"}", 1, 9),
        ("{\"a\":\u{a0}1}", 1, 6),
        ("\u{feff}{a}", 1, 2),
        ("{\"a\": 1,\n /* open }", 2, 2),
    ];
    for (text, line, column) in unparsable {
        let error = register(text, &[entry("Stop")], &Memo::default()).unwrap_err();
        let SettingsError::Unparsable { line: l, column: c, .. } = error else {
            panic!("{text}: {error}")
        };
        assert_eq!((l, c), (line, column), "{text}");
        assert!(unregister(text, &Memo::default()).is_err());
        assert!(hooks_in(text).is_err());
    }
    let bottomless = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(matches!(hooks_in(&bottomless), Err(SettingsError::Unparsable { .. })));
    let odd = [
        (" [1]", "line 1, column 2: the file is a list, not an object"),
        ("\n\"a\"", "line 2, column 1: the file is a text, not an object"),
        ("{\"hooks\": []}", "line 1, column 11: `hooks` is a list, not an object"),
        (
            "{\"hooks\":\n {\"Stop\": {}}}",
            "line 2, column 11: `hooks.Stop` is an object, not a list",
        ),
    ];
    for (text, message) in odd {
        let error = register(text, &[entry("PreToolUse")], &Memo::default()).unwrap_err();
        assert!(matches!(error, SettingsError::NotAnObject { .. }));
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn hooks_in_a_file_are_all_found_with_the_switches() {
    let found = hooks_in(
        r#"{
  "disableAllHooks": true, "enabledPlugins": {"a@m": true, "b@m": false, "c@m": "1.0"},
  "statusLine": {"type": "command", "command": "mine"},
  "hooks": {
    "Stop": [{"matcher": "x", "hooks": [
      {"type": "command", "command": "'my prog' a b", "timeout": 7},
      {"type": "http", "url": "http://x"},
      {"type": "command", "command": "/x/atm", "args": ["hook"], "async": true}
    ]}, 5, {"hooks": 5}]
  }
}"#,
    )
    .unwrap();
    assert!(found.is_disabled && !found.is_managed_only);
    let expected = FoundStatusLine { command: "mine".to_owned(), is_ours: false };
    assert_eq!(found.status_line, Some(expected));
    let [foreign, ours] = found.hooks.as_slice() else { panic!("{:?}", found.hooks) };
    assert_eq!((foreign.program.as_str(), foreign.args.len()), ("my prog", 2));
    assert_eq!((foreign.timeout, foreign.line, foreign.is_ours), (Some(7), 6, false));
    assert_eq!((ours.program.as_str(), ours.run, ours.line), ("/x/atm", Run::Async, 8));
    assert_eq!((ours.matcher.as_deref(), ours.is_ours), (Some("x"), true));
    assert_eq!((foreign.is_exec, ours.is_exec), (false, true));
    assert_eq!(found.plugins, ["a@m"]);
    assert_eq!(hooks_in("").unwrap(), Found::default());
}
