//! Settings texts of every kind, none with an entry of ours.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Strict,
    Comments,
}

pub(super) fn settings(dialect: Dialect) -> BoxedStrategy<String> {
    let object = (trivia(dialect), root(dialect), trivia(dialect))
        .prop_map(|(before, root, after)| format!("{before}{root}{after}"));
    let body = match dialect {
        Dialect::Strict => object.boxed(),
        Dialect::Comments => prop_oneof![9 => object, 1 => trivia(dialect)].boxed(),
    };
    (body, select(vec!["\n", "\r\n"]), select(vec!["", "", "\u{feff}"]))
        .prop_map(|(body, line_end, mark)| format!("{mark}{}", body.replace('\n', line_end)))
        .boxed()
}

/// Texts as programs write them.
pub(super) fn pretty() -> BoxedStrategy<String> {
    let unit = select(vec!["", " ", "  ", "    ", "\t"]);
    (settings(Dialect::Strict), unit, select(vec!["", "\n"]))
        .prop_map(|(text, unit, end)| {
            let value = super::meaning(&text);
            let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
            let mut bytes = Vec::new();
            let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
            serde::Serialize::serialize(&value, &mut writer).unwrap();
            format!("{}{end}", String::from_utf8(bytes).unwrap())
        })
        .boxed()
}

fn trivia(dialect: Dialect) -> BoxedStrategy<String> {
    let spaces = vec!["", "", "", " ", "  ", "\n", "\n  ", "\n\t", "\n\n    ", "\t", " \n"];
    let comments = vec![
        "// c\n",
        " // \"x\": {,[\n  ",
        "/* c */",
        " /* ] } */ ",
        "/* a\n b */",
        "/**/",
        "\n// ü 😀\n",
        " //\n",
        "/* // */ // /*\n",
    ];
    match dialect {
        Dialect::Strict => select(spaces).prop_map(str::to_owned).boxed(),
        Dialect::Comments => vec(
            prop_oneof![4 => select(spaces), 1 => select(comments)].prop_map(str::to_owned),
            0..3,
        )
        .prop_map(|pieces| pieces.concat())
        .boxed(),
    }
}

/// Members between brackets, with odd spaces and at times a trailing comma.
fn container(
    [open, close]: [&'static str; 2],
    members: BoxedStrategy<Vec<String>>,
    dialect: Dialect,
) -> BoxedStrategy<String> {
    let spaced = members.prop_flat_map(move |members| {
        let count = members.len();
        let gaps = vec((trivia(dialect), trivia(dialect)), count);
        (Just(members), gaps, trivia(dialect), any::<bool>())
    });
    spaced
        .prop_map(move |(members, gaps, last, trailing)| {
            let is_comma_last = trailing && dialect == Dialect::Comments && !members.is_empty();
            let members = members.iter().zip(&gaps);
            let members: Vec<String> = members.map(|(m, (a, b))| format!("{a}{m}{b}")).collect();
            let comma = if is_comma_last { "," } else { "" };
            format!("{open}{}{comma}{last}{close}", members.join(","))
        })
        .boxed()
}

fn member(key: &str, value: BoxedStrategy<String>, dialect: Dialect) -> BoxedStrategy<String> {
    let key = format!("\"{key}\"");
    (trivia(dialect), trivia(dialect), value)
        .prop_map(move |(a, b, value)| format!("{key}{a}:{b}{value}"))
        .boxed()
}

fn atom() -> BoxedStrategy<String> {
    select(vec![
        "null",
        "true",
        "false",
        "0",
        "-1.5e+3",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\"",
        r#""\u00e9 \" \\ \/ \n""#,
        "\"é 😀 // no /* no\"",
        "\"atm hook\"",
        "\"}],{[\"",
    ])
    .prop_map(str::to_owned)
    .boxed()
}

fn value(dialect: Dialect) -> BoxedStrategy<String> {
    atom()
        .prop_recursive(5, 12, 3, move |inner| {
            let items = vec(inner.clone(), 0..3).boxed();
            let keys = select(vec!["a", "b", "hooks", "statusLine", "Stop", "ключ"]);
            let field = (keys, inner).prop_map(|(key, value)| format!("\"{key}\": {value}"));
            prop_oneof![
                container(["[", "]"], items, dialect),
                container(["{", "}"], vec(field, 0..3).boxed(), dialect),
                // Deep within the parser's limit.
                (1..40_usize).prop_map(|n| format!("{}{}", "[".repeat(n), "]".repeat(n))),
            ]
        })
        .boxed()
}

/// Near misses of our own among them.
fn handler() -> BoxedStrategy<String> {
    select(vec![
        r#"{"type":"command","command":"bell"}"#,
        r#"{ "type": "command", "command": "/usr/bin/atmosphere hook", "timeout": 3 }"#,
        r#"{"type":"command","command":"atm hook; mine"}"#,
        r#"{"type":"command","command":"atm","args":["list"]}"#,
        r#"{"type":"command","command":"atm hook","args":[]}"#,
        r#"{"type":"http","url":"http://localhost/atm hook"}"#,
        r#"{"command":"atm hook"}"#,
        "{}",
        "7",
    ])
    .prop_map(str::to_owned)
    .boxed()
}

fn group(dialect: Dialect) -> BoxedStrategy<String> {
    let handlers = container(["[", "]"], vec(handler(), 0..3).boxed(), dialect);
    let fields = (
        proptest::option::of(member("matcher", atom(), dialect)),
        proptest::option::of(member("hooks", handlers, dialect)),
    );
    let fields = fields.prop_map(|(matcher, hooks)| matcher.into_iter().chain(hooks).collect());
    prop_oneof![8 => container(["{", "}"], fields.boxed(), dialect), 1 => atom()].boxed()
}

fn hooks(dialect: Dialect) -> BoxedStrategy<String> {
    let event = select(vec!["Stop", "PreToolUse", "SessionStart", "Custom"]);
    let groups = move || container(["[", "]"], vec(group(dialect), 0..3).boxed(), dialect);
    let event = event.prop_flat_map(move |event| member(event, groups(), dialect));
    container(["{", "}"], vec(event, 0..4).boxed(), dialect)
}

fn root(dialect: Dialect) -> BoxedStrategy<String> {
    let other = select(vec!["model", "env", "statusline", "Hooks", "a b", "\\u0068ooks2"]);
    let status_line = vec![
        "null",
        "7",
        "{}",
        "{ }",
        r#"{"type":"command","command":"mine"}"#,
        r#"{ "padding": 1, "command" : "at\u006d list", "type": "x" }"#,
        r#"{"padding":0}"#,
        r#"{"type":"command","command":"it's \"mine\" | sed 's/a/b/'\n#2 \u0000 $x"}"#,
        r#"{"type": "command", "type": "x", "command": "a", "command": "b"}"#,
        r#"{"type":"command","command":"atm statusline | cat"}"#,
        r#"{"type":"command","command":["mine"]}"#,
        "[]",
        r#"[{"command": "mine"}]"#,
        r#""mine""#,
        "true",
    ];
    let field = prop_oneof![
        3 => other.prop_flat_map(move |key| member(key, value(dialect), dialect)),
        2 => member("hooks", hooks(dialect), dialect),
        1 => member("statusLine", select(status_line).prop_map(str::to_owned).boxed(), dialect),
    ];
    container(["{", "}"], vec(field, 0..5).boxed(), dialect)
}
