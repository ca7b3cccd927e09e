//! Decoding over trees in memory: the seed's examples, dead ends, links, and any tree at all.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// A file system in memory. A link leads to a directory of the tree.
#[derive(Debug, Default)]
struct Tree {
    dirs: BTreeMap<PathBuf, BTreeSet<OsString>>,
    links: BTreeMap<PathBuf, PathBuf>,
    unreadable: BTreeSet<PathBuf>,
    here: Option<PathBuf>,
    listed: Cell<usize>,
}

impl Tree {
    fn of(paths: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for path in paths {
            tree.add(Path::new(path));
        }
        tree
    }

    fn add(&mut self, path: &Path) {
        self.dirs.entry(path.to_owned()).or_default();
        if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
            self.add(parent);
            self.dirs.entry(parent.to_owned()).or_default().insert(name.to_owned());
        }
    }

    fn link(mut self, path: &str, target: &str) -> Tree {
        self.add(Path::new(path).parent().unwrap());
        self.links.insert(path.into(), target.into());
        self
    }

    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let mut real = PathBuf::from("/");
        for (depth, part) in path.components().skip(1).enumerate() {
            real.push(part);
            let mut hops = 0;
            while let Some(target) = self.links.get(&real) {
                real = target.clone();
                hops += 1;
                if hops > 40 || depth > 4000 {
                    return None;
                }
            }
        }
        self.dirs.contains_key(&real).then_some(real)
    }
}

impl Directories for Tree {
    fn list(&self, dir: &Path) -> Listing {
        self.listed.set(self.listed.get() + 1);
        let real = self.resolve(dir).unwrap();
        if self.unreadable.contains(&real) {
            return Listing::Unreadable;
        }
        let dirs = self.dirs[&real].iter().map(|name| (name.clone(), Kind::Dir));
        let links = self.links.keys().filter(|link| link.parent() == Some(&real));
        let links = links.map(|link| (link.file_name().unwrap().to_owned(), Kind::Link));
        Listing::Entries(dirs.chain(links).map(|(name, kind)| Entry { name, kind }).collect())
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.resolve(path).is_some()
    }

    fn identity(&self, dir: &Path) -> Option<Identity> {
        let real = self.resolve(dir)?;
        Some((0, self.dirs.keys().position(|known| *known == real)? as u64))
    }

    fn current(&self) -> Option<PathBuf> {
        self.here.clone()
    }
}

fn texts(decoded: &Decoded) -> Vec<String> {
    decoded.candidates.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

#[track_caller]
fn check(tree: &Tree, name: &str, expected: &[&str]) {
    assert_eq!(texts(&decode(name, tree, Links::Ignored)), expected, "{name}");
}

#[test]
fn decode_of_the_seeds_examples_finds_the_directories() {
    let odd = "/$!@#%^&*()--helloworld!+5_4<>x?.foo";
    let tree = Tree::of(&[
        "/Users/mike/Projects/bstock-projects",
        "/Users/mike/Projects/bstock",
        "/Users/mike/.claude/agents",
        odd,
    ]);
    let project = "/Users/mike/Projects/bstock-projects";
    check(&tree, "-Users-mike-Projects-bstock-projects", &[project]);
    check(&tree, "-Users-mike--claude-agents", &["/Users/mike/.claude/agents"]);
    check(&tree, "-------------helloworld--5-4--x--foo", &[odd]);
}

#[test]
fn decode_leaves_the_longest_match_when_it_is_a_dead_end() {
    let tree = Tree::of(&["/a-b-c/x", "/a-b/c/d", "/a/b"]);
    check(&tree, "-a-b-c-d", &["/a-b/c/d"]);
    check(&tree, "-a-b", &["/a-b", "/a/b"]);
    check(&tree, "-a-b-c-d-e", &[]);
}

#[test]
fn decode_puts_the_current_directory_first_and_names_it_once() {
    let mut tree = Tree::of(&["/p/a-b", "/p/a.b", "/p/a/b"]);
    check(&tree, "-p-a-b", &["/p/a-b", "/p/a.b", "/p/a/b"]);
    tree.here = Some("/p/a/b".into());
    check(&tree, "-p-a-b", &["/p/a/b", "/p/a-b", "/p/a.b"]);
    check(&tree, "-p-a", &["/p/a"]);
}

#[test]
fn decode_of_odd_names_counts_utf16_units() {
    let names = ["/p/emoji-😀-x", "/p/日本語", "/p/two\nlines", "/p/späce näme ü", "/p/.h/..i"];
    let tree = Tree::of(&names);
    for name in names {
        check(&tree, &encode(name), &[name]);
    }
    check(&tree, "-p-emoji---x", &[]);
}

#[test]
fn decode_of_what_no_client_writes_finds_nothing() {
    let tree = Tree::of(&["/a/b"]);
    for name in ["", "a", "a-b", "-a/b", "-a-b-", "--a-b", "-a-é", "-a--b", "-A-b"] {
        check(&tree, name, &[]);
    }
    check(&tree, "-", &["/"]);
}

#[test]
fn decode_where_nothing_can_be_listed_tries_likely_names() {
    let mut tree = Tree::of(&["/home/u/my-app", "/home/u/.claude", "/home/u/snake_case/x"]);
    tree.unreadable = BTreeSet::from(["/home".into(), "/home/u".into()]);
    check(&tree, "-home-u-my-app", &["/home/u/my-app"]);
    check(&tree, "-home-u--claude", &["/home/u/.claude"]);
    check(&tree, "-home-u-snake-case-x", &["/home/u/snake_case/x"]);
    check(&tree, "-home-u-other", &[]);
}

#[test]
fn decode_of_a_cut_name_checks_the_hash() {
    let long = |end: &str| format!("/p/{}/{}/{end}", "a".repeat(120), "b".repeat(90));
    let paths = [long("one/deep"), long("one"), long("two")];
    let tree = Tree::of(&paths.each_ref().map(String::as_str));
    for path in &paths {
        assert!(encode(path).len() > MAX_UNITS);
        check(&tree, &encode(path), &[path]);
    }
    // One unit below the limit, at it, and above it.
    for length in [199, 200, 201] {
        let path = format!("/{}", "x".repeat(length - 1));
        check(&Tree::of(&[&path]), &encode(&path), &[&path]);
    }
    // The cut falls between the separator and the last name.
    let path = format!("/{}/end", "x".repeat(198));
    check(&Tree::of(&[&path]), &encode(&path), &[&path]);
}

#[test]
fn decode_follows_links_only_when_told_and_through_no_circle_twice() {
    let tree = Tree::of(&["/data/app", "/home/u"]).link("/home/u/app", "/data/app");
    check(&tree, "-home-u-app", &[]);
    let followed = decode("-home-u-app", &tree, Links::Followed);
    assert_eq!(texts(&followed), ["/home/u/app"]);

    let circle = Tree::of(&["/a"]).link("/a/_", "/a").link("/a/-", "/a").link("/a/~", "/a/x");
    let name = format!("-a{}", "-".repeat(190));
    let found = decode(&name, &circle, Links::Followed);
    assert_eq!(found.candidates.len(), 1, "one directory under its shortest order of names");
    assert!(circle.listed.get() <= 100, "{} listings", circle.listed.get());
}

#[test]
fn decode_names_a_directory_once_although_links_lead_there_too() {
    let tree = Tree::of(&["/p/a.b"]).link("/p/a_b", "/p/a.b");
    assert_eq!(texts(&decode("-p-a-b", &tree, Links::Followed)), ["/p/a.b"]);
}

#[test]
fn decode_among_ten_thousand_adversarial_names_lists_each_directory_at_most_once() {
    // Every directory's path is a beginning of the name, and only one is the whole of it.
    let mut tree = Tree::default();
    let marks = ["-", "_", ".,", "--", "__"];
    let mut level = vec![String::new()];
    while tree.dirs.len() < 10_000 {
        level = level.iter().flat_map(|dir| marks.map(|mark| format!("{dir}/{mark}"))).collect();
        for dir in &level {
            tree.add(Path::new(dir));
        }
    }
    let end = format!("{}/end", level.last().unwrap());
    tree.add(Path::new(&end));
    let found = decode(&encode(&end), &tree, Links::Ignored);
    assert!(found.candidates.contains(&PathBuf::from(&end)));
    assert!(tree.listed.get() <= tree.dirs.len());
}

fn a_name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab._ -]{1,4}",
        1 => "[a-c😀é日\n]{1,3}",
        1 => "[ab]{40,90}",
    ]
    .prop_filter("a name", |name| name != "." && name != "..")
}

fn a_tree() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(a_name(), 1..6), 1..12)
}

proptest! {
    #[test]
    fn decode_finds_every_directory_and_only_what_encodes_to_the_name(paths in a_tree()) {
        let mut tree = Tree::default();
        for parts in &paths {
            tree.add(Path::new(&format!("/{}", parts.join("/"))));
        }
        for path in tree.dirs.keys() {
            let name = encode(&path.to_string_lossy());
            let found = decode(&name, &tree, Links::Ignored);
            prop_assert!(found.candidates.contains(path), "{path:?} is not in {found:?}");
            for candidate in &found.candidates {
                prop_assert_eq!(encode(&candidate.to_string_lossy()), name.clone());
                prop_assert!(tree.dirs.contains_key(candidate));
            }
        }
    }

    #[test]
    fn decode_of_any_text_ends(name in "[-a-c0-9é/]{0,300}") {
        let tree = Tree::of(&["/a-b/c", "/a/b-c"]).link("/a/-", "/").link("/a/b", "/a");
        for links in [Links::Ignored, Links::Followed] {
            for candidate in decode(&name, &tree, links).candidates {
                prop_assert_eq!(encode(&candidate.to_string_lossy()), name.clone());
            }
        }
    }
}
