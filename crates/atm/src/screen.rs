//! What the terminal at standard output can show: width, colour, characters.

use std::ffi::OsString;
use std::io::IsTerminal;

pub(crate) use atm_core::words::Charset;
use atm_core::words::mark::Mark;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Screen {
    /// Columns of the terminal; none if the output goes elsewhere, where nothing is cut.
    pub(crate) width: Option<usize>,
    pub(crate) colour: Colour,
    pub(crate) charset: Charset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Blue,
}

type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

const DEFAULT_WIDTH: usize = 80;

impl Screen {
    pub(crate) fn from_env(env: Env<'_>) -> Screen {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal().then(|| {
            let size = rustix::termios::tcgetwinsize(&stdout).ok();
            size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
        });
        Screen::resolve(env, terminal)
    }

    /// `terminal`: none if there is none, else its width as far as it tells.
    fn resolve(env: Env<'_>, terminal: Option<Option<usize>>) -> Screen {
        let text = |name: &str| env(name).and_then(|value| value.into_string().ok());
        let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let columns = || text("COLUMNS")?.parse().ok().filter(|columns| *columns > 0);
        let is_plain = terminal.is_none()
            || is_set("NO_COLOR")
            || text("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
        Screen {
            width: terminal.map(|told| columns().or(told).unwrap_or(DEFAULT_WIDTH)),
            colour: if is_plain { Colour::Off } else { Colour::On },
            charset: charset(&text),
        }
    }

    /// `text` in a style; it must be clean already.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        match (self.colour, style.code()) {
            (Colour::On, Some(code)) if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }

    pub(crate) fn pick<T>(&self, utf8: T, ascii: T) -> T {
        self.charset.pick(utf8, ascii)
    }

    pub(crate) fn ellipsis(&self) -> char {
        self.pick('…', '~')
    }
}

impl From<&Screen> for Charset {
    fn from(screen: &Screen) -> Charset {
        screen.charset
    }
}

impl Style {
    /// The colour of a state.
    pub(crate) fn of(mark: Mark) -> Style {
        match mark {
            Mark::Attention | Mark::Failed => Style::Red,
            Mark::Done => Style::Yellow,
            Mark::Working => Style::Blue,
            Mark::Idle | Mark::Ended | Mark::Lost => Style::Dim,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Style::Plain => None,
            Style::Dim => Some("2"),
            Style::Bold => Some("1"),
            Style::Red => Some("1;31"),
            Style::Green => Some("32"),
            Style::Yellow => Some("33"),
            Style::Blue => Some("94"),
        }
    }
}

/// The first of the three that is set decides, as in setlocale(3).
fn charset(text: &dyn Fn(&str) -> Option<String>) -> Charset {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| text(name).filter(|value| !value.is_empty()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") { Charset::Utf8 } else { Charset::Ascii }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(vars: &[(&str, &str)], terminal: Option<Option<usize>>) -> Screen {
        Screen::resolve(
            &|name| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| v.into()),
            terminal,
        )
    }

    #[test]
    fn screen_width_is_columns_then_the_terminals_then_eighty_and_none_in_a_pipe() {
        let term = ("TERM", "xterm");
        let columns = ("COLUMNS", "120");
        assert_eq!(resolve(&[term, columns], Some(Some(90))).width, Some(120));
        assert_eq!(resolve(&[term], Some(Some(90))).width, Some(90));
        assert_eq!(resolve(&[term, ("COLUMNS", "x")], Some(None)).width, Some(80));
        assert_eq!(resolve(&[term, columns], None).width, None);
    }

    #[test]
    fn screen_colour_is_off_for_no_color_dumb_terminals_and_pipes() {
        let on = |vars: &[(&str, &str)], terminal| resolve(vars, terminal).colour;
        assert_eq!(on(&[("TERM", "xterm")], Some(None)), Colour::On);
        assert_eq!(on(&[("TERM", "xterm"), ("NO_COLOR", "")], Some(None)), Colour::On);
        assert_eq!(on(&[("TERM", "xterm"), ("NO_COLOR", "1")], Some(None)), Colour::Off);
        assert_eq!(on(&[("TERM", "dumb")], Some(None)), Colour::Off);
        assert_eq!(on(&[], Some(None)), Colour::Off);
        assert_eq!(on(&[("TERM", "xterm")], None), Colour::Off);
    }

    #[test]
    fn screen_charset_follows_the_locale_that_wins() {
        let of = |vars: &[(&str, &str)]| resolve(vars, None).charset;
        assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), Charset::Utf8);
        assert_eq!(of(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]), Charset::Ascii);
        assert_eq!(of(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]), Charset::Utf8);
        assert_eq!(of(&[]), Charset::Ascii);
    }
}
