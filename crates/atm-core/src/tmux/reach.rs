//! Taking a user to a pane: who is attached where, and the commands that move a client. Targets
//! are made of ids only, for names may hold anything.

use crate::text::clean;

/// Arguments that list the clients of a server and where each of its panes is.
pub const SURVEY: [&str; 8] = [
    "list-clients",
    "-F",
    "c #{client_activity} #{session_id} #{pane_id} #{client_flags} #{client_name}",
    ";",
    "list-panes",
    "-a",
    "-F",
    "p #{session_id} #{window_id} #{pane_id}",
];

/// Longest text shown on a client's message line.
const MAX_MESSAGE: usize = 300;

/// A terminal that shows this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    pub name: String,
    /// Seconds since the epoch.
    pub activity: u64,
    pub session: String,
    /// The pane that it shows as the active one.
    pub pane: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    pub clients: Vec<Client>,
    /// Session, window and pane; a window that several sessions share is there for each.
    pub panes: Vec<[String; 3]>,
}

impl Survey {
    pub fn parse(text: &str) -> Survey {
        let mut survey = Survey::default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("c", rest)) => survey.clients.extend(parse_client(rest)),
                Some(("p", rest)) => survey.panes.extend(parse_place(rest)),
                _ => {}
            }
        }
        survey
    }

    /// The client in front of which the user sits: the one named, else the one that shows `pane`,
    /// else the one used last.
    pub fn client(&self, name: Option<&str>, pane: Option<&str>) -> Option<&Client> {
        let named = self.clients.iter().find(|client| Some(client.name.as_str()) == name);
        let rank = |client: &&Client| (Some(client.pane.as_str()) == pane, client.activity);
        named.or_else(|| self.clients.iter().max_by_key(rank))
    }

    /// A pane as a target, in `session` if it is there too.
    pub fn target(&self, pane: &str, session: Option<&str>) -> Option<String> {
        let places = || self.panes.iter().filter(|place| place[2] == pane);
        let near = places().find(|place| Some(place[0].as_str()) == session);
        let has_client = |place: &&[String; 3]| self.clients.iter().any(|c| c.session == place[0]);
        let place = near.or_else(|| places().find(has_client)).or_else(|| places().next());
        place.map(|[session, window, pane]| format!("{session}:{window}.{pane}"))
    }
}

/// Programs that drive tmux and terminals that sleep show nothing to anybody.
fn parse_client(line: &str) -> Option<Client> {
    let mut parts = line.splitn(5, ' ');
    let activity = parts.next()?.parse().ok()?;
    let session = parts.next().filter(|id| is_id(id, '$'))?.to_owned();
    let pane = parts.next().filter(|id| is_id(id, '%'))?.to_owned();
    let flags = parts.next()?;
    let is_blind = flags.split(',').any(|flag| matches!(flag, "control-mode" | "suspended"));
    let name = parts.next().filter(|name| !name.is_empty())?.to_owned();
    (!is_blind).then_some(Client { name, activity, session, pane })
}

fn parse_place(line: &str) -> Option<[String; 3]> {
    let parts: Vec<&str> = line.split(' ').collect();
    let [session, window, pane] = parts[..] else { return None };
    let is_place = is_id(session, '$') && is_id(window, '@') && is_id(pane, '%');
    is_place.then(|| [session, window, pane].map(str::to_owned))
}

fn is_id(text: &str, sign: char) -> bool {
    let digits = text.strip_prefix(sign).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The server's socket, from `$TMUX`: `/tmp/tmux-1000/default,812,0`.
pub fn socket_of(tmux: &str) -> Option<&str> {
    let mut parts = tmux.rsplitn(3, ',').skip(2);
    parts.next().filter(|socket| !socket.is_empty())
}

/// Shows a pane in a client: its session, window and place change at once; a zoomed window stays
/// zoomed.
pub fn switch<'a>(client: &'a str, target: &'a str) -> [&'a str; 6] {
    ["switch-client", "-Z", "-c", client, "-t", target]
}

pub fn attach(target: &str) -> [&str; 3] {
    ["attach-session", "-t", target]
}

/// Makes a client leave its server and attach to another one. tmux hands the command to the
/// user's shell, whichever that is: `None` if the socket has signs that not all of them read alike.
pub fn reattach(client: &str, socket: &str, target: &str) -> Option<[String; 5]> {
    let command = format!("exec env TMUX= tmux -S '{socket}' attach-session -t '{target}'");
    let is_plain = |c: char| !c.is_control() && !matches!(c, '\'' | '\\' | '!' | '#');
    socket
        .chars()
        .all(is_plain)
        .then(|| ["detach-client", "-t", client, "-E", &command].map(str::to_owned))
}

/// Shows a line to the user of a client, as it is.
pub fn message(client: &str, text: &str) -> [String; 6] {
    let text = format!("atm: {}", literal(text));
    ["display-message", "-c", client, "-d", "4000", &text].map(str::to_owned)
}

/// What a pane shows, with its colours.
pub fn capture(pane: &str) -> [&str; 5] {
    ["capture-pane", "-p", "-e", "-t", pane]
}

/// Text that tmux prints unchanged where it expects a format. `%` would be read as a part of a
/// date, and a semicolon at the end of an argument begins a new command.
fn literal(text: &str) -> String {
    let text = clean(text, MAX_MESSAGE).replace('#', "##").replace('%', "%%");
    match text.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
c 100 $0 %0 attached,focused,UTF-8 /dev/pts/4
c 300 $1 %5 attached,control-mode client-77
c 200 $2 %1 attached,UTF-8 /dev/pts/9
c nonsense
p $0 @0 %0
p $2 @0 %0
p $1 @1 %1
p $1 @1 %1;kill-server
";

    #[test]
    fn client_is_the_one_named_else_the_one_that_shows_the_pane_else_the_last_used() {
        let survey = Survey::parse(TEXT);
        let name = |name, pane| survey.client(name, pane).map(|client| client.name.as_str());
        assert_eq!(survey.clients.len(), 2, "programs are not looked at");
        assert_eq!(name(Some("/dev/pts/4"), Some("%1")), Some("/dev/pts/4"));
        assert_eq!(name(Some("/dev/gone"), Some("%0")), Some("/dev/pts/4"));
        assert_eq!(name(None, None), Some("/dev/pts/9"));
        assert_eq!(Survey::parse("").client(None, None), None);
    }

    #[test]
    fn target_stays_in_the_session_where_it_can() {
        let survey = Survey::parse(TEXT);
        let target = |pane, session| survey.target(pane, session);
        assert_eq!(survey.panes.len(), 3);
        assert_eq!(target("%0", Some("$2")).as_deref(), Some("$2:@0.%0"));
        assert_eq!(target("%0", Some("$1")).as_deref(), Some("$0:@0.%0"));
        assert_eq!(target("%1", None).as_deref(), Some("$1:@1.%1"));
        assert_eq!(target("%7", None), None);
    }

    #[test]
    fn socket_is_all_before_the_two_last_parts() {
        assert_eq!(socket_of("/tmp/a,b/default,812,0"), Some("/tmp/a,b/default"));
        assert_eq!(socket_of(""), None);
        assert_eq!(socket_of("812,0"), None);
    }

    #[test]
    fn message_has_nothing_that_tmux_expands_or_a_terminal_acts_on() {
        let shown = |text| message("c", text)[5].clone();
        assert_eq!(
            shown("#(touch x) #{pane_id} 5%H\x1b[2J\n;"),
            "atm: ##(touch x) ##{pane_id} 5%%H[2J \\;"
        );
        assert!(shown(&"x".repeat(9999)).chars().count() < 320);
    }

    #[test]
    fn reattach_quotes_a_socket_or_leaves_it_to_the_user() {
        let command =
            |socket| reattach("/dev/pts/4", socket, "$0:@1.%2").map(|words| words[4].clone());
        assert_eq!(
            command("/tmp/my dir/$(x)").as_deref(),
            Some("exec env TMUX= tmux -S '/tmp/my dir/$(x)' attach-session -t '$0:@1.%2'")
        );
        for odd in ["/tmp/it's", "/tmp/a\\b", "/tmp/a\nb", "/tmp/a!b", "/tmp/#(x)"] {
            assert_eq!(command(odd), None, "{odd}");
        }
    }
}
