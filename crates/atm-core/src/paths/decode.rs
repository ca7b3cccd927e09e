//! From the client's name for a project directory back to the directories that it can mean. The name
//! is lossy, so only what exists decides: the longest match first, and every dead end is left again.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{MAX_UNITS, encode, letter};

/// Directories that are looked into before the search gives up; only a tree below a cut name, where
/// any directory could be meant, comes near it.
const MAX_LISTED: usize = 100_000;

/// The file system as far as decoding needs it. Paths are absolute.
pub trait Directories {
    fn list(&self, dir: &Path) -> Listing;
    /// Follows links.
    fn is_dir(&self, path: &Path) -> bool;
    /// The directory itself, by whatever path it was reached.
    fn identity(&self, dir: &Path) -> Option<Identity>;
    fn current(&self) -> Option<PathBuf>;
}

/// Device and inode.
pub type Identity = (u64, u64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Sub-directories, hidden ones too, and symbolic links wherever they lead.
    Entries(Vec<Entry>),
    /// There, but it does not tell what is in it.
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Dir,
    Link,
}

/// The client resolves links before it encodes, so that a path through one is a second choice: it is
/// right only if the link came later, say for a project that was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Ignored,
    Followed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// Best first: the current directory, then the longest names.
    pub candidates: Vec<PathBuf>,
    /// The search was given up; there may be more.
    pub is_cut_short: bool,
}

/// Every directory that exists and has this name.
pub fn decode(name: &str, dirs: &dyn Directories, links: Links) -> Decoded {
    let is_name = |byte: u8| byte == b'-' || byte.is_ascii_alphanumeric();
    if !name.starts_with('-') || !name.bytes().all(is_name) {
        return Decoded::default();
    }
    let mut search = Search {
        name,
        // The hash says nothing about single letters.
        letters: &name.as_bytes()[..name.len().min(MAX_UNITS)],
        dirs,
        links,
        seen: HashSet::new(),
        listed: 0,
        found: Decoded::default(),
        kept: HashSet::new(),
        kept_dirs: HashSet::new(),
    };
    if let Some(here) = dirs.current().filter(|here| encode(&here.to_string_lossy()) == name) {
        search.keep(here);
    }
    search.run();
    search.found
}

struct Search<'a> {
    name: &'a str,
    letters: &'a [u8],
    dirs: &'a dyn Directories,
    links: Links,
    /// Where links lead in circles, a directory is looked into once for each length of its path.
    seen: HashSet<(Identity, usize)>,
    listed: usize,
    found: Decoded,
    /// What was found, to name nothing twice.
    kept: HashSet<PathBuf>,
    kept_dirs: HashSet<Identity>,
}

/// A directory whose path fits so far, and how many units of the name that path takes.
struct Spot {
    path: PathBuf,
    taken: usize,
}

impl Search<'_> {
    fn run(&mut self) {
        if self.name == "-" {
            self.keep(PathBuf::from("/"));
            return;
        }
        let mut open = vec![Spot { path: PathBuf::from("/"), taken: 0 }];
        while let Some(spot) = open.pop() {
            if self.is_whole(&spot) {
                self.keep(spot.path.clone());
            }
            if !self.may_go_on(&spot) || !self.is_first_visit(&spot) {
                continue;
            }
            if self.listed == MAX_LISTED {
                self.found.is_cut_short = true;
                return;
            }
            self.listed += 1;
            let mut below = self.fitting(&spot);
            // The last one is taken up first: the longest, and of equals the first by name.
            below.sort_unstable_by(|a, b| (a.taken, &b.path).cmp(&(b.taken, &a.path)));
            open.append(&mut below);
        }
    }

    fn is_cut(&self) -> bool {
        self.name.len() > MAX_UNITS
    }

    fn is_whole(&self, spot: &Spot) -> bool {
        if self.is_cut() {
            spot.taken > MAX_UNITS && encode(&spot.path.to_string_lossy()) == self.name
        } else {
            spot.taken == self.letters.len()
        }
    }

    /// Another name can follow: a separator is next, or what follows is unknown.
    fn may_go_on(&self, spot: &Spot) -> bool {
        match self.letters.get(spot.taken) {
            Some(next) => *next == b'-' && (self.is_cut() || spot.taken + 1 < self.letters.len()),
            None => self.is_cut(),
        }
    }

    fn is_first_visit(&mut self, spot: &Spot) -> bool {
        if self.links == Links::Ignored {
            return true;
        }
        let identity = self.dirs.identity(&spot.path);
        identity.is_some_and(|identity| self.seen.insert((identity, spot.taken)))
    }

    fn keep(&mut self, path: PathBuf) {
        let is_new_dir = self.links == Links::Ignored || {
            let identity = self.dirs.identity(&path);
            identity.is_none_or(|identity| self.kept_dirs.insert(identity))
        };
        if is_new_dir && self.kept.insert(path.clone()) {
            self.found.candidates.push(path);
        }
    }

    fn fitting(&self, spot: &Spot) -> Vec<Spot> {
        let from = spot.taken + 1;
        let below =
            |name: &OsStr, length: usize| Spot { path: spot.path.join(name), taken: from + length };
        match self.dirs.list(&spot.path) {
            Listing::Entries(entries) => {
                let fit = entries.into_iter().filter_map(|entry| {
                    let length = self.fits(&entry.name, from)?;
                    let spot = below(&entry.name, length);
                    match (entry.kind, self.links) {
                        (Kind::Dir, _) => Some(spot),
                        (Kind::Link, Links::Ignored) => None,
                        (Kind::Link, Links::Followed) => {
                            self.dirs.is_dir(&spot.path).then_some(spot)
                        }
                    }
                });
                fit.collect()
            }
            Listing::Unreadable => {
                let likely = self.guesses(from).into_iter();
                let spots = likely.map(|name| below(OsStr::new(&name), name.len()));
                spots.filter(|spot| self.dirs.is_dir(&spot.path)).collect()
            }
        }
    }

    /// The length of `name` in units, if the letters from `from` on can be it and then end, or go on
    /// with a separator.
    fn fits(&self, name: &OsStr, from: usize) -> Option<usize> {
        let name = name.to_string_lossy();
        let mut at = from;
        for unit in name.encode_utf16() {
            match self.letters.get(at) {
                Some(wanted) if char::from(*wanted) == letter(unit) => {}
                None if self.is_cut() => {}
                _ => return None,
            }
            at += 1;
        }
        let is_end = self.letters.get(at).is_none_or(|next| *next == b'-');
        (at > from && is_end).then_some(at - from)
    }

    /// Names to try where nothing can be listed: as written, hidden, with underscores, with dots.
    fn guesses(&self, from: usize) -> Vec<String> {
        let rest = self.letters.get(from..).unwrap_or_default();
        let rest: String = rest.iter().map(|letter| char::from(*letter)).collect();
        let ends = rest.match_indices('-').map(|(at, _)| at).chain([rest.len()]);
        let mut names: Vec<String> = ends
            .filter(|end| *end > 0)
            .flat_map(|end| {
                let plain = &rest[..end];
                let hidden = plain.strip_prefix('-').map(|visible| format!(".{visible}"));
                let marks = ["_", "."].map(|mark| plain.replace('-', mark));
                [plain.to_owned()].into_iter().chain(hidden).chain(marks)
            })
            .filter(|name| name.chars().any(|c| c != '.'))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests;
