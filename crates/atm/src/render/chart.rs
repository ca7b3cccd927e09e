//! Bars and sparklines: numbers side by side, in the characters that the terminal has.

use crate::screen::{Charset, Screen};

const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_LEVELS: [char; 8] = ['.', ':', '-', '=', '+', '*', '%', '#'];

/// At most `width` columns for `most`; something for whatever is more than nothing.
pub(crate) fn bar(value: u128, most: u128, width: usize, screen: &Screen) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let steps = usize::try_from(value.min(most) * (width as u128 * 8) / most).unwrap_or(0).max(1);
    match screen.charset {
        Charset::Ascii => "#".repeat(steps.div_ceil(8)),
        Charset::Utf8 => {
            let mut bar = "█".repeat(steps / 8);
            bar.extend((steps % 8).checked_sub(1).map(|rest| EIGHTHS[rest]));
            bar
        }
    }
}

/// One character for each value; a blank for nothing.
pub(crate) fn sparkline(values: &[u128], screen: &Screen) -> String {
    let most = values.iter().copied().max().unwrap_or(0);
    let levels = screen.pick(LEVELS, ASCII_LEVELS);
    let level = |value: &u128| match value {
        0 => ' ',
        value => levels[usize::try_from(value * 7 / most).unwrap_or(0).min(7)],
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Colour;

    fn screen(charset: Charset) -> Screen {
        Screen { width: None, colour: Colour::Off, charset }
    }

    #[test]
    fn bar_is_as_long_as_its_share() {
        let utf8 = screen(Charset::Utf8);
        let bars: Vec<String> =
            [0, 1, 500, 563, 1000].iter().map(|v| bar(*v, 1000, 2, &utf8)).collect();
        assert_eq!(bars, ["", "▏", "█", "█▏", "██"]);
        assert_eq!(bar(501, 1000, 2, &screen(Charset::Ascii)), "#");
        assert_eq!(bar(5, 0, 2, &utf8), "");
    }

    #[test]
    fn sparkline_has_one_character_a_value() {
        assert_eq!(sparkline(&[0, 1, 50, 100], &screen(Charset::Utf8)), " ▁▄█");
        assert_eq!(sparkline(&[0, 1, 50, 100], &screen(Charset::Ascii)), " .=#");
        assert_eq!(sparkline(&[0, 0], &screen(Charset::Utf8)), "  ");
    }
}
