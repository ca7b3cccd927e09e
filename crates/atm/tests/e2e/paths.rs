//! `atm path` over real directories, among them those that the real client was recorded in.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sealed::Sealed;

fn dir(sealed: &Sealed, name: &str) -> PathBuf {
    let dir = sealed.path().join(name);
    fs::create_dir_all(&dir).unwrap();
    dir.canonicalize().unwrap()
}

/// Directories and the client's names for them.
fn recorded() -> BTreeMap<String, String> {
    let file = "../../fixtures/recordings/z9_path_encoding.jsonl";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let pairs = events.filter_map(|event| {
        let told = &event["stdin"];
        let folder = Path::new(told["transcript_path"].as_str()?).parent()?.file_name()?;
        Some((told["cwd"].as_str()?.to_owned(), folder.to_str()?.to_owned()))
    });
    pairs.collect()
}

#[test]
fn path_of_every_recorded_directory_is_encoded_as_the_client_did_and_decoded_back() {
    let sealed = Sealed::new();
    let root = dir(&sealed, "root");
    let recorded = recorded();
    assert_eq!(recorded.len(), 9);
    for path in recorded.keys() {
        fs::create_dir_all(root.join(&path[1..])).unwrap();
    }
    for (path, recorded) in &recorded {
        let encoded = sealed.ok(&["path", "encode", path]);
        let name = encoded.trim_end();
        // The two long ones were recorded in a home with a longer name, and cut.
        if name.len() < 150 {
            assert_eq!(name, recorded);
        }
        let args = ["path", "decode", "--root", root.to_str().unwrap(), name];
        assert_eq!(sealed.ok(&args), format!("{path}\n"), "{name}");
    }
}

#[test]
fn path_decoded_below_a_root_is_the_path_as_seen_from_there() {
    let sealed = Sealed::new();
    let root = dir(&sealed, "root");
    for path in ["Users/mike/Projects/bstock-projects", "Users/mike/.claude/agents", "a/b", "a.b"] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    symlink("/Users", root.join("a/loop")).unwrap();
    let root = root.to_str().unwrap();
    let said = |args: &[&str]| {
        let output = sealed.atm(args);
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let cases: [(&[&str], i32, &str); 6] = [
        (&["-Users-mike-Projects-bstock-projects"], 0, "/Users/mike/Projects/bstock-projects\n"),
        (&["-Users-mike--claude-agents"], 0, "/Users/mike/.claude/agents\n"),
        (&["-a-b"], 0, "/a.b\n"),
        (&["-a-b", "--all"], 0, "/a.b\n/a/b\n"),
        (&["-nothing-here"], 4, ""),
        (
            &["--json", "-a-b"],
            0,
            "{\"schema\":1,\"encoded\":\"-a-b\",\"best\":\"/a.b\",\
             \"candidates\":[\"/a.b\",\"/a/b\"],\"complete\":true}\n",
        ),
    ];
    for (words, code, expected) in cases {
        let args = [&["path", "decode", "--root", root], words].concat();
        assert_eq!(said(&args), (code, expected.to_owned()), "{words:?}");
    }
    let dir = dir(&sealed, "sp ace/é");
    let encoded = said(&["path", "encode", dir.to_str().unwrap()]).1;
    assert_eq!(said(&["path", "decode", encoded.trim()]), (0, format!("{}\n", dir.display())));
}
