//! The picker as users see it, on buffers of several sizes.

use atm_core::ids::ConversationId;
use atm_core::session::status::Class;
use atm_core::session::{Key, Session};
use atm_core::view::TmuxView;
use atm_core::words::Charset;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};

use super::*;
use crate::inbox::{Deed, News};
use crate::theme::Colour;

const NOW: Stamp = Stamp(1_794_769_560_000);
const SIZES: [(u16, u16); 6] = [(80, 24), (200, 50), (40, 50), (40, 10), (250, 60), (30, 6)];

fn view(name: &str, status: Class, seconds: i64) -> SessionView {
    let since = Stamp(NOW.0 - seconds * 1000);
    let id = ConversationId::new(&format!("{name}-0000-4000"));
    let session = Session::new(Key::stored(format!("key-{name}")), id, since);
    SessionView {
        status,
        name: Some(name.to_owned()),
        cwd: Some(format!("/home/u/src/{name}")),
        pane: Some(format!("%{name}")),
        window: Some("@1".to_owned()),
        tmux: Some(TmuxView { socket: "/s".to_owned(), session: Some("main".to_owned()) }),
        why: None,
        ..SessionView::of(&session, "box", since)
    }
}

/// Out of order: who waits longest comes first on the screen.
fn fleet() -> Vec<SessionView> {
    let reason = Some("Permission: Bash".to_owned());
    let subject = Some("npm run migrate".to_owned());
    vec![
        SessionView { detail: Some("Edit".to_owned()), ..view("docs", Class::Working, 20) },
        SessionView { unseen: true, why: Some("done".to_owned()), ..view("web", Class::Idle, 90) },
        SessionView { pane: None, tmux: None, ..view("batch", Class::Idle, 4000) },
        SessionView { reason, subject, ..view("api", Class::Attention, 240) },
    ]
}

fn look() -> Look {
    Look { colour: Colour::On, charset: Charset::Utf8, home: Some("/home/u".to_owned()) }
}

fn picker(sessions: Vec<SessionView>) -> Picker {
    let mut picker = Picker::new(look(), Choice::Panes, NOW);
    picker.update(Input::News(News::Snapshot(sessions)), NOW);
    picker
}

fn press(picker: &mut Picker, code: KeyCode) -> Step<Outcome> {
    picker.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), NOW)
}

fn ctrl(picker: &mut Picker, c: char) -> Step<Outcome> {
    picker.update(Input::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)), NOW)
}

fn type_in(picker: &mut Picker, text: &str) {
    for c in text.chars() {
        press(picker, KeyCode::Char(c));
    }
}

fn drawn(picker: &Picker, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| picker.draw(frame)).unwrap();
    terminal
}

fn lines(picker: &Picker, size: (u16, u16)) -> Vec<String> {
    let terminal = drawn(picker, size);
    let buffer = terminal.backend().buffer();
    let row = |y| (0..size.0).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..size.1).map(row).map(|line| line.trim_end().to_owned()).collect()
}

fn text(picker: &Picker, size: (u16, u16)) -> String {
    lines(picker, size).join("\n")
}

fn names(picker: &Picker) -> Vec<&str> {
    picker.rows.iter().map(|row| row.name.as_str()).collect()
}

fn captured(name: &str, shown: &str) -> Input {
    let spot = Spot { socket: "/s".to_owned(), pane: format!("%{name}") };
    Input::Captured { spot, shown: Ok(shown.to_owned()) }
}

#[test]
fn list_shows_who_needs_the_user_first_in_every_size() {
    let picker = picker(fleet());
    assert_eq!(names(&picker), ["api", "web", "docs", "batch"]);
    for size in SIZES.into_iter().filter(|size| size.1 >= 10) {
        let shown = lines(&picker, size);
        assert!(shown[0].starts_with(" › type to filter") && shown[0].ends_with("4/4"), "{size:?}");
        assert!(shown[2].starts_with("▌▲ ") && shown[2].contains("api"), "{size:?}: {shown:?}");
        assert!(shown[3].contains('●') && shown[3].contains("web"), "{size:?}");
        assert!(shown[5].contains("batch") && shown[5].contains("(no pane)"), "{size:?}");
        let keys = shown.last().unwrap();
        assert!(keys.contains("Enter go") && keys.contains("Esc leave"), "{size:?}: {keys}");
    }
    let shown = lines(&picker, (80, 24));
    assert!(shown[2].contains("attention api   Permission: Bash: npm run migrate"), "{shown:?}");
    assert!(shown[2].ends_with("   4m"), "{shown:?}");
}

#[test]
fn selected_row_is_reversed_and_a_session_without_a_pane_is_dim() {
    let terminal = drawn(&picker(fleet()), (80, 24));
    let cell = |x, y| terminal.backend().buffer()[(x, y)].clone();
    assert!(cell(30, 2).modifier.contains(Modifier::REVERSED));
    assert!(!cell(30, 3).modifier.contains(Modifier::REVERSED));
    assert!(cell(30, 5).modifier.contains(Modifier::DIM));
    assert_eq!(cell(1, 2).fg, Color::Red);
    let mut plain = picker(fleet());
    plain.look.colour = Colour::Off;
    plain.update(captured("api", "\x1b[31mred"), NOW);
    let terminal = drawn(&plain, (80, 24));
    let cells = terminal.backend().buffer().content();
    assert!(cells.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
}

#[test]
fn ascii_terminal_gets_ascii_only() {
    let mut picker = picker(fleet());
    picker.look.charset = Charset::Ascii;
    for size in SIZES {
        assert!(text(&picker, size).is_ascii(), "{size:?}");
    }
    press(&mut picker, KeyCode::Char('?'));
    assert!(text(&picker, (80, 24)).is_ascii());
}

#[test]
fn pane_is_shown_beside_or_below_where_there_is_room() {
    let mut picker = picker(fleet());
    let contents: String = (0..99).map(|n| format!("line {n}\n")).collect();
    picker.update(captured("api", &format!("{contents}\x1b[32mallow?\x1b[0m\n\n\n")), NOW);
    for size in [(80, 24), (200, 50), (40, 50)] {
        let shown = text(&picker, size);
        assert!(shown.contains("line 98") && shown.contains("allow?"), "{size:?}: {shown}");
    }
    assert!(!text(&picker, (40, 10)).contains("allow?"));
    let wide = lines(&picker, (200, 50));
    assert!(wide[2].contains("api") && wide[2].contains('┌'), "beside: {:?}", wide[2]);
    let terminal = drawn(&picker, (80, 24));
    let buffer = terminal.backend().buffer();
    assert!(
        buffer.content().iter().any(|cell| cell.symbol() == "?" && cell.fg == Color::Indexed(2))
    );
    // A picture of another pane is not shown as this one's.
    press(&mut picker, KeyCode::Down);
    assert!(!text(&picker, (80, 24)).contains("allow?"));
}

#[test]
fn filter_narrows_by_every_word_in_any_text() {
    let found = |filter: &str| {
        let mut picker = picker(fleet());
        type_in(&mut picker, filter);
        names(&picker).join(" ")
    };
    assert_eq!(found("api"), "api");
    assert_eq!(found("migr"), "api");
    assert_eq!(found("attention"), "api");
    assert_eq!(found("working docs"), "docs");
    assert_eq!(found("src/web"), "web");
    assert_eq!(found("wb"), "web");
    assert_eq!(found("do"), "docs web", "a name before what is said of another");
    assert_eq!(found("zzz"), "");
    assert_eq!(found("docs zzz"), "");
    assert_eq!(found("!src batch"), "");
    assert_eq!(found("docs-000"), "docs", "by its id");
}

#[test]
fn filter_is_edited_and_begins_at_its_best_match() {
    let mut picker = picker(fleet());
    press(&mut picker, KeyCode::Down);
    type_in(&mut picker, "docs x");
    assert!(picker.rows.is_empty());
    ctrl(&mut picker, 'w');
    assert_eq!((picker.filter.as_str(), picker.selected.as_deref()), ("docs ", Some("key-docs")));
    press(&mut picker, KeyCode::Backspace);
    assert!(lines(&picker, (80, 24))[0].starts_with(" › docs "));
    ctrl(&mut picker, 'u');
    assert_eq!((picker.filter.as_str(), picker.rows.len(), picker.at), ("", 4, 0));
}

#[test]
fn enter_chooses_and_says_why_it_cannot() {
    let mut picker = picker(fleet());
    let Step::Leave(Outcome::Chosen(view)) = press(&mut picker, KeyCode::Enter) else { panic!() };
    assert_eq!(view.key, "key-api");
    press(&mut picker, KeyCode::Up);
    assert_eq!(picker.selected.as_deref(), Some("key-batch"), "round the end");
    assert_eq!(press(&mut picker, KeyCode::Enter), Step::Redraw);
    assert!(text(&picker, (80, 24)).contains("not in a tmux pane"));
    assert!(lines(&picker, (40, 10))[9].contains("not in a tmux pane"));
    picker.choice = Choice::Any;
    assert!(matches!(press(&mut picker, KeyCode::Enter), Step::Leave(Outcome::Chosen(_))));
}

#[test]
fn other_keys_leave_dismiss_and_help() {
    let mut picker = picker(fleet());
    assert_eq!(ctrl(&mut picker, 'd'), Step::Do(Deed::Dismiss("key-api".to_owned())));
    press(&mut picker, KeyCode::Char('?'));
    let help = text(&picker, (80, 24));
    assert!(help.contains("mark the selected session as seen"), "{help}");
    assert_eq!(press(&mut picker, KeyCode::Esc), Step::Redraw, "leaves the help only");
    assert!(!text(&picker, (80, 24)).contains("mark the selected"));
    assert_eq!(press(&mut picker, KeyCode::Esc), Step::Leave(Outcome::Left));
    assert_eq!(ctrl(&mut picker, 'c'), Step::Leave(Outcome::Left));
    assert_eq!(picker.update(Input::Closed, NOW), Step::Leave(Outcome::Left));
}

#[test]
fn selection_stays_with_its_session_when_the_list_moves() {
    let mut picker = picker(fleet());
    press(&mut picker, KeyCode::Down);
    assert_eq!(picker.selected.as_deref(), Some("key-web"));
    let older = view("first", Class::Attention, 9999);
    picker.update(Input::News(News::Changed(Box::new(older))), NOW);
    assert_eq!(names(&picker)[..3], ["first", "api", "web"]);
    assert_eq!((picker.selected.as_deref(), picker.at), (Some("key-web"), 2));
    let gone = News::Removed { id: "web-0000-4000".to_owned(), key: "key-web".to_owned() };
    picker.update(Input::News(gone), NOW);
    assert_eq!(picker.selected.as_deref(), Some("key-docs"), "the one that took its place");
}

#[test]
fn empty_list_says_why_and_what_to_do() {
    let waiting = Picker::new(look(), Choice::Panes, NOW);
    assert!(text(&waiting, (80, 24)).contains("asking the daemon"));
    let mut none = picker(vec![]);
    for size in [(80, 24), (200, 50), (40, 50)] {
        let shown = text(&none, size);
        assert!(shown.contains("no live sessions found") && shown.contains("atm setup"), "{shown}");
    }
    none.update(Input::News(News::Trouble("the daemon was stopped".to_owned())), NOW);
    assert!(text(&none, (80, 24)).contains("the daemon was stopped"));
    let mut unmatched = picker(fleet());
    type_in(&mut unmatched, "zzz");
    let shown = text(&unmatched, (40, 10));
    assert!(shown.contains("nothing matches \"zzz\"") && shown.contains("C-u"), "{shown}");
    assert_eq!(press(&mut unmatched, KeyCode::Enter), Step::Same);
}

#[test]
fn too_small_a_terminal_is_told_so() {
    let picker = picker(fleet());
    assert!(text(&picker, (20, 5)).contains("too small"));
    for width in 1..60 {
        for height in [1, 2, 5, 6, 7, 20] {
            drawn(&picker, (width, height));
        }
    }
}

#[test]
fn hostile_text_changes_no_layout_and_no_control_byte_gets_through() {
    let tower = format!("e{}", "\u{301}".repeat(5000));
    let texts = [
        "x\x1b[2J\x1b]0;t\x07\u{9b}31m\r\n\t\u{7f}\u{202e}y\0".to_owned(),
        "日本語テキスト".repeat(700),
        "n".repeat(10_000),
        tower,
        "👩\u{200d}👩\u{200d}👧 \u{2764}\u{fe0f} \u{1f1e9}\u{1f1ea}".repeat(50),
        "\u{0600}\u{0627}\u{200f}مرحبا".to_owned(),
        String::new(),
    ];
    for hostile in &texts {
        let bad = SessionView {
            id: hostile.clone(),
            name: Some(hostile.clone()),
            cwd: Some(hostile.clone()),
            reason: Some(hostile.clone()),
            ..view("zzz", Class::Attention, 9)
        };
        let mut picker = picker([fleet(), vec![bad]].concat());
        picker.update(captured("api", hostile), NOW);
        picker.update(Input::Paste(hostile.clone()), NOW);
        ctrl(&mut picker, 'u');
        for size in SIZES.into_iter().filter(|size| size.1 >= 10) {
            let terminal = drawn(&picker, size);
            let cells = terminal.backend().buffer().content();
            for cell in cells {
                assert!(!cell.symbol().chars().any(char::is_control), "{:?}", cell.symbol());
                assert!(cell.symbol().chars().count() <= 4, "{:?}", cell.symbol());
                assert!(!cell.symbol().contains('\u{202e}'));
            }
            let shown = lines(&picker, size);
            assert!(shown[2].starts_with("▌▲ "), "{size:?} {shown:?}");
            let mark = |line: &str| line.chars().nth(1);
            let marks: Vec<_> = shown[2..7].iter().map(|line| mark(line).unwrap()).collect();
            assert_eq!(marks, ['▲', '▲', '●', '▶', '■'], "{size:?}");
        }
    }
}

#[test]
fn frame_is_drawn_anew_only_if_something_reads_differently() {
    let mut picker = picker(fleet());
    assert_eq!(picker.update(Input::Tick, NOW), Step::Same);
    assert_eq!(picker.update(Input::Tick, Stamp(NOW.0 + 1000)), Step::Redraw, "20s became 21s");
}
