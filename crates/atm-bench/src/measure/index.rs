//! The index of transcripts: made from nothing against counting the lines of the same files, and
//! then asked.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use atm_index::corpus::{Corpus, Writer};
use serde_json::Value as Json;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::machine;
use crate::program::Program;
use crate::samples::Samples;
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};

const SEED: u64 = 1;
/// Words of the corpus: common, several, a phrase, rare.
const SEARCHES: [&[&str]; 5] = [
    &["sessions", "login", "--json"],
    &["sessions", "parser", "timeout", "--json"],
    &["sessions", "\"lock query\"", "--json"],
    &["sessions", "rare17", "--json"],
    &["sessions", "migrat*", "--since", "7d", "--json"],
];

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("index")?;
    let config = stage.home.join(".claude");
    let corpus =
        Corpus { files: bench.scale.transcripts, bytes: bench.scale.transcript_bytes, seed: SEED };
    let bytes = corpus.write(&config)?;
    println!("  {} transcripts, {}", corpus.files, Value::Bytes(bytes));
    let mut rows = cold(bench, &stage)?;
    rows.extend(warm(bench, &stage)?);
    rows.push(appended(bench, &stage)?);
    fs::remove_dir_all(config.join("projects"))?;
    Ok(rows)
}

fn cold(bench: &Bench, stage: &Stage) -> Outcome<Vec<Row>> {
    let cost = stage.atm(&["cost", "--json"]);
    let anew = |program: &Program| {
        forget(stage)?;
        program.time(b"")
    };
    let counter = count_lines(stage)?;
    let runs = bench.scale.cold_starts;
    let (ours, floor) = in_turns(runs, |_| anew(&cost), |_| counter.time(b""))?;
    println!("  atm cost, no index yet: {ours}");
    println!("  wc -l:                  {floor}");
    let search = stage.atm(SEARCHES[3]);
    let with_text = Samples::new((0..runs).map(|_| anew(&search)).collect::<Outcome<_>>()?);
    println!("  atm sessions WORD, no index yet, with full text: {with_text}");
    ccusage(bench, stage)?;
    forget(stage)?;
    let peak = peak(&search)?;
    println!("  most memory while indexing with full text: {}", Value::Bytes(peak));
    let size = fs::metadata(stage.places.index())?.len();
    println!("  size of the index: {}", Value::Bytes(size));
    let floor = Value::Time(floor.median());
    Ok(vec![
        Row {
            metric: "index from nothing / wc -l",
            measured: Value::Time(ours.median()),
            floor,
            aim: Aim::RatioAtMost(2.0),
        },
        Row {
            metric: "index with full text / wc -l",
            measured: Value::Time(with_text.median()),
            floor,
            aim: Aim::RatioAtMost(10.0),
        },
        Row {
            metric: "memory while indexing",
            measured: Value::Bytes(peak),
            floor: Value::Bytes(bench.scale.transcript_bytes),
            aim: Aim::AtMost(Value::Bytes(150_000_000)),
        },
    ])
}

fn warm(bench: &Bench, stage: &Stage) -> Outcome<Vec<Row>> {
    let empty = stage.program("/bin/true", &[]);
    let list = stage.atm(&["sessions"]);
    let runs = bench.scale.searches;
    let (ours, floor) = in_turns(runs, |_| list.time(b""), |_| empty.time(b""))?;
    println!("  atm sessions: {ours}");
    let mut times = Vec::new();
    for run in 0..runs.max(SEARCHES.len()) {
        times.push(stage.atm(SEARCHES[run % SEARCHES.len()]).time(b"")?);
    }
    let searched = Samples::new(times);
    println!("  atm sessions WORDS: {searched}");
    let floor = Value::Time(floor.median());
    let aim = Aim::AtMost(Value::Time(Duration::from_millis(50)));
    Ok(vec![
        Row {
            metric: "sessions, index up to date",
            measured: Value::Time(ours.median()),
            floor,
            aim,
        },
        Row { metric: "search, p95", measured: Value::Time(searched.p95()), floor, aim },
    ])
}

/// From a turn that is appended to a transcript to the search that finds it.
fn appended(bench: &Bench, stage: &Stage) -> Outcome<Row> {
    const WORD: &str = "unheardof";
    let search = stage.atm(&["sessions", WORD, "--json"]);
    let empty = stage.program("/bin/true", &[]);
    let path = first_transcript(&stage.home.join(".claude/projects"))?;
    let mut times = Vec::new();
    for run in 0..bench.scale.cold_starts {
        let turn = String::from_utf8(Writer::new(SEED + 1, run).turn())?;
        let turn = turn.replacen("\"content\":\"", &format!("\"content\":\"{WORD} "), 1);
        let mut file = OpenOptions::new().append(true).open(&path)?;
        let start = Instant::now();
        file.write_all(turn.as_bytes())?;
        let found: Json = serde_json::from_str(&search.output()?)?;
        times.push(start.elapsed());
        if found.pointer("/sessions/0/hit/snippet").is_none() {
            return Err("what was appended is not found".into());
        }
    }
    Ok(Row {
        metric: "appended until found",
        measured: Value::Time(Samples::new(times).median()),
        floor: Value::Time(empty.time(b"")?),
        aim: Aim::AtMost(Value::Time(Duration::from_secs(1))),
    })
}

fn forget(stage: &Stage) -> Outcome<()> {
    for end in ["", "-wal", "-shm"] {
        let mut path = stage.places.index().into_os_string();
        path.push(end);
        if fs::exists(&path)? {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// `wc -l` on all transcripts, each by its name.
fn count_lines(stage: &Stage) -> Outcome<Program> {
    let mut names = Vec::new();
    transcripts(&stage.home.join(".claude/projects"), &mut names)?;
    let list = stage.home.join("transcripts");
    let names: Vec<String> = names.iter().map(|path| format!("{}\0", path.display())).collect();
    fs::write(&list, names.concat())?;
    let mut wc = stage.program("/bin/sh", &["-c", "exec wc -l --files0-from=\"$LIST\""]);
    wc.env.push(("LIST", list.display().to_string()));
    Ok(wc)
}

fn transcripts(folder: &Path, found: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            transcripts(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

fn first_transcript(projects: &Path) -> Outcome<PathBuf> {
    let mut found = Vec::new();
    transcripts(projects, &mut found)?;
    found.sort();
    Ok(found.into_iter().next().ok_or("no transcripts")?)
}

/// Beside ours, if there is one.
fn ccusage(bench: &Bench, stage: &Stage) -> Outcome<()> {
    let Some(path) = std::env::var_os("CCUSAGE") else { return Ok(()) };
    let program = stage.program(path, &["daily", "--offline", "--json"]);
    let times = (0..bench.scale.cold_starts.min(3)).map(|_| program.time(b""));
    println!("  ccusage daily: {}", Samples::new(times.collect::<Outcome<_>>()?));
    Ok(())
}

/// The most that the program had resident, as seen every other millisecond.
fn peak(program: &Program) -> Outcome<u64> {
    let mut child = program.spawn(File::create("/dev/null")?)?;
    let mut most = 0;
    while child.try_wait()?.is_none() {
        most = machine::peak(child.id()).unwrap_or(0).max(most);
        sleep(Duration::from_millis(2));
    }
    Ok(most)
}
