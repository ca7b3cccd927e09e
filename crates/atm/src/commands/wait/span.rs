//! Spans of time as people type them: `500ms`, `30s`, `5m`, `1h30m`; a bare number is seconds.

use std::time::Duration;

pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "say it like 500ms, 30s, 5m or 1h30m".to_owned();
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        let after = &rest[digits..];
        let letters = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" => 1,
            "s" | "" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let part = Duration::from_millis(number.checked_mul(unit).ok_or_else(wrong)?);
        total = total.checked_add(part).ok_or_else(wrong)?;
        rest = &after[letters..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(total) }
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
}
