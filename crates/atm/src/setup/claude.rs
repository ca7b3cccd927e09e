//! Which Claude Code is installed. Its files are read first; it is run only if they do not tell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use atm_core::places::claude_dir;
use serde::Deserialize;

use crate::program::{LIMIT, is_program, on_path, run};

const PACKAGE: &str = "@anthropic-ai/claude-code";
/// From `…/claude-code/bin/claude` up to its `package.json`.
const MAX_CLIMB: usize = 3;

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    None,
    /// Of several, the oldest: the settings must suit all of them.
    Version(Version),
    /// There is one, and it does not tell.
    Unknown,
}

impl Version {
    /// `2.1.139`, also with something behind it: `2.1.139 (Claude Code)`, `2.1.139-beta.1`.
    pub(crate) fn parse(text: &str) -> Option<Version> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut numbers = text[..end].split('.').map(str::parse);
        let mut next = || numbers.next()?.ok();
        let version = Version(next()?, next()?, next()?);
        numbers.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// One Claude Code of this machine.
pub(crate) struct Install {
    pub(crate) path: PathBuf,
    /// Without links.
    pub(crate) target: PathBuf,
    pub(crate) version: Option<Version>,
}

pub(crate) fn installed() -> Installed {
    let installs = installs(&|name| std::env::var_os(name));
    oldest(&installs.iter().map(|install| install.version).collect::<Vec<_>>())
}

/// The one that `claude` starts comes first; links to one program are one.
pub(crate) fn installs(env: Env<'_>) -> Vec<Install> {
    let home = env("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let mut paths = on_path(env("PATH"), "claude");
    paths.extend(home.map(|home| home.join(".local/bin/claude")));
    paths.extend(claude_dir(env).map(|folder| folder.join("local/claude")));
    let mut found: Vec<Install> = Vec::new();
    for path in paths.into_iter().filter(|path| is_program(path)) {
        let Ok(target) = path.canonicalize() else { continue };
        if !found.iter().any(|known| known.target == target) {
            let version = version_of(&target);
            found.push(Install { path, target, version });
        }
    }
    found
}

/// What the settings must suit if these are installed.
pub(crate) fn oldest(versions: &[Option<Version>]) -> Installed {
    let known = versions.iter().flatten().min();
    match known {
        _ if versions.is_empty() => Installed::None,
        Some(known) if !versions.contains(&None) || *known < super::hooks::EXEC_FORM => {
            Installed::Version(*known)
        }
        _ => Installed::Unknown,
    }
}

fn version_of(real: &Path) -> Option<Version> {
    // The native installer keeps `…/versions/2.1.325`.
    let name = real.file_name()?.to_str()?;
    Version::parse(name)
        .or_else(|| real.ancestors().skip(1).take(MAX_CLIMB).find_map(packaged))
        // A script beside the package that it starts.
        .or_else(|| packaged(&real.parent()?.join("node_modules").join(PACKAGE)))
        .or_else(|| asked(real))
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

fn packaged(folder: &Path) -> Option<Version> {
    let text = fs::read_to_string(folder.join("package.json")).ok()?;
    let package: Package = serde_json::from_str(&text).ok()?;
    Version::parse(&package.version).filter(|_| package.name == PACKAGE)
}

fn asked(path: &Path) -> Option<Version> {
    let said = run(path, &["--version"], LIMIT).ok()?;
    said.out.lines().find_map(Version::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_with_whatever_follows() {
        for text in ["2.1.139", "2.1.139 (Claude Code)\n", " 2.1.139-beta.1", "2.1.139+x"] {
            assert_eq!(Version::parse(text), Some(Version(2, 1, 139)), "{text:?}");
        }
        for none in ["", "claude", "2.1", "2..139", "2.1.139.4", "v2.1.139", "2.1.99999999999"] {
            assert_eq!(Version::parse(none), None, "{none:?}");
        }
        assert!(Version(2, 1, 139) > Version(2, 1, 78) && Version(2, 0, 999) < Version(2, 1, 0));
    }

    #[test]
    fn version_is_read_from_the_link_target_or_the_package_without_running_anything() {
        let dir = tempfile::tempdir().unwrap();
        let native = dir.path().join("versions/2.1.9");
        assert_eq!(version_of(&native), Some(Version(2, 1, 9)));
        let package = dir.path().join("@anthropic-ai/claude-code");
        fs::create_dir_all(package.join("bin")).unwrap();
        let text = r#"{"name":"@anthropic-ai/claude-code","version":"2.1.7"}"#;
        fs::write(package.join("package.json"), text).unwrap();
        assert_eq!(version_of(&package.join("bin/claude")), Some(Version(2, 1, 7)));
        assert_eq!(version_of(&dir.path().join("claude")), None);
    }

    #[test]
    fn oldest_of_several_counts_and_one_unknown_makes_all_unknown_unless_one_is_older() {
        let (old, new) = (Some(Version(2, 1, 10)), Some(Version(2, 1, 325)));
        assert_eq!(oldest(&[]), Installed::None);
        assert_eq!(oldest(&[new, old]), Installed::Version(Version(2, 1, 10)));
        assert_eq!(oldest(&[new, None]), Installed::Unknown);
        assert_eq!(oldest(&[None, old]), Installed::Version(Version(2, 1, 10)));
    }
}
