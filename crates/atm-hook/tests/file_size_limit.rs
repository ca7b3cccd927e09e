//! A process that may not write large files gets a signal for trying, and dies of it. The limit
//! holds for the whole process, so this test has one of its own.

#[path = "common/mod.rs"]
mod common;

use std::fs::{self, File};

use common::{Ran, hook, journal, records};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[test]
fn journal_at_the_file_size_limit_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(hook(dir.path(), &[], b"{}"), Ran { starts: 1 });
    let limit = fs::metadata(journal(dir.path())).unwrap().len() + 10;
    File::create(dir.path().join("atm.log")).unwrap().set_len(limit).unwrap();
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: Some(limit), maximum }).unwrap();
    assert_eq!(hook(dir.path(), &[], b"{}"), Ran { starts: 0 });
    assert_eq!(records(&journal(dir.path())).len(), 1);
    assert_eq!(fs::metadata(dir.path().join("atm.log")).unwrap().len(), limit);
}
