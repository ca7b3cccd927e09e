//! Which Claude Code is installed. Its files are read first; it is run only if they do not tell.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::program::{all_on_path, is_program, run};

/// How long `claude --version` may take; it starts a whole runtime.
const PATIENCE: Duration = Duration::from_secs(3);
const PACKAGE: &str = "@anthropic-ai/claude-code";
/// From `…/claude-code/bin/claude` up to its `package.json`.
const MAX_CLIMB: usize = 3;

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

pub(crate) fn installed() -> Installed {
    oldest(&places().iter().map(|path| version_of(path)).collect::<Vec<_>>())
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

fn places() -> Vec<PathBuf> {
    let mut places = all_on_path("claude");
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from).filter(|p| p.is_absolute()) {
        let usual = [home.join(".local/bin/claude"), home.join(".claude/local/claude")];
        places.extend(usual.into_iter().filter(|path| is_program(path)));
    }
    let mut seen = Vec::new();
    places.retain(|path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_new = !seen.contains(&real);
        seen.push(real);
        is_new
    });
    places
}

fn version_of(path: &Path) -> Option<Version> {
    let real = path.canonicalize().ok()?;
    // The native installer keeps `…/versions/2.1.325`.
    let name = real.file_name()?.to_str()?;
    Version::parse(name)
        .or_else(|| real.ancestors().skip(1).take(MAX_CLIMB).find_map(packaged))
        // A script beside the package that it starts.
        .or_else(|| packaged(&real.parent()?.join("node_modules").join(PACKAGE)))
        .or_else(|| asked(path))
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
    let said = run(path, &["--version"], PATIENCE).ok()?;
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
    fn oldest_of_several_counts_and_one_unknown_makes_all_unknown_unless_one_is_older() {
        let (old, new) = (Some(Version(2, 1, 10)), Some(Version(2, 1, 325)));
        assert_eq!(oldest(&[]), Installed::None);
        assert_eq!(oldest(&[new, old]), Installed::Version(Version(2, 1, 10)));
        assert_eq!(oldest(&[new, None]), Installed::Unknown);
        assert_eq!(oldest(&[None, old]), Installed::Version(Version(2, 1, 10)));
    }
}
