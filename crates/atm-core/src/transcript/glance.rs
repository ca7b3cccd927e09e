//! Which lines of a transcript are worth parsing, told from their first bytes. Most bytes of a
//! transcript are what tools gave back: those lines are passed over without being walked through.
//! Whatever looks unfamiliar is parsed, so that a new shape costs time and loses nothing.

use memchr::{memchr, memchr2};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glance {
    /// Tells nothing that an index keeps.
    Skip,
    /// Tells nothing but when and where, which matters only of the last line.
    Place,
    Parse,
}

pub fn glance(line: &[u8]) -> Glance {
    look(line).unwrap_or(Glance::Parse)
}

/// `None` if the line is not as expected.
fn look(line: &[u8]) -> Option<Glance> {
    let mut at = Walk { rest: line };
    at.open(b'{')?;
    loop {
        let key = at.key()?;
        match at.peek()? {
            b'"' => {
                let value = at.string()?;
                if key == b"type"
                    && let Some(glance) = of_type(value)
                {
                    return Some(glance);
                }
            }
            b'{' if key == b"message" => return message(at),
            b'{' if key == b"attachment" => return Some(attachment(at)),
            b'{' | b'[' => return None,
            _ => at.literal()?,
        }
        at.open(b',')?;
    }
}

/// `None`: read on.
fn of_type(kind: &[u8]) -> Option<Glance> {
    match kind {
        b"user" | b"attachment" => None,
        b"mode"
        | b"permission-mode"
        | b"atis-latch"
        | b"last-prompt"
        | b"tools-used"
        | b"file-history-snapshot"
        | b"file-history-delta"
        | b"queue-operation"
        | b"api-request"
        | b"api-request-blob"
        | b"api-request-shape"
        | b"cost-state"
        | b"worktree-state"
        | b"progress" => Some(Glance::Skip),
        _ => Some(Glance::Parse),
    }
}

fn message(mut at: Walk<'_>) -> Option<Glance> {
    at.open(b'{')?;
    loop {
        let key = at.key()?;
        match (key, at.peek()?) {
            (b"role", b'"') => {
                if at.string()? != b"user" {
                    return Some(Glance::Parse);
                }
            }
            (b"content", b'[') => {
                at.open(b'[')?;
                return Some(block(at).unwrap_or(Glance::Parse));
            }
            _ => return Some(Glance::Parse),
        }
        at.open(b',')?;
    }
}

/// The first block of a user's message decides: results of tools come alone.
fn block(mut at: Walk<'_>) -> Option<Glance> {
    at.open(b'{')?;
    loop {
        let key = at.key()?;
        if at.peek()? != b'"' {
            return None;
        }
        match (key, at.string()?) {
            (b"tool_use_id", _) | (b"type", b"tool_result") => return Some(Glance::Place),
            (b"type", _) => return None,
            _ => {}
        }
        at.open(b',')?;
    }
}

/// Attachments are the client's own words, but for a prompt that was typed into a running turn.
fn attachment(mut at: Walk<'_>) -> Glance {
    let mut kind = || {
        at.open(b'{')?;
        let key = at.key()?;
        (key == b"type" && at.peek()? == b'"').then(|| at.string()).flatten()
    };
    match kind() {
        None | Some(b"queued_command") => Glance::Parse,
        Some(_) => Glance::Place,
    }
}

struct Walk<'a> {
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn open(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.rest = &self.rest[1..])
    }

    fn key(&mut self) -> Option<&'a [u8]> {
        let key = self.string()?;
        self.open(b':')?;
        Some(key)
    }

    /// As it is written, escapes and all.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.open(b'"')?;
        let mut from = 0;
        loop {
            let end = from + memchr2(b'"', b'\\', &self.rest[from..])?;
            if self.rest[end] == b'"' {
                let (string, rest) = self.rest.split_at(end);
                self.rest = &rest[1..];
                return Some(string);
            }
            from = end + 2;
            self.rest.get(from..)?;
        }
    }

    fn literal(&mut self) -> Option<()> {
        let end = memchr(b',', self.rest)?;
        self.rest = &self.rest[end..];
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glance_passes_over_what_tools_gave_back_and_nothing_that_counts() {
        let cases: [(&str, Glance); 13] = [
            (r#"{"type":"mode","mode":"normal"}"#, Glance::Skip),
            (r#"{"type": "cost-state", "totalCostUSD": 1}"#, Glance::Skip),
            (r#"{"type":"custom-title","customTitle":"t"}"#, Glance::Parse),
            (r#"{"type":"of-the-future","x":1}"#, Glance::Parse),
            (
                r#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"hi"}}"#,
                Glance::Parse,
            ),
            (
                r#"{"parentUuid":"a","type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"x"}]}}"#,
                Glance::Place,
            ),
            (
                r#"{"parentUuid": "a", "type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}}"#,
                Glance::Place,
            ),
            (
                r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"tool_result"}]}}"#,
                Glance::Parse,
            ),
            (
                r#"{"parentUuid":"a","message":{"id":"m","role":"assistant","content":[]},"type":"assistant"}"#,
                Glance::Parse,
            ),
            (
                r#"{"parentUuid":"a\"\\","attachment":{"type":"date"},"type":"attachment"}"#,
                Glance::Place,
            ),
            (
                r#"{"parentUuid":"a","attachment":{"type":"queued_command","prompt":"p"}}"#,
                Glance::Parse,
            ),
            ("", Glance::Parse),
            (r#"{"parentUuid":"a\"#, Glance::Parse),
        ];
        for (line, expected) in cases {
            assert_eq!(glance(line.as_bytes()), expected, "{line}");
        }
    }
}
