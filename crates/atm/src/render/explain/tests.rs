use super::*;
use crate::render::sample::{
    HOME, HOSTILE, NOW, asking, assert_harmless, explanation, hostile, screen, working,
};

fn page(act: impl Fn(&Page<'_>, &mut dyn Write) -> io::Result<()>, width: Option<usize>) -> String {
    let mut out = Vec::new();
    let screen = screen(width);
    act(&Page { screen: &screen, home: Some(HOME), now: NOW }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn explain_shows_facts_what_was_overruled_and_the_way_there() {
    let why = explanation(asking(), "Permission: Bash");
    let expected = "\
▲ attention  Permission: Bash: rm -rf build  for 4m
aaaaaaaa  login  ~/src/web  main:@1.%3
because hooks say attention: Permission: Bash

facts
  hook          4m  unanswered: Permission: Bash
  session-file  4m  unanswered: Permission: Bash

overruled
  session-file  4m  unanswered: Permission: Bash

how it came there
  2026-11-15T18:56:00.000Z  10m  idle: done → attention: Permission: Bash  PermissionRequest                                      hook
  2026-11-15T19:02:00.000Z  4m   idle: done → attention: Permission: Bash  PermissionRequest (against: working Permission: Bash)  hook
";
    assert_eq!(page(|page, out| page.explain(&why, out), None), expected);
}

#[test]
fn show_lists_what_is_known_and_leaves_out_the_rest() {
    let expected = "\
▶ working  Task  for 1h02
bbbbbbbb  日本語の題  ~/src/web

id             bbbbbbbb-0000-4000-8000-000000000000
title          日本語の題
last prompt    fix the login
directory      ~/src/web
started in     ~/src/web
process        4242
agent          claude on box
model          sonnet
permissions    default
mode           interactive
started        2026-11-15T18:03:00.000Z (1h03 ago)
last activity  2026-11-15T18:04:00.000Z (1h02 ago)
status from    hook
hooks          seen
subagents      Explore working (child-one), Explore attention (grandchild)
background     shell: npm run dev
";
    assert_eq!(page(|page, out| page.show(&working(), out), None), expected);
}

#[test]
fn pages_of_a_hostile_session_are_harmless() {
    for width in [None, Some(60)] {
        let why = explanation(hostile(), HOSTILE);
        assert_harmless(&page(|page, out| page.explain(&why, out), width));
        assert_harmless(&page(|page, out| page.show(&hostile(), out), width));
    }
}
