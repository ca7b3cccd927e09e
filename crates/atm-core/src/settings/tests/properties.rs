//! What holds for every settings text.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::generate::{Dialect, pretty, settings};
use super::*;
use crate::settings::document::Document;
use crate::settings::draft::body_of;
use crate::settings::site::{Site, handlers};

const PLACE: &str = "/opt/our place/";

fn any_settings() -> impl Strategy<Value = String> {
    prop_oneof![3 => settings(Dialect::Comments), 1 => settings(Dialect::Strict), 1 => pretty()]
}

fn wanted() -> impl Strategy<Value = Vec<HookEntry>> {
    let matcher = select(vec![None, Some(""), Some("*"), Some("Bash|Edit")]);
    let args = select(vec![vec!["hook"], vec!["hook", "--guard"]]);
    let run = select(vec![Run::Wait, Run::Async]);
    let entry = (matcher, args, run, proptest::option::of(1..90_u32), any::<bool>());
    let entry = entry.prop_map(|(matcher, args, run, timeout, is_shell)| HookEntry {
        matcher: matcher.map(str::to_owned),
        command: if is_shell {
            format!("'{PLACE}atm' {}", args.join(" "))
        } else {
            format!("{PLACE}atm")
        },
        form: if is_shell {
            Form::Shell
        } else {
            Form::Exec { args: args.into_iter().map(str::to_owned).collect() }
        },
        run,
        timeout,
        ..super::entry("")
    });
    let events = vec!["Stop", "PreToolUse", "SessionStart", "SessionEnd"];
    (subsequence(events, 1..=4), vec(entry, 5)).prop_map(|(events, entries)| {
        let twice = events.first().copied();
        let events = events.into_iter().chain(twice);
        events
            .zip(entries)
            .map(|(event, entry)| HookEntry { event: event.to_owned(), ..entry })
            .collect()
    })
}

/// Every member of the root and every group of every event that is not ours, byte for byte.
fn foreign(text: &str) -> Vec<String> {
    let doc = Document::parse(body_of(text)).unwrap();
    let Some(root) = &doc.root else { return Vec::new() };
    let mut pieces = Vec::new();
    for prop in &root.properties {
        match (prop.name.as_str(), prop.value.as_object()) {
            ("hooks", Some(events)) => {
                for event in &events.properties {
                    let groups = event.value.as_array().unwrap();
                    for group in &groups.elements {
                        let raw = doc.text(jsonc_parser::common::Ranged::range(group));
                        pieces.push(format!("{} {raw}", event.name.as_str()));
                    }
                }
            }
            _ => pieces.push(doc.text(prop.range).to_owned()),
        }
    }
    pieces.retain(|piece| !piece.contains(PLACE));
    pieces
}

fn is_subsequence(small: &str, big: &str) -> bool {
    let mut big = big.chars();
    small.chars().filter(|c| !c.is_whitespace()).all(|c| big.any(|b| b == c))
}

/// Dead ones count.
fn has_ours(text: &str) -> Result<bool, SettingsError> {
    let doc = Document::parse(body_of(text))?;
    Ok(handlers(&doc)?.iter().any(Site::is_ours))
}

/// The end of some token, and whether one of our handlers lies around it.
fn place_of_comment(text: &str, place: prop::sample::Index) -> (usize, bool) {
    let body = body_of(text);
    let doc = Document::parse(body).unwrap();
    let at = place.get(doc.tokens()).range.end;
    let ours = handlers(&doc).unwrap().into_iter().filter(Site::is_ours);
    let is_within =
        ours.map(|site| site.handler.range).any(|range| range.start < at && at < range.end);
    (at + text.len() - body.len(), is_within)
}

#[derive(Clone, Debug)]
enum Act {
    Register(Vec<HookEntry>),
    Unregister,
    Wrap(&'static str),
    Put(&'static str),
    Unwrap,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => wanted().prop_map(Act::Register),
        1 => Just(Act::Unregister),
        1 => select(vec!["/a/atm statusline", "'/b c/atm' statusline -x"]).prop_map(Act::Wrap),
        2 => select(vec!["/a/atm", "/b 'c'/atm"]).prop_map(Act::Put),
        1 => Just(Act::Unwrap),
    ];
    vec(act, 0..5)
}

fn perform(before: Edited, act: &Act) -> Edited {
    let Edited { text, memo, .. } = before;
    let edited = match act {
        Act::Register(wanted) => register(&text, wanted, &memo),
        Act::Unregister => unregister(&text, &memo),
        Act::Wrap(command) => wrap_status_line(&text, command, &memo),
        Act::Put(program) => put_status_line(&text, program, &memo),
        Act::Unwrap => unwrap_status_line(&text, &memo),
    };
    edited.unwrap()
}

/// As `atm setup` does it.
fn set_up(before: &Edited, wanted: &[HookEntry]) -> Edited {
    let acts = [Act::Register(wanted.to_vec()), Act::Put("/opt/it's/atm")];
    acts.iter().fold(before.clone(), perform)
}

fn untouched(text: &str) -> Edited {
    Edited { text: text.to_owned(), changed: false, memo: Memo::default() }
}

proptest! {
    #[test]
    fn register_then_unregister_is_the_identity(text in any_settings(), wanted in wanted()) {
        let edited = register(&text, &wanted, &Memo::default()).unwrap();
        prop_assert!(edited.changed);
        let back = unregister(&edited.text, &edited.memo).unwrap();
        prop_assert_eq!(back.text, text);
        prop_assert_eq!(back.memo, Memo::default());
    }

    #[test]
    fn setup_then_uninstall_is_the_identity_and_a_second_setup_changes_nothing(
        text in any_settings(),
        wanted in wanted(),
    ) {
        let once = set_up(&untouched(&text), &wanted);
        let twice = set_up(&once, &wanted);
        prop_assert_eq!((&twice.text, &twice.memo), (&once.text, &once.memo));
        let lost = set_up(&untouched(&once.text), &wanted);
        prop_assert_eq!(&lost.text, &once.text);
        let back = [Act::Unregister, Act::Unwrap].iter().fold(twice, perform);
        prop_assert_eq!(back.text, text);
        prop_assert_eq!(back.memo, Memo::default());
    }

    #[test]
    fn register_twice_is_register_once(text in any_settings(), wanted in wanted()) {
        let once = register(&text, &wanted, &Memo::default()).unwrap();
        let twice = register(&once.text, &wanted, &once.memo).unwrap();
        prop_assert!(!twice.changed);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(&twice.memo, &once.memo);
        let without_memo = register(&once.text, &wanted, &Memo::default()).unwrap();
        prop_assert_eq!(&without_memo.text, &once.text);
    }

    #[test]
    fn register_keeps_all_that_is_foreign(text in any_settings(), wanted in wanted()) {
        let edited = register(&text, &wanted, &Memo::default()).unwrap();
        prop_assert_eq!(foreign(&edited.text), foreign(&text));
        prop_assert!(is_subsequence(&text, &edited.text), "{}", edited.text);
        let ours = hooks_in(&edited.text).unwrap().hooks.into_iter().filter(|hook| hook.is_ours);
        let mut distinct: Vec<&HookEntry> = Vec::new();
        for entry in &wanted {
            if !distinct.contains(&entry) {
                distinct.push(entry);
            }
        }
        prop_assert_eq!(ours.count(), distinct.len());
    }

    #[test]
    fn strict_json_stays_strict(
        text in prop_oneof![settings(Dialect::Strict), pretty()],
        wanted in wanted(),
    ) {
        let edited = register(&text, &wanted, &Memo::default()).unwrap();
        let edited = wrap_status_line(&edited.text, "/a/atm statusline", &edited.memo).unwrap();
        let mut rewritten = serde_json::to_string_pretty(&meaning(&edited.text)).unwrap();
        for act in [Act::Unregister, Act::Unwrap] {
            rewritten = perform(Edited { text: rewritten, ..edited.clone() }, &act).text;
        }
        // The client rewrites the file as it likes; our entries still come out, and no more.
        prop_assert_eq!(meaning(&rewritten), meaning(&text));
    }

    #[test]
    fn any_history_of_ours_ends_where_it_began(
        text in any_settings(),
        acts in acts(),
        hooks_first: bool,
    ) {
        let edited = acts.iter().fold(untouched(&text), perform);
        let mut last = [Act::Unregister, Act::Unwrap];
        if !hooks_first {
            last.reverse();
        }
        let back = last.iter().fold(edited, perform);
        prop_assert_eq!(back.text, text);
        prop_assert_eq!(back.memo, Memo::default());
    }

    #[test]
    fn stale_memo_of_another_file_does_no_harm(
        text in any_settings(),
        other in any_settings(),
        acts in acts(),
        wanted in wanted(),
    ) {
        let stale = acts.iter().fold(untouched(&other), perform).memo;
        let edited = register(&text, &wanted, &stale).unwrap();
        let back = unregister(&edited.text, &edited.memo).unwrap();
        prop_assert_eq!(back.text, text);
    }

    #[test]
    fn comment_that_somebody_adds_anywhere_costs_nothing_else(
        text in any_settings(),
        wanted in wanted(),
        place in any::<prop::sample::Index>(),
        comment in select(vec!["/* theirs */", "// theirs\n"]),
    ) {
        let edited = register(&text, &wanted, &Memo::default()).unwrap();
        let (at, is_within_ours) = place_of_comment(&edited.text, place);
        let changed = format!("{}{comment}{}", &edited.text[..at], &edited.text[at..]);
        let back = unregister(&changed, &edited.memo).unwrap();
        prop_assert!(!has_ours(&back.text).unwrap());
        prop_assert_eq!(back.text.contains(comment.trim_end()), !is_within_ours, "{}", back.text);
        let tight = |text: &str| -> String { text.split_whitespace().collect() };
        let left = tight(&back.text.replace(comment.trim_end(), ""));
        // A group of ours with their comment in it stays, without our handler.
        for piece in foreign(&text) {
            let value = piece.split_once(' ').map_or(piece.as_str(), |(_, value)| value);
            prop_assert!(left.contains(&tight(value)), "{value} in {}", back.text);
        }
        prop_assert!(is_subsequence(&text, &back.text), "{}", back.text);
    }

    #[test]
    fn garbage_is_refused_or_edited_but_never_panics(
        text in any_settings(),
        cut in any::<prop::sample::Index>(),
        noise in "[\\[\\]{}:,\"'/*\\\\\n\r a-z0-9.é\u{feff}-]{0,6}",
    ) {
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let wanted = [entry("Stop")];
        for garbage in [format!("{}{noise}{}", &text[..at], &text[at..]), text[..at].to_owned(), noise] {
            let before = has_ours(&garbage);
            if let Ok(edited) = register(&garbage, &wanted, &Memo::default()) {
                let back = unregister(&edited.text, &edited.memo).unwrap();
                prop_assert!(before.unwrap() || back.text == garbage);
            } else {
                prop_assert!(before.is_err());
            }
        }
    }

    #[test]
    fn random_text_never_panics(text in "\\PC*") {
        let refused = register(&text, &[entry("Stop")], &Memo::default()).is_err();
        prop_assert_eq!(refused, hooks_in(&text).is_err());
    }
}
