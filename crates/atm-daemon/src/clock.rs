//! The wall clock, read here and handed to the core as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use atm_core::stamp::Stamp;

pub(crate) fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
