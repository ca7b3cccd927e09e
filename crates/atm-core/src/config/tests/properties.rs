//! What holds for every text.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn keys() -> Vec<String> {
    let mut all = Vec::new();
    rows(OPTIONS, "", &mut all);
    let mut keys: Vec<String> = all.into_iter().map(|(key, _)| key).collect();
    let more =
        ["tmux", "themes.a.idle", "themes.a", "themes", "no.such", "\"\"", "tmux.\"\\u001b\""];
    keys.extend(more.map(str::to_owned));
    keys
}

fn value() -> impl Strategy<Value = String> {
    let words =
        ["true", "\"red\"", "\"1s\"", "'1GiB'", "inf", "[[1]]", "{a=1}", "1979-05-27", "\"a\""];
    prop_oneof![
        select(words.map(str::to_owned).to_vec()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<String>().prop_map(|text| to_toml(&text.into())),
        "[0-9]{1,20}(ms|s|m|h|d|MiB|B)?".prop_map(|text| format!("{text:?}")),
    ]
}

/// Mostly TOML, mostly about our keys.
fn toml_like() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => (select(keys()), value()).prop_map(|(key, value)| format!("{key} = {value}")),
        1 => select(keys()).prop_map(|key| format!("[{key}]")),
        1 => select(keys()).prop_map(|key| format!("[[{key}]]")),
        1 => "\\PC{0,12}",
    ];
    proptest::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

fn check(text: &str) {
    let loaded = plain(text);
    for problem in &loaded.problems {
        assert!(!problem.to_string().chars().any(char::is_control), "{problem:?}");
        assert!(problem.at.line <= text.lines().count().max(1) + 1, "{problem:?}");
    }
    // What is in effect can be written down, and leads to itself.
    let again = plain(&loaded.to_toml());
    assert_eq!(messages(&again), [""; 0], "{}", loaded.to_toml());
    assert_eq!(again.config, loaded.config);
    drop(theme::Colours::of(&loaded.config));
}

proptest! {
    #[test]
    fn any_text_loads(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_toml_loads(text in toml_like()) {
        check(&text);
    }
}
