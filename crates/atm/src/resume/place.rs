//! The directory in which a session is gone on with: what was tracked, what the transcript says, what
//! its folder is called, checked against each other.

use std::path::{Path, PathBuf};

use atm_core::paths::encode;

/// What is known of where a session belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clues {
    /// Where the daemon saw it start.
    pub(crate) tracked: Option<PathBuf>,
    /// The directory in the transcript that has the folder's name.
    pub(crate) home: Option<PathBuf>,
    /// The first directory in the transcript.
    pub(crate) first: Option<PathBuf>,
    /// What the folder's name can mean here, best first; only asked for where `home` is not known.
    pub(crate) decoded: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Sure(PathBuf),
    /// The clues disagree; the words say how.
    Doubtful(PathBuf, String),
    Missing(PathBuf),
    Unknown,
}

impl Clues {
    /// The transcript's place is the client's own word, so that it wins over what was tracked; only
    /// directories that are there can win. `exists` looks.
    pub(crate) fn weigh(&self, exists: &dyn Fn(&Path) -> bool) -> Place {
        let written = self.home.as_ref().or(self.decoded.first()).or(self.first.as_ref());
        match (written, &self.tracked) {
            (None, None) => Place::Unknown,
            (Some(one), None) if exists(one) => self.doubt_of_the_folder(one),
            (Some(one), None) | (None, Some(one)) if !exists(one) => Place::Missing(one.clone()),
            (Some(one), None) | (None, Some(one)) => Place::Sure(one.clone()),
            (Some(written), Some(tracked)) if is_same(written, tracked) => {
                let found = exists(tracked);
                if found { Place::Sure(tracked.clone()) } else { Place::Missing(tracked.clone()) }
            }
            (Some(written), Some(tracked)) => {
                let words = format!(
                    "atm saw the session start in {}, but its transcript belongs to {}",
                    tracked.display(),
                    written.display()
                );
                match (exists(written), exists(tracked)) {
                    (true, _) => Place::Doubtful(written.clone(), words),
                    (false, true) => Place::Doubtful(tracked.clone(), words + ", which is gone"),
                    (false, false) => Place::Missing(written.clone()),
                }
            }
        }
    }

    /// Where no record has the folder's name, the records and the folder disagree.
    fn doubt_of_the_folder(&self, written: &Path) -> Place {
        let others: Vec<String> = match (&self.home, &self.first) {
            (Some(_), _) => Vec::new(),
            (None, Some(first)) if !is_same(first, written) => vec![first.display().to_string()],
            (None, Some(_)) => Vec::new(),
            (None, None) => {
                self.decoded.iter().skip(1).map(|path| path.display().to_string()).collect()
            }
        };
        if others.is_empty() {
            return Place::Sure(written.to_owned());
        }
        let words = if self.first.is_some() {
            format!(
                "the transcript's folder is called {}, as {} would be, but its records say {}",
                encode(&written.to_string_lossy()),
                written.display(),
                others.join(", ")
            )
        } else {
            format!(
                "no record says where the session was; its folder can be {} or {}",
                written.display(),
                others.join(", ")
            )
        };
        Place::Doubtful(written.to_owned(), words)
    }
}

/// One directory, perhaps by two paths.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    a == b || real(a).is_some_and(|a| real(b).is_some_and(|b| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clues(tracked: &str, home: &str, first: &str, decoded: &[&str]) -> Clues {
        let path = |text: &str| Some(PathBuf::from(text)).filter(|_| !text.is_empty());
        Clues {
            tracked: path(tracked),
            home: path(home),
            first: path(first),
            decoded: decoded.iter().map(PathBuf::from).collect(),
        }
    }

    /// `?/x` is doubtful, `!/x` is missing.
    fn weighed(clues: &Clues, there: &[&str]) -> String {
        match clues.weigh(&|path| there.iter().any(|known| Path::new(known) == path)) {
            Place::Sure(path) => path.display().to_string(),
            Place::Doubtful(path, _) => format!("?{}", path.display()),
            Place::Missing(path) => format!("!{}", path.display()),
            Place::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn place_is_sure_where_the_clues_agree_and_doubtful_where_they_do_not() {
        let there = ["/t", "/h", "/f", "/d", "/e"];
        let cases = [
            (clues("", "", "", &[]), "unknown"),
            (clues("/t", "", "", &[]), "/t"),
            (clues("", "/h", "/f", &[]), "/h"),
            (clues("", "", "/f", &[]), "/f"),
            (clues("", "", "", &["/d"]), "/d"),
            (clues("", "", "", &["/d", "/e"]), "?/d"),
            (clues("", "", "/f", &["/d"]), "?/d"),
            (clues("", "", "/d", &["/d", "/e"]), "/d"),
            (clues("/t", "/t", "/f", &[]), "/t"),
            (clues("/t", "/h", "/t", &[]), "?/h"),
            (clues("/t", "", "", &["/d"]), "?/d"),
            (clues("/t", "/gone", "", &[]), "?/t"),
            (clues("/gone", "/h", "", &[]), "?/h"),
            (clues("/gone", "/gone", "", &[]), "!/gone"),
            (clues("/away", "/gone", "", &[]), "!/gone"),
            (clues("", "/gone", "/gone", &[]), "!/gone"),
            (clues("/gone", "", "", &[]), "!/gone"),
        ];
        for (clues, expected) in cases {
            assert_eq!(weighed(&clues, &there), expected, "{clues:?}");
        }
    }

    #[test]
    fn doubt_names_both_directories() {
        let Place::Doubtful(_, words) = clues("/t", "/h", "", &[]).weigh(&|_| true) else {
            panic!("a doubt")
        };
        assert!(words.contains("/t") && words.contains("/h"), "{words}");
    }
}
