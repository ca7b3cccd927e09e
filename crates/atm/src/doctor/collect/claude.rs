//! Which Claude Code is installed where, without waiting for one that hangs.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use atm_core::places::claude_dir;
use serde::Deserialize;

use super::super::dump::{Install, Place};
use super::super::program;
use super::Env;
use super::path::on_path;

/// Folders above the program in which its package may be described.
const PACKAGE_DEPTH: usize = 4;

/// The one that `claude` starts comes first; links to one program are one.
pub(super) fn installs(env: Env<'_>) -> Vec<Install> {
    let home = env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let mut paths = on_path(env, "claude");
    paths.extend(home.map(|home| home.join(".local/bin/claude")));
    paths.extend(claude_dir(env).map(|folder| folder.join("local/claude")));
    let mut found: Vec<Install> = Vec::new();
    for path in paths {
        let Ok(target) = path.canonicalize() else { continue };
        let target = Place(target);
        if target.0.is_file() && !found.iter().any(|known| known.target == target) {
            let version = version_of(&target.0);
            found.push(Install { path: Place(path), target, version });
        }
    }
    found
}

fn version_of(target: &Path) -> Option<String> {
    by_name(target).or_else(|| by_package(target)).or_else(|| by_asking(target))
}

/// `~/.local/share/claude/versions/2.1.325`.
fn by_name(target: &Path) -> Option<String> {
    let name = target.file_name()?.to_str()?;
    is_version(name).then(|| name.to_owned())
}

fn by_package(target: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let folders = target.ancestors().skip(1).take(PACKAGE_DEPTH);
    let read = |folder: &Path| {
        let text = fs::read_to_string(folder.join("package.json")).ok()?;
        serde_json::from_str::<Package>(&text).ok()
    };
    let package = folders.filter_map(read).find(|package| package.name.contains("claude-code"))?;
    is_version(&package.version).then_some(package.version)
}

fn by_asking(target: &Path) -> Option<String> {
    let said = program::version(OsStr::new(target)).ok()?;
    said.split_whitespace().next().filter(|word| is_version(word)).map(str::to_owned)
}

fn is_version(word: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let core = word.split(['-', '+']).next().unwrap_or_default();
    core.split('.').count() == 3 && core.split('.').all(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_has_three_numbers() {
        for good in ["2.1.325", "2.1.325-beta.1"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["claude", "2.1", "2.1.x", "2..1", ""] {
            assert!(!is_version(bad), "{bad}");
        }
    }

    #[test]
    fn version_is_read_from_the_link_target_or_the_package_without_running_anything() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(by_name(&dir.path().join("versions/2.1.9")).as_deref(), Some("2.1.9"));
        let package = dir.path().join("@anthropic-ai/claude-code");
        fs::create_dir_all(package.join("bin")).unwrap();
        let text = r#"{"name":"@anthropic-ai/claude-code","version":"2.1.7"}"#;
        fs::write(package.join("package.json"), text).unwrap();
        assert_eq!(by_package(&package.join("bin/claude")).as_deref(), Some("2.1.7"));
        assert_eq!(by_package(&dir.path().join("claude")), None);
    }
}
