//! Reads the text that Linux tells about a process. Where the text comes from is not known here.

use std::path::Path;

/// The fields of `/proc/PID/stat` that atm uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    pub pid: i32,
    /// Name of the program, at most 15 bytes; may hold anything, parentheses and blanks included.
    pub comm: String,
    /// One letter; `Z` has ended and waits for its parent.
    pub state: u8,
    pub ppid: i32,
    /// Device number of the controlling terminal, 0 without one.
    pub tty_nr: i32,
    /// Clock ticks from boot to the start of the process.
    pub start: u64,
}

impl Stat {
    /// `None` if the text is not of the known form.
    pub fn parse(text: &[u8]) -> Option<Stat> {
        let open = text.iter().position(|b| *b == b'(')?;
        let close = text.iter().rposition(|b| *b == b')').filter(|close| *close > open)?;
        let pid = std::str::from_utf8(&text[..open]).ok()?.trim().parse().ok()?;
        let comm = String::from_utf8_lossy(&text[open + 1..close]).into_owned();
        let mut fields = std::str::from_utf8(&text[close + 1..]).ok()?.split_ascii_whitespace();
        Some(Stat {
            pid,
            comm,
            state: *fields.next()?.as_bytes().first()?,
            ppid: fields.next()?.parse().ok()?,
            tty_nr: fields.nth(2)?.parse().ok()?,
            start: fields.nth(14)?.parse().ok()?,
        })
    }
}

/// Whether a process is the Claude Code client. `cmdline` is the text of `/proc/PID/cmdline`:
/// arguments that end in NUL. A shell whose command line merely mentions the client is not it.
pub fn is_claude(comm: &str, cmdline: &[u8]) -> bool {
    let mut args = cmdline.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let program = args.next().unwrap_or_default();
    let is_runtime = matches!(file_name(&program), Some("node" | "bun" | "deno"));
    comm == "claude"
        || file_name(&program) == Some("claude")
        || is_runtime && args.any(|a| a.contains("claude-code") || file_name(&a) == Some("claude"))
}

fn file_name(path: &str) -> Option<&str> {
    Path::new(path).file_name()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "S 41 42 42 34817 42 4194304 100 0 0 0 1 2 0 0 20 0 1 0 98765 1000 50 \
                        18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0";

    fn check(head: &str, expected: Option<(i32, &str)>) {
        let stat = Stat::parse(format!("{head} {TAIL}\n").as_bytes());
        let found = stat.as_ref().map(|s| (s.pid, s.comm.as_str()));
        assert_eq!(found, expected, "{head}");
        if let Some(stat) = stat {
            assert_eq!((stat.ppid, stat.tty_nr, stat.start), (41, 34817, 98765), "{head}");
        }
    }

    #[test]
    fn stat_with_any_name_keeps_its_fields() {
        check("42 (claude)", Some((42, "claude")));
        check("42 (tmux: server)", Some((42, "tmux: server")));
        check("42 (a) S 1 (b))", Some((42, "a) S 1 (b)")));
        check("42 ()", Some((42, "")));
        check("42 (a\nb)", Some((42, "a\nb")));
    }

    #[test]
    fn stat_of_another_form_is_none() {
        check("forty (claude)", None);
        check("42 claude", None);
        check("42 )claude(", None);
        assert_eq!(Stat::parse(b""), None);
        assert_eq!(Stat::parse(b"42 (claude) S 41 42"), None);
        assert_eq!(Stat::parse(b"42 (claude) \xff"), None);
    }

    #[test]
    fn stat_with_a_name_cut_within_a_character_is_read() {
        let text = [b"7 (caf\xc3) ".as_slice(), TAIL.as_bytes()].concat();
        assert_eq!(Stat::parse(&text).map(|s| s.comm), Some("caf\u{fffd}".into()));
    }

    #[test]
    fn client_is_told_apart_from_shells_that_mention_it() {
        let cases: [(&str, &[u8], bool); 8] = [
            ("claude", b"", true),
            ("MainThread", b"/opt/bin/claude\0--resume\0", true),
            ("node", b"node\0/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js\0", true),
            ("node", b"/usr/bin/node\0/home/u/.local/bin/claude\0", true),
            ("node", b"node\0server.js\0", false),
            ("sh", b"/bin/sh\0-c\0/home/u/claude-code/atm hook\0", false),
            ("vim", b"vim\0/home/u/claude\0", false),
            ("bash", b"", false),
        ];
        for (comm, cmdline, expected) in cases {
            assert_eq!(is_claude(comm, cmdline), expected, "{comm} {}", cmdline.escape_ascii());
        }
    }
}
