use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use atm_core::record::lines;
use proptest::prelude::*;
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use super::*;

fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn current(dir: &Path) -> PathBuf {
    dir.join("current.jsonl")
}

/// Appends raw bytes to the current segment, as a hook does it.
fn append(dir: &Path, bytes: &[u8]) {
    loop {
        let mut file = File::options().append(true).create(true).open(current(dir)).unwrap();
        flock(file.as_fd(), FlockOperation::LockShared).unwrap();
        let named = fs::metadata(current(dir)).map(|meta| meta.ino()).ok();
        if named == Some(file.metadata().unwrap().ino()) {
            assert_eq!(file.write(bytes).unwrap(), bytes.len());
            return;
        }
    }
}

fn record(text: &str) -> Vec<u8> {
    format!("\n{text}\n").into_bytes()
}

/// Everything that is left, line by line with positions.
fn drain(journal: &mut Journal, max: usize) -> Vec<(u64, Vec<u8>)> {
    let mut all = Vec::new();
    loop {
        let chunk = journal.read(max).unwrap();
        if chunk.is_empty() {
            return all;
        }
        assert_eq!(chunk.start + chunk.bytes.len() as u64, journal.position());
        all.extend(lines(&chunk.bytes).map(|l| (chunk.start + l.offset as u64, l.bytes.to_vec())));
    }
}

fn texts(found: &[(u64, Vec<u8>)]) -> Vec<String> {
    found.iter().map(|(_, line)| String::from_utf8_lossy(line).into_owned()).collect()
}

fn segment_names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("seg-"))
        .collect();
    names.sort();
    names
}

#[test]
fn open_of_a_missing_directory_makes_a_private_one() {
    let temp = temp();
    let dir = temp.path().join("state/journal");
    let mut journal = Journal::open(&dir, 0).unwrap();
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(journal.read(100).unwrap().is_empty());
    assert_eq!((journal.position(), journal.skipped), (0, 0));
}

#[test]
fn open_of_a_symlinked_directory_is_refused() {
    let temp = temp();
    fs::create_dir(temp.path().join("real")).unwrap();
    symlink(temp.path().join("real"), temp.path().join("link")).unwrap();
    for name in ["link", "link/"] {
        let error = Journal::open(&temp.path().join(name), 0).unwrap_err();
        assert!(matches!(error, JournalError::Symlink { .. }), "{error}");
    }
    assert!(fs::read_dir(temp.path().join("real")).unwrap().next().is_none());
}

#[test]
fn open_of_a_directory_of_somebody_else_is_refused() {
    // As root, somebody else's is made by giving it away.
    let temp = temp();
    let given = rustix::process::geteuid().is_root().then(|| temp.path().join("given"));
    let dir = given.unwrap_or_else(|| PathBuf::from("/usr"));
    if !dir.exists() {
        fs::create_dir(&dir).unwrap();
        std::os::unix::fs::chown(&dir, Some(65_534), None).unwrap();
    }
    let error = Journal::open(&dir, 0).unwrap_err();
    assert!(matches!(error, JournalError::Foreign { .. }), "{error}");
}

#[test]
fn garbage_between_records_spares_its_neighbours() {
    let temp = temp();
    append(temp.path(), &record("{\"n\":1}"));
    append(temp.path(), b"\n{\"torn\":");
    append(temp.path(), &record("{\"n\":2}"));
    append(temp.path(), b"\n\0\0\0\xff\xfe\n");
    append(temp.path(), &record("{\"n\":3}"));
    for max in [1, 2, 7, 1 << 16] {
        let mut journal = Journal::open(temp.path(), 0).unwrap();
        let found = drain(&mut journal, max);
        let expected: [(u64, &[u8]); 5] = [
            (1, b"{\"n\":1}"),
            (10, b"{\"torn\":"),
            (19, b"{\"n\":2}"),
            (28, b"\0\0\0\xff\xfe"),
            (35, b"{\"n\":3}"),
        ];
        let expected: Vec<_> = expected.iter().map(|(at, line)| (*at, line.to_vec())).collect();
        assert_eq!(found, expected, "max {max}");
        assert_eq!((journal.position(), journal.losses()), (43, Losses::default()));
    }
}

#[test]
fn half_written_tail_waits_until_it_is_whole() {
    let temp = temp();
    append(temp.path(), b"one\ntw");
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    assert_eq!(journal.read(100).unwrap().bytes, b"one\n");
    assert!(journal.read(100).unwrap().is_empty());
    assert_eq!(journal.position(), 4);
    append(temp.path(), b"o\n");
    assert_eq!(journal.read(100).unwrap(), Chunk { start: 4, bytes: b"two\n".to_vec() });
}

#[test]
fn line_longer_than_asked_for_comes_alone_and_whole() {
    let temp = temp();
    let long = "x".repeat(1000);
    append(temp.path(), format!("a\n{long}\nb\nc\n").as_bytes());
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    let sizes: Vec<usize> =
        std::iter::from_fn(|| Some(journal.read(10).unwrap().bytes.len()).filter(|len| *len > 0))
            .collect();
    assert_eq!(sizes, [2, 1001, 4]);
}

#[test]
fn line_beyond_all_measure_is_passed_over_and_counted() {
    let temp = temp();
    append(temp.path(), b"before\n");
    append(temp.path(), &vec![b'x'; 2 * LINE_MAX + 5]);
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    assert_eq!(texts(&drain(&mut journal, 1000)), ["before"]);
    append(temp.path(), &vec![b'y'; LINE_MAX]);
    append(temp.path(), b"\nafter\n");
    assert_eq!(drain(&mut journal, 1000), [(7 + 3 * LINE_MAX as u64 + 6, b"after".to_vec())]);
    assert_eq!(journal.losses().overlong, 1);
}

#[test]
fn line_of_exactly_the_limit_is_delivered() {
    let temp = temp();
    append(temp.path(), &[vec![b'x'; LINE_MAX - 1], b"\n".to_vec()].concat());
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    assert_eq!(journal.read(1000).unwrap().bytes.len(), LINE_MAX);
    assert_eq!(journal.losses().overlong, 0);
}

#[test]
fn rotation_goes_on_seamlessly_and_names_segments_by_position() {
    let temp = temp();
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    assert!(!journal.rotate(0).unwrap(), "nothing there");
    append(temp.path(), &record("one"));
    assert!(!journal.rotate(5).unwrap(), "not larger than the limit");
    assert!(journal.rotate(4).unwrap());
    append(temp.path(), &record("two!"));
    assert!(journal.rotate(0).unwrap(), "also if not read yet");
    append(temp.path(), &record("three"));
    let expected = [(1, "one"), (6, "two!"), (12, "three")];
    let expected: Vec<_> = expected.map(|(at, text)| (at, text.as_bytes().to_vec())).into();
    assert_eq!(drain(&mut journal, 3), expected);
    let names = ["seg-00000000000000000000.jsonl", "seg-00000000000000000005.jsonl"];
    assert_eq!(segment_names(temp.path()), names);
    let mut again = Journal::open(temp.path(), 5).unwrap();
    assert_eq!(drain(&mut again, 100), expected[1..]);
    assert_eq!(read_all(temp.path()).map(Result::unwrap).collect::<Vec<_>>(), expected);
}

#[test]
fn rotation_while_a_hook_writes_is_put_off() {
    let temp = temp();
    append(temp.path(), &record("one"));
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    let hook = File::open(current(temp.path())).unwrap();
    flock(&hook, FlockOperation::LockShared).unwrap();
    assert!(!journal.rotate(0).unwrap());
    drop(hook);
    assert!(journal.rotate(0).unwrap());
}

#[test]
fn rotation_leaves_no_lock_behind() {
    let temp = temp();
    append(temp.path(), &record("one"));
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    drain(&mut journal, 100);
    let hook = File::open(current(temp.path())).unwrap();
    assert!(journal.rotate(0).unwrap());
    flock(&hook, FlockOperation::NonBlockingLockShared).unwrap();
    // Somebody put another file in place: nothing is renamed, nothing stays locked.
    append(temp.path(), &record("two"));
    drain(&mut journal, 100);
    let old = File::open(current(temp.path())).unwrap();
    fs::remove_file(current(temp.path())).unwrap();
    append(temp.path(), &record("three"));
    assert!(!journal.rotate(0).unwrap());
    flock(&old, FlockOperation::NonBlockingLockShared).unwrap();
    assert_eq!(drain(&mut journal, 100), [(11, b"three".to_vec())]);
}

#[test]
fn record_torn_at_the_end_of_a_segment_is_ended_by_the_next_one() {
    let temp = temp();
    append(temp.path(), b"\none\n\ntorn");
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    assert!(journal.rotate(0).unwrap());
    assert_eq!(texts(&drain(&mut journal, 100)), ["one"]);
    append(temp.path(), &record("two"));
    assert_eq!(texts(&drain(&mut journal, 100)), ["torn", "two"]);
    assert_eq!(journal.losses(), Losses::default());
}

#[test]
fn journal_deleted_while_away_goes_on_at_the_old_position() {
    let temp = temp();
    append(temp.path(), &record("new one"));
    let mut journal = Journal::open(temp.path(), 5000).unwrap();
    append(temp.path(), &record("new two"));
    let expected = [(5001, b"new one".to_vec()), (5010, b"new two".to_vec())];
    assert_eq!(drain(&mut journal, 100), expected);
    assert_eq!(journal.position(), 5018);
    // The same positions after another start, before and after a rotation.
    let mut again = Journal::open(temp.path(), 5009).unwrap();
    assert_eq!(drain(&mut again, 100), expected[1..]);
    assert!(again.rotate(0).unwrap());
    append(temp.path(), &record("new three"));
    let mut again = Journal::open(temp.path(), 5018).unwrap();
    assert_eq!(drain(&mut again, 100), [(5019, b"new three".to_vec())]);
    assert_eq!(segment_names(temp.path()), ["seg-00000000000000005000.jsonl"]);
}

#[test]
fn journal_emptied_while_away_gives_no_position_twice() {
    let temp = temp();
    let mut journal = Journal::open(temp.path(), 5000).unwrap();
    assert!(journal.read(100).unwrap().is_empty());
    drop(journal);
    let mut journal = Journal::open(temp.path(), 5000).unwrap();
    append(temp.path(), &record("one"));
    assert_eq!(drain(&mut journal, 100), [(5001, b"one".to_vec())]);
}

#[test]
fn current_deleted_under_us_is_drained_and_its_successor_read() {
    let temp = temp();
    append(temp.path(), &record("one"));
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    drain(&mut journal, 100);
    append(temp.path(), &record("two"));
    fs::remove_file(current(temp.path())).unwrap();
    assert_eq!(drain(&mut journal, 100), [(6, b"two".to_vec())]);
    append(temp.path(), &record("three"));
    assert_eq!(drain(&mut journal, 100), [(11, b"three".to_vec())]);
    assert_eq!(journal.losses().renewed, 1);
    let mut again = Journal::open(temp.path(), 10).unwrap();
    assert_eq!(drain(&mut again, 100), [(11, b"three".to_vec())]);
}

#[test]
fn whole_directory_deleted_under_us_goes_on_when_hooks_make_it_again() {
    let temp = temp();
    let dir = temp.path().join("journal");
    let mut journal = Journal::open(&dir, 0).unwrap();
    append(&dir, &record("one"));
    assert!(journal.rotate(0).unwrap());
    append(&dir, &record("two"));
    assert_eq!(drain(&mut journal, 100).len(), 2);
    fs::remove_dir_all(&dir).unwrap();
    assert!(journal.read(100).unwrap().is_empty());
    assert!(!journal.rotate(0).unwrap());
    fs::create_dir(&dir).unwrap();
    append(&dir, &record("three"));
    assert_eq!(drain(&mut journal, 100), [(11, b"three".to_vec())]);
    let mut again = Journal::open(&dir, 10).unwrap();
    assert_eq!(drain(&mut again, 100), [(11, b"three".to_vec())]);
}

#[test]
fn current_truncated_under_us_loses_nothing_written_since() {
    let temp = temp();
    append(temp.path(), &record("one"));
    append(temp.path(), &record("two"));
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    drain(&mut journal, 100);
    File::create(current(temp.path())).unwrap();
    append(temp.path(), b"3\n");
    assert_eq!(drain(&mut journal, 100), [(10, b"3".to_vec())]);
    assert!(journal.read(100).unwrap().is_empty());
    append(temp.path(), &record("4"));
    assert_eq!(drain(&mut journal, 100), [(13, b"4".to_vec())]);
    let mut again = Journal::open(temp.path(), 12).unwrap();
    assert_eq!(drain(&mut again, 100), [(13, b"4".to_vec())]);
}

#[test]
fn closed_segment_that_vanished_is_counted_and_passed_over() {
    let temp = temp();
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    for text in ["one", "two", "three"] {
        append(temp.path(), &record(text));
        assert!(journal.rotate(0).unwrap());
    }
    fs::remove_file(temp.path().join("seg-00000000000000000005.jsonl")).unwrap();
    assert_eq!(texts(&drain(&mut journal, 100)), ["one", "three"]);
    assert_eq!(journal.losses().torn, 1);
}

#[test]
fn retention_deletes_the_oldest_stored_segments_but_never_the_newest() {
    let temp = temp();
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    for text in ["one", "two", "sri", "for"] {
        append(temp.path(), &record(text));
        assert!(journal.rotate(0).unwrap());
    }
    assert_eq!(journal.retain(20, 0).unwrap(), 0, "nothing was read yet");
    drain(&mut journal, 100);
    assert_eq!(journal.retain(4, 0).unwrap(), 0, "nothing is stored yet");
    assert_eq!(journal.retain(20, 20).unwrap(), 0, "small enough");
    assert_eq!(journal.retain(9, 0).unwrap(), 5, "one segment is stored as a whole");
    assert_eq!(journal.retain(20, 11).unwrap(), 5, "only as far as needed");
    assert_eq!(journal.retain(20, 0).unwrap(), 5, "the newest stays");
    assert_eq!(journal.retain(20, 0).unwrap(), 0);
    assert_eq!(segment_names(temp.path()), ["seg-00000000000000000015.jsonl"]);
    append(temp.path(), &record("five"));
    assert_eq!(drain(&mut journal, 100), [(21, b"five".to_vec())]);

    let mut late = Journal::open(temp.path(), 3).unwrap();
    assert_eq!((late.skipped, late.position()), (12, 15));
    assert_eq!(texts(&drain(&mut late, 100)), ["for", "five"]);
}

#[test]
fn retention_knows_the_segment_that_marks_a_new_beginning() {
    let temp = temp();
    let mut journal = Journal::open(temp.path(), 0).unwrap();
    append(temp.path(), &record("one"));
    assert!(journal.rotate(0).unwrap());
    append(temp.path(), &record("two"));
    drain(&mut journal, 100);
    fs::remove_file(current(temp.path())).unwrap();
    append(temp.path(), &record("three"));
    drain(&mut journal, 100);
    assert_eq!(journal.retain(17, 0).unwrap(), 5);
    assert_eq!(segment_names(temp.path()), ["seg-00000000000000000010.jsonl"]);
    let mut again = Journal::open(temp.path(), 10).unwrap();
    assert_eq!(drain(&mut again, 100), [(11, b"three".to_vec())]);
}

#[test]
fn read_all_changes_nothing_and_knows_missing_directories() {
    let temp = temp();
    assert_eq!(read_all(&temp.path().join("none")).count(), 0);
    assert!(!temp.path().join("none").exists());
    let mut journal = Journal::open(temp.path(), 77).unwrap();
    append(temp.path(), &record("one"));
    assert!(journal.rotate(0).unwrap());
    append(temp.path(), b"\ntwo\nhalf");
    let found: Vec<_> = read_all(temp.path()).map(Result::unwrap).collect();
    assert_eq!(found, [(78, b"one".to_vec()), (83, b"two".to_vec())]);
}

const WRITERS: usize = 8;
const EACH: usize = 400;

#[test]
fn records_of_many_writers_survive_rotation_exactly_once_and_in_order() {
    let temp = temp();
    let dir = temp.path();
    let mut journal = Journal::open(dir, 0).unwrap();
    let done = AtomicUsize::new(0);
    let mut found = Vec::new();
    let mut rotations = 0;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let done = &done;
            scope.spawn(move || {
                for number in 0..EACH {
                    append(dir, &record(&format!("{writer}:{number}:{}", "x".repeat(number % 97))));
                    // Without a moment of peace nobody gets the exclusive lock.
                    std::thread::sleep(Duration::from_micros(200));
                }
                done.fetch_add(1, Ordering::Release);
            });
        }
        loop {
            let finished = done.load(Ordering::Acquire) == WRITERS;
            found.extend(drain(&mut journal, 512));
            rotations += usize::from(journal.rotate(2_000).unwrap());
            if finished {
                break;
            }
        }
    });
    found.extend(drain(&mut journal, 512));
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts(&found) {
        let mut parts = text.split(':');
        let expected = next.entry(parts.next().unwrap().to_owned()).or_default();
        assert_eq!(parts.next().unwrap(), expected.to_string(), "{text}");
        *expected += 1;
    }
    assert_eq!(next.values().sum::<usize>(), WRITERS * EACH);
    assert!(rotations > 3, "{rotations} rotations");
    assert!(found.is_sorted_by_key(|(at, _)| *at));
    assert_eq!(read_all(dir).map(Result::unwrap).collect::<Vec<_>>(), found);
}

#[derive(Clone, Debug)]
enum Act {
    Record(Vec<u8>),
    Torn(Vec<u8>),
    Rotate,
}

fn act() -> impl Strategy<Value = Act> {
    let line = proptest::collection::vec(any::<u8>().prop_filter("", |b| *b != b'\n'), 1..40);
    prop_oneof![
        6 => line.clone().prop_map(Act::Record),
        1 => line.prop_map(Act::Torn),
        2 => Just(Act::Rotate),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reopened_at_any_position_gives_the_same_rest(
        acts in proptest::collection::vec(act(), 1..30),
        max in 1_usize..200,
    ) {
        let temp = temp();
        let mut writer = Journal::open(temp.path(), 0).unwrap();
        let mut stream = Vec::new();
        for act in acts {
            let bytes = match act {
                Act::Record(line) => [b"\n", &line[..], b"\n"].concat(),
                Act::Torn(line) => [b"\n", &line[..]].concat(),
                Act::Rotate => {
                    writer.rotate(0).unwrap();
                    continue;
                }
            };
            append(temp.path(), &bytes);
            stream.extend(bytes);
        }
        let all: Vec<(u64, Vec<u8>)> =
            lines(&stream).map(|line| (line.offset as u64, line.bytes.to_vec())).collect();
        let mut journal = Journal::open(temp.path(), 0).unwrap();
        loop {
            let position = journal.position();
            let rest: Vec<_> = all.iter().filter(|(at, _)| *at >= position).cloned().collect();
            let mut again = Journal::open(temp.path(), position).unwrap();
            prop_assert_eq!(drain(&mut again, max), rest);
            prop_assert_eq!((again.skipped, again.losses()), (0, Losses::default()));
            if journal.read(1).unwrap().is_empty() {
                break;
            }
        }
    }
}
