//! Quiet hours by the local clock; a range may go past midnight.

/// Minutes in a day.
const DAY: u16 = 24 * 60;

/// From a minute of the day to another one, which does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    from: u16,
    to: u16,
}

impl Range {
    /// `22:00-07:00`. One that begins where it ends is none.
    pub fn parse(text: &str) -> Option<Range> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from.trim())?, minute(to.trim())?);
        (from != to).then_some(Range { from, to: to % DAY }).filter(|range| range.from < DAY)
    }

    /// Minutes until it is over; none outside of it.
    pub fn left(self, now: u16) -> Option<u16> {
        let after = |from: u16, to: u16| (to + DAY - from) % DAY;
        let length = match after(self.from, self.to) {
            0 => DAY,
            length => length,
        };
        let gone = after(self.from, now % DAY);
        (gone < length).then(|| length - gone)
    }
}

/// `HH:MM`; 24:00 is midnight at the end.
fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let is_number = |t: &str| (1..=2).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
    if !is_number(hours) || !is_number(minutes) || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    let total = hours * 60 + minutes;
    (minutes < 60 && total <= DAY).then_some(total)
}

/// Minutes until all ranges that cover `now` are over; none if none does.
pub fn left(ranges: &[String], now: u16) -> Option<u16> {
    ranges.iter().filter_map(|text| Range::parse(text)?.left(now)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_go_past_midnight_and_end_before_their_last_minute() {
        let at = |text: &str| minute(text).unwrap();
        let cases = [
            ("22:00-07:00", "21:59", None),
            ("22:00-07:00", "22:00", Some(9 * 60)),
            ("22:00-07:00", "00:00", Some(7 * 60)),
            ("22:00-07:00", "06:59", Some(1)),
            ("22:00-07:00", "07:00", None),
            ("12:30-13:00", "12:29", None),
            ("12:30-13:00", "12:59", Some(1)),
            ("12:30-13:00", "13:00", None),
            ("00:00-24:00", "13:00", Some(11 * 60)),
            ("18:00-24:00", "23:00", Some(60)),
            ("18:00-24:00", "00:00", None),
        ];
        for (range, now, expected) in cases {
            let range = Range::parse(range).unwrap();
            assert_eq!(range.left(at(now)), expected, "{range:?} at {now}");
        }
    }

    #[test]
    fn quiet_hours_that_are_none_are_refused() {
        let wrong = ["", "22-7", "22:00", "25:00-07:00", "22:60-07:00", "07:00-07:00", "a:b-c:d"];
        for text in wrong {
            assert_eq!(Range::parse(text), None, "{text}");
        }
        assert!(Range::parse("9:00 - 17:30").is_some());
        assert_eq!(Range::parse("24:00-07:00"), None);
    }
}
