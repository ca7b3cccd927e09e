//! What a notification says.

use super::words::{Fields, Message};
use super::*;
use crate::view::SessionView;

fn views(room: &Room) -> Vec<SessionView> {
    room.sessions.values().map(|session| SessionView::of(session, "host", room.now)).collect()
}

#[test]
fn usual_words_say_who_and_what_for() {
    let mut room = Room::new("");
    room.becomes("api", asks("Bash"));
    let said = |room: &Room, occasion, step| {
        let message = Message::usual(&views(room), occasion, step, room.now.plus(secs(125)));
        (message.title, message.body)
    };
    let first = said(&room, Occasion::Attention, Step::First);
    assert_eq!(first, ("api needs you".into(), "Permission: Bash".into()));
    let again = said(&room, Occasion::Attention, Step::Again);
    assert_eq!(again.0, "api still needs you, for 2m");
    room.becomes("web", asks("Edit"));
    let both = said(&room, Occasion::Attention, Step::First);
    assert_eq!(both, ("2 sessions need you".into(), "api, web".into()));
}

#[test]
fn fields_are_clean_whatever_the_session_says_of_itself() {
    let evil = "\x1b]52;c;x\x07\u{202e}a\nb".repeat(100);
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    let session = room.session("a");
    session.about.name = Some(evil.clone());
    session.about.cwd = Some(format!("/{evil}"));
    session.about.last_prompt = Some(evil.clone());
    session.about.role = Some(evil.clone());
    session.conversation = ConversationId::new(&evil);
    let view = views(&room).remove(0);
    let fields = Fields::of(&view, Occasion::Finish, Step::First, room.now);
    let message = Message::usual(&[view], Occasion::Finish, Step::First, room.now);
    let all = serde_json::to_value(&fields).unwrap();
    let all = all.as_object().unwrap().values().map(|v| v.as_str().unwrap().to_owned());
    for text in all.chain([message.title, message.body]) {
        assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{text:?}");
        assert!(text.chars().count() <= 400);
    }
}

#[test]
fn own_texts_are_cleaned_and_empty_ones_are_the_usual() {
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    let usual = Message::usual(&views(&room), Occasion::Attention, Step::First, room.now);
    let own = usual.clone().with(Some("x\x1b[1m\ny"), Some(""));
    assert_eq!((own.title.as_str(), own.body), ("x[1m y", usual.body));
}
