//! Metrics for people: a few numbers, and tables with small bars.

use std::io::{self, Write};
use std::time::Duration;

use atm_core::stats::{End, Share, Stats, Wait};

use super::age::age;
use super::local;
use super::place::tilde;
use super::table::{Cell, Column, Keep, Table};
use crate::screen::{Screen, Style};

const BAR: u64 = 20;
const PROJECTS: usize = 10;

const SHARES: [Column; 4] = [
    Column { title: "", keep: Keep::End, min: 10, worth: 9 },
    Column { title: "WAITS", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "TIME", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: " ", keep: Keep::Start, min: 4, worth: 1 },
];

const WAITS: [Column; 4] = [
    Column { title: "LONGEST", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "WHEN", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "WHAT FOR", keep: Keep::Start, min: 10, worth: 5 },
    Column { title: "PROJECT", keep: Keep::End, min: 10, worth: 3 },
];

pub(crate) fn write(
    stats: &Stats,
    screen: &Screen,
    home: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_numbers(stats, screen, out)?;
    if stats.longest.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let days: Vec<(String, &Share)> = stats.days.iter().map(|day| (day.of.clone(), day)).collect();
    write_shares("DAY", &days, screen, out)?;
    writeln!(out)?;
    let projects = stats.projects.iter().take(PROJECTS);
    let projects: Vec<(String, &Share)> =
        projects.map(|project| (tilde(&project.of, home), project)).collect();
    write_shares("PROJECT", &projects, screen, out)?;
    writeln!(out)?;
    write_longest(&stats.longest, screen, home, out)
}

fn write_numbers(stats: &Stats, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let span = age(stats.until.since(stats.since));
    let told = &stats.notifications;
    let dot = screen.pick(" · ", ", ");
    writeln!(
        out,
        "told       {} in {span}, {} an hour{dot}{} withheld{dot}{} deferred{dot}{} failed",
        told.sent, told.per_hour, told.withheld, told.deferred, told.failed
    )?;
    let answers = &stats.responses;
    if answers.count > 0 {
        writeln!(
            out,
            "answered   {} after {} on average{dot}median {}{dot}nine of ten within {}",
            answers.count,
            time(answers.average_ms),
            time(answers.median_ms),
            time(answers.p90_ms)
        )?;
    }
    writeln!(out, "waited     {} in all", time(stats.waiting_ms))
}

fn write_shares(
    title: &'static str,
    shares: &[(String, &Share)],
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let most = shares.iter().map(|(_, share)| share.ms).max().unwrap_or(0);
    let mut columns = SHARES;
    columns[0].title = title;
    let mut table = Table::new(columns);
    for (name, share) in shares {
        table.push([
            Cell::new(Style::Plain, name),
            Cell::new(Style::Plain, &share.waits.to_string()),
            Cell::new(Style::Plain, &time(share.ms)),
            Cell::new(Style::Blue, &bar(share.ms, most, screen)),
        ]);
    }
    table.write(screen, out)
}

fn write_longest(
    waits: &[Wait],
    screen: &Screen,
    home: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Table::new(WAITS);
    for wait in waits {
        let (more, style) = match wait.end {
            End::Answered => ("", Style::Plain),
            End::Abandoned => (" (never answered)", Style::Dim),
            End::StillWaiting => (" (still waits)", Style::Red),
        };
        table.push([
            Cell::new(style, &time(wait.ms)),
            Cell::new(Style::Dim, &local::minute(wait.since)),
            Cell::new(style, &format!("{}{more}", wait.reason)),
            Cell::new(Style::Plain, &tilde(&wait.project, home)),
        ]);
    }
    table.write(screen, out)
}

fn time(millis: u64) -> String {
    age(Duration::from_millis(millis))
}

/// In eighths of a character where those can be shown; never empty.
fn bar(part: u64, whole: u64, screen: &Screen) -> String {
    let eighths = (part.saturating_mul(BAR * 8) / whole.max(1)).max(1);
    let full = usize::try_from(eighths / 8).unwrap_or(0);
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let rest = rest[usize::try_from(eighths % 8).unwrap_or(0)];
    screen.pick(format!("{}{rest}", "█".repeat(full)), "#".repeat(full.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{Charset, Colour};

    #[test]
    fn bar_is_as_long_as_its_share() {
        let screen = |charset| Screen { width: None, colour: Colour::Off, charset };
        let utf8 = screen(Charset::Utf8);
        assert_eq!(bar(100, 100, &utf8), "█".repeat(20));
        assert_eq!(bar(50, 100, &utf8), "█".repeat(10));
        assert_eq!(bar(1, 160, &utf8), "▏");
        assert_eq!(bar(0, 0, &utf8), "▏");
        assert_eq!(bar(50, 100, &screen(Charset::Ascii)), "##########");
    }
}
