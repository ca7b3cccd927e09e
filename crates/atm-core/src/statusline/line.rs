//! The line for users who have no status line of their own.

use std::time::Duration;

use super::{Limit, StatusLine};
use crate::stamp::Stamp;
use crate::text::clean;

const GAP: &str = "  ";
const BAR: usize = 8;
const DIRECTORY_MAX: usize = 60;
const BRANCH_MAX: usize = 40;

const DIM: &str = "2";
const BOLD: &str = "1";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "31";
const BLUE: &str = "94";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    On,
    Off,
}

/// What the client does not tell.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    pub home: Option<&'a str>,
    pub branch: Option<&'a str>,
    pub now: Stamp,
    pub paint: Paint,
}

/// Model, directory, branch, context, cost and limits, as far as they are known.
pub fn line(status: &StatusLine, around: &Surroundings<'_>) -> String {
    let reading = &status.reading;
    let paint = |code: &str, text: String| around.paint.paint(code, &text);
    let model = status.model_name.as_ref().or(status.model.as_ref());
    let parts = [
        model.map(|model| paint(BOLD, model.clone())),
        status.cwd.as_deref().map(|cwd| paint(BLUE, directory(cwd, around.home))),
        around.branch.map(|branch| paint(DIM, clean(branch, BRANCH_MAX))),
        reading.context.map(|used| paint(alarm(used), format!("{} {}", bar(used), percent(used)))),
        reading.cost.map(|cost| format!("${:.2}", dollars(cost))),
        reading.five_hour.as_ref().map(|limit| paint(alarm(limit.used), left("5h", limit, around))),
        reading.seven_day.as_ref().map(|limit| paint(alarm(limit.used), left("7d", limit, around))),
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(GAP)
}

impl Paint {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Paint::On if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            Paint::On | Paint::Off => text.to_owned(),
        }
    }
}

/// With `~` for the home; of a long one the end, which tells more.
fn directory(path: &str, home: Option<&str>) -> String {
    let home = home.map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty());
    let short = match home.and_then(|home| path.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    };
    let excess = short.chars().count().saturating_sub(DIRECTORY_MAX);
    if excess == 0 { short } else { short.chars().skip(excess + 1).fold("…".into(), push) }
}

fn push(mut text: String, next: char) -> String {
    text.push(next);
    text
}

fn bar(used: u32) -> String {
    let full = (used as usize * BAR).div_ceil(10_000).min(BAR);
    format!("{}{}", "▰".repeat(full), "▱".repeat(BAR - full))
}

fn percent(used: u32) -> String {
    format!("{}%", used.saturating_add(50) / 100)
}

fn dollars(cost: u64) -> f64 {
    cost as f64 / 1e6
}

fn alarm(used: u32) -> &'static str {
    match used {
        0..6000 => GREEN,
        6000..8500 => YELLOW,
        _ => RED,
    }
}

/// `5h 23% ↻ 2h10`: used of which window, and when it starts anew.
fn left(window: &str, limit: &Limit, around: &Surroundings<'_>) -> String {
    let used = percent(limit.used);
    match limit.resets_at.map(|at| at.since(around.now)).filter(|left| !left.is_zero()) {
        Some(left) => format!("{window} {used} ↻ {}", span(left)),
        None => format!("{window} {used}"),
    }
}

fn span(left: Duration) -> String {
    let minutes = left.as_secs() / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes}m"),
        (hours @ 1..24, minutes) => format!("{hours}h{minutes:02}"),
        (hours, _) => format!("{}d", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statusline::Reading;

    const NOW: Stamp = Stamp(1_794_769_560_000);

    fn shown(status: &StatusLine, paint: Paint) -> String {
        let home = Some("/home/u/");
        line(status, &Surroundings { home, branch: Some("main"), now: NOW, paint })
    }

    fn full() -> StatusLine {
        let limit = |used, minutes: i64| {
            Some(Limit { used, resets_at: Some(Stamp(NOW.0 + minutes * 60_000)) })
        };
        StatusLine {
            model: Some("claude-opus-5-5".into()),
            model_name: Some("Opus 5.5".into()),
            cwd: Some("/home/u/src/web".into()),
            reading: Reading {
                context: Some(4500),
                cost: Some(350_000),
                five_hour: limit(2350, 130),
                seven_day: limit(9100, 3 * 24 * 60 + 5),
                ..Reading::default()
            },
            ..StatusLine::default()
        }
    }

    #[test]
    fn line_shows_all_that_is_known() {
        let expected = "Opus 5.5  ~/src/web  main  ▰▰▰▰▱▱▱▱ 45%  $0.35  5h 24% ↻ 2h10  7d 91% ↻ 3d";
        assert_eq!(shown(&full(), Paint::Off), expected);
    }

    #[test]
    fn line_leaves_out_what_is_not_known() {
        let cost = Reading { cost: Some(0), ..Reading::default() };
        let status = StatusLine { model: Some("m".into()), reading: cost, ..StatusLine::default() };
        assert_eq!(shown(&status, Paint::Off), "m  main  $0.00");
    }

    #[test]
    fn line_in_colour_says_the_same_and_warns() {
        let painted = shown(&full(), Paint::On);
        assert!(painted.contains("\x1b[31m7d 91% ↻ 3d\x1b[0m"), "{painted:?}");
        assert!(painted.contains("\x1b[32m▰▰▰▰▱▱▱▱ 45%\x1b[0m"), "{painted:?}");
    }

    #[test]
    fn bar_is_empty_at_nothing_and_full_at_the_end() {
        let cases = [(0, "▱▱▱▱▱▱▱▱"), (1, "▰▱▱▱▱▱▱▱"), (5000, "▰▰▰▰▱▱▱▱"), (u32::MAX, "▰▰▰▰▰▰▰▰")];
        for (used, expected) in cases {
            assert_eq!(bar(used), expected, "{used}");
        }
    }

    #[test]
    fn directory_outside_the_home_or_long_is_told_as_far_as_it_fits() {
        assert_eq!(directory("/home/user2", Some("/home/u")), "/home/user2");
        assert_eq!(directory("/home/u", Some("/home/u")), "~");
        let long = directory(&format!("/{}/end", "d".repeat(100)), None);
        assert_eq!((long.chars().count(), long.starts_with('…')), (DIRECTORY_MAX, true));
        assert!(long.ends_with("/end"));
    }
}
