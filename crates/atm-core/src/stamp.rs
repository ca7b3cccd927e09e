//! Points in time: milliseconds since the Unix epoch, by the wall clock of this host.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch. Order of events is the journal's, never this.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Stamp(pub i64);

impl Stamp {
    /// Time from `earlier` to `self`; zero if the clock went backwards.
    pub fn since(self, earlier: Stamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    pub fn plus(self, span: Duration) -> Stamp {
        Stamp(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Accepts RFC 3339, as the client writes it into transcripts.
    pub fn parse(text: &str) -> Option<Stamp> {
        text.parse::<jiff::Timestamp>().ok().map(|t| Stamp(t.as_millisecond()))
    }
}

/// RFC 3339 in UTC with milliseconds, the form of every time in our JSON.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

/// For `#[serde(with = "stamp::text")]`: a stamp as RFC 3339 in JSON.
pub mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Stamp;

    pub fn serialize<S: Serializer>(stamp: &Stamp, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(stamp)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Stamp, D::Error> {
        let text = String::deserialize(input)?;
        Stamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_shown_is_rfc3339_with_milliseconds() {
        assert_eq!(Stamp(1_794_769_560_123).to_string(), "2026-11-15T19:06:00.123Z");
        assert_eq!(Stamp(1_794_769_560_000).to_string(), "2026-11-15T19:06:00.000Z");
    }

    #[test]
    fn stamp_parsed_from_transcript_time_keeps_milliseconds() {
        assert_eq!(Stamp::parse("2026-11-15T19:06:00.123Z"), Some(Stamp(1_794_769_560_123)));
        assert_eq!(Stamp::parse("yesterday"), None);
    }

    #[test]
    fn since_with_clock_going_back_is_zero() {
        assert_eq!(Stamp(5).since(Stamp(9)), Duration::ZERO);
    }
}
