//! Notifications as bytes for a terminal. Texts are cleaned here once more: nothing in them can
//! end the sequence they stand in.

use super::Channel;
use super::client::Client;
use crate::text::clean;

/// Longest text in a sequence, in characters; terminals drop long ones.
const TEXT_MAX: usize = 200;

/// None for a channel that is no matter of the terminal.
pub fn bytes(channel: Channel, client: &Client, title: &str, body: &str) -> Option<Vec<u8>> {
    let sequence = match channel {
        // BEL passes through a tmux around us as it is.
        Channel::Bell => return Some(b"\x07".to_vec()),
        Channel::Osc9 => format!("\x1b]9;{}\x07", field(&one_line(title, body))),
        Channel::Osc777 => format!("\x1b]777;notify;{};{}\x07", field(title), field(body)),
        Channel::Osc99 => format!(
            "\x1b]99;i=atm:d=0;{}\x1b\\\x1b]99;i=atm:d=1:p=body;{}\x1b\\",
            field(title),
            field(body)
        ),
        Channel::TmuxMessage | Channel::TmuxPopup | Channel::NotifySend => return None,
        Channel::TerminalNotifier | Channel::Osascript | Channel::Sound => return None,
        Channel::Command | Channel::Webhook => return None,
    };
    Some(if client.is_nested() { passed_through(&sequence) } else { sequence.into_bytes() })
}

pub fn one_line(title: &str, body: &str) -> String {
    if body.is_empty() { title.to_owned() } else { format!("{title}: {body}") }
}

/// `;` divides fields, and `4;…` would be a progress bar.
fn field(text: &str) -> String {
    clean(text, TEXT_MAX).replace(';', ",")
}

/// For a tmux around the client's terminal, which needs `allow-passthrough on`.
fn passed_through(sequence: &str) -> Vec<u8> {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notify::client;

    fn at(term: &str) -> Client {
        let line = format!("3.3a 0 @1 1 attached,focused {term} /dev/pts/3 /dev/pts/3\n");
        client::parse("/s", &line).remove(0)
    }

    fn text(channel: Channel, term: &str, title: &str, body: &str) -> String {
        String::from_utf8(bytes(channel, &at(term), title, body).unwrap()).unwrap()
    }

    #[test]
    fn sequences_are_as_terminals_document_them() {
        let of = |channel| text(channel, "xterm", "api needs you", "Permission: Bash");
        assert_eq!(of(Channel::Bell), "\x07");
        assert_eq!(of(Channel::Osc9), "\x1b]9;api needs you: Permission: Bash\x07");
        assert_eq!(of(Channel::Osc777), "\x1b]777;notify;api needs you;Permission: Bash\x07");
        assert_eq!(
            of(Channel::Osc99),
            "\x1b]99;i=atm:d=0;api needs you\x1b\\\x1b]99;i=atm:d=1:p=body;Permission: Bash\x1b\\"
        );
        assert_eq!(bytes(Channel::Webhook, &at("xterm"), "", ""), None);
    }

    #[test]
    fn sequence_for_a_tmux_in_a_tmux_is_wrapped() {
        let wrapped = text(Channel::Osc9, "tmux-256color", "a", "");
        assert_eq!(wrapped, "\x1bPtmux;\x1b\x1b]9;a\x07\x1b\\");
    }

    #[test]
    fn no_text_ends_its_sequence_or_begins_another_field() {
        let evil = "4;3;\x1b\\\x07\u{9c}\u{9d}52;c;eA==\x1b]0;x\r\n\u{202e}";
        for channel in [Channel::Osc9, Channel::Osc777, Channel::Osc99] {
            let usual = text(channel, "xterm", "t", "b");
            let sent = text(channel, "xterm", evil, evil);
            let control = |t: &str| t.chars().filter(|c| c.is_control()).collect::<String>();
            let fields = |t: &str| t.matches(';').count();
            assert_eq!(control(&sent), control(&usual), "{sent:?}");
            assert_eq!(fields(&sent), fields(&usual), "{sent:?}");
            assert!(!sent.contains('\u{202e}'));
        }
    }
}
