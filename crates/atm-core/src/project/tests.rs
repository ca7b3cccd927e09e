//! From sessions to commands and back: what is written, what is left alone, what comes back.

mod restore;

use super::options::{LAST_FOCUSED, PANES, SAVED, SESSION_ID, STATE, STATUS, STYLES, SUMMARY};
use super::*;
use crate::event::Pane;
use crate::ids::{ConversationId, PaneId, WindowId};
use crate::session::status::{Detail, Life, Reason, Status, Why};
use crate::session::{Found, Key, Place, Session};
use crate::stamp::Stamp;
use crate::summary::Summary;
use crate::tmux::Listing;

const SOCKET: &str = "/tmp/s";
const SERVER: i32 = 7;

fn session(id: &str, pane: &str, window: &str) -> Session {
    let mut session = Session::new(Key::stored(id.to_owned()), ConversationId::new(id), Stamp(1));
    let found = Found::In { window: WindowId::new(window), session: "main".to_owned() };
    let (socket, pane) = (SOCKET.to_owned(), PaneId::new(pane));
    session.place = Some(Place { socket, server: Some(SERVER), pane, found });
    session
}

fn is(mut session: Session, status: Status) -> Session {
    session.verdict.status = status;
    session
}

fn unseen(mut session: Session) -> Session {
    session.unseen = Some(Stamp(5));
    session
}

fn working() -> Status {
    Status::Working { detail: Detail::Thinking }
}

fn asking() -> Status {
    Status::Attention { reason: Reason::Dialog { what: "?".to_owned() } }
}

fn done() -> Status {
    Status::Idle { why: Why::Done }
}

fn ended(mut session: Session) -> Session {
    session.life = Life::Ended { at: Stamp(9), reason: "exit".to_owned() };
    session
}

/// Panes `%1 %2` in window `@1`, `%3` in `@2`.
fn panes() -> Vec<Pane> {
    [("%1", "@1"), ("%2", "@1"), ("%3", "@2")]
        .map(|(id, window)| Pane {
            id: PaneId::new(id),
            window: WindowId::new(window),
            session: "main".to_owned(),
        })
        .into()
}

fn listing() -> Listing {
    Listing { server: SERVER, version: "3.3a".to_owned(), is_set_up: true, panes: panes() }
}

fn paint(sessions: &[Session]) -> Paint {
    wanted(sessions.iter(), (SOCKET, &listing()), &Summary::default(), &Look::default())
}

fn state(sessions: &[Session]) -> &'static str {
    paint(sessions).windows[&WindowId::new("@1")].state.word()
}

/// What tmux answers to a survey that finds `lines` of ours. Nothing is set in window `@1`.
fn survey_text(lines: &str) -> String {
    format!(
        "atm-reads server {SERVER}\n{lines}\natm-reads global window-status-style\ndefault\n\
         atm-reads global window-status-current-style\ndefault\n\
         atm-reads @1 window-status-style\natm-reads @1 window-status-current-style\n\
         atm-reads @2 window-status-style\nbg=red,fg=white\n\
         atm-reads @2 window-status-current-style\nbold\natm-reads end\n"
    )
}

fn untouched() -> Painted {
    Painted::parse(&survey_text("")).unwrap()
}

fn changed(changes: &[Change], option: &str) -> Vec<Option<String>> {
    changes.iter().filter(|c| c.option == option).map(|c| c.value.clone()).collect()
}

fn some(text: &str) -> Vec<Option<String>> {
    vec![Some(text.to_owned())]
}

#[test]
fn window_shows_the_most_urgent_of_its_panes() {
    let at = |pane, status| is(session(pane, pane, "@1"), status);
    let cases = [
        (vec![at("%1", done()), at("%2", done())], "idle"),
        (vec![at("%1", done()), at("%2", working())], "running"),
        (vec![unseen(at("%1", done())), at("%2", working())], "waiting"),
        (vec![unseen(at("%1", asking())), at("%2", working())], "waiting"),
        (vec![at("%1", asking())], "idle"),
        (vec![unseen(at("%1", working()))], "running"),
        (vec![ended(unseen(at("%1", asking())))], "idle"),
        (vec![ended(at("%1", working())), at("%2", working())], "running"),
    ];
    for (sessions, expected) in cases {
        assert_eq!(state(&sessions), expected, "{sessions:?}");
    }
}

#[test]
fn pane_shows_the_attended_session_and_after_its_end_the_last() {
    let main = is(session("main", "%1", "@1"), done());
    let mut nested = is(session("nested", "%1", "@1"), working());
    nested.started = Stamp(2);
    nested.about.entrypoint = Some("sdk-cli".to_owned());
    nested.about.attended = Some(false);
    let id =
        |sessions: &[Session]| paint(sessions).shown[&PaneId::new("%1")].firm[SESSION_ID].clone();
    assert_eq!(id(&[main.clone(), nested.clone()]), "main");
    assert_eq!(
        state(&[main.clone(), nested.clone()]),
        "idle",
        "the pane's is not the nested one's"
    );
    assert_eq!(id(&[ended(main.clone()), nested.clone()]), "nested");
    assert_eq!(id(&[ended(main), ended(nested)]), "main");
}

#[test]
fn pane_options_follow_the_status_and_keep_the_id_after_the_end() {
    let values = |session: Session| paint(&[session]).shown[&PaneId::new("%1")].firm.clone();
    let at = |status| is(session("23e30f82-1", "%1", "@1"), status);
    assert_eq!(values(at(working()))[STATUS], "running");
    assert_eq!(values(at(asking()))[STATUS], "stopped");
    assert_eq!(values(at(done()))[STATUS], "stopped");
    let gone = values(ended(at(working())));
    assert_eq!((gone.get(STATUS), gone[SESSION_ID].as_str()), (None, "23e30f82-1"));
}

#[test]
fn texts_of_others_lose_what_a_terminal_would_act_on_and_nothing_else() {
    let mut session = session("#(touch M)", "%1", "@1");
    session.about.session_dir = Some("/a  b/$(x);\x1b]0;t\x07\n\u{202e}".to_owned());
    let firm = &paint(&[session]).shown[&PaneId::new("%1")].firm;
    assert_eq!(firm["@meta.claude.session_id"], "#(touch M)");
    assert_eq!(firm["@meta.claude.session_dir"], "/a  b/$(x);]0;t ");
}

#[test]
fn own_style_is_saved_before_it_is_painted_over_and_restored_from_tmux_alone() {
    let mut painted = untouched();
    let live = paint(&[is(session("a", "%3", "@2"), working())]);
    let changes = diff(&painted, &live);
    let order: Vec<&str> = changes.firm.iter().map(|change| change.option).collect();
    let at = |name: &str| order.iter().position(|option| *option == name).unwrap();
    assert!(at(SAVED[0]) < at(STYLES[0]) && at(SAVED[1]) < at(STYLES[1]), "{order:?}");
    assert_eq!(changed(&changes.firm, SAVED[0]), some("=bg=red,fg=white"));
    assert_eq!(changed(&changes.firm, STYLES[0]), some("bg=red,fg=#6699cc"));
    assert_eq!(changed(&changes.firm, STYLES[1]), some("bold,fg=#6699cc"));
    painted.apply(&changes.firm, &live);
    assert_eq!(diff(&painted, &live).firm, [], "nothing more to write");
    // Another daemon reads what the first one left.
    let left = survey_text(
        "@claude-state @2 running\n@atm_saved_style @2 =bg=red,fg=white\n\
         @atm_saved_current_style @2 =bold\n@meta.claude.session_id %3 a",
    );
    let left = left.replace("\nbg=red,fg=white\n", "\nbg=red,fg=#6699cc\n");
    let later = Painted::parse(&left.replace("\nbold\n", "\nbold,fg=#6699cc\n"));
    let changes = diff(&later.unwrap(), &paint(&[])).firm;
    assert_eq!(changed(&changes, STYLES[0]), some("bg=red,fg=white"));
    assert_eq!(changed(&changes, STYLES[1]), some("bold"));
    for name in [SAVED[0], SAVED[1], STATE, SESSION_ID] {
        assert_eq!(changed(&changes, name), [None], "{name}");
    }
}

#[test]
fn style_that_was_not_set_is_unset_again() {
    let mut painted = untouched();
    let live = paint(&[is(session("a", "%1", "@1"), working())]);
    painted.apply(&diff(&painted, &live).firm, &live);
    let changes = diff(&painted, &paint(&[])).firm;
    assert_eq!(changed(&changes, STYLES[0]), [None]);
    assert_eq!(changed(&changes, PANES), [None]);
    painted.apply(&changes, &paint(&[]));
    assert_eq!(diff(&painted, &paint(&[])), Changes::default());
}

#[test]
fn last_session_ended_turns_a_plain_tab_white_and_gives_a_themed_one_back() {
    let mut painted = untouched();
    let live = [is(session("a", "%1", "@1"), working()), is(session("b", "%3", "@2"), working())];
    let before = paint(&live);
    painted.apply(&diff(&painted, &before).firm, &before);
    let after = paint(&live.map(ended));
    let changes = diff(&painted, &after).firm;
    let of = |window: &str, option: &str| {
        let target = Target::Window(WindowId::new(window));
        let here: Vec<Change> = changes.iter().filter(|c| c.target == target).cloned().collect();
        changed(&here, option)
    };
    assert_eq!(of("@1", STYLES[0]), some("fg=#cdd3de"));
    assert_eq!(of("@1", SAVED[0]), [], "still painted over");
    assert_eq!(of("@2", STYLES[0]), some("bg=red,fg=white"));
    assert_eq!(of("@2", SAVED[0]), [None]);
    assert_eq!((of("@1", STATE), of("@2", STATE)), (some("idle"), some("idle")));
    painted.apply(&changes, &after);
    assert_eq!(diff(&painted, &after).firm, []);
}

#[test]
fn what_has_gone_is_neither_written_to_nor_remembered() {
    let mut painted = untouched();
    let before = paint(&[is(session("a", "%3", "@2"), working())]);
    painted.apply(&diff(&painted, &before).firm, &before);
    let mut after = paint(&[]);
    after.panes.retain(|pane| pane.id != PaneId::new("%3"));
    assert_eq!(diff(&painted, &after).firm, []);
    painted.apply(&[], &after);
    assert_eq!(painted.values.len(), 0);
}

#[test]
fn tool_calls_change_nothing_but_what_rides_along() {
    let mut painted = untouched();
    let mut session = is(session("a", "%1", "@1"), working());
    session.spoken.event = Some("UserPromptSubmit".to_owned());
    session.spoken.set_on = Some("UserPromptSubmit".to_owned());
    let first = paint(&[session.clone()]);
    let changes = diff(&painted, &first);
    let all: Vec<Change> = [changes.firm, changes.riding].concat();
    painted.apply(&all, &first);
    let face = Face::of(&session, &Look::default());
    session.spoken.event = Some("PreToolUse".to_owned());
    session.spoken.at = Stamp(1_700_000_000_999);
    assert_eq!(Face::of(&session, &Look::default()), face);
    let changes = diff(&painted, &paint(&[session]));
    assert_eq!(changes.firm, []);
    assert_eq!(changed(&changes.riding, "@meta.claude.latest_hook_time"), some("1700000000"));
    assert_eq!(changed(&changes.riding, "@meta.claude.latest_hook_event"), some("PreToolUse"));
}

#[test]
fn parts_switched_off_are_taken_out() {
    let mut painted = untouched();
    let sessions = [is(session("a", "%1", "@1"), working())];
    let mut all = paint(&sessions);
    all.last_focused = LastFocused::Index("3".to_owned());
    let changes = diff(&painted, &all).firm;
    assert_eq!(changed(&changes, LAST_FOCUSED), some("3"));
    painted.apply(&changes, &all);
    let without = |part: Part| {
        let mut look = Look::default();
        look.shows.remove(&part);
        diff(&painted, &wanted(sessions.iter(), (SOCKET, &listing()), &Summary::default(), &look))
            .firm
    };
    assert_eq!(changed(&without(Part::TabColours), STYLES[0]), [None]);
    assert_eq!(changed(&without(Part::WindowState), STATE), [None]);
    assert_eq!(changed(&without(Part::PaneOptions), SESSION_ID), [None]);
    assert_eq!(changed(&without(Part::LastFocusedWindow), LAST_FOCUSED), [None]);
    let none = Look { shows: Default::default(), ..Look::default() };
    let nothing = wanted(sessions.iter(), (SOCKET, &listing()), &Summary::default(), &none);
    assert!(diff(&painted, &nothing).firm.iter().all(|change| change.value.is_none()));
    painted.apply(&diff(&painted, &nothing).firm, &nothing);
    assert!(painted.values.is_empty());
}

#[test]
fn where_nothing_is_set_up_only_sessions_with_hooks_are_shown() {
    let mut heard = session("a", "%1", "@1");
    heard.facts.heard = Stamp(3);
    let sessions = [heard, session("b", "%3", "@2")];
    let bare = Listing { is_set_up: false, ..listing() };
    let paint = wanted(sessions.iter(), (SOCKET, &bare), &Summary::default(), &Look::default());
    assert_eq!(paint.windows.keys().map(WindowId::as_str).collect::<Vec<_>>(), ["@1"]);
    assert_eq!(paint.shown.keys().map(PaneId::as_str).collect::<Vec<_>>(), ["%1"]);
}

#[test]
fn summary_is_written_when_its_text_changes_and_only_to_servers_of_ours() {
    let counts = |working| Summary { working, ..Summary::default() };
    let of = |listing: &Listing, working, look: &Look| {
        wanted([].iter(), (SOCKET, listing), &counts(working), look)
    };
    let look = Look::default();
    let mut painted = untouched();
    let one = of(&listing(), 1, &look);
    let changes = diff(&painted, &one).firm;
    assert_eq!(changed(&changes, SUMMARY), some("#[fg=#6699cc]▶ 1#[default]"));
    painted.apply(&changes, &one);
    assert_eq!(diff(&painted, &one), Changes::default());
    assert_eq!(changed(&diff(&painted, &of(&listing(), 0, &look)).firm, SUMMARY), [None]);
    let bare = Listing { is_set_up: false, ..listing() };
    assert_eq!(of(&bare, 1, &look).summary, None);
    let click = Listing { version: "3.4".to_owned(), ..listing() };
    assert!(of(&click, 1, &look).summary.unwrap().starts_with("#[range=user|atm]"));
    let nothing = of(&listing(), 1, &look.off());
    assert_eq!(changed(&diff(&painted, &nothing).firm, SUMMARY), [None]);
}

#[test]
fn survey_cut_short_is_no_answer() {
    assert!(Painted::parse("").is_none());
    assert!(Painted::parse("atm-reads server 7\n").is_none());
    let survey = survey([WindowId::new("@1")].iter());
    assert_eq!(survey.len(), 1);
    let many: Vec<WindowId> = (0..500).map(|n| WindowId::new(&format!("@{n}"))).collect();
    assert!(super::survey(many.iter()).len() > 1);
}
