//! Closed segments: their names, and the list of those that are there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::JournalError;

/// A segment that is never written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Closed {
    /// Position of its first byte.
    pub(super) base: u64,
    pub(super) len: u64,
}

impl Closed {
    pub(super) fn end(self) -> u64 {
        self.base + self.len
    }
}

pub(super) fn path(dir: &Path, base: u64) -> PathBuf {
    dir.join(format!("seg-{base:020}.jsonl"))
}

fn parse(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("seg-")?.strip_suffix(".jsonl")?;
    let is_ours = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_ours.then(|| digits.parse().ok())?
}

/// By position. A missing directory holds none.
pub(super) fn list(dir: &Path) -> Result<Vec<Closed>, JournalError> {
    let failed = |error| JournalError::io("list", dir, error);
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let Some(base) = entry.file_name().to_str().and_then(parse) else { continue };
        // Gone between the two calls, or no file: none of ours.
        let Ok(meta) = entry.metadata() else { continue };
        // SQLite, which stores positions, counts up to i64::MAX.
        let fits = base.checked_add(meta.len()).is_some_and(|end| i64::try_from(end).is_ok());
        if meta.is_file() && fits {
            found.push(Closed { base, len: meta.len() });
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Where the current segment starts.
pub(super) fn end(closed: &[Closed]) -> u64 {
    closed.iter().map(|segment| segment.end()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_names_of_others_are_not_taken_for_ours() {
        assert_eq!(parse("seg-00000000000000000017.jsonl"), Some(17));
        for name in [
            "seg-17.jsonl",
            "seg-00000000000000000017.jsonl.gz",
            "seg-+0000000000000000017.jsonl",
            "seg-99999999999999999999.jsonl",
            "current.jsonl",
        ] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
