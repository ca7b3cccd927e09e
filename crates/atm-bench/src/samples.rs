//! Times of the same thing done often.

use std::fmt;
use std::time::Duration;

use crate::table::Value;

/// Sorted, never empty.
#[derive(Debug)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn new(mut times: Vec<Duration>) -> Samples {
        assert!(!times.is_empty(), "every scale measures at least once");
        times.sort_unstable();
        Samples(times)
    }

    pub(crate) fn median(&self) -> Duration {
        self.at(50)
    }

    pub(crate) fn p95(&self) -> Duration {
        self.at(95)
    }

    pub(crate) fn p99(&self) -> Duration {
        self.at(99)
    }

    /// The smallest value that `percent` of all do not exceed.
    fn at(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent).div_ceil(100).saturating_sub(1)]
    }
}

impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, p99, min] = [self.median(), self.p99(), self.0[0]].map(Value::Time);
        write!(f, "median {median}, p99 {p99}, min {min} ({} runs)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u64) -> Samples {
        Samples::new((1..=count).rev().map(Duration::from_micros).collect())
    }

    #[test]
    fn samples_are_ranked_by_nearest_rank() {
        let ranks = |count| (of(count).median().as_micros(), of(count).p99().as_micros());
        assert_eq!(ranks(1), (1, 1));
        assert_eq!(ranks(3), (2, 3));
        assert_eq!(ranks(1000), (500, 990));
    }
}
