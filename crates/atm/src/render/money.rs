//! Money and large numbers, as short as they can be said.

use atm_core::prices::{PICOS_PER_DOLLAR, Picos};
use atm_index::Cost;

/// `$12.34`; a part of a cent is shown as such. `+?` if there is more that has no price.
pub(crate) fn cost(cost: Cost) -> String {
    match (cost.picos, cost.unpriced) {
        (0, 0) => "-".to_owned(),
        (0, _) => "?".to_owned(),
        (picos, 0) => dollars(picos),
        (picos, _) => format!("{}+?", dollars(picos)),
    }
}

fn dollars(picos: Picos) -> String {
    let (digits, scale) = if picos < PICOS_PER_DOLLAR / 100 { (4, 10_000) } else { (2, 100) };
    let unit = PICOS_PER_DOLLAR / scale;
    let rounded = (picos + unit / 2) / unit;
    format!("${}.{:0digits$}", rounded / scale, rounded % scale)
}

/// For programs: dollars to a millionth.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53 after rounding")]
pub(crate) fn usd(picos: Picos) -> f64 {
    let millionths = (picos + 500_000) / 1_000_000;
    millionths as f64 / 1e6
}

/// `950`, `12.3k`, `4.5M`.
pub(crate) fn count(number: u64) -> String {
    let (unit, name) = match number {
        0..1_000 => return number.to_string(),
        1_000..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let tenths = number / (unit / 10);
    if tenths >= 1000 {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_rounded_to_the_cent_and_says_what_it_lacks() {
        let of = |picos, unpriced| cost(Cost { picos, unpriced });
        assert_eq!(of(0, 0), "-");
        assert_eq!(of(0, 3), "?");
        assert_eq!(of(4_960_000_000, 0), "$0.0050");
        assert_eq!(of(12_344_999_999_999, 0), "$12.34");
        assert_eq!(of(12_345_000_000_000, 0), "$12.35");
        assert_eq!(of(1_999_999_999_999_999, 2), "$2000.00+?");
    }

    #[test]
    fn count_is_short() {
        let all = [0, 999, 1_000, 12_345, 123_456, 999_999, 4_567_890, 1_234_567_890];
        let short: Vec<String> = all.into_iter().map(count).collect();
        assert_eq!(short, ["0", "999", "1.0k", "12.3k", "123k", "999k", "4.5M", "1.2G"]);
    }
}
