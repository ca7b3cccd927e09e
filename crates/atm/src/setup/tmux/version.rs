//! What `tmux -V` says, and what follows from it.

/// Major, minor, and the letter of a patch release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32, Option<char>);

/// Pane options, and hooks as lists.
const USABLE: Version = Version::new(3, 0);
/// All that atm does.
const FULL: Version = Version::new(3, 2);

impl Version {
    /// Built from sources that are newer than any release we know.
    pub(crate) const NEWEST: Version = Version::new(u32::MAX, 0);

    pub(crate) const fn new(major: u32, minor: u32) -> Version {
        Version(major, minor, None)
    }

    /// `tmux 3.3a`, `tmux next-3.5`, `tmux openbsd-7.4`, `tmux master`. OpenBSD counts its own
    /// releases, and its tmux is that of the day.
    pub(crate) fn parse(text: &str) -> Option<Version> {
        let word = text.trim().strip_prefix("tmux ")?;
        if word == "master" || word.starts_with("openbsd-") {
            return Some(Version::NEWEST);
        }
        let number = word.strip_prefix("next-").unwrap_or(word);
        let (major, rest) = number.split_once('.')?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let letter = rest[end..].chars().next().filter(char::is_ascii_lowercase);
        Some(Version(major.parse().ok()?, rest[..end].parse().ok()?, letter))
    }

    pub(crate) fn is_usable(self) -> bool {
        self >= USABLE
    }

    pub(crate) fn has_popups(self) -> bool {
        self >= FULL
    }

    /// What an old tmux does without.
    pub(crate) fn shortcomings(self) -> Option<&'static str> {
        (self < FULL).then_some(
            "below 3.2 there are no popups and no messages to one client; marks and visits work",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Version>) {
        assert_eq!(Version::parse(text), expected, "{text:?}");
    }

    #[test]
    fn version_of_every_kind_of_tmux_is_read() {
        check("tmux 3.3a\n", Some(Version(3, 3, Some('a'))));
        check("tmux 3.2", Some(Version(3, 2, None)));
        check("tmux 3.10", Some(Version(3, 10, None)));
        check("tmux 3.3-rc2", Some(Version(3, 3, None)));
        check("tmux next-3.5", Some(Version(3, 5, None)));
        check("tmux openbsd-7.4", Some(Version::NEWEST));
        check("tmux master", Some(Version::NEWEST));
        for nonsense in ["", "tmux", "tmux three", "screen 4.9", "tmux 3", "tmux 3.x"] {
            check(nonsense, None);
        }
    }

    #[test]
    fn version_decides_what_works() {
        let of = |text| Version::parse(text).unwrap();
        assert!(!of("tmux 2.9a").is_usable() && of("tmux 3.0").is_usable());
        assert!(of("tmux 3.1c").shortcomings().is_some());
        assert!(of("tmux 3.2").shortcomings().is_none() && of("tmux 3.2a") > of("tmux 3.2"));
    }
}
