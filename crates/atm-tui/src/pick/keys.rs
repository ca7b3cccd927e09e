//! The keys, in one table: what they do, and what the footer and the help say of them.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Msg {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Choose,
    Leave,
    Dismiss,
    Help,
    Erase,
    EraseWord,
    EraseAll,
    Type(char),
}

pub(super) struct Binding {
    chords: &'static [(KeyModifiers, KeyCode)],
    msg: Msg,
    /// As the help names them.
    pub(super) keys: &'static str,
    /// As the footer does, with what they do in a word; empty if it does not.
    pub(super) brief: (&'static str, &'static str),
    pub(super) does: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

pub(super) const KEYS: [Binding; 13] = [
    Binding {
        chords: &[(NONE, KeyCode::Enter)],
        msg: Msg::Choose,
        keys: "Enter",
        brief: ("Enter", "go"),
        does: "go to the selected session",
    },
    Binding {
        chords: &[(NONE, KeyCode::Down), (NONE, KeyCode::Tab), (CTRL, KeyCode::Char('n'))],
        msg: Msg::Down,
        keys: "Down, Tab, C-n",
        brief: ("Tab", "next"),
        does: "select the next one",
    },
    Binding {
        chords: &[
            (NONE, KeyCode::Up),
            (KeyModifiers::SHIFT, KeyCode::BackTab),
            (NONE, KeyCode::BackTab),
            (CTRL, KeyCode::Char('p')),
        ],
        msg: Msg::Up,
        keys: "Up, S-Tab, C-p",
        brief: ("", ""),
        does: "select the one before",
    },
    Binding {
        chords: &[(NONE, KeyCode::PageDown)],
        msg: Msg::PageDown,
        keys: "PageDown",
        brief: ("", ""),
        does: "ten further down",
    },
    Binding {
        chords: &[(NONE, KeyCode::PageUp)],
        msg: Msg::PageUp,
        keys: "PageUp",
        brief: ("", ""),
        does: "ten further up",
    },
    Binding {
        chords: &[(NONE, KeyCode::Home)],
        msg: Msg::First,
        keys: "Home",
        brief: ("", ""),
        does: "select the first",
    },
    Binding {
        chords: &[(NONE, KeyCode::End)],
        msg: Msg::Last,
        keys: "End",
        brief: ("", ""),
        does: "select the last",
    },
    Binding {
        chords: &[(NONE, KeyCode::Backspace), (CTRL, KeyCode::Char('h'))],
        msg: Msg::Erase,
        keys: "Backspace",
        brief: ("", ""),
        does: "erase the last character of the filter",
    },
    Binding {
        chords: &[(CTRL, KeyCode::Char('w'))],
        msg: Msg::EraseWord,
        keys: "C-w",
        brief: ("", ""),
        does: "erase its last word",
    },
    Binding {
        chords: &[(CTRL, KeyCode::Char('u'))],
        msg: Msg::EraseAll,
        keys: "C-u",
        brief: ("", ""),
        does: "erase the filter",
    },
    Binding {
        chords: &[(NONE, KeyCode::Esc), (CTRL, KeyCode::Char('c')), (CTRL, KeyCode::Char('g'))],
        msg: Msg::Leave,
        keys: "Esc, C-c",
        brief: ("Esc", "leave"),
        does: "leave without going anywhere",
    },
    Binding {
        chords: &[(NONE, KeyCode::Char('?')), (KeyModifiers::SHIFT, KeyCode::Char('?'))],
        msg: Msg::Help,
        keys: "?",
        brief: ("?", "help"),
        does: "show or hide this help",
    },
    Binding {
        chords: &[(CTRL, KeyCode::Char('d'))],
        msg: Msg::Dismiss,
        keys: "C-d",
        brief: ("C-d", "dismiss"),
        does: "mark the selected session as seen",
    },
];

pub(super) fn meaning(key: KeyEvent) -> Option<Msg> {
    let is_it = |binding: &&Binding| binding.chords.contains(&(key.modifiers, key.code));
    if let Some(binding) = KEYS.iter().find(is_it) {
        return Some(binding.msg);
    }
    match (key.modifiers, key.code) {
        (NONE | KeyModifiers::SHIFT, KeyCode::Char(c)) => Some(Msg::Type(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_and_each_is_explained() {
        let mut seen = Vec::new();
        for binding in &KEYS {
            assert!(!binding.does.is_empty() && !binding.keys.is_empty());
            for chord in binding.chords {
                assert!(!seen.contains(&chord), "{chord:?}");
                seen.push(chord);
            }
        }
    }

    #[test]
    fn letters_are_typed_and_chords_without_a_meaning_are_nothing() {
        let of = |modifiers, code| meaning(KeyEvent::new(code, modifiers));
        assert_eq!(of(NONE, KeyCode::Char('q')), Some(Msg::Type('q')));
        assert_eq!(of(KeyModifiers::SHIFT, KeyCode::Char('Q')), Some(Msg::Type('Q')));
        assert_eq!(of(CTRL, KeyCode::Char('c')), Some(Msg::Leave));
        assert_eq!(of(CTRL, KeyCode::Char('z')), None);
        assert_eq!(of(KeyModifiers::ALT, KeyCode::Char('x')), None);
    }
}
