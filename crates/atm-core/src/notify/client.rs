//! The clients of tmux: what the user is looking at, and where to reach him.

use crate::session::{Found, Session};
use crate::stamp::Stamp;

/// Fields without spaces first; the client's name comes last.
pub const LIST_CLIENTS: [&str; 3] = [
    "list-clients",
    "-F",
    "#{version} #{client_control_mode} #{window_id} #{client_activity} #{client_flags} \
     #{client_termname} #{client_tty} #{client_name}",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    pub socket: String,
    pub name: String,
    pub tty: String,
    pub window: String,
    /// When the user last did something there; tmux counts in seconds.
    pub activity: Stamp,
    pub focus: Focus,
    /// What its terminal says it is.
    pub term: String,
    pub version: Version,
}

/// tmux takes a client to be focused until its terminal says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Focus {
    Away,
    Here,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

impl Version {
    /// `3.3a`, `next-3.6`, `3.5-rc`.
    pub fn parse(text: &str) -> Version {
        let text = text.trim_start_matches("next-");
        let number = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text[..end].parse().unwrap_or(0)
        };
        let (major, minor) = text.split_once('.').unwrap_or((text, ""));
        Version { major: number(major), minor: number(minor) }
    }
}

/// Clients that show something to a person.
pub fn parse(socket: &str, text: &str) -> Vec<Client> {
    text.lines().filter_map(|line| parse_line(socket, line)).collect()
}

fn parse_line(socket: &str, line: &str) -> Option<Client> {
    let mut parts = line.splitn(8, ' ');
    let version = Version::parse(parts.next()?);
    if parts.next()? != "0" {
        return None;
    }
    let window = parts.next().filter(|id| id.starts_with('@'))?;
    let activity: i64 = parts.next()?.parse().ok()?;
    let flags = parts.next()?;
    let (term, tty, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Client {
        socket: socket.to_owned(),
        name: name.to_owned(),
        tty: tty.to_owned(),
        window: window.to_owned(),
        activity: Stamp(activity.checked_mul(1000)?),
        focus: match flags.split(',').any(|flag| flag == "focused") {
            true => Focus::Here,
            false => Focus::Away,
        },
        term: term.to_owned(),
        version,
    })
}

impl Client {
    pub fn shows(&self, session: &Session) -> bool {
        let Some(place) = session.place.as_ref().filter(|place| place.socket == self.socket) else {
            return false;
        };
        matches!(&place.found, Found::In { window, .. } if window.as_str() == self.window)
    }

    /// Whether its terminal is itself a tmux or screen, which keeps our sequences to itself.
    pub fn is_nested(&self) -> bool {
        ["tmux", "screen"].iter().any(|name| self.term.starts_with(name))
    }
}

/// The client at which the user looks at the session's window, if there is one.
pub fn looking<'a>(clients: &'a [Client], session: &Session) -> Option<&'a Client> {
    clients.iter().find(|client| client.focus == Focus::Here && client.shows(session))
}

/// Where the user is: a focused client before others, then the one used last.
pub fn nearest<'a>(clients: impl Iterator<Item = &'a Client>) -> Option<&'a Client> {
    clients.max_by_key(|client| (client.focus, client.activity))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
3.3a 0 @1 1794769560 attached,focused,UTF-8 xterm-256color /dev/pts/3 /dev/pts/3
3.3a 0 @2 1794769570 attached,UTF-8 tmux-256color /dev/pts/4 a client of mine
3.3a 1 @2 1794769580 attached,focused,control-mode   client-77
nonsense
";

    #[test]
    fn clients_are_read_and_control_clients_left_out() {
        let clients = parse("/s", LINES);
        assert_eq!(clients.len(), 2);
        assert_eq!((clients[0].focus, clients[1].focus), (Focus::Here, Focus::Away));
        assert_eq!(clients[1].name, "a client of mine");
        assert_eq!(clients[0].activity, Stamp(1_794_769_560_000));
        assert!(clients[1].is_nested() && !clients[0].is_nested());
    }

    #[test]
    fn user_is_at_the_focused_client_else_at_the_one_used_last() {
        let mut clients = parse("/s", LINES);
        assert_eq!(nearest(clients.iter()).unwrap().tty, "/dev/pts/3");
        clients[0].focus = Focus::Away;
        assert_eq!(nearest(clients.iter()).unwrap().tty, "/dev/pts/4");
    }

    #[test]
    fn version_is_read_from_what_tmux_calls_itself() {
        let of = |text| Version::parse(text);
        assert_eq!(of("3.3a"), Version { major: 3, minor: 3 });
        assert_eq!(of("next-3.6"), Version { major: 3, minor: 6 });
        assert!(of("3.10") > of("3.4") && of("3.5-rc") > of("3.4"));
        assert_eq!(of("openbsd"), Version::default());
    }
}
