//! Spans of time as people type them: `500ms`, `30s`, `5m`, `1h30m`; a bare number is seconds.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("say it like 500ms, 30s, 5m or 1h30m")]
pub struct NotASpan;

/// Largest first; the largest that fit are used to write a span.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

pub fn parse(text: &str) -> Result<Duration, NotASpan> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().map_err(|_| NotASpan)?;
        let after = &rest[digits..];
        let letters = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "" => 1_000,
            name => UNITS.iter().find(|(unit, _)| *unit == name).ok_or(NotASpan)?.1,
        };
        let part = Duration::from_millis(number.checked_mul(unit).ok_or(NotASpan)?);
        total = total.checked_add(part).ok_or(NotASpan)?;
        rest = &after[letters..];
    }
    if text.is_empty() { Err(NotASpan) } else { Ok(total) }
}

/// The shortest text that [`parse`] reads as this span; what is below a millisecond is lost.
pub fn render(span: Duration) -> String {
    let mut rest = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, millis) in UNITS {
        if rest >= millis {
            text.push_str(&(rest / millis).to_string());
            text.push_str(unit);
            rest %= millis;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// For fields of serde: the text that people type.
pub mod text {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::render(*span))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        super::parse(&String::deserialize(from)?).map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_parses_what_people_type() {
        let cases = [
            ("500ms", Some(500)),
            ("30s", Some(30_000)),
            ("30", Some(30_000)),
            ("5m", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("0s", Some(0)),
            ("", None),
            ("s", None),
            ("1.5s", None),
            ("-1s", None),
            ("5 m", None),
            ("5日", None),
            ("99999999999999999999s", None),
            ("18446744073709551615h", None),
        ];
        for (text, millis) in cases {
            assert_eq!(parse(text).ok(), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn span_is_written_as_people_would() {
        let cases = [
            (0, "0s"),
            (400, "400ms"),
            (60_000, "1m"),
            (90_500, "1m30s500ms"),
            (7_200_000, "2h"),
            (90 * 86_400_000, "90d"),
        ];
        for (millis, text) in cases {
            assert_eq!(render(Duration::from_millis(millis)), text);
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)));
        }
    }
}
