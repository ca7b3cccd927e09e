//! `atm sessions` and `atm cost` on transcripts of the real client and on made ones: against an
//! independent reckoning, through crashes, and with everything that should not be there.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use atm_index::corpus::{Corpus, Dice, Writer};
use serde_json::{Value, json};

use crate::sealed::Sealed;

const KILLS: usize = 100;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn projects(sealed: &Sealed) -> PathBuf {
    sealed.home().join(".claude/projects")
}

/// All recordings in one configuration directory.
fn copy_recordings(sealed: &Sealed) {
    for entry in fs::read_dir(root().join("fixtures/recordings")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_owned();
        let Ok(folders) = fs::read_dir(path.join("projects")) else { continue };
        for folder in folders.map(|folder| folder.unwrap().path()) {
            let to = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let to = format!("{}{to}", name.to_str().unwrap());
            copy(&folder, &projects(sealed).join(to));
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &to) } else { assert!(fs::copy(&path, &to).is_ok()) }
    }
}

/// What `atm cost` says, in the words of the independent reckoning.
fn ours(sealed: &Sealed, by: &str) -> Value {
    let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
    let output = command.env("TZ", "UTC").args(["cost", "--json", "--by", by]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = all["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["key"].as_str().unwrap().to_owned(), in_their_words(row))).collect()
}

fn in_their_words(row: &Value) -> Value {
    let tokens = &row["tokens"];
    json!({
        "cost": cents(&row["cost_usd"]),
        "unpriced": row["unpriced_answers"],
        "answers": tokens["answers"],
        "searches": tokens["web_searches"],
        "input": tokens["input"],
        "output": tokens["output"],
        "cache_read": tokens["cache_read"],
        "cache_write_5m": tokens["cache_write_5m"],
        "cache_write_1h": tokens["cache_write_1h"],
    })
}

fn cents(dollars: &Value) -> Value {
    json!((dollars.as_f64().unwrap() * 100.0).round())
}

fn reckoned(sealed: &Sealed) -> Value {
    let script = root().join("tests/reckon.py");
    let config = sealed.home().join(".claude");
    let output = sealed.command("/usr/bin/env").arg("python3").arg(script).arg(config).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut all: Value = serde_json::from_slice(&output.stdout).unwrap();
    for rows in all.as_object_mut().unwrap().values_mut() {
        for row in rows.as_object_mut().unwrap().values_mut() {
            row["cost"] = cents(&row["cost"]);
        }
    }
    all
}

fn check_reckoning(sealed: &Sealed, answers: u64) {
    let theirs = reckoned(sealed);
    assert!(theirs["total"]["total"]["answers"].as_u64().unwrap() >= answers, "{theirs}");
    assert_eq!(ours(sealed, "model"), theirs["model"]);
    assert_eq!(ours(sealed, "day"), theirs["day"]);
    let total = &sealed.json(&["cost", "--json"])["total"];
    assert_eq!(in_their_words(total), theirs["total"]["total"]);
}

#[test]
fn cost_of_the_recordings_equals_an_independent_reckoning() {
    let sealed = Sealed::new();
    copy_recordings(&sealed);
    check_reckoning(&sealed, 200);
}

#[test]
fn cost_of_copies_cache_tiers_and_subagents_equals_an_independent_reckoning() {
    let sealed = Sealed::in_memory();
    let corpus = Corpus { files: 120, bytes: 6_000_000, seed: 3 };
    corpus.write(&sealed.home().join(".claude")).unwrap();
    check_reckoning(&sealed, 300);
}

#[test]
fn cost_uses_the_users_prices_and_marks_what_has_none() {
    let sealed = Sealed::new();
    let folder = projects(&sealed).join("p");
    fs::create_dir_all(&folder).unwrap();
    let line = |model: &str, id: &str| {
        let usage = json!({"input_tokens": 1_000_000, "output_tokens": 0});
        let message =
            json!({"id": id, "model": model, "role": "assistant", "content": [], "usage": usage});
        json!({"type": "assistant", "timestamp": "2026-11-01T12:00:00Z", "message": message})
            .to_string()
            + "\n"
    };
    let lines = line("claude-opus-5-5", "a") + &line("my-model", "b");
    fs::write(folder.join("s.jsonl"), lines).unwrap();
    let all = sealed.json(&["cost", "--json", "--by", "model"]);
    assert_eq!(all["total"]["cost_usd"], 4.0);
    assert_eq!(all["unpriced_models"], json!({"my-model": 1}));
    let shown = sealed.ok(&["cost"]);
    assert!(shown.contains("$4.00+?") && shown.contains("no price known for my-model"), "{shown}");

    let config = sealed.home().join(".config/atm");
    fs::create_dir_all(&config).unwrap();
    let rates = "output = 0\ncache_write_5m = 0\ncache_write_1h = 0\ncache_read = 0\n";
    let price = format!("[[price]]\nmodel = \"my-model\"\ninput = 0.5\n{rates}");
    fs::write(config.join("prices.toml"), price).unwrap();
    let all = sealed.json(&["cost", "--json"]);
    assert_eq!((&all["total"]["cost_usd"], &all["unpriced_models"]), (&4.5.into(), &json!({})));
    fs::write(config.join("prices.toml"), "[[price]]\nmodel = 3").unwrap();
    let refused = sealed.atm(&["cost"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("prices.toml"), "{refused:?}");
}

#[test]
fn killed_100_times_at_random_the_index_equals_one_made_from_nothing() {
    let sealed = Sealed::in_memory();
    let config = sealed.home().join(".claude");
    Corpus { files: 300, bytes: 4_000_000, seed: 4 }.write(&config).unwrap();
    let start = Instant::now();
    let search = ["sessions", "login", "--json", "--limit", "1000"];
    drop(sealed.ok(&search));
    let whole = start.elapsed();
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut unfinished = 0;
    for number in 0..KILLS {
        if number % 4 == 0 {
            drop(fs::remove_file(sealed.state().join("index.db")));
        }
        let mut writer = Writer::new(900, number);
        let path = projects(&sealed).join(format!("-home-dev-p{}/grown.jsonl", dice.below(9)));
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(&writer.turn()).unwrap();
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        let mut child = command.args(search).stdout(Stdio::null()).spawn().unwrap();
        let micros = usize::try_from(whole.as_micros()).unwrap();
        thread::sleep(Duration::from_micros(dice.below(micros) as u64));
        child.kill().unwrap();
        unfinished += usize::from(!child.wait().unwrap().success());
    }
    // Enough of them were in the middle of it.
    assert!(unfinished > KILLS / 4, "{unfinished}");
    let told = |sealed: &Sealed| {
        let mut found: Vec<Value> = sealed.json(&search)["sessions"].as_array().unwrap().clone();
        found.iter_mut().for_each(|session| drop(session["hit"].take()));
        found.sort_by_key(|session| session["id"].to_string());
        (found, ours(sealed, "model"), ours(sealed, "session"))
    };
    let kept = told(&sealed);
    for end in ["", "-wal", "-shm"] {
        drop(fs::remove_file(sealed.state().join(format!("index.db{end}"))));
    }
    assert_eq!(kept, told(&sealed));
    check_reckoning(&sealed, 300);
}

#[test]
fn transcripts_that_are_none_are_passed_over_and_told_of() {
    let sealed = Sealed::in_memory();
    let folder = projects(&sealed).join("p");
    fs::create_dir_all(folder.join("directory.jsonl")).unwrap();
    let good = Writer::new(1, 1).turn();
    fs::write(folder.join("good.jsonl"), &good).unwrap();
    // 50 MB in one line, and one that never ends.
    let mut huge = File::create(folder.join("huge.jsonl")).unwrap();
    huge.write_all(br#"{"type":"user","message":{"role":"user","content":""#).unwrap();
    (0..50).for_each(|_| huge.write_all(&vec![b'x'; 1 << 20]).unwrap());
    huge.write_all(b"\"}}\n").unwrap();
    huge.write_all(&Writer::new(1, 2).turn()).unwrap();
    (0..20).for_each(|_| huge.write_all(&vec![b'y'; 1 << 20]).unwrap());
    let mut odd = b"\xff\xfe\x00\n[[[[\n{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":-1}}}\n".to_vec();
    odd.extend(br#"{"type":"of-the-future","timestamp":"2199-01-01T00:00:00Z","cwd":{"new":["shape"]},"message":[1]}"#);
    odd.push(b'\n');
    let answer = "{\"type\":\"assistant\",\"timestamp\":\"2199-01-01T00:00:00Z\",\"gitBranch\":7,\"message\":{\"id\":\"m\",\"model\":\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"bad \\u001b[31m\u{9b} bytes ";
    odd.extend(answer.as_bytes());
    odd.extend(b"\xff\"}],\"usage\":{\"input_tokens\":1000000,\"new\":{}}}}\n");
    fs::write(folder.join("odd.jsonl"), odd).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("pipe.jsonl"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    symlink(folder.join("b.jsonl"), folder.join("a.jsonl")).unwrap();
    symlink(folder.join("a.jsonl"), folder.join("b.jsonl")).unwrap();
    symlink(&folder, folder.join("loop")).unwrap();
    symlink(folder.join("good.jsonl"), folder.join("same.jsonl")).unwrap();
    let closed = folder.join("closed.jsonl");
    fs::write(&closed, "{}\n").unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();

    let output = sealed.atm(&["sessions", "--json"]);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warning.starts_with("warning: left out: "), "{warning}");
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ids: Vec<&str> =
        all["sessions"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap()).collect();
    for id in ["good", "huge", "odd"] {
        assert!(ids.contains(&id), "{ids:?}");
    }
    assert!(!ids.contains(&"same") && !ids.contains(&"directory") && !ids.contains(&"pipe"));
    let of = |id: &str| &all["sessions"][ids.iter().position(|known| *known == id).unwrap()];
    assert_eq!((&of("huge")["unread_lines"], &of("huge")["turns"]), (&json!(1), &json!(1)));
    assert_eq!(of("odd")["cost_usd"], 4.0);
    // From the future: it is the latest, and no age goes wrong.
    assert_eq!(ids[0], "odd");
    let shown = sealed.ok(&["sessions", "bad bytes"]);
    assert!(shown.contains("[bad]") && shown.contains(" 0s "), "{shown}");
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
}

#[test]
fn folder_with_100000_transcripts_is_listed() {
    let sealed = Sealed::in_memory();
    let folder = projects(&sealed).join("p");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..100_000 {
        let line = format!("{{\"type\":\"custom-title\",\"customTitle\":\"t{number}\"}}\n");
        fs::write(folder.join(format!("{number:08}.jsonl")), line).unwrap();
    }
    let all = sealed.json(&["sessions", "--json", "--limit", "200000"]);
    assert_eq!(all["sessions"].as_array().unwrap().len(), 100_000);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(sealed.json(&["sessions", "--json"])["sessions"], json!([]));
}

#[test]
fn sessions_are_found_by_words_and_filters_as_soon_as_they_are_written() {
    let sealed = Sealed::new();
    let folder = projects(&sealed).join("p");
    fs::create_dir_all(&folder).unwrap();
    let prompt = |text: &str, cwd: &str, branch: &str, at: &str| {
        json!({"type": "user", "turnOrigin": "human", "timestamp": at, "cwd": cwd, "gitBranch": branch,
            "message": {"role": "user", "content": text}})
        .to_string() + "\n"
    };
    let first = prompt("fix the login timeout", "/work/web", "main", "2026-11-01T12:00:00Z");
    let second = prompt("the LOGIN page\u{1b}[2J", "/work/api/deep", "dev", "2026-11-08T12:00:00Z");
    fs::write(folder.join("aaaa.jsonl"), first).unwrap();
    fs::write(folder.join("bbbb.jsonl"), second).unwrap();
    let found = |args: &[&str]| {
        let args = [&["sessions", "--json"], args].concat();
        let all = sealed.json(&args);
        let ids = all["sessions"].as_array().unwrap().iter();
        ids.map(|session| session["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), ["bbbb", "aaaa"]);
    assert_eq!(found(&["login"]).len(), 2);
    assert_eq!(found(&["login timeout"]), ["aaaa"]);
    assert_eq!(found(&["login", "--not", "timeout"]), ["bbbb"]);
    assert_eq!(found(&["login -timeout"]), ["bbbb"]);
    assert_eq!(found(&["--not", "timeout"]), ["bbbb"]);
    assert_eq!(found(&["\"login page\""]), ["bbbb"]);
    assert_eq!(found(&["time*"]), ["aaaa"]);
    assert_eq!(found(&["NEAR(login", "AND", "\"", "*"]), Vec::<String>::new());
    assert_eq!(found(&["login", "--dir", "/work/api"]), ["bbbb"]);
    assert_eq!(found(&["--dir", "/work/ap"]), Vec::<String>::new());
    assert_eq!(found(&["--branch", "main"]), ["aaaa"]);
    assert_eq!(found(&["--since", "2026-11-05"]), ["bbbb"]);
    assert_eq!(found(&["--until", "2026-11-05"]), ["aaaa"]);
    assert_eq!(found(&["--tool", "Bash"]), Vec::<String>::new());
    assert_eq!(found(&["--limit", "1"]), ["bbbb"]);
    let shown = sealed.ok(&["sessions", "login"]);
    assert!(shown.contains("fix the [login] timeout") && !shown.contains('\u{1b}'), "{shown}");

    // Appended, and found at once.
    let more = prompt("what about zebras", "/work/web", "main", "2026-11-09T12:00:00Z");
    assert_eq!(found(&["zebras"]), Vec::<String>::new());
    let mut file = OpenOptions::new().append(true).open(folder.join("aaaa.jsonl")).unwrap();
    file.write_all(more.as_bytes()).unwrap();
    assert_eq!(found(&["zebras"]), ["aaaa"]);
    let mode = fs::metadata(sealed.state().join("index.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn sessions_that_run_are_told_from_those_that_do_not() {
    let mut sealed = Sealed::new();
    let folder = projects(&sealed).join("p");
    fs::create_dir_all(&folder).unwrap();
    for id in ["live-session", "dead-session"] {
        fs::write(folder.join(format!("{id}.jsonl")), Writer::new(1, 1).turn()).unwrap();
    }
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", "live-session", json!({"source": "startup"}));
    let found = |status| {
        let all = sealed.json(&["sessions", "--json", "--status", status]);
        let ids = all["sessions"].as_array().unwrap().iter();
        ids.map(|session| session["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("live"), ["live-session"]);
    assert_eq!(found("ended"), ["dead-session"]);
}
