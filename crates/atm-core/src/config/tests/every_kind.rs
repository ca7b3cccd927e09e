//! Kinds that the real table does not use yet, in a table of their own.

use serde_json::json;

use super::super::document::{default_document, effective_document};
use super::super::schema::schema;
use super::*;

static SAMPLE: &[Opt] = &[
    Opt::new("words", Kind::List { default: &["a", "b"], of: &Kind::Text("") }, "Some words."),
    Opt::new(
        "ends",
        Kind::List { default: &[], of: &Kind::Choice { default: "x", of: &["x", "y"] } },
        "Some ends.",
    ),
    Opt::new("rules", Kind::Array(RULE), "What to do, one after the other."),
];

static RULE: &[Opt] = &[
    Opt::new("match", Kind::Text(""), "What it is about."),
    Opt::new("times", Kind::Integer { default: 1, min: 0, max: 9 }, "How often."),
];

fn read(text: &str) -> (Node, Vec<String>) {
    let mut reader = Reader { options: SAMPLE, env: &|_| None, text, problems: Vec::new() };
    let root = reader.read();
    (root, reader.problems.iter().map(ToString::to_string).collect())
}

#[test]
fn lists_and_arrays_of_tables_are_read_and_written_again() {
    let text =
        "words = [\"c\"]\nends = ['y', 'x']\n[[rules]]\nmatch = \"m\"\n[[rules]]\ntimes = 0x9\n";
    let (root, problems) = read(text);
    assert_eq!(problems, [""; 0]);
    let expected = json!({"words": ["c"], "ends": ["y", "x"],
        "rules": [{"match": "m", "times": 1}, {"match": "", "times": 9}]});
    assert_eq!(root.to_json(), expected);
    let written = effective_document(&root);
    assert_eq!(read(&written).0.to_json(), expected, "{written}");
    let keys: Vec<String> = root.settings().into_iter().map(|setting| setting.key).collect();
    let expected =
        ["words", "ends", "rules[0].match", "rules[0].times", "rules[1].match", "rules[1].times"];
    assert_eq!(keys, expected);
}

#[test]
fn lists_and_arrays_that_are_wrong_are_told() {
    let (root, problems) = read("words = [1]\nends = 'x'\n[[rules]]\ntimes = 10\nmach = ''\n");
    assert_eq!(
        problems,
        [
            "1:9: words: expected a list, each of it a text in quotes of at most 1000 characters, \
             found a list; [\"a\", \"b\"] is used, the default",
            "2:8: ends: expected a list, each of it \"x\" or \"y\", found \"x\"; [] is used, the \
             default",
            "5:1: rules[0].mach: no such option; did you mean rules[0].match?",
            "4:9: rules[0].times: expected a whole number from 0 to 9, found 10; 1 is used, the \
             default",
        ]
    );
    let expected = json!({"words": ["a", "b"], "ends": [], "rules": [{"match": "", "times": 1}]});
    assert_eq!(root.to_json(), expected);
    assert_eq!(read("rules = 1").1, ["1:9: rules: expected tables in double brackets, found 1"]);
}

#[test]
fn default_document_of_every_kind_is_the_default_when_uncommented() {
    let document = default_document(SAMPLE);
    let (root, problems) = read(&uncommented(&document));
    assert_eq!((problems, root.to_json()), (vec![], read("").0.to_json()), "{document}");
    assert!(document.contains("#   [[rules]]\n#   match = \"\"    # What it is about.\n"));
}

#[test]
fn schema_of_lists_and_arrays_describes_their_items() {
    let schema = schema(SAMPLE);
    let properties = &schema["properties"];
    assert_eq!(properties["ends"]["items"], json!({"type": "string", "enum": ["x", "y"]}));
    assert_eq!(properties["rules"]["items"]["properties"]["times"]["maximum"], 9);
}
