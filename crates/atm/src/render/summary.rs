//! All sessions in one line, for a status bar.

use atm_core::stamp::Stamp;
use atm_core::view::{SCHEMA, SessionView};
use serde::Serialize;

use super::age::age;
use super::mark::Mark;
use crate::screen::Screen;

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    pub(crate) schema: u32,
    pub(crate) total: usize,
    pub(crate) attention: usize,
    pub(crate) working: usize,
    /// Finished or failed, and not looked at yet.
    pub(crate) done: usize,
    pub(crate) idle: usize,
    /// Longest time that somebody waits for the user.
    pub(crate) longest_wait_ms: Option<u64>,
}

impl Summary {
    pub(crate) fn of(sessions: &[SessionView], now: Stamp) -> Summary {
        let mut summary = Summary { schema: SCHEMA, ..Summary::default() };
        for view in sessions {
            match Mark::of(view) {
                Mark::Attention => {
                    summary.attention += 1;
                    let wait = u64::try_from(now.since(view.since).as_millis()).unwrap_or(u64::MAX);
                    summary.longest_wait_ms = summary.longest_wait_ms.max(Some(wait));
                }
                Mark::Done | Mark::Failed => summary.done += 1,
                Mark::Working => summary.working += 1,
                Mark::Idle => summary.idle += 1,
                Mark::Ended | Mark::Lost => continue,
            }
            summary.total += 1;
        }
        summary
    }

    /// `2 need you (longest 4m) · 3 working`.
    pub(crate) fn plain(&self, screen: &Screen) -> String {
        let need = if self.attention == 1 { "needs you" } else { "need you" };
        let parts = [
            (self.attention, format!("{need}{}", self.longest(" (longest ", ")"))),
            (self.working, "working".to_owned()),
            (self.done, "done".to_owned()),
            (self.idle, "idle".to_owned()),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if parts.is_empty() {
            return "no sessions".to_owned();
        }
        parts.join(screen.pick(" · ", ", "))
    }

    /// Glyphs and counts with tmux style marks; empty without sessions.
    pub(crate) fn tmux(&self, screen: &Screen) -> String {
        let part = |mark: Mark, count: usize, colour: &str, more: &str| {
            let text = escape(&format!("{} {count}{more}", mark.glyph(screen)));
            (count > 0).then(|| format!("#[fg={colour}]{text}#[default]"))
        };
        let parts = [
            part(Mark::Attention, self.attention, "#EC5f67", &self.longest(" ", "")),
            part(Mark::Working, self.working, "#6699cc", ""),
            part(Mark::Done, self.done, "#FAC863", ""),
            part(Mark::Idle, self.idle, "#cdd3de", ""),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn longest(&self, before: &str, after: &str) -> String {
        let wait = self.longest_wait_ms.map(std::time::Duration::from_millis);
        wait.map(|wait| format!("{before}{}{after}", age(wait))).unwrap_or_default()
    }
}

/// tmux reads `#` as the beginning of a format.
fn escape(text: &str) -> String {
    text.replace('#', "##")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::sample::{NOW, fleet, screen};
    use crate::screen::Charset;

    #[test]
    fn summary_counts_states_and_the_longest_wait() {
        let summary = Summary::of(&fleet(), NOW);
        let counts =
            (summary.total, summary.attention, summary.working, summary.done, summary.idle);
        assert_eq!(counts, (4, 1, 1, 1, 1));
        assert_eq!(summary.longest_wait_ms, Some(240_000));
        let screen = screen(None);
        assert_eq!(
            summary.plain(&screen),
            "1 needs you (longest 4m) · 1 working · 1 done · 1 idle"
        );
        assert_eq!(
            summary.tmux(&screen),
            "#[fg=#EC5f67]▲ 1 4m#[default] #[fg=#6699cc]▶ 1#[default] \
             #[fg=#FAC863]● 1#[default] #[fg=#cdd3de]■ 1#[default]"
        );
        let ascii = Screen { charset: Charset::Ascii, ..screen };
        assert!(summary.plain(&ascii).is_ascii() && summary.tmux(&ascii).is_ascii());
    }

    #[test]
    fn summary_of_nothing_is_an_empty_line_for_tmux() {
        let summary = Summary::of(&[], NOW);
        assert_eq!(summary.plain(&screen(None)), "no sessions");
        assert_eq!(summary.tmux(&screen(None)), "");
    }

    #[test]
    fn escape_doubles_the_sign_that_tmux_expands() {
        assert_eq!(escape("#(rm) ##"), "##(rm) ####");
    }
}
