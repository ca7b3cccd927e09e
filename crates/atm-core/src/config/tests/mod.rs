//! What the table of options promises, and what every text leads to.

mod every_kind;
mod notify;
mod properties;
mod texts;

use super::*;

fn plain(text: &str) -> Loaded {
    load(text, &|_| None)
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.problems.iter().map(ToString::to_string).collect()
}

/// Takes away the `#` before every option; help has a space after it.
fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix('#') {
        Some(option) if !option.starts_with([' ', '#']) => option,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Every key of the table with its default.
fn rows(options: &[Opt], path: &str, all: &mut Vec<(String, serde_json::Value)>) {
    for row in options {
        let path = node::join(path, row.key);
        match (row.kind, row.kind.default()) {
            (Kind::Table(inner), _) => rows(inner, &path, all),
            (_, Some(default)) => all.push((path, default)),
            (_, None) => {}
        }
    }
}

/// Every value of the types under its key; arrays of tables, which are empty, aside.
fn fields(value: &serde_json::Value, path: &str, all: &mut Vec<(String, serde_json::Value)>) {
    match value.as_object() {
        Some(map) => {
            map.iter().for_each(|(key, value)| fields(value, &node::join(path, key), all));
        }
        None if path == "notify.rule" => {}
        None => all.push((path.to_owned(), value.clone())),
    }
}

#[test]
fn typed_defaults_and_the_tables_defaults_agree_for_every_key() {
    let (mut table, mut types) = (Vec::new(), Vec::new());
    rows(OPTIONS, "", &mut table);
    fields(&serde_json::to_value(Config::default()).unwrap(), "", &mut types);
    table.sort_by(|a, b| a.0.cmp(&b.0));
    types.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(table, types);
    assert!(table.len() > 15, "{table:?}");
}

#[test]
fn defaults_are_those_that_are_promised() {
    let config = Config::default();
    let tmux = serde_json::json!({
        "enable": true, "pane_options": true, "tab_colours": true, "pane_label": true,
        "window_label": true, "last_focused_window": true, "status_summary": true,
        "debug_options": false, "dwell": "400ms", "coalesce": "50ms", "theme": "default",
        "glyphs": "unicode", "key_bindings": true,
        "colours": {"running": "", "waiting": "", "idle": ""},
    });
    assert_eq!(serde_json::to_value(&config.tmux).unwrap(), tmux);
    assert_eq!(config.history.keep_journal, 256 * 1024 * 1024);
    assert_eq!((config.history.keep_events, config.history.keep_sessions), (200_000, 10_000));
    assert!(config.statusline.enable && config.themes.is_empty());
}

#[test]
fn default_document_has_every_key_and_uncommented_is_the_default() {
    let document = default_document();
    assert_eq!(plain(&document), plain(""), "as printed, nothing is set");
    let loaded = plain(&uncommented(&document));
    assert_eq!(messages(&loaded), [""; 0]);
    assert_eq!(loaded.config, Config::default());
    let mut all = Vec::new();
    rows(OPTIONS, "", &mut all);
    assert_eq!(loaded.set_in_file(), all.len(), "{document}");
}

#[test]
fn help_is_there_for_every_option_and_fits_a_screen() {
    fn check(options: &[Opt]) {
        for row in options {
            assert!(row.help.ends_with('.'), "{}", row.key);
            assert!(row.help.lines().all(|line| line.chars().count() <= 98), "{}", row.key);
            assert!(row.env.is_none() || matches!(row.kind, Kind::Bool(_)), "{}", row.key);
            if let Kind::Table(inner) | Kind::Named(inner) | Kind::Array(inner) = row.kind {
                check(inner);
            }
        }
    }
    check(OPTIONS);
}

#[test]
fn defaults_pass_their_own_checks() {
    let mut all = Vec::new();
    rows(OPTIONS, "", &mut all);
    for (key, default) in all {
        let loaded = plain(&format!("{key} = {}", to_toml(&default)));
        assert_eq!(messages(&loaded), [""; 0], "{key}");
    }
}

#[test]
fn effective_document_brings_about_what_is_in_effect() {
    let text = "themes.\"my \\\"own\\\"\\\\\".idle = 'red'\n[tmux]\ndwell = '1500ms'\n\
                theme = 'my \"own\"\\'\n[tmux.colours]\nwaiting = 'colour9'\n";
    let loaded = plain(text);
    assert_eq!(messages(&loaded), [""; 0]);
    let again = plain(&loaded.to_toml());
    assert_eq!((messages(&again), &again.config), (vec![], &loaded.config), "{}", loaded.to_toml());
    assert_ne!(loaded.config, Config::default());
}

#[test]
fn schema_knows_every_key_with_its_default_and_no_other() {
    fn keys(schema: &serde_json::Value, path: &str, all: &mut Vec<(String, serde_json::Value)>) {
        let Some(properties) = schema["properties"].as_object() else { return };
        assert_eq!(schema["additionalProperties"], false, "{path}");
        for (key, inner) in properties {
            assert!(inner["description"].is_string(), "{path}.{key}");
            let path = node::join(path, key);
            all.extend(inner.get("default").map(|default| (path.clone(), default.clone())));
            keys(inner, &path, all);
        }
    }
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let (mut known, mut table) = (Vec::new(), Vec::new());
    keys(&schema, "", &mut known);
    rows(OPTIONS, "", &mut table);
    known.sort_by(|a, b| a.0.cmp(&b.0));
    table.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(known, table);
}
