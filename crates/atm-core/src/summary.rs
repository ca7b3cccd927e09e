//! All sessions in one line, for a status bar. Counts and glyphs only: nothing that others wrote
//! gets in, so that tmux can be given the line as it is.

use std::time::Duration;

use serde::Serialize;

use crate::config::colour::Colour;
use crate::config::theme::Colours;
use crate::stamp::Stamp;
use crate::view::{SCHEMA, SessionView};
use crate::words::Charset;
use crate::words::age::age;
use crate::words::mark::Mark;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub schema: u32,
    pub total: usize,
    pub attention: usize,
    pub working: usize,
    /// Finished or failed, and not looked at yet.
    pub done: usize,
    pub idle: usize,
    /// Longest time that somebody waits for the user.
    pub longest_wait_ms: Option<u64>,
}

/// Whether a click on the line can be bound: `MouseDown1Status` with `#{mouse_status_range}`
/// equal to `atm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    Bindable,
    /// tmux before 3.4 knows no ranges of the user.
    Nothing,
}

impl Click {
    /// By what `tmux -V` or `#{version}` says: `3.3a`, `tmux 3.4`, `next-3.5`.
    pub fn of_version(text: &str) -> Click {
        let number = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = number.split(|c: char| !c.is_ascii_digit());
        let mut part = || parts.next().and_then(|digits| digits.parse::<u32>().ok());
        let version = (part().unwrap_or(0), part().unwrap_or(0));
        if version >= (3, 4) { Click::Bindable } else { Click::Nothing }
    }
}

impl Summary {
    pub fn of<'a>(sessions: impl IntoIterator<Item = &'a SessionView>, now: Stamp) -> Summary {
        Summary::count(sessions.into_iter().map(|view| (Mark::of(view), view.since)), now)
    }

    /// Of sessions that are as their marks say, since then.
    pub fn count(sessions: impl Iterator<Item = (Mark, Stamp)>, now: Stamp) -> Summary {
        let mut summary = Summary { schema: SCHEMA, ..Summary::default() };
        for (mark, since) in sessions {
            match mark {
                Mark::Attention => {
                    summary.attention += 1;
                    let wait = u64::try_from(now.since(since).as_millis()).unwrap_or(u64::MAX);
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
    pub fn plain(&self, charset: Charset) -> String {
        let need = if self.attention == 1 { "needs you" } else { "need you" };
        let longest = self.longest().map(|wait| format!(" (longest {})", age(wait)));
        let parts = [
            (self.attention, format!("{need}{}", longest.unwrap_or_default())),
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
        parts.join(charset.pick(" · ", ", "))
    }

    /// Glyphs and counts with tmux style marks, for `#(…)` and for a user option read as
    /// `#{@atm_status}`; empty without sessions. The longest wait is told from one minute on, so
    /// that time alone changes the line once a minute at most.
    pub fn tmux(&self, colours: &Colours, charset: Charset, click: Click) -> String {
        let longest = self.longest().filter(|wait| *wait >= MINUTE);
        let longest = longest.map(|wait| format!(" {}", age(wait))).unwrap_or_default();
        let part = |mark: Mark, count: usize, colour: &Colour, more: &str| {
            let (glyph, colour) = (mark.glyph(charset), colour.as_str());
            (count > 0).then(|| format!("#[fg={colour}]{glyph} {count}{more}#[default]"))
        };
        let parts = [
            part(Mark::Attention, self.attention, &colours.waiting, &longest),
            part(Mark::Done, self.done, &colours.waiting, ""),
            part(Mark::Working, self.working, &colours.running, ""),
            part(Mark::Idle, self.idle, &colours.idle, ""),
        ];
        let line = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        match click {
            Click::Bindable if !line.is_empty() => format!("#[range=user|atm]{line}#[norange]"),
            Click::Bindable | Click::Nothing => line,
        }
    }

    /// After this time the line says something else although nothing happened.
    pub fn changes_in(&self) -> Option<Duration> {
        let left = |wait: u64| Duration::from_millis(60_000 - wait % 60_000);
        self.longest_wait_ms.map(left)
    }

    fn longest(&self) -> Option<Duration> {
        self.longest_wait_ms.map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{asks, done, view};
    use crate::session::status::Class;
    use crate::view::EndedView;

    const ONE_EACH: Summary = Summary {
        schema: 1,
        total: 4,
        attention: 1,
        working: 1,
        done: 1,
        idle: 1,
        longest_wait_ms: Some(240_000),
    };

    #[test]
    fn tmux_line_has_a_glyph_a_count_and_a_colour_for_each_state() {
        assert_eq!(
            ONE_EACH.tmux(&Colours::default(), Charset::Utf8, Click::Nothing),
            "#[fg=#EC5f67]▲ 1 4m#[default] #[fg=#EC5f67]● 1#[default] \
             #[fg=#6699cc]▶ 1#[default] #[fg=#cdd3de]■ 1#[default]"
        );
        let [running, waiting, idle] =
            ["blue", "colour9", "white"].map(|name| Colour::parse(name).unwrap());
        let colours = Colours { running, waiting, idle };
        let two = Summary { idle: 0, done: 0, longest_wait_ms: Some(59_999), ..ONE_EACH };
        assert_eq!(
            two.tmux(&colours, Charset::Ascii, Click::Bindable),
            "#[range=user|atm]#[fg=colour9]! 1#[default] #[fg=blue]> 1#[default]#[norange]"
        );
    }

    #[test]
    fn tmux_line_of_nothing_is_empty() {
        let nothing = Summary::of(&[], Stamp(0));
        assert_eq!(nothing.plain(Charset::Utf8), "no sessions");
        for click in [Click::Bindable, Click::Nothing] {
            assert_eq!(nothing.tmux(&Colours::default(), Charset::Utf8, click), "");
        }
    }

    #[test]
    fn click_needs_a_tmux_of_3_4_or_later() {
        let yes = ["3.4", "tmux 3.5a", "next-3.6", "4.0", "3.10"];
        let no = ["3.3a", "tmux 3.2", "2.9", "master", "", "3"];
        assert!(yes.iter().all(|text| Click::of_version(text) == Click::Bindable));
        assert!(no.iter().all(|text| Click::of_version(text) == Click::Nothing));
    }

    #[test]
    fn line_changes_by_time_alone_at_the_next_whole_minute() {
        let waits = |wait| Summary { longest_wait_ms: wait, ..ONE_EACH }.changes_in();
        assert_eq!(waits(None), None);
        assert_eq!(waits(Some(0)), Some(MINUTE));
        assert_eq!(waits(Some(61_500)), Some(Duration::from_millis(58_500)));
        assert_eq!(waits(Some(120_000)), Some(MINUTE));
    }

    #[test]
    fn summary_counts_states_and_the_longest_wait() {
        let ended = EndedView { at: Stamp(1), reason: "exit".to_owned(), lost: false };
        let failed = SessionView { why: Some("error: api".to_owned()), ..done("x", 1) };
        let sessions = [
            asks("a1", 60_000),
            asks("a2", 10_000),
            view("w", Class::Working, 0),
            done("f", 0),
            failed,
            SessionView { unseen: false, ..done("i", 0) },
            SessionView { ended: Some(ended), ..asks("e", 0) },
        ];
        let summary = Summary::of(&sessions, Stamp(250_000));
        let counts =
            (summary.total, summary.attention, summary.working, summary.done, summary.idle);
        assert_eq!(counts, (6, 2, 1, 2, 1));
        assert_eq!(summary.longest_wait_ms, Some(240_000));
        let plain = summary.plain(Charset::Utf8);
        assert_eq!(plain, "2 need you (longest 4m) · 1 working · 2 done · 1 idle");
    }
}
