//! The arguments of programs that show a notification: texts as arguments of their own, each
//! escaped for what that program would read into it. No process is started here.

use std::time::Duration;

use super::client::{Client, Version};
use super::terminal::one_line;
use crate::config::notify::Popup;
use crate::text::clean;

const LINE_MAX: usize = 300;
const TITLE_MAX: usize = 120;
const BODY_MAX: usize = 500;

/// From here on `display-message` can take a text as it is.
const LITERAL: Version = Version { major: 3, minor: 4 };

const APPLE_SCRIPT: [&str; 3] =
    ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

fn owned<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// `display-message` on a client: a line over its status line.
pub fn tmux_message(client: &Client, time: Duration, title: &str, body: &str) -> Vec<String> {
    let line = clean(&one_line(title, body), LINE_MAX);
    let mut argv = owned(["-u", "-S", &client.socket, "display-message", "-c", &client.name]);
    argv.extend(["-d".to_owned(), time.as_millis().to_string()]);
    let line = if client.version >= LITERAL {
        argv.push("-l".to_owned());
        line
    } else {
        escape_format(&line)
    };
    argv.extend(["--".to_owned(), escape_end(line)]);
    argv
}

/// Takes a message away before its time, so that the status line is seen again.
pub fn tmux_clear(client: &Client) -> Vec<String> {
    owned(["-u", "-S", &client.socket, "display-message", "-c", &client.name, "-d", "1", "--", ""])
}

/// `display-popup` that runs `atm notify show`; more than one argument is no shell's.
pub fn tmux_popup(
    client: &Client,
    popup: &Popup,
    program: &str,
    title: &str,
    body: &str,
) -> Vec<String> {
    let (width, height) = (popup.width.to_string(), popup.height.to_string());
    let seconds = popup.time.as_millis().to_string();
    let mut argv = owned(["-u", "-S", &client.socket, "display-popup", "-E", "-c", &client.name]);
    argv.extend(owned(["-w", &width, "-h", &height, "--"]));
    argv.extend(owned([program, "notify", "show", "--millis", &seconds, "--"]));
    argv.push(escape_end(clean(title, TITLE_MAX)));
    argv.push(escape_end(clean(body, BODY_MAX)));
    argv
}

/// tmux expands `#` and, as a time, `%`. What is left is drawn, and then `##` is one `#` again.
fn escape_format(text: &str) -> String {
    text.replace('#', "####").replace('%', "%%")
}

/// A `;` at the end of an argument would end the command.
fn escape_end(text: String) -> String {
    match text.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => text,
    }
}

pub fn notify_send(title: &str, body: &str) -> Vec<String> {
    let mut argv = owned(["--app-name=atm", "--"]);
    argv.push(clean(title, TITLE_MAX));
    // It reads backslashes as in C, and the desktop reads a few tags.
    let body = clean(body, BODY_MAX).replace('\\', "\\\\");
    argv.push(body.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
    argv
}

pub fn terminal_notifier(title: &str, body: &str) -> Vec<String> {
    let value = |text: &str, max| {
        let text = clean(text, max);
        // It reads these as the beginning of a property list, and a dash as an option.
        match text.chars().next() {
            Some('[' | '{' | '(' | '"' | '<' | '\\') => format!("\\{text}"),
            Some('-') => format!(" {text}"),
            None => " ".to_owned(),
            Some(_) => text,
        }
    };
    let (title, body) = (value(title, TITLE_MAX), value(body, BODY_MAX));
    owned(["-title", &title, "-message", &body, "-group", "atm"])
}

/// The texts are arguments of the script, never part of it.
pub fn osascript(title: &str, body: &str) -> Vec<String> {
    let mut argv: Vec<String> =
        APPLE_SCRIPT.iter().flat_map(|line| ["-e".to_owned(), (*line).to_owned()]).collect();
    argv.push("--".to_owned());
    argv.extend([clean(title, TITLE_MAX), clean(body, BODY_MAX)]);
    argv
}

/// The user's own arguments; `{name}` in each is replaced once, what is put in is not looked at
/// again.
pub fn fill(arg: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = arg;
    while let Some(start) = rest.find('{') {
        let after = &rest[start + 1..];
        let found = after.find('}').and_then(|end| Some((end, value(&after[..end])?)));
        out.push_str(&rest[..start]);
        match found {
            Some((end, text)) => {
                out.push_str(&text);
                rest = &after[end + 1..];
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notify::client;

    fn client(version: &str) -> Client {
        let line = format!("{version} 0 @1 1 attached,focused xterm /dev/pts/3 /dev/pts/3\n");
        client::parse("/s", &line).remove(0)
    }

    #[test]
    fn tmux_message_expands_nothing_of_the_text() {
        let argv = |version, text| {
            tmux_message(&client(version), Duration::from_secs(5), text, "").split_off(6)
        };
        assert_eq!(argv("3.3a", "#(touch M) 5%H;"), ["-d", "5000", "--", "####(touch M) 5%%H\\;"]);
        assert_eq!(argv("3.4", "#(touch M);"), ["-d", "5000", "-l", "--", "#(touch M)\\;"]);
        assert_eq!(argv("3.4", "--help\x1b")[4], "--help");
    }

    #[test]
    fn programs_get_texts_as_arguments_that_they_read_as_text() {
        let evil = "--help \"; touch M; $(touch M) `x` <b>&\\n";
        assert_eq!(notify_send(evil, "")[2], evil);
        assert_eq!(notify_send("t", "<b>&\\033")[3], "&lt;b&gt;&amp;\\\\033");
        assert_eq!(&osascript(evil, "b")[6..], ["--", evil, "b"]);
        assert_eq!(terminal_notifier("-execute", "[x")[1], " -execute");
        assert_eq!(terminal_notifier("-execute", "[x")[3], "\\[x");
    }

    #[test]
    fn placeholders_are_replaced_once_and_only_if_known() {
        let value = |name: &str| (name == "title").then(|| "{body} $(x)".to_owned());
        let cases = [
            ("{title}", "{body} $(x)"),
            ("--t={title}!{title}", "--t={body} $(x)!{body} $(x)"),
            ("{unknown} {", "{unknown} {"),
            ("{{title}", "{{body} $(x)"),
            ("plain", "plain"),
        ];
        for (arg, expected) in cases {
            assert_eq!(fill(arg, &value), expected, "{arg}");
        }
    }
}
