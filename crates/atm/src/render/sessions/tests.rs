use super::*;
use crate::render::sample::{HOME, NOW, assert_harmless, fleet, hostile, screen, view};
use crate::render::width::width;
use crate::screen::{Charset, Colour};

fn shown(mut sessions: Vec<SessionView>, screen: &Screen) -> String {
    sort(&mut sessions);
    let mut out = Vec::new();
    table(&sessions, screen, Some(HOME), NOW).write(screen, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn list_shows_who_needs_the_user_first_with_a_tree_below() {
    let expected = "\
STATUS       WHAT                            AGE   NAME        DIRECTORY  PANE        ID
▲ attention  Permission: Bash: rm -rf build  4m    login       ~/src/web  main:@1.%3  aaaaaaaa
● done       done                            2m                ~          main:@1.%3  dddddddd
▶ working    Task                            1h02  日本語の題  ~/src/web              bbbbbbbb
             └ ▶ working Explore: Grep       20s                                      child-on
               └ ▲ attention Explore: Grep   20s                                      grandchi
             └ ◇ shell: npm run dev
■ idle       done                            59s               ~          main:@1.%3  cccccccc
□ ended      logout                          1d                ~          main:@1.%3  eeeeeeee
";
    assert_eq!(shown(fleet(), &screen(None)), expected);
}

#[test]
fn list_has_a_column_for_context_if_any_session_tells_it() {
    let mut told = view("aaaaaaaa", Class::Working, 3);
    told.context_percent = Some(45.4);
    let other = view("bbbbbbbb", Class::Working, 4);
    let expected = "\
STATUS     AGE  CTX  DIRECTORY  PANE        ID
▶ working  3s   45%  ~/src/web  main:@1.%3  aaaaaaaa
▶ working  4s        ~/src/web  main:@1.%3  bbbbbbbb
";
    let list = shown(vec![told.clone(), other], &screen(None));
    assert_eq!(list, expected);
    assert!(!shown(vec![told], &screen(Some(36))).contains("CTX"), "the first to go");
}

#[test]
fn list_in_a_narrow_terminal_keeps_what_tells_most() {
    let expected = "\
STATUS       WHAT                    AGE   NAME      DIRECTORY  ID
▲ attention  Permission: Bash: rm…   4m    login     ~/src/web  aaaaaaaa
● done       done                    2m              ~          dddddddd
▶ working    Task                    1h02  日本語…   ~/src/web  bbbbbbbb
             └ ▶ working Explore:…   20s                        child-on
               └ ▲ attention Explo…  20s                        grandchi
             └ ◇ shell: npm run dev
■ idle       done                    59s             ~          cccccccc
□ ended      logout                  1d              ~          eeeeeeee
";
    assert_eq!(shown(fleet(), &screen(Some(72))), expected);
}

#[test]
fn list_fits_every_terminal() {
    for room in [40, 60, 80, 100, 200] {
        let list = shown(fleet(), &screen(Some(room)));
        for line in list.lines() {
            assert!(width(line) <= room, "{room}: {line}");
        }
    }
}

#[test]
fn list_in_an_ascii_locale_has_ascii_marks() {
    let ascii = Screen { charset: Charset::Ascii, ..screen(Some(60)) };
    let list = shown(vec![view("aaaaaaaa", Class::Working, 3)], &ascii);
    assert!(list.is_ascii(), "{list}");
    assert!(list.contains("> working"));
}

#[test]
fn list_in_colour_says_the_same() {
    let colour = Screen { colour: Colour::On, ..screen(None) };
    let plain = shown(fleet(), &screen(None));
    let mut painted = shown(fleet(), &colour);
    for code in ["0", "1", "2", "33", "94", "1;31"] {
        painted = painted.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(painted, plain);
}

#[test]
fn list_of_hostile_sessions_is_harmless() {
    for status in [Class::Attention, Class::Working, Class::Idle] {
        for room in [None, Some(80)] {
            let view = SessionView { status, ..hostile() };
            assert_harmless(&shown(vec![view], &screen(room)));
        }
    }
}

#[test]
fn list_of_children_in_a_circle_shows_each_once() {
    let mut view = hostile();
    let child = |id: &str, parent: &str| ChildView {
        agent_id: id.into(),
        parent: Some(parent.into()),
        ..view.children[0].clone()
    };
    view.children = vec![child("one", "two"), child("two", "one")];
    let list = shown(vec![view], &screen(None));
    assert_eq!(list.lines().filter(|line| line.contains('▶')).count(), 2);
}
