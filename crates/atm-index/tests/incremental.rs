//! However a transcript grows, shrinks and is replaced between two looks, what the index knows is
//! what one made from nothing knows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use atm_core::prices::Prices;
use atm_core::stamp::Stamp;
use atm_index::corpus::Writer;
use atm_index::{FullText, Index, IndexError, Limits, Query, Session, Tokens, Want};
use proptest::prelude::*;

const FILES: usize = 3;
const NOW: Stamp = Stamp(1_794_771_758_558);

struct World {
    temp: tempfile::TempDir,
    /// What each transcript is to hold in the end.
    scripts: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
enum Act {
    /// So many bytes more, wherever that cuts a line.
    Append(usize, usize),
    Truncate(usize, usize),
    /// Another file under the same name.
    Rotate(usize),
    Remove(usize),
    Look,
}

/// All that the index tells.
#[derive(Debug, PartialEq)]
struct Known {
    sessions: Vec<Session>,
    answers: Vec<(String, Stamp, String, Tokens)>,
    found: Vec<Vec<String>>,
}

fn act() -> impl Strategy<Value = Act> {
    let file = 0..FILES;
    prop_oneof![
        6 => (file.clone(), 1..6_000_usize).prop_map(|(file, bytes)| Act::Append(file, bytes)),
        1 => (file.clone(), 0..9_000_usize).prop_map(|(file, size)| Act::Truncate(file, size)),
        1 => file.clone().prop_map(Act::Rotate),
        1 => file.prop_map(Act::Remove),
        4 => Just(Act::Look),
    ]
}

impl World {
    fn new(seed: u64) -> World {
        let script = |number| {
            let mut writer = Writer::new(seed, number);
            let mut script: Vec<u8> = (0..4).flat_map(|_| writer.turn()).collect();
            // What nobody expects.
            script.extend(b"not JSON\n\xff\xfe\n{\"type\":\"assistant\",\"message\":7}\n");
            script.extend(writer.turn());
            script
        };
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("claude/projects/p")).unwrap();
        World { temp, scripts: (0..FILES).map(script).collect() }
    }

    fn path(&self, file: usize) -> PathBuf {
        self.temp.path().join(format!("claude/projects/p/session-{file}.jsonl"))
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Append(file, bytes) => {
                let path = self.path(file);
                let mut out = OpenOptions::new().create(true).append(true).open(&path).unwrap();
                let at = usize::try_from(out.metadata().unwrap().len()).unwrap();
                let rest = self.scripts[file].get(at..).unwrap_or_default();
                out.write_all(&rest[..bytes.min(rest.len())]).unwrap();
            }
            Act::Truncate(file, size) => {
                if let Ok(out) = OpenOptions::new().write(true).open(self.path(file)) {
                    let size = out.metadata().unwrap().len().min(size as u64);
                    out.set_len(size).unwrap();
                }
            }
            Act::Rotate(file) => {
                let fresh = World::new(file as u64 + 77).scripts.swap_remove(file);
                let aside = self.path(file).with_extension("new");
                fs::write(&aside, &fresh[..fresh.len() / 2]).unwrap();
                fs::rename(aside, self.path(file)).unwrap();
                self.scripts[file] = fresh;
            }
            Act::Remove(file) => drop(fs::remove_file(self.path(file))),
            Act::Look => drop(self.look("index.db")),
        }
    }

    fn look(&self, name: &str) -> Known {
        known(&self.temp.path().join(name), &self.temp.path().join("claude"))
    }
}

fn known(path: &Path, config: &Path) -> Known {
    let configs = [config.to_owned()];
    let ask = |mut index: Index| {
        index.refresh(&configs, Want::Texts)?;
        tell(&index)
    };
    Index::consult(path, Limits::default(), ask).unwrap()
}

fn tell(index: &Index) -> Result<Known, IndexError> {
    let prices = Prices::list();
    let ledger = index.ledger(&prices)?;
    let mut answers: Vec<_> = ledger
        .answers()
        .map(|a| (a.session.id.clone(), a.at, a.model.to_owned(), a.tokens))
        .collect();
    answers.sort_by(|a, b| (&a.0, a.1, &a.2).cmp(&(&b.0, b.1, &b.2)));
    let mut sessions = ledger.sessions().to_vec();
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    let mut found = Vec::new();
    for words in ["login", "parser -cache", "rare*", "\"the daemon\""] {
        let query = Query::parse(words);
        let (ledger, finds) = index.search(&prices, &query, NOW)?;
        let hits = ledger.hits(&finds, &query, 99, |_| true);
        let mut ids: Vec<String> = hits.iter().map(|hit| hit.session.id.clone()).collect();
        assert!(hits.iter().all(|hit| hit.snippet.is_some()), "{words}");
        ids.sort();
        found.push(ids);
    }
    Ok(Known { sessions, answers, found })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn index_kept_up_to_date_equals_one_made_from_nothing(
        seed in 0..u64::MAX / 2,
        acts in prop::collection::vec(act(), 1..30),
    ) {
        let mut world = World::new(seed);
        acts.iter().for_each(|act| world.act(act));
        prop_assert_eq!(world.look("index.db"), world.look("cold.db"));
    }
}

#[test]
fn half_a_line_is_not_taken_until_its_end_comes() {
    let mut world = World::new(5);
    let whole = world.scripts[0].iter().position(|byte| *byte == b'\n').unwrap();
    world.act(&Act::Append(0, whole));
    assert_eq!(world.look("index.db").sessions[0].turns, 0);
    world.act(&Act::Append(0, 1));
    assert_eq!(world.look("index.db").sessions[0].turns, 1);
}

#[test]
fn only_what_was_appended_is_read() {
    let world = World::new(6);
    let (path, config) = (world.temp.path().join("index.db"), world.temp.path().join("claude"));
    let refresh = || {
        let configs = [config.clone()];
        Index::up_to_date(&path, &configs, Want::Facts, Limits::default()).unwrap().1
    };
    fs::write(world.path(0), &world.scripts[0]).unwrap();
    fs::write(world.path(1), &world.scripts[1]).unwrap();
    assert_eq!(refresh().bytes, (world.scripts[0].len() + world.scripts[1].len()) as u64);
    assert_eq!(refresh().bytes, 0);
    let mut file = OpenOptions::new().append(true).open(world.path(1)).unwrap();
    file.write_all(b"{}\n").unwrap();
    let refreshed = refresh();
    assert_eq!((refreshed.read, refreshed.bytes), (1, 3));
}

#[test]
fn damaged_index_is_set_aside_and_made_anew() {
    let mut world = World::new(7);
    world.act(&Act::Append(0, 100_000));
    let expected = world.look("index.db");
    let path = world.temp.path().join("index.db");
    for garbage in
        [&b"this is no database, but long enough to look like one?"[..], b"SQLite format 3\0junk"]
    {
        fs::write(&path, garbage).unwrap();
        assert_eq!(world.look("index.db"), expected);
        assert_eq!(fs::read(world.temp.path().join("index.db.damaged")).unwrap(), garbage);
    }
    // Damage in the middle is met while reading.
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle..].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    drop(fs::remove_file(path.with_extension("db-wal")));
    assert_eq!(world.look("index.db").sessions, expected.sessions);
}

#[test]
fn index_of_another_version_is_made_anew() {
    let mut world = World::new(8);
    world.act(&Act::Append(0, 100_000));
    let expected = world.look("index.db");
    let conn = rusqlite::Connection::open(world.temp.path().join("index.db")).unwrap();
    conn.execute_batch("PRAGMA user_version = 99; DROP TABLE files;").unwrap();
    drop(conn);
    assert_eq!(world.look("index.db"), expected);
}

#[test]
fn full_text_can_be_switched_off_and_is_bounded() {
    let mut world = World::new(9);
    (0..FILES).for_each(|file| world.act(&Act::Append(file, 100_000)));
    let (path, config) = (world.temp.path().join("index.db"), world.temp.path().join("claude"));
    let hits = |limits| {
        let configs = [config.clone()];
        let (index, _) = Index::up_to_date(&path, &configs, Want::Texts, limits).unwrap();
        let query = Query::parse("the");
        let (ledger, finds) = index.search(&Prices::list(), &query, NOW).unwrap();
        (ledger.hits(&finds, &query, 9, |_| true).len(), ledger.sessions().len())
    };
    assert_eq!(hits(Limits::default()), (FILES, FILES));
    let off = Limits { full_text: FullText::Off, ..Limits::default() };
    assert_eq!(hits(off), (0, FILES));
    assert_eq!(hits(Limits::default()), (FILES, FILES));
    let small = Limits { max_size: 4096, ..Limits::default() };
    assert_eq!(hits(small), (0, FILES));
    // What was let go does not come back by itself.
    assert_eq!(hits(Limits::default()), (0, FILES));
}
