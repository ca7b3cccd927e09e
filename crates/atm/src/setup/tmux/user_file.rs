//! Which of the user's files tmux reads: a running server knows best.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::line;
use super::server::Server;
use super::version::Version;

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The first tmux that looks into `~/.config`, and into `XDG_CONFIG_HOME`.
const CONFIG_FOLDER: Version = Version::new(3, 1);
const XDG_FOLDER: Version = Version::new(3, 2);

/// Where tmux looks, in its order; it reads all that are there. `/etc` is not the user's.
pub(crate) fn usual(env: Env<'_>, version: Version) -> Vec<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let (home, xdg) = (absolute("HOME"), absolute("XDG_CONFIG_HOME"));
    let xdg = xdg.filter(|_| version >= XDG_FOLDER).map(|xdg| xdg.join("tmux/tmux.conf"));
    let config = home.as_ref().filter(|_| version >= CONFIG_FOLDER);
    let config = config.map(|home| home.join(".config/tmux/tmux.conf"));
    let mut paths: Vec<PathBuf> =
        home.map(|home| home.join(".tmux.conf")).into_iter().chain(xdg).chain(config).collect();
    paths.dedup();
    paths
}

/// Every file that may have our line.
pub(crate) fn possible(usual: &[PathBuf], servers: &[Server]) -> Vec<PathBuf> {
    let mut paths = usual.to_vec();
    for path in servers.iter().filter(|server| server.is_main()).flat_map(Server::config_files) {
        if is_users(&path) && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The file that our line is in or should go to; `None` if there is no place for one. The last that
/// tmux reads, so that no other sets the formats anew after us.
pub(crate) fn choose(usual: &[PathBuf], servers: &[Server]) -> Option<PathBuf> {
    let possible = possible(usual, servers);
    if let Some(marked) = possible.iter().find(|path| is_marked(path)) {
        return Some(marked.clone());
    }
    let read = servers.iter().filter(|server| server.is_main()).map(Server::config_files);
    let read = read.filter_map(|files| {
        let files: Vec<PathBuf> = files.into_iter().filter(|path| is_users(path)).collect();
        files.iter().rfind(|path| usual.contains(path)).or(files.last()).cloned()
    });
    let there = |path: &&PathBuf| path.is_file();
    read.into_iter()
        .next()
        .or_else(|| usual.iter().rfind(there).cloned())
        // What is there and is no file is told when it is read.
        .or_else(|| usual.iter().find(|path| path.symlink_metadata().is_ok()).cloned())
        .or_else(|| usual.iter().skip(1).find(|path| has_folder(path)).cloned())
        .or_else(|| usual.first().cloned())
}

fn is_marked(path: &Path) -> bool {
    path.is_file() && fs::read_to_string(path).is_ok_and(|text| line::has(&text))
}

fn is_users(path: &Path) -> bool {
    path.is_absolute() && !path.starts_with("/etc") && path.is_file()
}

fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(Path::is_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vars: &[(&str, &str)], version: Version, expected: &[&str]) {
        let env = |name: &str| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| v.into());
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(usual(&env, version), expected);
    }

    #[test]
    fn usual_places_are_those_of_this_tmux() {
        let home = ("HOME", "/h");
        let now = Version::new(3, 3);
        check(&[home], now, &["/h/.tmux.conf", "/h/.config/tmux/tmux.conf"]);
        check(
            &[home, ("XDG_CONFIG_HOME", "/x")],
            now,
            &["/h/.tmux.conf", "/x/tmux/tmux.conf", "/h/.config/tmux/tmux.conf"],
        );
        check(
            &[home, ("XDG_CONFIG_HOME", "/h/.config")],
            now,
            &["/h/.tmux.conf", "/h/.config/tmux/tmux.conf"],
        );
        check(&[home, ("XDG_CONFIG_HOME", "/x")], Version::new(3, 0), &["/h/.tmux.conf"]);
        check(&[("XDG_CONFIG_HOME", "x")], now, &[]);
    }
}
