//! The branch of a directory, read from git's own files: to ask git would take longer than all the
//! rest.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Parents looked at.
const DEPTH_MAX: usize = 40;
const FILE_MAX: u64 = 4096;
const HASH_SHOWN: usize = 8;

/// The branch, or the beginning of the commit if there is none.
pub(super) fn branch(dir: &Path) -> Option<String> {
    let dot_git = dir.ancestors().take(DEPTH_MAX).map(|dir| dir.join(".git")).find(is_there)?;
    let head = small_file(&git_dir(&dot_git)?.join("HEAD"))?;
    let head = head.trim_end();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => head.get(..HASH_SHOWN).map(str::to_owned),
    }
}

fn is_there(path: &PathBuf) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// In a worktree or submodule `.git` is a file that names the directory.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = small_file(dot_git)?;
    let named = text.strip_prefix("gitdir: ")?.trim_end();
    Some(dot_git.parent()?.join(named))
}

/// A planted FIFO must not hold us.
fn small_file(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut text = String::new();
    File::open(path).ok()?.take(FILE_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn branch_is_found_from_below_and_with_slashes() {
        let dir = tree(&[(".git/HEAD", "ref: refs/heads/feature/x\n"), ("a/b/c", "")]);
        assert_eq!(branch(&dir.path().join("a/b")).as_deref(), Some("feature/x"));
    }

    #[test]
    fn branch_of_a_worktree_is_its_own() {
        let dir = tree(&[
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".git/worktrees/w/HEAD", "ref: refs/heads/other\n"),
            ("w/.git", "gitdir: ../.git/worktrees/w\n"),
        ]);
        assert_eq!(branch(&dir.path().join("w")).as_deref(), Some("other"));
    }

    #[test]
    fn head_without_a_branch_is_told_by_its_commit() {
        let dir = tree(&[(".git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")]);
        assert_eq!(branch(dir.path()).as_deref(), Some("01234567"));
    }

    #[test]
    fn head_that_cannot_be_read_is_no_branch() {
        for files in [&[(".git/HEAD/x", "")][..], &[(".git", "junk")], &[(".git/HEAD", "\n")]] {
            assert_eq!(branch(tree(files).path()), None, "{files:?}");
        }
    }
}
