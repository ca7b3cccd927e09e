//! How long something lasts, as short as it can be said.

use std::time::Duration;

pub fn age(span: Duration) -> String {
    let seconds = span.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 60 => format!("{seconds}s"),
        () if minutes < 60 => format!("{minutes}m"),
        () if hours < 24 => format!("{hours}h{:02}", minutes % 60),
        () => format!("{days}d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_takes_the_largest_unit_that_tells() {
        let cases = [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3599, "59m"),
            (3600, "1h00"),
            (3720, "1h02"),
            (86_399, "23h59"),
            (86_400, "1d"),
            (30 * 86_400, "30d"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(age(Duration::from_secs(seconds)), expected);
        }
    }
}
