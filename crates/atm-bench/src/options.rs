//! The command line, and how much is measured.

use std::path::PathBuf;
use std::time::Duration;

use crate::measure::MEASURES;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) atm: PathBuf,
    /// An empty directory that the caller removes.
    pub(crate) dir: PathBuf,
    pub(crate) scale: Scale,
    pub(crate) heed: Heed,
    pub(crate) only: Option<String>,
}

/// What makes the run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heed {
    Breakage,
    Misses,
}

/// How often each thing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) hooks: usize,
    pub(crate) large_hooks: usize,
    /// Rounds of the 50 senders, and events of each sender in one.
    pub(crate) storms: usize,
    pub(crate) storm_events: usize,
    pub(crate) starts: usize,
    pub(crate) idle: Duration,
    pub(crate) intake: usize,
    pub(crate) changes: usize,
    pub(crate) lists: usize,
    pub(crate) listed: usize,
    /// Transcripts, and bytes of all of them.
    pub(crate) transcripts: usize,
    pub(crate) transcript_bytes: u64,
    pub(crate) cold_starts: usize,
    pub(crate) searches: usize,
}

const FULL: Scale = Scale {
    hooks: 1_500,
    large_hooks: 40,
    storms: 7,
    storm_events: 20,
    starts: 30,
    idle: Duration::from_secs(10),
    intake: 200_000,
    changes: 300,
    lists: 60,
    listed: 1_000,
    transcripts: 2_000,
    transcript_bytes: 1_000_000_000,
    cold_starts: 7,
    searches: 100,
};

const QUICK: Scale = Scale {
    hooks: 200,
    large_hooks: 15,
    storms: 3,
    storm_events: 12,
    starts: 10,
    intake: 20_000,
    lists: 20,
    transcript_bytes: 200_000_000,
    cold_starts: 5,
    searches: 40,
    ..FULL
};

const SMOKE: Scale = Scale {
    hooks: 40,
    large_hooks: 3,
    storms: 1,
    storm_events: 4,
    starts: 3,
    idle: Duration::from_secs(2),
    intake: 5_000,
    changes: 40,
    lists: 3,
    listed: 200,
    transcripts: 100,
    transcript_bytes: 5_000_000,
    cold_starts: 1,
    searches: 5,
};

const USAGE: &str = "\
usage: atm-bench --atm PATH --dir EMPTY_DIR [--quick | --smoke] [--strict] [--only NAME]";

impl Options {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let (mut atm, mut dir, mut only) = (None, None, None);
        let (mut scale, mut heed) = (FULL, Heed::Breakage);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value\n{USAGE}"));
            match arg.as_str() {
                "--atm" => atm = Some(PathBuf::from(value()?)),
                "--dir" => dir = Some(PathBuf::from(value()?)),
                "--only" => only = Some(value()?),
                "--quick" => scale = QUICK,
                "--smoke" => scale = SMOKE,
                "--strict" => heed = Heed::Misses,
                _ => return Err(format!("unknown argument {arg:?}\n{USAGE}\n{}", names())),
            }
        }
        if only.as_ref().is_some_and(|only| MEASURES.iter().all(|(name, _)| name != only)) {
            return Err(names());
        }
        let (Some(atm), Some(dir)) = (atm, dir) else { return Err(USAGE.to_owned()) };
        Ok(Options { atm, dir, scale, heed, only })
    }
}

fn names() -> String {
    let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
    format!("NAME is one of: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn options_typed_are_taken() {
        let options = parse("--atm /a --dir /d --smoke --strict --only hook").unwrap();
        let expected = Options {
            atm: "/a".into(),
            dir: "/d".into(),
            scale: SMOKE,
            heed: Heed::Misses,
            only: Some("hook".into()),
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn options_wrong_or_missing_are_refused() {
        for line in ["--atm /a", "--atm /a --dir", "--atm /a --dir /d --only x", "--dance"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
