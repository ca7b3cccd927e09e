//! The datagram from the status line command to the daemon: JSON with a version. It may get lost;
//! the next run tells all of it again.

use serde::{Deserialize, Serialize};

use super::StatusLine;
use crate::record::Process;
use crate::stamp::Stamp;

/// Version of the shape below; a daemon passes newer ones over.
pub const FEED_VERSION: u32 = 1;

/// Bytes of the longest datagram. It begins with `{`, which tells it from a mere poke.
pub const FEED_MAX: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    pub v: u32,
    /// Wall clock when the command started.
    pub ts: Stamp,
    /// The agent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    #[serde(flatten)]
    pub line: StatusLine,
}

impl Feed {
    /// `None` if it cannot be made to fit. The texts go first, the figures are what counts.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let encoded = |feed: &Feed| {
            serde_json::to_vec(feed).ok().filter(|datagram| datagram.len() <= FEED_MAX)
        };
        encoded(self).or_else(|| {
            let line = StatusLine { name: None, cwd: None, ..self.line.clone() };
            encoded(&Feed { line, ..self.clone() })
        })
    }

    /// `None` for a poke, for garbage and for what a newer atm sends.
    pub fn decode(datagram: &[u8]) -> Option<Feed> {
        if datagram.first() != Some(&b'{') {
            return None;
        }
        let feed: Feed = serde_json::from_slice(datagram).ok()?;
        (feed.v <= FEED_VERSION).then(|| Feed { line: feed.line.cleaned(), ..feed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ConversationId;
    use crate::statusline::{Limit, Reading};

    fn feed(text: &str) -> Feed {
        let text = |max| Some(crate::text::clean(text, max));
        let limit = Some(Limit { used: u32::MAX, resets_at: Some(Stamp(i64::MAX)) });
        let reading = Reading {
            context: Some(u32::MAX),
            context_tokens: Some(u64::MAX),
            context_window: Some(u64::MAX),
            cost: Some(u64::MAX),
            api_duration_ms: Some(u64::MAX),
            lines_added: Some(u64::MAX),
            lines_removed: Some(u64::MAX),
            five_hour: limit.clone(),
            seven_day: limit,
        };
        let line = StatusLine {
            session: ConversationId::new(&text(200).unwrap()),
            name: text(200),
            cwd: text(1000),
            version: text(100),
            model: text(100),
            model_name: text(100),
            reading,
        };
        let process = Some(Process { pid: i32::MAX, start: Some(u64::MAX) });
        Feed { v: FEED_VERSION, ts: Stamp(i64::MAX), process, line }
    }

    #[test]
    fn feed_comes_back_as_it_was_sent() {
        let feed = feed("text");
        assert_eq!(Feed::decode(&feed.encode().unwrap()), Some(feed));
    }

    #[test]
    fn feed_with_texts_of_any_length_fits_and_keeps_its_figures() {
        for text in ["x", "\"", "\\", "日", "𝄞"] {
            let feed = feed(&text.repeat(2000));
            let sent = feed.encode().unwrap();
            assert!(sent.len() <= FEED_MAX, "{text}: {}", sent.len());
            assert_eq!(Feed::decode(&sent).unwrap().line.reading, feed.line.reading, "{text}");
        }
    }

    #[test]
    fn feed_of_strangers_is_nothing_or_harmless() {
        let newer = Feed { v: FEED_VERSION + 1, ..feed("x") };
        assert_eq!(Feed::decode(&newer.encode().unwrap()), None);
        for datagram in ["!", "", "{", "{}", "[1]", r#"{"v":1,"ts":1,"session":7}"#] {
            assert_eq!(Feed::decode(datagram.as_bytes()), None, "{datagram}");
        }
        let sent = br#"{"v":1,"ts":1,"session":"a\u001b[2Jb","name":"\u0007","new":{"field":1}}"#;
        let heard = Feed::decode(sent).unwrap();
        assert_eq!((heard.line.session.as_str(), heard.line.name), ("a[2Jb", None));
    }
}
