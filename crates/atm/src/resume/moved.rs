//! Where a repository went. The client notes in `.claude.json` under `githubRepoPaths` which
//! directories it saw for which repository; a clone of the same one is where to go on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::place::is_same;

/// Larger files are not the client's.
const MAX_CONFIG: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
struct Noted {
    #[serde(rename = "githubRepoPaths", default)]
    repositories: BTreeMap<String, Vec<PathBuf>>,
}

/// Directories with the same repository as `gone` had, as far as the client noted which that was:
/// others that it noted, and repositories beside the old place and beside `here`.
pub(crate) fn elsewhere(gone: &Path, here: &Path, notes: &[PathBuf]) -> Vec<PathBuf> {
    let Some((repository, noted)) = notes.iter().find_map(|file| note_of(file, gone)) else {
        return Vec::new();
    };
    let beside = |dir: &Path| {
        let entries = dir.parent().map(fs::read_dir).and_then(Result::ok);
        entries.into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let near = [here.to_owned()].into_iter().chain(beside(gone)).chain(beside(here));
    let mut found: Vec<PathBuf> = Vec::new();
    for dir in noted.into_iter().chain(near) {
        let is_it = dir.is_dir() && origin(&dir).is_some_and(|url| is_url_of(&url, &repository));
        if is_it && !found.iter().any(|known| is_same(known, &dir)) {
            found.push(dir);
        }
    }
    found
}

fn note_of(file: &Path, dir: &Path) -> Option<(String, Vec<PathBuf>)> {
    let about = fs::metadata(file).ok()?;
    let is_fit = about.is_file() && about.len() <= MAX_CONFIG;
    let noted: Noted = serde_json::from_slice(&is_fit.then(|| fs::read(file).ok())??).ok()?;
    noted.repositories.into_iter().find(|(_, dirs)| dirs.iter().any(|known| known == dir))
}

/// `remote.origin.url` of a repository's own configuration.
fn origin(dir: &Path) -> Option<String> {
    let config = fs::read_to_string(dir.join(".git/config")).ok()?;
    let lines = config.lines().map(str::trim);
    let section = lines.skip_while(|line| *line != "[remote \"origin\"]").skip(1);
    let mut keys = section.take_while(|line| !line.starts_with('['));
    keys.find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "url").then(|| value.trim().to_owned())
    })
}

/// `owner/name` in a URL such as `git@github.com:owner/name.git`.
fn is_url_of(url: &str, repository: &str) -> bool {
    let url = url.trim_end_matches('/').trim_end_matches(".git").to_lowercase();
    let rest = url.strip_suffix(&repository.to_lowercase());
    rest.is_some_and(|rest| rest.ends_with(['/', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(dir: &Path, url: &str) {
        fs::create_dir_all(dir.join(".git")).unwrap();
        let config = format!(
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n[remote \"o\"]\n\turl = x\n"
        );
        fs::write(dir.join(".git/config"), config).unwrap();
    }

    #[test]
    fn repository_moved_beside_its_old_place_is_found_by_its_remote() {
        let dir = tempfile::tempdir().unwrap();
        let (gone, new) = (dir.path().join("src/app"), dir.path().join("src/app-moved"));
        repository(&new, "git@github.com:Dev/App.git");
        repository(&dir.path().join("src/other"), "https://github.com/dev/other");
        let notes = dir.path().join(".claude.json");
        let text = serde_json::json!({"githubRepoPaths": {"dev/app": [gone], "dev/other": []}});
        fs::write(&notes, text.to_string()).unwrap();
        let here = dir.path().join("elsewhere");
        assert_eq!(elsewhere(&gone, &here, std::slice::from_ref(&notes)), [new]);
        let unknown = dir.path().join("src/never");
        assert_eq!(elsewhere(&unknown, &here, &[notes]), Vec::<PathBuf>::new());
        assert_eq!(elsewhere(&gone, &here, &[dir.path().join("no")]), Vec::<PathBuf>::new());
    }

    #[test]
    fn url_is_of_a_repository_only_as_a_whole() {
        let cases = [
            ("git@github.com:dev/app.git", true),
            ("https://github.com/dev/app/", true),
            ("https://github.com/mydev/app", false),
            ("https://github.com/dev/app2", false),
        ];
        for (url, expected) in cases {
            assert_eq!(is_url_of(url, "dev/app"), expected, "{url}");
        }
    }
}
