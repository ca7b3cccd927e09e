//! The wall clock, read here and handed to the core as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use atm_core::stamp::Stamp;

/// Minutes since midnight by the user's clock.
pub(crate) fn minute_of_day() -> u16 {
    let time = jiff::Zoned::now().time();
    u16::from(time.hour().unsigned_abs()) * 60 + u16::from(time.minute().unsigned_abs())
}

pub(crate) fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
