//! The two clocks of a record, read together.

use std::time::{Duration, SystemTime};

use atm_core::stamp::Stamp;
use rustix::time::{ClockId, clock_gettime};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) stamp: Stamp,
    /// Nanoseconds of the monotonic clock.
    pub(crate) mono: u64,
}

impl Moment {
    pub(crate) fn now() -> Moment {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let stamp = Stamp(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX));
        let mono = clock_gettime(ClockId::Monotonic);
        let nanos = mono.tv_sec.saturating_mul(1_000_000_000).saturating_add(mono.tv_nsec);
        Moment { stamp, mono: u64::try_from(nanos).unwrap_or(0) }
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::from_nanos(Moment::now().mono.saturating_sub(self.mono))
    }
}
