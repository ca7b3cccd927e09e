//! Times as the user's clock shows them.

use atm_core::stamp::Stamp;
use jiff::{Timestamp, Zoned, tz::TimeZone};

fn zoned(at: Stamp) -> Option<Zoned> {
    let time = Timestamp::from_millisecond(at.0).ok()?;
    Some(time.to_zoned(TimeZone::system()))
}

/// `11-15 19:06`.
pub(crate) fn minute(at: Stamp) -> String {
    zoned(at).map_or_else(|| at.to_string(), |time| time.strftime("%m-%d %H:%M").to_string())
}

/// `2026-11-15`.
pub(crate) fn day(at: Stamp) -> String {
    zoned(at).map_or_else(|| at.to_string(), |time| time.date().to_string())
}
