//! What was measured against what, and whether that is good enough.

use std::fmt;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Time(Duration),
    /// Per second.
    Rate(f64),
    Bytes(u64),
    Count(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aim {
    AtMost(Value),
    AtLeast(Value),
    /// Times the floor.
    RatioAtMost(f64),
    RatioAtLeast(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) metric: &'static str,
    pub(crate) measured: Value,
    pub(crate) floor: Value,
    pub(crate) aim: Aim,
}

impl Value {
    fn number(self) -> f64 {
        match self {
            Value::Time(time) => time.as_secs_f64(),
            Value::Rate(rate) => rate,
            Value::Bytes(count) | Value::Count(count) => count as f64,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Time(time) if time < Duration::from_millis(1) => {
                write!(f, "{:.0} µs", time.as_secs_f64() * 1e6)
            }
            Value::Time(time) if time < Duration::from_secs(1) => {
                write!(f, "{:.2} ms", time.as_secs_f64() * 1e3)
            }
            Value::Time(time) => write!(f, "{:.2} s", time.as_secs_f64()),
            Value::Rate(rate) => write!(f, "{rate:.0} /s"),
            Value::Bytes(bytes) => write!(f, "{:.2} MB", bytes as f64 / 1e6),
            Value::Count(count) => write!(f, "{count}"),
        }
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::AtMost(value) => write!(f, "≤ {value}"),
            Aim::AtLeast(value) => write!(f, "≥ {value}"),
            Aim::RatioAtMost(ratio) => write!(f, "≤ {ratio:.2}×"),
            Aim::RatioAtLeast(ratio) => write!(f, "≥ {ratio:.2}×"),
        }
    }
}

impl Row {
    /// `None` over a floor of nothing.
    fn ratio(&self) -> Option<f64> {
        let floor = self.floor.number();
        (floor > 0.0).then(|| self.measured.number() / floor)
    }

    pub(crate) fn is_met(&self) -> bool {
        let measured = self.measured.number();
        match self.aim {
            Aim::AtMost(value) => measured <= value.number(),
            Aim::AtLeast(value) => measured >= value.number(),
            Aim::RatioAtMost(aim) => self.ratio().is_some_and(|ratio| ratio <= aim),
            Aim::RatioAtLeast(aim) => self.ratio().is_some_and(|ratio| ratio >= aim),
        }
    }

    fn cells(&self) -> [String; 6] {
        [
            self.metric.to_owned(),
            self.measured.to_string(),
            self.floor.to_string(),
            self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}×")),
            self.aim.to_string(),
            if self.is_met() { "ok" } else { "MISS" }.to_owned(),
        ]
    }
}

pub(crate) fn render(rows: &[Row]) -> String {
    let head = ["metric", "measured", "floor", "ratio", "aim", ""].map(str::to_owned);
    let lines: Vec<[String; 6]> =
        std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let [a, b, c, d, e, _] = widths;
    let line = |[metric, measured, floor, ratio, aim, verdict]: &[String; 6]| {
        let line =
            format!("{metric:a$}  {measured:>b$}  {floor:>c$}  {ratio:>d$}  {aim:>e$}  {verdict}");
        format!("{}\n", line.trim_end())
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(measured: u64, floor: u64, aim: Aim) -> Row {
        Row { metric: "m", measured: Value::Count(measured), floor: Value::Count(floor), aim }
    }

    #[test]
    fn row_is_met_by_its_own_kind_of_aim() {
        let cases = [
            (row(2, 1, Aim::RatioAtMost(2.0)), true),
            (row(3, 1, Aim::RatioAtMost(2.0)), false),
            (row(3, 4, Aim::RatioAtLeast(0.75)), true),
            (row(2, 4, Aim::RatioAtLeast(0.75)), false),
            (row(2, 0, Aim::AtMost(Value::Count(2))), true),
            (row(3, 0, Aim::AtMost(Value::Count(2))), false),
            (row(3, 0, Aim::AtLeast(Value::Count(4))), false),
            (row(0, 0, Aim::RatioAtMost(1.0)), false),
        ];
        for (row, expected) in cases {
            assert_eq!(row.is_met(), expected, "{row:?}");
        }
    }

    #[test]
    fn table_lines_up_its_columns() {
        let row = Row {
            metric: "hook",
            measured: Value::Time(Duration::from_micros(213)),
            floor: Value::Time(Duration::from_micros(426)),
            aim: Aim::RatioAtMost(1.0),
        };
        let expected = "metric  measured   floor  ratio      aim\n\
                        hook      213 µs  426 µs  0.50×  ≤ 1.00×  ok\n";
        assert_eq!(render(&[row]), expected);
    }
}
